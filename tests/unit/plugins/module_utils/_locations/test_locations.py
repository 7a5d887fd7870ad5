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
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, MissingLibraryError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._locations import locations
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import (
    FileLocation,
    ServerLocation,
    location_of,
    mount_of,
    read_address,
    why_forgotten,
)
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.runs import request

ANOTHER, THIRD, TEAM = 54321, 54322, 54400
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


Machine = Callable[[str], None]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Make this machine one with these mounts."""

    def mounted(text: str) -> None:
        (tmp_path / "mountinfo").write_text(text)
        monkeypatch.setattr(locations, "_MOUNTS", tmp_path / "mountinfo")

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


def test_a_path_that_is_a_mount_point_is_refused(path: Path, machine: Machine) -> None:
    mounts = "22 1 254:0 / / rw - ext4 /dev/vda1 rw\n30 22 254:0 /x {} rw - ext4 /dev/vda1 rw\n"
    machine(mounts.format(path))
    assert "is a mount point: it has a second name.\n" in refusal(path)
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
    kind = mount_of(Path(path)).kind
    assert (kind if kind in locations.NETWORK else None) == found


def test_this_machine_tells_its_mounts(tmp_path: Path) -> None:
    assert mount_of(tmp_path).kind not in {"", *locations.NETWORK}


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
    monkeypatch.setattr(locations, "_MOUNTS", Path("/does/not/exist"))
    assert "that is not known" in str(forgotten(FileLocation(Path("/orders/l.db"), job_folder=JOB)))
    assert forgotten(FileLocation(Path("/orders/l.db"), is_default=True)) is None


# Who can change it


@pytest.mark.parametrize("part", ["ledger.db", "ledger.db-journal", "."])
def test_ledger_that_others_could_change_is_refused_with_the_line_that_helps(path: Path, part: str) -> None:
    odd = path.parent.rename(path.parent.with_name("it's state")) / path.name
    changed = odd.parent / part
    changed.chmod(0o777)
    message = refusal(odd)
    assert f"could be changed by other users: {changed} can be written by everyone.\n" in message
    (line,) = re.findall("Take the right away: (chmod .*)\n", message)
    subprocess.run(shlex.split(line), check=True)
    opened(odd)


def test_missing_ledger_is_refused_like_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "open" / "new" / "ledger.db"
    path.parent.parent.mkdir(mode=0o700)
    path.parent.parent.chmod(0o777)
    assert f"{path.parent.parent} can be written by everyone" in refusal(path)
    assert not path.parent.exists()


# Where it lies, and how its place is written


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"HOME": "/h"}, "/h/.local/state/hosting.reseller/ledger.db"),
        ({"HOME": "/h", "XDG_STATE_HOME": "state"}, "/h/.local/state/hosting.reseller/ledger.db"),
        ({"HOME": "/h", "XDG_STATE_HOME": "~/s"}, "/h/s/hosting.reseller/ledger.db"),
    ],
)
def test_default_path(environ: dict[str, str], path: str) -> None:
    assert location_of(None, environ) == location_of("", environ) == FileLocation(Path(path), is_default=True)


def test_default_ledger_below_a_relative_home_is_refused() -> None:
    with pytest.raises(LedgerError, match=r"The path of the ledger is relative: home/\.local/state/"):
        location_of(None, {"HOME": "home"})
    assert location_of("/srv/ledger.db", {"HOME": "home"}) == FileLocation(Path("/srv/ledger.db"))


@pytest.mark.parametrize("address", [None, "/srv/orders.db"])
def test_a_job_whose_files_vanish_does_not_order(address: str | None, tmp_path: Path) -> None:
    environ = {"AWX_ISOLATED_DATA_DIR": "/", "HOME": str(tmp_path)}
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(address, environ), "read")
    for words in ("AWX_ISOLATED_DATA_DIR", "RESELLER_LEDGER", "postgresql://", "volume"):
        assert words in caught.value.message
    assert list(tmp_path.iterdir()) == []


INVALID = "is not a valid PostgreSQL address"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (" postgresql://u:s3cret@h/d", "begins or ends with whitespace"),
        ('"/srv/ledger.db"', "quotation mark"),
        ("postgresql://u:s3cret@h/d\n", INVALID),
        ("postgresql://u:s3cr%zzet@h/d", INVALID),
        ("postgresql://u:cr@s3et@h/d", INVALID),
        ("postgresql://u:s3/cret@h/d", INVALID),
        ("postgresql://u:s3cret@h:s3/d", INVALID),
        ("postgresql://u:s3cret@h/d?user=s3@x", INVALID),
        ("postgresql://u:s3cr%00et@h/d", INVALID),
        ("postgresql://u:s3cret@h/d d", INVALID),
        ("postgresql:/u:s3cret@h/d", "neither the path"),
        ("host=h password=s3cret", "neither the path"),
        ("postgresql+psycopg://u:s3cret@h/d", "neither the path"),
        ("./orders.db", "is relative"),
        ("u:s3cret@h/d", "neither the path"),
        ("$NOT_SET/ledger.db", "the variable $NOT_SET, which is not set"),
        ("/srv/led\0ger.db", "neither the path"),
        ("/srv/${EMPTY}/ledger.db", "the variable ${EMPTY}, which is not set"),
    ],
)
def test_what_would_name_a_ledger_by_mistake_is_refused_and_not_repeated(address: str, words: str) -> None:
    with pytest.raises(LedgerError) as caught:
        location_of(address, {"EMPTY": ""})
    assert words in caught.value.message
    assert "s3" not in f"{caught.value.message}{caught.value.__cause__}{caught.value.__context__}"


@pytest.mark.parametrize("address", ["$STATE/ledger.db", "${STATE}/a:b@c.db"])
def test_variables_in_a_path_are_those_of_the_task(address: str, tmp_path: Path) -> None:
    with open_ledger(location_of(address, {"STATE": str(tmp_path)}), "write") as ledger:
        assert ledger.place == str(tmp_path / address.rpartition("/")[2])


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


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("postgresql://u:s3cret@h:5433/d?sslmode=require&sslpassword=s3cret", "postgresql://u@h:5433/d"),
        ("postgresql:///d?host=/run/pg&password=s3cret", "postgresql:///d?host=/run/pg"),
        ("postgresql://u:s3cret@?service=old", "postgresql://u@?service=old"),
        ("postgresql://u%40x:s3cret@a:1,[::1]:2/d", "postgresql://u%40x@a:1,[::1]:2/d"),
        ("postgresql://", "postgresql://"),
        ("postgresql://u:s3cret@a,b,c/d?port=5433", "postgresql://u@a,b,c/d?port=5433"),
        ("postgres://u:s3:cret@h/", "postgresql://u@h/"),
        ("postgresql://u:s3cret@h/d?options=-csearch_path%3Da", "postgresql://u@h/d?options=-csearch_path%3Da"),
    ],
)
def test_a_place_in_postgresql_is_shown_without_secrets(address: str, place: str) -> None:
    assert read_address(address).place == place


USUAL = "postgresql://u:s3cret@h/d?sslmode=require"


@pytest.mark.parametrize(
    ("option", "usual", "text"),
    [
        # As messages name it.
        ("postgresql://u@h/d", USUAL, USUAL),
        ("postgres://u@h/d", USUAL, USUAL),
        # Another user, server or database, and one with a password of its own.
        *((other, USUAL, other) for other in ("postgresql://v@h/d", "postgresql://u@i/d", "postgresql://u@h/e")),
        ("postgresql://u:other@h/d", USUAL, "postgresql://u:other@h/d"),
        # Nothing to take it from.
        *(
            ("postgresql://u@h/d", other, "postgresql://u@h/d")
            for other in ("", "/srv/ledger.db", "postgresql://u:a@b@h")
        ),
    ],
)
def test_address_without_a_password_has_that_of_the_usual_ledger_if_it_is_the_same(
    option: str, usual: str, text: str
) -> None:
    location = location_of(option, {"RESELLER_LEDGER": usual})
    assert isinstance(location, ServerLocation)
    assert location.text == text
