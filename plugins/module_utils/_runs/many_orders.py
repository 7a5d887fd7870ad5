# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places the orders of a plan as a whole, unless something prevents it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .._adapter.context import Context, Result
from .._core.errors import Advice, ResellerError
from .._orders.approval import no_digest_error, read_plan, spent_error, spent_names, write_plan
from .._orders.placed_order import PlacedOrder, end_of
from .._orders.plan import not_requested, plan_diff
from .._orders.planner import orders_to_send
from .order_run import OrderRun
from .order_waiting import OrderWait
from .run_results import named_result, refuse_blocked, summary, unfinished_error, warnings_of, with_end_user_names


def order_all(
    context: Context,
    run: OrderRun,
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
    context: Context, run: OrderRun, planned: Sequence[PlacedOrder], end_users: Collection[str], *, is_refused: bool
) -> Result:
    """The return values of the plan, and what else is recorded for these end users."""
    others = not_requested(run.ledger, run.service.config, end_users, {one.name for one in run.orders})
    plan, digest = run.shown_plan()
    digest = None if is_refused else digest
    diff = {"diff": plan_diff(planned, run.l2vpns, digest)} if context.diff else {}
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
    context: Context, run: OrderRun, approval: str | None, *, is_refused: bool
) -> list[Result | ResellerError | None]:
    """Place the orders, and wait for their contracts. Of a refused plan, return what was ordered earlier as it is."""
    if is_refused:
        return [end_of(each, run.service) if each.state != "planned" else None for each in run.orders]
    if not context.check_mode:
        run.place([*orders_to_send(run.orders)], approval)
    return OrderWait(context, run).waited(run.told())


def _refuse(context: Context, run: OrderRun, shown: Result, to_send: int) -> str | None:
    """Raise ResellerError if nothing may be sent. Return the digest that approves what is sent, if one is given."""
    params = context.params
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


def _approved(run: OrderRun, approved: str, before: list[Any] | None, shown: Result) -> str:
    """Return the digest that approves what is sent. ``before`` is the approved plan, if that is given."""
    if approved and before is None and shown["plan_digest"] is None:
        raise no_digest_error(run.orders)
    spent = spent_names(approved, before, shown["plan"], shown["plan_digest"], run.ledger)
    for at, one in enumerate(run.orders):
        if one.name in spent:
            run.refuse(at, spent_error(one.name))
    return approved
