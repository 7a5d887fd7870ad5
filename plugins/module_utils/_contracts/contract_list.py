# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts as the service lists them: all pages of a list, whether it is complete, and what its values tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .._core.errors import Advice, ServiceError
from .._core.text import by_folded_name, clean, is_uuid
from .._http.transport import Answer
from .._ledger.order_records import ListedIds, Record
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_PRODUCTS, PRODUCT_TYPES, SELF, product_type_of_id
from .._records.contract_ids import identifier
from .._records.lists import RecordList, entry_record, find_list
from .._records.pages import PageReader
from .._service.failures import ERRORS, envelope_failure
from .values import (
    ANY,
    Leaves,
    OrderedValues,
    Place,
    Places,
    Raw,
    comparable,
    id_key,
    is_domain,
    leaves,
    named_owners,
    natural_key,
    values_of,
)

#: Elements for the id of another contract, which this one replaces or belongs to.
_OF_ANOTHER = re.compile("prev|parent|replace|former|old|origin|predecessor|successor|related|renew")


class KnownValues:
    """Products (names by UUID), end users, and recorded contracts (by id) of one service."""

    def __init__(self, records: Iterable[Record], base_url: str, products: Mapping[str, str | None]) -> None:
        self.products = {id_key(id_): name for id_, name in {**dict.fromkeys(DOCUMENTED_PRODUCTS), **products}.items()}
        end_users: set[str] = set()
        self.recorded: dict[str, Record] = {}
        self._types: dict[str, ProductType | None] = {}
        for record in records:
            request = record.request
            if request is not None:
                if request.service not in ("", base_url):
                    continue
                if request.product:
                    self.products.setdefault(id_key(request.product), request.product_name)
                    self._types[id_key(request.product)] = PRODUCT_TYPES.get(request.product_type)
                end_users |= {id_key(request.end_user)} - {SELF, ""}
            if record.status == "ordered" and record.outcome.contract_id:
                self.recorded[id_key(record.outcome.contract_id)] = record
        self.end_users = frozenset(end_users)

    def record_of(self, ids: Iterable[str]) -> Record | None:
        """Return the order that has a contract with these ids, which are in the form in which ids are compared."""
        return next((self.recorded[each] for each in sorted(ids) if each in self.recorded), None)

    def type_of(self, product: str | None) -> ProductType | None:
        """Return the type of a product, if the API specification or the ledger tells it."""
        return self._types.get(product) or product_type_of_id(product) if product else None

    def products_in(self, values: frozenset[str]) -> frozenset[str]:
        """Return the products that these values show, by UUID or name."""
        found = values & self._products_by_value.keys()
        return frozenset(id_ for value in found for id_ in self._products_by_value[value])

    @cached_property
    def _products_by_value(self) -> dict[str, set[str]]:
        """The UUIDs of products by what shows them: a catalogue may have 100,000."""
        found: dict[str, set[str]] = {}
        for id_, name in self.products.items():
            for value in (id_, comparable(name)) if name else (id_,):
                found.setdefault(value, set()).add(id_)
        return found


@dataclass
class ShownContract:
    """One contract as the service shows it; ``None`` for what no value of the record tells.

    ``ids`` are all of its ids by place, ``id`` is the one to use. ``products`` are the known ones that it shows, and
    ``product`` is the only one.
    """

    id: str
    raw: Raw = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    products: frozenset[str] = frozenset()
    product: str | None = None
    end_user: str | None = None
    hostname: str | None = None
    domain: str | None = None

    @cached_property
    def leaves(self) -> Leaves:
        """The single values of the record, with their places."""
        return tuple(leaves(self.raw))

    @cached_property
    def values(self) -> frozenset[str]:
        """All values of the record; of an IRI also the id at its end."""
        return values_of(value for _place, value in self.leaves)

    @cached_property
    def all_ids(self) -> Mapping[str, str]:
        """Its ``ids``, and all other values at its top that can be its id, whatever they are called, by place."""
        members = by_folded_name(self.raw).items()
        found = {name: identifier(value) for name, value in members if not _OF_ANOTHER.match(name)}
        return {**self.ids, **{place: id_ for place, id_ in found.items() if id_ and place not in self.ids}}

    @cached_property
    def id_keys(self) -> frozenset[str]:
        """All of its ids, in the form in which ids are compared."""
        return frozenset(id_key(each) for each in (self.id, *self.ids.values()))

    @cached_property
    def uuids(self) -> Mapping[Place, str]:
        """The UUIDs that it shows outside lists, of an IRI that at its end, by place. Its own ids are none of them."""
        shown = ((place, identifier(value)) for place, value in self.leaves if ANY not in place)
        found = {place: text.lower() for place, text in shown if text and is_uuid(text)}
        return {place: text for place, text in found.items() if text not in self.id_keys}

    def same_product(self, ordered: OrderedValues) -> bool | None:
        """Return whether it shows the order's product and no other; ``None`` if it shows none, or several with it."""
        product = ordered.request.product
        if id_key(product) not in self.products:
            return False if self.products and product else None
        return True if len(self.products) == 1 else None

    def may_be(self, ordered: OrderedValues) -> bool:
        """Return whether it may be the contract of an order."""
        return ordered.is_shown_by(self.values) and self.same_product(ordered) is not False


