# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of one option, gathered from whatever they are written in: text, lists, objects, nested in each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from .._core.text import brief, fold
from .choices import read_choices
from .draft import Draft, NotUnderstoodError
from .option import Choice
from .values import TYPE_WORDS, Rule, set_type
from .vocabulary import CONTAINERS, DESCRIPTIVE, is_rule_word, rule_of

_DEPTH = 6
#: Elements that name a constraint in a list of them, and those that hold what it is given.
_CONSTRAINT_NAMES = ("constraint", "rule", "validator", "class", "name", "type", "id")
_ARGUMENTS = ("options", "params", "parameters", "args", "arguments", "attributes", "config", "value", "values")
_REGEX_TOKEN = re.compile(r"(?:not_?)?regex:", re.IGNORECASE)
_HTML = ("attr", "attrs", "attributes", "html")
#: Symfony writes a constraint that needs nothing as {"NotBlank": null}.
_CONSTRAINT_WORD = re.compile(r"(?:.*\\)?[A-Z]\w*")


def read_rules(
    draft: Draft, raw: Any, depth: int = _DEPTH, *, besides: Collection[str] = (), choices: bool = False
) -> None:
    """Add what ``raw`` says of the option to the draft; names in ``besides`` (folded) are left out.

    ``choices`` is whether a list or mapping without any known rule is one of choices. Raises nothing: what is not
    understood is kept in the draft.
    """
    if raw is None or raw is True:
        return
    if isinstance(raw, str):
        _gather_text(draft, raw)
    elif isinstance(raw, list) and depth:
        _gather_list(draft, raw, depth, choices=choices)
    elif isinstance(raw, Mapping) and depth:
        _gather_mapping(draft, raw, depth, besides, choices=choices)
    else:
        draft.doubt(brief(raw))


def _gather_text(draft: Draft, text: str) -> None:
    tokens = _tokens(text)
    if any(map(is_rule_word, tokens)):
        for token in tokens:
            _apply_token(draft, token)
    elif text.strip():
        draft.doubt(text)


def _tokens(text: str) -> list[str]:
    """The rules of a pipe string; a regular expression with a pipe in it stays in one piece."""
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


def _apply_token(draft: Draft, token: str) -> None:
    name, colon, argument = token.partition(":")
    word, rule = rule_of(name)
    try:
        if not colon and word in TYPE_WORDS:
            set_type(draft, word)
        elif rule is not None:
            rule(draft, argument if colon else True)
        elif word not in DESCRIPTIVE:
            draft.doubt(token)
    except NotUnderstoodError:
        draft.doubt(token)


def _gather_list(draft: Draft, items: list[Any], depth: int, *, choices: bool) -> None:
    if all(isinstance(item, str) for item in items) and any(map(is_rule_word, items)):
        for item in items:
            _apply_token(draft, item)
        return
    if any(_constraint(item) or (isinstance(item, str) and is_rule_word(item)) for item in items):
        for item in items:
            _gather_constraint(draft, item, depth)
        return
    _gather_unknown(draft, items, choices=choices)


def _gather_unknown(draft: Draft, raw: Any, *, choices: bool) -> None:
    try:
        if raw:
            draft.add_choices(read_choices(raw) if choices else None)
    except NotUnderstoodError:
        draft.doubt(brief(raw))


def _constraint(item: Any) -> tuple[str, Any] | None:
    """Name and arguments of a constraint in a list: ``{"Range": {…}}`` or ``{"constraint": "Range", "min": 1}``."""
    if not isinstance(item, Mapping):
        return None
    if len(item) == 1:
        name, value = next(iter(item.items()))
        return (str(name), value) if is_rule_word(str(name).rsplit("\\", maxsplit=1)[-1]) else None
    told = {fold(name): name for name in item}
    for candidate in _CONSTRAINT_NAMES:
        spelt = told.get(candidate)
        named = item.get(spelt) if spelt is not None else None
        if isinstance(named, str) and is_rule_word(named.split("\\")[-1]):
            rest = {name: value for name, value in item.items() if name != spelt and fold(name) not in DESCRIPTIVE}
            arguments = next((rest[told[name]] for name in _ARGUMENTS if told.get(name) in rest), None)
            return named, (arguments if arguments is not None and len(rest) == 1 else rest)
    return None


def _gather_constraint(draft: Draft, item: Any, depth: int) -> None:
    found = _constraint(item)
    if found is not None:
        _apply(draft, found[0], found[1], depth - 1, constraint=True)
    elif isinstance(item, str):
        _apply_token(draft, item)
    else:
        read_rules(draft, item, depth - 1)


