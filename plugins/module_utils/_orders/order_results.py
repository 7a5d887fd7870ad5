# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result values and the diff of one order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.errors import ResellerError
from .._core.text import as_yaml
from .._ledger.order_records import Outcome, Record
from .._product_types.registry import CONTACT_SETTINGS
from .._service.service import Service
from .order import CONTRACTS, EXISTING_L2VPN, Order, body
from .placed_order import PlacedOrder
from .plan import ACTIONS, plan_totals


def result_of(record: Record | None, **more: Any) -> dict[str, Any]:
    """Return what every result of an order holds. ``contract`` is what the service shows now, if that was looked up."""
    outcome = record.outcome if record else Outcome("not_sent")
    return {
        "changed": False,
        "contract_id": outcome.contract_id,
        "contract": None,
        "contract_when_ordered": outcome.contract,
        "contract_state": None,
        "address": outcome.address,
        "waits_for": None,
        "presence": None,
        "read_back": None,
        "l2vpn_id": outcome.l2vpn_id,
        "cancelled": record.cancelled._asdict() if record and record.cancelled else None,
        "order": record and record.order(),
        "request": None,
        "differences": [],
        "evidence": [],
        **more,
    }


def told(one: PlacedOrder, service: Service) -> dict[str, Any] | ResellerError | None:
    """How an order ended, or what would become of it: its result or error, ``None`` if the run did not reach it."""
    if one.error is not None or one.state == "unreached":
        return one.error
    more: dict[str, Any] = {"differences": [each._asdict() for each in one.differences], **one.shown}
    if one.changes and one.order:
        masked = one.order.masker.value(body(one.order, service.shape(offline=True)))
        more["request"] = {"method": "POST", "url": f"{one.order.service}{CONTRACTS}", "body": masked}
    if one.state == "planned" and one.order:
        return result_of(None, changed=True, order=one.order.as_order(), **more)
    return result_of(one.record, changed=one.changes, **more)


def order_diff(order: Order | None, record: Record | None) -> dict[str, str]:
    """Before and after as YAML. Raises MissingLibraryError without PyYAML."""
    if order is not None:
        header = f"order {order.name}"
        return {"before": "", "after": as_yaml(shown_order(order)), "before_header": header, "after_header": header}
    known = "" if record is None else as_yaml(_compared(record.order()))
    return {"before": known, "after": known}


def shown_order(order: Order, l2vpns: Mapping[str, str] | None = None) -> dict[str, Any]:
    """An order that is to be placed in a diff, with secrets masked.

    ``l2vpns`` are the names of the servers that known L2VPNs come from, by their UUIDs.
    """
    shown = {**_compared(order.as_order()), "settings": _readable_settings(order, l2vpns or {})}
    if order.kind.billing:
        shown["billed"] = order.kind.billing
    if order.additional_elements:
        shown["additional_elements"] = order.masker.value(order.additional_elements)
    if order.listed_prices:
        shown["prices as the catalogue lists them"] = dict(order.listed_prices)
    return shown


def _compared(order: Mapping[str, Any]) -> dict[str, Any]:
    of_now = ("status", "ordered_at", "certain_at", "since")
    return {name: value for name, value in order.items() if name not in of_now and value is not None}


def _readable_settings(order: Order, l2vpns: Mapping[str, str]) -> dict[str, Any]:
    """The settings of an order for a diff, with secrets masked: contacts field by field, an L2VPN with its name."""
    shown: dict[str, Any] = order.masker.value(order.settings)
    first, *others = [name for name in shown if name in CONTACT_SETTINGS] or [""]
    for name in others:
        if shown[name] == shown[first]:
            shown[name] = f"the same as {first}"
    server = l2vpns.get(str(shown.get(EXISTING_L2VPN)).lower())
    if server not in (None, order.name):
        shown[EXISTING_L2VPN] = f"that of {server} ({shown[EXISTING_L2VPN]})"
    return shown


def plan_diff(planned: Sequence[PlacedOrder], l2vpns: Mapping[str, str], digest: str | None) -> dict[str, str]:
    """The differences between the ledger and the plan, as ``--diff`` shows them: the orders as YAML, by their names.

    ``l2vpns`` are the servers that L2VPNs come from, by their UUIDs. ``digest`` is that of the plan.
    """
    before, after = [], []
    for one in planned:
        shown: Any = ACTIONS[one.state].words
        if one.state == "planned" and one.order:
            shown = shown_order(one.order, l2vpns)
        elif one.state in ("recorded", "differs") and one.record and not one.error:
            shown = _compared(one.record.order())
            before.append(as_yaml({one.name: shown}))
        elif one.state == "elsewhere" and one.record:
            shown = one.record.status_in_words
        after.append(as_yaml({one.name: shown}))
    return {
        "before_header": "orders in the ledger",
        "after_header": f"the plan: {plan_totals(planned)}" + (f"; {digest}" if digest else ""),
        "before": "".join(before),
        "after": "".join(after),
    }
