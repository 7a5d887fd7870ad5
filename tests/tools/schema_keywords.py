# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which keywords of JSON Schema the schema of a product type may have where, as a schema of such schemas.

Others may be valid, but settings are also converted, explained, documented and offered by editors by their schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

_FREE = "type title enum minimum maximum multipleOf minLength maxLength pattern format minItems contentMediaType"
_DESCRIPTION = {"type": "string", "minLength": 1}


def _having(needed: str, free: str, **properties: Any) -> dict[str, Any]:
    """A mapping with these keywords, some of them of any value."""
    properties |= dict.fromkeys(free.split(), True)
    return {"type": "object", "required": needed.split(), "properties": properties, "additionalProperties": False}


_RULES = {"type": "object", "additionalProperties": {"$ref": "#/$defs/rule"}}
_RULE = _having(
    "description type",
    f"{_FREE} required additionalProperties",
    description=_DESCRIPTION,
    items={"$ref": "#/$defs/rule"},
    properties=_RULES,
)
_ALTERNATIVE = _having("required", "properties", required={"type": "array", "minItems": 1, "maxItems": 1})
_NEEDED = {"type": "array", "minItems": 1, "items": {"type": "string"}}
#: One of several settings, or a setting that needs others.
_GROUP = {
    **_having(
        "description",
        "",
        description=_DESCRIPTION,
        oneOf={"minItems": 1, "items": _ALTERNATIVE},
        dependentRequired={"type": "object", "minProperties": 1, "additionalProperties": _NEEDED},
    ),
    "minProperties": 2,
    "maxProperties": 2,
}
_SCHEMA = _having(
    "properties",
    "title type required additionalProperties",
    properties=_RULES,
    allOf={"items": _GROUP},
)
_VALIDATOR = Draft202012Validator({**_SCHEMA, "$defs": {"rule": _RULE}})


def mistakes(name: str, schema: Mapping[str, Any]) -> list[str]:
    """Return what the schema of a product type has that is not understood, with its place."""
    advice = "A new kind of rule is code: see Add a product type in CONTRIBUTING.md."
    if found := [f"{name}: {each.json_path}: {each.message}. {advice}" for each in _VALIDATOR.iter_errors(schema)]:
        return found
    named = {each for group in schema.get("allOf", ()) for each in _settings_of(group)}
    return [
        f"{name}: $.allOf names {each}, which is not in properties" for each in sorted(named - {*schema["properties"]})
    ]


def _settings_of(group: Mapping[str, Any]) -> Iterator[str]:
    for alternative in group.get("oneOf", ()):
        yield from (*alternative["required"], *alternative.get("properties", ()))
    for setting, needed in group.get("dependentRequired", {}).items():
        yield from (setting, *needed)
