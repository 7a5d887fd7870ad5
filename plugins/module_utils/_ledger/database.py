# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this file; every value is bound
"""The database that holds a ledger: its tables, their rows as records, and what each kind of database does.

What people and services say is stored as it came, as far as it is text.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from .._core.clocks import Clocks
from .._core.errors import Advice, LedgerError
from .events import Actor
from .identity import folded_name, recorded_identity
from .lease import Clock, later, seconds_left
from .order_records import Cancellation, Identity, ListedIds, NamedOperation, Outcome, Record, StoredRequest

if TYPE_CHECKING:
    from .transaction import Transaction

_T = TypeVar("_T")

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
ENCODER = json.JSONEncoder(default=str)  # an outcome is never lost to a value that JSON does not know


#: How a ledger is opened. ``check``: only read, and refused where it would be for ``write``, as far as that shows.
Mode = Literal["read", "check", "write"]


class Database(ABC):
    """The database of a ledger as one run has it open. Every method but release() raises LedgerError.

    ``place`` is the location for messages: a path, or a PostgreSQL address without its password. ``address`` is the
    unique location: a path without links, or host, port, database and search path. ``id`` is the unique ID of the
    ledger, and ``digest_key`` 32 random bytes, which are the key of its digests of contact data. ``by`` is who has it
    open. ``evidence`` is what was listed before this run's orders that were accepted without an ID, by their names.
    """

    #: Whether there is a ledger. One that is missing reads as empty.
    exists = True

    def __init__(self, place: str, address: str, by: Run) -> None:
        self.place = place
        self.address = address
        self.by = by
        self.id, self.digest_key = "", b""
        self.evidence: dict[str, ListedIds] = {}
        self._seen: dict[tuple[str | None, ...], float] = {}

    @abstractmethod
    def run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        """Do the work in one transaction. The work may be done again from its start.

        When writing, durably, and while no other run writes: what the work reads stays true until it ends.
        """

    @abstractmethod
    def release(self) -> None:
        """Release the connection."""

    def now_there(self) -> Database:
        """The database to read from: this one, or that of the ledger that was missing and that another run has made."""
        return self

    def ready(self) -> Database:
        """The database to write to: this one, or that of the ledger that was missing and is made now.

        Before the first change of a run, the whole ledger is checked where the database does not do so itself.
        """
        return self

    def identify(self, transaction: Transaction) -> None:
        """Read the ledger's ID and digest key. Raises LedgerError for tables of another version, or damaged ones."""
        meta = dict(transaction.query(f"SELECT key, value FROM {META}"))
        try:
            if (version := int(meta["version"])) != VERSION:
                raise LedgerError(
                    f"The ledger {self.place} was written by another version of hosting.reseller.\n"
                    f"Its tables have version {version}, this release reads {VERSION}. The ledger was not changed.",
                    Advice("Use the release that wrote it, or a newer one."),
                )
            self.id, self.digest_key = str(meta["id"]), bytes.fromhex(meta["digest_key"])
        except (KeyError, ValueError) as error:
            raise self.damaged(f"its table {META} lacks what a ledger has ({error!r})") from error

    def waited(self, *claim: str | None) -> float:
        """Return the seconds since a claim with these values was first read here, by a clock that nobody sets."""
        time_now = self.by.clocks.monotonic()
        return time_now - self._seen.setdefault(claim, time_now)

    def damaged(self, how: str) -> LedgerError:
        """Return the error of a ledger that is not as this collection wrote it."""
        return LedgerError(
            f"The ledger {self.place} was damaged: {how}.\n"
            "Do not order anything until the ledger has been restored from a backup."
        )


class Run(NamedTuple):
    """The run that has a ledger open: a unique ID, its user, and its clocks."""

    id: str
    actor: Actor = Actor()
    clocks: Clocks = Clocks()


@dataclass(frozen=True)
class Token:
    """The mark that each change leaves in the ledger for good: its run, and a number above those of earlier changes.

    A run keeps its last token alone. A ledger contains a token if it has that of this run or a later one of it.
    """

    run_id: str
    number: int


