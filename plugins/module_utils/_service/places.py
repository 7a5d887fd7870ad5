# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places of values in a record or an answer, and the form in which values are compared. Pure.

A place is a dotted path: ``server.hostname``, ``network.ipv4.*.address``. ``*`` is any position of a list. A list of
names with their values (``[{name, value}]``, ``[{key, value}]``) reads as a mapping. ``headers.…`` is a header of an
answer, by its name in small letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from .._core.addresses import is_hostname
from .._core.text import is_uuid
from .contract_ids import as_mapping, identifier

Raw = Mapping[str, Any]
ANY = "*"
_DEEPEST, _MOST = 16, 20_000
#: The longest hostname or domain: what is longer is no name.
_LONGEST_NAME = 255


def inside(value: Any, place: str) -> list[Any]:
    """Return everything that stands at a place, of whatever kind it is, also ``null``."""
    value, (name, _dot, rest) = as_mapping(value), place.partition(".")
    if not place:
        return [value]
    if name == ANY:
        return [inner for item in (value if isinstance(value, list) else ()) for inner in inside(item, rest)]
    if not isinstance(value, dict):
        return []
    if place in value:
        # A name may have dots in it, as @odata.nextLink has.
        return [as_mapping(value[place])]
    return inside(value[name], rest) if rest and name in value else []


def at(value: Any, place: str | None) -> list[Any]:
    """Return the single values at a place, without ``null``. None where the place is not known."""
    values = inside(value, place) if place else []
    return [item for item in values if item is not None and not isinstance(item, (dict, list))]


def texts_at(record: Any, place: str | None) -> list[str]:
    """Return the texts at a place, and those in a list that stands there."""
    values = inside(record, place) if place else []
    within = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [text for text in within if isinstance(text, str)]


def leaves(record: Any, *, nulls: bool = False) -> list[tuple[str, Any]]:
    """Return the single values of a record with their places; of a huge one, the first."""
    values: list[tuple[str, Any]] = []

    def walk(value: Any, place: str, depth: int) -> None:
        if isinstance(value, list):
            value = as_mapping(value)
        if not isinstance(value, (dict, list)):
            if nulls or value is not None:
                values.append((place, value))
        elif depth and len(values) < _MOST:
            for name, item in value.items() if isinstance(value, dict) else ((ANY, part) for part in value):
                walk(item, f"{place}.{name}" if place else str(name), depth - 1)

    walk(record, "", _DEEPEST)
    return values


def comparable(value: Any) -> str:
    """The form in which values are compared: in lower case, without a trailing dot, with the raw punycode of labels.

    Nothing is folded: ``straße`` and ``strasse`` are two names.
    """
    text = str(value).strip().lower().rstrip(".")
    if text.isascii() or len(text) > _LONGEST_NAME:
        return text
    labels = unicodedata.normalize("NFC", text).split(".")
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels)


def forms(value: Any) -> frozenset[str]:
    """Return the forms in which a single value is compared: of an IRI also the id at its end.

    None of a boolean, and of ``null``.
    """
    if value is None or isinstance(value, bool):
        return frozenset()
    end = identifier(value) if isinstance(value, str) and "/" in value else None
    return frozenset(filter(None, (comparable(value), end and comparable(end))))


def forms_at(record: Any, place: str | None) -> frozenset[str]:
    """Return the forms of all single values at a place."""
    return frozenset(form for value in at(record, place) for form in forms(value))


def id_key(contract_id: str) -> str:
    """The id of a contract in the form in which ids are compared: UUIDs without case."""
    return contract_id.lower() if is_uuid(contract_id) else contract_id


def only_at(record: Any, place: str | None) -> str | None:
    """Return the only single value at a place as text; ``None`` without one, or with several."""
    values = {comparable(value): str(value) for value in at(record, place)}
    return next(iter(values.values())) if len(values) == 1 else None


def is_name_like(text: str | None, wanted: str) -> bool:
    """Return whether a text can be a hostname or domain as the wanted one is: with dots, if that has dots."""
    name = comparable(text or "")
    return is_hostname(name) and not is_uuid(name) and ("." in name or "." not in wanted)
