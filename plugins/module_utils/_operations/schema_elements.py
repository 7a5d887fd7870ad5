# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads from the schemas of a value which elements it has, with their types, and which are secret. Pure.

Follows references and compositions within the document, however they refer to themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .._checks.coercion import Unfit, scalar
from .._reference.schemas import Described, Schemas
from .._secrets.names import is_secret_name

Path: TypeAlias = "tuple[str | int, ...]"
#: How deep compositions and values are followed.
DEPTH = 40


def as_meant(schemas: Schemas, nodes: Sequence[Any], value: Any, depth: int = DEPTH) -> Any:
    """The value with numbers and booleans where the schemas allow no string, because templates make strings."""
    if not depth:
        return value
    found = schemas.described(nodes)
    if isinstance(value, Mapping):
        return {
            str(name): as_meant(schemas, found.properties.get(str(name), []), item, depth - 1)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [as_meant(schemas, found.items, item, depth - 1) for item in value]
    if isinstance(value, str) and found.types and "string" not in found.types and not found.enum:
        return _meant(value, found.types)
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


def secret_paths(
    schemas: Schemas, nodes: Sequence[Any], value: Any, path: Path = (), depth: int = DEPTH
) -> Iterator[Path]:
    """The places of secrets in a value, by its schemas (``format: password``, ``writeOnly``) and names."""
    found = schemas.described(nodes) if depth else Described()
    if isinstance(value, Mapping):
        for name, item in value.items():
            if is_secret_name(str(name)) and item is not None and not isinstance(item, bool):
                yield (*path, str(name))
            else:
                known = found.properties.get(str(name), [])
                yield from secret_paths(schemas, known, item, (*path, str(name)), depth - 1)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from secret_paths(schemas, found.items, item, (*path, at), depth - 1)
    elif found.secret and value is not None and not isinstance(value, bool):
        yield path


def body_path(path: Path, start: str = "body") -> str:
    """A path as in messages: ``body.keys[0].label``."""
    return start + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
