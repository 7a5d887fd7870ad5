# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

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
import secrets
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from .._core.errors import LedgerError
from . import postgresql_server as server
from .order_records import KEY_OF_OPERATIONS
from .postgresql_address import Address, read_address
from .rows import Transaction, make, read_meta
from .store import AbsentLedger, BeforeMaking, SqlLedger

with contextlib.suppress(ImportError):  # read_address() says that it is missing
    import psycopg

_T = TypeVar("_T")

#: For this many seconds a run tries to get back a connection that it lost.
PATIENCE = 30.0
_PAUSE = 0.25
#: A pooler has this many seconds to give a second session a server of its own, before that is taken for a full pool.
POOLER_PATIENCE = 3.0
_MAKING_LOCK = "hosting.reseller ledger"
#: Claims of one identity under two names must not pass each other. A server has room for a limited number of locks.
_IDENTITY_LOCK = "hosting.reseller identity"
_IDENTITY_LOCKS = 64

#: What an address may set otherwise. Seconds, but for tcp_user_timeout (milliseconds).
_DEFAULTS = {
    "application_name": ("PGAPPNAME", "hosting.reseller"),
    "connect_timeout": ("PGCONNECT_TIMEOUT", 10),
    "keepalives_idle": (None, 10),
    "keepalives_interval": (None, 5),
    "keepalives_count": (None, 3),
    "tcp_user_timeout": (None, 30_000),
}
#: What every session needs, whatever the database or the user prefers. A server that lost sight of a run must not keep
#: its rows locked for long, and must not end the session of a run that waits for the service.
_SESSION = (
    "SET lock_timeout = '20s'",
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

_HINTS = {
    "42501": "Have the owner of the ledger's tables grant this right.",
    "55P03": "Another session has kept the order's record locked for too long: look for one that hangs.",
    "25006": "The address leads to a read-only server or user: connect to the primary server.",
    "53100": "The server's disk is full.",
}


class _Cursor:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        cursor = self._connection.execute(_marked(statement), values)
        return [] if cursor.description is None else cursor.fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_marked(statement), rows)


class _Standby(LedgerError):
    """The address leads to a standby server: after a failover, for a while."""


