# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Explores a world breadth first, and says what must be true in each of its states."""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from typing import Any, NamedTuple

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import RELEASED, Outcome, Record
from tests.unit.plugins.module_utils._ledger.states import (
    BrokenPromiseError,
    Event,
    Living,
    State,
    Stored,
    cancelled_by,
)
from tests.unit.plugins.module_utils._ledger.worlds import World

#: What a person has to do by hand is done after as many steps.
_ATTEMPTS = 12


class Explored(NamedTuple):
    """How many states were found, and whether these are all."""

    states: int
    steps: int
    deepest: int
    is_whole: bool

    def __str__(self) -> str:
        left = "" if self.is_whole else ", more are left"
        return f"{self.states} states, {self.steps} steps, the deepest {self.deepest} away{left}"


# What states are told apart by: what is stored, without times and events


def key_of(state: State) -> Any:
    runs = sorted(repr(_key_of_run(state, run)) for run in state.runs)
    copy = state.copy and (_rows(state, state.copy), state.copy.lacks(state.known))
    plan = state.plan and [
        (
            each["action"],
            _relative(state, each["name"], each["number"]),
            (state.plan.digest, each["name"]) in state.bought,
        )
        for each in state.plan.entries
    ]
    contracts = [name for name, _id in state.contracts]
    orphans = sorted(_key_of_name(state, name) for name in state.orphans)
    rows = _rows(state, state.stored)
    is_older, is_moved = state.stored.lacks(state.known), state.left is not None
    return repr((rows, runs, contracts, orphans, state.is_restored, is_older, is_moved, copy, plan))


def _key_of_run(state: State, run: Living) -> Any:
    hands = sorted(
        (_key_of_name(state, hand.name), hand.phase, _key_of_outcome(state, hand.name, hand.outcome))
        for hand in run.hands
    )
    approved = run.approved and (
        state.plan is not None and run.approved.digest == state.plan.digest,
        sorted(run.approved.names),
        [(name, _relative(state, name, number)) for name, number in run.approved.numbers.items()],
        [name for name in run.approved.names if (run.approved.digest, name) in state.bought],
    )
    own = sorted(_key_of_name(state, name) for name, each in state.stored.records.items() if each.run_id == run.id)
    lacks = [bool(each and each.lacks(run.seen.token)) for each in (state.stored, state.copy)]
    return hands, sorted(_key_of_name(state, name) for name in run.claims), own, lacks, approved, run.is_left


def _rows(state: State, stored: Stored) -> Any:
    return sorted(
        (
            _key_of_name(state, name),
            each.status,
            _key_of_outcome(state, name, each.outcome),
            each.run_id is None,
            bool(each.cancelled),
        )
        for name, each in stored.records.items()
        if not _is_history(state, each)
    )


def _is_history(state: State, record: Record) -> bool:
    """Whether it tells of a contract that is over, under a name that no order has."""
    cancelled = cancelled_by(record.name)
    is_done = cancelled is not None and record.status == "ordered" and cancelled not in state.contracts
    return is_done or (record.cancelled is not None and record.cancelled.replaced)


def _key_of_name(state: State, name: str) -> str:
    """The name; of a cancellation, whether it is of the contract of now."""
    cancelled = cancelled_by(name)
    return f"cancel {cancelled.name} {cancelled in state.contracts}" if cancelled else name


def _key_of_outcome(state: State, name: str, outcome: Outcome | None) -> Any:
    return outcome and (outcome.status, outcome.contract_id and outcome.contract_id == state.contract_of(name))


def _relative(state: State, name: str, number: int) -> str:
    """The plan's, one more, or another number."""
    more = state.stored.numbers[name] - number
    return {0: "as planned", 1: "one more"}.get(more, "other")


# What must be true


def check(world: World, state: State) -> None:
    """Raise BrokenPromiseError if something is bought twice, not recorded, free though it is bought, or untrue."""
    bought = Counter(world.things[name] for name, _contract_id in state.contracts)
    if any(number > 1 for number in bought.values()):
        raise BrokenPromiseError("a thing was bought twice")
    if state.is_restored:
        return
    for name, _contract_id in state.contracts:
        record = state.stored.records.get(name)
        if record is None or record.status in RELEASED:
            raise BrokenPromiseError(f"{name} was bought, and is {record.status if record else 'not recorded'}")
    for name in {*state.orphans}.union(*(run.under_way for run in state.runs)):
        if name not in state.stored.records or state.stored.records[name].status != "pending":
            raise BrokenPromiseError(f"a request of {name} is under way, and it is not pending")
    for record in state.stored.records.values():
        _check_ordered(state, record)


