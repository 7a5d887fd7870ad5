# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small world around a real ledger: runs, a service, and a person who tells the truth. Each event makes a new state.

What the world assumes of people is what the guides ask for: a restored ledger is accepted when no request can be under
way and what the portal shows is recorded. Until then nobody buys elsewhere, and plans are approved anew. A run that the
user begins knows what all earlier ones have seen.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import ledger_tables as tables_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import History, Run
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Claim,
    Filter,
    NamedOperation,
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from ansible_collections.hosting.reseller.plugins.module_utils._locations.moving import (
    await_contents,
    retire,
    take_over,
)
from ansible_collections.hosting.reseller.plugins.module_utils._orders.approval import spent_names
from ansible_collections.hosting.reseller.plugins.module_utils._orders.plan import plan_digest
from tests.support.ledgers import let_time_pass
from tests.unit.plugins.module_utils._ledger.runs import request, settle
from tests.unit.plugins.module_utils._ledger.states import (
    ANSWERS,
    Approved,
    BrokenPromiseError,
    Contract,
    Event,
    Hand,
    Living,
    Plan,
    State,
    Stored,
    cancelled_by,
    entries_of,
    late,
    with_hand,
    with_run,
)

#: The deadline of a claim passes by an event alone.
_FOR_EVER = 1e9
SERVICE = "https://service.example"


def _emptied(transaction: Any, **meta: str | None) -> None:
    for table in (tables_of.ORDERS, tables_of.RUNS, tables_of.CLAIMS, tables_of.EVENTS):
        transaction.query(f"DELETE FROM {table}")
    for key, value in meta.items():
        transaction.set_meta(key, value)


