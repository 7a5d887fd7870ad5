# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contract: places one order."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.openers import ledger_of, service_of
from .._checks.nameserver_problems import nameserver_findings
from .._checks.nameservers import NameserverCheck
from .._core.errors import UnrecordedError, Violation
from .._ledger.order_records import Record
from .._ledger.store import Ledger
from .._order.drift import drift_message
from .._order.order import Order, RequestedOrder
from .._order.planner import Planner, Step
from .._order.service import Service
from .._placing.answer_files import refuse_unwritable
from .._placing.orders import OrderSender
from .._placing.placer import Placed, Placer
from .._placing.sending import Pace
from . import order_results
from .read_back import ReadBack

_REQUESTED = tuple(field.name for field in fields(RequestedOrder))
#: Seconds that another run may take to record its outcome.
IN_FLIGHT_MARGIN = 30.0


def run(context: Context) -> Result:
    """Place one order, or show what would be placed."""
    requested = requested_order(context.params)
    service = service_of(context)
    ledger = ledger_of(context, writing=True)
    planner = planner_of(context, service, ledger)
    read_back = ReadBack(context, service, ledger)
    step = read_back.examined(refuse_unwritable(planner.plan([requested])))[0]
    for warning in step.warnings:
        context.warn(warning)
    _refuse(step)
    if step.differences and requested.on_drift == "warn":
        context.warn(drift_message(step.name, step.differences))
    if step.order is None or (context.check_mode and step.in_flight):
        return _recorded(step, context)
    # Before the order is sent: a diff needs PyYAML, which may be missing.
    diff = _diff(context, step.order, None)
    if context.check_mode:
        return {**diff, **order_results.planned_result(step.order, service)}
    waited = wait_in_flight(context, service)
    order = step.order
    pace = Pace()
    try:
        with context.signals_held(pace.stop):
            placed = Placer(OrderSender(service, context.job), ledger, wait_in_flight=waited, pace=pace).place(order)
    except UnrecordedError as error:
        raise order_results.unrecorded_error(error, order) from error
    failure = order_results.failure(placed, order, service, ledger.place, waited)
    settled, left = read_back.settled([order.name] if is_unclear(placed) else [])
    found = settled.get(order.name)
    if found is not None and placed.sent is not None:
        return {**diff, **order_results.placed_result(found.record, order, service, evidence=list(found.evidence))}
    if failure is not None and found is None:
        failure.message += "".join(f"\n{why}" for why in left.values())
        raise failure
    if placed.sent is None:
        # Another run placed it meanwhile: what it ordered may differ from what is asked here.
        step = planner.plan([requested])[0]
        _refuse(step)
        return _recorded(step, context)
    if placed.sent.warning:
        context.warn(placed.sent.warning)
    return {**diff, **order_results.placed_result(placed.record, order, service, contract=placed.sent.body)}


def is_unclear(placed: Placed) -> bool:
    """Whether the service's list may tell more of an order than its response did: that it exists, or its id."""
    ended, sent_here = placed.record.outcome, placed.sent is not None
    return ended.status == "in_doubt" or (sent_here and ended.status == "ordered" and ended.contract_id is None)


def planner_of(context: Context, service: Service, ledger: Ledger) -> Planner:
    """The planner of orders. It queries a domain's nameservers with the resolvers and port in the options."""
    params = context.params

    @functools.cache
    def check() -> NameserverCheck:
        return NameserverCheck(resolvers=params["nameserver_resolvers"], port=params["nameserver_port"])

    def preflight(orders: Sequence[Mapping[str, Any]]) -> Sequence[tuple[list[Violation], list[str]]]:
        if not any(settings.get("nameservers") for settings in orders):
            return [([], []) for _settings in orders]
        return nameserver_findings(check(), orders)

    return Planner(
        service,
        ledger,
        offline=context.check_mode,
        preflight=preflight,
        marker_element=params.get("marker_element") or None,
    )


def wait_in_flight(context: Context, service: Service) -> float:
    """Seconds to wait for another run; by default until its request has either ended or timed out, and a bit longer."""
    given = context.params["wait_in_flight"]
    return service.config.order_timeout + IN_FLIGHT_MARGIN if given is None else float(given)


def _refuse(step: Step) -> None:
    if step.error is not None:
        raise step.error


def _recorded(step: Step, context: Context) -> Result:
    return {**_diff(context, None, step.record), **order_results.recorded_result(step)}


def _diff(context: Context, order: Order | None, record: Record | None) -> Result:
    return {"diff": order_results.order_diff(order, record)} if context.diff else {}


def requested_order(options: Mapping[str, Any]) -> RequestedOrder:
    """What the options of one order ask for. What they leave out is as RequestedOrder has it."""
    given = {name: options[name] for name in _REQUESTED if options.get(name) not in (None, "")}
    return RequestedOrder(**{"end_user": "", **given})


TASK = Task(run)
