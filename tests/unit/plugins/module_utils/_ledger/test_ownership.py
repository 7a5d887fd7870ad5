# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose ledger a file is, whether it has one name, and what must not be opened in its place."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
    with open_ledger(location_of(str(path), {}), writing=True) as ledger:
        claim(ledger, [request("a")])
        record(ledger, "a", Outcome("ordered"))
    return path


def refusal(path: Path) -> str:
    """Why nothing is ordered, which a dry run says as well. Reading is not refused."""
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(str(path), {}), writing=True)
    with pytest.raises(LedgerError, match=re.escape(caught.value.message)):
        open_ledger(location_of(str(path), {}), writing=False, dry=True)
    open_ledger(location_of(str(path), {}), writing=False).close()
    return caught.value.message


@pytest.mark.parametrize(
    ("part", "mode", "why"),
    [
        ("ledger.db", 0o602, "ledger.db can be written by everyone"),
        ("ledger.db.runs", 0o702, "ledger.db.runs can be written by everyone"),
        (".", 0o703, "state can be written by everyone"),
        (".", 0o1777, None),
        ("ledger.db", 0o644, None),
        (".", 0o755, None),
    ],
)
def test_a_ledger_that_everyone_can_write_is_refused(path: Path, part: str, mode: int, why: str | None) -> None:
    (path.parent / part).chmod(mode)
    if why is None:
        open_ledger(location_of(str(path), {}), writing=True).close()
        return
    assert f"{path.parent.parent if part == '.' else path.parent}/{why}." in refusal(path)
    open_ledger(location_of(str(path), {}, shared=True), writing=True).close()


