# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as it is shown, published and approved, and what is recorded beside it. It contains no secret."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .._core.errors import Advice, ConfigurationError, ResellerError
from .._http.config import ServiceConfig
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._ledger.transaction import Transaction
from .._product_types.registry import PRODUCT_TYPES
from .._secrets.recognition import holds_secret
from .order import EXISTING_L2VPN, Action, Order, Step, l2vpn_of

Entries = Sequence[Mapping[str, Any]]

#: Names the way in which a digest is made, so that another way never stands for another plan.
_SCHEME = "plan-2:"
#: What stands for a ledger in which nothing was recorded yet.
_NEW = "new"
#: As many characters of the ID of a ledger are in a digest.
_OF_ID = 12
#: What counts of the entries of a plan.
_COMPARED = ("name", "action", "product", "product_type", "end_user", "fingerprint")
#: As many are listed. All are counted.
MOST_LISTED = 20
_SHOWN = ("name", "status", "product", "product_name", "product_type", "end_user", "contract_id")
IN_FILE = "recorded, not in this file"
IN_LIST = "recorded for these end users, not in this list"


def digest_of(value: Any) -> str:
    """A digest that is the same on every machine for the same value."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


def plan_digest(plan: Entries, ledger: Ledger) -> str:
    """The digest of a plan against this ledger. It names the ledger's ID, or ``new`` if that is empty or missing."""
    which = _NEW if ledger.history().token is None else ledger.id[:_OF_ID]
    return f"{_SCHEME}{which}:{_digest_of_entries(plan)}"


def _digest_of_entries(plan: Entries) -> str:
    return digest_of([[entry[name] for name in _COMPARED] for entry in plan])