class PostgresqlLedger(SqlLedger):
    """A ledger in a database that may lack its tables; open_postgresql() opens one."""

    _for_update = " FOR UPDATE"
    _is_operation = f"left(name, {len(KEY_OF_OPERATIONS)}) = '{KEY_OF_OPERATIONS}'"

    def __init__(
        self, address: Address, *, writing: bool, before_making: BeforeMaking | None = None, rehearsing: bool = False
    ) -> None:
        super().__init__(address.place, writing=writing)
        self._address = address
        self._before_making = before_making
        self._rehearsing = rehearsing
        given = address.parameters
        self._secrets = [str(given.get(name) or "") for name in ("password", "sslpassword")]
        self._parameters: dict[str, Any] = {
            name: value
            for name, (variable, value) in _DEFAULTS.items()
            if name not in given and not (variable and os.environ.get(variable))
        }
        if address.options is not None:
            self._parameters["options"] = address.options
        self._schema = server.Schema(address.schema, exists=False)
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
        _open.add(self)

    @property
    def address(self) -> str:
        return f"postgresql://{self._address.server}?schema={quote(self._schema.name or '', safe='')}"

    @property
    def exists(self) -> bool:
        """Whether there are tables."""
        return self._schema.exists

    def hindrance(self) -> str | None:
        """Return why this role cannot write to the ledger, checked without writing, or ``None``."""
        return self._run(self._hindrance, writing=False)

    def _hindrance(self, transaction: Transaction) -> str | None:
        ((encoding,),) = transaction.query("SELECT current_setting('server_encoding')")
        if encoding not in ("UTF8", "SQL_ASCII"):
            return (
                f"The database of the ledger {self._place} has the encoding {encoding}, which cannot hold everything "
                "that a service may say about an order. Give the ledger a database with the encoding UTF8."
            )
        return server.missing_rights(transaction, self._schema, self._place, writing=True)

    def _session(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._address.text, autocommit=True, client_encoding="UTF8", **self._parameters)

    def _connect(self) -> psycopg.Connection[Any]:
        connection = self._session()
        try:
            connection.read_only = not self._writing
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            self._check_session(connection)
            connection.execute("; ".join(_SESSION).encode())
            cursor = _Cursor(connection)
            if self._schema.exists:
                server.use_schema(cursor, str(self._schema.name))
            if self._locked:
                self._lock(cursor)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_session(self, connection: psycopg.Connection[Any]) -> None:
        """Check that this session can hold a lock, and see those of others, before anything is set in it."""
        ((pid, standby),) = _Cursor(connection).query("SELECT pg_backend_pid(), pg_is_in_recovery()")
        if standby:
            raise _Standby(
                f"The ledger {self._place} is a standby server.\n"
                "It does not show which runs are alive.\n"
                "Connect to the primary server. With several hosts, add target_session_attrs=read-write to the address."
            )
        if pid != connection.info.backend_pid and self._is_shared(connection, pid):
            raise LedgerError(
                f"The ledger {self._place} is behind a pooler that shares sessions (transaction mode).\n"
                "It does not keep the lock that tells that a run is alive.\n"
                "Connect to PostgreSQL directly, or through the pooler in session mode (PgBouncer: pool_mode=session)."
            )

    def _is_shared(self, connection: psycopg.Connection[Any], pid: int) -> bool:
        """Whether a pooler gives this session's server process to others between two transactions.

        A pooler that hands out the process that was used last gives it to a second session, or another one to this
        session; one that hands them out in turn gives this session another one, or the only one to the second.
        """
        ask = "SELECT pg_backend_pid()"
        same = all(_Cursor(connection).query(ask) == [(pid,)] for _rest in range(2))
        try:
            other = self._session()
        except psycopg.errors.ConnectionTimeout:
            return not same
        with contextlib.closing(other):
            other.pgconn.send_query(ask.encode())
            other.pgconn.flush()
            deadline = time.monotonic() + POOLER_PATIENCE
            while other.pgconn.is_busy():
                # While this session is idle, a pooler that shares its process would give it to the other one.
                if not multiprocessing.connection.wait([other.fileno()], max(0.0, deadline - time.monotonic())):
                    return not same
                other.pgconn.consume_input()
            answer = other.pgconn.get_result()
            given = answer.get_value(0, 0) if answer is not None else None
        return not same or given in (None, str(pid).encode()) or _Cursor(connection).query(ask) != [(pid,)]

    def _prepare(self) -> None:
        """Find the tables and read the digest key, making the tables if need be."""
        self._run(self._read_meta, writing=False)
        if self._writing:
            self._refuse_without_rights()
            if not self.exists:
                self._run(self._make, writing=True)
                # Another role may have made them since.
                self._refuse_without_rights()
        if risk := self._run(self._risk, writing=False):
            self.warnings = (risk,)

    def _risk(self, transaction: Transaction) -> str | None:
        return server.risk_of_failover(transaction, self._place, several=self._address.several)

    def _refuse_without_rights(self) -> None:
        if reason := self.hindrance():
            raise LedgerError(reason)

    def _read_meta(self, transaction: Transaction) -> None:
        self._schema = server.find_schema(transaction, self._address.schema, self._place)
        if not self._schema.exists:
            return
        if server.missing_rights(transaction, self._schema, self._place, writing=False):
            # What is missing is told at once.
            ordering = self._writing or self._rehearsing
            raise LedgerError(str(server.missing_rights(transaction, self._schema, self._place, writing=ordering)))
        server.use_schema(transaction, str(self._schema.name))
        self._key = read_meta(transaction, self._place)

    def _make(self, transaction: Transaction) -> None:
        # Whoever comes second finds the work done.
        transaction.query("SELECT pg_advisory_xact_lock(?)", [_key(_MAKING_LOCK)])
        self._read_meta(transaction)
        if not self._schema.exists:
            if self._before_making is not None:
                self._before_making(self.address, self._place)
            self.made = True
            server.use_schema(transaction, str(self._schema.name))
            make(transaction, secrets.token_hex(32))
            self._read_meta(transaction)

    def _run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        """See SqlLedger. A lost connection is made again, and the work done again: it finds what a commit left."""
        deadline: float | None = None
        while True:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                with self._connection.transaction():
                    return work(_Cursor(self._connection))
            except (psycopg.Error, _Standby) as error:
                if self._connection is not None and self._connection.closed:
                    self._connection = None
                passing = self._connection is None or getattr(error, "sqlstate", None) in _PASSING
                deadline = deadline or time.monotonic() + PATIENCE
                if not passing or time.monotonic() >= deadline:
                    raise self._explain("written" if writing else "read", error) from None
            time.sleep(_PAUSE)

    def _living(self, transaction: Transaction, run_ids: Collection[str]) -> set[str]:
        held = {key for (key,) in transaction.query(_HELD)}
        return {run_id for run_id in run_ids if _key(run_id) in held}

    def _guard(self, transaction: Transaction, identities: Collection[str]) -> None:
        # In one order everywhere, so that two groups never wait for each other.
        numbers = sorted({_key(about) % _IDENTITY_LOCKS for about in identities})
        keys = [_key(f"{_IDENTITY_LOCK} {number}") for number in numbers]
        transaction.query("SELECT pg_advisory_xact_lock(key) FROM unnest(?::bigint[]) AS key", [keys])

    def _take_lock(self) -> None:
        self._run(self._lock, writing=False)

    def _lock(self, transaction: Transaction) -> None:
        transaction.query("SELECT pg_advisory_lock_shared(?)", [_key(self._run_id)])

    def _release(self) -> None:
        # The session ends, and its locks with it.
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _explain(self, done: str, error: psycopg.Error | _Standby) -> LedgerError:
        if isinstance(error, _Standby):
            return error
        text = " ".join(str(error).split()) or type(error).__name__
        # A short one would hide the message: it is in it by chance.
        for secret in (secret for secret in self._secrets if len(secret) > 3):
            for form in (secret, quote(secret, safe="")):
                text = text.replace(form, "********")
        hint = _HINTS.get(error.sqlstate or "", "Check the address in the option ledger, and that the server is well.")
        return LedgerError(f"The ledger {self._place} cannot be {done}: {text.rstrip('.')}.\n{hint}")

    def after_fork(self) -> None:
        """In a child process: drop the connection, which must end with the parent, without sending anything."""
        if self._connection is not None and not self._connection.closed:
            with contextlib.suppress(OSError, psycopg.Error):
                nothing = os.open(os.devnull, os.O_RDWR)
                # The number stays taken, so that what still has the connection never writes into another file.
                os.dup2(nothing, self._connection.fileno(), inheritable=False)
                os.close(nothing)


def open_postgresql(address: str, *, writing: bool, before_making: BeforeMaking) -> PostgresqlLedger | AbsentLedger:
    """Open the ledger at this address. With ``writing``, create missing tables.

    Raises LedgerError, and MissingLibraryError without psycopg. No message holds the password of the address.
    """
    ledger = PostgresqlLedger(read_address(address), writing=writing, before_making=before_making)
    if ledger.exists:
        return ledger
    ledger.close()
    return AbsentLedger(ledger.place, ledger.address, ledger.warnings)


def hindrance(address: str) -> str | None:
    """Return why the ledger at this address is not writable, checked without writing, or ``None``.

    Raises what open_postgresql() raises for reading.
    """
    with contextlib.closing(PostgresqlLedger(read_address(address), writing=False, rehearsing=True)) as ledger:
        return ledger.hindrance()


def _marked(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)


_open: weakref.WeakSet[PostgresqlLedger] = weakref.WeakSet()


def _forked() -> None:
    for ledger in _open:
        ledger.after_fork()


os.register_at_fork(after_in_child=_forked)
