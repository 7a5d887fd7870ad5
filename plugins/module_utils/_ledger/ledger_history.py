# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in ledger_tables.py; every value is bound
"""What a ledger tells of itself: how far it has come, how often names were claimed, and what was done by hand."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import is_loopback
from .._core.errors import LedgerError
from .database import Action, Actor, Database, Event, History, Session, Token
from .identity import folded_name
from .ledger_tables import CLAIMS, COLUMNS, ENCODER, EVENT_COLUMNS, EVENTS, LISTS, META, ORDERS, RUNS, Row, storable

#: The rows of each table in _MOVED.
Tables = list[list[Row]]


def marks(values: Collection[object]) -> str:
    """Return a question mark for each of these values of a statement."""
    return ", ".join(["?"] * len(values)) or "NULL"


_LEAVE_TOKEN = (
    f"INSERT INTO {RUNS} (run_id, number, host, written_at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (run_id) DO UPDATE SET number = excluded.number, written_at = excluded.written_at"
)
_CHUNK = 500  # SQLite before 3.32 takes 999 variables in a statement
#: The newest run, those whose tokens are wanted, and the fields of a History that are stored by their names.
_HISTORY = (
    f"SELECT number, run_id, written_at, host FROM {RUNS} "
    f"WHERE number = (SELECT MAX(number) FROM {RUNS}) OR run_id IN ({{tokens}}) UNION ALL "
    f"SELECT NULL, key, value, NULL FROM {META} WHERE key IN ('moved_to', 'moved_from', 'incoming_from', 'real')"
)
#: The columns of all tables of a ledger but that of what it is.
_MOVED = {
    ORDERS: ", ".join(COLUMNS),
    RUNS: "run_id, number, host, written_at",
    LISTS: "digest, hashes",
    CLAIMS: "folded_name, number",
    EVENTS: ", ".join(f'"{column}"' for column in EVENT_COLUMNS),
}
_NOTE = (
    f"INSERT INTO {EVENTS} ({_MOVED[EVENTS]}) "
    f"VALUES ((SELECT COALESCE(MAX(number), 0) + 1 FROM {EVENTS}), {marks(EVENT_COLUMNS[1:])})"
)


class LedgerHistory:
    """A transaction of one run in a session of its database, as far as it is about the ledger itself."""

    def __init__(self, database: Database, session: Session) -> None:
        self._database = database
        self.query, self.many, self.clock = session.query, session.many, session.clock

    def set_meta(self, key: str, value: str | None) -> None:
        """Store this value, or ``None``: remove the key."""
        self.query(f"DELETE FROM {META} WHERE key = ?", [key])
        if value is not None:
            self.query(f"INSERT INTO {META} (key, value) VALUES (?, ?)", [key, value])

    def history(self, tokens: Sequence[Token] = ()) -> History:
        """Return how far the ledger has come, and which of these tokens it lacks."""
        rows = self.query(_HISTORY.format(tokens=marks(tokens)), [known.run_id for known in tokens])
        runs = [row for row in rows if row[0] is not None]
        moves = {key: value for number, key, value, _host in rows if number is None}
        last = {run_id: number for number, run_id, _written_at, _host in runs}
        lacks = frozenset(known for known in tokens if last.get(known.run_id, 0) < known.number)
        number, run_id, written_at, host = max(runs, default=(0, "", None, None))
        token = Token(run_id, number) if runs else None
        return History(self._database.place, token, written_at, host, **moves, lacks=lacks)

    def leave_token(self, known: Collection[Token], *, late: bool = False) -> History | None:
        """Leave a token of this change, the newest one. Return how far the ledger has come with it.

        Raises LedgerError if the ledger is closed, or lacks a ``known`` token, unless it only records ``late`` what was
        sent before. Such a token is nobody's: what the ledger lacks, it still lacks, and ``None`` is returned.
        """
        history, run_id = self.history([*known]), self._database.by.id
        is_older = bool(history.lacks)
        if history.closed and not late:
            raise LedgerError(history.closed)
        if is_older and not late:
            raise LedgerError(
                f"The ledger {history.place} went back in time while this run had it open. Nothing more is sent.\n"
                "It lacks changes that this user made or saw. A failover or a restored backup has lost orders.\n"
                "Do not order anything until the ledger has been restored, or the contracts that the customer portal "
                "shows were adopted."
            )
        lost = is_older or history.closed is not None
        token = Token(secrets.token_hex(16) if lost else run_id, history.token.number + 1 if history.token else 1)
        self.query(_LEAVE_TOKEN, [token.run_id, token.number, os.uname().nodename, self.clock().time])
        return None if lost else history._replace(token=token)

    def mark_real(self, services: Iterable[str]) -> None:
        """Mark for good that the ledger is no trial, if one of these services is not on this machine, or not known."""
        if not all(is_loopback(urlsplit(service).hostname or "") for service in services):
            self.query(f"INSERT INTO {META} (key, value) VALUES ('real', 'yes') ON CONFLICT (key) DO NOTHING")

    def tables(self) -> Tables:
        """All that the ledger holds, as it is."""
        return [self.query(f"SELECT {columns} FROM {table}") for table, columns in _MOVED.items()]

    def write_tables(self, tables: Tables) -> None:
        """Store what tables() returned in tables that are empty."""
        for (table, columns), rows in zip(_MOVED.items(), tables, strict=True):
            self.many(f"INSERT INTO {table} ({columns}) VALUES ({marks(columns.split(','))})", rows)

    # How often names were claimed, and what was done by hand

    def numbers(self, names: Sequence[str]) -> dict[str, int]:
        """Return how often each of these names was claimed so far without being released by the run that claimed it."""
        forms = {name: folded_name(name) for name in names}
        rows = self.rows_with(f"SELECT folded_name, number FROM {CLAIMS}", "folded_name", forms.values())
        numbers = dict(map(tuple, rows))
        return {name: numbers.get(form, 0) for name, form in forms.items()}

    def note(self, action: Action, name: str | None, before: Any, after: Any) -> None:
        """Keep what was done, by whom."""
        values = (self.clock().time, action, name, *self._database.by.actor, os.uname().nodename)
        shown = [None if state is None else ENCODER.encode(state) for state in (before, after)]
        self.query(_NOTE, [None if value is None else storable(str(value)) for value in (*values, *shown)])

    def events(self, name: str | None = None) -> list[Event]:
        """The events of the ledger, or of what has this name or looks like it, the oldest first."""
        rows = self.query(f"SELECT {_MOVED[EVENTS]} FROM {EVENTS} ORDER BY number")
        events = [dict(zip(EVENT_COLUMNS, row, strict=True)) for row in rows]
        return [
            Event(
                **{part: event[part] for part in ("at", "action", "name", "host")},
                **{part: event[part] and json.loads(event[part]) for part in ("before", "after")},
                actor=Actor(*(event[part] for part in Actor._fields)),
            )
            for event in events
            if name is None or folded_name(event["name"] or "") == folded_name(name)
        ]

    def rows_with(
        self, select: str, column: str, wanted: Iterable[str], condition: str = "", values: Sequence[object] = ()
    ) -> list[Row]:
        """The rows that have one of the wanted texts in a column, and meet the condition, which takes the values."""
        texts, rows = list(dict.fromkeys(wanted)), list[Row]()
        for start in range(0, len(texts), _CHUNK):
            some = texts[start : start + _CHUNK]
            rows += self.query(f"{select} WHERE {column} IN ({marks(some)}){condition}", [*some, *values])
        return rows
