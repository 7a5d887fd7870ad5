# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans orders and places them, one or many: sends, waits for other runs, reads back what is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .._adapter.context import Context, Result
from .._adapter.ledger_opener import Purpose, ledger_of
from .._adapter.service_opener import service_of
from .._core.errors import Advice, ResellerError
from .._ledger.order_records import Outcome, Record
from .._order.order import EXISTING_L2VPN, Order, RequestedOrder
from .._order.plan import joining_fingerprint, plan_digest, plan_entry
from .._order.planner import Planner, Step
from .._placing.answer_files import refuse_unwritable
from .._placing.orders import OrderSender
from .._placing.placer import Placer, wait_for_others
from .._placing.sending import Delivery, Pace
from . import batch_results, order_results
from .read_back import ReadBack

if TYPE_CHECKING:
    from .._adapter.interrupts import Interrupts
    from .._contracts.contract_presence import Presence

_REQUESTED = [each.name for each in fields(RequestedOrder) if each.init]


def requested_order(options: Mapping[str, Any]) -> RequestedOrder:
    """What the options of one order ask for. What they leave out is as RequestedOrder has it."""
    given = {name: options[name] for name in _REQUESTED if options.get(name) not in (None, "")}
    return RequestedOrder(**{"end_user": "", **given})


