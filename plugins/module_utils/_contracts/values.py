# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that a record of the service shows and those of an order, where they stand, how they are compared. Pure.

What an element of a record is called is not documented (API specification 2.5), and need not be known: the recorded
contracts of a list show where it has what was ordered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import Any

from .._core.addresses import is_hostname
from .._core.text import clean, fold, is_uuid, words
from .._ledger.order_records import Request
from .._product_types.registry import PRODUCT_TYPES, SELF
from .._records.contract_ids import as_mapping, identifier
from .._secrets.recognition import words_of

Raw = Mapping[str, Any]
#: The way to a value in any record of a list: names, and ``*`` for each position in a list within it.
Place = tuple[str, ...]
Leaves = Sequence[tuple[Place, Any]]
#: Where all recorded contracts of a list show their ``hostname``, ``domain`` or ``product``, apart from those that do
#: not show it. ``own``: where those of the own organization show UUIDs.
Places = Mapping[str, frozenset[Place]]
_DEEPEST, _MOST = 16, 20000
#: What a position of a list is as a place.
ANY = "*"
#: The longest hostname or domain: what is longer is no name.
_LONGEST_NAME = 255
#: Says of a contract that it does not stand.
_ENDED = words("failed rejected cancelled canceled deleted error draft quote quotation offer angebot")
#: Says of a contract that it is over, where its state stands.
_OVER = words("cancelled canceled deleted terminated expired ended closed")
_STATE = re.compile("(contract)?(state|status)")
#: Of these, what says that the contract stands until an end that it names.
_TO_THE_END = words("cancelled canceled terminated")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST_STATE, _OTHER_TEXT = 40, re.compile(r"\S[./@]\S")


def leaves(record: Any) -> Iterator[tuple[Place, Any]]:
    """The single values of a record with their places, without ``null``. Of a huge record, only the first ones."""
    return islice(_leaves(record, (), _DEEPEST), _MOST)


def _leaves(value: Any, place: Place, depth: int) -> Iterator[tuple[Place, Any]]:
    value = as_mapping(value)
    if isinstance(value, (Mapping, list)):
        items = value.items() if isinstance(value, Mapping) else ((ANY, item) for item in value)
        for name, item in items if depth else ():
            yield from _leaves(item, (*place, str(name)), depth - 1)
    elif value is not None:
        yield place, value


def comparable(value: Any) -> str:
    """The form in which values are compared: in lower case, without a trailing dot, with the raw punycode of labels.

    Nothing is folded: ``straße`` and ``strasse`` are two names.
    """
    text = str(value).strip().lower().rstrip(".")
    if text.isascii() or len(text) > _LONGEST_NAME:
        return text
    labels = unicodedata.normalize("NFC", text).split(".")
    return ".".join(each if each.isascii() else f"xn--{each.encode('punycode').decode()}" for each in labels)


def values_of(values: Iterable[Any]) -> frozenset[str]:
    """Values in the form in which they are compared; of an IRI also the id at its end."""
    found = [value for value in values if not isinstance(value, bool)]
    ends = (identifier(value) for value in found if isinstance(value, str) and "/" in value)
    return frozenset(map(comparable, (*found, *filter(None, ends))))


def id_key(contract_id: str) -> str:
    """The id of a contract in the form in which ids are compared: UUIDs without case."""
    return contract_id.lower() if len(contract_id) == 36 else contract_id


def says_ended(raw: Raw) -> str | None:
    """Return the value at the top of a record that says that the contract does not stand, with its name, or ``None``.

    Long texts say nothing, nor do names such as ``failed.example.org``.
    """
    for name, value in _at_the_top(raw).items():
        text = str(name if value is True else value).strip()
        if len(text) <= _LONGEST_STATE and not _OTHER_TEXT.search(text) and _ENDED.intersection(words_of(text)):
            return f"{clean(str(name), 60)}: {clean(str(value), 60)}"
    return None