@dataclass(frozen=True)
class World:
    """``wanted`` are the names of orders, each with the thing that it is for."""

    ledger: Ledger
    wanted: Mapping[str, str]
    runs: int = 2
    with_groups: bool = False
    with_plans: bool = False
    with_cancellations: bool = False
    with_copies: bool = False
    answers: Collection[str] = tuple(ANSWERS)
    #: How often each name is claimed and not released. Who rescues a state may claim it once more.
    claims: int = 2
    #: The ledger to which this one is moved.
    to: Ledger | None = None
    #: The thing of a contract that was bought elsewhere and is adopted as "adopted".
    adopted: str | None = None

    #: The state that the ledger is in, as far as that is known.
    there: list[Stored] = field(default_factory=list)
    _numbers = itertools.count(1)

    @property
    def database(self) -> Any:
        return self.ledger._database

    @property
    def things(self) -> Mapping[str, str]:
        return {**self.wanted, **({"adopted": self.adopted} if self.adopted else {})}

    # The ledger

    def begin(self) -> State:
        return State(self.stored())

    def stored(self) -> Stored:
        def read(transaction: Transaction) -> Stored:
            records = {each.name: each for each in transaction.select(Filter(kind=None))}
            numbers = transaction.numbers([*self.wanted])
            return Stored(transaction.tables(), records, numbers, transaction.history().moved_to)

        now: Stored = self.ledger.run(read, writing=False)
        self.there[:] = [now]
        return now

    def put(self, stored: Stored) -> None:
        """Make the ledger what it was in a state."""

        def write(transaction: Any) -> None:
            _emptied(transaction, moved_to=stored.moved_to)
            transaction.write_tables(stored.tables)

        if self.there != [stored]:
            self.ledger.run(write, writing=True)
        self.there[:] = [stored]

    def ledger_of(self, run: Living) -> Any:
        """The ledger as this run has it open."""
        self.database.by = Run(run.id)
        self.there.clear()
        ledger: Any = Ledger(lambda: self.database, "write")
        ledger._claims, ledger.under_way, ledger.seen = {**run.claims}, run.under_way, run.seen
        return ledger

    def someone(self) -> Any:
        """The ledger as one more user has it open, who looks at it first."""
        ledger = self.ledger_of(Living(f"run-{next(self._numbers)}", History("")))
        ledger.history()
        return ledger

    def claim_of(self, name: str, run: Living, state: State) -> Claim:
        if cancelled := cancelled_by(name):
            return NamedOperation(name, SERVICE, "org-1", "DELETE /x", "digest", cancels=cancelled.name)
        record = state.stored.records.get(name)
        # Who looks at the service sees that a canceled contract is gone.
        over = record and record.cancelled and record.outcome.contract_id
        number = run.approved.numbers[name] if run.approved else None
        return replace(self.request(name), number=number, over=over or None)

    def request(self, name: str) -> StoredRequest:
        return request(name, identity=identity("hostname", self.things[name], "__self__"))

    # What can happen

    def events(self, state: State) -> Iterator[Event]:
        if len(state.runs) < self.runs and not state.is_restored:
            yield ("open", False)
            if state.plan:
                yield ("open", True)
        for index, run in enumerate(state.runs):
            yield from self._events_of_run(state, index, run)
        for name in {*state.orphans}:
            yield ("arrives", name)
            yield ("vanishes", name)
        yield from self._events_of_person(state)
        if self.with_copies and state.copy is None and not state.is_restored:
            yield ("copy",)
        elif state.copy and state.copy != state.stored:
            yield ("restore",)
        if self.to and not state.left and not state.is_restored:
            yield ("move",)

    def _events_of_run(self, state: State, index: int, run: Living) -> Iterator[Event]:
        yield ("end", index)
        yield ("crash", index)
        held = {each.name for each in run.hands}
        free = [name for name in self.wanted if name not in held and (not run.approved or name in run.approved.names)]
        free = [name for name in free if state.stored.numbers[name] < self.claims]
        for name in free:
            yield ("claim", index, name)
        if self.with_groups and len(free) > 1:
            yield ("claim", index, *free)
        if self.with_cancellations:
            yield from (("claim", index, name) for name in self._cancellations(state) if name not in held)
        for hand in run.hands:
            if hand.phase in ("claimed", "late"):
                yield ("begins", index, hand.name)
            elif hand.phase == "under way":
                yield from (("answer", index, hand.name, how) for how in self.answers)
        if any(each.phase == "ended" for each in run.hands):
            yield ("record", index)

    def _cancellations(self, state: State) -> Iterator[str]:
        """The names of the requests that cancel what is recorded as ordered."""
        self.put(state.stored)
        for record in map(state.stored.records.get, self.wanted):
            if record and record.status == "ordered" and record.outcome.contract_id and not record.cancelled:
                yield self.ledger.cancellation_of(record)

    def _events_of_person(self, state: State) -> Iterator[Event]:
        for name, record in state.stored.records.items():
            if record.status == "pending" and not state.is_under_way(name):
                yield ("deadline", name)
            yield from self._settlings(state, record)
        for name, _contract_id in state.contracts:
            if name not in state.stored.records:
                yield ("present", name)
            elif name == "adopted":
                yield ("cancel by hand", name)
        rivals = [name for name, thing in self.things.items() if thing == self.adopted]
        is_had = any(state.stands(name) or state.is_under_way(name) for name in rivals)
        if self.adopted and not state.is_restored and not is_had:
            yield ("adopt",)
        if self.with_plans and not (state.plan and state.plan.entries == entries_of(self.wanted, state.stored)):
            yield ("plan",)
        if state.is_restored and self._may_accept(state):
            yield ("accept",)

    def _settlings(self, state: State, record: Record) -> Iterator[Event]:
        """What somebody does about a record who sees in the portal whether it is true."""
        contract_id, cancelled = state.contract_of(record.name), cancelled_by(record.name)
        is_open = record.status in ("pending", "in_doubt")
        if cancelled not in state.contracts if cancelled else contract_id is not None:
            if is_open or (not cancelled and record.outcome.contract_id != contract_id):
                yield ("present", record.name)
            if is_open:
                yield ("present without ID", record.name)
        elif not (record.cancelled and record.cancelled.replaced) and not state.is_being_cancelled(record.name):
            yield ("absent", record.name)

    def _may_accept(self, state: State) -> bool:
        held = [hand for run in state.runs for hand in run.hands if hand.phase != "ended"]
        recorded = {
            name: each.outcome.contract_id or state.contract_of(name)
            for name, each in state.stored.records.items()
            if each.status == "ordered" and each.kind == "order" and not each.cancelled
        }
        return not (held or state.orphans) and recorded == dict(state.contracts)

    def plan_of(self, state: State) -> Plan | None:
        """The plan of now, if it can be approved."""
        entries = entries_of(self.wanted, state.stored)
        if any(each["action"] in ("pending", "in_doubt") for each in entries):
            return None
        self.put(state.stored)
        return Plan(plan_digest(entries, self.someone()), entries)

    # What becomes of it

    def after(self, state: State, event: Event) -> State:
        """The state after an event; the same one if somebody refuses it. Raises BrokenPromiseError."""
        kind, *about = event
        made: State = getattr(self, "_" + kind.split()[0])(state, *about, **({"how": kind} if " " in kind else {}))
        return made

    def _open(self, state: State, with_plan: bool) -> State:
        approved = None
        self.put(state.stored)
        ledger = self.someone()
        run = Living(self.database.by.id, ledger.seen)
        if with_plan and state.plan:
            entries = entries_of(self.wanted, state.stored)
            now = self.plan_of(state)
            try:
                spent = spent_names(state.plan.digest, [*state.plan.entries], entries, now and now.digest, ledger)
            except ResellerError:
                return state
            names = {each["name"] for each in entries if each["action"] == "order"} - spent
            approved = Approved(state.plan.digest, state.stored.numbers, frozenset(names))
        return state._replace(runs=(*state.runs, run._replace(approved=approved)))

    def _exchange(self, state: State, index: int, names: tuple[str, ...]) -> State:
        run = state.runs[index]
        self.put(state.held_by(run))
        ledger, known = self.ledger_of(run), [state.known]
        ledger.on_change, ledger.remembered = lambda: known.append(ledger.seen.token), lambda: known[-1]
        outcomes: Any = {each.name: each.outcome for each in run.hands if each.phase == "ended"}
        try:
            claims = [self.claim_of(name, run, state) for name in names]
            _ended, found = ledger.exchange(outcomes, claims, longest=_FOR_EVER)
        except ResellerError as error:
            # What was claimed has to wait then. An outcome that cannot be recorded is an error that its user sees.
            if names:
                return state
            if not state.is_restored and any(each.status == "ordered" for each in outcomes.values()):
                raise BrokenPromiseError(error.message) from error
            hands = tuple(each for each in run.hands if each.name not in outcomes)
            return with_run(state, index, run._replace(hands=hands))
        claimed = [Hand(name) for name, other in zip(names, found, strict=True) if other is None]
        hands = (*(each for each in run.hands if each.name not in outcomes), *claimed)
        made = run._replace(claims={**ledger._claims}, seen=ledger.seen, hands=hands)
        return with_run(state, index, made)._replace(known=known[-1]).changed_by(run, self.stored())

    def _claim(self, state: State, index: int, *names: str) -> State:
        return self._exchange(state, index, names)

    def _record(self, state: State, index: int) -> State:
        return self._exchange(state, index, ())

    def _begins(self, state: State, index: int, name: str) -> State:
        """A request begins, unless it is too late for that."""
        run = state.runs[index]
        (hand,) = (each for each in run.hands if each.name == name)
        ended = Hand(name, "ended", Outcome("not_sent", "Too late."))
        return with_hand(state, index, ended if hand.phase == "late" else Hand(name, "under way"))

    def _answer(self, state: State, index: int, name: str, how: str) -> State:
        is_done, status = ANSWERS[how]
        if is_done:
            state = self._do(state, name, state.runs[index].approved)
        contract_id = state.contract_of(name) if how == "done" else None
        outcome: Any = Outcome(status, None if status == "ordered" else how, contract_id)
        return with_hand(state, index, Hand(name, "ended", outcome))

    def _do(self, state: State, name: str, approved: Approved | None = None) -> State:
        """The service does what a request asks for."""
        if cancelled := cancelled_by(name):
            return state._replace(contracts=tuple(each for each in state.contracts if each != cancelled))
        if approved:
            if (approved.digest, name) in state.bought:
                raise BrokenPromiseError(f"{name} was bought twice under one approval")
            state = state._replace(bought=state.bought | {(approved.digest, name)})
        return state._replace(contracts=tuple(sorted((*state.contracts, Contract(name, f"c-{next(self._numbers)}")))))

    def _end(self, state: State, index: int) -> State:
        run = state.runs[index]
        self.put(state.held_by(run))
        self.ledger_of(run).close()
        return self._crash(state, index).changed_by(run, self.stored())

    def _crash(self, state: State, index: int) -> State:
        run = state.runs[index]
        orphans, bought = sorted((*state.orphans, *run.under_way)), state.bought
        if run.approved:
            # Whether one of them arrives is not known yet. Nothing else may be bought under its approval then.
            bought |= {(run.approved.digest, name) for name in run.under_way}
        others = (*state.runs[:index], *state.runs[index + 1 :])
        return state._replace(runs=others, orphans=tuple(orphans), bought=bought)

    def _arrives(self, state: State, name: str) -> State:
        return self._do(self._vanishes(state, name), name)

    def _vanishes(self, state: State, name: str) -> State:
        left = [*state.orphans]
        left.remove(name)
        return state._replace(orphans=tuple(left))

    def _deadline(self, state: State, name: str) -> State:
        self.put(state.stored)
        self.there.clear()
        let_time_pass(self.ledger, name)
        runs = [
            each._replace(hands=tuple(late(hand) if hand.name == name else hand for hand in each.hands))
            for each in state.runs
        ]
        return state._replace(stored=self.stored(), runs=tuple(runs))

    def _present(self, state: State, name: str, how: str = "") -> State:
        outcome = Outcome("ordered", "By hand.", None if how else state.contract_of(name))
        known = None if name in state.stored.records else self.request(name)
        return self._by_hand(state, lambda ledger: settle(ledger, name, outcome, known))

    def _absent(self, state: State, name: str) -> State:
        return self._by_hand(state, lambda ledger: ledger.remove(state.stored.records[name]))

    def _adopt(self, state: State) -> State:
        bought = self._do(state, "adopted")
        made = self._present(bought, "adopted")
        if "adopted" not in made.stored.records:
            raise BrokenPromiseError("a contract that the ledger lacks cannot be adopted")
        return made

    def _cancel(self, state: State, name: str, how: str) -> State:
        left = tuple(each for each in state.contracts if each.name != name)
        return self._absent(state._replace(contracts=left), name)

    def _by_hand(self, state: State, work: Any) -> State:
        self.put(state.stored)
        ledger = self.someone()
        try:
            work(ledger)
        except ResellerError:
            return state
        known = state.known if state.is_restored else ledger.seen.token
        return state._replace(stored=self.stored(), known=known)

    def _plan(self, state: State) -> State:
        return state._replace(plan=self.plan_of(state) or state.plan)

    def _copy(self, state: State) -> State:
        return state._replace(copy=state.stored)

    def _restore(self, state: State) -> State:
        assert state.copy is not None
        is_older = state.copy.lacks(state.known)
        plan, bought = (None, frozenset[tuple[str, str]]()) if is_older else (state.plan, state.bought)
        made = state._replace(stored=state.copy, is_restored=state.is_restored or is_older)
        return made._replace(plan=plan, bought=bought)

    def _move(self, state: State) -> State:
        """Move the ledger. What the other one has then is put into the same file, for whoever opens it from then on."""
        self.put(state.stored)
        new: Any = self.to
        new.run(lambda transaction: _emptied(transaction, moved_from=None), writing=True)
        source = self.someone()
        await_contents(new, source.id)
        try:
            take_over(new, source, retire(source, new))
        except ResellerError:
            return state
        left, tables = self.stored(), new.run(Transaction.tables, writing=False)
        runs = tuple(run._replace(is_left=True) for run in state.runs)
        moved = Stored(tables, left.records, left.numbers)
        return state._replace(stored=moved, left=left, runs=runs, copy=None, known=new.history().token)

    def _accept(self, state: State) -> State:
        self.put(state.stored)
        return state._replace(known=self.someone().seen.token, is_restored=False)
