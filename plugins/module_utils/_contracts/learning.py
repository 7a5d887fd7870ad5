# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Learns what the elements of contract records mean (API specification 2.5 shows no record). Pure.

An element is known by control contracts alone: contracts whose ids the ledger knows, with what was ordered. It is
learned if it shows in all of them what was ordered. The user's word (``elements``) goes before. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from .._core.conditions import MISSING, pointer_to, steps_of, value_at
from .._core.errors import ConfigurationError
from .._core.text import brief, caseless, clean, nearest
from .._product_types.registry import SELF
from .contract import ShownContract
from .contract_ids import contract_id, identifier
from .controls import Control, key_of
from .matching import Steps, id_rank, is_named, is_state, plain, product_rank, time_rank
from .records import addresses_in, leaves, moment_of

#: What an element of a contract can be for. The ledger knows neither addresses nor states: these are never learned.
ROLES = (
    "id",
    "product",
    "end_user",
    "organization",
    "hostname",
    "domain",
    "addresses",
    "status",
    "created_at",
    "marker",
)
_LEARNED = ("product", "end_user", "organization", "hostname", "domain", "created_at")

_ID_NAMES = ("id", "@id", "uuid")
#: A text of so many characters is not met by chance.
_NO_CHANCE = 8
#: So many records are looked at for places to propose.
_LOOKED_AT = 20

Raw = Mapping[str, Any]


def read_elements(given: Mapping[str, Any]) -> dict[str, Steps]:
    """The steps of the pointers in the option ``elements``, by role. Raises ConfigurationError."""
    for role in given:
        if role not in ROLES:
            near = nearest(str(role), ROLES, 1)
            raise ConfigurationError(
                f"elements.{clean(str(role), 60)}: unknown key; allowed keys: {', '.join(ROLES)}. Nothing was sent.\n"
                f"{f'Did you mean {near[0]}? ' if near else ''}Give the JSON pointer of an element for each role."
            )
        if not isinstance(given[role], str):
            raise ConfigurationError(
                f"elements.{role} is not a JSON pointer ({brief(given[role], 60)}). Nothing was sent.\n"
                f"Write it as text, for example elements: {{{role}: /{role}}}."
            )
    return {role: steps_of(given[role], f"elements.{role}") for role in given}


@dataclass(frozen=True)
class _Candidate:
    """A place that shows what was ordered: how exactly (0 is best), and the controls that show something else there."""

    steps: Steps
    rank: int
    dissenters: frozenset[str]


