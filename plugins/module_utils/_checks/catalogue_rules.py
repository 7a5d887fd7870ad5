# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges the settings of an order by the rules of the catalogue (API specification 2.1 and 4.2). Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .._catalogue.option import Choice, Option
from .._core.errors import Violation
from .._core.text import character_name, clean, difference, folded_text, nearest, odd_character, truth
from .._product_types.dialect import validator
from .._product_types.registry import CONTACT_SETTINGS, SECRET_SETTINGS, TEMPLATE_SETTINGS
from .._secrets.recognition import MASK, is_secret_name
from .coercion import Unfit, scalar
from .hints import hint
from .setting_rules import shown_value

_MOST_CHOICES_SHOWN = 20
#: The rules that the catalogue's schemas are made of, in words.
_RULES = {
    "type": "of the type {}",
    "minimum": "at least {}",
    "maximum": "at most {}",
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

    ``documented`` names the settings whose type the document tells: their values stay as they are, but for texts, which
    are sent as they are listed. Others are made what the rule of the catalogue says (``"4"`` an integer, ``"yes"`` a
    boolean, a value that stands for a choice that choice). The values of secrets are masked. ``null`` counts as not
    given. What no rule holds is still one text: see ``_broken_text_rule``.
    """
    violations: list[Violation] = []
    typed = dict(settings)
    for option in options:
        value = typed.get(option.name)
        # What is required, and how a contact is written, the rules of the specification tell.
        if value is None or option.name in CONTACT_SETTINGS:
            continue
        value = typed[option.name] = _as_listed(option, value)
        if option.name not in documented:
            value = typed[option.name] = _typed(option, value)
        is_hidden = option.secret or option.name in SECRET_SETTINGS
        if broken := _broken_listed_rule(option, value, is_hidden=is_hidden):
            shown = MASK if is_hidden else value
            violations.append(Violation(f"settings.{option.name}", shown, broken[0], "catalogue", broken[1]))
    return violations + _broken_texts(typed, options, documented), typed


def _broken_texts(
    settings: Mapping[str, Any], options: Sequence[Option], documented: Collection[str]
) -> list[Violation]:
    """Return what is wrong with texts of which the specification and the catalogue say nothing more."""
    listed = {option.name for option in options if option.choices}
    secrets = {option.name for option in options if option.secret}
    violations = []
    for name, value in settings.items():
        is_open = name not in listed and (name in TEMPLATE_SETTINGS or name not in documented)
        if is_open and isinstance(value, str) and (rule := _broken_text_rule(name, value)):
            shown = MASK if name in secrets or is_secret_name(name) else shown_value(value)
            violations.append(Violation(f"settings.{name}", shown, rule, "specification"))
    return violations


def _broken_text_rule(name: str, value: str) -> str | None:
    """The rule that a text breaks of which the specification and the catalogue say nothing more.

    Several lines, such as those of a key or a script, may end in a newline.
    """
    is_one_line = len(value.splitlines()) < 2
    if is_one_line and value != value.strip():
        return f"a string without whitespace at its ends; {hint(value, None)}"
    odd = odd_character(value) if name in TEMPLATE_SETTINGS else None
    if control := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", value):
        odd = character_name(control[0])
    return f"a string without such characters; it contains {odd}: type it again" if odd else None


def _as_listed(option: Option, value: Any) -> Any:
    """A text as the catalogue lists it, if it is the same but for its Unicode form, blanks or HTML entities."""
    if not isinstance(value, str) or any(value in choice.accepted for choice in option.choices):
        return value
    matching, folded = _same_folded(option, value), folded_text(value)
    is_part = not matching and any(_means(choice, folded) for choice in option.choices)
    return matching[0] if len(matching) == 1 else folded if is_part else value


def _same_folded(option: Option, value: str) -> list[str]:
    """The texts that the catalogue lists, and that are the same as a value once both are folded."""
    wanted = folded_text(value)
    texts = (face for choice in option.choices for face in choice.accepted if isinstance(face, str))
    return [face for face in dict.fromkeys(texts) if folded_text(face) == wanted]


def _typed(option: Option, value: Any) -> Any:
    """A value made what the rule says, where nothing is lost by it."""
    choice = next((choice for choice in option.choices if _same(choice.value, value)), None)
    if choice is not None:
        # A mapping's keys are text in JSON whatever they are in the service: they tell no type.
        return choice.value if isinstance(value, (str, bool)) and not choice.synonyms else value
    kind = option.schema.get("type")
    if not isinstance(value, str) or kind not in ("integer", "number", "boolean"):
        return value
    made = scalar("integer" if kind == "number" else kind, value.strip())
    return value if isinstance(made, Unfit) else made


def _broken_listed_rule(option: Option, value: Any, *, is_hidden: bool) -> tuple[str, str] | None:
    """The rule that a value breaks, in words, and what to write, empty if that is not known."""
    if option.choices:
        values = value if isinstance(value, (list, tuple)) else [value]
        # Most are a choice as it is listed, which is found faster so.
        listed = {choice.value for choice in option.choices if isinstance(choice.value, str)}
        others = [given for given in values if not (isinstance(given, str) and given in listed)]
        wrong = [given for given in others if not any(_means(choice, given) for choice in option.choices)]
        return _not_a_choice(option, wrong[0], is_hidden=is_hidden) if wrong else None
    error = next(validator(option.schema).iter_errors(list(value) if isinstance(value, tuple) else value), None)
    return None if error is None else (_RULES[error.validator].format(error.validator_value), "")


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


def _not_a_choice(option: Option, wrong: Any, *, is_hidden: bool) -> tuple[str, str]:
    if is_hidden:
        return "one of the values that the service lists", ""
    if isinstance(wrong, str) and (matching := _same_folded(option, wrong)):
        return f"exactly one of the values that look alike, {' and '.join(map(ascii, matching))}", ""
    what = (
        "the name of an OS template that the catalogue lists"
        if option.name in TEMPLATE_SETTINGS
        else "one of the values"
    )
    values = [clean(str(choice.value), 100) for choice in option.choices]
    if len(values) <= _MOST_CHOICES_SHOWN:
        listed = f": {', '.join(values)}"
    else:
        listed = f" ({len(values)} in all, such as {', '.join(values[:5])})"
    near = nearest(str(wrong), values)
    meant = f"did you mean {' or '.join(near)}?" if near else ""
    return f"{what}{listed}", f"{meant}{difference(str(wrong), ''.join(near or values))}".removeprefix("; ")
