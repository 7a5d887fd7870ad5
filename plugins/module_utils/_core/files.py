# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private files and directories that survive a power failure, and the caches in them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
import time
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

#: A catalogue of this many bytes is read from the service instead.
LARGEST = 256_000_000


def make_folders(folder: Path) -> None:
    """Create this directory and missing parents, for this user alone, so that they survive a power failure."""
    missing = takewhile(lambda path: not path.exists() and path != path.parent, chain([folder], folder.parents))
    for path in reversed([*missing]):
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        sync(path.parent)


def is_ours(folder: Path) -> bool:
    """Return whether this folder belongs to this user, or, if it is missing, the nearest one above it.

    A sticky folder like /tmp, in which everyone makes folders of their own, counts if this one is still missing.
    """
    missing = False
    for path in chain([folder], folder.parents):
        try:
            found = path.stat()
        except FileNotFoundError:
            missing = True
            continue
        except OSError:
            return False
        return found.st_uid == os.geteuid() or (missing and bool(found.st_mode & stat.S_ISVTX))
    return False


def read_private(path: Path, largest: int) -> tuple[bytes, float]:
    """The content of a file of this user, and the time it was written (seconds). Never blocks.

    Raises OSError for what others own or can write, for a larger file, and for what is no file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{path} can be written by others")
        if not stat.S_ISREG(found.st_mode) or found.st_size > largest:
            raise OSError(f"{path} is not a file of this collection")
        return file.read(), found.st_mtime


def sync(path: Path) -> None:
    """Flush a file or directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_private(path: Path, content: str) -> None:
    """Write a file with mode 0600 in place of an older one. Readers see one of both, whole. Raises OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


class Cache:
    """Values learned about a service (catalogue, OpenAPI document), by kind and key, in files with mode 0600 in a
    directory with mode 0700.

    A cache is a convenience: one that is missing, old, foreign or unreadable holds nothing. Without a folder, or with
    one that is another user's, nothing is kept: files of root would lock a user out.
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