@pytest.mark.parametrize("part", ["ledger.db", "ledger.db.runs", "."])
def test_a_ledger_of_another_user_is_refused_unless_that_is_root(
    path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = path.parent / part
    if ROOT:
        os.chown(each, ANOTHER, -1)
        open_ledger(location_of(str(path), {}), writing=True).close()  # root may use any
    monkeypatch.setattr(ownership.os, "geteuid", lambda: THIRD)
    why = str(ownership.why_unsafe(path, "the ledger", shared=False))
    assert f"{each.resolve()} belongs to " in why.replace(f"{path.parent}/.", str(path.parent))
    assert ownership.why_unsafe(path, "the ledger", shared=True) is None
    if ROOT:
        for found in (path.parent, *path.parent.iterdir()):
            os.chown(found, 0, -1)
        assert ownership.why_unsafe(path, "the ledger", shared=False) is None


@pytest.mark.parametrize("refused", [errno.EPERM, errno.EINVAL])
def test_group_that_cannot_be_given_locks_nobody_out(path: Path, refused: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a user namespace, the kernel does not know all users and groups."""

    def chown(*_arguments: object) -> None:
        raise OSError(refused, os.strerror(refused))

    path.chmod(0o660)
    monkeypatch.setattr(ownership.os, "chown", chown)
    for each in (path, path.with_name("made.db")):
        with open_ledger(location_of(str(each), {}, shared=True), writing=True) as ledger:
            assert claim(ledger, [request("b")]) == [None]
            (lock,) = ownership.beside(each, ".runs").iterdir()
            assert lock.stat().st_mode & 0o777 == 0o600
            record(ledger, "b", Outcome("ordered"))


def as_user(
    user: int, work: Callable[[], None], *, group: int | None = None, groups: Sequence[int] = (), dies: bool = False
) -> str:
    """What another user is told who does this, or nothing. With ``dies``, the process is killed after it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if user:
            os.setgroups([*groups])
            os.setgid(group or user)
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


def ordering(
    path: Path, name: str, *, shared: bool = False, dies: bool = False, longest: float = 0.0
) -> Callable[[], None]:
    """Orders, and lists what is in doubt. With ``dies`` the order is claimed, and no more."""

    def work() -> None:
        ledger = open_ledger(location_of(str(path), {}, shared=shared), writing=True)
        (standing,) = claim(ledger, [request(name)], longest=longest)
        if standing is not None:
            raise LedgerError(f"{standing.name} {standing.status}")
        if not dies:
            record(ledger, name, Outcome("ordered"))
            ledger.close()

    return work


def owned(folder: Path, user: int, group: int, mode: int = 0o755) -> Path:
    """The path of a ledger in a new folder of this user and group."""
    folder.mkdir()
    os.chown(folder, user, group)
    folder.chmod(mode)
    return folder / "ledger.db"


needs_root = pytest.mark.skipif(not ROOT, reason="only root can become two users")


@needs_root
def test_a_run_of_root_that_dies_does_not_lock_the_owner_out(tmp_path: Path) -> None:
    path = owned(tmp_path / "state", ANOTHER, ANOTHER)
    assert as_user(ANOTHER, ordering(path, "a")) == ""
    shutil.rmtree(ownership.beside(path, ".runs"))
    assert as_user(0, ordering(path, "b", dies=True), dies=True) == ""
    assert {found.stat().st_uid for found in path.parent.rglob("*")} == {ANOTHER}
    assert as_user(ANOTHER, ordering(path, "b")) == "b in_doubt"
    assert as_user(ANOTHER, ordering(path, "c")) == ""


@needs_root
def test_run_whose_lock_cannot_be_opened_is_not_known_to_be_dead(tmp_path: Path) -> None:
    path = owned(tmp_path / "state", ANOTHER, ANOTHER)
    assert as_user(ANOTHER, ordering(path, "a", dies=True, longest=600.0), dies=True) == ""
    assert as_user(ANOTHER, ordering(path, "later", dies=True), dies=True) == ""
    for lock in ownership.beside(path, ".runs").iterdir():
        os.chown(lock, 0, 0)
        lock.chmod(0o600)

    def remove() -> None:
        with open_ledger(location_of(str(path), {}), writing=True) as ledger:
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
        with open_ledger(location_of(str(path), {}), writing=False) as ledger:
            raise LedgerError(ledger.find(["a"])["a"].status)

    assert as_user(THIRD, read) == "ordered"
    with open_ledger(location_of(str(path), {}), writing=True) as ledger:
        claim(ledger, [request("b")])
        assert as_user(THIRD, read) == "ordered"
    die_while_writing(path)
    assert "cannot be" in as_user(THIRD, read)
    open_ledger(location_of(str(path), {}), writing=False).close()
    assert as_user(THIRD, read) == "ordered"


@needs_root
@pytest.mark.parametrize(("below", "member"), [("new", {"group": TEAM}), (".", {"groups": [TEAM]})])
def test_users_of_a_group_share_a_ledger(tmp_path: Path, below: str, member: dict[str, Any]) -> None:
    """Also where the directory of the group does not pass its group on."""
    path = owned(tmp_path / "team", 0, TEAM, 0o770).parent / below / "ledger.db"
    umask = os.umask(0o077)
    try:
        assert as_user(ANOTHER, ordering(path, "a", shared=True, dies=True), dies=True, **member) == ""
        assert as_user(THIRD, ordering(path, "a", shared=True), **member) == "a in_doubt"
        assert as_user(THIRD, ordering(path, "b", shared=True, dies=True), dies=True, **member) == ""
        assert as_user(ANOTHER, ordering(path, "c", shared=True), **member) == ""
        assert as_user(ANOTHER, ordering(path, "b", shared=True), **member) == "b in_doubt"
    finally:
        os.umask(umask)
    made = [*(tmp_path / "team").rglob("*")]
    assert {each.stat().st_gid for each in made} == {TEAM}
    assert {each.stat().st_mode & 0o7777 for each in made if each.is_dir()} == {0o2770}


def test_a_second_name_is_refused(path: Path) -> None:
    second = path.parent.parent / "second.db"
    os.link(path, second)
    for name in (path, second):
        assert "has a second name: it is hard-linked.\n" in refusal(name)
    second.unlink()
    open_ledger(location_of(str(path), {}), writing=True).close()


def test_a_path_that_is_a_mount_point_is_refused(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "mountinfo"
    told.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /elsewhere.db {path} rw - ext4 /dev/vda1 rw\n")
    monkeypatch.setattr(mounts, "_MOUNTS", told)
    assert "has a second name: it is a mount point.\n" in refusal(path)
    told.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /x {path.parent} rw - ext4 /dev/vda1 rw\n")
    open_ledger(location_of(str(path), {}), writing=True).close()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("writing", [True, False])
def test_what_is_no_file_in_the_place_of_one_never_blocks(
    path: Path, make: Callable[[Path], None], writing: bool
) -> None:
    path.unlink()
    make(path)
    with pytest.raises(LedgerError, match="is not a regular file"):
        open_ledger(location_of(str(path), {}), writing=writing)
