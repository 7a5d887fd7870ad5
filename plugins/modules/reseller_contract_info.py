#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_contract_info
short_description: Read contracts as the service shows them, and wait until they are ready
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Reads contracts back from the service, if its published reference has C(GET) on the path of the order. One contract
    is read with C(GET) on that path with one path parameter.
  - The API specification shows no such operation. If the reference publishes none, the module warns, returns no contracts
    and RV(complete=false), and O(wait_for) fails. Ordering is the same with and without it.
  - The module learns what the elements of a record mean from the contracts whose ids the ledger has. An element counts
    only if all of them confirm it. RV(unclear) says why an element is not known, and what to do.
  - An answer 401, 403 or 404 alone never proves that a contract is gone, see RV(contracts[].presence).
  - With O(wait_for) the module waits until contracts show what you say. In check mode it looks once and does not wait.
options:
  names:
    description: Names of orders in the ledger whose contracts are read.
    type: list
    elements: str
  contract_ids:
    description:
      - Ids of contracts to read, also of contracts that the ledger does not have.
      - Without O(names) and O(contract_ids), all contracts of O(organization_id) and of O(organizations) are listed.
    type: list
    elements: str
  end_user:
    description:
      - The UUID of an end user, or V(__self__) for your own organization. Only its contracts are listed.
      - The list of its organization in O(organizations) is read. If it has no entry there, the list of O(organization_id)
        is read, and the task fails if nothing in it tells which contracts are that end user's.
    type: str
  wait_for:
    description:
      - What the contracts of O(names) and O(contract_ids) must show before the task ends.
      - The module does not know what a service calls "ready". You say it with conditions on the contract's record, which
        is RV(contracts[].raw).
      - If the published reference lists the values of an element, and a condition has another value, the task fails
        and lists them. If O(wait_for.until) is missing, it lists all of them.
    type: dict
    suboptions:
      until:
        description:
          - Conditions that must all hold, for each contract.
          - Each has a C(pointer), which is a JSON pointer (RFC 6901) into the record, and one of C(equals) with a value,
            C(in) with a list of values, and C(exists) with a boolean. V(null) in a record counts as not there.
          - Required.
        type: list
        elements: dict
      fail_on:
        description: Conditions of the same form. If one of them holds, the task fails at once.
        type: list
        elements: dict
        default: []
      timeout:
        description: Seconds to wait for all contracts together. Then the task fails, and names the last value seen.
        type: float
        default: 600.0
      interval:
        description: Seconds between two reads.
        type: float
        default: 5.0
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.reading
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_contract
  - module: hosting.reseller.reseller_ledger_info
  - plugin: hosting.reseller.contracts
    plugin_type: inventory
    description: Contracts as hosts.
"""

EXAMPLES = r"""
- name: Wait until a server is ready
  hosting.reseller.reseller_contract_info:
    names: [web01.example.com]
    elements:
      addresses: /ipAddresses
    wait_for:
      until:
        - {pointer: /status, equals: active}
        - {pointer: /ipAddresses/0/address, exists: true}
      fail_on:
        - {pointer: /status, equals: failed}
      timeout: 1800
  register: server

- name: Show its first address
  ansible.builtin.debug:
    var: server.contracts[0].addresses[0]

- name: List the contracts of an end user in its organization
  hosting.reseller.reseller_contract_info:
    end_user: d19f51a8-e747-452b-89a9-286bfa544c77
    organizations:
      d19f51a8-e747-452b-89a9-286bfa544c77: 4201
"""

RETURN = r"""
contracts:
  description:
    - One entry for each of O(names) and O(contract_ids), in this order, else for each contract that is listed.
    - An element that is not known is V(null), see RV(unclear).
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id of the contract.
      type: str
    name:
      description: The name of its order in the ledger; V(null) if the ledger does not have the contract.
      type: str
    product:
      description: The product, as its UUID where the service shows it, else as its name.
      type: str
    end_user:
      description: The UUID of the end user; V(__self__) where it is known to be your own organization.
      type: str
    organization_id:
      description: The organization in which the contract was read.
      type: str
    hostname:
      description: The hostname of a server.
      type: str
    domain:
      description: The domain.
      type: str
    addresses:
      description:
        - The IP addresses at C(addresses) of O(elements), with all that stands below that pointer. The pointer V("") is the whole record.
        - Gateways, networks and nameservers are left out.
      type: list
      elements: str
    status:
      description: The state, in the service's words, at C(status) of O(elements).
      type: str
    created_at:
      description: When the contract was made, in ISO 8601. V(null) if the service tells no time zone.
      type: str
    presence:
      description:
        - V(present) if the service shows the contract.
        - V(gone) if the service answered 404 or 410 for it, its complete list does not show it, and this list shows another
          contract of the same end user that the ledger knows, which the service also shows alone. The ledger stays as it is.
        - V(unseen) in all other cases, which prove nothing.
      type: str
    why:
      description: What V(gone) or V(unseen) rests on; empty for V(present).
      type: str
    raw:
      description: The record as the service sent it, without its envelope. Secrets are masked.
      type: dict
complete:
  description: Whether all lists that were read have all contracts, as far as can be told.
  returned: success
  type: bool
why_incomplete:
  description: Why not, for example since a page was repeated; empty if RV(complete=true).
  returned: success
  type: str
learned:
  description: The JSON pointers of the elements that are known, by role.
  returned: success
  type: dict
  sample: {id: /id, hostname: /hostname, product: /product}
unclear:
  description: By role, why an element is not known and what to do. C(list) says that the reference publishes no operation.
  returned: success
  type: dict
wait:
  description: How the waiting ended; V(null) without O(wait_for).
  returned: success
  type: dict
  contains:
    met:
      description: Whether all conditions hold. Only in check mode it can be V(false).
      type: bool
    seconds:
      description: How long the task waited.
      type: float
    reads:
      description: How often a contract was read.
      type: int
    unmet:
      description: What the contracts show where a condition does not hold.
      type: list
      elements: str
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contract_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
