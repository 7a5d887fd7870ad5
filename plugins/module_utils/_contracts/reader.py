# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back if the published reference has operations for it (API specification 4.4 shows none)."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote

from .._core.errors import ConfigurationError, NotPublishedError, PublishedReferenceError, ServiceError
from .._core.text import clean, same_id
from .._http.answers import read_json, service_error
from .._http.client import JSON, Answer, Client
from .._ledger.order_records import Record
from .._product_types.registry import SELF
from .._records.lists import item_record
from .._records.pages import ACCEPT, NOT_ACCEPTABLE
from .._reference.contract_operations import ContractOperations, contract_operations
from .._reference.published import ORDER_PATH, PARAMETER
from .._reference.reference import Reference
from .elements import read_elements
from .listing import ContractListReader
from .values import (
    Asked,
    Known,
    Listing,
    Places,
    ShownContract,
    Steps,
    key_of,
    own_ids,
    own_key,
    places_of,
    plain,
    same,
    uuid_places,
)

#: The products of the document (API specification 2.2).
PRODUCTS = ("fb8663c7-70b6-4d81-9750-c0d2b5697107", "0d6d810e-dec2-4a06-8fe5-7d7698d97ae6")
#: Answers that say that there is no such contract, for this key in this organization.
ABSENT = frozenset({404, 410})
LIST = f"GET /{'/'.join(ORDER_PATH)}"


@dataclass(frozen=True)
class Item:
    """The response for one contract. ``raw`` is its record, if it belongs to that contract."""

    answer: Answer
    raw: Mapping[str, Any] | None = None

    @property
    def absent(self) -> bool:
        return self.answer.status in ABSENT


@dataclass(frozen=True)
class Presence:
    """Whether a contract exists. ``why`` gives the reason in words.

    ``gone``: the service says that there is none, its complete list agrees, and shows another contract that this key
    can see in the same organization. Everything else that is not ``present`` is ``unseen``, which proves nothing.
    """

    presence: Literal["present", "gone", "unseen"]
    why: str = ""
    contract: ShownContract | None = None


