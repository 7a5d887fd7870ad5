# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts as a list shows them, read by the fields of its description; whose they are, and what is the same thing."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from .._catalogue.catalogue import Catalogue
from .._core.addresses import usable_address
from .._core.errors import UnknownProductError
from .._core.text import clean, is_uuid
from .._ledger.order_records import Record, Request
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_PRODUCTS, PRODUCT_TYPES, SELF, product_type_of_id
from .._service.contract_ids import identifier
from .._service.places import Raw, comparable, forms, forms_at, id_key, is_name_like, leaves, only_at, texts_at
from .._service.proofs import ListFields, key_of, own_forms, product_forms
from .endings import over

#: The end user of a contract that shows one, where it is not clear who that is.
UNCLEAR = "?"
Whose = Literal["theirs", "others", "unclear"]


class OpenOrder(NamedTuple):
    """An order that may have bought a contract that is shown and not recorded."""

    record: Record
    request: Request


def _open_orders(records: Iterable[Record]) -> list[OpenOrder]:
    return [
        OpenOrder(record, record.request)
        for record in records
        if record.request
        and (
            record.status in ("in_doubt", "pending") or (record.status == "ordered" and not record.outcome.contract_id)
        )
    ]


class KnownValues:
    """The ledger's records of one service, with their end users, and the products of these and of the catalogue."""

    def __init__(
        self, records: Iterable[Record], base_url: str, catalogue: Catalogue, end_users: Iterable[str] = ()
    ) -> None:
        self.records = [
            record for record in records if record.request is None or record.request.service in ("", base_url)
        ]
        requests = [record.request for record in self.records if record.request]
        self.end_users = frozenset(map(id_key, (*end_users, *(request.end_user for request in requests)))) - {SELF, ""}
        ordered = [record for record in self.records if record.status == "ordered"]
        #: The orders whose contract is known, by its id.
        self.recorded = {id_key(id_): record for record in ordered if (id_ := record.outcome.contract_id)}
        #: Those whose contract is not known.
        self.open = _open_orders(self.records)
        self._catalogue = catalogue
        bought = [request for request in requests if request.product]
        self._types = {id_key(request.product): PRODUCT_TYPES.get(request.product_type) for request in bought}
        #: The names of products by UUID. Of one in the ledger and one in the catalogue, the latter.
        self.products = _names_of_products(bought, catalogue)

    def type_of(self, product: str) -> ProductType | None:
        """Return the type of a product, if the ledger, the API specification or the catalogue tells it."""
        if product not in self._types:
            try:
                self._types[product] = self._catalogue.find(product).product_type
            except UnknownProductError:
                self._types[product] = product_type_of_id(product)
        return self._types[product]

    def products_in(self, values: frozenset[str]) -> frozenset[str]:
        """Return the products that these values show, by UUID or name."""
        shown = values & self._products_by_value.keys()
        return frozenset(id_ for value in shown for id_ in self._products_by_value[value])

    @cached_property
    def _products_by_value(self) -> dict[str, set[str]]:
        """The UUIDs of products by what shows them: a catalogue may have 100,000."""
        by_value: dict[str, set[str]] = {}
        for id_, name in self.products.items():
            for value in (id_, comparable(name)) if name else (id_,):
                by_value.setdefault(value, set()).add(id_)
        return by_value


def _names_of_products(bought: Iterable[Request], catalogue: Catalogue) -> dict[str, str | None]:
    names = {request.product: request.product_name for request in bought} | dict.fromkeys(DOCUMENTED_PRODUCTS)
    names |= {product.id: product.name for product in catalogue.products}
    return {id_key(id_): name for id_, name in names.items()}


@dataclass(frozen=True)
class ShownContract:
    """One contract as the service shows it. What no field of the description tells is ``None``, of the id ``""``."""

    id: str
    raw: Raw = field(default_factory=dict)
    hostname: str | None = None
    domain: str | None = None
    #: The known products that it shows.
    products: frozenset[str] = frozenset()
    #: A UUID, ``__self__``, or UNCLEAR.
    end_user: str | None = None
    #: An IP address at the place that the file gives.
    address: str | None = None
    #: Whether the place of its id is given or proven.
    has_certain_id: bool = True

    @cached_property
    def id_keys(self) -> frozenset[str]:
        """The forms of its id; where the place of that is not certain, of all that may be one."""
        at_top = [] if self.has_certain_id else map(identifier, self.raw.values())
        return frozenset(id_key(id_) for id_ in (self.id, *at_top) if id_)

    @property
    def product(self) -> str | None:
        return next(iter(self.products)) if len(self.products) == 1 else None

    @cached_property
    def values(self) -> frozenset[str]:
        """The forms of all values of the record."""
        return values_of(self.raw)

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"contract {clean(self.id, 100)}" if self.id else "a contract without a known ID"


