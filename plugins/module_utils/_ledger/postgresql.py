# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this package; every value is bound
"""The ledger in PostgreSQL, for AWX and for several controllers.

A run is alive while its session holds an advisory lock whose key is made of the run's id. The lock is a shared one
that nobody asks for exclusively: a run that lost its connection takes it again at once, even while the server has
not noticed yet that the old session is gone; and whoever wants to know looks into ``pg_locks``, and disturbs nobody.
"""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing.connection
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from .._core.errors import LedgerError
from .postgresql_address import ServerLocation
from .reading import OPEN
from .rows import META, ORDERS, RUNS, UPDATE_NONE, Transaction, damaged, leave_token, make, read_meta
from .sqlite import EmptyLedger
from .store import BeforeMaking, Ledger

with contextlib.suppress(ImportError):  # whoever made the location was told that it is missing
    import psycopg

_T = TypeVar("_T")

#: For this many seconds a run tries to get back a connection that it lost.
PATIENCE = 30.0
_PAUSE = 0.25
#: A pooler has this many seconds to give a second session a server of its own, before that is taken for a full pool.
POOLER_PATIENCE = 3.0
#: Whoever writes takes this lock first, also to make the tables: one after the other, as with a file.
_WRITING_LOCK = "hosting.reseller ledger"
#: The bytes of a digest that make the number of an advisory lock, a bigint.
_BYTES_OF_A_KEY = 8

#: What an address may set otherwise. Seconds, but for tcp_user_timeout (milliseconds).
_DEFAULTS = {
    "application_name": "hosting.reseller",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    # A standby server does not show which runs are alive.
    "target_session_attrs": "primary",
}
#: What every session needs, whatever the database or the user prefers. A server that lost sight of a run must not keep
#: its locks for longer than others wait for them, and must not end the session of a run that waits for the service.
_SESSION = (
    "SET lock_timeout = '40s'",
    "SET idle_in_transaction_session_timeout = '30s'",
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'",
    (
        "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name = 'synchronous_commit' "
        "AND setting NOT IN ('on', 'remote_apply')"
    ),
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
)
#: The keys of the advisory locks that are held in this database.
_HELD = (
    "SELECT classid::bigint << 32 | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 "
    "AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
#: Errors that vanish when the transaction is done again: serialization failure, deadlock, and a server that goes or
#: comes (admin shutdown, crash shutdown, cannot connect now).
_PASSING = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
#: A table has one of these kinds: ordinary or partitioned. A session's temporary tables are no ledger.
_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    f"WHERE c.relname IN ('{META}', '{ORDERS}', '{RUNS}') AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
)


class _Cursor:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        cursor = self._connection.execute(_marked(statement), values)
        return [] if cursor.description is None else cursor.fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_marked(statement), rows)


