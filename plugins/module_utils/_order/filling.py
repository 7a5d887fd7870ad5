# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fills in what a record does not know of its contract, and says what it must know to answer an order. Pure.

What a record knows never changes: an unknown text is empty, and a ``partial`` record may lack settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .._checks.setting_rules import check_specification_rules
from .._core.errors import Advice, ConfigurationError, ViolationsError
from .._core.pasting import PLACEHOLDER, Noted, Offer
from .._http.config import checked_base_url
from .._ledger.identity import identity
from .._ledger.ledger_errors import offer_by_hand
from .._ledger.order_records import Record, Request, result_of
from .._product_types.product_type import ProductType
from .._product_types.registry import IDENTITIES, PRODUCT_TYPES, SELF
from .._secrets.masker import kept_settings
from .drift import drift_of
from .order import RequestedOrder, check_end_user, identity_of

#: What must be known before a record answers an order: the options, each with its field and what to give.
_NEEDED = {
    "end_user": ("end_user", f"UUID of the end user, or {SELF}"),
    "product_type": ("product_type", " or ".join(PRODUCT_TYPES)),
    "base_url": ("service", "address of the service"),
}


def unknown_request(name: str) -> Request:
    """Return the request of a contract of which only the name is known."""
    return Request(name, "", "", "", "", None, "", identity=identity(None, name), partial=True)


def missing_options(request: Request | None) -> list[str]:
    """The options of reseller_record that say what a record does not know and an order has to be compared with."""
    return [option for option, (known, _what) in _NEEDED.items() if not (request and getattr(request, known))]


def gaps(request: Request) -> Iterator[str]:
    """Return what follows from what is not known of a recorded contract, in sentences."""
    if missing := missing_options(request):
        yield f"Orders of this name are refused until reseller_record has recorded its {', '.join(missing)}."
    kind = PRODUCT_TYPES.get(request.product_type)
    if request.settings.keys().isdisjoint(IDENTITIES) and (kind is None or kind.identity):
        yield (
            "Until reseller_record has recorded its hostname or domain, as settings, nothing protects the contract "
            "against a second order under another name."
        )


def _offer(record: Record) -> Offer:
    """Return what fills in the record once a person has filled in its placeholders."""
    missing = {option: Noted(PLACEHOLDER, _NEEDED[option][1]) for option in missing_options(record.request)}
    options = {"name": record.name, "state": "present", **missing}
    # Placeholders are filled in more easily in a task.
    return offer_by_hand("Record what was ordered", options, record.ledger)._replace(line=None)


def filling_advice(case: str, record: Record) -> Advice:
    """Return what fills in the record."""
    task = _offer(record)
    return Advice(f"{case}, look it up in the customer portal, fill it in, and run this task once:\n{task}")


def incomplete_error(record: Record) -> ConfigurationError:
    """The error of an order whose name stands for a contract of which the ledger knows too little."""
    contract = f"contract {record.outcome.contract_id}" if record.outcome.contract_id else "a contract without an ID"
    return ConfigurationError(
        f"Order {record.name} was not sent: its record does not say what it is for.\n"
        f"It is recorded as {contract}. Not known of it: {', '.join(missing_options(record.request))}.",
        filling_advice("If it is this order's", record),
        settle_with=_offer(record).task,
        **result_of(record),
    )


def completed(known: Request, options: Mapping[str, Any], digest_key: bytes) -> Request:
    """Return what is known of a contract, with what the options of reseller_record say of it where it was unknown.

    They are checked as those of orders are, and may be a part of what was ordered. With ``take_over_settings``, the
    settings replace known ones, but hostname and domain. One that is ``None`` is not known then.

    Raises ConfigurationError for options that differ from what is known, and ViolationsError.
    """
    given, takes_over = options["settings"] or {}, options["take_over_settings"]
    stated: dict[str, Any] = {name: options[name] or "" for name in ("end_user", "product", "product_type")}
    kind = PRODUCT_TYPES.get(known.product_type or stated["product_type"])
    check_end_user(stated["end_user"] or SELF)
    # Raises for another type than that of the product.
    RequestedOrder(SELF, None, stated["product"] or known.product, kind.name if kind else None).kind()
    settings = _checked_settings(kind, given, digest_key) if given else {}
    compared = {name: settings.get(name) for name in given if name in IDENTITIES} if takes_over else settings
    said = replace(unknown_request(known.name), **stated, settings=compared)
    differences = [f"  - {each}" for each in drift_of(known, said, kind)]
    if differences:
        raise ConfigurationError(
            f"The record of {known.name} says otherwise. Nothing was recorded.\n" + "\n".join(differences) + "\n"
            "What the ledger knows of an order never changes: leave these options out. Another contract needs another "
            "name."
        )
    kept = {name: value for name, value in known.settings.items() if not takes_over or given.get(name, "") is not None}
    # The service and the organization only fill in: both may come from wherever the task runs.
    address = known.service or options["base_url"] or ""
    made = replace(
        known,
        service=address and checked_base_url(address, allow_http=True),
        organization_id=known.organization_id or options["organization_id"] or "",
        end_user=known.end_user or stated["end_user"],
        product=known.product or stated["product"] or (kind.product_id if kind else None) or "",
        product_type=known.product_type or stated["product_type"],
        settings={**kept, **(settings if takes_over or known.partial else {})},
    )
    if (made.end_user, made.product_type, made.settings) == (known.end_user, known.product_type, known.settings):
        return made
    # By default, an order is named after its hostname or domain: until that is known, the name stands for it.
    named = {kind.identity: known.name} if kind and kind.identity else {}
    found = identity_of(kind, {**named, **made.settings}, made.end_user)
    return replace(made, identity=found or identity(None, known.name))


def _checked_settings(kind: ProductType | None, given: Mapping[str, Any], digest_key: bytes) -> dict[str, Any]:
    """The settings as the ledger has them. Raises ConfigurationError and ViolationsError."""
    if kind is None:
        raise ConfigurationError("settings cannot be checked without product_type. Nothing was recorded.\nGive both.")
    checked = check_specification_rules(kind, given)
    # What is not given breaks no rule.
    broken = [each for each in checked.violations if given.get((*each.path.split("."), "")[1]) is not None]
    if broken:
        raise ViolationsError(broken, "The contract to adopt", "Nothing was recorded.")
    return kept_settings(checked.settings, digest_key)
