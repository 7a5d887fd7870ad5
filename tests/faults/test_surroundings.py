# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ledger that cannot be written, is taken away, or loses its server, before an order and in the middle of one."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from tests.faults.hooks import fault_points
from tests.faults.trial import Site, Store
from tests.simulator import data
from tests.support import postgresql as postgresql_server

NAME = "web01.example.org"
#: What the kernel says of a write, and what it means.
DEEDS = {"ENOSPC": "the disk is full", "EROFS": "the file system is read-only"}


class Shop:
    """Orders the same contract again and again, and what the ledger and the service then hold."""

    def __init__(self, site: Site, ledger: str, *, many: bool = False) -> None:
        self.site, self.ledger, self.many = site, ledger, many
        self.names = [NAME, "web02.example.org", "web03.example.org"] if many else [NAME]
        site.simulator.reset()
        site.wire.arm(None)

    def start(self, fault: Mapping[str, Any] | None = None, template: str = "debian-12", **more: Any) -> Any:
        shared = {"end_user": "__self__", "product": data.VPS_M, "product_type": "vps", "validation": "documented"}
        orders = [{"settings": {"hostname": name, "template": template}} for name in self.names]
        if self.many:
            options = self.site.options(self.ledger, defaults=shared, contracts=orders, concurrency=1, **more)
            return self.site.start("fork", "reseller_contracts", options, fault)
        return self.site.start(
            "fork", "reseller_contract", self.site.options(self.ledger, **shared, **orders[0], **more), fault
        )

    def order(self, fault: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        result: dict[str, Any] | None = self.start(fault, **more).result()
        assert result is not None
        return result

    def struck(self, point: str, deed: str) -> dict[str, Any]:
        """What a run says that is struck there."""
        token = self.site.folder / "token"
        token.touch()
        result = self.order({"point": point, "name": NAME, "token": str(token), "deed": deed})
        assert not token.exists()
        return result

    def held(self) -> int:
        """How many contracts of this name the service holds."""
        return len(self.site.ordered().get(NAME, ()))

    def status(self) -> str | None:
        record = self.site.statuses(self.ledger).get(NAME)
        return record.status if record else None

    def settle(self, task: str) -> dict[str, Any]:
        """Do what a task says that was to be pasted."""
        (pasted,) = yaml.safe_load(task)
        options = {"ledger": self.ledger, **pasted["hosting.reseller.reseller_ledger"]}
        assert options["ledger"] == self.ledger
        result = self.site.start("fork", "reseller_ledger", options).result()
        assert result is not None
        assert not result.get("failed"), result
        return result


@pytest.fixture(params=[False, True], ids=["contract", "contracts"])
def many(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def shop(site: Site, many: bool) -> Shop:
    return Shop(site, site.ledger("sqlite"), many=many)


def unrecorded(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of the order, with what every outcome that could not be recorded says."""
    assert result["failed"]
    if "results" in result:
        assert result["counts"]["in_doubt"] == 1
        assert result["counts"]["not_sent"] == 2
        assert result["results"][0]["msg"].rstrip() in result["msg"]
        result = result["results"][0]
    first, contract, where, *_hint, advice, line = result["msg"].rstrip().split("\n")
    assert first == f"The service accepted the order {NAME}, but this could not be recorded."
    assert contract.startswith("Contract ID: ")
    assert where.startswith("The ledger ")
    assert advice == (
        "The order is in doubt until it is settled. When the ledger can be written again, and before anything is "
        "ordered, run this line:"
    )
    assert line.startswith(f"ansible localhost -m hosting.reseller.reseller_ledger -a 'name={NAME} state=ordered ")
    assert result["order"]["status"] == "in_doubt"
    assert result["changed"] is True
    return result


def doubted(shop: Shop) -> str:
    """What the next run says of the order in doubt: first what is wrong, then where, then what to do."""
    result = shop.order()
    assert result["failed"]
    message = str(result["results"][0]["msg"] if "results" in result else result["msg"])
    first, where, reason, advice, line = message.split("\n")
    assert first == f"Order {NAME} is in doubt: the service may have accepted it. It is not sent again."
    assert "/api/reseller/contracts, vps for __self__." in where
    assert reason.startswith("Reason: ")
    assert advice.startswith("Check the customer portal. If the contract exists, run this line.")
    assert line.startswith(f"ansible localhost -m hosting.reseller.reseller_ledger -a 'name={NAME} state=ordered ")
    return message


# Full and read-only file systems


needs_filter = pytest.mark.skipif(not fault_points.can_refuse_writes(), reason="the kernel here has no such filter")


@needs_filter
@pytest.mark.parametrize("deed", DEEDS, ids=DEEDS.get)
def test_while_an_order_is_claimed_nothing_is_sent(deed: str, shop: Shop) -> None:
    result = shop.struck("before_claim", deed)
    assert result["failed"]
    told = result["results"][0]["msg"] if shop.many else result["msg"]
    first, advice = told.rstrip().split("\n")
    assert first.startswith(f"The ledger {shop.ledger} cannot be written: ")
    assert advice.startswith(("Free some space", "Make the file, what is beside it, and its directory readable"))
    assert shop.site.wire.orders == 0
    assert shop.order()["changed"]
    assert shop.held() == 1


@needs_filter
@pytest.mark.parametrize("deed", DEEDS, ids=DEEDS.get)
def test_while_an_order_is_recorded_it_is_said_to_be_in_doubt(deed: str, shop: Shop) -> None:
    result = unrecorded(shop.struck("before_record", deed))
    assert shop.held() == 1
    assert shop.status() == "in_doubt"
    assert f"contract_id: '{shop.site.ordered()[NAME][0]}'" in result["settle_with"]
    doubted(shop)
    assert shop.held() == 1
    shop.settle(result["settle_with"])
    assert shop.status() == "ordered"
    if shop.many:
        shop.order()
    assert shop.order()["changed"] is False
    assert shop.held() == 1


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


def test_a_disk_that_is_full_before_an_order_and_during_one(site: Site, small_disk: Path) -> None:
    shop = Shop(site, str(small_disk / "ledger.db"))
    filler = fill(small_disk)
    refused = shop.order()
    assert "disk is full" in refused["msg"]
    assert "Free some space" in refused["msg"]
    assert site.wire.orders == 0
    filler.unlink()
    site.simulator.arm("hold", when="after")
    run = shop.start()
    site.simulator.wait(held=1)
    fill(small_disk)
    site.simulator.release()
    result = unrecorded(run.result())
    assert shop.status() == "in_doubt"
    doubted(shop)
    filler.unlink()
    shop.settle(result["settle_with"])
    assert shop.order()["changed"] is False
    assert shop.held() == 1
    fill(small_disk)
    shop.names = ["web02.example.org"]
    sent = site.wire.orders
    assert "Look for a full, failing or read-only disk" in shop.order()["msg"]
    assert site.wire.orders == sent


# A database that refuses


def test_a_database_that_refuses_to_record_an_order(site: Site) -> None:
    shop = Shop(site, site.ledger("postgresql"))
    shop.order()
    shop.names[:] = ["web04.example.org"]
    site.simulator.arm("hold", when="after")
    run = shop.start()
    site.simulator.wait(held=1)
    with psycopg.connect(shop.ledger, autocommit=True) as database:
        database.execute(
            "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE disk_full; END $$ LANGUAGE plpgsql;"
            "CREATE TRIGGER refuse BEFORE UPDATE ON hosting_reseller_orders EXECUTE FUNCTION refuse()"
        )
        site.simulator.release()
        result = run.result()
        assert "The service accepted the order web04.example.org" in result["msg"]
        assert "disk_full" in result["msg"]
        shop.names.append("web05.example.org")
        database.execute("DROP TRIGGER refuse ON hosting_reseller_orders")
        database.execute("CREATE TRIGGER refuse BEFORE INSERT ON hosting_reseller_orders EXECUTE FUNCTION refuse()")
        sent = site.wire.orders
        shop.names[:] = ["web05.example.org"]
        assert "disk_full" in shop.order()["msg"]
        assert site.wire.orders == sent


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgresql_server.Server]:
    """A server that may be stopped; each test leaves it running."""
    try:
        server = postgresql_server.start(tmp_path_factory.mktemp("own") / "postgresql")
    except postgresql_server.Unavailable as error:
        pytest.skip(f"needs PostgreSQL: {error}")
    with server:
        yield server


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_is_restarted_while_an_order_is_in_flight(
    mode: str, many: bool, site: Site, own_server: postgresql_server.Server
) -> None:
    shop = Shop(site, own_server.create_database(), many=many)
    site.simulator.arm("hold", when="after")
    run = shop.start()
    site.simulator.wait(held=1)
    assert shop.status() == "pending"
    own_server.restart(mode)
    site.simulator.release()
    result = run.result()
    assert result["changed"], result
    assert not result.get("failed"), result
    assert shop.status() == "ordered"
    assert shop.order()["changed"] is False
    assert shop.held() == 1


def test_a_server_that_is_gone_when_an_order_is_to_be_recorded(
    site: Site, own_server: postgresql_server.Server
) -> None:
    shop = Shop(site, own_server.create_database())
    # Whoever waits for a lost server gives up after a while; this run is not to wait.
    site.simulator.arm("hold", when="after")
    run = shop.start({"patience": 0.0})
    site.simulator.wait(held=1)
    own_server.stop("immediate")
    site.simulator.release()
    result = run.result()
    assert f"The service accepted the order {NAME}" in result["msg"]
    assert "cannot be written" in result["msg"]
    own_server.start()
    assert shop.status() == "in_doubt"
    (pasted,) = yaml.safe_load(result["settle_with"])
    assert "ledger" not in pasted["hosting.reseller.reseller_ledger"]
    settled = site.start(
        "fork", "reseller_ledger", {**pasted["hosting.reseller.reseller_ledger"], "ledger": shop.ledger}
    ).result()
    assert settled is not None
    assert settled["changed"]
    assert shop.order()["changed"] is False


# Runs that want different things


def test_two_runs_at_once_that_ask_for_different_things_under_one_name(shop: Shop) -> None:
    shop.site.simulator.arm("hold", when="after")
    first = shop.start()
    shop.site.simulator.wait(held=1)
    second = shop.start(template="debian-13")
    shop.site.simulator.release()
    assert first.result()["changed"]
    result = second.result()
    assert result["failed"]
    assert "settings.template: recorded 'debian-12', requested 'debian-13'" in result["msg"]
    assert shop.held() == 1


# A ledger that is taken away


def test_a_ledger_that_is_deleted_after_a_run_was_killed_is_missed(shop: Shop) -> None:
    token = shop.site.folder / "token"
    token.touch()
    fault = {"point": "before_record", "name": NAME, "token": str(token), "deed": "SIGKILL"}
    assert shop.start(fault).result() is None
    shop.site.wire.wait_until_idle()
    Path(shop.ledger).unlink()
    result = shop.order()
    assert result["failed"]
    assert "where this user has seen one. Nothing was sent." in result["msg"]
    assert shop.held() == 1


def test_a_ledger_that_is_moved_away_while_an_order_is_in_flight(site: Site) -> None:
    shop = Shop(site, site.ledger("sqlite"))
    site.simulator.arm("hold", when="after")
    run = shop.start()
    site.simulator.wait(held=1)
    folder = Path(shop.ledger).parent
    away = folder.with_name("away")
    away.mkdir()
    for path in folder.glob("ledger.db*"):
        if path.is_file():
            path.rename(away / path.name)
    site.simulator.release()
    result = unrecorded(run.result())
    assert "was removed or replaced" in result["msg"]
    assert "before anything is ordered" in result["msg"]
    assert "where this user has seen one. Nothing was sent." in shop.order()["msg"]
    for path in away.iterdir():
        path.rename(folder / path.name)
    shop.settle(result["settle_with"])
    assert shop.status() == "ordered"
    assert shop.order()["changed"] is False
    assert shop.held() == 1


# A clock that is wrong


#: Set back and ahead, by how many seconds.
CLOCKS = [("sqlite", -400 * 86400), ("postgresql", 400 * 86400)]


@pytest.mark.parametrize(("ledger", "off"), CLOCKS)
def test_a_clock_that_is_set_while_an_order_is_in_flight(off: int, ledger: Store, site: Site) -> None:
    shop = Shop(site, site.ledger(ledger))
    site.simulator.arm("hold", when="after")
    first = shop.start()
    site.simulator.wait(held=1)
    assert "Another run has been placing" in shop.order({"clock": off}, wait_in_flight=0)["msg"]
    second = shop.start({"clock": off})
    site.simulator.release()
    assert first.result()["changed"]
    assert second.result()["changed"] is False
    assert shop.order({"clock": off})["changed"] is False
    assert shop.held() == 1


@pytest.mark.parametrize(("ledger", "off"), CLOCKS)
def test_a_clock_that_is_set_after_a_run_was_killed(off: int, ledger: Store, site: Site) -> None:
    shop = Shop(site, site.ledger(ledger))
    site.simulator.arm("hold", when="after")
    run = shop.start()
    site.simulator.wait(held=1)
    run.kill()
    assert run.result() is None
    # A database server needs a moment to see that a session is gone: the next run waits for it.
    result = shop.order({"clock": off})
    assert "in doubt" in result["msg"]
    shop.settle(result["settle_with"]) if ledger == "sqlite" else None
    site.simulator.release()
    assert shop.held() == 1
