# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this package; every value is bound
"""The ledger in a SQLite file, for the runs of one machine.

A run is alive while it holds the lock of its file in the folder ``<ledger>.runs`` (see run_locks.py). Before that file
is made, the run is written to the table of runs. So the file of a dead run that the table lacks shows that the ledger
went back in time.

A claim is in the file itself before its order is sent: SQLite's log can be lost, or be left behind by a backup. Every
transaction is therefore moved into the file, and the log emptied. On ext4 that takes about two thirds of the time of a
rollback journal with synchronous=EXTRA.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from .._core.errors import LedgerError
from .._core.files import make_folders, make_private, sync
from . import ownership, run_locks
from .mounts import network_file_system
from .order_records import KEY_OF_OPERATIONS
from .ownership import beside
from .rows import META, ORDERS, Transaction, damaged, make, now, read_meta
from .store import AbsentLedger, BeforeMaking, SqlLedger

_T = TypeVar("_T")

#: What the header of the file says, so that no other program's database is ever taken for a ledger ("hrlg").
APPLICATION_ID = 0x68726C67
#: The runs that had something to write down; a run is added before its lock is taken.
RUNS = "hosting_reseller_runs"
_MAKE_RUNS = f"CREATE TABLE {RUNS} (run_id TEXT NOT NULL PRIMARY KEY, begun_at TEXT NOT NULL)"
#: A ledger of more bytes is checked less deeply when it is opened, and its index of names before the first claim: the
#: whole check of one with a million orders takes 5 seconds, the quick one 2.5, that of the index 1.5.
LARGE = 64_000_000
#: A run waits this many seconds for others that are writing.
PATIENCE = 60.0

_RESTORE = "Do not order anything before the ledger was restored from a backup, or repaired."
_WRITABLE = "Make the file and its directory writable for the user of this task."
_HINTS = (
    ("full", "Free some space on that file system, or give the ledger another place."),
    ("locked", f"Other runs have been writing to it for more than {PATIENCE:.0f} seconds: look for one that hangs."),
    ("readonly", _WRITABLE),
    ("malformed", f"The file is damaged or was cut off. {_RESTORE}"),
    ("not a database", f"The file is damaged, or no ledger. {_RESTORE}"),
    ("disk I/O", "Look for a full disk or quota, a limit of file sizes, or a failing disk."),
    (
        "unable to open",
        "Check that the file is there, its file system not read-only, and that this task's user may read and write it.",
    ),
)


class _Cursor:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)


class SqliteLedger(SqlLedger):
    """A ledger in an existing file of ours; open_sqlite() opens one."""

    _is_operation = f"name GLOB '{KEY_OF_OPERATIONS}*'"

    def __init__(self, path: Path, place: str, *, writing: bool) -> None:
        super().__init__(place, writing=writing)
        self._path = path
        known = path.stat()
        self._lock = run_locks.RunLock(beside(path, ".runs"), self._run_id, known)
        self._large = known.st_size > LARGE
        self._files: dict[Path, os.stat_result] = {path: known}
        #: The file as it was when it was opened for reading while no run had a log; see _connect().
        self._unlogged: os.stat_result | None = None
        self._connection = self._connect()
        try:
            self._key = self._run(self._meta, writing=False)
            if writing:
                self._check_whole()
            self.objection = self._lapse()
            # While it is open here, nobody but a person removes or replaces the log.
            with contextlib.suppress(FileNotFoundError):
                log = beside(path, "-wal")
                self._files[log] = log.stat()
        except BaseException:
            self._connection.close()
            raise
        _open.add(self)

    @property
    def address(self) -> str:
        return str(self._path)

    def _connect(self) -> sqlite3.Connection:
        path = self._path
        if self._writing:
            with _explained(self._place, "opened"):
                connection = _connect(path, "mode=rw")
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
        connection = _connect(path, "mode=ro" if self._unlogged is None else "immutable=1")
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _meta(self, transaction: Transaction) -> bytes:
        if not transaction.query("SELECT 1 FROM sqlite_master WHERE name = ?", [META]):
            raise damaged(self._place, f"its table {META} is gone")
        return read_meta(transaction, self._place)

    def _check_whole(self) -> None:
        """Raise LedgerError if the file is damaged: an order that an index lost would be placed again."""
        with _explained(self._place, "read"):
            check = "quick_check" if self._large else "integrity_check"
            found = self._connection.execute(f"PRAGMA {check}(1)").fetchall()
        if found != [("ok",)]:
            raise damaged(self._place, " ".join(str(found[0][0]).split()))

    def _check_names(self) -> None:
        """Raise LedgerError if a name that was recorded would seem to be free because the index lost it."""
        lookup = f"SELECT rowid FROM {ORDERS} AS found WHERE found.name = held.name"
        lost = f"SELECT 1 FROM {ORDERS} AS held NOT INDEXED WHERE ({lookup}) IS NOT held.rowid LIMIT 1"
        if self._run(lambda transaction: transaction.query(lost), writing=False):
            raise damaged(self._place, "its index of names and its orders differ")

    def _lapse(self) -> str | None:
        """Why this is a ledger of an earlier time, or not the one that a living run has open; ``None``: no sign."""
        with _explained(self._place, "read"):
            dead, elsewhere = self._lock.strangers(self._known_runs)
        if elsewhere:
            return (
                f"The ledger {self._place} was replaced while a run had it open, and that run is still alive.\n"
                f"It holds its lock: {elsewhere[0]}.\n"
                "Wait until that run has ended. Then restore the ledger, or compare it with the customer portal."
            )
        if dead:
            return (
                f"The ledger {self._place} went back in time. Nothing was sent.\n"
                f"It lacks a run that died: {dead[0]}. An older state was restored, or its latest changes were lost.\n"
                "Do not order anything before the ledger was restored, or the contracts that the customer portal shows "
                "were adopted (reseller_ledger with state: ordered). Then run reseller_ledger with state: accepted "
                "once."
            )
        return None

    def _known_runs(self) -> set[str]:
        def work(transaction: Transaction) -> set[str]:
            return {run for (run,) in transaction.query(f"SELECT run_id FROM {RUNS}")}

        return self._run(work, writing=False)

    def accept(self) -> None:
        with _explained(self._place, "written"):
            for path in self._lock.strangers(self._known_runs)[0]:
                path.unlink(missing_ok=True)
        self.objection = None

    def _run(self, work: Callable[[Transaction], _T], *, writing: bool) -> _T:
        connection = self._connection
        with _explained(self._place, "written" if writing else "read"):
            try:
                # Pages in memory would hide that an older state was copied over the file.
                connection.execute("PRAGMA shrink_memory")
                connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
                answer = work(_Cursor(connection))
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
        lost = [str(path) for path, known in self._files.items() if not run_locks.same_file(path, known)]
        if self._locked and not self._lock.in_place():
            lost.append(str(self._lock.path))
        if lost:
            raise LedgerError(
                f"The ledger {self._place} was removed or replaced while this run had it open.\n"
                f"What this run writes is lost. Changed: {', '.join(lost)}.\n"
                "Stop all runs, put the ledger back, and check with the customer portal what was ordered since."
            )

    def _living(self, transaction: Transaction, run_ids: Collection[str]) -> set[str]:
        with _explained(self._place, "read"):
            return {run_id for run_id in run_ids if self._lock.living(run_id)}

    def _take_lock(self) -> None:
        self.objection = self._lapse()
        if self.objection is not None:
            raise LedgerError(self.objection)
        if self._large:
            self._check_names()
        begun = [self._run_id, now()]
        self._run(lambda transaction: transaction.query(f"INSERT INTO {RUNS} VALUES (?, ?)", begun), writing=True)
        with _explained(self._place, "written"):
            make_folders(self._lock.path.parent)
            self._lock.take(self._known_runs)

    def _release(self) -> None:
        with contextlib.suppress(OSError, LedgerError):
            # What a ledger that was replaced does not know stays: it shows that something is missing.
            if (
                self._locked
                and run_locks.same_file(self._path, self._files[self._path])
                and self._run(self._knows_this_run, writing=False)
            ):
                self._lock.release()
        self._lock.forget()
        self._connection.close()

    def _knows_this_run(self, transaction: Transaction) -> bool:
        return bool(transaction.query(f"SELECT 1 FROM {RUNS} WHERE run_id = ?", [self._run_id]))

    def after_fork(self) -> None:
        """In a child process: drop what must end with the parent."""
        self._lock.forget()


@contextlib.contextmanager
def _explained(place: str, done: str) -> Iterator[None]:
    """Turn the errors of SQLite and the file system into LedgerError, with what to do."""
    subject = f"The ledger {place} cannot be {done}"
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        hint = next((hint for words, hint in _HINTS if words in str(error)), f"Look for damage to the file. {_RESTORE}")
        raise LedgerError(f"{subject}: {error}.\n{hint}") from error
    except OSError as error:
        reason = f"{error.strerror} ({error.filename})" if error.filename else str(error)
        raise LedgerError(
            f"{subject}: {reason}.\nGive the option ledger a path on a local file system that the user of this task "
            "can write, or a PostgreSQL address."
        ) from error
    except UnicodeError as error:
        raise LedgerError(f"{subject}: a value contains characters that are not valid Unicode ({error}).") from error


def open_sqlite(
    path: Path, place: str, *, writing: bool, before_making: BeforeMaking, shared: bool = False
) -> SqliteLedger | AbsentLedger:
    """Open the ledger at this path. With ``writing``, create a missing one. ``shared``: others may write to it.

    Raises LedgerError when there is something else at the path, which is left as it is.
    """
    with _explained(place, "opened"):
        path = Path(os.path.realpath(path))
        ownership.check_kinds(path, place)
        if writing and (reason := _refusal(path, place, shared=shared)):
            raise LedgerError(reason)
        made = False
        if _is_empty(path, place):
            _refuse_without(path, place)
            if not writing:
                return AbsentLedger(place, str(path))
            before_making(str(path), place)
            make_folders(beside(path, ".runs"))
            with run_locks.folder_lock(beside(path, ".runs")):
                if _is_empty(path, place):
                    _create(path)
                    made = True
        _check_ours(path, place)
        ledger = SqliteLedger(path, place, writing=writing)
        ledger.made = made
        return ledger


def hindrance(path: Path, place: str, *, shared: bool = False) -> str | None:
    """Return why the ledger at this path is not writable, checked without writing, or ``None``."""
    with _explained(place, "opened"):
        path = Path(os.path.realpath(path))
        # SQLite keeps its log, and a run its lock, beside the file.
        needed = next(folder for folder in (*path.parents, path) if folder.exists())
        closed = [found for found in (path, needed) if found.exists() and not os.access(found, os.W_OK)]
        if closed:
            return f"The ledger {place} cannot be written: {closed[0]} is read-only for this user. {_WRITABLE}"
        return _refusal(path, place, shared=shared)


def _refusal(path: Path, place: str, *, shared: bool) -> str | None:
    """Why nothing is ordered with a ledger at this path, as far as that shows without opening it."""
    kind = network_file_system(path)
    if kind is not None:
        return (
            f"The ledger {place} is on a network file system ({kind}).\n"
            "It does not keep the locks that protect an order from being sent twice.\n"
            "Give the option ledger a path on a local disk, or a PostgreSQL address (postgresql://user@host/database) "
            "if several controllers order."
        )
    return ownership.alias(path, place) or ownership.exposure(path, place, shared=shared)


def _is_empty(path: Path, place: str) -> bool:
    """Whether there is nothing that could be a ledger or somebody's file."""
    if _size(path):
        return False
    for left in (beside(path, "-wal"), beside(path, "-journal")):
        if _size(left):
            if _size(path):
                # Another run has made it since it was looked for.
                return False
            raise LedgerError(_gone(place, left, "which holds its latest orders"))
    return True


