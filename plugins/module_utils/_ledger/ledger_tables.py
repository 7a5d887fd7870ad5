# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this file; every value is bound
"""The tables of a ledger, and their rows as records.

What people and services say is stored as it came, as far as it is text. A claim is a lease: until its deadline a
request of it may be under way, whatever became of its run. Whoever sends looks at both clocks, so that whichever
decides for a reader, no request is under way after the deadline.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from sys import intern
from typing import Any

from .._core.errors import Advice, LedgerError
from .database import TIME, Actor, Clock, Database, Run, Session, damaged
from .identity import folded_name, recorded_identity
from .order_records import Cancellation, Identity, ListedIds, NamedOperation, Outcome, Record, StoredRequest

Row = Sequence[Any]

ORDERS = "hosting_reseller_orders"
META = "hosting_reseller_meta"
#: The runs that changed something, each with its last token.
RUNS = "hosting_reseller_runs"
#: What was listed before the claims of orders that are still open; a claim has the digest.
LISTS = "hosting_reseller_lists"
#: How often each name was claimed and not released by the run that claimed it, for good. Names that look alike are one.
CLAIMS = "hosting_reseller_claims"
#: What was done other than by sending, and by whom.
EVENTS = "hosting_reseller_events"
#: The version of the tables. A ledger of another one is left as it is.
VERSION = 4
_OUTCOME = ("status", "reason", "contract_id", "contract", "l2vpn_id", "possible_id", "address")
_TIMES = ("run_id", "claimed_at", "deadline", "boot_id", "boot_time", "ordered_at", "updated_at")
_NOT_KEPT = frozenset({"name", "evidence", "may_be_second", "number", "over"})
_REQUEST = tuple(field.name for field in fields(StoredRequest) if field.name not in _NOT_KEPT)
_OPERATION = tuple(field.name for field in fields(NamedOperation) if field.name != "name")
#: ``folded_name`` is the form of the name that it shares with those that look like it; ``subject`` is the name of what
#: it is about.
COLUMNS = (
    *("name", "kind", "folded_name", "subject", *_OUTCOME, *_TIMES),
    *dict.fromkeys((*_REQUEST, *_OPERATION, "cancelled", "listed", "list_source")),
)
EVENT_COLUMNS = ("number", "at", "action", "name", *Actor._fields, "host", "before", "after")
TABLES = (
    f"CREATE TABLE {META} (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    f"CREATE TABLE {ORDERS} ({', '.join(f'{column} TEXT' for column in COLUMNS)}, PRIMARY KEY (name))",
    f"CREATE INDEX {ORDERS}_subject ON {ORDERS} (subject)",
    f"CREATE INDEX {ORDERS}_folded_name ON {ORDERS} (folded_name)",
    f"CREATE INDEX {ORDERS}_end_user ON {ORDERS} (lower(end_user))",
    f"CREATE INDEX {ORDERS}_product ON {ORDERS} (lower(product))",
    f"CREATE INDEX {ORDERS}_contract_id ON {ORDERS} (lower(contract_id))",
    f"""CREATE TABLE {RUNS} (
        run_id TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL, host TEXT NOT NULL, written_at TEXT NOT NULL)""",
    f"CREATE INDEX {RUNS}_number ON {RUNS} (number)",
    f"CREATE TABLE {LISTS} (digest TEXT NOT NULL PRIMARY KEY, hashes TEXT NOT NULL)",
    f"CREATE INDEX {ORDERS}_listed ON {ORDERS} (listed) WHERE listed IS NOT NULL",
    f"CREATE TABLE {CLAIMS} (folded_name TEXT NOT NULL PRIMARY KEY, number BIGINT NOT NULL)",
    f"""CREATE TABLE {EVENTS} (
        number BIGINT NOT NULL PRIMARY KEY, {", ".join(f'"{column}" TEXT' for column in EVENT_COLUMNS[1:])})""",
)

#: A claim that is not certain yet has what was listed before it.
_OPEN = frozenset({"pending", "in_doubt"})
_JSON = frozenset({"contract", "settings", "additional_elements", "identity", "listed_prices", "cancelled"})
#: What many records have in common.
_REPEATED = ("service", "organization_id", "end_user", "product", "product_name", "product_type", "run_id", "status")
_decoded = json.JSONDecoder().decode
ENCODER = json.JSONEncoder(default=str)  # an outcome is never lost to a value that JSON does not know


def make_tables(session: Session) -> None:
    """Make the tables of a ledger with an ID and a digest key of its own."""
    for statement in TABLES:
        session.query(statement)
    meta = {"version": str(VERSION), "id": secrets.token_hex(16), "digest_key": secrets.token_hex(32)}
    session.many(f"INSERT INTO {META} (key, value) VALUES (?, ?)", meta.items())


def identify(database: Database, session: Session) -> None:
    """Read the ledger's ID and digest key. Raises LedgerError for tables of another version, or damaged ones."""
    meta = dict(session.query(f"SELECT key, value FROM {META}"))
    try:
        if (version := int(meta["version"])) != VERSION:
            raise LedgerError(
                f"The ledger {database.place} was written by another version of hosting.reseller.\n"
                f"Its tables have version {version}, this release reads {VERSION}. The ledger was not changed.",
                Advice("Use the release that wrote it, or a newer one."),
            )
        database.id, database.digest_key = str(meta["id"]), bytes.fromhex(meta["digest_key"])
    except (KeyError, ValueError) as error:
        raise damaged(database.place, f"its table {META} lacks what a ledger has ({error!r})") from error
    database.exists = True


