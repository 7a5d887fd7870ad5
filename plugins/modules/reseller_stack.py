#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_stack
short_description: Order all that one customer gets, from one file
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Reads a stack file once, lists all that is wrong with it at once, plans it as a whole, and orders what is not there yet.
  - Servers that join the L2VPN of another server are ordered after it. In the plan such an L2VPN stands as C(that of NAME), so that one
    O(approved_plan) and one O(max_orders) hold for the whole run.
  - If anything of the stack is left unsent, the task fails, except in check mode.
  - The role P(hosting.reseller.customer_stack#role) finds and decrypts the file, and shows what became of each contract.
attributes:
  check_mode:
    support: full
    details:
      - Everything is done except writing to the ledger and sending orders.
  diff_mode:
    support: full
    details:
      - Shows the plan. Secrets are masked.
  idempotent:
    support: full
    details:
      - By the ledger. Without it, or with another one, the same orders would be sent again.
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.learning
  - hosting.reseller.reseller.reading
  - hosting.reseller.reseller.read_back
  - hosting.reseller.reseller.nameservers
  - hosting.reseller.reseller.stack
  - hosting.reseller.reseller.many
  - hosting.reseller.attributes
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_stack_info
  - module: hosting.reseller.reseller_contracts
"""

EXAMPLES = r"""
- name: Order a customer's stack
  hosting.reseller.reseller_stack:
    path: "{{ playbook_dir }}/customers/4711.yml"
  register: stack

- name: Show what became of each contract
  ansible.builtin.debug:
    var: stack.lines
"""

RETURN = r"""
end_user:
  description: The end-user target.
  returned: success, and on failure once everything was planned
  type: str
problems:
  description: What is wrong with the stack, in the order of the file.
  returned: on failure because of them
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
l2vpn_ids:
  description: The UUID of the L2VPN of each dedicated server, by the name of its contract, as far as it is known.
  returned: success, and on failure once everything was planned
  type: dict
plan:
  description: What the task would do, or did, one entry for each contract in the order of the stack.
  returned: success, and on failure once everything was planned
  type: list
  elements: dict
  contains:
    name:
      description: The name of the order.
      type: str
    action:
      description:
        - V(order) is to be sent. V(none) is in the ledger, or is being placed by another run.
        - V(in_doubt) must be settled first. V(drift) was ordered with other settings. V(refused) breaks a rule.
      type: str
    product:
      description: The UUID of the product.
      type: str
    product_name:
      description: The name of the product, where it is known.
      type: str
    product_type:
      description: The type of the product.
      type: str
    end_user:
      description: The end-user target.
      type: str
    billing:
      description: How it is billed, where the interface's document says it; V(yearly) for domains.
      type: str
    listed_prices:
      description: The prices of the product and of the settings given, as the catalogue lists them; V(null) without any.
      type: dict
    fingerprint:
      description: A digest of all that would be sent except secrets.
      type: str
plan_digest:
  description: A digest of the plan, the same on every machine. No secret is in it or can be derived from it.
  returned: success, and on failure once everything was planned
  type: str
results:
  description:
    - What became of each contract, in the order of the stack. The entries have the keys of the results of M(hosting.reseller.reseller_contract),
      and C(name). Those that failed have C(failed) and C(msg).
  returned: success, and on failure once everything was planned
  type: list
  elements: dict
counts:
  description: How many orders were C(ordered) (in check mode, would be), C(unchanged), C(failed), C(in_doubt) and C(not_sent).
  returned: success, and on failure once everything was planned
  type: dict
lines:
  description:
    - "What became of each contract, one line each, C(NAME: PRODUCT, ordered, contract ID)."
    - Instead of C(ordered) also C(there already), C(not sent), C(in doubt), C(rejected) or C(being placed by another run).
  returned: success, and on failure once everything was planned
  type: list
  elements: str
plan_differences:
  description: How the plan of now differs from the approved one.
  returned: when the plan is not the approved one
  type: list
  elements: str
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.stack import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
