# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Caches what was learned about a service in files: catalogue and OpenAPI document.

A cache is a convenience: one that is missing, old, foreign or unreadable is a cache that holds nothing.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from .files import is_ours, make_folders, read_private, replace_private

#: A catalogue of this many bytes is read from the service instead.
LARGEST = 256_000_000


class Cache:
    """Values by kind and key, in files with mode 0600 in a directory with mode 0700.

    Without a folder, or with one that is another user's, nothing is kept: files of root would lock a user out.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def read(self, kind: str, key: tuple[str, ...], max_age: float) -> tuple[Any, float] | None:
        """The value that was written at most ``max_age`` seconds ago, and when it was; ``None`` without one."""
        if self.folder is None:
            return None
        path = self._path(self.folder, kind, key)
        try:
            # Whoever else can write the file could choose what an order is made of.
            text, written = read_private(path, LARGEST)
            if not 0 <= time.time() - written <= max_age:
                return None
            value = json.loads(text)
        except (OSError, ValueError, RecursionError):
            return None
        return None if value is None else (value, written)

    def write(self, kind: str, key: tuple[str, ...], value: Any) -> None:
        """Store a JSON value; null stands for none. If the directory is not writable, nothing is stored."""
        folder = self.folder
        if folder is None or not is_ours(folder):
            return
        path = self._path(folder, kind, key)
        try:
            make_folders(folder)
            # Not json.dump: its encoder in Python takes ten times as long.
            replace_private(path, json.dumps(value))
        except OSError:
            return

    @staticmethod
    def _path(folder: Path, kind: str, key: tuple[str, ...]) -> Path:
        name = hashlib.sha256("\n".join(key).encode(errors="replace")).hexdigest()[:24]
        return folder / f"{kind}-{name}.json"
