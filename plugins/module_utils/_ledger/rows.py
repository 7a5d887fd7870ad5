# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this file; every value is bound
"""The tables of a ledger, its rows and records.

Statements are written with ``?``. What people and services say is stored as it came, as far as it is text.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from .._core.advice import Advice
from .._core.errors import LedgerError
from .identity import folded_name, recorded_identity
from .operation_records import NamedOperation
from .order_records import RELEASED, ClaimEvidence, History, Identity, ListedIds, Outcome, Record, Request, Token

Row = Sequence[Any]

ORDERS = "hosting_reseller_orders"
META = "hosting_reseller_meta"
#: The runs that changed something, each with its last token.
RUNS = "hosting_reseller_runs"
#: What was listed before the claims of orders that are still open; a claim has the digest.
LISTS = "hosting_reseller_lists"
#: The names that were claimed under each approval, which is the digest of a plan, for good.
APPROVALS = "hosting_reseller_approvals"
#: The version of the tables. A ledger of another one is left as it is.
VERSION = 3
_TABLES = (
    f"CREATE TABLE {META} (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    f"""CREATE TABLE {ORDERS} (
        kind TEXT NOT NULL, name TEXT NOT NULL, folded_name TEXT, subject TEXT, status TEXT NOT NULL, reason TEXT,
        contract_id TEXT, contract TEXT, l2vpn_id TEXT, possible_id TEXT, run_id TEXT, claimed_at TEXT, deadline TEXT,
        ordered_at TEXT, updated_at TEXT NOT NULL, service TEXT, organization_id TEXT, end_user TEXT, product TEXT,
        product_name TEXT, product_type TEXT, settings TEXT, additional_elements TEXT, awx_job_id TEXT,
        awx_workflow_job_id TEXT, identity TEXT, partial TEXT, listed_prices TEXT, approval TEXT, listed TEXT,
        absent TEXT, operation TEXT, content_digest TEXT, PRIMARY KEY (name))""",
    f"CREATE INDEX {ORDERS}_subject ON {ORDERS} (subject)",
    f"CREATE INDEX {ORDERS}_folded_name ON {ORDERS} (folded_name)",
    f"CREATE INDEX {ORDERS}_end_user ON {ORDERS} (lower(end_user))",
    f"CREATE INDEX {ORDERS}_contract_id ON {ORDERS} (lower(contract_id))",
    f"""CREATE TABLE {RUNS} (
        run_id TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL, host TEXT NOT NULL, written_at TEXT NOT NULL)""",
    f"CREATE INDEX {RUNS}_number ON {RUNS} (number)",
    f"CREATE TABLE {LISTS} (digest TEXT NOT NULL PRIMARY KEY, hashes TEXT NOT NULL)",
    f"CREATE INDEX {ORDERS}_listed ON {ORDERS} (listed) WHERE listed IS NOT NULL",
    f"CREATE TABLE {APPROVALS} (digest TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (digest, name))",
)

_OUTCOME = ("status", "reason", "contract_id", "contract", "l2vpn_id", "possible_id")
_TIMES = ("run_id", "claimed_at", "deadline", "ordered_at", "updated_at")
_REQUEST = tuple(field.name for field in fields(Request) if field.name not in ("name", "evidence", "again"))
#: ``folded_name`` is the form of the name that it shares with those that look like it; ``subject`` is
#: the name of what it is about.
_OPERATION = tuple(field.name for field in fields(NamedOperation) if field.name != "name")
_COLUMNS = (
    *("name", "kind", "folded_name", "subject", *_OUTCOME, *_TIMES, *_REQUEST),
    *("listed", "absent", "operation", "content_digest"),
)
_JSON = frozenset({"contract", "settings", "additional_elements", "identity", "listed_prices"})
#: A claim that is not certain yet has what was listed before it.
_OPEN = frozenset({"pending", "in_doubt"})
_ENCODER = json.JSONEncoder(default=str)  # an outcome is never lost to a value that JSON does not know


def marks(values: Collection[object]) -> str:
    """One question mark for each of these values of a statement."""
    return ", ".join(["?"] * len(values))


_RELEASED = ", ".join(repr(status) for status in sorted(RELEASED))
#: Conditions of rows_with().
NOT_RELEASED, IS_ORDERED = f" AND status NOT IN ({_RELEASED})", " AND status = 'ordered'"
_CHUNK = 500  # SQLite before 3.32 takes 999 variables in a statement
#: Takes the values of row_of(), in place of a record with that name.
WRITE = (
    f"INSERT INTO {ORDERS} ({', '.join(_COLUMNS)}) VALUES ({marks(_COLUMNS)}) ON CONFLICT (name) DO "
    f"UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in _COLUMNS[1:])}"
)
_DELETE = f"DELETE FROM {ORDERS} WHERE name = ?"
_LEAVE_TOKEN = (
    f"INSERT INTO {RUNS} (run_id, number, host, written_at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (run_id) DO UPDATE SET number = excluded.number, written_at = excluded.written_at"
)
_NUMBERS = f"SELECT (SELECT number FROM {RUNS} WHERE run_id = ?), (SELECT MAX(number) FROM {RUNS})"
_NEWEST = f"SELECT run_id, number, written_at, host FROM {RUNS} ORDER BY number DESC, run_id LIMIT 1"
_RUN_COLUMNS = "run_id, number, host, written_at"
_ALL_LISTS = f"SELECT digest, hashes FROM {LISTS}"
_KEEP_LIST = f"INSERT INTO {LISTS} (digest, hashes) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING"
_DROP_LISTS = f"DELETE FROM {LISTS} WHERE digest NOT IN (SELECT listed FROM {ORDERS} WHERE listed IS NOT NULL)"
_ALL_APPROVALS = f"SELECT digest, name FROM {APPROVALS}"
_APPROVE = f"INSERT INTO {APPROVALS} (digest, name) VALUES (?, ?) ON CONFLICT (digest, name) DO NOTHING"
_CLAIMED = (
    f"SELECT a.name, o.status, o.approval FROM {APPROVALS} a LEFT JOIN {ORDERS} o ON o.name = a.name WHERE a.digest = ?"
)


class Transaction(Protocol):
    """A transaction of a store, open while the work that it is given to runs."""

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows that the statement returns, if any."""

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute the statement for each row of values."""

    def now(self) -> str:
        """The time by the clock that all runs of this ledger share."""


class Liveness(NamedTuple):
    """Which runs of pending rows hold their lock, and of which that cannot be seen; and when that was looked at."""

    alive: Collection[str]
    unseen: Collection[str] = ()
    at: str = ""


def now() -> str:
    return _written(datetime.now(UTC))


def later(time: str, seconds: float) -> str:
    """At least so many seconds after a time that was rounded down."""
    return _written(datetime.fromisoformat(time) + timedelta(seconds=math.ceil(seconds) + 1))


def _written(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def make(transaction: Transaction) -> None:
    """Make the tables of a ledger with an ID and a digest key of its own."""
    for statement in _TABLES:
        transaction.query(statement)
    meta = {"version": str(VERSION), "id": secrets.token_hex(16), "digest_key": secrets.token_hex(32)}
    transaction.many(f"INSERT INTO {META} (key, value) VALUES (?, ?)", meta.items())


def read_meta(transaction: Transaction, place: str) -> tuple[str, bytes]:
    """The ID of the ledger and its digest key, of tables of this release's version."""
    meta = dict(transaction.query(f"SELECT key, value FROM {META}"))
    try:
        version = int(meta["version"])
        if version != VERSION:
            raise _of_other_version(place, version)
        return str(meta["id"]), bytes.fromhex(meta["digest_key"])
    except (KeyError, ValueError) as error:
        raise damaged(place, f"its table {META} lacks what a ledger has ({error!r})") from error


