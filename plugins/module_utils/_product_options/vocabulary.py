# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words that rules are written in, whichever framework they come from.

``min``, ``minimum``, ``gte`` and ``GreaterThanOrEqual`` are one rule; ``between:1,10``, ``{"Range": {"min": 1, "max":
10}}`` and ``{"min": 1, "max": 10}`` give it the same numbers. So there is one table of words, and one function for each
rule, for Laravel's pipe rules, Symfony's constraints, JSON Schema and the descriptions of form fields alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .._core.text import fold, is_uuid, words
from . import patterns
from .choices import read_choices, split_choices
from .draft import Draft, NotUnderstoodError, Number
from .option import Relation, RelationKind
from .values import (
    FORMATS,
    LOWER,
    TYPE_WORDS,
    UPPER,
    Rule,
    boolean_of,
    bounds_of,
    doubt_others,
    format_rule,
    is_set,
    number_of,
    set_format,
    set_type,
)

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_PREFIX = "settings."


def relation_rule(kind: RelationKind) -> Callable[[Draft, Any], None]:
    """The rule that adds a relation of this kind to a draft."""

    def rule(draft: Draft, value: Any) -> None:
        listed = value.split(",") if isinstance(value, str) else value
        if not isinstance(listed, list) or not listed:
            raise NotUnderstoodError
        names = [name.strip() if isinstance(name, str) else "" for name in listed]
        if not all(map(_NAME.fullmatch, names)):
            raise NotUnderstoodError
        draft.relations.append(Relation(kind, tuple(name.removeprefix(_PREFIX) for name in names)))

    return rule


# Rules


def _required(draft: Draft, value: Any) -> None:
    draft.required = boolean_of(value) or bool(draft.required)


def _optional(draft: Draft, value: Any) -> None:
    if boolean_of(value):
        draft.nullable = True
    draft.required = draft.required or not boolean_of(value)


def _not_blank(draft: Draft, value: Any) -> None:
    draft.required = is_set(value) or bool(draft.required)


def _nullable(draft: Draft, value: Any) -> None:
    draft.nullable = draft.nullable or boolean_of(value)


def _minimum(draft: Draft, value: Any) -> None:
    draft.least.append(number_of(value, "min"))


def _maximum(draft: Draft, value: Any) -> None:
    draft.most.append(number_of(value, "max"))


def _above(draft: Draft, value: Any) -> None:
    if isinstance(value, bool):
        draft.exclusive |= {"minimum"} if value else set()
    else:
        draft.above.append(number_of(value))


def _below(draft: Draft, value: Any) -> None:
    if isinstance(value, bool):
        draft.exclusive |= {"maximum"} if value else set()
    else:
        draft.below.append(number_of(value))


def _positive(draft: Draft, value: Any) -> None:
    if is_set(value):
        draft.above.append(0)


def _positive_or_zero(draft: Draft, value: Any) -> None:
    if is_set(value):
        draft.least.append(0)


def _between(draft: Draft, value: Any) -> None:
    least, most = bounds_of(value)
    draft.least += [least] if least is not None else []
    draft.most += [most] if most is not None else []
    if isinstance(value, Mapping) and value.get("step") is not None:
        _step(draft, value["step"])
    doubt_others(draft, value, *LOWER, *UPPER, "step")


def _size(draft: Draft, value: Any) -> None:
    number = number_of(value)
    draft.least.append(number)
    draft.most.append(number)


def _shortest(draft: Draft, value: Any) -> None:
    draft.shortest.append(number_of(value, "min"))


def _longest(draft: Draft, value: Any) -> None:
    draft.longest.append(number_of(value, "max"))


def _length(draft: Draft, value: Any) -> None:
    told = {fold(name): item for name, item in value.items()} if isinstance(value, Mapping) else {}
    if told.get("exactly") is not None:
        shortest: Number | None = number_of(told["exactly"])
        longest = shortest
    else:
        shortest, longest = bounds_of(value)
    draft.shortest += [shortest] if shortest is not None else []
    draft.longest += [longest] if longest is not None else []
    doubt_others(draft, value, *LOWER, *UPPER, "exactly")


