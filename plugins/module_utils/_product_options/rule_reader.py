# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the rules of one option from strings, lists, objects and JSON Schemas in any nesting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._core.text import brief, by_folded_name, fold, words
from . import vocabulary, written
from .evidence import DOCUMENTED, kind_of_setting, truth
from .option import is_price, listed_prices
from .rules import Rules
from .vocabulary import is_condition, is_known, word_of

_DEPTH = 8
#: Elements in which an option has parts of its own.
_PARTS = words("properties children fields shape keys valid collection all validatenested")


def _is_word(name: Any) -> bool:
    word = word_of(name)
    return is_known(word) or word in vocabulary.CONTAINERS or word in vocabulary.DESCRIPTIVE


class Reader(Rules):
    """Gathers what is said of one option. ``roots`` are the objects that its ``$ref`` may be relative to."""

    def __init__(self, name: str, roots: Sequence[Any] = ()) -> None:
        super().__init__(name)
        self._roots = roots

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
            return any(vocabulary.is_rule_word(item) or written.constraint_of(item) for item in raw)
        return not raw or any(name in vocabulary.APPLICATORS or name == "$ref" or _is_word(name) for name in raw)

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
            for token in written.tokens_of(raw):
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
        if word in vocabulary.TYPES or word in vocabulary.FIELD_TYPES:
            self._try(token, None, self._on_type, word)
        elif is_known(word):
            self._try(token, None, self._rule, word, argument if colon else True)
        elif word not in vocabulary.DESCRIPTIVE:
            self.doubt(token)

    def _item(self, item: Any, depth: int) -> None:
        found = written.constraint_of(item)
        self._has_parts |= isinstance(item, Mapping) and not _PARTS.isdisjoint(written.names_of(item))
        if found is None:
            if (
                isinstance(item, Mapping)
                and not written.names_of(item)
                and any(is_known(word_of(name)) for name in item)
            ):
                self._mapping(item, depth)
            elif isinstance(item, str):
                self._token(item)
            elif item not in (None, {}, []):
                self.doubt(brief(item))
        elif written.is_conditional(item):
            self.doubt(brief(item))
        else:
            name, arguments = found
            self._say(name, True if arguments in (None, {}, []) else arguments, depth)

    def _mapping(self, raw: Mapping[Any, Any], depth: int) -> None:
        if isinstance(raw.get("$ref"), str):
            try:
                raw = written.resolved(raw, self._roots)
            except written.UnclearError:
                self.doubt(f"$ref: {brief(raw['$ref'])}")
        self._price |= listed_prices(raw)
        told = by_folded_name(raw)
        self._has_parts |= any(isinstance(told[part], (list, Mapping)) for part in _PARTS & told.keys())
        if told.get("readonly") is True or told.get("dumponly") is True or told.get("disabled") is True:
            self._conditional = True
        if "allow" in told and isinstance(told["allow"], list) and written.is_only(told.get("flags")):
            # Joi: values are allowed besides, unless it says that they are the only ones.
            self._claims.append(told["allow"])
        for name, value in raw.items():
            if name in ("allow", "$ref") or is_price(name):
                continue
            if value is None:
                # Symfony writes a constraint that needs nothing as {"NotBlank": null}.
                value = True if str(name).rpartition("\\")[2][:1].isupper() else None
            if is_condition(name) and not written.is_empty(value) and not ({"then", "else"} & raw.keys()):
                self._conditional = True
                self.doubt(f"{name}: {brief(value)}")
            else:
                self._say(str(name), value, depth, schema=raw)

    def _say(self, name: str, value: Any, depth: int, schema: Mapping[Any, Any] | None = None) -> None:
        """One rule: its name and what it is given."""
        word = word_of(name)
        if value is None or name[:1] in "$@" or (name.lower().startswith("x-") and word not in vocabulary.RULES):
            return
        if (
            schema is not None
            and name in vocabulary.APPLICATORS
            and not (name == "oneOf" and written.are_scalars(value))
        ):
            self._try(name, value, self._applicator, name, value, schema, depth)
        elif self._is_container(word, value, schema):
            self._container(word, value, depth)
        elif isinstance(value, Mapping) and written.is_conditional(value):
            self.doubt(f"{name}: {brief(value)}")
        elif word not in vocabulary.RULES and word in vocabulary.TYPE_RULES:
            if isinstance(value, Mapping) or truth(value):
                self._try(name, None, self._on_type, word)
                self._inside(value, depth)
        elif is_known(word):
            self._try(name, value, self._rule, word, value)
        elif word not in vocabulary.DESCRIPTIVE and value not in (False, "", [], {}):
            self.doubt(f"{name}: {brief(value)}")

    def _is_container(self, word: str, value: Any, schema: Mapping[Any, Any] | None) -> bool:
        """Whether a word's value holds further rules."""
        if word in ("required", "optional") and isinstance(value, (list, Mapping)):
            # In JSON Schema it is the names of what the value itself must hold.
            return not (schema is not None and "properties" in schema)
        return word in vocabulary.CONTAINERS or (
            word == "options" and isinstance(value, Mapping) and self._holds_rules(value)
        )

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
        value = written.resolved(value, self._roots)
        parts = value if isinstance(value, list) else []
        if name == "allOf" and all(isinstance(part, Mapping) for part in parts):
            for part in parts:
                self._mapping(part, depth)
            return
        if name in ("anyOf", "oneOf"):
            kept = [part for part in parts if part not in ({"type": "null"}, {"const": None})]
            self._nullable |= len(kept) < len(parts)
            listed = [written.listed_values(part) for part in kept]
            if len(kept) == 1 and isinstance(kept[0], Mapping):
                self._mapping(kept[0], depth)
                return
            if kept and all(listed):
                self._claims.append([item for part in listed for item in part or ()])
                return
            value = kept
        rule = {name: value}
        if name == "if":
            rule |= {each: written.resolved(schema[each], self._roots) for each in ("then", "else") if each in schema}
        elif name in ("then", "else"):
            return
        if name == "properties" and written.are_names(schema.get("required")):
            rule["required"] = schema["required"]
        self._schema |= written.usable(rule)

    def _try(self, name: str, value: Any, rule: Callable[..., None], *arguments: Any) -> None:
        try:
            rule(*arguments)
        except written.UnclearError:
            self.doubt(name if value is None else f"{name}: {brief(value)}")