def _of_other_version(place: str, version: int) -> LedgerError:
    tables = f"Its tables have version {version}, this release reads {VERSION}. The ledger was not changed."
    if version > VERSION:
        return LedgerError(
            f"The ledger {place} was written by a newer release of hosting.reseller.\n{tables}",
            Advice("Use the release that wrote it, or a newer one."),
        )
    return LedgerError(
        f"The ledger {place} was written by a development version of hosting.reseller.\n{tables}",
        Advice(
            "Set ledger (or RESELLER_LEDGER) to a new location, and new_ledger to allow for one run. Before you order "
            "anything, adopt all contracts of the old one there: reseller_reconcile lists them, and reseller_record "
            "with state: present records each.",
        ),
    )


def read_history(transaction: Transaction, tokens: Sequence[Token] = ()) -> History:
    """How far the ledger has come, and which of these tokens it lacks."""
    moves, lacks = read_moves(transaction), frozenset(each for each in tokens if not _contains(transaction, each))
    for run_id, number, written_at, host in transaction.query(_NEWEST):
        return History(Token(run_id, number), written_at, host, *moves, lacks=lacks)
    return History(None, None, None, *moves, lacks=lacks)


def read_moves(transaction: Transaction) -> tuple[str | None, str | None, str | None]:
    """The last fields of a History: to where, and from which ledgers it was moved."""
    keys = ("moved_to", "moved_from", "incoming_from")
    meta = dict(transaction.query(f"SELECT key, value FROM {META} WHERE key IN ({marks(keys)})", keys))
    to, of, coming = map(meta.get, keys)
    return to, of, coming


