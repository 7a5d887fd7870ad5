# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contracts: plans many orders as a whole before it sends the first one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.interrupts import Interrupts
from .._adapter.openers import ledger_of, service_of
from .._core.errors import ApprovalError, RefusedError, ResellerError
from .._ledger.store import Ledger
from .._order.order import Order, joining
from .._order.plan import PLAN, check_plan_approval, plan_of
from .._order.planner import Planner, Step
from .._order.service import Service
from .._placing.answer_files import refuse_unwritable
from .._placing.batch import Batch, Ended, Progress
from .._placing.orders import OrderSender
from .._placing.placer import Placed, Placer, wait_for_others
from . import batch_results, order_results
from .batch_results import PART_NAMES, PartNames
from .contract import is_unclear, planner_of, requested_order, wait_in_flight
from .read_back import ReadBack


def run(context: Context) -> Result:
    """Plan all orders, and place them unless something prevents it."""
    params = context.params
    service = service_of(context, pool_size=params["concurrency"])
    ledger = ledger_of(context, writing=True)
    planner = planner_of(context, service, ledger)
    defaults = params["defaults"] or {}
    requested_orders = [requested_order(merge_options(defaults, contract)) for contract in params["contracts"]]
    steps = refuse_unwritable(batch_results.refuse_twins(planner.plan(requested_orders)))
    return order_all(context, service, ledger, planner, steps)


def order_all(
    context: Context,
    service: Service,
    ledger: Ledger,
    planner: Planner,
    steps: list[Step],
    names: PartNames = PART_NAMES,
) -> Result:
    """Place the orders of a plan unless something prevents it. Those that join a new L2VPN come last."""
    params = context.params
    read_back = ReadBack(context, service, ledger)
    # Whoever planned them looks at these steps afterwards.
    steps[:] = read_back.examined(steps)
    for warning in batch_results.warnings_of(steps):
        context.warn(warning)
    plan = plan_of(steps, service.config)
    shown: Result = {"plan": plan, "plan_digest": PLAN.digest(plan)}
    if context.diff:
        shown["diff"] = batch_results.plan_diff(steps, names)
    to_send = [index for index, step in enumerate(steps) if step.action == "order"]
    try:
        _refuse(steps, len(to_send), params, names)
        if to_send and params["approved_plan"] is not None:
            check_plan_approval(params["approved_plan"], plan, service.cache)
    except ResellerError as error:
        told = batch_results.refusal_results(shown, steps, whole_plan=isinstance(error, ApprovalError))
        error.results = {**told, **error.results}
        raise
    if context.check_mode:
        PLAN.remember(plan, service.cache)
        planned = [batch_results.step_result(step, service) for step in steps]
        return {**shown, **batch_results.summary(plan, planned), "changed": bool(to_send)}
    sender = OrderSender(service, context.job)
    placer = Placer(sender, ledger, wait_in_flight=wait_in_flight(context, service))
    results = _Placing(context, placer, planner, read_back, service, steps, names).run(to_send)
    advice = batch_results.advice_of(results)
    shown |= {**batch_results.summary(plan, results), "changed": any(result["changed"] for result in results)}
    unfinished = batch_results.unfinished_error(shown, advice, signalled=placer.pace.stopped)
    if unfinished is not None:
        raise unfinished
    return shown


def _refuse(steps: Sequence[Step], to_send: int, params: Mapping[str, Any], names: PartNames) -> None:
    """Raise RefusedError if nothing may be sent."""
    refusal = batch_results.refusal_of(steps, names, going_on=params["on_error"] == "continue")
    if refusal is not None:
        raise refusal
    most = params["max_orders"]
    if most is not None and to_send > most:
        advice = (
            "Check the ledger: a lost one makes the plan larger. Look at the plan in check mode, and raise max_orders "
            "only if the plan is right."
        )
        raise RefusedError(
            f"The plan would send {to_send} orders, but max_orders is {most}. Nothing was sent.\n{advice}",
            advice=[advice],
        )


