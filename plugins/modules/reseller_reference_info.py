#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_reference_info
short_description: Show the OpenAPI document of the service
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Finds the service's OpenAPI document behind its Swagger UI page, and shows what the collection learns from it for
    placing orders. It also lists all published operations.
  - This module always reads the OpenAPI document again.
options:
  operation:
    description:
      - An operation to describe in RV(operation), as C(METHOD /path).
    type: str
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.service_group
seealso:
  - module: hosting.reseller.reseller_contract
  - module: hosting.reseller.reseller_operation
"""

EXAMPLES = r"""
- name: Check whether orders work without naming the request elements
  hosting.reseller.reseller_reference_info:
  register: reference

- name: Show the elements of an order, or why they could not be learned
  ansible.builtin.debug:
    msg: "{{ reference.order or reference.problem }}"

- name: Read how to rename a contract
  hosting.reseller.reseller_reference_info:
    operation: PUT /api/reseller/contracts/{id}/label
  register: renaming

- name: Show the schema of its body
  ansible.builtin.debug:
    var: renaming.operation.body

- name: List the paths of all operations
  ansible.builtin.debug:
    msg: "{{ reference.operations | map(attribute='path') | unique }}"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
url:
  description: URL of the OpenAPI document.
  returned: success
  type: str
openapi:
  description: OpenAPI version of the OpenAPI document.
  returned: success
  type: str
  sample: 3.1.0
title:
  description: Title of the API.
  returned: success
  type: str
version:
  description: Version of the API.
  returned: success
  type: str
order:
  description:
    - Request body of an order. V(null) if the OpenAPI document does not define it clearly.
    - C(end_user_element) and C(product_element) are the names of these request elements, C(elements) all of them, C(media_type) that of the request.
    - C(required) are others that you must set with O(hosting.reseller.reseller_contract#module:additional_elements).
    - C(settings_required) is whether C(settings) must be sent even if a product needs no settings.
    - C(lists_contracts) is whether the OpenAPI document has an operation that lists contracts.
    - C(answers) is what it says about the response to an order, and C(warnings) what is odd about the request body.
  returned: success
  type: dict
problem:
  description: Why RV(order) could not be learned, and what to do.
  returned: success
  type: str
operations:
  description: All published operations, each with C(method), C(path), C(summary) and C(group), its first tag.
  returned: success
  type: list
  elements: dict
operation:
  description:
    - What the OpenAPI document has for O(operation). V(null) without this option.
    - C(method), C(path), C(summary) and C(group) as in RV(operations), and C(description).
    - C(parameters), and in C(body) the schema by media type, are as published, with references followed. C(body_required) is a boolean.
  returned: success
  type: dict
status:
  description: HTTP status of the service's response.
  returned: when the service rejected the request or could not be reached
  type: int
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(rule) and C(source), which is V(published) or V(service).
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
