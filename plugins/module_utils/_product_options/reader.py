# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what is plain in a product's ``options`` entry (API specification 2.1, 2.5 and 4.2).

The document says that the entry lists the settings with their rules, value mappings and allowed values, and not how.
The settings are found by their documented names, wherever they stand; their rules are words in one table. What is not
understood restricts nothing: it is kept in ``Option.unclear``, and told when the service refuses an order.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._core.text import brief, by_folded_name, clean, fold, is_uuid, words
from .._product_types.registry import PRODUCT_TYPES, TEMPLATE_SETTINGS
from .._secrets.names import is_secret_name
from .evidence import DOCUMENTED, fits, is_text, kind_of_setting, leaves_room, plain_number, truth
from .option import Choice, Option, is_price, listed_prices
from .patterns import EMAIL, HOSTNAME, IPV4, URL, UUID, whole_pattern

_MOST_NODES, _DEEPEST = 5000, 8
#: Where a JSON Schema keeps schemas of other things to refer to.
_SCHEMAS = ("$defs", "definitions", "components")
#: Elements that hold the name of a setting, where the settings are a list.
_NAMES = ("name", "key", "field", "property", "setting", "code", "id", "slug", "identifier", "attribute", "parameter")
_TYPES = {
    **dict.fromkeys(words("string str varchar char text"), "string"),
    **dict.fromkeys(words("integer int int32 int64 long"), "integer"),
    **dict.fromkeys(words("number numeric float double decimal"), "number"),
    **dict.fromkeys(words("boolean bool checkbox"), "boolean"),
    **dict.fromkeys(words("array list multiselect"), "array"),
}
_FORMATS = {"email": EMAIL, "url": URL, "uri": URL, "uuid": UUID, "hostname": HOSTNAME, "fqdn": HOSTNAME, "ipv4": IPV4}
#: Words to the rule that they are.
_RULES = {
    **dict.fromkeys(words("required mandatory notblank notnull notempty present"), "required"),
    **dict.fromkeys(words("nullable optional sometimes allownull"), "optional"),
    **dict.fromkeys(words("type datatype widget inputtype fieldtype format"), "type"),
    **dict.fromkeys(words("min minimum minvalue gte greaterthanorequal from lower"), "minimum"),
    **dict.fromkeys(words("max maximum maxvalue lte lessthanorequal to upper"), "maximum"),
    **dict.fromkeys(words("minlength minlen"), "minLength"),
    **dict.fromkeys(words("maxlength maxlen"), "maxLength"),
    **dict.fromkeys(words("step multipleof divisibleby increment stepsize"), "multipleOf"),
    **dict.fromkeys(words("range between length bounds limits"), "span"),
    **dict.fromkeys(words("pattern regex regexp match matches"), "pattern"),
    **dict.fromkeys(words("choices choice values enum options in allowed allowedvalues select oneof valid"), "choices"),
    **dict.fromkeys(words("default defaultvalue initial"), "default"),
    **dict.fromkeys(words("secret sensitive writeonly"), "secret"),
}
_KNOWN = _RULES.keys() | _TYPES.keys() | _FORMATS.keys()
#: Words whose value holds further rules.
_HOLDERS = words("rules rule validation validations validators constraints constraint attributes attr attrs schema")
#: Under these a rule holds only sometimes.
_CONDITION = re.compile(
    "^(anyof|oneof|allof|ref)$|if$|when$|unless$|with(out)?$|exclude|depend|condition|scenario|^on$|readonly|disabled"
)
#: Words that describe a setting and restrict nothing.
_SILENT = words(
    "label description desc title name help helptext hint placeholder order position sort unit units group section "
    "category example examples message messages minmessage maxmessage groups payload currency id key field bail size"
)
_VALUES = ("value", "key", "id", "uuid", "name", "label")
_LABELS = ("label", "title", "name", "text", "value", "key")
_EMPTY: tuple[Any, ...] = (None, [], {})
Said = Sequence[tuple[str, Any]]


