# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the records of a ledger with the lists of a service, before orders and for what is in doubt.

An order is settled by the contract whose id its answer told, or by exactly one newcomer to the same list. Everything
else names candidates, for a person. Absence proves nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Literal, NamedTuple

from .._catalogue.catalogue import Catalogue
from .._core.errors import LedgerError, ServiceError
from .._core.text import counted, same_id
from .._ledger.order_records import ListedIds, Record, Request
from .._ledger.store import Ledger
from .._product_types.registry import SELF
from .._service.description import Description
from .._service.places import id_key
from .._service.proofs import fields_of, key_of
from .contract_list import UNCLEAR, ContractList, KnownValues, OpenOrder, ShownContract
from .endings import ended_or_failed, over
from .reading import ContractReader

_EMPTY = Catalogue()
#: Of end users, no more are listed.
_MOST_LISTED = 5


class UnrecordedContract(NamedTuple):
    """A contract that the service shows and the ledger lacks. ``doubts`` speak against adopting it."""

    contract: ShownContract
    doubts: tuple[str, ...]


class Presence(NamedTuple):
    """The result of a look for a recorded contract. ``why`` says what was seen in its place, or that it ended.

    ``not_read``: the list in which it would be, that of ``organization``, was not read.
    """

    presence: Literal["present", "unseen", "not_read"]
    why: str = ""
    contract: ShownContract | None = None
    organization: str | None = None


class ExistingContracts(NamedTuple):
    """The contracts like an order that the lists show before it, and the ledger lacks."""

    #: What the claim is to note.
    evidence: ListedIds | None = None
    #: Those that stand, or may stand.
    unrecorded: tuple[ShownContract, ...] = ()
    #: Those that are over, in words.
    over: tuple[str, ...] = ()
    #: Why the order's own list was not read to its end; empty if it was.
    unread: str = ""
    #: So many may be those of orders whose contract is not known.
    explained: int = 0