class History(NamedTuple):
    """The state of the ledger at ``place``: its newest token, with the time (UTC, ISO 8601) and the host, or ``None``.

    ``moved_to`` is the location that it was moved to, ``moved_from`` the ID of the ledger whose rows it took over, and
    ``incoming_from`` that of the one whose rows it is to take over. ``real`` is set for good once anything was claimed
    or adopted in it for a service elsewhere than on this machine. ``lacks`` are those of the given tokens that it does
    not contain.
    """

    place: str
    token: Token | None = None
    written_at: str | None = None
    host: str | None = None
    moved_to: str | None = None
    moved_from: str | None = None
    incoming_from: str | None = None
    real: str | None = None
    lacks: frozenset[Token] = frozenset()

    @property
    def closed(self) -> str | None:
        """The reason why nothing may be ordered with the ledger, because it is moved, or ``None``."""
        if self.moved_to is not None:
            return (
                f"The ledger {self.place} was moved to {self.moved_to}. Nothing was sent.\n"
                f"Set ledger (or RESELLER_LEDGER) to {self.moved_to}: orders placed since are recorded there alone."
            )
        if self.incoming_from is not None:
            return (
                f"The orders of another ledger are being moved to {self.place}, and are not there yet. Nothing was "
                "sent.\nIf that was cut off, run the same move again (playbook move_ledger), which finishes it."
            )
        return None


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
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def record_of(
    row: Mapping[str, Any], database: Database, clock: Clock, lists: Mapping[str, ListedIds] = MappingProxyType({})
) -> Record:
    """Return the record of a row, as it is at this moment. ``lists`` are what was listed before claims, by digest."""
    values, column = dict(row), ""
    try:
        for column in _JSON:
            values[column] = None if values[column] is None else json.loads(values[column])
        column = "identity"
        values[column] = values[column] and Identity(*values[column])
        column = "cancelled"
        values[column] = values[column] and Cancellation(**values[column])
        column = "deadline"
        left = _seconds_left(values, database, clock)
    except (ValueError, TypeError, KeyError) as error:
        raise LedgerError(
            f"The ledger's record of the {values['kind']} {values['name']} was damaged.\n"
            f"Its {column} is not valid ({error!r}).\n"
            "Restore the ledger from a backup, or correct that column by hand."
        ) from error
    times = {column: values[column] for column in _TIMES}
    if left > 0:
        times["deadline"] = _shown_deadline(values["deadline"], clock, left)
    request = operation = None
    if values["operation"] is not None:
        operation = NamedOperation(values["name"], **{column: values[column] for column in _OPERATION})
    elif values["service"] is not None:
        values["partial"] = values["partial"] is not None
        listed = lists.get(values["listed"])
        evidence = listed and listed._replace(source=values["list_source"] or "")
        request = StoredRequest(values["name"], evidence=evidence, **{column: values[column] for column in _REQUEST})
    outcome = Outcome(**{column: values[column] for column in _OUTCOME})
    more = {"operation": operation, "cancelled": values["cancelled"], "ledger": database.place}
    return Record(values["name"], outcome, request, alive=left > 0, **times, **more)


def _seconds_left(values: Mapping[str, Any], database: Database, clock: Clock) -> float:
    """Return for how long a request of a claim may be under way, 0 if there is none."""
    if values["status"] != "pending" or values["deadline"] is None:
        return 0.0
    claimed = Clock(values["claimed_at"], values["boot_id"], float(values["boot_time"] or 0))
    waited = database.waited(values["name"], values["run_id"], values["claimed_at"])
    return seconds_left(claimed, values["deadline"], clock, waited)


def _shown_deadline(deadline: str, clock: Clock, left: float) -> str:
    """Return when a claim is certain by the clock that shows the time: not as it was written if that was set since."""
    end = later(clock.time, left)
    return deadline if later(deadline, -3) <= end <= later(deadline, 3) else end
