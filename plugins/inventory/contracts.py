# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: contracts
short_description: Use ordered servers as hosts, with details from the service
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Adds a host for every ordered server in the ledger, with the names, groups and variables of P(hosting.reseller.ledger#inventory), and adds
    what the service shows of the servers' contracts, such as addresses. The plugin never writes to the ledger.
  - Its configuration is a YAML file whose name ends with C(reseller_contracts.yml) or C(reseller_contracts.yaml).
  - >-
    Contracts are read in the same way as by M(hosting.reseller.reseller_contract_info). If the OpenAPI document has no operation for it, the
    plugin warns and uses the ledger alone.
  - >-
    C(ansible_host) is the IP address that the service shows now at C(contracts.address) of its file. A host without one is in the group
    C(reseller_without_address), as with P(hosting.reseller.ledger#inventory).
  - >-
    Each host also has C(reseller_presence), which is C(present) or C(unseen), and C(reseller_shown), the contract's record from the service,
    with secrets masked. C(reseller_ipv4_addresses) and C(reseller_ipv6_addresses) are what looks like an address in it. If the service has no
    list of contracts, hosts have neither.
  - To use a server as a host that the ledger lacks, adopt it, see M(hosting.reseller.reseller_reconcile).
  - >-
    Contracts are read in O(organization_id), and in the organizations of the end users in the file that O(service) names.
  - >-
    A server that the service's lists do not show remains a host. It is in the group C(reseller_unseen) and has the address that
    P(hosting.reseller.ledger#inventory) has for it.
extends_documentation_fragment:
  - ansible.builtin.constructed
  - hosting.reseller.connection.plugin
  - hosting.reseller.connection.tls
  - hosting.reseller.inventory
options:
  plugin:
    description: Marks the file as a configuration of this plugin.
    type: str
    required: true
    choices: [hosting.reseller.contracts]
seealso:
  - plugin: hosting.reseller.ledger
    plugin_type: inventory
    description: The same hosts without requests to the service.
  - module: hosting.reseller.reseller_contract_info
"""

EXAMPLES = r"""
# inventory/reseller_contracts.yml: all servers in the default ledger, with the address that the
# service shows.
plugin: hosting.reseller.contracts
groups:
  ready: (reseller_shown.status | default('')) == 'active'
"""

import os
from collections.abc import Sequence
from typing import Any

from ..module_utils._adapter.context import Context
from ..module_utils._adapter.options import check_options
from ..module_utils._adapter.service_opener import service_of
from ..module_utils._contracts.contract_list import ContractList, ShownContract
from ..module_utils._contracts.reading import ContractReader, reconciler_of
from ..module_utils._core.errors import NotPublishedError
from ..module_utils._ledger.order_records import Filter, Record
from ..module_utils._secrets.masker import Masker
from ..module_utils._service.places import id_key
from ..plugin_utils._decrypted import text_reader
from ..plugin_utils._inventory_hosts import addresses_in
from .ledger import InventoryModule as LedgerInventory


class InventoryModule(LedgerInventory):
    NAME = "hosting.reseller.contracts"
    FILES = ("reseller_contracts.yml", "reseller_contracts.yaml")

    def _orders(self) -> list[dict[str, Any]]:
        """The servers of the ledger, with what the service shows. Raises ResellerError."""
        records = self._records(Filter())
        servers = self._servers(records)
        try:
            shown = self._shown(records)
        except NotPublishedError as error:
            self._warn(f"{error.message} The hosts are those of the ledger alone.")
            return servers
        hosts = []
        for server in servers:
            pair = shown.get(id_key(server["contract_id"] or ""))
            presence, raw, seen = "unseen", dict[str, Any](), {}
            if pair:
                listing, contract = pair
                presence, raw, why = "present", dict(contract.raw), listing.why_no_address(contract)
                seen = {"address": None if why else contract.address, "why": why}
            elif server["why"]:
                seen = {"why": f"The service's lists do not show its contract. {server['why']}"}
            more = {"presence": presence, "addresses": addresses_in(raw), "shown": Masker().value(raw)}
            hosts.append({**server, **more, **seen})
        return hosts

    def _shown(self, records: Sequence[Record]) -> dict[str, tuple[ContractList, ShownContract]]:
        """All contracts that the lists show, by id, each with its list."""
        options = self.get_options()
        check_options(options)
        context = Context(
            params=options,
            check_mode=False,
            diff=False,
            environ=os.environ,
            warn=self._warn,
            read_text=text_reader(self.loader),
        )
        service, shown = service_of(context), dict[str, tuple[ContractList, ShownContract]]()
        try:
            reader = ContractReader(service)
            reader.read(reader.organizations)
            read = reconciler_of(reader, records)
            for organization, listing in read.lists().items():
                if listing.why_incomplete:
                    self._warn(f"not all contracts of organization {organization} were read: {listing.why_incomplete}.")
                for contract in listing.contracts:
                    for key in contract.id_keys:
                        shown.setdefault(key, (listing, contract))
        finally:
            context.shared.close()
        return shown

    def _groups_of(self, order: dict[str, Any]) -> list[str]:
        groups = super()._groups_of(order)
        if order.get("presence") == "unseen":
            groups.append("reseller_unseen")
        return groups
