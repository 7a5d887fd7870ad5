# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private files and folders that outlast a power cut."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def make_folders(folder: Path) -> None:
    """Make this folder and those above it that are missing, for this user only, so that they outlast a power cut."""
    missing = [folder, *folder.parents]
    missing = missing[: next(at for at, path in enumerate(missing) if path.exists() or path == path.parent)]
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=0o700)
        sync(path.parent)


def sync(path: Path) -> None:
    """Have a file or folder written to the disk before anything else happens."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private(path: Path) -> None:
    """Make an empty file that only this user can read, in place of a leftover."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


__all__ = ["make_folders", "make_private", "sync"]
