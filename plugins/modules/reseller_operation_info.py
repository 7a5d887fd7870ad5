#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_operation_info
short_description: Read data with any published operation of the service
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - Sends a GET or HEAD request that the service's published reference describes, in any organization that the API key has access to.
  - >-
    Checks path, query, headers and media type against the published reference before it sends anything, and reports all mistakes at once.
    Requests go only to the origin of O(base_url), whatever the published reference says. A kept reference is read again before it refuses anything.
options:
  all_pages:
    description:
      - Whether to read all pages of a list. RV(records) then contains the records of all pages. The module reads at most 1,000 pages.
      - If a page cannot be read or understood, if pages repeat, or if nothing shows that the last page is the last one, RV(complete)
        is V(false), and a warning says why.
      - If V(false), only the first page is read, with a warning if there may be more.
    type: bool
    default: false
  max_records:
    description: Maximum number of records to read, with O(all_pages=true).
    type: int
  missing_ok:
    description:
      - Whether a response with status 404 or 410 counts as success. RV(body) is then V(null). A wrong O(organization_id) can cause the same response.
    type: bool
    default: false
  reads:
    description:
      - Whether O(operation) is a POST that only reads, such as a search. The request is sent once, even in check mode.
      - Set it only if you know that the operation changes nothing. The order operation, C(POST /api/reseller/contracts), is refused in any case.
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
  - module: hosting.reseller.reseller_reference_info
"""

EXAMPLES = r"""
- name: Read all invoices
  hosting.reseller.reseller_operation_info:
    operation: GET /api/reseller/invoices
    all_pages: true

- name: Wait until a server is running
  hosting.reseller.reseller_operation_info:
    operation: GET /api/reseller/servers/{id}
    path_parameters:
      id: 9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4
  register: server
  until: ansible_check_mode or server.body.status == 'running'
  retries: 60
  delay: 5

- name: Search with a POST that only reads
  hosting.reseller.reseller_operation_info:
    operation: POST /api/reseller/search
    reads: true
    body:
      text: web01
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
operation:
  description: The operation as C(METHOD /path).
  returned: success
  type: str
request:
  description: The request, with secrets masked.
  returned: success
  type: dict
status:
  description: HTTP status of the response.
  returned: success
  type: int
body:
  description:
    - Body of the response. JSON is parsed and other text is a string. V(null) without a body.
    - If the response has several pages, the body of the first page. Secrets are masked.
  returned: success
  type: raw
records:
  description: Records of the response, if it is a list or an envelope around one. Otherwise V(null). Repeated records are returned once.
  returned: success
  type: list
  elements: raw
complete:
  description: Whether RV(records) contains all records, as far as the service shows it. V(null) if the response is not a list.
  returned: success
  type: bool
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
