# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads contracts back if the OpenAPI document has operations for it (API specification 4.4 shows none).

That the service does not show a contract proves nothing.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import quote

from .._core.errors import (
    READING_FAILURES,
    ConfigurationError,
    NotPublishedError,
    PublishedReferenceError,
    ServiceError,
)
from .._core.text import clean, counted, same_id
from .._http.client import Client
from .._http.problems import GONE, service_error
from .._http.transport import Answer, read_json
from .._ledger.order_records import ListedIds, Record
from .._product_types.registry import SELF
from .._records.contract_ids import KEY, ids_by_place
from .._records.lists import item_record
from .._service.reference import ORDER_PATH, PARAMETER, ContractOperations, Reference
from .contract_list import ContractList, ContractListReader, KnownValues, ShownContract
from .values import OrderedValues, comparable, id_key, places_of, says_over


class Presence(NamedTuple):
    """The result of a look for a contract. ``why`` says what was seen in its place, or that a shown one ended."""

    why: str = ""
    contract: ShownContract | None = None

    @property
    def presence(self) -> Literal["present", "unseen"]:
        return "present" if self.contract else "unseen"


class ContractReader:
    """Reads the contracts of a service, each organization's list once: ``lists`` are those that have been read.

    ``records`` are those of the ledger, ``products`` the names of products by UUID, ``organizations`` the ids of end
    users' organizations. ``contracts_path`` stands for the path of the order, on which the reference publishes them.
    With ``most_pages``, they are read for what can do without: a list that has more, or is not complete, raises
    ServiceError. ``unread`` are the errors of lists that are not to be tried again, by organization.
    """

    def __init__(
        self,
        client: Client,
        reference: Callable[[], Reference],
        records: Sequence[Record],
        *,
        products: Callable[[], Mapping[str, str | None]] = dict,
        organizations: Mapping[str, str] | None = None,
        contracts_path: str | None = None,
        most_pages: int | None = None,
        unread: Mapping[str, ServiceError] | None = None,
    ) -> None:
        self.organizations = dict(organizations or {})
        self._client = client
        #: The service, and the own organization.
        self.base_url, self.own = client.config.base_url, client.config.organization_id
        self._reference = reference
        self.records = records
        self._products = products
        self._path = contracts_path
        self.lists: dict[str, ContractList] = {}
        self.unread = dict(unread or {})
        self._most_pages = most_pages
        self._anything: dict[str, bool] = {}

    @cached_property
    def known(self) -> KnownValues:
        """The values that can be recognized in records. The catalogue is read for them, if ``products`` does."""
        return KnownValues(self.records, self.base_url, self._products())

    # Operations

    @cached_property
    def operations(self) -> ContractOperations:
        """The operations that read contracts. Raises NotPublishedError if there is none, and UnreachableError."""
        try:
            reference = self._reference()
        except PublishedReferenceError as error:
            if self._path is not None:
                return Reference("", {}).reading_contracts(self._path)
            if error.status in (401, 403):
                raise
            raise _not_published(error.message.splitlines()[0]) from error
        found = reference.reading_contracts(self._path)
        if not (found.list_path or found.item_path):
            raise _not_published(f"The OpenAPI document at {reference.url} has no operation that reads contracts.")
        return found

    @property
    def all_organizations(self) -> list[str]:
        """The organizations in which contracts may be, each once: the own one first."""
        return list(dict.fromkeys([self.own, *self.organizations.values()]))

    def organization_of(self, end_user: str) -> str:
        """The organization of this end user's contracts from ``organizations``, otherwise the own one."""
        theirs = (id_ for user, id_ in self.organizations.items() if same_id(user, end_user))
        return self.own if end_user == SELF else next(theirs, None) or self.own

    # Lists

    def listing(self, organization_id: str) -> ContractList:
        """All contracts that the service shows in an organization, read once.

        Raises NotPublishedError, with a sentence that says so, and ServiceError for an answer without a list.
        """
        if organization_id not in (*self.lists, *self.unread):
            try:
                self.lists[organization_id] = self._read_list(organization_id)
            except ServiceError as error:
                self.unread[organization_id] = error
            except READING_FAILURES as failure:
                why = f"The list of contracts cannot be understood ({type(failure).__name__})."
                self.unread[organization_id] = ServiceError(why)
        if organization_id in self.unread:
            raise self.unread[organization_id]
        return self.lists[organization_id]

    def _read_list(self, organization_id: str) -> ContractList:
        path = self.operations.list_path
        if path is None:
            listing = f"GET /{'/'.join(ORDER_PATH)}"
            raise _not_published(f"The OpenAPI document has no {listing}, which lists contracts.")
        client = self._client.acting_for(organization_id)
        reader = ContractListReader(client, client.url(path), lambda: self.operations.parameters)
        reader.most_pages, reader.id_parameter = self._most_pages, self.operations.id_parameter
        reader.read()
        found = self._understood(reader, organization_id)
        if self._most_pages is not None and not found.complete:
            raise ServiceError(found.incomplete)
        return found

    def _understood(self, reader: ContractListReader, organization_id: str) -> ContractList:
        # The id of an organization is never that of a contract.
        others, parameter = {*self.all_organizations}, self.operations.id_parameter
        rows = []
        for key, raw in reader.entries:
            ids = {at: id_ for at, id_ in ids_by_place(raw, key, parameter).items() if id_ not in others}
            rows.append(ShownContract("", raw, ids))
        listed = {id_key(id_) for each in rows for id_ in each.ids.values()}
        found = self._empty(organization_id)
        found.id_place = place = self._recorded_at(rows)
        for each in rows:
            if place is not None and place in each.all_ids:
                # Ids elsewhere may be those of other things, such as of the contract's owner.
                each.ids = {place: each.all_ids[place]}
            each.id = next(iter(each.ids.values()), "")
        shown = [each for each in rows if each.id]
        found.ids = ListedIds(frozenset(listed.union(*(each.id_keys for each in shown))))
        recorded = ((each.leaves, self.known.record_of(each.id_keys)) for each in shown)
        found.places = places_of((raw, record.request) for raw, record in recorded if record and record.request)
        found.contracts = tuple(map(found.described, shown))
        found.why_incomplete = reader.why_incomplete() or self._why_some_lack(
            [each.id for each in rows], organization_id
        )
        return found

    def _empty(self, organization_id: str) -> ContractList:
        """A list of this organization without contracts, with what can be recognized in them."""
        owner = next((user for user, id_ in self.organizations.items() if same_id(id_, organization_id)), None)
        return ContractList((), organization_id, self.known, self.own, owner)

    def _why_some_lack(self, ids: Sequence[str], organization_id: str) -> str:
        """Why a list may lack contracts, or an empty string. ``ids`` are those of its records, empty if not known."""
        if "" in ids:
            return f"{ids.count('')} of {len(ids)} records have no known id"
        often = Counter(map(id_key, ids)).most_common(1)
        if often and often[0][1] > 1:
            return f"contract {clean(often[0][0], 100)} is in it more than once"
        requests = (record.request for record in self.known.recorded.values() if record.request)
        lacking = [each for each in requests if (each.end_user, each.organization_id) == (SELF, organization_id)]
        count = counted(len(lacking), "contract")
        return f"it is empty, and the ledger has {count} of this organization" if lacking and not ids else ""

    def _recorded_at(self, rows: Sequence[ShownContract]) -> str | None:
        """The place where most recorded contracts show their id, beside what was ordered with them: a proof."""
        found: dict[str, set[str]] = {}
        for shown in rows:
            for place, id_ in shown.all_ids.items():
                record = self.known.recorded.get(id_key(id_))
                if record and record.request and OrderedValues(record.request).is_shown_by(shown.values):
                    found.setdefault(place, set()).add(record.name)
        return max(found, key=lambda place: len(found[place]), default=None)

    def users_not_shown(self, records: Sequence[Record]) -> list[str]:
        """The end users with orders in these records of which no list that was read shows one.

        Those whose organization is given are left out.
        """
        listed = (self.known.record_of(each.id_keys) for listing in self.lists.values() for each in listing.contracts)
        shown = {record.request.end_user for record in listed if record and record.request}
        ordered = (each.request for each in records if each.request and each.status in ("ordered", "in_doubt"))
        users = dict.fromkeys(request.end_user for request in ordered)
        return [each for each in users if each not in ("", SELF, *shown) and self.organization_of(each) == self.own]

    # Ids

    def prove_ids(self, listing: ContractList) -> None:
        """Prove where the contracts of a list have their ids, by the first one that shows what it is."""
        shown = ((each, each.hostname or each.domain or each.product) for each in listing.contracts)
        first, value = next(((each, value) for each, value in shown if value), (None, None))
        if first is not None and value is not None:
            self.proven_id(first, value, listing)

    def proven_id(self, shown: ShownContract, value: str, listing: ContractList) -> str | None:
        """The id of a contract, if it is proven; ``None`` if not.

        The ledger proves it, or reading the contract by it, which shows ``value``: once for a list. A service that
        shows something for any id proves nothing.
        """
        if listing.id_place is None and self.operations.item_path is not None:
            for place, id_ in shown.ids.items():
                found = self.read(id_, listing.organization_id)
                if found is not None and comparable(value) in found.values:
                    listing.id_place = place
                    break
        return shown.ids.get(listing.id_place or "")

    # Items

    def item(self, contract_id: str, organization_id: str) -> tuple[Answer, ShownContract | None]:
        """The response for one contract, whatever its status is, and the contract in it.

        Raises NotPublishedError, and ServiceError if there is no answer, or a success that is not this contract.
        """
        path, parameter = self.operations.item_path, self.operations.id_parameter
        if path is None:
            raise _not_published("The OpenAPI document has no operation that reads one contract.")
        if contract_id in ("", ".", ".."):
            raise ConfigurationError(f"{contract_id!r} is not a valid id of a contract. Nothing was sent.\nCorrect it.")
        answer = self._requested(path, contract_id, organization_id)
        if not answer.ok:
            return answer, None
        raw = item_record(read_json(answer), parameter)
        listing = self.lists.get(organization_id)
        listed = listing.find(contract_id) if listing else None
        # What the list has under its id may have none of its own.
        key = contract_id if listed and KEY in listed.ids else None
        shown = ShownContract(contract_id, raw or {}, ids_by_place(raw or {}, key, parameter))
        if raw is None or id_key(contract_id) not in map(id_key, shown.all_ids.values()):
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but not with the contract "
                f"{clean(contract_id, 100)}: its id is not in the answer.",
                status=answer.status,
            )
        return answer, (listing or self._empty(organization_id)).described(shown)

    def _requested(self, path: str, contract_id: str, organization_id: str) -> Answer:
        client = self._client.acting_for(organization_id)
        return client.get(path.replace(PARAMETER, quote(contract_id, safe="")))

    def read(self, contract_id: str, organization_id: str) -> ShownContract | None:
        """A contract as the service shows it alone, by this id and no other, or ``None``."""
        try:
            shown = self.item(contract_id, organization_id)[1]
        except ServiceError:
            return None
        return None if shown is None or self._answers_anything(organization_id) else shown

    def _answers_anything(self, organization_id: str) -> bool:
        """Return whether the service shows something for an id that does not exist, requested once."""
        if organization_id not in self._anything:
            answer = self._requested(self.operations.item_path or "", str(uuid.uuid4()), organization_id)
            self._anything[organization_id] = answer.ok
        return self._anything[organization_id]

    # Presence

    def presence(self, contract_id: str, organization_id: str, *, listed_alone: bool = False) -> Presence:
        """Look for a contract. Raises ServiceError only where the service does not answer at all.

        A contract that is read alone may show more than a list does. With ``listed_alone``, that is left out.
        """
        listed = None
        try:
            listing = self.listing(organization_id)
            listed = listing.find(contract_id)
            why = f"its list of {len(listing.contracts)} contracts does not show it"
            why += "" if listing.complete else f", and is not complete: {listing.why_incomplete}"
        except ServiceError as error:
            why = _answered(error)
        if listed and listed_alone:
            return Presence("", listed)
        try:
            answer, shown = self.item(contract_id, organization_id)
        except ServiceError as error:
            return Presence("", listed) if listed else Presence(f"{_answered(error)} {why}.")
        if shown or listed:
            return Presence("", shown or listed)
        what = f"the request for contract {clean(contract_id, 100)}"
        said = f"The service answered {answer.status} to {what} in organization {organization_id}, and {why}."
        return Presence(said if answer.status in GONE else service_error(answer, what).message.splitlines()[0])

    def presence_of(self, record: Record) -> Presence:
        """Look for the contract of a recorded order. One that a list shows is not read alone."""
        contract_id, request = record.outcome.contract_id, record.request
        if contract_id is None or request is None:
            return Presence("The ledger has no ID of its contract.")
        try:
            found = self.presence(contract_id, self.organization_of(request.end_user), listed_alone=True)
        except ServiceError as error:
            return Presence(error.message.splitlines()[0])
        ended = says_over(found.contract.raw) if found.contract else None
        return found._replace(why=f"It says {ended}.") if ended else found


def _answered(error: ServiceError) -> str:
    """The answer of the service, as a sentence. Raises the error where there is none."""
    if error.status is None and not isinstance(error, NotPublishedError):
        raise error
    return error.message.splitlines()[0]


def advice_on_organizations(users: Sequence[str]) -> str:
    """That the lists do not show the contracts of these end users, and what to do."""
    return (
        f"The lists show no contract of {counted(len(users), 'end user')} with orders in the ledger.\n"
        f"Set organization_id of these end users in end_users of the service's file: {', '.join(users[:5])}"
        f"{', …' if len(users) > 5 else ''}."
    )


def _not_published(sentence: str) -> NotPublishedError:
    then = "If it lists contracts at another path, set contracts.path in its file."
    return NotPublishedError(f"{sentence} So contracts cannot be read back from this service. {then}")