def _refuse_without(path: Path, place: str) -> None:
    """Raise LedgerError if a ledger was at this path, as a file of a run in its folder shows."""
    if beside(path, ".runs").is_dir():
        # Whoever makes a ledger at this moment has its first run after that.
        with run_locks.folder_lock(beside(path, ".runs")):
            left = next(beside(path, ".runs").iterdir(), None)
            if left is not None and _is_empty(path, place):
                raise LedgerError(_gone(place, left, "left by a run that used it"))


def _gone(place: str, left: Path, what: str) -> str:
    return (
        f"The ledger {place} is gone or empty. {_RESTORE}\n"
        f"Beside it is {left}, {what}.\n"
        "Put the ledger back from where it was moved, or from a backup. Remove that file only to begin anew: all that "
        "the ledger knew would then be ordered again."
    )


def _size(path: Path) -> int:
    """How large a file is; nothing if it is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _check_ours(path: Path, place: str) -> None:
    """Look at the header alone, without a lock, a log or anything else that would change somebody's file."""
    found, short = _header(path)
    if found == APPLICATION_ID:
        # Asked once, it may be that a run has just removed its log.
        if short and _header(path)[1]:
            raise damaged(place, f"the file was cut off at {path.stat().st_size} bytes")
    else:
        what = "not a SQLite database" if found is None else "a SQLite database of another program"
        raise LedgerError(
            f"The file {place} is not a ledger. It was not changed.\n"
            f"It is {what}. If it was a ledger, it is damaged. {_RESTORE}\n"
            "Give the option ledger the path of the right file. With a new one, all that was ordered before would be "
            "ordered again."
        )


