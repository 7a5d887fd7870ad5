# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue: the products that can be ordered, read from GET /api/reseller/products (API specification 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from .._core.errors import Advice, UnknownProductError
from .._core.text import clean, describe_json, is_uuid, nearest, one_line
from .._http.client import Client
from .._http.transport import Answer
from .._product_types.registry import TEMPLATE_SETTINGS
from .._records.lists import RecordList, find_list
from .._records.pages import ListedParameters, PageReader, no_list
from .product import Product, is_product, product_of

PRODUCTS = "/api/reseller/products"
_ADVICE = (
    "Check base_url and organization_id. If both are right, report this to the maintainers of hosting.reseller.\n"
    "Until then, order products by their UUID, with product_type and validation: specification."
)


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


class CatalogueReader(PageReader):
    """Reads the records of all pages."""

    what = "the request for its products"

    def take(self, answer: Answer, body: Any) -> RecordList | None:
        # What has options is a product; other things with a name may be listed beside them.
        found = find_list(body, "products", partial(is_product, with_options=True))
        found = found if found and found.entries else find_list(body, "products", is_product)
        if found is None and not self._pages:
            raise no_list(answer, body, "products", _ADVICE)
        return found


def read_catalogue(client: Client, listed: ListedParameters = dict) -> Catalogue:
    """GET /api/reseller/products, all its pages.

    ``listed`` are the query parameters that the reference lists for it.

    Raises ServiceError and its kinds: when no products are recognized (with the shape that was seen),
    UnreadableAnswerError for what is no JSON, UnreachableError and LostAnswerError.
    """
    reader = CatalogueReader(client, client.url(PRODUCTS), listed)
    reader.read()
    if reader.failure is not None:
        raise reader.failure
    found = [(product_of(key, raw), raw) for key, raw in reader.entries]
    products: dict[str, Product] = {}
    for product, _raw in found:
        if product is not None:
            products.setdefault(product.id.lower(), product)
    warnings, unusable = [], [raw for product, raw in found if product is None]
    if reader.incomplete:
        warnings.append(
            f"Not all products of the catalogue were read: {reader.incomplete}. {len(products)} products were read; "
            "others can be ordered by their UUID, with product_type and validation: specification."
        )
    if unusable:
        warnings.append(
            f"{len(unusable)} records of the catalogue have no usable id and are left out; the first is "
            f"{clean(describe_json(unusable[0]), 500)}."
        )
    return Catalogue([*products.values()], warnings)
