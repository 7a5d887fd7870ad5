# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds, checks and makes the file of a ledger in SQLite."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from functools import partial
from pathlib import Path

from .._core.errors import Advice, LedgerError
from .._core.files import sync
from . import ownership, run_locks
from .database import Database, MissingDatabase, Mode
from .ledger_errors import damaged
from .locations import FileLocation
from .mounts import NETWORK, mount_of, why_forgotten
from .ownership import beside, file_or_nearest, hand_over, make_private
from .rows import new_tables
from .sqlite import RESTORE, SqliteDatabase, connect, explained, is_half_written

#: What the header of the file says, so that no other program's database is ever taken for a ledger ("hrlg").
APPLICATION_ID = 0x68726C67


def open_sqlite(location: FileLocation, run_id: str, mode: Mode) -> Database:
    """Open the ledger at this location. For ``write``, its first change makes a missing one.

    Raises LedgerError when there is something else at the path, which is left as it is, and where nothing may be
    ordered with a ledger there.
    """
    place = location.place
    with explained(place, "opened"):
        path = Path(os.path.realpath(location.path))
        ownership.check_kind(path, place)
        if reason := _why_unsafe_place(path, location, writing=mode != "read"):
            raise LedgerError(reason)
        if _size(path):
            return _opened(path, place, run_id, writing=mode == "write")
        if is_half_written(path) and not _size(path):
            raise LedgerError(
                f"The ledger {place} is gone or empty, and its journal is still there. {RESTORE}\n"
                "Put the ledger back from where it was moved, with the journal beside it. Before you put a backup "
                "there, remove the journal."
            )
        return MissingDatabase(place, str(path), run_id, partial(_made, path, location, run_id))


def _made(path: Path, location: FileLocation, run_id: str) -> Database:
    """The database of a ledger that was missing."""
    with explained(location.place, "made"):
        ledger = file_or_nearest(path)
        run_locks.make_runs(beside(path, ".runs"), ledger)
        with run_locks.folder_lock(beside(path, ".runs")):
            if not _size(path):
                _create(path, ledger)
        return _opened(path, location.place, run_id, writing=True)


def _opened(path: Path, place: str, run_id: str, *, writing: bool) -> Database:
    _check_ours(path, place)
    return SqliteDatabase(path, place, run_id, writing=writing)


def _why_unsafe_place(path: Path, location: FileLocation, *, writing: bool) -> str | None:
    """Why a ledger at this path would be lost, or must not be written to, as far as that shows without opening it."""
    place, mount = location.place, mount_of(path)
    forgotten = why_forgotten(location, path.parent, mount)
    if forgotten or not writing:
        return forgotten
    if mount is not None and mount.kind in NETWORK:
        return (
            f"The ledger {place} is on a network file system ({mount.kind}).\n"
            "It does not keep the locks that protect an order from being sent twice.\n"
            "If the file exists, move it to a local disk while no run uses it, with all that lies beside it. Then set "
            "ledger to its new path. If several controllers order, move it on to PostgreSQL: playbook move_ledger."
        )
    is_point = mount is not None and mount.point == path
    return ownership.second_name(path, place, is_point=is_point) or ownership.why_unsafe(path, location.path, place)


def _size(path: Path) -> int:
    """How large a file is; nothing if it is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _check_ours(path: Path, place: str) -> None:
    """Look at the header alone, without a lock, a log or anything else that would change somebody's file.

    It is read by SQLite: whoever opens the file otherwise takes the locks of this process away when closing it.
    """
    with contextlib.closing(connect(path, "immutable=1")) as connection:
        try:
            # Of a file that is shorter than its header tells, the header is read as well: a run may be writing.
            connection.execute("PRAGMA writable_schema = ON")
            (found,), (page,) = (
                connection.execute(f"PRAGMA {part}").fetchone() for part in ("application_id", "page_size")
            )
        except sqlite3.DatabaseError as error:
            if "not a database" not in str(error):
                raise
            found = None
    if found != APPLICATION_ID:
        raise LedgerError(
            f"The file {place} is not a ledger. It was not changed.\nIf it was one, it is damaged. {RESTORE}",
            Advice(
                "Give the option ledger the path of the right file. With a new one, all that was ordered before would "
                "be ordered again.",
            ),
        )
    size = _size(path)
    if size % page and not is_half_written(path):
        # SQLite would read the missing part of the last page as zeros, where no journal brings it back.
        raise damaged(place, f"the file was cut off at {size} bytes")


def _create(path: Path, ledger: os.stat_result) -> None:
    """Make a whole ledger under another name and move it into place: nobody ever sees a half-made one."""
    made = beside(path, ".new")
    beside(made, "-journal").unlink(missing_ok=True)
    make_private(made)
    try:
        with contextlib.closing(connect(made, "mode=rw")) as connection:
            connection.execute("BEGIN")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement, values in new_tables():
                connection.execute(statement, values)
            connection.execute("COMMIT")
        hand_over(made, ledger)
        sync(made)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    sync(path.parent)
