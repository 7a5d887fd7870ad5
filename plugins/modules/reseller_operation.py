#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_operation
short_description: Send any published operation that changes something
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Sends a PUT, PATCH, DELETE or POST that the service's published reference describes, in any organization that the API key may act in.
  - Path, query, headers, body and media type are checked against the reference before anything is sent.
    All mistakes are reported at once, with the nearest names.
  - A request is sent once. It is repeated only if the service says that it did not process it (status 425 or 429). If the answer is lost, a read decides
    whether it was done; if none can, the task fails.
  - PUT and PATCH are sent only if a read shows something else than O(body). DELETE of what is gone changes nothing.
  - The documented order, C(POST /api/reseller/contracts), is refused. Use M(hosting.reseller.reseller_contract).
options:
  files:
    description: Files to send, as a mapping of the elements of O(body) that they stand for to paths. Another media type than a form takes one file as the body.
    type: dict
    default: {}
  name:
    description:
      - For a POST, its name in the ledger. It is sent once for a ledger, with the same care as an order.
      - It is recorded before it is sent. If its outcome is unknown, it is in doubt, and the task that settles it is in the message.
      - Names of operations are apart from those of orders.
    type: str
  unless:
    description: For a POST, a read that shows whether it was done already. It is sent only if no record of the read meets all conditions.
    type: dict
    suboptions:
      operation:
        description: The operation that reads, as O(operation).
        type: str
        required: true
      path_parameters:
        description: Its path parameters. By default those of O(path_parameters).
        type: dict
      query:
        description: Its query parameters.
        type: dict
        default: {}
      shows:
        description: >-
          Conditions that must all be met by the answer, or by one record of it if it is a list. Each is a mapping of C(pointer), a JSON pointer (RFC 6901),
          and one of C(equals), C(in) and C(exists).
        type: list
        elements: dict
        required: true
  repeatable:
    description: For a POST, whether it may be sent in every run. A POST needs exactly one of O(name), O(unless) and O(repeatable).
    type: bool
    default: false
  read_with:
    description:
      - The operation that shows what is changed. By default GET on the same path.
      - For DELETE, also a read that must succeed if the service says that the thing is not there. By default that is the list which it is in, or the catalogue.
    type: dict
    suboptions:
      operation:
        description: The operation that reads, as O(operation).
        type: str
        required: true
      path_parameters:
        description: Its path parameters. By default those of O(path_parameters).
        type: dict
      query:
        description: Its query parameters.
        type: dict
        default: {}
      pointer:
        description: >-
          A JSON pointer (RFC 6901) to the object in the answer that is compared with O(body). By default the answer, or the only object in it that has any
          element of O(body).
        type: str
  compare:
    description:
      - How a PUT or PATCH is compared with what a read shows. V(subset) compares what O(body) gives; V(exact) also what it leaves out.
      - Lists are compared entry by entry, in their order. Another number of entries is a difference.
      - V(none) compares nothing. The request is sent in every run.
    type: str
    choices: [subset, exact, none]
    default: subset
  update_secrets:
    description:
      - Whether secrets in O(body) are compared, too. As no service shows them, the request is then sent in every run.
      - By default a request that would change nothing but secrets is not sent.
    type: bool
    default: false
  wait_for:
    description:
      - What to wait for once the service has accepted the request. Nothing is waited for if nothing was sent.
      - A condition is a mapping of C(pointer), a JSON pointer (RFC 6901) into the answer, and one of C(equals), C(in) (a list) and C(exists) (a boolean).
      - A condition that the reference says can never be met is refused before anything is sent.
    type: dict
    suboptions:
      operation:
        description: >-
          The operation to read. By default what the C(Location) of the answer leads to, if that is on the origin of O(base_url), else what shows the thing that
          was changed.
        type: str
      path_parameters:
        description: >-
          Its path parameters. By default those of O(path_parameters). A value C({pointer: /id}) is taken from the answer to the request.
        type: dict
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
  awx_job_id:
    description: ID of the AWX job that sends a named operation. Stored in the ledger.
    type: str
  awx_workflow_job_id:
    description: ID of the AWX workflow job that sends a named operation. Stored in the ledger.
    type: str
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.operation
  - hosting.reseller.attributes
  - hosting.reseller.attributes.action_group
attributes:
  check_mode:
    support: full
    details:
      - Everything is checked and read, and nothing but GET and HEAD is sent.
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - A POST with O(repeatable=true), and O(compare=none) and O(update_secrets=true), send in every run.
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

- name: Reset a server once, and wait until that is done
  hosting.reseller.reseller_operation:
    operation: POST /api/reseller/servers/{id}/reset
    path_parameters:
      id: 9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4
    body:
      mode: hard
    name: reset of the web shop on 2026-11-21
    wait_for:
      until:
        - pointer: /status
          equals: done
      fail_on:
        - pointer: /status
          equals: failed
      interval: 0.1

- name: Add an SSH key, unless there is one of this label
  hosting.reseller.reseller_operation:
    operation: POST /api/reseller/ssh-keys
    body:
      label: deploy
      public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0cB5Q8o0nqV2W8mE6i1v4Y deploy@example.org
    unless:
      operation: GET /api/reseller/ssh-keys
      shows:
        - pointer: /label
          equals: deploy

- name: Remove an SSH key in the organization of an end user
  hosting.reseller.reseller_operation:
    operation: DELETE /api/reseller/ssh-keys/{id}
    path_parameters:
      id: 41
    organization_id: "4201"
"""

RETURN = r"""
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
  description: The HTTP status of the response; V(null) if nothing was sent.
  returned: success
  type: int
body:
  description: >-
    The response to the request: JSON as it is with secrets masked, other text as text, V(null) for none.
  returned: success
  type: raw
differences:
  description: How O(body) differs from what a read shows, for PUT and PATCH.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: Where it differs, such as C(body.label).
      type: str
    before:
      description: What a read shows; V(null) if nothing.
      type: raw
    after:
      description: What O(body) gives.
      type: raw
record:
  description: What the ledger holds of the operation; V(null) without O(name).
  returned: success
  type: dict
  contains:
    name:
      description: The name of the operation.
      type: str
    status:
      description: V(done), V(pending) while a run is sending it, V(in_doubt), or for released claims V(rejected) and V(not_sent).
      type: str
    operation:
      description: What was sent, as C(METHOD /path).
      type: str
    path:
      description: The path with its parameters, without secrets.
      type: str
    base_url:
      description: The service that it was sent to.
      type: str
    organization_id:
      description: The organization in which it was sent.
      type: str
    reason:
      description: What happened, where it did not simply succeed.
      type: str
    claimed_at:
      description: When a run claimed it, before sending it; UTC, ISO 8601.
      type: str
    done_at:
      description: When the service accepted it; UTC, ISO 8601.
      type: str
    updated_at:
      description: When the record was last written; UTC, ISO 8601.
      type: str
    awx_job_id:
      description: The AWX job that sent it.
      type: str
    awx_workflow_job_id:
      description: The AWX workflow job that sent it.
      type: str
wait:
  description: How the wait ended; V(null) without O(wait_for), and if nothing was sent. If it failed, C(last) names the last value seen.
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
settle_with:
  description: The task that settles an operation in doubt.
  returned: when the operation is in doubt
  type: str
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.operation import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
