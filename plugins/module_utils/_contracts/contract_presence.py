# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells whether the service shows a contract. That it does not show one proves nothing."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .._core.errors import NotPublishedError, ServiceError
from .._core.text import clean
from .._http.problems import GONE, service_error
from .._ledger.order_records import Record
from .contract_list import ShownContract
from .reader import ContractReader
from .values import says_over


class Presence(NamedTuple):
    """The result of a look for a contract. ``why`` says what was seen in its place, or that a shown one ended."""

    presence: Literal["present", "unseen"]
    why: str = ""
    contract: ShownContract | None = None


def presence_of(
    reader: ContractReader, contract_id: str, organization_id: str, *, listed_alone: bool = False
) -> Presence:
    """Look for a contract. Raises ServiceError only where the service does not answer at all.

    A contract that is read alone may show more than a list does. With ``listed_alone``, that is left out.
    """
    listed = None
    try:
        listing = reader.listing(organization_id)
        listed = listing.find(contract_id)
        why = f"its list of {len(listing.contracts)} contracts does not show it"
        why += "" if listing.complete else f", and is not complete: {listing.why_incomplete}"
    except ServiceError as error:
        why = _answered(error)
    if listed and listed_alone:
        return Presence("present", "", listed)
    try:
        answer, raw = reader.item(contract_id, organization_id)
    except ServiceError as error:
        return Presence("present", "", listed) if listed else Presence("unseen", f"{_answered(error)} {why}.")
    shown = reader.described(contract_id, raw, organization_id) if raw is not None else listed
    if shown is not None:
        return Presence("present", "", shown)
    what = f"the request for contract {clean(contract_id, 100)}"
    said = f"The service answered {answer.status} to {what} in organization {organization_id}, and {why}."
    return Presence("unseen", said if answer.status in GONE else service_error(answer, what).message.splitlines()[0])


def presence_of_recorded(reader: ContractReader, record: Record) -> Presence:
    """Look for the contract of a recorded order. One that a list shows is not read alone."""
    contract_id, request = record.outcome.contract_id, record.request
    if contract_id is None or request is None:
        return Presence("unseen", "The ledger has no ID of its contract.")
    try:
        found = presence_of(reader, contract_id, reader.organization_of(request.end_user), listed_alone=True)
    except ServiceError as error:
        return Presence("unseen", error.message.splitlines()[0])
    ended = says_over(found.contract.raw) if found.contract else None
    return found._replace(why=f"It says {ended}.") if ended else found


def _answered(error: ServiceError) -> str:
    """The answer of the service, as a sentence. Raises the error where there is none."""
    if error.status is None and not isinstance(error, NotPublishedError):
        raise error
    return error.message.splitlines()[0]
