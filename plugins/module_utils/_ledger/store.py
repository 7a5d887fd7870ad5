# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guarantees of every ledger: claiming, recording, settling, removing and moving orders."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Concatenate, ParamSpec, TypeVar

from .._core.errors import LedgerError
from .database import Database, History, Mode, Token
from .order_records import Claim, Outcome, Record, Settlement
from .sqlite import EmptyDatabase
from .transaction import Transaction

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Self = TypeVar("_Self")


def _reading(work: Callable[Concatenate[Transaction, _P], _T]) -> Callable[Concatenate[Ledger, _P], _T]:
    """Make a method of the ledger of one of a transaction that only reads."""

    def read(ledger: Ledger, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return ledger.read(work, *args, **kwargs)

    return read


def _changing(work: Callable[Concatenate[Transaction, _P], _T]) -> Callable[Concatenate[Ledger, _P], _T]:
    """Make a method of the ledger of one of a transaction that changes something, and leaves a token."""

    def change(ledger: Ledger, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return ledger.change(lambda transaction: work(transaction, *args, **kwargs))

    return change


class Ledger:
    """The durable store of every order sent. An open ledger is one run.

    At most one run has a claim on a name, and on a thing. One thread uses it, and the process that opened it. Every
    method but close() raises LedgerError, with what to do, when the store cannot be read or written. A missing ledger
    reads as empty (``exists`` is ``False``), and the first change makes it. ``place``, ``address``, ``id`` and
    ``digest_key`` are those of its database, which ``opening`` opens, or makes with ``making``.
    """

    #: Called after each change, before anything is sent that relies on it.
    on_change: Callable[[], None] | None = None
    #: The last token that this user is known to have left or seen in it, in whatever run.
    remembered: Callable[[], Token | None] = staticmethod(lambda: None)

    def __init__(self, opening: Callable[..., Database], mode: Mode) -> None:
        self._opening, self._mode = opening, mode
        self._process: int | None = os.getpid()
        self._use(opening())
        #: This run's claims whose outcome is not recorded yet.
        self._claims: dict[str, Record] = {}
        #: The names of those of which a request may be under way. Whoever sends adds and discards them, in any thread.
        self.under_way: set[str] = set()
        #: How far it had come when it was read, or changed by this run, the last time.
        self.seen = History(self.place)

    def _use(self, database: Database) -> None:
        self._database = database if database.exists else EmptyDatabase(database)
        self.place, self.address, self.exists = database.place, database.address, database.exists
        self.id, self.digest_key = self._database.id, self._database.digest_key

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End this run's claims of which no request is under way, and release the connection.

        The others stay pending until their deadline. Closing twice does nothing, nor does closing in a fork: what the
        process that opened the ledger has claimed is not for others to end.
        """
        if self._process == os.getpid():
            with suppress(LedgerError):
                if ended := self._claims.keys() - self.under_way:
                    self.run(lambda transaction: transaction.end_claims(ended), writing=True)
            self._database.release()
        self._process = None

    # Transactions

    def run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        """Do the work in one transaction of the database; it may be done again from its start."""
        database = self._ready(writing=writing)
        return database.run(lambda session: work(Transaction(database, session)), writing=writing)

    def _ready(self, *, writing: bool) -> Database:
        if self._process is None:
            raise LedgerError(f"The ledger {self.place} is closed.")
        if writing and self._mode != "write":
            raise LedgerError(f"The ledger {self.place} was opened for reading only.")
        if not self.exists and (database := self._opening(making=writing)).exists:
            # Another run may have made it meanwhile.
            self._database.release()
            self._use(database)
        if writing:
            self._database.check_whole()
        return self._database

    def make(self) -> None:
        """Make a missing ledger, or check it as a whole, as the first change does. Its digest key is known then."""
        self._ready(writing=True)

    def read(self, work: Callable[Concatenate[Transaction, _P], _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return the result of this method of a transaction, which only reads."""
        return self.run(lambda transaction: work(transaction, *args, **kwargs), writing=False)

    def change(self, work: Callable[[Transaction], _T]) -> _T:
        """Do the work in a transaction that leaves a token."""

        def changing(transaction: Transaction) -> tuple[_T, History | None]:
            answer = work(transaction)
            transaction.drop_lists()
            return answer, transaction.leave_token(self._known_tokens())

        answer, seen = self.run(changing, writing=True)
        self._left(seen)
        return answer

    def _known_tokens(self) -> list[Token]:
        return [*filter(None, (self.seen.token, self.remembered()))]

    def _left(self, seen: History | None) -> None:
        if seen is not None:
            self.seen = seen
            if self.on_change is not None:
                self.on_change()

    # Reading

    find = _reading(Transaction.find)
    look_up = _reading(Transaction.look_up)
    duplicates = _reading(Transaction.duplicates)
    select = _reading(Transaction.select)
    numbers = _reading(Transaction.numbers)
    known_ids = _reading(Transaction.known_ids)
    cancellation_of = _reading(Transaction.cancellation_of)
    open_cancellations = _reading(Transaction.open_cancellations)
    events = _reading(Transaction.events)

    def history(self, tokens: Sequence[Token] = ()) -> History:
        """Return how far this ledger has come, and which of these tokens it lacks."""
        history, seen = self.read(Transaction.history, tokens), self.seen.token
        if history.token and (seen is None or seen.number < history.token.number):
            self.seen = history
        return history

    # Claiming and recording

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
        or if a name was claimed more or less often than its plan says. Nothing was written then; if the store failed at
        the very end it may show the claims as in doubt nonetheless, never as free.
        """

        def work(
            transaction: Transaction,
        ) -> tuple[dict[str, Record], dict[str, Record], dict[str, Record], History | None]:
            records = transaction.record(outcomes, self._claims)
            claims, held = transaction.claim(requests, longest)
            if evidence:
                transaction.drop_lists()
            # A claim of this run that it does not know of is one whose commit was answered by a lost connection.
            new = {
                record.name: claims[record.name]
                for record in held.values()
                if record.run_id == run.id and record.status == "pending" and record.name not in self._claims
            }
            if not (new or outcomes):
                return records, held, new, None
            return records, held, new, transaction.leave_token(self._known_tokens(), late=not new)

        if not (outcomes or requests):
            return {}, []
        run = self._database.by
        ended = {name: claim.request for name in outcomes if (claim := self._claims.get(name))}
        evidence = {name: request.evidence for name, request in ended.items() if request and request.evidence}
        records, held, new, seen = self.run(work, writing=True)
        self._left(seen)
        for name in outcomes:
            self._claims.pop(name, None)
            if name in evidence and records[name].status == "ordered" and not records[name].outcome.contract_id:
                run.evidence[name] = evidence[name]
        self._claims |= new
        return records, [None if new.pop(held[order.name].name, None) else held[order.name] for order in requests]

    # By hand, or by the service's list

    def settle(self, settlements: Sequence[Settlement], *, write: bool = True) -> list[Record | None]:
        """Settle or adopt, or only return what stands in the way of that; see Transaction.settle()."""
        if not write:
            return self.read(Transaction.settle, settlements, write=False)
        return self.change(lambda transaction: transaction.settle(settlements))

    remove = _changing(Transaction.remove)
    readdress = _changing(Transaction.readdress)
    note_addresses = _changing(Transaction.note_addresses)