@dataclass
class ContractList:
    """All contracts that one read of an organization returned. ``why_incomplete`` is empty if none can be missing.

    ``own`` is the ID of the own organization, ``owner`` whose contracts are in this list according to the user.
    ``places`` are where its recorded contracts show what was ordered. ``ids`` are those of all records, at any place
    that may hold one. ``id_place`` is where contracts have theirs, once that is proven.
    """

    contracts: tuple[ShownContract, ...]
    organization_id: str
    known: KnownValues
    own: str
    owner: str | None = None
    why_incomplete: str = ""
    places: Places = field(default_factory=dict)
    ids: ListedIds = field(default_factory=lambda: ListedIds(frozenset()))
    id_place: str | None = None
    _end_users: dict[frozenset[str], frozenset[str]] = field(default_factory=dict, init=False)

    @property
    def complete(self) -> bool:
        return not self.why_incomplete

    @property
    def incomplete(self) -> str:
        """The sentence that says why it is not complete, or an empty string."""
        return "" if self.complete else f"The list of contracts is not complete: {self.why_incomplete}."

    def find(self, contract_id: str) -> ShownContract | None:
        """Return the contract with this id."""
        return self._by_id.get(id_key(contract_id))

    @cached_property
    def _by_id(self) -> dict[str, ShownContract]:
        return {key: each for each in reversed(self.contracts) for key in each.id_keys}

    def described(self, shown: ShownContract) -> ShownContract:
        """Fill in what the values of a contract tell, and return it."""
        at, values = self.places.get("product"), shown.values
        if at:
            values = values_of(value for place, value in shown.leaves if place in at)
        products = self.known.products_in(values)
        # One that the catalogue lacks, where recorded contracts show theirs.
        those = products or frozenset(filter(is_uuid, values if at else ()))
        shown.products, shown.product = products, next(iter(those)) if len(those) == 1 else None
        kind = self.known.type_of(shown.product)
        # What is of no known product is a host, unless its element is called domain.
        identity = kind.identity if kind else "hostname"
        key = natural_key(identity, shown.leaves, self.places) if identity else None
        of_domain = identity == "domain" or (key is not None and kind is None and is_domain(shown.leaves, key))
        shown.hostname, shown.domain = (None, key) if of_domain else (key, None)
        shown.end_user = self._owner_of(shown)
        return shown

    # Owners

    def users_in(self, shown: ShownContract, end_user: str) -> frozenset[str]:
        """Return the end users that a contract shows: known ones, with ``end_user``, and UUIDs where these stand."""
        more = frozenset(filter(is_uuid, [id_key(end_user)])) - self.known.end_users
        if more not in self._end_users:
            self._end_users[more] = self._with_those_beside(more | self.known.end_users)
        return self._end_users[more] & shown.values

    def _with_those_beside(self, known: frozenset[str]) -> frozenset[str]:
        """End users, and all UUIDs that stand where each contract that shows one does so.

        Of a recorded contract that is its own end user. One of the own organization shows no end user's UUID.
        """
        showing, others = [], {*self._others}
        for each in self.contracts:
            owner = self.recorded_owner(each)
            at = frozenset(place for place, uuid in each.uuids.items() if uuid in ((owner,) if owner else known))
            if owner == SELF:
                others |= {*each.uuids.values()}
            elif at:
                showing.append(at)
        common = frozenset.intersection(*showing) if showing else frozenset()
        beside = (uuid for each in self.contracts for place, uuid in each.uuids.items() if place in common)
        return known | (frozenset(beside) - others)

    def recorded_owner(self, shown: ShownContract) -> str | None:
        """Return the end user of a recorded contract, or ``__self__``; ``None`` if it is not recorded."""
        record = self.known.record_of(shown.id_keys)
        return id_key(record.request.end_user) if record and record.request else None

    def strangers(self, shown: ShownContract) -> frozenset[str]:
        """Return the UUIDs of a supposed own contract that may be those of end users whom the ledger lacks.

        They stand where no recorded own contract shows one.
        """
        return (
            frozenset(uuid for place, uuid in shown.uuids.items() if place not in self.places.get("own", ()))
            - self._others
        )

    @cached_property
    def _others(self) -> frozenset[str]:
        """UUIDs that are no end user's."""
        return frozenset({*self.known.products, id_key(self.own)})

    def _owner_of(self, shown: ShownContract) -> str | None:
        """The end user of a contract, ``__self__``, or ``None`` if neither the record nor the ledger says.

        The user says whose a list is, which counts if the record shows no owner.
        """
        named, own = named_owners(shown.leaves), comparable(self.own)
        users = frozenset(filter(is_uuid, named - {own}))
        if users:
            return next(iter(users)) if len(users) == 1 else None
        if not named.isdisjoint({SELF, own}):
            return SELF
        return (None if named and self.owner == SELF else self.owner) or self.recorded_owner(shown)


class ContractListReader(PageReader):
    """Reads the pages of a list of contracts."""

    what, noun = "the request for the list of contracts", "contracts"
    advice = "Check base_url and organization_id, or set contracts.path in the service's file."
    #: The name of the list. Where none tells lists apart, that of the first page is the one.
    _name = noun
    #: The parameter of the path by which one of them is read, which names the element of its id.
    id_parameter = ""

    def take(self, answer: Answer, body: Any) -> RecordList | None:
        found = find_list(body, self._name)
        self._name = found.name if found and found.name else self._name
        records = [(key, entry_record(raw, self.id_parameter)) for key, raw in found.entries] if found else []
        if found is None or not all(isinstance(raw, Mapping) for _key, raw in records):
            return None
        contrary = next(
            (each for envelope in found.envelopes for each in envelope_failure(_said_beside(envelope))), None
        )
        if contrary is not None:
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but says that it failed: {contrary}.",
                Advice("Check organization_id, and look for the reason in the customer portal."),
                status=answer.status,
            )
        return RecordList(records, found.envelopes, found.taken)


def _said_beside(envelope: Mapping[Any, Any]) -> dict[str, Any]:
    """The members of an object without the records in it, which may well tell of failures of their own."""
    members = by_folded_name(envelope).items()
    return {name: value for name, value in members if not isinstance(value, (list, Mapping)) or ERRORS.fullmatch(name)}
