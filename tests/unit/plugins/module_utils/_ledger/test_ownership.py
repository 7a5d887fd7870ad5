# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose ledger a file is, whether it has one name, and what must not be opened in its place."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import mounts, ownership
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.runs import await_that, die_while_writing, request

ANOTHER, THIRD, TEAM = 54321, 54322, 54400
ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root can become two users")


@pytest.fixture
def tmp_path() -> Path:
    """A directory that other users can reach: pytest keeps its own ones from them whenever a session begins."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["RESELLER_TESTS_SHARED"]))
    for each in (folder, folder.parent):
        each.chmod(0o755)
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "ledger.db"
    with open_ledger(location_of(str(path), {}), "write") as ledger:
        claim(ledger, [request("a")])
        record(ledger, "a", Outcome("ordered"))
    return path


def refusal(path: Path) -> str:
    """Why nothing is ordered, which a dry run says as well. Reading is not refused."""
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(str(path), {}), "write")
    with pytest.raises(LedgerError, match=re.escape(caught.value.message)):
        open_ledger(location_of(str(path), {}), "check")
    open_ledger(location_of(str(path), {}), "read").close()
    return caught.value.message


EVERYONE, GROUP, LISTED = "everyone", f"its group {TEAM}", "those in its access control list"
#: What stands beside a ledger, and above it: the test's own directory is "..".
PARTS = ("ledger.db", "ledger.db-journal", "ledger.db.runs", ".", "..")


def with_acl(path: Path, *, mask: int) -> None:
    """Give a file or directory an access control list with one user, all of whose rights this mask bounds."""
    user_owner, user, group_owner, mask_of_all, other, nobody = 1, 2, 4, 0x10, 0x20, 0xFFFFFFFF
    mode = path.stat().st_mode
    entries = [(user_owner, mode >> 6 & 7, nobody), (user, 6, THIRD), (group_owner, 0, nobody)]
    entries += [(mask_of_all, mask, nobody), (other, 0, nobody)]
    listed = b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + listed)
    except OSError as error:
        pytest.skip(f"no access control lists here: {error}")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("mode", "group", "who"),
    [
        (0o702, 0, EVERYONE),
        (0o722, TEAM, EVERYONE),
        (0o720, TEAM, GROUP),
        (0o2775, TEAM, GROUP),
        (0o755, TEAM, None),
        (0o750, 0, None),
    ],
)
def test_ledger_that_others_can_write_is_refused(path: Path, part: str, mode: int, group: int, who: str | None) -> None:
    each = (path.parent / part).resolve()
    if not each.exists():
        each.touch()
    if group and not ROOT:
        pytest.skip("only root can give a file to a group that it is not in")
    os.chown(each, -1, group or -1)
    each.chmod(mode)
    if who is None:
        open_ledger(location_of(str(path), {}), "write").close()
        return
    told = refusal(path)
    assert f"could be changed by other users: {each} can be written by {who}.\n" in told
    (line,) = re.findall("Take the right away: (chmod .*)\n", told)
    subprocess.run(shlex.split(line), check=True)
    open_ledger(location_of(str(path), {}), "write").close()


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("mask", [4, 6])
def test_mask_of_an_access_control_list_decides(path: Path, part: str, mask: int) -> None:
    each = (path.parent / part).resolve()
    if not each.exists():
        each.touch()
    with_acl(each, mask=mask)
    if mask & 2:
        assert f"{each} can be written by {LISTED}.\n" in refusal(path)
        each.chmod(each.stat().st_mode & ~0o020)
    open_ledger(location_of(str(path), {}), "write").close()


@pytest.mark.parametrize("part", [".", ".."])
def test_sticky_directory_is_no_risk(path: Path, part: str) -> None:
    (path.parent / part).chmod(0o1777)
    open_ledger(location_of(str(path), {}), "write").close()


def test_one_line_takes_all_rights_away(path: Path) -> None:
    odd = path.parent.rename(path.parent.with_name("it's state")) / path.name
    for each in (odd, odd.parent):
        each.chmod(0o777)
    (line,) = re.findall("Take the right away: (chmod .*)\n", refusal(odd))
    subprocess.run(shlex.split(line), check=True)
    open_ledger(location_of(str(odd), {}), "write").close()


def test_directory_of_a_link_counts(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "ledger.db"
    link.parent.mkdir(mode=0o700)
    link.symlink_to(path)
    open_ledger(location_of(str(link), {}), "write").close()
    link.parent.chmod(0o777)
    assert f"{link.parent} can be written by everyone" in refusal(link)


def test_missing_ledger_is_refused_like_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "open" / "new" / "ledger.db"
    path.parent.parent.mkdir(mode=0o700)
    path.parent.parent.chmod(0o777)
    assert f"{path.parent.parent} can be written by everyone" in refusal(path)
    assert not path.parent.exists()


class Users(NamedTuple):
    """Users by name, with their IDs and first groups, and the other members of each group."""

    users: dict[str, tuple[int, int]]
    groups: dict[int, list[str]]


@pytest.mark.parametrize(
    ("known", "is_private"),
    [
        (Users({"me": (1, TEAM)}, {TEAM: []}), True),
        (Users({"me": (1, 5)}, {TEAM: ["me"]}), True),
        (Users({"me": (1, 5), "root": (0, 0)}, {TEAM: ["me", "root"]}), True),
        (Users({"me": (1, TEAM), "alias": (1, 7)}, {TEAM: ["alias"]}), True),
        (Users({"me": (1, TEAM), "bob": (2, 2)}, {TEAM: ["bob"]}), False),
        (Users({"me": (1, TEAM), "bob": (2, TEAM)}, {TEAM: []}), False),
        (Users({"me": (1, 5)}, {TEAM: ["me", "gone"]}), False),
        # Whose members cannot be told
        (Users({"me": (1, 5)}, {TEAM: []}), False),
        (Users({"me": (1, TEAM)}, {}), False),
    ],
)
def test_group_whose_only_member_is_the_owner_counts_as_the_owner(
    known: Users, is_private: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = os.stat_result((stat.S_IFREG | 0o660, 0, 0, 1, 1, TEAM, 0, 0, 0, 0))
    users = [SimpleNamespace(pw_name=name, pw_uid=user, pw_gid=group) for name, (user, group) in known.users.items()]
    monkeypatch.setattr(ownership.pwd, "getpwall", lambda: users)
    monkeypatch.setattr(ownership.grp, "getgrgid", lambda group: SimpleNamespace(gr_mem=known.groups[group]))
    assert ownership._writers(tmp_path, status, {0, 1}) == (None if is_private else GROUP)


@needs_root
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("user", [0, THIRD])
def test_what_another_user_owns_is_refused(path: Path, part: str, user: int) -> None:
    """The ledger belongs to the user who orders, or root uses it: what is beside it or above it is another one's."""
    each = (path.parent / part).resolve()
    if not each.exists():
        each.touch()
    for found in (path.parent, *path.parent.iterdir()):
        os.chown(found, user, user)
    os.chown(each, ANOTHER, -1)
    each.chmod(0o755)
    told = as_user(user, open_for_writing(path))
    if part == "ledger.db" and user == 0:
        assert told == ""  # root may use the ledgers of all users
    else:
        assert f"{each} belongs to user {ANOTHER}" in told


