#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_stack_info
short_description: Check the stack of an end user and show what ordering it would do
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reads a stack file, which describes all contracts of one end user, and lists all problems at once, with their place in the file. It checks
    the rules of the specification, the references between the parts, the ledger, and the service's catalogue.
  - >-
    If the service lists its contracts, it also compares the list with the ledger (O(read_back)). What the list shows and the ledger lacks is
    C(refused) in the plan. That is no part of RV(plan_digest), so it does not change what you approve.
  - This module orders nothing. To order, use M(hosting.reseller.reseller_stack) or the role P(hosting.reseller.customer_stack#role).
options:
  on_problems:
    description: What to do when anything is wrong with the stack. V(fail) fails the task. V(report) only returns RV(problems).
    type: str
    choices: [fail, report]
    default: fail
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.reseller.elements
  - hosting.reseller.reseller.reading
  - hosting.reseller.reseller.read_back
  - hosting.reseller.reseller.nameservers
  - hosting.reseller.reseller.stack
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.both_groups
seealso:
  - module: hosting.reseller.reseller_stack
"""

EXAMPLES = r"""
- name: Check the stack of an end user
  hosting.reseller.reseller_stack_info:
    path: "{{ playbook_dir }}/customers/4711.yml"
  register: stack

- name: Show what would be ordered
  ansible.builtin.debug:
    msg: "{{ stack.contracts | selectattr('action', 'eq', 'order') | map(attribute='name') }}"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
end_user:
  description: UUID of the end user, or V(__self__).
  returned: success
  type: str
service:
  description: The service and the organization that the stack was checked with.
  returned: success, and on failure because of problems
  type: dict
  contains:
    base_url:
      description: Address of the service.
      type: str
    organization_id:
      description: ID of the organization.
      type: str
problems:
  description: Everything that is wrong with the stack, in the order of the file.
  returned: success, and on failure because of problems
  type: list
  elements: dict
  contains:
    line:
      description: Line in the file, counted from 1. V(null) without a file.
      type: int
    column:
      description: Column in the file, counted from 1.
      type: int
    path:
      description: Path of the problem, such as C(contracts.vps[0].hostname).
      type: str
    message:
      description: What is wrong, and what to do.
      type: str
contracts:
  description:
    - Contracts of the stack that could be planned, with the keys of RV(hosting.reseller.reseller_contracts#module:plan), and C(warnings).
    - C(settings) are those that it would be ordered with, without secrets. Empty unless it is to be ordered.
    - C(contract_id), C(ordered_at) and C(l2vpn_id) are from its record in the ledger. C(joins_l2vpn_of) is the contract whose L2VPN it joins.
    - C(message) says why it cannot be ordered.
  returned: success
  type: list
  elements: dict
plan:
  description: The plan, as M(hosting.reseller.reseller_stack) would return it in check mode.
  returned: success
  type: list
  elements: dict
order_with:
  description:
    - A line for a shell that orders exactly this plan with the role P(hosting.reseller.customer_stack#role).
    - A task instead, if the path of the stack file contains what Ansible would evaluate in a line, such as C({{).
    - V(null) if there is nothing to order, or a problem.
  returned: success
  type: str
plan_digest:
  description: The plan digest. Use it as O(hosting.reseller.reseller_stack#module:approved_plan).
  returned: success
  type: str
not_requested:
  description: What the ledger has for this end user and the stack does not name, as in RV(hosting.reseller.reseller_contracts#module:not_requested).
  returned: success
  type: dict
read_back:
  description:
    - Whether the plan was compared with the lists in which the contracts would be (C(read)), and C(why) not.
    - Such a list must have been read to its end, and show contracts like the orders.
  returned: when an order is planned, unless O(read_back=false)
  type: dict
  sample: {read: true, why: null}
status:
  description: HTTP status of the service's response.
  returned: when the service rejected the request or could not be reached
  type: int
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
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
