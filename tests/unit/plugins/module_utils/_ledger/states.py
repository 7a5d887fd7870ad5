# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a state of a small world is: the ledger, the runs with what each has in hand, and what the service has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import History, Token
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import RELEASED, Outcome, Record

#: What a person does, tries, or what happens: its kind, and what it is about.
Event = tuple[Any, ...]
_CANCELLATION = re.compile(r"cancel (\w+) \((c-\d+), \d+\)")


class Contract(NamedTuple):
    """A contract that the service has, or had: the name of its order, and its ID."""

    name: str
    id: str


def cancelled_by(name: str) -> Contract | None:
    """The contract that the request with this name cancels, if it cancels one."""
    found = _CANCELLATION.fullmatch(name)
    return Contract(*found.groups()) if found else None


class Stored(NamedTuple):
    """All that the ledger has, and what is read of it."""

    tables: Any
    records: Mapping[str, Record]
    numbers: Mapping[str, int]
    moved_to: str | None = None

    def lacks(self, token: Token | None) -> bool:
        last = {run_id: number for run_id, number, *_rest in self.tables[1]}
        return token is not None and last.get(token.run_id, 0) < token.number


class Hand(NamedTuple):
    """What a run has claimed, and how far it is."""

    name: str
    phase: Literal["claimed", "late", "under way", "ended"] = "claimed"
    outcome: Outcome | None = None


class Plan(NamedTuple):
    digest: str
    entries: tuple[Mapping[str, Any], ...]


class Approved(NamedTuple):
    """What a run may order under an approval, and how often each name was claimed when it looked."""

    digest: str
    numbers: Mapping[str, int]
    names: frozenset[str]


class Living(NamedTuple):
    """A run, with what it keeps in memory."""

    id: str
    seen: History
    claims: Mapping[str, Record] = {}
    hands: tuple[Hand, ...] = ()
    approved: Approved | None = None
    #: Whether it has the ledger open that was moved since.
    is_left: bool = False

    @property
    def under_way(self) -> set[str]:
        return {each.name for each in self.hands if each.phase == "under way"}


class State(NamedTuple):
    """``contracts`` are those that the service has. ``orphans`` are requests of runs that are gone.

    ``known`` is the last token that the user saw. ``is_restored``: something of the ledger may be missing. ``left`` is
    what the ledger holds that was moved.
    """

    stored: Stored
    runs: tuple[Living, ...] = ()
    contracts: tuple[Contract, ...] = ()
    orphans: tuple[str, ...] = ()
    known: Token | None = None
    is_restored: bool = False
    copy: Stored | None = None
    left: Stored | None = None
    plan: Plan | None = None
    bought: frozenset[tuple[str, str]] = frozenset()

    def contract_of(self, name: str) -> str | None:
        return next((contract_id for owner, contract_id in self.contracts if owner == name), None)

    def held_by(self, run: Living) -> Stored:
        """What the ledger has that a run has open."""
        return self.left if run.is_left and self.left else self.stored

    def changed_by(self, run: Living, stored: Stored) -> State:
        return self._replace(left=stored) if run.is_left else self._replace(stored=stored)

    def is_under_way(self, name: str) -> bool:
        return name in self.orphans or any(name in run.under_way for run in self.runs)

    def stands(self, name: str) -> bool:
        record = self.stored.records.get(name)
        return self.contract_of(name) is not None or (record is not None and record.status not in RELEASED)

    def is_being_cancelled(self, name: str) -> bool:
        """Whether a cancellation of the contract in this order's record is not certain."""
        contract = Contract(name, self.stored.records[name].outcome.contract_id or "")
        return any(
            each.status in ("pending", "in_doubt") and cancelled_by(each.name) == contract
            for each in self.stored.records.values()
        )


class BrokenPromiseError(Exception):
    """Something happened that must never happen."""


#: The ways in which a request of an order, or of a cancellation, ends: whether it was done, and what its run knows.
ANSWERS = {
    "done": (True, "ordered"),
    "done without ID": (True, "ordered"),
    "done, answer lost": (True, "in_doubt"),
    "lost": (False, "in_doubt"),
    "rejected": (False, "rejected"),
}


def late(hand: Hand) -> Hand:
    return hand._replace(phase="late") if hand.phase == "claimed" else hand


def with_run(state: State, index: int, run: Living) -> State:
    return state._replace(runs=(*state.runs[:index], run, *state.runs[index + 1 :]))


def with_hand(state: State, index: int, hand: Hand) -> State:
    run = state.runs[index]
    others = tuple(hand if each.name == hand.name else each for each in run.hands)
    return with_run(state, index, run._replace(hands=others))


def entries_of(wanted: Mapping[str, str], stored: Stored) -> tuple[Mapping[str, Any], ...]:
    actions = {"ordered": "none", "pending": "pending", "in_doubt": "in_doubt"}
    known = {name: stored.records.get(name) for name in wanted}
    return tuple(
        {
            "name": name,
            "number": stored.numbers[name],
            "action": (action := actions.get(record.status, "order") if record else "order"),
            "product": "product",
            "product_type": "vps",
            "end_user": "__self__",
            "fingerprint": name if action == "order" else None,
        }
        for name, record in known.items()
    )
