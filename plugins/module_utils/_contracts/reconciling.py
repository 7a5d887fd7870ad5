# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the records of a ledger with the contracts that a service shows. Nothing here writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from .._core.errors import NotPublishedError, ServiceError
from .._core.text import clean, same_id
from .._ledger.order_records import ListedIds, Record, Request
from .._product_types.registry import SELF
from .contract_list import ContractList, ShownContract
from .judgments import Judge, Judgment
from .reader import ContractReader
from .values import OrderedValues, comparable, id_key, says_ended, says_over


class UnrecordedContract(NamedTuple):
    """A contract that the service shows and the ledger lacks. ``doubts`` speak against adopting it."""

    contract: ShownContract
    doubts: tuple[str, ...]


class ExistingContracts(NamedTuple):
    """The contracts in a list before an order: the ids of those like it that the ledger lacks.

    ``over`` are those of them that say that they are over, in words. ``evidence`` is what the order's claim is to note.
    ``unclear`` says why the list does not tell whether others are like the order; it is empty if it does. ``unread``:
    it is published, and could not be read, or is not complete.
    """

    evidence: ListedIds | None = None
    unrecorded: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    unclear: str = ""
    unread: bool = False


class Reconciler:
    """Compares the records of one ledger with one service, in the context of one organization: those of ``reader``."""

    def __init__(self, reader: ContractReader) -> None:
        self.reader = reader
        self.records = [record for record in reader.records if self._is_here(record.request)]

    def _is_here(self, request: Request | None) -> bool:
        return request is None or (self._is_of_service(request) and request.organization_id in ("", self.reader.own))

    def _is_of_service(self, request: Request) -> bool:
        return request.service in ("", self.reader.base_url)

    def listings(self) -> dict[str, ContractList]:
        """Return the lists of contracts, by organization. Raises ServiceError, also for one that is not published."""
        return {organization: self.reader.listing(organization) for organization in self.reader.all_organizations}

    # Orders whose contract is not known

    @cached_property
    def _sought(self) -> dict[str, OrderedValues]:
        """The orders, by name, that may have bought a contract that is shown and not recorded."""
        return _sought_by(self.records)

    @cached_property
    def judgments(self) -> list[Judgment]:
        """The results for orders in doubt and those without an id. All are judged: one may have bought another's."""
        # An order with a living run is left alone, but may have bought what another one looks for.
        reader, sought = self.reader, self._sought
        judges = {
            name: Judge(reader, record, ordered, reader.listing(reader.organization_of(ordered.request.end_user)))
            for record in self.records
            if (ordered := sought.get(name := record.name)) and record.status != "pending"
        }
        claimed = {name: found for name, judge in judges.items() if (found := judge.by_response()) is not None}
        taken = Counter(id_key(each.contract.id) for each in claimed.values() if each.contract)
        left = [each for name, each in sought.items() if name not in claimed or claimed[name].contract is None]
        # One of another organization may have bought it, too.
        elsewhere = [record for record in reader.records if not self._is_here(record.request)]
        left += [each for each in _sought_by(elsewhere).values() if self._is_of_service(each.request)]
        made = []
        for name, judge in judges.items():
            found = claimed.get(name)
            if found is None:
                found = judge.by_newcomer([each for each in left if each is not judge.ordered], taken)
            elif found.contract is not None and taken[id_key(found.contract.id)] > 1:
                found = judge.ambiguous(
                    [found.contract], f"Contract {found.contract.id} would be that of several orders."
                )
            made.append(found)
        for record in reader.records:
            if record.status == "in_doubt" and record.name not in judges:
                why, request = "What was ordered is not recorded.", record.request
                if request is not None:
                    at = f"at {request.service}, for organization {request.organization_id}"
                    why = f"It was ordered {at}, not read here."
                made.append(Judgment(record, (why,)))
        return made

    # Recorded contracts, and those that are not

    def unseen(self, names: Collection[str] | None) -> Iterator[Judgment]:
        """Yield recorded contracts that the service does not show."""
        for record in self.records:
            contract_id = record.outcome.contract_id
            if record.status == "ordered" and contract_id and (names is None or record.name in names):
                found = self.reader.presence_of(record)
                if found.contract is None:
                    yield Judgment(record, (found.why,), candidates=(contract_id,))

    def unrecorded(self) -> list[UnrecordedContract]:
        """Contracts without a record in all organizations that are read, each once."""
        settled = {each.name: id_key(each.contract.id) for each in self.judgments if each.contract is not None}
        done = {*self.reader.known.recorded, *settled.values()}
        open_ = [each for name, each in self._sought.items() if name not in settled]
        found: dict[str, UnrecordedContract] = {}
        for listing in self.listings().values():
            missing = [each for each in listing.contracts if each.id_keys.isdisjoint(done)]
            if missing:
                self.reader.prove_ids(listing)
            at = listing.id_place
            for each in missing:
                shown = replace(each, id=each.ids.get(at or "", each.id))
                names = ", ".join(one.request.name for one in open_ if shown.may_be(one))
                ended = says_ended(shown.raw)
                doubts = (
                    ended and f"It says {ended}, so it may not stand.",
                    "" if shown.products else "It shows no known product, so nothing says that it is a contract.",
                    names and f"It may be what {names} bought: settle that first.",
                    "That this is its id is not proven." if at is None else "",
                )
                found.setdefault(id_key(shown.id), UnrecordedContract(shown, tuple(filter(None, doubts))))
        return list(found.values())

    # Orders that are about to be sent

    def existing(self, request: Request) -> ExistingContracts:
        """The contracts like an order that is about to be sent. A domain exists once, so its owner does not matter."""
        ordered = OrderedValues(request)
        try:
            listing = self.reader.listing(self.reader.organization_of(request.end_user))
        except ServiceError as error:
            unread = not isinstance(error, NotPublishedError)
            return ExistingContracts(unclear=error.message.splitlines()[0], unread=unread)
        similar = [shown for shown in listing.contracts if ordered.is_shown_by(shown.values)]
        like_it = [
            each
            for each in similar
            if not self._is_recorded(each, ordered)
            and each.same_product(ordered) is not False
            and self._may_be_the_same(each, ordered)
            and (ordered.kind == "domain" or self._may_be_of_user(each, ordered, listing))
        ]
        over = tuple(f"contract {clean(each.id, 100)} ({said})" for each in like_it if (said := says_over(each.raw)))
        stands = tuple(each.id for each in like_it if not says_over(each.raw))
        # Orders whose contract is not known may have bought as many.
        if len(stands) <= sum(self._may_have_bought_one(each, like_it, ordered) for each in self._sought.values()):
            stands = ()
        if not listing.complete:
            return ExistingContracts(None, stands, over, listing.incomplete, unread=True)
        absent = all(says_over(shown.raw) for shown in similar)
        what = [(each.hostname or each.domain) if ordered.kind else each.products for each in listing.contracts]
        nothing = (
            f"No contract that is listed shows a {ordered.kind or 'known product'}." if what and not any(what) else ""
        )
        evidence = listing.ids._replace(absent=absent and not nothing)
        return ExistingContracts(evidence, stands, over, self._may_be_elsewhere(ordered, listing) or nothing)

    def add(self, record: Record) -> bool:
        """Add what was bought since its list was read, so that the list can serve further orders.

        Return whether it can: not if the contract is not known.
        """
        request, contract_id = record.request, record.outcome.contract_id
        if request is None or record.status != "ordered" or contract_id is None:
            return False
        organization, ordered = self.reader.organization_of(request.end_user), OrderedValues(request)
        listing = self.reader.lists.get(organization)
        if listing is not None:
            bought = ShownContract(contract_id, {"product": request.product, ordered.kind or "": ordered.key})
            ids = listing.ids._replace(ids=listing.ids.ids | {id_key(contract_id)})
            self.reader.lists[organization] = replace(listing, contracts=(*listing.contracts, bought), ids=ids)
        self.reader.known.recorded[id_key(contract_id)] = record
        return True

    def _is_recorded(self, shown: ShownContract, ordered: OrderedValues) -> bool:
        """Return whether a contract is recorded. A record without a natural key is to be adopted with it."""
        record = self.reader.known.record_of(shown.id_keys)
        settings = record.request.settings if record and record.request else {}
        return record is not None and (ordered.kind is None or not {"hostname", "domain"}.isdisjoint(settings))

    @staticmethod
    def _may_have_bought_one(one: OrderedValues, like_it: Sequence[ShownContract], ordered: OrderedValues) -> bool:
        """Return whether an order whose contract is not known may have bought one of those like another order.

        Of webhosting only that of the same end user, because a contract shows nothing that tells it from others.
        """
        same_user = same_id(one.request.end_user, ordered.request.end_user)
        return (bool(one.kind) or same_user) and any(each.may_be(one) for each in like_it)

    def _may_be_the_same(self, shown: ShownContract, ordered: OrderedValues) -> bool:
        """Return whether a contract that shows the natural key may be about that: a domain's shows nameservers, too."""
        if ordered.key is None:
            return True
        theirs, kind = shown.hostname or shown.domain, self.reader.known.type_of(shown.product)
        if theirs is not None and comparable(theirs) != comparable(ordered.key):
            return False
        return kind is None or kind.identity == ordered.kind

    def _may_be_of_user(self, shown: ShownContract, ordered: OrderedValues, listing: ContractList) -> bool:
        """Return whether a contract that shows the natural key, or without one the product, may be of the end user.

        A hostname says much, so that only another owner speaks against it. A product says nothing: the owner must be
        shown, or the list be theirs.
        """
        known, user = self.reader.known, id_key(ordered.request.end_user)
        if user == SELF and ordered.kind:
            # A UUID that no order tells for an end user's may stand for the own organization.
            return known.end_users.isdisjoint(shown.values)
        if not listing.users_in(shown, user) <= {user}:
            return False
        if user in shown.values or shown.end_user == user:
            return True
        return shown.end_user is None and (bool(ordered.kind) or (user == SELF and not listing.strangers(shown)))

    def _may_be_elsewhere(self, ordered: OrderedValues, listing: ContractList) -> str:
        """Why another list may have a contract like an order, or an empty string."""
        user = ordered.request.end_user
        if user == SELF or listing.organization_id != self.reader.own:
            return ""
        if any(listing.users_in(each, user) or each.end_user not in (None, SELF) for each in listing.contracts):
            return ""
        return (
            f"The list of organization {self.reader.own} shows no contracts of end users.\n"
            f"Those of {user} may be elsewhere: set its organization_id in end_users of the service's file."
        )


def _sought_by(records: Sequence[Record]) -> dict[str, OrderedValues]:
    return {
        each.name: OrderedValues(each.request)
        for each in records
        if each.request is not None
        and (each.status in ("in_doubt", "pending") or (each.status == "ordered" and not each.outcome.contract_id))
    }
