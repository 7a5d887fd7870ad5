# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The description of a service: how it names and shows things, as its file says, and as usual names tell. Pure.

Names are folded. Everything more exotic is for the file of the service.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal, NamedTuple

from .._core.text import fold, same_id
from .places import ANY

#: The origin of a field: the file of the service, its OpenAPI document, or a usual name in its answers.
Source = Literal["file", "openapi", "name"]


class EndUser(NamedTuple):
    """An end user of the file: its UUID, and its organization where that is given."""

    name: str
    id: str
    organization_id: str | None = None
    org_max_ram: int | None = None


class Field(NamedTuple):
    """A field of a description. ``value`` is ``None`` where the file says that there is none."""

    value: Any
    source: Source
    line: int | None = None


@dataclass(frozen=True)
class Description:
    """What is known of a service."""

    #: Its file, ``None`` without one.
    path: str | None = None
    #: By their dotted names: ``order.end_user``, ``contracts.hostname``, ``openapi_url``.
    fields: Mapping[str, Field] = field(default_factory=dict)
    #: By their names.
    end_users: Mapping[str, EndUser] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """Return the value of a field, ``None`` where it is not known, or the file says that there is none."""
        known = self.fields.get(name)
        return None if known is None else known.value

    def source(self, name: str) -> Source | None:
        """Return where a value is from, ``None`` for a field that is not known at all."""
        known = self.fields.get(name)
        return None if known is None else known.source

    @property
    def organizations(self) -> Mapping[str, str]:
        """The IDs of the organizations that are given, by the UUID of the end user."""
        return {user.id: user.organization_id for user in self.end_users.values() if user.organization_id}

    def end_user(self, given: str) -> EndUser | None:
        """Return the end user with this name or UUID, ``None`` if the file has none."""
        with_id = (user for user in self.end_users.values() if same_id(user.id, given))
        return self.end_users.get(given) or next(with_id, None)

    def id_of(self, given: str) -> str:
        """Return the UUID of the end user with this name, otherwise what is given."""
        known = self.end_users.get(given)
        return known.id if known else given

    def name_of(self, end_user: str | None) -> str | None:
        """Return the name of the end user with this UUID, ``None`` if the file has none."""
        known = self.end_user(end_user) if end_user else None
        return known.name if known else None

    def most_ram(self, end_user: str) -> int | None:
        """ORG_MAX_RAM in MB for an end user's UUID, or ``__self__``; ``None`` where it is not given."""
        known = self.end_user(end_user)
        return (known and known.org_max_ram) or self.get("org_max_ram")

    def with_learned(self, learned: Mapping[str, Field]) -> Description:
        """Return this description with what its file leaves out as it was learned."""
        return replace(self, fields={**learned, **self.fields})


# Usual names


def _names(names: str) -> tuple[str, ...]:
    return tuple(names.split())


def _with_ids(nouns: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{noun}{ending}" for noun in nouns for ending in ("uuid", "id", ""))


#: Elements that name the contract's id whatever they stand in, and those that do so in its own record.
CONTRACT_IDS = ("contractid", "contractuuid")
OWN_IDS = ("id", "uuid", "@id", "identifier", "guid", "contractnumber", "contractno")
#: The words for an end user and a product, the most telling first.
END_USERS = _names("enduser customer client owner account user tenant holder kunde target")
PRODUCTS = _names("product article tariff plan offer package")

#: The names of each field of contracts, the most telling first.
NAMES: Mapping[str, Sequence[str]] = {
    "id": (*CONTRACT_IDS, *OWN_IDS, "number"),
    "hostname": _names("hostname fqdn servername host name label displayname title"),
    "domain": _names("domain domainname fqdn hostname name label displayname title"),
    "product": _with_ids(PRODUCTS),
    "end_user": _with_ids(END_USERS),
    "state": _names("status state contractstatus contractstate"),
    "ends_at": _names(
        "endsat endson enddate cancelledto canceledto cancelledat canceledat terminatedat terminationdate validuntil "
        "expiresat expirydate endedat deletedat"
    ),
    "address": _names("ipv4address ipaddress primaryip mainip ipv4 ip address ips ipaddresses"),
}
#: The names of the fields of end users, in a list of them.
END_USER_NAMES: Mapping[str, Sequence[str]] = {
    "id": _with_ids(("enduser", "customer", "")),
    "organization_id": (*_with_ids(("organization", "organisation", "org")), "organizationnumber"),
    "name": _names("customernumber number reference name company"),
}
#: The last step of the path of a list of end users.
END_USER_LISTS = _names("endusers customers clients organizations organisations accounts subaccounts users")
#: What may hold the fields of a record, and what may hold the value of a field.
_RECORDS = ("", "attributes", "contract", "node", "item", "resource")
_HOLDERS = (*_RECORDS, "settings", "config", "configuration", "server")
_INNER = {
    "product": ("", "uuid", "id", "@id", "name"),
    "end_user": ("", "uuid", "id", "@id"),
    "organization_id": ("", "id"),
    "state": ("", "name"),
}


def named_places(shown: Iterable[str], names_of: Mapping[str, Sequence[str]] = NAMES) -> dict[str, list[str]]:
    """Return of the places that records show those with a usual name of each field, the most telling first.

    They are those of single values, and of lists of them: a position within a place is folded to no usual name.
    """
    by_steps: dict[tuple[str, ...], str] = {}
    for place in shown:
        by_steps.setdefault(tuple(map(fold, place.removesuffix(f".{ANY}").split("."))), place)
    named: dict[str, list[str]] = {}
    for name, names in names_of.items():
        # An id nested elsewhere is that of another thing.
        holders, inner = _RECORDS if name == "id" else _HOLDERS, _INNER.get(name, ("",))
        paths = (tuple(filter(None, path)) for usual in names for path in product(holders, (usual,), inner))
        places = dict.fromkeys(by_steps[path] for path in paths if path in by_steps)
        named[name] = [place for place in places if name == "address" or ANY not in place]
    return named
