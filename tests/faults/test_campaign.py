# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Never twice, never lost, nothing reported that was not placed, no secret shown: whatever stops or surrounds a run.

Runs are killed and cut off at every point of the protocol, alone and many at once, and order in all kinds of
surroundings (around.py). By default a short form, a case of everything; ``--full`` runs all rows, ``--trials N`` each
of them N times.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any, get_args

import pytest

from playbooks.files.simulator import data
from tests.faults import forked_task, wire
from tests.faults.around import SURROUNDINGS
from tests.faults.canceling import CANCELLATIONS
from tests.faults.conftest import RESULT
from tests.faults.forked_task import Fork
from tests.faults.scene import HARMS, SIGNALS, VPS, Kind, Row, Scene, Store

LEDGERS: tuple[Store, ...] = get_args(Store)


@dataclass(frozen=True)
class Case:
    """What happens in a trial: ``runs`` runs at once, of which the first that comes to ``point`` is struck."""

    kind: Kind
    point: str
    many: bool
    runs: int

    def __str__(self) -> str:
        return f"{self.kind} {self.point} {'contracts' if self.many else 'contract'} {self.runs}runs"

    def order(self, scene: Scene) -> None:
        Trial(scene, self).run()


@dataclass
class Trial:
    """One trial of a case; the number of its scene makes it a little different from the others."""

    scene: Scene
    case: Case

    def run(self) -> None:
        """Do it all. Complaints say what is wrong, also with what duplicates and lost orders do not cover."""
        scene, case, number = self.scene, self.case, self.scene.number
        self.names = [f"t{number}-{index}.example.org" for index in range(5 if case.many else 1)]
        struck = number % len(self.names)
        has_older = case.many or number % 2
        # Older contracts of the same hostnames, which no order has bought.
        whose: dict[str, Any] = {**scene.whose, "own": scene.life.own_organization}
        add = scene.site.simulator.add_contract
        self.older = [add(data.VPS_M, {"hostname": name}, age=86400.0, **whose) for name in self.names if has_older]
        fault = None
        if case.kind == "drop":
            scene.site.wire.arm(case.point, skip=struck, reset=number % 2 == 0)
        elif case.kind != "none":
            fault = scene.fault(case.point, SIGNALS[case.kind], self.names[struck])
        # No answer is waited for much longer than it takes to give one.
        more: dict[str, Any] = {"timeout": 1.0} if case.point == "silence" else {}
        results = scene.all_ended([self._start(index, fault, **more) for index in range(case.runs)], case.kind)
        scene.site.wire.wait_until_idle()
        scene.audit(all_known=True)
        self._check_struck(results)
        self._compare(results)
        self._settle()
        self._run_again()
        if scene.wrong:
            said = [{key: result.get(key) for key in ("changed", "msg", "counts")} for result in results]
            scene.complaints.append(f"The runs said: {said}")

    def _start(self, index: int, fault: Mapping[str, Any] | None = None, **more: Any) -> Fork:
        turned = self.names[index % len(self.names) :] + self.names[: index % len(self.names)]
        shared: dict[str, Any] = {**VPS, **self.scene.whose}
        # By default, where that is required, and never: then, what is in doubt is left to a person.
        read_back = (None, True if self.scene.life.is_read else None, False)[self.scene.number % 3]
        more = {"read_back": read_back, **more}
        if read_back is not False and self.scene.life.is_read:
            shared["allow_second"] = self.older
        orders = [{"settings": {"hostname": name, "template": "debian-12"}} for name in turned]
        if not self.case.many:
            return self.scene.fork("reseller_contract", {**shared, **orders[0], **more}, fault=fault)
        batch = {"defaults": shared, "contracts": orders, "concurrency": 3, "on_error": "continue"}
        return self.scene.fork("reseller_contracts", {**batch, **more}, fault=fault)

    def _check_struck(self, results: Sequence[Mapping[str, Any]]) -> None:
        expect, kind = self.scene.expect, self.case.kind
        expect(kind != "drop" or self.scene.site.wire.broke, "The connection never broke.")
        expect(kind not in SIGNALS or not self.scene.token.exists(), "No run came to the point where it is struck.")
        expect(kind != "kill" or sum("killed" in each for each in results) == 1, "Not one run was killed.")
        expect(kind != "none" or not any(each.get("failed") for each in results), "A run failed that nothing struck.")

    def _compare(self, results: Sequence[Mapping[str, Any]]) -> None:
        """The service's own list against the ledger, and against what each run says that it placed."""
        contracts, recorded = self.scene.site.ordered(), self.scene.site.statuses(self.scene.ledger)
        ordered = {name for name, record in recorded.items() if record.status == "ordered"}
        self.scene.expect(ordered <= contracts.keys(), f"The service does not hold {ordered - contracts.keys()}.")
        reported = [each for result in results for each in result.get("results") or [result]]
        orders: list[Mapping[str, Any]] = [each.get("order") or {} for each in reported]
        told = {(order.get("name"), order.get("contract_id")) for order in orders}
        self.scene.expect(self.case.kind != "none" or len(told) == len(self.names), f"Runs differ: {told}")
        placed = Counter(each["order"]["name"] for each in reported if each.get("changed") and each.get("order"))
        self.scene.expect(placed.keys() <= ordered, f"Not recorded as ordered: {placed.keys() - ordered}.")
        self.scene.expect(max(placed.values(), default=0) < 2, f"Several runs say that they placed one: {placed}")

    def _settle(self) -> None:
        """Say of each order in doubt what the service says of it."""
        scene = self.scene
        # A run that was not killed has ended what it claimed.
        scene.expect(self.case.kind == "kill" or not scene.site.pending(scene.ledger), "An order is still pending.")
        scene.site.let_time_pass(scene.ledger)
        if not scene.in_doubt():
            return
        # The service testifies first.
        scene.site.wire.arm(None)
        contracts = scene.site.ordered()
        result = scene.ended(scene.fork("reseller_reconcile", {}))
        scene.expect(not result.get("failed"))
        settled = result.get("settled", [])
        wrong = [each for each in settled if each["contract_id"] not in contracts.get(each["name"], ())]
        scene.expect(not wrong, f"settled with a contract that another order bought, or nobody: {wrong}")
        scene.settled += len(settled)
        for name in scene.in_doubt():
            scene.settle(name)

    def _run_again(self) -> None:
        site, expect = self.scene.site, self.scene.expect
        site.wire.arm(None)
        self._again(changes=set(site.ordered()) != set(self.names))
        sent = site.wire.orders
        self._again(changes=False)
        expect(site.wire.orders == sent, "A run that changed nothing sent an order.")
        contracts, recorded = site.ordered(), site.statuses(self.scene.ledger)
        for name in self.names:
            held, record = contracts.get(name, []), recorded.get(name)
            expect(len(held) == 1, f"In the end the service holds {held} for {name}")
            known = record is not None and record.status == "ordered" and record.outcome.contract_id in (None, *held)
            expect(known, f"In the end the ledger says of {name}: {record}; the service holds {held}")

    def _again(self, *, changes: bool) -> None:
        result = self.scene.ended(self._start(0))
        expected = not result.get("failed") and result.get("changed") == changes
        self.scene.expect(expected, f"A re-run was to be changed: {changes}, and was: {result}")


