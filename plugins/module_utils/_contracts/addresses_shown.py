# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds a server's addresses in a value of any form (API specification 2.5 shows no record). Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._core.text import words
from .._secrets.names import words_of

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
    """Addresses by the version of the protocol, 4 and 6."""
    found: dict[int, list[str]] = {4: [], 6: []}
    for address in addresses:
        found[ipaddress.ip_address(address).version].append(address)
    return found
