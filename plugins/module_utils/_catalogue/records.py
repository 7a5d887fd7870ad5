# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds product records in a response, whatever envelope they are in (API specification 2.5 and 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._core.text import by_folded_name, is_uuid
from .option import listed_prices

#: Elements that usually hold a collection, the most telling first.
ENVELOPES = (
    "member",
    "hydramember",
    "items",
    "data",
    "results",
    "products",
    "records",
    "content",
    "entries",
    "rows",
    "list",
    "objects",
    "collection",
    "elements",
    "edges",
    "nodes",
    "value",
    "result",
    "response",
    "payload",
    "body",
    "embedded",
    "@graph",
    "catalogue",
    "catalog",
)
_WRAPPERS = ("product", "node", "item", "data", "resource", "entity", "record")
_IDS = ("id", "uuid", "@id", "productuuid", "productid", "identifier", "guid")
_NAMES = ("name", "title", "label", "displayname", "productname", "slug")
_LANGUAGES = ("en", "de")
_DEEPEST = 3


class ProductRecord(NamedTuple):
    """A product in the catalogue: its ID, all its names (the usual one first), and the unchanged record."""

    id: str
    names: tuple[str, ...]
    raw: Mapping[str, Any]


@dataclass
class Found:
    """The entries of one page, each with its key where they are a mapping, and the objects around them."""

    entries: list[tuple[str | None, Any]] = field(default_factory=list)
    around: list[Mapping[Any, Any]] = field(default_factory=list)


def find_records(body: Any) -> Found | None:
    """The product records of a response, or ``None`` if nothing looks like one. An empty list has no entries."""
    return _find(body, _DEEPEST)


def record_of(key: str | None, raw: Any) -> ProductRecord | None:
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


def _find(value: Any, depth: int) -> Found | None:
    if isinstance(value, list):
        return _listed(value, depth)
    if not isinstance(value, Mapping) or not depth:
        return None
    members = by_folded_name(value)
    keyed = _keyed(value)
    if keyed:
        return Found(keyed, [])
    usual = [members[name] for name in ENVELOPES if name in members]
    others = [item for name, item in members.items() if name not in ENVELOPES]
    found = next(_usable([*filter(_is_list, usual), *usual], depth), None)
    if found is None:
        # Products in several lists, one for each kind.
        groups = list(_usable(others, depth))
        # What has options is a product; other things with a name may be listed beside them.
        groups = [group for group in groups if _any_options(group.entries)] or groups
        found = Found([entry for group in groups for entry in group.entries], groups[0].around) if groups else None
    if found is None and any(item == [] for item in usual):
        found = Found()
    if found is not None:
        found.around.insert(0, value)
    return found


def _usable(values: list[Any], depth: int) -> Iterator[Found]:
    for value in values:
        found = _find(value, depth - 1)
        if found is not None and found.entries:
            yield found


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _listed(items: list[Any], depth: int) -> Found | None:
    if not items:
        return Found()
    if not any(map(_is_group, items[:100])):
        return Found([(None, item) for item in items]) if any(_is_product(None, item) for item in items) else None
    entries: list[tuple[str | None, Any]] = []
    for item in items:
        group = _find(by_folded_name(item)["products"], depth - 1) if depth and _is_group(item) else None
        entries += group.entries if group else [(None, item)]
    return Found(entries)


def _is_group(item: Any) -> bool:
    """Whether an entry is a group of products, such as ``{"category": …, "products": […]}``."""
    if not isinstance(item, Mapping):
        return False
    members = by_folded_name(item)
    return "options" not in members and isinstance(members.get("products"), (list, Mapping))


def _any_options(entries: list[tuple[str | None, Any]]) -> bool:
    return any(isinstance(raw, Mapping) and "options" in unwrapped(raw) for _key, raw in entries)


def _keyed(value: Mapping[Any, Any]) -> list[tuple[str | None, Any]]:
    """Entries of a mapping from id to record, or ``[]`` when it is none."""
    keyed = [(name, item) for name, item in value.items() if isinstance(name, str) and not name.startswith("@")]
    if keyed and all(_is_product(name, item) and (is_uuid(name) or _is_product(None, item)) for name, item in keyed):
        return [(name if is_uuid(name) else None, item) for name, item in keyed]
    return []


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
