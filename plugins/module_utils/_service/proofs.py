# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Holds a description against recorded contracts: which of its fields a list proves, and which it contradicts. Pure.

Only values that a run sent, and ids told to it, prove: never those that adopting filled in from a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .._core.text import clean, is_uuid
from .._ledger.order_records import Record, Request
from .._product_types.registry import PRODUCT_TYPES, SELF
from .description import Description, Field, named_places
from .places import ANY, Raw, comparable, forms, leaves

_VALUES = ("hostname", "domain", "product", "end_user")
_NONE = frozenset[str]()


def key_of(request: Request) -> tuple[str, str] | None:
    """Return the field and the value that tell an order from others: its hostname or domain. ``None`` without one."""
    kind = PRODUCT_TYPES.get(request.product_type)
    value = request.settings.get(kind.identity) if kind and kind.identity else None
    return (kind.identity, value) if kind and kind.identity and value and isinstance(value, str) else None


def product_forms(request: Request) -> frozenset[str]:
    """Return what shows the product of an order: its UUID, and its name."""
    return frozenset(comparable(value) for value in (request.product, request.product_name) if value)


@dataclass(frozen=True)
class ListFields:
    """The fields of ``contracts`` by which one list is read, and what the list says of them."""

    description: Description
    #: The names of fields that a recorded contract proves.
    proven: frozenset[str] = frozenset()
    #: By name which recorded contract contradicts a field, and how.
    contradicted: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """Return the value of a field; ``None`` where it is not known, or contradicted."""
        return None if name in self.contradicted else self.description.get(f"contracts.{name}")

    def is_given(self, name: str) -> bool:
        return self.description.source(f"contracts.{name}") == "file" and name not in self.contradicted

    def settles(self, name: str) -> bool:
        """Return whether a field is given or proven, and not contradicted."""
        is_known = name == "own" or self.get(name) is not None
        return is_known and name not in self.contradicted and (name in self.proven or self.is_given(name))


class _Bought(NamedTuple):
    """A recorded contract in a row of the list."""

    record: Record
    request: Request
    row: int
    #: The forms of the row's values by their places.
    shown: Mapping[str, frozenset[str]]

    def places(self, wanted: frozenset[str]) -> frozenset[str]:
        return frozenset(place for place, values in self.shown.items() if not wanted.isdisjoint(values))

    @property
    def shows_order(self) -> bool:
        """Whether it shows what was ordered: the hostname or domain, else the product."""
        key = key_of(self.request)
        return bool(self.places(frozenset({comparable(key[1])}) if key else product_forms(self.request)))


def fields_of(rows: Sequence[Raw], description: Description, records: Iterable[Record], own: str) -> ListFields:
    """Return the fields by which a list is read, with what it proves. ``own`` is the own organization.

    ``records`` are those of the ledger for this service. What the description leaves out is learned here.
    """
    sent = {
        comparable(record.outcome.contract_id): (record, record.request)
        for record in records
        if record.outcome.contract_id and record.status == "ordered" and record.claimed_at
        if record.request is not None and not record.request.partial
    }
    proofs = _Proofs(rows, description, sent, own)
    proofs.prove_ids()
    for name in _VALUES:
        proofs.prove_values(name)
    proofs.prove_own()
    proofs.refuse_one_place_for_two()
    return ListFields(proofs.description, frozenset(proofs.proven), proofs.contradicted)


