# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger in PostgreSQL, for AWX and for several controllers."""

from __future__ import annotations

import hashlib
import os
import ssl
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeVar

from .._core.addresses import is_loopback
from .._core.errors import Advice, LedgerError, MissingLibraryError
from .database import Clock, Database, Mode, Run, Session
from .ledger_tables import META, identify, make_tables

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import Conninfo
except ImportError as error:
    _MISSING: ImportError | None = error
else:
    _MISSING = None

_T = TypeVar("_T")

#: For this many seconds a run tries to get back a connection that it lost.
PATIENCE = 30.0
_PAUSE = 0.25
#: Whoever writes takes this advisory lock first, also to make the tables: one after the other, as with a file.
_WRITING_LOCK = int.from_bytes(hashlib.sha256(b"hosting.reseller ledger").digest()[:8], "big", signed=True)

#: What an address may set otherwise. Seconds, but for tcp_user_timeout (milliseconds).
_DEFAULTS = {
    "application_name": "hosting.reseller",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    # A standby server cannot be written to, and lags.
    "target_session_attrs": "primary",
}
#: Settings of each transaction, whatever the database, the user or a pooler prefers: a session is not this run's own.
#: Nobody waits for long for a run that hangs, and what is committed is on the disk.
_SETTINGS = """SELECT
    set_config('lock_timeout', '40s', true),
    set_config('statement_timeout', '60s', true),
    set_config('idle_in_transaction_session_timeout', '30s', true),
    (SELECT set_config('synchronous_commit', 'on', true)
        WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')),
    -- PostgreSQL before 17 has none.
    (SELECT set_config('transaction_timeout', '120s', true)
        WHERE current_setting('transaction_timeout', true) IS NOT NULL)"""
#: The server's time, as the rows have it.
_TIME = "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
#: Whether the search path leads to it, of each ledger in the database. Who reads pg_class learns what others made
#: meanwhile, and to_regclass() alone does not.
_LEDGERS = "SELECT oid = to_regclass(?) FROM pg_class WHERE relname = ? AND relpersistence <> 't'"
#: Errors that vanish when the transaction is done again: serialization failure, deadlock, and a server that goes or
#: comes (admin shutdown, crash shutdown, cannot connect now).
_PASSING = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
#: Where systems keep the certificates that they trust, if Python does not tell. psycopg[binary] has a libpq that knows
#: none.
_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_TLS_ADVICE = Advice(
    "Without sslmode in the address, the password is sent only to a server whose certificate this system trusts.\n"
    "For a certificate authority of your own, add sslrootcert=/path/of/its/certificate to the address. A weaker mode "
    "counts only if it is written there: with sslmode=require or less, whoever stands in between can read the password."
)


class PostgresqlSession(Session):
    """A transaction: when writing, alone, and with a view of what was committed before."""

    def __init__(self, connection: psycopg.Connection[Any], *, writing: bool) -> None:
        self._connection = connection
        # Each statement sees what was committed before it.
        lock = f"; SELECT pg_advisory_xact_lock({_WRITING_LOCK})" if writing else ""
        cursor = connection.execute(f"{_SETTINGS}{lock}; SELECT {_TIME}".encode())
        while cursor.nextset():
            pass
        ((self._time,),) = cursor.fetchall()

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        cursor = self._connection.execute(_marked(statement), values)
        return [] if cursor.description is None else cursor.fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        values = [*rows]
        # For none, psycopg would wait for the server all the same.
        if values:
            with self._connection.cursor() as cursor:
                cursor.executemany(_marked(statement), values)

    def clock(self) -> Clock:
        """The server's time when the transaction began: the clocks of several machines differ."""
        return Clock(self._time)


