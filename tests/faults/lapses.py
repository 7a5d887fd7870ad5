# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What file systems, backups, databases and other users do to a ledger. Each row orders before it, in it and after it.

A row that finds no protection would see a second order: each is tried without its protection, too.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.faults.scene import DATABASE, EARLY, FILE, HOSTNAME, POINTS, TABLES, Backup, Scene, Surrounding

GONE_BACK = "went back in time"
ANOTHER_USER = 54321
TEAM = 54400


# Two names of one file


def hard_link(scene: Scene) -> None:
    """A second name of the ledger's file."""
    scene.order("first.example.org")
    other = scene.folder / "link.db"
    scene.site.simulator.arm("hold", when="after")
    first = scene.start()
    scene.site.simulator.wait(held=1)
    os.link(scene.ledger, other)
    for ledger in (str(other), scene.ledger):
        scene.refused("has 2 names", hostname=EARLY, ledger=ledger)
    scene.site.simulator.release()
    scene.expect(scene.ended(first)["changed"])
    other.unlink()
    scene.ordered_once(EARLY)
    scene.known()


def bind_mount(scene: Scene) -> None:
    """The ledger's file mounted under a second name, without what lies beside it."""
    scene.order(EARLY)
    other = scene.folder / "mounted.db"
    other.touch(mode=0o600)
    if subprocess.run(["mount", "--bind", scene.ledger, other], capture_output=True, check=False).returncode:
        pytest.skip("a file can only be mounted by root")
    try:
        scene.refused("is a mount point", ledger=str(other))
    finally:
        subprocess.run(["umount", "--lazy", other], check=True)
    scene.ordered_once()


def symbolic_link(scene: Scene) -> None:
    """A symbolic link to the ledger is the same ledger, also while a run is placing an order."""
    scene.order(EARLY)
    other = scene.folder / "link.db"
    other.symlink_to(scene.ledger)
    scene.site.simulator.arm("hold", when="after")
    first = scene.start(ledger=str(other))
    scene.site.simulator.wait(held=1)
    result = scene.order(wait_in_flight=0)
    scene.expect("Another run has been placing" in result.get("msg", ""))
    scene.site.simulator.release()
    scene.expect(scene.ended(first)["changed"])
    scene.known()
    scene.known(ledger=str(other))


def another_address(scene: Scene) -> None:
    """The same database by another address."""
    scene.order(EARLY)
    other = scene.ledger.replace("127.0.0.1", "localhost").replace("?", "?application_name=another&")
    assert other != scene.ledger
    scene.site.simulator.arm("hold", when="after")
    first = scene.start(ledger=other)
    scene.site.simulator.wait(held=1)
    scene.expect("Another run has been placing" in scene.order(wait_in_flight=0).get("msg", ""))
    scene.site.simulator.release()
    scene.expect(scene.ended(first)["changed"])
    scene.known()


# The log


def log_after_a_kill(harm: Callable[[Path], object]) -> Callable[[Scene], None]:
    """The log of the ledger suffers this after a run was killed."""

    def ordering(scene: Scene) -> None:
        scene.kill()
        log = scene.beside("-wal")
        if log.exists():
            harm(log)
        scene.beside("-shm").unlink(missing_ok=True)
        scene.refused("in doubt")
        scene.refused("in doubt")
        scene.settle()
        scene.order()
        scene.known()

    return ordering


