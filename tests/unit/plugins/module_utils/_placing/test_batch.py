# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many orders at a time, on real sockets and a real ledger: what is claimed and recorded, and when."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.cache import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, UnrecordedError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import rows
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import Order, Target
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service, ServiceOptions
from ansible_collections.hosting.reseller.plugins.module_utils._placing.batch import Batch, Ended
from ansible_collections.hosting.reseller.plugins.module_utils._placing.orders import OrderSender
from ansible_collections.hosting.reseller.plugins.module_utils._placing.placer import Placed, Placer
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from tests.support.evolving_service import EvolvingService
from tests.support.http_server import Received, Reply, ScriptedServer

TARGET = Target("43444cec-30eb-4f99-a44d-4e7c1373723d", "VPS M", PRODUCT_TYPES["vps"])


def orders(count: int) -> list[Order]:
    names = [f"web{number}.example.org" for number in range(count)]
    return [Order(name, "__self__", TARGET, {"hostname": name, "template": "debian-12"}, {}) for name in names]


class Bench:
    """Places orders with the ledger of a folder, of which others see what is on the disk alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ended: dict[int, Ended] = {}

    def open(self, *, writing: bool = False) -> Ledger:
        return open_ledger(location_of(str(self._folder / "ledger.db"), {}), writing=writing)

    def statuses(self) -> dict[str, str]:
        with self.open() as ledger:
            return {record.name: record.status for record in ledger.select(Filter())}

    def ordered(self) -> set[int]:
        """Which orders ended well."""
        return {
            index
            for index, ended in self.ended.items()
            if isinstance(ended, Placed) and ended.record.status == "ordered"
        }

    def run(self, wanted: list[Order], answer: Callable[[str], Reply]) -> None:
        def script(request: Received) -> Reply:
            return answer(json.loads(request.body)["settings"]["hostname"])

        with ScriptedServer(script) as server:
            self.place(server.url, wanted, ServiceOptions("forUser", "productUuid"))

    def place(self, url: str, wanted: list[Order], options: ServiceOptions) -> None:
        with self.open(writing=True) as ledger:
            config = ServiceConfig(url, "key-0123456789", "4200", timeout=20.0)
            service = Service(config, Cache(self._folder / "cache"), options, pool_size=3)
            batch = Batch(
                Placer(OrderSender(service), ledger, wait_in_flight=0.0),
                concurrency=3,
                keep_going=True,
                on_end=self.ended.__setitem__,
                heartbeat=lambda: None,
            )
            batch.run(wanted)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_no_more_orders_are_pending_than_are_being_sent(bench: Bench) -> None:
    pending: list[int] = []

    def answer(name: str) -> Reply:
        statuses = bench.statuses()
        assert statuses[name] == "pending"
        pending.append([*statuses.values()].count("pending"))
        return Reply({"id": f"c-{name}"}, 201)

    bench.run(orders(12), answer)
    assert len(pending) == 12
    assert max(pending) <= 3
    assert set(bench.statuses().values()) == {"ordered"}
    assert bench.ordered() == set(range(12))


def test_orders_in_an_outdated_shape_are_placed_in_the_new_one(bench: Bench) -> None:
    service = EvolvingService()
    with ScriptedServer(service) as server:
        bench.place(server.url, orders(1), ServiceOptions())
        service.names = ("customer", "item")
        bench.place(server.url, orders(13)[1:], ServiceOptions())
        sent = ["customer" in json.loads(request.body) for request in server.requests if request.method == "POST"][1:]
    assert bench.ordered() == set(range(12))
    # No more than were being sent when the first one was rejected.
    assert 1 <= sent.count(False) <= 3
    assert sent.count(True) == 12


def test_outcome_that_cannot_be_recorded_keeps_no_other_from_being(bench: Bench) -> None:
    together = threading.Barrier(3)

    def answer(name: str) -> Reply:
        together.wait(20.0)
        if name == "web1.example.org":
            with bench.open(writing=True) as other:
                # The claim of this order is in another run's hands now.
                other._run_id = other.find([name])[name].run_id  # type: ignore[attr-defined]
                other.record(name, Outcome("ordered", contract_id="c-elsewhere"))
        return Reply({"id": f"c-{name}"}, 201)

    bench.run(orders(3), answer)
    assert isinstance(bench.ended[1], UnrecordedError)
    assert bench.ordered() == {0, 2}


def test_error_in_a_thread_leaves_no_outcome_unrecorded(bench: Bench) -> None:
    wanted = orders(3)
    wanted[1] = replace(wanted[1], additional_elements={"note": float("nan")})
    with pytest.raises(ValueError, match="JSON compliant"):
        bench.run(wanted, lambda name: Reply({"id": f"c-{name}"}, 201))
    assert [*bench.statuses().values()] == ["ordered", "not_sent", "ordered"]


def test_ledger_that_was_moved_takes_no_claim_and_still_the_outcomes(bench: Bench) -> None:
    def answer(name: str) -> Reply:
        other: Any = bench.open(writing=True)
        with other:
            other._run(lambda each: rows.write_meta(each, "moved_to", "postgresql://elsewhere"), writing=True)
        return Reply({"id": f"c-{name}"}, 201)

    bench.run(orders(20), answer)
    assert {name: status for name, status in bench.statuses().items() if status != "ordered"} == {}
    assert bench.ordered() == {0, 1, 2}
    error = bench.ended[3]
    assert isinstance(error, LedgerError)
    assert "was moved to" in error.message
    # Nothing goes on without a ledger, also where the others are to be placed after a failure.
    assert len(bench.ended) <= 6
