# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as it is shown, published and approved. It contains no secret. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.cache import Cache
from .._core.errors import ApprovalError, ConfigurationError
from .._core.text import clean
from .._http.config import ServiceConfig
from .._product_types.registry import PRODUCT_TYPES
from .._secrets.masker import masked
from .._secrets.names import holds_secret
from .approval import ApprovedList, Entries, digest_of, readable
from .order import Order
from .planner import Action, Step

PLAN = ApprovedList("plan-1:", "name", ("action", "product", "product_type", "end_user", "fingerprint"))


def plan_of(steps: Sequence[Step], config: ServiceConfig) -> list[dict[str, Any]]:
    """One entry for each step: name, action, product, end user, billing if it is documented.

    ``listed_prices`` are as the catalogue lists them, and no part of the digest: a reseller's own contract decides.
    ``fingerprint`` is a digest of all that would be sent except secrets, for comparing.
    """
    return [_entry(step, config) for step in steps]


def _entry(step: Step, config: ServiceConfig) -> dict[str, Any]:
    order, recorded = step.order, step.record.request if step.record else None
    kind: str | None = None
    if order is not None:
        product: str | None = order.target.product
        product_name, kind = order.target.product_name, order.target.product_type.name
    elif recorded is not None:
        product, product_name, kind = recorded.product, recorded.product_name, recorded.product_type
    else:
        product, product_name, kind = step.requested.product, None, step.requested.product_type
    return {
        "name": step.name,
        "action": step.action,
        "product": product,
        "product_name": product_name,
        "product_type": kind,
        "end_user": step.requested.end_user,
        "billing": PRODUCT_TYPES[kind].billing if kind and kind in PRODUCT_TYPES else None,
        "listed_prices": dict(order.listed_prices) if order is not None and order.listed_prices else None,
        "fingerprint": _fingerprint(order, config) if order is not None and step.action == "order" else None,
    }


def _fingerprint(order: Order, config: ServiceConfig) -> str:
    content = {
        "service": config.base_url,
        "organization": config.organization_id,
        "settings": {
            name: value
            for name, value in order.planned_settings.items()
            if not holds_secret(name, value) and name not in order.secret_names
        },
        "additional_elements": masked(order.additional_elements),
    }
    return digest_of(content)[:16]


def plan_text(steps: Iterable[Step], settings_of: Mapping[int, str]) -> str:
    """The plan for reading: a line for each order, followed by the settings if it is to be sent."""
    lines = []
    for index, step in enumerate(steps):
        lines.append(_line(step))
        lines += [f"    {line}" for line in settings_of.get(index, "").splitlines()]
        lines += [f"    {line}" for line in price_lines(step.order)] if step.action == "order" and step.order else []
    return "".join(f"{line}\n" for line in lines)


def price_lines(order: Order) -> list[str]:
    """The prices of an order as the catalogue lists them, a line for the product and for each setting with one."""
    return [
        clean(f"price of {what}, as the catalogue lists it: {_price_text(prices)}")
        for what, prices in order.listed_prices.items()
    ]


def _price_text(prices: Mapping[str, Any]) -> str:
    told = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in prices.items()
    }
    return ", ".join(f"{name} {value}" for name, value in told.items())


def plan_totals(steps: Iterable[Step]) -> str:
    """How many orders of a plan are to be sent, and the status of the others."""
    totals = Counter(step.action for step in steps)
    return ", ".join(f"{totals[action]} {words}" for action, words in _WORDS.items() if totals[action]) or "no orders"


_WORDS: dict[Action, str] = {
    "order": "to be ordered",
    "none": "there already",
    "in_doubt": "in doubt",
    "drift": "ordered with other settings",
    "refused": "refused",
}


def _line(step: Step) -> str:
    order = step.order
    if order is None:
        return f"{step.action:<8} {step.name}"
    target = order.target
    billing = f", billed {target.product_type.billing}" if target.product_type.billing else ""
    product = target.product_name or target.product
    return f"{step.action:<8} {step.name}: {product} ({target.product_type.name}{billing}) for {order.end_user}"


def check_plan_approval(approved: Any, plan: Entries, cache: Cache) -> None:
    """Raise ApprovalError unless ``plan`` is the approved one, given by its digest or as a mapping with the plan.

    Raises ConfigurationError for an approval of another form.
    """
    given = approved.get("plan") if isinstance(approved, Mapping) else None
    digest = approved.get("plan_digest") if isinstance(approved, Mapping) else approved
    if not isinstance(digest, str) or not digest.startswith(PLAN.scheme):
        raise ConfigurationError(
            "approved_plan is not a valid plan digest. Nothing was sent.\n"
            f"Give the plan_digest of a run in check mode ({PLAN.scheme}…), or a mapping of plan and plan_digest as "
            "that run returned them."
        )
    now = PLAN.digest(plan)
    if digest == now:
        return
    before = readable(PLAN.key, given) or PLAN.remembered(digest, cache)
    if before is None:
        found = ["the approved plan itself is not available; give approved_plan as a mapping of plan and plan_digest"]
    else:
        found = PLAN.differences(before, plan) or ["the digest does not belong to the plan that was given with it"]
    listed = "\n".join(f"  - {line}" for line in found)
    advice = "Look at the current plan in check mode, and approve that one."
    raise ApprovalError(
        "The plan is no longer the approved one. Nothing was sent.\n"
        f"{listed}\nApproved: {digest}, now: {now}.\n{advice}",
        advice=[advice],
        approved_digest=digest,
        plan_differences=found,
    )
