# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks a value against a schema of the published reference. Finds all violations, each with its path.

jsonschema sees only the rules of OpenAPI 2.0, 3.0 and 3.1 that it can judge. What else a schema says, and rules that
are not well formed, are left to the service.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .._checks.coercion import kind_of
from .._core.errors import PublishedReferenceError, Violation
from .._core.text import clean, nearest
from .._product_types.dialect import broken, dialect, require_jsonschema, rule_in_words
from .._reference.schemas import TOO_MUCH, Schemas, as_list, nullable
from .._secrets.needles import MASK
from .schema_elements import Path, body_path, is_within, secret_places, value_places

#: The types of the values that well-formed keywords have.
_WELL_FORMED: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), (int,)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), (int, float)),
    "uniqueItems": (bool,),
    "enum": (list,),
    "format": (str,),
    "$ref": (str,),
}
_FORMATS = {"uuid": "a UUID", "date": "a date such as 2026-11-21", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address"}
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
#: Each bound, and the keyword that is a boolean in OpenAPI 2.0 and 3.0, and a bound of its own in 3.1.
_BOUNDS = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
REQUIRED = "required, and not given"
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
    if not isinstance(schema, Mapping):
        return []
    try:
        found = [*_unknown(schemas, schema, value, start)]
        hidden = secret_places(schemas, [schema], value)
        found += [_violation(each, start, hidden) for each in _Judge(schemas, partial=partial).errors(schema, value)]
    except (PublishedReferenceError, RecursionError, ArithmeticError):
        return []
    return [*{(each.path, each.rule): each for each in found}.values()][:_MOST_VIOLATIONS]


def _unknown(schemas: Schemas, schema: Any, value: Any, start: str) -> Iterator[Violation]:
    """Elements that no schema names: most likely they are mistyped, whether or not others are allowed."""
    for path, item, found in value_places(schemas, [schema], value):
        if isinstance(item, Mapping) and found.lists_elements and not found.describes_others:
            known = [*found.properties]
            for name in (str(each) for each in item if str(each) not in found.properties):
                near = nearest(name, known, 1)
                listed = f"; it has {', '.join(clean(each, 60) for each in known[:_MOST_LISTED])}" if known else ""
                rule = f"the reference has no such {'element' if start == 'body' else 'parameter'}"
                rule += f"; did you mean {near[0]}?" if near else listed
                yield Violation(body_path((*path, name), start), None, rule, "published")


class _Judge:
    """Judges one value. Of a schema within itself, the inner one says nothing more of the same value."""

    def __init__(self, schemas: Schemas, *, partial: bool) -> None:
        self._schemas = schemas
        self._partial = partial
        self._left = _MOST_SCHEMAS
        self._rules: dict[str, dict[str, Any]] = {}
        self._open: set[tuple[str, int]] = set()

    def errors(self, schema: Mapping[str, Any], value: Any) -> Iterator[Any]:
        """The errors of jsonschema. Raises PublishedReferenceError if the schema is too large or too deep."""
        from jsonschema import FormatChecker

        own = {"$ref": self._referred, "required": _required}
        yield from dialect(own)(self._written(schema), format_checker=FormatChecker([*_FORMATS])).iter_errors(value)

    def _referred(self, validator: Any, reference: str, value: Any, _schema: Any) -> Iterator[Any]:
        mark = (reference, id(value))
        if mark in self._open:
            return
        self._left -= 1
        if self._left < 0:
            raise PublishedReferenceError(TOO_MUCH)
        if reference not in self._rules:
            self._rules[reference] = self._written(self._schemas.resolve({"$ref": reference}))
        self._open.add(mark)
        try:
            yield from validator.descend(value, self._rules[reference])
        finally:
            self._open.discard(mark)

    def _written(self, schema: Any, read_only: frozenset[str] = frozenset()) -> dict[str, Any]:
        """A schema as plain JSON Schema 2020-12. ``read_only`` are elements of what it is a part of."""
        if not isinstance(schema, Mapping):
            return {"not": {}} if schema is False else {}
        found = {key: schema[key] for key, types in _WELL_FORMED.items() if type(schema.get(key)) in types}
        found |= {"const": schema["const"]} if "const" in schema else {}
        for bound, exclusive in _BOUNDS.items():
            if schema.get(exclusive) is True and bound in found:
                found[exclusive] = found.pop(bound)
        types = [each for each in (schema.get("type"), *as_list(schema.get("type"))) if each in _TYPES]
        found |= {"type": types} if types else {}
        if not self._partial:
            # Only the service sets what is read-only, so that a request need not have it.
            read_only |= self._read_only(schema)
            found["required"] = [name for name in as_list(schema.get("required")) if name not in read_only]
        properties, others = schema.get("properties"), schema.get("additionalProperties")
        if isinstance(properties, Mapping):
            found["properties"] = {str(name): self._written(part) for name, part in properties.items()}
        if isinstance(others, Mapping) and "patternProperties" not in schema:
            found["additionalProperties"] = self._written(others)
        found["prefixItems"] = [self._written(part) for part in as_list(schema.get("prefixItems"))]
        if isinstance(schema.get("items"), Mapping):
            found["items"] = self._written(schema["items"])
        every = [self._written(part, read_only) for part in as_list(schema.get("allOf"))]
        # A value that fits several forms of oneOf is left to the service: not all of their rules may be known.
        for forms in (as_list(schema.get(key)) for key in ("anyOf", "oneOf")):
            every += [{"anyOf": [self._written(part, read_only) for part in forms]}] if forms else []
        found["allOf"] = every
        return {"if": {"type": "null"}, "else": found} if nullable(schema) else found

    def _read_only(self, schema: Mapping[str, Any]) -> set[str]:
        found = self._schemas.described([schema])
        return {name for name in found.required if self._schemas.described(found.properties.get(name, [])).read_only}


def _required(_validator: Any, names: Sequence[Any], value: Any, _schema: Any) -> Iterator[Any]:
    for name in names if isinstance(value, Mapping) else ():
        if name not in value:
            yield broken(path=[name])


def _violation(error: Any, start: str, hidden: Collection[Path]) -> Violation:
    """The violation with its value, if that is a scalar: in others a secret may stand."""
    from jsonschema.exceptions import best_match

    # Of several forms, the one that fits best is most likely meant.
    error = best_match([error]) if error.validator == "anyOf" else error
    path: Path = tuple(error.absolute_path)
    keyword, wanted, value = str(error.validator), error.validator_value, error.instance
    if keyword == "required":
        return Violation(body_path(path, start), None, REQUIRED, "published")
    rule = _FORMATS[wanted] if keyword == "format" else rule_in_words(keyword, wanted)
    if keyword == "type":
        quote = "; quote it" if "string" in wanted and isinstance(value, (int, float)) else ""
        rule = f"{rule}, not {kind_of(value)}{quote}"
    if keyword == "enum":
        near = nearest(str(value), [each for each in wanted if isinstance(each, str)], 1)
        rule += f"; did you mean {near[0]}?" if near else ""
    if isinstance(value, (Mapping, list)):
        value = None
    elif is_within(path, hidden):
        value = MASK
    elif isinstance(value, str):
        value = clean(value, 100)
    return Violation(body_path(path, start), value, rule, "published")
