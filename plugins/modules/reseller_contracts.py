#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_contracts
short_description: Order many hosting products from one plan
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Orders many products in one task. All orders are checked and planned before the first one is sent, and an invalid order stops the task
    before that, whatever O(on_error) says.
  - C(--check --diff) shows the plan. You can approve it by its digest, so that the task orders only what you saw.
  - An order is never sent again unless the service responded that it did not process it.
options:
  contracts:
    description:
      - The orders. Each takes the options of M(hosting.reseller.reseller_contract) that describe an order.
      - An option that an order does not set is taken from O(defaults), otherwise from the defaults of that module.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name that identifies the order in the ledger.
        type: str
      <<: &order
        end_user:
          description: UUID of the end user, its name in C(end_users) of the service's file, or V(__self__).
          type: str
        product:
          description: UUID of the product, or its name in the catalogue.
          type: str
        product_type:
          description: Type of the product.
          type: str
          choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
        settings:
          description: Settings of the product, with the names in the API specification.
          type: dict
        additional_elements:
          description: Additional elements of the request body that the OpenAPI document names.
          type: dict
        validation:
          description: Whether to check the rules of the catalogue in addition to those of the specification. The default is V(catalogue).
          type: str
          choices: [catalogue, specification]
        on_drift:
          description: What to do when the ledger has an order with this name but other values. The default is V(fail).
          type: str
          choices: [fail, warn]
        allow_second:
          description: Whether to buy a second one of the same thing, as in M(hosting.reseller.reseller_contract). The default is V(false).
          type: raw
        verify_nameservers:
          description: Whether to query the domain's nameservers before ordering the domain. The default is V(true).
          type: bool
      save_answer:
        description:
          - Absolute path of a new file for the service's response, as O(hosting.reseller.reseller_contract#module:save_answer).
          - Each order needs its own file, so this is not an option of O(defaults).
        type: path
  defaults:
    description: Options for all O(contracts) that do not set them. Mappings such as C(settings) are merged. The entries of the contract take precedence.
    type: dict
    suboptions: *order
attributes:
  check_mode:
    support: full
    details: The module does everything except writing to the ledger and sending orders.
  diff_mode:
    support: full
    details: Shows the plan. Secrets are masked.
  idempotent:
    support: full
    details: Depends on the ledger. Without the ledger, or with another one, the same orders would be sent again.
requirements:
  - dnspython >= 2.4 (to query the nameservers of a domain)
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.reseller.read_back
  - hosting.reseller.reseller.wait
  - hosting.reseller.reseller.many
  - hosting.reseller.attributes
  - hosting.reseller.attributes.both_groups
seealso:
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Order a small cluster
  hosting.reseller.reseller_contracts:
    defaults:
      end_user: d19f51a8-e747-452b-89a9-286bfa544c77
      product: VPS M
      settings:
        template: debian-12
    contracts:
      - settings:
          hostname: web01.example.com
      - settings:
          hostname: web02.example.com
      - name: customer-4711/shop
        product: Webhosting Start
        product_type: webhosting
        settings:
          template:
    max_orders: 3

- name: Order only the approved plan
  hosting.reseller.reseller_contracts:
    contracts: "{{ contracts }}"
    plan_file: "{{ playbook_dir }}/plan.json"
    approved_plan: "{{ approved_plan | default('') }}"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
plan:
  description:
    - What the task would do, or did, with one entry for each of O(contracts) in their order.
  returned: success, and on failure after planning
  type: list
  elements: dict
  contains:
    name:
      description: Name of the order.
      type: str
    action:
      description:
        - V(order) is to be sent. V(none) is ordered already. V(pending) is being placed, or was cut off, and the task waits for it.
        - V(in_doubt) must be settled first. V(differs) differs from its record in the ledger. V(refused) breaks a rule.
      type: str
    certain_at:
      description: Time at which an order with the action V(pending) is certain at the latest, in UTC and ISO 8601. Otherwise V(null).
      type: str
    product:
      description: UUID of the product.
      type: str
    product_name:
      description: Name of the product, if it is known.
      type: str
    product_type:
      description: Type of the product.
      type: str
    end_user:
      description: UUID of the end user, or V(__self__).
      type: str
    end_user_name:
      description: Name of the end user in the service's file. V(null) without one. It is not part of RV(plan_digest).
      type: str
    billing:
      description: Billing period, if the API specification defines it. V(yearly) for domains.
      type: str
    listed_prices:
      description:
        - Prices of the product and of its settings, as the catalogue lists them. V(null) if there are none. They are not part of O(approved_plan).
        - Your own contract with the service decides what an order costs.
      type: dict
      sample: {product: {price: "4.90", currency: EUR}}
    number:
      description: How often the name was claimed before, without a claim that its own run released. The ledger keeps it for good.
      type: int
    fingerprint:
      description: Digest of everything that would be sent, except secrets.
      type: str
plan_digest:
  description:
    - The plan digest, which is the same on every machine. It contains no secret, and no secret can be derived from it.
    - V(null) if an order of the plan is refused, pending or in doubt, or differs from its record and O(contracts[].on_drift=fail). Such a
      plan cannot be approved.
  returned: success, and on failure after planning
  type: str
results:
  description:
    - Result of each of O(contracts), in their order. The entries have the keys of the results of M(hosting.reseller.reseller_contract) and C(name).
    - C(failed) and C(failure) are of this order. RV(failure) is the most urgent one. C(msg) says why an order was not placed.
    - If a plan was refused, C(order.status) is V(not_sent) for each order that would have been sent.
  returned: success, and on failure after planning
  type: list
  elements: dict
counts:
  description:
    - Numbers of orders that were C(ordered) (in check mode, would be), C(unchanged), C(failed), C(in_doubt), C(pending) and C(not_sent).
    - C(differs) are recorded ones that differ from their record, where C(on_drift) allows that.
  returned: success, and on failure after planning
  type: dict
lines:
  description:
    - "Result of each of O(contracts), one line each, C('NAME': PRODUCT, ordered, contract ID)."
    - Instead of C(ordered), a line can have C(there already), C(differs), C(not sent), C(in doubt) or C(rejected).
    - "A pending order has C(being placed, or cut off: certain at 14:03:20 UTC)."
  returned: success, and on failure after planning
  type: list
  elements: str
not_requested:
  description:
    - What the ledger has for the end users of these orders under other names. The service may go on billing it. It is no error and no change.
  returned: success, and on failure after planning
  type: dict
  contains:
    count:
      description: Number of all of them.
      type: int
    orders:
      description: At most 20 of them, oldest first, with the keys of RV(hosting.reseller.reseller_contract#module:order).
      type: list
      elements: dict
    lines:
      description: The same in lines for people, the first with the number. Empty if there is none.
      type: list
      elements: str
violations:
  description: Rules that the orders break. Each entry has C(path), C(value), C(fix), C(rule) and C(source).
  returned: when an order is invalid
  type: list
  elements: dict
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