# Records


def ended_as(base: Record, outcome: Outcome, run_id: str | None, ordered_at: str | None, time: str) -> Record:
    """A record with the outcome that this run, or a person (``None``), gives it at this time, as it is stored."""
    at = ordered_at if outcome.status == "ordered" else None
    texts = {column: getattr(outcome, column) for column in _OUTCOME if column not in _JSON}
    as_read: dict[str, Any] = {column: text and storable(text) for column, text in texts.items()}
    stored = Outcome(**as_read, contract=outcome.contract)
    return base._replace(outcome=stored, run_id=run_id, ordered_at=at, updated_at=time, alive=False)


def row_of(record: Record) -> list[str | None]:
    """The values of a record in the order of the columns. Any text of a service can be stored."""
    request, about = record.request, recorded_identity(record)
    parts = {**record._asdict(), **record.outcome._asdict(), "kind": record.kind, "operation": None}
    parts["cancelled"] = record.cancelled and record.cancelled._asdict()
    parts |= {"folded_name": folded_name(record.name), "subject": about and about.subject}
    if record.operation is not None:
        parts |= vars(record.operation)
    if request is not None:
        parts |= {**vars(request), "partial": "yes" if request.partial else None}
        evidence = request.evidence
        if evidence is not None and record.outcome.status in _OPEN:
            parts |= {"listed": evidence.digest, "list_source": evidence.source}
    row: list[str | None] = []
    for column in COLUMNS:
        value = parts.get(column)
        if value is not None and column in _JSON:
            row.append(ENCODER.encode(value))
        else:
            row.append(None if value is None else storable(str(value)))
    return row


def storable(text: str) -> str:
    """Return the text as both databases can store it."""
    if text.isascii() and text.isprintable():
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def record_of(row: Mapping[str, Any], place: str, by: Run, clock: Clock, lists: Mapping[str, ListedIds]) -> Record:
    """Return the record of a row of the ledger at ``place``, as ``by`` reads it at this moment.

    ``lists`` are what was listed before claims, by digest. Raises LedgerError for one that is damaged.
    """
    values, column = {**row, **_one_text(row)}, ""
    try:
        for column in _JSON:
            if values[column] is not None:
                values[column] = _decoded(values[column])
        column = "identity"
        values[column] = values[column] and Identity(*values[column])
        column = "cancelled"
        values[column] = values[column] and Cancellation(**values[column])
        column = "deadline"
        values["alive"], values[column] = _lease(values, by, clock)
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
        request = _request(values, lists.get(values["listed"]))
    outcome = Outcome(**{column: values[column] for column in _OUTCOME})
    more = {column: values[column] for column in (*_TIMES, "alive", "cancelled")}
    return Record(values["name"], outcome, request, operation=operation, ledger=place, **more)


def _request(values: Mapping[str, Any], listed: ListedIds | None) -> StoredRequest:
    evidence = listed and listed._replace(source=values["list_source"] or "")
    known = {column: values[column] for column in _REQUEST} | {"partial": values["partial"] is not None}
    return StoredRequest(values["name"], evidence=evidence, **known)


def _one_text(row: Mapping[str, Any]) -> dict[str, Any]:
    """What many records have in common, as one text in memory."""
    return {column: row[column] and intern(row[column]) for column in _REPEATED}


def _lease(values: Mapping[str, Any], by: Run, clock: Clock) -> tuple[bool, str | None]:
    """Return whether a request of a claim may be under way, and its deadline by the clock that shows the time.

    That is not as it was written if the clock was set since.
    """
    deadline = values["deadline"]
    if values["status"] != "pending" or deadline is None:
        return False, deadline
    claimed = Clock(values["claimed_at"], values["boot_id"], float(values["boot_time"] or 0))

    def waited() -> float:
        moment = by.clocks.monotonic()
        return moment - by.first_read.setdefault((values["name"], values["run_id"], values["claimed_at"]), moment)

    left = seconds_left(claimed, deadline, clock, waited)
    end = later(clock.time, left)
    is_as_written = left <= 0 or later(deadline, -3) <= end <= later(deadline, 3)
    return left > 0, deadline if is_as_written else end


def later(moment: str, seconds: float) -> str:
    """At least so many seconds after a time that was rounded down."""
    return (datetime.fromisoformat(moment) + timedelta(seconds=math.ceil(seconds) + 1)).strftime(TIME)


def seconds_left(claimed: Clock, deadline: str, clock: Clock, waited: Callable[[], float]) -> float:
    """Return for how many seconds from ``clock`` on a request of a claim may be under way; 0 or less: it is certain.

    On the same boot, the clock that nobody sets decides. Otherwise, a deadline that lies further ahead than the whole
    claim was long shows that a clock was set back: that length is waited for. ``waited`` returns the seconds since
    this reader first saw that. Raises ValueError for times of another form.
    """
    end = datetime.fromisoformat(deadline)
    length = (end - datetime.fromisoformat(claimed.time)).total_seconds()
    if claimed.boot_id and claimed.boot_id == clock.boot_id and clock.boot_time >= claimed.boot_time:
        return length - (clock.boot_time - claimed.boot_time)
    left = (end - datetime.fromisoformat(clock.time)).total_seconds()
    return left if left <= length else length - waited()
