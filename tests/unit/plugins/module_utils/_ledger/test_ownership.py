# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can change a ledger file."""

from __future__ import annotations

import os
import re
import shlex
import stat
import struct
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import ownership
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.runs import request

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
    message = refusal(path)
    assert f"could be changed by other users: {each} can be written by {who}.\n" in message
    (line,) = re.findall("Take the right away: (chmod .*)\n", message)
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
def test_what_another_user_owns_is_refused_but_for_root(path: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    each = (path.parent / part).resolve()
    if not each.exists():
        each.touch()
    os.chown(each, ANOTHER, -1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: THIRD)
        assert f"{each} belongs to user {ANOTHER}" in refusal(path)
    if part == "ledger.db":
        open_ledger(location_of(str(path), {}), "write").close()
