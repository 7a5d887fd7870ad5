# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What kind of file a ledger is, and whose: checked without opening it. A ledger file belongs to one user."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shlex
import stat
from collections.abc import Collection
from itertools import chain
from pathlib import Path

from .._core.errors import Advice, LedgerError, message_of

_ACL = "system.posix_acl_access"
_ONE_USER = Advice(
    "Or set ledger (or RESELLER_LEDGER) to a path below directories that only you can write. Several users share a "
    "ledger in PostgreSQL: postgresql://user@host/database.",
)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def make_private(path: Path) -> None:
    """Create a file that only this user can read, and replace a leftover."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def file_or_nearest(path: Path) -> os.stat_result:
    """The status of a ledger, whose owner has it, or of the nearest directory above a missing one."""
    return next(found for each in (path, *path.parents) if (found := _stat(each)) is not None)


def hand_over(path: Path, ledger: os.stat_result) -> None:
    """Give what root made to the owner of the ledger, whom it would lock out."""
    if os.geteuid() == 0:
        # A user namespace does not have every user.
        with contextlib.suppress(OSError):
            os.chown(path, ledger.st_uid, ledger.st_gid)


def check_kind(path: Path, place: str) -> None:
    """Raise LedgerError if there is something else than a file: opening it could block."""
    found = _stat(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise LedgerError(f"The ledger {place} is not a regular file. Give the path of the ledger's file.")


def second_name(path: Path, place: str, *, is_point: bool) -> str | None:
    """Why this path, which may be a mount point, is not the only name of the file, or ``None``."""
    found = _stat(path)
    if not is_point and (found is None or found.st_nlink < 2):
        return None
    return (
        f"The ledger {place} has a second name: it is {'a mount point' if is_point else 'hard-linked'}.\n"
        "Runs that use the other name do not see its locks and its journal, and could order the same again.\n"
        "Mount the directory that holds the file, with all that lies beside it, and remove hard links."
    )


def why_unsafe(path: Path, written: Path, place: str) -> str | None:
    """Return why others than root and the ledger's owner could change it, or ``None``.

    That is one who can write the file, what lies beside it, or a directory above it. ``written`` is the path as it was
    given, which may lead there by links.
    """
    trusted = {0, os.geteuid() or file_or_nearest(path).st_uid}
    above = dict.fromkeys(Path(os.path.realpath(each)) for each in chain(path.parents, written.parents))
    parts = {each: _stat(each) for each in (path, beside(path, "-journal"), beside(path, ".runs"), *above)}
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
    """Who else can write a file or directory, in words. ``None``: nobody."""
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
    """Whether all members of a group are trusted. One whose members are not known is not private."""
    users = pwd.getpwall()
    try:
        members = {*grp.getgrgid(group).gr_mem, *(user.pw_name for user in users if user.pw_gid == group)}
    except KeyError:
        return False
    return bool(members) and members <= {user.pw_name for user in users if user.pw_uid in trusted}


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None
