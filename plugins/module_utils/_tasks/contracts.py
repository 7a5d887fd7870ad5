# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contracts: plans many orders as a whole before it sends the first one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._core.advice import Advice
from .._core.errors import ResellerError
from .._order.plan import check_plan_approval, plan_digest, plan_entry
from .._order.planner import Step, orders_to_send
from . import batch_results
from .batch_results import PART_NAMES, PartNames, named_result
from .order_run import OrderRun, requested_order


def run(context: Context) -> Result:
    """Plan all orders, and place them unless something prevents it."""
    params = context.params
    orders, defaults = OrderRun(context), params["defaults"] or {}
    orders.plan([requested_order(merge_options(defaults, contract)) for contract in params["contracts"]])
    orders.steps = batch_results.refuse_repeated_names(orders.steps)
    return order_all(context, orders)


def order_all(context: Context, orders: OrderRun, names: PartNames = PART_NAMES) -> Result:
    """Place the orders of a plan unless something prevents it. Those that join a new L2VPN come last."""
    params = context.params
    steps = orders.refuse_what_is_there()
    for warning in batch_results.warnings_of(steps):
        context.warn(warning)
    plan = [*map(plan_entry, steps)]
    digest = plan_digest(plan, orders.ledger)
    shown: Result = {"plan": plan, "plan_digest": digest}
    if context.diff:
        shown["diff"] = batch_results.plan_diff(steps, names)
    to_send = [*orders_to_send(steps)]
    try:
        _refuse(steps, len(to_send), params, names)
        if to_send and params["approved_plan"] is not None:
            check_plan_approval(params["approved_plan"], plan, digest, orders.ledger.place)
    except ResellerError as error:
        # What was ordered earlier is told as it is; nothing else was reached.
        ends = [step.error or (None if step.action == "order" else orders.planned(at)) for at, step in enumerate(steps)]
        results = [named_result(step, end) for step, end in zip(steps, ends, strict=True)]
        error.results = {**shown, **batch_results.summary(plan, results), "changed": False, **error.results}
        raise
    if context.check_mode:
        planned = [named_result(step, orders.planned(index)) for index, step in enumerate(steps)]
        return {**shown, **batch_results.summary(plan, planned), "changed": bool(to_send)}
    ends = orders.place(to_send, l2vpn_ids=names.l2vpn_ids)
    for index, warning in sorted(orders.warnings.items()):
        context.warn(f"{steps[index].name}: {warning}")
    results = [named_result(step, end) for step, end in zip(steps, ends, strict=True)]
    shown |= {**batch_results.summary(plan, results), "changed": any(result["changed"] for result in results)}
    unfinished = batch_results.unfinished_error(shown, steps, ends, signalled=orders.pace.stopped)
    if unfinished is not None:
        raise unfinished
    return shown


def _refuse(steps: Sequence[Step], to_send: int, params: Mapping[str, Any], names: PartNames) -> None:
    """Raise ResellerError if nothing may be sent."""
    refusal = batch_results.refusal_of(steps, names, going_on=params["on_error"] == "continue")
    if refusal is not None:
        raise refusal
    most = params["max_orders"]
    if most is not None and to_send > most:
        raise ResellerError(
            f"The plan would send {to_send} orders, but max_orders is {most}. Nothing was sent.",
            Advice(
                "max_orders",
                "Check the ledger: a lost one makes the plan larger. Look at the plan in check mode, and raise "
                "max_orders only if the plan is right.",
            ),
            kind="invalid",
        )


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
