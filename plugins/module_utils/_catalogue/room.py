# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a rule of the service with what the API specification allows for the setting (sections 4.3 and 8).

A rule that leaves hardly any room for what the API specification allows was misread: it is not enforced. Of texts that
the API specification has a rule for, such as hostnames, that rule alone is enforced.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from .._core.text import truth
from .._product_types.dialect import validator
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, TEMPLATE_SETTINGS

#: Contacts and nameservers are sent as text.
DOCUMENTED: Mapping[str, Mapping[str, Any]] = {
    name: {"type": "string"} if isinstance(schema["type"], list) and "string" in schema["type"] else schema
    for kind in PRODUCT_TYPES.values()
    for name, schema in kind.settings.items()
}
_INTEGER = re.compile(r"[+-]?\d{1,100}", re.ASCII)
#: No hostname, and nothing else that the API specification has a rule for.
_ANY_TEXT = "Zz 9:/_ä"
#: A password, a template's name or an id is not bound to be shorter or longer than this.
_SHORT, _LONG = 8, 32


def kind_of_setting(name: str) -> str | None:
    """The documented type of a setting: string, integer or boolean."""
    kind = DOCUMENTED.get(name, {}).get("type")
    return next(each for each in kind if each != "null") if isinstance(kind, list) else kind


@cache
def is_text(name: str) -> bool:
    """Whether the API specification allows the setting any text, such as a password or the name of a template."""
    return name in DOCUMENTED and fits(name, _ANY_TEXT)


def plain_number(value: Any) -> Any:
    """An integer that is written as text as a number; everything else as it is."""
    return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value.strip()) else value


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
    else.
    """
    kind = kind_of_setting(name)
    if kind is None or name in CONTACT_SETTINGS:
        return True
    if rules.get("type", kind) not in ((kind, "number") if kind == "integer" else (kind,)):
        return False
    if kind == "integer":
        return _has_two_numbers(DOCUMENTED[name], rules)
    if is_text(name):
        return bool(rules.get("minLength", 0) <= _LONG and rules.get("maxLength", _LONG) >= _SHORT)
    return not rules.keys() - {"type"}


def _has_two_numbers(*schemas: Mapping[str, Any]) -> bool:
    """Whether two integers at least keep the bounds and steps of all schemas."""
    least = max(schema.get("minimum", -math.inf) for schema in schemas)
    most = min(schema.get("maximum", math.inf) for schema in schemas)
    steps = [schema["multipleOf"] for schema in schemas if "multipleOf" in schema]
    if any(step != int(step) for step in steps):
        return False
    step = math.lcm(*map(int, steps)) if steps else 1
    return math.inf in (-least, most) or most // step - math.ceil(least / step) >= 1


@cache
def _documented(name: str) -> Any:
    return validator(DOCUMENTED[name])


def may_list(name: str) -> bool:
    """Whether a list of values can be all values of a setting.

    Of hostnames, passwords, contacts and the like it lists examples or what exists today, so others are possible.
    """
    kind = kind_of_setting(name)
    return kind in (None, "integer", "boolean") or name in TEMPLATE_SETTINGS or "enum" in DOCUMENTED[name]
