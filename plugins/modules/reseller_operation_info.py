#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_operation_info
short_description: Read what any published operation of the service shows
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Sends a GET or HEAD that the service's published reference describes, in any organization that the API key may act in.
  - Path, query, headers and media type are checked against the reference before anything is sent. All mistakes are reported at once, with the nearest names.
  - Only the origin of O(base_url) is asked, whatever the reference says. The reference is read anew by each task.
options:
  all_pages:
    description:
      - Whether to read all pages of a list. RV(records) holds the records of all of them.
      - Up to 1,000 pages are read. If some could not be read, or pages repeat themselves, RV(complete) is V(false), and a warning says why.
    type: bool
    default: false
  max_records:
    description: The most records to read, with O(all_pages=true).
    type: int
  missing_ok:
    description:
      - Whether a response with status 404 or 410 is a result. RV(body) is V(null) then.
      - A wrong O(organization_id) can look the same.
    type: bool
    default: false
  reads:
    description:
      - Whether O(operation) is a POST that only reads, such as a search. It is sent once, in check mode, too.
      - Set it only if you know that the operation changes nothing. The documented order is refused in any case.
    type: bool
    default: false
  wait_for:
    description:
      - What to wait for. The operation is read until the conditions are met.
      - A condition is a mapping of C(pointer), a JSON pointer (RFC 6901) into the answer, and one of C(equals), C(in) (a list) and C(exists) (a boolean).
      - A condition that the reference says can never be met is refused.
    type: dict
    suboptions:
      until:
        description: Conditions that must all be met by the answer.
        type: list
        elements: dict
        required: true
      fail_on:
        description: Conditions of which none may be met. The first that is ends the wait at once, and the task fails.
        type: list
        elements: dict
        default: []
      timeout:
        description: Seconds to wait in all.
        type: float
        default: 600.0
      interval:
        description: Seconds between two reads.
        type: float
        default: 5.0
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.operation
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_operation
  - module: hosting.reseller.reseller_reference_info
"""

EXAMPLES = r"""
- name: Read all invoices
  hosting.reseller.reseller_operation_info:
    operation: GET /api/reseller/invoices
    all_pages: true
  register: invoices

- name: Show how many there are
  ansible.builtin.debug:
    msg: "{{ invoices.records | length }} invoices, complete: {{ invoices.complete }}"

- name: Wait until a server runs
  hosting.reseller.reseller_operation_info:
    operation: GET /api/reseller/servers/{id}
    path_parameters:
      id: 9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4
    wait_for:
      until:
        - pointer: /status
          equals: running
      fail_on:
        - pointer: /status
          equals: failed

- name: Search, with a POST that only reads
  hosting.reseller.reseller_operation_info:
    operation: POST /api/reseller/search
    reads: true
    body:
      text: web01
"""

RETURN = r"""
operation:
  description: The operation as C(METHOD /path).
  returned: success
  type: str
request:
  description: The request, with secrets masked.
  returned: success
  type: dict
status:
  description: The HTTP status of the response.
  returned: success
  type: int
body:
  description: >-
    The response: JSON as it is, other text as text, V(null) for none. Of several pages it is the first.
  returned: success
  type: raw
records:
  description: >-
    The records, if the response is a list or an envelope around one; else V(null). Of what repeats itself there is one.
  returned: success
  type: list
  elements: raw
complete:
  description: Whether RV(records) are all there are, as far as the service tells; V(null) if the response is no list.
  returned: success
  type: bool
wait:
  description: How the wait ended; V(null) without O(wait_for). If it failed, C(last) names the last value seen.
  returned: success
  type: dict
  contains:
    met:
      description: Whether the conditions were met.
      type: bool
    reads:
      description: How often the operation was read.
      type: int
    seconds:
      description: How long the wait took.
      type: float
    last:
      description: What the conditions saw last.
      type: str
    body:
      description: The response that met the conditions.
      type: raw
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.operation_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
