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
from collections.abc import Callable, Collection, Iterator
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

    The file is named by the run, and by device and inode of the ledger that the run has open. It has the ledger's
    owner, group and mode. Only a run locks its own file exclusively. All others ask for a shared lock, so that they
    never disturb each other. A file that is missing or not locked belongs to a run that is gone; of one that cannot be
    opened nothing is known.
    """

    def __init__(self, folder: Path, run_id: str, ledger: os.stat_result) -> None:
        self._folder = folder
        self._ledger = ledger
        self._suffix = f".{ledger.st_dev:x}-{ledger.st_ino:x}"
        self._path = self._of(run_id)
        self._descriptor: int | None = None

    @property
    def path(self) -> Path:
        """This run's file."""
        return self._path

    def take(self, known: Callable[[], Collection[str]]) -> None:
        """Take the lock, and remove the files of dead runs that are among the ``known`` ones."""
        while not self.in_place():
            self.forget()
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            # Waits for whoever tries the new file before it is locked, and may remove it: then it is made again.
            _wait_for(self._descriptor, self._path, PATIENCE)
        follow(self._path, self._ledger)
        paths = _files(self._folder)
        runs = known()
        for path in paths:
            with _unlocked(path) as gone, suppress(PermissionError):
                if gone and path.stem in runs:
                    path.unlink(missing_ok=True)

    def in_place(self) -> bool:
        """Whether others find the file that this run has locked."""
        return self._descriptor is not None and same_file(self._path, os.fstat(self._descriptor))

    def living(self, run_id: str) -> bool:
        """Whether another run is known to hold its lock."""
        with _unlocked(self._of(run_id)) as gone:
            return gone is False

    def strangers(self, known: Callable[[], Collection[str]]) -> tuple[list[Path], list[Path]]:
        """The files of runs that are not ``known`` nor alive, and those of living runs that have another ledger open.

        Whoever is known is looked up after the files: a run is known before its file is made.
        """
        alive: dict[Path, bool] = {}
        for path in _files(self._folder):
            with _unlocked(path) as gone:
                alive[path] = gone is False
        others = [path for path in alive if not alive[path]]
        runs = known() if others else ()
        return (
            sorted(path for path in others if path.stem not in runs and path.exists()),
            sorted(path for path in alive if alive[path] and path.suffix != self._suffix),
        )

    def _of(self, run_id: str) -> Path:
        return self._folder / f"{run_id}{self._suffix}"

    def release(self) -> None:
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            self.forget()

    def forget(self) -> None:
        """Close the file. In a fork this leaves the lock to the parent, and lets it end with the parent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _files(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


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


def same_file(path: Path, known: os.stat_result | None) -> bool:
    """Whether this path is (still) that file."""
    try:
        return known is not None and os.path.samestat(path.stat(), known)
    except FileNotFoundError:
        return False
