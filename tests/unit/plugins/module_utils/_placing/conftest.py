# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ledger, what places orders with it, one by one or many at a time, and a service that changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order
from ansible_collections.hosting.reseller.plugins.module_utils._placing.placer import Placer
from ansible_collections.hosting.reseller.plugins.module_utils._placing.pool import PlacingPool
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import OrderSender, Pace
from ansible_collections.hosting.reseller.plugins.module_utils._service.service import Service
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from tests.support.clocks import HurriedClocks
from tests.support.described import elements
from tests.support.ledgers import opened
from tests.support.order_examples import order_of

PRODUCT = "43444cec-30eb-4f99-a44d-4e7c1373723d"
CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
API_KEY = "key-0123456789"
NAME = "web01.example.org"
#: The address of a service that is not there.
NOBODY = "http://127.0.0.1:9"


def order(name: str = NAME, **settings: Any) -> Order:
    return order_of(name, {"hostname": name, "template": "debian-12", **settings})


def answering(*replies: Reply) -> ScriptedServer:
    """A server that gives one reply to an order after the other, the last for ever."""
    left = list(replies)
    return ScriptedServer(lambda request: left.pop(0) if len(left) > 1 else left[0])


def accepted(request: Received | None = None) -> Reply:
    return Reply({"id": CONTRACT}, 201)


def kept_on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("ledger.db*") if path.is_file())


class Placed(NamedTuple):
    """What the placer tells of an order."""

    record: Record
    sent: Outcome | None


class Bench:
    """Places orders through new services with one ledger and one cache, as run after run does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ledger = self.open()
        #: They stand still but for what is waited.
        self.clocks = HurriedClocks(is_stopped=True)
        self.pace = Pace(self.clocks)

    def open(self, *, writing: bool = True, clocks: Clocks | None = None) -> Ledger:
        """The ledger as another run opens it, which sees what is on the disk alone."""
        return opened(self._folder / "ledger.db", "write" if writing else "read", clocks)

    def at_look(self, number: int, clock: str, happens: Callable[[], object]) -> None:
        """Have this happen right before the run looks at a clock for the so manieth time."""
        looks = Counter[str]()

        def look(name: str) -> None:
            looks[name] += 1
            if (name, looks[name]) == (clock, number):
                happens()

        self.clocks.look = look

    def record(self, name: str = NAME) -> Record:
        return self.ledger.find([name])[name]

    def placer(
        self,
        url: str,
        ledger: Ledger | None = None,
        *,
        timeout: float = 20.0,
        job: Mapping[str, str] = MappingProxyType({}),
        **more: Any,
    ) -> Placer[Order]:
        config = ServiceConfig(url, API_KEY, "4200", timeout=timeout, order_timeout=timeout)
        service = Service(config, elements("forUser", "productUuid"), HurriedClocks())
        sender = OrderSender(service, job, None)
        return Placer(sender, ledger or self.ledger, pace=self.pace, **more)

    def place(self, url: str, wanted: Order | None = None, **options: Any) -> Placed:
        end = self.placer(url, **options).place(wanted or order())
        if end is None or end.record is None:
            raise end.error if end and end.error else AssertionError
        return Placed(end.record, end.outcome)

    def claimed_elsewhere(self) -> Ledger:
        """The ledger of another run, which has claimed the order."""
        other = self.open()
        _ended, ((_delivery, in_the_way),) = self.placer(NOBODY, other).exchange([], [order()])
        assert in_the_way is None
        return other

    def batch(self, url: str, wanted: Sequence[Order], **options: Any) -> dict[int, Record | ResellerError]:
        """How each of these orders ended that were placed three at a time, and all of them whatever fails."""
        pool = PlacingPool(self.placer(url, **options), 3, keep_going=True)
        return {at: each.record or each.error or ResellerError() for at, each in pool.place(dict(enumerate(wanted)))}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    with bench.ledger:
        yield bench
