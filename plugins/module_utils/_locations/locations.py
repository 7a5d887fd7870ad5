# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Locations of ledgers, parsed once, and what a file must be before a ledger is opened there.

Of a PostgreSQL address, it says what may be shown and what may not. A file belongs to one user, and has one name; the
locks of its mount must work on every machine, and its files last.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Union
from urllib.parse import unquote

from .._core.errors import Advice, LedgerError
from .._core.files import distrust_of, status_of
from .._ledger.sqlite import beside

_SERVER = r"(?:\[[^\s\]]*\]|[^\s:@/?,]*)(?::\d*)?"
#: What libpq reads in the same way: an unencoded / would make a part of the password pass for a port and a database, an
#: unencoded @ for a host.
_SERVER_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^\s:@/?]*)(?::(?P<password>[^\s@/?]*))?@)?"
    rf"(?P<rest>(?:{_SERVER},)*{_SERVER}(?:/[^\s@/?]*)?)(?:\?(?P<query>[^\s@]*))?"
)
_BROKEN_CODE = re.compile(r"%(?!(?!00)[\da-fA-F]{2})")
#: Parameters of libpq that lead to another ledger: ``options`` may hold a search path, ``service`` all of the others.
_PLACES = frozenset({"host", "hostaddr", "port", "dbname", "options", "service"})
_PASSWORDS = frozenset({"password", "sslpassword"})
_SERVERS = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class ServerLocation:
    """An address that was read: ``text`` as it was given, with its password.

    ``place`` is the address without its secrets, for messages, and ``address`` the part of it that does not depend on
    who connects: hosts, ports, database and search path. ``passwords`` are the passwords, as libpq reads them.
    """

    text: str = field(repr=False)
    place: str
    address: str
    passwords: tuple[str, ...] = field(repr=False)


def read_address(text: str) -> ServerLocation:
    """Read an address. Raises LedgerError when it is not valid, with nothing of it: that could be of the password."""
    found = _SERVER_ADDRESS.fullmatch(text)
    if found is None or _BROKEN_CODE.search(text):
        what = (
            "The location of the ledger is not a valid PostgreSQL address.\n"
            "A valid one is postgresql://user:password@host:port/database. In the password, all characters other than "
            "letters, digits and - . _ ~ are percent-encoded (@ is %40, / is %2F)."
        )
        raise LedgerError(what, Advice("Correct the option ledger (or RESELLER_LEDGER)."))
    parameters = {unquote(pair.partition("=")[0]): pair for pair in (found["query"] or "").split("&") if pair}
    query = "&".join(pair for name, pair in parameters.items() if name in _PLACES)
    written = [pair.partition("=")[2] for name, pair in parameters.items() if name in _PASSWORDS]
    where = found["rest"] + (f"?{query}" if query else "")
    user = f"{found['user']}@" if found["user"] else ""
    passwords = tuple(map(unquote, filter(None, [found["password"], *written])))
    return ServerLocation(text, f"postgresql://{user}{where}", f"postgresql://{where}", passwords)


_FOLDER = "hosting.reseller"
#: Addresses of databases that are not in the form of PostgreSQL's, also misspelt or behind a directory. Taken for
#: paths, they would make files named after a password.
_ADDRESS = re.compile(
    r".*://|[A-Za-z][A-Za-z0-9+.-]*:/+|postgres(?:ql)?[^\w/]*//|(?![/~.$]).*:.*@|\w+\s*=|.*\0",
    re.DOTALL | re.IGNORECASE,
)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_ISOLATED = "AWX_ISOLATED_DATA_DIR"
#: Each is set in the jobs of some continuous integration.
PIPELINES = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "BUILDKITE", "TF_BUILD")


class FileLocation(NamedTuple):
    """A ledger in a file: its absolute path, and whether that is the default one.

    ``job_folder`` is the directory of the job in an execution environment.
    """

    path: Path
    is_default: bool = False
    job_folder: Path | None = None

    @property
    def place(self) -> str:
        """The location for messages."""
        return str(self.path)