class _Proofs:
    """``sent`` are the recorded contracts by their ids, as far as their orders are known as they were sent."""

    def __init__(
        self, rows: Sequence[Raw], description: Description, sent: Mapping[str, tuple[Record, Request]], own: str
    ) -> None:
        self._sent, self._own = sent, own
        #: The recorded contracts in the list: where their ids stand, and these as they are compared.
        self._shown: list[tuple[str, str, _Bought]] = []
        self._named = named_places(self._places_in(rows))
        learned = {f"contracts.{name}": Field(places[0], "name") for name, places in self._named.items() if places}
        # The words of the specification for the own organization.
        learned["contracts.own"] = Field([SELF, own], "name")
        self.description = description.with_learned(learned)
        self.proven: set[str] = set()
        self.contradicted: dict[str, str] = {}
        self._bought: list[_Bought] = []

    def _places_in(self, rows: Sequence[Raw]) -> dict[str, None]:
        """Return all places of the list, and note where it shows ids of recorded contracts."""
        places, sent = dict[str, None](), self._sent
        for number, row in enumerate(rows):
            values = leaves(row, nulls=True)
            places.update(dict.fromkeys(place for place, _value in values))
            ids = [(place, key) for place, value in values if sent for key in forms(value) if key in sent]
            if ids:
                by_place: dict[str, frozenset[str]] = {}
                for place, value in values:
                    by_place[place] = by_place.get(place, _NONE) | forms(value)
                self._shown += [(place, key, _Bought(*self._sent[key], number, by_place)) for place, key in ids]
        return places

    def _given(self, name: str) -> bool:
        return self.description.source(f"contracts.{name}") == "file"

    def _candidates(self, name: str) -> list[str]:
        if self._given(name):
            place = self.description.get(f"contracts.{name}")
            return [place] if place else []
        return self._named[name]

    def _choose(self, name: str, value: Any) -> None:
        fields = {**self.description.fields, f"contracts.{name}": Field(value, "name")}
        self.description = replace(self.description, fields=fields)

    # Ids

    def prove_ids(self) -> None:
        """Find recorded contracts where rows have their ids, and prove that place beside what was ordered."""
        shown = self._shown_ids()
        if not self._given("id"):
            self._choose_id(shown)
        place = self.description.get("contracts.id")
        here = shown.pop(place, {})
        rows = {bought.row for bought in here.values()}
        others = [(key, bought, other) for other, by_key in shown.items() for key, bought in by_key.items()]
        elsewhere = [(bought, other) for key, bought, other in others if key not in here and bought.row not in rows]
        self._bought = [*here.values(), *(bought for bought, _place in elsewhere)]
        if place and elsewhere:
            self._contradict("id", place, elsewhere[0][0], [elsewhere[0][1]])
        # One that a person or a list settled was not told to its run.
        elif any(bought.record.run_id is not None and bought.shows_order for bought in here.values()):
            self.proven.add("id")

    def _choose_id(self, shown: Mapping[str, Mapping[str, _Bought]]) -> None:
        """Learn the place that shows most ids. Of several, a usual name tells more; of others, nobody can tell."""
        often = sorted(shown, key=lambda place: len(shown[place]), reverse=True)
        most = [place for place in often if len(shown[place]) == len(shown[often[0]])]
        if often and (often[0] in self._named["id"] or len(most) == 1):
            self._choose("id", often[0])

    def _shown_ids(self) -> dict[str, dict[str, _Bought]]:
        """Return the recorded contracts by the places of their ids: one that is given, and any beside what was ordered.

        The usual places come first.
        """
        usual, is_given = self._candidates("id"), self._given("id")
        shown: dict[str, dict[str, _Bought]] = {place: {} for place in usual}
        for place, key, bought in self._shown:
            if (is_given and place in usual) or (ANY not in place and bought.shows_order):
                shown.setdefault(place, {})[key] = bought
        return shown

    # Values

    def prove_values(self, name: str) -> None:
        """Prove or contradict the place of a field by what was ordered with the recorded contracts of the list."""
        ordered = [(bought, own) for bought in self._bought if (own := self._values(name, bought.request))]
        rows = [(bought, own, bought.places(own)) for bought, own in ordered]
        candidates = self._candidates(name)
        if not self._given(name):
            candidates = [*dict.fromkeys((*candidates, *self._by_value(name, ordered)))]
        if not candidates:
            return
        every = _NONE.union(*(self._values(name, request) for _record, request in self._sent.values()))

        def contradicting(place: str) -> tuple[_Bought, Sequence[str]] | None:
            """The first contract that shows another one's value there, or its own elsewhere and not there."""
            for bought, own, places in rows:
                others = every.intersection(bought.shown.get(place, frozenset()) - own)
                is_elsewhere = places and (name != "end_user" or bought.request.end_user != SELF)
                if place not in places and (is_elsewhere or others):
                    return bought, sorted(places)
            return None

        against = {place: contradicting(place) for place in candidates}
        shown = _NONE.union(*(places for _bought, _own, places in rows))
        place = next((place for place in candidates if place in shown and against[place] is None), candidates[0])
        if not self._given(name):
            self._choose(name, place)
        if contrary := against[place]:
            self._contradict(name, place, *contrary)
        elif place in shown:
            self.proven.add(name)

    def _values(self, name: str, request: Request) -> frozenset[str]:
        """The forms of what was ordered that a contract may show at a field."""
        if name == "product":
            return product_forms(request)
        if name == "end_user":
            return frozenset({SELF, comparable(self._own)}) if request.end_user == SELF else forms(request.end_user)
        key = key_of(request)
        return frozenset({comparable(key[1])}) if key and key[0] == name else frozenset()

    def _by_value(self, name: str, ordered: Sequence[tuple[_Bought, frozenset[str]]]) -> list[str]:
        """Return the only place where all recorded contracts that show their own value show it."""
        exactly = ((bought, frozenset({SELF}) if SELF in own else own) for bought, own in ordered)
        shown = [places for bought, own in exactly if (places := bought.places(own))]
        common = frozenset.intersection(*shown) if shown else _NONE
        if name == "product":
            # Its UUID tells more than its name.
            exact = {
                place for bought, _own in ordered for place in common if any(map(is_uuid, bought.shown.get(place, ())))
            }
            common = frozenset(exact) or common
        return [*common] if len(common) == 1 else []

    # Owners

    def prove_own(self) -> None:
        """Prove what own contracts show where those of end users show whose they are."""
        place = None if "end_user" in self.contradicted else self.description.get("contracts.end_user")
        if place is None:
            return
        others = self._owners_at(place, own=False)
        if self._given("own"):
            given = self.description.get("contracts.own")
            if contrary := _first_with(others, own_forms(given)):
                self._contradict("own", given, contrary, [place])
            return
        ours = {shown for _bought, shown in self._owners_at(place, own=True)}
        is_shown = any(forms(bought.request.end_user) & shown for bought, shown in others)
        if len(ours) == 1 and is_shown and _first_with(others, *ours) is None:
            self._choose("own", sorted(next(iter(ours)) - {""}) or [None])
            self.proven.add("own")

    def _owners_at(self, place: str, *, own: bool) -> list[tuple[_Bought, frozenset[str]]]:
        """Return what own contracts, or those of end users, show there; an empty text for nothing."""
        contracts = (bought for bought in self._bought if (bought.request.end_user == SELF) is own)
        return [(bought, bought.shown.get(place) or frozenset({""})) for bought in contracts]

    def refuse_one_place_for_two(self) -> None:
        """Contradict the id at the place of another field."""
        place = self.description.get("contracts.id")
        for name in _VALUES:
            if place and place == self.description.get(f"contracts.{name}"):
                self.contradicted["id"] = f"contracts.id and contracts.{name} are both {clean(str(place), 60)}."

    def _contradict(self, name: str, said: Any, bought: _Bought, places: Sequence[str]) -> None:
        shown = f"shows its own at {', '.join(places[:3])}" if places else "shows that of another one there"
        contract = clean(str(bought.record.outcome.contract_id), 60)
        self.contradicted[name] = f"contracts.{name} is {clean(str(said), 60)}, but contract {contract} {shown}."


def _first_with(shown: Iterable[tuple[_Bought, frozenset[str]]], values: frozenset[str]) -> _Bought | None:
    return next((bought for bought, here in shown if here & values), None)


def own_forms(own: Iterable[Any] | None) -> frozenset[str]:
    """Return the forms of ``contracts.own``: what own contracts show as their end user; ``""`` for nothing."""
    return frozenset("" if value is None else comparable(value) for value in own or ())
