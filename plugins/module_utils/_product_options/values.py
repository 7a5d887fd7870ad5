# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules of all kinds are given: numbers, flags, bounds, and the types and formats of values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from .._core.text import brief, fold, words
from . import patterns
from .draft import Draft, NotUnderstoodError, Number
from .option import OptionType

#: Adds a rule to a draft from what the rule is given; raises NotUnderstoodError for what it cannot use.
Rule = Callable[[Draft, Any], None]

_TYPES: Mapping[OptionType, str] = {
    "string": "string str varchar char",
    "integer": "integer int int32 int64 long bigint smallint counter stepper",
    "number": "number numeric float double decimal",
    "boolean": "boolean bool",
    "array": "array list collection tags multiselect multiplechoice checkboxes",
    "object": "object map dict dictionary hash struct",
}
_FIELD_TYPES: Mapping[OptionType, str] = {
    "string": "text input textarea shorttext longtext textfield textbox password passwd secret tel phone search",
    "number": "range slider spinner",
    "boolean": "checkbox switch toggle flag yesno onoff",
}
#: Fields that take one of their choices say nothing about the type of these.
_UNTYPED = words(
    "select dropdown choice enum radio radios combobox singleselect selectbox selectlist picklist hidden any mixed"
)
_STRONG = {word: kind for kind, listed in _TYPES.items() for word in listed.split()}
_WEAK = {word: kind for kind, listed in _FIELD_TYPES.items() for word in listed.split()}
FORMATS: Mapping[str, str] = {
    "email": patterns.EMAIL,
    "url": patterns.URL,
    "uri": patterns.URL,
    "uuid": patterns.UUID,
    "guid": patterns.UUID,
    "hostname": patterns.HOSTNAME,
    "fqdn": patterns.HOSTNAME,
    "ipv4": patterns.IPV4,
    "alpha": r"[^\W\d_]+",
    "alphanum": r"[^\W_]+",
    "alphanumeric": r"[^\W_]+",
    "alphadash": r"[\w-]+",
    "lowercase": r"[^A-Z]*",
    "uppercase": r"[^a-z]*",
}
#: What a lower and an upper bound are called where they stand together.
LOWER = ("min", "minimum", "from", "start", "lower")
UPPER = ("max", "maximum", "to", "end", "upper")
#: Symfony's types are classes: Symfony\\…\\IntegerType.
_SUFFIX = re.compile(r"(?<=[a-z])type\Z")
_TRUE = frozenset({"true", "yes", "1", "on", "required"})
_FALSE = frozenset({"false", "no", "0", "off", "optional"})


# Taking values


def number_of(value: Any, *names: str) -> Number:
    """A number, also from text, from a list with only it, or from an object that holds it as one of ``names``."""
    if isinstance(value, Mapping):
        told = {fold(name): item for name, item in value.items()}
        value = next((told[name] for name in (*names, "value", "limit") if name in told), None)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,30}(\.\d{1,30})?\s*", value, re.ASCII):
        value = float(value) if "." in value else int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotUnderstoodError
    if not math.isfinite(value) or abs(value) > 10**30:
        raise NotUnderstoodError
    return value


def boolean_of(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    if text not in _TRUE | _FALSE:
        raise NotUnderstoodError
    return text in _TRUE


def is_set(value: Any) -> bool:
    """Whether a constraint that needs nothing more is there: ``true``, or an object with its messages."""
    return True if isinstance(value, Mapping) or value == [] else boolean_of(value)


def doubt_others(draft: Draft, value: Any, *known: str) -> None:
    """Doubt what an object tells beside the words ``known`` and its messages."""
    for name, item in value.items() if isinstance(value, Mapping) else ():
        word = fold(name)
        if (
            word not in known
            and not word.endswith(("message", "payload", "groups", "unit", "label"))
            and item is not None
        ):
            draft.doubt(f"{name}: {brief(item)}")


def bounds_of(value: Any) -> tuple[Number | None, Number | None]:
    """A lower and an upper bound: ``"1,10"``, ``[1, 10]``, ``"1-10"`` or ``{"min": 1, "max": 10}``."""
    if isinstance(value, Mapping):
        told = {fold(name): item for name, item in value.items()}
        bounds = [
            next((number_of(told[name]) for name in names if told.get(name) is not None), None)
            for names in (LOWER, UPPER)
        ]
        if bounds == [None, None]:
            raise NotUnderstoodError
        return bounds[0], bounds[1]
    if isinstance(value, str):
        value = re.split(r"\s*(?:,|\.\.|(?<=\d)-)\s*", value)
    if not isinstance(value, list) or len(value) != 2:
        raise NotUnderstoodError
    return number_of(value[0]), number_of(value[1])


# Types and formats


def set_type(draft: Draft, value: Any) -> None:
    if isinstance(value, Mapping):
        value = value.get("type", value.get("name", value.get("value")))
    kinds = value if isinstance(value, list) else [value]
    kinds = ["null" if kind is None else kind for kind in kinds]
    if not all(isinstance(kind, str) for kind in kinds):
        raise NotUnderstoodError
    names = [_SUFFIX.sub("", fold(re.split(r"[\\/]", kind)[-1])) for kind in kinds]
    if len(names) > 1 and "null" in names:
        draft.nullable = True
        names.remove("null")
    if len(names) != 1:
        raise NotUnderstoodError
    word = names[0]
    if word in ("password", "passwd", "secret"):
        draft.secret = True
    if word in _STRONG:
        draft.set_type(_STRONG[word])
    elif word in _WEAK:
        draft.set_type(_WEAK[word], weak=True)
    elif word in FORMATS:
        draft.set_type("string", weak=True)
        draft.patterns.append(FORMATS[word])
    elif word not in _UNTYPED:
        raise NotUnderstoodError


def set_format(draft: Draft, value: Any) -> None:
    word = fold(value)
    if word in ("int32", "int64", "float", "double", "string", "text"):
        return
    if word in FORMATS:
        draft.patterns.append(FORMATS[word])
    elif word == "password":
        draft.secret = True
    else:
        raise NotUnderstoodError


def format_rule(word: str) -> Rule:
    def rule(draft: Draft, value: Any) -> None:
        if value == "ascii" and word.startswith("alpha"):
            draft.patterns.append({"alpha": "[A-Za-z]+", "alphadash": "[A-Za-z0-9_-]+"}.get(word, "[A-Za-z0-9]+"))
        elif word in ("uuid", "guid", "url", "uri") and isinstance(value, str) and any(mark in value for mark in "-/"):
            # The option's own, not a rule for its value.
            return
        elif is_set(value):
            draft.patterns.append(FORMATS[word])

    return rule


#: Words that are types where a rule may stand: ``required|integer``.
TYPE_WORDS = frozenset(_STRONG) | _UNTYPED | frozenset(_WEAK)


__all__ = [
    "FORMATS",
    "LOWER",
    "TYPE_WORDS",
    "UPPER",
    "Rule",
    "boolean_of",
    "bounds_of",
    "doubt_others",
    "format_rule",
    "is_set",
    "number_of",
    "set_format",
    "set_type",
]
