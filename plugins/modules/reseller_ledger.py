#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_ledger
short_description: Settle, adopt or remove an order in the ledger
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - Records in the ledger what you know about an order. This module sends no requests to the service, and neither orders nor cancels anything.
  - >-
    An order in doubt was sent or was about to be, and its outcome is unknown. Check in the customer portal whether the contract exists, and
    settle the order accordingly.
  - >-
    What the ledger knows of an order never changes by this module: it sets the outcome and the IDs, and fills in what is not known. For a
    recorded name, O(base_url) and O(organization_id) are used only if the record has none, wherever they come from.
options:
  name:
    description:
      - Name of the order, or of the operation with O(kind=operation). Required with O(state=ordered), O(state=done) and O(state=absent).
      - To adopt a contract, use a name that is not recorded, and that an order can have.
    type: str
  kind:
    description:
      - What O(name) identifies. An order and an operation can have the same name.
      - V(operation) is a POST that M(hosting.reseller.reseller_operation) sends once under its O(hosting.reseller.reseller_operation#module:name).
    type: str
    choices: [order, operation]
    default: order
  state:
    description:
      - V(ordered) settles an order in doubt as placed, adopts a contract that was bought elsewhere, or fills in what a record does not know.
      - After V(ordered), the next run finds the record and orders nothing. It fails if the record does not say what the contract is for.
      - V(done) settles a recorded operation in doubt as done. It requires O(kind=operation).
      - After V(done), the operation is not sent again.
      - V(absent) removes the record, for example because the order was not placed. The next run may then order again, which costs money if the
        contract exists after all.
      - If there is no such record, V(absent) changes nothing, and a warning lists similar names. It fails if a similar name is in doubt, or if
        there is no ledger.
      - To remove an order that is recorded as ordered, repeat its O(contract_id).
      - V(moved) changes the address of a service from O(from) to O(to) in all its records. Its orders are then found under the new address.
      - V(moved) fails if no record has O(from), and names the addresses that are recorded.
      - V(accepted) accepts the current ledger, or a missing one, after the collection refused it.
      - The collection refuses a ledger that went back in time, is another ledger, was retired, or awaits the records of a retired one.
      - After V(accepted), a retired ledger is in use again, beside the one that it was moved to. The task warns.
      - Before you use V(accepted), restore the ledger or adopt what is missing in it. Everything that it lacks is ordered again.
      - With C(--diff), V(accepted) shows what was known of the ledger and what is known of it from then on, also which other addresses have
        what it lacks. This is forgotten.
      - V(retired) moves everything that the ledger holds, as it is, to the empty ledger at O(moved_to). Once the old one is retired, no run
        can order with it, nor with the new one until all is moved.
      - If V(retired) is cut off, run it again, which finishes it. It fails while a run is placing an order.
    type: str
    required: true
    choices: [ordered, done, absent, moved, accepted, retired]
  contract_id:
    description:
      - The service's ID of the contract, with O(state=ordered). Leave it out if you do not know it.
      - You can also copy the address that ends with the ID. Whitespace around an ID and its case do not matter.
      - An ID settles one order. If another order has it, the task fails.
      - If the order is recorded with another ID, the task fails, unless O(from) names that one.
      - With O(state=absent), the recorded ID of an order that is recorded as ordered. An empty string if the record has none.
    type: str
  l2vpn_id:
    description: UUID of the L2VPN of a dedicated server, with O(state=ordered). Leave it out if you do not know it.
    type: str
  end_user:
    description:
      - UUID of the end user that the contract was ordered for, or V(__self__).
      - Give as much of O(end_user), O(product), O(product_type) and O(settings) as you know.
      - For a recorded name, they fill in what is not known. The task fails if one of them differs from the record.
      - For an order that was rejected or not sent, they take the place of all that its record has.
      - An order fails as long as O(end_user), O(product_type) or O(base_url) of its record is not known.
    type: str
  product:
    description: UUID of the product of the contract. By default, the documented UUID for O(product_type), if there is one.
    type: str
  product_type:
    description: Type of the product of the contract.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  settings:
    description:
      - Settings of the contract. They require O(product_type), unless it is recorded. The hostname or domain prevents a second order of it.
      - They are checked like those of an order. Secrets among them are not stored.
      - Settings of an adopted contract that are left out are not compared by later runs.
    type: dict
  on_duplicate:
    description:
      - What to do when the ledger has the same domain, or the same hostname and end user, under another name. V(fail) fails the task.
      - V(warn) and V(ignore) add a second record. A second record of the same domain or of the same O(contract_id) is never added.
    type: str
    choices: [fail, warn, ignore]
    default: fail
  from:
    description:
      - Old address of a service, with O(state=moved). Scheme, host, port and path are compared.
      - The recorded ID of a contract that is wrong, with O(state=ordered). O(contract_id) then takes its place. Without O(contract_id), no ID is
        recorded then.
    type: str
  to:
    description: New address of a service, with O(state=moved).
    type: str
  moved_to:
    description:
      - Absolute path or PostgreSQL address of the new ledger, with O(state=retired). It is made if it is missing, whatever
        O(new_ledger) is.
      - The password in an address is not stored.
    type: str
attributes:
  check_mode:
    support: full
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
  - module: hosting.reseller.reseller_ledger_info
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Settle an order as placed, because the customer portal shows the contract
  hosting.reseller.reseller_ledger:
    name: web01.example.com
    state: ordered
    contract_id: 0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c

# Run this task once, on its own. In the playbook that orders, it would remove the record in every
# run, and every run would order again.
- name: Settle an order as not placed, because the customer portal shows no contract
  hosting.reseller.reseller_ledger:
    name: web02.example.com
    state: absent

# Restore the ledger first, or adopt the contracts that are missing in it. Everything that it lacks
# is ordered again.
- name: Accept a ledger that went back in time
  hosting.reseller.reseller_ledger:
    state: accepted

- name: Correct a contract ID that was recorded by mistake
  hosting.reseller.reseller_ledger:
    name: web01.example.com
    state: ordered
    from: 0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c
    contract_id: 0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d56

- name: Adopt a webhosting contract that was bought in the customer portal
  hosting.reseller.reseller_ledger:
    name: customer-4711/shop
    state: ordered
    contract_id: 0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55
    end_user: d19f51a8-e747-452b-89a9-286bfa544c77
    product: 2f6a3a1f-9b11-4a0e-9f5e-3f0c7d3e8a54
    product_type: webhosting

- name: Change the address of the service in all its records
  hosting.reseller.reseller_ledger:
    state: moved
    from: https://old.example.com
    to: https://portal.example.com

- name: Settle a named operation as not done, so that the next run may send it
  hosting.reseller.reseller_ledger:
    name: reset of the web shop on 2026-11-21
    kind: operation
    state: absent
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
order:
  description:
    - The record after the task, with the keys of RV(hosting.reseller.reseller_ledger_info#module:orders).
    - V(null) with O(state=absent), O(state=accepted), O(state=retired) and O(state=moved).
  returned: success
  type: dict
operation:
  description: The record after the task, as RV(hosting.reseller.reseller_ledger_info#module:operations). V(null) with O(state=absent).
  returned: with O(kind=operation)
  type: dict
moved:
  description: Number of records with the new address.
  returned: with O(state=moved)
  type: int
before:
  description: The record before the task, in the form of RV(order) or RV(operation). V(null) if there was none.
  returned: success
  type: dict
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
"""
