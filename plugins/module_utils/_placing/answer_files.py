# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files for responses as they arrive, with credentials that a service shows only once (``save_answer``).

A file is made before its order is sent: when the answer is there it is too late to find that it cannot be written.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from .._core.errors import ConfigurationError
from .._core.files import sync
from .._order.planner import Step


class AnswerFile:
    """The file for one response, 0600 and durable. Without a path, it does nothing."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: int | None = None
        self._empty = True

    def make(self) -> None:
        """Create the file, empty. Raises ConfigurationError if it exists or cannot be created."""
        if self._path is None:
            return
        try:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            os.fsync(self._file)
            sync(Path(self._path).absolute().parent)
        except (OSError, ValueError) as error:
            self.close(keep=False)
            raise refused(self._path, _reason(error)) from error

    def write(self, body: bytes) -> str | None:
        """Replace an earlier response, durably; an empty one removes it.

        Return a warning if the response could not be written as a whole.
        """
        if self._file is None:
            return None
        self._empty = not body
        try:
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            while body:
                body = body[os.write(self._file, body) :]
            os.fsync(self._file)
            failure = None if os.fstat(self._file).st_nlink else "the file was removed meanwhile"
        except OSError as error:
            failure = error.strerror
        return failure and (
            f"The answer could not be saved to {self._path!r}: {failure}. What the service tells only once is lost. "
            "Look for credentials in the customer portal, or have new ones made."
        )

    def close(self, *, keep: bool) -> None:
        """Close the file, and remove it unless ``keep`` is set and a response was written."""
        if self._file is None or self._path is None:
            return
        os.close(self._file)
        self._file = None
        if not keep or self._empty:
            with contextlib.suppress(OSError):
                os.unlink(self._path)


def check_writable(path: str | None) -> None:
    """Raise ConfigurationError if a response could not be saved. No file is created."""
    if path is None:
        return
    try:
        folder = Path(path).absolute().parent
        if os.path.lexists(path):
            raise refused(path, "it exists")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise refused(path, f"{str(folder)!r} is not a writable directory")
    except (OSError, ValueError) as error:
        raise refused(path, _reason(error)) from error


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "it is not a valid path"


def refused(path: str, reason: str) -> ConfigurationError:
    """The error of a response that cannot be saved."""
    return ConfigurationError(
        f"save_answer {path!r} cannot be made: {reason}. This order was not sent.\n"
        "Give the absolute path of a new file in a writable directory, or move the file that is there away: it may "
        "hold credentials that were told only once."
    )


def refuse_unwritable(steps: Sequence[Step]) -> list[Step]:
    """The steps, with those refused that would be sent although their response could not be saved."""
    taken: set[str] = set()
    checked = []
    for step in steps:
        path = step.order.save_answer if step.order is not None and step.action == "order" else None
        if path is not None and step.error is None:
            try:
                if not Path(path).is_absolute():
                    raise refused(path, "the path is relative")
                if path in taken:
                    raise refused(path, "another order of this task has it")
                check_writable(path)
            except ConfigurationError as error:
                step = step.refused(error)
            taken.add(path)
        checked.append(step)
    return checked
