# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose ledger a file is, whether it has one name, and what must not be opened in its place."""

from __future__ import annotations

import grp
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import mounts, ownership
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import hindrance, open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from tests.unit.plugins.module_utils._ledger.runs import request

ANOTHER, THIRD = 54321, 54322
ROOT = os.geteuid() == 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "ledger.db"
    with open_ledger(str(path), environ={}, writing=True) as ledger:
        ledger.claim([request("a")])
        ledger.record("a", Outcome("ordered"))
    return path


def refusal(path: Path) -> str:
    """Why nothing is ordered, which a dry run says as well. Reading is not refused."""
    with pytest.raises(LedgerError) as caught:
        open_ledger(str(path), environ={}, writing=True)
    assert hindrance(str(path), environ={}) == caught.value.message
    open_ledger(str(path), environ={}, writing=False).close()
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
        open_ledger(str(path), environ={}, writing=True).close()
        return
    assert f"{path.parent.parent if part == '.' else path.parent}/{why}." in refusal(path)
    open_ledger(str(path), environ={}, writing=True, shared=True).close()


@pytest.mark.parametrize("part", ["ledger.db", "ledger.db.runs", "."])
@pytest.mark.parametrize("members", [[], ["root"], ["nobody"]])
def test_a_group_that_can_write_has_no_other_members(
    path: Path, part: str, members: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    each = path.parent / part
    each.chmod(each.stat().st_mode | 0o020)
    group = each.stat().st_gid
    monkeypatch.setattr(ownership.pwd, "getpwall", lambda: [entry(name) for name in ("root", "nobody")])
    monkeypatch.setattr(ownership.grp, "getgrgid", lambda gid: grp.struct_group(("team", "x", gid, members)))
    if members == ["nobody"]:
        assert "can be written by the group team (also nobody).\n" in refusal(path)
        open_ledger(str(path), environ={}, writing=True, shared=True).close()
    else:
        open_ledger(str(path), environ={}, writing=True).close()
    assert each.stat().st_gid == group


def entry(name: str) -> object:
    found = list(ownership.pwd.getpwnam(name))
    found[3] = -1  # no primary group of interest
    return ownership.pwd.struct_passwd(found)


@pytest.mark.parametrize("part", ["ledger.db", "ledger.db.runs", "."])
def test_a_ledger_of_another_user_is_refused_unless_that_is_root(
    path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = path.parent / part
    if ROOT:
        os.chown(each, ANOTHER, -1)
        open_ledger(str(path), environ={}, writing=True).close()  # root may use any
    monkeypatch.setattr(ownership.os, "geteuid", lambda: THIRD)
    why = str(ownership.exposure(path, "the ledger", shared=False))
    assert f"{each.resolve()} belongs to " in why.replace(f"{path.parent}/.", str(path.parent))
    assert ownership.exposure(path, "the ledger", shared=True) is None
    if ROOT:
        for found in (path.parent, *path.parent.iterdir()):
            os.chown(found, 0, -1)
        assert ownership.exposure(path, "the ledger", shared=False) is None


@pytest.mark.skipif(not ROOT, reason="only root can become two users")
def test_a_user_is_refused_what_another_one_owns(path: Path) -> None:
    for found in (path.parent, *path.parent.iterdir()):
        os.chown(found, ANOTHER, ANOTHER)
        found.chmod(0o755)
    for folder in path.parent.parents:
        if folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(folder.stat().st_mode | 0o005)
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(THIRD)
        os.setuid(THIRD)
        try:
            open_ledger(str(path), environ={}, writing=False).close()
            open_ledger(str(path), environ={}, writing=True).close()
        except LedgerError as error:
            os._exit(7 if "belongs to user number 54321" in error.message else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_second_name_is_refused(path: Path) -> None:
    second = path.parent.parent / "second.db"
    os.link(path, second)
    for name in (path, second):
        assert "has 2 names (hard links).\n" in refusal(name)
    second.unlink()
    open_ledger(str(path), environ={}, writing=True).close()


def test_a_path_that_is_a_mount_point_is_refused(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "mountinfo"
    told.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /elsewhere.db {path} rw - ext4 /dev/vda1 rw\n")
    monkeypatch.setattr(mounts, "_MOUNTS", told)
    assert "is a mount point: the file has another name elsewhere.\n" in refusal(path)
    told.write_text(f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /x {path.parent} rw - ext4 /dev/vda1 rw\n")
    open_ledger(str(path), environ={}, writing=True).close()


@pytest.mark.skipif(not ROOT or not shutil.which("unshare"), reason="needs root, to mount")
def test_a_file_that_is_mounted_under_a_second_name_is_refused(path: Path) -> None:
    second = path.parent.parent / "second.db"
    second.touch()
    code = (
        "import sys; from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger;"
        "open_ledger(sys.argv[1], environ={}, writing=True)"
    )
    root = Path(__file__).parents[5]
    script = f"mount --bind {path} {second} && exec python3 -c '{code}' {second}"
    python = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        env={"PYTHONPATH": str(root / ".cache"), "PATH": python},
        capture_output=True,
        text=True,
        check=False,
    )
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip(f"cannot mount here: {done.stderr}")
    assert "is a mount point" in done.stderr


def make(path: Path, kind: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            os.chdir(path.parent)
            listener.bind(path.name)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch()


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [(suffix, kind) for suffix in ("-wal", "-journal", "-shm", ".new") for kind in ("fifo", "socket", "link", "folder")]
    + [(".runs", kind) for kind in ("fifo", "socket", "link", "file")]
    + [("", kind) for kind in ("fifo", "socket", "folder")],
)
@pytest.mark.parametrize("writing", [True, False])
def test_what_is_no_file_in_the_place_of_one_never_blocks(
    path: Path, suffix: str, kind: str, writing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    make(ownership.beside(path, suffix), kind)
    with pytest.raises(LedgerError, match=r"has something else than a|is a directory|is not a regular file"):
        open_ledger(str(path), environ={}, writing=writing)


def test_a_fifo_among_the_files_of_runs_never_blocks(path: Path) -> None:
    os.mkfifo(path.parent / "ledger.db.runs" / "0.1-2")
    with pytest.raises(LedgerError, match="It is not a file of a run"):
        open_ledger(str(path), environ={}, writing=True)
