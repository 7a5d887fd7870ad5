# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledger in a SQLite file, for the runs of one machine.

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
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from .._core.clocks import Clocks
from .._core.errors import Advice, LedgerError
from .._core.files import status_of, sync
from .database import Clock, Database, Mode, Run, Session, damaged, now
from .ledger_tables import identify, make_tables

_T = TypeVar("_T")

#: Nobody waits longer for a lock, or for others that are writing, in seconds.
PATIENCE = 30.0
#: What the header of the file says, so that no other program's database is ever taken for a ledger ("hrlg").
APPLICATION_ID = 0x68726C67

_RESTORE = "Do not order anything until the ledger has been restored from a backup, or repaired."
_HINT = (
    "Make the file, what is beside it, and its directory readable and writable for the user who runs Ansible. Look for "
    f"a full disk, and for a run that hangs.\n{_RESTORE}"
)


_NEW_HINT = (
    "No ledger can be made there. Nothing was sent.\n"
    "Set ledger (or RESELLER_LEDGER) to a path in a directory that the user who runs Ansible can write to. The default "
    "one is below HOME (or XDG_STATE_HOME). Look for a full disk."
)


class SqliteSession(Session):
    def __init__(self, connection: sqlite3.Connection, clocks: Clocks) -> None:
        self._connection, self._clocks = connection, clocks

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    def clock(self) -> Clock:
        """The clocks of this machine."""
        return Clock(now(self._clocks), self._clocks.boot_id(), self._clocks.since_boot())


class SqliteDatabase(Database):
    """The database in the file at this path without links, which may be missing: with ``making``, it is made then.

    Raises LedgerError when there is something else at the path, which is left as it is.
    """

    def __init__(self, path: Path, place: str, by: Run, mode: Mode, *, making: bool = False) -> None:
        super().__init__(place, str(path), by)
        self._path, self._writing, self._is_whole = path, mode == "write", False
        with explained(place, "made" if making else "opened"):
            if making:
                self._make()
            if (status := status_of(path)) and status.st_size:
                self._check_content()
                self._file = path.stat()
                self._connect()
            elif self._is_half_written():
                raise LedgerError(
                    f"The ledger {self.place} is gone or empty, and its journal is still there. {_RESTORE}\n"
                    "Put the ledger back from where it was moved, with the journal beside it. Before you put a backup "
                    "there, remove the journal."
                )
            elif status and mode != "read":
                raise LedgerError(
                    f"The file {self.place} is empty, and not a ledger. It was not changed.\n"
                    f"If it was one, its orders would be placed again. {_RESTORE}",
                    Advice("Only if it never was one, remove it: the first order makes the ledger."),
                )

    def _make(self) -> None:
        """Make a whole ledger under a name that only this process has, and link it: nobody sees a half-made one.

        Its journal is made before, so that nobody else makes it. Of runs at once, the one that links first wins.
        """
        made = self._path.with_name(f".{self._path.name}.{uuid.uuid4().hex}")
        _make_private(made)
        try:
            with contextlib.closing(connect(made, "mode=rw")) as connection:
                connection.execute("PRAGMA journal_mode = MEMORY")
                connection.execute("BEGIN")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                make_tables(SqliteSession(connection, self.by.clocks))
                connection.execute("COMMIT")
            sync(made)
            with suppress(FileExistsError):
                _make_private(journal_of(self._path))
            with suppress(FileExistsError):
                os.link(made, self._path)
        finally:
            made.unlink()
        sync(self._path.parent)

    def _is_half_written(self) -> bool:
        """Return whether a run left a change half written, which SQLite undoes by the journal beside the file."""
        try:
            with journal_of(self._path).open("rb") as journal:
                return journal.read(1) not in (b"", b"\0")
        except FileNotFoundError:
            return False

    def _check_content(self) -> None:
        """Look at the header alone, without a lock, a log or anything else that would change somebody's file.

        It is read by SQLite: whoever opens the file otherwise takes the locks of this process away when closing it.
        """
        with contextlib.closing(connect(self._path, "immutable=1")) as connection:
            try:
                # Of a file that is shorter than its header tells, the header is read as well: a run may be writing.
                connection.execute("PRAGMA writable_schema = ON")
                (application_id,), (page,) = (
                    connection.execute(f"PRAGMA {part}").fetchone() for part in ("application_id", "page_size")
                )
            except sqlite3.DatabaseError as error:
                if "not a database" not in str(error):
                    raise
                application_id = None
        if application_id != APPLICATION_ID:
            raise LedgerError(
                f"The file {self.place} is not a ledger. It was not changed.\nIf it was one, it is damaged. {_RESTORE}",
                Advice(
                    "Give the option ledger the path of the right file. With a new one, all that was ordered before "
                    "would be ordered again.",
                ),
            )
        size = self._path.stat().st_size
        if size % page and not self._is_half_written():
            # SQLite would read the missing part of the last page as zeros, where no journal brings it back.
            raise damaged(self.place, f"the file was cut off at {size} bytes")

    def _connect(self) -> None:
        # Whoever reads only undoes, too, what a run left half written.
        self._connection = connection = connect(self._path, "mode=rw")
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = ON")
            connection.execute("PRAGMA journal_mode = PERSIST" if self._writing else "PRAGMA query_only = ON")
            self.run(partial(identify, self), writing=False)
        except BaseException:
            connection.close()
            raise

    def check_whole(self) -> None:
        """See Database. A damaged file is refused: an order that an index lost would be placed again."""
        if not self._is_whole:
            with explained(self.place, "read"):
                rows = self._connection.execute("PRAGMA integrity_check(1)").fetchall()
            if rows != [("ok",)]:
                raise damaged(self.place, " ".join(str(rows[0][0]).split()))
            self._is_whole = True

    def run(self, work: Callable[[Session], _T], *, writing: bool) -> _T:
        connection = self._connection
        with explained(self.place, "written" if writing else "read"):
            try:
                # Pages in memory would hide that an older state was copied over the file.
                connection.execute("PRAGMA shrink_memory")
                connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
                answer = work(SqliteSession(connection, self.by.clocks))
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                if writing and not ((status := status_of(self._path)) and os.path.samestat(status, self._file)):
                    raise LedgerError(
                        f"The ledger {self.place} was removed or replaced while this run had it open.\n"
                        "What this run writes is lost.\n"
                        "Stop all runs, put the ledger back, and check with the customer portal what was ordered since."
                    )
            return answer

    def release(self) -> None:
        self._connection.close()


def journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


def _make_private(path: Path) -> None:
    """Make an empty file for this user alone. Raises FileExistsError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


@contextmanager
def explained(place: str, done: str) -> Iterator[None]:
    """Turn the errors of SQLite and the file system into LedgerError, with what to do."""
    subject, hint = f"The ledger {place} cannot be {done}", _NEW_HINT if done == "made" else _HINT
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise LedgerError(f"{subject}: {error}.\n{hint}") from error
    except OSError as error:
        reason = f"{error.strerror} ({error.filename})" if error.filename else str(error)
        raise LedgerError(f"{subject}: {reason}.\n{hint}") from error


def connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path))}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


class EmptyDatabase(Database):
    """An empty ledger in memory, in place of one that is missing."""

    def __init__(self, missing: Database) -> None:
        super().__init__(missing.place, missing.address, missing.by)
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.run(make_tables, writing=True)
        self.run(partial(identify, self), writing=False)

    def run(self, work: Callable[[Session], _T], *, writing: bool) -> _T:
        return work(SqliteSession(self._connection, self.by.clocks))

    def release(self) -> None:
        self._connection.close()
