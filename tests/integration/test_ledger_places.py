# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One ledger: which tasks may use the default one, and that a new one, a lost one and a moved one are told of."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import playbooks
from tests.support.playbooks import Task, order


def vps(hostname: str = "web01.example.org", **options: Any) -> Task:
    settings = {"hostname": hostname, "template": "debian-12"}
    return order(end_user=data.END_USER, product="VPS M", settings=settings, **options)


def ledger_task(state: str, **options: Any) -> Task:
    return {"name": state, "hosting.reseller.reseller_ledger": {"state": state, **options}}


def info(**options: Any) -> Task:
    return {"name": "List", "hosting.reseller.reseller_ledger_info": options}


TABLES = ("hosting_reseller_meta", "hosting_reseller_orders")
STACK = {"end_user": data.END_USER, "contracts": {"webhosting": [{"name": "shop", "product": "Webhosting Start"}]}}
OPENING: dict[str, Task] = {
    "order": vps(),
    "orders": {
        "hosting.reseller.reseller_contracts": {
            "contracts": [{"end_user": data.END_USER, "product": "VPS M", "settings": {"hostname": "a.example.org"}}]
        }
    },
    "settle": ledger_task("ordered", name="web01.example.org"),
    "accept": ledger_task("accepted"),
    "list": info(),
    "stack": {"hosting.reseller.reseller_stack_info": {"stack": STACK}},
}
#: Ansible ends a worker process that is slow to end itself, like a run that dies: its file stays beside the ledger, and
#: that the ledger lacks this run is told before the claims are counted.
LET_WORKERS_END = {"ANSIBLE_WORKER_SHUTDOWN_POLL_COUNT": "600"}

FULL = pytest.mark.full
BOTH_LEDGERS = ["sqlite", pytest.param("postgresql", marks=FULL)]


