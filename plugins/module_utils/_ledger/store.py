# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What SQL ledgers share: reading, claiming, recording, settling and removing orders.

A store adds how to connect, to run a transaction, and to tell whether a run is alive.
"""

from __future__ import annotations

import hmac
import os
import secrets
import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import NoReturn, TypeVar

from .._core.errors import InFlightError, LedgerError
from .._core.text import caseless
from . import rows as rows_of
from .identity import by_identity, duplicate, sought
from .order_records import KEY_OF_OPERATIONS, RELEASED, Filter, Mark, Outcome, Record, Request, Settlement
from .rows import INSERT_CLAIM, INSERT_MISSING, Row, Transaction, combine, decide, now, pending_runs, record_of, row_of

_CHUNK = 500  # SQLite before 3.32 takes 999 variables in a statement
_T = TypeVar("_T")


#: Called with the address and the place of a ledger that is about to be made; raises LedgerError to prevent it.
BeforeMaking = Callable[[str, str], None]


class Ledger(ABC):
    """The durable store of every order sent. An open ledger is one run, with one lock that shows whether it is alive.

    Threads may share one; it must not cross a fork. When closed, what is still pending of its run is in doubt.
    Every method but close() raises LedgerError, with what to do, when the store cannot be read or written.
    ``warnings`` are for whoever orders, once for each run.
    """

    warnings: Sequence[str] = ()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    #: Whether this run made the ledger.
    made = False
    #: The most claims that this run saw the ledger count.
    counter = 0
    #: Called when a task that used the ledger ends.
    at_end: Callable[[], None] | None = None
    #: Why nothing may be claimed: the ledger shows by itself that it went back in time. ``None``: nothing shows.
    objection: str | None = None

    @property
    @abstractmethod
    def place(self) -> str:
        """The location of the ledger for messages: a path, or a PostgreSQL address without its password."""

    @property
    @abstractmethod
    def address(self) -> str:
        """The unique location of the ledger: a path without links, or host, port, database and schema."""

    @property
    def id(self) -> str:
        """The unique ID of the ledger, which another ledger at its location does not have."""
        return hmac.new(self.digest_key, b"ledger", "sha256").hexdigest()[:32]

    @property
    @abstractmethod
    def digest_key(self) -> bytes:
        """32 random bytes, created with this ledger. They are the key of the digests of contact data."""

    def accept(self) -> None:
        """Take the ledger as it is, whatever ``objection`` says. Raises LedgerError."""
        return

    @abstractmethod
    def mark(self) -> Mark:
        """The state of this ledger."""

    @abstractmethod
    def move(self, place: str | None, known: Collection[str]) -> None:
        """Record that the ledger was moved to this location. After that, nothing can be claimed in it.

        ``None``: that it is in use again. ``known`` are the names that the new ledger holds: LedgerError is raised
        if an order that is not released is not among them.
        """

    @abstractmethod
    def find(self, names: Sequence[str]) -> dict[str, Record]:
        """The records with these names, by name. Names without a record are left out."""

    @abstractmethod
    def differing_in_case(self, names: Sequence[str]) -> dict[str, str]:
        """Those of these names that another, not released order's name differs from in capital letters only: that name.

        Capital letters are those of any script, see text.caseless.
        """

    @abstractmethod
    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        """The records for the same things as these requests under other names, by the requests' names.

        An order in doubt and one that is being placed stand, too.
        """

    @abstractmethod
    def names(self) -> list[str]:
        """The names of all orders."""

    @abstractmethod
    def services(self) -> dict[str, int]:
        """The addresses of services with recorded orders, and the number of orders for each."""

    @abstractmethod
    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in the order of ``claimed_at`` (adopted ones by ``updated_at``) and name."""

    @abstractmethod
    def exchange(
        self, outcomes: Mapping[str, Outcome], requests: Sequence[Request], *, again: Collection[str] = ()
    ) -> tuple[dict[str, Record], list[Record | None]]:
        """Record how orders of this run ended, by their names, and claim others, in one transaction, durably.

        The records as they stand then, and what claim() answers. When LedgerError is raised, nothing was written, see
        claim() and record().
        """

    def claim(self, requests: Sequence[Request], *, again: Collection[str] = ()) -> list[Record | None]:
        """Record these orders as ``pending`` for this run, in one transaction that is durable on return.

        For each request, in order: ``None`` when the claim is this run's now (no record, or a released one), else the
        record that stands in the way, untouched; of a name that is given twice, the second gets the first's claim. A
        record of another name stands in the way if it is a duplicate, unless the request's name is in ``again``; of two
        runs that claim the same under two names, one gets the other's claim. This run's lock is taken before the first
        claim is written. Raises LedgerError if the ledger was moved, or has come less far than this run has seen it.
        When LedgerError is raised, nothing was claimed; if the store failed at the very end it may show the claims as
        in doubt nonetheless, never as free.
        """
        return self.exchange({}, requests, again=again)[1]

    def record(self, name: str, outcome: Outcome) -> Record:
        """Record durably how this run's order ended, and return the new record.

        ``outcome`` is not ``pending``. Saying it again is harmless.

        A contract is never lost: if somebody removed the claim meanwhile, it is made again; if somebody settled it,
        ``ordered`` outranks everything, ``in_doubt`` everything but ``ordered``, and a contract id that one side
        lacks is filled in. A record that another run claimed meanwhile is left as it is: that is LedgerError (with
        both outcomes in its message) if two orders may exist, as are two different contract ids.
        """
        return self.exchange({name: outcome}, [])[0][name]

    @abstractmethod
    def settle(self, name: str, outcome: Outcome, request: Request | None, *, again: bool = False) -> Record | None:
        """Record ``outcome`` under this name, as a user settles it, or add a record (adopt).

        ``request`` replaces the recorded request when it is given. Of a recorded contract with the same or no id, what
        ``outcome`` does not tell is kept. Returns ``None``, or without having written anything a record that stands for
        the same as ``request`` under another name, unless that is wanted ``again`` or was recorded here before. Raises
        InFlightError while another run is placing the order.
        """

    @abstractmethod
    def settle_all(self, settlements: Sequence[Settlement]) -> list[Record | None]:
        """Settle or adopt many in one transaction, durably.

        For each ``None``, or without having written it a record that stands in the way: its own if that has changed
        since it was read, that of another order with the same contract, or as settle() has it.
        """

    @abstractmethod
    def move_service(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove the record with this name, if any. Raises InFlightError while another run is placing it."""

    @abstractmethod
    def close(self) -> None:
        """Release this run's lock and the connection. Closing twice does nothing."""


class AbsentLedger(Ledger):
    """The empty ledger. Its digest key is random, because there are no digests to compare with."""

    def __init__(self, place: str, address: str, warnings: Sequence[str] = ()) -> None:
        self.warnings = warnings
        self._place = place
        self._address = address
        self._key = secrets.token_bytes(32)

    @property
    def place(self) -> str:
        return self._place

    @property
    def address(self) -> str:
        return self._address

    @property
    def digest_key(self) -> bytes:
        return self._key

    def mark(self) -> Mark:
        return Mark()

    def move(self, place: str | None, known: Collection[str]) -> None:
        self._refuse()

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        return {}

    def differing_in_case(self, names: Sequence[str]) -> dict[str, str]:
        return {}

    def select(self, wanted: Filter) -> list[Record]:
        return []

    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        return {}

    def names(self) -> list[str]:
        return []

    def services(self) -> dict[str, int]:
        return {}

    def exchange(
        self, outcomes: Mapping[str, Outcome], requests: Sequence[Request], *, again: Collection[str] = ()
    ) -> tuple[dict[str, Record], list[Record | None]]:
        self._refuse()

    def settle(self, name: str, outcome: Outcome, request: Request | None, *, again: bool = False) -> Record | None:
        self._refuse()

    def settle_all(self, settlements: Sequence[Settlement]) -> list[Record | None]:
        self._refuse()

    def move_service(self, old: str, new: str) -> None:
        self._refuse()

    def remove(self, name: str) -> None:
        self._refuse()

    def close(self) -> None:
        pass

    def _refuse(self) -> NoReturn:
        raise LedgerError(f"The ledger {self._place} was opened for reading only.")


class SqlLedger(Ledger):
    """A ledger in a database. A store implements the abstract methods, which all run under one thread lock."""

    #: What a statement ends with so that the rows that it reads stay as they are until the transaction ends.
    _for_update = ""
    #: The condition of the names that begin with KEY_OF_OPERATIONS, which an index answers where the store can.
    _is_operation: str

    def __init__(self, place: str, *, writing: bool) -> None:
        self._place = place
        self._writing = writing
        self._pid = os.getpid()
        self._mutex = threading.RLock()
        self._closed = False
        self._run_id = uuid.uuid4().hex
        self._locked = False
        #: This run's claims whose outcome is not recorded yet.
        self._claims: dict[str, Record] = {}
        self._key = b""

    @abstractmethod
    def _run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        """Do the work in one transaction, durably when writing. The work may be done again from its start."""

    @abstractmethod
    def _living(self, transaction: Transaction, run_ids: Collection[str]) -> set[str]:
        """Those of these runs of others that hold their lock."""

    @abstractmethod
    def _take_lock(self) -> None:
        """Take this run's lock, for as long as the process lives and the ledger is open."""

    def _guard(self, transaction: Transaction, identities: Collection[str]) -> None:
        """Let no other transaction write of these identities until this one ends. Needed where several can write."""

    @abstractmethod
    def _release(self) -> None:
        """Release this run's lock and the connection."""

    @property
    def place(self) -> str:
        return self._place

    @property
    def digest_key(self) -> bytes:
        return self._key

    def mark(self) -> Mark:
        with self._used(writing=False):
            mark = self._run(partial(rows_of.read_mark, place=self._place), writing=False)
            self.counter = max(self.counter, mark.counter)
            return mark

    def move(self, place: str | None, known: Collection[str]) -> None:
        def work(transaction: Transaction) -> None:
            # Claims count, too: none can come in between.
            rows_of.count(transaction, self._place)
            left = sorted({*rows_of.standing_names(transaction, "1 = 1")}.difference(known))
            if place is not None and left:
                raise LedgerError(
                    f"The ledger {self._place} has {len(left)} orders that the ledger {place} lacks.\n"
                    f"Missing there: {', '.join(left[:5])}{', …' if len(left) > 5 else ''}\n"
                    "It stays in use. Stop all runs that order, and run the playbook move_ledger again."
                )
            rows_of.move(transaction, place)

        with self._used(writing=True):
            self._run(work, writing=True)

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        with self._used(writing=False):
            return {record.name: record for record in self._read(lambda transaction: self._rows(transaction, names))}

    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        with self._used(writing=False):
            records = self._read(lambda transaction: self._identified(transaction, requests))
        found = by_identity(records)
        return {request.name: record for request in requests if (record := _duplicate(request, found)) is not None}

    def names(self) -> list[str]:
        with self._used(writing=False):
            return [name for name in self._run(rows_of.names, writing=False) if not name.startswith(KEY_OF_OPERATIONS)]

    def services(self) -> dict[str, int]:
        with self._used(writing=False):
            return self._run(rows_of.services, writing=False)

    def move_service(self, old: str, new: str) -> None:
        with self._used(writing=True):
            self._run(lambda transaction: rows_of.move_service(transaction, old, new), writing=True)

    def differing_in_case(self, names: Sequence[str]) -> dict[str, str]:
        by_caseless = {caseless(name): name for name in names}
        if not by_caseless:
            return {}

        def candidates(transaction: Transaction) -> list[str]:
            chunks = _chunks([*by_caseless])
            return [name for chunk in chunks for name in rows_of.alike(transaction, chunk)]

        with self._used(writing=False):
            found = self._run(candidates, writing=False)
        return {by_caseless[caseless(name)]: name for name in found if by_caseless.get(caseless(name), name) != name}

    def select(self, wanted: Filter) -> list[Record]:
        equal = {"end_user": wanted.end_user, "product_type": wanted.product_type}
        equal = {column: value for column, value in equal.items() if value is not None}

        def rows(transaction: Transaction) -> list[Row]:
            if wanted.names is not None:
                return self._rows(transaction, wanted.names)
            condition, values = "".join(f" AND {column} = ?" for column in equal), [*equal.values()]
            if wanted.statuses is not None:
                # What is pending may turn out to be in doubt.
                statuses = {*wanted.statuses, "pending"}
                condition, values = f"{condition} AND status IN ({rows_of.marks(statuses)})", [*values, *statuses]
            if wanted.operations:
                condition = f"{condition} AND {self._is_operation}"
            return transaction.query(rows_of.select(condition), values)

        with self._used(writing=False):
            records = self._read(rows)
        found = filter(wanted.holds, records)
        return sorted(found, key=lambda record: (record.claimed_at or record.updated_at, record.name))

    def exchange(
        self, outcomes: Mapping[str, Outcome], requests: Sequence[Request], *, again: Collection[str] = ()
    ) -> tuple[dict[str, Record], list[Record | None]]:
        if any(outcome.status == "pending" for outcome in outcomes.values()):
            raise ValueError("an outcome is how an order ended: it cannot be pending")
        time = now()
        # Each name once, and in one order everywhere, so that two groups never wait for each other.
        claims = {
            request.name: Record(request.name, Outcome("pending"), request, self._run_id, time, None, time, alive=True)
            for request in sorted({request.name: request for request in reversed(requests)}.values(), key=_name)
        }

        def work(transaction: Transaction) -> tuple[dict[str, Record], dict[str, Record], int]:
            if claims:
                ended = [self._claims[name].request for name in outcomes if name in self._claims]
                about = [request.identity for request in (*requests, *ended) if request is not None]
                self._guard(transaction, {*filter(None, about)})
            records = {name: self._record(transaction, name, outcomes[name]) for name in sorted(outcomes)}
            twins = self._duplicates(transaction, requests, claims, again)
            transaction.many(INSERT_CLAIM, (row_of(claim) for name, claim in claims.items() if name not in twins))
            standing = {each.name: each for each in self._records(transaction, self._rows(transaction, [*claims]))}
            free = {name for name in twins if name not in standing or standing[name].status in RELEASED}
            standing |= {name: twins[name] for name in free}
            count = self._count(transaction) if any(map(self._is_new, standing.values())) else self.counter
            return records, standing, count

        with self._used(writing=True):
            if not (outcomes or requests):
                return {}, []
            if claims and not self._locked:
                self._take_lock()
                self._locked = True
            records, standing, self.counter = self._run(work, writing=True)
            for name in outcomes:
                self._claims.pop(name, None)
            answer: list[Record | None] = []
            for request in requests:
                record = standing[request.name]
                if self._is_new(record):
                    self._claims[record.name] = claims[record.name]
                    answer.append(None)
                else:
                    answer.append(record)
            return records, answer

    def _is_new(self, record: Record) -> bool:
        # A claim of this run that it does not know of is one whose commit was answered by a lost connection.
        return record.run_id == self._run_id and record.status == "pending" and record.name not in self._claims

    def _count(self, transaction: Transaction) -> int:
        mark = rows_of.count(transaction, self._place)
        if mark.moved_to is not None:
            raise LedgerError(moved(self._place, mark.moved_to))
        if mark.counter <= self.counter:
            raise LedgerError(
                f"The ledger {self._place} went back in time while this run had it open. Nothing more is sent.\n"
                f"It counted {self.counter} claims before, and {mark.counter} with this one. A failover or a restored "
                "backup has lost orders.\n"
                "Do not order anything before the ledger was restored, or the contracts that the customer portal shows "
                "were adopted."
            )
        return mark.counter

    def _duplicates(
        self,
        transaction: Transaction,
        requests: Sequence[Request],
        claims: Mapping[str, Record],
        again: Collection[str],
    ) -> dict[str, Record]:
        """What stands in the way of these requests under another name, if only a claim that is written with them."""
        found = by_identity(self._records(transaction, self._identified(transaction, requests)))
        twins: dict[str, Record] = {}
        for request in requests:
            twin = None if request.name in again else _duplicate(request, found)
            if twin is not None:
                twins.setdefault(request.name, twin)
            elif request.identity and request.name in claims:
                found.setdefault(request.identity, []).append(claims[request.name])
        return twins

    def _record(self, transaction: Transaction, name: str, outcome: Outcome) -> Record:
        time = now()
        bare = Record(name, Outcome("pending"), None, self._run_id, None, None, time)
        claim = self._claims.get(name, bare)
        standing = self._standing(transaction, name)
        while standing is None:
            # Somebody removed the claim: it is put back, and then ends as any other.
            transaction.query(INSERT_MISSING, row_of(claim))
            standing = self._standing(transaction, name)
        decided = decide(standing, self._run_id, outcome)
        if decided is None:
            return standing
        base = standing
        if standing.run_id != self._run_id and (standing.outcome.status in RELEASED or standing.request is None):
            base = replace(claim, ordered_at=standing.ordered_at)
        return self._write(transaction, replace(base, run_id=self._run_id), decided, base.ordered_at or time)

    def settle(self, name: str, outcome: Outcome, request: Request | None, *, again: bool = False) -> Record | None:
        settlement = Settlement(name, outcome, request, again=again)
        return self._settled([settlement], lambda transaction: [self._settle(transaction, settlement)])[0]

    def settle_all(self, settlements: Sequence[Settlement]) -> list[Record | None]:
        def work(transaction: Transaction) -> list[Record | None]:
            ids = [each.outcome.contract_id for each in settlements if each.outcome.contract_id]
            requests = [each.request for each in settlements if each.request is not None]
            # All at once, in one order, so that two runs never wait for each other.
            self._guard(transaction, {*ids, *(request.identity for request in requests if request.identity)})
            holders = self._holders(transaction, ids)
            return [self._settle_unchanged(transaction, each, holders) for each in settlements]

        return self._settled(settlements, work)

    def _settled(
        self, settlements: Sequence[Settlement], work: Callable[[Transaction], list[Record | None]]
    ) -> list[Record | None]:
        if any(each.outcome.status == "pending" for each in settlements):
            raise ValueError("an order is settled as what became of it: it cannot be pending")
        with self._used(writing=True):
            answer = self._run(work, writing=True)
            for each, in_the_way in zip(settlements, answer, strict=True):
                if in_the_way is None:
                    self._claims.pop(each.name, None)
            return answer

    def _settle(self, transaction: Transaction, settlement: Settlement) -> Record | None:
        name, outcome, request = settlement.name, settlement.outcome, settlement.request
        if request is not None and request.identity:
            self._guard(transaction, {request.identity})
        standing = self._standing(transaction, name)
        if request is not None and not (settlement.again or _is_about(standing, request)):
            twins = self._duplicates(transaction, [request], {}, ())
            if twins:
                return twins[name]
        while standing is None:
            adopted = Record(name, outcome, request, None, None, None, now())
            transaction.query(INSERT_MISSING, row_of(adopted))
            standing = self._standing(transaction, name)
        self._refuse_in_flight(standing)
        settled = outcome
        if standing.outcome.status == outcome.status == "ordered":
            settled = combine(standing.outcome, outcome) or outcome
        base = replace(standing, run_id=None, request=request or standing.request)
        # It was sent when it was claimed. When a contract was bought elsewhere is not known.
        self._write(transaction, base, settled, standing.ordered_at or standing.claimed_at)
        return None

    def _holders(self, transaction: Transaction, contract_ids: Sequence[str]) -> dict[str, Record]:
        """The ordered records of these contracts, by contract id."""
        names = [name for chunk in _chunks(contract_ids) for name in rows_of.holders(transaction, chunk)]
        records = self._records(transaction, self._rows(transaction, names))
        return {str(record.outcome.contract_id): record for record in records}

    def _settle_unchanged(
        self, transaction: Transaction, settlement: Settlement, holders: dict[str, Record]
    ) -> Record | None:
        standing, contract_id = self._standing(transaction, settlement.name), settlement.outcome.contract_id
        if _version_of(standing) != _version_of(settlement.before):
            # It may have been written by this very transaction, whose commit was answered by a lost connection.
            same = standing is not None and contract_id and standing.outcome.contract_id == contract_id
            return None if same and standing and standing.status == "ordered" else standing or settlement.before
        holder = holders.get(contract_id or "")
        if holder is not None and holder.name != settlement.name:
            return holder
        in_the_way = self._settle(transaction, settlement)
        if in_the_way is None and contract_id:
            holders[contract_id] = Record(settlement.name, settlement.outcome, settlement.request, None, None, None, "")
        return in_the_way

    def remove(self, name: str) -> None:
        def work(transaction: Transaction) -> None:
            standing = self._standing(transaction, name)
            if standing is not None:
                self._refuse_in_flight(standing)
                rows_of.delete(transaction, name)

        with self._used(writing=True):
            self._run(work, writing=True)
            self._claims.pop(name, None)

    def close(self) -> None:
        # A fork that closes what it inherited must not end its parent's connection.
        if os.getpid() == self._pid:
            with self._mutex:
                if not self._closed:
                    self._closed = True
                    self._release()

    def _write(self, transaction: Transaction, base: Record, outcome: Outcome, ordered_at: str | None) -> Record:
        """Write this outcome over a record; the record as it is read from then on."""
        at = ordered_at if outcome.status == "ordered" else None
        row = rows_of.update(transaction, replace(base, outcome=outcome, ordered_at=at, updated_at=now()))
        return record_of(row, ())

    def _refuse_in_flight(self, standing: Record) -> None:
        if standing.status == "pending" and standing.run_id != self._run_id:
            raise InFlightError(
                f"Another run has been placing the order {standing.name} since {standing.claimed_at}.\n"
                "Wait until that run has ended. If it dies, the order is in doubt from then on, and can be settled."
            )

    def _standing(self, transaction: Transaction, name: str) -> Record | None:
        rows = transaction.query(rows_of.select(" AND name = ?") + self._for_update, [name])
        return record_of(rows[0], self._living_of(transaction, rows)) if rows else None

    def _records(self, transaction: Transaction, rows: Sequence[Row]) -> list[Record]:
        living = self._living_of(transaction, rows)
        return [record_of(row, living) for row in rows]

    def _identified(self, transaction: Transaction, requests: Sequence[Request]) -> list[Row]:
        """The rows that may be of duplicates of these requests."""
        wanted = [about for request in requests if request.identity for about in sought(request.identity)]
        chunks = _chunks(list(dict.fromkeys(wanted)))
        return [row for chunk in chunks for row in rows_of.identified(transaction, chunk)]

    def _rows(self, transaction: Transaction, names: Sequence[str]) -> list[Row]:
        rows: list[Row] = []
        for chunk in _chunks(list(dict.fromkeys(names))):
            condition = f" AND name IN ({rows_of.marks(chunk)})"
            rows += transaction.query(rows_of.select(condition), chunk)
        return rows

    def _read(self, query: Callable[[Transaction], list[Row]]) -> list[Record]:
        """Records, with an order in doubt only where its run was known to be gone before the record was read.

        A run that records its last outcome and ends would otherwise seem to have died with its order pending.
        """
        gone: set[str] = set()
        while True:
            rows = self._run(query, writing=False)
            unclear_runs = pending_runs(rows) - gone - {self._run_id}
            living = self._run(partial(self._living, run_ids=unclear_runs), writing=False) if unclear_runs else set()
            if unclear_runs == living:
                return [record_of(row, living | {self._run_id}) for row in rows]
            gone |= unclear_runs - living

    def _living_of(self, transaction: Transaction, rows: Iterable[Row]) -> set[str]:
        others = pending_runs(rows) - {self._run_id}
        return {self._run_id} | (self._living(transaction, others) if others else set())

    @contextmanager
    def _used(self, *, writing: bool) -> Iterator[None]:
        if os.getpid() != self._pid:
            raise LedgerError(
                f"The ledger {self._place} was opened by another process.\n"
                "A database connection must not cross a fork. Open the ledger in the process that uses it."
            )
        with self._mutex:
            if self._closed:
                raise LedgerError(f"The ledger {self._place} is closed.")
            if writing and not self._writing:
                raise LedgerError(f"The ledger {self._place} was opened for reading only.")
            yield


def moved(place: str, moved_to: str) -> str:
    """The error of a ledger that was moved."""
    return (
        f"The ledger {place} was moved to {moved_to}. Nothing was sent.\n"
        f"Set ledger (or RESELLER_LEDGER) to {moved_to}: orders placed since are recorded there alone."
    )


def _duplicate(request: Request, found: Mapping[str, Sequence[Record]]) -> Record | None:
    identities = sought(request.identity) if request.identity else ()
    return duplicate(request, [record for about in identities for record in found.get(about, ())])


def _version_of(record: Record | None) -> tuple[str | None, ...] | None:
    """What changes whenever a record is written."""
    return (record.status, record.run_id, record.claimed_at, record.updated_at) if record else None


def _is_about(standing: Record | None, request: Request) -> bool:
    known = standing.request if standing is not None else None
    return known is not None and known.identity == request.identity


def _name(request: Request) -> str:
    return request.name


def _chunks(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), _CHUNK):
        yield names[start : start + _CHUNK]