class Reconciler:
    """Compares these ``records``, which were read after the lists of ``reader``, with what the lists show."""

    def __init__(self, reader: ContractReader, records: Sequence[Record], catalogue: Catalogue = _EMPTY) -> None:
        self.reader, self.records = reader, records
        users = [user.id for user in reader.description.end_users.values()]
        self.known = KnownValues(records, reader.service.config.base_url, catalogue, users)
        self._lists: dict[str, ContractList] = {}

    def listing(self, organization: str) -> ContractList:
        """The list of an organization. Raises ServiceError for one that could not be read."""
        self.reader.read([organization])
        if organization in self.reader.unread:
            raise self.reader.unread[organization]
        if organization not in self._lists:
            read, own = self.reader.lists[organization], self.reader.own
            description = self.reader.description.with_learned(read.learned)
            records = [record for record in read.records if isinstance(record, Mapping)]
            self._lists[organization] = ContractList(
                records,
                fields_of(records, description, self.known.records, own),
                self.known,
                organization_id=organization,
                end_user=self.reader.organizations.get(organization, SELF),
                why_incomplete=read.why_incomplete,
            )
        return self._lists[organization]

    def lists(self) -> dict[str, ContractList]:
        """Return the lists of all organizations. Raises ServiceError."""
        return {organization: self.listing(organization) for organization in self.reader.organizations}

    def own_list(self, end_user: str) -> ContractList:
        """The list in which the contracts of an end user would be. Raises ServiceError."""
        return self.listing(*self.reader.lists_of([end_user]))

    def is_hidden(self, end_user: str) -> bool:
        """Return whether an end user's organization is not known, and the own list shows no end users."""
        if self.reader.organization_of(end_user) is not None:
            return False
        try:
            return not self.own_list(end_user).shows_end_users
        except ServiceError:
            return True

    def why_unread(self, end_user: str) -> str:
        """Return why the list of an end user was not read to its end, with the line for it; empty if it was."""
        try:
            listing = self.own_list(end_user)
        except ServiceError as error:
            return error.message.splitlines()[0]
        if self.is_hidden(end_user):
            return line_for(end_user, self.reader.service.described)
        owners = listing.owners
        if listing.end_user != SELF and owners and owners.isdisjoint({listing.end_user, None, UNCLEAR}):
            return (
                f"The list of organization {listing.organization_id} shows contracts of {min(map(str, owners))}, "
                f"and none of {end_user}.\nCorrect organization_id of {end_user} in end_users."
            )
        is_open = " may " in listing.why_incomplete
        line = "\nIn the service's file, give contracts.next, or contracts.total." if is_open else ""
        return f"{listing.incomplete}{line}"

    def why_incomplete(self, end_users: Iterable[str]) -> str:
        """Return why contracts of these end users may be missing in the lists; empty if none can be."""
        hidden = [user for user in end_users if self.is_hidden(user)]
        whys = [why for user in end_users if user not in hidden and (why := self.why_unread(user))]
        if hidden:
            number = f"The organizations of {counted(len(hidden), 'end user')} with orders in the ledger are not known."
            whys.append(f"{number}\nGive organization_id in end_users for: {', '.join(hidden[:_MOST_LISTED])}.")
        return "\n".join(dict.fromkeys(whys))

    @cached_property
    def end_users(self) -> list[str]:
        """The end users with recorded contracts here, and those with a list; the own organization is the first."""
        requests = [record.request for record in self.known.records if record.request and self.is_here(record)]
        users = (SELF, *(request.end_user for request in requests), *self.reader.organizations.values())
        return [user for user in dict.fromkeys(users) if user]

    # Orders that are about to be sent

    def existing(self, request: Request) -> ExistingContracts:
        """Return the contracts like an order that is about to be sent."""
        unread, is_domain = self.why_unread(request.end_user), request.product_type == "domain"
        stands, gone = list[ShownContract](), list[str]()
        for listing in self._compared(request):
            for shown in listing.contracts:
                if listing.is_same(shown, request) and not self._is_recorded(shown, request):
                    ended = over(shown.raw, listing.fields, is_domain=is_domain)
                    gone += [f"{shown.name} ({ended})"] if ended else []
                    stands += [] if ended else [shown]
        # Orders whose contract is not known may have bought as many.
        explained = sum(is_rival(order.request, request) for order in self.known.open)
        evidence = None if unread or stands or gone else self._evidence(request)
        return ExistingContracts(evidence, tuple(stands), tuple(gone), unread, explained)

    def _compared(self, request: Request) -> Iterator[ContractList]:
        """Yield the lists to compare an order with: its own, and for a domain, which exists once, all."""
        own = self.reader.lists_of([request.end_user])
        others = self.reader.lists if request.product_type == "domain" else ()
        for organization in dict.fromkeys((*own, *others)):
            if organization in self.reader.lists:
                yield self.listing(organization)

    def _is_recorded(self, shown: ShownContract, request: Request) -> bool:
        """Return whether the ledger has a contract. One that it has without its name is to be filled in with that."""
        record = self.holder(shown)
        settings = record.request.settings if record and record.request else {}
        return record is not None and (key_of(request) is None or not {"hostname", "domain"}.isdisjoint(settings))

    def holder(self, shown: ShownContract) -> Record | None:
        """Return the order that has a contract."""
        return next((self.known.recorded[key] for key in shown.id_keys if key in self.known.recorded), None)

    def _evidence(self, request: Request) -> ListedIds | None:
        """Return what was listed before an order, where that can settle it later."""
        listing, key = self.own_list(request.end_user), key_of(request)
        settling = listing.settling(request)
        needed = {"id", "product", *([key[0]] if key else ()), *([] if listing.is_owned else ["end_user"])}
        if not needed <= {*settling} or (key and not listing.names_all(request)):
            return None
        return ListedIds(listing.ids, source=self.source(listing, settling))

    def source(self, listing: ContractList, names: Iterable[str]) -> str:
        """Return what tells a list, read by the places of these fields, from others, as a digest."""
        places = {name: str(listing.fields.get(name)) for name in (*names, "records")}
        config = self.reader.service.config
        account = config.base_url, config.api_key, listing.organization_id
        parts = [*account, self.reader.path, listing.is_owned, places]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_here(self, record: Record) -> bool:
        """Return whether an order is of this organization."""
        return record.request is not None and record.request.organization_id in ("", self.reader.own)

    # Recorded contracts, and those that are not

    def presence(self, contract_id: str, end_user: str | None) -> Presence:
        """Look for a contract in the list in which it would be; of an unknown end user, in all that were read."""
        organizations = self.reader.lists_of([end_user]) if end_user else [*self.reader.organizations]
        whys = []
        for organization in organizations:
            try:
                listing = self.listing(organization)
            except ServiceError as error:
                whys.append(error.message.splitlines()[0])
                continue
            if shown := listing.find(contract_id):
                ended = over(shown.raw, listing.fields, is_domain=bool(shown.domain))
                return Presence("present", f"It says {ended}." if ended else "", shown, organization)
            cut = f", and is not complete: {listing.why_incomplete}" if listing.why_incomplete else ""
            whys.append(
                f"The list of {counted(len(listing.contracts), 'contract')} of {organization} does not show it{cut}."
            )
            if end_user and self.is_hidden(end_user):
                return Presence("not_read", line_for(end_user, self.reader.service.described))
        is_read = any(organization in self.reader.lists for organization in organizations)
        return Presence("unseen" if is_read else "not_read", " ".join(whys))

    def presence_of(self, record: Record) -> Presence:
        """Look for the contract of a recorded order."""
        if record.outcome.contract_id is None or record.request is None:
            return Presence("unseen", "The ledger has no ID of its contract.")
        return self.presence(record.outcome.contract_id, record.request.end_user)

    def absent(self, names: Collection[str] | None) -> list[tuple[Record, Presence]]:
        """Return the recorded contracts of this organization that no list shows, or whose list was not read."""
        here = (record for record in self.known.recorded.values() if self.is_here(record))
        looks = ((record, self.presence_of(record)) for record in here if names is None or record.name in names)
        return [(record, presence) for record, presence in looks if presence.contract is None]

    def unrecorded(self, settled: Mapping[str, ShownContract]) -> list[UnrecordedContract]:
        """Return the contracts without a record in all lists, each once, but for those that settle these orders."""
        done = {id_key(contract.id) for contract in settled.values()}
        unsettled = [order for order in self.known.open if order.record.name not in settled]
        unrecorded: dict[str, UnrecordedContract] = {}
        for listing in self.lists().values():
            for shown in listing.contracts:
                if not self.holder(shown) and shown.id_keys.isdisjoint(done):
                    contract = UnrecordedContract(shown, tuple(_doubts(listing, shown, unsettled)))
                    unrecorded.setdefault(id_key(shown.id) or str(id(shown)), contract)
        return [*unrecorded.values()]

    def keep_addresses(self, opened: Callable[[], Ledger]) -> None:
        """Keep in the ledger which addresses the lists that were read show of recorded contracts.

        ``opened`` opens it to be written. One that cannot be is left as it is: what was read is not wrong without it.
        """
        changed = {}
        for listing in map(self.listing, self.reader.lists):
            is_certain = listing.fields.is_given("address") and listing.fields.settles("id")
            for shown in listing.contracts if is_certain else ():
                record = self.known.recorded.get(id_key(shown.id))
                if record is not None:
                    address = None if listing.why_no_address(shown) else shown.address
                    if record.outcome.address != address:
                        changed[record.name] = (str(record.outcome.contract_id), address)
        if changed:
            with suppress(LedgerError):
                opened().note_addresses(changed)


