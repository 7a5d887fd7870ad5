# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a ledger file needs of its file system: locks that a crash releases."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .._core.errors import LedgerError
from .._core.files import make_folders
from .ownership import follow

#: Nobody waits longer for a lock, in seconds.
PATIENCE = 30.0
_PAUSE = 0.01


@contextmanager
def folder_lock(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a directory's lock. Raises LedgerError when others hold it for too long."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _wait_for(descriptor, folder, patience)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, path: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while not _locked(descriptor, fcntl.LOCK_EX):
        if time.monotonic() >= deadline:
            raise LedgerError(
                f"Other processes have locked {path} for more than {patience:.0f} seconds.\n"
                f"Look for one that hangs: fuser -v {path}"
            )
        time.sleep(_PAUSE)


def _locked(descriptor: int, how: int) -> bool:
    """Lock a file or directory, unless another process holds it."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def make_runs(folder: Path, ledger: Path | None, *, shared: bool = False) -> None:
    """Make the directory of the runs' files and those above it. It follows the ledger where there is one."""
    if not folder.exists():
        make_folders(folder, shared=shared)
        if ledger is not None:
            follow(folder, ledger.stat())


class RunLock:
    """The lock that shows that a run is alive: its own file in a directory, locked until the process ends.

    The file is named by the run, and has the ledger's owner, group and mode. Only a run locks its own file exclusively.
    All others ask for a shared lock, so that they never disturb each other. A file that is missing or not locked is of
    a run that is gone; of one that cannot be opened nothing is known.
    """

    def __init__(self, folder: Path, run_id: str, ledger: os.stat_result) -> None:
        self._folder = folder
        self._ledger = ledger
        self._path = folder / run_id
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock, and remove the files of dead runs."""
        while not self._is_in_place():
            self.forget()
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            # Waits for whoever tries the new file before it is locked, and may remove it: then it is made again.
            _wait_for(self._descriptor, self._path, PATIENCE)
        follow(self._path, self._ledger)
        for path in self._folder.iterdir():
            with _unlocked(path) as gone, suppress(PermissionError):
                if gone:
                    path.unlink(missing_ok=True)

    def _is_in_place(self) -> bool:
        """Whether others find the file that this run has locked."""
        return self._descriptor is not None and is_same_file(self._path, os.fstat(self._descriptor))

    def living(self, run_id: str) -> bool:
        """Whether another run is known to hold its lock."""
        with _unlocked(self._folder / run_id) as gone:
            return gone is False

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
def _unlocked(path: Path) -> Iterator[bool | None]:
    """Whether no run holds this file; while that is looked at, no run can take it. It never blocks.

    ``None``: this user may not open it.
    """
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise OSError(
                errno.EINVAL, "It is not a file of a run. Find out where it comes from, and remove it", str(path)
            )
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield True
        return
    except PermissionError:
        yield None
        return
    try:
        yield _locked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def is_same_file(path: Path, known: os.stat_result) -> bool:
    """Whether this path is (still) that file."""
    try:
        return os.path.samestat(path.stat(), known)
    except FileNotFoundError:
        return False
