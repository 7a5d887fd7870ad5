# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports an order: result keys, diff, and errors that say what to do. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.errors import Advice, ResellerError, ServiceError
from .._core.text import as_yaml
from .._ledger.ledger_errors import pending_error
from .._ledger.order_records import Outcome, Record
from .._order.already_there import in_doubt_error
from .._order.order import CONTRACTS, EXISTING_L2VPN, Order, body
from .._order.planner import Step
from .._order.service import Service
from .._product_types.registry import CONTACT_SETTINGS


def failure(record: Record, sent: Outcome | None) -> ResellerError | None:
    """Return the error of an order that a run leaves unplaced: rejected, not sent, in doubt or pending.

    ``sent`` is how the sending ended, if this run sent it.
    """
    if record.status == "in_doubt":
        doubt = in_doubt_error(record)
        if sent is not None and sent.error is not None:
            doubt.results = {**sent.error.results, **doubt.results}
        return doubt
    if record.status == "pending":
        return pending_error(record)
    if record.status == "ordered" or sent is None:
        return None
    error = sent.error or ServiceError(record.outcome.reason or f"The order {record.name} was not sent.")
    error.kind = "rejected" if record.status == "rejected" else "unreachable"
    error.results["order"] = record.order()
    return error


def _result(
    changed: bool, outcome: Outcome, order: Mapping[str, Any] | None, request: Mapping[str, Any] | None, **more: Any
) -> dict[str, Any]:
    """Return what every result of an order holds. ``contract`` is what the service shows now, if that was looked up."""
    return {
        "changed": changed,
        "contract_id": outcome.contract_id,
        "contract": None,
        "contract_when_ordered": outcome.contract,
        "presence": None,
        "why": None,
        "l2vpn_id": outcome.l2vpn_id,
        "order": order,
        "request": request,
        **more,
    }


def recorded_result(step: Step) -> dict[str, Any]:
    """The result of an order that is in the ledger."""
    outcome, order = (step.record.outcome, step.record.order()) if step.record else (Outcome("not_sent"), None)
    return _result(False, outcome, order, None, differences=[difference._asdict() for difference in step.differences])


def placed_result(record: Record | None, order: Order, service: Service, **more: Any) -> dict[str, Any]:
    """The result of an order that this run sent, or without ``record`` would send.

    ``more`` is the ``contract`` as received, or as a list shows it with the ``evidence``.
    """
    masked = order.masker.value(body(order, service.known_shape()))
    request = {"method": "POST", "url": f"{order.request.service}{CONTRACTS}", "body": masked}
    if record is None:
        return _result(True, Outcome("not_sent"), order_planned(order), request)
    return _result(True, record.outcome, record.order(), request) | more


def order_planned(order: Order) -> dict[str, Any]:
    """The return value ``order`` for an order that check mode would place."""
    record = Record(order.name, Outcome("not_sent"), order.request, None, None, None, "")
    return {**record.order(), "status": "planned"}


def order_diff(order: Order | None, record: Record | None) -> dict[str, str]:
    """Before and after as YAML. Raises MissingLibraryError without PyYAML."""
    if order is not None:
        header = f"order {order.name}"
        return {"before": "", "after": as_yaml(shown_order(order)), "before_header": header, "after_header": header}
    known = "" if record is None else as_yaml(shown_record(record))
    return {"before": known, "after": known}


def shown_record(record: Record) -> dict[str, Any]:
    """A recorded order in a diff."""
    return {**_compared(record.order()), "contract_id": record.outcome.contract_id}


def shown_order(order: Order, l2vpns: Mapping[str, str] | None = None) -> dict[str, Any]:
    """An order that is to be placed in a diff, with secrets masked.

    ``l2vpns`` are the names of the servers that known L2VPNs come from, by their UUIDs.
    """
    shown = {**_compared(order_planned(order)), "settings": _readable_settings(order, l2vpns or {})}
    if order.kind.billing:
        shown["billed"] = order.kind.billing
    if order.request.additional_elements:
        shown["additional_elements"] = order.masker.value(order.request.additional_elements)
    if order.request.listed_prices:
        shown["prices as the catalogue lists them"] = dict(order.request.listed_prices)
    return shown


def _compared(order: Mapping[str, Any]) -> dict[str, Any]:
    of_now = ("status", "ordered_at", "certain_at")
    return {name: value for name, value in order.items() if name not in of_now and value is not None}


def _readable_settings(order: Order, l2vpns: Mapping[str, str]) -> dict[str, Any]:
    """The settings of an order for a diff, with secrets masked: contacts field by field, an L2VPN with its name."""
    shown = order.shown_settings
    first, *others = [name for name in shown if name in CONTACT_SETTINGS] or [""]
    for name in others:
        if shown[name] == shown[first]:
            shown[name] = f"the same as {first}"
    server = l2vpns.get(str(shown.get(EXISTING_L2VPN)).lower())
    if server not in (None, order.name):
        shown[EXISTING_L2VPN] = f"that of {server} ({shown[EXISTING_L2VPN]})"
    return shown


def left_by_others(step: Step) -> ResellerError | None:
    """The error of an order that another run was placing, planned again after the wait, unless it stands."""
    record = step.record
    if step.action == "pending" and record is not None:
        return pending_error(record)
    if step.action != "order":
        return None
    cause = f" ({record.outcome.reason})" if record and record.outcome.reason else ""
    return ServiceError(
        f"Another run was placing the order {step.name}, but did not place it{cause}.",
        Advice("Run again to order it."),
        kind="rejected" if record and record.status == "rejected" else "unreachable",
    )
