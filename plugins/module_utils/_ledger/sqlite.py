# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledger in a SQLite file, for the runs of one machine.

A run is alive while it holds the lock of its file in the directory ``<ledger>.runs`` (see database.py).

A claim is in the file itself before its order is sent, because a log can be lost, or be left behind by a backup: SQLite
keeps a rollback journal, whose header is zero whenever no run is writing. Zeroing it is synced, so that no power
failure brings it back and takes the last transaction away.

Each change is flushed five times: the journal before its header, so that no half of it ever counts; its directory, so
that it is found after a power failure; its header, before the file is touched, which it can undo; the file, so that the
claim or outcome is there; and the end of the journal, so that it is not undone.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from .._core.errors import LedgerError
from .._core.files import make_folders
from .database import Database, RunLock, SqliteTransaction
from .ledger_errors import damaged
from .transaction import Transaction

_T = TypeVar("_T")

#: A run waits this many seconds for others that are writing.
PATIENCE = 30.0

RESTORE = "Do not order anything until the ledger has been restored from a backup, or repaired."
_HINT = (
    "Make the file, what is beside it, and its directory readable and writable for the user who runs Ansible. Look for "
    f"a full disk, and for a run that hangs.\n{RESTORE}"
)


class SqliteDatabase(Database):
    """An existing file of ours; open_sqlite() opens one."""

    def __init__(self, path: Path, place: str, run_id: str, *, writing: bool) -> None:
        super().__init__(place, str(path), run_id)
        self._writing = writing
        self._is_whole = False
        self._path = path
        self._file = path.stat()
        self._lock = RunLock(beside(path, ".runs"), run_id)
        self._connection = self._connect()
        try:
            self.id, self.digest_key = self.run(Transaction.meta, writing=False)
        except BaseException:
            self._connection.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        # Whoever reads only undoes, too, what a run left half written.
        connection = connect(self._path, "mode=rw")
        with explained(self.place, "opened"):
            try:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA fullfsync = ON")
                connection.execute("PRAGMA journal_mode = PERSIST" if self._writing else "PRAGMA query_only = ON")
            except BaseException:
                connection.close()
                raise
        return connection

    def ready(self) -> Database:
        """See Database. A damaged file is refused: an order that an index lost would be placed again."""
        if not self._is_whole:
            with explained(self.place, "read"):
                found = self._connection.execute("PRAGMA integrity_check(1)").fetchall()
            if found != [("ok",)]:
                raise damaged(self.place, " ".join(str(found[0][0]).split()))
            self._is_whole = True
        return self

    def run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        connection = self._connection
        with explained(self.place, "written" if writing else "read"):
            try:
                # Pages in memory would hide that an older state was copied over the file.
                connection.execute("PRAGMA shrink_memory")
                connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
                answer = work(SqliteTransaction(self, connection))
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                if writing:
                    self._check_in_place()
            return answer

    def _check_in_place(self) -> None:
        try:
            is_in_place = os.path.samestat(self._path.stat(), self._file)
        except FileNotFoundError:
            is_in_place = False
        if not is_in_place:
            raise LedgerError(
                f"The ledger {self.place} was removed or replaced while this run had it open.\n"
                "What this run writes is lost.\n"
                "Stop all runs, put the ledger back, and check with the customer portal what was ordered since."
            )

    def living(self, transaction: Transaction, run_ids: Collection[str]) -> tuple[set[str], set[str]]:
        found = {run_id: self._lock.is_held(run_id) for run_id in run_ids}
        return {each for each in found if found[each]}, {each for each in found if found[each] is None}

    def take_lock(self) -> None:
        with explained(self.place, "written"):
            make_folders(beside(self._path, ".runs"))
            self._lock.take()

    def release(self, *, with_claims: bool = False) -> None:
        self._connection.close()
        self._lock.release(keep=with_claims)


@contextlib.contextmanager
def explained(place: str, done: str) -> Iterator[None]:
    """Turn the errors of SQLite and the file system into LedgerError, with what to do."""
    subject = f"The ledger {place} cannot be {done}"
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise LedgerError(f"{subject}: {error}.\n{_HINT}") from error
    except OSError as error:
        reason = f"{error.strerror} ({error.filename})" if error.filename else str(error)
        raise LedgerError(f"{subject}: {reason}.\n{_HINT}") from error
    except UnicodeError as error:
        raise LedgerError(f"{subject}: a value contains characters that are not valid Unicode ({error}).") from error


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def is_half_written(path: Path) -> bool:
    """Return whether a run left a change half written, which SQLite undoes by the journal beside the file."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return journal.read(1) not in (b"", b"\0")
    except FileNotFoundError:
        return False


def connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path))}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
