# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all pages of GET /api/reseller/products and their records (API specification 4.2)."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._core.text import clean, describe_json
from .._http.client import Client
from .._http.transport import Answer
from .._records.lists import RecordList, find_list
from .._records.pages import ListedParameters, PageReader, no_list
from .catalogue import Catalogue
from .product import Product, is_product, product_of

PRODUCTS = "/api/reseller/products"
_ADVICE = (
    "Check base_url and organization_id. If both are right, report this to the maintainers of hosting.reseller.\n"
    "Until then, order products by their UUID, with product_type and validation: specification."
)


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

    Raises ServiceError and its kinds: when no products are recognised (with the shape that was seen),
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
