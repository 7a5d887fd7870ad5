# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product of the catalogue, from its record in a response (API specification 2.1, 2.2, 2.5 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .._core.text import by_folded_name, is_uuid, one_line
from .._product_types.product_type import ProductType
from .._product_types.registry import infer, product_type_of_id
from .._records.contract_ids import OWN_IDS, WRAPPERS, identifier
from .option import Option, listed_prices
from .option_reader import read_options

#: What may hold the product in a record.
_HOLDERS = ("product", "attributes", "data", *WRAPPERS)
_IDS = (*OWN_IDS, "productuuid", "productid")
_NAMES = ("name", "title", "label", "displayname", "productname", "slug")


@dataclass
class Product:
    """A product: its ID, all its names (the usual one first), and its record, verbatim.

    Options are read once for each product type.
    """

    id: str
    names: tuple[str, ...]
    raw: Mapping[str, Any]
    _read: dict[ProductType | None, Sequence[Option] | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str | None:
        return self.names[0] if self.names else None

    @cached_property
    def members(self) -> Mapping[str, Any]:
        """Those of the record, and of the object in it that holds the product."""
        return _unwrapped(self.raw)

    @property
    def options(self) -> Sequence[Option] | None:
        """The settings in its ``options`` entry; ``None`` if that is missing or of an unknown form."""
        return self.options_as(product_type_of_id(self.id))

    def options_as(self, product_type: ProductType | None) -> Sequence[Option] | None:
        """The settings in its ``options`` entry, read as those of a product type."""
        if product_type not in self._read:
            members = by_folded_name(self.members)
            self._read[product_type] = read_options(members["options"], product_type) if "options" in members else None
        return self._read[product_type]

    @property
    def product_type(self) -> ProductType | None:
        """The product type by a documented UUID or the names of its options; ``None`` if they are not clear."""
        options = self.options
        return product_type_of_id(self.id) or (None if options is None else infer([each.name for each in options]))

    @property
    def prices(self) -> dict[str, Any]:
        """The prices in the record, verbatim."""
        return listed_prices(self.members)


def product_of(key: str | None, raw: Any) -> Product | None:
    """The product of one entry of a list, with its key there if it has one. ``None`` without a usable ID.

    An order names a product by its UUID (API specification 4.1), so a UUID is preferred to any other id.
    """
    if not isinstance(raw, Mapping):
        return None
    record = by_folded_name(_unwrapped(raw))
    ids = [text for name in _IDS if (text := identifier(record.get(name)))] + ([key] if key and is_uuid(key) else [])
    # In all languages, where a name is a mapping of them.
    named = [by if isinstance(by, Mapping) else {"": by} for by in map(record.get, _NAMES)]
    texts = [text for by in named for text in by.values() if isinstance(text, str) and text.strip()]
    names = tuple(dict.fromkeys(map(one_line, texts)))
    return Product(next(filter(is_uuid, ids), ids[0]), names, raw) if ids else None


def is_product(key: str | None, raw: Any, *, with_options: bool = False) -> bool:
    """Return whether an entry has what a product must have: an id, and options, or at least a name."""
    product = product_of(key, raw)
    has_name = product is not None and product.names and not with_options
    return product is not None and bool(has_name or "options" in by_folded_name(product.members))


def _unwrapped(raw: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The members of a record, with those inside as in ``{"product": {…}}`` or ``{"id": …, "attributes": {…}}``."""
    members = by_folded_name(raw)
    for name in _HOLDERS if "options" not in members else ():
        inner = members.get(name)
        if isinstance(inner, Mapping) and "options" in by_folded_name(inner):
            return {**raw, **inner}
    return raw
