# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads from the schemas of a value which elements it has, with their types, and which are secret. Pure.

Follows references and compositions within the document, however they refer to themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .._checks.coercion import Unfit, scalar
from .._reference.schemas import Described, Schemas
from .._secrets.names import is_secret_name
from .._secrets.needles import MASK

Path: TypeAlias = "tuple[str | int, ...]"
#: How deep compositions and values are followed.
DEPTH = 40


def as_meant(schemas: Schemas, nodes: Sequence[Any], value: Any, *, texts: bool = False, depth: int = DEPTH) -> Any:
    """The value with numbers and booleans where the schemas allow no string, because templates make strings.

    With ``texts``, where all is sent as text, also with strings for numbers: 41 is what YAML makes of the text.
    """
    if not depth:
        return value
    found = schemas.described(nodes)

    def inner(parts: Sequence[Any], item: Any) -> Any:
        return as_meant(schemas, parts, item, texts=texts, depth=depth - 1)

    if isinstance(value, Mapping):
        return {str(name): inner(found.properties.get(str(name), []), item) for name, item in value.items()}
    if isinstance(value, list):
        return [inner(found.items, item) for item in value]
    if isinstance(value, str) and found.types and "string" not in found.types and not found.enum:
        return _meant(value, found.types)
    if texts and type(value) in (int, float) and "string" in found.types and not found.types & {"integer", "number"}:
        return str(value)
    return value


def _meant(text: str, types: set[str]) -> Any:
    for name in ("integer", "boolean"):
        if name in types:
            meant = scalar((name,), text)
            return text if isinstance(meant, Unfit) else meant
    if "number" in types:
        try:
            return float(text) if any(mark in text for mark in ".eE") else int(text)
        except ValueError:
            return text
    return text


def value_places(
    schemas: Schemas, nodes: Sequence[Any], value: Any, path: Path = ()
) -> Iterator[tuple[Path, Any, Described]]:
    """Each place of a value, with what its schemas say of it; the outer ones first."""
    found = schemas.described(nodes) if len(path) < DEPTH else Described()
    yield path, value, found
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from value_places(schemas, found.properties.get(str(name), []), item, (*path, str(name)))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from value_places(schemas, found.items, item, (*path, at))


def secret_places(schemas: Schemas, nodes: Sequence[Any], value: Any) -> dict[Path, Any]:
    """The secrets in a value by their places, by its schemas (``format: password``, ``writeOnly``) and names."""
    return {
        path: item
        for path, item, found in value_places(schemas, nodes, value)
        if item is not None
        and not isinstance(item, bool)
        and ((path and is_secret_name(str(path[-1]))) or (found.secret and not isinstance(item, (Mapping, list))))
    }


def hide(value: Any, places: Collection[Path]) -> Any:
    """A copy of a value with these places masked."""
    if () in places:
        return MASK
    deeper: dict[str | int, list[Path]] = {}
    for place in places:
        deeper.setdefault(place[0], []).append(place[1:])
    if isinstance(value, Mapping):
        return {name: hide(item, deeper.get(str(name), [])) for name, item in value.items()}
    if isinstance(value, list):
        return [hide(item, deeper.get(at, [])) for at, item in enumerate(value)]
    return value


def is_within(path: Path, places: Collection[Path]) -> bool:
    """Whether a path is one of these places, or leads into one."""
    return any(path[:length] in places for length in range(len(path) + 1))


def body_path(path: Path, start: str = "body") -> str:
    """A path as in messages: ``body.keys[0].label``."""
    return start + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