def values_of(raw: Raw) -> frozenset[str]:
    """Return the forms of all values of a record."""
    return frozenset(form for _place, value in leaves(raw) for form in forms(value))


class ContractList:
    """The contracts of one organization's list, read by ``fields``. ``why_incomplete`` is empty if none can be missing.

    ``end_user`` is whose list this is. ``is_owned``: a contract without an owner belongs to that one.
    """

    def __init__(
        self,
        records: Iterable[Raw],
        fields: ListFields,
        known: KnownValues,
        *,
        organization_id: str,
        end_user: str = SELF,
        why_incomplete: str = "",
    ) -> None:
        self.fields, self.known = fields, known
        self.organization_id, self.end_user = organization_id, end_user
        self.is_owned = end_user != SELF or bool(fields.description.get("contracts.owned_by_list"))
        names = ("id", "hostname", "domain", "product", "end_user", "address")
        self._place_of = {name: fields.get(name) for name in names}
        self._is_certain = {name: fields.settles(name) for name in names}
        self._own = own_forms(fields.get("own"))
        self._here = frozenset({SELF, comparable(organization_id)})
        self.contracts = tuple(self._shown(raw) for raw in records)
        counts = Counter(id_key(shown.id) for shown in self.contracts)
        #: The ids in the form in which they are compared.
        self.ids = frozenset(counts)
        self.why_incomplete = why_incomplete or _why_ids_lack(counts, len(self.contracts))

    @property
    def incomplete(self) -> str:
        """The sentence that says why it is not complete, or an empty string."""
        return f"The list of contracts is not complete: {self.why_incomplete}." if self.why_incomplete else ""

    def find(self, contract_id: str) -> ShownContract | None:
        """Return the contract with this id."""
        return self._by_id.get(id_key(contract_id))

    @cached_property
    def _by_id(self) -> dict[str, ShownContract]:
        return {key: shown for shown in reversed(self.contracts) for key in shown.id_keys}

    @cached_property
    def owners(self) -> frozenset[str | None]:
        """The end users that its contracts show."""
        return frozenset(shown.end_user for shown in self.contracts)

    def settling(self, request: Request) -> tuple[str, ...]:
        """Return the fields by which this list settles an order."""
        key = key_of(request)
        names = ("id", *([key[0]] if key else ()), "product", "end_user", "own")
        return tuple(filter(self.fields.settles, names))

    # Contracts

    def _shown(self, raw: Raw) -> ShownContract:
        places = self._place_of
        products = self.known.products_in(forms_at(raw, places["product"]))
        if not products and not self._is_certain["product"]:
            products = self.known.products_in(values_of(raw))
        names = {name: only_at(raw, places[name]) for name in ("hostname", "domain")}
        if places["hostname"] == places["domain"]:
            # Of one place for both, the product tells which it is.
            kinds = {kind.identity for product in products if (kind := self.known.type_of(product))}
            names["hostname" if kinds == {"domain"} else "domain"] = None
        address = usable_address(texts_at(raw, places["address"])) if self.fields.is_given("address") else None
        return ShownContract(
            identifier(only_at(raw, places["id"])) or "",
            raw,
            **names,
            products=products,
            end_user=self._owner_of(raw),
            address=address,
            has_certain_id=self._is_certain["id"],
        )

    def _owner_of(self, raw: Raw) -> str | None:
        """Whose a contract says to be: a UUID, ``__self__`` for the own organization, UNCLEAR, or ``None``."""
        place = self._place_of["end_user"]
        shown = forms_at(raw, place)
        if not shown:
            return SELF if place and "" in self._own and self.end_user == SELF else None
        if shown & self._here:
            return self.end_user
        if shown & self._own:
            return SELF
        users = [user for user in shown if is_uuid(user)]
        return users[0] if len(users) == 1 and users[0] not in self.known.products else UNCLEAR

    # Whose

    def whose(self, shown: ShownContract, request: Request) -> Whose:
        """Return whether a contract belongs to the end user of an order."""
        user, owner = id_key(request.end_user), shown.end_user
        if owner == user or (owner is None and self.is_owned and self.end_user == user):
            return "theirs"
        if owner is None:
            return "others" if self.is_owned else "unclear"
        # A UUID that is no known end user's may stand for the own organization, and contracts.end_user be a mistake.
        may_be_own = user == SELF and owner not in self.known.end_users and not self.fields.settles("own")
        is_shown = not shown.values.isdisjoint(self._here if user == SELF else {user})
        return "unclear" if owner == UNCLEAR or may_be_own or is_shown else "others"

    @property
    def shows_end_users(self) -> bool:
        """Return whether this list has contracts of end users, too."""
        users = self.owners - {None, SELF, UNCLEAR}
        return bool(users) if self.fields.settles("own") else not users.isdisjoint(self.known.end_users)

    # The same thing

    def is_same(self, shown: ShownContract, request: Request) -> bool:
        """Return whether a contract is what an order is for, as far as refusing goes: doubts count for it."""
        key = key_of(request)
        if key is None:
            whose = self.whose(shown, request)
            is_theirs = whose == "theirs" or (whose == "unclear" and request.end_user == self.end_user == SELF)
            return is_theirs and id_key(request.product) in shown.products
        name, value = key
        types = [kind for product in shown.products if (kind := self.known.type_of(product))]
        is_other_type = bool(types) and all(kind.identity != name for kind in types)
        own_name = shown.domain if name == "domain" else shown.hostname
        if is_name_like(own_name, value):
            is_named = comparable(own_name) == comparable(value)
        else:
            is_named = comparable(value) in shown.values and not is_other_type
        if name == "domain":
            return is_named and not is_other_type
        return is_named and self.whose(shown, request) != "others"

    def why_not_its(self, shown: ShownContract, request: Request, *, any_product: bool = False) -> str:
        """Return why a contract is not certain to be what an order is for, a clause with the line; empty if it is.

        ``any_product``: a server or domain may have got another product since.
        """
        key, kind = key_of(request), PRODUCT_TYPES.get(request.product_type)
        if key is None and (kind is None or kind.identity):
            return "the ledger does not know what it was ordered for"
        values = {key[0]: (key[1], shown.domain if key[0] == "domain" else shown.hostname)} if key else {}
        values |= {} if key and any_product else {"product": (request.product, shown.product)}
        if name := next(itertools.filterfalse(self.fields.settles, (*values, "id")), None):
            return self.fields.contradicted.get(name) or f"contracts.{name} is neither given nor proven"
        for name, (wanted, seen) in values.items():
            if comparable(seen or "") != comparable(wanted):
                return _differs(name, clean(wanted, 100), clean(seen or "not shown", 100))
        return self._why_not_theirs(shown, request)

    def _why_not_theirs(self, shown: ShownContract, request: Request) -> str:
        """Return why it is not certain that a contract belongs to the end user of an order; empty if it is."""
        if self.whose(shown, request) == "theirs" and (shown.end_user is None or self.fields.settles("end_user")):
            return ""
        owner = shown.end_user if shown.end_user not in (None, UNCLEAR) else "not shown for certain"
        why = f"{_differs('end user', request.end_user, str(owner))}: give contracts.end_user and contracts.own"
        return self.fields.contradicted.get("end_user", why)

    def names_all(self, request: Request) -> bool:
        """Return whether every contract that may be of the order's product shows a name."""
        product, wanted = id_key(request.product), product_forms(request)
        may_be = (
            contract
            for contract in self.contracts
            if product in contract.products
            or not (shown := forms_at(contract.raw, self.fields.get("product")))
            or not shown.isdisjoint(wanted)
        )
        return all(contract.hostname or contract.domain for contract in may_be)

    # Its address

    def why_no_address(self, shown: ShownContract) -> str:
        """Return why a server has no address, or none that is certain to be its own, a sentence; empty if it has."""
        if ended := over(shown.raw, self.fields, is_domain=False):
            return f"The contract says {ended}: its address may be that of another server by now."
        if not self.fields.is_given("address"):
            return "contracts.address is not given in the service's file."
        if not self.fields.settles("id"):
            return self.fields.contradicted.get("id") or "contracts.id is neither given nor proven."
        if shown.address:
            return ""
        texts = texts_at(shown.raw, place := self.fields.get("address"))
        seen = f"shows no IP address at {place}: {clean(texts[0], 60)}" if texts else "does not show its address yet"
        return f"The service {seen}."


def _differs(name: str, recorded: str, listed: str) -> str:
    return f"its {name} is {recorded} in the ledger, and {listed} in the list"


def _why_ids_lack(counts: Mapping[str, int], number: int) -> str:
    """Return why a list of so many records is not complete by how often it has each id; empty if it has each once."""
    if "" in counts:
        return f"{counts['']} of {number} records have no known id: give contracts.id"
    twice = next((id_ for id_, count in counts.items() if count > 1), None)
    return f"contract {clean(twice, 100)} is in it more than once: check contracts.id" if twice else ""
