# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a rule of the service with what the API specification allows for the setting (sections 4.3 and 8).

A rule that leaves hardly any room for what the API specification allows was misread: it is not enforced.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from .._product_types.dialect import JSONSCHEMA_ERROR, validator
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, TEMPLATE_SETTINGS

#: Contacts and nameservers are sent as text.
DOCUMENTED: Mapping[str, Mapping[str, Any]] = {
    name: {"type": "string"} if isinstance(schema["type"], list) and "string" in schema["type"] else schema
    for kind in PRODUCT_TYPES.values()
    for name, schema in kind.settings.items()
}
_TRUE_WORDS = frozenset({"true", "yes", "on", "1", "y", "t"})
_FALSE_WORDS = frozenset({"false", "no", "off", "0", "n", "f"})
_INTEGER = re.compile(r"[+-]?\d{1,100}", re.ASCII)
#: Values of the kinds that the API specification has a rule for: hostnames, domains, usernames, UUIDs.
_TEXTS = (
    *("web01", "WEB-01", "1", "example.com", "web01.Example.com", "xn--mller-kva.example", f"{'a' * 63}.example.com"),
    *("abc", "ABC", "123", "Admin01", "a" * 32, "fb8663c7-70b6-4d81-9750-c0d2b5697107"),
)
#: Values of settings for which the API specification allows any text.
_ANY_TEXTS = (
    *("debian-12", "Debian 12 (Bookworm)", "S3cret-Pass/word!", "OC-1", "1234", "aB3$" * 4, "aB3$" * 8),
    *("fb8663c7-70b6-4d81-9750-c0d2b5697107", "ns1.example.net ns2.example.net", "abcdefgh", "ABCDEFGH", "Zz 9:/_ä"),
)
_CONTACT = json.dumps({f"field_{number}": "a value of a contact" for number in range(11)})


def kind_of_setting(name: str) -> str | None:
    """The documented type of a setting: string, integer or boolean."""
    kind = DOCUMENTED.get(name, {}).get("type")
    return next(each for each in kind if each != "null") if isinstance(kind, list) else kind


@cache
def is_text(name: str) -> bool:
    """Whether the API specification allows the setting any text, such as a password or the name of a template."""
    return name in DOCUMENTED and fits(name, _ANY_TEXTS[-1])


def plain_number(value: Any) -> Any:
    """An integer that is written as text as a number; everything else as it is."""
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value.strip()) else value


def truth(value: Any) -> bool | None:
    """What a boolean or a word for one says."""
    text = str(value).lower() if isinstance(value, (str, int)) else ""
    return True if text in _TRUE_WORDS else False if text in _FALSE_WORDS else None


def fits(name: str, value: Any) -> bool:
    """Whether the API specification allows a value, given as it is or as text."""
    kind = kind_of_setting(name)
    if kind == "integer":
        value = plain_number(value)
    elif kind == "boolean":
        value = truth(value)
    return bool(_documented(name).is_valid(value))


def leaves_room(name: str, rules: Mapping[str, Any]) -> bool:
    """Whether these rules (a JSON Schema) can be meant of this setting.

    Of a number, the API specification's values must keep at least two, because a bound for one is a count of something
    else. A pattern must accept whatever the API specification allows, where that has a rule for the text.
    """
    if name not in DOCUMENTED:
        return True
    live = validator(rules)
    if "pattern" in rules and not is_text(name):
        shape = validator({"pattern": rules["pattern"]})
        if not all(shape.is_valid(value) for value in _samples(name, rules)):
            return False
    wanted, values = 2 if kind_of_setting(name) == "integer" else 1, set()
    for value in _samples(name, rules):
        if value not in values and live.is_valid(value):
            values.add(value)
            if len(values) == wanted:
                return True
    return False


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
    elif name in CONTACT_SETTINGS:
        yield _CONTACT
    elif is_text(name):
        yield from _ANY_TEXTS
    else:
        yield from _texts(name)


@cache
def _documented(name: str) -> Any:
    return validator(DOCUMENTED[name])


@cache
def _texts(name: str) -> tuple[str, ...]:
    return tuple(text for text in (*DOCUMENTED[name].get("enum", ()), *_TEXTS) if fits(name, text))


def _numbers(schema: Mapping[str, Any]) -> Iterator[float]:
    for value in schema.values():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            yield value


def may_list(name: str) -> bool:
    """Whether a list of values can be all values of a setting.

    Of hostnames, passwords, contacts and the like it lists examples or what exists today, so others are possible.
    """
    kind = kind_of_setting(name)
    return kind in (None, "integer", "boolean") or name in TEMPLATE_SETTINGS or "enum" in DOCUMENTED[name]


def _prepare() -> None:
    """Build what the first look at a product's options would build, for the processes that are forked from this one."""
    for name in DOCUMENTED:
        if not is_text(name) and kind_of_setting(name) == "string":
            _texts(name)


if JSONSCHEMA_ERROR is None:
    _prepare()
