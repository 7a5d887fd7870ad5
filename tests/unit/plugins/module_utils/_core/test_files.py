# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file is distrusted if anybody but its user and root could change it, by whatever path the kernel comes to it."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core import files
from ansible_collections.hosting.reseller.plugins.module_utils._core.files import Distrust, distrust_of

ANOTHER, THIRD, TEAM = 54321, 54322, 54400
ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root can become two users")
EVERYONE, GROUP, THEIRS = (
    "can be written by everyone",
    f"can be written by its group {TEAM}",
    f"belongs to user {ANOTHER}",
)


@pytest.fixture
def top() -> Iterator[Path]:
    """A directory that other users can reach, with a file: top/above/own/file."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["RESELLER_TESTS_SHARED"]))
    for each in (folder, folder.parent):
        each.chmod(0o755)
    (folder / "above" / "own").mkdir(parents=True, mode=0o755)
    (folder / "above" / "own" / "file").touch(mode=0o600)
    return folder


def mode(path: str, bits: int, *, group: int = -1) -> Callable[[Path], None]:
    def change(top: Path) -> None:
        if group >= 0 and not ROOT:
            pytest.skip("only root can give a file to a group that it is not in")
        os.chown(top / path, -1, group)
        (top / path).chmod(bits)

    return change


def given(path: str, *others: Callable[[Path], None]) -> Callable[[Path], None]:
    """The file or link at this path belongs to another user."""

    def change(top: Path) -> None:
        if not ROOT:
            pytest.skip("only root can give a file away")
        for other in others:
            other(top)
        os.lchown(top / path, ANOTHER, -1)

    return change


def link(at: str, target: str, *others: Callable[[Path], None]) -> Callable[[Path], None]:
    def change(top: Path) -> None:
        (top / at).symlink_to(target.replace("TOP", str(top)))
        for other in others:
            other(top)

    return change


FILE = "above/own/file"
#: What is changed, the path that is walked, and who is named for which part of it.
WAYS = [
    (mode(FILE, 0o640), FILE, None, ""),
    (mode(FILE, 0o602), FILE, EVERYONE, FILE),
    (mode(FILE, 0o660, group=TEAM), FILE, GROUP, FILE),
    (mode("above/own", 0o775, group=TEAM), FILE, GROUP, "above/own"),
    (mode("above/own", 0o1777), FILE, EVERYONE, "above/own"),
    (mode("above", 0o1777), FILE, None, ""),
    (mode("above", 0o777), FILE, EVERYONE, "above"),
    (mode("above", 0o775, group=TEAM), FILE, GROUP, "above"),
    (mode("above", 0o2775, group=0), FILE, None, ""),
    # What is missing is in the folders that are there.
    (mode("above", 0o777), "above/new/file", EVERYONE, "above"),
    (mode("above", 0o1777), "above/new/file", None, ""),
    (mode("above", 0o1777), "above/file", EVERYONE, "above"),
    # Each folder that a link leads through counts, and so does that of the link.
    (link("link", FILE, mode("above", 0o777)), "link", EVERYONE, "above"),
    (link("link", "TOP/above/own", mode("above/own", 0o777)), "link/file", EVERYONE, "above/own"),
    (link("above/link", "own/file", mode("above", 0o777)), "above/link", EVERYONE, "above"),
    (link("above/link", "../above/own/file"), "above/link", None, ""),
    (mode("above", 0o777), "above/../above/own/file", EVERYONE, "above"),
    # Nothing on the way belongs to another user.
    (given(FILE), FILE, THEIRS, FILE),
    (given("above/own"), FILE, THEIRS, "above/own"),
    (given("above"), FILE, THEIRS, "above"),
    (given("above/own", mode("above", 0o1777)), FILE, THEIRS, "above/own"),
    (given("link", link("link", FILE)), "link", THEIRS, "link"),
]


@pytest.mark.parametrize(("change", "path", "who", "part"), WAYS)
def test_path_is_walked_as_the_kernel_walks_it(
    top: Path, change: Callable[[Path], None], path: str, who: str | None, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(top)
    if who == THEIRS:
        monkeypatch.setattr(os, "geteuid", lambda: THIRD)
    found = distrust_of(top / path)
    assert (found and found.why) == (who and f"{top / part} {who}")
    if found and who != THEIRS:
        subprocess.run(shlex.split(found.cure.partition(": ")[2]), check=True)
        assert distrust_of(top / path) is None


@needs_root
def test_root_may_use_the_existing_file_of_a_user_and_nobody_else(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("above/own", FILE):
        os.chown(top / part, ANOTHER, -1)
    theirs = Distrust(f"{top}/above/own belongs to user {ANOTHER}", "Run this task as the user whose file it is.")
    assert distrust_of(top / FILE, root_uses_all=True) is None
    assert distrust_of(top / FILE) == distrust_of(top / "above/own/new", root_uses_all=True) == theirs
    monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)
    assert distrust_of(top / FILE) is distrust_of(top / "above/own/new") is None


def test_files_beside_it_count(top: Path) -> None:
    beside = top / "above/own/file-journal"
    assert distrust_of(top / FILE, beside) is None
    beside.touch()
    beside.chmod(0o602)
    assert str(distrust_of(top / FILE, beside)).count(f"{beside} {EVERYONE}") == 1


def test_links_that_go_round_lead_nowhere(top: Path) -> None:
    (top / "one").symlink_to("two")
    (top / "two").symlink_to("one")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        distrust_of(top / "one" / "file")


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
def test_private_group_counts_as_its_user_but_for_the_file_and_its_own_folder(
    known: Users, is_private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = os.stat_result((stat.S_IFDIR | 0o770, 0, 0, 1, 1, TEAM, 0, 0, 0, 0))
    users = [SimpleNamespace(pw_name=name, pw_uid=user, pw_gid=group) for name, (user, group) in known.users.items()]
    monkeypatch.setattr(files.pwd, "getpwall", lambda: users)
    monkeypatch.setattr(files.grp, "getgrgid", lambda group: SimpleNamespace(gr_mem=known.groups[group]))
    group = f"its group {TEAM}"
    found = [
        files._writers(status, is_own, {0, 1}, may) for is_own, may in ((False, False), (True, False), (True, True))
    ]
    assert found == ([None, group, None] if is_private else [group] * 3)
