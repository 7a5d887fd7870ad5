# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue: products that can be ordered, and the rules of the catalogue of each (API specification 2.1, 2.2 and
4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .._core.errors import Advice, UnknownProductError
from .._core.text import clean, is_uuid, nearest, one_line
from .._product_types.registry import TEMPLATE_SETTINGS
from .product import Product


@dataclass
class Catalogue:
    """All products of the service, in its order. ``warnings`` say which parts of its responses are unusable."""

    products: Sequence[Product] = ()
    warnings: Sequence[str] = ()

    def find(self, product: str) -> Product:
        """The product with this UUID (in any case) or exactly this name.

        Raises UnknownProductError: for an unknown one with those most like it, for a name that several products have
        with the UUIDs of these.
        """
        if product.lower() in self._by_id:
            return self._by_id[product.lower()]
        named = self._by_name.get(one_line(product), [])
        if not named:
            raise UnknownProductError(*self._unknown(product))
        if len(named) > 1:
            ids = clean(", ".join(each.id for each in named))
            raise UnknownProductError(
                f"{len(named)} products are named {product!r}.\nGive the UUID of the one that you mean: {ids}."
            )
        return named[0]

    def os_templates(self) -> list[str]:
        """The names of OS templates that the products list for ``template`` or ``template_name``, sorted, unique."""
        return sorted(
            {
                one_line(str(choice.value))
                for product in self.products
                for option in product.options or ()
                if option.name in TEMPLATE_SETTINGS
                for choice in option.choices
                if choice.value != ""
            }
        )

    def to_cache(self) -> Any:
        """The catalogue as a JSON value."""
        return {
            "products": [[product.id, product.names, product.raw] for product in self.products],
            "warnings": list(self.warnings),
        }

    @classmethod
    def from_cache(cls, value: Any) -> Catalogue | None:
        """The catalogue from a value of ``to_cache``; ``None`` for any other value."""
        try:
            products = [Product(product_id, tuple(names), {**raw}) for product_id, names, raw in value["products"]]
            return cls(products, [*map(str, value["warnings"])])
        except (TypeError, KeyError, ValueError):
            return None

    @cached_property
    def _by_id(self) -> dict[str, Product]:
        return {product.id.lower(): product for product in self.products}

    @cached_property
    def _by_name(self) -> dict[str, list[Product]]:
        found: dict[str, list[Product]] = {}
        for product in self.products:
            for name in product.names:
                found.setdefault(name, []).append(product)
        return found

    def _unknown(self, product: str) -> tuple[str, Advice]:
        kind = "UUID" if is_uuid(product) else "UUID or name"
        message = f"The catalogue lists no product with the {kind} {product[:200]!r}"
        if not self.products:
            why = "Check organization_id: products are listed for an organization."
            return f"{message}: it is empty.", Advice(why)
        near = nearest(product, self._by_id if is_uuid(product) else [*self._by_name, *self._by_id])
        listed = ", ".join(repr(clean(name, 100)) for name in near)
        message += f". Most like it: {listed}." if near else f" among its {len(self.products)} products."
        if self.warnings:
            message += f" But the catalogue may not be whole: {' '.join(self.warnings)}"
        return message, Advice("reseller_products_info lists what can be ordered.")
