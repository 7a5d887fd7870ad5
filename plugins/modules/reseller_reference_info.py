#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_reference_info
short_description: Show what the running service publishes of its interface
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Finds the published reference (OpenAPI) behind the Swagger UI page of the service, and shows what the collection learns from it for placing orders.
  - Lists all published operations, so that you see what else the interface can do.
  - The reference is always read anew by this module.
options:
  operation:
    description:
      - An operation to describe, as C(METHOD /path) or by its operationId. RV(operation) holds what a playbook needs for it.
      - The documented order is refused. M(hosting.reseller.reseller_contract) documents what it takes.
    type: str
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_contract
  - module: hosting.reseller.reseller_operation
"""

EXAMPLES = r"""
- name: See whether orders work without naming the request elements
  hosting.reseller.reseller_reference_info:
  register: reference

- name: Show how an order is written, or why that could not be learned
  ansible.builtin.debug:
    msg: "{{ reference.order or reference.problem }}"

- name: Show how to rename a contract
  hosting.reseller.reseller_reference_info:
    operation: PUT /api/reseller/contracts/{id}/label
  register: renaming

- name: Show a task to paste
  ansible.builtin.debug:
    msg: "{{ renaming.operation.task }}"

- name: List what else can be done
  ansible.builtin.debug:
    msg: "{{ reference.operations | map(attribute='path') | unique }}"
"""

RETURN = r"""
url:
  description: Where the reference was found.
  returned: success
  type: str
openapi:
  description: The version of OpenAPI that it is written in.
  returned: success
  type: str
  sample: 3.1.0
title:
  description: The title of the interface.
  returned: success
  type: str
version:
  description: The version of the interface.
  returned: success
  type: str
order:
  description: How an order is written; V(null) when the reference does not tell it clearly.
  returned: success
  type: dict
  contains:
    end_user_element:
      description: The name of the request element that carries the end-user target.
      type: str
    product_element:
      description: The name of the request element that carries the product.
      type: str
    media_type:
      description: The content type of the request.
      type: str
    required:
      description: Further elements that have to be given, with O(hosting.reseller.reseller_contract#module:additional_elements).
      type: list
      elements: str
    elements:
      description: All elements that the reference names.
      type: list
      elements: str
    settings_required:
      description: Whether C(settings) has to be sent even when a product needs none.
      type: bool
    warnings:
      description: What was noticed.
      type: list
      elements: str
problem:
  description: Why RV(order) could not be learned, and what to do.
  returned: success
  type: str
tried:
  description: Where it was looked for before, and what was found there.
  returned: success
  type: list
  elements: str
operations:
  description: All published operations.
  returned: success
  type: list
  elements: dict
  contains:
    method:
      description: The HTTP method.
      type: str
    path:
      description: The path.
      type: str
    summary:
      description: What it does.
      type: str
    operation_id:
      description: Its operationId; V(null) if the reference gives none.
      type: str
    tags:
      description: The groups that the reference puts it into.
      type: list
      elements: str
operation:
  description: What a playbook needs for O(operation); V(null) without it.
  returned: success
  type: dict
  contains:
    name:
      description: The operation as C(METHOD /path).
      type: str
    operation_id:
      description: Its operationId; V(null) if the reference gives none.
      type: str
    summary:
      description: What it does, in a line.
      type: str
    description:
      description: What it does.
      type: str
    deprecated:
      description: Whether the reference says that it may be gone one day.
      type: bool
    tags:
      description: The groups that the reference puts it into.
      type: list
      elements: str
    parameters:
      description: Its parameters, each with C(name), C(in), C(required), C(type), C(allowed) and C(description).
      type: list
      elements: dict
    body:
      description: The body that it takes, with C(required), C(media_types) and C(skeleton), which is YAML with comments; V(null) for none.
      type: dict
    task:
      description: A task to paste. What is optional is commented out.
      type: str
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.reference_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
