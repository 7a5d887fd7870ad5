# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file system holds a ledger, and whether it outlives the job or the container."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite_files
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import FileLocation
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite_files import mount_of

Machine = Callable[[str], None]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Make this machine one with these mounts."""

    def mounted(text: str) -> None:
        (tmp_path / "mountinfo").write_text(text)
        monkeypatch.setattr(sqlite_files, "_MOUNTS", tmp_path / "mountinfo")

    return mounted


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


def why_forgotten(location: FileLocation) -> str | None:
    folder = location.path.parent
    return sqlite_files.why_forgotten(location, folder, mount_of(folder))


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


@pytest.mark.parametrize("kind", ["overlay", "tmpfs", "ext4"])
@pytest.mark.parametrize(
    ("path", "on_root"), [("/root/.local/state/ledger.db", True), ("/home/runner/.local/state/ledger.db", False)]
)
@pytest.mark.parametrize("by_default", [True, False])
def test_the_default_ledger_is_refused_where_the_root_file_system_vanishes(
    kind: str, path: str, on_root: bool, by_default: bool, machine: Machine
) -> None:
    machine(CONTAINER.replace("KIND", kind))
    told = why_forgotten(FileLocation(Path(path), by_default))
    assert (told is not None) == (by_default and on_root and kind != "ext4")
    if told is not None:
        assert told.startswith("The default ledger would be lost with this container. Nothing was sent.\n")
        assert f"file system ({kind}) goes" in told
        assert "Set ledger (or RESELLER_LEDGER) to" in told


@pytest.mark.parametrize(
    ("path", "reason", "root"),
    [
        ("/home/runner/orders/ledger.db", "on the file system of / (overlay)", "overlay"),
        ("/runner/project/ledger.db", "in the job's own directory /runner", "overlay"),
        ("/runner/artifacts/17/ledger.db", "in the job's own directory /runner", "overlay"),
        ("/runner/orders/ledger.db", None, "overlay"),
        ("/runner/scratch/ledger.db", "in an emptyDir volume", "overlay"),
        ("/dev/shm/ledger.db", "in memory (tmpfs)", "overlay"),
        ("/scratch/ledger.db", "in an emptyDir volume", "overlay"),
        ("/home/runner/.local/state/hosting.reseller/ledger.db", None, "overlay"),
        # ansible-runner sets the variable of an execution environment on a plain machine, too.
        ("/srv/ledger.db", None, "ext4"),
        ("/runner/project/ledger.db", "in the job's own directory /runner", "ext4"),
    ],
)
def test_a_file_that_vanishes_with_the_job_is_refused(
    path: str, reason: str | None, root: str, machine: Machine
) -> None:
    machine(CONTAINER.replace("KIND", root))
    location = FileLocation(Path(path), job_folder=JOB)
    for each, ledger in ((location, f"The ledger {path}"), (location._replace(is_default=True), "The default ledger")):
        told = why_forgotten(each)
        assert (told is None) is (reason is None)
        if told is not None:
            assert told.startswith(f"{ledger} would be lost with this job. Nothing was sent.\n")
            assert f" is {reason}. The next one would order again." in " ".join(told.split())
    assert why_forgotten(location._replace(job_folder=None)) is None


def test_a_job_without_known_mounts_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "_MOUNTS", Path("/does/not/exist"))
    assert "that is not known" in str(why_forgotten(FileLocation(Path("/orders/l.db"), job_folder=JOB)))
    assert why_forgotten(FileLocation(Path("/orders/l.db"), is_default=True)) is None
