# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: ledger
short_description: Use ordered servers from the ledger as hosts
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Adds a host for every ordered server in the ledger, so that the next play can configure it. The plugin sends no requests to the service and
    never writes to the ledger.
  - Its configuration is a YAML file whose name ends with C(reseller_ledger.yml) or C(reseller_ledger.yaml).
  - The name of a host is its setting C(hostname), or the name of the order if there is no hostname, or if several orders have the same one.
  - >-
    A name that Ansible or ssh could take for something else (an option, a pattern, an address, C(localhost), the name of a group) never becomes
    a host name. The next of hostname, order name and contract ID serves, and one warning lists these hosts.
  - >-
    Each host is in the groups C(reseller_type_<product type>) and C(reseller_end_user_<end user>), with the end-user UUID in lower case and
    underscores instead of hyphens, or C(__self__) for your own organization.
  - >-
    Each host has the values that M(hosting.reseller.reseller_ledger_info) returns for its order, as variables C(reseller_<key>), such as
    C(reseller_contract_id), C(reseller_product), C(reseller_end_user), C(reseller_end_user_name), C(reseller_ordered_at) and C(reseller_settings).
    None of them contains a secret.
  - 'No value is a template, whatever the service returned. C(ansible-inventory --list) marks such strings: C({"__ansible_unsafe": "..."}).'
  - >-
    C(ansible_host) is the server's IP address at C(contracts.address) of the service's file, as the service showed it when the server was ordered,
    or last looked at with O(hosting.reseller.reseller_contract#module:wait), M(hosting.reseller.reseller_contract_info) or
    M(hosting.reseller.reseller_reconcile). Of several addresses it is the first IPv4 address, or else the first IPv6 address.
  - >-
    Ansible connects to the name of a host without C(ansible_host), which may lead to another server. Such hosts are in the group
    C(reseller_without_address). C(reseller_why) says why, and one warning counts them. Leave them out with C(hosts: all:!reseller_without_address).
  - A canceled contract gives no C(ansible_host), because its address may be that of another server by now.
  - >-
    The lists C(reseller_ipv4_addresses) and C(reseller_ipv6_addresses) contain what looks like the server's IP addresses in the response to the
    order, without gateways, networks and nameservers.
  - To see in the same run what a play has ordered, run C(ansible.builtin.meta) with C(refresh_inventory).
extends_documentation_fragment:
  - ansible.builtin.constructed
  - hosting.reseller.inventory
options:
  plugin:
    description: Marks the file as a configuration of this plugin.
    type: str
    required: true
    choices: [hosting.reseller.ledger]
  service:
    description:
      - Absolute path of the file that describes the service, for the names of its end users. It may be encrypted with ansible-vault.
      - The default is C(hosting.reseller/HOST.yml) (or C(HOST_PORT.yml)) in E(XDG_CONFIG_HOME) (C(~/.config)) for each service in the ledger.
    type: str
    env:
      - name: RESELLER_SERVICE
seealso:
  - module: hosting.reseller.reseller_ledger_info
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
# inventory/reseller_ledger.yml: all servers in the default ledger
plugin: hosting.reseller.ledger

---
# The dedicated servers in a ledger file, grouped by OS template
plugin: hosting.reseller.ledger
ledger: /var/lib/reseller/ledger.db
product_types: [dedicated_server]
keyed_groups:
  - key: reseller_settings.template
    prefix: template
"""

import os
import re
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Constructable

from ..module_utils._adapter.context import secrets_in_options
from ..module_utils._adapter.service_opener import named_record
from ..module_utils._core.addresses import is_hostname
from ..module_utils._core.errors import Advice, LedgerError, ResellerError
from ..module_utils._core.text import clean, legible
from ..module_utils._ledger.order_records import Filter, Record
from ..module_utils._locations.locations import location_of
from ..module_utils._locations.opening import open_ledger
from ..module_utils._secrets.masker import Masker
from ..module_utils._service.service_file import described_services
from ..plugin_utils._decrypted import text_reader
from ..plugin_utils._inventory_hosts import addresses_in, by_version, host_names, is_host_name, why_not_known
from ..plugin_utils._option_hints import meant_by

#: How many orders are searched for secrets at once. One that may hold some has all of them searched in detail.
_LOOKED_AT = 500
#: How many hostnames a warning lists.
_MOST_NAMED = 10
WITHOUT_ADDRESS = "reseller_without_address"


class InventoryModule(BaseInventoryPlugin, Constructable):  # type: ignore[misc]
    NAME = "hosting.reseller.ledger"
    FILES = ("reseller_ledger.yml", "reseller_ledger.yaml")

    def verify_file(self, path: str) -> bool:
        if not super().verify_file(path):
            return False
        if not path.endswith(self.FILES):
            # Ansible shows this if the file names this plugin, and takes it for a refusal of any other file.
            raise AnsibleParserError(
                f"{self.NAME}: the name of {path} does not end with {' or '.join(self.FILES)}.\nRename the file."
            )
        return True

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        super().parse(inventory, loader, path, cache)
        given = self._read_config_data(path)
        if unknown := sorted(map(str, given.keys() - self.option_definitions.keys())):
            # Ansible takes no notice of keys that are no options.
            page = f"ansible-doc -t inventory {self.NAME}"
            hints = "\n".join(f"{name}: {meant_by(name, self.option_definitions, page)}" for name in unknown)
            raise AnsibleParserError(f"{self.NAME}: {hints}")
        self._add_hosts()

    def _add_hosts(self) -> None:
        options = self.get_options()
        secrets = secrets_in_options({name: str(options.get(name) or "") for name in ("ledger", "api_key")})
        try:
            orders = deque(shown(self._orders(), secrets))
        except ResellerError as error:
            # Ansible would show the cause, too, in which nothing is masked.
            raise AnsibleParserError(f"{self.NAME}: {legible(Masker(secrets).text(error.message))}") from None
        names = host_names(orders, self.inventory.groups)
        self._warn_of_names(orders, names)
        # Why each host has no address, empty for one that has.
        whys = dict[str, str]()
        for name in names:
            # An order is not kept once its host has its values: a hundred thousand take hundreds of megabytes.
            order = orders.popleft()
            if name is not None:
                whys[name] = order.pop("why")
                self._add(name, order)
        compose, groups, keyed_groups, strict = map(options.get, ("compose", "groups", "keyed_groups", "strict"))
        if compose or groups or keyed_groups:
            for host in whys:
                if host in self.inventory.groups:
                    # Ansible would change the group and all its hosts in place of this host.
                    self._warn(f"host {host} gets no composed variables and groups: a composed group has its name.")
                    continue
                known = self.inventory.get_host(host).get_vars()
                self._set_composite_vars(compose, known, host, strict=strict)
                self._add_host_to_composed_groups(groups, known, host, strict=strict)
                self._add_host_to_keyed_groups(keyed_groups, known, host, strict=strict)
        self._set_apart(whys)

    def _set_apart(self, hosts: Mapping[str, str]) -> None:
        """Put the hosts without an address into a group of their own, and say once how many there are, and why.

        ``hosts`` are all hosts, each with the reason why the ledger has no address, empty if it has one.
        """
        whys = {
            name: why or "compose sets ansible_host to nothing."
            for name, why in hosts.items()
            if not self.inventory.hosts[name].vars.get("ansible_host")
        }
        if whys:
            self.inventory.add_group(WITHOUT_ADDRESS)
            for name, why in whys.items():
                self.inventory.hosts[name].vars["reseller_why"] = why
                self.inventory.add_child(WITHOUT_ADDRESS, name)
            (why, _number), *_others = Counter(whys.values()).most_common(1)
            self._warn(
                f"{len(whys)} of {len(hosts)} hosts have no address, so that Ansible would connect to their names. They "
                f"are in the group {WITHOUT_ADDRESS}, and reseller_why says why. Most often: {why}"
            )

    def _warn(self, text: str) -> None:
        self.display.warning(f"{self.NAME}: {legible(text)}")

    def _warn_of_names(self, orders: Sequence[Mapping[str, Any]], names: Sequence[str | None]) -> None:
        """Say once which hostnames serve as no host name."""
        groups = self.inventory.groups
        other = [
            f"{clean(hostname, 255)} ({name or 'left out'})"
            for order, name in zip(orders, names, strict=True)
            if (hostname := str((order["settings"] or {}).get("hostname") or order["name"])) != name
            # A hostname that several orders have is no mistake.
            and not (is_hostname(hostname) and is_host_name(hostname) and hostname not in groups)
        ]
        if other:
            more = f" and {len(other) - _MOST_NAMED} more" if len(other) > _MOST_NAMED else ""
            self._warn(
                f"these hostnames cannot be host names here, so their hosts have other names: "
                f"{', '.join(other[:_MOST_NAMED])}{more}."
            )

    def _orders(self) -> list[dict[str, Any]]:
        """Return the recorded orders that become hosts. Raises ResellerError."""
        return self._servers(self._records(Filter(statuses=[str(status) for status in self.get_option("statuses")])))

    def _servers(self, records: Sequence[Record]) -> list[dict[str, Any]]:
        """Return those of the records that become hosts, each with its address, or ``why`` there is none."""
        statuses, wanted = self.get_option("statuses"), self.get_option("product_types")
        chosen = [
            record
            for record in records
            if record.request and record.request.product_type in wanted and record.status in statuses
        ]
        given, read = str(self.get_option("service") or "") or None, text_reader(self.loader)
        services = {record.request.service for record in chosen if record.request}
        described = described_services(given, sorted(services), os.environ, read, self._warn)
        servers = []
        for record in chosen:
            server = named_record(record, described)
            server["why"] = why_not_known(record, described.get(server["base_url"] or ""))
            if server["why"]:
                server["address"] = None
            servers.append(server)
        return servers

    def _records(self, wanted: Filter) -> list[Record]:
        address = str(self.get_option("ledger") or "") or None
        with open_ledger(location_of(address, os.environ), "read") as ledger:
            if not ledger.exists:
                if address:
                    raise LedgerError(
                        f"There is no ledger at {ledger.place}.",
                        Advice("Correct the option ledger (or RESELLER_LEDGER), or order something first."),
                    )
                self._warn(f"nothing was ordered yet: there is no ledger at {ledger.place}.")
            if reason := ledger.history().closed:
                self._warn(reason)
            return ledger.select(wanted)

    def _add(self, host: str, order: dict[str, Any]) -> None:
        self.inventory.add_host(host)
        # Ansible's set_variable takes ten times as long: it looks for templates, and text that is not marked is none.
        variables = self.inventory.hosts[host].vars
        variables.update(zip(map(_variable, order), order.values(), strict=True))
        for version, addresses in by_version(order.get("addresses") or addresses_in(order["contract"])).items():
            variables[_variable(f"ipv{version}_addresses")] = addresses
        if order["address"]:
            variables["ansible_host"] = order["address"]
        for group in self._groups_of(order):
            self.inventory.add_group(group)
            self.inventory.add_child(group, host)

    def _groups_of(self, order: dict[str, Any]) -> list[str]:
        """The groups of a host, as far as its type and its end user are known."""
        kind, end_user = order["product_type"], order["end_user"]
        return [*([f"reseller_type_{kind}"] if kind else []), *([end_user_group(end_user)] if end_user else [])]


def shown(orders: Sequence[dict[str, Any]], secrets: Collection[str]) -> Iterator[dict[str, Any]]:
    """The orders as a masker shows them. One look at many takes less time than one at each."""
    masker = Masker(secrets)
    for at in range(0, len(orders), _LOOKED_AT):
        part = orders[at : at + _LOOKED_AT]
        yield from part if _is_plain(part, masker) else masker.result({"orders": part})["orders"]


def _is_plain(orders: Sequence[Mapping[str, Any]], masker: Masker) -> bool:
    """Return whether a masker surely leaves these orders as they are: it is shown all their names and texts at once."""
    names, texts = set[str](), set[str]()
    _gather(orders, names, texts)
    # A credential under each of the names, beside a name that makes one of what is called value.
    together = {**dict.fromkeys(names, "a-Cr3dential"), "name": "password", "texts": "\n\n".join(texts)}
    is_json = any(text.lstrip().startswith(("{", "[")) for text in texts)
    return not is_json and masker.secrets.isdisjoint(texts) and masker.result({**together}) == together


def _gather(value: Mapping[str, Any] | Sequence[Any], names: set[str], texts: set[str]) -> None:
    """Add the names and texts in a JSON value to those of others."""
    if isinstance(value, Mapping):
        names.update(value)
    for item in value.values() if isinstance(value, Mapping) else value:
        if isinstance(item, str):
            texts.add(item)
        elif isinstance(item, (Mapping, list, tuple)):
            _gather(item, names, texts)
        elif item is not None:
            texts.add(str(item))


@cache
def _variable(key: str) -> str:
    return f"reseller_{key}"


@cache
def end_user_group(end_user: str) -> str:
    """The group of an end user's servers, in characters that are valid in group names."""
    return "reseller_end_user_" + re.sub(r"[^a-z0-9_]", "_", end_user.lower())