class OrderRun:
    """The orders of one task. ``steps`` are its plan, and from then on what is known of each order.

    ``purpose`` is ``order`` if they are to be placed. ``place_of`` tells where an order stands in the task, by its
    index; ``l2vpns`` are the servers that known L2VPNs come from, by their UUIDs.
    """

    def __init__(self, context: Context, purpose: Purpose = "order") -> None:
        self._context = context
        self._keeps_going: bool = context.params.get("on_error") == "continue"
        self.service = service_of(context)
        self.ledger = ledger_of(context, purpose)
        self._planner = Planner(
            self.service,
            self.ledger,
            offline=context.check_mode,
            resolvers=context.params["nameserver_resolvers"],
        )
        self._is_planning = context.check_mode or purpose == "read"
        self._read_back = ReadBack(context, self.service, self.ledger, self._is_planning)
        self._presences: Mapping[int, Presence] = {}
        self.steps: list[Step] = []
        self.place_of: Callable[[int], str] = "contracts[{}]".format
        self.l2vpns: Mapping[str, str] = {}
        self.pace = Pace()
        #: The plan before the service's list refused any of it.
        self._planned: Sequence[Step] = ()
        self._ends: dict[int, Result | ResellerError] = {}
        #: Orders that this run sent, with what their responses warn of.
        self._sent: dict[int, str | None] = {}
        #: Orders of which the service's list may tell more than their responses did.
        self._unclear: set[int] = set()
        #: Orders that another run sent, or is sending: what became of them is looked up at the end.
        self._of_others: set[int] = set()
        self._progress: batch_results.Progress | None = None
        self._stop_announced = False

    def plan(self, requested_orders: Sequence[RequestedOrder]) -> list[Step]:
        """Plan these orders. Raises ServiceError and LedgerError."""
        self.steps = self._planned = self._planner.plan(requested_orders)
        return self.steps

    def refuse_what_is_there(self) -> list[Step]:
        """Refuse orders whose response could not be saved, and those that the service may already have.

        What the service's list refuses is no part of the plan's digest.
        What is in doubt may be settled first: a run that lost a response has not read it back yet, or it was killed.
        """
        if not self._is_planning:
            self._ends = {
                at: step.error for at, step in enumerate(self.steps) if step.action == "in_doubt" and step.error
            }
            self._unclear = {*self._ends}
            self._settled()
        self.steps = refuse_unwritable(self.steps)
        self._planned = self.steps
        self.steps = self._read_back.examined(self.steps)
        self._presences = self._read_back.presences(self.steps)
        return self.steps

    @property
    def digest(self) -> str:
        """The digest of the plan."""
        return plan_digest([*map(plan_entry, self._planned)], self.ledger)

    @property
    def told(self) -> Result:
        """The return value ``read_back``, where an order was to be sent."""
        return {"read_back": self._read_back.told} if self._read_back.told else {}

    def planned(self, index: int) -> Result | ResellerError:
        """The result of an order that is not sent, at least not yet."""
        step = self.steps[index]
        if step.error is not None:
            return step.error
        if step.action == "order" and step.order is not None:
            return order_results.placed_result(None, step.order, self.service)
        result, seen = order_results.recorded_result(step), self._presences.get(index)
        if seen is None:
            return result
        shown = dict(seen.contract.raw) if seen.contract else None
        return result | {"contract": shown, "presence": seen.presence, "why": seen.why or None}

    def joining_fingerprints(self) -> dict[str, str]:
        """The fingerprints of orders, by name, that join an L2VPN of these orders, as before its UUID was known."""
        return {
            step.name: joining_fingerprint(step.order, root)
            for step in self.steps
            if step.order and (root := self.l2vpns.get(str(step.order.settings.get(EXISTING_L2VPN)).lower()))
        }

    def place(self, to_send: Sequence[int], approval: str | None = None) -> list[Result | ResellerError | None]:
        """Send the orders with these indexes, wait for those of other runs, and return how each of all orders ended.

        ``None`` is one that the run did not reach. What is in doubt and is read back as ordered keeps no other
        order from being sent. ``approval`` is the digest of the plan that approves them.
        """
        sender = OrderSender(self.service, self._context.job, approval)
        threads = self._context.params.get("concurrency")
        self._placer = Placer(sender, self.ledger, pace=self.pace, threads=threads, keep_going=self._keeps_going)
        if threads:
            self._progress = batch_results.Progress(len(to_send), self._context.progress)
        self._of_others = {index for index, step in enumerate(self.steps) if step.action == "pending"}
        waiting = list(to_send)
        while True:
            with self._context.signals_held(self.pace.stop) as interrupts:
                last = [index for index in waiting if self.steps[index].requested.l2vpn_of]
                self._send([index for index in waiting if index not in last], interrupts)
                if last and self._goes_on:
                    self._send(self._joined(last), interrupts)
            settled = self._settled()
            waiting = [index for index in to_send if index not in self._ends]
            if not (settled and waiting and self._goes_on):
                break
        for index, warning in sorted(self._sent.items()):
            if warning:
                self._context.warn(f"{self.steps[index].name}: {warning}")
        unsent = {*waiting}
        return [
            None if index in unsent else self._ends.get(index) or self.planned(index)
            for index in range(len(self.steps))
        ]

    # Sending

    @property
    def _goes_on(self) -> bool:
        failed = any(isinstance(end, ResellerError) for end in self._ends.values())
        return not self.pace.stopped and (self._keeps_going or not failed)

    def _send(self, indexes: Sequence[int], interrupts: Interrupts) -> None:
        """Send some of the orders, and wait for those that other runs are sending."""
        orders = {index: order for index in indexes if (order := self.steps[index].order) is not None}
        progress = self._progress

        def on_end(index: int, end: Record | ResellerError, delivery: Delivery[Order] | None) -> None:
            self._ended(index, end, delivery.outcome if delivery else None)
            if progress:
                progress.ended(end.status if isinstance(end, Record) else None)

        def heartbeat() -> None:
            interrupts.check()
            if progress is None:
                return
            sending = self._placer.being_sent
            if self.pace.stopped and sending and not self._stop_announced:
                self._stop_announced = True
                self._context.urgent(
                    f"Stopping: nothing more is sent. The answers to {sending} orders are waited for, so that they "
                    "can be recorded."
                )
            progress.heartbeat()

        self._placer.place(orders, on_end, heartbeat)
        self._look_up_others(heartbeat)

    def _ended(self, index: int, end: Record | ResellerError, sent: Outcome | None) -> None:
        """Note how an order ended, and what may still be learned of it. ``sent``: how, if this run sent it."""
        order = self.steps[index].order
        if order is None:
            return
        if isinstance(end, ResellerError):
            if end.kind == "not_recorded":
                # As the ledger will show it after the run.
                end.results["order"] = {**order_results.order_planned(order), "status": "in_doubt"}
            self._ends[index] = end
            return
        outcome = end.outcome
        if sent is not None and "contracts" not in self._context.params:
            self._read_back.ended(end)
        if sent is not None and sent.status == "not_sent" and sent.error is None:
            # The run stopped before this order.
            return
        self._ends[index] = order_results.failure(end, sent, self.service) or (
            order_results.placed_result(end, order, self.service, contract=sent.body)
            if sent is not None
            else order_results.recorded_result(self.steps[index]._replace(record=end))
        )
        # An ID that the response lacked is looked for only where that is required: each order would read the list.
        without_id = sent and outcome.status == "ordered" and outcome.contract_id is None
        if outcome.status == "in_doubt" or (without_id and self._read_back.wanted):
            self._unclear.add(index)
        if sent is not None:
            self._sent[index] = sent.warning
        elif outcome.status == "ordered":
            self._of_others.add(index)

    # L2VPNs

    def _joined(self, waiting: Sequence[int]) -> list[int]:
        """Those whose L2VPN is known now, with it in their settings. The others end with an error."""
        places = {step.name: place for place, step in enumerate(self.steps)}
        known = []
        for index in waiting:
            step = self.steps[index]
            root = step.requested.l2vpn_of or ""
            made = self._ends.get(places[root]) or self.planned(places[root])
            if step.order is None or isinstance(made, ResellerError):
                continue
            if made["l2vpn_id"]:
                order = step.order.joining(made["l2vpn_id"])
                self.steps[index] = step._replace(order=order, requested=order.requested)
                known.append(index)
            elif made["order"] and made["order"]["status"] == "ordered":
                self._ends[index] = ResellerError(
                    f"{step.name} was not sent: the UUID of the L2VPN of {root} is not known.\n"
                    f"{root} is ordered, and the service's response does not hold the UUID.",
                    Advice(
                        f"Look it up in the customer portal, set l2vpn_ids to it (for {root}), and run again. "
                        "Nothing is ordered twice.",
                    ),
                    order={**order_results.order_planned(step.order), "status": "not_sent"},
                )
        return known

    # What this run does not know of itself

    def _settled(self) -> bool:
        """Whether the service's list of contracts settles anything that its responses left open."""
        if not self._unclear or self.pace.stopped:
            return False
        unclear, self._unclear = {self.steps[index].name: index for index in self._unclear}, set()
        found = self._read_back.settled([*unclear])
        for name, (record, evidence, contract) in found.items():
            index = unclear[name]
            order, end = self.steps[index].order, self._ends[index]
            if record is None:
                if isinstance(end, ResellerError) and evidence:
                    end.parts.append(" ".join(evidence))
            elif index in self._sent and order is not None:
                shown = {"contract": contract and dict(contract), "evidence": [*evidence]}
                self._ends[index] = order_results.placed_result(record, order, self.service, **shown)
                self._sent[index] = None
            else:
                self._of_others.add(index)
        self._look_up_others()
        return any(each.record for each in found.values())

    def _look_up_others(self, heartbeat: Callable[[], None] = lambda: None) -> None:
        """Plan once more what other runs have placed: what they ordered may differ from what is asked here."""
        chosen, self._of_others = sorted(self._of_others), set()
        if not chosen:
            return
        names = [self.steps[index].name for index in chosen]
        try:
            wait_for_others(self.ledger, names, self.pace, heartbeat)
            steps = self._planner.plan([self.steps[index].requested for index in chosen])
        except ResellerError as error:
            self._ends.update(dict.fromkeys(chosen, error))
            return
        for index, step in zip(chosen, steps, strict=True):
            if step.action == "in_doubt":
                self._unclear.add(index)
            self.steps[index] = step
            self._ends[index] = order_results.left_by_others(step) or self.planned(index)
