# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One ledger: which tasks may use the default one, and that a new one, a lost one and a moved one are told of."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

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
    assert "Orders recorded elsewhere are missing in it" in " ".join(first.output.split())
    again = runner.run([looped, vps()], simulator.env)
    assert "[WARNING]" not in again.output
    assert again.changed == [False, False]


@pytest.mark.full
def test_a_nightly_job_can_demand_that_the_ledger_is_there(runner: Runner, simulator: Simulator) -> None:
    demanding = {**simulator.env, "RESELLER_NEW_LEDGER": "refuse"}
    tasks = [vps(), vps(new_ledger="refuse"), info(), {**vps(), "check_mode": True}]
    refused, _too, listed, dry = runner.table(tasks, demanding)
    for result in (refused, listed, dry):
        assert result["msg"].startswith(f"There is no ledger at {runner.ledger}, and new_ledger is refuse.")
    assert not runner.ledger.parent.exists()
    assert simulator.orders() == []
    assert runner.run(vps(new_ledger="allow"), demanding).result["changed"]
    assert not runner.run(vps(), demanding).result["changed"]


@pytest.mark.full
def test_a_ledger_that_went_back_in_time_is_refused_until_it_is_accepted(runner: Runner, simulator: Simulator) -> None:
    env = {**simulator.env, **LET_WORKERS_END}
    backup = runner.ledger.with_name("backup.db")
    assert runner.run(vps("a.example.org"), env).result["changed"]
    with closing(sqlite3.connect(runner.ledger)) as here, closing(sqlite3.connect(backup)) as there:
        here.backup(there)
    assert runner.run(vps("b.example.org"), env).result["changed"]
    shutil.copy(backup, runner.ledger)
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
def test_a_ledger_that_was_moved_orders_nothing_more(runner: Runner, simulator: Simulator) -> None:
    new, old, env = runner.folder / "new" / "ledger.db", str(runner.ledger), simulator.env
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
    assert made == {"catalogue", "reference", "shape"}
    assert stat.S_IMODE(catalogue.stat().st_mode) == 0o700
    assert runner.run(vps(), simulator.env).result["changed"]
    before = snapshot(runner.ledger.parent)
    tasks = [vps(), vps("b.example.org"), ledger_task("absent", name="web01.example.org"), info()]
    assert runner.run(tasks, simulator.env, "--check").status == 0
    assert snapshot(runner.ledger.parent) == before


def snapshot(folder: Path) -> Mapping[str, tuple[int, int, bytes]]:
    """All files, with what is in them."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
    }