class PostgresqlDatabase(Database):
    """The database at what libpq reads in ``text``. It may lack the tables of a ledger: with ``making``, they are made.

    ``place`` and ``address`` have no password. Raises LedgerError, and no message holds the password of the text.
    """

    def __init__(self, text: str, place: str, address: str, by: Run, mode: Mode, *, making: bool = False) -> None:
        if _MISSING is not None:
            raise MissingLibraryError("psycopg[binary]", "for a ledger in PostgreSQL", str(_MISSING)) from _MISSING
        super().__init__(place, address, by)
        self._writing = mode == "write"
        self._connection: psycopg.Connection[Any] | None = None
        try:
            self._parameters = parameters_of(text)
            self._connection = self._connect()
            self.run(self._make if making else self._read_meta, writing=making)
            if not self.exists:
                self.release()
        except psycopg.Error as error:
            self.release()
            raise self._explain("opened", error) from None
        except BaseException:
            self.release()
            raise

    def _connect(self) -> psycopg.Connection[Any]:
        # A pooler would lose prepared statements, and an outcome with them.
        parameters = {**self._parameters, "client_encoding": "UTF8"}
        connection = psycopg.connect(autocommit=True, prepare_threshold=None, **parameters)
        connection.read_only = not self._writing
        connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        return connection

    def _read_meta(self, session: Session) -> None:
        ledgers = [is_here for (is_here,) in session.query(_LEDGERS, [META, META])]
        if True in ledgers:
            identify(self, session)
        elif ledgers:
            raise LedgerError(
                f"The ledger of this database is in another schema than {self.place} leads to. Nothing was sent.\n"
                "Another one beside it would lack its orders, and they would be placed again.",
                Advice(
                    "Set the search path in the address of the ledger: options=-csearch_path%3DSCHEMA. "
                    "Another ledger needs a database of its own.",
                ),
            )

    def _make(self, session: Session) -> None:
        self._read_meta(session)
        if not self.exists:  # otherwise, another run has made it meanwhile
            make_tables(session)
            self._read_meta(session)

    def run(self, work: Callable[[Session], _T], *, writing: bool) -> _T:
        """See Database. A lost connection is made again, and the work done again: it finds what a commit left."""
        deadline: float | None = None
        while True:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                with self._connection.transaction():
                    return work(PostgresqlSession(self._connection, writing=writing))
            except psycopg.Error as error:
                if self._connection is not None and self._connection.closed:
                    self._connection = None
                passing = self._connection is None or error.sqlstate in _PASSING
                deadline = deadline or time.monotonic() + PATIENCE
                if not passing or time.monotonic() >= deadline:
                    raise self._explain("written" if writing else "read", error) from None
            time.sleep(_PAUSE)

    def release(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _explain(self, done: str, error: psycopg.Error) -> LedgerError:
        # No message of libpq has the password of an address that it could read.
        text = " ".join(str(error).split()) or type(error).__name__
        return LedgerError(
            f"The ledger {self.place} cannot be {done}: {text.rstrip('.')}.",
            Advice("Check the address in the option ledger, and that the server is well."),
            _TLS_ADVICE if any(word in text for word in ("SSL", "certificate")) else "",
        )


def parameters_of(address: str) -> dict[str, Any]:
    """Return the parameters of an address, with the defaults that it does not set, and what protects its password.

    A server that is not on this machine must show a trusted certificate, unless the address itself has an ``sslmode``.
    Parameters count for more than the environment and service files, which could weaken it.
    """
    given = {name: value for name, value in conninfo_to_dict(address).items() if value}
    parameters: dict[str, Any] = {**_DEFAULTS, **given}
    if "sslmode" in given or ("service" not in given and _is_here(given)):
        return parameters
    certificates = (ssl.get_default_verify_paths().cafile, *_CERTIFICATES)
    trusted = next((file for file in certificates if file and os.path.exists(file)), "system")
    written = given.get("sslrootcert", "system")
    return {**parameters, "sslmode": "verify-full", "sslrootcert": trusted if written == "system" else written}


def _is_here(given: Mapping[str, Any]) -> bool:
    """Return whether all hosts of an address, or of the environment, are this machine."""
    usual = {option.keyword.decode(): option.val.decode() for option in Conninfo.get_defaults() if option.val}
    places = [str(given.get(name) or usual.get(name, "")).split(",") for name in ("hostaddr", "host")]
    hosts = [place or name for place, name in zip_longest(*places, fillvalue="")]
    # Without a host, libpq takes a socket.
    return all(not host or host[0] in "/@" or is_loopback(host) for host in hosts)


def _marked(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()
