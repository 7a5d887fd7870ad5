# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which keywords of JSON Schema the schema of a product type may have where, as a schema of such schemas.

Others may be valid, but settings are also converted, explained, documented and offered by editors by their schema.
"""

from __future__ import annotations

from collections.abc import Mapping
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
_GROUP = _having("description oneOf", "", description=_DESCRIPTION, oneOf={"minItems": 1, "items": _ALTERNATIVE})
_SCHEMA = _having(
    "properties",
    "title type required additionalProperties",
    properties=_RULES,
    allOf={"items": _GROUP},
)
_VALIDATOR = Draft202012Validator({**_SCHEMA, "$defs": {"rule": _RULE}})


def mistakes(name: str, schema: Mapping[str, Any]) -> list[str]:
    """What the schema of a product type has that is not understood, with its place."""
    advice = "A new kind of rule is code: see Add a product type in CONTRIBUTING.md."
    found = _VALIDATOR.iter_errors(schema)
    return [f"{name}: {error.json_path}: {error.message}. {advice}" for error in found]
