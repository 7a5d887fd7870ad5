# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a ledger file needs of its file system: locks that a crash releases."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def folder_lock(folder: Path, *, waiting: bool = True) -> Iterator[None]:
    """Hold a directory's lock and wait for it, or raise BlockingIOError while another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if waiting else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


class RunLock:
    """The lock that shows that a run is alive: its own file in a directory, locked until the process ends.

    The file is named by the run, and by device and inode of the ledger that the run has open. Only a run locks its own
    file exclusively. All others ask for a shared lock, so that they never disturb each other. A file that is missing or
    not locked belongs to a run that is gone.
    """

    def __init__(self, folder: Path, run_id: str, ledger: os.stat_result) -> None:
        self._folder = folder
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
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        paths = _files(self._folder)
        runs = known()
        for path in paths:
            with _unlocked(path) as gone:
                if gone and path.stem in runs:
                    path.unlink(missing_ok=True)

    def in_place(self) -> bool:
        """Whether others find the file that this run has locked."""
        return self._descriptor is not None and same_file(self._path, os.fstat(self._descriptor))

    def living(self, run_id: str) -> bool:
        """Whether another run holds its lock."""
        with _unlocked(self._of(run_id)) as gone:
            return not gone

    def strangers(self, known: Callable[[], Collection[str]]) -> tuple[list[Path], list[Path]]:
        """The files of dead runs that are not ``known``, and those of living runs that have another ledger open.

        Whoever is known is looked up after the files: a run is known before its file is made.
        """
        held: dict[Path, bool] = {}
        for path in _files(self._folder):
            with _unlocked(path) as gone:
                held[path] = not gone
        dead = [path for path, alive in held.items() if not alive]
        runs = known() if dead else ()
        return (
            sorted(path for path in dead if path.stem not in runs and path.exists()),
            sorted(path for path, alive in held.items() if alive and path.suffix != self._suffix),
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
def _unlocked(path: Path) -> Iterator[bool]:
    """Whether no run holds this file; while that is looked at, no run can take it. It never blocks."""
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
