# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One trial: runs of the same orders, struck by a fault, settled, run again, and compared with the service's list."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import psycopg

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Record
from tests.faults import wire
from tests.faults.forked_task import Fork, Tasks
from tests.faults.traces import parts_of, traces, written
from tests.faults.wire import Break, Wire
from tests.simulator import data
from tests.simulator.running import Simulator

Store = Literal["sqlite", "postgresql"]
LEDGERS: tuple[Store, ...] = get_args(Store)
Kind = Literal["none", "kill", "term", "int", "drop"]
SIGNALS = {"kill": "SIGKILL", "term": "SIGTERM", "int": "SIGINT"}
#: Statuses in which the ledger owns up to an order that the service may hold.
OWNED = ("ordered", "pending", "in_doubt")
PATIENCE = 60.0
NO_HARM = ("trials", "in_doubt", "settled")
#: Where a user keeps what the collection saw and learned.
KEPT = ("state", "cache")


@dataclass(frozen=True)
class Case:
    """What happens in a trial: ``runs`` runs at once, of which the first that comes to ``point`` is struck."""

    ledger: Store
    kind: Kind
    point: str
    many: bool = False
    runs: int = 1

    @property
    def fault(self) -> str:
        return self.kind if self.kind == "none" else f"{self.kind} {self.point}"

    def __str__(self) -> str:
        module = "contracts" if self.many else "contract"
        return "-".join((self.ledger, self.fault.replace(" ", "-"), module, f"{self.runs}runs"))


@dataclass
class Tally:
    """What the trials of a case came to.

    ``untrue``: reported as ordered, and not in the service's own list. ``secrets``: secrets in anything that was
    written or returned, and contact values in what is kept. ``settled``: of those in doubt, settled by what the service
    lists; ``wrongly``: with a contract that another order bought, or nobody.
    """

    trials: int = 0
    duplicates: int = 0
    lost: int = 0
    in_doubt: int = 0
    untrue: int = 0
    secrets: int = 0
    settled: int = 0
    wrongly: int = 0

    def add(self, other: Tally) -> None:
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)

    @property
    def harm(self) -> dict[str, int]:
        """All that must be 0, and is not."""
        return {name: number for name, number in vars(self).items() if number and name not in NO_HARM}


@dataclass
class Site:
    """All that the trials of one process use: a service, the way to it, and where runs come from."""

    folder: Path
    simulator: Simulator
    wire: Wire
    tasks: Tasks
    new_database: Callable[[], str]
    _count: int = 0

    def ledger(self, kind: Store) -> str:
        """The address of a ledger that does not exist yet."""
        self._count += 1
        return str(self.folder / str(self._count) / "ledger.db") if kind == "sqlite" else self.new_database()

    def options(self, ledger: str, **more: Any) -> dict[str, Any]:
        return {
            "base_url": self.wire.url,
            "api_key": data.API_KEY,
            "organization_id": data.ORGANIZATION_ID,
            "end_user_element": self.simulator.end_user_element,
            "product_element": self.simulator.product_element,
            "ledger": ledger,
            **more,
        }

    def start(self, module: str, options: Mapping[str, Any], fault: Mapping[str, Any] | None = None) -> Fork:
        # What a ledger's user saw of it is kept apart from the person who runs the tests.
        kept = {f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in KEPT}
        return self.tasks.fork(module, options, fault=fault, environ=kept)

    def statuses(self, ledger: str) -> dict[str, Record]:
        with open_ledger(location_of(ledger, os.environ), writing=False) as opened:
            return {record.name: record for record in opened.select(Filter())}

    def let_time_pass(self, ledger: str) -> bool:
        """Let the time pass until which a request of a killed run may be under way; whether no order is in flight."""
        found = self.statuses(ledger).values()
        if unseen := [record.name for record in found if record.unseen]:
            with psycopg.connect(ledger) as connection:
                connection.execute("UPDATE hosting_reseller_orders SET deadline = '' WHERE name = ANY(%s)", [unseen])
        return not any(record.status == "pending" for record in found)

    def await_doubt(self, ledger: str) -> None:
        """Wait until no order is in flight, though their runs were killed. Raises TimeoutError."""
        deadline = time.monotonic() + PATIENCE
        # A database server needs a moment to see that a session is gone.
        while not self.let_time_pass(ledger):
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(0.01)

    def ordered(self) -> dict[str, list[str]]:
        """What the service holds: the ids of the contracts of each host name."""
        contracts: dict[str, list[str]] = {}
        for order in self.simulator.orders():
            settings = order["settings"]
            contracts.setdefault(settings.get("hostname") or settings["domain"], []).append(order["id"])
        return contracts


