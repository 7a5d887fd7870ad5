# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a ledger, in whatever database it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType, TracebackType
from typing import TypeVar

from .._core.errors import LedgerError
from . import rows as rows_of
from .database import Database
from .identity import by_subject, duplicate, folded_name
from .order_records import RELEASED, ClaimEvidence, Filter, History, Record, Request, Token
from .rows import Liveness, Row, Transaction, record_of, rows_with

_T = TypeVar("_T")
_Self = TypeVar("_Self")


class LedgerReading:
    """The durable store of every order sent. An open ledger is one run, with one lock that shows whether it is alive.

    One thread uses it. When closed, what is still pending of its run is in doubt.
    Every method but close() raises LedgerError, with what to do, when the store cannot be read or written. A missing
    ledger reads as empty. ``place`` and ``address`` are those of its database.
    """

    #: Called after each change that left a token, before anything is sent that relies on it.
    on_change: Callable[[], None] | None = None

    def __init__(self, database: Database, run_id: str, *, writing: bool) -> None:
        self.place, self.address = database.place, database.address
        self._database = database
        self._writing = writing
        self._closed = False
        self._run_id = run_id
        self._locked = False
        #: This run's claims whose outcome is not recorded yet.
        self._claims: dict[str, Record] = {}
        #: What was listed before this run's orders that were accepted without an ID, by their names.
        self._evidence: dict[str, ClaimEvidence] = {}
        #: The last token that this run left in the ledger or saw there.
        self.token: Token | None = None
        #: Whether this user has not seen it before.
        self.is_new_here = False

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What it is, and how far it has come

    @property
    def exists(self) -> bool:
        """Whether there is a ledger."""
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
        """How far this ledger has come, and which of these tokens it lacks."""
        history = self._look(partial(rows_of.read_history, tokens=tokens))
        if history.token and (self.token is None or self.token.number < history.token.number):
            self.token = history.token
        return history

    def newest_order(self) -> tuple[int, str | None]:
        """The number of orders and operations, and the name of the last one that was claimed or adopted."""
        return self._look(rows_of.newest_order)

    # Reading

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        """The records of orders and operations with these names, by name. Names without a record are left out."""
        return self._look(lambda transaction: self._by_name(transaction, names))

    def look_up(self, names: Sequence[str]) -> tuple[dict[str, Record], dict[str, str]]:
        """The records with these names, and by these the names of others that look alike.

        Of those others, none is released.
        """
        found = self._look(lambda transaction: self._of_similar_names(transaction, names))
        records, others = {each.name: each for each in found}, similar_records(names, found)
        return {name: records[name] for name in names if name in records}, {by: others[by].name for by in others}

    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        """The records for the same things as these requests under other names, by the requests' names.

        An order in doubt and one that is being placed stand, too.
        """
        return self._look(lambda transaction: self._duplicates(transaction, requests))

    def names_claimed(self, approval: str) -> dict[str, bool]:
        """The names that were claimed under an approval; see rows.py. Empty: this ledger has no claim under it."""
        return self._look(partial(rows_of.names_claimed, approval=approval))

    def services(self) -> dict[str, int]:
        """The addresses of services with recorded orders, and the number of orders for each."""
        return self._look(rows_of.services)

    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in the order of ``claimed_at`` (adopted ones by ``updated_at``) and name."""
        end_user = None if wanted.end_user is None else wanted.end_user.lower()
        equal = {"kind": wanted.kind, "lower(end_user)": end_user, "product_type": wanted.product_type}
        given = {column: value for column, value in equal.items() if value is not None}
        condition, values = "".join(f" AND {column} = ?" for column in given), [*given.values()]
        if wanted.statuses is not None:
            # What is pending may turn out to be in doubt.
            statuses = {*wanted.statuses, "pending"}
            condition, values = f"{condition} AND status IN ({rows_of.marks(statuses)})", [*values, *statuses]

        def rows(transaction: Transaction) -> list[Row]:
            if wanted.names is None:
                return transaction.query(rows_of.select(condition), values)
            return rows_with(transaction, "folded_name", map(folded_name, wanted.names), condition, values)

        found = filter(wanted.holds, self._look(lambda transaction: self._records(transaction, rows)))
        return sorted(found, key=lambda record: (record.claimed_at or record.updated_at, record.name))

    def close(self) -> None:
        """Release this run's lock and the connection. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._database.release(with_claims=bool(self._claims))

    # Records within a transaction

    def _look(self, work: Callable[[Transaction], _T]) -> _T:
        return self._use(writing=False).run(work, writing=False)

    def _by_name(self, transaction: Transaction, names: Sequence[str]) -> dict[str, Record]:
        found, wanted = self._of_similar_names(transaction, names), {*names}
        return {record.name: record for record in found if record.name in wanted}

    def _of_similar_names(self, transaction: Transaction, names: Sequence[str]) -> list[Record]:
        # Not by an index on the name: SQLite would take the name from that, whatever row it leads to.
        forms = [*map(folded_name, names)]
        return self._records(transaction, lambda each: rows_with(each, "folded_name", forms))

    def _records(self, transaction: Transaction, query: Callable[[Transaction], list[Row]]) -> list[Record]:
        """Records and how the runs of theirs are: an order is in doubt only if its run was gone before it was read.

        A run that records its last outcome and ends would otherwise seem to have died with its order pending.
        """
        gone, unseen = set[str](), set[str]()
        while True:
            rows = query(transaction)
            asked = rows_of.pending_runs(rows) - gone - {self._run_id}
            alive, hidden = self._database.living(transaction, asked) if asked else (set(), set())
            if asked == alive:
                runs = Liveness(alive | {self._run_id}, unseen, transaction.now() if unseen else "")
                lists = rows_of.read_lists(transaction, rows, self._database.digest_key)
                return [self._with_evidence(record_of(row, runs, lists)) for row in rows]
            gone |= asked - alive
            unseen |= hidden

    def _with_evidence(self, record: Record) -> Record:
        """The record with what was listed before, if this run's order was accepted without an ID."""
        evidence = self._evidence.get(record.name)
        if evidence is None or record.request is None or (record.status, record.run_id) != ("ordered", self._run_id):
            return record
        return record._replace(request=replace(record.request, evidence=evidence))

    def _duplicates(
        self,
        transaction: Transaction,
        requests: Sequence[Request],
        claims: Mapping[str, Record] = MappingProxyType({}),
    ) -> dict[str, Record]:
        """What stands in the way of these requests under another name, if only a claim that is written with them."""
        subjects = [request.identity.subject for request in requests if request.identity]
        same = self._records(transaction, lambda each: rows_with(each, "subject", subjects, rows_of.NOT_RELEASED))
        found, others = by_subject(same), dict[str, Record]()
        for request in requests:
            other = None if request.again else duplicate(request, found)
            if other is not None:
                others.setdefault(request.name, other)
            elif request.identity and request.name in claims:
                found.setdefault(request.identity.subject, []).append(claims[request.name])
        return others

    def _use(self, *, writing: bool) -> Database:
        """The database, which for the first change is made if it is missing, and checked as a whole."""
        if self._closed:
            raise LedgerError(f"The ledger {self.place} is closed.")
        if writing and not self._writing:
            raise LedgerError(f"The ledger {self.place} was opened for reading only.")
        if writing:
            self._database = self._database.ready()
        return self._database


def similar_records(names: Sequence[str], found: Sequence[Record]) -> dict[str, Record]:
    """The records, of those found, with another name that looks like one of these, by these names."""
    of_form: dict[str, list[Record]] = {}
    for each in found:
        if each.status not in RELEASED:
            of_form.setdefault(folded_name(each.name), []).append(each)
    return {name: each for name in names for each in of_form.get(folded_name(name), ()) if each.name != name}
