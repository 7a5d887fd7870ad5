# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges whether a recorded contract may be canceled, and whether a list shows that it was.

Both need the list in which the contract would be, read to its end.
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from .._core.errors import Advice, ConfigurationError
from .._core.text import clean
from .._ledger.ledger_errors import offer_by_hand
from .._ledger.order_records import ListedIds, Record, Request
from .._service.places import only_at
from .contract_list import ContractList, ShownContract
from .endings import days_in, over
from .reconciling import Reconciler


class Ending(NamedTuple):
    """The end of a contract: why it is one, for a sentence, and its last day as the service writes it."""

    why: str
    until: str | None = None


def cancelable(found: Reconciler, record: Record, request: Request) -> ShownContract:
    """Return the contract of a record as its own list shows it, certain to be that one.

    Raises ConfigurationError with both values and what to do, unless that list is complete and shows it so.
    """
    contract_id = record.outcome.contract_id or ""
    why = found.why_unread(request.end_user)
    shown = None if why else found.own_list(request.end_user).find(contract_id)
    if shown is None:
        why = why or f"the list of organization {found.own_list(request.end_user).organization_id} does not show it"
    else:
        why = found.own_list(request.end_user).why_not_its(shown, request)
    if shown is None or why:
        raise not_canceled(record, why)
    return shown


def not_canceled(record: Record, why: str) -> ConfigurationError:
    """The error of a contract that is not canceled here, with the way by the portal."""
    contract_id = record.outcome.contract_id
    options = {"name": record.name, "state": "absent", "contract_id": contract_id}
    by_hand = offer_by_hand("Remove the record of a canceled contract", options, record.ledger)
    return ConfigurationError(
        f"Contract {contract_id} of {record.name} was not canceled. Nothing was sent.",
        f"{why[:1].upper()}{why[1:].rstrip('.')}.",
        Advice(
            "Correct that, or cancel it in the customer portal. Only once it is gone there, run this "
            f"{by_hand.form}:\n{by_hand}"
        ),
    )


def canceled_already(found: Reconciler, record: Record, request: Request) -> Ending | None:
    """Return how the list shows, by states and days that are given, that a recorded contract is canceled."""
    listing = found.own_list(request.end_user)
    shown = listing.find(record.outcome.contract_id or "")
    return _shown_ending(listing, shown, request) if shown else None


def ending(found: Reconciler, record: Record, request: Request, before: ListedIds | None) -> Ending | None:
    """Return how the list shows that the contract of a record was canceled; ``None`` where it does not.

    That it is gone counts if this is the list that showed it ``before``.
    """
    if found.why_unread(request.end_user):
        return None
    listing = found.own_list(request.end_user)
    if listing.find(record.outcome.contract_id or "") is not None:
        return canceled_already(found, record, request)
    is_gone = before is not None and before.is_of(_source(found, listing))
    return Ending("the list does not show it any more") if is_gone else None


def why_it_stands(found: Reconciler, record: Record, request: Request, before: ListedIds | None) -> str:
    """Return why a canceled contract may still stand, for a sentence; empty if it is over, or gone from its list."""
    if why := found.why_unread(request.end_user):
        return why
    listing = found.own_list(request.end_user)
    shown = listing.find(record.outcome.contract_id or "")
    if shown is None:
        is_gone = before is not None and before.is_of(_source(found, listing))
        return "" if is_gone else "Its list does not show it, but is not the one that showed it when it was canceled"
    if over(shown.raw, listing.fields, is_domain=request.product_type == "domain"):
        return ""
    until = only_at(shown.raw, listing.fields.get("ends_at"))
    state = only_at(shown.raw, listing.fields.get("state"))
    return f"The service shows it until {clean(until, 40)}" if until else f"The service shows it, state {state}"


def _shown_ending(listing: ContractList, shown: ShownContract, request: Request) -> Ending | None:
    """Return the ending that the record of a contract says, at places that the file of the service gives."""
    fields = listing.fields
    until = only_at(shown.raw, fields.get("ends_at")) if fields.is_given("ends_at") else None
    until = until if until and [*days_in([until])] else None
    if fields.is_given("state") and fields.is_given("ended"):
        said = over(shown.raw, fields, is_domain=request.product_type == "domain")
        if said:
            return Ending(f"it says {said}", until)
    return Ending(f"its last day is {clean(until, 40)}", until) if until else None


def _source(found: Reconciler, listing: ContractList) -> str:
    """Return what tells the list of an organization from others by which ids are looked for, as a digest."""
    places = [str(listing.fields.get(name)) for name in ("records", "id")]
    parts = [found.reader.base_url, listing.organization_id, found.reader.path, *places]
    return hashlib.sha256(json.dumps([*parts, found.reader.client.config.api_key]).encode()).hexdigest()


def kept_source(found: Reconciler, end_user: str, key: bytes) -> str:
    """Return the source of an end user's list as the ledger with this digest key keeps it. Raises ServiceError."""
    return ListedIds(frozenset(), _source(found, found.own_list(end_user))).kept(key).source
