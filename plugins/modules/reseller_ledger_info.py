#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_ledger_info
short_description: List the orders and operations in the ledger
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description: Lists the records of orders and of named operations, without a request to the service.
options:
  name:
    description: Names of the orders and operations to list. By default all.
    type: list
    elements: str
  status:
    description:
      - Statuses of the orders and operations to list. By default all.
      - V(ordered) is for orders with a contract, and V(done) is for operations that succeeded.
      - V(pending) is being placed, or was cut off. A request of the run that claimed it may be under way until C(certain_at).
      - V(in_doubt) was sent or about to be, and the outcome is unknown.
      - V(rejected) and V(not_sent) were not placed. The next run sends them again.
    type: list
    elements: str
    choices: [ordered, pending, in_doubt, rejected, not_sent, done]
  end_user:
    description: UUID of an end user, or V(__self__). Only orders for this end user are listed, and no operations.
    type: str
  product_type:
    description: A product type. Only orders of this type are listed, and no operations.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  since:
    description: Earliest time of the last change to a record, such as V(2026-11-21) or V(2026-11-21T08:00:00Z). A time without a zone is UTC.
    type: str
extends_documentation_fragment:
  - hosting.reseller.ledger
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.ledger_group
seealso:
  - module: hosting.reseller.reseller_ledger
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: List all orders in doubt
  hosting.reseller.reseller_ledger_info:
    status: [in_doubt]
  register: in_doubt

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ in_doubt.orders | map(attribute='name') }}"

- name: List the orders of one end user whose records have changed this month
  hosting.reseller.reseller_ledger_info:
    end_user: d19f51a8-e747-452b-89a9-286bfa544c77
    status: [ordered]
    since: "2026-11-01"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
lines:
  description: The orders as a table that fits a terminal.
  returned: success
  type: list
  elements: str
orders:
  description: Orders that match, oldest claim first. They contain no secrets.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the order.
      type: str
    status:
      description:
        - V(ordered) has a contract. V(in_doubt) was sent or about to be, and its outcome is unknown.
        - V(pending) is being placed, or was cut off.
        - V(rejected) and V(not_sent) were not placed.
      type: str
    contract_id:
      description: The service's ID of the contract. V(null) if it is not known.
      type: str
    contract:
      description:
        - Part of the service's response that the ledger keeps. It contains the state of the contract.
        - It also contains UUIDs, IP addresses and dates, if their names show what they are.
      type: raw
    l2vpn_id:
      description: UUID of the L2VPN, if the response contained one.
      type: str
    product:
      description: UUID of the product.
      type: str
    product_name:
      description: Name of the product.
      type: str
    product_type:
      description: Type of the product.
      type: str
    end_user:
      description: UUID of the end user, or V(__self__).
      type: str
    base_url:
      description: Address of the service that the order was sent to.
      type: str
    organization_id:
      description: ID of the organization in whose context the order was sent.
      type: str
    settings:
      description: Settings of the order, without secrets. Contact data is replaced by a digest that only this ledger can compare.
      type: dict
    listed_prices:
      description:
        - What the catalogue listed for the product and the settings when the order was sent, verbatim. V(null) if it listed none.
      type: dict
    partial:
      description: Whether RV(orders[].settings) is only a part of the contract's settings. V(true) for contracts that
        M(hosting.reseller.reseller_reconcile) adopted.
      type: bool
    reason:
      description: What happened, if the order did not simply succeed.
      type: str
    claimed_at:
      description: Time of the claim, before the request was sent, in UTC and ISO 8601.
      type: str
    ordered_at:
      description: Time when the service accepted the order, in UTC and ISO 8601.
      type: str
    certain_at:
      description: Time at which a pending order is certain at the latest, in UTC and ISO 8601. Otherwise V(null).
      type: str
    updated_at:
      description: Time of the last change to the record, in UTC and ISO 8601.
      type: str
    awx_job_id:
      description: ID of the AWX job that placed the order.
      type: str
    awx_workflow_job_id:
      description: ID of the AWX workflow job that placed the order.
      type: str
operations:
  description:
    - Named operations that match. They are not orders, and contain no secrets.
    - C(status) is V(done), or as in RV(orders). C(operation) is the request as C(METHOD /path).
    - C(done_at) is the time when the service accepted it. The other keys are C(name), C(base_url), C(organization_id), C(reason),
      C(claimed_at), C(certain_at), C(updated_at), C(awx_job_id) and C(awx_workflow_job_id), as in RV(orders).
  returned: success
  type: list
  elements: dict
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
"""
