# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads from the schemas of a value which elements it has, with their types, and which are secret. Pure.

Follows references and compositions within the document, however they refer to themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._checks.coercion import Unfit, scalar
from .._product_types.secret_names import is_secret_name
from .._reference.schemas import Schemas

Path: TypeAlias = "tuple[str | int, ...]"
#: How deep compositions and values are followed.
DEPTH = 40
_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


@dataclass
class Gathered:
    """The combined content of all schemas of one value.

    ``properties`` are the schemas of each element, ``items`` those of a list's entries. ``open``: elements of other
    names are wanted, too; ``described``: some schema names elements at all.
    """

    properties: dict[str, list[Any]] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    types: set[str] = field(default_factory=set)
    required: set[str] = field(default_factory=set)
    values: list[Any] = field(default_factory=list)
    schemas: list[Mapping[str, Any]] = field(default_factory=list)
    nullable: bool = False
    read_only: bool = False
    secret: bool = False
    open: bool = False
    described: bool = False

    def first(self, key: str) -> Any:
        """The value of the first schema with this key."""
        return next((schema[key] for schema in self.schemas if key in schema), None)


def gather(schemas: Schemas, nodes: Sequence[Any]) -> Gathered:
    """Combine these schemas, all of which one value must meet."""
    found = Gathered()
    for node in nodes:
        _gather(schemas, node, found, set(), required=True, depth=DEPTH)
    return found


def _gather(schemas: Schemas, node: Any, found: Gathered, above: set[int], *, required: bool, depth: int) -> None:
    schema = schemas.resolve(node)
    if not schema or id(schema) in above or not depth:
        return
    above = above | {id(schema)}
    if isinstance(node, Mapping) and schema is not node and len(node) > 1:
        # From OpenAPI 3.1 on, what stands beside a reference holds as well.
        _own({key: value for key, value in node.items() if key != "$ref"}, found, required=required)
    _own(schema, found, required=required)
    for keyword in ("allOf", "oneOf", "anyOf"):
        parts = schema.get(keyword)
        for part in parts[:100] if isinstance(parts, list) else ():
            _gather(schemas, part, found, above, required=required and keyword == "allOf", depth=depth - 1)


def _own(schema: Mapping[str, Any], found: Gathered, *, required: bool) -> None:
    found.schemas.append(schema)
    properties = schema.get("properties")
    for name, part in properties.items() if isinstance(properties, Mapping) else ():
        found.properties.setdefault(str(name), []).append(part)
    found.described |= isinstance(properties, Mapping) and bool(properties)
    found.described |= schema.get("additionalProperties") is False
    further = schema.get("additionalProperties")
    found.open |= (
        further is True or isinstance(further, Mapping) or isinstance(schema.get("patternProperties"), Mapping)
    )
    if isinstance(schema.get("items"), Mapping):
        found.items.append(schema["items"])
    types = schema.get("type")
    told = {each for each in (types if isinstance(types, list) else [types]) if each in _TYPES}
    found.types |= told
    found.nullable |= nullable(schema) or "null" in told
    listed = schema.get("required")
    if required and isinstance(listed, list):
        found.required.update(name for name in listed if isinstance(name, str))
    values = schema.get("enum")
    found.values += values[:100] if isinstance(values, list) else []
    found.values += [schema["const"]] if "const" in schema else []
    found.read_only |= schema.get("readOnly") is True
    found.secret |= schema.get("writeOnly") is True or schema.get("format") == "password"


def nullable(schema: Mapping[str, Any]) -> bool:
    """Whether OpenAPI's own keyword allows null: that of 3.0, or the usual extension of 2.0."""
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def as_meant(schemas: Schemas, nodes: Sequence[Any], value: Any, depth: int = DEPTH) -> Any:
    """The value with numbers and booleans where the schemas allow no string, because templates make strings."""
    if not depth:
        return value
    found = gather(schemas, nodes)
    if isinstance(value, Mapping):
        return {
            str(name): as_meant(schemas, found.properties.get(str(name), []), item, depth - 1)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [as_meant(schemas, found.items, item, depth - 1) for item in value]
    if isinstance(value, str) and found.types and "string" not in found.types and not found.values:
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


def unknown_elements(
    schemas: Schemas, nodes: Sequence[Any], value: Any, path: Path = (), depth: int = DEPTH
) -> Iterator[tuple[Path, list[str]]]:
    """Elements that the schemas neither name nor allow, each with its path and the known names."""
    found = gather(schemas, nodes) if depth else Gathered()
    if isinstance(value, Mapping):
        for name, item in value.items():
            known = found.properties.get(str(name))
            if known is not None:
                yield from unknown_elements(schemas, known, item, (*path, str(name)), depth - 1)
            elif found.described and not found.open:
                yield (*path, str(name)), [*found.properties]
    elif isinstance(value, list) and found.items:
        for at, item in enumerate(value):
            yield from unknown_elements(schemas, found.items, item, (*path, at), depth - 1)


def secret_paths(
    schemas: Schemas, nodes: Sequence[Any], value: Any, path: Path = (), depth: int = DEPTH
) -> Iterator[Path]:
    """The places of secrets in a value, by its schemas (``format: password``, ``writeOnly``) and names."""
    found = gather(schemas, nodes) if depth else Gathered()
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


def dotted(path: Path, start: str = "body") -> str:
    """A path as in messages: ``body.keys[0].label``."""
    return start + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
