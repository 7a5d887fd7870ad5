# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans orders and places them, one or many: sends, waits for other runs, reads back what is in doubt."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from .._adapter.context import Context, Result
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import known_ids
from .._core.errors import Advice, ResellerError
from .._ledger.ledger_errors import waiting_line
from .._ledger.order_records import Outcome, Record
from .._ledger.transaction import Transaction
from .._orders.approval import Approval, spent_error
from .._orders.order import Order, RequestedOrder, Step
from .._orders.order_results import order_planned, placed_result, recorded_result
from .._orders.plan import plan_digest, plan_entry, why_not_approvable
from .._orders.planner import Planner
from .._placing.placer import End, Placer, wait_for_others
from .._placing.sending import OrderSender, Pace
from .read_back import ReadBack
from .run_results import failure, left_by_others

#: Seconds between two lines of progress.
PERIOD = 5.0
_REQUESTED = [each.name for each in fields(RequestedOrder) if each.init]


def requested_order(options: Mapping[str, Any]) -> RequestedOrder:
    """Return the order that these options request. What they leave out is as RequestedOrder has it."""
    given = {name: options[name] for name in _REQUESTED if options.get(name) not in (None, "")}
    return RequestedOrder(**{"end_user": "", **given})


@dataclass
class RunOrder:
    """One order of a run: its step of the plan, and how it ended (``None``: it was not reached, or is not sent).

    ``looked_up`` are result values of a recorded one that was looked up. ``sent`` is how the sending ended, if this run
    sent it. ``is_unclear``: the service's list may tell more than the response did. ``is_of_others``: another run sent
    it, or is sending it, and how that ended is planned anew.
    """

    step: Step
    looked_up: dict[str, Any] = field(default_factory=dict)
    end: Result | ResellerError | None = None
    sent: Outcome | None = None
    is_unclear: bool = False
    is_of_others: bool = False