class PostgresqlLedger(Ledger):
    """A ledger in a database that may lack its tables; open_postgresql() opens one."""

    def __init__(
        self,
        location: ServerLocation,
        *,
        writing: bool,
        before_making: BeforeMaking | None = None,
        rehearsing: bool = False,
    ) -> None:
        """``rehearsing``: try whether this role may write, and leave nothing behind."""
        super().__init__(location.place, "", writing=writing)
        self._location = location
        self._before_making = before_making
        self._rehearsing = rehearsing
        given = location.parameters
        self._secrets = [str(given.get(name) or "") for name in ("password", "sslpassword")]
        self._parameters: dict[str, Any] = {name: value for name, value in _DEFAULTS.items() if name not in given}
        self._schema = ""
        self.exists = False
        self._connection: psycopg.Connection[Any] | None = None
        try:
            self._connection = self._connect()
            self._prepare()
        except psycopg.Error as error:
            self._release()
            raise self._explain("opened", error) from None
        except BaseException:
            self._release()
            raise
        OPEN.add(self)

    def _session(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._location.text, autocommit=True, client_encoding="UTF8", **self._parameters)

    def _connect(self) -> psycopg.Connection[Any]:
        connection = self._session()
        try:
            connection.read_only = not self._writing
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            cursor = _Cursor(connection)
            connection.execute("; ".join(_SESSION).encode())
            if self.exists:
                _use_schema(cursor, self._schema)
            if self._locked:
                self._lock(cursor)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        """Find the tables and read the digest key, making the tables if need be."""
        self._run(self._read_meta, writing=False)
        if self._writing:
            if not self.exists:
                self._run(self._make, writing=True)
            elif self._rehearsing:
                self._run(self._rehearse, writing=True)
            if self._rehearsing:
                self._take_lock()

    def _rehearse(self, transaction: Transaction) -> None:
        """What a claim does: PostgreSQL refuses it to a role that may not, in a transaction that is rolled back."""
        transaction.query(UPDATE_NONE)
        leave_token(transaction, self._run_id)

    def _read_meta(self, transaction: Transaction) -> None:
        ((current,),) = transaction.query("SELECT current_schema()")
        pinned = current if self._location.is_pinned else None
        found = _find_schema(transaction, pinned, self.place)
        self._schema, self.exists = found or current or "", found is not None
        self.address = f"postgresql://{self._location.server}?schema={quote(self._schema, safe='')}"
        if found is not None:
            _use_schema(transaction, found)
            self.id, self.digest_key = read_meta(transaction, self.place)

    def _make(self, transaction: Transaction) -> None:
        self._read_meta(transaction)
        if self.exists:
            # Whoever comes second finds the work done.
            return
        ((encoding,),) = transaction.query("SELECT current_setting('server_encoding')")
        if encoding not in ("UTF8", "SQL_ASCII"):
            # Otherwise, an outcome in the service's words could not be recorded after the order was sent.
            raise LedgerError(
                f"The ledger {self.place} cannot be in a database with the encoding {encoding}.\n"
                "Make the ledger's database with the encoding UTF8."
            )
        if self._before_making is not None:
            self._before_making(self.address, self.place)
        self.made = True
        make(transaction)
        self._read_meta(transaction)

    def _run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        """See Ledger. A lost connection is made again, and the work done again: it finds what a commit left."""
        deadline: float | None = None
        while True:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                with self._connection.transaction(force_rollback=writing and self._rehearsing):
                    cursor = _Cursor(self._connection)
                    if writing:
                        # A statement of its own: the next one sees what was committed meanwhile.
                        cursor.query("SELECT pg_advisory_xact_lock(?)", [_key(_WRITING_LOCK)])
                    return work(cursor)
            except psycopg.Error as error:
                if self._connection is not None and self._connection.closed:
                    self._connection = None
                passing = self._connection is None or error.sqlstate in _PASSING
                deadline = deadline or time.monotonic() + PATIENCE
                if not passing or time.monotonic() >= deadline:
                    raise self._explain("written" if writing else "read", error) from None
            time.sleep(_PAUSE)

    def _living(self, transaction: Transaction, run_ids: Collection[str]) -> set[str]:
        locked = {key for (key,) in transaction.query(_HELD)}
        return {run_id for run_id in run_ids if _key(run_id) in locked}

    def _take_lock(self) -> None:
        self._run(self._lock, writing=False)
        self._check_lock()

    def _lock(self, transaction: Transaction) -> None:
        transaction.query("SELECT pg_advisory_lock_shared(?)", [_key(self._run_id)])

    def _check_lock(self) -> None:
        """Raise LedgerError if a pooler gives this session's server process, with its lock, to others.

        Behind a pooler, a session is told a process ID that is not the server's. A pooler that shares gives this
        session another process the next time, or this one's to a second session.
        """
        process = self._connection.info.backend_pid if self._connection is not None else None
        if self._run(lambda transaction: transaction.query("SELECT pg_backend_pid()"), writing=False) == [(process,)]:
            return
        elsewhere = f"SELECT 1 WHERE {_key(self._run_id)} IN ({_HELD} AND pid <> pg_backend_pid())"
        with contextlib.suppress(psycopg.errors.ConnectionTimeout), contextlib.closing(self._session()) as other:
            other.pgconn.send_query(elsewhere.encode())
            other.pgconn.flush()
            # A pooler that is full gives a second session no process. One that shares would give it this one's.
            if multiprocessing.connection.wait([other.fileno()], POOLER_PATIENCE):
                answer = other.pgconn.get_result()
                if answer is None or not answer.ntuples:
                    raise LedgerError(
                        f"The ledger {self.place} is behind a pooler that shares sessions (transaction mode).\n"
                        "It does not keep the lock that shows that a run is alive.\n"
                        "Connect to PostgreSQL directly, or through the pooler in session mode (PgBouncer: "
                        "pool_mode=session)."
                    )

    def _release(self) -> None:
        # The session ends, and its locks with it.
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _explain(self, done: str, error: psycopg.Error) -> LedgerError:
        text = " ".join(str(error).split()) or type(error).__name__
        # A short one would hide the message: it is in it by chance.
        for secret in (secret for secret in self._secrets if len(secret) > 3):
            for form in (secret, quote(secret, safe="")):
                text = text.replace(form, "********")
        return LedgerError(
            f"The ledger {self.place} cannot be {done}: {text.rstrip('.')}.\n"
            "Check the address in the option ledger, and that the server is well."
        )

    def after_fork(self) -> None:
        """In a child process: drop the connection, which must end with the parent, without sending anything."""
        if self._connection is not None and not self._connection.closed:
            with contextlib.suppress(OSError, psycopg.Error):
                nothing = os.open(os.devnull, os.O_RDWR)
                # The number stays taken, so that what still has the connection never writes into another file.
                os.dup2(nothing, self._connection.fileno(), inheritable=False)
                os.close(nothing)