def read_options(entry: Any) -> list[Option] | None:
    """The options that an ``options`` entry lists, ``None`` where nothing looks like any."""
    if entry in _EMPTY:
        return []
    best: tuple[int, Said, frozenset[str]] = (0, (), frozenset())
    plain: Said | None = None
    for said, required, is_certain in _places(entry):
        known = max(len({name for name, _rules in said} & kind.settings.keys()) for kind in PRODUCT_TYPES.values())
        if known > best[0]:
            best = (known, said, required)
        elif plain is None and is_certain and said:
            plain = said
    if best[0]:
        required = best[2]
        told = [(name, rules) for name, rules in best[1] if name in DOCUMENTED or _are_rules([rules])]
        return _not_all_of_one([_read(name, rules, name in required) for name, rules in told])
    if plain is not None:
        return [_read(name, rules, False) for name, rules in plain]
    schema = entry.get("properties", entry.get("fields", entry.get("settings"))) if isinstance(entry, Mapping) else 1
    return [] if schema in _EMPTY else None


def _places(entry: Any) -> Iterator[tuple[Said, frozenset[str], bool]]:
    """Where settings may be: what is said of each, the names that are required beside them, and whether it is certain
    that these are settings whatever their names are.
    """
    waiting: deque[tuple[Any, str, frozenset[str], int]] = deque([(entry, "", frozenset(), 0)])
    for _node in range(_MOST_NODES):
        if not waiting:
            return
        value, word, required, depth = waiting.popleft()
        if isinstance(value, Mapping):
            said = [(_bare(name), rules) for name, rules in value.items()]
            yield said, required, word == "properties" or _are_rules(rules for _name, rules in said)
            listed = value.get("required")
            names = frozenset(filter(_is_text, listed)) if isinstance(listed, list) else frozenset()
            inner = [(item, fold(name), names) for name, item in value.items() if name not in _SCHEMAS]
        else:
            yield from _rows(value)
            inner = [(item, "", frozenset()) for item in value]
        if depth < _DEEPEST:
            waiting.extend((*each, depth + 1) for each in inner if isinstance(each[0], (Mapping, list)))


def _rows(items: list[Any]) -> Iterator[tuple[Said, frozenset[str], bool]]:
    """The settings of a list: the objects in it by each element that may hold their names."""
    rows = [item for item in items if isinstance(item, Mapping)]
    for column in _NAMES if len(rows) == len(items) else ():
        said = [
            (_bare(row[key]), {name: item for name, item in row.items() if name != key})
            for row in rows
            for key in row
            if fold(key) == column and _is_text(row[key])
        ]
        if len(said) == len(rows) == len({name for name, _rules in said}):
            yield said, frozenset(), _are_rules(rules for _name, rules in said)


def _are_rules(said: Iterable[Any]) -> bool:
    """Whether each of these begins with a word for a rule, so that it can be what is said of a setting."""
    firsts = [
        next(iter(rules), None) if isinstance(rules, (Mapping, list)) else str(rules).partition("|")[0]
        for rules in said
    ]
    return bool(firsts) and all(_word(str(first).partition(":")[0]) in _KNOWN for first in firsts)


def _bare(name: Any) -> str:
    return str(name).rpartition(".")[2]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not is_uuid(value)


def _not_all_of_one(options: list[Option]) -> list[Option]:
    """Settings of which the API specification requires exactly one are not all required."""
    required = {option.name for option in options if option.required}
    for kind in PRODUCT_TYPES.values():
        for group in kind.schema.get("allOf", ()):
            alternatives = {each["required"][0] for each in group["oneOf"]}
            if alternatives <= required:
                required -= alternatives
    return [option if option.name in required or not option.required else option.relaxed() for option in options]


def _read(name: str, said: Any, required: bool) -> Option:
    reader = _Reader(name)
    reader.read(said)
    return reader.option(required)


