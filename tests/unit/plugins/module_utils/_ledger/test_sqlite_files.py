# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger file must be before it is opened: a file of this user alone, with one name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite_files
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._ledger.runs import request

#: What is looked at: the file, what stands beside it, and its directory.
PARTS = ("ledger.db", "ledger.db-journal", "ledger.db.runs", ".")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "ledger.db"
    with open_ledger(location_of(str(path), {}), "write") as ledger:
        claim(ledger, [request("a")])
    return path


def opened(path: Path) -> None:
    open_ledger(location_of(str(path), {}), "write").close()


def refusal(path: Path) -> str:
    """Why nothing is ordered, which a dry run says as well. Reading is not refused."""
    with pytest.raises(LedgerError) as caught:
        opened(path)
    with pytest.raises(LedgerError, match=re.escape(caught.value.message)):
        open_ledger(location_of(str(path), {}), "check")
    open_ledger(location_of(str(path), {}), "read").close()
    return caught.value.message


@pytest.mark.parametrize("part", PARTS)
def test_ledger_that_everyone_can_write_is_refused(path: Path, part: str) -> None:
    each = (path.parent / part).resolve()
    each.chmod(0o702)
    message = refusal(path)
    assert f"could be changed by other users: {each} can be written by everyone.\n" in message
    assert "share a ledger in PostgreSQL" in message
    each.chmod(0o755)
    opened(path)


def test_file_that_its_group_can_write_is_refused_and_a_directory_is_not(path: Path) -> None:
    path.parent.chmod(0o770)
    opened(path)
    path.chmod(0o660)
    assert f"{path} can be written by its group" in refusal(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("part", PARTS)
def test_what_another_user_owns_is_refused_but_for_root(path: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    each = (path.parent / part).resolve()
    os.chown(each, 54321, -1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: 54322)
        assert f"{each} belongs to user 54321" in refusal(path)
    opened(path)


def test_sticky_directory_is_no_risk(path: Path) -> None:
    path.parent.chmod(0o1777)
    opened(path)


def test_missing_ledger_is_refused_like_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "open" / "new" / "ledger.db"
    path.parent.parent.mkdir()
    path.parent.parent.chmod(0o777)
    assert f"{path.parent.parent} can be written by everyone" in refusal(path)
    assert not path.parent.exists()


def test_a_second_name_is_refused(path: Path) -> None:
    second = path.parent.parent / "second.db"
    os.link(path, second)
    for name in (path, second):
        assert "has a second name: it is hard-linked.\n" in refusal(name)
    second.unlink()
    opened(path)


def test_a_path_that_is_a_mount_point_is_refused(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "_MOUNTS", tmp_path / "mountinfo")
    for point, is_refused in ((path, True), (path.parent, False)):
        mounted = f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /x {point} rw - ext4 /dev/vda1 rw\n"
        (tmp_path / "mountinfo").write_text(mounted)
        if is_refused:
            assert "has a second name: it is a mount point.\n" in refusal(path)
        else:
            opened(path)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("writing", [True, False])
def test_what_is_no_file_in_the_place_of_one_never_blocks(
    path: Path, make: Callable[[Path], None], writing: bool
) -> None:
    path.unlink()
    make(path)
    with pytest.raises(LedgerError, match="is not a regular file"):
        open_ledger(location_of(str(path), {}), "write" if writing else "read")