@pytest.fixture
def simulator(start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator("plain")


@pytest.mark.full
def test_the_run_that_makes_a_ledger_says_so_once(runner: Runner, simulator: Simulator) -> None:
    looped = {**vps("{{ item }}.example.org"), "loop": ["a", "b", "c"]}
    dry = runner.run(vps(), simulator.env, "--check")
    assert [f"There is no ledger at {runner.ledger} yet." in text for text in dry.result["warnings"]] == [True]
    first = runner.run([looped, vps()], simulator.env)
    assert first.output.count(f"A new ledger was made: {runner.ledger}.") == 1, first.output
    assert "Orders recorded elsewhere are not known here" in " ".join(first.output.split())
    again = runner.run([looped, vps()], simulator.env)
    assert "[WARNING]" not in again.output
    assert again.changed == [False, False]


@pytest.mark.full
def test_a_nightly_job_can_demand_that_the_ledger_is_there(runner: Runner, simulator: Simulator) -> None:
    demanding = {**simulator.env, "RESELLER_NEW_LEDGER": "refuse"}
    tasks = [vps(), vps(new_ledger="refuse"), info(), {**vps(), "check_mode": True}]
    refused, _too, listed, dry = runner.table(tasks, demanding)
    for result in (refused, listed):
        assert result["msg"].startswith(f"There is no ledger at {runner.ledger}, and new_ledger is refuse.")
    assert "Without check mode, this task would be refused. There is no ledger at" in dry["warnings"][0]
    assert not runner.ledger.parent.exists()
    assert simulator.orders() == []
    assert runner.run(vps(new_ledger="allow"), demanding).result["changed"]
    assert not runner.run(vps(), demanding).result["changed"]


@pytest.mark.parametrize("kind", BOTH_LEDGERS)
@pytest.mark.full
def test_a_ledger_that_went_back_in_time_is_refused_until_it_is_accepted(
    kind: str, runner: Runner, simulator: Simulator, request: pytest.FixtureRequest
) -> None:
    ledger: FilePlace | DatabasePlace = FilePlace(runner.ledger)
    if kind == "postgresql":
        ledger = DatabasePlace(request.getfixturevalue("postgresql_dsn"))
    env = {**simulator.env, "RESELLER_LEDGER": ledger.address, **LET_WORKERS_END}
    assert runner.run(vps("a.example.org"), env).result["changed"]
    ledger.back_up()
    assert runner.run(vps("b.example.org"), env).result["changed"]
    ledger.restore()
    tasks = [vps("b.example.org"), {**vps("b.example.org", new_ledger="allow"), "check_mode": True}, info()]
    refused, dry, listed = runner.table(tasks, env)
    for told in (refused["msg"], dry["msg"], listed["warnings"][0]):
        assert "went back in time" in told
        assert "with 1 orders, the newest is a.example.org." in told
        assert "Do not order anything until the ledger has been restored" in told
    assert [each["name"] for each in listed["orders"]] == ["a.example.org"]
    assert len(simulator.orders()) == 2
    # Another user has not seen it.
    assert "went back" not in runner.run(vps("a.example.org"), {**env, "XDG_STATE_HOME": f"{runner.folder}/x"}).output

    adopted = ledger_task("ordered", name="b.example.org")
    accepted = ledger_task("accepted")
    tasks = [adopted, {**accepted, "check_mode": True}, accepted, accepted, vps("b.example.org"), vps("c.example.org")]
    results = runner.table(tasks, env, "--diff")
    assert [result["changed"] for result in results] == [True, True, True, False, False, True]
    assert "newest: b.example.org" in results[1]["diff"]["after"]
    assert "went back in time" in results[0]["warnings"][0]
    assert len(simulator.orders()) == 3


def test_a_known_ledger_that_is_gone_is_refused_whatever_new_ledger_says(runner: Runner, simulator: Simulator) -> None:
    assert runner.run(vps(), simulator.env).result["changed"]
    shutil.rmtree(runner.ledger.parent)
    refused, listed = runner.table([vps(new_ledger="allow"), info()], simulator.env)
    for result in (refused, listed):
        assert result["msg"].startswith(f"There is no ledger at {runner.ledger}, where this user has seen one.")
        assert "Do not order anything until the ledger has been restored" in result["msg"]
    assert not runner.ledger.parent.exists()
    assert len(simulator.orders()) == 1
    accepted, again = runner.table([ledger_task("accepted"), vps()], simulator.env)
    assert accepted["changed"]
    assert again["changed"]
    assert len(simulator.orders()) == 2


@pytest.mark.full
def test_another_ledger_at_a_known_address_is_refused(runner: Runner, simulator: Simulator) -> None:
    other = runner.folder / "other" / "ledger.db"
    assert runner.run([vps("a.example.org"), vps("b.example.org", ledger=str(other))], simulator.env).status == 0
    shutil.copy(other, runner.ledger)
    (refused,) = runner.table([vps("a.example.org")], simulator.env)
    assert "is not the one that this user has seen there. Nothing was sent." in refused["msg"]
    assert len(simulator.orders()) == 2


@pytest.mark.full
def test_without_a_state_that_can_be_read_the_check_is_left_out(runner: Runner, simulator: Simulator) -> None:
    (runner.folder / "file").write_text("no directory")
    env = {**simulator.env, "XDG_STATE_HOME": str(runner.folder / "file")}
    assert runner.run(vps(), env).result["changed"]
    assert not runner.run(vps(), env).result["changed"]
    shutil.rmtree(runner.ledger.parent)
    assert runner.run(vps(), env).result["changed"]


@pytest.mark.parametrize("kind", BOTH_LEDGERS)
@pytest.mark.full
def test_a_ledger_that_was_moved_orders_nothing_more(
    kind: str, runner: Runner, simulator: Simulator, request: pytest.FixtureRequest
) -> None:
    new = runner.folder / "new" / "ledger.db"
    old = str(runner.ledger) if kind == "sqlite" else request.getfixturevalue("postgresql_dsn")
    env = {**simulator.env, "RESELLER_LEDGER": old}
    assert runner.run(vps(), env).result["changed"]
    same, alone = runner.table([ledger_task("retired", moved_to=old), ledger_task("retired")], env)
    assert "is the same ledger" in same["msg"]
    assert "moved_to" in alone["msg"]
    moving = {"RESELLER_LEDGER_FROM": old, "RESELLER_LEDGER_TO": str(new)}
    for arguments, changes in ((["--check"], True), ([], True), ([], False)):
        moved = playbooks.command(runner.folder, moving, *arguments, "hosting.reseller.move_ledger")
        assert moved.status == 0, moved.output
        assert any(result.get("changed") for result in moved.results) == changes
    refused, dry, listed, there = runner.table(
        [vps(), {**vps(), "check_mode": True}, info(), vps(ledger=str(new))], env
    )
    for told in (refused["msg"], dry["msg"], listed["warnings"][0]):
        assert f"was moved to {new}. Nothing was sent." in told
    assert not there["changed"]
    assert "msg" not in there
    back = runner.table([ledger_task("accepted"), vps()], env)
    assert [result["changed"] for result in back] == [True, False]
    assert len(simulator.orders()) == 1


def test_relative_path_is_refused_everywhere(runner: Runner, simulator: Simulator) -> None:
    relative = "The path of the ledger is relative: orders.db. Nothing was sent."
    assert runner.run(vps(), simulator.env).result["changed"]
    env = {**simulator.env, "RESELLER_LEDGER": "orders.db"}
    tasks = [*OPENING.values(), {**vps("b.example.org", ledger="orders.db"), "environment": simulator.env}]
    moved = ledger_task("retired", ledger=str(runner.ledger), moved_to="orders.db")
    for arguments in ((), ("--check",)):
        results = runner.table([*tasks, moved], env, *arguments)
        assert [result["msg"].splitlines()[0] for result in results] == [relative] * len(results)
    for plugin in ("ledger", "contracts"):
        source = runner.folder / f"reseller_{plugin}.yml"
        source.write_text(json.dumps({"plugin": f"hosting.reseller.{plugin}", "ledger": "orders.db"}))
        assert relative in runner.run([], simulator.env, "-i", str(source)).output
    assert len(simulator.orders()) == 1
    assert not [path for path in runner.files() if path.name == "orders.db"]


def test_a_dry_run_makes_nothing_where_the_ledger_is(runner: Runner, simulator: Simulator) -> None:
    catalogue = runner.folder / ".cache/hosting.reseller"
    assert runner.run([vps(), *OPENING.values()], simulator.env, "--check").status == 0
    assert not runner.ledger.parent.exists()
    made = {path.name.split("-")[0] for path in catalogue.iterdir()}
    assert made == {"approved", "catalogue", "reference", "shape"}
    assert stat.S_IMODE(catalogue.stat().st_mode) == 0o700
    assert runner.run(vps(), simulator.env).result["changed"]
    before = snapshot(runner.ledger.parent)
    tasks = [vps(), vps("b.example.org"), ledger_task("absent", name="web01.example.org"), info()]
    assert runner.run(tasks, simulator.env, "--check").status == 0
    assert snapshot(runner.ledger.parent) == before


@pytest.mark.parametrize("cache", ["file", pytest.param("foreign", marks=FULL)])
def test_nothing_fails_where_nothing_can_be_kept(cache: str, runner: Runner, simulator: Simulator) -> None:
    place = runner.folder / cache
    if cache == "file":
        place.write_text("no directory")
    elif os.geteuid() == 0:
        place.mkdir()
        os.chown(place, 65534, 65534)
    else:
        place = Path("/usr")
    before = sorted(os.listdir(place)) if place.is_dir() else None
    play = runner.run([vps(), vps("b.example.org")], {**simulator.env, "XDG_CACHE_HOME": str(place)})
    assert play.changed == [True, True], play.output
    assert (sorted(os.listdir(place)) if place.is_dir() else None) == before


class FilePlace:
    """A ledger in a file, of which a backup is made and restored."""

    def __init__(self, path: Path) -> None:
        self.address = str(path)
        self._backup = path.with_name("backup.db")

    def back_up(self) -> None:
        with closing(sqlite3.connect(self.address)) as here, closing(sqlite3.connect(self._backup)) as there:
            here.backup(there)

    def restore(self) -> None:
        shutil.copy(self._backup, self.address)


class DatabasePlace:
    """A ledger in a database, of which a backup is made and restored."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._kept: dict[str, list[Any]] = {}

    def back_up(self) -> None:
        with psycopg.connect(self.address) as connection:
            for table in TABLES:
                self._kept[table] = connection.execute(f"SELECT * FROM {table}".encode()).fetchall()

    def restore(self) -> None:
        with psycopg.connect(self.address) as connection:
            for table, rows in self._kept.items():
                connection.execute(f"DELETE FROM {table}".encode())
                for row in rows:
                    marks = ", ".join(["%s"] * len(row))
                    connection.execute(f"INSERT INTO {table} VALUES ({marks})".encode(), row)


def snapshot(folder: Path) -> Mapping[str, tuple[int, int, bytes]]:
    """All files but the one for locks that SQLite shares among readers, which a run that was ended leaves behind."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
        if not path.name.endswith("-shm")
    }
