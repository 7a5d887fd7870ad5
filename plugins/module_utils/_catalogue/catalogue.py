# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue: the products that can be ordered, read from GET /api/reseller/products (API specification 4.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from .._core.errors import Advice, ServiceError, UnknownProductError
from .._core.text import (
    by_folded_name,
    clean,
    counted,
    describe_json,
    difference,
    fold,
    folded_text,
    is_uuid,
    nearest,
    one_line,
)
from .._product_types.product_type import ProductType
from .._product_types.registry import TEMPLATE_SETTINGS, infer, product_type_of_id
from .._service.contract_ids import identifier
from .._service.description import OWN_IDS, Description
from .._service.openapi_document import PRODUCTS_PATH
from .._service.places import inside
from .._service.record_list import RecordList
from .._service.service import Service
from .option import Option, listed_prices
from .option_reader import read_options, texts_in

_IDS = (*OWN_IDS, "productuuid", "productid")
_NAMES = ("name", "title", "label", "displayname", "productname", "slug")
_NO_DESCRIPTION = Description()
_ADVICE = (
    "Check base_url and organization_id. If both are right, give products.records in the service's file.\n"
    "Until then, order products by their UUID, with product_type and validation: specification."
)
#: In place of the options of a record that has none.
_MISSING = object()


@dataclass
class Product:
    """A product: its ID, all its names (the usual one first), and its record, verbatim.

    ``options_place`` is the place of its options in the record, if the description of the service gives it. They are
    read once for each product type.
    """

    id: str
    names: tuple[str, ...]
    raw: Mapping[str, Any]
    options_place: str | None = None
    _read: dict[ProductType | None, Sequence[Option] | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str | None:
        return self.names[0] if self.names else None

    def options(self, product_type: ProductType | None = None) -> Sequence[Option] | None:
        """The settings in its ``options`` entry, read as those of a product type, by default its documented one.

        ``None`` if the entry is missing or of an unknown form.
        """
        kind = product_type or product_type_of_id(self.id)
        if kind not in self._read:
            likely, options = (kind, None) if self._entry is _MISSING else read_options(self._entry, kind)
            self._read[kind] = self._read[likely] = options
        return self._read[kind]

    @cached_property
    def _entry(self) -> Any:
        """The options as they are listed."""
        if self.options_place:
            return next(iter(inside(self.raw, self.options_place)), None)
        return by_folded_name(self.raw).get("options", _MISSING)

    def mentioned(self, names: Collection[str]) -> list[str]:
        """Those names of settings that the ``options`` entry has anywhere, in whatever form."""
        texts = texts_in(self._entry) if names and self._entry is not _MISSING else {}
        return [name for name in names if name in texts]

    @cached_property
    def product_type(self) -> ProductType | None:
        """The product type by a documented UUID or the names of its options; ``None`` if they are not clear."""
        options = self.options()
        return product_type_of_id(self.id) or (None if options is None else infer([option.name for option in options]))

    @property
    def prices(self) -> dict[str, Any]:
        """The prices in the record, verbatim."""
        return listed_prices(self.raw)


def product_of(raw: Any, description: Description = _NO_DESCRIPTION) -> Product | None:
    """The product of one record of a list. ``None`` without a usable ID.

    An order names a product by its UUID (API specification 4.1), so a UUID is preferred to any other id. Another name
    of its ID is that of the element of the order. The description of the service may give the places of all.
    """
    if not isinstance(raw, Mapping):
        return None
    record = by_folded_name(raw)
    id_place, name_place, options_place = (description.get(f"products.{name}") for name in ("id", "name", "options"))
    own_name = fold(description.get("order.product"))
    id_values = inside(raw, id_place) if id_place else [*map(record.get, (*_IDS, own_name))]
    ids = [text for value in id_values if (text := identifier(value))]
    # In all languages, where a name is a mapping of them.
    name_values = inside(raw, name_place) if name_place else map(record.get, _NAMES)
    texts = [text for value in name_values for text in (value.values() if isinstance(value, Mapping) else [value])]
    names = tuple(dict.fromkeys(one_line(text) for text in texts if isinstance(text, str) and text.strip()))
    return Product(next(filter(is_uuid, ids), ids[0]), names, raw, options_place) if ids else None


@dataclass
class Catalogue:
    """All products of the service, in its order. ``warnings`` say which parts of its responses are unusable."""

    products: Sequence[Product] = ()
    warnings: Sequence[str] = ()

    def find(self, product: str) -> Product:
        """The product with this UUID (in any case) or this name, which may differ in its Unicode form and its blanks.

        Raises UnknownProductError: for an unknown one with those most like it, for a name that several products have
        with the UUIDs of these.
        """
        if product.strip().lower() in self._by_id:
            return self._by_id[product.strip().lower()]
        named = self._by_name.get(folded_text(product), [])
        if not named:
            raise UnknownProductError(*self._unknown(product))
        if len(named) > 1:
            ids = clean(", ".join(candidate.id for candidate in named))
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
                for option in product.options() or ()
                if option.name in TEMPLATE_SETTINGS
                for choice in option.choices
                if choice.value != ""
            }
        )

    @cached_property
    def _by_id(self) -> dict[str, Product]:
        return {product.id.lower(): product for product in self.products}

    @cached_property
    def _by_name(self) -> dict[str, list[Product]]:
        by_name: dict[str, list[Product]] = {}
        for product in self.products:
            for name in dict.fromkeys(map(folded_text, product.names)):
                by_name.setdefault(name, []).append(product)
        return by_name

    def _unknown(self, product: str) -> tuple[str, Advice]:
        kind = "UUID" if is_uuid(product) else "UUID or name"
        message = f"The catalogue lists no product with the {kind} {product[:200]!r}"
        if not self.products:
            why = "Check organization_id: products are listed for an organization."
            return f"{message}: it is empty.", Advice(why)
        near = nearest(product, self._by_id if is_uuid(product) else [*self._by_name, *self._by_id])
        listed = ", ".join(repr(clean(name, 100)) for name in near)
        message += (
            f". Most like it: {listed}{difference(product, near[0])}."
            if near
            else f" among its {len(self.products)} products."
        )
        if self.warnings:
            message += f" But the catalogue may not be whole: {' '.join(self.warnings)}"
        return message, Advice("reseller_products_info lists what can be ordered.")


