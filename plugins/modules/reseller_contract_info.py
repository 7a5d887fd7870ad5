#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_contract_info
short_description: Read contracts from the service
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reads contracts back from the service. It never writes to the ledger. To wait until a server is ready, repeat the task with C(until): only
    you know what "ready" is in RV(contracts[].raw).
  - >-
    The API specification shows no such operation. The module uses C(GET) on the path of the order, and C(GET) on that path with one path
    parameter for a single contract, if the OpenAPI document has them. Otherwise it warns, and returns no contracts and RV(complete=false).
    Ordering does not depend on this.
  - >-
    The hostname or domain, the product and the end user of a contract are recognized at the places that the description of the service gives, or
    that are called so.
  - A contract that no list shows may exist nonetheless. See RV(contracts[].presence).
options:
  names:
    description: Names of orders in the ledger. Their contracts are read.
    type: list
    elements: str
  contract_ids:
    description:
      - IDs of the contracts to read. They do not have to be in the ledger.
      - Without O(names) and O(contract_ids), all contracts of O(organization_id) and of the organizations in the service's file are listed.
    type: list
    elements: str
  end_user:
    description:
      - UUID of an end user, its name in C(end_users) of the service's file, or V(__self__) for your own organization. Only contracts of this end user are listed.
      - The module reads the list of the end user's organization, if the service's file names it.
      - Otherwise, it reads the list of O(organization_id), and returns the contracts in it that show this end user.
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
  - module: hosting.reseller.reseller_ledger_info
  - plugin: hosting.reseller.contracts
    plugin_type: inventory
    description: Contracts as hosts.
"""

EXAMPLES = r"""
- name: Wait until a server is ready
  hosting.reseller.reseller_contract_info:
    names: [web01.example.com]
  register: server
  until: ansible_check_mode or elsewhere or status in ['active', 'failed']
  failed_when: server is failed or elsewhere or status == 'failed'
  vars:
    elsewhere: "{{ server.contracts[0].presence == 'not_read' }}"
    status: "{{ server.contracts[0].raw.status | default('') }}"
  retries: 180
  delay: 10

# In the organization that the service's file names for the end user
- name: List the contracts of an end user
  hosting.reseller.reseller_contract_info:
    end_user: d19f51a8-e747-452b-89a9-286bfa544c77
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
contracts:
  description:
    - One entry for each of O(names) and O(contract_ids), in this order. Without these options, one entry for each contract in the list.
    - A value that is not known is V(null).
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the contract.
      type: str
    name:
      description: Name of its order. V(null) if the ledger has no order at this service with the contract.
      type: str
    product:
      description: UUID of the product.
      type: str
    end_user:
      description: UUID of the end user. V(__self__) if the contract is known to belong to your own organization.
      type: str
    end_user_name:
      description: Name of the end user in the service's file. V(null) without one.
      type: str
    organization_id:
      description: ID of the organization in which the contract was read.
      type: str
    hostname:
      description: Hostname of the server.
      type: str
    domain:
      description: The domain.
      type: str
    address:
      description:
        - IP address of the server, at C(contracts.address) of the service's file. V(null) without that line.
        - The ledger keeps it for P(hosting.reseller.ledger#inventory), but for check mode.
      type: str
    presence:
      description:
        - V(present) means that the list shows the contract.
        - V(unseen) means that the list in which it would be does not show it, which proves nothing.
        - V(not_read) means that this list was not read, for example because the organization of the end user is not known.
      type: str
    why:
      description:
        - What was seen in its place, or what is missing. Empty for V(present), unless the contract has ended.
      type: str
    raw:
      description: The record as the service sent it, without its envelope. Secrets are masked.
      type: dict
complete:
  description:
    - Whether all recorded contracts that were requested were looked for in the list in which they would be, and these lists were read to their end.
  returned: success
  type: bool
why_incomplete:
  description:
    - Why contracts may be missing, and the line for the description.
    - Empty if RV(complete=true).
  returned: success
  type: str
status:
  description: HTTP status of the service's response.
  returned: when the service rejected the request or could not be reached
  type: int
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
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
