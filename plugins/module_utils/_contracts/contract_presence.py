# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells whether a contract exists. That the service does not show one proves nothing by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

from .._core.errors import NotPublishedError, ServiceError
from .._core.text import clean, same_id
from .._http.answers import service_error
from .._http.waiting import GONE
from .._ledger.order_records import Record
from .._product_types.registry import PRODUCT_TYPES, SELF
from .contract_list import ContractList, ShownContract
from .reader import ContractReader
from .values import id_key

#: A service may show a new contract late.
_MAY_LAG = timedelta(days=1)


class Presence(NamedTuple):
    """Whether a contract exists. ``why`` gives the reason in words.

    ``gone``: the service says that there is none, its complete list agrees, the order is older than a day, and the list
    shows another contract of the same end user and product type that this key can read in the same organization.
    Everything else that is not ``present`` is ``unseen``, which proves nothing.
    """

    presence: Literal["present", "gone", "unseen"]
    why: str = ""
    contract: ShownContract | None = None


def presence_of(reader: ContractReader, contract_id: str, organization_id: str, record: Record | None) -> Presence:
    """Whether a contract exists. ``record`` is its order in the ledger.

    Raises ServiceError only where the service does not answer at all.
    """
    listing, why = ContractList((), organization_id, "it was not read"), ""
    try:
        listing = reader.listing(organization_id)
        why = "" if listing.complete else f"The list is not complete: {listing.why_incomplete}."
    except ServiceError as error:
        why = _answered(error)
    listed = listing.find(contract_id)
    try:
        answer, raw = reader.item(contract_id, organization_id)
    except ServiceError as error:
        said = _answered(error)
        return Presence("present", "", listed) if listed else Presence("unseen", f"{why} {said}".strip())
    # A contract that is shown alone may show more than a list does.
    shown = reader.described(contract_id, raw, organization_id) if raw is not None else listed
    if shown is not None:
        return Presence("present", "", shown)
    if answer.status not in GONE:
        what = f"the request for contract {clean(contract_id, 100)}"
        return Presence("unseen", service_error(answer, what).message.splitlines()[0])
    asked = f"The service answered {answer.status} when it was asked for it in organization {organization_id}"
    beside = _beside(reader, contract_id, record, listing)
    if why or record is None or _is_young(record) or beside is None:
        return Presence("unseen", f"{asked}. {why or _why_not_gone(record, beside)}")
    return Presence(
        "gone",
        f"{asked}, its complete list of {len(listing.contracts)} contracts does not show it, and shows {beside} of the "
        "same end user and product type to the same key in the same organization.",
    )


def _is_young(record: Record) -> bool:
    since = record.ordered_at or record.claimed_at or record.updated_at
    return datetime.fromisoformat(since) > datetime.now(UTC) - _MAY_LAG


def _beside(reader: ContractReader, contract_id: str, record: Record | None, listing: ContractList) -> str | None:
    """Another recorded contract that is listed and can be read: so this key sees such ones."""
    wanted = record.request if record else None
    for shown in listing.contracts:
        other = reader.known.record_of(shown)
        request = other.request if other and not shown.has_id({id_key(contract_id)}) else None
        if other is None or request is None or wanted is None or request.product_type != wanted.product_type:
            continue
        if wanted.end_user and same_id(request.end_user, wanted.end_user):
            id_ = other.outcome.contract_id or shown.id
            readable = reader.read(id_, listing.organization_id) is not None
            return f"{clean(other.name, 100)} (contract {clean(id_, 100)})" if readable else None
    return None


def _why_not_gone(record: Record | None, beside: str | None) -> str:
    if record is None or record.request is None:
        return "What it was ordered as is not in the ledger."
    if beside is not None:
        return "It was ordered less than a day ago, and a service may show it late."
    whose = "your own organization" if record.request.end_user == SELF else f"end user {record.request.end_user}"
    kind = PRODUCT_TYPES.get(record.request.product_type)
    return (
        f"No other {kind.title if kind else 'contract'} of {whose} that the ledger knows is listed and shown by its "
        "id, so it is not known whether this API key sees such contracts there: check organization_id, organizations "
        "and contracts_path."
    )


def _answered(error: ServiceError) -> str:
    """What the service said, as a sentence. Raises the error where it said nothing."""
    if error.status is None and not isinstance(error, NotPublishedError):
        raise error
    return error.message.splitlines()[0]
