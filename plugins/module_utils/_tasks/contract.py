# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contract: places one order, or cancels its contract."""

from __future__ import annotations

from .._adapter.context import Context, Result, Task
from .._core.errors import ResellerError
from .._orders.placed_order import PlacedOrder
from .._runs.order_run import OrderRun, requested_order
from .._runs.run_results import with_end_user_names


def run(context: Context) -> Result:
    """Place one order or cancel its contract, or show what would be sent."""
    if context.params["state"] == "absent":
        # Measured: it reads contracts back, which takes 20 ms of a start.
        from .._runs.cancellation import run_absent

        return run_absent(context)
    run, wait = OrderRun(context), None
    if context.params["wait"]:
        from .._runs.order_waiting import OrderWait

        wait = OrderWait(context, run)
    if context.diff:
        # Before anything is claimed, as all that is imported.
        from .._orders.plan import order_diff
    run.plan([requested_order(context.params)])
    (one,) = run.refuse_what_is_there()
    if wait:
        wait.refuse_unwaitable()
    for warning in one.warnings:
        context.warn(warning)
    if context.check_mode and one.state == "elsewhere" and one.record:
        context.warn(f"Order {one.name} is {one.record.status_in_words}.")
    if not context.check_mode and one.error is None and one.order is not None:
        run.place_one(one.order)
    (end,) = wait.waited(run.results()) if wait else run.results()
    result = _result(run, one, end)
    if context.diff:
        result["diff"] = order_diff(one.order if result["changed"] else None, run.orders[0].record)
    return result


def _result(run: OrderRun, one: PlacedOrder, end: Result | ResellerError | None) -> Result:
    """Return how an order ended that was planned so. Raises ResellerError if it is not placed."""
    if end is None:
        raise ResellerError(f"Order {one.name} was not sent: the run was stopped before.", kind="unreachable")
    if isinstance(end, ResellerError):
        known = {**run.read_back.result, **end.results}
        raise end.with_results(**with_end_user_names(known, run.service.described))
    return with_end_user_names({**end, **run.read_back.result}, run.service.described)


TASK = Task(run)