def _contains(transaction: Transaction, token: Token) -> bool:
    """Whether the change that left this token is in the ledger."""
    found = transaction.query(f"SELECT number FROM {RUNS} WHERE run_id = ?", [token.run_id])
    return bool(found) and int(found[0][0]) >= token.number


def leave_token(transaction: Transaction, run_id: str, known: Token | None = None) -> Token | None:
    """Leave a token of this run, unless the ledger does not contain the known one."""
    ((kept, newest),) = transaction.query(_NUMBERS, [known and known.run_id])
    if known is not None and (kept is None or kept < known.number):
        return None
    token = Token(run_id, (newest or 0) + 1)
    transaction.query(_LEAVE_TOKEN, [run_id, token.number, os.uname().nodename, transaction.now()])
    return token


def newest_order(transaction: Transaction) -> tuple[int, str | None]:
    """The number of orders and operations, and the name of the last one that was claimed or adopted."""
    ((count,),) = transaction.query(f"SELECT COUNT(*) FROM {ORDERS}")
    newest = transaction.query(
        f"SELECT name FROM {ORDERS} ORDER BY COALESCE(claimed_at, updated_at) DESC, name DESC LIMIT 1"
    )
    return count, newest[0][0] if newest else None


def write_meta(transaction: Transaction, key: str, value: str | None) -> None:
    """Store this value, or ``None``: remove the key."""
    transaction.query(f"DELETE FROM {META} WHERE key = ?", [key])
    if value is not None:
        transaction.query(f"INSERT INTO {META} (key, value) VALUES (?, ?)", [key, value])


def read_all(transaction: Transaction) -> tuple[list[Row], list[Row], list[Row], list[Row]]:
    """All orders, runs, lists and approvals as they are."""
    runs = transaction.query(f"SELECT {_RUN_COLUMNS} FROM {RUNS}")
    return transaction.query(select()), runs, transaction.query(_ALL_LISTS), transaction.query(_ALL_APPROVALS)


def write_all(
    transaction: Transaction, orders: Sequence[Row], runs: Sequence[Row], lists: Sequence[Row], approvals: Sequence[Row]
) -> None:
    """Store orders, runs, lists and approvals in tables that have none."""
    transaction.many(f"INSERT INTO {RUNS} ({_RUN_COLUMNS}) VALUES ({marks(range(4))})", runs)
    transaction.many(_KEEP_LIST, lists)
    transaction.many(_APPROVE, approvals)
    transaction.many(WRITE, orders)


def write_claims(transaction: Transaction, claims: Collection[Record]) -> None:
    """Write new claims, with their names under what approved them, and what was listed before, each list once."""
    requests = [each.request for each in claims if each.request]
    listed = [each.evidence.before for each in requests if each.evidence and each.evidence.before]
    lists = {each.digest: " ".join(sorted(each.ids)) for each in listed}
    transaction.many(WRITE, map(row_of, claims))
    transaction.many(_KEEP_LIST, lists.items())
    transaction.many(_APPROVE, [(each.approval, each.name) for each in requests if each.approval])


def drop_lists(transaction: Transaction) -> None:
    """Drop what was listed before claims that are all certain by now."""
    transaction.query(_DROP_LISTS)


def read_lists(transaction: Transaction, rows: Iterable[Row], key: bytes) -> dict[str, ListedIds]:
    """What was listed before the claims in these rows, by digest. ``key`` is that of the ledger's digests."""
    column = _COLUMNS.index("listed")
    if not any(row[column] for row in rows):
        return {}
    return {
        digest: ListedIds(frozenset(hashes.split()), key, digest) for digest, hashes in transaction.query(_ALL_LISTS)
    }


def names_claimed(transaction: Transaction, approval: str, names: Collection[str] = ()) -> dict[str, bool]:
    """The names that were claimed under an approval, or those of these, and whether each claim stands or stood.

    One that was released, and whose record is still there, does not: the name may be claimed under it again.
    """
    condition = f" AND a.name IN ({marks(names)})" if names else ""
    return {
        name: not (status in RELEASED and last == approval)
        for name, status, last in transaction.query(_CLAIMED + condition, [approval, *names])
    }


def damaged(place: str, how: str) -> LedgerError:
    return LedgerError(
        f"The ledger {place} was damaged: {how}.\n"
        "Do not order anything until the ledger has been restored from a backup."
    )


