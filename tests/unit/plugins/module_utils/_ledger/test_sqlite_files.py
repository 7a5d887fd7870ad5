# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose ledger a file is, whether it has one name, and what must not be opened in its place."""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import mounts
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite import beside
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.runs import await_that, request

ANOTHER, THIRD = 54321, 54322
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


#: What is looked at: the file, what stands beside it, and its directory.
PARTS = ("ledger.db", "ledger.db-journal", "ledger.db.runs", ".")


def part_of(path: Path, part: str) -> Path:
    each = (path.parent / part).resolve()
    if not each.exists():
        each.touch()
    return each


@pytest.mark.parametrize("part", PARTS)
def test_ledger_that_everyone_can_write_is_refused(path: Path, part: str) -> None:
    each = part_of(path, part)
    each.chmod(0o722)
    told = refusal(path)
    assert f"could be changed by other users: {each} can be written by everyone.\n" in told
    assert "share a ledger in PostgreSQL" in told
    each.chmod(0o755)
    open_ledger(location_of(str(path), {}), "write").close()


def test_sticky_directory_is_no_risk(path: Path) -> None:
    path.parent.chmod(0o1777)
    open_ledger(location_of(str(path), {}), "write").close()


def test_missing_ledger_is_refused_like_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "open" / "new" / "ledger.db"
    path.parent.parent.mkdir(mode=0o700)
    path.parent.parent.chmod(0o777)
    assert f"{path.parent.parent} can be written by everyone" in refusal(path)
    assert not path.parent.exists()


@needs_root
@pytest.mark.parametrize("part", PARTS)
def test_what_another_user_owns_is_refused_but_for_root(path: Path, part: str) -> None:
    each = part_of(path, part)
    for found in (path.parent, *path.parent.iterdir()):
        os.chown(found, THIRD, THIRD)
    os.chown(each, ANOTHER, -1)
    each.chmod(0o755)
    assert f"{each} belongs to user {ANOTHER}" in as_user(THIRD, open_for_writing(path))
    assert as_user(0, open_for_writing(path)) == ""


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
def test_run_whose_lock_cannot_be_opened_is_not_known_to_be_dead(tmp_path: Path) -> None:
    path = owned(tmp_path / "state", ANOTHER) / "ledger.db"
    assert as_user(ANOTHER, ordering(path, "a", dies=True, longest=600.0), dies=True) == ""
    assert as_user(ANOTHER, ordering(path, "later", dies=True), dies=True) == ""
    for lock in beside(path, ".runs").iterdir():
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
