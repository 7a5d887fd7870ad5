# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guarantees of every ledger: claiming, recording, settling, removing and moving orders."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from .._core.errors import LedgerError
from .database import Database, History, Mode, Token, later
from .identity import taken_names, version_of
from .ledger_errors import refuse_pending
from .locations import FileLocation, Location
from .order_records import Claim, Filter, ListedIds, Outcome, Record, Request, Settlement
from .sqlite import MissingDatabase, SqliteDatabase
from .transaction import Transaction

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Self = TypeVar("_Self")


class Ledger:
    """The durable store of every order sent. An open ledger is one run.

    At most one run has a claim on a name, and on a thing. One thread uses it. When closed, what is still pending of its
    run is in doubt. Every method but close() raises LedgerError, with what to do, when the store cannot be read or
    written. A missing ledger reads as empty. ``place`` and ``address`` are those of its database.
    """

    #: Called after each change that left a token, before anything is sent that relies on it.
    on_change: Callable[[], None] | None = None

    def __init__(self, database: Database, mode: Mode) -> None:
        self.place, self.address = database.place, database.address
        self._database = database
        self._mode = mode
        self._closed = False
        #: This run's claims whose outcome is not recorded yet.
        self._claims: dict[str, Record] = {}
        #: What was listed before this run's orders that were accepted without an ID, by their names.
        self._evidence: dict[str, ListedIds] = {}
        #: The last token that this run left in the ledger or saw there.
        self.token: Token | None = None
        #: Whether this user has not seen it before.
        self.is_new_here = False

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End what this run has claimed, and release the connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            with suppress(LedgerError):
                if self._claims:
                    self._database.run(Transaction.end_claims, writing=True)
            self._database.release()

    # What it is, and how far it has come

    @property
    def exists(self) -> bool:
        """``False`` of a ledger that is missing."""
        return self._database.exists

    @property
    def id(self) -> str:
        """The unique ID of the ledger."""
        return self._database.id

    @property
    def digest_key(self) -> bytes:
        """32 random bytes, the key of the ledger's digests of contact data."""
        return self._database.digest_key

    def history(self, tokens: Sequence[Token] = ()) -> History:
        """Return how far this ledger has come, and which of these tokens it lacks."""
        history = self.read(Transaction.history, tokens)
        if history.token and (self.token is None or self.token.number < history.token.number):
            self.token = history.token
        return history

    # Reading

    def read(self, work: Callable[Concatenate[Transaction, _P], _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return the result of this method of a transaction, which only reads."""
        return self._opened().run(lambda transaction: work(transaction, *args, **kwargs), writing=False)

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        """The records of orders and operations with these names, by name. Names without a record are left out."""
        return self.look_up(names)[0]

    def look_up(self, names: Sequence[str]) -> tuple[dict[str, Record], dict[str, Record]]:
        """The records with these names, and those that take these names, which may have others; see taken_names()."""
        found = self._with_evidence(self.read(Transaction.of_similar_names, names))
        records = {each.name: each for each in found}
        return {name: records[name] for name in names if name in records}, taken_names(names, found)

    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        """The records for the same things as these requests under other names, by the requests' names.

        An order in doubt and one that is being placed stand, too, also if the request ``may_be_second``.
        """
        return self.read(Transaction.duplicates, [replace(each, may_be_second=False) for each in requests])

    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in the order of ``claimed_at`` (adopted ones by ``updated_at``) and name."""
        found = self._with_evidence(self.read(Transaction.select, wanted))
        return sorted(found, key=lambda record: (record.claimed_at or record.updated_at, record.name))

    def _with_evidence(self, records: Iterable[Record]) -> list[Record]:
        """Return the records, with what was listed before those of this run that were accepted without an ID."""
        found = []
        for record in records:
            evidence, request, run_id = self._evidence.get(record.name), record.request, self._database.run_id
            is_own = (record.status, record.run_id) == ("ordered", run_id)
            if evidence and request and is_own and not record.outcome.contract_id:
                record = record._replace(request=replace(request, evidence=evidence))
            found.append(record)
        return found

    # Claiming and recording

    def make(self) -> Database:
        """Make a missing ledger, or check it as a whole, as the first change does. Its digest key is known then."""
        if self._mode != "write":
            raise LedgerError(f"The ledger {self.place} was opened for reading only.")
        self._database = self._opened().ready()
        return self._database

    def exchange(
        self,
        outcomes: Mapping[str, Outcome],
        requests: Sequence[Claim],
        *,
        longest: float,
    ) -> tuple[dict[str, Record], list[Record | None]]:
        """Record how orders of this run ended, by their names, and claim others, in one transaction, durably.

        ``longest`` seconds after now, no request of the claims is under way: until then, they are pending. It returns
        the records of those that ended, and for each request in order ``None`` when the claim is this run's now (no
        record, or a released one), else the record that stands in the way, untouched; of a name that is given twice,
        the second gets the first's claim. One of the other kind stands in the way, and a record of another name if it
        is a duplicate, unless the request ``may_be_second``, and if the names look alike.

        A contract is never lost: if somebody removed a claim meanwhile, it is made again with its outcome; if somebody
        settled it, identity.py says what stays. Raises ConflictError, with both outcomes in its message, if two
        orders may exist, and LedgerError if the ledger was moved, if it lacks the last token that this run left or saw,
        or if a name was claimed under its approval before. Nothing was written then; if the store failed at the very
        end it may show the claims as in doubt nonetheless, never as free.
        """
        claims: dict[str, Record] = {}

        def work(transaction: Transaction) -> tuple[dict[str, Record], dict[str, Record], Token | None]:
            time = transaction.now()
            until = later(time, longest)
            # Of a name that is given twice, the first one.
            for each in reversed(requests):
                claims[each.name] = self._claim(each, time, until)
            records = transaction.record(outcomes, self._claims)
            recorded = transaction.of_similar_names([*claims])
            orders = [each for each in requests if isinstance(each, Request)]
            found = transaction.duplicates(orders, claims) | taken_names([*claims], recorded)
            # Nobody else writes meanwhile: what does not stand in the way now does not when the claims are written.
            own = {name: claims[name] for name in claims if name not in found}
            transaction.refuse_claimed_before(orders, own)
            transaction.write_claims(own.values())
            if any(map(_evidence_of, map(self._claims.get, outcomes))):
                transaction.drop_lists()
            found |= own
            claimed = any(map(self._is_new, found.values()))
            return records, found, transaction.leave_token(self.token) if claimed else None

        if not (outcomes or requests):
            return {}, []
        database = self.make()
        records, found, token = database.run(work, writing=True)
        if token is not None:
            self._left(token)
        for name in outcomes:
            evidence = _evidence_of(self._claims.pop(name, None))
            if evidence and records[name].status == "ordered" and not records[name].outcome.contract_id:
                self._evidence[name] = evidence
        return records, [self._in_the_way(found[each.name], claims) for each in requests]

    def _claim(self, claim: Claim, time: str, until: str) -> Record:
        made = Record(claim.name, Outcome("pending"), None, self._database.run_id, time, None, time, True)
        made = made._replace(deadline=until, ledger=self.place)
        if not isinstance(claim, Request):
            return made._replace(operation=claim)
        # What was listed before, as this ledger keeps it.
        kept = claim.evidence and claim.evidence.kept(self.digest_key)
        return made._replace(request=replace(claim, evidence=kept))

    def _is_new(self, record: Record) -> bool:
        # A claim of this run that it does not know of is one whose commit was answered by a lost connection.
        return record.run_id == self._database.run_id and record.status == "pending" and record.name not in self._claims

    def _in_the_way(self, found: Record, claims: Mapping[str, Record]) -> Record | None:
        if not self._is_new(found):
            return found
        self._claims[found.name] = claims[found.name]
        return None

    # Settling, adopting, removing

    def settle(self, settlements: Sequence[Settlement], *, write: bool = True) -> list[Record | None]:
        """Settle or adopt in one transaction, durably, or only return what stands in the way of that.

        For each ``None``, or without having written it the record that stands in the way: its own if that has changed
        since ``before`` was read, that of another order with the same contract id, or that of the same thing under
        another name, unless it is requested ``again`` or was recorded here before. The outcome takes the place of the
        recorded one. Raises ResellerError while another run is placing the order.
        """

        def work(transaction: Transaction) -> list[Record | None]:
            return [transaction.settle(each, write=write) for each in settlements]

        return self._change(work) if write else self.read(work)

    def move_service(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""
        self._change(lambda transaction: transaction.move_service(old, new))

    def remove(self, before: Record) -> Record | None:
        """Remove a record. Raises ResellerError while another run is placing it.

        One that is another one than ``before`` by now is left, and returned.
        """

        def work(transaction: Transaction) -> Record | None:
            current = transaction.by_name([before.name]).get(before.name)
            if current is not None:
                refuse_pending(current)
                if version_of(current) != version_of(before):
                    return current
                transaction.delete(before.name)
            return None

        return self._change(work)

    # Transactions

    def _change(self, work: Callable[[Transaction], _T]) -> _T:
        """Do the work in a transaction that leaves a token."""

        def changing(transaction: Transaction) -> tuple[_T, Token]:
            answer = work(transaction)
            transaction.drop_lists()
            return answer, transaction.leave_token(self.token)

        answer, token = self.make().run(changing, writing=True)
        self._left(token)
        return answer

    def _left(self, token: Token) -> None:
        self.token = token
        if self.on_change is not None:
            self.on_change()

    def _opened(self) -> Database:
        if self._closed:
            raise LedgerError(f"The ledger {self.place} is closed.")
        return self._database


def _evidence_of(claim: Record | None) -> ListedIds | None:
    return claim.request.evidence if claim and claim.request else None


def open_ledger(location: Location, mode: Mode) -> Ledger:
    """Open the ledger at this location, which reads as empty if it is missing. Its first change makes it.

    Raises LedgerError.
    """
    run_id = uuid.uuid4().hex
    opening: Callable[..., Database]
    if isinstance(location, FileLocation):
        opening = partial(SqliteDatabase, location, run_id, mode)
    else:
        # Measured: psycopg takes 60 ms to import.
        from .postgresql import PostgresqlDatabase

        opening = partial(PostgresqlDatabase, location, run_id, mode)
    database = opening()
    return Ledger(database if database.exists else MissingDatabase(database, partial(opening, making=True)), mode)
