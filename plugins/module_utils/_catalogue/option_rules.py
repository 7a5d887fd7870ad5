# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what an ``options`` entry plainly says about one setting (API specification 2.1, 2.5 and 4.2).

The API specification does not show how rules are written. A rule counts only if it has one reading and leaves room for
what the API specification allows: a valid order is never refused for a rule that was misread. Everything else is kept
in ``Option.unclear`` in the service's words. Patterns are shown, and left to the service.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .._core.text import brief, clean, fold, truth
from .._reference.schemas import Schemas
from .._secrets.names import is_secret_name
from .documented_bounds import DocumentedBounds, plain_number
from .option import Option, is_price, listed_prices
from .option_choices import agreed
from .option_words import (
    HOLDERS,
    RULES,
    SILENT,
    TYPES,
    holds_rules,
    is_qualified,
    rule_tokens,
)

_DEEPEST = 6
#: JavaScript counts no further: as a bound, it is none.
_UNBOUNDED = 2**53 - 1
_INCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_LENGTHS = {"minimum": "minLength", "maximum": "maxLength"}
#: The order in which keywords are judged, where it matters.
_PLACES = {"type": 0, "multipleOf": 2}
_BOUNDS = frozenset({*_INCLUSIVE, *_INCLUSIVE.values(), *_LENGTHS.values()})


class SettingReader:
    """Collects what is said about one setting: each keyword with all values that are told, and how they are told.

    ``schemas`` follows the references of the entry. Each group of rules that is looked at takes one of ``groups``.
    """

    def __init__(self, bounds: DocumentedBounds, schemas: Schemas, groups: Iterator[int]) -> None:
        self._bounds = bounds
        self._schemas = schemas
        self._groups = groups
        self._stated: dict[str, list[tuple[Any, str]]] = {}
        self._unclear: dict[str, None] = {}
        self._price: dict[str, Any] = {}

    def read(self, said: Any, depth: int = _DEEPEST) -> None:
        """Take all rules of a text, a list, or a mapping of rules."""
        if next(self._groups, None) is None or not depth:
            # Noted once, however many there are.
            self._unclear.setdefault("further rules, which are too many or too deep to be read")
        elif isinstance(said, str):
            tokens = rule_tokens(said)
            for token, name, value in tokens:
                self._rule(name, value, 1, token)
            if not tokens:
                self.keep(said, True)
        elif isinstance(said, list):
            for item in said:
                if isinstance(item, str) or (isinstance(item, Mapping) and len(item) == 1):
                    self.read(item, depth - 1)
                else:
                    self.keep("rules", item)
        elif isinstance(said, Mapping):
            self._mapping(said, depth - 1)

    def _mapping(self, said: Mapping[Any, Any], depth: int) -> None:
        self._price |= listed_prices(said)
        qualified = is_qualified(said)
        for name, value in said.items():
            if not qualified:
                self._member(str(name), value, said, depth)
            elif fold(name) not in SILENT:
                self.keep(str(name), value)

    def _member(self, name: str, value: Any, schema: Mapping[Any, Any], depth: int) -> None:
        """One member of a mapping of rules, which may be a schema."""
        if name in ("$ref", "allOf"):
            parts = [self._schemas.resolve(schema)] if name == "$ref" else value
            is_plain = isinstance(parts, list) and bool(parts) and all(parts)
            for part in parts if is_plain else ():
                self.read(part, depth)
            if not is_plain:
                self.keep(name, value)
        elif (
            name in ("anyOf", "oneOf") and isinstance(value, list) and any(isinstance(each, Mapping) for each in value)
        ):
            self._alternatives(name, value, depth)
        elif not is_price(name):
            self._rule(name, value, depth)

    def _alternatives(self, name: str, parts: list[Any], depth: int) -> None:
        """Null beside a single other schema, or values with a title each. Of other alternatives, none is a rule."""
        resolved = [self._schemas.resolve(part) for part in parts]
        others = [part for part in resolved if part.get("type") != "null" and part.get("const", 0) is not None]
        if len(others) < len(resolved):
            self._state("optional", True, "")
        if len(others) == 1:
            self.read(others[0], depth)
        elif others and all("const" in part for part in others):
            values = [{"value": part["const"], "label": part.get("title")} for part in others]
            self._state("choices", values, _words_of(name, parts))
        else:
            self.keep(name, parts)

    def _rule(self, name: str, value: Any, depth: int, token: str = "") -> None:
        """Take one rule, ``token`` of a string; what has no reading is kept as unclear."""
        word, said = fold(name), token or _words_of(name, value)
        rule = RULES.get(word)
        if value in (None, "", []) or (value == {} and not name[:1].isupper()):
            return
        if rule != "choices" and is_qualified(value):
            self.keep(name, value)
        elif (
            word in HOLDERS
            or (rule == "choices" and holds_rules(value))
            or (rule == "span" and isinstance(value, Mapping))
        ):
            self.read(value, depth)
        elif rule is None and not ((word in TYPES or word == "password") and value in (True, {})):
            if word not in SILENT and not name.startswith(("$", "@", "x-")) and value is not False:
                self._unclear.setdefault(clean(said, 200))
        else:
            try:
                for keyword, stated in [*_statements(self._bounds, word, value)]:
                    self._state(keyword, stated, said)
            except (TypeError, ValueError, KeyError, OverflowError):
                self._unclear.setdefault(clean(said, 200))

    def _state(self, keyword: str, value: Any, said: str) -> None:
        self._stated.setdefault(keyword, []).append((value, said))

    def keep(self, name: str, value: Any) -> None:
        """Note what is said, and enforce nothing of it."""
        self._unclear.setdefault(clean(_words_of(name, value), 200))

    # The option

    def option(self, *, required: bool) -> Option:
        """The option with the rules that have one reading and leave room. ``required``: a list beside it names it."""
        lists = self._stated.pop("choices", [])
        choices = agreed(self._bounds, [listed for listed, _said in lists])
        for _listed, said in () if choices else lists:
            self._unclear.setdefault(clean(said, 200))
        told = {key: [value for value, _said in self._stated.pop(key, [])] for key in _BESIDE}
        is_required, optional = any(told["required"]) or required, any(told["optional"])
        # What remains are keywords of JSON Schema.
        schema = self._schema()
        return Option(
            name=self._bounds.setting,
            schema=schema,
            default=next(reversed(told["default"]), None),
            required=(is_required and not optional) if is_required or optional else None,
            choices=choices,
            secret=any(told["secret"]) or is_secret_name(self._bounds.setting),
            pattern=told["pattern"][0] if len({*told["pattern"]}) == 1 else None,
            unclear=tuple(self._unclear),
            price=self._price,
        )

    def _schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {}
        for keyword, statements in self._by_keyword().items():
            value = _one_reading(keyword, [value for value, _said in statements])
            if keyword in _BOUNDS and abs(value) >= _UNBOUNDED:
                continue
            # Is a step counted from the minimum, as in HTML, or from zero? It says neither.
            unclear = value is None or (keyword == "multipleOf" and schema.get("minimum", 0) % value)
            if unclear or not self._bounds.is_plausible({**schema, keyword: value}):
                for _value, said in statements:
                    self._unclear.setdefault(clean(said, 200))
            else:
                schema[keyword] = value
        return schema

    def _by_keyword(self) -> dict[str, list[tuple[Any, str]]]:
        """What is stated, by the keyword that it means for this kind of setting: the type first, the step last."""
        types = {value for value, _said in self._stated.get("type", ())}
        kind = self._bounds.type or (next(iter(types)) if len(types) == 1 else None)
        stated: dict[str, list[tuple[Any, str]]] = {}
        for keyword, statements in self._stated.items():
            bound = _INCLUSIVE.get(keyword)
            if kind == "string" and keyword in _LENGTHS:
                keyword = _LENGTHS[keyword]
            elif kind == "integer" and bound and all(isinstance(value, int) for value, _said in statements):
                by = 1 if bound == "minimum" else -1
                keyword, statements = bound, [(value + by, said) for value, said in statements]
            stated.setdefault(keyword, []).extend(statements)
        return dict(sorted(stated.items(), key=lambda each: _PLACES.get(each[0], 1)))


