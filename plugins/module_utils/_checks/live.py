# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings checked against the live rules of a product (document sections 2.1 and 4.2).

The documented rules hold beside them. Settings that the document does not name have their types from here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .._core import strict_json
from .._core.errors import Violation
from .._core.text import clean, nearest
from .._product_options import patterns
from .._product_options.option import Choice, Option, Relation
from .._product_types.registry import TEMPLATE_SETTINGS
from .secrets import MASK


def check_relations(
    settings: Mapping[str, Any], options: Sequence[Option], hidden: Collection[str]
) -> tuple[list[Violation], list[str]]:
    """What breaks the relations between settings, and warnings about relations with what is no setting.

    ``hidden`` names the settings whose values are not shown. Of settings that name each other, the first is told.
    """
    given = {name for name, value in settings.items() if value is not None}
    known = {option.name for option in options}
    violations: list[Violation] = []
    warnings: list[str] = []
    told: set[frozenset[str]] = set()
    for option, relation in _pairs(options):
        if not known.issuperset(relation.others):
            others = clean(", ".join(relation.others), 200)
            warnings.append(
                f"The live rules of the setting {clean(option.name, 100)} depend on {others}, which is no setting, and "
                "were not checked in this; the service may refuse the order because of it."
            )
            continue
        rule = _broken_relation(option.name, relation, given)
        all_of_them = frozenset({option.name, *relation.others})
        if rule is not None and all_of_them not in told:
            told.add(all_of_them)
            value = None if option.name in hidden else settings.get(option.name)
            violations.append(Violation(f"settings.{option.name}", value, rule, "live"))
    return violations, warnings


def _pairs(options: Sequence[Option]) -> Iterator[tuple[Option, Relation]]:
    return ((option, relation) for option in options for relation in option.relations)


def _broken_relation(name: str, relation: Relation, given: Collection[str]) -> str | None:
    there = [other for other in relation.others if other in given]
    absent = [other for other in relation.others if other not in given]
    if relation.kind == "prohibits":
        return f"must not be given together with {' or '.join(there)}" if name in given and there else None
    if name in given:
        return None
    return {
        "required_without": f"is required, since {' and '.join(absent)} is not given" if absent else None,
        "required_without_all": f"is required if none of {', '.join(absent)} is given" if not there else None,
        "required_with": f"is required beside {' and '.join(there)}" if there else None,
        "required_with_all": f"is required beside {' and '.join(there)}" if not absent else None,
    }[relation.kind]


_MOST_SHOWN = 20
_TRUE = frozenset({"true", "yes", "on", "1", "y", "t"})
_FALSE = frozenset({"false", "no", "off", "0", "n", "f"})
_INTEGER = re.compile(r"[+-]?\d{1,100}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,100}(\.\d{1,100})?", re.ASCII)
_KINDS = {
    "string": "a string (quote it)",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean (true or false)",
    "array": "a list",
    "object": "a mapping",
}


def check_live(
    settings: Mapping[str, Any],
    options: Sequence[Option],
    *,
    documented: Collection[str],
    secrets: Collection[str],
) -> tuple[list[Violation], list[str], dict[str, Any]]:
    """All violations of the live rules, warnings about rules that were not understood, and the settings to send.

    ``documented`` names the settings whose type the document tells: their values stay as they are. Others are made what
    the live rule says (``"4"`` an integer, ``"yes"`` a boolean, a value that stands for a choice that choice). The
    values of ``secrets``, and of options that are secret, are masked. ``null`` counts as not given.
    """
    violations: list[Violation] = []
    warnings: list[str] = []
    typed = dict(settings)
    for option in options:
        warnings += [
            f"The live rule {rule!r} of the setting {clean(option.name, 100)} is not understood and was not "
            "checked; the service may refuse the order because of it."
            for rule in option.not_understood
        ]
        value = typed.get(option.name)
        if value is None:
            if option.required and option.default in (None, ""):
                violations.append(Violation(f"settings.{option.name}", None, "is required", "live"))
            continue
        is_documented = option.name in documented
        if not is_documented:
            value = typed[option.name] = _typed(option, value)
        secret = option.secret or option.name in secrets
        rules, doubts = _broken(option, value, secret=secret, documented=is_documented)
        violations += [Violation(f"settings.{option.name}", MASK if secret else value, rule, "live") for rule in rules]
        warnings += [f"The setting {option.name}: {doubt}" for doubt in doubts]
    hidden = {option.name for option in options if option.secret} | set(secrets)
    unrelated, unclear = check_relations(typed, options, hidden)
    return violations + unrelated, warnings + unclear, typed


def org_max_ram(options: Sequence[Option]) -> int | None:
    """ORG_MAX_RAM (document section 8), in MB, if the options publish an upper bound of ``ram``."""
    for option in options:
        if option.name == "ram":
            bounds = [option.maximum] if option.maximum is not None else []
            numbers = [number for choice in option.choices if (number := _as_number(choice.value)) is not None]
            bounds += [max(numbers)] if numbers else []
            if bounds:
                return int(min(bounds))
    return None


# Types


def _typed(option: Option, value: Any) -> Any:
    """A value made what the rule says, where nothing is lost by it."""
    choice = next((choice for choice in option.choices if _same(choice.value, value)), None)
    if choice is not None:
        # A mapping's keys are text in JSON whatever they are in the service: they tell no type.
        return choice.value if isinstance(value, (str, bool)) else value
    if not isinstance(value, str):
        whole = option.type == "integer" and isinstance(value, float) and value.is_integer()
        return int(value) if whole else value
    text = value.strip()
    if option.type == "boolean" and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    if option.type in ("integer", "number") and _INTEGER.fullmatch(text):
        return int(text)
    if option.type == "number" and _NUMBER.fullmatch(text):
        return float(text)
    return value


