# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places the orders of a plan as a whole, unless something prevents it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from typing import Any

from .._adapter.context import Context, Result
from .._core.errors import Advice, ResellerError
from .._orders.approval import no_digest_error, read_plan, spent_error, spent_names, write_plan
from .._orders.placed_order import PlacedOrder, end_of, unrecorded_order
from .._orders.plan import not_requested, plan_diff, plan_digest, plan_entry, why_not_approvable
from .._orders.planner import orders_to_send
from .._placing.pool import PlacingPool
from .order_run import PERIOD, OrderRun
from .order_waiting import OrderWait
from .run_results import named_result, refuse_blocked, summary, unfinished_error, warnings_of, with_end_user_names


class ManyOrders(OrderRun):
    """The orders of one task, of which ``concurrency`` are placed at a time.

    ``place_of`` tells where an order stands in the task, by its index.
    """

    def __init__(self, context: Context, place_of: Callable[[int], str] = "contracts[{}]".format) -> None:
        super().__init__(context)
        self.place_of = place_of
        #: The servers that known L2VPNs come from, by their UUIDs.
        self.l2vpns: Mapping[str, str] = {}
        #: How often each name was claimed when it was planned.
        self._numbers: Mapping[str, int] = {}
        self._to_send: Sequence[int] = ()
        self._reported_at = 0.0
        self._stop_announced = False

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

    def place_all(self, to_send: Sequence[int], approval: str | None) -> None:
        """Send the orders with these indexes, those last that join the L2VPN of another one.

        Those of other runs are waited for. What is in doubt and is read back as ordered keeps no other order from being
        sent. ``approval`` is the digest of the plan that approves them.
        """
        self._to_send, self._reported_at = to_send, self.pace.clocks.monotonic()
        error_free = [at for at, each in enumerate(self.orders) if each.error is None]

        def goes_on() -> bool:
            failed = any(self.orders[at].error for at in error_free)
            return not self.pace.stopped and (self.keeps_going or not failed)

        planned = [*to_send]
        while planned:
            joining = [at for at in planned if self.orders[at].requested.l2vpn_of]
            with self._context.signals_held(self.pace.stop):
                self._send([at for at in planned if at not in joining], approval)
                if joining and goes_on():
                    self._send(self._joined(joining), approval)
            is_settled = self._settle()
            planned = [at for at in to_send if self.orders[at].state == "planned"]
            if not (is_settled and goes_on()):
                break
        self._finish(to_send)

    def _send(self, indexes: Sequence[int], approval: str | None) -> None:
        """Send some of the orders, and wait for those that other runs are sending."""
        orders = {at: order for at in indexes if (order := self.orders[at].order) is not None}
        placer, threads = self._placer(approval, self._numbers), self._context.params["concurrency"]
        with closing(PlacingPool(placer, threads, keep_going=self.keeps_going).place(orders)) as ends:
            for at, end in ends:
                self._end(at, end)
        self._look_up_others()

    def _heartbeat(self) -> None:
        """Stop with the parent process, and report the progress."""
        super()._heartbeat()
        sending, now = len(self.ledger.under_way), self.pace.clocks.monotonic()
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

    def _joined(self, joining: Sequence[int]) -> list[int]:
        """Return those whose L2VPN is known now, with it in their settings. The others end with an error."""
        by_name = {each.name: each for each in self.orders}
        ready = []
        for at in joining:
            one, root = self.orders[at], by_name[self.orders[at].requested.l2vpn_of or ""]
            if one.order is None or root.error or root.record is None:
                continue
            if l2vpn_id := root.record.outcome.l2vpn_id:
                self.orders[at] = one.joining(l2vpn_id)
                ready.append(at)
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
        return ready


