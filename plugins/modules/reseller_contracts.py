#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_contracts
short_description: Order many hosting products, planned as a whole
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Orders many products in one task. All orders are validated and planned before the first one is sent, and none is sent again
    unless the service answered that it did not process it.
  - With C(--check --diff) the plan is shown. It can be approved by its digest, so that only what was seen is bought.
  - An invalid order stops the task before anything is sent, whatever O(on_error) says.
options:
  contracts:
    description:
      - The orders. Each takes the options of M(hosting.reseller.reseller_contract) that describe an order.
      - What is left out is taken from O(defaults), else from the defaults of that module.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: The identity of the order in the ledger.
        type: str
      end_user:
        description: The UUID of the end-user, or V(__self__).
        type: str
      product:
        description: The UUID of the product, or its name in the catalogue.
        type: str
      product_type:
        description: The type of the product.
        type: str
        choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
      settings:
        description: The settings of the product, by the names of the interface's document.
        type: dict
      additional_elements:
        description: Further elements of the request body that the published reference names.
        type: dict
      validation:
        description: Whether the live rules of the catalogue are checked beside the documented ones. V(live) if not set.
        type: str
        choices: [live, documented]
      org_max_ram:
        description: The most RAM in MB that your organization may order for one configurable VPS.
        type: int
      on_drift:
        description: What to do when an order of this name is recorded with other settings. V(fail) if not set.
        type: str
        choices: [fail, warn, ignore]
      on_duplicate:
        description: What to do when the same thing is ordered under another name, be it in the ledger or in this task. V(fail) if not set.
        type: str
        choices: [fail, warn, ignore]
      verify_nameservers:
        description: Whether the nameservers of a domain are asked before it is ordered. V(true) if not set.
        type: bool
      save_answer:
        description:
          - Path of a new file for the service's answer as it arrives, with the credentials in it that the service tells only once.
            See the option of the same name of M(hosting.reseller.reseller_contract).
          - Each order needs a file of its own, so it is no option of O(defaults).
        type: path
  defaults:
    description: Options for all O(contracts) that do not set them. Mappings such as C(settings) are combined, with the entries of the contract winning.
    type: dict
    suboptions:
      end_user:
        description: The UUID of the end-user, or V(__self__).
        type: str
      product:
        description: The UUID of the product, or its name in the catalogue.
        type: str
      product_type:
        description: The type of the product.
        type: str
        choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
      settings:
        description: The settings of the product, by the names of the interface's document.
        type: dict
      additional_elements:
        description: Further elements of the request body that the published reference names.
        type: dict
      validation:
        description: Whether the live rules of the catalogue are checked beside the documented ones. V(live) if not set.
        type: str
        choices: [live, documented]
      org_max_ram:
        description: The most RAM in MB that your organization may order for one configurable VPS.
        type: int
      on_drift:
        description: What to do when an order of this name is recorded with other settings. V(fail) if not set.
        type: str
        choices: [fail, warn, ignore]
      on_duplicate:
        description: What to do when the same thing is ordered under another name, be it in the ledger or in this task. V(fail) if not set.
        type: str
        choices: [fail, warn, ignore]
      verify_nameservers:
        description: Whether the nameservers of a domain are asked before it is ordered. V(true) if not set.
        type: bool
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
  - hosting.reseller.reseller.many
  - hosting.reseller.attributes
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Order a small cluster
  hosting.reseller.reseller_contracts:
    defaults:
      end_user: 3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
      product: VPS M
      settings:
        template: debian-12
    contracts:
      - settings:
          hostname: web01.example.com
      - settings:
          hostname: web02.example.com
      - name: customer-4711/shop
        product: Webhosting S
        product_type: webhosting
        settings:
          template:
    max_orders: 3

- name: Order only what was approved
  hosting.reseller.reseller_contracts:
    contracts: "{{ contracts }}"
    approved_plan: "{{ approved_plan }}"
"""

RETURN = r"""
plan:
  description:
    - What the task would do, or did, one entry for each of O(contracts) in their order.
    - After a plan that was refused for another reason than O(approved_plan), the entries have C(name) and C(action) only.
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
      description:
        - The prices of the product and of the settings given, as the catalogue lists them; V(null) without any.
        - They are not part of O(approved_plan). Your own contract with the service decides what an order costs.
      type: dict
      sample: {product: {price: "4.90", currency: EUR}}
    fingerprint:
      description: A digest of all that would be sent except secrets.
      type: str
plan_digest:
  description: A digest of the plan, the same on every machine. No secret is in it or can be derived from it.
  returned: success, and on failure once everything was planned
  type: str
results:
  description:
    - What became of each of O(contracts), in their order. The entries have the keys of the results of M(hosting.reseller.reseller_contract),
      and C(name). Those that failed have C(failed) and C(msg).
    - After a plan that was refused, C(order.status) is V(not_sent) for each order that would have been sent. Only failures have all
      keys then; the others have C(name), C(changed), C(order) with C(name) and C(status), C(msg), and C(contract_id) where the ledger
      holds one.
  returned: success, and on failure once everything was planned
  type: list
  elements: dict
counts:
  description: How many orders were C(ordered) (in check mode, would be), C(unchanged), C(failed), C(in_doubt) and C(not_sent).
  returned: success, and on failure once everything was planned
  type: dict
lines:
  description:
    - "What became of each of O(contracts), one line each, C(NAME: PRODUCT, ordered, contract ID)."
    - Instead of C(ordered) also C(there already), C(not sent), C(in doubt), C(rejected) or C(being placed by another run).
  returned: success, and on failure once everything was planned
  type: list
  elements: str
violations:
  description: What is wrong with the orders. Each entry has C(path), C(value), C(rule) and C(source).
  returned: when an order is invalid
  type: list
  elements: dict
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
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contracts import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
