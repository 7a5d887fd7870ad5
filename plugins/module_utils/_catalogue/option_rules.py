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
from functools import cache
from typing import Any

from .._core.text import fold, plain_number, truth, words
from .._product_types.product_type import ProductType
from .._product_types.registry import TEMPLATE_SETTINGS
from .._secrets.recognition import is_secret_name
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
    # Whether it is that of a text, a list or a number is not clear: nothing is made of it.
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
#: Those that are enforced, in the order in which they are judged: the type first, the step last.
_KEYWORDS = ("type", "minimum", "maximum", "minLength", "maxLength", "multipleOf")


def read_option(setting: str, documented: Mapping[str, Any], rules: Any, *, required: bool) -> Option:
    """The option of a setting, with those of its rules that have one reading and leave room.

    ``documented`` is what the API specification says of the setting, see documented_rule(). ``rules`` is what the entry
    says of it, ``None`` if that holds for some orders alone. ``required``: a list beside it names the setting.
    """
    stated = defaultdict[str, list[Any]](list)
    for keyword, value in _statements(rules):
        stated[keyword].append(value)
    prices = {name: price for listed in stated["prices"] for name, price in listed.items()}
    # Of what the API specification limits, a list has examples, bounds, ids or what exists today: others are possible.
    may_be_listed = not documented or setting in TEMPLATE_SETTINGS
    return Option(
        name=setting,
        schema=_schema(documented, stated),
        default=next(iter(stated["default"]), None),
        required=False if False in stated["required"] else True if required or stated["required"] else None,
        choices=choices_in(setting, stated["choices"]) if may_be_listed else (),
        secret=any(stated["secret"]) or is_secret_name(setting),
        # A word such as None is no pattern.
        pattern=next((text for text in stated["pattern"] if isinstance(text, str) and re.search(r"\W", text)), None),
        price=prices,
    )


@cache
def documented_rule(product_type: ProductType, setting: str) -> Mapping[str, Any]:
    """The API specification's JSON Schema for a setting of this product type, empty if it has none.

    Another type's setting of the same name is another one.
    """
    schema = product_type.settings.get(setting, {})
    kinds = schema.get("type")
    if isinstance(kinds, list):
        # Contacts and nameservers are sent as text.
        return {"type": "string"} if "string" in kinds else {**schema, "type": kinds[0]}
    return schema


def _schema(documented: Mapping[str, Any], stated: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The JSON Schema of what is stated once, or the same each time, and leaves room."""
    kinds = {*stated["type"]}
    kind = documented.get("type") or (next(iter(kinds)) if len(kinds) == 1 else None)
    values: dict[str, set[Any]] = {keyword: set() for keyword in _KEYWORDS}
    for keyword in _KEYWORDS:
        values[_LENGTHS.get(keyword, keyword) if kind == "string" else keyword].update(stated[keyword])
    schema: dict[str, Any] = {}
    for keyword, (value, *others) in ((keyword, given) for keyword, given in values.items() if given):
        # Is a step counted from the minimum, as in HTML, or from zero? It says neither.
        is_step = keyword == "multipleOf"
        is_clear = not others and not (is_step and (value <= 0 or schema.get("minimum", 0) % value))
        if is_clear and _leaves_room(documented, {**schema, keyword: value}):
            schema[keyword] = value
    return schema


def _leaves_room(documented: Mapping[str, Any], rules: Mapping[str, Any]) -> bool:
    """Return whether these rules can be meant of a setting with this documented rule.

    Of a number, the API specification's values must keep at least two, because a bound for one is a count of something
    else. Of a documented text or boolean, the API specification says all that is enforced.
    """
    kind = documented.get("type")
    if kind is None:
        return True
    if rules.get("type", kind) not in (kind, *(["number"] if kind == "integer" else [])):
        return False
    if kind != "integer":
        return not rules.keys() - {"type"}
    step = documented.get("multipleOf", 1)
    least = max(schema.get("minimum", -math.inf) for schema in (documented, rules))
    most = min(schema.get("maximum", math.inf) for schema in (documented, rules))
    two = math.inf in (-least, most) or most // step - math.ceil(least / step) >= 1
    return two and bool(rules.get("multipleOf", step) == step)


# Statements


def _statements(rules: Any, depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """What a text, a list of texts or a mapping states, by keyword, unless it holds only sometimes."""
    if isinstance(rules, Mapping):
        yield "prices", listed_prices(rules)
    for name, value in _rules_in(rules) if depth else ():
        word = fold(name)
        rule = RULES.get(word)
        if is_price(name) or value in (None, "", [], {}) or (rule != "choices" and is_qualified(value)):
            continue
        if word in HOLDERS or (rule in ("choices", "span") and holds_rules(value)):
            yield from _statements(value, depth - 1)
        elif rule is not None or (word in (*TYPES, "password") and value is True):
            with suppress(TypeError, ValueError, OverflowError):
                yield from [*_statement(word, value)]


def _rules_in(rules: Any) -> list[tuple[str, Any]]:
    """The rules in a text, a list of texts or a mapping, each with its name and value."""
    if isinstance(rules, Mapping):
        return [] if is_qualified(rules) else [(str(name), value) for name, value in rules.items()]
    texts = rules if isinstance(rules, list) else [rules]
    return [rule for text in texts if isinstance(text, str) for rule in rule_tokens(text)]


def _statement(word: str, value: Any) -> Iterator[tuple[str, Any]]:
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
    elif rule == "span":
        least, most = value.split(",") if isinstance(value, str) else value
        yield "minimum", _number(least)
        yield "maximum", _number(most)
    elif value is not False:
        yield rule, _number(value)


def _types(value: Any) -> Iterator[tuple[str, Any]]:
    kinds = {fold(name) for name in (value if isinstance(value, list) else [value])}
    if "null" in kinds:
        yield "required", False
    (kind,) = kinds - {"null"}
    if kind == "password":
        yield "secret", True
    if kind in TYPES:
        yield "type", TYPES[kind]


def _number(value: Any) -> int | float:
    """The number that a rule gives as it is or as text. Raises ValueError for anything else."""
    number = plain_number(value)
    number = float(number) if isinstance(number, str) else number
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise ValueError(value)
    return number


# Words


def are_rules(value: Any) -> bool:
    """Return whether this is in words for rules (of a list, its first entry), so that it can be those of a setting."""
    if isinstance(value, Mapping):
        return any(fold(name) not in SILENT and _is_rule(name) for name in value)
    first = next(iter(value), None) if isinstance(value, list) else value
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
    if all(re.fullmatch(r'".+"', value) for value in values):
        values = [value[1:-1] for value in values]
    return [] if any("'" in value or '"' in value or value != value.strip() for value in values) else values


def holds_rules(value: Any) -> bool:
    """Return whether a mapping is one of rules, such as ``{"min": 1, "max": 10}``, and not one of values."""
    return isinstance(value, Mapping) and any(
        is_price(name) or fold(name) in SILENT | HOLDERS or RULES.get(fold(name), "choices") != "choices"
        for name in value
    )


def is_qualified(rules: Any) -> bool:
    """Return whether something beside rules says when they hold, or in which sense."""
    return isinstance(rules, Mapping) and any(
        _QUALIFIER.fullmatch(fold(name)) and value not in (None, False, "", [], {}) for name, value in rules.items()
    )