class _Placing:
    """Sends the orders of a plan, and tells how each ended."""

    def __init__(
        self,
        context: Context,
        placer: Placer[Order],
        planner: Planner,
        read_back: ReadBack,
        service: Service,
        steps: list[Step],
        names: PartNames,
    ) -> None:
        self._context = context
        self._placer = placer
        self._planner = planner
        self._read_back = read_back
        self._service = service
        self._steps = steps
        self._names = names
        self._keep_going = context.params["on_error"] == "continue"
        self._results: dict[int, Result] = {}
        self._warnings: dict[int, str] = {}
        self._stop_announced = False
        #: Orders that this run sent, and those of which the service's list may tell more than their responses did.
        self._sent: set[int] = set()
        self._unclear: set[int] = set()
        #: Orders that another run sent, or is sending: what became of them is looked up at the end.
        self._of_others = [index for index, step in enumerate(steps) if step.in_flight and step.error is None]

    def run(self, to_send: Sequence[int]) -> list[Result]:
        """Send the orders with these indexes, wait for those that other runs are sending, and return all results.

        What is in doubt and is read back as ordered keeps no other order from being sent.
        """
        progress, waiting = Progress(len(to_send), self._context.progress), to_send
        while True:
            with self._context.signals_held(self._placer.pace.stop) as interrupts:
                last = [index for index in waiting if self._joined_of(index)]
                self._send([index for index in waiting if index not in last], progress, interrupts)
                if last and self._goes_on:
                    self._send(self._joined(last), progress, interrupts)
            settled = self._settled()
            waiting = [index for index in to_send if index not in self._results]
            if not (settled and waiting and self._goes_on):
                break
        for index, warning in sorted(self._warnings.items()):
            self._context.warn(f"{self._steps[index].name}: {warning}")
        unsent = frozenset(waiting)
        return [
            self._results.get(index)
            or (batch_results.not_sent(step) if index in unsent else batch_results.step_result(step, self._service))
            for index, step in enumerate(self._steps)
        ]

    def _settled(self) -> bool:
        """Whether the service's list of contracts settles anything that its responses left open."""
        if not self._unclear or self._placer.pace.stopped:
            return False
        unclear, self._unclear = {self._steps[index].name: index for index in self._unclear}, set()
        settled, left = self._read_back.settled([*unclear])
        for name, found in settled.items():
            index = unclear[name]
            order = self._steps[index].order
            if index in self._sent and order is not None:
                one = order_results.placed_result(found.record, order, self._service, evidence=list(found.evidence))
                self._results[index] = {"name": name, **one}
                self._warnings.pop(index, None)
            else:
                self._of_others.append(index)
        for name, why in left.items():
            index = unclear[name]
            if self._results[index].get("failed"):
                self._results[index]["msg"] += f"\n{why}"
        self._look_up_others(lambda: None)
        return bool(settled)

    @property
    def _goes_on(self) -> bool:
        failed = any(result.get("failed") for result in self._results.values())
        return not self._placer.pace.stopped and (self._keep_going or not failed)

    def _joined_of(self, index: int) -> str | None:
        """The order whose L2VPN this one joins, if that L2VPN is not known yet."""
        order = self._steps[index].order
        return order.l2vpn_of if order else None

    def _joined(self, waiting: Sequence[int]) -> list[int]:
        """Those whose L2VPN is known now, with it in their settings. What becomes of the others is told."""
        places = {step.name: place for place, step in enumerate(self._steps)}
        known = []
        for index in waiting:
            step, root = self._steps[index], self._joined_of(index) or ""
            made = self._results.get(places[root]) or batch_results.step_result(
                self._steps[places[root]], self._service
            )
            if made.get("l2vpn_id") and step.order is not None:
                order, requested = joining(step.order, made["l2vpn_id"]), joining(step.requested, made["l2vpn_id"])
                self._steps[index] = replace(step, order=order, requested=requested)
                known.append(index)
            elif (made.get("order") or {}).get("status") == "ordered" and not made.get("failed"):
                self._results[index] = batch_results.l2vpn_unknown(step, root, self._names)
        return known

    def _send(self, indexes: Sequence[int], progress: Progress, interrupts: Interrupts) -> None:
        """Send some of the orders, and wait for those that other runs are sending."""
        orders = {index: order for index in indexes if (order := self._steps[index].order) is not None}
        sent, pace = list(orders), self._placer.pace

        def on_end(position: int, ended: Ended) -> None:
            self._ended(sent[position], ended)
            progress.ended(ended.record.status if isinstance(ended, Placed) else None)

        def heartbeat() -> None:
            interrupts.check()
            if pace.stopped and batch.in_flight and not self._stop_announced:
                self._stop_announced = True
                self._context.urgent(
                    f"Stopping: nothing more is sent. The answers to {batch.in_flight} orders are waited for, so "
                    "that they can be recorded."
                )
            progress.heartbeat()

        batch = Batch(
            self._placer,
            concurrency=self._context.params["concurrency"],
            keep_going=self._keep_going,
            on_end=on_end,
            heartbeat=heartbeat,
        )
        batch.run(list(orders.values()))
        self._look_up_others(heartbeat)

    def _ended(self, index: int, ended: Ended) -> None:
        placer = self._placer
        self._results[index] = batch_results.ended_result(
            ended, self._steps[index], self._service, placer.ledger.place, placer.wait_in_flight
        )
        if not isinstance(ended, Placed):
            return
        if is_unclear(ended):
            self._unclear.add(index)
        if ended.sent is not None:
            self._sent.add(index)
            if ended.sent.warning:
                self._warnings[index] = ended.sent.warning
        elif ended.record.status == "ordered":
            self._of_others.append(index)

    def _look_up_others(self, heartbeat: Callable[[], None]) -> None:
        """Plan once more what other runs have placed: what they ordered may differ from what is asked here."""
        chosen, placer = sorted(self._of_others), self._placer
        if not chosen:
            return
        self._of_others = []
        names = [self._steps[index].name for index in chosen]
        try:
            wait_for_others(placer.ledger, names, placer.wait_in_flight, placer.pace, heartbeat)
            steps = self._planner.plan([self._steps[index].requested for index in chosen])
        except ResellerError as error:
            for index in chosen:
                self._results[index] = batch_results.failed_result(self._steps[index].name, error)
            return
        for index, step in zip(chosen, steps, strict=True):
            if step.action == "in_doubt":
                self._unclear.add(index)
            self._results[index] = batch_results.left_by_others(step, placer.wait_in_flight, self._service)


def merge_options(defaults: Mapping[str, Any], contract: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one order: its own, or the defaults of the task. Mappings are merged."""
    options: dict[str, Any] = {}
    for given in (defaults, contract):
        for name, value in given.items():
            # Most are not given, and looking at a value's type takes longer than that.
            if value is None:
                continue
            if isinstance(value, Mapping) and isinstance(options.get(name), Mapping):
                options[name] = {**options[name], **value}
            else:
                options[name] = value
    return options


TASK = Task(run)
