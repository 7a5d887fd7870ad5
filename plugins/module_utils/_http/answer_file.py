# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file that keeps one response: the option ``save_answer``."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .._core.errors import ConfigurationError
from .._core.files import refuse_unsafe, sync


class AnswerFile:
    """The file for one response as it arrives, with credentials that a service shows only once: 0600, and durable.

    It is made before the request is sent: when the answer is there it is too late to find that it cannot be written.
    Without a response, it is removed. Raises ConfigurationError if it exists or cannot be created, and where others
    could change it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._empty = True
        try:
            refuse_unsafe("save_answer", path)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                sync(Path(path).absolute().parent)
            except OSError:
                self.close()
                raise
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "it is not a valid path"
            raise ConfigurationError(
                f"save_answer {path!r} cannot be made: {reason}. Nothing was sent.\n"
                "Give the absolute path of a new file in a writable directory, or move the file that is there away: it "
                "may hold credentials that were shown only once."
            ) from error

    def write(self, body: bytes) -> str | None:
        """Write a response, durably. Return a warning if it could not be written as a whole."""
        self._empty = not body
        try:
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

    def close(self) -> None:
        os.close(self._file)
        if self._empty:
            with suppress(OSError):
                os.unlink(self._path)