class _Reader:
    """What is said of one setting."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rules: dict[str, Any] = {}
        self._patterns: list[str] = []
        self._choices: Any = None
        self._labels: Any = None
        self._default: Any = None
        self._required: bool | None = None
        self._optional = self._secret = False
        self._unclear: dict[str, None] = {}
        self._price: dict[str, Any] = {}

    def read(self, said: Any, depth: int = 5) -> None:
        if isinstance(said, str):
            begin, regex, rest = said.partition("regex:")
            for token in [*begin.split("|"), *([regex + rest] if regex else ())]:
                name, _colon, given = token.strip().partition(":")
                self._rule(name, given or True, depth)
        elif isinstance(said, list) and depth:
            for item in said:
                self._constraint(item, depth - 1)
        elif isinstance(said, Mapping) and depth:
            self._price |= listed_prices(said)
            for name, value in said.items():
                if not is_price(name):
                    self._rule(str(name), True if value == {} or value is None else value, depth - 1)

    def _constraint(self, item: Any, depth: int) -> None:
        """One rule of a list: a text, or an object that names it."""
        if not isinstance(item, Mapping):
            self.read(item, depth)
            return
        for key in ("constraint", "rule", "name", "validator", "type"):
            if isinstance(item.get(key), str) and _word(item[key]) in _RULES:
                rest = {name: value for name, value in item.items() if name != key}
                self._rule(item[key], rest.get("options", rest) or True, depth)
                return
        self.read(item, depth)

    def _rule(self, name: str, value: Any, depth: int) -> None:
        word = _word(name)
        rule = None if _CONDITION.search(word) else _RULES.get(word)
        try:
            if word in _HOLDERS:
                self.read(value, depth)
            elif word in _TYPES or word in _FORMATS or word == "password":
                self._on_type(word)
            elif rule is not None and hasattr(self, f"_on_{rule}"):
                getattr(self, f"_on_{rule}")(value)
            elif rule is not None:
                self._bound(rule, value)
            elif _CONDITION.search(word):
                self._optional = True
                self._doubt(name, value)
            elif word not in _SILENT and not name.startswith(("$", "@", "x-")) and value not in (False, "", [], None):
                self._doubt(name, value)
        except (TypeError, ValueError, KeyError):
            self._doubt(name, value)

    def _doubt(self, name: str, value: Any) -> None:
        self._unclear.setdefault(clean(name if value is True else f"{name}: {brief(value)}", 200))

    # Rules

    def _on_required(self, value: Any) -> None:
        if not isinstance(value, list):
            self._required = truth(value) is not False or bool(self._required)

    def _on_optional(self, value: Any) -> None:
        self._optional |= truth(value) is not False

    def _on_type(self, value: Any) -> None:
        value = value.get("type", value.get("value")) if isinstance(value, Mapping) else value
        kinds = [fold(each) for each in (value if isinstance(value, list) else [value])]
        self._optional |= "null" in kinds and len(kinds) > 1
        kinds = [kind for kind in kinds if kind != "null"]
        if len(kinds) != 1:
            raise ValueError(kinds)
        self._secret |= kinds[0] == "password"
        if kinds[0] in _TYPES and self._rules.get("type") in (None, "string"):
            self._rules["type"] = _TYPES[kinds[0]]
        elif kinds[0] in _FORMATS:
            self._patterns.append(_FORMATS[kinds[0]])

    def _bound(self, keyword: str, value: Any) -> None:
        number = plain_number(value.get("value") if isinstance(value, Mapping) else value)
        number = float(number) if isinstance(number, str) else number
        if (
            isinstance(number, bool)
            or not isinstance(number, (int, float))
            or (keyword == "multipleOf" and number <= 0)
        ):
            raise ValueError(number)
        self._rules[keyword] = number

    def _on_span(self, value: Any) -> None:
        if isinstance(value, Mapping):
            for name, number in value.items():
                if _RULES.get(fold(name)) in ("minimum", "maximum"):
                    self._bound(_RULES[fold(name)], number)
            return
        least, most = value.split(",") if isinstance(value, str) else value
        self._bound("minimum", least)
        self._bound("maximum", most)

    def _on_pattern(self, value: Any) -> None:
        pattern = whole_pattern(value.get("pattern", value.get("value")) if isinstance(value, Mapping) else value)
        if pattern is None:
            raise ValueError(value)
        self._patterns.append(pattern)

    def _on_choices(self, value: Any) -> None:
        if isinstance(value, Mapping) and isinstance(value.get("choices", value.get("values")), (list, Mapping)):
            value = value.get("choices", value.get("values"))
        value = [part.strip(" \"'") for part in value.split(",")] if isinstance(value, str) else value
        if not isinstance(value, (list, Mapping)) or (isinstance(value, Mapping) and _are_rules([value])):
            raise TypeError(value)
        if self._choices is None or not isinstance(value, list) or any(isinstance(each, Mapping) for each in value):
            self._choices = value

    def _on_default(self, value: Any) -> None:
        self._default = value

    def _on_secret(self, value: Any) -> None:
        self._secret |= bool(truth(value))

    # The option

    def option(self, required: bool) -> Option:
        """The option with the rules that leave room for what the API specification allows."""
        choices = tuple(_chosen(self._name, self._choices)) if self._choices else ()
        if self._choices and not choices:
            self._doubt("choices", self._choices)
        rules = dict(self._rules)
        if (kind_of_setting(self._name) or rules.get("type")) == "string":
            for bound, length in (("minimum", "minLength"), ("maximum", "maxLength")):
                if bound in rules:
                    rules[length] = rules.pop(bound)
        if self._patterns:
            rules["pattern"] = "".join(rf"(?=(?:{each})\Z)" for each in self._patterns[:-1]) + self._patterns[-1]
        schema: dict[str, Any] = {}
        for keyword, value in rules.items():
            if leaves_room(self._name, {**schema, keyword: value}):
                schema[keyword] = value
            else:
                self._doubt(keyword, value)
        wanted = (required or self._required) if required or self._required is not None else None
        return Option(
            name=self._name,
            schema=schema,
            required=False if wanted and (self._optional or self._name not in DOCUMENTED) else wanted,
            default=self._default,
            choices=choices,
            secret=self._secret or is_secret_name(self._name),
            unclear=tuple(self._unclear),
            price=self._price,
        )


def _word(name: Any) -> str:
    """The word of a rule's name without case, namespace and decoration: ``Assert\\Range``, ``isInt``, ``min_value``."""
    word = fold(re.split(r"[\\/.]", name)[-1]) if isinstance(name, str) else ""
    return word[2:] if word[:2] == "is" and (word[2:] in _RULES or word[2:] in _TYPES) else word


