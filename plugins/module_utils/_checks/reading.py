# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the settings of one order by the schema of its product type. Converts what YAML or a template changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._product_types.product_type import ProductType
from .coercion import Unfit, host_names, json_object, scalar, types_of

Path: TypeAlias = "tuple[str | int, ...]"


@dataclass(frozen=True)
class Reading:
    """The settings after reading: the documented ``members``, converted, and each value as ``given``.

    ``undocumented`` are those that only the live rules know (``also_known``). ``unknown`` is where a name stands that
    nobody knows; ``nameless`` is where a name is no string, and what it is.
    """

    also_known: Collection[str] = ()
    members: dict[str, Any] = field(default_factory=dict)
    undocumented: dict[str, Any] = field(default_factory=dict)
    unknown: list[Path] = field(default_factory=list)
    given: dict[Path, Any] = field(default_factory=dict)
    nameless: list[tuple[Path, Any]] = field(default_factory=list)


def read_settings(product_type: ProductType, settings: Mapping[Any, Any], also_known: Collection[str]) -> Reading:
    """Read settings of this product type. Nothing is refused here: a value that fits no type becomes Unfit."""
    reading = Reading(also_known)
    reading.members.update(_read_object(reading, product_type.schema, settings, ()))
    return reading


def _read_object(reading: Reading, schema: Mapping[str, Any], values: Mapping[Any, Any], path: Path) -> dict[str, Any]:
    """The documented members. One that is null counts as not given, unless its schema allows null."""
    members: dict[str, Any] = {}
    for name, value in values.items():
        if not isinstance(name, str):
            reading.nameless.append((path, name))
        elif name in schema["properties"]:
            member = schema["properties"][name]
            if value is not None or "null" in types_of(member):
                members[name] = _read_value(reading, member, value, (*path, name))
        elif value is not None:
            place = (*path, name)
            reading.given[place] = value
            if not path and name in reading.also_known:
                reading.undocumented[name] = value
            else:
                reading.unknown.append(place)
    return members


def _read_value(reading: Reading, schema: Mapping[str, Any], value: Any, path: Path) -> Any:
    reading.given[path] = value
    types = types_of(schema)
    if "object" in types:
        members = json_object(value)
        return members if isinstance(members, Unfit) else _read_object(reading, schema, members, path)
    if "array" in types:
        items = host_names(value)
        if isinstance(items, Unfit):
            return items
        return [_read_value(reading, schema["items"], item, (*path, place)) for place, item in enumerate(items)]
    return scalar(types, value)
