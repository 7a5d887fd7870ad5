# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values that can be recognized in the records of a service: those of the ledger, and its products. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from .._ledger.order_records import Record
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_PRODUCTS, PRODUCT_TYPES, SELF, product_type_of_id
from .values import comparable, id_key


class KnownValues:
    """Products (names by UUID), end users, and recorded contracts (by id) of one service."""

    def __init__(self, records: Iterable[Record], base_url: str, products: Mapping[str, str | None]) -> None:
        self.products = {id_key(id_): name for id_, name in {**dict.fromkeys(DOCUMENTED_PRODUCTS), **products}.items()}
        end_users: set[str] = set()
        self.recorded: dict[str, Record] = {}
        self._types: dict[str, ProductType | None] = {}
        for record in records:
            request = record.request
            if request is not None and request.service not in ("", base_url):
                continue
            if request is not None and request.product:
                self.products.setdefault(id_key(request.product), request.product_name)
                self._types[id_key(request.product)] = PRODUCT_TYPES.get(request.product_type)
            end_users |= {id_key(request.end_user)} - {SELF, ""} if request is not None else set()
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
