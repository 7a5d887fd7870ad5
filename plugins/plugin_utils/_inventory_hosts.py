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

from ..module_utils._core.addresses import is_hostname
from ..module_utils._core.text import words
from ..module_utils._secrets.recognition import words_of
from ..module_utils._service.contract_ids import as_mapping

# What Ansible and ssh read as a name alone: no option, pattern, range, path, port or template.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", re.ASCII)
#: Names that lead to the controller itself.
_LOCAL = re.compile(
    r"(?:.*\.)?localhost(?:\.localdomain)?|localhost[46](?:\.localdomain[46])?|ip6-(?:localhost|loopback)"
)
#: Names of addresses that are not the server's own.
_NOT_OF_THE_SERVER = words(
    "gateway gateways netmask network networks subnet subnets dns nameserver nameservers resolver resolvers broadcast "
    "prefix"
)


def host_names(orders: Sequence[Mapping[str, Any]], groups: Collection[str] = ()) -> list[str | None]:
    """A unique host name for each order, or ``None`` where it has no name that can be one.

    The name is the hostname, otherwise the name of the order (if several orders have the hostname, too), otherwise the
    contract's id. No host has the name of one of ``groups``.
    """
    hostnames = [str((order["settings"] or {}).get("hostname") or "") for order in orders]
    # Order names are unique, so no other order may have one of them as its host name either.
    often = Counter(
        each for order, host in zip(orders, hostnames, strict=True) for each in dict.fromkeys((host, order["name"]))
    )
    names, taken = list[str | None](), set(groups)
    for order, hostname in zip(orders, hostnames, strict=True):
        first = [hostname] if often[hostname] == 1 and is_hostname(hostname) else []
        possible = (*first, str(order["name"]), str(order["contract_id"] or ""))
        name = next((each for each in possible if each not in taken and is_host_name(each)), None)
        names.append(name)
        taken |= {name} if name else set()
    return names


def is_host_name(text: str) -> bool:
    """Return whether Ansible and ssh take a text as the name of one other machine, and as nothing else."""
    return _NAME.fullmatch(text) is not None and not _LOCAL.fullmatch(text.lower()) and not _is_loopback(text)


def _is_loopback(text: str) -> bool:
    """Return whether a text is an address of this machine in any form that the system reads: 127.1, 0x7f000001, 0."""
    try:
        return _is_own(ipaddress.IPv4Address(socket.inet_aton(text)))
    except OSError:
        return False


# Addresses


def addresses_in(value: Any) -> tuple[str, ...]:
    """The IP addresses in a value that can be a server's own, each once, in their order.

    What is named as a gateway, network or nameserver is left out, and so is an address that stands for a network.
    """
    return tuple(dict.fromkeys(_addresses(value)))


def _addresses(value: Any) -> Iterator[str]:
    value = as_mapping(value)
    if isinstance(value, Mapping):
        for name, item in value.items():
            if _NOT_OF_THE_SERVER.isdisjoint(words_of(str(name))):
                yield from _addresses(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _addresses(item)
    elif isinstance(value, str) and (":" in value or "." in value):
        try:
            interface = ipaddress.ip_interface(value)
        except ValueError:
            return
        if interface.network.prefixlen == interface.max_prefixlen or interface.ip != interface.network.network_address:
            yield str(interface.ip)


def by_version(addresses: Sequence[str]) -> dict[int, list[str]]:
    """The addresses that can be those of another machine, by the version of the protocol, 4 and 6."""
    found: dict[int, list[str]] = {4: [], 6: []}
    for text in addresses:
        address = ipaddress.ip_address(text)
        if not _is_own(address):
            found[address.version].append(text)
    return found


def _is_own(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address is that of the machine that uses it."""
    found = getattr(address, "ipv4_mapped", None) or address
    return bool(found.is_loopback or found.is_unspecified)