def _is_of(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return {
        "string": isinstance(value, str),
        "integer": isinstance(value, int),
        "number": isinstance(value, (int, float)),
        "array": isinstance(value, (list, tuple)),
        "object": isinstance(value, Mapping),
    }.get(kind, False)


def _as_number(value: Any) -> int | float | None:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# Rules


def _broken(option: Option, value: Any, *, secret: bool, documented: bool) -> tuple[list[str], list[str]]:
    """The rules that a value breaks, and what could not be checked."""
    if option.choices:
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        rules = [_not_a_choice(option, each, secret) for each in values if not _chosen(option, each)]
        return list(dict.fromkeys(rules)), []
    if option.type is not None and not _is_of(option.type, value):
        if not documented:
            return [f"must be {_KINDS[option.type]}"], []
        return [], [f"its live rules call it {_KINDS[option.type]}, the document does not; it is sent as documented."]
    rules = []
    if isinstance(value, str):
        rules += _lengths(option, len(value), "characters long")
    elif isinstance(value, (list, tuple)):
        rules += _lengths(option, len(value), "entries long")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        rules += _ranges(option, value)
    broken, doubt = _broken_form(option, value)
    return rules + broken, doubt


def _broken_form(option: Option, value: Any) -> tuple[list[str], list[str]]:
    """The rules of form that a value breaks: JSON and pattern."""
    rules, doubts = [], []
    if option.json and not _is_json(value):
        rules.append("must be JSON in a string")
    if option.pattern is not None and isinstance(value, (str, int)) and not isinstance(value, bool):
        text = str(value)
        if len(text) > patterns.LONGEST_VALUE:
            doubts.append(f"it is too long to be checked against the live pattern {clean(option.pattern, 200)}.")
        elif not patterns.matches(option.pattern, text):
            rules.append(f"must match the pattern {clean(option.pattern, 300)}")
    return rules, doubts


def _is_json(value: Any) -> bool:
    try:
        strict_json.read(str(value).encode())
    except (strict_json.JsonError, UnicodeEncodeError):
        return False
    return isinstance(value, str)


def _ranges(option: Option, value: float) -> list[str]:
    if isinstance(value, float) and not math.isfinite(value):
        return ["must be a finite number"]
    rules = []
    if (option.minimum is not None and value < option.minimum) or (
        option.maximum is not None and value > option.maximum
    ):
        rules.append(f"must be {_bounds(option)}")
    if option.step:
        steps = (Fraction(str(value)) - Fraction(str(option.minimum or 0))) / Fraction(str(option.step))
        if steps.denominator != 1:
            start = f", counted from {option.minimum}" if (option.minimum or 0) % option.step else ""
            rules.append(f"must be a multiple of {option.step}{start}")
    return rules


def _lengths(option: Option, length: int, measure: str) -> list[str]:
    if (option.minimum is not None and length < option.minimum) or (
        option.maximum is not None and length > option.maximum
    ):
        return [f"must be {_bounds(option)} {measure}"]
    return []


def _bounds(option: Option) -> str:
    if option.minimum is None:
        return f"at most {option.maximum}"
    if option.maximum is None:
        return f"at least {option.minimum}"
    if option.minimum == option.maximum:
        return f"{option.minimum}"
    return f"{option.minimum} to {option.maximum}"


# Choices


def _chosen(option: Option, value: Any) -> bool:
    return any(_same(choice.value, value) for choice in option.choices)


def _same(choice: Any, given: Any) -> bool:
    """Whether a given value stands for a choice: numbers also as text, booleans also as the usual words and 1 or 0."""
    if isinstance(choice, bool) or isinstance(given, bool):
        one, other = _truth(choice), _truth(given)
        return one is not None and one == other
    if isinstance(given, (list, tuple, Mapping)):
        return False
    numbers = (int, float)
    if isinstance(choice, numbers) and isinstance(given, numbers):
        return choice == given
    return str(choice) == str(given)


def _truth(value: Any) -> bool | None:
    text = str(value).lower() if isinstance(value, (str, int, bool)) else ""
    return True if text in _TRUE else False if text in _FALSE else None


def _not_a_choice(option: Option, value: Any, secret: bool) -> str:
    if secret:
        return "is none of the values that the service lists"
    values = [clean(str(choice.value), 100) for choice in option.choices]
    what = (
        "the name of an OS template that the catalogue lists"
        if option.name in TEMPLATE_SETTINGS
        else "one of the values"
    )
    labelled = _labelled(option.choices, value)
    if labelled:
        return f"must be {what}; {value!r} is only a label: write {labelled[0].value!r}"
    if len(values) <= _MOST_SHOWN:
        listed = f": {', '.join(values)}"
    else:
        listed = f" ({len(values)} in all, such as {', '.join(values[:5])})"
    near = nearest(str(value), values)
    return f"must be {what}{listed}" + (f"; did you mean {' or '.join(near)}?" if near else "")


def _labelled(choices: Sequence[Choice], value: Any) -> list[Choice]:
    wanted = str(value).strip().casefold()
    found = [
        choice for choice in choices if choice.label.strip().casefold() == wanted and choice.label != str(choice.value)
    ]
    return found if len(found) == 1 else []


__all__ = ["check_live", "check_relations", "org_max_ram"]
