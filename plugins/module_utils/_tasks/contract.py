# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contract: one order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils import _argspec, _reports
from ansible_collections.hosting.reseller.plugins.module_utils._errors import UnrecordedError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.contract import Record
from ansible_collections.hosting.reseller.plugins.module_utils._order import Order, Wish
from ansible_collections.hosting.reseller.plugins.module_utils._pace import Pace
from ansible_collections.hosting.reseller.plugins.module_utils._placing import Placer
from ansible_collections.hosting.reseller.plugins.module_utils._planning import Step
from ansible_collections.hosting.reseller.plugins.module_utils._task import Context, Result, Task


def run(context: Context) -> Result:
    """Place one order, or tell what would be placed."""
    wish = wish_of(context.params)
    service = context.service()
    ledger = context.ledger(writing=True)
    planner = context.planner(service, ledger)
    step = planner.plan([wish])[0]
    for warning in step.warnings:
        context.warn(warning)
    _refuse(step)
    if step.differences and wish.on_drift == "warn":
        context.warn(_reports.drift_message(step))
    if step.order is None or (context.check_mode and step.in_flight):
        return _recorded(step, context)
    if context.check_mode:
        return {**_diff(context, step.order, None), **_reports.planned(step.order, service)}
    waited = float(context.params["wait_in_flight"])
    order = step.order
    pace = Pace()
    try:
        with context.signals_held(pace):
            placed = Placer(service, ledger, wait_in_flight=waited, job=context.job(), pace=pace).place(order)
    except UnrecordedError as error:
        raise _reports.unrecorded_error(error, order) from error
    failure = _reports.failure(placed, waited, ledger.place)
    if failure is not None:
        raise failure
    if placed.sent is None:
        # Another run placed it meanwhile: what it ordered may differ from what is asked here.
        step = planner.plan([wish])[0]
        _refuse(step)
        return _recorded(step, context)
    if placed.sent.warning:
        context.warn(placed.sent.warning)
    return {**_diff(context, order, None), **_reports.placed(placed, order, service)}


def _refuse(step: Step) -> None:
    refusal = _reports.refusal(step)
    if refusal is not None:
        raise refusal


def _recorded(step: Step, context: Context) -> Result:
    return {**_diff(context, None, step.record), **_reports.recorded(step)}


def _diff(context: Context, order: Order | None, record: Record | None) -> Result:
    return {"diff": _reports.diff_of(order, record)} if context.diff else {}


def wish_of(options: Mapping[str, Any]) -> Wish:
    """The options of one order as a wish."""
    return Wish(
        end_user=options.get("end_user") or "",
        name=options.get("name") or None,
        product=options.get("product") or None,
        product_type=options.get("product_type") or None,
        settings=options.get("settings") or {},
        additional_elements=options.get("additional_elements") or {},
        validation=options["validation"],
        org_max_ram=options.get("org_max_ram"),
        on_drift=options["on_drift"],
        verify_nameservers=options["verify_nameservers"],
    )


ARGUMENTS: _argspec.ArgumentSpec = {
    **_argspec.common(),
    **_argspec.learning(),
    **_argspec.order(),
    **_argspec.placing(),
}
ARGUMENTS["end_user"]["required"] = True

TASK = Task(ARGUMENTS, run)

__all__ = ["TASK", "wish_of"]
