#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_contract
short_description: Order a hosting product, once
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Orders a VPS, configurable VPS, dedicated server, webhosting or domain for yourself or for one of your end-users.
  - An order costs money, and the interface documents no way to read it back. It is therefore written to a ledger before
    it is sent, never sent again unless the service answered that it did not process it, and its outcome is written
    down. A second run finds it in the ledger and changes nothing.
  - All settings are checked before anything is sent, against the documented rules and against the rules that the
    service's catalogue lists for the product. All violations are reported at once.
options:
  name:
    description:
      - The identity of the order in the ledger. The same name is the same order. Whether the same thing may be ordered under another
        name is decided by O(on_duplicate).
      - By default the O(settings) entry C(hostname) or C(domain). Required for webhosting, which has neither.
    type: str
  end_user:
    description: The UUID of the end-user whose default organization gets the contract, or V(__self__) for the organization of O(organization_id).
    type: str
    required: true
  product:
    description:
      - The UUID of the product, or its name in the catalogue.
      - By default the documented UUID for O(product_type=configurable_vps) and O(product_type=domain); required for the other types.
    type: str
  product_type:
    description:
      - The type of the product, which decides the rules of its settings. V(vps) stands for VPS, HA VPS, VDS and Storage VPS.
      - By default it follows from a documented UUID, else from the options that the catalogue lists for the product.
      - A type is refused if the catalogue lists a documented setting for the product that this type does not have, unless O(validation=documented).
    type: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  settings:
    description:
      - The settings of the product, by the names of the interface's document.
      - Text that holds a number or a boolean is converted where the rule asks for one. A number is never converted to text.
      - C(ownercData) and C(admincData) may be given as a mapping or as a JSON string; they are sent as the string that the document asks for.
      - C(nameservers) may be given as a list. It is sent without dots at the end of names and without duplicates.
      - V(null) counts as not given. But C(existing_l2vpn) is refused as V(null) or empty, since a new L2VPN would be bought.
      - In check mode such an C(existing_l2vpn) is shown as not known yet.
    type: dict
    default: {}
  additional_elements:
    description: Further elements of the request body, beside those of O(end_user), O(product) and O(settings), that the published reference names.
    type: dict
    default: {}
  validation:
    description:
      - V(live) checks the documented rules and those in the product's C(options) in the catalogue; both must hold.
      - V(documented) checks the documented rules alone. In check mode no request is made at all.
    type: str
    choices: [live, documented]
    default: live
  org_max_ram:
    description: The most RAM in MB that your organization may order for one configurable VPS. By default what the catalogue says.
    type: int
  on_drift:
    description:
      - What to do when the ledger has an order with this name but other settings. It is never ordered again,
        and the interface documents no way to change or cancel a contract.
      - V(fail) fails the task, V(warn) warns, V(ignore) says nothing; all three return RV(differences).
      - Another service, organization, end user, product or product type under a recorded name always fails.
    type: str
    choices: [fail, warn, ignore]
    default: fail
  on_duplicate:
    description:
      - What to do when the same thing is ordered under another name, be it in the ledger or in the same task. That is the same
        domain at the same service, or the same hostname for the same end user of the same organization. An order in doubt counts, and so does one in progress.
      - V(fail) fails the task. V(warn) and V(ignore) order a second one, which costs money again.
      - A domain is never bought twice while its order stands, whatever this option says. If that order was not placed, record that
        with M(hosting.reseller.reseller_ledger) (O(hosting.reseller.reseller_ledger#module:state=absent)).
    type: str
    choices: [fail, warn, ignore]
    default: fail
  verify_nameservers:
    description:
      - Whether the nameservers of a domain are asked before it is ordered. The interface demands that the zone exists, and
        that an NS query of the domain against each chosen nameserver returns just these nameservers.
      - Without C(nameservers) in O(settings) the service's own are used and nothing is asked.
      - Nothing is asked in check mode with O(validation=documented).
    type: bool
    default: true
  save_answer:
    description:
      - Path of a new file for the service's answer as it arrives, with the credentials in it that the service tells only once.
        It is a path on the host that runs the task. Give an absolute one.
      - The file is made before the order is sent, readable by its owner alone. If it exists or cannot be made, the order is not sent.
        Check mode makes no file, and says whether the order would be refused.
      - The file stays empty if no answer arrives. It is removed only if nothing was sent.
      - An order that is in the ledger already is not sent, so its path is not looked at.
    type: path
  wait_in_flight:
    description:
      - Seconds to wait for another run that is placing the same order at this moment.
      - The default is 30 more than O(order_timeout), and the most is a week.
    type: int
  awx_job_id:
    description: The AWX job that orders, kept with the order. By default the variable C(awx_job_id) that AWX gives to its jobs.
    type: str
  awx_workflow_job_id:
    description: The AWX workflow job that orders, kept with the order. By default the variable C(awx_workflow_job_id) that AWX gives to its jobs.
    type: str
attributes:
  check_mode:
    support: full
    details:
      - Everything is done except writing to the ledger and sending the order. RV(order) and RV(request) tell what would be sent.
  diff_mode:
    support: full
    details:
      - Shows the order as YAML. Secrets are masked.
  idempotent:
    support: full
    details:
      - By the ledger. Without it, or with another one, the same order would be sent again.
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.reseller.learning
  - hosting.reseller.reseller.reading
  - hosting.reseller.reseller.read_back
  - hosting.reseller.reseller.nameservers
  - hosting.reseller.attributes
  - hosting.reseller.attributes.action_group
seealso:
  - module: hosting.reseller.reseller_products_info
"""

EXAMPLES = r"""
- name: Order a VPS for an end-user
  hosting.reseller.reseller_contract:
    end_user: 3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
    product: VPS M
    settings:
      hostname: web01.example.com
      template: debian-12

- name: Order a configurable VPS for ourselves
  hosting.reseller.reseller_contract:
    end_user: __self__
    product_type: configurable_vps
    settings:
      hostname: build01.example.com
      cpu_cores: 4
      ram: 8192
      disk_size: 100
      username: admin
      password: "{{ vault_build01_password }}"
      template_name: debian-12
      ipv4_addresses: 1
      traffic_display: 1024
      backup_count: 5
      snapshot_count: 2
      ha_upgrade: false
      10g_upgrade: false

- name: Order a dedicated server with a new L2VPN
  hosting.reseller.reseller_contract:
    end_user: __self__
    product: Dedicated Server L
    settings:
      hostname: db01.example.com
      template: debian-12
      ip4_count: 2

- name: Register a domain
  hosting.reseller.reseller_contract:
    end_user: 3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
    product_type: domain
    settings:
      domain: example.org
      action: register
      ownercData: "{{ contact }}"
      admincData: "{{ contact }}"
  vars:
    contact:
      label: customer-4711
      first_name: Erika
      last_name: Mustermann
      company_name: ""
      street: Heidestr. 17
      postal_code: "51147"
      city: Köln
      country: DE
      telephone: "+49.2211234567"
      email: erika@example.org

# The same settings under another name are another contract.
- name: Order two webhostings for one end-user
  hosting.reseller.reseller_contract:
    name: "{{ item }}"
    end_user: 3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
    product: Webhosting S
    product_type: webhosting
  loop:
    - customer-4711/shop
    - customer-4711/blog
"""

RETURN = r"""
contract_id:
  description:
    - The service's identifier of the contract.
    - V(null) in check mode, and when the service's answer holds none; the document does not show the shape of the answer.
  returned: success
  type: str
  sample: 0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c
contract:
  description:
    - The body of the service's answer. Secrets in it are masked, by the names that they have in it and where they are known.
    - When the ledger answers, only what it keeps of that body, under the names that the service gave it. That is the state of the
      contract, and UUIDs, IP addresses and dates whose names tell what they are. V(null) if there was nothing of that kind.
    - Use O(save_answer) for credentials that the service tells only once.
  returned: success
  type: raw
l2vpn_id:
  description: The UUID of the L2VPN, when the service's answer holds one.
  returned: success
  type: str
order:
  description: The order as the ledger holds it, or as it would be placed.
  returned: success, and on failure where there is one
  type: dict
  contains:
    name:
      description: The identity of the order in the ledger.
      type: str
    status:
      description:
        - V(ordered), or V(planned) in check mode for an order that would be placed.
        - On failure V(in_doubt), V(pending), V(rejected) or V(not_sent).
      type: str
    product:
      description: The UUID of the product.
      type: str
    product_name:
      description: The name of the product, when the catalogue was read.
      type: str
    product_type:
      description: The type of the product.
      type: str
    end_user:
      description: The end-user target.
      type: str
    ordered_at:
      description: When the service accepted the order; UTC, ISO 8601.
      type: str
request:
  description: The request that was sent, or would be in check mode, with secrets masked. V(null) when the order was there already.
  returned: success
  type: dict
  contains:
    method:
      description: The HTTP method.
      type: str
    url:
      description: The URL.
      type: str
    body:
      description: The request body.
      type: dict
differences:
  description: How the recorded order differs from what is asked now. Each entry has C(path), C(recorded) and C(asked).
  returned: when the order is recorded
  type: list
  elements: dict
violations:
  description: What is wrong with the order. Each entry has C(path), C(value), C(rule) and C(source), which is V(documented), V(live) or V(service).
  returned: on failure
  type: list
  elements: dict
evidence:
  description: What settled an order whose response was lost, in sentences. See O(read_back).
  returned: when the service's list of contracts settled the order
  type: list
  elements: str
settle_with:
  description: The task that settles an order in doubt.
  returned: when the order is in doubt
  type: str
status:
  description: The HTTP status of the service's answer.
  returned: when the service refused or could not be reached
  type: int
request_id:
  description: The service's identifier of the request, where its answer has one.
  returned: when the service refused
  type: str
service_message:
  description: The service's own message.
  returned: when the service refused
  type: str
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contract import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
