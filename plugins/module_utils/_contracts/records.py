# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds contract records and their values in any response (API specification 2.5 shows no record). Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._catalogue.records import ENVELOPES, Found
from .._core.text import by_folded_name, is_uuid, words
from .._secrets.names import words_of
from .contract_ids import identifier

_LIST_NAMES = ("contracts", *ENVELOPES)
_ITEM_NAMES = ("contract", "data", "item", "result", "response", "payload", "body", "resource", "object", "entity")
_WRAPPERS = frozenset({"contract", "node", "item", "resource"})
_OWN_IDS = ("id", "uuid", "@id", "identifier", "contractid", "contractuuid")
_DEEPEST = 3
#: Names of addresses that are not the server's own.
_NOT_OF_THE_SERVER = words(
    "gateway gateways netmask network networks subnet subnets dns nameserver nameservers resolver resolvers broadcast "
    "prefix"
)


def find_contracts(body: Any) -> Found | None:
    """The records of a list of contracts, each with its key where they are a mapping; ``None``: no list is recognized.

    An empty list has no entries.
    """
    return _find(body, _DEEPEST)


def _find(value: Any, depth: int) -> Found | None:
    if isinstance(value, list):
        return Found([(None, _unwrapped(item)) for item in value]) if all(map(_is_mapping, value)) else None
    if not isinstance(value, Mapping) or not depth:
        return None
    if value and all(is_uuid(key) and _is_mapping(item) for key, item in value.items()):
        return Found(list(value.items()))
    if value and all(str(key).isdigit() and _is_mapping(item) for key, item in value.items()):
        # Positions of a list with gaps, or ids of records that have none of their own.
        return Found(
            [(None if _has_id(by_folded_name(item)) else key, _unwrapped(item)) for key, item in value.items()]
        )
    members = by_folded_name(value)
    usual = [members[name] for name in _LIST_NAMES if name in members]
    others = [item for name, item in members.items() if name not in _LIST_NAMES and isinstance(item, list) and item]
    # Of lists that no name tells apart, none is taken.
    for held in [*filter(_is_list, usual), *filter(_is_mapping, usual), *(others if len(others) == 1 else ())]:
        found = _find(held, depth - 1)
        if found is not None:
            found.around.insert(0, value)
            return found
    return None


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _unwrapped(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record of ``{"contract": {…}}`` or ``{"node": {…}, "cursor": …}``."""
    members = by_folded_name(item)
    held = [value for name, value in members.items() if name in _WRAPPERS and isinstance(value, Mapping)]
    return held[0] if len(held) == 1 and not _has_id(members) else item


def item_record(body: Any) -> Mapping[str, Any] | None:
    """The record of a response with one contract, without its envelopes. ``None`` if it is not an object."""
    for _level in range(_DEEPEST):
        if isinstance(body, list) and len(body) == 1:
            body = body[0]
        if not isinstance(body, Mapping):
            return None
        members = by_folded_name(body)
        held = [members[name] for name in _ITEM_NAMES if isinstance(members.get(name), (Mapping, list))]
        if _has_id(members) or len(held) != 1:
            return body
        body = held[0]
    return body if isinstance(body, Mapping) else None


def _has_id(members: Mapping[str, Any]) -> bool:
    return any(identifier(members.get(name)) for name in _OWN_IDS)


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
