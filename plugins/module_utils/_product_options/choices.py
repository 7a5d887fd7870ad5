# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the values of select fields: which of key, value, id, slug, name or label an order carries."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._core.text import fold, is_uuid
from .._product_types.registry import TEMPLATE_SETTINGS
from .evidence import DOCUMENTED, fits, is_text, kind_of_setting, plain_number
from .option import Choice, listed_prices

#: Element to face; the first that an object has is its face of this kind.
_FACES = {
    "value": ("value", "const", "data", "val"),
    "key": ("key", "code"),
    "slug": ("slug",),
    "id": ("uuid", "id"),
    "name": ("name",),
    "label": ("label", "displayname", "title", "text", "description"),
}
_GROUPED = ("options", "choices", "values", "children", "items")
_CLOSED = ("enabled", "available", "selectable")
_DEPTH = 4
_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9._:+/-]*|[A-Z0-9][A-Z0-9_-]*")
_NUMBER = re.compile(r"(?<![\d.,])\d{1,9}(?![\d.,])")

Faces = dict[str, Any]


def read_faces(raw: Any, depth: int = _DEPTH) -> list[Faces] | None:
    """The faces of each choice, in the service's order; ``None`` for what is no list or mapping of choices."""
    if isinstance(raw, str):
        return [{"value": text} for text in split_text(raw)] if re.search(r"[,|;\n]", raw) else None
    if not depth or not isinstance(raw, (list, Mapping)):
        return None
    found: list[Faces] = []
    for key, item in raw.items() if isinstance(raw, Mapping) else ((None, item) for item in raw):
        faces = _faces_of(key, item, depth)
        if faces is None:
            return None
        # An empty value is how a form says that nothing is chosen yet.
        found += [each for each in faces if each.get("value", each.get("key")) != ""]
    return found


def _faces_of(key: Any, item: Any, depth: int) -> list[Faces] | None:
    own = {} if key is None else {"key": key}
    if item is None:
        return [own] if own else []
    if isinstance(item, (str, int, float)):
        return [{**own, "value": item}]
    if isinstance(item, list) and len(item) == 2 and not own and isinstance(item[0], (str, int)):
        # Django's pairs of value and label, or of a group and its choices.
        return read_faces(item[1], depth - 1) if isinstance(item[1], list) else [{"value": item[0], "label": item[1]}]
    if not isinstance(item, Mapping):
        return read_faces(item, depth - 1) if own else None
    told = {fold(name): value for name, value in item.items()}
    if told.get("disabled") is True or any(told.get(name) is False for name in _CLOSED):
        return []
    group = next((told[name] for name in _GROUPED if isinstance(told.get(name), (list, Mapping))), None)
    if group is not None and "value" not in told:
        return read_faces(group, depth - 1)
    faces = dict(own)
    for face, words in _FACES.items():
        held = [told[word] for word in words if isinstance(told.get(word), (str, int, float))]
        faces |= {face: held[0]} if held else {}
    prices = listed_prices(item)
    if faces == own and own and item and not prices:
        # A group: its key is only what it is called.
        return read_faces(item, depth - 1)
    return [{**faces, "price": prices}] if faces else None


def split_text(text: str) -> list[str]:
    """The values of a text: between commas, where they may be quoted, or between bars, semicolons or newlines."""
    for mark in ("\n", "|", ";"):
        if mark in text:
            return [part.strip() for part in text.split(mark) if part.strip()]
    try:
        return next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        return text.split(",")


def relabelled(items: list[Faces], raw: Any) -> list[Faces] | None:
    """The choices with the labels of a value mapping, or of a list beside them; ``None``: not understood."""
    if isinstance(raw, list) and items and len(raw) == len(items) and all(isinstance(label, str) for label in raw):
        return [{**item, "label": label} for item, label in zip(items, raw, strict=True)]
    mapped = read_faces(raw)
    if not isinstance(raw, Mapping) or not mapped or not items:
        return mapped
    # Which side of the mapping holds the values is told by the values.
    labels = {str(each.get(one)): each.get(other) for one, other in _SIDES for each in mapped}
    return [
        {**item, **({"label": labels[str(item["value"])]} if str(item.get("value")) in labels else {})}
        for item in items
    ]


