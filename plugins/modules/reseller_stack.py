#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_stack
short_description: Order all contracts of an end user from one file
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reads a stack file, which describes all contracts of one end user, plans it as a whole, and orders what is not in the ledger yet. If
    anything is wrong with the stack, it lists all problems at once.
  - >-
    A server that joins the L2VPN of another server is ordered after it. The plan shows such an L2VPN as C(that of NAME), so that one
    O(approved_plan) and one O(max_orders) apply to the whole run.
  - If any order of the stack is left unsent, the task fails, except in check mode. It also fails, and sends nothing, if the stack has a problem.
  - The role P(hosting.reseller.customer_stack#role) finds and decrypts the file, and shows the result of each contract.
attributes:
  check_mode:
    support: full
    details: >-
      The module does everything except writing to the ledger and sending orders. RV(order_with) is what orders exactly the plan that it shows.
  diff_mode:
    support: full
    details: Shows the plan. Secrets are masked.
  idempotent:
    support: full
    details: Depends on the ledger. Without the ledger, or with another one, the same orders would be sent again.
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.reseller.read_back
  - hosting.reseller.reseller.wait
  - hosting.reseller.reseller.stack
  - hosting.reseller.reseller.many
  - hosting.reseller.attributes
  - hosting.reseller.attributes.both_groups
seealso:
  - module: hosting.reseller.reseller_contracts
"""

EXAMPLES = r"""
- name: Order the stack of an end user
  hosting.reseller.reseller_stack:
    path: "{{ playbook_dir }}/customers/4711.yml"
  register: stack

- name: Show the result of each contract
  ansible.builtin.debug:
    var: stack.lines

- name: Check the stack, and plan it
  hosting.reseller.reseller_stack:
    path: "{{ playbook_dir }}/customers/4711.yml"
  check_mode: true
  register: planned

- name: Show what would be ordered
  ansible.builtin.debug:
    msg: "{{ planned.plan | selectattr('action', 'eq', 'order') | map(attribute='name') }}"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
end_user:
  description: UUID of the end user, or V(__self__).
  returned: success, and on failure after planning
  type: str
end_user_name:
  description: Name of the end user in the service's file. V(null) without one.
  returned: success, and on failure after planning
  type: str
service:
  description: The service and the organization that the stack was planned with.
  returned: success, and on failure after planning
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
  returned: success, and on failure after planning
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
order_with:
  description:
    - A line for a shell that orders exactly this plan with the role P(hosting.reseller.customer_stack#role).
    - A task instead, if the path of the stack file contains what Ansible would evaluate in a line, such as C({{).
    - V(null) if there is nothing to order, or something prevents that.
  returned: success, and on failure after planning
  type: str
l2vpn_ids:
  description: UUID of the L2VPN of each dedicated server, by the name of its contract, as far as they are known.
  returned: success, and on failure after planning
  type: dict
plan:
  description:
    - One entry for each contract in the order of the stack, as in RV(hosting.reseller.reseller_contracts#module:plan).
    - A contract that has no name or no product yet is only among RV(problems).
  returned: success, and on failure after planning
  type: list
  elements: dict
plan_digest:
  description: The plan digest, as in RV(hosting.reseller.reseller_contracts#module:plan_digest). V(null) for a plan that cannot be approved.
  returned: success, and on failure after planning
  type: str
results:
  description:
    - Result of each contract, in the order of the stack, as in RV(hosting.reseller.reseller_contracts#module:results).
    - Also C(settings) of each contract that is to be ordered or was, without secrets and with the names of contacts.
  returned: success, and on failure after planning
  type: list
  elements: dict
counts:
  description: Numbers of orders that were C(ordered) (in check mode, would be), as in RV(hosting.reseller.reseller_contracts#module:counts).
  returned: success, and on failure after planning
  type: dict
lines:
  description: Result of each contract in one line, as in RV(hosting.reseller.reseller_contracts#module:lines).
  returned: success, and on failure after planning
  type: list
  elements: str
not_requested:
  description: What the ledger has for this end user and the stack does not name, as in RV(hosting.reseller.reseller_contracts#module:not_requested).
  returned: success, and on failure after planning
  type: dict
read_back:
  description:
    - Whether the orders were compared with the lists in which the contracts would be (C(read)), and C(why) not. V(null) if that was not needed, or not wanted.
    - C(why) begins with the number of orders that are not compared, and has the line for the file of the service.
  returned: success, and on failure after planning
  type: dict
  sample: {read: true, why: null}
plan_differences:
  description: Differences between the current plan and the approved one.
  returned: when the plan differs from the approved plan
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
approved_digest:
  description: Digest of O(approved_plan).
  returned: when the plan is not the approved one
  type: str
"""
