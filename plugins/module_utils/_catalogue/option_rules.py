# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what an ``options`` entry plainly says about one setting (API specification 2.1, 2.5 and 4.2): in the words of
JSON Schema, with their everyday synonyms.

The API specification does not show how rules are written. A rule counts only if it has one reading and leaves room for
what the API specification allows: a valid order is never refused for a rule that was misread. Everything else is left
to the service. Patterns are shown.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from .._core.text import fold, plain_number, truth, words
from .._secrets.recognition import is_secret_name
from .documented_bounds import DocumentedBounds
from .option import CHOICE_WORDS, Option, choices_in, is_price, listed_prices

TYPES = {
    **dict.fromkeys(words("string str varchar char text email url uri uuid hostname fqdn"), "string"),
    **dict.fromkeys(words("integer int int32 int64 long"), "integer"),
    **dict.fromkeys(words("number numeric float double decimal"), "number"),
    **dict.fromkeys(words("boolean bool checkbox"), "boolean"),
    **dict.fromkeys(words("array list multiselect"), "array"),
}
#: The rule that each word is.
RULES = {
    **dict.fromkeys(words("required mandatory notblank notnull notempty present"), "required"),
    **dict.fromkeys(words("nullable optional sometimes"), "optional"),
    **dict.fromkeys(words("type datatype kind widget inputtype fieldtype format"), "type"),
    **dict.fromkeys(words("min minimum minvalue ge gte from lower"), "minimum"),
    **dict.fromkeys(words("max maximum maxvalue le lte to upper"), "maximum"),
    **dict.fromkeys(words("minlength minlen"), "minLength"),
    **dict.fromkeys(words("maxlength maxlen"), "maxLength"),
    **dict.fromkeys(words("step multipleof multiple increment stepsize"), "multipleOf"),
    **dict.fromkeys(words("range between bounds limits"), "span"),
    **dict.fromkeys(words("length len"), "length"),
    **dict.fromkeys(words("pattern regex regexp"), "pattern"),
    **dict.fromkeys((*CHOICE_WORDS, "const"), "choices"),
    **dict.fromkeys(words("default defaultvalue initial"), "default"),
    **dict.fromkeys(words("secret sensitive writeonly"), "secret"),
}
#: Words whose value holds further rules.
HOLDERS = words(
    "rules rule validation validations validators validate constraints constraint attributes attr attrs schema props"
)
#: Words that describe a setting and restrict nothing.
SILENT = words(
    "label labels description desc title name help helptext hint placeholder order position sort unit units group "
    "section category example examples message messages currency id key field bail size text"
)
#: Beside these, rules hold only sometimes, are turned round, or are meant in another sense.
_QUALIFIER = re.compile(
    r"(?!required)(?:groups|on|then|else|scenarios?|depend.*|condition.*|states?|except|not|neg.*|inver.*|reverse|allow"
    r"|.*(?:if|whens?|unless|flags|modifiers|inclusive|exclusive))"
)
_SCHEMA_WORDS = ("$ref", "allOf", "anyOf", "oneOf")
_SEPARATOR = re.compile(r"[|:,=]")
#: What begins as a regular expression, and has no end.
_CUT = re.compile(r"([/#~])(?!.*\1\w*$)")
_DEEPEST = 6
_LENGTHS = {"minimum": "minLength", "maximum": "maxLength"}
#: The order in which keywords are judged, where it matters.
_PLACES = {"type": 0, "multipleOf": 2}


class SettingReader:
    """Collects what is said about one setting: each keyword with all stated values."""

    def __init__(self, bounds: DocumentedBounds) -> None:
        self._bounds = bounds
        self._stated = defaultdict[str, list[Any]](list)
        self._price: dict[str, Any] = {}

    def read(self, said: Any, depth: int = _DEEPEST) -> None:
        """Take all rules of a text, a list of texts, or a mapping of rules, unless they hold only sometimes."""
        if isinstance(said, str):
            for name, value in rule_tokens(said):
                self._rule(name, value, 1)
        elif isinstance(said, list):
            for item in filter(lambda each: isinstance(each, str), said):
                self.read(item, depth)
        elif isinstance(said, Mapping) and depth:
            self._price |= listed_prices(said)
            for name, value in said.items() if not is_qualified(said) else ():
                if not is_price(name):
                    self._rule(str(name), value, depth - 1)

    def _rule(self, name: str, value: Any, depth: int) -> None:
        """Take one rule, if it has a reading."""
        word = fold(name)
        rule = RULES.get(word)
        if value in (None, "", [], {}) or (rule != "choices" and is_qualified(value)):
            return
        if word in HOLDERS or (rule in ("choices", "span") and holds_rules(value)):
            self.read(value, depth)
        elif rule is not None or (word in (*TYPES, "password") and value is True):
            with suppress(TypeError, ValueError, OverflowError):
                for keyword, stated in [*_statements(word, value)]:
                    self._stated[keyword].append(stated)

    # The option

    def option(self, *, required: bool) -> Option:
        """The option with the rules that have one reading and leave room. ``required``: a list beside it names it."""
        beside = {key: self._stated.pop(key, []) for key in _BESIDE}
        return Option(
            name=self._bounds.setting,
            # What remains are keywords of JSON Schema.
            schema=self._schema(),
            default=next(iter(beside["default"]), None),
            required=False if False in beside["required"] else True if required or beside["required"] else None,
            choices=choices_in(self._bounds, beside["choices"]),
            secret=any(beside["secret"]) or is_secret_name(self._bounds.setting),
            # A word such as None is no pattern.
            pattern=next(
                (each for each in beside["pattern"] if isinstance(each, str) and re.search(r"\W", each)), None
            ),
            price=self._price,
        )

    def _schema(self) -> dict[str, Any]:
        """The schema of what is stated once, or the same each time. The type comes first, the step last."""
        types = {*self._stated.get("type", ())}
        kind = self._bounds.type or (next(iter(types)) if len(types) == 1 else None)
        stated: dict[str, set[Any]] = {}
        for keyword, value in ((keyword, value) for keyword, values in self._stated.items() for value in values):
            if kind == "string":
                keyword = _LENGTHS.get(keyword, keyword)
            stated.setdefault(keyword, set()).add(value)
        schema: dict[str, Any] = {}
        for keyword, values in sorted(stated.items(), key=lambda each: _PLACES.get(each[0], 1)):
            value, *others = values
            # Is a step counted from the minimum, as in HTML, or from zero? It says neither.
            is_step = keyword == "multipleOf"
            is_clear = not others and not (is_step and (value <= 0 or schema.get("minimum", 0) % value))
            if is_clear and self._bounds.is_plausible({**schema, keyword: value}):
                schema[keyword] = value
        return schema


