# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger file must be before it is opened: of this user alone, with one name, where it outlives the job."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite_files
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import FileLocation, location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite_files import mount_of, why_forgotten
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._ledger.runs import request


#: What is looked at: the file, what stands beside it, and its directory.
@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "ledger.db"
    with open_ledger(location_of(str(path), {}), "write") as ledger:
        claim(ledger, [request("a")])
    return path


Machine = Callable[[str], None]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Make this machine one with these mounts."""

    def mounted(text: str) -> None:
        (tmp_path / "mountinfo").write_text(text)
        monkeypatch.setattr(sqlite_files, "_MOUNTS", tmp_path / "mountinfo")

    return mounted


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


def test_a_second_name_is_refused(path: Path) -> None:
    second = path.parent.parent / "second.db"
    os.link(path, second)
    for name in (path, second):
        assert "has a second name: it is hard-linked.\n" in refusal(name)
    second.unlink()
    opened(path)


def test_a_path_that_is_a_mount_point_is_refused(path: Path, machine: Machine) -> None:
    mounts = "22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /x {} rw - ext4 /dev/vda1 rw\n"
    machine(mounts.format(path))
    assert "has a second name: it is a mount point.\n" in refusal(path)
    machine(mounts.format(path.parent))
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


# Which file system holds it

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
    ("path", "found"),
    [
        ("/home/me/ledger.db", "nfs4"),
        ("/homely/ledger.db", None),
        ("/home/me/local/ledger.db", None),
        ("/mnt/with space/ledger.db", "cifs"),
        ("/mnt/twice/ledger.db", None),
        ("/mnt/ssh/ledger.db", "fuse.sshfs"),
    ],
)
def test_network_file_systems_are_seen(path: str, found: str | None, machine: Machine) -> None:
    machine(MOUNTS)
    mount = mount_of(Path(path))
    assert mount is not None
    assert (mount.kind if mount.kind in sqlite_files.NETWORK else None) == found


def test_this_machine_tells_its_mounts(tmp_path: Path) -> None:
    mount = mount_of(tmp_path)
    assert mount is not None
    assert mount.kind not in sqlite_files.NETWORK


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
        told = forgotten(each)
        assert (told is None) is (reason is None)
        if told is not None:
            assert told.startswith(f"{ledger} would be lost with this job. Nothing was sent.\n")
            assert f" is {reason}. The next one would order again." in " ".join(told.split())
    assert forgotten(FileLocation(Path(path))) is None
    told = forgotten(FileLocation(Path(path), is_default=True))
    assert (told is not None) is is_lost_by_default
    if told is not None:
        assert told.startswith("The default ledger would be lost with this container. Nothing was sent.\n")
        assert f"file system ({root}) goes" in told
        assert "Set ledger (or RESELLER_LEDGER) to" in told


def test_a_job_without_known_mounts_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "_MOUNTS", Path("/does/not/exist"))
    assert "that is not known" in str(forgotten(FileLocation(Path("/orders/l.db"), job_folder=JOB)))
    assert forgotten(FileLocation(Path("/orders/l.db"), is_default=True)) is None
