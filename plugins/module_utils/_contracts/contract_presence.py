# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells whether a contract exists. That the service does not show one proves nothing by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .._core.errors import NotPublishedError, ServiceError
from .._core.text import clean, same_id
from .._http.answers import service_error
from .._product_types.registry import SELF
from .contract_list import ContractList, ShownContract
from .reader import ContractReader
from .values import id_key

#: Answers that say that there is no such contract, for this key in this organization.
ABSENT = frozenset({404, 410})


@dataclass(frozen=True)
class Presence:
    """Whether a contract exists. ``why`` gives the reason in words.

    ``gone``: the service says that there is none, its complete list agrees, and shows another contract that this key
    can see in the same organization. Everything else that is not ``present`` is ``unseen``, which proves nothing.
    """

    presence: Literal["present", "gone", "unseen"]
    why: str = ""
    contract: ShownContract | None = None


def presence_of(reader: ContractReader, contract_id: str, organization_id: str, end_user: str | None) -> Presence:
    """Whether a contract exists. ``end_user`` is its end user in the ledger, or ``None``.

    Raises ServiceError only where the service does not answer at all.
    """
    listing, why = ContractList((), organization_id, "it was not read"), ""
    try:
        listing = reader.listing(organization_id)
        why = "" if listing.complete else f"The list is not complete: {listing.why_incomplete}."
    except ServiceError as error:
        why = _answered(error)
    found = listing.find(contract_id)
    if found is not None:
        return Presence("present", "", found)
    try:
        item = reader.item(contract_id, organization_id)
    except ServiceError as error:
        return Presence("unseen", f"{why} {_answered(error)}".strip())
    if item.raw is not None:
        return Presence("present", "", reader.described(contract_id, item.raw, organization_id))
    status = item.answer.status
    if status not in ABSENT:
        refused = service_error(
            item.answer, f"the request for contract {clean(contract_id, 100)}"
        ).message.splitlines()[0]
        return Presence("unseen", refused)
    beside = _beside(reader, contract_id, end_user, listing)
    if why or beside is None:
        asked = f"The service answered {status} when it was asked for it in organization {organization_id}"
        return Presence("unseen", f"{asked}. {why or _no_other(end_user)}")
    return Presence(
        "gone",
        f"The service answered {status} when it was asked for it, its complete list of {len(listing.contracts)} "
        f"contracts does not show it, and shows {beside} of the same end user to the same key in the same "
        "organization.",
    )


def _beside(reader: ContractReader, contract_id: str, end_user: str | None, listing: ContractList) -> str | None:
    """Another recorded contract of this end user that is listed and can be read: so this key sees such ones."""
    for shown in listing.contracts:
        record = reader.known.record_of(shown)
        request = record.request if record and not shown.has_id({id_key(contract_id)}) else None
        if record is not None and request is not None and end_user and same_id(request.end_user, end_user):
            other = record.outcome.contract_id or shown.id
            readable = reader.reads(other, listing.organization_id)
            return f"{clean(record.name, 100)} (contract {clean(other, 100)})" if readable else None
    return None


def _no_other(end_user: str | None) -> str:
    whose = "your own organization" if end_user == SELF else f"end user {end_user}"
    return (
        f"No other contract of {whose} that the ledger knows is listed and shown by its id, so it is not known whether "
        "this API key sees such contracts there: check organization_id, organizations and item_path."
    )


def _answered(error: ServiceError) -> str:
    """What the service said, as a sentence. Raises the error where it said nothing."""
    if error.status is None and not isinstance(error, NotPublishedError):
        raise error
    return error.message.splitlines()[0]