_SIDES = (("value", "key"), ("key", "value"))


def choose(name: str, items: list[Faces]) -> tuple[Choice, ...]:
    """The choices of a setting, with the faces that an order may carry; none if the specification allows none of them.

    The document chooses the face where it can, what looks like an identifier next. Else every face is accepted.
    """
    is_number = kind_of_setting(name) == "integer"
    items = _numbered(items) if is_number else items
    faces = [face for face in _FACES if items and all(face in item for item in items)]
    if name in DOCUMENTED and not is_text(name):
        fitting = {face: sum(fits(name, item[face]) for item in items) for face in faces}
        most = max(fitting.values(), default=0)
        faces = [face for face in faces if fitting[face] and (is_number or fitting[face] == most)]
    faces = _different(faces, items)
    is_template = name in TEMPLATE_SETTINGS
    if is_template:
        # They are identified by name (API specification 2.1), not by a number or UUID.
        faces = [face for face in faces if not all(_is_key(item[face]) for item in items)]
    if not faces:
        return ()
    alike = {face: sum(_is_identifier(item[face]) for item in items) for face in faces}
    ranked = sorted(faces, key=lambda face: -alike[face])
    if is_template and "name" in faces:
        ranked = ["name", *(face for face in ranked if face != "name")]
    return tuple(_choice(item, ranked, is_closed=_is_closed(ranked, alike, items)) for item in items)


def _is_closed(ranked: list[str], alike: Mapping[str, int], items: list[Faces]) -> bool:
    if len(ranked) == 1:
        return True
    # The numbers of a list with gaps, which PHP writes as a mapping, tell nothing.
    positions = ranked[0] == "key" and all(isinstance(plain_number(item["key"]), int) for item in items)
    return alike[ranked[0]] > max(alike[face] for face in ranked[1:]) and not positions


def _choice(item: Faces, ranked: list[str], *, is_closed: bool) -> Choice:
    value = item[ranked[0]]
    labels = [
        item[face] for face in ("label", "name", "value", "key", "slug", "id") if face in item and face != ranked[0]
    ]
    accepted = () if is_closed else tuple(item[face] for face in ranked)
    return Choice(value, str(next(iter(labels), value)), accepted, item.get("price") or {})


def _different(faces: list[str], items: list[Faces]) -> list[str]:
    """The faces without those that say the same as another, or the same of several choices."""
    seen: dict[tuple[str, ...], str] = {}
    for face in faces:
        values = tuple(str(item[face]) for item in items)
        if len(set(values)) == len(values) or len(faces) == 1:
            seen.setdefault(values, face)
    return list(seen.values())


def _numbered(items: list[Faces]) -> list[Faces]:
    """The choices of a number: a text such as ``8 cores`` is one of its faces, as 8."""
    return [{face: _number(value) if face != "price" else value for face, value in item.items()} for item in items]


def _number(value: Any) -> Any:
    found = _NUMBER.findall(value) if isinstance(value, str) else []
    return int(found[0]) if len(found) == 1 and plain_number(value) is value else value


def _is_key(value: Any) -> bool:
    return isinstance(plain_number(value), int) or is_uuid(value)


def _is_identifier(value: Any) -> bool:
    return not isinstance(value, str) or _IDENTIFIER.fullmatch(value) is not None


def agreed(claims: list[tuple[Choice, ...]]) -> tuple[Choice, ...]:
    """The choices that all of several rules allow; none if they contradict each other."""
    first, *others = claims
    for other in others:
        allowed = {str(face) for choice in other for face in choice.accepted}
        kept = [(choice, [face for face in choice.accepted if str(face) in allowed]) for choice in first]
        first = tuple(
            Choice(faces[0], choice.label, tuple(faces) if len(faces) > 1 else (), choice.price)
            for choice, faces in kept
            if faces
        )
    return first


def values_of(choices: tuple[Choice, ...]) -> Iterator[Any]:
    """Everything that may stand for one of the choices."""
    return (face for choice in choices for face in choice.accepted)