def _filled(draft: Draft, value: Any) -> None:
    # It may be left out, but not be empty: so it says nothing about numbers.
    if not boolean_of(value):
        raise NotUnderstoodError


def _step(draft: Draft, value: Any) -> None:
    if value == "any":
        return
    step = number_of(value)
    if step <= 0:
        raise NotUnderstoodError
    draft.step = step


def _multiple(draft: Draft, value: Any) -> None:
    divisor = number_of(value)
    if divisor <= 0 or draft.multiple not in (None, divisor):
        raise NotUnderstoodError
    draft.multiple = divisor


def _digits(draft: Draft, value: Any) -> None:
    count = _count(number_of(value))
    draft.patterns.append(rf"\d{{{count}}}")


def _digits_between(draft: Draft, value: Any) -> None:
    least, most = bounds_of(value)
    draft.patterns.append(rf"\d{{{_count(least)},{_count(most)}}}")


def _count(number: Number | None) -> int:
    if not isinstance(number, int) or not 0 <= number <= patterns.LONGEST_VALUE:
        raise NotUnderstoodError
    return number


def _pattern(draft: Draft, value: Any) -> None:
    if isinstance(value, Mapping):
        told = {fold(name): item for name, item in value.items()}
        if told.get("match") is False:
            raise NotUnderstoodError
        value = told.get("pattern", told.get("value", told.get("regex")))
    pattern = patterns.whole_pattern(value, search=draft.schema) if isinstance(value, str) else None
    if pattern is None:
        raise NotUnderstoodError
    draft.patterns.append(pattern)


def _beginning(draft: Draft, value: Any) -> None:
    draft.patterns.append(f"(?:{_alternatives(value)}).*")


def _ending(draft: Draft, value: Any) -> None:
    draft.patterns.append(f".*(?:{_alternatives(value)})")


def _not_in(draft: Draft, value: Any) -> None:
    draft.patterns.append(rf"(?!(?:{_alternatives(value)})\Z)(?s:.*)")


def _alternatives(value: Any) -> str:
    choices = split_choices(value) if isinstance(value, str) else read_choices(value)
    if not choices or len(choices) > 100:
        raise NotUnderstoodError
    return "|".join(re.escape(str(choice.value)) for choice in choices)


def _choices(draft: Draft, value: Any) -> None:
    if isinstance(value, Mapping):
        told = {fold(name): item for name, item in value.items()}
        # A constraint holds them beside its messages.
        inner = next(
            (told[name] for name in ("choices", "values") if isinstance(told.get(name), (list, Mapping))), None
        )
        value = value if inner is None else inner
        if told.get("multiple") is True:
            draft.set_type("array")
    choices = _written_choices(value) if isinstance(value, str) else read_choices(value)
    if choices == ():
        return
    draft.add_choices(choices)


def _written_choices(text: str) -> Any:
    """Choices in one text: between commas, pipes or newlines. One word, a URL or an IRI is no list."""
    for mark in ("\n", "|", ";"):
        if mark in text:
            return read_choices([part.strip() for part in text.split(mark) if part.strip()])
    return split_choices(text) if "," in text else None


def _in(draft: Draft, value: Any) -> None:
    if isinstance(value, str):
        draft.add_choices(split_choices(value))
    else:
        _choices(draft, value)


def _constant(draft: Draft, value: Any) -> None:
    if isinstance(value, Mapping):
        value = value.get("value")
    if value is None:
        raise NotUnderstoodError
    draft.add_choices(read_choices([value]))


def _mapping(draft: Draft, value: Any) -> None:
    if not isinstance(value, (Mapping, list)):
        raise NotUnderstoodError
    if value:
        draft.mappings.append(value)


def _default(draft: Draft, value: Any) -> None:
    draft.default = value


def _secret(draft: Draft, value: Any) -> None:
    draft.secret = draft.secret or boolean_of(value)


def _json(draft: Draft, value: Any) -> None:
    draft.json = draft.json or boolean_of(value)


def _several(draft: Draft, value: Any) -> None:
    if boolean_of(value):
        draft.set_type("array")


