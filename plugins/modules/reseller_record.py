#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_record
short_description: Settle, adopt or remove the record of an order
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Records in the ledger what you know about one order or named operation. It neither orders nor cancels anything. It reads the service's catalogue
    if you give O(product) by its name, and for the name of the O(product) of a new record, which it leaves out if that cannot be read.
  - >-
    An order in doubt was sent or was about to be, and its outcome is unknown. Check in the customer portal whether the contract exists, and
    settle the order accordingly.
  - >-
    What the ledger knows of an order never changes by this module: it sets the outcome and the IDs, and fills in what is not known. For an order
    that was rejected or not sent, what you give takes the place of all that its record has. An order of this name fails as long as
    O(end_user), O(product_type) or O(base_url) of its record is not known.
options:
  name:
    description:
      - Name of the order or operation. No order has the name of an operation.
      - To adopt a contract, use a name that is not recorded, and that an order can have.
    type: str
    required: true
  state:
    description:
      - V(present) settles an order in doubt as placed, adopts a contract that was bought elsewhere, or fills in what a record does not know.
      - V(present) settles an operation in doubt as done. It is not sent again.
      - V(absent) removes the record, for example because the order was not placed. The next run may then order again, which costs money.
    type: str
    required: true
    choices: [present, absent]
  contract_id:
    description:
      - The service's ID of the contract, or the address that ends with it. Required to settle an order that is pending or in doubt.
      - V(unknown) records the contract without an ID. V(-), V(n/a), V(0) and the like are refused. If another order has the ID, the task fails.
      - If the order is recorded with another ID, the task fails, unless O(replaces) names that one.
      - With O(state=absent), the recorded ID of an order that is recorded as ordered. An empty string if the record has none.
    type: str
  replaces:
    description:
      - The recorded ID of a contract that is wrong. O(contract_id) then takes its place. Without O(contract_id), no ID is recorded then.
    type: str
  l2vpn_id:
    description: UUID of the L2VPN of a dedicated server. Leave it out if you do not know it.
    type: str
  end_user:
    description:
      - UUID of the end user that the contract was ordered for, its name in C(end_users) of the service's file, or V(__self__).
      - Give as much of O(end_user), O(product), O(product_type) and O(settings) as you know.
      - For a recorded name, they fill in what is not known. The task fails if one of them differs from the record.
    type: str
  product:
    description:
      - UUID of the product of the contract, or its name, which the module looks up in the catalogue.
      - By default, the documented UUID for O(product_type), if there is one.
    type: str
  product_type:
    description: Type of the product of the contract. By default that of O(product) in the catalogue, if it is given by name.
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  settings:
    description:
      - Settings of the contract. They require O(product_type), unless it is recorded. The hostname or domain prevents a second order of it.
      - They are checked like those of an order. Secrets among them are not stored.
      - Settings of an adopted contract that are left out are not compared by later runs. An order in doubt is recorded as it was sent.
    type: dict
  take_over_settings:
    description:
      - Whether to take O(settings) over into the record of an order that is recorded as ordered, in place of its own. Later runs then compare
        with them. Nothing is sent, so the contract has to be changed elsewhere.
      - Only the settings that are given are changed, and one that is V(null) is removed. Hostname and domain are never taken over.
    type: bool
    default: false
  allow_second:
    description:
      - Whether to add a second record where the ledger has the same hostname and end user under another name.
      - A second record of the same domain or of the same O(contract_id) is never added.
    type: bool
    default: false
  base_url:
    description: Address of the service, as C(https://host[:port]). Used only for a new record, for a record that has none, and to look up O(product).
  organization_id:
    description: ID of the organization. Used only for a new record, for a record that has none, and to look up O(product).
  api_key:
    description: API key. Used only to look up O(product).
  service:
    description: Path of the file that describes the service. Used only to look up O(product).
  timeout:
    description: Seconds for one request, to look up O(product).
  allow_http:
    description: Whether O(base_url) may be C(http://) on a host that is not loopback, to look up O(product).
  validate_certs:
    description: Whether to check the service's TLS certificate, to look up O(product).
  ca_path:
    description: File or directory with the certificate authorities to trust, to look up O(product).
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
extends_documentation_fragment:
  - hosting.reseller.connection
  - hosting.reseller.connection.tls
  - hosting.reseller.ledger
  - hosting.reseller.attributes
  - hosting.reseller.attributes.both_groups
seealso:
  - module: hosting.reseller.reseller_ledger_info
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Settle an order as placed, because the customer portal shows the contract
  hosting.reseller.reseller_record:
    name: web01.example.com
    state: present
    contract_id: 0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c

# Run this task once, on its own. In the playbook that orders, it would remove the record in every
# run, and every run would order again.
- name: Settle an order as not placed, because the customer portal shows no contract
  hosting.reseller.reseller_record:
    name: web02.example.com
    state: absent

- name: Correct a contract ID that was recorded by mistake
  hosting.reseller.reseller_record:
    name: web01.example.com
    state: present
    contract_id: 0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d56
    replaces: 0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c

- name: Adopt a webhosting contract that was bought in the customer portal
  hosting.reseller.reseller_record:
    name: customer-4711/shop
    state: present
    contract_id: 0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55
    end_user: d19f51a8-e747-452b-89a9-286bfa544c77
    product: 2f6a3a1f-9b11-4a0e-9f5e-3f0c7d3e8a54
    product_type: webhosting

- name: Take over a setting that was changed in the customer portal
  hosting.reseller.reseller_record:
    name: web01.example.com
    state: present
    take_over_settings: true
    settings:
      template: debian-13

- name: Settle a named operation as not done, so that the next run may send it
  hosting.reseller.reseller_record:
    name: reset of the web shop on 2026-11-21
    state: absent
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
record:
  description: The record after the task, as in RV(hosting.reseller.reseller_ledger_info#module:records). V(null) with O(state=absent).
  returned: success
  type: dict
order:
  description: The order in short, as in RV(hosting.reseller.reseller_contract#module:order).
  returned: when the order is pending
  type: dict
before:
  description: The record before the task, in the form of RV(record). V(null) if there was none.
  returned: success
  type: dict
status:
  description: HTTP status of the service's response.
  returned: when the service rejected the request for the catalogue or could not be reached
  type: int
request_id:
  description: The service's ID of the request, if its response has one.
  returned: when the service rejected the request
  type: str
service_message:
  description: The service's own message.
  returned: when the service rejected the request
  type: str
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
"""
