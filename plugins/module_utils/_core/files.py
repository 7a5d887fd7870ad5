# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private files and directories that survive a power failure."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import stat
from itertools import chain, takewhile
from pathlib import Path


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


def others_who_write(path: Path) -> str:
    """Return who else than this user and root may write a file, in a few words; empty if nobody. Raises OSError.

    The private group of this user is the user.
    """
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()):
        return f"user {found.st_uid} owns it"
    if found.st_mode & stat.S_IWOTH:
        return "everyone may"
    if found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid, found.st_uid):
        return f"group {found.st_gid} may"
    return ""


def _is_private(group: int, user: int) -> bool:
    """Return whether a group is that of one user alone, by its name and its members."""
    try:
        entry, name = grp.getgrgid(group), pwd.getpwuid(user).pw_name
    except KeyError:
        return False
    return entry.gr_name == name and not {*entry.gr_mem} - {name}
