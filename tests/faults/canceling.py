# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Cancellations beside orders, struck or cut off at each step: never sent twice, and told as done only if they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.faults import forked_task
from tests.faults.forked_task import Fork
from tests.faults.scene import EARLY, HOSTNAME, SIGNALS, Kind, Row, Scene, Store
from tests.support.described import PLAIN, service_file

#: Until when a contract that is canceled to a day is shown.
LATER = "2999-12-31"
#: Where the connection of a cancellation breaks, which has no body.
BREAKS = ("unprocessed", "sent", "half_received", "silence", "page_unprocessed", "page_processed", "late")
#: What a file says of the simulator's contracts, and how one is canceled.
CONTRACTS = {
    **PLAIN,
    "ended": ["cancelled", "deleted"],
    "ends_at": "cancelledTo",
    "path": "/api/reseller/contracts",
    "next": None,
    "total": None,
}
CANCEL = {"method": "DELETE", "path": "/api/reseller/contracts/{id}"}


@dataclass(frozen=True)
class Cancellation:
    """What happens: as many ``runs`` cancel one contract, and the first that comes to ``point`` is struck."""

    kind: Kind
    point: str
    runs: int

    def order(self, scene: Scene) -> None:
        """Order two, cancel one, and cancel it again until it is canceled for sure."""
        simulator, wire = scene.site.simulator, scene.site.wire
        said = {"order": {"end_user": simulator.end_user_element, "product": simulator.product_element}}
        said = scene.life.described(**said, contracts=CONTRACTS, cancel=CANCEL)
        service = service_file(scene.folder, wire.url, **said)
        simulator.behave(cancel_until=LATER if scene.number % 2 else "")
        scene.order(EARLY)
        contract_id = scene.order()["contract_id"]
        key, allowed = f"cancel {HOSTNAME} ({contract_id}, 1)", 1

        def canceling(fault: Mapping[str, Any] | None = None, **more: Any) -> Fork:
            wanted = {"state": "absent", "service": service, "settings": {"hostname": HOSTNAME}}
            return scene.fork("reseller_contract", {**scene.whose, **wanted, **more}, fault)

        def is_canceled() -> bool:
            contracts = simulator.service.contracts
            return contract_id in contracts.removed or contract_id in contracts.cancelled

        def check(*results: Mapping[str, Any]) -> None:
            told = [each for each in results if (each.get("changed") or each.get("cancelled")) and not is_canceled()]
            scene.harm["untrue"] |= {repr(each) for each in told}
            if len(sent := simulator.requests("DELETE")) > allowed:
                scene.harm["duplicates"].add(f"{len(sent)} cancellations of {contract_id}")
            record = scene.site.statuses(scene.ledger)[HOSTNAME]
            scene.expect(not record.cancelled or is_canceled(), f"recorded as canceled: {record}")

        more: dict[str, Any] = {"timeout": 1.0} if self.point == "silence" else {}
        fault = None
        if self.kind == "drop":
            wire.arm(self.point, reset=scene.number % 2 == 0)
        elif self.kind != "none":
            fault = scene.fault(self.point, SIGNALS[self.kind], key, sends="DELETE ")
        results = scene.all_ended([canceling(fault, **more) for _run in range(self.runs)], self.kind)
        wire.wait_until_idle()
        check(*results)
        scene.expect(self.kind != "drop" or wire.broke, "The connection never broke.")
        scene.expect(not scene.token.exists(), "No run came to the point where it is struck.")
        told = sum(bool(each.get("changed")) for each in results)
        scene.expect(told == 1 if self.kind == "none" else told < 2, f"{told} runs say that they canceled it.")
        wire.arm(None)
        scene.site.let_time_pass(scene.ledger)
        result = scene.ended(canceling())
        if result.get("failed"):
            # Nobody but a person can say that it was not done.
            scene.expect("is in doubt" in result["msg"] and not is_canceled(), result)
            scene.refused("is in doubt", read_back=False)
            scene.expect(scene.tell(name=key, state="absent")["changed"])
            allowed += 1
            result = scene.ended(canceling())
        check(result)
        again = scene.ended(canceling())
        check(again)
        for each in (result, again):
            scene.expect(not each.get("failed"), f"not canceled at last: {each}")
        scene.expect(is_canceled() and not again["changed"], f"canceled twice: {again}")
        scene.expect(scene.site.statuses(scene.ledger)[HOSTNAME].cancelled, "It is not recorded as canceled.")
        scene.known(EARLY)


#: Those of the short form, and on which ledger.
_SHORT: Mapping[Cancellation, Store] = {
    Cancellation("none", "", 2): "sqlite",
    Cancellation("kill", "sent", 2): "postgresql",
    Cancellation("drop", "sent", 2): "sqlite",
}


def _rows() -> Iterator[tuple[str, Row]]:
    struck: list[tuple[Kind, str]] = [*(("kill", point) for point in forked_task.POINTS)]
    faults: list[tuple[Kind, str]] = [("none", ""), *(("drop", point) for point in BREAKS), *struck]
    alone = [Cancellation(*fault, runs=1) for fault in struck]
    for case in (*alone, *(Cancellation(*fault, runs=2) for fault in faults)):
        short = tuple({_SHORT[case]} if case in _SHORT else ())
        without = ("claim",) if case == Cancellation("kill", "sent", 1) else ()
        name = " ".join(filter(None, ("cancel", case.kind, case.point, f"{case.runs}runs")))
        kind = f"cancel {case.kind}"
        yield name, Row(case.order, short=short, without=without, trials=2, kind=kind, wanted={"is_read": True})


CANCELLATIONS: Mapping[str, Row] = dict(_rows())