# pylint of the newest sanity tests takes | between classes for an error.
Location = Union[FileLocation, ServerLocation]  # noqa: UP007


def location_of(option: str | None, environ: Mapping[str, str]) -> Location:
    """The location in the option ``ledger``; ``None`` or an empty string: the default one.

    A server's address without a password has that of ``RESELLER_LEDGER``, if it is the same one, and otherwise none:
    libpq has variables and a file for it.

    Raises:
        LedgerError: it is a relative path, or neither a path nor a PostgreSQL address.
    """
    job_folder = Path(environ[_ISOLATED]) if is_job(environ) else None
    if not option:
        return FileLocation(_checked(state_folder(environ) / "ledger.db"), True, job_folder)
    if option.startswith(_SERVERS):
        location, usual = read_address(option), environ.get("RESELLER_LEDGER", "")
        if not location.passwords and usual.startswith(_SERVERS):
            # Messages name a ledger without its password.
            with suppress(LedgerError):
                same = read_address(usual)
                location = same if same.place == location.place else location
        return location
    return FileLocation(_checked(_written(option, environ)), False, job_folder)


def _checked(path: Path) -> Path:
    """Return a path that is absolute. Raises LedgerError."""
    if path.is_absolute():
        return path
    raise LedgerError(
        f"The path of the ledger is relative: {path}. Nothing was sent.\n"
        "A playbook in another directory would have another ledger, and order again.",
        Advice(
            "Give the option ledger (or RESELLER_LEDGER) the absolute path of the ledger that you use; ~ and variables "
            "are allowed.",
        ),
    )


def is_job(environ: Mapping[str, str]) -> bool:
    """Return whether this is a job in an execution environment, whose files vanish."""
    return bool(environ.get(_ISOLATED))


def pipeline_of(environ: Mapping[str, str]) -> str | None:
    """Return the variable that shows a job of continuous integration, whose next run may begin with nothing."""
    return next(filter(environ.get, PIPELINES), None)


def state_folder(environ: Mapping[str, str]) -> Path:
    """``$XDG_STATE_HOME/hosting.reseller``; in ``~/.local/state`` where that is no absolute path."""
    return _base("XDG_STATE_HOME", ".local/state", environ) / _FOLDER


def _written(address: str, environ: Mapping[str, str]) -> Path:
    """The path that was written, which may be relative. Raises LedgerError where something else was meant."""
    if address != address.strip() or address[0] in "\"'":
        raise LedgerError(
            "The location of the ledger begins or ends with whitespace or a quotation mark.\n"
            "With it, the location is that of another ledger than without.",
            Advice("Remove it from the option ledger, also in a file that sets RESELLER_LEDGER."),
        )
    if _ADDRESS.match(address):
        raise LedgerError(
            "The location of the ledger is neither the path of a file nor a PostgreSQL address.",
            Advice("Write postgresql://user@host/database, or a path that begins with /."),
        )
    return _expanded(_VARIABLE.sub(lambda variable: _value(variable, environ), address), environ)


def _value(variable: re.Match[str], environ: Mapping[str, str]) -> str:
    value = environ.get(variable[1] or variable[2])
    if not value:
        raise LedgerError(
            f"The location of the ledger contains the variable {variable[0]}, which is not set.",
            Advice("Set it, or write its value."),
        )
    return value


def _base(variable: str, fallback: str, environ: Mapping[str, str]) -> Path:
    base = _expanded(environ.get(variable) or "", environ)
    # The XDG specification has relative paths ignored.
    return base if base.is_absolute() else _expanded(f"~/{fallback}", environ)


