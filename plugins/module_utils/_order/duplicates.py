# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the same thing under another name: a domain, or an end user's hostname."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._core.advice import Advice
from .._core.errors import ResellerError
from .._http.config import ServiceConfig
from .._ledger.order_records import Identity, Record, Request
from .._ledger.store import Ledger
from .drift import other_service
from .filling import filling_advice, missing_options
from .order import Order

_STATES = {
    "ordered": "it is ordered",
    "pending": "another run is placing it at this moment",
    "in_doubt": "it is in doubt, so it may exist",
}


@dataclass(frozen=True)
class Duplicate:
    """Another order for the same thing: its name, and its ``record`` unless it is in the same task."""

    name: str
    record: Record | None = None


def duplicates(orders: Sequence[Order], ledger: Ledger, config: ServiceConfig) -> list[Duplicate | None]:
    """For each order, another one for the same thing, recorded or earlier in the task. Raises LedgerError."""
    known = ledger.duplicates([bare_request(order, config) for order in orders if order.identity])
    first: dict[Identity, str] = {}
    found: list[Duplicate | None] = []
    for order in orders:
        record = known.get(order.name)
        earlier = first.setdefault(order.identity, order.name) if order.identity else order.name
        if record is not None:
            found.append(Duplicate(record.name, record))
        else:
            # One name twice is told as that.
            found.append(None if earlier.casefold() == order.name.casefold() else Duplicate(earlier))
    return found


def bare_request(order: Order, config: ServiceConfig) -> Request:
    """The request of an order as the ledger stores it, without its settings and additional elements."""
    return Request(
        name=order.name,
        service=config.base_url,
        organization_id=config.organization_id,
        end_user=order.end_user,
        product=order.target.product,
        product_name=order.target.product_name,
        product_type=order.target.product_type.name,
        identity=order.identity,
    )


def duplicate_error(order: Order, other: Duplicate, config: ServiceConfig, ledger: Ledger) -> ResellerError:
    """The error that says why the order is not sent, and what to do."""
    kind = order.target.product_type
    if kind.unique:
        text = (
            f"A {kind.title} is never bought twice while its order stands, whatever on_duplicate says. Use the name "
            f"{other.name}, or remove this order. If {other.name} was never placed, settle it with reseller_ledger "
            "(state: absent) first."
        )
    else:
        text = (
            f"Use the name {other.name} to keep that contract, or remove this order. Set on_duplicate to warn or "
            "ignore only to buy a second one."
        )
    parts: list[str | Advice] = [Advice("duplicate", text)]
    request = other.record.request if other.record is not None else None
    if other.record is not None and missing_options(request):
        parts.append(filling_advice(f"If {other.name} is something else", other.record, ledger.place))
    elif request and request.service and request.service != config.base_url:
        parts += other_service(request.service, config.base_url, ledger.place)
    return ResellerError(f"{_what(order, other)} This order was not sent.\n{_where(other)}", *parts, kind="duplicate")


def duplicate_warning(order: Order, other: Duplicate) -> str:
    """The warning about a second order that is allowed."""
    return f"{_what(order, other)} {_where(other)} It is ordered as well, because on_duplicate is warn."


def _what(order: Order, other: Duplicate) -> str:
    identity = order.target.product_type.identity or "name"
    return f"Order {order.name} is for the same {identity} as {other.name}: {order.settings.get(identity)}."


def _where(other: Duplicate) -> str:
    record = other.record
    if record is None:
        return f"{other.name} is requested in the same task."
    contract = f", contract {record.outcome.contract_id}" if record.outcome.contract_id else ""
    return f"{other.name} is in the ledger: {_STATES.get(record.status, record.status)}{contract}."
