#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_ledger
short_description: Settle, adopt or remove an order in the ledger
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Writes a person's word on an order into the ledger. It never talks to the service, and neither orders nor cancels anything.
  - An order in doubt was sent, and its outcome is unknown. Look in the customer portal whether the contract exists, and settle the order accordingly.
options:
  name:
    description:
      - The name of the order, or of the operation with O(kind=operation). Required with O(state=ordered), O(state=done) and O(state=absent).
      - A contract can only be adopted under a name that an order can have.
    type: str
  kind:
    description:
      - What O(name) names. Orders and operations have names of their own.
      - V(operation) is a POST that M(hosting.reseller.reseller_operation) sends once, by its O(hosting.reseller.reseller_operation#module:name).
    type: str
    choices: [order, operation]
    default: order
  state:
    description:
      - V(done) settles an operation in doubt as done, or records one that was done elsewhere, with O(kind=operation). It is not sent again.
      - V(ordered) settles an order in doubt as placed, or adopts a contract that was bought elsewhere. The next run finds it and orders nothing.
      - V(absent) says that the order was not placed, or removes its record. The next run may order it, which costs money if the contract exists after all.
        If no such order is recorded, nothing changes, and a warning gives the nearest names.
      - V(moved) gives all records of the service O(from) the address O(to), so that its orders are found under the new address.
      - V(accepted) takes the ledger as it is, or that there is none, after it was refused because it went back in time, is another one, or was retired.
        Restore the ledger or adopt what is missing in it first; what it lacks is ordered again.
      - V(retired) notes in the ledger that it was moved to O(moved_to), so that nothing is ordered with it from then on.
        The new ledger must hold all its orders.
    type: str
    required: true
    choices: [ordered, done, absent, moved, accepted, retired]
  contract_id:
    description: The service's identifier of the contract, with O(state=ordered). May be left out if it is not known.
    type: str
  l2vpn_id:
    description: The UUID of the L2VPN of a dedicated server, with O(state=ordered), if it is known.
    type: str
  end_user:
    description:
      - What an adopted contract was ordered with; O(end_user), O(product) and O(product_type) are given together.
      - With them, a later run that asks for something else under this name is told so. Without them, it is taken to ask for this contract.
    type: str
  product:
    description: The UUID of the product of an adopted contract. By default the documented one of O(product_type).
    type: str
  product_type:
    description: The type of the product of an adopted contract.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  settings:
    description: The settings of an adopted contract. They are checked like those of an order. Secrets among them are not kept.
    type: dict
  partial:
    description:
      - Whether O(settings) are only a part of those that the contract was ordered with.
      - Settings that are not given are then neither required here nor compared by later runs.
    type: bool
    default: false
  on_duplicate:
    description:
      - What to do when the contract to adopt is recorded under another name, be it by the same domain or by the same hostname of the same end user.
      - V(fail) fails the task. V(warn) and V(ignore) record a second one. A domain is never recorded twice.
    type: str
    choices: [fail, warn, ignore]
    default: fail
  from:
    description: The old address of a service, with O(state=moved). It is compared by scheme, host, port and path.
    type: str
  to:
    description: The new address of a service, with O(state=moved).
    type: str
  moved_to:
    description: The path or PostgreSQL address of the new ledger, with O(state=retired). The password of an address is not kept.
    type: str
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.attributes
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_ledger_info
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: The portal shows the contract, so the order was placed
  hosting.reseller.reseller_ledger:
    name: web01.example.com
    state: ordered
    contract_id: 0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c

# Run this once, by itself. In the playbook that orders, it would remove the record in each run, and
# each run would order again.
- name: The portal shows no contract, so the next run may order
  hosting.reseller.reseller_ledger:
    name: web01.example.com
    state: absent

# Only after the ledger was restored, or its missing contracts were adopted. What it lacks is
# ordered again.
- name: Order with this ledger from now on, although it went back in time
  hosting.reseller.reseller_ledger:
    state: accepted

- name: Adopt a webhosting that was bought in the portal
  hosting.reseller.reseller_ledger:
    name: customer-4711/shop
    state: ordered
    contract_id: 0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55
    end_user: 3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
    product: 2f6a3a1f-9b11-4a0e-9f5e-3f0c7d3e8a54
    product_type: webhosting

- name: The service has a new address
  hosting.reseller.reseller_ledger:
    state: moved
    from: https://old.example.com
    to: https://portal.example.com

- name: A named operation was not done, so the next run may send it
  hosting.reseller.reseller_ledger:
    name: reset of the web shop on 2026-11-21
    kind: operation
    state: absent
"""

RETURN = r"""
order:
  description: The record after the task; V(null) with O(state=absent), O(state=accepted), O(state=retired) and O(state=moved).
  returned: success
  type: dict
  contains:
    name:
      description: The identity of the order in the ledger.
      type: str
    status:
      description:
        - V(ordered), V(pending) while a run is placing it, V(in_doubt), or for released claims V(rejected) and V(not_sent).
      type: str
    contract_id:
      description: The service's identifier of the contract, where it is known.
      type: str
    contract:
      description: >-
        What the ledger keeps of the service's answer. It is the state of the contract, and UUIDs, IP addresses and dates
        whose names tell what they are.
      type: raw
    l2vpn_id:
      description: The UUID of the L2VPN, where the answer held one.
      type: str
    product:
      description: The UUID of the product.
      type: str
    product_name:
      description: The name of the product.
      type: str
    product_type:
      description: The type of the product.
      type: str
    end_user:
      description: The end-user target.
      type: str
    base_url:
      description: Where it was ordered.
      type: str
    organization_id:
      description: The organization in whose context it was ordered.
      type: str
    settings:
      description: What it was ordered with, without secrets. Of contact data there is a digest that only this ledger can compare.
      type: dict
    partial:
      description: Whether it was ordered with other settings, too. True for contracts that M(hosting.reseller.reseller_reconcile) adopted.
      type: bool
    reason:
      description: What happened, where the order did not simply succeed.
      type: str
    claimed_at:
      description: When a run claimed it, before sending it; UTC, ISO 8601.
      type: str
    ordered_at:
      description: When the service accepted it; UTC, ISO 8601.
      type: str
    updated_at:
      description: When the record was last written; UTC, ISO 8601.
      type: str
    awx_job_id:
      description: The AWX job that ordered it.
      type: str
    awx_workflow_job_id:
      description: The AWX workflow job that ordered it.
      type: str
operation:
  description: The record of the operation after the task; V(null) with O(state=absent).
  returned: with O(kind=operation)
  type: dict
  contains:
    name:
      description: The name of the operation.
      type: str
    status:
      description: V(done), V(pending) while a run is sending it, V(in_doubt), or for released claims V(rejected) and V(not_sent).
      type: str
    operation:
      description: What was sent, as C(METHOD /path).
      type: str
    path:
      description: The path with its parameters, without secrets.
      type: str
    base_url:
      description: The service that it was sent to.
      type: str
    organization_id:
      description: The organization in which it was sent.
      type: str
    reason:
      description: What happened, where it did not simply succeed.
      type: str
    claimed_at:
      description: When a run claimed it, before sending it; UTC, ISO 8601.
      type: str
    done_at:
      description: When the service accepted it; UTC, ISO 8601.
      type: str
    updated_at:
      description: When the record was last written; UTC, ISO 8601.
      type: str
    awx_job_id:
      description: The AWX job that sent it.
      type: str
    awx_workflow_job_id:
      description: The AWX workflow job that sent it.
      type: str
moved:
  description: How many records got the new address.
  returned: with O(state=moved)
  type: int
before:
  description: The record before the task, in the form of RV(order) or RV(operation); V(null) if there was none.
  returned: success
  type: dict
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.ledger import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