def _expanded(path: str, environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return Path(home) / path[2:]
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise LedgerError(
            f"The home directory in {path} is not known ({error}).",
            Advice("Set HOME, or give the option ledger an absolute path."),
        ) from error


# The file of a ledger

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
    """A mounted file system: its mount point, its type, and the directory that is mounted. All are empty if unknown."""

    point: Path
    kind: str
    root: str

    @property
    def is_root_that_vanishes(self) -> bool:
        """Return whether it is ``/`` of a container or of a live system, whose files go with it."""
        return self.point == Path("/") and self.kind in _MEMORY | _LAYERED


def mount_of(path: Path) -> Mount:
    """Return the mount that contains this path, which is absolute and without links."""
    sought, found, mounts = f"{path}/", ("", "", ""), ""
    with suppress(OSError):
        mounts = _MOUNTS.read_bytes().decode("utf-8", "surrogateescape")
    for line in mounts.splitlines():
        before, _rest, after = line.partition(" - ")
        fields = before.split(" ")
        if after and len(fields) > 4:
            root, point = (_OCTAL.sub(lambda octal: chr(int(octal[1], 8)), field) for field in fields[3:5])
            # Of two mounts on one point, the later one hides the other.
            if len(point) >= len(found[0]) and sought.startswith(f"{point.rstrip('/')}/"):
                found = (point, after.partition(" ")[0], root)
    return Mount(Path(found[0]), *found[1:])


def why_forgotten(location: FileLocation, folder: Path, mount: Mount) -> str | None:
    """Why a ledger in this directory of a mount would not outlive this job or container, or ``None``."""
    ledger = "The default ledger" if location.is_default else f"The ledger {location.place}"
    job = location.job_folder and Path(os.path.realpath(location.job_folder))
    if job and (reason := _vanishes(folder, mount, job)):
        what = f"{ledger} would be lost with this job. Nothing was sent."
        why = f"AWX_ISOLATED_DATA_DIR is set (execution environment), and {folder} is {reason}."
    elif location.is_default and mount.is_root_that_vanishes:
        what = f"{ledger} would be lost with this container. Nothing was sent."
        why = f"Its directory {folder} is on /, and that file system ({mount.kind}) goes with the container."
    else:
        return None
    return (
        f"{what}\n{why} The next one would order again.\n"
        "Set ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database) or a path on a "
        "persistent volume."
    )


def _vanishes(folder: Path, mount: Mount, job: Path) -> str | None:
    """Why a directory goes with a job, whose own one is ``artifacts/<job id>`` in the private data directory."""
    if not mount.kind:
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


def why_refused(location: FileLocation, path: Path, *, writing: bool) -> str | None:
    """Return why a ledger at this path would be lost, or must not be written to, or ``None``. Nothing is opened.

    ``path`` is that of the location without links.
    """
    mount, found = mount_of(path), status_of(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        # To open it could block.
        return f"The ledger {location.place} is not a regular file. Give the path of the ledger's file."
    forgotten = why_forgotten(location, path.parent, mount)
    if forgotten or not writing:
        return forgotten
    if mount.kind in NETWORK:
        return (
            f"The ledger {location.place} is on a network file system ({mount.kind}).\n"
            "It does not keep the locks that protect an order from being sent twice.\n"
            "If the file exists, move it to a local disk while no run uses it, with all that lies beside it. Then set "
            "ledger to its new path. If several controllers order, move it on to PostgreSQL: playbook move_ledger."
        )
    if mount.point == path:
        return (
            f"The ledger {location.place} is a mount point: it has a second name.\n"
            "Runs that use the other name do not see its journal, and could order the same again.\n"
            "Mount the directory that holds the file, with all that lies beside it."
        )
    return _why_unsafe(location, path)


def _why_unsafe(location: FileLocation, path: Path) -> str | None:
    """Return why others than root and the ledger's owner could change it, or ``None``."""
    found = distrust_of(location.path, beside(path, "-journal"), root_uses_all=True)
    return found and (
        f"The ledger {location.place} could be changed by other users: {found.why}.\n"
        f"Whoever changes it can have orders placed twice.\n{found.cure}\n"
        "Or set ledger (or RESELLER_LEDGER) to a path below directories that only you can write. Several users share a "
        "ledger in PostgreSQL: postgresql://user@host/database."
    )
