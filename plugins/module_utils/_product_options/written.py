# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads rules and their values as text: numbers, flags, tokens between pipes, named constraints, schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from .._core.text import fold
from .evidence import is_schema, truth
from .patterns import whole_pattern
from .vocabulary import DESCRIPTIVE, is_condition, is_known, is_rule_word, word_of

#: Elements that name a constraint in a list of them, and those that hold what it is given.
_CONSTRAINT_NAMES = (
    *("constraint", "rule", "validator", "annotation", "kind", "check", "name", "class", "method"),
    *("type", "id"),
)
_ARGUMENTS = ("options", "params", "parameters", "args", "arguments", "attributes", "config", "constraints", "value")
_REGEX_TOKEN = re.compile(r"(?:not_?)?regex:", re.IGNORECASE)
_DEPTH = 12
_NUMBER = re.compile(r"\s*[+-]?\d{1,30}(\.\d{1,30})?\s*", re.ASCII)


class UnclearError(ValueError):
    """A rule or its argument has an unknown form."""


def number_of(value: Any) -> float:
    """A number, also from text, or as the only one or the first of an object or list."""
    if isinstance(value, Mapping):
        numbers = [item for name, item in value.items() if not isinstance(item, bool) and _is_number(item)]
        value = numbers[0] if len(numbers) == 1 else None
    elif isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value) if "." in value else int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= 10**30:
        raise UnclearError
    return plain(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)


def plain(number: float) -> float:
    """Whole numbers without a decimal point."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def flag_of(value: Any) -> bool:
    said = {"required": True, "optional": False}.get(value) if isinstance(value, str) else None
    said = truth(value) if said is None else said
    if said is None:
        raise UnclearError
    return said


def are_scalars(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value)


def are_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def is_only(flags: Any) -> bool:
    return isinstance(flags, Mapping) and (flags.get("only") is True or flags.get("allowOnly") is True)


def is_empty(value: Any) -> bool:
    """Whether this says nothing, also as an object of nothing."""
    return not value or (isinstance(value, Mapping) and all(map(is_empty, value.values())))


def is_conditional(item: Any) -> bool:
    """Whether a constraint holds only sometimes: under a condition, or in a group that is not the usual one."""
    if not isinstance(item, Mapping):
        return False
    groups = item.get("groups")
    if isinstance(groups, list) and groups and "Default" not in groups:
        return True
    held = [name for name, value in item.items() if is_condition(name) and not is_empty(value)]
    inner = [value for name, value in item.items() if name in ("options", "params", "args")]
    return bool(held) or any(map(is_conditional, inner))


def listed_values(part: Any) -> list[Any] | None:
    """The values of an alternative that only lists some."""
    if not isinstance(part, Mapping):
        return [part] if isinstance(part, (str, int, float)) else None
    if "const" in part:
        return [part]
    only_listed = isinstance(part.get("enum"), list) and set(part) <= {"enum", "type", "title", "description"}
    return list(part["enum"]) if only_listed else None


def tokens_of(text: str) -> list[str]:
    """The rules of a text with pipes; a regular expression with a pipe in it stays in one piece."""
    tokens: list[str] = []
    for part in text.split("|"):
        if tokens and _is_open(tokens[-1]):
            tokens[-1] += f"|{part}"
        else:
            tokens.append(part.strip())
    return [token for token in tokens if token]


def _is_open(token: str) -> bool:
    begun = _REGEX_TOKEN.match(token)
    expression = token[begun.end() :] if begun else ""
    if not expression or expression[0] not in "/#~@!%":
        return False
    return re.search(rf"(?<!\\){re.escape(expression[0])}[a-zA-Z]*\Z", expression[1:]) is None


def arguments_of(given: Mapping[Any, Any]) -> Any:
    """The argument of a rule, taken out of ``{"options": …}``."""
    name, value = next(iter(given.items())) if len(given) == 1 else ("", None)
    return value if fold(name) in _ARGUMENTS and value is not None else given


def names_of(item: Mapping[Any, Any]) -> list[str]:
    """By what names this may be a constraint."""
    return [word_of(item[name]) for name in _CONSTRAINT_NAMES[:-2] if isinstance(item.get(name), str)]


def constraint_of(item: Any) -> tuple[str, Any] | None:
    """Name and arguments of a constraint in a list: ``{"Range": {…}}`` or ``{"constraint": "Range", "min": 1}``."""
    if not isinstance(item, Mapping):
        return None
    told = {fold(name): name for name in item}
    for candidate in _CONSTRAINT_NAMES:
        named = item.get(told[candidate]) if candidate in told else None
        if isinstance(named, str) and is_known(word_of(named)):
            rest = {
                name: value
                for name, value in item.items()
                if name != told[candidate]
                and word_of(name) not in DESCRIPTIVE
                and not is_condition(name)
                # What kind of thing describes the rule, such as "customValidation".
                and not (fold(name) == "type" and isinstance(value, str) and not is_rule_word(value))
            }
            return named, arguments_of(rest)
    if len(item) == 1:
        name, value = next(iter(item.items()))
        return (str(name), value) if is_known(word_of(name)) else None
    return None


# JSON Schema


def resolved(schema: Any, roots: Sequence[Any], depth: int = _DEPTH) -> Any:
    """A schema with its local references replaced by what they refer to in one of ``roots``.

    Raises UnclearError for a reference to elsewhere, or one that never ends.
    """
    if isinstance(schema, list):
        return [resolved(item, roots, depth) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    if not depth:
        raise UnclearError
    reference = schema.get("$ref")
    if isinstance(reference, str):
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        target = resolved(target_of(reference, roots), roots, depth - 1)
        return {**target, **resolved(beside, roots, depth - 1)}
    return {name: resolved(value, roots, depth - 1) for name, value in schema.items()}


def target_of(reference: str, roots: Sequence[Any]) -> Mapping[str, Any]:
    """What a local reference refers to in one of ``roots``. Raises UnclearError."""
    pointer, *parts = reference.split("/")
    for root in roots if pointer == "#" else ():
        value = root
        for part in parts:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            return value
    raise UnclearError


def usable(schema: Any) -> dict[str, Any]:
    """A schema with its patterns in Python's syntax. Raises UnclearError for one that cannot be validated with."""
    if not is_schema(schema):
        raise UnclearError
    made: dict[str, Any] = _with_patterns(schema)
    return made


def _with_patterns(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_patterns(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {name: _with_patterns(value) for name, value in schema.items()}
    if isinstance(schema.get("pattern"), str):
        made["pattern"] = whole_pattern(schema["pattern"])
        if made["pattern"] is None:
            raise UnclearError
    if any(re.search(r"[*+{]", name) for name in schema.get("patternProperties", ())):
        raise UnclearError
    return made
