# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private files and directories that survive a power failure, and whether others could change one."""

from __future__ import annotations

import contextlib
import errno
import grp
import os
import pwd
import shlex
import stat
from collections.abc import Collection, Iterator
from itertools import chain, takewhile
from pathlib import Path
from typing import NamedTuple

from .errors import Advice, ConfigurationError

#: Linux follows as many links in one path.
_MOST_LINKS = 40


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
            status = path.stat()
        except FileNotFoundError:
            missing = True
            continue
        except OSError:
            return False
        return status.st_uid == os.geteuid() or (missing and bool(status.st_mode & stat.S_ISVTX))
    return False


def read_private(path: Path, largest: int) -> bytes:
    """The content of a file of this user. Never blocks.

    Raises OSError for what others own or can write, for a larger file, and for what is no file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{path} can be written by others")
        if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
            raise OSError(f"{path} is not a file of this collection")
        return file.read()


def sync(path: Path) -> None:
    """Flush a file or directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def status_of(path: Path) -> os.stat_result | None:
    """Return the status of a path itself, ``None`` if there is nothing."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


# Whether others could change a file


class Distrust(NamedTuple):
    """The reason why a file is not safe from other users, and the command or sentence that makes it so."""

    why: str
    cure: str


def distrust_of(path: Path, *beside: Path, group_may: bool = False, root_uses_all: bool = False) -> Distrust | None:
    """Return why others than this user and root could replace or change what is, or would be, at this absolute path.

    ``None`` if nobody could. The path is walked as the kernel walks it: each link and folder that it passes must belong
    to this user or root. Nobody else may write to these folders, but for root's group and a private group of this user
    to those above that of the file, and to sticky ones above it, where everyone has folders of his own. ``beside`` are
    other files in its folder. With ``group_may``, a private group may write to the file and its folder, too. With
    ``root_uses_all``, an existing file may be that of any user if this one is root. Raises OSError where the path leads
    nowhere.
    """
    steps = [*_walked(path)]
    last, last_status, is_file = steps[-1]
    statuses = {at: status for at, status, _is_end in steps if status is not None}
    own = {last, last.parent, *beside} if is_file else set()
    statuses |= {file: there for file in beside if (there := status_of(file)) is not None}
    trusted = {0, os.geteuid()}
    if root_uses_all and os.geteuid() == 0 and last_status is not None:
        trusted.add(last_status.st_uid)
    for at, status in statuses.items():
        if status.st_uid not in trusted:
            return Distrust(f"{at} belongs to user {status.st_uid}", "Run this task as the user whose file it is.")
    writers = {at: who for at, status in statuses.items() if (who := _writers(status, at in own, trusted, group_may))}
    if not writers:
        return None
    why = ", and ".join(f"{at} can be written by {who}" for at, who in writers.items())
    return Distrust(why, f"Take the right away: chmod go-w {shlex.join(map(str, writers))}")


def refuse_unsafe(option: str, path: str) -> None:
    """Raise ConfigurationError if others could change what an option has written at this absolute path.

    Raises OSError where the path leads nowhere.
    """
    if distrust := distrust_of(Path(path)):
        raise ConfigurationError(
            f"Others could change {option} {path!r}: {distrust.why}. Nothing was sent.",
            Advice(f"{distrust.cure}\nOr give a path below directories that only this user can write to."),
        )


def _walked(path: Path) -> Iterator[tuple[Path, os.stat_result | None, bool]]:
    """Yield each folder, link and file by which the kernel comes to a path, with its status, and whether it is the end.

    Nothing follows what is missing, which has no status.
    """
    here, parts, links = Path(path.anchor), [*reversed(path.parts[1:])], 0
    yield here, here.lstat(), not parts
    while parts:
        part = parts.pop()
        if part == "..":
            here = here.parent
            continue
        at = here / part
        status = status_of(at)
        is_link = status is not None and stat.S_ISLNK(status.st_mode)
        yield at, status, not parts and not is_link
        if status is None:
            return
        if is_link:
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            target = Path(os.readlink(at))
            here = Path(target.anchor) if target.is_absolute() else here
            parts += reversed(target.parts[1:] if target.is_absolute() else target.parts)
        else:
            here = at


def _writers(status: os.stat_result, is_own: bool, trusted: Collection[int], group_may: bool) -> str | None:
    """Return in words who else can write to a file or folder, which is the file itself or its own folder, or not."""
    mode = status.st_mode
    if stat.S_ISLNK(mode) or (stat.S_ISDIR(mode) and mode & stat.S_ISVTX and not is_own):
        return None
    if mode & stat.S_IWOTH:
        return "everyone"
    if not mode & stat.S_IWGRP:
        return None
    if is_own:
        may = group_may and _is_private(status.st_gid, trusted)
    else:
        may = status.st_gid == 0 or _is_private(status.st_gid, trusted)
    return None if may else f"its group {status.st_gid}"


def _is_private(group: int, trusted: Collection[int]) -> bool:
    """Return whether all members of a group are trusted. One whose members are not known is not private."""
    users = pwd.getpwall()
    try:
        members = {*grp.getgrgid(group).gr_mem, *(user.pw_name for user in users if user.pw_gid == group)}
    except KeyError:
        return False
    return bool(members) and members <= {user.pw_name for user in users if user.pw_uid in trusted}