class ContractReader:
    """Reads the contracts of a service, each organization's list once, and nothing before it is needed.

    ``records`` are those of the ledger, ``products`` the names of products by UUID, ``elements`` JSON pointers,
    ``organizations`` the ids of end users' organizations. ``list_path`` and ``item_path`` (with the id as ``{id}``)
    stand for what the reference publishes.
    """

    def __init__(
        self,
        client: Client,
        reference: Callable[[], Reference],
        records: Sequence[Record],
        *,
        products: Callable[[], Mapping[str, str | None]] = dict,
        elements: Mapping[str, Any] | None = None,
        organizations: Mapping[str, str] | None = None,
        list_path: str | None = None,
        item_path: str | None = None,
    ) -> None:
        self.organizations = dict(organizations or {})
        self.elements = read_elements(elements or {})
        self._client = client
        self._own = client.config.organization_id
        self._reference = reference
        self._records = records
        self._products = products
        self._list_path = checked_path(list_path, "list_path")
        self._item_path = checked_path(item_path, "item_path", parameter=True)
        self._read: dict[str, Listing] = {}
        self.places: Places = {}
        self.uuid_places: set[Steps] = set()
        self._readable: dict[str, bool] = {}

    @cached_property
    def known(self) -> Known:
        """What can be recognized in records. The catalogue is read for it, if ``products`` does."""
        return Known(self._records, self._client.config.base_url, {**dict.fromkeys(PRODUCTS), **self._products()})

    # Where

    @cached_property
    def operations(self) -> ContractOperations:
        """The operations that read contracts. Raises NotPublishedError if there is none, and UnreachableError."""
        try:
            reference = None if self._list_path and self._item_path else self._reference()
        except PublishedReferenceError as error:
            if not (self._list_path or self._item_path):
                raise NotPublishedError(_not_published(error.message.splitlines()[0])) from error
            reference = None
        found = contract_operations(reference.document) if reference else ContractOperations()
        found = replace(
            found, list_path=self._list_path or found.list_path, item_path=self._item_path or found.item_path
        )
        if reference and not (found.list_path or found.item_path):
            raise NotPublishedError(
                _not_published(f"The published reference at {reference.url} has no operation that reads contracts.")
            )
        return found

    def organization_of(self, end_user: str, own: str) -> str:
        """The organization of this end user's contracts from ``organizations``, otherwise ``own``."""
        found = (
            None if end_user == SELF else next((o for u, o in self.organizations.items() if same_id(u, end_user)), None)
        )
        return found or own

    # Lists

    def listing(self, organization_id: str) -> Listing:
        """All contracts that the service shows in an organization, read once.

        Raises NotPublishedError, with a sentence that says so, and ServiceError for an answer without a list.
        """
        if organization_id not in self._read:
            path = self.operations.list_path
            if path is None:
                raise NotPublishedError(
                    _not_published(f"The published reference has no {LIST}, which lists contracts.")
                )
            client = self._client.acting_for(organization_id)
            operations = self.operations
            reader = ContractListReader(
                client, client.url(path), lambda: operations.parameters, lambda: operations.media_types
            )
            with client.reading():
                reader.read()
            self._read[organization_id] = self._understood(reader, organization_id)
        return self._read[organization_id]

    def listings(self) -> list[Listing]:
        """The lists that have been read."""
        return list(self._read.values())

    def current(self, contract_id: str, organization_id: str) -> Mapping[str, Any]:
        """The record of a contract as the service shows it now. Raises ServiceError if it is not shown."""
        if self.operations.item_path is not None:
            item = self.item(contract_id, organization_id)
            if item.raw is None:
                raise service_error(item.answer, f"for contract {clean(contract_id, 100)}")
            return item.raw
        self._read.pop(organization_id, None)
        for each in self.listing(organization_id).contracts:
            if each.has_id({key_of(contract_id)}):
                return each.raw
        raise ServiceError("It is not in the list of contracts.", status=404)

    def _understood(self, reader: ContractListReader, organization_id: str) -> Listing:
        recorded = self.known.recorded
        rows = [(raw, own_ids(raw, key)) for key, raw in reader.entries]
        # The place that shows recorded ids, best beside what was ordered, else the first that tells all records apart.
        found: Counter[str] = Counter()
        for raw, ids in rows:
            for place, told in ids.items():
                request = recorded[key_of(told)].request if key_of(told) in recorded else None
                if key_of(told) in recorded:
                    fits = request is not None and self.known.like(Asked.of(request), ShownContract("", raw))
                    found[place] += 1000 if fits else 1
        apart = [place for place in (rows[0][1] if rows else ()) if len({i.get(place) for _r, i in rows}) == len(rows)]
        best = [*(place for place, _count in found.most_common(1)), *apart[:1]]
        if found:
            rows = [(raw, {best[0]: ids[best[0]]} if best[0] in ids else ids) for raw, ids in rows]
        chosen = [next((ids[place] for place in (*best, *ids) if place in ids), None) for _raw, ids in rows]
        theirs = [
            (r, recorded[key_of(t)]) for t, (r, _i) in zip(chosen, rows, strict=True) if t and key_of(t) in recorded
        ]
        if theirs:
            self.places, self.uuid_places = places_of(theirs), uuid_places(theirs)
        contracts = tuple(
            self.shown(told, raw, organization_id, ids)
            for told, (raw, ids) in zip(chosen, rows, strict=True)
            if told is not None
        )
        proven = found.total() >= 1000
        why = reader.why_incomplete(chosen)
        return Listing(contracts, not why, why, organization_id, proven)

    def shown(
        self, contract_id: str, raw: Mapping[str, Any], organization_id: str, ids: Mapping[str, str] | None = None
    ) -> ShownContract:
        """A record as a contract, with what its values tell."""
        shown = ShownContract(contract_id, raw, own_ids(raw) if ids is None else ids)
        products = self.known.products_in(shown, self.places)
        users = self.known.end_users & shown.values
        owner = next(iter(users)) if len(users) == 1 else None
        if not users:
            # In an end user's organization, what names nobody is its own.
            owner = next((user for user, id_ in self.organizations.items() if same_id(id_, organization_id)), None)
            if owner is None and {SELF, self._own} & shown.values:
                owner = SELF
        return replace(
            shown,
            product=next(iter(products)) if len(products) == 1 else None,
            end_user=owner,
            hostname=own_key("hostname", raw, self.places),
            domain=own_key("domain", raw, self.places),
        )

    def is_proven(self, listing: Listing) -> bool:
        """Whether the ids of a list are known to be those of contracts: from the ledger, or one was asked for by it."""
        if not listing.proven and listing.read_in not in self._readable and listing.contracts:
            first = listing.contracts[0]
            wanted = first.hostname or first.domain or first.product or first.id
            self._readable[listing.read_in] = self.proven_id(first, wanted, listing) == first.id
        return listing.proven or self._readable.get(listing.read_in, False)

    def proven_id(self, shown: ShownContract, wanted: str, listing: Listing) -> str | None:
        """The id of a contract: of the place that shows recorded ids, or by which the service shows ``wanted``.

        ``None`` if none is proven, also by a service that shows something whatever it is asked for.
        """
        path = self.operations.item_path
        if listing.proven or path is None:
            return shown.id if listing.proven else None
        for told in dict.fromkeys([shown.id, *shown.ids.values()]):
            raw = self._raw(told, listing.read_in)
            if raw is not None and plain(wanted) in ShownContract(told, raw).values:
                return None if self._asked(path, str(uuid.uuid4()), listing.read_in).ok else told
        return None

    def _raw(self, contract_id: str, organization_id: str) -> Mapping[str, Any] | None:
        try:
            return self.item(contract_id, organization_id).raw
        except ServiceError:
            return None

    # Items

    def item(self, contract_id: str, organization_id: str) -> Item:
        """The response for one contract, whatever its status is.

        Raises NotPublishedError, and ServiceError if there is no answer, or a success that is not this contract.
        """
        path = self.operations.item_path
        if path is None:
            raise NotPublishedError(_not_published("The published reference has no operation that reads one contract."))
        if contract_id in ("", ".", ".."):
            raise ConfigurationError(f"{contract_id!r} is not a valid id of a contract. Nothing was sent.\nCorrect it.")
        answer = self._asked(path, contract_id, organization_id)
        if not answer.ok:
            return Item(answer)
        raw = item_record(read_json(answer), "contract")
        if raw is None or not ShownContract("", raw, own_ids(raw)).has_id({key_of(contract_id)}):
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but not with the contract "
                f"{clean(contract_id, 100)}: its id is not in the answer.",
                status=answer.status,
            )
        return Item(answer, raw)

    def _asked(self, path: str, contract_id: str, organization_id: str) -> Answer:
        client = self._client.acting_for(organization_id)
        url = client.url(path.replace(PARAMETER, quote(contract_id, safe="")))
        with client.reading():
            answer = client.get(url, accept=ACCEPT)
            if answer.status == NOT_ACCEPTABLE or answer.status >= 500:
                answer = client.get(url, accept=", ".join([JSON, *self.operations.media_types, "*/*;q=0.1"]))
        return answer

    def presence(self, contract_id: str, organization_id: str, end_user: str | None) -> Presence:
        """Whether a contract exists. ``end_user`` is its end user in the ledger, or ``None``.

        Raises ServiceError only where the service does not answer at all.
        """
        listing, why = Listing((), complete=False), ""
        try:
            listing = self.listing(organization_id)
        except ServiceError as error:
            why = _answered(error)
        found = next((each for each in listing.contracts if each.has_id({key_of(contract_id)})), None)
        if found is not None:
            return Presence("present", "", found)
        if not listing.complete:
            why = why or f"The list is not complete: {listing.why_incomplete}."
        try:
            item = self.item(contract_id, organization_id)
        except ServiceError as error:
            return Presence("unseen", f"{why} {_answered(error)}".strip())
        if item.raw is not None:
            return Presence("present", "", self.shown(contract_id, item.raw, organization_id))
        status = item.answer.status
        if not item.absent:
            refused = service_error(item.answer, f"for contract {clean(contract_id, 100)}").message.splitlines()[0]
            return Presence("unseen", refused)
        beside = self._beside(contract_id, end_user, listing)
        if why or beside is None:
            asked = f"The service answered {status} when it was asked for it in organization {organization_id}"
            return Presence("unseen", f"{asked}. {why or _no_other(end_user)}")
        return Presence(
            "gone",
            f"The service answered {status} when it was asked for it, its complete list of {len(listing.contracts)} "
            f"contracts does not show it, and shows {beside} of the same end user to the same key in the same "
            "organization.",
        )

    def _beside(self, contract_id: str, end_user: str | None, listing: Listing) -> str | None:
        """Another recorded contract of this end user that is listed and can be read alone: so this key sees such ones."""
        for shown in listing.contracts:
            record = self.known.record_of(shown)
            request = record.request if record and not shown.has_id({key_of(contract_id)}) else None
            if record is None or request is None or not same(request.end_user, end_user):
                continue
            told = record.outcome.contract_id or shown.id
            if told not in self._readable:
                self._readable[told] = self._raw(told, listing.read_in) is not None
            return f"{clean(record.name, 100)} (contract {clean(told, 100)})" if self._readable[told] else None
        return None


def checked_path(path: str | None, option: str, *, parameter: bool = False) -> str | None:
    """A path from an option, with ``{}`` for its parameter. Raises ConfigurationError."""
    if not path:
        return None
    before, brace, rest = path.partition("{")
    name, closing, after = rest.partition("}")
    fits = bool(brace and name and closing and "{" not in after) if parameter else not brace
    if not fits or not path.startswith("/") or any(mark in path for mark in "?#\\") or not path.isprintable():
        kind, example = "a path", "/api/reseller/contracts"
        if parameter:
            kind, example = "a path with one parameter", f"{example}/{{id}}"
        raise ConfigurationError(
            f"{option} {clean(path, 60)!r} is not {kind}. Nothing was sent.\n"
            f"Give what follows base_url, for example {example}."
        )
    return f"{before}{PARAMETER}{after}" if parameter else path


def _not_published(sentence: str) -> str:
    return f"{sentence} So contracts cannot be read back from this service."


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
