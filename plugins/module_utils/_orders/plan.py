# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as it is shown and published, and what is recorded beside it. It contains no secret."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .._core.text import as_yaml
from .._http.config import ServiceConfig
from .._ledger.order_records import Record
from .._ledger.store import Ledger
from .._ledger.transaction import Transaction
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES
from .._secrets.recognition import holds_secret
from .order import EXISTING_L2VPN, Order, l2vpn_of
from .placed_order import PlacedOrder, State, unrecorded_order

Entries = Sequence[Mapping[str, Any]]

#: Names the way in which a digest is made, so that another way never stands for another plan.
SCHEME = "plan-2:"
#: What stands for a ledger in which nothing was recorded yet.
NEW = "new"
#: As many characters of the ID of a ledger are in a digest.
_OF_ID = 12
#: What counts of the entries of a plan.
COMPARED = ("name", "number", "action", "product", "product_type", "end_user", "fingerprint")


class Action(NamedTuple):
    """What a plan does about an order."""

    #: The return value ``action``.
    name: str
    words: str
    #: What to do where it keeps the plan from being approved.
    way_out: str = ""


ACTIONS: Mapping[State, Action] = {
    "planned": Action("order", "to be ordered"),
    "recorded": Action("none", "there already"),
    "elsewhere": Action("pending", "being placed, or cut off"),
    "in_doubt": Action("in_doubt", "in doubt", "Settle it, or leave it out."),
    "differs": Action("differs", "differs from the record", "Correct it, set on_drift to warn, or leave it out."),
    "refused": Action("refused", "refused", "Correct it, or leave it out."),
}
#: As many are listed. All are counted.
_MOST_LISTED = 20


def digest_of(value: Any) -> str:
    """A digest that is the same on every machine for the same value."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def plan_digest(plan: Entries, ledger: Ledger) -> str:
    """The digest of a plan against this ledger. It names the ledger's ID, or ``new`` if that is empty or missing."""
    return f"{SCHEME}{ledger_in_digest(ledger)}:{digest_of_entries(plan)}"


def ledger_in_digest(ledger: Ledger) -> str:
    """The beginning of the ledger's ID, or ``new`` if nothing was recorded in it yet."""
    return NEW if ledger.history().token is None else ledger.id[:_OF_ID]


def digest_of_entries(plan: Entries) -> str:
    """The digest of what counts of the entries of a plan, whatever the ledger is."""
    return digest_of([[entry[name] for name in COMPARED] for entry in plan])


def why_not_approvable(planned: Iterable[PlacedOrder]) -> list[str]:
    """Return what keeps a plan from having a digest, a line for each order: nothing of it may be approved unseen."""
    lines = []
    for one in planned:
        if one.state == "elsewhere" and one.record:
            lines.append(f"{one.name!r}: {one.record.status_in_words}. Plan again then.")
        elif one.error is not None:
            lines.append(f"{one.name!r}: {ACTIONS[one.state].words}. {ACTIONS[one.state].way_out}")
    return lines


