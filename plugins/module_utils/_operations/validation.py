# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks a value against a schema of the published reference. Finds all violations, each with its path.

jsonschema sees only well-formed rules of OpenAPI 2.0, 3.0 and 3.1 that it can judge. All others are left to the
service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._checks.coercion import kind_of
from .._core.errors import PublishedReferenceError, Violation
from .._core.text import clean, nearest
from .._product_types.dialect import Keyword, broken, dialect, require_jsonschema, rule_in_words
from .._reference.schemas import TOO_MUCH, TYPES, as_list, nullable
from .._secrets.needles import MASK
from .schema_elements import Path, Walk, is_within, path_text

#: The keywords that jsonschema judges, with the types of the values that well-formed ones have.
_WELL_FORMED: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), (int,)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), (int, float)),
    **dict.fromkeys(("required", "enum"), (list,)),
    "type": (str, list),
    "format": (str,),
    "uniqueItems": (bool,),
}
_FORMATS = {"uuid": "a UUID", "date": "a date such as 2026-11-21", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address"}
#: Each bound, and the keyword that is a boolean in OpenAPI 2.0 and 3.0, and a bound of its own in 3.1.
_BOUNDS = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
REQUIRED = "required, and not given"
_MOST_SCHEMAS = 20_000
_MOST_VIOLATIONS = 50
_MOST_LISTED = 20


def published_violations(schema: Any, walk: Walk) -> list[Violation]:
    """All rules of a schema that the value of a walk breaks.

    Elements that no schema names most likely are mistyped, so they are violations whether or not others are allowed.
    Raises MissingLibraryError without jsonschema.
    """
    require_jsonschema("to check an operation before it is sent")
    found = [_unknown(path, known) for path, known in walk.unknown.items()]
    try:
        found += [_violation(each, walk) for each in _Judge(walk).errors(schema)]
    except (PublishedReferenceError, RecursionError, ArithmeticError):
        return []
    return [*{(each.path, each.rule): each for each in found}.values()][:_MOST_VIOLATIONS]


def _unknown(path: Path, known: Sequence[str]) -> Violation:
    near = nearest(str(path[-1]), [*known], 1)
    listed = f"; it has {', '.join(clean(each, 60) for each in known[:_MOST_LISTED])}" if known else ""
    what = "element" if path[0] == "body" else "parameter"
    rule = f"the reference has no such {what}" + (f"; did you mean {near[0]}?" if near else listed)
    return Violation(path_text(path), None, rule, "published")


class _Judge:
    """Judges one value. Of a schema within itself, the inner one says nothing more of the same value."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._left = _MOST_SCHEMAS
        self._open: set[tuple[str, int]] = set()

    def errors(self, schema: Any) -> Iterator[Any]:
        """The errors of jsonschema. Raises PublishedReferenceError if the schema is too large or too deep."""
        from jsonschema import FormatChecker

        own: dict[str, Keyword] = {"type": _type, "required": self._required, "": self._composed}
        judge = dialect(own)({}, format_checker=FormatChecker([*_FORMATS]))
        yield from self._inner(judge, self._walk.value, schema)

    def _inner(self, validator: Any, value: Any, schema: Any, step: str | int | None = None) -> Iterator[Any]:
        """The errors of a value, or of what ``step`` leads to, by the rules of its schema that can be judged."""
        if schema is False:
            yield broken(validator="not", validator_value={}, path=[step] if step is not None else [], instance=value)
        elif isinstance(schema, Mapping) and not (value is None and nullable(schema)):
            yield from validator.descend(value, {**_judged(schema), "": schema}, path=step)

    def _composed(self, validator: Any, schema: Mapping[str, Any], value: Any, _rules: Any) -> Iterator[Any]:
        """The errors by the schemas that a schema is composed of, and by those of its elements or entries."""
        if isinstance(schema.get("$ref"), str):
            yield from self._referred(validator, schema["$ref"], value)
        for part in as_list(schema.get("allOf")):
            yield from self._inner(validator, value, part)
        for forms in (as_list(schema.get(key)) for key in ("anyOf", "oneOf")):
            yield from self._forms(validator, forms, value)
        named = schema.get("properties")
        named = {str(name): part for name, part in named.items()} if isinstance(named, Mapping) else {}
        entries, first = schema.get("items"), as_list(schema.get("prefixItems"))
        if isinstance(value, Mapping):
            others = None if "patternProperties" in schema else schema.get("additionalProperties")
            for name, item in value.items():
                yield from self._inner(validator, item, named.get(name, others or None), name)
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield from self._inner(validator, item, first[at] if at < len(first) else entries, at)

    def _referred(self, validator: Any, reference: str, value: Any) -> Iterator[Any]:
        mark = (reference, id(value))
        if mark in self._open:
            return
        self._left -= 1
        if self._left < 0:
            raise PublishedReferenceError(TOO_MUCH)
        self._open.add(mark)
        try:
            yield from self._inner(validator, value, self._walk.schemas.resolve({"$ref": reference}))
        finally:
            self._open.discard(mark)

    def _forms(self, validator: Any, forms: Sequence[Any], value: Any) -> Iterator[Any]:
        """The errors of the form that is meant: what is required in it is given.

        A value that fits several forms of ``oneOf`` is left to the service: not all of their rules may be known.
        """
        found = sorted(([*self._inner(validator, value, form)] for form in forms), key=_distance)
        if found and all(found):
            is_clear = len(found) == 1 or _distance(found[0]) < _distance(found[1])
            yield from found[0] if is_clear else [broken(validator="anyOf", validator_value=[])]

    def _required(self, _validator: Any, names: Sequence[Any], value: Any, _schema: Any) -> Iterator[Any]:
        for name in names if isinstance(value, Mapping) else ():
            if isinstance(name, str) and name not in value and not self._walk.may_lack(value, name):
                yield broken(path=[name])


def _judged(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The well-formed rules of a schema that jsonschema judges."""
    found = {key: wanted for key, wanted in schema.items() if type(wanted) in _WELL_FORMED.get(key, ())}
    found |= {"const": schema["const"]} if "const" in schema else {}
    for bound, exclusive in _BOUNDS.items():
        if schema.get(exclusive) is True and bound in found:
            found[exclusive] = found.pop(bound)
    return found


def _type(validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[Any]:
    types = [each for each in (wanted, *as_list(wanted)) if isinstance(each, str) and each in TYPES]
    if types and not any(validator.is_type(value, each) for each in types):
        yield broken(validator_value=types)


def _distance(errors: Sequence[Any]) -> tuple[int, ...]:
    """How far a value is from the form with these errors: by kind, by required elements, by fixed values, by all."""
    kind = sum(each.validator == "type" and not each.path for each in errors)
    lacking = sum(each.validator == "required" and len(each.path) == 1 for each in errors)
    fixed = sum(each.validator in ("const", "enum") for each in errors)
    return kind, lacking, fixed, len(errors)


def _violation(error: Any, walk: Walk) -> Violation:
    """The violation with its value, if that is a scalar: in others a secret may stand."""
    path: Path = tuple(error.absolute_path)
    keyword, wanted, value = str(error.validator), error.validator_value, error.instance
    if keyword == "required":
        return Violation(path_text(path), None, REQUIRED, "published")
    rule = _FORMATS[wanted] if keyword == "format" else rule_in_words(keyword, wanted)
    if keyword == "type":
        quote = "; quote it" if "string" in wanted and isinstance(value, (int, float)) else ""
        rule = f"{rule}, not {kind_of(value)}{quote}"
    if keyword == "enum":
        near = nearest(str(value), [each for each in wanted if isinstance(each, str)], 1)
        rule += f"; did you mean {near[0]}?" if near else ""
    if isinstance(value, (Mapping, list)):
        value = None
    elif is_within(path, walk.secrets):
        value = MASK
    elif isinstance(value, str):
        value = clean(value, 100)
    return Violation(path_text(path), value, rule, "published")