def _header(path: Path) -> tuple[int | None, bool]:
    """Which program's database this is (``None``: it is none), and whether the file lacks a part that is in no log.

    While a run moves its log into the file, or after it died doing so, the file is shorter than its header tells. It is
    read by SQLite: whoever opens the file otherwise takes the locks of this process away when closing it.
    """
    with contextlib.closing(_connect(path, "immutable=1")) as connection:
        short = False
        try:
            try:
                connection.execute("PRAGMA schema_version")
            except sqlite3.DatabaseError as error:
                if "malformed" not in str(error):
                    raise
                short = True
                connection.execute("PRAGMA writable_schema = ON")
            (found,), (page,), (pages,) = (
                connection.execute(f"PRAGMA {part}").fetchone()
                for part in ("application_id", "page_size", "page_count")
            )
        except sqlite3.DatabaseError as error:
            if "not a database" not in str(error):
                raise
            return None, False
        # Of the last page that is there, a part may be missing.
        short = short or path.stat().st_size < page * pages
        return found, short and not any(_size(beside(path, log)) for log in ("-wal", "-journal"))


def _create(path: Path) -> None:
    """Make a whole ledger under another name and move it into place: nobody ever sees a half-made one."""
    made = beside(path, ".new")
    beside(made, "-journal").unlink(missing_ok=True)
    make_private(made)
    try:
        with contextlib.closing(_connect(made, "mode=rw")) as connection:
            connection.execute("BEGIN")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            make(_Cursor(connection), secrets.token_hex(32))
            connection.execute(_MAKE_RUNS)
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
        sync(made)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    sync(path.parent)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fsencode(path))}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


_open: weakref.WeakSet[SqliteLedger] = weakref.WeakSet()


def _forked() -> None:
    for ledger in _open:
        ledger.after_fork()


os.register_at_fork(after_in_child=_forked)