def _doubts(listing: ContractList, shown: ShownContract, unsettled: Iterable[OpenOrder]) -> Iterator[str]:
    """Yield what speaks against adopting a contract."""
    names = ", ".join(order.record.name for order in unsettled if listing.is_same(shown, order.request))
    if ended := ended_or_failed(shown.raw, listing.fields):
        yield f"It says {ended}, so it may not stand."
    if not shown.products:
        yield "It shows no known product, so nothing says that it is a contract."
    if names:
        yield f"It may be what {names} bought: settle that first."
    if not listing.fields.settles("id"):
        yield "That this is its id is not proven: give contracts.id."


def line_for(end_user: str, described: Description) -> str:
    """Return that an end user's contracts are not compared with anything, and the line for that."""
    known = described.end_user(end_user)
    name = known.name if known else "customer"
    return (
        f"The organization of end user {end_user} is not known, so its contracts are not read.\n"
        "In the service's file, give end_users: "
        f'{{{name}: {{id: {end_user}, organization_id: "…"}}}}.'
    )


def is_rival(one: Request, other: Request) -> bool:
    """Return whether another order, of whatever organization, is for the same thing."""
    key, wanted = key_of(one), key_of(other)
    is_same = key == wanted if wanted else key is None and same_id(one.product, other.product)
    return is_same and (other.product_type == "domain" or same_id(one.end_user, other.end_user))
