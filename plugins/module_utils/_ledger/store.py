# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guarantees of every ledger: claiming, recording, settling, removing and moving orders."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Concatenate, ParamSpec, TypeVar

from .._core.errors import LedgerError
from .database import Database, History, Mode, Token
from .lease import Clock, later
from .order_records import Claim, ListedIds, Outcome, Record, Request, Settlement
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
    reads as empty. ``place`` and ``address`` are those of its database.
    """

    #: Called after each change, before anything is sent that relies on it.
    on_change: Callable[[], None] | None = None
    #: The last token that this user is known to have left or seen in it, in whatever run.
    remembered: Callable[[], Token | None] = staticmethod(lambda: None)

    def __init__(self, database: Database, mode: Mode) -> None:
        self.place, self.address = database.place, database.address
        self._database = database
        self._mode = mode
        self._process: int | None = os.getpid()
        #: This run's claims whose outcome is not recorded yet.
        self._claims: dict[str, Record] = {}
        #: The names of those of which a request may be under way. Whoever sends adds and discards them, in any thread.
        self.under_way: set[str] = set()
        #: How far it had come when it was read, or changed by this run, the last time.
        self.seen = History(database.place)

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
                    self._database.run(lambda transaction: transaction.end_claims(ended), writing=True)
            self._database.release()
        self._process = None

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

    @property
    def token(self) -> Token | None:
        """The last token that this run left in the ledger or saw there."""
        return self.seen.token

    def history(self, tokens: Sequence[Token] = ()) -> History:
        """Return how far this ledger has come, and which of these tokens it lacks."""
        history = self.read(Transaction.history, tokens)
        if history.token and (self.token is None or self.token.number < history.token.number):
            self.seen = history
        return history

    # Reading

    def read(self, work: Callable[Concatenate[Transaction, _P], _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return the result of this method of a transaction, which only reads."""
        return self._opened().run(lambda transaction: work(transaction, *args, **kwargs), writing=False)

    find = _reading(Transaction.find)
    look_up = _reading(Transaction.look_up)
    duplicates = _reading(Transaction.duplicates)
    select = _reading(Transaction.select)
    numbers = _reading(Transaction.numbers)
    known_ids = _reading(Transaction.known_ids)
    cancellation_of = _reading(Transaction.cancellation_of)
    open_cancellations = _reading(Transaction.open_cancellations)
    events = _reading(Transaction.events)

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
        or if a name was claimed more or less often than its plan says. Nothing was written then; if the store failed at
        the very end it may show the claims as in doubt nonetheless, never as free.
        """
        claims: dict[str, Record] = {}

        def work(transaction: Transaction) -> tuple[dict[str, Record], dict[str, Record], History | None]:
            clock = transaction.clock()
            # Of a name that is given twice, the first one.
            for each in reversed(requests):
                claims[each.name] = self._claim(each, clock, longest)
            records = transaction.record(outcomes, self._claims)
            orders = [each for each in requests if isinstance(each, Request)]
            for each in orders:
                if each.over:
                    transaction.make_way(each)
            found = transaction.duplicates(orders, claims) | transaction.look_up([*claims])[1]
            # Nobody else writes meanwhile: what does not stand in the way now does not when the claims are written.
            own = {name: claims[name] for name in claims if name not in found}
            transaction.write_claims(own.values())
            if any(map(_evidence_of, map(self._claims.get, outcomes))):
                transaction.drop_lists()
            found |= own
            claimed = any(map(self._is_new, found.values()))
            if not (claimed or outcomes):
                return records, found, None
            return records, found, transaction.leave_token(self._known_tokens(), late=not claimed)

        if not (outcomes or requests):
            return {}, []
        database = self.make()
        records, found, seen = database.run(work, writing=True)
        self._left(seen)
        for name in outcomes:
            evidence = _evidence_of(self._claims.pop(name, None))
            if evidence and records[name].status == "ordered" and not records[name].outcome.contract_id:
                database.evidence[name] = evidence
        return records, [self._in_the_way(found[each.name], claims) for each in requests]

    def _claim(self, claim: Claim, clock: Clock, longest: float) -> Record:
        made = Record(claim.name, Outcome("pending"), None, self._database.by.id, clock.time, None, clock.time, True)
        made = made._replace(deadline=later(clock.time, longest), ledger=self.place)
        if clock.boot_id is not None:
            made = made._replace(boot_id=clock.boot_id, boot_time=f"{clock.boot_time:.3f}")
        if not isinstance(claim, Request):
            return made._replace(operation=claim)
        # What was listed before, as this ledger keeps it.
        kept = claim.evidence and claim.evidence.kept(self.digest_key)
        return made._replace(request=replace(claim, evidence=kept))

    def _is_new(self, record: Record) -> bool:
        # A claim of this run that it does not know of is one whose commit was answered by a lost connection.
        return record.run_id == self._database.by.id and record.status == "pending" and record.name not in self._claims

    def _in_the_way(self, found: Record, claims: Mapping[str, Record]) -> Record | None:
        if not self._is_new(found):
            return found
        self._claims[found.name] = claims[found.name]
        return None

    # By hand, or by the service's list

    def settle(self, settlements: Sequence[Settlement], *, write: bool = True) -> list[Record | None]:
        """Settle or adopt, or only return what stands in the way of that; see Transaction.settle()."""
        if not write:
            return self.read(Transaction.settle, settlements, write=False)
        return self.change(lambda transaction: transaction.settle(settlements))

    remove = _changing(Transaction.remove)
    readdress = _changing(Transaction.readdress)
    note_addresses = _changing(Transaction.note_addresses)

    # Transactions

    def change(self, work: Callable[[Transaction], _T]) -> _T:
        """Do the work in a transaction that leaves a token."""

        def changing(transaction: Transaction) -> tuple[_T, History | None]:
            answer = work(transaction)
            transaction.drop_lists()
            return answer, transaction.leave_token(self._known_tokens())

        answer, seen = self.make().run(changing, writing=True)
        self._left(seen)
        return answer

    def _known_tokens(self) -> list[Token]:
        return [*filter(None, (self.token, self.remembered()))]

    def _left(self, seen: History | None) -> None:
        if seen is not None:
            self.seen = seen
            if self.on_change is not None:
                self.on_change()

    def _opened(self) -> Database:
        if self._process is None:
            raise LedgerError(f"The ledger {self.place} is closed.")
        self._database = self._database.now_there()
        return self._database


def _evidence_of(claim: Record | None) -> ListedIds | None:
    return claim.request.evidence if claim and claim.request else None
