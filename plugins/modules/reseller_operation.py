#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_operation
short_description: Change something with any published operation of the service
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - Sends a PUT, PATCH, DELETE or POST request of the service's published reference, in any organization that the API key has access to.
  - Checks path, query, headers, body and media type against the published reference before it sends anything, and reports all mistakes at once.
  - >-
    A request is sent once, and repeated only if the service responds that it did not process it (status 425 or 429). If the response is lost,
    the module reads whether the change was made, and fails if it cannot find out.
  - PUT and PATCH are sent only if a read shows other values than O(body). DELETE changes nothing if the thing is already gone.
  - C(POST /api/reseller/contracts) is refused. Use M(hosting.reseller.reseller_contract).
options:
  files:
    description:
      - Paths of files on the controller to send, each by the element of O(body) that it stands for, as C(multipart/form-data).
    type: dict
    default: {}
  name:
    description:
      - Name of a POST in the ledger. A named POST is sent once for each ledger, with the same care as an order. It is recorded before it is sent.
      - If its outcome is unknown, it is in doubt, and the error contains the task that settles it. An operation and an order can have the same name.
    type: str
  unless:
    description: A read that shows whether a POST was already done. Then the POST is not sent.
    type: dict
    suboptions:
      operation:
        description: The operation to read, in the form of O(operation).
        type: str
        required: true
      path_parameters:
        description: Its path parameters. By default those of O(path_parameters) that it has.
        type: dict
      query:
        description: Its query parameters.
        type: dict
        default: {}
      shows:
        description:
          - Conditions that the response must meet, all of them. If the response is a list, one record must meet all of them.
          - A pointer that no record has is refused, unless the list is empty.
        type: list
        elements: dict
        required: true
  repeatable:
    description: Whether a POST may be sent in every run. A POST requires exactly one of O(name), O(unless) and O(repeatable).
    type: bool
    default: false
  read_with:
    description:
      - The operation that reads what is changed. By default, GET on the same path.
      - If the service responds that the thing does not exist, this read or that of the catalogue must succeed.
    type: dict
    suboptions:
      operation:
        description: The operation to read, in the form of O(operation).
        type: str
        required: true
      path_parameters:
        description: Its path parameters. By default those of O(path_parameters) that it has.
        type: dict
      query:
        description: Its query parameters.
        type: dict
        default: {}
      pointer:
        description:
          - JSON pointer (RFC 6901) to the object in the response that is compared with O(body).
          - By default, the response, or the only object in it that has an element of O(body).
        type: str
  compare:
    description:
      - How to compare O(body) of a PUT or PATCH with what a read shows. V(subset) compares only the elements of O(body).
      - V(exact) also compares elements that O(body) does not have. V(none) does not compare, so the request is sent in every run.
      - Lists are compared item by item, in their order. A different number of items is a difference.
    type: str
    choices: [subset, exact, none]
    default: subset
  update_secrets:
    description:
      - Whether to compare secrets in O(body) too. If V(true), the request is sent in every run, because services do not show secrets.
      - By default, a request that would change only secrets is not sent.
    type: bool
    default: false
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.operation
  - hosting.reseller.attributes
  - hosting.reseller.attributes.both_groups
attributes:
  check_mode:
    support: full
    details: The module checks and reads everything, and sends only GET and HEAD requests.
  diff_mode:
    support: full
  idempotent:
    support: partial
    details: With O(repeatable=true), O(compare=none) or O(update_secrets=true), the request is sent in every run.
seealso:
  - module: hosting.reseller.reseller_operation_info
  - module: hosting.reseller.reseller_reference_info
  - module: hosting.reseller.reseller_ledger
"""

EXAMPLES = r"""
- name: Rename a contract
  hosting.reseller.reseller_operation:
    operation: PUT /api/reseller/contracts/{id}/label
    path_parameters:
      id: 9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4
    body:
      label: Web shop, front end

- name: Reset a server once
  hosting.reseller.reseller_operation:
    operation: POST /api/reseller/servers/{id}/reset
    path_parameters:
      id: 9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4
    body:
      mode: hard
    name: reset of the web shop on 2026-11-21
  register: reset

- name: Wait until the reset is done
  hosting.reseller.reseller_operation_info:
    operation: GET /api/reseller/tasks/{id}
    path_parameters:
      id: "{{ reset.location | basename }}"
  register: reset_task
  until: reset_task.body.status in ['done', 'failed']
  failed_when: reset_task is failed or reset_task.body.status == 'failed'
  retries: 60
  delay: 10
  when: reset.location is truthy

- name: Add an SSH key in the organization of an end user, unless there is one with this label
  hosting.reseller.reseller_operation:
    organization_id: "4201"
    operation: POST /api/reseller/ssh-keys
    body:
      label: deploy
      public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0cB5Q8o0nqV2W8mE6i1v4Y deploy@example.org
    unless:
      operation: GET /api/reseller/ssh-keys
      shows:
        - pointer: /label
          equals: deploy
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
sent:
  description: Whether the request was sent.
  returned: success
  type: bool
operation:
  description: The operation as C(METHOD /path).
  returned: success
  type: str
request:
  description: The request that was sent, or would be, with secrets masked.
  returned: success
  type: dict
status:
  description: HTTP status of the response. V(null) if nothing was sent.
  returned: success
  type: int
body:
  description: Body of the response to the request. JSON is parsed and other text is a string. V(null) without a body. Secrets are masked.
  returned: success
  type: raw
differences:
  description:
    - Differences between O(body) and what a read shows, for PUT and PATCH.
    - Each has a C(path) such as C(body.label), and both values as C(before) and C(after).
  returned: success
  type: list
  elements: dict
record:
  description: The operation's record, as in RV(hosting.reseller.reseller_ledger_info#module:operations). V(null) without O(name).
  returned: success
  type: dict
location:
  description: The C(Location) of the response, where the service may show what becomes of the request.
  returned: success
  type: str
settle_with:
  description: The task that settles an operation in doubt.
  returned: when the operation is in doubt
  type: str
violations:
  description: Rules that the request breaks. Each entry has C(path), C(value), C(rule) and C(source), which is V(published) or V(service).
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
