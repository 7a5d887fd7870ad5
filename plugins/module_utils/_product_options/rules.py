# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of one option, gathered from whatever they are written in, and held against the document.

Enforced is what is plainly understood and leaves room for a value that the document allows. The rest is kept in the
service's words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .._core.text import brief, by_folded_name, clean, fold, words
from .._product_types.secret_names import is_secret_name
from . import patterns
from .choices import agreed, choose, read_faces, relabelled, split_text
from .evidence import DOCUMENTED, kind_of_setting, leaves_room, truth
from .json_schema import UnclearError, resolved, usable
from .option import Choice, Option, Relation, is_price, listed_prices
from .vocabulary import (
    APPLICATORS,
    CONTAINERS,
    DESCRIPTIVE,
    FIELD_TYPES,
    FORMATS,
    OPEN_TYPES,
    OPTIONAL_TYPES,
    RELATIONS,
    RULES,
    SECRET_TYPES,
    TYPES,
    bound_of,
    is_condition,
    is_known,
    is_rule_word,
    type_word,
    word_of,
)

_DEPTH = 8
#: Elements that name a constraint in a list of them, and those that hold what it is given.
_CONSTRAINT_NAMES = ("constraint", "rule", "validator", "kind", "check", "name", "class", "method", "type", "id")
_ARGUMENTS = ("options", "params", "parameters", "args", "arguments", "attributes", "config", "constraints", "value")
_LOCATIONS = frozenset({"body", "query", "path", "params", "header", "headers", "cookies", "cookie", "formData"})
_REGEX_TOKEN = re.compile(r"(?:not_?)?regex:", re.IGNORECASE)
_SETTING_NAME = re.compile(r"(?:settings\.)?([A-Za-z0-9][\w-]{0,99})", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?\d{1,30}(\.\d{1,30})?\s*", re.ASCII)
_HOLDERS = ("choices", "values", "in", "range", "options")
#: Elements in which an option has parts of its own.
_PARTS = words("properties children fields shape keys valid collection all validatenested")


class Reader:
    """Gathers what is said of one option. ``roots`` are the objects that its ``$ref`` may be relative to."""

    def __init__(self, name: str, roots: Sequence[Any] = ()) -> None:
        self.name = name
        self.required: bool | None = None
        self._roots = roots
        self._types: list[str] = []
        self._field_types: list[str] = []
        #: (is a lower bound, is exclusive, is of the length, number)
        self._bounds: list[tuple[bool, bool, bool, float]] = []
        self._exclusive: set[bool] = set()
        self._schema: dict[str, Any] = {}
        self._patterns: list[str] = []
        self._claims: list[Any] = []
        self._mappings: list[Any] = []
        self._only = True
        self._nullable = self._conditional = self._has_parts = self._secret = False
        self._default: Any = None
        self._relations: list[Relation] = []
        self._unclear: dict[str, None] = {}
        self._price: dict[str, Any] = {}

    def read(self, raw: Any, *, is_row: bool = False) -> None:
        """What is said of the option, in a row of a list or by its key. What is not understood is kept."""
        if isinstance(raw, (list, Mapping)) and not is_row and not self._holds_rules(raw):
            if self._may_be_choices(raw):
                self._claims.append(raw)
            elif raw:
                self.doubt(brief(raw))
        else:
            self._inside(raw, _DEPTH)

    def _holds_rules(self, raw: Any) -> bool:
        if isinstance(raw, list):
            return any(is_rule_word(item) or _constraint(item) for item in raw)
        return not raw or any(
            is_known(word_of(name))
            or word_of(name) in CONTAINERS | DESCRIPTIVE
            or name in APPLICATORS
            or name == "$ref"
            for name in raw
        )

    def _may_be_choices(self, raw: Any) -> bool:
        """Whether a list or mapping without any known rule can be a setting's choices."""
        if self.name not in DOCUMENTED:
            return len(raw) > 1
        return kind_of_setting(self.name) == "integer" or self.name in ("template", "template_name", "action")

    # What rules are written in

    def _inside(self, raw: Any, depth: int) -> None:
        if raw is None or raw is True or not depth:
            return
        if isinstance(raw, str):
            for token in _tokens(raw):
                self._token(token)
        elif isinstance(raw, list):
            for item in raw:
                self._item(item, depth - 1)
        elif isinstance(raw, Mapping):
            self._mapping(raw, depth - 1)
        else:
            self.doubt(brief(raw))

    def _token(self, token: str) -> None:
        name, colon, argument = token.partition(":")
        word = word_of(name)
        if word.startswith("exclude"):
            self._conditional = True
        if word in TYPES or word in FIELD_TYPES:
            self._try(token, self._on_type, word)
        elif is_known(word):
            self._try(token, self._rule, word, argument if colon else True)
        elif word not in DESCRIPTIVE:
            self.doubt(token)

    def _item(self, item: Any, depth: int) -> None:
        found = _constraint(item)
        self._has_parts |= isinstance(item, Mapping) and not _PARTS.isdisjoint(_names(item))
        if found is None:
            if isinstance(item, Mapping) and not _names(item) and any(is_known(word_of(name)) for name in item):
                self._mapping(item, depth)
            elif isinstance(item, str):
                self._token(item)
            elif item not in (None, {}, []):
                self.doubt(brief(item))
        elif _is_conditional(item):
            self.doubt(brief(item))
        else:
            name, arguments = found
            self._say(name, True if arguments in (None, {}, []) else arguments, depth)

    def _mapping(self, raw: Mapping[Any, Any], depth: int) -> None:
        if isinstance(raw.get("$ref"), str):
            try:
                raw = resolved(raw, self._roots)
            except UnclearError:
                self.doubt(f"$ref: {brief(raw['$ref'])}")
        self._price |= listed_prices(raw)
        told = by_folded_name(raw)
        self._has_parts |= any(isinstance(told[part], (list, Mapping)) for part in _PARTS & told.keys())
        if told.get("readonly") is True or told.get("dumponly") is True or told.get("disabled") is True:
            self._conditional = True
        if "allow" in told and isinstance(told["allow"], list) and _is_only(told.get("flags")):
            # Joi: values are allowed besides, unless it says that they are the only ones.
            self._claims.append(told["allow"])
        for name, value in raw.items():
            if name in ("allow", "$ref") or is_price(name):
                continue
            if value is None:
                # Symfony writes a constraint that needs nothing as {"NotBlank": null}.
                value = True if str(name).rpartition("\\")[2][:1].isupper() else None
            if is_condition(name) and value not in (False, "", [], {}) and not ({"then", "else"} & raw.keys()):
                self._conditional = True
                self.doubt(f"{name}: {brief(value)}")
            else:
                self._say(str(name), value, depth, schema=raw)

    def _say(self, name: str, value: Any, depth: int, schema: Mapping[Any, Any] | None = None) -> None:
        """One rule: its name and what it is given."""
        word, words_of_it = word_of(name), f"{name}: {brief(value)}"
        if value is None or name[:1] in "$@" or (name.lower().startswith("x-") and word not in RULES):
            return
        if schema is not None and name in APPLICATORS and not (name == "oneOf" and _are_scalars(value)):
            self._try(words_of_it, self._applicator, name, value, schema, depth)
        elif self._is_container(word, value, schema):
            self._container(word, value, depth)
        elif isinstance(value, Mapping) and _is_conditional(value):
            self.doubt(words_of_it)
        elif word not in RULES and (word in FORMATS or word in TYPES or word in OPTIONAL_TYPES):
            if isinstance(value, Mapping) or truth(value):
                self._try(name, self._on_type, word)
                self._inside(value, depth)
        elif is_known(word):
            self._try(words_of_it, self._rule, word, value)
        elif word not in DESCRIPTIVE and value not in (False, "", [], {}):
            self.doubt(words_of_it)

    def _is_container(self, word: str, value: Any, schema: Mapping[Any, Any] | None) -> bool:
        """Whether a word's value holds further rules."""
        if word in ("required", "optional") and isinstance(value, (list, Mapping)):
            # In JSON Schema it is the names of what the value itself must hold.
            return not (schema is not None and "properties" in schema)
        return word in CONTAINERS or (word == "options" and isinstance(value, Mapping) and self._holds_rules(value))

    def _container(self, word: str, value: Any, depth: int) -> None:
        if isinstance(value, list) and word in ("required", "optional", "presence") and value[:1] in ([True], [False]):
            # A flag and its message.
            value = value[0]
        if word in ("required", "optional"):
            self.required = self.required or word == "required"
            self._nullable |= word == "optional"
        if isinstance(value, Mapping) and word not in ("schema", "def", "vars"):
            # How wide a field is shown.
            value = {name: item for name, item in value.items() if fold(name) != "size"}
        self._inside(value, depth)

    def _applicator(self, name: str, value: Any, schema: Mapping[Any, Any], depth: int) -> None:
        value = resolved(value, self._roots)
        parts = value if isinstance(value, list) else []
        if name == "allOf" and all(isinstance(part, Mapping) for part in parts):
            for part in parts:
                self._mapping(part, depth)
            return
        if name in ("anyOf", "oneOf"):
            kept = [part for part in parts if part not in ({"type": "null"}, {"const": None})]
            self._nullable |= len(kept) < len(parts)
            listed = [_listed(part) for part in kept]
            if len(kept) == 1 and isinstance(kept[0], Mapping):
                self._mapping(kept[0], depth)
                return
            if kept and all(listed):
                self._claims.append([item for part in listed for item in part or ()])
                return
            value = kept
        rule = {name: value}
        if name == "if":
            rule |= {each: resolved(schema[each], self._roots) for each in ("then", "else") if each in schema}
        elif name in ("then", "else"):
            return
        if name == "properties" and _are_names(schema.get("required")):
            rule["required"] = schema["required"]
        self._schema |= usable(rule)

    # Rules

    def _try(self, words: str, rule: Any, *arguments: Any) -> None:
        try:
            rule(*arguments)
        except UnclearError:
            self.doubt(words)

    def doubt(self, words: str) -> None:
        """Keep a rule that is not enforced, in the service's words."""
        self._unclear.setdefault(clean(words, 200))

    def _rule(self, word: str, value: Any) -> None:
        bound = bound_of(word)
        if word in RELATIONS:
            self._relate(word, value)
        elif word in FORMATS:
            self._on_type(word)
        elif bound is None:
            getattr(self, f"_on_{RULES[word]}")(value)
        else:
            self._bound(bound, value)

    def _bound(self, bound: tuple[bool, bool, bool], value: Any, *, of_length: bool = False) -> None:
        lower, exclusive, length = bound
        if isinstance(value, bool):
            # A flag beside the bound: exclusiveMinimum in draft 4 of JSON Schema, min_inclusive.
            self._exclusive |= {lower} if value is exclusive else set()
        else:
            exclusive |= isinstance(value, Mapping) and value.get("inclusive") is False
            self._bounds.append((lower, exclusive, length or of_length, _number(value)))

    def _on_required(self, value: Any) -> None:
        if isinstance(value, list):
            return
        self.required = _truth(value) or bool(self.required)

    def _on_optional(self, value: Any) -> None:
        self._nullable |= _truth(value)
        self.required = self.required or not _truth(value)

    def _on_not_empty(self, value: Any) -> None:
        self.required = isinstance(value, Mapping) or _truth(value) or bool(self.required)

    def _on_nullable(self, value: Any) -> None:
        self._nullable |= _truth(value)

    def _on_type(self, value: Any) -> None:
        if isinstance(value, Mapping):
            value = value.get("type", value.get("name", value.get("value")))
        kinds = ["null" if kind is None else kind for kind in (value if isinstance(value, list) else [value])]
        if not all(isinstance(kind, str) for kind in kinds):
            raise UnclearError
        names = [type_word(kind) for kind in kinds]
        self._nullable |= "null" in names and len(names) > 1
        names = [name for name in names if name != "null"] or names
        if len(names) != 1:
            raise UnclearError
        word = names[0]
        self._secret |= word in SECRET_TYPES
        if word in TYPES:
            self._types.append(TYPES[word])
        elif word in FIELD_TYPES:
            self._field_types.append(FIELD_TYPES[word])
        elif word in FORMATS:
            self._field_types.append("string")
            self._patterns.append(FORMATS[word])
        elif word in OPTIONAL_TYPES:
            self._nullable = True
        elif word not in OPEN_TYPES:
            raise UnclearError

    def _on_format(self, value: Any) -> None:
        if fold(value) in SECRET_TYPES:
            self._secret = True
        elif fold(value) in FORMATS:
            self._patterns.append(FORMATS[fold(value)])
        elif isinstance(value, Mapping):
            self._inside(value, 2)
        elif fold(value) not in TYPES and fold(value) != "text":
            raise UnclearError

    def _on_positive(self, value: Any, *, or_zero: bool = False) -> None:
        if isinstance(value, Mapping) or _truth(value):
            self._bounds.append((True, not or_zero, False, 0))

    def _on_positive_or_zero(self, value: Any) -> None:
        self._on_positive(value, or_zero=True)

    def _on_span(self, value: Any, *, of_length: bool = False) -> None:
        value = _arguments(value) if isinstance(value, Mapping) else value
        if isinstance(value, str):
            value = re.split(r"\s*(?:,|\.\.|(?<=\d)-)\s*", value)
        if isinstance(value, list) and len(value) in (1, 2):
            value = dict(zip(("min", "max"), value * (3 - len(value)), strict=False))
        if not isinstance(value, Mapping) or not value:
            if of_length and not isinstance(value, (list, Mapping)):
                value = {"exactly": value}
            else:
                raise UnclearError
        for name, item in value.items():
            word = word_of(name)
            bound = bound_of(word)
            if item is None or word in DESCRIPTIVE or fold(name).endswith(("message", "unit", "label")):
                continue
            if bound is not None:
                self._bound(bound, item, of_length=of_length)
            elif word in ("exactly", "equal", "equals", "limit", "value"):
                self._bounds += [(True, False, of_length, _number(item)), (False, False, of_length, _number(item))]
            elif word == "step":
                self._on_step(item)
            else:
                self.doubt(f"{name}: {brief(item)}")

    def _on_length_span(self, value: Any) -> None:
        self._on_span(value, of_length=True)

    def _on_size(self, value: Any) -> None:
        # In rules with pipes it is the size; elsewhere it may be how wide a field is.
        if not isinstance(value, str):
            raise UnclearError
        self._bounds += [(True, False, False, _number(value)), (False, False, False, _number(value))]

    def _on_step(self, value: Any) -> None:
        if value != "any":
            self._schema["step"] = self._positive_number(value)

    def _on_multiple_of(self, value: Any) -> None:
        if isinstance(value, bool):
            # How many values it takes.
            self._types += ["array"] if value else []
            return
        number = self._positive_number(value)
        if self._schema.get("multipleOf", number) != number:
            raise UnclearError
        self._schema["multipleOf"] = number

    def _positive_number(self, value: Any) -> float:
        number = _number(value)
        if number <= 0:
            raise UnclearError
        return number

    def _on_pattern(self, value: Any) -> None:
        if isinstance(value, Mapping):
            told = by_folded_name(value)
            if told.get("match") is False or told.get("invert") is True:
                raise UnclearError
            value = next((told[word] for word in ("pattern", "value", "regex", "with") if word in told), None)
        pattern = patterns.whole_pattern(value) if isinstance(value, str) else None
        if pattern is None:
            raise UnclearError
        self._patterns.append(pattern)

    def _on_digits(self, value: Any) -> None:
        counts = [_number(part) for part in (value.split(",") if isinstance(value, str) else [value])]
        if not all(isinstance(count, int) and 0 <= count <= patterns.LONGEST_VALUE for count in counts):
            raise UnclearError
        self._patterns.append(rf"\d{{{','.join(map(str, counts))}}}")

    def _on_not_in(self, value: Any) -> None:
        listed = split_text(value) if isinstance(value, str) else value
        if not _are_scalars(listed) or not listed or len(listed) > 100:
            raise UnclearError
        self._patterns.append(rf"(?!(?:{'|'.join(re.escape(str(each)) for each in listed)})\Z)(?s:.*)")

    def _on_choices(self, value: Any) -> None:
        if isinstance(value, Mapping):
            told = by_folded_name(value)
            # A constraint holds them beside its messages.
            value = next((told[w] for w in _HOLDERS if isinstance(told.get(w), (list, Mapping))), value)
            if told.get("multiple") is True:
                self._types.append("array")
        if (
            isinstance(value, list)
            and len(value) in (1, 2)
            and isinstance(value[0], (list, Mapping))
            and _are_scalars([*value[0]])
            and not isinstance(value[0], Mapping)
        ):
            value = value[0]
        if _are_scalars(value) and _LOCATIONS.issuperset(map(str, value)):
            # Where in the request it is.
            return
        if value not in ([], {}, ""):
            self._claims.append(value)

    def _on_in(self, value: Any) -> None:
        self._on_choices(split_text(value) if isinstance(value, str) else value)

    def _on_const(self, value: Any) -> None:
        value = value.get("value") if isinstance(value, Mapping) else value
        if not isinstance(value, (str, int, float)):
            raise UnclearError
        self._claims.append([value])

    def _on_mapping(self, value: Any) -> None:
        if not isinstance(value, (list, Mapping)):
            raise UnclearError
        self._mappings += [value] if value else []

    def _on_default(self, value: Any) -> None:
        self._default = value

    def _on_secret(self, value: Any) -> None:
        self._secret |= _truth(value)

    def _on_json(self, value: Any) -> None:
        if isinstance(value, Mapping) or _truth(value):
            self._schema["contentMediaType"] = "application/json"

    def _relate(self, word: str, value: Any) -> None:
        listed = value.split(",") if isinstance(value, str) else value
        found = [_SETTING_NAME.fullmatch(each.strip()) for each in listed if isinstance(each, str)] if listed else []
        if not found or len(found) != len(listed) or not all(found):
            raise UnclearError
        self._relations.append(Relation(RELATIONS[word], tuple(each[1] for each in found if each)))

    # What all of it comes to

    def option(self) -> Option:
        """The option with the rules that leave room for what the document allows."""
        kind = self._kind()
        choices = self._chosen()
        rules = self._rules(kind, "array" if "array" in self._types else kind_of_setting(self.name) or kind)
        schema = rules if leaves_room(self.name, rules) else {}
        for keyword, value in rules.items() if schema is not rules else ():
            if leaves_room(self.name, {**schema, keyword: value}):
                schema[keyword] = value
            else:
                self.doubt(f"{keyword}: {brief(value)}")
        required = self.required
        has_parts = self._has_parts or not {"object", "array"}.isdisjoint(self._types)
        if required and self.name not in DOCUMENTED and has_parts:
            required = None
            self.doubt("required")
        return Option(
            name=self.name,
            schema=schema,
            required=False if required and (self._nullable or self._conditional) else required,
            default=self._default,
            choices=choices,
            secret=self._secret or is_secret_name(self.name),
            relations=() if self._conditional else tuple(dict.fromkeys(self._relations)),
            unclear=tuple(self._unclear),
            price=self._price,
        )

    def _kind(self) -> str | None:
        kinds = set(self._types) or set(self._field_types[:1])
        if kinds == {"integer", "number"}:
            return "integer"
        if len(kinds) > 1:
            self.doubt(f"type: {' and '.join(sorted(kinds))}")
        return kinds.pop() if len(kinds) == 1 else None

    def _chosen(self) -> tuple[Choice, ...]:
        """The choices that all rules allow, with the labels of a mapping."""
        claims = []
        for said in self._claims or self._mappings:
            items = read_faces(said)
            for mapping in self._mappings if self._claims and items else ():
                items = relabelled(items or [], mapping) or items
            chosen = choose(self.name, items) if items else ()
            if chosen:
                claims.append(chosen)
            elif items != []:
                self.doubt(f"{'choices' if self._claims else 'mapping'}: {brief(said)}")
        both = agreed(claims) if claims else ()
        if claims and not both:
            self.doubt(f"choices: {brief([choice.value for each in claims for choice in each])}")
        return both

    def _rules(self, kind: str | None, measured: str | None) -> dict[str, Any]:
        rules: dict[str, Any] = {"type": kind} if kind else {}
        if measured is None and any(length for _lower, _exclusive, length, _number in self._bounds):
            measured = rules["type"] = "string"
        for lower, exclusive, of_length, number in self._bounds:
            of_length |= measured in ("string", "array")
            what = "Items" if measured == "array" else "Length"
            exclusive |= lower in self._exclusive
            if measured == "boolean" or (of_length and (measured in ("integer", "number") or exclusive)):
                self.doubt(f"{'minimum' if lower else 'maximum'}{' length' if of_length else ''}: {number}")
                continue
            if exclusive and measured == "integer":
                number = math.floor(number) + 1 if lower else math.ceil(number) - 1
            word = f"{'min' if lower else 'max'}{what}" if of_length else "minimum" if lower else "maximum"
            if exclusive and measured != "integer":
                word = f"exclusive{word.capitalize()}"
            rules[word] = (max if lower else min)(_plain(number), rules.get(word, _plain(number)))
        step = self._schema.pop("step", None)
        # A form's step counts from the minimum, others from zero: it is plain where both are the same.
        if step is not None and step != self._schema.setdefault("multipleOf", step):
            self.doubt(f"step: {step}")
        elif step is not None and rules.get("minimum", 0) % step:
            self.doubt(f"step: {self._schema.pop('multipleOf')}")
        if self._patterns:
            rules["pattern"] = patterns.combined(list(dict.fromkeys(self._patterns)))
        return rules | self._schema


# Taking values


def _number(value: Any) -> float:
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
    return _plain(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)


def _plain(number: float) -> float:
    """Whole numbers without a decimal point."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _truth(value: Any) -> bool:
    said = {"required": True, "optional": False}.get(value) if isinstance(value, str) else None
    said = truth(value) if said is None else said
    if said is None:
        raise UnclearError
    return said


def _are_scalars(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _is_only(flags: Any) -> bool:
    return isinstance(flags, Mapping) and (flags.get("only") is True or flags.get("allowOnly") is True)


def _is_conditional(item: Any) -> bool:
    """Whether a constraint holds only sometimes: under a condition, or in a group that is not the usual one."""
    if not isinstance(item, Mapping):
        return False
    groups = item.get("groups")
    if isinstance(groups, list) and groups and "Default" not in groups:
        return True
    held = [name for name, value in item.items() if is_condition(name) and value not in (None, False, "", [], {})]
    inner = [value for name, value in item.items() if name in ("options", "params", "args")]
    return bool(held) or any(map(_is_conditional, inner))


def _listed(part: Any) -> list[Any] | None:
    """The values of an alternative that only lists some."""
    if not isinstance(part, Mapping):
        return [part] if isinstance(part, (str, int, float)) else None
    if "const" in part:
        return [part]
    only_listed = isinstance(part.get("enum"), list) and set(part) <= {"enum", "type", "title", "description"}
    return list(part["enum"]) if only_listed else None


def _tokens(text: str) -> list[str]:
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


def _arguments(given: Mapping[Any, Any]) -> Any:
    """What a rule is given, taken out of ``{"options": …}``."""
    name, value = next(iter(given.items())) if len(given) == 1 else ("", None)
    return value if fold(name) in _ARGUMENTS and value is not None else given


def _names(item: Mapping[Any, Any]) -> list[str]:
    """By what names this may be a constraint."""
    return [word_of(item[name]) for name in _CONSTRAINT_NAMES[:-2] if isinstance(item.get(name), str)]


def _constraint(item: Any) -> tuple[str, Any] | None:
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
            return named, _arguments(rest)
    if len(item) == 1:
        name, value = next(iter(item.items()))
        return (str(name), value) if is_known(word_of(name)) else None
    return None


__all__ = ["Reader"]
