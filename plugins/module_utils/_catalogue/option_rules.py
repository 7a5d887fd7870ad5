# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what an ``options`` entry plainly says about one setting (API specification 2.1, 2.5 and 4.2).

The API specification does not show how rules are written. A rule counts only if it has one reading and leaves room for
what the API specification allows: a valid order is never refused for a rule that was misread. Everything else is kept
in ``Option.unclear`` in the service's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._core.text import brief, clean, fold
from .._product_types.patterns import whole_pattern
from .._reference.schemas import Schemas
from .._secrets.names import is_secret_name
from .option import Option, is_price, listed_prices
from .option_choices import agreed
from .option_words import (
    AGAINST,
    HOLDERS,
    LENGTHS,
    RULES,
    SILENT,
    TYPES,
    Statement,
    holds_rules,
    is_qualified,
    is_schema,
    names_rule,
    number_of,
    one_reading,
    rule_tokens,
    rule_word,
)
from .room import DOCUMENTED, kind_of_setting, leaves_room, truth

_DEEPEST = 6
#: Groups of rules that are looked at for one setting, with those that references lead to.
_MOST_GROUPS = 2000
_ALTERNATIVES = ("anyOf", "oneOf")
_INCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
#: Members of an object that names its rule, with what the rule needs.
_ARGUMENTS = ("options", "params", "args", "attributes")


def read_setting(name: str, said: Any, schemas: Schemas, *, required: bool) -> Option:
    """The option of this name. ``said`` is what the entry says about it, ``schemas`` follows its references.

    ``required``: a list beside it names the setting as required.
    """
    reader = _SettingReader(name, schemas)
    reader.read(said, _DEEPEST)
    return reader.option(required=required)


