# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger file must be before it is opened: of this user alone, with one name, where it outlives the job."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, MissingLibraryError
from ansible_collections.hosting.reseller.plugins.module_utils._locations import opening
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import FileLocation, location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import (
    mount_of,
    open_ledger,
    why_forgotten,
)
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

Machine = Callable[[str], None]


@pytest.fixture
def path(sqlite_store: Store) -> Path:
    with sqlite_store.open() as ledger:
        claim(ledger, [request("a")])
    return Path(sqlite_store.address)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Make this machine one with these mounts."""

    def mounted(text: str) -> None:
        (tmp_path / "mountinfo").write_text(text)
        monkeypatch.setattr(opening, "_MOUNTS", tmp_path / "mountinfo")

    return mounted


def refusal(path: Path) -> str:
    """Why nothing is ordered, which a dry run says as well, and changes nothing. Reading is not refused."""
    before = {each: each.read_bytes() for each in path.parent.glob("ledger.db*")}
    with pytest.raises(LedgerError) as caught:
        open_ledger(FileLocation(path), "write")
    with pytest.raises(LedgerError, match=re.escape(caught.value.message)):
        open_ledger(FileLocation(path), "check")
    open_ledger(FileLocation(path), "read").close()
    assert {each: each.read_bytes() for each in path.parent.glob("ledger.db*")} == before
    return caught.value.message


@pytest.mark.parametrize(
    ("point", "kind", "words"),
    [
        ("{}", "ext4", "is a mount point: it has a second name.\n"),
        ("{}/..", "nfs4", "is on a network file system (nfs4).\n"),
        ("{}/..", "ext4", None),
    ],
)
def test_file_whose_locks_or_journal_others_would_not_see_is_refused(
    path: Path, machine: Machine, point: str, kind: str, words: str | None
) -> None:
    machine(
        f"22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 0:9 /x {os.path.normpath(point.format(path))} rw - {kind} x\n"
    )
    if words:
        assert words in refusal(path)
    else:
        open_ledger(FileLocation(path), "write").close()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("mode", ["write", "read"])
def test_what_is_no_file_in_the_place_of_one_never_blocks(path: Path, make: Callable[[Path], None], mode: str) -> None:
    path.unlink()
    make(path)
    with pytest.raises(LedgerError, match="is not a regular file"):
        open_ledger(FileLocation(path), "write" if mode == "write" else "read")


MOUNTS = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
30 22 0:40 / /home rw shared:5 - nfs4 server:/home rw,vers=4.2
31 30 0:41 / /home/me/local rw - xfs /dev/vdb rw
32 22 0:42 / /mnt/with\040space rw master:1 propagate_from:2 - cifs //server/share rw
33 22 0:43 / /mnt/twice rw - nfs server:/a rw
34 33 0:44 / /mnt/twice rw - tmpfs tmpfs rw
35 22 0:45 / /mnt/nine rw - 9p host rw
36 22 0:46 / /mnt/ssh rw - fuse.sshfs me@host: rw
a line of another form
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/ledger.db", "nfs4"),
        ("/homely/ledger.db", "ext4"),
        ("/home/me/local/ledger.db", "xfs"),
        ("/mnt/with space/ledger.db", "cifs"),
        ("/mnt/twice/ledger.db", "tmpfs"),
        ("/mnt/ssh/ledger.db", "fuse.sshfs"),
    ],
)
def test_mount_of_a_path_is_the_last_one_above_it(path: str, kind: str, machine: Machine, tmp_path: Path) -> None:
    assert mount_of(tmp_path).kind not in {"", *opening.NETWORK}
    machine(MOUNTS)
    assert mount_of(Path(path)).kind == kind
    assert (kind in opening.NETWORK) is (kind in ("nfs4", "cifs", "fuse.sshfs"))


def forgotten(location: FileLocation) -> str | None:
    """Why a ledger at this place would be forgotten."""
    folder = location.path.parent
    return why_forgotten(location, folder, mount_of(folder))


#: / is of the kind that is put in; all others are as in a container with volumes.
CONTAINER = r"""
1 0 0:1 / / rw - KIND root rw
2 1 0:2 / /runner rw - xfs /dev/vda rw
3 1 0:3 / /dev/shm rw - tmpfs shm rw
4 1 0:4 /volumes/orders /orders rw - ext4 /dev/vdb rw
5 1 0:5 /var/lib/kubelet/pods/7/volumes/kubernetes.io~empty-dir/scratch /scratch rw - ext4 /dev/vda rw
6 1 0:6 / /home/runner/.local/state rw - ext4 /dev/vdc rw
7 2 0:7 / /runner/orders rw - ext4 /dev/vdd rw
8 2 0:2 /artifacts /runner/artifacts rw - xfs /dev/vda rw
9 2 0:8 /volumes/kubernetes.io~empty-dir/x /runner/scratch rw - ext4 /dev/vda rw
"""
JOB = Path("/runner/artifacts/17")


#: A path, the kind of the root file system, and why a file there vanishes: with the job, and with a container if it is
#: the default ledger.
PLACES = [
    ("/home/runner/orders/ledger.db", "overlay", "on the file system of / (overlay)", True),
    ("/root/.local/state/ledger.db", "tmpfs", "on the file system of / (tmpfs)", True),
    ("/root/.local/state/ledger.db", "ext4", None, False),
    ("/runner/project/ledger.db", "overlay", "in the job's own directory /runner", False),
    ("/runner/artifacts/17/ledger.db", "overlay", "in the job's own directory /runner", False),
    ("/runner/orders/ledger.db", "overlay", None, False),
    ("/runner/scratch/ledger.db", "overlay", "in an emptyDir volume", False),
    ("/dev/shm/ledger.db", "overlay", "in memory (tmpfs)", False),
    ("/scratch/ledger.db", "overlay", "in an emptyDir volume", False),
    ("/home/runner/.local/state/hosting.reseller/ledger.db", "overlay", None, False),
    # ansible-runner sets the variable of an execution environment on a plain machine, too.
    ("/runner/project/ledger.db", "ext4", "in the job's own directory /runner", False),
]


@pytest.mark.parametrize(("path", "root", "reason", "is_lost_by_default"), PLACES)
def test_a_file_that_vanishes_with_the_job_or_the_container_is_refused(
    path: str, root: str, reason: str | None, is_lost_by_default: bool, machine: Machine
) -> None:
    machine(CONTAINER.replace("KIND", root))
    location = FileLocation(Path(path), job_folder=JOB)
    for each, ledger in ((location, f"The ledger {path}"), (location._replace(is_default=True), "The default ledger")):
        message = forgotten(each)
        assert (message is None) is (reason is None)
        if message is not None:
            assert message.startswith(f"{ledger} would be lost with this job. Nothing was sent.\n")
            assert f" is {reason}. The next one would order again." in " ".join(message.split())
    assert forgotten(FileLocation(Path(path))) is None
    message = forgotten(FileLocation(Path(path), is_default=True))
    assert (message is not None) is is_lost_by_default
    if message is not None:
        assert message.startswith("The default ledger would be lost with this container. Nothing was sent.\n")
        assert f"file system ({root}) goes" in message
        assert "Set ledger (or RESELLER_LEDGER) to" in message


def test_a_job_without_known_mounts_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_MOUNTS", Path("/does/not/exist"))
    assert "that is not known" in str(forgotten(FileLocation(Path("/orders/l.db"), job_folder=JOB)))
    assert forgotten(FileLocation(Path("/orders/l.db"), is_default=True)) is None


@pytest.mark.parametrize("address", [None, "/srv/orders.db"])
def test_a_job_whose_files_vanish_does_not_order(address: str | None, tmp_path: Path) -> None:
    environ = {"AWX_ISOLATED_DATA_DIR": "/", "HOME": str(tmp_path)}
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(address, environ), "read")
    for words in ("AWX_ISOLATED_DATA_DIR", "RESELLER_LEDGER", "postgresql://", "volume"):
        assert words in caught.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["ledger.db", "ledger.db-journal", "."])
def test_ledger_that_others_could_change_is_refused_with_the_line_that_helps(path: Path, part: str) -> None:
    odd = path.parent.rename(path.parent.with_name("it's state")) / path.name
    changed = odd.parent / part
    changed.chmod(0o777)
    message = refusal(odd)
    assert f"could be changed by other users: {changed} can be written by everyone.\n" in message
    (line,) = re.findall("Take the right away: (chmod .*)\n", message)
    subprocess.run(shlex.split(line), check=True)
    open_ledger(FileLocation(odd), "write").close()


def test_missing_ledger_is_refused_like_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "open" / "new" / "ledger.db"
    path.parent.parent.mkdir(mode=0o700)
    path.parent.parent.chmod(0o777)
    assert f"{path.parent.parent} can be written by everyone" in refusal(path)
    assert not path.parent.exists()


def test_directory_that_another_user_makes_meanwhile_holds_no_ledger(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(sqlite_store.address).parent
    monkeypatch.setattr(opening, "make_folders", lambda folder: (folder.mkdir(), folder.chmod(0o777)))
    with pytest.raises(LedgerError, match=f"{folder} can be written by everyone"):
        sqlite_store.open()
    assert [*folder.iterdir()] == []


def test_psycopg_is_needed_only_for_postgresql(tmp_path: Path) -> None:
    code = """if True:
        import sys
        sys.modules["psycopg"] = None
        from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
        from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
        open_ledger(location_of(sys.argv[1], {}), "write").make()
        try:
            open_ledger(location_of("postgresql://h/d", {}), "write")
        except Exception as error:
            print(type(error).__name__, error)
    """
    cache = Path(__file__).parents[5] / ".cache"
    command = [sys.executable, "-c", code, str(tmp_path / "ledger.db")]
    done = subprocess.run(command, env={"PYTHONPATH": str(cache)}, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(MissingLibraryError.__name__)
    assert "The Python library psycopg[binary], needed for a ledger in PostgreSQL, cannot be imported." in done.stdout
    assert "pip install 'psycopg[binary]'\n" in done.stdout
