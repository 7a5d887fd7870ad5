# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The places at which the recorded contracts of a list show what was ordered, and what others show there. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from .._core.addresses import is_hostname
from .._core.text import fold, is_uuid
from .._ledger.order_records import Request
from .._product_types.registry import SELF
from .._records.contract_ids import identifier
from .values import ANY, Leaves, OrderedValues, Place, comparable, values_of

#: The API specification's own words for natural keys (4.3), as elements may be called.
_CALLED = {"hostname": "hostname", "domain": "domain", "domainname": "domain"}
#: Text that reads as a host's or a domain's name wherever it stands.
_NAME = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\.(xn--[a-z0-9-]+|[a-z]{2,63})")
#: Elements for the end user: the API specification's word, and those that mean nothing else in a contract.
_OWNER = re.compile("(contract)?(end(user|customer|client)|customer|client|owner)(uuid|guid|id|iri|ref)?")


@dataclass(frozen=True)
class Places:
    """The places at which the recorded contracts of one list show what was ordered.

    ``ordered``: where all show their hostname, domain or product, by this word, apart from those that do not show it.
    ``own``: where those of the own organization show UUIDs.
    """

    ordered: Mapping[str, frozenset[Place]] = field(default_factory=dict)
    own: frozenset[Place] = frozenset()


def places_of(rows: Iterable[tuple[Leaves, Request]]) -> Places:
    """Return the places that the records of these orders' contracts show."""
    found: dict[str, list[frozenset[Place]]] = {}
    own: set[Place] = set()
    for shown, request in rows:
        ordered = OrderedValues(request)
        if request.end_user == SELF:
            own |= {place for place, value in shown if is_uuid(identifier(value))}
        for name, values in ((ordered.kind, ordered.key_values), ("product", ordered.product_values)):
            if name:
                at = frozenset(place for place, value in shown if values_of([value]) & values)
                found.setdefault(name, []).append(at)
    return Places({name: _common(places) for name, places in found.items()}, frozenset(own))


def _common(places: Iterable[frozenset[Place]]) -> frozenset[Place]:
    some = [each for each in places if each]
    return frozenset.intersection(*some) if some else frozenset()


def natural_key(kind: str, leaves: Leaves, places: Places) -> str | None:
    """The hostname or domain of a record, as it is shown; ``None`` if that is none, or if several are possible.

    It stands where recorded contracts have theirs, and no other name stands at such a place, nor at an element called
    hostname or domain. Where these tell nothing, it stands at an element of its own name, or is the only name shown.
    """
    at, shown = places.ordered.get(kind, frozenset()), [*_names(leaves)]
    found = [(place, name, value) for place, name, value in shown if place in at or _called(place)]
    if at and at.isdisjoint(place for place, _name, _value in found):
        return None
    if not at and kind not in (_called(place) for place, _name, _value in found):
        found = [each for each in shown if _called(each[0]) or _NAME.fullmatch(each[1])]
    names = {name: value for _place, name, value in found}
    if kind == "hostname":
        # The domain of a host may be shown beside its whole name.
        parents = {name for place, name, _value in found if _called(place) == "domain"}
        parents = {name for name in parents if any(other.endswith(f".{name}") for other in names)}
        names = {name: value for name, value in names.items() if name not in parents}
    return names.popitem()[1] if len(names) == 1 else None


def is_domain(leaves: Leaves, value: str) -> bool:
    """Return whether a record shows this value at an element called domain."""
    return any(name == comparable(value) and _called(place) == "domain" for place, name, _value in _names(leaves))


def _names(leaves: Leaves) -> Iterator[tuple[Place, str, str]]:
    """The texts of a record that can be hostnames, each with its place and in the form in which names are compared."""
    for place, value in leaves:
        if isinstance(value, str) and len(value) <= 255 and is_hostname(name := comparable(value)):
            yield place, name, value


def _called(place: Place) -> str | None:
    """The kind of natural key that the name of an element says. Those in lists may be of other things."""
    return None if ANY in place else _CALLED.get(fold(place[-1]))


def named_owners(leaves: Leaves) -> frozenset[str]:
    """Return the values at elements whose names say that they are of the owner, of an IRI the id at its end.

    The end user may have created a contract that shows it elsewhere, or pay for it.
    """
    named = (value for place, value in leaves if any(map(_OWNER.fullmatch, map(fold, place))))
    return frozenset(comparable(identifier(value) or value) for value in named)