@dataclass
class Lessons:
    """What was learned from the records of one organization.

    ``ids`` are those of the records, in their order; ``None`` where a record has none. ``controls`` are the keys of
    control contracts among them.
    """

    raws: Sequence[Raw]
    known: Mapping[str, Control]
    given: Mapping[str, Steps] = field(default_factory=dict)
    keys: Sequence[str | None] = ()
    clock_off: float = 0.0
    learned: dict[str, Steps] = field(default_factory=dict)
    unclear: dict[str, str] = field(default_factory=dict)
    ids: list[str | None] = field(default_factory=list)
    controls: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._candidates: dict[str, list[_Candidate]] = {}
        self._own: dict[Steps, frozenset[str]] = {}
        self._learn_ids()
        self._flat = {key: list(leaves(self.raws[at])) for key, at in self.controls.items()}
        for role in _LEARNED:
            self._learn(role)
        for role in ("addresses", "status", "marker"):
            if role in self.given:
                self._take(role)
            elif role != "marker":
                self.unclear[role] = self._never_learned(role)

    @property
    def pointers(self) -> dict[str, str]:
        """The JSON pointers of what was learned, by role."""
        return {role: pointer_to(steps) for role, steps in self.learned.items()}

    # Ids

    def _learn_ids(self) -> None:
        steps = self.given.get("id") or self._id_steps()
        if steps is not None:
            self.learned["id"] = steps
            self.ids = [identifier(value_at(raw, steps)) for raw in self.raws]
        else:
            keys = self.keys or [None] * len(self.raws)
            self.ids = [key or contract_id(dict(raw), None) for key, raw in zip(keys, self.raws, strict=True)]
            self.unclear["id"] = (
                "no control contract is among what the service shows: no contract whose id the ledger knows. Adopt one "
                "with reseller_ledger, or set elements.id to the JSON pointer of the id in a contract's record"
            )
        for at, told in enumerate(self.ids):
            if told is not None and key_of(told) in self.known:
                self.controls.setdefault(key_of(told), at)
        if steps is None and self.controls:
            # The keys of a mapping.
            del self.unclear["id"]

    def _id_steps(self) -> Steps | None:
        """The place that every record has an id at, and that shows the most of those that the ledger knows."""
        found: dict[Steps, set[str]] = {}
        for raw in self.raws:
            for steps, value in leaves(raw):
                told = identifier(value)
                if told is not None and key_of(told) in self.known:
                    found.setdefault(steps, set()).add(key_of(told))
        places = [steps for steps in found if all(identifier(value_at(raw, steps)) for raw in self.raws)]
        most = max((len(found[steps]) for steps in places), default=0)
        best = [steps for steps in places if len(found[steps]) == most]
        if len({tuple(identifier(value_at(raw, steps)) for raw in self.raws) for steps in best}) > 1:
            # Two ids of each record, of which the controls cannot tell which one counts.
            best = [steps for steps in best if steps[-1].lower() in _ID_NAMES]
            best = best if len(best) == 1 else []
        return min(best, key=lambda steps: (len(steps), steps[-1] == "@id"), default=None)

    # The other elements

    def _take(self, role: str) -> None:
        """Take the user's word for it."""
        steps = self.learned[role] = self.given[role]
        if self.raws and all(value_at(raw, steps) is MISSING for raw in self.raws):
            self.unclear[role] = (
                f"elements.{role} is {pointer_to(steps)!r}, and none of the {len(self.raws)} records that were read "
                "has such an element. Correct the pointer"
            )

    def _learn(self, role: str) -> None:
        if role in self.given:
            self._take(role)
            return
        expected = {key: wanted for key in self.controls if (wanted := self._expected(role, self.known[key]))}
        if not expected:
            self.unclear[role] = self._no_control(role)
            return
        ranks: dict[Steps, dict[str, int]] = {}
        for key, matches in expected.items():
            for steps, value in self._flat[key]:
                rank = matches(value)
                if rank is not None:
                    ranks.setdefault(steps, {})[key] = rank
        candidates = [
            _Candidate(steps, max(confirmed.values()), frozenset(expected.keys() - confirmed.keys()))
            for steps, confirmed in ranks.items()
            if is_named(role, steps) or not self._may_be_chance(role, steps, len(confirmed))
        ]
        self._candidates[role] = candidates
        agreed = self._best(role, [each for each in candidates if not each.dissenters])
        if len(agreed) == 1:
            self.learned[role] = agreed[0]
        elif agreed:
            places = " and ".join(pointer_to(steps) for steps in agreed[:4])
            self.unclear[role] = (
                f"{places} show it in all {len(expected)} control contracts, and differ in other contracts. Set "
                f"elements.{role} to the right one"
            )
        else:
            self.unclear[role] = self._why_not(role, candidates, expected)

    def _may_be_chance(self, role: str, steps: Steps, count: int) -> bool:
        """Whether a place whose name does not speak for it may show by chance what was ordered."""
        if role == "organization":
            return all(len(str(value_at(self.raws[at], steps))) < _NO_CHANCE for at in self.controls.values())
        return role == "created_at" and count < 2

    def _best(self, role: str, candidates: Sequence[_Candidate]) -> list[Steps]:
        """The remaining places: the most exact ones, and of these the ones with the specification's word."""
        best = min((each.rank for each in candidates), default=0)
        exact = [each.steps for each in candidates if each.rank == best]
        named = [steps for steps in exact if is_named(role, steps)]
        left = named or exact
        if len(left) > 1 and all(self._same_everywhere(role, left[0], other) for other in left[1:]):
            return [min(left, key=len)]
        return left

    def _same_everywhere(self, role: str, one: Steps, other: Steps) -> bool:
        return all(plain(role, value_at(raw, one)) == plain(role, value_at(raw, other)) for raw in self.raws)

    def _expected(self, role: str, control: Control) -> Callable[[Any], int | None] | None:
        """What tells how exactly a value is what this control was ordered with; ``None``: nothing is known."""
        if role == "product" and control.product:
            return lambda value: product_rank(value, control)
        if role == "end_user" and control.end_user and control.end_user != SELF:
            return lambda value: id_rank(value, control.end_user or "")
        if role == "organization" and control.organization:
            return lambda value: id_rank(value, control.organization or "")
        if role in ("hostname", "domain") and (wanted := getattr(control, role)):
            return lambda value: 0 if isinstance(value, str) and caseless(value) == caseless(wanted) else None
        if role == "created_at" and control.earliest and control.latest:
            off = timedelta(seconds=self.clock_off)
            earliest, latest = control.earliest + off, control.latest + off
            return lambda value: time_rank(value, earliest, latest)
        return None

    # Words

    def _no_control(self, role: str) -> str:
        if not self.controls:
            return (
                "no control contract is among what the service shows: no contract whose id the ledger knows. Adopt one "
                f"with reseller_ledger, or set elements.{role} to its JSON pointer"
            )
        lacking = {
            "end_user": "all of them are your own organization's",
            "organization": "none of them is your own organization's",
            "created_at": "the ledger does not know when they were ordered",
        }.get(role, f"none of them was ordered with a {role}")
        return (
            f"{len(self.controls)} control contracts are shown, and {lacking}. Set elements.{role} to its JSON pointer "
            "if you need it"
        )

    def _why_not(self, role: str, candidates: Sequence[_Candidate], expected: Mapping[str, Any]) -> str:
        best = min(candidates, key=lambda each: (len(each.dissenters), not is_named(role, each.steps)), default=None)
        if best is None:
            return self._nowhere(role, len(expected))
        dissenter = min(best.dissenters, key=lambda key: self.known[key].name)
        control, raw = self.known[dissenter], self.raws[self.controls[dissenter]]
        shown = value_at(raw, best.steps)
        shows = "nothing" if shown is MISSING else brief(shown, 60)
        place = pointer_to(best.steps)
        return (
            f"{place} confirms it in {len(expected) - len(best.dissenters)} of {len(expected)} control contracts, but "
            f"shows {shows} for {clean(control.name, 60)} (contract {clean(control.id, 60)}). Correct that record of "
            f"the ledger, or set elements.{role}: {place} if that place is right"
        )

    def _nowhere(self, role: str, count: int) -> str:
        naive = [
            pointer_to(steps)
            for steps, value in next(iter(self._flat.values()), [])
            if role == "created_at" and (time := moment_of(value)) is not None and time.tzinfo is None
        ]
        if naive:
            return f"{naive[0]} shows times without a time zone, which may mean any hour: they are not used"
        what = "a time that fits the order" if role == "created_at" else "what was ordered"
        return f"no element of the {count} control contracts shows {what}. Set elements.{role} if there is one"

    def _never_learned(self, role: str) -> str:
        found = ((steps, value) for raw in self.raws[:_LOOKED_AT] for steps, value in leaves(raw))
        fits = (lambda steps, value: bool(addresses_in(value))) if role == "addresses" else is_state
        places = list(dict.fromkeys(pointer_to(steps) for steps, value in found if fits(steps, value)))[:5]
        shown = f"The records have {', '.join(places)}. " if places else ""
        return f"the ledger does not know it, so no control confirms it. {shown}Set elements.{role} to a JSON pointer"

    # Reading records

    def contract(self, at: int, marker_element: str | None = None) -> ShownContract | None:
        """The contract of a record, read with the lessons of the others. ``None`` without an ID."""
        told = self.ids[at]
        return None if told is None else self.shown(told, self.raws[at], marker_element)

    def shown(self, told: str, raw: Raw, marker_element: str | None = None) -> ShownContract:
        """A record as a contract. A control is read with what all other controls confirm."""
        places = self._places_for(key_of(told))

        def text(role: str) -> str | None:
            return plain(role, value_at(raw, places[role])) if role in places else None

        time = moment_of(value_at(raw, places["created_at"])) if "created_at" in places else None
        marked_at = places.get("marker") or ((marker_element,) if marker_element else None)
        marker = value_at(raw, marked_at) if marked_at else None
        end_user = text("end_user")
        return ShownContract(
            id=told,
            product=text("product"),
            end_user=SELF if end_user is not None and end_user in self._own_values(places) else end_user,
            organization=text("organization"),
            hostname=text("hostname"),
            domain=text("domain"),
            addresses=addresses_in(value_at(raw, places["addresses"])) if "addresses" in places else (),
            status=text("status"),
            created_at=time if time is not None and time.tzinfo is not None else None,
            marker=marker if isinstance(marker, str) else None,
            raw=raw,
        )

    def _places_for(self, key: str) -> Mapping[str, Steps]:
        if key not in self.controls:
            return self.learned
        found = dict(self.learned)
        for role, candidates in self._candidates.items():
            if role not in found and self._confirmed_by_another(role, key):
                best = self._best(role, [each for each in candidates if each.dissenters <= {key}])
                if len(best) == 1:
                    found[role] = best[0]
        return found

    def _confirmed_by_another(self, role: str, key: str) -> bool:
        return any(other != key and self._expected(role, self.known[other]) for other in self.controls)

    def _own_values(self, places: Mapping[str, Steps]) -> frozenset[str]:
        """What the contracts of the own organization show for their end user, if that is one value."""
        steps = places.get("end_user")
        if steps is None:
            return frozenset()
        if steps not in self._own:
            own = frozenset(
                value
                for key, at in self.controls.items()
                if self.known[key].end_user == SELF and (value := plain("end_user", value_at(self.raws[at], steps)))
            )
            users = {control.end_user for control in self.known.values()} - {SELF}
            self._own[steps] = own if len(own) == 1 and own.isdisjoint(users) else frozenset({SELF})
        return self._own[steps]
