# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words of rules in all frameworks, as one small table of words and parts."""

from __future__ import annotations

import re
from functools import lru_cache

from .._core.text import fold, words
from . import patterns

_TYPES = {
    "string": "string str varchar char",
    "integer": "integer int int32 int64 long bigint smallint counter stepper safeint",
    "number": "number numeric float double decimal numericality",
    "boolean": "boolean bool",
    "array": "array list collection tags multiselect multiplechoice checkboxes",
    "object": "object map dict dictionary hash struct nestedobject nested",
}
#: The types of a form's fields: they yield to a type that is a rule.
_FIELDS = {
    "string": "text input textarea shorttext longtext textfield textbox password passwd secret tel phone search slug",
    "number": "range slider spinner",
    "boolean": "checkbox switch toggle flag yesno onoff",
}
TYPES = {word: kind for kind, listed in _TYPES.items() for word in listed.split()}
FIELD_TYPES = {word: kind for kind, listed in _FIELDS.items() for word in listed.split()}
#: Types that say nothing of the values.
OPEN_TYPES = words(
    "select dropdown choice enum nativeenum radio radios combobox singleselect selectbox selectlist picklist hidden "
    "any mixed raw field template literal union related scalar"
)
OPTIONAL_TYPES = words("optional nullable nullish default conditionalvalidation")
SECRET_TYPES = words("password passwd secret")
FORMATS = {
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
}
#: Types that are rules by themselves: ``{"isInt": true}``.
TYPE_RULES = FORMATS.keys() | TYPES.keys() | OPTIONAL_TYPES
#: Words to the name of their rule (see rules.py).
_RULES = {
    "required": "required mandatory obligatory compulsory presence defined datarequired inputrequired",
    "optional": "optional sometimes",
    "not_empty": "notblank notnull notempty present nonempty",
    "nullable": "nullable allownull allowsnull allownone null",
    "type": "type typename datatype valuetype widget inputtype fieldtype control component instance",
    "format": "format",
    "positive": "positive",
    "positive_or_zero": "positiveorzero nonnegative",
    "span": "between range bounds limits numberrange",
    "length_span": "length lengthbetween",
    "size": "size",
    "step": "step increment stepsize stepping steps",
    "multiple_of": "multipleof divisibleby multiple",
    "pattern": "pattern regex regexp regularexpression matches match",
    "choices": "values choices choice enum enumvalues options allowed allowedvalues possiblevalues validvalues "
    "acceptedvalues select selectvalues selectoptions valuelist valids entries",
    "in": "in inclusion oneof anyof",
    "const": "const equalto identicalto",
    "mapping": "mapping mappings valuemapping valuemappings valuemap map labels optionlabels valuelabels enumnames "
    "enumtitles xenumnames xenumvarnames",
    "default": "default defaults defaultvalue initial initialvalue value loaddefault",
    "secret": "secret sensitive masked writeonly loadonly nolog",  # pragma: allowlist secret
}
RULES = {word: rule for rule, listed in _RULES.items() for word in listed.split()}
#: Lower and upper bounds are put together of these parts, such as ``minValue``, ``max_length``, ``exclusiveMinimum``.
_BOUND = re.compile(
    r"(exclusive)?(?:(min|minimum|lower)|max|maximum|upper)(?:value|val|limit|bound|inclusive)?(exclusive)?"
    r"(length|len|chars|characters)?"
)
_COMPARISONS = {
    (True, False, False): words("gte ge greaterthanorequal greaterthanorequalto atleast from start"),
    (True, True, False): words("gt greaterthan morethan greater"),
    (False, False, False): words("lte le lessthanorequal lessthanorequalto atmost to end"),
    (False, True, False): words("lt lessthan less"),
}
_COMPARED = {word: bound for bound, listed in _COMPARISONS.items() for word in listed}
#: Words whose rule holds further rules.
CONTAINERS = words(
    "rules rule validation validations validator validators validate validationrules constraints constraint assert "
    "asserts attributes attr attrs schema config params settings html restrictions def checks check tests test flags "
    "props templateoptions vars kwargs args innertype bag"
)
#: Keywords of JSON Schema that combine schemas, or say what is in a list or an object; left to its library.
APPLICATORS = words(
    "allOf anyOf oneOf not if then else items prefixItems contains minItems maxItems uniqueItems properties "
    "patternProperties additionalProperties propertyNames minProperties maxProperties dependentRequired"
)
#: Words that describe a setting to people or programs and restrict nothing.
DESCRIPTIVE = words(
    "label labeltext description desc title name help helptext hint placeholder order position sort sortorder weight "
    "unit units suffix prefix currency monthly yearly billing tax group section category tab id uuid url uri "
    "translation translations i18n icon example examples comment comments tooltip note notes class classname style "
    "message messages error errors errormessage minmessage maxmessage exactmessage invalidmessage notinrangemessage "
    "payload groups deprecated since createdat updatedat createdby version bail autocomplete autofocus rows cols "
    "width color image info summary product productid optionid propertyorder blockprefix fullname rendersas coerce "
    "strict unknownkeys requirements target propertyname context always each trim mapped compound method "
    "examplewasspecified custom readonly dumponly dataplaceholder visible disabled isfinite key field normalizer "
    "propertypath invalidformatmessage data attr rowattr labelattr displayname json"
)
#: Under these a rule holds only sometimes.
_CONDITIONS = words("on except scenario expression visibility")
_NAMESPACES = re.compile(r"[\\/.:]")
_CLASSES = re.compile(r"[\\/]")
_ARGUMENTS = re.compile("[:|]")
_SUFFIX = re.compile(r"(?<=[a-z0-9])(?:validator|constraint)\Z")
_TYPE_SUFFIX = re.compile(r"(?<=[a-z0-9])(?:type|field|widget|input)\Z")


@lru_cache(maxsize=4096)
def word_of(name: object) -> str:
    """The word of a rule's name without case, namespace and decoration: ``Assert\\Range``, ``isInt``, ``min_value``."""
    word = _SUFFIX.sub("", fold(_NAMESPACES.split(name)[-1])) if isinstance(name, str) else ""
    return word[2:] if word.startswith("is") and is_known(word[2:]) else word


def type_word(name: str) -> str:
    """The word of a type's name: ``ZodNumber``, ``IntegerType``, ``CharField``, ``number``."""
    word = fold(_CLASSES.split(name)[-1]).removeprefix("zod")
    return word if word in TYPES or word in FIELD_TYPES else _TYPE_SUFFIX.sub("", word)


def bound_of(word: str) -> tuple[bool, bool, bool] | None:
    """Whether a bound is a lower one, is exclusive, is of the length; ``None`` for what is no bound."""
    found = _BOUND.fullmatch(word)
    return (bool(found[2]), bool(found[1] or found[3]), bool(found[4])) if found else _COMPARED.get(word)


def is_condition(name: object) -> bool:
    """Whether this word makes the rules beside it hold only sometimes."""
    word = fold(name)
    return word in _CONDITIONS or word.endswith(("if", "when", "unless")) or word.startswith(("depend", "condition"))


def is_known(word: str) -> bool:
    """Whether a word begins a rule."""
    return word in RULES or word in TYPE_RULES or bound_of(word) is not None


def is_rule_word(text: object) -> bool:
    """Whether a token such as ``required`` or ``between:1,10`` begins with a word that rules begin with."""
    word = word_of(_ARGUMENTS.split(text, 1)[0].strip()) if isinstance(text, str) else ""
    return is_known(word) or word in FIELD_TYPES or word == "bail"
