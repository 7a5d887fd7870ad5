# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service whose contracts can be read back, a ledger, and tasks run against both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Shared
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Filter,
    Outcome,
    Record,
    StoredRequest,
)
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.support.clocks import HurriedClocks
from tests.support.described import service_file
from tests.support.ledgers import claim, opened, record
from tests.support.lives import CERTAIN, Life
from tests.support.tasks import runner_for


@dataclass(frozen=True)
class Ran:
    """How a task ended: its result, and its warnings."""

    result: dict[str, Any]
    warnings: list[str]

    def __getitem__(self, key: str) -> Any:
        return self.result[key]

    @property
    def failed(self) -> bool:
        return bool(self.result.get("failed"))

    @property
    def msg(self) -> str:
        return str(self.result.get("msg", ""))

    def names(self, key: str) -> list[str]:
        """The names of the entries of a list in the result."""
        return [entry["name"] for entry in self.result[key]]


VPS = data.VPS_M
#: For tests that look at the file of a ledger, that look contracts up, that name what the simulator has for its first
#: reseller, and those of them that order for that reseller itself.
IN_FILE, IS_READ = pytest.mark.life(database=False), pytest.mark.life(is_read=True)
OF_SIMULATOR = pytest.mark.life(api_key=data.API_KEY)
FOR_OWN = pytest.mark.life(api_key=data.API_KEY, is_own=True)


def vps(hostname: str, template: str = "debian-12", **more: Any) -> dict[str, Any]:
    """A requested server, whose end user and product stand in ``more``, or in the defaults of several."""
    return {"settings": {"hostname": hostname, "template": template}, **more}


@dataclass(frozen=True)
class Bench:
    """A service and a ledger of a user, who is a certain one unless a fixture draws it."""

    service: Simulator
    folder: Path
    life: Life = CERTAIN

    @property
    def sent(self) -> int:
        """How many orders arrived, accepted or not."""
        return len(self.service.requests("POST"))

    @property
    def ids(self) -> list[str]:
        """The ids of the contracts that the service made of orders, oldest first."""
        return [order["id"] for order in self.service.orders()]

    def reads(self, path: str) -> int:
        """How many requests read a list, page by page, or anything else at this path."""
        return sum(request.path == path for request in self.service.requests("GET"))

    def add(self, hostname: str | None, product: str = VPS, end_user: str = "", **changes: Any) -> str:
        """A contract that was made in the portal."""
        settings, user = {"hostname": hostname} if hostname else {}, end_user or self.life.end_user
        shown = {"endUser": user, **changes}
        return self.service.add_contract(product, settings, end_user=user, own=self.life.own_organization, **shown)

    def lose(self, **match: Any) -> None:
        """Accept orders from now on, and answer 500."""
        self.service.arm("answer", status=500, process=True, times=-1, match={"product": VPS, **match})

    @property
    def ledger(self) -> str:
        return self.life.ledger or str(self.folder / "ledger.db")

    @property
    def path(self) -> Path:
        """The file of the ledger, of a life without a database."""
        return Path(self.ledger)

    def run(
        self,
        module: str,
        check: bool = False,
        shared: Shared | None = None,
        environ: Mapping[str, str] = MappingProxyType({}),
        clocks: HurriedClocks | None = None,
        **options: Any,
    ) -> Ran:
        runner = runner_for(self.service.base_url, self.ledger, **self.life.account)
        runner.environ, runner.shared = environ, shared
        if not self.life.is_own:
            path = service_file(self.folder / "life", self.service.base_url, **self.life.described())
            runner.options = {**runner.options, "service": path}
            runner.environ = {"RESELLER_SERVICE": path, **environ}
        runner.clocks = clocks or runner.clocks
        result = runner.run(module, options, check=check, diff=True)
        return Ran(result, runner.warnings)

    def described(self, **parts: Any) -> str:
        """The path of a file that says this of the service, and whose the orders are."""
        return service_file(self.folder, self.service.base_url, **self.life.described(**parts))

    def order(self, hostname: str | None, **options: Any) -> Ran:
        wanted = vps(hostname) if hostname else {"settings": {}}
        return self.run("reseller_contract", **{"end_user": self.life.end_user, "product": VPS, **wanted, **options})

    def web_hosting(self, name: str, **options: Any) -> Ran:
        product = {"product": data.WEBHOSTING_START, "product_type": "webhosting", "end_user": data.END_USER}
        return self.run("reseller_contract", name=name, **product, **options)

    def batch(self, *hostnames: str, check: bool = False, **options: Any) -> Ran:
        defaults = {"end_user": self.life.end_user, "product": VPS}
        given = {"defaults": defaults, "contracts": [*map(vps, hostnames)], **options}
        return self.run("reseller_contracts", check, **given)

    def lost(self, hostname: str | None, **options: Any) -> str:
        """Order something whose answer is lost, and which is not read back by itself: the id of its contract."""
        self.lose()
        lost = self.order(hostname, **{"read_back": False, **options})
        assert (lost["order"]["status"], lost["status"]) == ("in_doubt", 500)
        self.service.disarm()
        return self.ids[-1]

    def reconcile(self, **options: Any) -> Ran:
        return self.run("reseller_reconcile", **options)

    def records(self) -> dict[str, Record]:
        with opened(self.ledger, "read") as ledger:
            return {record.name: record for record in ledger.select(Filter())}

    def adopt(self, name: str, **options: Any) -> None:
        assert not self.run("reseller_record", name=name, state="present", **options).failed

    def with_another_ledger(self) -> Bench:
        folder = self.folder / "another"
        folder.mkdir(mode=0o700)
        return Bench(self.service, folder, replace(self.life, ledger=""))