def _check_ordered(state: State, record: Record) -> None:
    contract_id = state.contract_of(record.name)
    if record.status != "ordered" or (record.cancelled and record.cancelled.replaced):
        return
    if record.kind == "operation":
        if cancelled_by(record.name) in state.contracts:
            raise BrokenPromiseError(f"{record.name} is told as done, and is not")
        return
    if record.cancelled and contract_id is not None:
        raise BrokenPromiseError(f"{record.name} is told as cancelled, and is there")
    if contract_id is None and not record.cancelled and not state.is_being_cancelled(record.name):
        raise BrokenPromiseError(f"{record.name} is told as ordered, and is not")
    if None not in (contract_id, record.outcome.contract_id) and record.outcome.contract_id != contract_id:
        raise BrokenPromiseError(f"{record.name} has the ID of another contract")


def rescue(world: World, state: State) -> None:
    """Let a truthful person and one more run get all that is wanted. Raises BrokenPromiseError if they cannot."""
    state = _settled(world, state)
    if world.with_plans:
        state = world.after(state, ("plan",))
    state = world.after(state, ("open", world.with_plans))
    if not state.runs:
        raise BrokenPromiseError("no run can begin any more")
    things = {world.things[name] for name, _contract_id in state.contracts}
    for name, thing in world.wanted.items():
        if thing not in things:
            things.add(thing)
            state = world.after(state, ("claim", 0, name))
            if not state.runs[0].hands:
                raise BrokenPromiseError(f"{name} cannot be ordered any more")
            for event in (("begins", 0, name), ("answer", 0, name, "done"), ("record", 0)):
                state = world.after(state, event)
    check(world, state)
    ordered = {world.things[name] for name, each in state.stored.records.items() if _is_had(each)}
    if missing := {*world.wanted.values()} - ordered:
        raise BrokenPromiseError(f"{', '.join(missing)} cannot be had any more")


def _settled(world: World, state: State) -> State:
    """What becomes of it once all requests have arrived, and a person has done what is left to do by hand."""
    while state.orphans:
        state = world.after(state, ("arrives", state.orphans[0]))
    for name, record in state.stored.records.items():
        if record.status == "pending":
            state = world.after(state, ("deadline", name))
    for _attempt in range(_ATTEMPTS):
        found = [event for event in world.events(state) if event[0] in ("present", "absent", "accept")]
        if not found:
            break
        state = world.after(state, found[0])
    return state


def _is_had(record: Record) -> bool:
    return record.kind == "order" and record.status == "ordered" and not record.cancelled


# The ways through it


class Explorer:
    def __init__(self, world: World) -> None:
        self.world = world
        self._before: dict[str, tuple[str, Event] | None] = {}
        self._rescued: set[str] = set()

    def look_at(self, state: State) -> None:
        check(self.world, state)
        left = state
        while left.runs:
            left = self.world.after(left, ("crash", 0))
        left_key = key_of(left)
        if left_key not in self._rescued:
            self._rescued.add(left_key)
            rescue(self.world, left)

    def path_to(self, key: str) -> list[Event]:
        step, path = self._before[key], list[Event]()
        while step is not None:
            key, event = step
            path.append(event)
            step = self._before[key]
        return path[::-1]

    def explore(self, most: int, seconds: float) -> Explored:
        """Go through all states, or about so many, or for so long as this process works.

        Raises BrokenPromiseError with the shortest way to a broken promise.
        """
        end, steps, depth = time.process_time() + seconds, 0, 0
        first = self.world.begin()
        start = key_of(first)
        self._before[start] = None
        queue = deque([(start, first, 0)])
        while queue and len(self._before) < most and time.process_time() < end:
            key, state, depth = queue.popleft()
            for event in self.world.events(state):
                steps += 1
                try:
                    made = self.world.after(state, event)
                    if (made_key := key_of(made)) in self._before:
                        continue
                    self._before[made_key] = key, event
                    self.look_at(made)
                except BrokenPromiseError as broken:
                    way = "\n".join(map(str, [*self.path_to(key), event]))
                    raise BrokenPromiseError(f"{broken}, after\n{way}") from broken
                queue.append((made_key, made, depth + 1))
        return Explored(len(self._before), steps, depth, not queue)

    def walk(self, steps: int, seed: int) -> int:
        """Go one way through the world, taken by chance. Return how many states were seen."""
        chance, path, seen, state = random.Random(seed), list[Event](), set[str](), self.world.begin()
        for _step in range(steps):
            event = chance.choice([*self.world.events(state)])
            path.append(event)
            try:
                state = self.world.after(state, event)
                self.look_at(state)
            except BrokenPromiseError as broken:
                raise BrokenPromiseError(f"{broken}, after\n" + "\n".join(map(str, path))) from broken
            seen.add(key_of(state))
        return len(seen)