def catalogue_of(service: Service) -> Catalogue:
    """The catalogue of a service, read once for a task, loop or batch. Raises what read_catalogue() raises."""
    return service.once(read_catalogue)


def known_ids(service: Service) -> frozenset[str]:
    """The UUIDs of the products of the catalogue, as far as it was read, and of the end users in the service's file."""
    catalogue = service.was_read(read_catalogue)
    products = catalogue.products if catalogue else ()
    end_users = service.described.end_users.values()
    return frozenset([*(product.id for product in products), *(user.id for user in end_users)])


def read_catalogue(service: Service) -> Catalogue:
    """GET /api/reseller/products, all its pages.

    Raises ServiceError and its kinds: when no products are recognized (with the shape that was seen),
    UnreadableAnswerError for what is no JSON, UnreachableError and LostAnswerError.
    """
    client, description = service.client, service.description
    read = RecordList(
        client,
        client.url("/".join(PRODUCTS_PATH)),
        description,
        part="products",
        noun="products",
        what="the request for its products",
        advice=_ADVICE,
        parameters=partial(service.query_parameters, lambda document: document.at("GET", PRODUCTS_PATH)),
    ).read()
    if read.failure is not None:
        raise read.failure
    products, unusable, warnings = dict[str, Product](), list[Any](), list[str]()
    for raw in read.records:
        product = product_of(raw, description)
        if product is None:
            unusable.append(raw)
        else:
            products.setdefault(product.id.lower(), product)
    if unusable and not products:
        raise ServiceError(
            f"No product is recognized in the {counted(len(read.records), 'record')} of the catalogue.\n"
            f"The first record is {clean(describe_json(unusable[0]), 500)}.",
            Advice(_ADVICE),
        )
    if read.is_cut:
        warnings.append(
            f"Not all products of the catalogue were read: {read.why_incomplete}. {len(products)} products were read; "
            "others can be ordered by their UUID, with product_type and validation: specification."
        )
    if unusable:
        warnings.append(
            f"{len(unusable)} records of the catalogue have no usable id and are left out; the first is "
            f"{clean(describe_json(unusable[0]), 500)}."
        )
    return Catalogue([*products.values()], warnings)
