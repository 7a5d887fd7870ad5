# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The options that select the orders of a ledger that become hosts."""

    DOCUMENTATION = r"""
options:
  ledger:
    description:
      - Location of the ledger, as the path of a file or as C(postgresql://user:password@host/database).
      - A relative path is refused, because it would be another ledger in each working directory.
      - The default is C(hosting.reseller/ledger.db) in E(XDG_STATE_HOME), which is C(~/.local/state) if unset.
      - A ledger that you name here or in the environment must exist. If the default ledger does not exist, the plugin warns and reads no orders.
    type: str
    env:
      - name: RESELLER_LEDGER
  product_types:
    description: Product types of the orders that become hosts.
    type: list
    elements: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
    default: [vps, configurable_vps, dedicated_server]
  statuses:
    description: Statuses of the orders that become hosts.
    type: list
    elements: str
    choices: [ordered, pending, in_doubt, rejected, not_sent]
    default: [ordered]
requirements:
  - psycopg >= 3.2.2 (for a ledger in PostgreSQL)
"""
