# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Locks of directories and runs, which a crash releases."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .._core.errors import LedgerError

#: Nobody waits longer for a lock, in seconds.
PATIENCE = 30.0
_PAUSE = 0.01


@contextmanager
def folder_lock(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a directory's lock. Raises LedgerError when others hold it for too long."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    deadline = time.monotonic() + patience
    try:
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise LedgerError(
                    f"Other processes have locked {folder} for more than {patience:.0f} seconds.\n"
                    f"Look for one that hangs: fuser -v {folder}"
                )
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int, how: int) -> bool:
    """Lock a file or directory, unless another process holds it."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class RunLock:
    """The lock that shows that a run is alive: its own file in a directory, locked until the process ends.

    The file is named by the run. Only the run locks it exclusively. All others ask for a shared lock, so that they
    never disturb each other. A run is gone if its file is not locked. Of one whose file is missing, nothing is
    known: it removes the file only if it left no claim.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder = folder
        self._path = folder / run_id
        self._descriptor: int | None = None

    def take(self) -> None:
        """Take the lock."""
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        # Nobody looks at the file of a run that has claimed nothing yet.
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def is_held(self, run_id: str) -> bool | None:
        """Return whether another run holds its lock; ``None`` if that cannot be seen. It never blocks."""
        try:
            descriptor = os.open(self._folder / run_id, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        try:
            return not _locked(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def release(self, *, keep: bool) -> None:
        """End the lock. ``keep`` the file, by which others see that it has ended."""
        if self._descriptor is not None:
            if not keep:
                with suppress(OSError):
                    self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = None
