# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places the orders of a plan as a whole, unless something prevents it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing

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

    def order_all(self, end_users: Collection[str], refusal: ResellerError | None = None) -> Result:
        """Place the planned orders unless something prevents it. Those that join a new L2VPN come last.

        What else is recorded for these end users is returned. With a ``refusal``, nothing is placed,
        the plan has no digest, and nothing is listed: what is wrong may be a name or the end user.
        """
        context, error, approval = self._context, refusal, None
        planned = self.orders if refusal else self.refuse_what_is_there()
        for warning in warnings_of(planned):
            context.warn(warning)
        shown = self._shown_plan(planned, () if refusal else end_users, is_refused=refusal is not None)
        try:
            if error is None:
                to_send = len(orders_to_send(planned))
                self._refuse_unsendable(to_send)
                approval = self._approval(shown, to_send)
        except ResellerError as refused:
            error = refused
        if context.check_mode and error is None and shown["plan_digest"] is None:
            context.warn(no_digest_error(planned).message)
        ends = self._ends(approval, is_refused=error is not None)
        unwritten = self._unwritten(shown)
        return self._told(planned, shown, ends, error or unwritten)

    def _told(
        self,
        planned: Sequence[PlacedOrder],
        shown: Result,
        ends: Sequence[Result | ResellerError | None],
        error: ResellerError | None,
    ) -> Result:
        """Return the plan with how its orders ended. Raises ``error``, or that of what was not placed."""
        context = self._context
        results = [named_result(one, end) for one, end in zip(planned, ends, strict=True)]
        shown |= {**summary(shown["plan"], results), "changed": any(result["changed"] for result in results)}
        if error is None and not context.check_mode:
            by = "a signal" if context.interrupted else "the timeout of the task" if context.timed_out else None
            error = unfinished_error(shown["counts"], planned, ends, by)
        shown = with_end_user_names(shown, self.service.described)
        if error is not None:
            raise error.with_results(**{**shown, **error.results})
        return shown

    def refuse(self, at: int, error: ResellerError) -> None:
        """Refuse the order with this index."""
        self.orders[at] = self.orders[at].refused(error)

    # The plan

    def _shown_plan(self, planned: Sequence[PlacedOrder], end_users: Collection[str], *, is_refused: bool) -> Result:
        """Return the values of the plan, and what else is recorded for these end users.

        The digest is ``None`` where the plan cannot be approved.
        """
        others = not_requested(self.ledger, self.service.config, end_users, {one.name for one in self.orders})
        self._numbers = self.ledger.numbers([one.name for one in self.orders])
        plan = [plan_entry(one, self._numbers[one.name], self.l2vpns) for one in self.orders]
        for entry in plan:
            entry["end_user_name"] = self.service.described.name_of(entry["end_user"])
        digest = None if is_refused or why_not_approvable(self.orders) else plan_digest(plan, self.ledger)
        diff = {"diff": plan_diff(planned, digest)} if self._context.diff else {}
        read_back = {"read_back": None, **self.read_back.result}
        return {"plan": plan, "plan_digest": digest, "not_requested": others, **diff, **read_back}

    def _refuse_unsendable(self, to_send: int) -> None:
        """Raise ResellerError if nothing of the plan, which has so many orders to send, may be sent."""
        if self._context.params["wait"]:
            OrderWait(self._context, self).refuse_unwaitable()
        refuse_blocked(self.orders, self.place_of, going_on=self.keeps_going)
        most = self._context.params["max_orders"]
        if most is not None and to_send > most:
            raise ResellerError(
                f"The plan would send {to_send} orders, but max_orders is {most}. Nothing was sent.",
                Advice(
                    "Check the ledger: a lost one makes the plan larger. Look at the plan in check mode, and raise "
                    "max_orders only if the plan is right.",
                ),
                kind="invalid",
            )

    def _approval(self, shown: Result, to_send: int) -> str | None:
        """Return the digest that approves what is sent, if one is given. Raises ResellerError for another plan's."""
        approved, plan_file = self._context.params["approved_plan"], self._context.params["plan_file"]
        is_made = self._context.check_mode and (plan_file or not approved)
        is_needed = approved is not None or plan_file
        # A plan that is made here may be approved, and one of which nothing is left to send needs no approval.
        if is_made or not is_needed or (approved and not to_send):
            return None
        before = read_plan(plan_file) if plan_file and approved else None
        if approved and before is None and shown["plan_digest"] is None:
            raise no_digest_error(self.orders)
        self._refuse_spent(spent_names(approved or "", before, shown["plan"], shown["plan_digest"], self.ledger))
        return approved or ""

    def _refuse_spent(self, names: Collection[str]) -> None:
        """Refuse what was claimed under the approval before, and has no record any more."""
        for at, one in enumerate(self.orders):
            if one.name in names:
                self.refuse(at, spent_error(one.name))

    def _unwritten(self, shown: Result) -> ResellerError | None:
        """Write the plan in check mode, where it is to be written, and return why that failed."""
        plan_file = self._context.params["plan_file"]
        try:
            if self._context.check_mode and plan_file:
                write_plan(plan_file, shown["plan"], shown["plan_digest"])
        except ResellerError as unwritten:
            return unwritten
        return None

    # Placing

    def _ends(self, approval: str | None, *, is_refused: bool) -> list[Result | ResellerError | None]:
        """Place the orders, and wait for their contracts. Of a refused plan, tell what was ordered earlier as it is."""
        if is_refused:
            return [end_of(one, self.service) if one.state != "planned" else None for one in self.orders]
        if not self._context.check_mode:
            self._place([*orders_to_send(self.orders)], approval)
        return OrderWait(self._context, self).waited(self.results()) if self._context.params["wait"] else self.results()

    def _place(self, to_send: Sequence[int], approval: str | None) -> None:
        """Send the orders with these indexes, those last that join the L2VPN of another one.

        Those of other runs are waited for. What is in doubt and is read back as ordered keeps no other order from being
        sent. ``approval`` is the digest of the plan that approves them.
        """
        self._to_send, self._reported_at = to_send, self.pace.clocks.monotonic()
        error_free = [at for at, one in enumerate(self.orders) if one.error is None]

        def goes_on() -> bool:
            failed = any(self.orders[at].error for at in error_free)
            return not self.pace.stopped and (self.keeps_going or not failed)

        planned = [*to_send]
        # Also without any to send, those of other runs are waited for.
        while True:
            joining = [at for at in planned if self.orders[at].requested.l2vpn_of]
            with self._context.signals_held(self.pace.stop):
                self._send([at for at in planned if at not in joining], approval)
                if joining and goes_on():
                    self._send(self._joined(joining), approval)
            is_settled = self._settle()
            planned = [at for at in to_send if self.orders[at].state == "planned"]
            if not (planned and is_settled and goes_on()):
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
        by_name = {one.name: one for one in self.orders}
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