#: What is told beside the keywords of JSON Schema that are enforced.
_BESIDE = ("required", "optional", "secret", "default", "pattern")


def _words_of(name: str, value: Any) -> str:
    """A rule in the service's words."""
    return name if value is True else f"{name}: {brief(value)}"


def _statements(bounds: DocumentedBounds, word: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What a rule states, by keyword. Raises ValueError, TypeError, KeyError or OverflowError if it has no reading."""
    rule = RULES.get(word)
    if rule is None or rule == "type":
        yield from _types(word if rule is None else value)
    elif rule in ("required", "optional", "secret"):
        yield rule, not isinstance(value, list) and truth(value) is not False
    elif rule in ("choices", "default"):
        yield rule, [value] if word == "const" else value
    elif rule == "pattern":
        pattern = value.get("pattern") if isinstance(value, Mapping) else value
        if not isinstance(pattern, str):
            raise TypeError(pattern)
        yield rule, pattern
    elif rule in ("span", "length"):
        for bound, limit in _bounds(value).items():
            yield _LENGTHS[bound] if rule == "length" else bound, _number(limit)
    elif value is not False:
        number = _number(value)
        documented = bounds.schema.get(_INCLUSIVE.get(rule, ""))
        # A step of 0 cannot be kept. A bound that is documented is not left out.
        if (rule == "multipleOf" and number <= 0) or (documented is not None and documented == number):
            raise ValueError(number)
        yield rule, number


def _types(value: Any) -> Iterator[tuple[str, Any]]:
    kinds = {fold(each) for each in (value if isinstance(value, list) else [value])}
    yield "optional", "null" in kinds
    (kind,) = kinds - {"null"}
    if not kind:
        raise ValueError(value)
    yield "secret", kind == "password"
    if kind in TYPES:
        yield "type", TYPES[kind]


def _bounds(value: Any) -> Mapping[str, Any]:
    """The bounds in ``"1,10"``, ``[1, 10]`` or ``{"min": 1, "max": 10}``."""
    if isinstance(value, Mapping):
        named = {RULES.get(fold(name), ""): bound for name, bound in value.items() if bound is not None}
        found = {bound: named[bound] for bound in _LENGTHS if bound in named}
        if not found:
            raise ValueError(value)
        return found
    least, most = value.split(",") if isinstance(value, str) else value
    return {"minimum": least, "maximum": most}


def _number(value: Any) -> int | float:
    """The number that a rule gives as it is or as text. Raises ValueError for anything else."""
    number = plain_number(value)
    number = float(number) if isinstance(number, str) else number
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise ValueError(value)
    return number


def _one_reading(keyword: str, values: list[Any]) -> Any:
    """The value of a keyword that was told once or more; ``None`` if it has no single one. The widest bound counts."""
    values = list(dict.fromkeys(values))
    if keyword == "type":
        # An input of any type sends text, and a whole number is a number.
        for wider, narrower in (("string", {*TYPES.values()} - {"string"}), ("number", {"integer"})):
            if narrower.intersection(values):
                values = [value for value in values if value != wider]
    if keyword in ("type", "multipleOf"):
        return values[0] if len(values) == 1 else None
    return max(values) if "ax" in keyword else min(values)
