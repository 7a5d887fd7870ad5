# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledger in a SQLite file, for the runs of one machine.

A run is alive while it holds the lock of its file in the directory ``<ledger>.runs`` (see run_locks.py).

A claim is in the file itself before its order is sent: SQLite's log can be lost, or be left behind by a backup. Every
transaction is therefore moved into the file, and the log emptied. On ext4 that takes about two thirds of the time of a
rollback journal with synchronous=EXTRA.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from .._core.errors import LedgerError
from . import run_locks
from .order_records import KEY_OF_OPERATIONS
from .ownership import beside
from .reading import OPEN
from .rows import META, Transaction, damaged, make, read_meta
from .store import Ledger

_T = TypeVar("_T")

#: A run waits this many seconds for others that are writing.
PATIENCE = 30.0

RESTORE = "Do not order anything until the ledger has been restored from a backup, or repaired."
WRITABLE = "Make the file, what is beside it, and its directory readable and writable for the user who runs Ansible."
_HINTS = (
    ("full", "Free some space on that file system."),
    ("locked", f"Other runs have been writing to it for more than {PATIENCE:.0f} seconds: look for one that hangs."),
    ("malformed", f"The file is damaged or was cut off. {RESTORE}"),
    ("not a database", f"The file is damaged, or no ledger. {RESTORE}"),
)


class SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)


class SqliteLedger(Ledger):
    """A ledger in an existing file of ours; open_sqlite() opens one."""

    _is_operation = f"name GLOB '{KEY_OF_OPERATIONS}*'"

    def __init__(self, path: Path, place: str, *, writing: bool) -> None:
        super().__init__(place, writing=writing)
        self._path = path
        self._file = path.stat()
        self._lock = run_locks.RunLock(beside(path, ".runs"), self._run_id, self._file)
        #: The file as it was when it was opened for reading while no run had a log; see _connect().
        self._unlogged: os.stat_result | None = None
        self._connection = self._connect()
        try:
            self._id, self._key = self._run(self._meta, writing=False)
            if writing:
                self._check_whole()
        except BaseException:
            self._connection.close()
            raise
        OPEN.add(self)

    @property
    def address(self) -> str:
        return str(self._path)

    def _connect(self) -> sqlite3.Connection:
        path = self._path
        if self._writing:
            with explained(self.place, "opened"):
                connection = connect(path, "mode=rw")
                try:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute("PRAGMA synchronous = FULL")
                    connection.execute("PRAGMA fullfsync = ON")
                except BaseException:
                    connection.close()
                    raise
                return connection
        # Without a log, reading takes no lock and makes no file: others may be locked out by one of this user's.
        self._unlogged = None if beside(path, "-wal").exists() else path.stat()
        connection = connect(path, "mode=ro" if self._unlogged is None else "immutable=1")
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _meta(self, transaction: Transaction) -> tuple[str, bytes]:
        if not transaction.query("SELECT 1 FROM sqlite_master WHERE name = ?", [META]):
            raise damaged(self.place, f"its table {META} is gone")
        return read_meta(transaction, self.place)

    def _check_whole(self) -> None:
        """Raise LedgerError if the file is damaged: an order that an index lost would be placed again."""
        with explained(self.place, "read"):
            found = self._connection.execute("PRAGMA integrity_check(1)").fetchall()
        if found != [("ok",)]:
            raise damaged(self.place, " ".join(str(found[0][0]).split()))

    def _run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        connection = self._connection
        with explained(self.place, "written" if writing else "read"):
            try:
                # Pages in memory would hide that an older state was copied over the file.
                connection.execute("PRAGMA shrink_memory")
                connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
                answer = work(SqliteTransaction(connection))
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                if not (isinstance(error, sqlite3.DatabaseError) and self._was_written()):
                    raise
            else:
                if writing:
                    self._move_log(connection)
                    self._check_in_place()
                if not self._was_written():
                    return answer
            self._reconnect()
        return self._run(work, writing=writing)

    def _was_written(self) -> bool:
        """Whether a run has written to the file since it was opened without a lock."""
        if self._unlogged is None:
            return False
        found, known = self._path.stat(), self._unlogged
        changed = (found.st_ino, found.st_size, found.st_mtime_ns) != (known.st_ino, known.st_size, known.st_mtime_ns)
        return changed or beside(self._path, "-wal").exists()

    def _reconnect(self) -> None:
        self._connection.close()
        self._connection = self._connect()

    def _move_log(self, connection: sqlite3.Connection) -> None:
        """Move what was committed into the file, durably."""
        blocked, logged, moved = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if blocked and logged != moved:
            raise sqlite3.OperationalError("the log is locked, and could not be moved into the file")

    def _check_in_place(self) -> None:
        if not run_locks.is_same_file(self._path, self._file):
            raise LedgerError(
                f"The ledger {self.place} was removed or replaced while this run had it open.\n"
                "What this run writes is lost.\n"
                "Stop all runs, put the ledger back, and check with the customer portal what was ordered since."
            )

    def _living(self, transaction: Transaction, run_ids: Collection[str]) -> set[str]:
        with explained(self.place, "read"):
            return {run_id for run_id in run_ids if self._lock.living(run_id)}

    def _take_lock(self) -> None:
        with explained(self.place, "written"):
            run_locks.make_runs(beside(self._path, ".runs"), self._path)
            self._lock.take()

    def _release(self) -> None:
        with contextlib.suppress(OSError):
            self._lock.release()
        self._lock.forget()
        self._connection.close()

    def after_fork(self) -> None:
        self._lock.forget()


@contextlib.contextmanager
def explained(place: str, done: str) -> Iterator[None]:
    """Turn the errors of SQLite and the file system into LedgerError, with what to do."""
    subject = f"The ledger {place} cannot be {done}"
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        hint = next(
            (hint for words, hint in _HINTS if words in str(error)),
            f"{WRITABLE} Look for a full, failing or read-only disk, too.",
        )
        raise LedgerError(f"{subject}: {error}.\n{hint}") from error
    except OSError as error:
        reason = f"{error.strerror} ({error.filename})" if error.filename else str(error)
        raise LedgerError(f"{subject}: {reason}.\n{WRITABLE}") from error
    except UnicodeError as error:
        raise LedgerError(f"{subject}: a value contains characters that are not valid Unicode ({error}).") from error


class EmptyLedger(Ledger):
    """What a missing ledger reads as: one in memory that nobody writes to."""

    exists = False
    _is_operation = SqliteLedger._is_operation

    def __init__(self, place: str, address: str) -> None:
        super().__init__(place, writing=False)
        self._address = address
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        make(SqliteTransaction(self._connection))
        self._id, self._key = read_meta(SqliteTransaction(self._connection), place)

    @property
    def address(self) -> str:
        return self._address

    def _run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        return work(SqliteTransaction(self._connection))

    def _living(self, transaction: Transaction, run_ids: Collection[str]) -> set[str]:
        return set()

    def _take_lock(self) -> None:
        """Nothing is claimed."""

    def _release(self) -> None:
        self._connection.close()


def connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path))}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