@dataclass
class Trial:
    """One trial of a case; ``number`` makes it a little different from the others."""

    site: Site
    case: Case
    number: int
    faults: Mapping[str, Any] = field(default_factory=dict)
    tally: Tally = field(default_factory=lambda: Tally(trials=1))
    complaints: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Do it all. Complaints say what is wrong, also with what duplicates and lost orders do not cover."""
        site, case = self.site, self.case
        site.simulator.reset()
        self.ledger = site.ledger(case.ledger)
        self.names = [f"t{self.number}-{index}.example.org" for index in range(5 if case.many else 1)]
        self.token = site.folder / f"token-{site._count}-{self.number}"
        struck = self.names[self.number % len(self.names)]
        site.wire.arm(None)
        if case.many or self.number % 2:
            # Older contracts of the same hostnames, which no order has bought.
            for name in self.names:
                site.simulator.add_contract(data.VPS_M, {"hostname": name}, age=86400.0)
        fault = dict(self.faults) or None
        if case.kind == "drop":
            point = next(point for point in wire.POINTS if point == case.point)
            site.wire.arm(Break(point, skip=self.number % len(self.names), reset=self.number % 2 == 0))
        elif case.kind != "none":
            self.token.touch()
            fault = {
                **self.faults,
                "point": case.point,
                "name": struck,
                "token": str(self.token),
                "deed": SIGNALS[case.kind],
            }
        # No answer is waited for much longer than it takes to give one.
        more: dict[str, Any] = {"order_timeout": 1.0} if case.point == "silence" else {}
        started = [self._start(index, fault, more=more) for index in range(case.runs)]
        results = self._ended(started)
        site.wire.wait_until_idle()
        self._check_struck(results)
        self._compare(results)
        self._settle()
        self._run_again()
        self._look_for_secrets(results)
        if self.complaints:
            said = [result and {key: result.get(key) for key in ("changed", "msg", "counts")} for result in results]
            self.complaints.append(f"The runs said: {said}")
        shutil.rmtree(Path(self.ledger).parent, ignore_errors=True)

    @property
    def _reads_back(self) -> bool:
        """Without a look before the order, what is in doubt is left to a person."""
        return self.number % 3 != 2

    def _ended(self, started: Sequence[Fork]) -> list[dict[str, Any] | None]:
        """The results of runs, of which some wait for what the killed one has claimed."""
        with ThreadPoolExecutor(len(started)) as pool:
            runs = [pool.submit(run.result) for run in started]
            is_killed = self.case.kind == "kill" and self.case.ledger == "postgresql"
            while wait(runs, timeout=0.1 if is_killed else None).not_done:
                if not self.token.exists():
                    self.site.let_time_pass(self.ledger)
            return [run.result() for run in runs]

    def _start(
        self,
        index: int,
        fault: Mapping[str, Any] | None = None,
        more: Mapping[str, Any] = MappingProxyType({}),
    ) -> Fork:
        site = self.site
        turned = self.names[index % len(self.names) :] + self.names[: index % len(self.names)]
        shared = {"end_user": "__self__", "product": data.VPS_M, "product_type": "vps"}
        shared["validation"] = "documented"
        if self._reads_back:
            shared["on_duplicate"], more = "ignore", {"read_back": True, **more}
        orders = [{"settings": {"hostname": name, "template": "debian-12"}} for name in turned]
        if not self.case.many:
            options = site.options(self.ledger, **shared, **orders[0], **more)
            return site.start("reseller_contract", options, fault)
        options = site.options(
            self.ledger, defaults=shared, contracts=orders, concurrency=3, on_error="continue", **more
        )
        return site.start("reseller_contracts", options, fault)

    def _check_struck(self, results: Sequence[Mapping[str, Any] | None]) -> None:
        kind = self.case.kind
        if kind == "drop" and not self.site.wire.broke:
            self.complaints.append("The connection never broke.")
        if kind in SIGNALS and self.token.exists():
            self.complaints.append("No run came to the point where it was to be struck.")
        if kind == "kill" and list(results).count(None) != 1:
            self.complaints.append("Not one run was killed.")
        for result in results:
            if result is not None and "Traceback" in json.dumps(result, default=str):
                self.complaints.append(f"A run failed without an explanation: {result}")

    def _compare(self, results: Sequence[Mapping[str, Any] | None]) -> None:
        """The service's own list against the ledger, as the runs left it."""
        contracts, recorded = self.site.ordered(), self.site.statuses(self.ledger)
        self.tally.duplicates = sum(len(ids) > 1 for ids in contracts.values())
        lost = [name for name in contracts if name not in recorded or recorded[name].status not in OWNED]
        self.tally.lost = len(lost)
        if self.tally.duplicates:
            self.complaints.append(f"Ordered twice: {[name for name in contracts if len(contracts[name]) > 1]}")
        if lost:
            self.complaints.append(f"Lost: {lost}")
        for name, record in recorded.items():
            if record.status == "ordered" and name not in contracts:
                self.complaints.append(f"Recorded as ordered, and the service does not hold it: {name}")
        wrong = untrue([result for result in results if result is not None], contracts)
        self.tally.untrue = len(wrong)
        if wrong:
            self.complaints.append(f"Reported as ordered, and the service does not hold it: {wrong}")
        placed: Counter[str] = Counter()
        for result in results:
            for each in (result or {}).get("results") or [result or {}]:
                if each.get("changed") and each.get("order"):
                    placed[each["order"]["name"]] += 1
        self.complaints += [f"{count} runs say that they placed {name}" for name, count in placed.items() if count > 1]

    def _look_for_secrets(self, results: Sequence[Mapping[str, Any] | None]) -> None:
        kept = written(self.ledger, *(self.site.folder / name for name in KEPT))
        found = traces(parts_of(data.API_KEY), [*kept, ("results", repr(results).encode())])
        self.tally.secrets = len(found)
        self.complaints += found

    def _settle(self) -> None:
        """Say of each order in doubt what the service says of it."""
        try:
            self.site.await_doubt(self.ledger)
        except TimeoutError:
            self.complaints.append("An order is still in flight, though all runs have ended.")
            return
        found = self.site.statuses(self.ledger)
        contracts = self.site.ordered()
        doubtful = [name for name, record in found.items() if record.status == "in_doubt"]
        self.tally.in_doubt += len(doubtful)
        if doubtful:
            self._reconcile(contracts)
            found = self.site.statuses(self.ledger)
        for name in doubtful:
            if found[name].status == "in_doubt":
                outcome = (
                    {"state": "ordered", "contract_id": contracts[name][0]}
                    if name in contracts
                    else {"state": "absent"}
                )
                options = {"ledger": self.ledger, "name": name, **outcome}
                settled = self.site.start("reseller_ledger", options).result()
                if not settled or settled.get("failed") or not settled["changed"]:
                    self.complaints.append(f"{name} could not be settled: {settled}")

    def _reconcile(self, contracts: Mapping[str, Sequence[str]]) -> None:
        """Let the service testify."""
        self.site.wire.arm(None)
        options = self.site.options(self.ledger)
        result = self.site.start("reseller_reconcile", options).result()
        if not result or result.get("failed"):
            self.complaints.append(f"What is in doubt could not be reconciled: {result}")
            return
        wrong = [each for each in result["settled"] if each["contract_id"] not in contracts.get(each["name"], ())]
        self.tally.settled, self.tally.wrongly = len(result["settled"]), len(wrong)
        if wrong:
            self.complaints.append(f"Settled with a contract that this order did not buy: {wrong}")

    def _run_again(self) -> None:
        self.site.wire.arm(None)
        self._again(changes=set(self.site.ordered()) != set(self.names))
        sent = self.site.wire.orders
        self._again(changes=False)
        if self.site.wire.orders != sent:
            self.complaints.append("A run that changed nothing sent an order.")
        contracts, recorded = self.site.ordered(), self.site.statuses(self.ledger)
        for name in self.names:
            if len(contracts.get(name, ())) != 1 and not self.tally.duplicates:
                self.complaints.append(f"In the end the service holds {contracts.get(name)} for {name}")
            record = recorded.get(name)
            if record is None or record.status != "ordered":
                self.complaints.append(f"In the end the ledger says of {name}: {record}")
            elif record.outcome.contract_id not in (None, *contracts.get(name, ())):
                self.complaints.append(f"The ledger has another contract for {name} than the service: {record}")

    def _again(self, *, changes: bool) -> None:
        result = self._start(0).result()
        if result is None or result.get("failed") or result["changed"] != changes:
            self.complaints.append(f"A re-run was to be changed: {changes}, and was: {result}")


def untrue(results: Sequence[Mapping[str, Any]], contracts: Mapping[str, Sequence[str]]) -> list[Any]:
    """What results report as ordered though the service does not hold it: orders, and counts that are too high."""
    ids = {contract_id for contract_ids in contracts.values() for contract_id in contract_ids}
    wrong: list[Any] = []
    for result in results:
        for each in result.get("results") or [result]:
            order = each.get("order") or {}
            claims = order and (each.get("changed") or order.get("status") == "ordered")
            if claims and order.get("contract_id") not in ids and order.get("name") not in contracts:
                wrong.append(each)
        counted = (result.get("counts") or {}).get("ordered", 0)
        if counted > len(ids):
            wrong.append(f"{counted} ordered")
    return wrong
