#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_operation
short_description: Change something with any request to the service
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - Sends a PUT, PATCH, DELETE or POST request, in any organization that the API key has access to. Nothing is checked before. The service decides.
  - PUT and PATCH are sent only if GET on the same path shows other values than O(body), or shows none. If the response is lost, GET is read again.
  - DELETE is sent once. Status 404 or 410 fails the task, because a wrong O(organization_id) looks the same. With O(status_code), it only warns.
  - A POST requires either O(name) or O(repeatable). C(POST /api/reseller/contracts) is refused. Use M(hosting.reseller.reseller_contract).
  - If a response has a secret and there is no O(save_answer), the task warns, because the service may show it only once.
options:
  method:
    description: HTTP method.
    type: str
    choices: [DELETE, PATCH, POST, PUT]
    required: true
  body:
    description:
      - The request body, which is sent as JSON. For files and forms, use M(ansible.builtin.uri).
      - Elements that GET does not show, such as a password, count as different.
    type: raw
  name:
    description:
      - Name of a POST in the ledger. A named POST is sent once for each ledger, with the same care as an order. It is recorded before it is sent.
      - If its outcome is unknown, it is in doubt, and the error contains the task that settles it.
    type: str
  repeatable:
    description: Whether a POST may be sent in every run.
    type: bool
    default: false
  force:
    description:
      - Whether to send a PUT or PATCH without reading before.
      - Whether to send a PUT, PATCH or DELETE to a path that ends in a slash, which the OpenAPI document does not publish so. Without it, such a
        path is refused, because a value at its end may be empty.
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
    details: The module sends only GET requests.
  diff_mode:
    support: full
  idempotent:
    support: partial
    details: DELETE, and POST and PUT with O(repeatable=true) or O(force=true), are sent in every run.
seealso:
  - module: hosting.reseller.reseller_operation_info
  - module: hosting.reseller.reseller_service_info
"""

EXAMPLES = r"""
- name: Rename a contract
  hosting.reseller.reseller_operation:
    method: PUT
    path: /api/reseller/contracts/9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4/label
    body:
      label: Web shop, front end

- name: Reset a server once
  hosting.reseller.reseller_operation:
    method: POST
    path: /api/reseller/servers/9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4/reset
    name: reset of the web shop on 2026-11-21
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
request:
  description: The request that was sent, or would be. C(method), C(url) and C(body), with secrets masked.
  returned: success
  type: dict
status:
  description: HTTP status of the response. V(null) if nothing was sent.
  returned: success
  type: int
body:
  description: Body of the response. JSON is parsed and other text is a string. V(null) without a body. Secrets are masked.
  returned: success
  type: raw
location:
  description: The C(Location) of the response, where the service may show what becomes of the request.
  returned: success
  type: str
record:
  description: The operation's record, as in RV(hosting.reseller.reseller_ledger_info#module:records). V(null) without O(name).
  returned: success
  type: dict
settle_with:
  description: The task that settles an operation in doubt.
  returned: when the operation is in doubt
  type: str
violations:
  description: What the service rejects. Each entry has C(path), C(value), C(fix), C(rule) and C(source).
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