def plan_entry(one: PlacedOrder, number: int = 0, l2vpns: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """Return what a plan shows of an order: name, action, product, end user, billing if it is documented.

    ``number`` is how often the ledger says that the name was claimed before.
    ``certain_at`` is when a pending one is certain at the latest, and no part of the digest.
    ``listed_prices`` are as the catalogue lists them, and no part of the digest: a reseller's own contract decides.
    ``fingerprint`` is a digest of all that would be sent except secrets, for comparing. In it, an L2VPN is that of its
    first server in ``l2vpns`` (by UUIDs), before and after its UUID is known: one approval covers all orders of a run.
    """
    order, requested = one.order, one.requested
    known = order or (one.record.request if one.record else None)
    kind = known.product_type if known else requested.product_type
    return {
        "name": one.name,
        "number": number,
        "action": ACTIONS[one.state].name,
        "certain_at": one.record.certain_at if one.state == "elsewhere" and one.record else None,
        "product": known.product if known else requested.product,
        "product_name": known.product_name if known else None,
        "product_type": kind,
        "end_user": requested.end_user,
        "billing": PRODUCT_TYPES[kind].billing if kind and kind in PRODUCT_TYPES else None,
        "listed_prices": order.listed_prices if order else None,
        "fingerprint": _fingerprint(order, l2vpns) if order is not None and one.state == "planned" else None,
    }


def _fingerprint(order: Order, l2vpns: Mapping[str, str]) -> str:
    settings = order.settings
    root = l2vpns.get(str(settings.get(EXISTING_L2VPN)).lower())
    if root is not None:
        settings = {**settings, EXISTING_L2VPN: l2vpn_of(root)}
    content = {
        "service": order.service,
        "organization": order.organization_id,
        "end_user_organization": order.end_user_organization_id,
        "settings": {
            name: value
            for name, value in settings.items()
            if not holds_secret(name, value) and name not in order.secret_names
        },
        "additional_elements": order.masker.value(order.additional_elements),
    }
    return digest_of(content)[:16]


def plan_totals(planned: Iterable[PlacedOrder]) -> str:
    """Return how many orders of a plan are to be sent, and the status of the others."""
    totals = Counter(one.state for one in planned)
    shown = [f"{totals[state]} {action.words}" for state, action in ACTIONS.items() if totals[state]]
    return ", ".join(shown) or "no orders"


# Before and after


def order_diff(order: Order | None, record: Record | None) -> dict[str, str]:
    """Before and after as YAML. Raises MissingLibraryError without PyYAML."""
    if order is not None:
        header = f"order {order.name}"
        return {
            "before": "",
            "after": as_yaml(_planned_in_diff(order)),
            "before_header": header,
            "after_header": header,
        }
    recorded = "" if record is None else as_yaml(_in_diff(record.order()))
    return {"before": recorded, "after": recorded}


def _planned_in_diff(order: Order) -> dict[str, Any]:
    """An order that is to be placed, with secrets masked. Two contacts that are the same are shown once."""
    settings: dict[str, Any] = order.masker.value(order.settings)
    first, *others = [name for name in settings if name in CONTACT_SETTINGS] or [""]
    for name in others:
        if settings[name] == settings[first]:
            settings[name] = f"the same as {first}"
    shown = {**_in_diff(unrecorded_order(order, "planned")), "settings": settings}
    if order.kind.billing:
        shown["billed"] = order.kind.billing
    if order.additional_elements:
        shown["additional_elements"] = order.masker.value(order.additional_elements)
    if order.listed_prices:
        shown["prices as the catalogue lists them"] = dict(order.listed_prices)
    return shown


def _in_diff(order: Mapping[str, Any]) -> dict[str, Any]:
    """What a diff shows of the return value ``order``: what does not change by itself."""
    of_now = ("status", "ordered_at", "certain_at", "since")
    return {name: value for name, value in order.items() if name not in of_now and value is not None}


def plan_diff(planned: Sequence[PlacedOrder], digest: str | None) -> dict[str, str]:
    """The differences between the ledger and the plan, as ``--diff`` shows them: the orders as YAML, by their names.

    ``digest`` is that of the plan.
    """
    before, after = [], []
    for one in planned:
        shown: Any = ACTIONS[one.state].words
        if one.state == "planned" and one.order:
            shown = _planned_in_diff(one.order)
        elif one.state in ("recorded", "differs") and one.record and not one.error:
            shown = _in_diff(one.record.order())
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


# What the plan does not request


def not_requested(
    ledger: Ledger, config: ServiceConfig, end_users: Collection[str], names: Collection[str]
) -> dict[str, Any]:
    """Return the return value ``not_requested``: what is recorded for these end users under other names than these.

    Raises LedgerError.
    """
    recorded = ledger.read(Transaction.names_for, end_users, config.base_url, config.organization_id)
    others = [name for name in recorded if name not in names]
    records = ledger.find(others[:_MOST_LISTED])
    orders = [records[name].order() for name in others[:_MOST_LISTED] if name in records]
    more = [f"... and {len(others) - _MOST_LISTED} more"] if len(others) > _MOST_LISTED else []
    return {"count": len(others), "orders": orders, "lines": [*map(_line_of, orders), *more]}


def _line_of(shown: dict[str, Any]) -> str:
    product = shown["product_name"] or shown["product"] or shown["product_type"] or "unknown product"
    contract = f", contract {shown['contract_id']}" if shown["contract_id"] else ""
    status = "" if shown["status"] == "ordered" else f", {shown['status'].replace('_', ' ')}"
    return f"{shown['name']!r}: {product}{status}{contract}, since {shown['since'][:10]}"