# All rows

FAULTS: list[tuple[Kind, str]] = [
    *(("kill", point) for point in forked_task.POINTS),
    *(("drop", point) for point in wire.POINTS),
]
STOPS: list[tuple[Kind, str]] = [(kind, point) for kind in ("term", "int") for point in forked_task.POINTS]
#: Cases that show that a protection is missing.
WITHOUT = {
    Case("kill", "sent", many=False, runs=1): ("claim",),
    Case("kill", "received", many=False, runs=1): ("claim",),
    Case("kill", "before_record", many=False, runs=1): ("claim",),
    Case("none", "", many=False, runs=1): ("record",),
    Case("none", "", many=True, runs=8): ("claim",),
}


def short_cases() -> dict[Case, set[Store]]:
    """Every fault with all numbers of runs and both modules in turn, on one ledger in turn."""
    runs, many, ledgers = cycle((1, 2, 1, 4)), cycle((False, True, True, False, False)), cycle(LEDGERS)
    found: dict[Case, set[Store]] = defaultdict(set)
    for kind, point in FAULTS:
        found[Case(kind, point, next(many), next(runs))].add(next(ledgers))
    found[Case("none", "", many=True, runs=4)] = {*LEDGERS}
    return found


def rows() -> Iterator[tuple[str, Row]]:
    """All cases and surroundings."""
    short = short_cases()
    cases = [Case(*fault, *how) for fault in (("none", ""), *FAULTS) for how in product((False, True), (1, 2, 4, 8))]
    stops = [Case(*fault, many, runs=2) for fault in STOPS for many in (False, True)]
    for case in (*cases, *stops):
        trials = 2 if case in stops else 4
        yield str(case), Row(case.order, LEDGERS, (*short[case],), WITHOUT.get(case, ()), trials, case.kind)
    yield from SURROUNDINGS.items()
    yield from CANCELLATIONS.items()


def params(*, of_mutants: bool) -> Iterator[object]:
    """Each row on each of its ledgers, or without each of its protections: in the short form, the first of a kind."""
    tried: set[tuple[str, str]] = set()
    for name, row in rows():
        for store, without in product(row.stores, row.without if of_mutants else ("",)):
            is_short = (row.kind, without) not in tried if of_mutants else store in row.short
            tried.add((row.kind, without))
            marks = [] if is_short else [pytest.mark.full]
            text = " ".join((store, name, *(["without", without] if without else [])))
            yield pytest.param(row, store, without, id="-".join(text.split()), marks=marks)


@pytest.mark.parametrize(("row", "store", "without"), list(params(of_mutants=False)))
def test_no_order_is_placed_twice_lost_or_invented_and_no_secret_shown(
    row: Row,
    store: Store,
    without: str,
    scene_of: Callable[..., Scene],
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    option: Callable[..., int] = request.config.getoption
    counts, wrong = dict.fromkeys(("trials", "in doubt", *HARMS), 0), []
    for number in range(option("trials", 0) or (row.trials if option("full", False) else 1)):
        scene = scene_of(row, store, number, without)
        row.order(scene)
        scene.audit()
        counts["trials"] += 1
        counts["in doubt"] += scene.settled
        for harm in HARMS:
            counts[harm] += len(scene.harm[harm])
        wrong += scene.wrong
        shutil.rmtree(scene.folder, ignore_errors=True)
    record_property(RESULT, (store, row.kind, counts))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("row", "store", "without"), list(params(of_mutants=True)))
def test_the_campaign_sees_a_protection_that_is_missing(
    row: Row, store: Store, without: str, scene_of: Callable[..., Scene]
) -> None:
    # Runs that happen to follow one another order once in any case.
    for number in range(10):
        scene = scene_of(row, store, number, without)
        row.order(scene)
        scene.audit()
        if scene.wrong:
            return
    raise AssertionError(f"this does not need {without}")
