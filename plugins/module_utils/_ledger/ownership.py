# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The users who can change a ledger file, which belongs to one user: checked without opening it."""

from __future__ import annotations

import grp
import os
import pwd
import shlex
import stat
from collections.abc import Collection
from itertools import chain
from pathlib import Path

from .._core.errors import Advice, message_of
from .sqlite import beside

_ACL = "system.posix_acl_access"
_ONE_USER = Advice(
    "Or set ledger (or RESELLER_LEDGER) to a path below directories that only you can write. Several users share a "
    "ledger in PostgreSQL: postgresql://user@host/database.",
)


def why_unsafe(path: Path, written: Path, place: str) -> str | None:
    """Return why others than root and the ledger's owner could change it, or ``None``.

    That is one who can write the file, what lies beside it, or a directory above it. ``written`` is the path as it was
    given, which may lead there by links.
    """
    nearest = next(status for each in (path, *path.parents) if (status := status_of(each)) is not None)
    # Root can use the ledgers of all users.
    trusted = {0, os.geteuid() or nearest.st_uid}
    above = dict.fromkeys(Path(os.path.realpath(each)) for each in chain(path.parents, written.parents))
    parts = {each: status_of(each) for each in (path, beside(path, "-journal"), beside(path, ".runs"), *above)}
    found = {each: status for each, status in parts.items() if status is not None}
    for each, status in found.items():
        if status.st_uid not in trusted:
            whose = f"{each} belongs to user {status.st_uid}"
            return message_of((_risk(place, whose), "Run this task as the user whose ledger it is.", _ONE_USER))
    writers = {each: who for each, status in found.items() if (who := _writers(each, status, trusted))}
    if not writers:
        return None
    listed = ", and ".join(f"{each} can be written by {who}" for each, who in writers.items())
    right = f"Take the right away: chmod go-w {shlex.join(map(str, writers))}"
    return message_of((_risk(place, listed), right, _ONE_USER))


def _risk(place: str, why: str) -> str:
    return (
        f"The ledger {place} could be changed by other users: {why}.\nWhoever changes it can have orders placed twice."
    )


def _writers(path: Path, found: os.stat_result, trusted: Collection[int]) -> str | None:
    """Return in words who else can write a file or directory, or ``None``."""
    # In a sticky directory nobody removes or renames what another one made.
    if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
        return None
    if found.st_mode & stat.S_IWOTH:
        return "everyone"
    # With an access control list, these bits are its mask.
    if not found.st_mode & stat.S_IWGRP:
        return None
    if _has_acl(path):
        return "those in its access control list"
    return None if _is_private(found.st_gid, trusted) else f"its group {found.st_gid}"


def _has_acl(path: Path) -> bool:
    try:
        return bool(os.getxattr(path, _ACL))
    except (OSError, AttributeError):  # AttributeError: macOS has no such lists
        return False


def _is_private(group: int, trusted: Collection[int]) -> bool:
    """Return whether all members of a group are trusted. One whose members are not known is not private."""
    users = pwd.getpwall()
    try:
        members = {*grp.getgrgid(group).gr_mem, *(user.pw_name for user in users if user.pw_gid == group)}
    except KeyError:
        return False
    return bool(members) and members <= {user.pw_name for user in users if user.pw_uid in trusted}


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of a path itself, ``None`` if there is nothing."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None
