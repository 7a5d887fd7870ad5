# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the recorded contracts of a list show what was ordered, what other records show there, and whose they are.

An end user's UUID at any other place than the owner's tells nothing: the end user may have created the contract, or pay
for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._core.hostnames import is_hostname
from .._core.text import clean, fold, is_uuid, words
from .._ledger.order_records import Request
from .._product_types.registry import SELF
from .._records.contract_ids import identifier
from .values import ANY, OrderedValues, Place, Raw, comparable, last_name, leaves, values_of

#: The API specification's own words for natural keys (4.3), as elements may be called.
_CALLED = {"hostname": "hostname", "domain": "domain", "domainname": "domain"}
#: Text that reads as a host's or a domain's name wherever it stands.
_NAME = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\.(xn--[a-z0-9-]+|[a-z]{2,63})")
#: A hash or a UUID, an e-mail address. Contracts of one owner may share any number.
_IDENTIFIER = re.compile(r"(?=\S*\d)[0-9A-Fa-f-]{16,}|[^\s@]+@[^\s@]+")
_NUMBER_OF_OWNER = re.compile(
    "(.*(customer|client|owner|account|user|reseller|tenant|subscriber|holder|organi[sz]ation)|kunden?)"
    "(id|no|nr|num|number|nummer|ref|code|key)?"
)
_NUMBER = words("id no nr num number nummer ref code key")
#: Elements for the end user: the API specification's word, and those that mean nothing else in a contract.
_OWNER = re.compile("(contract)?(end(user|customer|client)|customer|client|owner)(uuid|guid|id|iri|ref)?")
_ORGANIZATION = re.compile(".*organi[sz]ation(uuid|guid|id|iri|ref)?|orgid")


@dataclass(frozen=True)
class Places:
    """Where the recorded contracts of one list show what was ordered.

    ``keys``: where any shows its own hostname or domain, by each of these that any was ordered with. ``product``: where
    all show theirs. ``owner``: where all of end users show theirs, of two end users at least. ``uuids``: where those of
    each owner show UUIDs. ``identifiers``: by owner, where at least two of its contracts show one same hash, e-mail
    address or UUID, or number of an owner, and which.
    """

    keys: Mapping[str, frozenset[Place]] = field(default_factory=dict)
    product: frozenset[Place] = frozenset()
    owner: frozenset[Place] = frozenset()
    uuids: Mapping[str, frozenset[Place]] = field(default_factory=dict)
    identifiers: Mapping[str, Mapping[Place, str]] = field(default_factory=dict)


def places_of(rows: Iterable[tuple[Raw, Request]]) -> Places:
    """The places that the records of these orders' contracts show."""
    keys: dict[str, frozenset[Place]] = {}
    products: list[frozenset[Place]] = []
    owners: dict[str, list[frozenset[Place]]] = {}
    uuids: dict[str, frozenset[Place]] = {}
    shared: dict[str, dict[Place, str]] = {}
    for raw, request in rows:
        ordered, user, shown = OrderedValues(request), comparable(request.end_user), [*leaves(raw)]
        forms = [(place, values_of([value])) for place, value in shown]
        if kind := ordered.kind:
            keys[kind] = keys.get(kind, frozenset()) | _where(forms, ordered.key_values)
        products.append(_where(forms, ordered.product_values))
        owners.setdefault(user, []).append(_where(forms, frozenset({user})))
        uuids[user] = uuids.get(user, frozenset()).union(at for at, value in shown if is_uuid(identifier(value)))
        found = _identifiers(shown)
        shared[user] = {at: text for at, text in shared.get(user, found).items() if found.get(at) == text}
    product = _common(products)
    identifiers = {
        user: {at: text for at, text in texts.items() if at not in product}
        for user, texts in shared.items()
        if user and len(owners[user]) > 1
    }
    of_users = [_common(theirs) for user, theirs in owners.items() if is_uuid(user)]
    several = sum(map(bool, of_users)) > 1
    return Places(keys, product, _common(of_users) if several else frozenset(), uuids, identifiers)


def _where(forms: Iterable[tuple[Place, frozenset[str]]], values: frozenset[str]) -> frozenset[Place]:
    """Where a record shows one of these values."""
    return frozenset(place for place, each in forms if each & values)


def _common(places: Iterable[frozenset[Place]]) -> frozenset[Place]:
    """What all of these have in common, apart from those that have none."""
    some = [each for each in places if each]
    return frozenset.intersection(*some) if some else frozenset()


def _identifiers(shown: Iterable[tuple[Place, Any]]) -> dict[Place, str]:
    """The hashes, e-mail addresses and UUIDs, and the numbers of owners, outside lists of a record, by place."""
    texts = ((place, (identifier(value) or str(value)).strip()) for place, value in shown if value is not True)
    return {
        at: comparable(text)
        for at, text in texts
        if ANY not in at and (_says_owner(at) if text.isdigit() else _IDENTIFIER.fullmatch(text))
    }


def _says_owner(place: Place) -> bool:
    """Whether the name of an element, or of what holds it as a number, says that it is of an owner."""
    *holders, name = map(fold, place)
    names = [name, *holders[-1:]] if name in _NUMBER else [name]
    return any(map(_NUMBER_OF_OWNER.fullmatch, names))


