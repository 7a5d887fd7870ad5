# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the user says about a contract's record: where its addresses, its status and its time stand. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._core.conditions import steps_of, value_at
from .._core.errors import ConfigurationError
from .._core.text import brief, clean, nearest, words
from .._secrets.names import words_of
from .values import Raw

ROLES = ("addresses", "status", "created_at")
#: Names of addresses that are not the server's own.
_NOT_OF_THE_SERVER = words(
    "gateway gateways netmask network networks subnet subnets dns nameserver nameservers resolver resolvers broadcast "
    "prefix"
)


def read_elements(given: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """The steps of the pointers in the option ``elements``, by role. Raises ConfigurationError."""
    for role in given:
        if role not in ROLES:
            near = nearest(str(role), ROLES, 1)
            raise ConfigurationError(
                f"elements.{clean(str(role), 60)}: unknown key; allowed keys: {', '.join(ROLES)}. Nothing was sent.\n"
                f"{f'Did you mean {near[0]}? ' if near else ''}All else is recognized by its value."
            )
        if not isinstance(given[role], str):
            raise ConfigurationError(
                f"elements.{role} is not a JSON pointer ({brief(given[role], 60)}). Nothing was sent.\n"
                f"Write it as text, for example elements: {{{role}: /{role}}}."
            )
    return {role: steps_of(given[role], f"elements.{role}") for role in given}


def pointed_at(raw: Raw, elements: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What stands at the user's pointers: addresses as a list, ``None`` for what is not there."""
    found = {role: value_at(raw, elements[role]) if role in elements else None for role in ROLES}
    plain = {
        role: None if value is None or isinstance(value, (Mapping, list)) else str(value)
        for role, value in found.items()
    }
    return {**plain, "addresses": list(addresses_in(found["addresses"]))}


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
    """The addresses that can be those of another machine, by the version of the protocol, 4 and 6."""
    found: dict[int, list[str]] = {4: [], 6: []}
    for text in addresses:
        address = ipaddress.ip_address(text)
        if is_of_another_machine(address):
            found[address.version].append(text)
    return found


def is_of_another_machine(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address can be that of another machine than this one."""
    found = getattr(address, "ipv4_mapped", None) or address
    return not (found.is_loopback or found.is_unspecified)
