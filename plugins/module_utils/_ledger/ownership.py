# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What kind of file a ledger is, and whose: checked without opening it, and passed on to what is made beside it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from .._core.advice import Advice, told
from .._core.errors import LedgerError


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def make_private(path: Path) -> None:
    """Create a file that only this user can read, and replace a leftover."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def share(path: Path, mode: int) -> None:
    """Give a file or directory this mode, and the group of its directory. Without that group, it stays private."""
    with contextlib.suppress(PermissionError):
        if _give(path, -1, path.parent.stat().st_gid):
            path.chmod(mode)


def inherit(path: Path, ledger: os.stat_result) -> None:
    """Give what this run made beside a ledger the ledger's owner, group and mode, as far as this user may.

    SQLite does so with its own files. Without it, a run of root would lock the ledger's owner out.
    """
    mode = stat.S_IMODE(ledger.st_mode) & 0o666
    if path.is_dir():
        mode |= (mode & 0o444) >> 2
        mode |= stat.S_ISGID if mode & 0o020 else 0
    if not _give(path, ledger.st_uid if os.geteuid() == 0 else -1, ledger.st_gid):
        mode &= 0o700
    with contextlib.suppress(PermissionError):
        path.chmod(mode)


def _give(path: Path, user: int, group: int) -> bool:
    """Give a file or directory to this user and group; -1 leaves one as it is. ``False`` where that is not allowed."""
    try:
        os.chown(path, user, group)
    except OSError as error:
        # EINVAL: a user namespace does not have that user or group.
        if error.errno not in (errno.EPERM, errno.EINVAL):
            raise
        return False
    return True


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


def why_unsafe(path: Path, place: str, *, shared: bool) -> str | None:
    """Why users other than root and this one could have changed the ledger, or ``None``.

    ``shared``: the ledger is shared with others on purpose. Root may use the ledgers of all users.
    """
    user = os.geteuid()
    for each in () if shared else (path.parent, path, beside(path, ".runs")):
        found = _stat(each)
        if found is None:
            continue
        # In a sticky directory nobody removes or renames what another one made.
        sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
        if user != 0 and found.st_uid not in (0, user):
            what = (
                f"The ledger {place} could be changed by another user: {each} belongs to user {found.st_uid}.\n"
                "Whoever changes it can have orders placed twice."
            )
            how = (
                "If it is shared on purpose, set ledger_shared: true (RESELLER_LEDGER_SHARED). Otherwise run this task "
                "as that user, whose ledger it is."
            )
            return told((what, Advice(how)))
        if found.st_mode & stat.S_IWOTH and not sticky:
            return (
                f"The ledger {place} could be changed by other users: {each} can be written by everyone.\n"
                "Whoever changes it can have orders placed twice.\n"
                f"Take the right away: chmod o-w {each}"
            )
    return None


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None
