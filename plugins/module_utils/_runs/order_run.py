# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans orders and places them, one or many: sends, waits for other runs, reads back what is in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

from .._adapter.context import Context, Result
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import known_ids
from .._core.errors import Advice, ResellerError
from .._ledger.ledger_errors import waiting_line
from .._ledger.order_records import Record
from .._orders.order import Order, RequestedOrder
from .._orders.placed_order import PlacedOrder, end_of, unrecorded_order
from .._orders.plan import plan_digest, plan_entry, why_not_approvable
from .._orders.planner import Planner
from .._placing.placer import End, Placer, wait_for_others
from .._placing.sending import OrderSender, Pace
from .read_back import ReadBack

#: Seconds between two lines of progress.
PERIOD = 5.0
_REQUESTED = [each.name for each in fields(RequestedOrder) if each.init]


def requested_order(options: Mapping[str, Any]) -> RequestedOrder:
    """Return the order that these options request. What they leave out is as RequestedOrder has it."""
    given = {name: options[name] for name in _REQUESTED if options.get(name) not in (None, "")}
    return RequestedOrder(**{"end_user": "", **given})


class OrderRun:
    """The ``orders`` of one task.

    ``place_of`` tells where an order stands in the task, by its index.
    """

    def __init__(self, context: Context, place_of: Callable[[int], str] = "contracts[{}]".format) -> None:
        self._context = context
        self.keeps_going: bool = context.params.get("on_error") == "continue"
        self.service = service_of(context)
        self.ledger = ledger_of(context, "order")
        self._planner = Planner(self.service, self.ledger, check_mode=context.check_mode)
        self.read_back = ReadBack(self.service, self.ledger, context.params, context.warn, context.check_mode)
        self.orders: list[PlacedOrder] = []
        #: The indexes of those of which the service's list may tell more than a response or the ledger did.
        self._unclear: list[int] = []
        self.l2vpns: Mapping[str, str] = {}
        self.place_of = place_of
        self.pace = Pace(context.clocks)
        #: How often each name was claimed when it was planned, where a plan was made.
        self._numbers: Mapping[str, int] = {}
        #: The indexes of those that are sent, and of those that nothing stood in the way of when placing began.
        self._to_send: Sequence[int] = ()
        self._open: Sequence[int] = ()
        self._reported_at = 0.0
        self._stop_announced = False

    def plan(
        self,
        requested_orders: Sequence[RequestedOrder],
        check: Callable[[list[PlacedOrder]], list[PlacedOrder]] = list,
        l2vpns: Mapping[str, str] = MappingProxyType({}),
    ) -> list[PlacedOrder]:
        """Plan these orders, of which ``check`` may refuse more. Raises ServiceError and LedgerError.

        ``l2vpns`` are the servers that known L2VPNs come from, by their UUIDs.
        """
        self.l2vpns = l2vpns
        wanted = [self.for_end_user(each) for each in requested_orders]
        self.orders = check(self._planner.plan(wanted))
        return self.orders

    def for_end_user(self, requested: RequestedOrder) -> RequestedOrder:
        """Return an order with what the service's file says of its end user: UUID, organization and the most RAM."""
        described = self.service.described
        known, most = described.end_user(requested.end_user), described.most_ram(requested.end_user)
        if known is not None:
            requested = replace(requested, end_user=known.id, end_user_organization_id=known.organization_id)
        return requested if most is None else replace(requested, org_max_ram=most)

    def refuse_what_is_there(self) -> list[PlacedOrder]:
        """Refuse orders that the service may already have.

        What is in doubt may be settled first: a run that lost a response has not read it back yet, or it was killed.
        """
        if not self._context.check_mode:
            self._unclear = [at for at, each in enumerate(self.orders) if each.state == "in_doubt"]
            self._settled()
        new = self.read_back.examined(self.read_back.without_standing(self.orders))
        self.orders = self.read_back.looked_up(new)
        return [*self.orders]

    def shown_plan(self) -> tuple[list[dict[str, Any]], str | None]:
        """Return the entries of the plan as they are shown, and its digest; ``None`` where it cannot be approved."""
        self._numbers = self.ledger.numbers([each.name for each in self.orders])
        plan = [plan_entry(each, self._numbers[each.name], self.l2vpns) for each in self.orders]
        for entry in plan:
            entry["end_user_name"] = self.service.described.name_of(entry["end_user"])
        return plan, None if why_not_approvable(self.orders) else plan_digest(plan, self.ledger)

    def refuse(self, at: int, error: ResellerError) -> None:
        """Refuse the order with this index."""
        self.orders[at] = self.orders[at].refused(error)

    def told(self) -> list[Result | ResellerError | None]:
        """Return how each of the orders ended, or what would become of it. ``None`` is one that was not reached."""
        return [end_of(each, self.service) for each in self.orders]

    def place(self, to_send: Sequence[int], approval: str | None = None) -> None:
        """Send the orders with these indexes, and wait for those of other runs.

        What is in doubt and is read back as ordered keeps no other order from being sent. ``approval`` is the digest of
        the plan that approves them.
        """
        self._placer = self._placer_of(approval)
        self._to_send, self._reported_at = to_send, self.pace.clocks.monotonic()
        self._open = [at for at, each in enumerate(self.orders) if each.error is None]
        waiting = list(to_send)
        while True:
            self._send_all(waiting)
            settled = self._settled()
            waiting = [at for at in to_send if self.orders[at].state == "planned"]
            if not (settled and waiting and self._goes_on):
                break
        for at in waiting:
            self.orders[at] = self.orders[at].to("unreached")
        for each in self.orders:
            if each.outcome and each.outcome.warning:
                self._context.warn(f"{each.name}: {each.outcome.warning}")

    def _placer_of(self, approval: str | None) -> Placer[Order]:
        orders = [each.order for each in self.orders if each.order]
        known = {*known_ids(self.service), *(each for order in orders for each in (order.end_user, order.product))}
        return Placer(
            OrderSender(self.service, self._context.job, approval, self._numbers, known),
            self.ledger,
            pace=self.pace,
            threads=self._context.params.get("concurrency"),
            keep_going=self.keeps_going,
            heartbeat=self._heartbeat,
            on_wait=self._waits,
            renewed=self._renewed,
        )

    # Sending

    @property
    def _goes_on(self) -> bool:
        failed = any(self.orders[at].error for at in self._open)
        return not self.pace.stopped and (self.keeps_going or not failed)

    def _send_all(self, indexes: Sequence[int]) -> None:
        """Send orders, those last that join the L2VPN of another one."""
        with self._context.signals_held(self.pace.stop):
            last = [at for at in indexes if self.orders[at].requested.l2vpn_of]
            self._send([at for at in indexes if at not in last])
            if last and self._goes_on:
                self._send(self._joined(last))

    def _send(self, indexes: Sequence[int]) -> None:
        """Send some of the orders, and wait for those that other runs are sending."""
        orders = {at: order for at in indexes if (order := self.orders[at].order) is not None}
        with closing(self._placer.place(orders)) as ends:
            for end in ends:
                self._ended(end)
        self._look_up_others(self._heartbeat)

    def _renewed(self, indexes: Sequence[int], is_outdated: bool) -> dict[int, Order | ResellerError]:
        """Return orders that are about to be claimed as a list shows that was read anew, or the error of each."""
        found = self.read_back.renewed({at: self.orders[at] for at in indexes}, is_outdated=is_outdated)
        for at, each in found.items():
            self.orders[at] = each
        return {at: made for at, each in found.items() if (made := each.error or each.order) is not None}

    def _heartbeat(self) -> None:
        """Stop with the parent process, and report the progress of many orders."""
        self._context.check_parent(self.pace.stop)
        if "concurrency" not in self._context.params:
            return
        sending, now = len(self._placer.sending), self.pace.clocks.monotonic()
        if self.pace.stopped and sending and not self._stop_announced:
            self._stop_announced = True
            self._context.urgent(
                f"Stopping: nothing more is sent. The answers to {sending} orders are waited for, so that they can be "
                "recorded."
            )
        if self._to_send and now - self._reported_at >= PERIOD:
            self._reported_at = now
            states = Counter(self.orders[at].state for at in self._to_send)
            ended, in_doubt = len(self._to_send) - states["planned"], states["in_doubt"]
            self._context.progress(f"{ended}/{len(self._to_send)} orders, {in_doubt} in doubt")

    def _waits(self, pending: Sequence[Record]) -> None:
        self._context.progress(waiting_line(pending))

    def _ended(self, end: End) -> None:
        """Note how an order ended, and whether the service's list may tell more."""
        one = self.orders[end.at]
        if end.record is not None:
            one = one.ended(end.record, end.outcome)
        elif end.error is not None:
            one = one.stopped_by(end.error)
        self.orders[end.at] = one
        # An ID that the response lacked is looked for only where that is required: each order would read the list.
        without_id = one.state == "answered" and one.record and one.record.outcome.contract_id is None
        if one.state == "in_doubt" or (without_id and self.read_back.wanted):
            self._unclear.append(end.at)

    # L2VPNs

    def _joined(self, waiting: Sequence[int]) -> list[int]:
        """Return those whose L2VPN is known now, with it in their settings. The others end with an error."""
        by_name = {each.name: each for each in self.orders}
        known = []
        for at in waiting:
            one, root = self.orders[at], by_name[self.orders[at].requested.l2vpn_of or ""]
            if one.order is None or root.error or root.record is None:
                continue
            if l2vpn_id := root.record.outcome.l2vpn_id:
                self.orders[at] = one.joining(l2vpn_id)
                known.append(at)
            elif root.record.status == "ordered":
                error = ResellerError(
                    f"{one.name} was not sent: the UUID of the L2VPN of {root.name} is not known.\n"
                    f"{root.name} is ordered, and the service's response does not hold the UUID.",
                    Advice(
                        f"Look it up in the customer portal, set l2vpn_ids to it (for {root.name}), and run again. "
                        "Nothing is ordered twice.",
                    ),
                    order=unrecorded_order(one.order, "not_sent"),
                )
                self.refuse(at, error)
        return known

    # What this run does not know of itself

    def _settled(self) -> bool:
        """Return whether the service's list of contracts settles anything that its responses left open."""
        unclear, self._unclear = {self.orders[at].name: at for at in self._unclear}, []
        if not unclear or self.pace.stopped:
            return False
        found = self.read_back.settled([*unclear])
        for name, (record, evidence, contract) in found.items():
            one = self.orders[unclear[name]]
            if record is None:
                if one.error and evidence:
                    # What is known of it, and a line that is missing, stands before what a person looks up.
                    parts = one.error.parts
                    by_hand = next((at for at, part in enumerate(parts) if isinstance(part, Advice)), len(parts))
                    told = one.error.saying(*parts[:by_hand], " ".join(evidence), *parts[by_hand:])
                    self.orders[unclear[name]] = one._replace(error=told)
            elif one.outcome is not None:
                self.orders[unclear[name]] = one.settled(record, contract, evidence)
            else:
                self.orders[unclear[name]] = one.to("elsewhere", record=record, error=None)
        self._look_up_others()
        return any(each.record for each in found.values())

    def _look_up_others(self, heartbeat: Callable[[], None] = lambda: None) -> None:
        """Wait for what other runs are placing, and look at what they have placed."""
        chosen = {at: each for at, each in enumerate(self.orders) if each.state == "elsewhere" and not each.error}
        if not chosen:
            return
        try:
            if pending := [each.record for each in chosen.values() if each.record and each.record.status == "pending"]:
                self._waits(pending)
            wait_for_others(self.ledger, [each.name for each in chosen.values()], self.pace, heartbeat)
            seen = self._planner.ended_elsewhere([*chosen.values()])
        except ResellerError as error:
            seen = [each.refused(error) for each in chosen.values()]
        for at, each in zip(chosen, seen, strict=True):
            self.orders[at] = each
            if each.state == "in_doubt":
                self._unclear.append(at)
