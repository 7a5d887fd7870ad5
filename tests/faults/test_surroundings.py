# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ledger that cannot be written, is taken away, or loses its server, before an order and in the middle of one."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from tests.faults.forked_task import Fork
from tests.faults.scene import HOSTNAME, Scene
from tests.faults.site import Store
from tests.support import postgresql as postgresql_server


@pytest.fixture
def scene(scene_of: Callable[..., Scene]) -> Scene:
    return scene_of("sqlite")


def held(scene: Scene) -> Fork:
    """A run whose order has arrived, and that waits for its answer."""
    scene.site.simulator.arm("hold")
    run = scene.start()
    scene.site.simulator.wait(held=1)
    return run


def status(scene: Scene) -> str | None:
    record = scene.site.statuses(scene.ledger).get(HOSTNAME)
    return record.status if record else None


def paste(scene: Scene, task: str) -> None:
    """Do what a task says that was to be pasted; the order is then there, once."""
    (pasted,) = yaml.safe_load(task)
    settled = scene.tell(**pasted["hosting.reseller.reseller_ledger"])
    assert not settled.get("failed"), settled
    assert status(scene) == "ordered"
    assert_once(scene)


def assert_once(scene: Scene) -> None:
    """It is not ordered again, and the service holds it once."""
    scene.known()
    assert scene.complaints == []
    assert len(scene.site.ordered()[HOSTNAME]) == 1


