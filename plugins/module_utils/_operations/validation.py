# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks a value against a schema of the published reference. Finds all violations, each with its path.

A schema of OpenAPI 2.0, 3.0 or 3.1 is first written as plain JSON Schema, as far as the value goes and without
references. What it says that cannot be checked here is left to the service.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .._checks.coercion import kind_of
from .._core.errors import PublishedReferenceError, Violation
from .._core.text import brief, clean, nearest
from .._product_types.dialect import dialect, require_jsonschema
from .._product_types.patterns import LONGEST_VALUE, whole_pattern
from .._reference.schemas import TOO_MUCH, Schemas, nullable
from .._secrets.echoes import MASK
from .schema_elements import Path, body_path, secret_paths

_FORMATS = {"uuid": "a UUID", "date": "a date such as 2026-11-21", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address"}
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_CALLED = {"array": "a list", "object": "a mapping", "integer": "an integer", "null": "null", "boolean": "a boolean"}
#: Keywords that take a number of characters, entries or elements.
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
#: Each bound, and the keyword that is a boolean in OpenAPI 2.0 and 3.0, and a bound of its own in 3.1.
_BOUNDS = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_MOST_SCHEMAS = 20_000
_MOST_VIOLATIONS = 50
_MOST_LISTED = 20


def published_violations(
    schemas: Schemas, schema: Any, value: Any, start: str = "body", *, partial: bool = False
) -> list[Violation]:
    """All rules that a value breaks, or none without a schema. With ``partial``, no element is required.

    Raises MissingLibraryError without jsonschema.
    """
    require_jsonschema("to check an operation before it is sent")
    from jsonschema import FormatChecker

    if not isinstance(schema, Mapping):
        return []
    try:
        written = _PlainSchema(schemas, partial=partial).written(schema, value)
        hidden = set(secret_paths(schemas, [schema], value))
    except (PublishedReferenceError, RecursionError):
        return []
    found: list[Violation] = []
    for broken in dialect()(written, format_checker=FormatChecker([*_FORMATS])).iter_errors(value):
        found += _told(broken, start, hidden)
    once = {(each.path, each.rule.partition(";")[0]): each for each in reversed(found)}
    return [*reversed(once.values())][:_MOST_VIOLATIONS]


class _PlainSchema:
    """Writes schemas as JSON Schema 2020-12. What is no rule, or cannot be checked, is left out."""

    def __init__(self, schemas: Schemas, *, partial: bool) -> None:
        self._schemas = schemas
        self._partial = partial
        self._left = _MOST_SCHEMAS

    def written(self, schema: Any, value: Any) -> dict[str, Any]:
        """The schema of one value. Raises PublishedReferenceError if it is too large or too deep."""
        described = self._schemas.described([schema])
        # Only the service sets these, so that a request need not have them.
        read_only = {
            name for name in described.required if self._schemas.described(described.properties.get(name, [])).read_only
        }
        found = self._written(schema, value, read_only, frozenset())
        if isinstance(value, Mapping) and described.named and not described.wanted:
            # Elements that no schema names are most likely mistyped, whether or not others are allowed.
            return {**_closed(described.properties), "allOf": [found]}
        return found

    def _written(self, schema: Any, value: Any, read_only: set[str], above: frozenset[int]) -> dict[str, Any]:
        """``above`` holds the schemas that this one is a part of: one that refers to itself says nothing more."""
        if not isinstance(schema, Mapping) or id(schema) in above:
            return {"not": {}} if schema is False else {}
        self._left -= 1
        if self._left < 0:
            raise PublishedReferenceError(TOO_MUCH)
        above |= {id(schema)}

        def parts(key: str) -> list[Any]:
            listed = schema.get(key)
            return [self._written(part, value, read_only, above) for part in listed] if isinstance(listed, list) else []

        every = parts("allOf")
        if isinstance(schema.get("$ref"), str):
            every.append(self._written(self._schemas.resolve(schema), value, read_only, above))
        # A value that fits several forms of oneOf is left to the service: not all of their rules may be known.
        every += [{"anyOf": forms} for key in ("anyOf", "oneOf") if (forms := parts(key))]
        own = {**self._of_any(schema), **_of_number(schema)}
        if isinstance(value, Mapping):
            own |= self._of_object(schema, value, read_only)
        elif isinstance(value, list):
            own |= self._of_list(schema, value)
        elif isinstance(value, str):
            own |= _of_text(schema, value)
        return {**own, "allOf": every} if every else own

    def _of_any(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        may_be_null, told, listed = nullable(schema), schema.get("type"), schema.get("enum")
        types = [each for each in (told if isinstance(told, list) else [told]) if each in _TYPES]
        if types:
            found["type"] = [*types, "null"] if may_be_null else types
        if isinstance(listed, list):
            found["enum"] = [*listed, None] if may_be_null else listed
        if "const" in schema:
            found["const"] = schema["const"]
        return found

    def _of_object(self, schema: Mapping[str, Any], value: Mapping[str, Any], read_only: set[str]) -> dict[str, Any]:
        required, properties = schema.get("required"), schema.get("properties")
        named = properties if isinstance(properties, Mapping) else {}
        further = schema.get("additionalProperties")
        others = further if isinstance(further, Mapping) and "patternProperties" not in schema else {}
        wanted = required if isinstance(required, list) and not self._partial else []
        found: dict[str, Any] = {
            "required": [name for name in wanted if isinstance(name, str) and name not in read_only],
            "properties": {name: self.written(named.get(name, others), item) for name, item in value.items()},
        }
        if further is False and "patternProperties" not in schema and value.keys() - named.keys():
            own = {name: item for name, item in found["properties"].items() if name in named}
            found |= {**_closed(named), "properties": own}
        return found

    def _of_list(self, schema: Mapping[str, Any], value: list[Any]) -> dict[str, Any]:
        items, first = schema.get("items"), schema.get("prefixItems")
        each = items if isinstance(items, list) else first if isinstance(first, list) else []
        rest = items if isinstance(items, Mapping) else {}
        schemas = [*each, *[rest] * len(value)][: len(value)]
        found: dict[str, Any] = {
            "prefixItems": [self.written(inner, item) for inner, item in zip(schemas, value, strict=True)]
        }
        return {**found, "uniqueItems": True} if schema.get("uniqueItems") is True else found


def _of_text(schema: Mapping[str, Any], value: str) -> dict[str, Any]:
    found = {"format": schema["format"]} if schema.get("format") in [*_FORMATS] else {}
    pattern = schema.get("pattern")
    safe = whole_pattern(pattern) if isinstance(pattern, str) and len(value) <= LONGEST_VALUE else None
    return found if safe is None else {**found, "pattern": safe, "published": pattern}


def _closed(named: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object that has no other elements than these."""
    return {"properties": {name: {} for name in named}, "additionalProperties": False, "known": list(named)}


def _of_number(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = {key: schema[key] for key in _COUNTS if isinstance(schema.get(key), int) and schema[key] is not True}
    for bound, exclusive in _BOUNDS.items():
        if _is_number(schema.get(bound)):
            found[exclusive if schema.get(exclusive) is True else bound] = schema[bound]
        if _is_number(schema.get(exclusive)):
            found[exclusive] = schema[exclusive]
    step: Any = schema.get("multipleOf")
    return {**found, "multipleOf": step} if _is_number(step) and step > 0 else found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# What people are told


def _told(error: Any, start: str, hidden: Collection[Path]) -> Iterator[Violation]:
    from jsonschema.exceptions import best_match

    if error.validator == "anyOf":
        # Of several forms, the one that fits best is most likely meant.
        error = best_match([error])
    path: Path = tuple(error.absolute_path)
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield _violation((*path, name), "required, and not given", start)
    elif error.validator == "additionalProperties":
        known = error.schema["known"]
        for name in error.instance:
            if name not in known:
                yield _violation((*path, name), _unknown(name, known), start)
    else:
        secret = any(path[:length] in hidden for length in range(len(path) + 1))
        yield _violation(path, _rule(error), start, MASK if secret else error.instance)


#: The words for what a keyword asks for.
RULES: Mapping[str, str] = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "minProperties": "at least {} elements",
    "maxProperties": "at most {} elements",
    "multipleOf": "a multiple of {}",
    "pattern": "matches the pattern {}",
    "const": "exactly {}",
    "uniqueItems": "no entry twice",
    "not": "not given",
    "anyOf": "one of the published forms",
}


def _rule(error: Any) -> str:
    keyword, wanted = str(error.validator), error.validator_value
    if keyword == "pattern":
        wanted = error.schema["published"]
    if keyword == "type":
        kinds = " or ".join(_CALLED.get(each, f"a {each}") for each in wanted)
        quote = "; quote it" if "string" in wanted and isinstance(error.instance, (int, float)) else ""
        return f"{kinds}, not {kind_of(error.instance)}{quote}"
    if keyword == "enum":
        near = nearest(str(error.instance), [each for each in wanted if isinstance(each, str)], 1)
        listed = ", ".join(brief(each, 60) for each in wanted[:_MOST_LISTED])
        more = ", …" if len(wanted) > _MOST_LISTED else ""
        return f"one of {listed}{more}" + (f"; did you mean {near[0]}?" if near else "")
    if keyword == "format":
        return _FORMATS[wanted]
    return RULES[keyword].format(brief(wanted, 100).strip('"'))


def _unknown(name: object, known: Sequence[str]) -> str:
    near = nearest(str(name), known, 1)
    listed = f"; it has {', '.join(clean(each, 60) for each in known[:_MOST_LISTED])}" if known else ""
    return "the reference has no such element" + (f"; did you mean {near[0]}?" if near else listed)


def _violation(path: Path, rule: str, start: str, value: Any = None) -> Violation:
    """A violation with its value, if that is a scalar: in others a secret may stand."""
    shown = clean(value, 100) if isinstance(value, str) else value
    return Violation(body_path(path, start), None if isinstance(value, (Mapping, list)) else shown, rule, "published")
