# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds, checks and makes the file of a ledger in SQLite. It belongs to one user, and has one name.

The locks of its mount must work on every machine, and its files last.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import stat
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .._core.errors import Advice, LedgerError, message_of
from .._core.files import make_folders, sync
from .database import Database, MissingDatabase, Mode, folder_lock
from .ledger_errors import damaged
from .locations import FileLocation
from .ownership import status_of, why_unsafe
from .rows import new_tables
from .sqlite import RESTORE, SqliteDatabase, beside, connect, explained, is_half_written

#: File systems whose locks or shared memory do not reach every machine that sees the file.
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "beegfs", "gpfs", "glusterfs", "9p", "virtiofs", "vboxsf")
) | {f"fuse.{name}" for name in ("sshfs", "glusterfs", "ceph", "s3fs", "gcsfuse", "rclone")}
#: File systems that are in memory, or that go with a container or a live system.
_MEMORY = frozenset({"tmpfs", "ramfs", "rootfs"})
_LAYERED = frozenset({"overlay", "aufs", "fuse.fuse-overlayfs"})
_EMPTY_DIR = "/kubernetes.io~empty-dir/"
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A mounted file system: its mount point, its type, and the directory that is mounted."""

    point: Path
    kind: str
    root: str

    @property
    def is_root_that_vanishes(self) -> bool:
        """Return whether it is ``/`` of a container or of a live system, whose files go with it."""
        return self.point == Path("/") and self.kind in _MEMORY | _LAYERED


def mount_of(path: Path) -> Mount | None:
    """The mount that contains this path, absolute and without links, or ``None`` if that is unknown."""
    try:
        mounts = _MOUNTS.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None
    sought, found = f"{path}/", ("", "", "")
    for line in mounts.splitlines():
        before, _rest, after = line.partition(" - ")
        fields = before.split(" ")
        if after and len(fields) > 4:
            root, point = (_OCTAL.sub(lambda octal: chr(int(octal[1], 8)), field) for field in fields[3:5])
            # Of two mounts on one point, the later one hides the other.
            if len(point) >= len(found[0]) and sought.startswith(f"{point.rstrip('/')}/"):
                found = (point, after.partition(" ")[0], root)
    point, kind, root = found
    return Mount(Path(point), kind, root) if point else None


def why_forgotten(location: FileLocation, folder: Path, mount: Mount | None) -> str | None:
    """Why a ledger in this directory of a mount would not outlive this job or container, or ``None``."""
    ledger = "The default ledger" if location.is_default else f"The ledger {location.place}"
    job = location.job_folder and Path(os.path.realpath(location.job_folder))
    if job and (reason := _vanishes(folder, mount, job)):
        what = f"{ledger} would be lost with this job. Nothing was sent."
        why = f"AWX_ISOLATED_DATA_DIR is set (execution environment), and {folder} is {reason}."
    elif location.is_default and mount is not None and mount.is_root_that_vanishes:
        what = f"{ledger} would be lost with this container. Nothing was sent."
        why = f"Its directory {folder} is on /, and that file system ({mount.kind}) goes with the container."
    else:
        return None
    kept = Advice(
        "Set ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database) or a path on a "
        "persistent volume.",
    )
    return message_of((what, f"{why} The next one would order again.", kept))


def _vanishes(folder: Path, mount: Mount | None, job: Path) -> str | None:
    """Why a directory goes with a job, whose own one is ``artifacts/<job id>`` in the private data directory."""
    if mount is None:
        return "on a file system that is not known"
    private = job.parent.parent
    # ansible-runner mounts the private data directory, and the artifacts in it once more.
    own = mount.point != private and mount.point.is_relative_to(private) and not job.is_relative_to(mount.point)
    if folder.is_relative_to(private) and not own:
        return f"in the job's own directory {private}"
    if mount.is_root_that_vanishes:
        return f"on the file system of / ({mount.kind})"
    if mount.kind in _MEMORY:
        return f"in memory ({mount.kind})"
    return "in an emptyDir volume" if _EMPTY_DIR in f"{mount.root}/" else None


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
        found = status_of(path)
        if found is not None and not stat.S_ISREG(found.st_mode):
            # To open it could block.
            raise LedgerError(f"The ledger {place} is not a regular file. Give the path of the ledger's file.")
        if reason := _why_refused(path, location, writing=mode != "read"):
            raise LedgerError(reason)
        if _size(path):
            return _opened(path, place, run_id, writing=mode == "write")
        if is_half_written(path) and not _size(path):
            raise LedgerError(
                f"The ledger {place} is gone or empty, and its journal is still there. {RESTORE}\n"
                "Put the ledger back from where it was moved, with the journal beside it. Before you put a backup "
                "there, remove the journal."
            )
        return MissingDatabase(place, str(path), run_id, partial(_made, path, place, run_id))


def _made(path: Path, place: str, run_id: str) -> Database:
    """Return the database of a ledger that was missing."""
    with explained(place, "made"):
        runs = beside(path, ".runs")
        make_folders(runs)
        with folder_lock(runs):
            if not _size(path):
                _create(path)
        return _opened(path, place, run_id, writing=True)


def _opened(path: Path, place: str, run_id: str, *, writing: bool) -> Database:
    _check_content(path, place)
    return SqliteDatabase(path, place, run_id, writing=writing)


def _why_refused(path: Path, location: FileLocation, *, writing: bool) -> str | None:
    """Return why a ledger at this path would be lost, or must not be written to, or ``None``. Nothing is opened."""
    place, mount, found = location.place, mount_of(path), status_of(path)
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
    if is_point or (found is not None and found.st_nlink > 1):
        return (
            f"The ledger {place} has a second name: it is {'a mount point' if is_point else 'hard-linked'}.\n"
            "Runs that use the other name do not see its locks and its journal, and could order the same again.\n"
            "Mount the directory that holds the file, with all that lies beside it, and remove hard links."
        )
    return why_unsafe(path, location.path, place)


def _size(path: Path) -> int:
    """Return how large a file is, 0 if it is not there."""
    found = status_of(path)
    return found.st_size if found else 0


def _check_content(path: Path, place: str) -> None:
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


def _create(path: Path) -> None:
    """Make a whole ledger under another name and move it into place: nobody ever sees a half-made one."""
    made = beside(path, ".new")
    for leftover in (made, beside(made, "-journal")):
        leftover.unlink(missing_ok=True)
    os.close(os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with contextlib.closing(connect(made, "mode=rw")) as connection:
            connection.execute("BEGIN")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement, values in new_tables():
                connection.execute(statement, values)
            connection.execute("COMMIT")
        sync(made)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    sync(path.parent)
