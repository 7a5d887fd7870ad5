# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in database.py; every value is bound
"""Reads and writes of a transaction, in whatever database the ledger is. Statements are written with ``?``."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .._core.errors import Advice, LedgerError
from .database import (
    APPROVALS,
    COLUMNS,
    LISTS,
    META,
    ORDERS,
    RUNS,
    TABLES,
    VERSION,
    Database,
    History,
    Row,
    Token,
    ended_as,
    now,
    record_of,
    row_of,
)
from .identity import by_subject, folded_name, is_duplicate, is_of_contract, is_written, outcome_to_write, version_of
from .ledger_errors import refuse_pending
from .order_records import RELEASED, Filter, ListedIds, Outcome, Record, Request, Settlement

#: The rows of each table in _MOVED.
Tables = list[list[Row]]


def _marks(values: Collection[object]) -> str:
    """Return a question mark for each of these values of a statement."""
    return ", ".join(["?"] * len(values)) or "NULL"


_CHUNK = 500  # SQLite before 3.32 takes 999 variables in a statement
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM {ORDERS}"
_NOT_RELEASED = f" AND status NOT IN ({', '.join(repr(status) for status in sorted(RELEASED))})"
_IS_ORDERED = " AND status = 'ordered'"
_DATED = f"SELECT COALESCE(claimed_at, updated_at), name FROM {ORDERS}"
_OURS = " AND kind = 'order' AND service IN (?, '') AND (end_user <> '__self__' OR organization_id IN (?, ''))"
#: Takes the values of row_of(), in place of a record with that name.
_WRITE = (
    f"INSERT INTO {ORDERS} ({', '.join(COLUMNS)}) VALUES ({_marks(COLUMNS)}) ON CONFLICT (name) DO "
    f"UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in COLUMNS[1:])}"
)
_SERVICES = f"SELECT service, COUNT(*) FROM {ORDERS} WHERE service <> '' GROUP BY service"
_LEAVE_TOKEN = (
    f"INSERT INTO {RUNS} (run_id, number, host, written_at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (run_id) DO UPDATE SET number = excluded.number, written_at = excluded.written_at"
)
#: Takes the runs whose tokens are wanted, too.
_NEWEST_AND = (
    f"SELECT number, run_id, written_at, host FROM {RUNS} WHERE number = (SELECT MAX(number) FROM {RUNS}) OR run_id"
)
#: The fields of a History that are stored by their names.
_MOVES = ("moved_to", "moved_from", "incoming_from")
#: The columns of all tables of a ledger but that of what it is.
_MOVED = {
    ORDERS: ", ".join(COLUMNS),
    RUNS: "run_id, number, host, written_at",
    LISTS: "digest, hashes",
    APPROVALS: "digest, name",
}
_KEEP_LIST = f"INSERT INTO {LISTS} (digest, hashes) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING"
_DROP_LISTS = f"DELETE FROM {LISTS} WHERE digest NOT IN (SELECT listed FROM {ORDERS} WHERE listed IS NOT NULL)"
_APPROVE = f"INSERT INTO {APPROVALS} (digest, name) VALUES (?, ?) ON CONFLICT (digest, name) DO NOTHING"
_CLAIMED = (
    f"SELECT a.name, o.status, o.approval FROM {APPROVALS} a LEFT JOIN {ORDERS} o ON o.name = a.name WHERE a.digest = ?"
)


class Transaction(ABC):
    """A transaction of one run, open while the work that it is given to runs. Each kind of database has its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @abstractmethod
    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows that the statement returns, if any."""

    @abstractmethod
    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute the statement for each row of values."""

    def now(self) -> str:
        """The time by the clock that all runs of this ledger share: here, that of one machine."""
        return now()

    # The ledger itself

    def make_tables(self) -> None:
        """Make the tables of a ledger with an ID and a digest key of its own."""
        for statement in TABLES:
            self.query(statement)
        for key, value in (("version", VERSION), ("id", secrets.token_hex(16)), ("digest_key", secrets.token_hex(32))):
            self.set_meta(key, str(value))

    def set_meta(self, key: str, value: str | None) -> None:
        """Store this value, or ``None``: remove the key."""
        self.query(f"DELETE FROM {META} WHERE key = ?", [key])
        if value is not None:
            self.query(f"INSERT INTO {META} (key, value) VALUES (?, ?)", [key, value])

    def history(self, tokens: Sequence[Token] = ()) -> History:
        """Return how far the ledger has come, and which of these tokens it lacks."""
        runs = self.query(f"{_NEWEST_AND} IN ({_marks(tokens)})", [each.run_id for each in tokens])
        last = {run_id: number for number, run_id, _written_at, _host in runs}
        lacks = frozenset(each for each in tokens if last.get(each.run_id, 0) < each.number)
        moves = dict(self.query(f"SELECT key, value FROM {META} WHERE key IN ({_marks(_MOVES)})", _MOVES))
        number, run_id, written_at, host = max(runs, default=(0, "", None, None))
        token = Token(run_id, number) if runs else None
        return History(self._database.place, token, written_at, host, **moves, lacks=lacks)

    def leave_token(self, known: Token | None) -> Token:
        """Leave a token of this change. Raises LedgerError if the ledger is closed, or lacks the ``known`` token."""
        history = self.history([known] if known else [])
        if history.closed is not None:
            raise LedgerError(history.closed)
        if history.lacks:
            raise LedgerError(
                f"The ledger {history.place} went back in time while this run had it open. Nothing more is sent.\n"
                "It lacks changes that this run made or saw. A failover or a restored backup has lost orders.\n"
                "Do not order anything until the ledger has been restored, or the contracts that the customer portal "
                "shows were adopted."
            )
        token = Token(self._database.run_id, history.token.number + 1 if history.token else 1)
        self.query(_LEAVE_TOKEN, [token.run_id, token.number, os.uname().nodename, self.now()])
        return token

    def tables(self) -> Tables:
        """All orders, runs, lists and approvals as they are."""
        return [self.query(f"SELECT {columns} FROM {table}") for table, columns in _MOVED.items()]

    def write_tables(self, tables: Tables) -> None:
        """Store what tables() returned in tables that are empty."""
        for (table, columns), rows in zip(_MOVED.items(), tables, strict=True):
            self.many(f"INSERT INTO {table} ({columns}) VALUES ({_marks(columns.split(','))})", rows)

    # Reading records

    def by_name(self, names: Sequence[str]) -> dict[str, Record]:
        """The records with these names, by name. Names without a record are left out."""
        found, wanted = self.of_similar_names(names), {*names}
        return {record.name: record for record in found if record.name in wanted}

    def of_similar_names(self, names: Sequence[str]) -> list[Record]:
        """The records whose names are these or look like them."""
        # Not by an index on the name: SQLite would take the name from that, whatever row it leads to.
        forms = [*map(folded_name, names)]
        return self._records(lambda: self._with("folded_name", forms))

    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in no order."""
        end_user = None if wanted.end_user is None else wanted.end_user.lower()
        equal = {"kind": wanted.kind, "lower(end_user)": end_user, "product_type": wanted.product_type}
        given = {column: value for column, value in equal.items() if value is not None}
        condition, values = "".join(f" AND {column} = ?" for column in given), [*given.values()]
        if wanted.statuses is not None:
            # What is pending may turn out to be in doubt.
            statuses = {*wanted.statuses, "pending"}
            condition, values = f"{condition} AND status IN ({_marks(statuses)})", [*values, *statuses]

        def rows() -> list[Row]:
            if wanted.names is None:
                return self.query(f"{_SELECT} WHERE 1 = 1{condition}", values)
            return self._with("folded_name", map(folded_name, wanted.names), condition, values)

        return [*filter(wanted.holds, self._records(rows))]

    def duplicates(
        self, requests: Sequence[Request], claims: Mapping[str, Record] = MappingProxyType({})
    ) -> dict[str, Record]:
        """Return the records that are duplicates of these requests, also claims that are written with them."""
        wanted = [(request, request.identity.subject) for request in requests if request.identity]
        subjects = [subject for _request, subject in wanted]
        found = by_subject(self._records(lambda: self._with("subject", subjects, _NOT_RELEASED)))
        others: dict[str, Record] = {}
        for request, subject in wanted:
            those = found.setdefault(subject, [])
            found_there = (each for each in those if is_duplicate(each, request))
            other = None if request.may_be_second else next(found_there, None)
            if other is not None:
                others.setdefault(request.name, other)
            elif request.name in claims:
                those.append(claims[request.name])
        return others

    def count(self) -> int:
        """Return the number of orders and operations."""
        ((count,),) = self.query(f"SELECT COUNT(*) FROM {ORDERS}")
        return int(count)

    def names_for(self, end_users: Collection[str], service: str, organization_id: str) -> list[str]:
        """The names of orders of these end users at a service, released ones aside, by the time of their claim.

        Those for ``__self__`` are of this organization. A service or organization that is not known may be this one.
        """
        condition, values = _NOT_RELEASED + _OURS, [service, organization_id]
        rows = self._with("lower(end_user)", map(str.lower, end_users), condition, values, _DATED)
        return [name for _time, name in sorted(map(tuple, rows))]

    def services(self) -> dict[str, int]:
        """The addresses of services with recorded orders, and the number of orders for each."""
        return dict(self.query(_SERVICES))

    def names_claimed(self, approval: str, names: Collection[str] = ()) -> dict[str, bool]:
        """The names that were claimed under an approval, or those of these, and whether each claim stands or stood.

        One that was released, and whose record is still there, does not: the name may be claimed under it again.
        """
        condition = f" AND a.name IN ({_marks(names)})" if names else ""
        return {
            name: not (status in RELEASED and last == approval)
            for name, status, last in self.query(_CLAIMED + condition, [approval, *names])
        }

    def refuse_claimed_before(self, requests: Sequence[Request], names: Collection[str]) -> None:
        """Raise LedgerError for one of these names that was claimed under its approval, and not released."""
        # All requests of a task have one approval.
        approval = next((each.approval for each in requests if each.approval), None)
        found = self.names_claimed(approval, names) if approval and names else {}
        if before := [name for name in found if found[name]]:
            others = f" (and {len(before) - 1} more)" if len(before) > 1 else ""
            raise LedgerError(
                f"{before[0]}{others} was sent before under this approval, and its record was removed. Nothing was "
                f"sent.\nAn approval orders each name once. The ledger is {self._database.place}.",
                Advice("To order it again, look at the current plan in check mode, and approve that one."),
            )

    def _with(
        self, column: str, wanted: Iterable[str], condition: str = "", values: Sequence[object] = (), select: str = ""
    ) -> list[Row]:
        """The rows that have one of the wanted texts in a column, and meet the condition, which takes the values."""
        texts, found = list(dict.fromkeys(wanted)), list[Row]()
        for start in range(0, len(texts), _CHUNK):
            some = texts[start : start + _CHUNK]
            found += self.query(f"{select or _SELECT} WHERE {column} IN ({_marks(some)}){condition}", [*some, *values])
        return found

    def _records(self, query: Callable[[], list[Row]]) -> list[Record]:
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in query()]
        time = self.now() if any(row["status"] == "pending" for row in rows) else ""
        lists = self._lists({row["listed"] for row in rows} - {None})
        return [record_of(row, self._database.place, time, lists) for row in rows]

    def _lists(self, digests: Collection[str]) -> dict[str, ListedIds]:
        """Return what was listed before claims, by digest."""
        if not digests:
            return {}
        rows = self.query(f"SELECT digest, hashes FROM {LISTS} WHERE digest IN ({_marks(digests)})", [*digests])
        key = self._database.digest_key
        return {digest: ListedIds(frozenset(hashes.split()), key, digest) for digest, hashes in rows}

    # Writing records

    def write(self, records: Iterable[Record]) -> None:
        """Write records in place of those with their names."""
        self.many(_WRITE, map(row_of, records))

    def write_claims(self, claims: Collection[Record]) -> None:
        """Write new claims, with their names under what approved them, and what was listed before, each list once."""
        requests = [each.request for each in claims if each.request]
        lists = {each.evidence.digest: " ".join(sorted(each.evidence.ids)) for each in requests if each.evidence}
        self.write(claims)
        self.many(_KEEP_LIST, lists.items())
        self.many(_APPROVE, [(each.approval, each.name) for each in requests if each.approval])

    def record(self, outcomes: Mapping[str, Outcome], claims: Mapping[str, Record]) -> dict[str, Record]:
        """Record how orders of this run ended, by their names, and return their records. ``claims`` are the run's."""
        run_id, time, ledger = self._database.run_id, self.now(), self._database.place
        unknown = Record("", Outcome("pending"), None, run_id, None, None, time, ledger=ledger)
        own = {name: claims.get(name) or unknown._replace(name=name) for name in outcomes}
        # Somebody may have removed a claim: it ends as any other.
        records, ended = own | self.by_name([*own]), []
        for name, claim in own.items():
            base = current = records[name]
            decided = outcome_to_write(current, run_id, outcomes[name])
            if decided is None:
                continue
            if current.run_id != run_id and (
                current.outcome.status in RELEASED or (current.request is None and current.operation is None)
            ):
                base = claim._replace(ordered_at=current.ordered_at)
            records[name] = ended_as(base, decided, run_id, base.ordered_at or time, time)
            ended.append(records[name])
        self.write(ended)
        return records

    def end_claims(self) -> None:
        """Say that no request of this run is under way any more: what it claimed and did not record is in doubt."""
        self.query(f"UPDATE {ORDERS} SET deadline = ? WHERE run_id = ?", [self.now(), self._database.run_id])

    def settle(self, settlement: Settlement, *, write: bool) -> Record | None:
        """Settle one order, or return what stands in the way."""
        name, outcome, request = settlement.name, settlement.outcome, settlement.request
        current = self.by_name([name]).get(name)
        if version_of(current) != version_of(settlement.before):
            # It may have been written by this very transaction, whose commit was answered by a lost connection.
            return None if is_written(current, outcome) else current or settlement.before
        if current is not None:
            refuse_pending(current)
        recorded = current.request if current is not None else None
        known = request or recorded
        ids = [outcome.contract_id.lower()] if outcome.contract_id else []
        for other in self._records(lambda: self._with("lower(contract_id)", ids, _IS_ORDERED)):
            if other.name != name and is_of_contract(other, outcome.contract_id, known):
                return other
        if request is not None and (recorded is None or recorded.identity != request.identity):
            others = self.duplicates([request])
            if others:
                return others[name]
        if write:
            time = self.now()
            current = current or Record(name, outcome, None, None, None, None, time, ledger=self._database.place)
            # It was sent when it was claimed. When a contract was bought elsewhere is not known.
            sent_at = current.ordered_at or current.claimed_at
            self.write([ended_as(current._replace(request=known), outcome, None, sent_at, time)])
        return None

    def drop_lists(self) -> None:
        """Drop what was listed before claims that are all certain by now."""
        self.query(_DROP_LISTS)

    def move_service(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""
        self.query(f"UPDATE {ORDERS} SET service = ?, updated_at = ? WHERE service = ?", [new, self.now(), old])

    def delete(self, name: str) -> None:
        """Remove the record with this name."""
        self.query(f"DELETE FROM {ORDERS} WHERE name = ?", [name])
