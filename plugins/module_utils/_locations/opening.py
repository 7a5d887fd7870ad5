# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the ledger at a location, in whichever database that is.

A file belongs to one user, and has one name; the locks of its mount must work on every machine, and its files last.
"""

from __future__ import annotations

import os
import re
import stat
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .._core.clocks import Clocks
from .._core.errors import LedgerError
from .._core.files import distrust_of, make_folders, status_of
from .._ledger.database import Actor, Database, Mode, Run
from .._ledger.sqlite import SqliteDatabase, explained, journal_of
from .._ledger.store import Ledger
from .locations import FileLocation, Location

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


def open_ledger(location: Location, mode: Mode, actor: Actor | None = None, clocks: Clocks | None = None) -> Ledger:
    """Open the ledger at this location, which reads as empty if it is missing. Its first change makes it.

    ``actor`` is who does what this run does. Raises LedgerError, also where nothing may be ordered with a ledger there.
    """
    by = Run(uuid.uuid4().hex, actor or Actor(), clocks or Clocks())
    opening: Callable[..., Database]
    if isinstance(location, FileLocation):
        opening = partial(_open_file, location, by, mode)
    else:
        # Measured: psycopg takes 60 ms to import.
        from .._ledger.postgresql import PostgresqlDatabase

        opening = partial(PostgresqlDatabase, location.text, location.place, location.address, by, mode)
    return Ledger(opening, mode)


def _open_file(location: FileLocation, by: Run, mode: Mode, *, making: bool = False) -> Database:
    path, place = Path(os.path.realpath(location.path)), location.place
    with explained(place, "made" if making else "opened"):
        _refuse(location, path, mode)
        if making:
            make_folders(path.parent)
            # Another user may have made one of the directories meanwhile.
            _refuse(location, path, mode)
    return SqliteDatabase(path, place, by, mode, making=making)


def _refuse(location: FileLocation, path: Path, mode: Mode) -> None:
    """Raise LedgerError if a ledger at this path would be lost, or must not be written to. Nothing is opened.

    ``path`` is that of the location without links.
    """
    mount, status = mount_of(path), status_of(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        # To open it could block.
        raise LedgerError(f"The ledger {location.place} is not a regular file. Give the path of the ledger's file.")
    if forgotten := why_forgotten(location, path.parent, mount):
        raise LedgerError(forgotten)
    if mode == "read":
        return
    if mount.kind in NETWORK:
        raise LedgerError(
            f"The ledger {location.place} is on a network file system ({mount.kind}).\n"
            "It does not keep the locks that protect an order from being sent twice.\n"
            "If the file exists, move it to a local disk while no run uses it, with all that lies beside it. Then set "
            "ledger to its new path. If several controllers order, move it on to PostgreSQL: playbook move_ledger."
        )
    if mount.point == path:
        raise LedgerError(
            f"The ledger {location.place} is a mount point: it has a second name.\n"
            "Runs that use the other name do not see its journal, and could order the same again.\n"
            "Mount the directory that holds the file, with all that lies beside it."
        )
    if distrust := distrust_of(location.path, journal_of(path), root_uses_all=True):
        raise LedgerError(
            f"The ledger {location.place} could be changed by other users: {distrust.why}.\n"
            f"Whoever changes it can have orders placed twice.\n{distrust.cure}\n"
            "Or set ledger (or RESELLER_LEDGER) to a path below directories that only you can write. Several users "
            "share a ledger in PostgreSQL: postgresql://user@host/database."
        )


# The file system of a ledger


class Mount(NamedTuple):
    """A mounted file system: its mount point, its type, and the directory that is mounted. All are empty if unknown."""

    point: Path
    kind: str
    root: str

    @property
    def is_root_that_vanishes(self) -> bool:
        """Return whether it is ``/`` of a container or of a live system, whose files go with it."""
        return self.point == Path("/") and self.kind in _MEMORY | _LAYERED


def mount_of(path: Path) -> Mount:
    """Return the mount that contains this path, which is absolute and without links."""
    sought, deepest, mounts = f"{path}/", ("", "", ""), ""
    with suppress(OSError):
        mounts = _MOUNTS.read_bytes().decode("utf-8", "surrogateescape")
    for line in mounts.splitlines():
        before, _rest, after = line.partition(" - ")
        fields = before.split(" ")
        if after and len(fields) > 4:
            root, point = (_OCTAL.sub(lambda octal: chr(int(octal[1], 8)), field) for field in fields[3:5])
            # Of two mounts on one point, the later one hides the other.
            if len(point) >= len(deepest[0]) and sought.startswith(f"{point.rstrip('/')}/"):
                deepest = (point, after.partition(" ")[0], root)
    return Mount(Path(deepest[0]), *deepest[1:])


def why_forgotten(location: FileLocation, folder: Path, mount: Mount) -> str | None:
    """Why a ledger in this directory of a mount would not outlive this job or container, or ``None``."""
    ledger = "The default ledger" if location.is_default else f"The ledger {location.place}"
    job = location.job_folder and Path(os.path.realpath(location.job_folder))
    if job and (reason := _vanishes(folder, mount, job)):
        what = f"{ledger} would be lost with this job. Nothing was sent."
        why = f"AWX_ISOLATED_DATA_DIR is set (execution environment), and {folder} is {reason}."
    elif location.is_default and mount.is_root_that_vanishes:
        what = f"{ledger} would be lost with this container. Nothing was sent."
        why = f"Its directory {folder} is on /, and that file system ({mount.kind}) goes with the container."
    else:
        return None
    return (
        f"{what}\n{why} The next one would order again.\n"
        "Set ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database) or a path on a "
        "persistent volume."
    )


def _vanishes(folder: Path, mount: Mount, job: Path) -> str | None:
    """Why a directory goes with a job, whose own one is ``artifacts/<job id>`` in the private data directory."""
    if not mount.kind:
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