def plan_entry(step: Step, l2vpns: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """Return what a plan shows of an order: name, action, product, end user, billing if it is documented.

    ``certain_at`` is when a pending one is certain at the latest, and no part of the digest.
    ``listed_prices`` are as the catalogue lists them, and no part of the digest: a reseller's own contract decides.
    ``fingerprint`` is a digest of all that would be sent except secrets, for comparing. In it, an L2VPN is that of its
    first server in ``l2vpns`` (by UUIDs), before and after its UUID is known: one approval covers all orders of a run.
    """
    order, requested = step.order, step.requested
    known = order or (step.record.request if step.record else None)
    kind = known.product_type if known else requested.product_type
    return {
        "name": step.name,
        "action": step.action,
        "certain_at": step.record.certain_at if step.action == "pending" and step.record else None,
        "product": known.product if known else requested.product,
        "product_name": known.product_name if known else None,
        "product_type": kind,
        "end_user": requested.end_user,
        "billing": PRODUCT_TYPES[kind].billing if kind and kind in PRODUCT_TYPES else None,
        "listed_prices": order.listed_prices if order else None,
        "fingerprint": _fingerprint(order, l2vpns) if order is not None and step.action == "order" else None,
    }


def _fingerprint(order: Order, l2vpns: Mapping[str, str]) -> str:
    settings = order.settings
    root = l2vpns.get(str(settings.get(EXISTING_L2VPN)).lower())
    if root is not None:
        settings = {**settings, EXISTING_L2VPN: l2vpn_of(root)}
    content = {
        "service": order.service,
        "organization": order.organization_id,
        "settings": {
            name: value
            for name, value in settings.items()
            if not holds_secret(name, value) and name not in order.secret_names
        },
        "additional_elements": order.masker.value(order.additional_elements),
    }
    return digest_of(content)[:16]


def plan_totals(steps: Iterable[Step]) -> str:
    """Return how many orders of a plan are to be sent, and the status of the others."""
    totals = Counter(step.action for step in steps)
    return ", ".join(f"{totals[action]} {words}" for action, words in ACTIONS.items() if totals[action]) or "no orders"


#: What a plan calls its actions.
ACTIONS: dict[Action, str] = {
    "order": "to be ordered",
    "none": "there already",
    "pending": "being placed, or cut off",
    "in_doubt": "in doubt",
    "differs": "differs from the record",
    "refused": "refused",
}


def approval_of(digest: str, before: Entries | None, plan: Entries, now: str, ledger: Ledger) -> str:
    """Return the digest that approves what ``plan``, with the digest ``now``, would order.

    ``before`` are the entries of the approved plan, where they are given.

    Without orders under it in the ledger, the whole plan must be the approved one. Otherwise, the approved plan itself
    approves those of its orders that were never claimed under it, or were released.

    Raises ResellerError for what is not approved, and ConfigurationError for an approval of another form.
    """
    if not digest.startswith(_SCHEME):
        raise ConfigurationError(
            f"{'approved_plan is not a valid plan digest' if digest else 'approved_plan is missing or empty'}. "
            f"Nothing was sent.\nRun the playbook with --check, which returns plan_digest ({_SCHEME}…).\n"
            "If you approve that plan, give this digest."
        )
    begun = any(each.request and each.request.approved_by == digest for each in ledger.select(Filter()))
    found = _changes(digest, now, before, plan, ledger, begun=begun)
    if not found:
        return digest
    listed = "\n".join(f"  - {line}" for line in found)
    raise ResellerError(
        f"The plan is no longer the approved one. Nothing was sent.\n{listed}\nApproved: {digest}, now: {now}.",
        Advice("Look at the current plan in check mode, and approve that one."),
        kind="invalid",
        approved_digest=digest,
        plan_differences=found,
    )


def _digest(plan: Any, like: str) -> str:
    """The digest of a plan that was given, for the ledger of another digest; empty if it is not a plan."""
    if not isinstance(plan, list) or not all(
        isinstance(each, Mapping) and each.keys() >= {*_COMPARED} and isinstance(each["name"], str) for each in plan
    ):
        return ""
    return f"{like.rpartition(':')[0]}:{_digest_of_entries(plan)}"


def _changes(digest: str, now: str, before: Entries | None, plan: Entries, ledger: Ledger, *, begun: bool) -> list[str]:
    """Return why the plan is not the approved one. ``begun``: orders of that one were sent."""
    if before is not None and digest != _digest(before, digest):
        return ["plan_file holds another plan than the one with this digest"]
    if digest == now:
        return []
    if begun and before is not None:
        return _not_approved(before, plan)
    found, both = [], [each.split(":")[1] for each in (digest, now)]
    if both[0] != both[1]:
        was, which = ("a new one" if each == _NEW else f"the one with ID {each}..." for each in both)
        found = [f"the ledger: approved with {was}, now {ledger.place}, {which}"]
    if before is not None:
        return found + _differences(before, plan)
    rest = ", which sends the orders of it that were not sent yet" if begun else ""
    missing = "the approved plan itself is not given; give it as plan_file"
    return [*found, missing + rest]


def _not_approved(approved: Entries, now: Entries) -> list[str]:
    """Return what is requested beyond an approved plan of which orders were sent, a line for each difference."""
    before = {entry["name"]: entry for entry in approved}
    # What was approved to be sent may be recorded by now.
    left = [entry for entry in now if entry["action"] == "order" or entry["name"] not in before]
    return _differences([before[entry["name"]] for entry in left if entry["name"] in before], left)


def _differences(approved: Entries, now: Entries) -> list[str]:
    """Return how a plan differs from the approved one, a line for each difference."""
    before = {entry["name"]: entry for entry in approved}
    after = {entry["name"]: entry for entry in now}
    lines = [f"{name!r}: approved, but no longer requested" for name in before if name not in after]
    for name, entry in after.items():
        known = before.get(name)
        if known is None:
            lines.append(f"{name!r}: requested now ({entry['action']}), but not in the approved list")
            continue
        for each in _COMPARED:
            was, now_is = known.get(each), entry[each]
            if each == "fingerprint" and None not in (was, now_is) and was != now_is:
                lines.append(f"{name!r}: the settings, additional elements, service or organization differ")
            elif was != now_is:
                lines.append(f"{name!r}: {each} was {was}, and is {now_is}")
    if not lines and [*before] != [*after]:
        lines.append("the entries are the same, in another sequence")
    return lines


# What the plan does not request


def not_requested(
    ledger: Ledger, config: ServiceConfig, end_users: Collection[str], names: Collection[str], words: str
) -> dict[str, Any]:
    """Return the return value ``not_requested``: what is recorded for these end users under other names than these.

    ``words`` are IN_FILE or IN_LIST. Raises LedgerError.
    """
    recorded = ledger.read(Transaction.names_for, end_users, config.base_url, config.organization_id)
    others = [name for name in recorded if name not in names]
    records = ledger.find(others[:MOST_LISTED])
    contracts = [_shown(records[name]) for name in others[:MOST_LISTED] if name in records]
    lines = [f"{len(others)} {words}:", *map(_line_of, contracts)] if others else []
    return {"count": len(others), "contracts": contracts, "lines": lines}


def _shown(record: Record) -> dict[str, Any]:
    known = record.as_dict()
    since = known["ordered_at"] or known["claimed_at"] or known["updated_at"]
    return {**{name: known[name] for name in _SHOWN}, "since": since}


def _line_of(shown: dict[str, Any]) -> str:
    product = shown["product_name"] or shown["product"] or shown["product_type"] or "unknown product"
    contract = f", contract {shown['contract_id']}" if shown["contract_id"] else ""
    status = "" if shown["status"] == "ordered" else f", {shown['status'].replace('_', ' ')}"
    return f"{shown['name']!r}: {product}{status}{contract}, since {shown['since'][:10]}"
