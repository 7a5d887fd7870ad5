#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_ledger_info
short_description: List the orders and operations in the ledger
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description: Lists the records of orders and of named operations, without a request to the service.
options:
  names:
    description: Names of the orders and operations to list. By default all.
    type: list
    elements: str
  statuses:
    description:
      - Statuses of the orders and operations to list. By default all.
      - V(ordered) is for orders with a contract, V(done) for operations that succeeded, and V(in_doubt) if the outcome is unknown.
      - V(pending) is being placed, or was cut off. A request of the run that claimed it may be under way until C(certain_at).
      - V(rejected) and V(not_sent) were not placed. The next run sends them again.
    type: list
    elements: str
    choices: [ordered, pending, in_doubt, rejected, not_sent, done]
  end_users:
    description:
      - UUIDs of end users, their names in C(end_users) of the service's file, or V(__self__). Only orders for them are listed, and no operations.
      - The file is that of E(RESELLER_SERVICE), otherwise C(hosting.reseller/HOST.yml) (or C(HOST_PORT.yml)) in E(XDG_CONFIG_HOME) (C(~/.config)).
    type: list
    elements: str
  product_types:
    description: Product types. Only orders of these types are listed, and no operations.
    type: list
    elements: str
    choices: [vps, configurable_vps, dedicated_server, webhosting, domain]
  since:
    description: Earliest time of the last change to a record, such as V(2026-11-21) or V(2026-11-21T08:00:00Z). A time without a zone is UTC.
    type: str
  events:
    description:
      - Whether to return the trail as well. The ledger keeps for good who settled, adopted, removed or cancelled what, and who accepted, moved or
        readdressed the ledger.
      - O(names) and O(since) hold for it, and the other filters do not. Names that were removed have one, too.
    type: bool
    default: false
extends_documentation_fragment:
  - hosting.reseller.ledger
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.ledger_group
seealso:
  - module: hosting.reseller.reseller_ledger
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: List all orders in doubt
  hosting.reseller.reseller_ledger_info:
    statuses: [in_doubt]
  register: in_doubt

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ in_doubt.records | map(attribute='name') }}"

- name: List the orders of one end user whose records have changed this month
  hosting.reseller.reseller_ledger_info:
    end_users: [d19f51a8-e747-452b-89a9-286bfa544c77]
    statuses: [ordered]
    since: "2026-11-01"

- name: List what was done by hand this month, and by whom
  hosting.reseller.reseller_ledger_info:
    events: true
    since: "2026-11-01"
  register: trail

- name: Show it
  ansible.builtin.debug:
    msg: "{{ trail.event_lines }}"
"""

RETURN = r"""
event_lines:
  description: One line for each of RV(events).
  returned: success, if O(events=true)
  type: list
  elements: str
events:
  description: What was done to the ledger other than by ordering, oldest first. It contains no secrets, and no users of databases.
  returned: success, if O(events=true)
  type: list
  elements: dict
  contains:
    at:
      description: Time of the event, in UTC and ISO 8601.
      type: str
    action:
      description: V(settled), V(adopted), V(removed), V(cancelled), V(accepted), V(moved) or V(readdressed).
      type: str
    name:
      description: Name of the order or operation. V(null) if it was about the whole ledger.
      type: str
    actor:
      description: C(user), who is the user of AWX or of the controller, C(awx_job_id) and C(awx_workflow_job_id).
      type: dict
    host:
      description: Name of the machine that did it.
      type: str
    before:
      description: RV(records) entry, or what was known of the ledger, before. V(null) if there was none.
      type: dict
    after:
      description: RV(records) entry, or what is known of the ledger, since. V(null) if it was removed.
      type: dict
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
lines:
  description: The records as a table that fits a terminal.
  returned: success
  type: list
  elements: str
records:
  description:
    - All that the ledger has of the orders that match, and then of the named operations, oldest claim first. They contain no secrets.
    - What has no meaning for an operation is V(null), and C(operation) for an order.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(order) or V(operation).
      type: str
    name:
      description: Name of the order or operation.
      type: str
    status:
      description: Status, as in O(statuses).
      type: str
    operation:
      description: The request of an operation, as C(METHOD /path).
      type: str
    contract_id:
      description: The service's ID of the contract. V(null) if it is not known.
      type: str
    contract:
      description:
        - Part of the service's response that the ledger keeps. It contains the state of the contract.
        - It also contains UUIDs, IP addresses and dates, if their names show what they are.
      type: raw
    address:
      description: IP address of the server at C(contracts.address) of the service's file, as the service showed it when it was last looked at.
      type: str
    l2vpn_id:
      description: UUID of the L2VPN, if the response contained one.
      type: str
    product:
      description: UUID of the product.
      type: str
    product_name:
      description: Name of the product.
      type: str
    product_type:
      description: Type of the product.
      type: str
    end_user:
      description: UUID of the end user, or V(__self__).
      type: str
    end_user_name:
      description: Name of the end user in the service's file, see O(end_users). V(null) without one.
      type: str
    base_url:
      description: Address of the service that it was sent to.
      type: str
    organization_id:
      description: ID of the organization in whose context it was sent.
      type: str
    settings:
      description: Settings of the order, without secrets. Contact data is replaced by a digest that only this ledger can compare.
      type: dict
    listed_prices:
      description:
        - What the catalogue listed for the product and the settings when the order was sent, verbatim. V(null) if it listed none.
      type: dict
    cancelled:
      description: How the contract was canceled, with C(at), C(by), C(until), C(answer) and C(replaced), which is whether a later order has its name.
      type: dict
    partial:
      description: Whether RV(records[].settings) is only a part of the contract's settings. V(true) for contracts that
        M(hosting.reseller.reseller_reconcile) adopted.
      type: bool
    reason:
      description: What happened, if the order did not simply succeed.
      type: str
    claimed_at:
      description: Time of the claim, before the request was sent, in UTC and ISO 8601.
      type: str
    ordered_at:
      description: Time when the service accepted the order or operation, in UTC and ISO 8601. V(null) for a contract that was adopted.
      type: str
    certain_at:
      description: Time at which a pending one is certain at the latest, in UTC and ISO 8601. Otherwise V(null).
      type: str
    since:
      description: RV(records[].ordered_at), or else the time of the claim or of the adoption.
      type: str
    updated_at:
      description: Time of the last change to the record, in UTC and ISO 8601.
      type: str
    approved_by:
      description: Digest of the approved plan that it was sent with. V(null) if it was sent without an approval.
      type: str
    awx_job_id:
      description: ID of the AWX job that sent it.
      type: str
    awx_workflow_job_id:
      description: ID of the AWX workflow job that sent it.
      type: str
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
"""
