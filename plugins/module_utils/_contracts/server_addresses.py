# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The IP addresses of servers in what a service shows. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._core.text import words
from .._records.contract_ids import as_mapping
from .._secrets.recognition import words_of

#: Names of addresses that are not the server's own.
_NOT_OF_THE_SERVER = words(
    "gateway gateways netmask network networks subnet subnets dns nameserver nameservers resolver resolvers broadcast "
    "prefix"
)


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
        if is_of_another_machine(address):
            found[address.version].append(text)
    return found


def is_of_another_machine(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address can be that of another machine than this one."""
    found = getattr(address, "ipv4_mapped", None) or address
    return not (found.is_loopback or found.is_unspecified)
