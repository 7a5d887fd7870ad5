# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledger in PostgreSQL: for AWX, and for several controllers.

A run is alive while its session holds an advisory lock whose key is made of the run's id. The lock is a shared one
that nobody asks for exclusively: a run that lost its connection takes it again at once, even while the server has
not noticed yet that the old session is gone; and whoever wants to know looks into ``pg_locks``, and disturbs nobody.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from .._core.errors import LedgerError, MissingLibraryError
from .ledger import AbsentLedger, BeforeMaking
from .rows import META, VERSION, Transaction, migrate, read_meta
from .sql import SqlLedger

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    _MISSING: ImportError | None = error
else:
    _MISSING = None


_T = TypeVar("_T")

#: For this many seconds a run tries to get back a connection that it lost.
PATIENCE = 30.0
_PAUSE = 0.25
_MIGRATION_LOCK = "hosting.reseller ledger migration"
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
_SCHEMA_OF = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass(?)"
#: Errors that vanish when the transaction is done again: serialization failure, deadlock, and a server that goes or
#: comes (admin shutdown, crash shutdown, cannot connect now).
_PASSING = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})

_HINTS = {
    "42501": "Grant the user SELECT, INSERT, UPDATE and DELETE on the ledger's tables, and CREATE on the schema for "
    "the first run after an installation or upgrade.",
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
    #: Some languages have other small letters for those of ASCII.
    _in_small_letters = 'lower(name COLLATE "C")'
    _not_ascii = "name ~ '[^[:ascii:]]'"

    def __init__(
        self, address: str, place: str, parameters: dict[str, Any], *, writing: bool, before_making: BeforeMaking
    ) -> None:
        super().__init__(place, writing=writing)
        self._address = address
        self._before_making = before_making
        self._server, self._schema = _server_of(parameters), ""
        self._secrets = [str(parameters.get(name) or "") for name in ("password", "sslpassword")]
        self._parameters: dict[str, Any] = {
            name: value
            for name, (variable, value) in _DEFAULTS.items()
            if name not in parameters and not (variable and os.environ.get(variable))
        }
        self._connection: psycopg.Connection[Any] | None = None
        try:
            self._connection = self._connect()
            self.exists = self._prepare()
        except psycopg.Error as error:
            self._release()
            raise self._explain("opened", error) from None
        except BaseException:
            self._release()
            raise
        _open.add(self)

    @property
    def address(self) -> str:
        return f"postgresql://{self._server}?schema={quote(self._schema, safe='')}"

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self._address, autocommit=True, client_encoding="UTF8", **self._parameters)
        try:
            connection.read_only = not self._writing
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            for statement in _SESSION:
                connection.execute(statement.encode())
            self._check_fit(connection)
            if self._locked:
                self._lock(_Cursor(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_fit(self, connection: psycopg.Connection[Any]) -> None:
        ((pid, standby),) = _Cursor(connection).query("SELECT pg_backend_pid(), pg_is_in_recovery()")
        encoding = connection.info.parameter_status("server_encoding")
        if standby:
            raise _Standby(
                f"The ledger {self._place} is a standby server, where nobody can see which runs are alive. Connect "
                "to the primary server; with several hosts, add target_session_attrs=read-write to the address."
            )
        if self._writing and pid != connection.info.backend_pid:
            raise LedgerError(
                f"Between this run and the ledger {self._place} there is a connection pooler, which does not keep "
                "the lock that tells that a run is alive. Connect to PostgreSQL directly."
            )
        if self._writing and encoding not in ("UTF8", "SQL_ASCII"):
            raise LedgerError(
                f"The database of the ledger {self._place} has the encoding {encoding}, which cannot hold everything "
                "that a service may say about an order. Give the ledger a database with the encoding UTF8."
            )

    def _prepare(self) -> bool:
        """Read the version and the digest key, making or migrating the tables if need be; whether there are any."""
        version = self._run(self._read_meta, writing=False)
        if self._writing and version < VERSION:
            self._run(self._upgrade, writing=True)
        return version > 0 or self._writing

    def _read_meta(self, transaction: Transaction) -> int:
        # Reading pg_class makes the session see what others have made since; to_regclass() alone does not.
        found = transaction.query(_SCHEMA_OF, [META])
        ((self._schema,),) = found or transaction.query("SELECT coalesce(current_schema(), '')")
        if not found:
            return 0
        self._version, self._key = read_meta(transaction, self._place)
        return self._version

    def _upgrade(self, transaction: Transaction) -> None:
        # Whoever comes second finds the work done.
        transaction.query("SELECT pg_advisory_xact_lock(?)", [_key(_MIGRATION_LOCK)])
        version = self._read_meta(transaction)
        if version == 0:
            self._before_making(self.address, self._place)
            self.made = True
        if version < VERSION:
            migrate(transaction, version, secrets.token_hex(32))
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
        for number in sorted({_key(about) % _IDENTITY_LOCKS for about in identities}):
            transaction.query("SELECT pg_advisory_xact_lock(?)", [_key(f"{_IDENTITY_LOCK} {number}")])

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
        return LedgerError(f"The ledger {self._place} cannot be {done}: {text.rstrip('.')}. {hint}")

    def after_fork(self) -> None:
        """In a child: let go of the connection, which must end with the parent, without a word to the server."""
        if self._connection is not None and not self._connection.closed:
            with contextlib.suppress(OSError, psycopg.Error):
                nothing = os.open(os.devnull, os.O_RDWR)
                # The number stays taken, so that what still has the connection never writes into another file.
                os.dup2(nothing, self._connection.fileno(), inheritable=False)
                os.close(nothing)


def open_postgresql(address: str, *, writing: bool, before_making: BeforeMaking) -> PostgresqlLedger | AbsentLedger:
    """Open the ledger at this address, and make its tables when they are missing and writing.

    Raises LedgerError, and MissingLibraryError without psycopg. No message holds the password of the address.
    """
    if _MISSING is not None:
        raise MissingLibraryError("psycopg[binary]", "for a ledger in PostgreSQL", str(_MISSING))
    place, parameters = describe(address)
    ledger = PostgresqlLedger(address, place, parameters, writing=writing, before_making=before_making)
    if ledger.exists:
        return ledger
    ledger.close()
    return AbsentLedger(place, ledger.address)


def describe(address: str) -> tuple[str, dict[str, Any]]:
    """An address without its secrets, for messages, and its parameters."""
    parameters: dict[str, Any] | None
    try:
        parameters = conninfo_to_dict(address)
    except (psycopg.ProgrammingError, UnicodeDecodeError):
        parameters = None
    # An unencoded / makes a part of the password pass for a port and a database, an unencoded @ for a host.
    before, _slash, behind = address.partition("://")[2].partition("/")
    misread = before.count("@") > 1 or "@" in behind or re.search(r"\s", address)
    if parameters is None or misread or re.fullmatch(r"[\d,]*", str(parameters.get("port") or "")) is None:
        # The parser's own message quotes what it stumbled over, which can be a part of the password.
        raise LedgerError(
            "The option ledger is no valid PostgreSQL address. It has the form postgresql://user:password@host:port/"
            "database; characters of the password other than letters, digits and - . _ ~ are to be percent-encoded "
            "(@ is %40, / is %2F)."
        )
    user = f"{quote(str(parameters['user']), safe='')}@" if parameters.get("user") else ""
    return f"postgresql://{user}{_server_of(parameters)}", parameters


def _server_of(parameters: Mapping[str, Any]) -> str:
    """Hosts, ports and database of an address, as it names them."""
    hosts = str(parameters.get("host") or parameters.get("hostaddr") or "").split(",")
    ports = str(parameters.get("port") or "").split(",")
    ports += ports[-1:] * (len(hosts) - len(ports))
    servers = ",".join(_server(host, port) for host, port in zip(hosts, ports, strict=False))
    return f"{servers}/{quote(str(parameters.get('dbname') or ''), safe='')}"


def _server(host: str, port: str) -> str:
    name = f"[{host}]" if ":" in host else quote(host, safe="")
    return f"{name}:{port}" if port else name


def _marked(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)


_open: weakref.WeakSet[PostgresqlLedger] = weakref.WeakSet()


def _forked() -> None:
    for ledger in _open:
        ledger.after_fork()


os.register_at_fork(after_in_child=_forked)


__all__ = ["PATIENCE", "PostgresqlLedger", "describe", "open_postgresql"]
