# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a ledger in a file needs of the file system: private folders that last, and locks that a crash releases."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: File systems whose locks or shared memory do not reach every machine that sees the file.
_NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb2",
        "smb3",
        "smbfs",
        "ncpfs",
        "afs",
        "ceph",
        "lustre",
        "beegfs",
        "gpfs",
        "glusterfs",
        "davfs",
    }
    | {
        f"fuse.{name}"
        for name in ("sshfs", "glusterfs", "ceph", "ceph-fuse", "s3fs", "gcsfuse", "rclone", "juicefs", "davfs")
    }
)
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


def network_file_system(path: Path, mounts: str | None = None) -> str | None:
    """The type of the network file system that holds this path; ``None`` for a local one or where it cannot be told.

    ``path`` is absolute and without symbolic links; ``mounts`` is the text of Linux's ``/proc/self/mountinfo``.
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    deepest, found = -1, ""
    for line in mounts.splitlines():
        before, _rest, after = line.partition(" - ")
        if after and len(before.split(" ")) > 4:
            point = Path(_OCTAL.sub(lambda octal: chr(int(octal[1], 8)), before.split(" ")[4]))
            # Of two mounts on one point, the later one hides the other.
            if path.is_relative_to(point) and len(point.parts) >= deepest:
                deepest, found = len(point.parts), after.split(" ")[0]
    return found if found in _NETWORK else None


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, waiting for it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class RunLock:
    """The lock that tells that a run is alive: its own file in a folder, locked until the process ends.

    Only a run locks its own file exclusively. All others ask for a shared lock, so that they never disturb each
    other. A file that is missing or not locked belongs to a run that is gone.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder = folder
        self._path = folder / run_id
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock, and remove the files that dead runs have left."""
        while not self.in_place():
            self.forget()
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            # Waits for whoever tries the new file before it is locked, and may remove it: then it is made again.
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        for path in self._folder.iterdir():
            with _unlocked(path) as gone:
                if gone:
                    path.unlink(missing_ok=True)

    def in_place(self) -> bool:
        """Whether the file that this run has locked is the one that others find."""
        return self._descriptor is not None and same_file(self._path, os.fstat(self._descriptor))

    def living(self, run_id: str) -> bool:
        """Whether another run holds its lock."""
        with _unlocked(self._folder / run_id) as gone:
            return not gone

    def release(self) -> None:
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            self.forget()

    def forget(self) -> None:
        """Close the file. In a fork this leaves the lock to the parent, and lets it end with the parent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def _unlocked(path: Path) -> Iterator[bool]:
    """Whether no run holds this file; while that is looked at, no run can take it."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield True
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def same_file(path: Path, known: os.stat_result | None) -> bool:
    """Whether this path is (still) that file."""
    try:
        return known is not None and os.path.samestat(path.stat(), known)
    except FileNotFoundError:
        return False


__all__ = ["RunLock", "folder_lock", "network_file_system", "same_file"]
