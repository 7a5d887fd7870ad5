#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_service_info
short_description: Show what is known of the service, and what that permits
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reads the file that describes the service, its OpenAPI document and its lists of contracts, and reports each field of the file: its value,
    where the value is from, whether recorded contracts prove or contradict it, and what it permits.
  - It also lists all published operations, and candidates for the end users in the file. It writes nothing.
  - The playbook C(hosting.reseller.connect) shows the result, and writes the file.
options:
  operation:
    description:
      - An operation to describe in RV(operation), as C(METHOD /path).
    type: str
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.both_groups
seealso:
  - module: hosting.reseller.reseller_contract
  - module: hosting.reseller.reseller_operation
"""

EXAMPLES = r"""
- name: Read what is known of the service
  hosting.reseller.reseller_service_info:
  register: service

- name: Show the elements of an order, or why they could not be learned
  ansible.builtin.debug:
    msg: "{{ service.order or service.problem }}"

- name: Show what is not known, and what cannot be done without it
  ansible.builtin.debug:
    msg: "{{ service.fields | selectattr('without') | map(attribute='without') | unique }}"

- name: Read how to rename a contract
  hosting.reseller.reseller_service_info:
    operation: PUT /api/reseller/contracts/{id}/label
  register: renaming

- name: Show the elements of its body
  ansible.builtin.debug:
    var: renaming.operation.body

- name: List the paths of all operations
  ansible.builtin.debug:
    msg: "{{ service.operations | map(attribute='path') | unique }}"
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
file:
  description: Path of the service's file, or of the default file, as C(path), and whether it exists, as C(exists).
  returned: success
  type: dict
fields:
  description:
    - All fields of the file, each with its C(name) and C(value), and in C(source) where the value is from, V(file), V(openapi) or V(name).
      C(line) is that of the file.
    - C(proven) is whether a recorded contract shows its own value there. C(contradicted) says which one shows another, or is V(null).
    - C(permits) says what is done with it. C(without) says what cannot be done as long as it is not known.
  returned: success
  type: list
  elements: dict
lines:
  description: A line for each entry of RV(fields).
  returned: success
  type: list
  elements: str
text:
  description:
    - Lines for the service's file with what was learned. Only what is proven is a field, and everything else is a comment.
    - Fields that the file has are left out.
  returned: success
  type: str
end_users:
  description: End users in the file, each with C(name), C(id), C(organization_id) and C(org_max_ram).
  returned: success
  type: list
  elements: dict
candidates:
  description: End users with their organizations in a list that the service publishes, in the form of RV(end_users). Check them before you use them.
  returned: success
  type: list
  elements: dict
lists:
  description:
    - The lists of contracts, each with C(organization_id), C(end_user), the number of C(contracts), C(complete), and in C(why) what may be missing.
  returned: success
  type: list
  elements: dict
notices:
  description: What the first orders will meet.
  returned: success
  type: list
  elements: str
url:
  description: URL of the OpenAPI document. V(null) if none was found.
  returned: success
  type: str
openapi:
  description: OpenAPI version of the OpenAPI document.
  returned: success
  type: str
  sample: 3.1.0
order:
  description:
    - Request body of an order. V(null) if neither the file nor the OpenAPI document defines it clearly.
    - C(end_user_element) and C(product_element) are the names of these request elements, C(elements) all of them, C(media_type) that of the request.
    - C(required) are others that you must set with O(hosting.reseller.reseller_contract#module:additional_elements).
    - C(settings_required) is whether C(settings) must be sent even if a product needs no settings.
    - C(lists_contracts) is whether the OpenAPI document has an operation that lists contracts.
    - C(id_parameter) is the path parameter for the ID of a contract.
    - C(warnings) is what is odd about the request body.
  returned: success
  type: dict
problem:
  description: Why RV(order) or the OpenAPI document could not be read, and what to do.
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
    - C(parameters) are as published. C(body) lists the elements of the request by media type, each with its type, whether it is required, and its
      description. What they hold, and further rules, are on the documentation page of the service.
  returned: success
  type: dict
status:
  description: HTTP status of the service's response.
  returned: when the service rejected the request or could not be reached
  type: int
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(published) or V(service).
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
