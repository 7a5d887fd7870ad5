# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and addresses for the hosts of an inventory: text of a service becomes one only if it can do no harm as it."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..module_utils._core.addresses import is_hostname, is_of_another, machine_address
from ..module_utils._core.text import words
from ..module_utils._ledger.order_records import Record
from ..module_utils._secrets.recognition import words_of
from ..module_utils._service.contract_ids import as_mapping
from ..module_utils._service.description import Description

# What Ansible and ssh read as a name alone: no option, pattern, range, path, port or template.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", re.ASCII)
#: Names that lead to the controller itself.
_LOCAL = re.compile(
    r"(?:.*\.)?localhost(?:\.localdomain)?|localhost[46](?:\.localdomain[46])?|ip6-(?:localhost|loopback)"
)
#: Names of addresses that are not the server's own.
_NOT_OF_THE_SERVER = words(
    "gateway gateways netmask subnet subnets dns nameserver nameservers resolver resolvers broadcast prefix"
)
#: One for all hosts that have none: each list of its own takes time and memory.
_NO_ADDRESSES: list[str] = []
#: At these names may be a network, or what the server has in one.
_NETWORKS = words("network networks")


def host_names(orders: Sequence[Mapping[str, Any]], groups: Collection[str] = ()) -> list[str | None]:
    """A unique host name for each order, or ``None`` where it has no name that can be one.

    The name is the hostname, otherwise the name of the order (if several orders have the hostname, too), otherwise the
    contract's id. No host has the name of one of ``groups``.
    """
    hostnames = [str((order["settings"] or {}).get("hostname") or "") for order in orders]
    # Order names are unique, so no other order may have one of them as its host name either.
    often = Counter(
        name for order, host in zip(orders, hostnames, strict=True) for name in dict.fromkeys((host, order["name"]))
    )
    names, taken = list[str | None](), set(groups)
    for order, hostname in zip(orders, hostnames, strict=True):
        first = [hostname] if often[hostname] == 1 and is_hostname(hostname) else []
        possible = (*first, str(order["name"]), str(order["contract_id"] or ""))
        name = next((name for name in possible if name not in taken and is_host_name(name)), None)
        names.append(name)
        taken |= {name} if name else set()
    return names


def is_host_name(text: str) -> bool:
    """Return whether Ansible and ssh take a text as the name of one other machine, and as nothing else."""
    return _NAME.fullmatch(text) is not None and not _LOCAL.fullmatch(text.lower()) and not _is_loopback(text)


def _is_loopback(text: str) -> bool:
    """Return whether a text is an address of this machine in any form that the system reads: 127.1, 0x7f000001, 0."""
    try:
        # All of them begin with a digit.
        return text[:1].isdigit() and not is_of_another(ipaddress.IPv4Address(socket.inet_aton(text)))
    except OSError:
        return False


# Addresses


def addresses_in(value: Any) -> tuple[str, ...]:
    """The IP addresses in a value that can be a server's own, each once, in their order.

    What is named as a gateway, netmask or nameserver is left out, and so is what stands for a network.
    """
    return tuple(dict.fromkeys(_addresses(value)))


def _addresses(value: Any) -> Iterator[str]:
    value = as_mapping(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            named, below = words_of(str(name)), as_mapping(item)
            parts = below if isinstance(below, list) else [below]
            is_network = not _NETWORKS.isdisjoint(named) and not any(isinstance(part, Mapping) for part in parts)
            if _NOT_OF_THE_SERVER.isdisjoint(named) and not is_network:
                yield from _addresses(below)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _addresses(item)
    elif isinstance(value, str) and (":" in value or "." in value) and (address := machine_address(value)):
        yield str(address)


def by_version(addresses: Sequence[str]) -> dict[int, list[str]]:
    """The addresses that can be those of another machine, by the version of the protocol, 4 and 6."""
    usable = {4: _NO_ADDRESSES, 6: _NO_ADDRESSES}
    for text in addresses:
        address = ipaddress.ip_address(text)
        if is_of_another(address):
            usable[address.version] = [*usable[address.version], text]
    return usable


def why_not_known(record: Record, described: Description | None) -> str:
    """Return why the ledger has no address of a server, or none that is certain to be its own; empty if it has.

    ``described`` is what the file of its service says, if there is one.
    """
    if record.status != "ordered":
        return f"It is {record.status_in_words}."
    if record.cancelled:
        return f"It was canceled at {record.cancelled.at}: its address may be that of another server by now."
    if record.outcome.address:
        return ""
    if described is None or not described.get("contracts.address"):
        return "contracts.address is not given in the service's file."
    return "The ledger has no address of it. Run reseller_contract_info once the service shows one."