def natural_key(kind: str, raw: Raw, places: Places) -> str | None:
    """The hostname or domain of a record, as it is shown; ``None`` if that is none, or if several are possible.

    It stands where recorded contracts have theirs, and no other name stands at such a place, nor at an element called
    hostname or domain. Where no contract is recorded, it is the only name that the record shows.
    """
    at = places.keys.get(kind, frozenset())
    found = [
        (place, name, value)
        for place, name, value in _names(raw)
        if (place in at or (_called(place) and ANY not in place) if at else _reads_as_name(place, name))
    ]
    names = {name: value for _place, name, value in found}
    if at and at.isdisjoint(place for place, _name, _value in found):
        return None
    if kind == "hostname":
        # The domain of a host may be shown beside its whole name.
        parents = {name for place, name, _value in found if _called(place) == "domain"}
        parents = {name for name in parents if any(other.endswith(f".{name}") for other in names)}
        names = {name: value for name, value in names.items() if name not in parents}
    return names.popitem()[1] if len(names) == 1 else None


def has_another_name(kind: str, key: str, raw: Raw) -> bool:
    """Whether a record shows other names than this one at the elements called hostname, or domain (``kind``)."""
    called = {name for place, name, _value in _names(raw) if _called(place) == kind and ANY not in place}
    return bool(called) and comparable(key) not in called


def is_domain(raw: Raw, value: str) -> bool:
    """Whether a record shows this value at an element called domain."""
    return any(name == comparable(value) and _called(place) == "domain" for place, name, _value in _names(raw))


def shows_name(raw: Raw) -> bool:
    """Whether a record shows anything that can be a hostname or a domain."""
    return any(_reads_as_name(place, name) for place, name, _value in _names(raw))


def _names(raw: Raw) -> Iterator[tuple[Place, str, str]]:
    """The texts of a record that can be hostnames, each with its place and in the form in which names are compared."""
    for place, value in leaves(raw):
        if isinstance(value, str) and len(value) <= 255 and is_hostname(name := comparable(value)):
            yield place, name, value


def _reads_as_name(place: Place, name: str) -> bool:
    return bool(_called(place) or _NAME.fullmatch(name))


def _called(place: Place) -> str | None:
    return _CALLED.get(fold(last_name(place)))


# Whose a contract is


def owner_of(raw: Raw, places: Places, own: str, *, said: str | None, others: Sequence[Collection[str]]) -> str | None:
    """The end user of a contract, ``__self__``, or ``None`` if the record does not say.

    ``own`` is the ID of the own organization. ``said`` is whose contracts are in this list according to the user, which
    counts if the record shows no owner. ``others`` hold ids that are known to be those of something else.
    """
    shown = [*leaves(raw)]
    at = places.owner or {place for place, _value in shown if any(map(_OWNER.fullmatch, map(fold, place)))}
    told = {place: {_form(value) for where, value in shown if where == place} for place in at}
    every = set().union(*told.values())
    users = {value for value in every - {_form(own)} if is_uuid(value)}
    if users:
        # Where recorded contracts show their owner at several places, this one does so, too, or it is another's.
        plain = len(users) == 1 and not (places.owner and any(values != users for values in told.values()))
        return users.pop() if plain else None
    if every & {SELF, _form(own)}:
        return SELF
    if said is not None and not (every and said == SELF):
        return said
    # The record may show that it belongs to the own organization.
    ours = any(
        identifier(value) == own and any(map(_ORGANIZATION.fullmatch, map(fold, place))) for place, value in shown
    )
    return SELF if ours and not every and not strangers(raw, places, SELF, (*others, {_form(own)})) else None


def _form(value: object) -> str:
    """A value in the form in which values are compared; of an IRI the id at its end."""
    return comparable(identifier(value) or value)


def strangers(raw: Raw, places: Places, owner: str, others: Sequence[Collection[str]]) -> set[str]:
    """UUIDs that may be that of an end user whom the ledger lacks, in the record of a contract of a supposed owner.

    They stand where recorded contracts show none: those of the own organization, or any for an end user's.
    """
    known = [each for user, each in places.uuids.items() if owner != SELF or user == SELF]
    found = {_form(value) for place, value in leaves(raw) if not any(place in each for each in known)}
    return {value for value in found if is_uuid(value) and not any(value in each for each in others)}


def other_identifier(raw: Raw, places: Places, owner: str, ordered: Collection[str]) -> str | None:
    """What tells a record from the recorded contracts of its supposed owner, in words; ``None`` if nothing does.

    These show one same identifier at a place, and the record another one or none. ``ordered`` are values that the order
    asked for, which may well differ.
    """
    shown: dict[Place, set[str]] = {}
    for place, value in leaves(raw):
        shown.setdefault(place, set()).add(_form(value))
    for place, theirs in places.identifiers.get(comparable(owner), {}).items():
        values = shown.get(place, set())
        if theirs not in values and values.isdisjoint(ordered):
            found, at = clean(min(values, default="nothing"), 60), clean("/".join(place), 60)
            return f"{found} at {at}, where recorded ones show {clean(theirs, 60)}"
    return None