@needs_root
def test_root_uses_the_ledger_of_a_user_and_makes_one_for_the_owner_of_its_directory(tmp_path: Path) -> None:
    path = owned(tmp_path / "state", ANOTHER) / "below" / "ledger.db"
    assert as_user(0, ordering(path, "a")) == ""
    assert {found.stat().st_uid for found in path.parent.parent.rglob("*")} == {ANOTHER}
    assert as_user(ANOTHER, ordering(path, "b")) == ""
    assert as_user(0, ordering(path, "c")) == ""


def as_user(user: int, work: Callable[[], None], *, dies: bool = False) -> str:
    """What another user is told who does this, or nothing. With ``dies``, the process is killed after it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if user:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        try:
            work()
            told = ""
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test is told
            told = error.message if isinstance(error, ResellerError) else repr(error)
        os.write(writer, told.encode())
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        said = told.read()
    os.waitpid(child, 0)
    return said


def ordering(path: Path, name: str, *, dies: bool = False, longest: float = 0.0) -> Callable[[], None]:
    """Orders, and lists what is in doubt. With ``dies`` the order is claimed, and no more."""

    def work() -> None:
        ledger = open_ledger(location_of(str(path), {}), "write")
        (standing,) = claim(ledger, [request(name)], longest=longest)
        if standing is not None:
            raise LedgerError(f"{standing.name} {standing.status}")
        if not dies:
            record(ledger, name, Outcome("ordered"))
            ledger.close()

    return work


def open_for_writing(path: Path) -> Callable[[], None]:
    return lambda: open_ledger(location_of(str(path), {}), "write").close()


def owned(folder: Path, user: int) -> Path:
    """A new directory of this user."""
    folder.mkdir()
    os.chown(folder, user, user)
    folder.chmod(0o755)
    return folder


@needs_root
def test_a_run_of_root_that_dies_does_not_lock_the_owner_out(tmp_path: Path) -> None:
    path = owned(tmp_path / "state", ANOTHER) / "ledger.db"
    assert as_user(ANOTHER, ordering(path, "a")) == ""
    shutil.rmtree(ownership.beside(path, ".runs"))
    assert as_user(0, ordering(path, "b", dies=True), dies=True) == ""
    assert {found.stat().st_uid for found in path.parent.rglob("*")} == {ANOTHER}
    assert as_user(ANOTHER, ordering(path, "b")) == "b in_doubt"
    assert as_user(ANOTHER, ordering(path, "c")) == ""


@needs_root
def test_run_whose_lock_cannot_be_opened_is_not_known_to_be_dead(tmp_path: Path) -> None:
    path = owned(tmp_path / "state", ANOTHER) / "ledger.db"
    assert as_user(ANOTHER, ordering(path, "a", dies=True, longest=600.0), dies=True) == ""
    assert as_user(ANOTHER, ordering(path, "later", dies=True), dies=True) == ""
    for lock in ownership.beside(path, ".runs").iterdir():
        os.chown(lock, 0, 0)
        lock.chmod(0o600)

    def remove() -> None:
        with open_ledger(location_of(str(path), {}), "write") as ledger:
            ledger.remove("a")

    assert "A request of it may be under way until" in as_user(ANOTHER, remove)
    assert as_user(ANOTHER, ordering(path, "a")) == "a pending"
    # From its deadline on, and where its lock is seen to be free, it is in doubt.
    await_that(lambda: as_user(ANOTHER, ordering(path, "later")) == "later in_doubt")
    assert as_user(0, ordering(path, "a")) == "a in_doubt"


@needs_root
def test_a_user_who_may_only_read_sees_no_half_written_ledger(path: Path) -> None:
    path.parent.chmod(0o755)
    path.chmod(0o644)

    def read() -> None:
        with open_ledger(location_of(str(path), {}), "read") as ledger:
            raise LedgerError(ledger.find(["a"])["a"].status)

    assert as_user(THIRD, read) == "ordered"
    with open_ledger(location_of(str(path), {}), "write") as ledger:
        claim(ledger, [request("b")])
        assert as_user(THIRD, read) == "ordered"
    die_while_writing(path)
    assert "cannot be" in as_user(THIRD, read)
    open_ledger(location_of(str(path), {}), "read").close()
    assert as_user(THIRD, read) == "ordered"


def test_a_second_name_is_refused(path: Path) -> None:
    second = path.parent.parent / "second.db"
    os.link(path, second)
    for name in (path, second):
        assert "has a second name: it is hard-linked.\n" in refusal(name)
    second.unlink()
    open_ledger(location_of(str(path), {}), "write").close()


def test_a_path_that_is_a_mount_point_is_refused(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "mountinfo"
    told.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /elsewhere.db {path} rw - ext4 /dev/vda1 rw\n")
    monkeypatch.setattr(mounts, "_MOUNTS", told)
    assert "has a second name: it is a mount point.\n" in refusal(path)
    told.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /x {path.parent} rw - ext4 /dev/vda1 rw\n")
    open_ledger(location_of(str(path), {}), "write").close()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("writing", [True, False])
def test_what_is_no_file_in_the_place_of_one_never_blocks(
    path: Path, make: Callable[[Path], None], writing: bool
) -> None:
    path.unlink()
    make(path)
    with pytest.raises(LedgerError, match="is not a regular file"):
        open_ledger(location_of(str(path), {}), "write" if writing else "read")
