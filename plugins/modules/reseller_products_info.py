#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_products_info
short_description: List the products that can be ordered and their settings
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description: Reads the service's catalogue, and returns the C(options) entry of every product in the same form.
options:
  product:
    description: UUID or name of a product. Only this product is returned.
    type: str
  product_type:
    description: Type of the products to return. The type of a product follows from a documented UUID, otherwise from its options in the catalogue.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.service_group
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
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
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
      description: UUID of the product.
      type: str
    name:
      description: Name of the product.
      type: str
    product_type:
      description: Type of the product. V(null) if neither a documented UUID nor the options show it.
      type: str
    options:
      description:
        - Settings of the product, with the rules that the collection checks. The service checks all others, see RV(products[].raw).
        - A value that the service does not show is V(null).
        - V(null) if the entry is missing or no setting's name can be read from it. See RV(products[].raw).
      type: list
      elements: dict
      contains:
        name:
          description: Name of the setting.
          type: str
        type:
          description: V(string), V(integer), V(number), V(boolean), V(array) or V(object).
          type: str
        required:
          description:
            - Whether the catalogue says that the setting is required.
            - The collection requires what the API specification requires. The service checks the rest.
          type: bool
        default:
          description: Value that the service uses if the setting is not given.
          type: raw
        minimum:
          description: Minimum value. For a string, the minimum number of characters.
          type: float
        maximum:
          description: Maximum value. For a string, the maximum number of characters.
          type: float
        step:
          description: The value must be a multiple of this number.
          type: float
        pattern:
          description: A regular expression, as the service writes it. Only the service checks it.
          type: str
        choices:
          description: Allowed values. Each has C(value), which is what you write, and C(label). C(price) is present if the catalogue lists one.
          type: list
          elements: dict
        price:
          description: Price of the option, as the catalogue lists it. V(null) if there is none.
          type: dict
    price:
      description: Prices in the product's record, unchanged. V(null) if there are none. Your own contract with the service decides what an order costs.
      type: dict
      sample: {price: "4.90", currency: EUR}
    raw:
      description: The record as the service sent it.
      type: dict
os_templates:
  description: Names of the OS templates, sorted. They are the same for all products.
  returned: success
  type: list
  elements: str
  sample: [debian-12, ubuntu-24.04]
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
"""