class _SettingReader:
    """Collects what is said about one setting: each keyword with all values that it is given.

    ``_said`` is the rule that is being read, in the service's words.
    """

    def __init__(self, name: str, schemas: Schemas) -> None:
        self._name = name
        self._schemas = schemas
        self._told: dict[str, list[Statement]] = {}
        self._choices: list[Statement] = []
        self._said = ""
        self._left = _MOST_GROUPS
        self._unclear: dict[str, None] = {}
        self._required = self._optional = self._secret = False
        self._default: Any = None
        self._price: dict[str, Any] = {}

    def read(self, said: Any, depth: int) -> None:
        """Take all rules of a text, a list or a mapping of rules."""
        self._left -= 1
        if not depth or self._left < 0:
            self._doubt("rules", said)
        elif isinstance(said, str):
            # Rules in a string: ``required|integer|between:1,10`` or ``required,min=1024``.
            tokens = rule_tokens(said)
            for token, name, value in tokens:
                self._rule(name, value, 1, token)
            if not tokens:
                self._doubt(said, True)
        elif isinstance(said, list):
            for item in said:
                self._constraint(item, depth - 1)
        elif isinstance(said, Mapping):
            self._mapping(said, depth - 1)

    def _constraint(self, item: Any, depth: int) -> None:
        """One rule of a list: a text, or an object that names it."""
        key = names_rule(item) if isinstance(item, Mapping) else None
        if key is not None:
            rest = {name: value for name, value in item.items() if name != key}
            inner = next((rest[each] for each in _ARGUMENTS if rest.get(each)), rest)
            if self._holds(rest, item):
                self._rule(item[key], inner or True, depth)
        elif isinstance(item, (str, Mapping)):
            self.read(item, depth)
        else:
            self._doubt("rules", item)

    def _mapping(self, said: Mapping[Any, Any], depth: int) -> None:
        self._price |= listed_prices(said)
        if not self._holds(said, said):
            return
        for name, value in said.items():
            if name in ("$ref", "allOf"):
                parts = [self._schemas.resolve(said)] if name == "$ref" else value
                is_plain = isinstance(parts, list) and bool(parts) and all(parts)
                for part in parts if is_plain else ():
                    self.read(part, depth)
                if not is_plain:
                    self._doubt(name, value)
            elif name in _ALTERNATIVES and isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
                self._alternatives(name, value, depth)
            elif not is_price(name):
                self._rule(str(name), value, depth)

    def _holds(self, said: Mapping[Any, Any], shown: Mapping[Any, Any]) -> bool:
        """Whether rules are meant as they stand; else all of them are kept as unclear."""
        qualified = is_qualified(said)
        for name, rule in shown.items() if qualified else ():
            if fold(name) not in SILENT:
                self._doubt(str(name), rule)
        return not qualified

    def _alternatives(self, name: str, parts: list[Any], depth: int) -> None:
        """One of several schemas: null beside a single other one, or values with a title each."""
        resolved = [self._schemas.resolve(part) for part in parts]
        others = [part for part in resolved if part.get("type") != "null" and part.get("const", 0) is not None]
        self._optional |= len(others) < len(resolved)
        if len(others) == 1:
            self.read(others[0], depth)
        elif others and all("const" in part for part in others):
            values = [{"value": part["const"], "label": part.get("title", part["const"])} for part in others]
            self._choices.append(Statement(values, _words_of(name, parts)))
        else:
            self._doubt(name, parts)

    def _rule(self, name: str, value: Any, depth: int, token: str = "") -> None:
        """Take one rule, ``token`` of a string; what has no reading is kept as unclear."""
        word, is_alone = rule_word(name), name[:1].isupper() and value == {}
        rule = RULES.get(word)
        if value is None or (value in ("", [], {}) and not is_alone):
            return
        if isinstance(value, Mapping) and rule != "choices" and not self._holds(value, {name: value}):
            return
        is_rules = word in HOLDERS or (rule == "choices" and holds_rules(value))
        if is_rules or (rule is None and is_schema(value) and not AGAINST.match(word)):
            self.read(value, depth)
            return
        self._said = token or _words_of(name, value)
        try:
            self._take(name, value, depth)
        except (TypeError, ValueError, KeyError, OverflowError):
            self._keep(self._said)

    def _take(self, name: str, value: Any, depth: int) -> None:
        word = rule_word(name)
        rule = RULES.get(word)
        takers: dict[str, Callable[[Any], None]] = {
            "required": self._take_required,
            "optional": self._take_optional,
            "type": self._take_type,
            "pattern": self._take_pattern,
            "choices": self._take_choices,
            "default": self._take_default,
            "secret": self._take_secret,
        }
        if rule in takers:
            takers[rule](value)
        elif rule in ("span", "length"):
            self.read(_bounds(value, is_length=rule == "length"), depth)
        elif rule is not None and value is not False:
            self._take_bound(rule, number_of(value, word))
        elif (word in TYPES or word == "password") and value in (True, {}):
            self._take_type(word)
        elif word not in SILENT and not name.startswith(("$", "@", "x-")) and value is not False:
            self._keep(self._said)

    def _doubt(self, name: str, value: Any) -> None:
        self._keep(_words_of(name, value))

    def _keep(self, said: str) -> None:
        self._unclear.setdefault(clean(said, 200))

    def _tell(self, keyword: str, value: Any) -> None:
        self._told.setdefault(keyword, []).append(Statement(value, self._said))

    # Rules

    def _take_required(self, value: Any) -> None:
        self._required |= not isinstance(value, list) and truth(value) is not False

    def _take_optional(self, value: Any) -> None:
        self._optional |= truth(value) is not False

    def _take_type(self, value: Any) -> None:
        value = value.get("type", value.get("value")) if isinstance(value, Mapping) else value
        kinds = {fold(each) for each in (value if isinstance(value, list) else [value])}
        self._optional |= "null" in kinds
        (kind,) = kinds - {"null"}
        self._secret |= kind == "password"
        if kind in TYPES:
            self._tell("type", TYPES[kind])

    def _take_bound(self, keyword: str, number: float) -> None:
        # A step of 0 cannot be kept. A bound that is documented is not left out.
        documented = DOCUMENTED.get(self._name, {}).get(_INCLUSIVE.get(keyword, ""))
        if (keyword == "multipleOf" and number <= 0) or (documented is not None and documented == number):
            raise ValueError(number)
        self._tell(keyword, number)

    def _take_pattern(self, value: Any) -> None:
        pattern = whole_pattern(value.get("pattern", value.get("value")) if isinstance(value, Mapping) else value)
        if pattern is None:
            raise ValueError(value)
        self._tell("pattern", pattern)

    def _take_choices(self, value: Any) -> None:
        # A list of arguments, of which the only one is the list.
        is_argument = isinstance(value, list) and len(value) == 1 and isinstance(value[0], list)
        if value is not True:
            self._choices.append(Statement(value[0] if is_argument else value, self._said))

    def _take_default(self, value: Any) -> None:
        self._default = value

    def _take_secret(self, value: Any) -> None:
        self._secret |= bool(truth(value))

    # The option

    def option(self, *, required: bool) -> Option:
        """The option with the rules that have one reading and leave room."""
        choices = agreed(self._name, [listed.value for listed in self._choices])
        for listed in () if choices else self._choices:
            self._keep(listed.said)
        is_required = required or self._required
        return Option(
            name=self._name,
            schema=self._schema(),
            required=(is_required and not self._optional) if is_required or self._optional else None,
            default=self._default,
            choices=choices,
            secret=self._secret or is_secret_name(self._name),
            unclear=tuple(self._unclear),
            price=self._price,
        )

    def _schema(self) -> dict[str, Any]:
        by_keyword = self._by_keyword()
        readings = {
            keyword: one_reading(keyword, [each.value for each in told]) for keyword, told in by_keyword.items()
        }
        schema: dict[str, Any] = {}
        for keyword, statements in by_keyword.items():
            value = readings[keyword]
            # Is a step counted from the minimum, as in HTML, or from zero? It says neither.
            unclear = value is None or (keyword == "multipleOf" and schema.get("minimum", 0) % value)
            if unclear or not leaves_room(self._name, {**schema, keyword: value}):
                for statement in statements:
                    self._keep(statement.said)
            else:
                schema[keyword] = value
        return schema

    def _by_keyword(self) -> dict[str, list[Statement]]:
        """What is told by the keyword of JSON Schema that it means for this kind of setting, the step last."""
        told = dict(self._told)
        types = {each.value for each in told.get("type", ())}
        kind = kind_of_setting(self._name) or (next(iter(types)) if len(types) == 1 else None)
        for exclusive, bound in _INCLUSIVE.items():
            by = 1 if bound == "minimum" else -1
            if kind == "integer" and all(isinstance(each.value, int) for each in told.get(exclusive, ())):
                moved = [each._replace(value=each.value + by) for each in told.pop(exclusive, ())]
                told |= {bound: told.get(bound, []) + moved} if moved else {}
        for bound, length in LENGTHS.items():
            if kind == "string" and bound in told:
                told[length] = told.get(length, []) + told.pop(bound)
        steps = told.pop("multipleOf", [])
        first = {"type": told.pop("type")} if "type" in told else {}
        return {**first, **told, **({"multipleOf": steps} if steps else {})}


def _words_of(name: str, value: Any) -> str:
    """A rule in the service's words."""
    return name if value is True else f"{name}: {brief(value)}"


def _bounds(value: Any, *, is_length: bool) -> Mapping[Any, Any]:
    """The bounds in ``"1,10"``, ``[1, 10]`` or ``{"min": 1, "max": 10}``, those of a length by its words."""
    bounds: Mapping[Any, Any]
    if isinstance(value, Mapping):
        bounds = value
    else:
        least, most = value.split(",") if isinstance(value, str) else value
        bounds = {"minimum": least, "maximum": most}
    if not is_length:
        return bounds
    if any(isinstance(bound, Mapping) for bound in bounds.values()):
        raise ValueError(value)
    return {LENGTHS.get(RULES.get(rule_word(name), ""), name): bound for name, bound in bounds.items()}
