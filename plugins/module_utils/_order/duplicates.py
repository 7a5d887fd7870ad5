# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the same thing under another name: a domain, or an end user's hostname."""

from __future__ import annotations

from collections.abc import Sequence

from .._core.advice import Advice
from .._core.errors import ResellerError
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


def duplicates(requests: Sequence[Request], ledger: Ledger) -> list[Record | Request | None]:
    """For each order, another one for the same thing, recorded or earlier in the task. Raises LedgerError."""
    known = ledger.duplicates(requests)
    first: dict[Identity, Request] = {}
    found: list[Record | Request | None] = []
    for request in requests:
        earlier = first.setdefault(request.identity, request) if request.identity else request
        # One name twice is told as that.
        in_task = None if earlier.name.casefold() == request.name.casefold() else earlier
        found.append(known.get(request.name) or in_task)
    return found


def duplicate_error(order: Order, other: Record | Request, ledger: Ledger) -> ResellerError:
    """The error that says why the order is not sent, and what to do."""
    kind, asked = order.kind, order.request
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
    if isinstance(other, Record):
        request = other.request
        if missing_options(request):
            parts.append(filling_advice(f"If {other.name} is something else", other, ledger.place))
        elif request and request.service != asked.service:
            parts += other_service(request.service, asked.service, ledger.place)
    return ResellerError(duplicate_text(asked, other, "This order was not sent."), *parts, kind="duplicate")


def duplicate_text(one: Request, other: Record | Request, consequence: str) -> str:
    """That two orders are for the same thing, what follows of that, and where the other one is."""
    setting, _end_user, subject = one.identity or (None, None, one.name)
    where = f"{other.name} is requested in the same task."
    if isinstance(other, Record):
        contract = f", contract {other.outcome.contract_id}" if other.outcome.contract_id else ""
        where = f"{other.name} is in the ledger: {_STATES.get(other.status, other.status)}{contract}."
    return f"Order {one.name} is for the same {setting or 'name'} as {other.name}: {subject}. {consequence}\n{where}"
