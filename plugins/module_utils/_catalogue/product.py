# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product of the catalogue, from its record in a response (API specification 2.1, 2.2, 2.5 and 4.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from .._core.text import by_folded_name, is_uuid
from .._product_types.product_type import ProductType
from .._product_types.registry import infer, product_type_of_id
from .option import Option, listed_prices
from .option_reader import read_options

_WRAPPERS = ("product", "node", "item", "data", "resource", "entity", "record")
_IDS = ("id", "uuid", "@id", "productuuid", "productid", "identifier", "guid")
_NAMES = ("name", "title", "label", "displayname", "productname", "slug")


@dataclass
class Product:
    """A product: its ID, all its names (the usual one first), and its record, verbatim."""

    id: str
    names: tuple[str, ...]
    raw: Mapping[str, Any]

    @property
    def name(self) -> str | None:
        return self.names[0] if self.names else None

    @cached_property
    def options(self) -> Sequence[Option] | None:
        """The settings in its ``options`` entry; ``None`` if that is missing or of an unknown form."""
        return self.options_as(product_type_of_id(self.id))

    def options_as(self, product_type: ProductType | None) -> Sequence[Option] | None:
        """The settings in its ``options`` entry, read as those of a product type."""
        members = _unwrapped(self.raw)
        if "options" not in members:
            return None
        return _read(_Entry(json.dumps(members["options"]), members["options"]), product_type)

    @cached_property
    def product_type(self) -> ProductType | None:
        """The product type that a documented UUID or the names of its options tell; ``None`` if they are not clear."""
        options = self.options
        inferred = None if options is None else infer([option.name for option in options])
        return product_type_of_id(self.id) or inferred

    @cached_property
    def prices(self) -> dict[str, Any]:
        """The prices in the record, verbatim, also inside ``product`` or ``attributes``."""
        members = by_folded_name(self.raw)
        prices: dict[str, Any] = {}
        for holder in (*(members.get(name) for name in (*_WRAPPERS, "attributes")), self.raw):
            prices |= listed_prices(holder) if isinstance(holder, Mapping) else {}
        return prices


@dataclass(frozen=True)
class _Entry:
    """An ``options`` entry, which is the same as another with this text."""

    text: str
    value: Any = field(compare=False)


@lru_cache(maxsize=1000)
def _read(entry: _Entry, product_type: ProductType | None) -> Sequence[Option] | None:
    """The options in an entry. Most products share their entry with others."""
    return read_options(entry.value, product_type)


def product_of(key: str | None, raw: Any) -> Product | None:
    """The product of one entry of a list, with its key there if it has one. ``None`` without a usable ID.

    An order names a product by its UUID (API specification 4.1), so a UUID is preferred to any other id.
    """
    if not isinstance(raw, Mapping):
        return None
    members = _unwrapped(raw)
    ids = [*_ids(members), *([] if key is None else [key])]
    names = tuple(dict.fromkeys(text for name in _NAMES for text in _texts(members.get(name))))
    return Product(next(filter(is_uuid, ids), ids[0]), names, raw) if ids else None


def is_product(key: str | None, raw: Any) -> bool:
    """Whether an entry has what a product must have: an id, and options or a name."""
    if not isinstance(raw, Mapping):
        return False
    members = _unwrapped(raw)
    named = "options" in members or any(next(_texts(members.get(name)), None) for name in _NAMES)
    return named and (is_uuid(key) or bool(_ids(members)))


def has_options(key: str | None, raw: Any) -> bool:
    """Whether an entry is a product with options."""
    return is_product(key, raw) and "options" in _unwrapped(raw)


def _unwrapped(raw: Mapping[Any, Any]) -> dict[str, Any]:
    """What a record tells, by folded names, taken out of ``{"product": {…}}`` or ``{"id": …, "attributes": {…}}``."""
    members = by_folded_name(raw)
    attributes = members.get("attributes")
    if isinstance(attributes, Mapping) and "options" not in members:
        return {**by_folded_name(attributes), **members}
    if "options" not in members and not any(members.get(name) for name in _NAMES):
        for name in _WRAPPERS:
            inner = members.get(name)
            if isinstance(inner, Mapping):
                return {**members, **by_folded_name(inner)}
    return members


def _ids(members: Mapping[str, Any]) -> list[str]:
    return [text for name in _IDS if (text := _id(members.get(name)))]


def _id(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip() or len(value) > 300 or not value.isprintable():
        return None
    text = value.strip()
    # An IRI names the resource by its last segment; JSON-LD's names for things without any are none.
    if text.startswith("_:") or "/.well-known/genid/" in text:
        return None
    return text.rstrip("/").rpartition("/")[2] or None if "/" in text else text


def _texts(value: Any) -> Iterator[str]:
    """The name, in all languages if it is a mapping of them."""
    for text in value.values() if isinstance(value, Mapping) else [value]:
        if isinstance(text, str) and text.strip():
            yield text
