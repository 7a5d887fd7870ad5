# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The run of a task that orders: plans, sends, waits for other runs, reads back what is in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

from .._adapter.context import Context, Result
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import known_ids
from .._core.errors import Advice, ResellerError
from .._ledger.ledger_errors import waiting_line
from .._orders.order import Order, RequestedOrder
from .._orders.placed_order import PlacedOrder, end_of
from .._orders.planner import Planner
from .._placing.placer import End, Placer, wait_for_others
from .._placing.sending import OrderSender, Pace
from .read_back import ReadBack

#: Seconds between two lines of progress.
PERIOD = 5.0
_REQUESTED = [field.name for field in fields(RequestedOrder) if field.init]


def requested_order(options: Mapping[str, Any]) -> RequestedOrder:
    """Return the order that these options request. What they leave out is as RequestedOrder has it."""
    given = {name: options[name] for name in _REQUESTED if options.get(name) not in (None, "")}
    return RequestedOrder(**{"end_user": "", **given})


class OrderRun:
    """The ``orders`` of one task, here the only one."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.keeps_going: bool = context.params.get("on_error") == "continue"
        self.service = service_of(context)
        self.ledger = ledger_of(context, "order")
        self._planner = Planner(self.service, self.ledger, check_mode=context.check_mode)
        self.read_back = ReadBack(
            self.service, self.ledger, context.params["read_back"], context.warn, context.check_mode
        )
        self.orders: list[PlacedOrder] = []
        self.pace = Pace(context.clocks)
        #: The indexes of those of which the service's list may tell more than a response or the ledger did.
        self._unclear: list[int] = []

    # Planning

    def plan(self, requested_orders: Sequence[RequestedOrder]) -> list[PlacedOrder]:
        """Plan these orders. Raises ServiceError and LedgerError."""
        self.orders = self._planner.plan([self.for_end_user(requested) for requested in requested_orders])
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
            self._unclear = [at for at, one in enumerate(self.orders) if one.state == "in_doubt"]
            self._settle()
        new = self.read_back.examined(self.read_back.without_standing(self.orders))
        self.orders = self.read_back.looked_up(new)
        return [*self.orders]

    # Placing

    def place_one(self, order: Order) -> None:
        """Claim, send and record the only order, unless another run places it, and read back what is in doubt then."""
        with self._context.signals_held(self.pace.stop):
            end = self._placer().place(order)
            if end is not None:
                self._end(0, end)
            self._look_up_others()
        self._settle()
        self._finish([0])

    def results(self) -> list[Result | ResellerError | None]:
        """Return how each of the orders ended, or what would become of it. ``None`` is one that was not reached."""
        return [end_of(one, self.service) for one in self.orders]

    def _placer(self, approval: str | None = None, numbers: Mapping[str, int] = MappingProxyType({})) -> Placer[Order]:
        orders = [one.order for one in self.orders if one.order]
        known = {*known_ids(self.service), *(id_ for order in orders for id_ in (order.end_user, order.product))}
        return Placer(
            OrderSender(self.service, self._context.job, approval, numbers, known),
            self.ledger,
            pace=self.pace,
            heartbeat=self._heartbeat,
            on_wait=lambda claims: self._context.progress(waiting_line(claims)),
            renewed=self._renewed,
        )

    def _heartbeat(self) -> None:
        """Stop with the parent process."""
        self._context.check_parent(self.pace.stop)

    def _renewed(self, indexes: Sequence[int], is_outdated: bool) -> dict[int, Order | ResellerError]:
        """Return orders that are about to be claimed as a list shows that was read anew, or the error of each."""
        renewed = self.read_back.renewed({at: self.orders[at] for at in indexes}, is_outdated=is_outdated)
        for at, one in renewed.items():
            self.orders[at] = one
        return {at: made for at, one in renewed.items() if (made := one.error or one.order) is not None}

    def _end(self, at: int, end: End) -> None:
        """Note how an order ended, and whether the service's list may tell more."""
        one = self.orders[at]
        if end.record is not None:
            one = one.ended(end.record, end.outcome)
        elif end.error is not None:
            one = one.stopped_by(end.error)
        self.orders[at] = one
        # An ID that the response lacked is looked for only where that is required: each order would read the list.
        without_id = one.state == "answered" and one.record and one.record.outcome.contract_id is None
        if one.state == "in_doubt" or (without_id and self.read_back.wanted):
            self._unclear.append(at)

    def _finish(self, indexes: Sequence[int]) -> None:
        """Note which of the orders to send were not reached, and warn of what is wrong with those that were."""
        for at in indexes:
            if self.orders[at].state == "planned":
                self.orders[at] = self.orders[at].to("unreached")
        for one in self.orders:
            if one.outcome and one.outcome.warning:
                self._context.warn(f"{one.name}: {one.outcome.warning}")

    # What this run does not know of itself

    def _settle(self) -> bool:
        """Return whether the service's list of contracts settles anything that its responses left open."""
        unclear, self._unclear = {self.orders[at].name: at for at in self._unclear}, []
        if not unclear or self.pace.stopped:
            return False
        shown = self.read_back.settled([*unclear])
        for name, (record, evidence, contract) in shown.items():
            one = self.orders[unclear[name]]
            if record is None:
                one = _with_evidence(one, evidence)
            elif one.outcome is not None:
                one = one.settled(record, contract, evidence)
            else:
                one = one.to("elsewhere", record=record, error=None)
            self.orders[unclear[name]] = one
        self._look_up_others()
        return any(again.record for again in shown.values())

    def _look_up_others(self) -> None:
        """Wait for what other runs are placing, and look at what they have placed."""
        chosen = {at: one for at, one in enumerate(self.orders) if one.state == "elsewhere" and not one.error}
        if not chosen:
            return
        try:
            if pending := [one.record for one in chosen.values() if one.record and one.record.status == "pending"]:
                self._context.progress(waiting_line(pending))
            wait_for_others(self.ledger, [one.name for one in chosen.values()], self.pace, self._heartbeat)
            current = self._planner.ended_elsewhere([*chosen.values()])
        except ResellerError as error:
            current = [one.refused(error) for one in chosen.values()]
        for at, one in zip(chosen, current, strict=True):
            self.orders[at] = one
            if one.state == "in_doubt":
                self._unclear.append(at)


def _with_evidence(one: PlacedOrder, evidence: Sequence[str]) -> PlacedOrder:
    """Return an order in doubt with what is known of it before what a person looks up."""
    if not (one.error and evidence):
        return one
    parts = one.error.parts
    by_hand = next((at for at, part in enumerate(parts) if isinstance(part, Advice)), len(parts))
    return one._replace(error=one.error.saying(*parts[:by_hand], " ".join(evidence), *parts[by_hand:]))
