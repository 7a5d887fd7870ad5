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
  path:
    description: The stack file, read where the task runs. With O(content), only what the file is called in messages.
    type: path
  content:
    description:
      - The text of the stack file, for a file that was read (and decrypted) elsewhere.
      - Before ansible-core 2.19 a template that makes text in JSON hands over a dictionary. For a stack that is written as JSON
        use O(path), or O(stack) with C(from_json).
    type: str
  stack:
    description: The stack as data, in the form of the file.
    type: dict
  defaults:
    description:
      - What contracts say that do not say it themselves, by kind, such as C(vps) or C(domain).
      - The C(defaults) of the stack come first. An entry that is V(null) or empty counts as not given, except C(existing_l2vpn).
    type: dict
    default: {}
  secrets:
    description: Settings that are kept out of the stack, by the name of the contract, such as a C(password) or an C(authcode).
    type: dict
    default: {}
  l2vpn_ids:
    description:
      - The UUIDs of L2VPNs by the name of the dedicated server that each comes from, where the service's response did not hold them.
      - A server of this name that is not ordered yet joins the L2VPN.
    type: dict
    default: {}
  shown_as:
    description:
      - What parts of the stack are called in messages, by the beginning of their path, such as C(contracts.vps).
      - For roles and playbooks that make the stack of variables of their own.
      - A word that ends with C(_) is the beginning of a variable's name. C(given defaults) stands for O(defaults), and C(l2vpn_ids) for O(l2vpn_ids).
    type: dict
    default: {}
  on_problems:
    description: V(fail) if anything is wrong with the stack, or V(report) it in RV(problems) only.
    type: str
    choices: [fail, report]
    default: fail
  validation:
    description: Whether the live rules of the catalogue are checked beside the documented ones.
    type: str
    choices: [live, documented]
    default: live
  org_max_ram:
    description: The most RAM in MB that your organization may order for one configurable VPS.
    type: int
  on_drift:
    description: What a recorded contract with other settings counts as, see M(hosting.reseller.reseller_contract).
    type: str
    choices: [fail, warn, ignore]
    default: fail
  on_duplicate:
    description: What a contract of the same thing under another name counts as, see M(hosting.reseller.reseller_contract).
    type: str
    choices: [fail, warn, ignore]
    default: fail
  verify_nameservers:
    description: Whether the nameservers of domains are asked, see M(hosting.reseller.reseller_contract).
    type: bool
    default: true
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.learning
  - hosting.reseller.reseller.nameservers
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
  returned: success, and on failure because of problems
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
waiting:
  description: The contracts that join an L2VPN whose UUID is not known yet, each with its C(name) and C(l2vpn_of).
  returned: success
  type: list
  elements: dict
l2vpn_ids:
  description: The UUIDs of the L2VPNs that are joined, by the name of the contract that each comes from, as far as they are known.
  returned: success
  type: dict
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.stack_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