class OrderRun:
    """The ``orders`` of one task.

    ``place_of`` tells where an order stands in the task, by its index.
    """

    def __init__(self, context: Context, place_of: Callable[[int], str] = "contracts[{}]".format) -> None:
        self._context = context
        self.keeps_going: bool = context.params.get("on_error") == "continue"
        self.service = service_of(context)
        self.ledger = ledger_of(context, "order")
        self._planner = Planner(
            self.service,
            self.ledger,
            check_mode=context.check_mode,
            resolvers=self.service.described.get("nameserver_resolvers"),
        )
        self.read_back = ReadBack(self.service, self.ledger, context.params, context.warn, context.check_mode)
        self.orders: list[RunOrder] = []
        self.l2vpns: Mapping[str, str] = {}
        self.place_of = place_of
        self.pace = Pace()
        #: How often each name was claimed when it was planned, where a plan was made.
        self._numbers: Mapping[str, int] = {}
        self._to_send: Sequence[int] = ()
        self._reported_at = 0.0
        self._stop_announced = False

    @property
    def steps(self) -> list[Step]:
        """The plan, and from placing on what is known of each order."""
        return [each.step for each in self.orders]

    def plan(
        self,
        requested_orders: Sequence[RequestedOrder],
        check: Callable[[list[Step]], list[Step]] = list,
        l2vpns: Mapping[str, str] = MappingProxyType({}),
    ) -> list[Step]:
        """Plan these orders, of which ``check`` may refuse more. Raises ServiceError and LedgerError.

        ``l2vpns`` are the servers that known L2VPNs come from, by their UUIDs.
        """
        self.l2vpns = l2vpns
        wanted = [self.for_end_user(each) for each in requested_orders]
        self.orders = [RunOrder(step) for step in check(self._planner.plan(wanted))]
        return self.steps

    def for_end_user(self, requested: RequestedOrder) -> RequestedOrder:
        """Return an order with what the service's file says of its end user: UUID, organization and the most RAM."""
        described = self.service.described
        known, most = described.end_user(requested.end_user), described.most_ram(requested.end_user)
        if known is not None:
            requested = replace(requested, end_user=known.id, end_user_organization_id=known.organization_id)
        return requested if most is None else replace(requested, org_max_ram=most)

    def refuse_what_is_there(self) -> list[Step]:
        """Refuse orders that the service may already have.

        What is in doubt may be settled first: a run that lost a response has not read it back yet, or it was killed.
        """
        if not self._context.check_mode:
            for each in self.orders:
                if each.step.action == "in_doubt":
                    each.end, each.is_unclear = each.step.error, True
            self._settled()
        steps = self.read_back.examined(self.read_back.without_standing(self.steps))
        looked_up = self.read_back.looked_up(steps)
        for index, each in enumerate(self.orders):
            each.step, each.looked_up = steps[index], looked_up.get(index, {})
        return steps

    def shown_plan(self) -> tuple[list[dict[str, Any]], str | None]:
        """Return the entries of the plan as they are shown, and its digest; ``None`` where it cannot be approved."""
        names = [step.name for step in self.steps]
        self._numbers = self.ledger.numbers(names)
        plan = [plan_entry(step, self._numbers[step.name], self.l2vpns) for step in self.steps]
        for entry in plan:
            entry["end_user_name"] = self.service.described.name_of(entry["end_user"])
        return plan, None if why_not_approvable(self.steps) else plan_digest(plan, self.ledger)

    def refuse_spent(self, approval: Approval) -> None:
        """Refuse what was claimed under this approval before, and has no record any more."""
        for each in self.orders:
            if each.step.name in approval.spent:
                each.step = each.step.refused(spent_error(each.step.name))

    def planned(self, one: RunOrder) -> Result | ResellerError:
        """Return the result of an order that is not sent, at least not yet."""
        step = one.step
        if step.error is not None:
            return step.error
        if step.action == "order" and step.order is not None:
            return placed_result(None, step.order, self.service)
        return recorded_result(step, one.looked_up)

    def place(self, to_send: Sequence[int], approval: str | None = None) -> list[Result | ResellerError | None]:
        """Send the orders with these indexes, wait for those of other runs, and return how each of all orders ended.

        ``None`` is one that the run did not reach. What is in doubt and is read back as ordered keeps no other
        order from being sent. ``approval`` is the digest of the plan that approves them.
        """
        orders = [each.order for each in self.steps if each.order]
        known = {*(self.ledger.read(Transaction.known_ids) if to_send else ()), *known_ids(self.service)}
        known |= {each for order in orders for each in (order.end_user, order.product)}
        sender = OrderSender(self.service, self._context.job, approval, self._numbers, known)
        threads = self._context.params.get("concurrency")
        self._placer = Placer(
            sender,
            self.ledger,
            pace=self.pace,
            threads=threads,
            keep_going=self.keeps_going,
            heartbeat=self._heartbeat,
            on_wait=self._waits,
            renewed=self._renewed,
        )
        self._to_send, self._reported_at = to_send, time.monotonic()
        for each in self.orders:
            each.is_of_others = each.step.action == "pending"
        waiting = list(to_send)
        while True:
            with self._context.signals_held(self.pace.stop):
                last = [index for index in waiting if self.orders[index].step.requested.l2vpn_of]
                self._send([index for index in waiting if index not in last])
                if last and self._goes_on:
                    self._send(self._joined(last))
            settled = self._settled()
            waiting = [index for index in to_send if self.orders[index].end is None]
            if not (settled and waiting and self._goes_on):
                break
        for each in self.orders:
            if each.sent and each.sent.warning:
                self._context.warn(f"{each.step.name}: {each.sent.warning}")
        unsent = {*waiting}
        return [None if at in unsent else each.end or self.planned(each) for at, each in enumerate(self.orders)]

    # Sending

    @property
    def _goes_on(self) -> bool:
        failed = any(isinstance(each.end, ResellerError) for each in self.orders)
        return not self.pace.stopped and (self.keeps_going or not failed)

    def _send(self, indexes: Sequence[int]) -> None:
        """Send some of the orders, and wait for those that other runs are sending."""
        orders = {index: order for index in indexes if (order := self.orders[index].step.order) is not None}
        with closing(self._placer.place(orders)) as ends:
            for end in ends:
                self._ended(end)
        self._look_up_others(self._heartbeat)

    def _renewed(self, indexes: Sequence[int], is_outdated: bool) -> dict[int, Order | ResellerError]:
        """Return orders that are about to be claimed as a list shows that was read anew, or the error of each."""
        steps = {each: self.orders[each].step for each in indexes}
        found = self.read_back.renewed(steps, is_outdated=is_outdated)
        for index, step in found.items():
            self.orders[index].step = step
        return {index: made for index, step in found.items() if (made := step.error or step.order) is not None}

    def _heartbeat(self) -> None:
        """Stop with the parent process, and report the progress of many orders."""
        self._context.check_parent(self.pace.stop)
        if "concurrency" not in self._context.params:
            return
        sending, now = len(self._placer.sending), time.monotonic()
        if self.pace.stopped and sending and not self._stop_announced:
            self._stop_announced = True
            self._context.urgent(
                f"Stopping: nothing more is sent. The answers to {sending} orders are waited for, so that they can be "
                "recorded."
            )
        if self._to_send and now - self._reported_at >= PERIOD:
            self._reported_at = now
            ended = sum(self.orders[index].end is not None for index in self._to_send)
            in_doubt = sum(each.is_unclear for each in self.orders)
            self._context.progress(f"{ended}/{len(self._to_send)} orders, {in_doubt} in doubt")

    def _waits(self, pending: Sequence[Record]) -> None:
        self._context.progress(waiting_line(pending))

    def _ended(self, end: End) -> None:
        """Note how an order ended, and what may still be learned of it."""
        one, record, sent = self.orders[end.at], end.record, end.outcome
        if record is None:
            one.end = end.error
            if one.end and one.end.kind == "not_recorded" and one.step.order:
                # As the ledger will show it after the run.
                one.end.results["order"] = order_planned(one.step.order, "in_doubt")
            return
        one.is_of_others = sent is None and record.status == "ordered"
        if sent is None or one.step.order is None:
            one.end, one.is_unclear = failure(record, None), record.status == "in_doubt"
            return
        if sent.status == "not_sent" and sent.error is None:
            # The run stopped before this order.
            return
        one.end = failure(record, sent) or placed_result(record, one.step.order, self.service, contract=sent.body)
        # An ID that the response lacked is looked for only where that is required: each order would read the list.
        without_id = record.status == "ordered" and record.outcome.contract_id is None
        one.is_unclear = record.status == "in_doubt" or (without_id and bool(self.read_back.wanted))
        one.sent = sent

    # L2VPNs

    def _joined(self, waiting: Sequence[int]) -> list[int]:
        """Return those whose L2VPN is known now, with it in their settings. The others end with an error."""
        by_name = {each.step.name: each for each in self.orders}
        known = []
        for index in waiting:
            one = self.orders[index]
            step, root = one.step, one.step.requested.l2vpn_of or ""
            made = by_name[root].end or self.planned(by_name[root])
            if step.order is None or isinstance(made, ResellerError):
                continue
            if made["l2vpn_id"]:
                one.step = step.joining(made["l2vpn_id"])
                known.append(index)
            elif made["order"] and made["order"]["status"] == "ordered":
                one.end = ResellerError(
                    f"{step.name} was not sent: the UUID of the L2VPN of {root} is not known.\n"
                    f"{root} is ordered, and the service's response does not hold the UUID.",
                    Advice(
                        f"Look it up in the customer portal, set l2vpn_ids to it (for {root}), and run again. "
                        "Nothing is ordered twice.",
                    ),
                    order=order_planned(step.order, "not_sent"),
                )
        return known

    # What this run does not know of itself

    def _settled(self) -> bool:
        """Return whether the service's list of contracts settles anything that its responses left open."""
        unclear = {each.step.name: each for each in self.orders if each.is_unclear}
        if not unclear or self.pace.stopped:
            return False
        for one in unclear.values():
            one.is_unclear = False
        found = self.read_back.settled([*unclear])
        for name, (record, evidence, contract) in found.items():
            one = unclear[name]
            if record is None:
                if isinstance(one.end, ResellerError) and evidence:
                    # What is known of it, and a line that is missing, stands before what a person looks up.
                    parts = one.end.parts
                    by_hand = next((at for at, part in enumerate(parts) if isinstance(part, Advice)), len(parts))
                    parts.insert(by_hand, " ".join(evidence))
            elif one.sent is not None and one.step.order is not None:
                shown = {"contract": contract and dict(contract), "evidence": [*evidence]}
                one.end = placed_result(record, one.step.order, self.service, **shown)
                one.sent = record.outcome
            else:
                one.is_of_others = True
        self._look_up_others()
        return any(each.record for each in found.values())

    def _look_up_others(self, heartbeat: Callable[[], None] = lambda: None) -> None:
        """Plan once more what other runs have placed: what they ordered may differ from what is requested here."""
        chosen = [each for each in self.orders if each.is_of_others]
        if not chosen:
            return
        for each in chosen:
            each.is_of_others = False
        try:
            if pending := [each.step.record for each in chosen if each.step.action == "pending" and each.step.record]:
                self._waits(pending)
            wait_for_others(self.ledger, [each.step.name for each in chosen], self.pace, heartbeat)
            steps = self._planner.plan([each.step.requested for each in chosen])
        except ResellerError as error:
            for each in chosen:
                each.end = error
            return
        for one, step in zip(chosen, steps, strict=True):
            one.step, one.is_unclear = step, step.action == "in_doubt"
            one.end = left_by_others(step) or self.planned(one)