def select(condition: str = "") -> str:
    """The statement that reads rows. ``condition`` begins with AND."""
    return f"SELECT {', '.join(_COLUMNS)} FROM {ORDERS} WHERE 1 = 1{condition}"


def rows_with(
    transaction: Transaction, column: str, wanted: Iterable[str], condition: str = "", values: Sequence[object] = ()
) -> list[Row]:
    """The rows that have one of the wanted texts in a column, and meet the condition, which takes the values."""
    texts, found = list(dict.fromkeys(wanted)), list[Row]()
    for start in range(0, len(texts), _CHUNK):
        some = texts[start : start + _CHUNK]
        found += transaction.query(select(f" AND {column} IN ({marks(some)}){condition}"), [*some, *values])
    return found


def services(transaction: Transaction) -> dict[str, int]:
    return dict(transaction.query(f"SELECT service, COUNT(*) FROM {ORDERS} WHERE service <> '' GROUP BY service"))


def move_service(transaction: Transaction, old: str, new: str) -> None:
    transaction.query(
        f"UPDATE {ORDERS} SET service = ?, updated_at = ? WHERE service = ?", [new, transaction.now(), old]
    )


def delete(transaction: Transaction, name: str) -> None:
    transaction.query(_DELETE, [name])


def pending_runs(rows: Iterable[Row]) -> set[str]:
    status, run = _COLUMNS.index("status"), _COLUMNS.index("run_id")
    return {row[run] for row in rows if row[status] == "pending" and row[run] is not None}


def row_of(record: Record) -> list[str | None]:
    """The values of a record in the order of the columns. Any text of a service can be stored."""
    parts: dict[str, Any] = {column: getattr(record, column) for column in _TIMES}
    parts["folded_name"] = folded_name(record.name)
    parts |= {column: getattr(record.outcome, column) for column in _OUTCOME}
    if record.request is not None:
        parts |= {column: getattr(record.request, column) for column in _REQUEST}
        parts["partial"] = "yes" if record.request.partial else None
        evidence = record.request.evidence
        if evidence is not None and evidence.before is not None and record.outcome.status in _OPEN:
            parts |= {"listed": evidence.before.digest, "absent": "yes" if evidence.absent else None}
    if record.operation is not None:
        parts |= {column: getattr(record.operation, column) for column in _OPERATION}
    about = recorded_identity(record)
    parts["subject"] = about and about.subject
    row: list[str | None] = [record.name, record.kind]
    for column in _COLUMNS[2:]:
        value = parts.get(column)
        if value is not None and column in _JSON:
            row.append(_ENCODER.encode(value))
        else:
            row.append(None if value is None else _storable(str(value)))
    return row


def stored(outcome: Outcome) -> Outcome:
    """An outcome as it is read once it is stored."""
    texts = {column: getattr(outcome, column) for column in _OUTCOME if column not in _JSON}
    as_read: dict[str, Any] = {column: text and _storable(text) for column, text in texts.items()}
    return outcome._replace(**as_read)


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def record_of(row: Row, runs: Liveness, lists: Mapping[str, ListedIds] = MappingProxyType({})) -> Record:
    """The record of a row. ``lists`` are what was listed before claims, by digest.

    One whose run cannot be seen may be under way until its deadline.
    """
    values = dict(zip(_COLUMNS, row, strict=True))
    try:
        for column in _JSON:
            values[column] = None if values[column] is None else json.loads(values[column])
        column, values["identity"] = "identity", values["identity"] and Identity(*values["identity"])
    except (ValueError, TypeError, KeyError) as error:
        raise LedgerError(
            f"The ledger's record of the {values['kind']} {values['name']} was damaged.\n"
            f"Its {column} is not valid ({error!r}).\n"
            "Restore the ledger from a backup, or correct that column by hand."
        ) from error
    request = operation = None
    if values["operation"] is not None:
        operation = NamedOperation(values["name"], **{column: values[column] for column in _OPERATION})
    elif values["service"] is not None:
        values["partial"] = values["partial"] is not None
        listed = lists.get(values["listed"])
        evidence = listed and ClaimEvidence(listed, values["absent"] is not None)
        request = Request(values["name"], evidence=evidence, **{column: values[column] for column in _REQUEST})
    outcome = Outcome(**{column: values[column] for column in _OUTCOME})
    times = {column: values[column] for column in _TIMES}
    pending = values["status"] == "pending"
    unseen = pending and values["run_id"] in runs.unseen and (values["deadline"] or "") > runs.at
    alive = unseen or (pending and values["run_id"] in runs.alive)
    return Record(values["name"], outcome, request, alive=alive, unseen=unseen, operation=operation, **times)
