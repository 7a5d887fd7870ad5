# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks a value against a schema of the published reference. Finds all violations, each with its path.

Draft 4 for OpenAPI 2.0 and 3.0, draft 2020-12 for 3.1. A reference is followed within the document only: nothing is
fetched. What a schema says that cannot be checked here is left to the service.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._checks.coercion import kind_of
from .._core.errors import MissingLibraryError, Violation
from .._core.text import brief, clean, nearest
from .._product_types.patterns import LONGEST_VALUE, whole_pattern
from .._reference.schemas import Schemas, nullable
from .._secrets.echoes import MASK
from .._secrets.names import is_secret_name
from .elements import Path, dotted, secret_paths, unknown_elements

try:
    import jsonschema
    import jsonschema.validators
    import referencing
except ImportError as error:
    _MISSING: ImportError | None = error
else:
    _MISSING = None

_FORMATS = {"uuid": "a UUID", "date": "a date such as 2026-11-21", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address"}
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_CALLED = {"array": "a list", "object": "a mapping", "integer": "an integer", "null": "null", "boolean": "a boolean"}
#: Errors of a schema that is no schema: it is left to the service.
_NOT_A_SCHEMA = (TypeError, ValueError, AttributeError, KeyError, RecursionError, re.error)
_MOST_VIOLATIONS = 50
_MOST_LISTED = 20

Keyword = Callable[[Any, Any, Any, Any], Iterator[Any]]


class Checker:
    """Checks values against schemas of one document. ``unchecked`` lists the unusable parts of its schemas."""

    def __init__(self, schemas: Schemas, *, draft4: bool) -> None:
        self.unchecked: list[str] = []
        self._schemas = schemas
        self._draft4 = draft4
        self._open: list[tuple[int, Any]] = []
        self._following: set[tuple[int, int]] = set()

    def violations(self, schema: Any, value: Any, start: str = "body", *, partial: bool = False) -> list[Violation]:
        """All rules that a value breaks, or none without a schema. With ``partial``, no element is required.

        Raises MissingLibraryError without jsonschema.
        """
        if _MISSING is not None:
            raise MissingLibraryError("jsonschema", "to check an operation before it is sent", str(_MISSING))
        found = [
            _violation(path, None, f"the reference has no such element{_meant(path[-1], known)}", start)
            for path, known in unknown_elements(self._schemas, [schema], value)
        ]
        if isinstance(schema, Mapping):
            validator = self._validator(partial=partial)(
                schema,
                registry=referencing.Registry(),
                format_checker=jsonschema.FormatChecker([*_FORMATS]),
            )
            try:
                for error in validator.iter_errors(value):
                    found += self._told(error, start)
            except _NOT_A_SCHEMA as error:
                self.unchecked.append(f"{start}: the published schema cannot be used ({clean(str(error), 100)})")
            finally:
                self._open.clear()
                self._following.clear()
        hidden = {dotted(path, start) for path in secret_paths(self._schemas, [schema], value)}
        once = {(each.path, each.rule.partition(";")[0]): each for each in reversed(found)}
        return [_masked(each, hidden) for each in reversed(once.values())][:_MOST_VIOLATIONS]

    # Keywords

    def _validator(self, *, partial: bool) -> Any:
        base = jsonschema.Draft4Validator if self._draft4 else jsonschema.Draft202012Validator
        own: dict[str, Keyword] = {
            "$ref": self._ref,
            "allOf": self._all_of,
            "required": _nothing if partial else self._required,
            "type": self._type,
            "enum": self._enum,
            "pattern": self._pattern,
            "patternProperties": _nothing,
            "propertyNames": _nothing,
            "minimum": functools.partial(_bound, least=True),
            "maximum": functools.partial(_bound, least=False),
            "exclusiveMinimum": functools.partial(_exclusive, least=True),
            "exclusiveMaximum": functools.partial(_exclusive, least=False),
            # Elements that nothing names are found by themselves; these need what is not followed here.
            "additionalProperties": self._additional,
            "unevaluatedProperties": _nothing,
            "unevaluatedItems": _nothing,
            "$dynamicRef": _nothing,
        }
        return jsonschema.validators.extend(base, own)  # type: ignore[no-untyped-call]

    def _ref(self, validator: Any, reference: Any, value: Any, schema: Any) -> Iterator[Any]:
        target = self._schemas.resolve({"$ref": reference})
        key = (id(target), id(value))
        # A schema that refers to itself for the same value says nothing more.
        if not target or key in self._following:
            return
        self._following.add(key)
        try:
            yield from validator.descend(value, target)
        finally:
            self._following.discard(key)

    def _all_of(self, validator: Any, parts: Any, value: Any, schema: Any) -> Iterator[Any]:
        self._open.append((id(value), schema))
        try:
            for at, part in enumerate(parts):
                yield from validator.descend(value, part, schema_path=at)
        finally:
            self._open.pop()

    def _required(self, validator: Any, names: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not isinstance(value, Mapping) or not isinstance(names, list):
            return
        around = [each for known, each in self._open if known == id(value)]
        for name in names:
            if isinstance(name, str) and name not in value and not self._is_read_only(name, [schema, *around]):
                yield _error(validator, "required", name)

    def _is_read_only(self, name: str, schemas: Sequence[Any]) -> bool:
        """Whether only the service sets an element, so that a request need not hold it."""
        parts = self._schemas.described(schemas).properties.get(name)
        return bool(parts) and self._schemas.described(parts or []).read_only

    def _type(self, validator: Any, types: Any, value: Any, schema: Any) -> Iterator[Any]:
        known = [each for each in (types if isinstance(types, list) else [types]) if each in _TYPES]
        if not known or (value is None and nullable(schema)):
            return
        if not any(validator.is_type(value, each) for each in known):
            yield _error(validator, "type", known)

    def _enum(self, validator: Any, values: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not isinstance(values, list) or (value is None and nullable(schema)):
            return
        if not any(type(each) is type(value) and each == value for each in values):
            numbers = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (numbers and any(not isinstance(each, bool) and each == value for each in values)):
                yield _error(validator, "enum", values)

    def _pattern(self, validator: Any, pattern: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not isinstance(value, str) or not isinstance(pattern, str):
            return
        safe = whole_pattern(pattern)
        if safe is None or len(value) > LONGEST_VALUE:
            self._note(f"the pattern {clean(pattern, 80)} is not checked here")
        elif re.fullmatch(safe, value) is None:
            yield _error(validator, "pattern", pattern)

    def _additional(self, validator: Any, further: Any, value: Any, schema: Any) -> Iterator[Any]:
        """Elements that other keywords do not name: those that are not allowed are told with the nearest name."""
        named = schema.get("properties")
        if not isinstance(value, Mapping) or not isinstance(further, (Mapping, bool)):
            return
        others = [name for name in value if not (isinstance(named, Mapping) and name in named)]
        if isinstance(schema.get("patternProperties"), Mapping):
            return
        for name in others if isinstance(further, Mapping) else ():
            yield from validator.descend(value[name], further, path=name)
        if further is False:
            known = list(named) if isinstance(named, Mapping) else []
            for name in others:
                yield _error(validator, "additionalProperties", (name, known))

    def _note(self, what: str) -> None:
        if what not in self.unchecked:
            self.unchecked.append(what)

    # What people are told

    def _told(self, error: Any, start: str) -> Iterator[Violation]:
        path: Path = tuple(error.absolute_path)
        if error.validator in ("oneOf", "anyOf") and error.context:
            yield from self._of_alternatives(error, start)
            return
        if error.validator == "required":
            path = (*path, error.validator_value)
            yield _violation(path, None, "required, and not given", start)
            return
        if error.validator == "additionalProperties" and isinstance(error.validator_value, tuple):
            name, known = error.validator_value
            path = (*path, name)
            yield _violation(
                path, error.instance[name], f"the reference has no such element{_meant(name, known)}", start
            )
            return
        yield _violation(path, error.instance, _rule(error), start)

    def _of_alternatives(self, error: Any, start: str) -> Iterator[Violation]:
        """What is wrong with the form that the discriminator names, else with the one that fits best."""
        named = self._discriminated(error)
        meant = [each for each in error.context if each.relative_schema_path[0] == named]
        best = error if meant else jsonschema.exceptions.best_match([error])
        for each in meant or ([] if best is error else [best]):
            yield from self._told(each, start)
        if not meant and best is error:
            forms = ", ".join(filter(None, (self._title(each) for each in error.validator_value[:_MOST_LISTED])))
            rule = f"fits none of the {len(error.validator_value)} published forms{f' ({forms})' if forms else ''}"
            yield _violation(tuple(error.absolute_path), error.instance, rule, start)

    @staticmethod
    def _discriminated(error: Any) -> int | None:
        """The form whose schema the discriminator names."""
        given = error.schema.get("discriminator") if isinstance(error.schema, Mapping) else None
        discriminator = given if isinstance(given, Mapping) else {"propertyName": given}
        value = error.instance.get(discriminator.get("propertyName")) if isinstance(error.instance, Mapping) else None
        if not isinstance(value, str):
            return None
        mapping = discriminator.get("mapping")
        target = mapping.get(value, value) if isinstance(mapping, Mapping) else value
        for at, part in enumerate(error.validator_value):
            reference = part.get("$ref") if isinstance(part, Mapping) else None
            if isinstance(reference, str) and reference.rpartition("/")[2] == str(target).rpartition("/")[2]:
                return at
        return None

    def _title(self, node: Any) -> str:
        reference = node.get("$ref") if isinstance(node, Mapping) else None
        told = self._schemas.resolve(node).get("title")
        name = told if isinstance(told, str) else str(reference or "").rpartition("/")[2]
        return clean(name, 60)


def _error(validator: Any, keyword: str, wanted: Any) -> Any:
    """An error whose value of the keyword is what the message needs."""
    return jsonschema.ValidationError(keyword, validator=keyword, validator_value=wanted)


def _bound(validator: Any, bound: Any, value: Any, schema: Any, *, least: bool) -> Iterator[Any]:
    """``minimum`` and ``maximum``, with the boolean exclusiveMinimum of draft 4 wherever it is written."""
    if not _is_number(value) or not _is_number(bound):
        return
    exclusive = schema.get("exclusiveMinimum" if least else "exclusiveMaximum") is True
    broken = (value < bound if least else value > bound) or (exclusive and value == bound)
    if broken:
        yield _error(validator, ("exclusive_" if exclusive else "") + ("least" if least else "most"), bound)


def _exclusive(validator: Any, bound: Any, value: Any, schema: Any, *, least: bool) -> Iterator[Any]:
    if _is_number(value) and _is_number(bound) and (value <= bound if least else value >= bound):
        yield _error(validator, "exclusive_least" if least else "exclusive_most", bound)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _nothing(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
    return iter(())


_RULES: Mapping[str, str] = {
    "least": "at least {}",
    "most": "at most {}",
    "exclusive_least": "more than {}",
    "exclusive_most": "less than {}",
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
    "not": "not what the reference excludes here",
}


def _rule(error: Any) -> str:
    keyword, wanted = str(error.validator), error.validator_value
    if keyword == "type":
        kinds = " or ".join(_CALLED.get(each, f"a {each}") for each in wanted)
        quote = "; quote it" if "string" in wanted and isinstance(error.instance, (int, float)) else ""
        return f"{kinds}, not {kind_of(error.instance)}{quote}"
    if keyword == "enum":
        listed = ", ".join(brief(each, 60) for each in wanted[:_MOST_LISTED])
        near = (
            nearest(error.instance, [each for each in wanted if isinstance(each, str)], 1)
            if isinstance(error.instance, str)
            else []
        )
        return f"one of {listed}{', …' if len(wanted) > _MOST_LISTED else ''}" + (
            f"; did you mean {near[0]}?" if near else ""
        )
    if keyword == "format":
        return _FORMATS.get(str(wanted), f"in the format {clean(str(wanted), 40)}")
    if keyword in _RULES:
        return _RULES[keyword].format(brief(wanted, 100).strip('"'))
    return f"breaks the published rule {clean(keyword, 40)}"


def _meant(name: object, known: Sequence[str]) -> str:
    near = nearest(str(name), known, 1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; it has {', '.join(clean(each, 60) for each in known[:_MOST_LISTED])}" if known else ""


def _violation(path: Path, value: Any, rule: str, start: str) -> Violation:
    """A violation with its value, if that is a scalar: in others a secret may stand."""
    secret = any(isinstance(step, str) and is_secret_name(step) for step in path)
    shown = clean(value, 100) if isinstance(value, str) else value
    if isinstance(value, (Mapping, list)):
        shown = None
    return Violation(dotted(path, start), MASK if secret and shown is not None else shown, rule, "published")


def _masked(violation: Violation, hidden: set[str]) -> Violation:
    if violation.value is None or violation.path not in hidden:
        return violation
    return Violation(violation.path, MASK, violation.rule, violation.source)
