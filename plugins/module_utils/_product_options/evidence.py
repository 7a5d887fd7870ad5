# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the rules of the API specification for a setting with those of the service (API specification 4.3 and 8)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from .._core.errors import MissingLibraryError
from .._product_types.registry import PRODUCT_TYPES
from . import patterns

try:
    import jsonschema
except ImportError as error:
    JSONSCHEMA_ERROR: ImportError | None = error
else:
    JSONSCHEMA_ERROR = None

#: Contacts and nameservers are sent as text.
DOCUMENTED: Mapping[str, Mapping[str, Any]] = {
    name: {"type": "string"} if isinstance(schema["type"], list) and "string" in schema["type"] else schema
    for kind in PRODUCT_TYPES.values()
    for name, schema in kind.settings.items()
}
TRUE_WORDS = frozenset({"true", "yes", "on", "1", "y", "t"})
FALSE_WORDS = frozenset({"false", "no", "off", "0", "n", "f"})
_INTEGER = re.compile(r"[+-]?\d{1,100}", re.ASCII)
#: Texts of the kinds that the API specification has a rule for: hostnames, domains, usernames, UUIDs.
_TEXTS = (
    *("web01", "example.com", "web01.example.com", "xn--mller-kva.example", "abc", "ABC", "123", "Admin01", "user1234"),
    *("abcdefghijkl", "Abcdefghij123456", "a" * 32, "fb8663c7-70b6-4d81-9750-c0d2b5697107", "register", "transfer"),
)
#: Fits only where the API specification leaves the text open.
_ANY_TEXT = "Zz 9:/_ä"


@cache
def is_text(name: str) -> bool:
    """Whether the API specification allows the setting any text, such as a password or the name of a template."""
    return name in DOCUMENTED and fits(name, _ANY_TEXT)


def kind_of_setting(name: str) -> str | None:
    """The documented type of a setting: string, integer or boolean."""
    kind = DOCUMENTED.get(name, {}).get("type")
    return next(each for each in kind if each != "null") if isinstance(kind, list) else kind


def plain_number(value: Any) -> Any:
    """An integer that is written as text as a number; everything else as it is."""
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value.strip()) else value


def truth(value: Any) -> bool | None:
    """What a boolean or a word for one says."""
    text = str(value).lower() if isinstance(value, (str, int)) else ""
    return True if text in TRUE_WORDS else False if text in FALSE_WORDS else None


def fits(name: str, value: Any) -> bool:
    """Whether the API specification allows a value, given as it is or as text."""
    kind = kind_of_setting(name)
    if kind == "integer":
        value = plain_number(value)
    elif kind == "boolean":
        value = truth(value)
    return bool(_documented(name).is_valid(value))


@cache
def _documented(name: str) -> Any:
    return validator(DOCUMENTED[name])


@cache
def _texts(name: str) -> tuple[str, ...]:
    return tuple(text for text in (*DOCUMENTED[name].get("enum", ()), *_TEXTS) if fits(name, text))


def leaves_room(name: str, rules: Mapping[str, Any]) -> bool:
    """Whether a value that the API specification allows for this setting keeps these rules (a JSON Schema)."""
    if name not in DOCUMENTED:
        return True
    if is_text(name):
        return "type" not in rules or bool(validator({"type": rules["type"]}).is_valid(_ANY_TEXT))
    live = validator(rules)
    return any(live.is_valid(value) for value in _samples(name, rules))


def _samples(name: str, rules: Mapping[str, Any]) -> Iterator[Any]:
    schema, kind = DOCUMENTED[name], kind_of_setting(name)
    if kind == "boolean":
        yield from (True, False)
    elif kind == "integer":
        numbers = [*_numbers(schema), *_numbers(rules)]
        steps = [int(each["multipleOf"]) for each in (schema, rules) if each.get("multipleOf", 0) >= 1]
        step = math.lcm(*steps) if steps else 1
        for number in numbers:
            near = int(number) // step * step
            yield from (value for value in (int(number), near, near + step, near - step) if fits(name, value))
    else:
        yield from _texts(name)


def _numbers(schema: Mapping[str, Any]) -> Iterator[float]:
    for value in schema.values():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from _numbers(item if isinstance(item, Mapping) else {"": item})


def _prepare() -> None:
    """Build what the first look at a product's options would build, for the processes that are forked from this one."""
    for name in DOCUMENTED:
        if not is_text(name) and kind_of_setting(name) == "string":
            _texts(name)


# Validation


@cache
def _dialect() -> Any:
    if JSONSCHEMA_ERROR is not None:
        raise MissingLibraryError("jsonschema", "to check the settings of an order", str(JSONSCHEMA_ERROR))
    extend: Any = jsonschema.validators.extend
    own = {"pattern": _pattern, "multipleOf": _multiple_of}
    return extend(jsonschema.Draft202012Validator, own)


def validator(schema: Mapping[str, Any]) -> Any:
    """A validator of JSON Schema 2020-12 with patterns in Python's syntax and exact steps."""
    return _dialect()(schema)


def is_schema(schema: Any) -> bool:
    """Whether this is a JSON Schema that can be validated with."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except (jsonschema.SchemaError, RecursionError, re.error):
        return False
    return True


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    # Longer values are left to the service: the time that a match may take grows with the length.
    text = str(instance) if isinstance(instance, (str, int)) and not isinstance(instance, bool) else None
    if text is not None and len(text) <= patterns.LONGEST_VALUE and not re.fullmatch(pattern, text):
        yield jsonschema.ValidationError("does not match")


def _multiple_of(_validator: Any, step: float, instance: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    is_finite = not isinstance(instance, float) or math.isfinite(instance)
    if not is_finite or (_exact(instance) / _exact(step)).denominator != 1:
        yield jsonschema.ValidationError("is no multiple")


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


if JSONSCHEMA_ERROR is None:
    _prepare()