def _table(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    return {word: rule for listed, rule in rules.items() for word in listed.split()}


#: Folded word to rule.
RULES: Mapping[str, Rule] = _table(
    {
        "required mandatory isrequired obligatory compulsory": _required,
        "optional isoptional sometimes": _optional,
        "notblank notnull notempty present": _not_blank,
        "nullable allownull isnullable allowsnull": _nullable,
        "type datatype valuetype kind widget inputtype fieldtype control component": set_type,
        "format": set_format,
        "min minimum minvalue minval gte ge greaterthanorequal greaterthanorequalto atleast lowerbound": _minimum,
        "max maximum maxvalue maxval lte le lessthanorequal lessthanorequalto atmost upperbound": _maximum,
        "exclusiveminimum exclusivemin gt greaterthan morethan": _above,
        "exclusivemaximum exclusivemax lt lessthan": _below,
        "positive": _positive,
        "positiveorzero": _positive_or_zero,
        "between range bounds limits": _between,
        "size": _size,
        "minlength minchars minimumlength": _shortest,
        "maxlength maxchars maximumlength": _longest,
        "length": _length,
        "filled": _filled,
        "step increment stepsize stepping steps": _step,
        "multipleof divisibleby": _multiple,
        "digits": _digits,
        "digitsbetween": _digits_between,
        "pattern regex regexp regularexpression": _pattern,
        "startswith": _beginning,
        "endswith": _ending,
        "notin": _not_in,
        "values choices choice enum options allowed allowedvalues possiblevalues validvalues acceptedvalues select "
        "selectvalues selectoptions enumvalues valuelist": _choices,
        "in": _in,
        "const equalto identicalto": _constant,
        "mapping mappings valuemapping valuemappings valuemap map labels optionlabels valuelabels enumnames": _mapping,
        "default defaultvalue initial initialvalue value": _default,
        "secret sensitive masked writeonly issecret": _secret,
        "json": _json,
        "multiple": _several,
        "requiredwith": relation_rule("required_with"),
        "requiredwithall": relation_rule("required_with_all"),
        "requiredwithout": relation_rule("required_without"),
        "requiredwithoutall": relation_rule("required_without_all"),
        "prohibits": relation_rule("prohibits"),
    }
) | {word: format_rule(word) for word in FORMATS}

#: Words whose rule holds further rules.
CONTAINERS = words(
    "rules rule validation validations validator validators validationrules constraints constraint assert "
    "asserts attributes attr attrs schema config params settings html restrictions"
)
#: Words that describe an option to people or programs and restrict nothing.
DESCRIPTIVE = words(
    "label labeltext description title help helptext hint placeholder order position sort sortorder weight "
    "unit units suffix prefix price prices pricing cost costs currency fee setupfee monthly yearly billing "
    "tax group section category tab id uuid @id @type @context translation translations i18n icon example "
    "examples comment comments tooltip note notes class classname style cssclass visible hidden display "
    "displayname caption message messages minmessage maxmessage exactmessage payload groups deprecated "
    "since createdat updatedat createdby version bail $schema $id $comment autocomplete autofocus rows "
    "cols width color image info summary product productid optionid"
)


def is_rule_word(text: Any) -> bool:
    """Whether a token such as ``required`` or ``between:1,10`` begins with a word that rules begin with."""
    if not isinstance(text, str):
        return False
    word = fold(text.partition(":")[0])
    return word in RULES or word in TYPE_WORDS or word == "bail"


def rule_of(name: str) -> tuple[str, Rule | None]:
    """The folded last part of a rule's name (``Assert\\Range``), and the rule itself."""
    word = fold(re.split(r"[\\/]", name)[-1])
    return word, RULES.get(word)


_NAME = re.compile(r"[a-z0-9][A-Za-z0-9_.-]{0,99}")


def is_name(value: Any) -> bool:
    """Whether this can be the name of a setting: a word with a letter, and no UUID."""
    return (
        isinstance(value, str)
        and _NAME.fullmatch(value) is not None
        and any(letter.isalpha() for letter in value)
        and not is_uuid(value)
    )


__all__ = ["CONTAINERS", "DESCRIPTIVE", "RULES", "is_name", "is_rule_word", "relation_rule", "rule_of"]
