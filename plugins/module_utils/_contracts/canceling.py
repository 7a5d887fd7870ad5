# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges whether a recorded contract may be canceled, and whether a list shows that it was.

Both need the list in which the contract would be, read to its end.
"""

from __future__ import annotations

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


def cancelable(lists: Reconciler, record: Record, request: Request) -> ShownContract:
    """Return the contract of a record as its own list shows it, certain to be that one.

    Raises ConfigurationError with both values and what to do, unless that list is complete and shows it so.
    """
    if why := lists.why_unread(request.end_user):
        raise not_canceled(record, why)
    listing = lists.own_list(request.end_user)
    shown = listing.find(record.outcome.contract_id or "")
    if shown is None:
        raise not_canceled(record, f"the list of organization {listing.organization_id} does not show it")
    if why := listing.why_not_its(shown, request, any_product=True):
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


def ending(lists: Reconciler, record: Record, request: Request, before: ListedIds | None) -> Ending | None:
    """Return how the list shows that the contract of a record was canceled; ``None`` where it does not.

    It does by states and days at places that the file of the service gives. That the contract is gone counts if this is
    the list that showed it ``before``.
    """
    if lists.why_unread(request.end_user):
        return None
    listing = lists.own_list(request.end_user)
    fields, shown = listing.fields, listing.find(record.outcome.contract_id or "")
    if shown is None:
        return Ending("the list does not show it any more") if _is_list_of(lists, listing, before) else None
    until = only_at(shown.raw, fields.get("ends_at")) if fields.is_given("ends_at") else None
    until = until if until and [*days_in([until])] else None
    if fields.is_given("state") and fields.is_given("ended"):
        said = over(shown.raw, fields, is_domain=request.product_type == "domain")
        if said:
            return Ending(f"it says {said}", until)
    return Ending(f"its last day is {clean(until, 40)}", until) if until else None


def why_it_stands(lists: Reconciler, record: Record, request: Request, before: ListedIds | None) -> str:
    """Return why a canceled contract may still stand, for a sentence; empty if it is over, or gone from its list."""
    if why := lists.why_unread(request.end_user):
        return why
    listing = lists.own_list(request.end_user)
    fields, shown = listing.fields, listing.find(record.outcome.contract_id or "")
    if shown is None:
        is_gone = _is_list_of(lists, listing, before)
        return "" if is_gone else "Its list does not show it, but is not the one that showed it when it was canceled"
    if over(shown.raw, fields, is_domain=request.product_type == "domain"):
        return ""
    until, state = only_at(shown.raw, fields.get("ends_at")), only_at(shown.raw, fields.get("state"))
    return f"The service shows it until {clean(until, 40)}" if until else f"The service shows it, state {state}"


def _is_list_of(lists: Reconciler, listing: ContractList, before: ListedIds | None) -> bool:
    """Return whether this is the list that showed a contract before."""
    return before is not None and before.is_of(lists.source(listing, ("id",)))


def kept_source(lists: Reconciler, end_user: str, key: bytes) -> str:
    """Return the source of an end user's list as the ledger with this digest key keeps it. Raises ServiceError."""
    return ListedIds(frozenset(), lists.source(lists.own_list(end_user), ("id",))).kept(key).source
