# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds product records in a response, whatever envelope they are in (API specification 2.5 and 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._core.text import by_folded_name, is_uuid
from .._records.lists import RecordList, find_list
from .option import listed_prices

_WRAPPERS = ("product", "node", "item", "data", "resource", "entity", "record")
_IDS = ("id", "uuid", "@id", "productuuid", "productid", "identifier", "guid")
_NAMES = ("name", "title", "label", "displayname", "productname", "slug")
_LANGUAGES = ("en", "de")


class ProductRecord(NamedTuple):
    """A product in the catalogue: its ID, all its names (the usual one first), and the unchanged record."""

    id: str
    names: tuple[str, ...]
    raw: Mapping[str, Any]


def find_products(body: Any) -> RecordList | None:
    """The product records of a response, or ``None`` if nothing looks like one. An empty list has no entries."""
    found = find_list(body, "products", _has_options)
    # What has options is a product; other things with a name may be listed beside them.
    return found if found and found.entries else find_list(body, "products", _is_product)


def product_record(key: str | None, raw: Any) -> ProductRecord | None:
    """One entry as a record. ``None`` without a usable ID.

    An order names a product by its UUID (API specification 4.1), so a UUID is preferred to any other id.
    """
    if not isinstance(raw, Mapping):
        return None
    told = unwrapped(raw)
    ids = [text for name in _IDS if (text := _id(told.get(name)))]
    if key is not None:
        ids.append(key)
    best = next((text for text in ids if is_uuid(text)), ids[0] if ids else None)
    if best is None:
        return None
    names = [text for name in _NAMES for text in _texts(told.get(name))]
    return ProductRecord(best, tuple(dict.fromkeys(names)), raw)


def unwrapped(raw: Mapping[Any, Any]) -> dict[str, Any]:
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


def prices_of(raw: Mapping[Any, Any]) -> dict[str, Any]:
    """The prices in a record, verbatim, also inside ``product`` or ``attributes``."""
    told = by_folded_name(raw)
    prices: dict[str, Any] = {}
    for holder in (*(told.get(name) for name in (*_WRAPPERS, "attributes")), raw):
        prices |= listed_prices(holder) if isinstance(holder, Mapping) else {}
    return prices


def _has_options(key: str | None, raw: Any) -> bool:
    return _is_product(key, raw) and "options" in unwrapped(raw)


def _is_product(key: str | None, raw: Any) -> bool:
    """Whether an entry has what a product must have: an id, and options or a name."""
    if not isinstance(raw, Mapping):
        return False
    record = unwrapped(raw)
    identified = is_uuid(key) or any(_id(record.get(name)) for name in _IDS)
    return identified and ("options" in record or any(next(_texts(record.get(name)), None) for name in _NAMES))


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
    if isinstance(value, Mapping):
        ordered = sorted(value.items(), key=lambda pair: _LANGUAGES.index(pair[0]) if pair[0] in _LANGUAGES else 9)
        for _language, text in ordered[:20]:
            if isinstance(text, str) and text.strip():
                yield text
    elif isinstance(value, str) and value.strip():
        yield value
