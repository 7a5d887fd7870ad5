# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words of the rules that an ``options`` entry plainly states: JSON Schema's, with their everyday synonyms."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

from .._core.text import fold, words
from .option import is_price
from .option_choices import CHOICE_WORDS

TYPES = {
    **dict.fromkeys(words("string str varchar char text email url uri uuid hostname fqdn"), "string"),
    **dict.fromkeys(words("integer int int32 int64 long"), "integer"),
    **dict.fromkeys(words("number numeric float double decimal"), "number"),
    **dict.fromkeys(words("boolean bool checkbox"), "boolean"),
    **dict.fromkeys(words("array list multiselect"), "array"),
}
#: Words to the rule that they are.
RULES = {
    **dict.fromkeys(words("required mandatory notblank notnull notempty present"), "required"),
    **dict.fromkeys(words("nullable optional sometimes"), "optional"),
    **dict.fromkeys(words("type datatype kind widget inputtype fieldtype format"), "type"),
    **dict.fromkeys(words("min minimum minvalue ge gte from lower"), "minimum"),
    **dict.fromkeys(words("max maximum maxvalue le lte to upper"), "maximum"),
    **dict.fromkeys(words("gt greaterthan exclusiveminimum"), "exclusiveMinimum"),
    **dict.fromkeys(words("lt lessthan exclusivemaximum"), "exclusiveMaximum"),
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
_PIPES = re.compile(r"(?:\A|\|)(?=(?:regex|regexp|pattern):)", re.IGNORECASE)


def are_rules(said: Any) -> bool:
    """Return whether this is in words for rules (of a list, its first entry), so that it can be said of a setting."""
    if isinstance(said, Mapping):
        return any(fold(name) not in SILENT and _is_rule(name) for name in said)
    first = next(iter(said), None) if isinstance(said, list) else said
    return are_rules(first) if isinstance(first, Mapping) else isinstance(first, str) and _is_rule(first)


def _is_rule(text: str) -> bool:
    word = fold(_SEPARATOR.split(text, maxsplit=1)[0])
    return word in RULES or word in TYPES or word in HOLDERS or text in _SCHEMA_WORDS


def rule_tokens(text: str) -> list[tuple[str, str, Any]]:
    """The rules in a string such as ``required|integer|between:1,10``, each as written, with its name and value.

    ``True`` is the value of a rule without one. There are none in any other text.
    """
    begin, *regex = _PIPES.split(text, maxsplit=1)
    tokens = [token.strip() for token in [*begin.split("|"), *regex] if token.strip()]
    parts = [(token, *token.partition(":")) for token in tokens]
    if any(not re.fullmatch(r"[\w-]+", name) for _token, name, _sign, _given in parts):
        return []
    return [
        (token, name, (_listed(given) if RULES.get(fold(name)) == "choices" else given) or True)
        for token, name, _sign, given in parts
    ]


def _listed(text: str) -> list[str]:
    """The values in a string of rules; those that hold the separator are in quotes."""
    try:
        return next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        return []


def holds_rules(value: Any) -> bool:
    """Return whether a mapping is one of rules, such as ``{"min": 1, "max": 10}``, and not one of values."""
    return isinstance(value, Mapping) and any(
        is_price(name) or fold(name) in SILENT | HOLDERS or RULES.get(fold(name), "choices") != "choices"
        for name in value
    )


def is_qualified(said: Any) -> bool:
    """Return whether something beside rules says when they hold, or in which sense."""
    return isinstance(said, Mapping) and any(
        _QUALIFIER.fullmatch(fold(name))
        and not fold(name).startswith("required")
        and value not in (None, False, "", [], {})
        for name, value in said.items()
    )
