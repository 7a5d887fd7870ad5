# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service's own JSON Schema, made into one that jsonschema can validate with: no references, no slow patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from .evidence import is_schema
from .patterns import whole_pattern

_DEPTH = 12


class UnclearError(ValueError):
    """A rule, or what it is given, is of no known kind."""


def resolved(schema: Any, roots: Sequence[Any], depth: int = _DEPTH) -> Any:
    """A schema with its local references replaced by what they refer to in one of ``roots``.

    Raises UnclearError for a reference to elsewhere, or one that never ends.
    """
    if isinstance(schema, list):
        return [resolved(item, roots, depth) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    if not depth:
        raise UnclearError
    reference = schema.get("$ref")
    if isinstance(reference, str):
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        target = resolved(_target(reference, roots), roots, depth - 1)
        return {**target, **resolved(beside, roots, depth - 1)}
    return {name: resolved(value, roots, depth - 1) for name, value in schema.items()}


def _target(reference: str, roots: Sequence[Any]) -> Mapping[str, Any]:
    pointer, *parts = reference.split("/")
    for root in roots if pointer == "#" else ():
        value = root
        for part in parts:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            return value
    raise UnclearError


def usable(schema: Any) -> dict[str, Any]:
    """A schema with its patterns in Python's syntax. Raises UnclearError for one that cannot be validated with."""
    if not is_schema(schema):
        raise UnclearError
    made: dict[str, Any] = _with_patterns(schema)
    return made


def _with_patterns(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_patterns(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {name: _with_patterns(value) for name, value in schema.items()}
    if isinstance(schema.get("pattern"), str):
        made["pattern"] = whole_pattern(schema["pattern"])
        if made["pattern"] is None:
            raise UnclearError
    if any(re.search(r"[*+{]", name) for name in schema.get("patternProperties", ())):
        raise UnclearError
    return made


__all__ = ["UnclearError", "resolved", "usable"]
