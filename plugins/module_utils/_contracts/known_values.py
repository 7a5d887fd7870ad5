# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that can be recognized in the records of a service: those of the ledger, and its products. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from .._core.text import is_uuid
from .._ledger.order_records import Record
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_PRODUCTS, PRODUCT_TYPES, SELF, product_type_of_id
from .._records.contract_ids import identifier
from .contract_list import ShownContract
from .learned_places import Places, is_domain, natural_key, owner_of
from .values import comparable, id_key, leaves, values_of


class KnownValues:
    """Products (names by UUID), end users, and recorded contracts (by id) of one service."""

    def __init__(self, records: Iterable[Record], base_url: str, products: Mapping[str, str | None]) -> None:
        self.products = {id_key(id_): name for id_, name in {**dict.fromkeys(DOCUMENTED_PRODUCTS), **products}.items()}
        self.end_users: set[str] = set()
        self.recorded: dict[str, Record] = {}
        self._types: dict[str, ProductType | None] = {}
        for record in records:
            request = record.request
            if request is not None and request.service and request.service != base_url:
                continue
            if request is not None and request.product:
                self.products.setdefault(id_key(request.product), request.product_name)
                self._types[id_key(request.product)] = PRODUCT_TYPES.get(request.product_type)
            self.end_users |= {id_key(request.end_user)} - {SELF, ""} if request is not None else set()
            if record.status == "ordered" and record.outcome.contract_id:
                self.recorded[id_key(record.outcome.contract_id)] = record

    def record_of(self, shown: ShownContract) -> Record | None:
        """The order that has this contract."""
        return next((self.recorded[each] for each in sorted(shown.id_keys) if each in self.recorded), None)

    def described(self, shown: ShownContract, places: Places, own: str, said: str | None) -> ShownContract:
        """A contract with what its values tell. ``own`` is the own organization, ``said`` whose the list is."""
        known = products = self._products_in(shown, places)
        if not known:
            # One that the catalogue lacks, where recorded contracts show theirs.
            there = (identifier(value) for place, value in leaves(shown.raw) if place in places.product)
            products = frozenset(each.lower() for each in there if each and is_uuid(each))
        product = next(iter(products)) if len(products) == 1 else None
        kind = self.type_of(product)
        end_user = owner_of(shown.raw, places, own, said=said, others=(shown.id_keys, self.products))
        # What is of no known product is a host, unless its element is called domain.
        identity = kind.identity if kind else "hostname"
        key = natural_key(identity, shown.raw, places) if identity else None
        of_domain = identity == "domain" or (key is not None and kind is None and is_domain(shown.raw, key))
        hostname, domain = (None, key) if of_domain else (key, None)
        return replace(shown, products=known, product=product, end_user=end_user, hostname=hostname, domain=domain)

    def type_of(self, product: str | None) -> ProductType | None:
        """The type of a product, if the API specification or the ledger tells it."""
        return self._types.get(product) or product_type_of_id(product) if product else None

    def _products_in(self, shown: ShownContract, places: Places) -> frozenset[str]:
        """The products that a record shows by UUID or name, where all recorded contracts show theirs or anywhere."""
        values = shown.values
        if places.product:
            values = values_of(value for place, value in leaves(shown.raw) if place in places.product)
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
