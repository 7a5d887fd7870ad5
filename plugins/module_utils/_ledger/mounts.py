# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The mount of a ledger file: its locks must work on every machine, and its files last."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from .._core.errors import Advice, message_of
from .locations import FileLocation

#: File systems whose locks or shared memory do not reach every machine that sees the file.
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "beegfs", "gpfs", "glusterfs", "9p", "virtiofs", "vboxsf")
) | {f"fuse.{name}" for name in ("sshfs", "glusterfs", "ceph", "s3fs", "gcsfuse", "rclone")}
#: File systems that are in memory, or that go with a container or a live system.
_MEMORY = frozenset({"tmpfs", "ramfs", "rootfs"})
_LAYERED = frozenset({"overlay", "aufs", "fuse.fuse-overlayfs"})
_EMPTY_DIR = "/kubernetes.io~empty-dir/"
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A mounted file system: its mount point, its type, and the directory that is mounted."""

    point: Path
    kind: str
    root: str

    @property
    def is_root_that_vanishes(self) -> bool:
        """Return whether it is ``/`` of a container or of a live system, whose files go with it."""
        return self.point == Path("/") and self.kind in _MEMORY | _LAYERED


def mount_of(path: Path) -> Mount | None:
    """The mount that contains this path, absolute and without links, or ``None`` if that is unknown."""
    try:
        mounts = _MOUNTS.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None
    sought, found = f"{path}/", ("", "", "")
    for line in mounts.splitlines():
        before, _rest, after = line.partition(" - ")
        fields = before.split(" ")
        if after and len(fields) > 4:
            root, point = (_OCTAL.sub(lambda octal: chr(int(octal[1], 8)), field) for field in fields[3:5])
            # Of two mounts on one point, the later one hides the other.
            if len(point) >= len(found[0]) and sought.startswith(f"{point.rstrip('/')}/"):
                found = (point, after.partition(" ")[0], root)
    point, kind, root = found
    return Mount(Path(point), kind, root) if point else None


def why_forgotten(location: FileLocation, folder: Path, mount: Mount | None) -> str | None:
    """Why a ledger in this directory of a mount would not outlive this job or container, or ``None``."""
    ledger = "The default ledger" if location.is_default else f"The ledger {location.place}"
    job = location.job_folder and Path(os.path.realpath(location.job_folder))
    if job and (reason := _vanishes(folder, mount, job)):
        what = f"{ledger} would be lost with this job. Nothing was sent."
        why = f"AWX_ISOLATED_DATA_DIR is set (execution environment), and {folder} is {reason}."
    elif location.is_default and mount is not None and mount.is_root_that_vanishes:
        what = f"{ledger} would be lost with this container. Nothing was sent."
        why = f"Its directory {folder} is on /, and that file system ({mount.kind}) goes with the container."
    else:
        return None
    kept = Advice(
        "Set ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database) or a path on a "
        "persistent volume.",
    )
    return message_of((what, f"{why} The next one would order again.", kept))


def _vanishes(folder: Path, mount: Mount | None, job: Path) -> str | None:
    """Why a directory goes with a job, whose own one is ``artifacts/<job id>`` in the private data directory."""
    if mount is None:
        return "on a file system that is not known"
    private = job.parent.parent
    # ansible-runner mounts the private data directory, and the artifacts in it once more.
    own = mount.point != private and mount.point.is_relative_to(private) and not job.is_relative_to(mount.point)
    if folder.is_relative_to(private) and not own:
        return f"in the job's own directory {private}"
    if mount.is_root_that_vanishes:
        return f"on the file system of / ({mount.kind})"
    if mount.kind in _MEMORY:
        return f"in memory ({mount.kind})"
    return "in an emptyDir volume" if _EMPTY_DIR in f"{mount.root}/" else None