def unrecorded(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of the order, with what every outcome that could not be recorded says."""
    assert result["failed"]
    first, contract, where, *_hint, state, advice, line = result["msg"].rstrip().split("\n")
    assert first == f"The service accepted the order {HOSTNAME}, but this could not be recorded."
    assert contract.startswith("Contract ID: ")
    assert where.startswith("The ledger ")
    assert state == "The order is in doubt until it is settled."
    assert advice == "When the ledger can be written again, and before anything is ordered, run this line:"
    assert line.startswith(f"ansible localhost -m hosting.reseller.reseller_ledger -a 'name={HOSTNAME} state=ordered ")
    assert result["order"]["status"] == "in_doubt"
    assert result["changed"] is True
    return result


# Full and read-only file systems


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("a file system can only be mounted by root")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (65536, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return filler


def test_a_disk_that_is_full_before_an_order_and_during_one(scene: Scene, small_disk: Path) -> None:
    scene.ledger = str(small_disk / "ledger.db")
    filler = fill(small_disk)
    scene.refused("disk is full")
    assert scene.site.wire.orders == 0
    filler.unlink()
    run = held(scene)
    fill(small_disk)
    scene.site.simulator.release()
    # The claim has taken the room that its outcome needs.
    assert scene.ended(run)["changed"]
    assert_once(scene)
    fill(small_disk)
    sent = scene.site.wire.orders
    scene.refused("cannot be written: ", hostname="web02.example.org")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    scene.refused("cannot be written: ", hostname="web02.example.org")
    assert scene.site.wire.orders == sent
    assert scene.complaints == []


# A database that refuses


def test_a_database_that_refuses_to_record_an_order(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of("postgresql")
    scene.order("early.example.org")
    run = held(scene)
    with psycopg.connect(scene.ledger, autocommit=True) as database:
        database.execute(
            "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE disk_full; END $$ LANGUAGE plpgsql;"
            "CREATE TRIGGER refuse BEFORE UPDATE ON hosting_reseller_orders EXECUTE FUNCTION refuse()"
        )
        scene.site.simulator.release()
        result = scene.ended(run)
        assert f"The service accepted the order {HOSTNAME}" in result["msg"]
        assert "disk_full" in result["msg"]
        database.execute("DROP TRIGGER refuse ON hosting_reseller_orders")
        database.execute("CREATE TRIGGER refuse BEFORE INSERT ON hosting_reseller_orders EXECUTE FUNCTION refuse()")
        sent = scene.site.wire.orders
        scene.refused("disk_full", hostname="web05.example.org")
        assert (scene.site.wire.orders, scene.complaints) == (sent, [])


@pytest.fixture(scope="module")
def own_server() -> Iterator[postgresql_server.Server]:
    """A server that may be stopped; each test leaves it running."""
    with postgresql_server.start() as server:
        yield server


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_is_restarted_while_an_order_is_in_flight(
    mode: str, scene: Scene, own_server: postgresql_server.Server
) -> None:
    scene.ledger = own_server.create_database()
    run = held(scene)
    assert status(scene) == "pending"
    own_server.restart(mode)
    scene.site.simulator.release()
    result = scene.ended(run)
    assert result["changed"], result
    assert not result.get("failed"), result
    assert_once(scene)


def test_a_server_that_is_gone_when_an_order_is_to_be_recorded(
    scene: Scene, own_server: postgresql_server.Server
) -> None:
    scene.ledger = own_server.create_database()
    # Whoever waits for a lost server gives up after a while; this run is not to wait.
    scene.site.simulator.arm("hold")
    run = scene.start(fault={"patience": 0.0})
    scene.site.simulator.wait(held=1)
    own_server.stop("immediate")
    scene.site.simulator.release()
    result = scene.ended(run)
    assert f"The service accepted the order {HOSTNAME}" in result["msg"]
    assert "cannot be written" in result["msg"]
    own_server.start()
    # Its session is gone, which does not show whether it lives.
    assert status(scene) == "pending"
    (pasted,) = yaml.safe_load(result["settle_with"])
    # Its address holds a password.
    assert "ledger" not in pasted["hosting.reseller.reseller_ledger"]
    paste(scene, result["settle_with"])


# Runs that want different things


def test_two_runs_at_once_that_ask_for_different_things_under_one_name(scene: Scene) -> None:
    first = held(scene)
    second = scene.start(settings={"hostname": HOSTNAME, "template": "debian-13"})
    scene.site.simulator.release()
    assert scene.ended(first)["changed"]
    result = scene.ended(second)
    assert result["failed"]
    assert "settings.template: recorded 'debian-12', requested 'debian-13'" in result["msg"]
    assert_once(scene)


# A ledger that is taken away


def test_a_ledger_that_is_moved_away_while_an_order_is_in_flight(scene: Scene) -> None:
    run = held(scene)
    folder = Path(scene.ledger).parent
    away = folder.with_name("away")
    away.mkdir()
    files = [path for path in folder.glob("ledger.db*") if path.is_file()]
    for path in files:
        path.rename(away / path.name)
    scene.site.simulator.release()
    result = unrecorded(scene.ended(run))
    assert "was removed or replaced" in result["msg"]
    scene.refused("where this user has seen one. Nothing was sent.")
    for path in away.iterdir():
        path.rename(folder / path.name)
    assert status(scene) == "in_doubt"
    (pasted,) = yaml.safe_load(result["settle_with"])
    assert pasted["hosting.reseller.reseller_ledger"]["contract_id"] == scene.site.ordered()[HOSTNAME][0]
    scene.refused("is in doubt: the service may have accepted it. It is not sent again.")
    paste(scene, result["settle_with"])


# A clock that is wrong


#: Set back and ahead, by how many seconds.
CLOCKS = [("sqlite", -400 * 86400), ("postgresql", 400 * 86400)]


@pytest.mark.parametrize(("ledger", "off"), CLOCKS)
def test_a_clock_that_is_set_after_a_run_was_killed(off: int, ledger: Store, scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(ledger)
    run = held(scene)
    run.kill()
    assert run.result() is None
    scene.site.await_doubt(scene.ledger)
    scene.refused("in doubt", fault={"clock": off})
    scene.site.simulator.release()
    assert scene.complaints == []
    assert len(scene.site.ordered()[HOSTNAME]) == 1