def open_postgresql(
    location: ServerLocation, *, writing: bool, before_making: BeforeMaking
) -> PostgresqlLedger | EmptyLedger:
    """Open the ledger at this location. With ``writing``, create missing tables.

    Raises LedgerError. No message holds the password of the address.
    """
    ledger = PostgresqlLedger(location, writing=writing, before_making=before_making)
    if ledger.exists:
        return ledger
    ledger.close()
    return EmptyLedger(ledger.place, ledger.address)


def why_refused_writing(location: ServerLocation) -> str | None:
    """Return why the ledger at this location is not writable, tried without leaving anything there, or ``None``."""
    try:
        PostgresqlLedger(location, writing=True, rehearsing=True).close()
    except LedgerError as error:
        return error.message
    return None


def _find_schema(transaction: Transaction, pinned: str | None, place: str) -> str | None:
    """Find the ledger of this database in any schema, because another role's search_path may have set it.

    ``pinned`` is the only schema that counts. Raises LedgerError for more than one ledger, and for half a one.
    """
    tables: dict[str, set[str]] = {}
    for schema, table in transaction.query(_TABLES):
        if pinned in (None, schema):
            tables.setdefault(schema, set()).add(table)
    if len(tables) > 1:
        raise LedgerError(
            f"The ledger {place} is not the only one in its database.\n"
            f"The schemas {', '.join(sorted(tables))} have one each. Orders in one are missing in the others.\n"
            "Name the schema in the address "
            "(?options=-csearch_path%3DSCHEMA), or remove the tables that hold no orders."
        )
    for schema, names in tables.items():
        if len(names) < 3:
            raise damaged(place, f"the schema {schema} has the table {min(names)}, but not all of a ledger")
        return schema
    return None


def _use_schema(transaction: Transaction, schema: str) -> None:
    """Have all statements of this session use this schema."""
    # A search path leaves out what the role may not use, and the tables would seem to be missing.
    transaction.query(f"SELECT (quote_ident(?) || '.{META}')::regclass", [schema])
    transaction.query("SELECT set_config('search_path', quote_ident(?) || ', pg_temp', false)", [schema])


def _marked(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:_BYTES_OF_A_KEY], "big", signed=True)