def says_over(raw: Raw) -> str | None:
    """Return the state in a record that says that the contract was in force and is over, with its name, or ``None``.

    What failed may stand yet, and so may what is not renewed: only the state of the contract itself counts. What is
    cancelled stands until its last date.
    """
    members = _at_the_top(raw)
    for name, value in members.items():
        said = words_of(value) if isinstance(value, str) and _STATE.fullmatch(fold(name)) else ()
        if len(said) == 1 and said[0] in _OVER:
            dates = [str(each)[:10] for each in members.values() if _DATE.match(str(each))]
            stands = said[0] in _TO_THE_END and max(dates, default="") > datetime.now(UTC).date().isoformat()
            return None if stands else f"{clean(str(name), 60)}: {clean(str(value), 60)}"
    return None


def _at_the_top(raw: Raw) -> dict[str, Any]:
    """The single values of a record, with those of its ``attributes``."""
    attributes = as_mapping(raw.get("attributes"))
    members = {**raw, **(attributes if isinstance(attributes, Mapping) else {})}
    return {name: value for name, value in members.items() if not isinstance(value, (Mapping, list))}


@dataclass(frozen=True)
class OrderedValues:
    """The values of an order that a contract can show."""

    request: Request

    @cached_property
    def kind(self) -> str | None:
        """The setting that is its natural key (``hostname`` or ``domain``); ``None`` for webhosting."""
        product_type = PRODUCT_TYPES.get(self.request.product_type)
        kind = product_type.identity if product_type else None
        key = self.request.settings.get(kind) if kind else None
        return kind if key and isinstance(key, str) else None

    @property
    def key(self) -> str | None:
        """Its natural key."""
        return self.request.settings[self.kind] if self.kind else None

    @cached_property
    def product_values(self) -> frozenset[str]:
        return frozenset(comparable(each) for each in (self.request.product, self.request.product_name) if each)

    @cached_property
    def key_values(self) -> frozenset[str]:
        """The values that a record about the order shows: its natural key; without one, its product."""
        return frozenset({comparable(self.key)}) if self.kind else self.product_values

    def is_shown_by(self, values: frozenset[str]) -> bool:
        """Return whether a record with these values may be about the order."""
        return not self.key_values.isdisjoint(values)

    @property
    def in_words(self) -> str:
        """Its natural key or product, for a sentence."""
        product = self.request.product_name or self.request.product
        return f"{self.kind} {self.key}" if self.kind else f"product {product}"


# Places

#: The API specification's own words for natural keys (4.3), as elements may be called.
_CALLED = {"hostname": "hostname", "domain": "domain", "domainname": "domain"}
#: Text that reads as a host's or a domain's name wherever it stands.
_NAME = re.compile(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\.(xn--[a-z0-9-]+|[a-z]{2,63})")
#: Elements for the end user: the API specification's word, and those that mean nothing else in a contract.
_OWNER = re.compile("(contract)?(end(user|customer|client)|customer|client|owner)(uuid|guid|id|iri|ref)?")


def places_of(rows: Iterable[tuple[Leaves, Request]]) -> Places:
    """Return the places at which the records of these orders' contracts show what was ordered."""
    found: dict[str, list[frozenset[Place]]] = {}
    own: set[Place] = set()
    for shown, request in rows:
        ordered = OrderedValues(request)
        if request.end_user == SELF:
            own |= {place for place, value in shown if is_uuid(identifier(value))}
        for name, values in ((ordered.kind, ordered.key_values), ("product", ordered.product_values)):
            at = frozenset(place for place, value in shown if name and values_of([value]) & values)
            if name and at:
                found.setdefault(name, []).append(at)
    return {"own": frozenset(own)} | {name: frozenset.intersection(*places) for name, places in found.items()}


def natural_key(kind: str, leaves: Leaves, places: Places) -> str | None:
    """The hostname or domain of a record, as it is shown; ``None`` if that is none, or if several are possible.

    It stands where recorded contracts have theirs, and no other name stands at such a place, nor at an element called
    hostname or domain. Where these tell nothing, it stands at an element of its own name, or is the only name shown.
    """
    at, shown = places.get(kind, frozenset()), [*_names(leaves)]
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