CONTRACT, OTHER_CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55"
SERVICE = "https://portal.example.org"
#: What a person says of a server.
KNOWN_VPS = {"end_user": data.END_USER, "product": data.VPS_M, "product_type": "vps"}


def request(name: str, **changes: Any) -> StoredRequest:
    values: dict[str, Any] = {
        "service": SERVICE,
        "organization_id": data.ORGANIZATION_ID,
        **KNOWN_VPS,
        "product_name": "VPS M",
        "settings": {"hostname": name, "template": "debian-12"},
    }
    return StoredRequest(name, **(values | changes))


@dataclass(frozen=True)
class Desk(Bench):
    """With what a person does to the ledger."""

    def leave_in_doubt(self, *requests: StoredRequest) -> None:
        """A run claims these orders and ends."""
        with opened(self.ledger) as ledger:
            assert claim(ledger, requests) == [None] * len(requests)

    def leave(self, requested: StoredRequest, outcome: Outcome) -> None:
        """A run claims this order, and it ends so."""
        with opened(self.ledger) as ledger:
            claim(ledger, [requested])
            record(ledger, requested.name, outcome)

    def leave_ordered(self, name: str, contract_id: str | None = CONTRACT, **changes: Any) -> None:
        self.leave(request(name, **changes), Outcome("ordered", contract_id=contract_id))

    def settle(self, name: str, state: str = "present", *, check: bool = False, **options: Any) -> Ran:
        return self.run("reseller_record", check, name=name, state=state, **options)

    def buy(self, **options: Any) -> Ran:
        return self.run("reseller_contract", **options)

    def info(self, **filters: Any) -> Ran:
        return self.run("reseller_ledger_info", **filters)

    def held(self) -> dict[str, tuple[str, str | None]]:
        return {name: (record.status, record.outcome.contract_id) for name, record in self.records().items()}


@pytest.fixture
def desk(start_simulator: SimulatorFactory, tmp_path: Path, life: Life) -> Desk:
    return Desk(start_simulator("plain"), tmp_path, life)


@pytest.fixture
def bench(start_simulator: SimulatorFactory, tmp_path: Path, life: Life) -> Bench:
    return Bench(start_simulator("plain"), tmp_path, life)


@pytest.fixture
def paged(start_simulator: SimulatorFactory, tmp_path: Path, life: Life) -> Bench:
    """The service's lists have pages of ten."""
    return Bench(start_simulator("apiplatform"), tmp_path, life)


@pytest.fixture
def plain_service(start_simulator: SimulatorFactory, tmp_path: Path, life: Life) -> Bench:
    """The service publishes no list."""
    return Bench(start_simulator("plain", no_contracts=True), tmp_path, life)


@pytest.fixture
def controlled(bench: Bench) -> Bench:
    """With two contracts whose ids the ledger knows."""
    for hostname in ("control1.example.org", "control2.example.org"):
        assert bench.order(hostname)["changed"]
    return bench