def _chosen(name: str, raw: Any) -> Iterator[Choice]:
    """The choices with everything that may stand for one; none if the specification allows none of them."""
    items = [_faces(None, each) for each in raw] if isinstance(raw, list) else [_faces(*each) for each in raw.items()]
    if not items or any(not item for item in items):
        return
    faces = [face for face in items[0] if face != "price" and all(face in item for item in items)]
    if name in TEMPLATE_SETTINGS:
        faces = [face for face in faces if not all(_is_number_or_id(item[face]) for item in items)]
    elif name in DOCUMENTED and not is_text(name):
        fitting = {face: sum(fits(name, item[face]) for item in items) for face in faces}
        faces = [face for face in faces if fitting[face] and fitting[face] == max(fitting.values())]
    for item in items if faces else ():
        values = list(dict.fromkeys(item[face] for face in faces))
        label = next((item[face] for face in _LABELS if face in item and item[face] != values[0]), values[0])
        yield Choice(values[0], str(label), tuple(values) if len(values) > 1 else (), item.get("price") or {})


def _faces(key: Any, item: Any) -> dict[str, Any]:
    """What may stand for a choice, by the element that holds it."""
    own = {} if key is None else {"key": key}
    if isinstance(item, (str, int, float)):
        return {**own, "value": item} if key is None else {**own, "label": item}
    if not isinstance(item, Mapping):
        return own
    told = by_folded_name(item)
    found = {face: told[face] for face in _VALUES if isinstance(told.get(face), (str, int, float))}
    return {**own, **found, "price": listed_prices(item)} if found else {}


def _is_number_or_id(value: Any) -> bool:
    return isinstance(plain_number(value), int) or is_uuid(value)


def values_of(choices: Sequence[Choice]) -> Iterator[Any]:
    """Everything that may stand for one of the choices."""
    return (face for choice in choices for face in choice.accepted)
