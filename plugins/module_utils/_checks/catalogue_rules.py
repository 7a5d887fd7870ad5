# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks settings against the rules of the catalogue of a product (API specification 2.1 and 4.2).

The rules of the specification hold beside them. Settings that the document does not name have their types from here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .._catalogue.option import Choice, Option
from .._core.errors import Violation
from .._core.text import clean, nearest, truth
from .._product_types.dialect import validator
from .._product_types.registry import CONTACT_SETTINGS, SECRET_SETTINGS, TEMPLATE_SETTINGS
from .._secrets.recognition import MASK
from .coercion import Unfit, scalar

_MOST_SHOWN = 20
#: The rules that the catalogue's schemas are made of, in words.
_RULES = {
    "type": "of the type {}",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "multipleOf": "a multiple of {}",
}
#: What stands around the value in a text such as ``debian-12|Debian 12``, ``debian-12 - Debian 12``,
#: ``Debian 12 (debian-12)``.
_BEFORE_PART, _AFTER_PART = r"(?:\A|[|:]\s*|\s-\s+|\s\()", r"(?:\Z|\s*[|:]|\s+-\s|\s\(|\)\Z)"


def check_catalogue_rules(
    settings: Mapping[str, Any], options: Sequence[Option], *, documented: Collection[str]
) -> tuple[list[Violation], dict[str, Any]]:
    """Return the first rule of the catalogue that each setting breaks, and the settings to send.

    ``documented`` names the settings whose type the document tells: their values stay as they are. Others are made what
    the rule of the catalogue says (``"4"`` an integer, ``"yes"`` a boolean, a value that stands for a choice that
    choice). The values of secrets are masked. ``null`` counts as not given.
    """
    violations: list[Violation] = []
    typed = dict(settings)
    for option in options:
        value = typed.get(option.name)
        # What is required, and how a contact is written, the rules of the specification tell.
        if value is None or option.name in CONTACT_SETTINGS:
            continue
        if option.name not in documented:
            value = typed[option.name] = _typed(option, value)
        is_hidden = option.secret or option.name in SECRET_SETTINGS
        rule = _broken_rule(option, value, is_hidden=is_hidden)
        if rule is not None:
            violations.append(Violation(f"settings.{option.name}", MASK if is_hidden else value, rule, "catalogue"))
    return violations, typed


def _typed(option: Option, value: Any) -> Any:
    """A value made what the rule says, where nothing is lost by it."""
    choice = next((choice for choice in option.choices if _same(choice.value, value)), None)
    if choice is not None:
        # A mapping's keys are text in JSON whatever they are in the service: they tell no type.
        return choice.value if isinstance(value, (str, bool)) and not choice.synonyms else value
    kind = option.schema.get("type")
    if not isinstance(value, str) or kind not in ("integer", "number", "boolean"):
        return value
    made = scalar(("integer" if kind == "number" else kind,), value.strip())
    return value if isinstance(made, Unfit) else made


# Rules


def _broken_rule(option: Option, value: Any, *, is_hidden: bool) -> str | None:
    """The rule that a value breaks, in words."""
    if option.choices:
        values = value if isinstance(value, (list, tuple)) else [value]
        wrong = [each for each in values if not any(_means(choice, each) for choice in option.choices)]
        return _not_a_choice(option, wrong[0], is_hidden=is_hidden) if wrong else None
    error = next(validator(option.schema).iter_errors(list(value) if isinstance(value, tuple) else value), None)
    return None if error is None else _RULES[error.validator].format(error.validator_value)


# Choices


def _same(choice: Any, given: Any) -> bool:
    """Return whether a value stands for a choice: numbers also as text, booleans also as the usual words and 1 or 0."""
    if isinstance(choice, bool) or isinstance(given, bool):
        return truth(choice) is not None and truth(choice) == truth(given)
    if isinstance(given, (list, tuple, Mapping)):
        return False
    numbers = (int, float)
    return choice == given if isinstance(choice, numbers) and isinstance(given, numbers) else str(choice) == str(given)


def _means(choice: Choice, given: Any) -> bool:
    """Return whether a value stands for a choice. A part of a text may be the value, and another one the label."""
    if any(_same(value, given) for value in choice.accepted):
        return True
    if choice.synonyms or not isinstance(choice.value, str) or not isinstance(given, str) or given.strip() in ("", "-"):
        return False
    # Most values do not hold the text at all, which is found faster without a pattern.
    return given in choice.value and bool(re.search(rf"{_BEFORE_PART}{re.escape(given)}{_AFTER_PART}", choice.value))


def _not_a_choice(option: Option, wrong: Any, *, is_hidden: bool) -> str:
    if is_hidden:
        return "one of the values that the service lists"
    what = (
        "the name of an OS template that the catalogue lists"
        if option.name in TEMPLATE_SETTINGS
        else "one of the values"
    )
    values = [clean(str(choice.value), 100) for choice in option.choices]
    if len(values) <= _MOST_SHOWN:
        listed = f": {', '.join(values)}"
    else:
        listed = f" ({len(values)} in all, such as {', '.join(values[:5])})"
    near = nearest(str(wrong), values)
    return f"{what}{listed}" + (f"; did you mean {' or '.join(near)}?" if near else "")