def order_all(
    context: Context,
    run: ManyOrders,
    end_users: Collection[str],
    refusal: ResellerError | None = None,
) -> Result:
    """Place the orders of a plan unless something prevents it. Those that join a new L2VPN come last.

    What else is recorded for these end users is returned. With a ``refusal``, nothing is placed,
    the plan has no digest, and nothing is listed: what is wrong may be a name or the end user.
    """
    planned = run.orders if refusal else run.refuse_what_is_there()
    for warning in warnings_of(planned):
        context.warn(warning)
    shown = _shown_plan(context, run, planned, () if refusal else end_users, is_refused=refusal is not None)
    plan, digest = shown["plan"], shown["plan_digest"]
    error, approval = refusal, None
    try:
        approval = None if error else _refuse(context, run, shown, len(orders_to_send(planned)))
    except ResellerError as refused:
        error = refused
    if context.check_mode and error is None and digest is None:
        context.warn(no_digest_error(planned).message)
    ends = _ends(context, run, approval, is_refused=error is not None)
    results = [named_result(one, end) for one, end in zip(planned, ends, strict=True)]
    unwritten = _unwritten(context, plan, digest)
    error = error or unwritten
    shown |= {**summary(plan, results), "changed": any(result["changed"] for result in results)}
    if error is None and not context.check_mode:
        error = unfinished_error(shown["counts"], planned, ends, _stopped_by(context))
    shown = with_end_user_names(shown, run.service.described)
    if error is not None:
        raise error.with_results(**{**shown, **error.results})
    return shown


def _shown_plan(
    context: Context, run: ManyOrders, planned: Sequence[PlacedOrder], end_users: Collection[str], *, is_refused: bool
) -> Result:
    """The return values of the plan, and what else is recorded for these end users."""
    others = not_requested(run.ledger, run.service.config, end_users, {one.name for one in run.orders})
    plan, digest = run.shown_plan()
    digest = None if is_refused else digest
    diff = {"diff": plan_diff(planned, digest)} if context.diff else {}
    read_back = {"read_back": None, **run.read_back.result}
    return {"plan": plan, "plan_digest": digest, "not_requested": others, **diff, **read_back}


def _stopped_by(context: Context) -> str | None:
    if context.interrupted is not None:
        return "a signal"
    return "the timeout of the task" if context.timed_out else None


def _unwritten(context: Context, plan: Sequence[Mapping[str, Any]], digest: str | None) -> ResellerError | None:
    """Write the plan in check mode, where it is to be written, and return why that failed."""
    try:
        if context.check_mode and context.params["plan_file"]:
            write_plan(context.params["plan_file"], plan, digest)
    except ResellerError as unwritten:
        return unwritten
    return None


def _ends(
    context: Context, run: ManyOrders, approval: str | None, *, is_refused: bool
) -> list[Result | ResellerError | None]:
    """Place the orders, and wait for their contracts. Of a refused plan, return what was ordered earlier as it is."""
    if is_refused:
        return [end_of(each, run.service) if each.state != "planned" else None for each in run.orders]
    if not context.check_mode:
        run.place_all([*orders_to_send(run.orders)], approval)
    return OrderWait(context, run).waited(run.told()) if context.params["wait"] else run.told()


def _refuse(context: Context, run: ManyOrders, shown: Result, to_send: int) -> str | None:
    """Raise ResellerError if nothing may be sent. Return the digest that approves what is sent, if one is given."""
    params = context.params
    if params["wait"]:
        OrderWait(context, run).refuse_unwaitable()
    refuse_blocked(run.orders, run.place_of, going_on=params["on_error"] == "continue")
    most, approved, plan_file = params["max_orders"], params["approved_plan"], params["plan_file"]
    if most is not None and to_send > most:
        raise ResellerError(
            f"The plan would send {to_send} orders, but max_orders is {most}. Nothing was sent.",
            Advice(
                "Check the ledger: a lost one makes the plan larger. Look at the plan in check mode, and raise "
                "max_orders only if the plan is right.",
            ),
            kind="invalid",
        )
    is_made = context.check_mode and (plan_file or not approved)
    is_approved = approved is not None or plan_file
    # A plan that is made here may be approved, and one of which nothing is left to send needs no approval.
    if is_made or not is_approved or (approved and not to_send):
        return None
    return _approved(run, approved or "", read_plan(plan_file) if plan_file and approved else None, shown)


def _approved(run: ManyOrders, approved: str, before: list[Any] | None, shown: Result) -> str:
    """Return the digest that approves what is sent. ``before`` is the approved plan, if that is given."""
    if approved and before is None and shown["plan_digest"] is None:
        raise no_digest_error(run.orders)
    spent = spent_names(approved, before, shown["plan"], shown["plan_digest"], run.ledger)
    for at, one in enumerate(run.orders):
        if one.name in spent:
            run.refuse(at, spent_error(one.name))
    return approved
