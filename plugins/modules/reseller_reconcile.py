#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_reconcile
short_description: Compare the ledger with the contracts that the service shows
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reads the contracts that the service shows, settles orders in doubt by them, and records the IDs of orders that were accepted without one.
    It also reports contracts that the ledger lacks, and recorded contracts that are not shown.
  - >-
    This module never orders anything and never removes a record. If the service's OpenAPI document has no operation that reads contracts, it
    warns and changes nothing.
  - A contract that is shown may settle an order. A contract that is not shown proves nothing, because a list may lag behind.
  - >-
    A contract is recognized at the places that the description of the service gives, or at which recorded contracts of the list show what was
    ordered with them.
  - >-
    An order is settled by a list that was read to its end before the order and after it, if exactly one contract that was not there before shows
    the hostname or domain, the product and the end user, and says in no form that it failed or ended. An ID in the interrupted response
    settles it if the contract with this ID does. Other contracts like the order are candidates, for you to decide.
options:
  names:
    description: Names of the orders to settle and to compare. By default all.
    type: list
    elements: str
  settle:
    description: Whether to record in the ledger what the evidence settles.
    type: bool
    default: true
attributes:
  check_mode:
    support: full
    details: Reads from the service and reports what would be written to the ledger.
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.attributes
  - hosting.reseller.attributes.both_groups
seealso:
  - module: hosting.reseller.reseller_record
  - module: hosting.reseller.reseller_ledger_info
"""

EXAMPLES = r"""
- name: Settle the orders that the service's list of contracts proves
  hosting.reseller.reseller_reconcile:
  register: reconciled

- name: Show the orders that you have to settle yourself
  ansible.builtin.debug:
    msg: "{{ reconciled.ambiguous + reconciled.unseen | selectattr('contract_id', 'none') }}"

- name: Adopt the contracts that the ledger lacks
  hosting.reseller.reseller_record:
    name: "{{ item.name }}"
    state: present
    contract_id: "{{ item.contract_id }}"
    end_user: "{{ item.end_user }}"
    product: "{{ item.product }}"
    product_type: "{{ item.product_type }}"
    settings: "{{ item.settings }}"
  loop: "{{ reconciled.unrecorded | rejectattr('doubts') }}"
  loop_control:
    label: "{{ item.name }}"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
settled:
  description:
    - Orders in doubt that are settled as ordered. In check mode, those that would be.
    - Each entry has C(name), C(contract_id) and C(evidence), in sentences.
  returned: success
  type: list
  elements: dict
ambiguous:
  description: Orders in doubt that you have to settle yourself. C(candidates) are the IDs of contracts that they may have bought.
  returned: success
  type: list
  elements: dict
unseen:
  description:
    - Orders in doubt without a matching contract, and recorded contracts that their list does not show. This proves nothing.
    - Each entry has C(name), C(contract_id), which is V(null) for an order in doubt, and C(evidence), which says what was seen.
  returned: success
  type: list
  elements: dict
not_read:
  description:
    - Recorded contracts whose list was not read, for example because the organization of their end user is not known.
    - Each entry has C(name), C(contract_id) and C(evidence), which names what is missing.
  returned: success
  type: list
  elements: dict
unrecorded:
  description:
    - Contracts that the service shows and the ledger lacks, with the options of M(hosting.reseller.reseller_record) that adopt them.
    - Each entry has C(name), C(contract_id), C(product), C(product_type), C(end_user) and C(settings). What is not known is V(null).
    - C(doubts) says what is not known, or why it may be no contract that stands. It is empty for a contract that can be adopted as it is.
  returned: success
  type: list
  elements: dict
complete:
  description:
    - Whether all recorded contracts of this service were looked for in the list in which they would be, and these lists were read to their end.
    - An order is not settled by a list that is not complete.
  returned: success
  type: bool
why_incomplete:
  description: Why contracts may be missing, and the line for the description. Empty if RV(complete=true).
  returned: success
  type: str
organizations:
  description: End users with orders in the ledger whose organization is not known, and whom the own list does not show.
  returned: success
  type: list
  elements: str
status:
  description: HTTP status of the service's response.
  returned: when the service rejected the request or could not be reached
  type: int
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
request_id:
  description: The service's ID of the request, if its response has one.
  returned: when the service rejected the request
  type: str
service_message:
  description: The service's own message.
  returned: when the service rejected the request
  type: str
"""
