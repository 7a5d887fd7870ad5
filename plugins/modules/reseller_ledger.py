#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_ledger
short_description: Accept or move the whole ledger
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - Changes the ledger as a whole. For one order, see M(hosting.reseller.reseller_record). This module sends no requests to the service.
  - >-
    The collection refuses a ledger that went back in time, is another ledger, was moved, or awaits the records of a moved one. Restore the ledger
    or adopt what is missing in it before you accept it, because everything that it lacks is ordered again. A ledger that was moved is in use
    again then, beside the one that it was moved to. With C(--diff), the task shows what was known of the ledger, and what is known from then on.
  - >-
    After a move, no run can order with the old ledger, nor with the new one until all is moved. If the move is cut off, run it again, which
    finishes it. It fails while a run is placing an order.
options:
  state:
    description:
      - V(accepted) accepts the current ledger, or a missing one, after the collection refused it.
      - V(moved) moves everything that the ledger holds, as it is, to the empty ledger at O(to).
      - V(readdressed) changes the address of a service from O(from) to O(to) in all its records, so that its orders are found under the new one.
    type: str
    required: true
    choices: [accepted, moved, readdressed]
  from:
    description: Old address of a service, with O(state=readdressed). Scheme, host, port and path are compared.
    type: str
  to:
    description:
      - With O(state=moved), the absolute path or PostgreSQL address of the new ledger. It is made if it is missing, whatever O(new_ledger) is. The
        password in an address is not stored.
      - With O(state=readdressed), the new address of the service.
    type: str
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - hosting.reseller.ledger
  - hosting.reseller.attributes
  - hosting.reseller.attributes.ledger_group
seealso:
  - module: hosting.reseller.reseller_record
  - module: hosting.reseller.reseller_ledger_info
"""

EXAMPLES = r"""
# Restore the ledger first, or adopt the contracts that are missing in it. Everything that it lacks
# is ordered again.
- name: Accept a ledger that went back in time
  hosting.reseller.reseller_ledger:
    state: accepted

- name: Change the address of the service in all its records
  hosting.reseller.reseller_ledger:
    state: readdressed
    from: https://old.example.com
    to: https://portal.example.com
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
readdressed:
  description: Number of records with the new address.
  returned: success
  type: int
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
"""