def _gather_mapping(
    draft: Draft, raw: Mapping[Any, Any], depth: int, besides: Collection[str], *, choices: bool
) -> None:
    if choices and not any(_is_known(name) for name in raw):
        _gather_unknown(draft, raw, choices=True)
        return
    for name, value in raw.items():
        if fold(name) not in besides:
            _apply(draft, str(name), value, depth - 1)


def _is_known(name: Any) -> bool:
    word, rule = rule_of(str(name))
    return rule is not None or word in CONTAINERS or word in DESCRIPTIVE or word in _COMBINED or word == "ref"


def _apply(draft: Draft, name: str, value: Any, depth: int, *, constraint: bool = False) -> None:
    """One rule of an object: its name and what it is given."""
    word, rule = rule_of(name)
    if constraint or _CONSTRAINT_WORD.fullmatch(name):
        if word in TYPE_WORDS and rule is None:
            _apply_token(draft, word)
            return
        value = True if value is None or value in ({}, []) else value
    if value is None or (name[:1] in "$@" and name != "$ref") or name.lower().startswith("x-"):
        return
    try:
        _apply_known(draft, word, rule, value, depth, constraint=constraint)
    except NotUnderstoodError:
        draft.doubt(f"{name}: {brief(value)}")


def _apply_known(draft: Draft, word: str, rule: Rule | None, value: Any, depth: int, *, constraint: bool) -> None:
    if word in _COMBINED:
        _COMBINED[word](draft, value, depth)
    elif word in CONTAINERS or (word in ("required", "optional") and isinstance(value, (Mapping, list))):
        _gather_inner(draft, word, value, depth)
    elif word == "options" and isinstance(value, Mapping) and _holds_rules(value):
        read_rules(draft, value, depth)
    elif rule is not None and (word != "size" or constraint):
        # Laravel's size is a rule; what it is elsewhere is not known.
        rule(draft, value)
    elif word not in DESCRIPTIVE and value not in (False, "", [], {}):
        raise NotUnderstoodError


def _gather_inner(draft: Draft, word: str, value: Any, depth: int) -> None:
    if word in ("required", "optional"):
        draft.required = draft.required or word == "required"
        draft.nullable = draft.nullable or word == "optional"
    if word == "schema":
        draft.schema = True
    if value is False:
        raise NotUnderstoodError
    if word in _HTML and isinstance(value, Mapping):
        # How wide a field is shown.
        value = {name: item for name, item in value.items() if fold(name) != "size"}
    read_rules(draft, value, depth)


def _holds_rules(value: Mapping[Any, Any]) -> bool:
    return bool(value) and all(_is_known(name) for name in value)


def _all_of(draft: Draft, value: Any, depth: int) -> None:
    if not isinstance(value, list):
        raise NotUnderstoodError
    for part in value:
        read_rules(draft, part, depth)


def _one_of(draft: Draft, value: Any, depth: int) -> None:
    """Alternatives of JSON Schema: of constants they are choices, beside ``null`` one is the schema."""
    if not isinstance(value, list) or not value:
        raise NotUnderstoodError
    schemas = [part for part in value if part not in ({"type": "null"}, {"const": None})]
    draft.nullable = draft.nullable or len(schemas) < len(value)
    if all(isinstance(part, Mapping) and "const" in part for part in schemas):
        draft.add_choices(tuple(_titled(part) for part in schemas))
    elif all(
        isinstance(part, Mapping) and set(part) <= {"enum", "title", "type"} and part.get("enum") for part in schemas
    ):
        draft.add_choices(read_choices([item for part in schemas for item in _listed(part["enum"])]))
    elif not any(isinstance(part, (Mapping, list)) for part in schemas):
        draft.add_choices(read_choices(schemas))
    elif len(schemas) == 1:
        read_rules(draft, schemas[0], depth)
    else:
        raise NotUnderstoodError


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise NotUnderstoodError
    return value


def _titled(part: Mapping[str, Any]) -> Choice:
    title = next((part[name] for name in ("title", "label", "description") if isinstance(part.get(name), str)), None)
    if isinstance(part["const"], (Mapping, list)):
        raise NotUnderstoodError
    return Choice(part["const"], title or str(part["const"]))


#: Rules that combine other rules.
_COMBINED = {"allof": _all_of, "anyof": _one_of, "oneof": _one_of}


__all__ = ["read_rules"]