#: What is stated beside the keywords of JSON Schema that are enforced.
_BESIDE = ("required", "optional", "secret", "default", "pattern", "choices")


def _statements(word: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The statements of a rule, by keyword. Raises ValueError, TypeError or OverflowError if it has no reading."""
    rule = RULES.get(word, "")
    if rule in ("", "type"):
        yield from _types(value if rule else word)
    elif rule in ("required", "optional", "secret"):
        # A list names members of the setting.
        is_so = not isinstance(value, list) and truth(value) is not False
        yield ("required", False) if rule == "optional" and is_so else (rule, is_so)
    elif rule in ("choices", "default", "pattern"):
        yield rule, [value] if word == "const" else value
    elif rule in ("span", "length"):
        for bound, limit in _bounds(value):
            yield _LENGTHS[bound] if rule == "length" else bound, _number(limit)
    elif value is not False:
        yield rule, _number(value)


def _types(value: Any) -> Iterator[tuple[str, Any]]:
    kinds = {fold(each) for each in (value if isinstance(value, list) else [value])}
    if "null" in kinds:
        yield "required", False
    (kind,) = kinds - {"null"}
    if kind == "password":
        yield "secret", True
    if kind in TYPES:
        yield "type", TYPES[kind]


def _bounds(value: Any) -> list[tuple[str, Any]]:
    """The bounds in ``"1,10"``, ``[1, 10]`` or ``{"min": 1, "max": 10}``."""
    if isinstance(value, Mapping):
        found = [(RULES.get(fold(name), ""), bound) for name, bound in value.items() if bound is not None]
        found = [each for each in found if each[0] in _LENGTHS]
    else:
        least, most = value.split(",") if isinstance(value, str) else value
        found = [("minimum", least), ("maximum", most)]
    return found


def _number(value: Any) -> int | float:
    """The number that a rule gives as it is or as text. Raises ValueError for anything else."""
    number = plain_number(value)
    number = float(number) if isinstance(number, str) else number
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise ValueError(value)
    return number


# Words


def are_rules(said: Any) -> bool:
    """Return whether this is in words for rules (of a list, its first entry), so that it can be said of a setting."""
    if isinstance(said, Mapping):
        return any(fold(name) not in SILENT and _is_rule(name) for name in said)
    first = next(iter(said), None) if isinstance(said, list) else said
    return isinstance(first, str) and _is_rule(first)


def _is_rule(text: str) -> bool:
    word = fold(_SEPARATOR.split(text, maxsplit=1)[0])
    return word in RULES or word in TYPES or word in HOLDERS or text in _SCHEMA_WORDS


def rule_tokens(text: str) -> list[tuple[str, Any]]:
    """The rules in a string such as ``required|integer|between:1,10``, each with its name and value.

    ``True`` is the value of a rule without one. There are none in any other text, and where a regular expression holds
    what separates rules.
    """
    parts = [token.strip().partition(":") for token in text.split("|") if token.strip()]
    if any(not re.fullmatch(r"[\w-]+", name) or _CUT.match(given) for name, _sign, given in parts):
        return []
    return [
        (name, _listed(given) if RULES.get(fold(name)) == "choices" else given or True) for name, _sign, given in parts
    ]


def _listed(text: str) -> list[str]:
    """The values in a rule such as ``in:a,b``, all of which may be quoted. None if one has further quotes or spaces."""
    values = text.split(",")
    if all(re.fullmatch(r'".+"', each) for each in values):
        values = [each[1:-1] for each in values]
    return [] if any("'" in each or '"' in each or each != each.strip() for each in values) else values


def holds_rules(value: Any) -> bool:
    """Return whether a mapping is one of rules, such as ``{"min": 1, "max": 10}``, and not one of values."""
    return isinstance(value, Mapping) and any(
        is_price(name) or fold(name) in SILENT | HOLDERS or RULES.get(fold(name), "choices") != "choices"
        for name in value
    )


def is_qualified(said: Any) -> bool:
    """Return whether something beside rules says when they hold, or in which sense."""
    return isinstance(said, Mapping) and any(
        _QUALIFIER.fullmatch(fold(name)) and value not in (None, False, "", [], {}) for name, value in said.items()
    )