def _cut(log: Path) -> None:
    os.truncate(log, log.stat().st_size // 2)


def _empty(log: Path) -> None:
    os.truncate(log, 0)


def log_of_another_time(scene: Scene) -> None:
    """A log that was kept of all pages as they were, put beside the ledger after its last order."""
    scene.order(EARLY)
    log, kept = scene.beside("-wal"), scene.folder / "kept"
    with closing(sqlite3.connect(scene.ledger, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("VACUUM")
        shutil.copy(log, kept)
    scene.kill()
    shutil.copy(kept, log)
    scene.beside("-shm").unlink(missing_ok=True)
    scene.refused()
    scene.refused()


# Backups


def file_alone(scene: Scene) -> None:
    """A copy of the ledger's file alone is put back after a run was killed, in place or as another file."""
    scene.order(EARLY)
    backup = scene.folder / "backup.db"
    shutil.copy(scene.ledger, backup)
    scene.kill()
    if scene.number % 2:
        shutil.copy(backup, scene.ledger)
    else:
        backup.replace(scene.ledger)
    scene.refused(GONE_BACK)
    scene.refused(GONE_BACK, new_ledger="allow")


def file_with_its_log(scene: Scene) -> None:
    """All that lies in the ledger's directory is put back as it was before its last order."""
    scene.order(EARLY)
    backup, folder = scene.folder / "backup", scene.path.parent
    shutil.copytree(folder, backup)
    scene.expect(scene.order()["changed"])
    shutil.rmtree(folder)
    shutil.copytree(backup, folder)
    scene.refused(GONE_BACK)


def restored(scene: Scene) -> None:
    """A backup of the ledger that is older than its last order is restored, and accepted once that is repaired."""
    scene.order(EARLY)
    backup = Backup(scene)
    scene.expect(scene.order()["changed"])
    backup.restore()
    scene.refused(GONE_BACK, new_ledger="allow")
    if not scene.without:
        scene.settle()
        scene.expect(scene.tell(state="accepted")["changed"])
        scene.known()


def restored_elsewhere(scene: Scene) -> None:
    """A backup is restored under another address, which is then the one to order with."""
    scene.order(EARLY)
    backup = Backup(scene)
    scene.expect(scene.order()["changed"])
    other = scene.site.ledger(scene.store)
    if scene.store == "sqlite":
        Path(other).parent.mkdir(mode=0o700)
    else:
        schemas = [quote_schema(ledger) for ledger in (scene.ledger, other)]
        with psycopg.connect(scene.ledger, autocommit=True) as connection:
            for table in TABLES:
                connection.execute(
                    f"CREATE TABLE {schemas[1]}.{table} (LIKE {schemas[0]}.{table} INCLUDING ALL)".encode()
                )
    backup.restore(other)
    scene.refused(GONE_BACK, ledger=other)
    scene.known()


def quote_schema(ledger: str) -> str:
    with psycopg.connect(ledger) as connection:
        ((schema,),) = connection.execute("SELECT quote_ident(current_schema())").fetchall()
        return str(schema)


def restored_under_a_run(scene: Scene) -> None:
    """An older state is copied over the ledger while a run has it open, and that run goes on."""
    scene.order(EARLY)
    backup = scene.folder / "copy.db"
    shutil.copy(scene.ledger, backup)
    scene.expect(scene.order("between.example.org")["changed"])
    scene.site.simulator.arm("hold", when="after")
    run = scene.start()
    scene.site.simulator.wait(held=1)
    shutil.copy(backup, scene.ledger)
    scene.site.simulator.release()
    scene.ended(run)
    scene.refused(hostname="between.example.org")


def gone(scene: Scene) -> None:
    """The ledger is gone from its place, and a database was made anew."""
    scene.order(EARLY)
    scene.expect(scene.order()["changed"])
    if scene.store == "sqlite":
        shutil.rmtree(scene.path.parent)
    else:
        schema = quote_schema(scene.ledger)
        with psycopg.connect(scene.ledger, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())
            connection.execute(f"CREATE SCHEMA {schema}".encode())
    scene.refused("where this user has seen one", new_ledger="allow")
    scene.refused("where this user has seen one")


def another_ledger(scene: Scene) -> None:
    """Another ledger is at the address, which has counted more."""
    other, own = scene.site.ledger(scene.store), scene.ledger
    for name in ("a", "b", "c"):
        scene.order(f"{name}.example.org", ledger=other)
    scene.expect(scene.order()["changed"])
    if scene.store == "sqlite":
        Path(other).replace(own)
    else:
        schemas = [quote_schema(ledger) for ledger in (own, other)]
        with psycopg.connect(own, autocommit=True) as connection:
            connection.execute(f"ALTER SCHEMA {schemas[0]} RENAME TO {schemas[0]}_away".encode())
            connection.execute(f"ALTER SCHEMA {schemas[1]} RENAME TO {schemas[0]}".encode())
    scene.refused("is not the one that this user has seen there")


# Damage


def damaged(scene: Scene) -> None:
    """Bits of the ledger's file are changed, anywhere and in what names an order."""
    scene.order(EARLY)
    scene.expect(scene.order()["changed"])
    whole, chance = scene.path.read_bytes(), random.Random(scene.number)
    named = [at for at in range(len(whole)) if whole.startswith(HOSTNAME.encode(), at)]
    for place in (chance.randrange(len(whole)), chance.choice(named), named[scene.number % len(named)]):
        content = bytearray(whole)
        content[place] ^= 1 << chance.randrange(7)
        scene.path.write_bytes(content)
        scene.expect(not scene.order()["changed"])
    scene.path.write_bytes(whole)
    scene.known()


# Other users


def writable_by_all(scene: Scene) -> None:
    """A ledger, its directory or its locks that everybody can change."""
    scene.order(EARLY)
    for path, mode in ((scene.path, 0o666), (scene.path.parent, 0o777), (scene.beside(".runs"), 0o777)):
        kept = path.stat().st_mode
        path.chmod(mode)
        scene.refused("can be written by everyone")
        path.chmod(kept)
    scene.ordered_once()


def of_another_user(scene: Scene) -> None:
    """A ledger or a directory that belongs to another user, who may do with it what they like."""
    if os.geteuid() != 0:
        pytest.skip("only root can become two users")
    with _passable(scene):
        scene.order(EARLY, user=ANOTHER_USER)
        for path in (scene.path, scene.path.parent, scene.beside(".runs")):
            os.chown(path, ANOTHER_USER + 1, -1)
            path.chmod(path.stat().st_mode | 0o055)
            scene.refused("belongs to user number", user=ANOTHER_USER)
            os.chown(path, ANOTHER_USER, -1)
        scene.ordered_once(user=ANOTHER_USER)


@contextmanager
def _passable(scene: Scene) -> Iterator[None]:
    """Let another user come to the ledger's directory, and have it and the scene's folder."""
    scene.path.parent.mkdir(mode=0o700)
    for folder in (scene.folder, scene.path.parent):
        os.chown(folder, ANOTHER_USER, ANOTHER_USER)
    closed = [
        (folder, folder.stat().st_mode)
        for start in (scene.folder, scene.path.parent)
        for folder in start.parents
        if not folder.stat().st_mode & 0o001
    ]
    try:
        for folder, mode in closed:
            folder.chmod(mode | 0o001)
        yield
    finally:
        for folder, mode in reversed(closed):
            folder.chmod(mode)


# What is no file


def no_file(scene: Scene) -> None:
    """A pipe that nobody writes to, a socket, a device or a huge file in the place of the ledger and its companions."""
    scene.order(EARLY)
    aside = scene.folder / "aside"
    for number, suffix in enumerate(("", "-wal", "-shm", "-journal", ".runs"), scene.number):
        place, make = scene.beside(suffix), (_pipe, _socket, _device, _huge)[number % 4]
        if place.exists():
            place.rename(aside)
        make(place)
        result = scene.order()
        # A log that holds nothing is none to SQLite, and what is recorded already needs neither log nor lock.
        scene.expect(result.get("failed") or not result["changed"] or (make is _huge and suffix.startswith("-")))
        place.unlink(missing_ok=True)
        if aside.exists():
            aside.rename(place)
    scene.order()
    scene.known()


def no_lock(scene: Scene) -> None:
    """A pipe that nobody writes to among the locks of runs."""
    scene.order(EARLY)
    pipe = scene.beside(".runs") / "0.1-2"
    os.mkfifo(pipe)
    scene.refused("It is not a file of a run")
    pipe.unlink()
    scene.ordered_once()


def no_cache(scene: Scene) -> None:
    """What was learned and seen is a pipe that nobody writes to, a huge file, or not to be understood."""
    live = {"validation": "live"}
    scene.order(EARLY, **live)
    kept = [path for name in ("state", "cache") for path in (scene.folder / name).rglob("*") if path.is_file()]
    assert len(kept) > 1
    for path in kept:
        path.unlink()
        (_pipe, _huge, _nonsense)[scene.number % 3](path)
    scene.ordered_once(**live)


def no_state(scene: Scene) -> None:
    """What was seen can be kept nowhere: there is no such place, it is no directory, or it cannot be written."""
    (scene.folder / "file").touch()
    scene.order()
    for place in ("", "relative", "/proc/none", "/dev/null", str(scene.folder / "file")):
        scene.known(environ={"XDG_STATE_HOME": place, "HOME": str(scene.folder / "file")})
    scene.ordered_once(EARLY, environ={"XDG_STATE_HOME": "/dev/null"})


def _pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def _huge(path: Path) -> None:
    path.touch(mode=0o600)
    os.truncate(path, 2**40)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        # The path of a socket is short.
        short = Path("/tmp") / f"faults-{os.getpid()}"
        listener.bind(str(short))
        shutil.move(short, path)


def _nonsense(path: Path) -> None:
    path.write_text('{"format": 1, "ledgers": {"/": {"id": 7, "counter": 1e999}}, "key": [], "value": Infinity}')
    path.chmod(0o600)


# Histories of equal length, and ledgers that move


def equal_counts(scene: Scene) -> None:
    """A restored backup in which another user filled the gap: the ledger has as many orders as before."""
    scene.order(EARLY)
    backup = Backup(scene)
    scene.order()
    backup.restore()
    other = {"XDG_STATE_HOME": str(scene.folder / "other")}
    scene.expect(scene.order("other.example.org", environ=other)["changed"])
    scene.refused(GONE_BACK)
    scene.refused(GONE_BACK, new_ledger="allow")


def failback(scene: Scene) -> None:
    """A server takes over that lacks an order; it is accepted and orders; then the first one is back."""
    scene.order(EARLY)
    early = Backup(scene)
    scene.order()
    first = Backup(scene, "first.db")
    early.restore()
    scene.refused(GONE_BACK)
    scene.tell(name=HOSTNAME, state="ordered", settings={"hostname": HOSTNAME}, end_user="__self__")
    scene.tell(state="accepted")
    scene.expect(scene.order("late.example.org")["changed"])
    first.restore()
    scene.refused(GONE_BACK, hostname="late.example.org")


def moved_ledger(scene: Scene) -> None:
    """The ledger is moved with an order in doubt: it stays so, and what was ordered is known."""
    scene.order(EARLY)
    scene.kill()
    old, new = scene.ledger, str(scene.folder / "moved" / "ledger.db")
    scene.expect(scene.tell(state="retired", moved_to=new)["changed"])
    scene.expect(not scene.tell(state="retired", moved_to=new)["changed"])
    scene.refused("was moved to", ledger=old)
    scene.ledger = new
    scene.known(EARLY)
    if POINTS[scene.number % len(POINTS)] != "before_claim":
        recorded = scene.site.statuses(new)
        if recorded[HOSTNAME].status == "in_doubt":
            scene.refused("in doubt")


def adopted(scene: Scene) -> None:
    """A contract is adopted with no more than its hostname: it is not bought again under another name."""
    contract = scene.order()["contract_id"]
    other = str(scene.folder / "adopting" / "ledger.db")
    known = {"ledger": other, "state": "ordered", "contract_id": contract}
    told = scene.tell(name=HOSTNAME, settings={"hostname": HOSTNAME}, **known)
    scene.expect(told["changed"], told)
    scene.refused("is for the same hostname as", ledger=other, name="again")
    scene.expect("settles one order" in scene.tell(name="second", **known)["msg"])
    scene.known()


def run_of_root(scene: Scene) -> None:
    """A run of root dies with the ledger of another user, who goes on."""
    if os.geteuid() != 0:
        pytest.skip("only root can order as two users")
    with _passable(scene):
        scene.path.parent.mkdir(exist_ok=True)
        for folder in (scene.path.parent, *(scene.folder / name for name in ("state", "cache"))):
            folder.mkdir(exist_ok=True)
            os.chown(folder, ANOTHER_USER, ANOTHER_USER)
        scene.expect(scene.order(EARLY, user=ANOTHER_USER)["changed"])
        shutil.rmtree(scene.beside(".runs"), ignore_errors=True)
        scene.kill()
        scene.expect(not scene.order(EARLY, user=ANOTHER_USER).get("failed"))
        scene.order(user=ANOTHER_USER)
        scene.expect({path.stat().st_uid for path in scene.path.parent.glob("ledger.db*")} == {ANOTHER_USER})
    scene.order(EARLY)


def of_a_group(scene: Scene) -> None:
    """Two users of a group order with one ledger, of which each dies once."""
    if os.geteuid() != 0:
        pytest.skip("only root can order as two users")
    with _passable(scene):
        os.chown(scene.path.parent, 0, TEAM)
        scene.path.parent.chmod(0o2770)
        scene.ledger = str(scene.path.parent / "made" / "ledger.db")
        kept = [{"XDG_STATE_HOME": f"/nowhere/{user}", "XDG_CACHE_HOME": "/nowhere"} for user in (1, 2)]
        shared = {"ledger_shared": True, "group": TEAM}
        first = {**shared, "user": ANOTHER_USER, "environ": kept[0]}
        second = {**shared, "user": ANOTHER_USER + 1, "environ": kept[1]}
        scene.expect(scene.order(EARLY, **first)["changed"])
        scene.known(EARLY, **second)
        scene.kill(**first)
        told = scene.order(**second)
        scene.expect("in doubt" in told.get("msg", "") or "order" in told, told)
        scene.known(EARLY, **first)
        scene.expect({path.stat().st_gid for path in scene.path.parent.rglob("*")} == {TEAM})
    scene.known(EARLY, ledger_shared=True)


def in_a_job(scene: Scene) -> None:
    """A job of AWX orders with a ledger in its own directory, which the next job does not have."""
    job = scene.path.parent / "artifacts" / "17"
    job.mkdir(parents=True)
    scene.refused("in the job's own directory", environ={"AWX_ISOLATED_DATA_DIR": str(job)})
    scene.order()
    scene.refused("in the job's own directory", environ={"AWX_ISOLATED_DATA_DIR": str(job)})
    scene.known()


LAPSES = {
    "hard link": Surrounding(hard_link, FILE, without=("one_name",)),
    "bind mount": Surrounding(bind_mount, FILE, without=("one_name",)),
    "symbolic link": Surrounding(symbolic_link, FILE, without=("real_path",)),
    "another address": Surrounding(another_address, DATABASE),
    "lost log": Surrounding(log_after_a_kill(Path.unlink), FILE, without=("claims_in_the_file", "sight")),
    "cut log": Surrounding(log_after_a_kill(_cut), FILE, without=("claims_in_the_file", "sight")),
    "emptied log": Surrounding(log_after_a_kill(_empty), FILE, without=("claims_in_the_file", "sight")),
    "log of another time": Surrounding(log_of_another_time, FILE, without=("sight", "integrity")),
    "file alone": Surrounding(file_alone, FILE, without=("sight",)),
    "file with its log": Surrounding(file_with_its_log, FILE, without=("sight",)),
    "restored backup": Surrounding(restored, without=("sight",)),
    "restored elsewhere": Surrounding(restored_elsewhere, without=("sight",)),
    "restored under a run": Surrounding(restored_under_a_run, FILE, without=("sight", "integrity")),
    "gone": Surrounding(gone, without=("sight",)),
    "another ledger": Surrounding(another_ledger, without=("sight",)),
    "equal counts": Surrounding(equal_counts, without=("sight",)),
    "failback": Surrounding(failback, without=("sight",)),
    "moved ledger": Surrounding(moved_ledger),
    "adopted": Surrounding(adopted),
    "run of root": Surrounding(run_of_root, FILE, without=("followed",)),
    "of a group": Surrounding(of_a_group, FILE),
    "in a job": Surrounding(in_a_job, FILE, without=("job_folder",)),
    "damaged bits": Surrounding(damaged, FILE, without=("integrity",), trials=40),
    "writable by all": Surrounding(writable_by_all, FILE, without=("owners",)),
    "of another user": Surrounding(of_another_user, FILE, without=("owners",)),
    "no file": Surrounding(no_file, FILE),
    "no lock": Surrounding(no_lock, FILE, without=("kinds",)),
    "no state": Surrounding(no_state),
    "no cache": Surrounding(no_cache, without=("kinds",)),
}

__all__ = ["LAPSES"]
