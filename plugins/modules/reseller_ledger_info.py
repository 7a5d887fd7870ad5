#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_ledger_info
short_description: List the orders and operations in the ledger
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Lists what the ledger knows of the orders and of the named operations that were sent. It never talks to the service.
options:
  name:
    description: Only the orders and operations of these names.
    type: list
    elements: str
  status:
    description:
      - Only orders and operations in one of these states. V(ordered) is for orders, V(done) for operations.
      - V(pending) is being placed by a run at this moment. V(in_doubt) was sent, or about to be, and nobody knows how that ended.
      - V(rejected) and V(not_sent) were not placed; the next run sends them again.
    type: list
    elements: str
    choices: [ordered, pending, in_doubt, rejected, not_sent, done]
  end_user:
    description: Only orders for this end-user target, and no operations.
    type: str
  product_type:
    description: Only orders of this product type, and no operations.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  since:
    description:
      - Only orders and operations whose record was written at this time or later, as V(2026-11-21) or V(2026-11-21T08:00:00Z).
      - A time without a zone is UTC.
    type: str
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_ledger
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: List all orders that nobody knows the outcome of
  hosting.reseller.reseller_ledger_info:
    status: [in_doubt]
  register: doubtful

- name: Show them
  ansible.builtin.debug:
    msg: "{{ doubtful.orders | map(attribute='name') }}"

- name: List the contracts of one end-user whose record was written this month
  hosting.reseller.reseller_ledger_info:
    end_user: 3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
    status: [ordered]
    since: "2026-11-01"
"""

RETURN = r"""
lines:
  description: The orders as a table that fits a terminal.
  returned: success
  type: list
  elements: str
orders:
  description: The orders that match, oldest claim first. It never holds a secret.
  returned: success
  type: list
  elements: dict
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
operations:
  description: The named operations that match, which are no orders. It never holds a secret.
  returned: success
  type: list
  elements: dict
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
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.ledger_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
