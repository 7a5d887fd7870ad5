# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fills in what a record does not know of its contract, and says what it must know to answer an order. Pure.

What a record knows never changes: an unknown text is empty, and a ``partial`` record may lack settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._checks.specification_rules import check_specification_rules
from .._core.errors import Advice, ConfigurationError, ViolationsError
from .._core.pasting import PLACEHOLDER, Noted, Offer
from .._core.text import same_id
from .._http.config import checked_base_url
from .._ledger.identity import identity
from .._ledger.operation_records import result_of
from .._ledger.order_records import Record, Request
from .._ledger.settling import offer_by_hand
from .._product_types.registry import IDENTITIES, PRODUCT_TYPES, SELF
from .._secrets.ledger_values import kept_settings
from .drift import drift_of
from .order import RequestedOrder, check_end_user, identity_of

#: What must be known before a record answers an order: the options, each with its field and what to give.
_NEEDED = {
    "end_user": ("end_user", f"UUID of the end user, or {SELF}"),
    "product_type": ("product_type", " or ".join(PRODUCT_TYPES)),
    "base_url": ("service", "address of the service"),
}
#: What follows where neither hostname nor domain of a contract is known.
UNPROTECTED = (
    "Until reseller_record has recorded its hostname or domain, as settings, nothing protects the contract against a "
    "second order under another name."
)


def unknown_request(name: str) -> Request:
    """Return the request of a contract of which only the name is known."""
    return Request(name, "", "", "", "", None, "", identity=identity(None, name), partial=True)


def missing_options(request: Request | None) -> list[str]:
    """The options of reseller_record that say what a record does not know and an order has to be compared with."""
    return [option for option, (known, _what) in _NEEDED.items() if not (request and getattr(request, known))]


def gaps(request: Request) -> list[str]:
    """Return what follows from what is not known of a recorded contract, in sentences."""
    missing, said = missing_options(request), []
    if missing:
        said.append(f"Orders of this name are refused until reseller_record has recorded its {', '.join(missing)}.")
    return said if is_protected(request) else [*said, UNPROTECTED]


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


def is_protected(request: Request) -> bool:
    """Return whether a second order of the contract is refused under another name, too, or nothing tells it."""
    kind = PRODUCT_TYPES.get(request.product_type)
    return any(name in request.settings for name in IDENTITIES) or (kind is not None and not kind.identity)


def stated_request(options: Mapping[str, Any], known: Request, digest_key: bytes) -> Request:
    """Return what the options of reseller_record say of a contract, checked as orders are. ``known`` is recorded of it.

    It may be a part of what was ordered. Raises ConfigurationError and ViolationsError.
    """
    end_user, product, given = options["end_user"] or "", options["product"] or "", options["settings"] or {}
    kind = PRODUCT_TYPES.get(known.product_type or options["product_type"] or "")
    check_end_user(end_user or SELF)
    # Raises for another type than that of the product.
    RequestedOrder(SELF, None, product or known.product, kind.name if kind else None).kind()
    settings: dict[str, Any] = {}
    if given:
        if kind is None:
            raise ConfigurationError(
                "settings cannot be checked without product_type. Nothing was recorded.\nGive both."
            )
        checked = check_specification_rules(kind, given)
        # What is not given breaks no rule.
        broken = [each for each in checked.violations if given.get((*each.path.split("."), "")[1]) is not None]
        if broken:
            raise ViolationsError(broken, "The contract to adopt", "Nothing was recorded.")
        settings = kept_settings(checked.settings, digest_key)
    # Only what is not known is looked at: both may come from wherever the task runs.
    address = "" if known.service else options["base_url"] or ""
    return replace(
        unknown_request(known.name),
        service=checked_base_url(address, allow_http=True) if address else "",
        organization_id=options["organization_id"] or "",
        end_user=end_user,
        product=product,
        product_type=options["product_type"] or "",
        settings=settings,
    )


def completed(known: Request, said: Request) -> Request:
    """Return what is known of a contract, with what is said of it where it was unknown.

    Raises ConfigurationError if ``said`` differs from what is known. Its service and organization only fill in.
    """
    kind = PRODUCT_TYPES.get(known.product_type or said.product_type)
    compared = replace(said, service="", organization_id="", partial=True)
    differences = [f"  - {each}" for each in drift_of(known, compared, kind)]
    if differences:
        raise ConfigurationError(
            f"The record of {known.name} says otherwise. Nothing was recorded.\n" + "\n".join(differences) + "\n"
            "What the ledger knows of an order never changes: leave these options out. Another contract needs another "
            "name."
        )
    settings = {**known.settings, **(said.settings if known.partial else {})}
    texts = ("service", "organization_id", "end_user", "product", "product_name", "product_type")
    values = {each: getattr(known, each) or getattr(said, each) for each in texts}
    values["product"] = values["product"] or (kind.product_id if kind else None) or ""
    made = replace(known, **values, settings=settings)
    if (made.end_user, made.product_type, settings) == (known.end_user, known.product_type, known.settings):
        return made
    if kind is None and not is_protected(made):
        return replace(made, identity=identity(None, known.name))
    # By default, an order is named after its hostname or domain: until that is known, the name stands for it.
    named = {kind.identity: known.name} if kind and kind.identity else {}
    return replace(made, identity=identity_of(kind, {**named, **settings}, made.end_user))


def with_settings(known: Request, said: Request, given: Mapping[str, Any]) -> Request:
    """The request of a record with the settings that are ``given`` (``said`` has them checked) in place of its own.

    A setting that is given as ``None`` is not in the record then. Raises ConfigurationError for a setting that
    identifies the contract, and if ``said`` differs in anything else.
    """
    completed(known, replace(said, settings={}))
    for name in IDENTITIES:
        if name in given and not same_id(str(known.settings.get(name)), str(said.settings.get(name))):
            raise ConfigurationError(
                f"settings.{name} identifies the contract of {known.name}. Nothing was recorded.\n"
                f"Leave {name} out. To order another contract, give it another name."
            )
    kept = {name: value for name, value in known.settings.items() if given.get(name, value) is not None}
    return replace(known, settings={**kept, **said.settings})
