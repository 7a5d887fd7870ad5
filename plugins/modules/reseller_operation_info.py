#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_operation_info
short_description: Read data with any request to the service
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - Sends a GET or HEAD request, in any organization that the API key has access to. Requests go only to the origin of O(base_url).
options:
  method:
    description: HTTP method.
    type: str
    choices: [GET, HEAD]
    default: GET
  all_pages:
    description:
      - Whether to read all pages of a list into RV(records), at most 1,000 pages. If V(false), the module reads one response.
      - If a page cannot be read, or nothing shows that the last page is the last one, RV(complete) is V(false), and a warning says why.
    type: bool
    default: false
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.operation
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.service_group
seealso:
  - module: hosting.reseller.reseller_operation
  - module: hosting.reseller.reseller_service_info
"""

EXAMPLES = r"""
- name: Read all invoices
  hosting.reseller.reseller_operation_info:
    path: /api/reseller/invoices
    all_pages: true

- name: Wait until a server is running
  hosting.reseller.reseller_operation_info:
    path: /api/reseller/servers/9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4
  register: server
  until: ansible_check_mode or server.body.status == 'running'
  retries: 60
  delay: 5
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
request:
  description: The request, with C(method), C(url) and C(body).
  returned: success
  type: dict
status:
  description: HTTP status of the response.
  returned: success
  type: int
body:
  description: Body of the response, with O(all_pages) of the first page, as RV(hosting.reseller.reseller_operation#module:body).
  returned: success
  type: raw
records:
  description: Records of all pages, each once, with secrets masked. V(null) without O(all_pages).
  returned: success
  type: list
  elements: raw
complete:
  description: Whether RV(records) has all records, as far as the service shows it. V(null) without O(all_pages).
  returned: success
  type: bool
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
