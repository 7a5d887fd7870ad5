#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_stack_info
short_description: Check a customer's stack as a whole, and tell what ordering it would do
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - A stack file holds all that one customer gets. This module reads it, and lists all that is wrong with it at once, with the place in the file.
  - The documented rules, the references between the parts, the ledger, and the catalogue of the service are checked.
  - It orders nothing. M(hosting.reseller.reseller_stack) does, and the role P(hosting.reseller.customer_stack#role).
options:
  on_problems:
    description: V(fail) if anything is wrong with the stack, or V(report) it in RV(problems) only.
    type: str
    choices: [fail, report]
    default: fail
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.learning
  - hosting.reseller.reseller.nameservers
  - hosting.reseller.reseller.stack
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_stack
"""

EXAMPLES = r"""
- name: Check a customer's stack
  hosting.reseller.reseller_stack_info:
    path: "{{ playbook_dir }}/customers/4711.yml"
  register: stack

- name: Show what would be ordered
  ansible.builtin.debug:
    msg: "{{ stack.contracts | selectattr('action', 'eq', 'order') | map(attribute='name') }}"
"""

RETURN = r"""
end_user:
  description: The end-user target.
  returned: success
  type: str
service:
  description: The service and the organization that the stack was checked with.
  returned: success, and on failure because of problems
  type: dict
  contains:
    base_url:
      description: The address of the service.
      type: str
    organization_id:
      description: The ID of the organization.
      type: str
problems:
  description: What is wrong with the stack, in the order of the file.
  returned: success, and on failure because of them
  type: list
  elements: dict
  contains:
    line:
      description: The line of the file, counted from 1; V(null) where there is no file.
      type: int
    column:
      description: The column of the file, counted from 1.
      type: int
    path:
      description: What it is about, such as C(contracts.vps[0].hostname).
      type: str
    message:
      description: What is wrong, and what to do.
      type: str
contracts:
  description: The contracts of the stack in its order, without secrets, and with what the ledger knows of them.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The name of the contract.
      type: str
    action:
      description: As in the plan of M(hosting.reseller.reseller_contracts).
      type: str
    settings:
      description: What it would be ordered with; empty unless it is to be ordered.
      type: dict
    joins_l2vpn_of:
      description: The contract whose L2VPN it joins.
      type: str
    contract_id:
      description: The service's identifier of the contract, where it is recorded.
      type: str
    message:
      description: What stands in its way.
      type: str
plan:
  description: The plan, as M(hosting.reseller.reseller_stack) would return it in check mode.
  returned: success
  type: list
  elements: dict
plan_digest:
  description: The digest of the plan, by which M(hosting.reseller.reseller_stack) can be told that it is approved.
  returned: success
  type: str
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.stack_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
