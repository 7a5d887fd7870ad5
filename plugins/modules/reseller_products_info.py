#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_products_info
short_description: List the products that can be ordered, and the settings they accept
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Reads the catalogue of the service, and brings the C(options) entry of each product into one form.
options:
  product:
    description: The UUID or the name of a product; the others are left out.
    type: str
  product_type:
    description: Only products of this type, by the documented UUID or inferred from the options.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.learning
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Read the catalogue
  hosting.reseller.reseller_products_info:
  register: catalogue

- name: Show the names of the OS templates
  ansible.builtin.debug:
    var: catalogue.os_templates

- name: Show which dedicated servers can be ordered
  hosting.reseller.reseller_products_info:
    product_type: dedicated_server
"""

RETURN = r"""
lines:
  description: The products and their settings as lines that fit a terminal.
  returned: success
  type: list
  elements: str
products:
  description: The products, in the order of the catalogue.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The UUID of the product.
      type: str
    name:
      description: The name of the product.
      type: str
    product_type:
      description: The type of the product; V(null) when neither a documented UUID nor the options tell it.
      type: str
    options:
      description:
        - The settings that the product accepts, with the rules that are checked. What the service does not tell is V(null).
        - V(null) when the entry is missing or of a kind that is not known; see RV(products[].raw).
      type: list
      elements: dict
      contains:
        name:
          description: The name of the setting.
          type: str
        type:
          description: V(string), V(integer), V(number), V(boolean), V(array) or V(object).
          type: str
        required:
          description: Whether the setting must be given.
          type: bool
        default:
          description: What holds when it is not given.
          type: raw
        minimum:
          description: The least value; for a string the least number of characters.
          type: float
        maximum:
          description: The greatest value; for a string the greatest number of characters.
          type: float
        step:
          description: The value must be a multiple of this.
          type: float
        pattern:
          description: A regular expression that the whole value matches.
          type: str
        choices:
          description:
            - The allowed values. Each has C(value), which is what to write, and C(label), and C(price) where one is listed.
          type: list
          elements: dict
        price:
          description: What the option lists as its price, as the catalogue lists it; V(null) without any.
          type: dict
    unclear:
      description:
        - The rules in the product's options that are not checked here, in the service's words, each with its setting.
        - The service checks them when the order is placed. A rejection shows them again.
      type: list
      elements: str
      sample: ["hostname: unique:contracts,hostname"]
    price:
      description:
        - The prices in the product's record, as the catalogue lists them, untouched; V(null) without any.
        - Your own contract with the service decides what an order costs.
      type: dict
      sample: {price: "4.90", currency: EUR}
    raw:
      description: The record as the service sent it.
      type: dict
os_templates:
  description: The names of the OS templates, sorted. They are the same across all products.
  returned: success
  type: list
  elements: str
  sample: [debian-12, ubuntu-24.04]
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.products_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
