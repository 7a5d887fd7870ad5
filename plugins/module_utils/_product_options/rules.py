# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules: what each word of the vocabulary adds to an option."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._core.text import brief, by_folded_name, fold
from . import patterns, vocabulary
from .choices import split_text
from .draft import Draft
from .vocabulary import bound_of, word_of
from .written import UnclearError, are_scalars, arguments_of, flag_of, number_of

_LOCATIONS = frozenset({"body", "query", "path", "params", "header", "headers", "cookies", "cookie", "formData"})
_HOLDERS = ("choices", "values", "in", "range", "options")


class Rules(Draft):
    """An option that rules are added to. What is not understood raises UnclearError."""

    def _rule(self, word: str, value: Any) -> None:
        bound = bound_of(word)
        if word in vocabulary.FORMATS:
            self._on_type(word)
        elif bound is None:
            getattr(self, f"_on_{vocabulary.RULES[word]}")(value)
        else:
            self._bound(bound, value)

    def _bound(self, bound: tuple[bool, bool, bool], value: Any, *, of_length: bool = False) -> None:
        lower, exclusive, length = bound
        if isinstance(value, bool):
            # A flag beside the bound: exclusiveMinimum in draft 4 of JSON Schema, min_inclusive.
            self._exclusive |= {lower} if value is exclusive else set()
        else:
            exclusive |= isinstance(value, Mapping) and value.get("inclusive") is False
            self._bounds.append((lower, exclusive, length or of_length, number_of(value)))

    def _on_required(self, value: Any) -> None:
        if isinstance(value, list):
            return
        self.required = flag_of(value) or bool(self.required)

    def _on_optional(self, value: Any) -> None:
        self._nullable |= flag_of(value)
        self.required = self.required or not flag_of(value)

    def _on_not_empty(self, value: Any) -> None:
        self.required = isinstance(value, Mapping) or flag_of(value) or bool(self.required)

    def _on_nullable(self, value: Any) -> None:
        self._nullable |= flag_of(value)

    def _on_type(self, value: Any) -> None:
        if isinstance(value, Mapping):
            value = value.get("type", value.get("name", value.get("value")))
        kinds = ["null" if kind is None else kind for kind in (value if isinstance(value, list) else [value])]
        if not all(isinstance(kind, str) for kind in kinds):
            raise UnclearError
        names = [vocabulary.type_word(kind) for kind in kinds]
        self._nullable |= "null" in names and len(names) > 1
        names = [name for name in names if name != "null"] or names
        if len(names) != 1:
            raise UnclearError
        word = names[0]
        self._secret |= word in vocabulary.SECRET_TYPES
        if word in vocabulary.TYPES:
            self._types.append(vocabulary.TYPES[word])
        elif word in vocabulary.FIELD_TYPES:
            self._field_types.append(vocabulary.FIELD_TYPES[word])
        elif word in vocabulary.FORMATS:
            self._field_types.append("string")
            self._patterns.append(vocabulary.FORMATS[word])
        elif word in vocabulary.OPTIONAL_TYPES:
            self._nullable = True
        elif word not in vocabulary.OPEN_TYPES:
            raise UnclearError

    def _on_format(self, value: Any) -> None:
        if fold(value) in vocabulary.SECRET_TYPES:
            self._secret = True
        elif fold(value) in vocabulary.FORMATS:
            self._patterns.append(vocabulary.FORMATS[fold(value)])
        elif fold(value) not in vocabulary.TYPES and fold(value) != "text":
            raise UnclearError

    def _on_positive(self, value: Any, *, or_zero: bool = False) -> None:
        if isinstance(value, Mapping) or flag_of(value):
            self._bounds.append((True, not or_zero, False, 0))

    def _on_positive_or_zero(self, value: Any) -> None:
        self._on_positive(value, or_zero=True)

    def _on_span(self, value: Any, *, of_length: bool = False) -> None:
        value = arguments_of(value) if isinstance(value, Mapping) else value
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
            if item is None or word in vocabulary.DESCRIPTIVE or fold(name).endswith(("message", "unit", "label")):
                continue
            if bound is not None:
                self._bound(bound, item, of_length=of_length)
            elif word in ("exactly", "equal", "equals", "limit", "value"):
                self._bounds += [(True, False, of_length, number_of(item)), (False, False, of_length, number_of(item))]
            elif word == "step":
                self._on_step(item)
            else:
                self.doubt(f"{name}: {brief(item)}")

    def _on_length_span(self, value: Any) -> None:
        self._on_span(value, of_length=True)

    def _on_size(self, value: Any) -> None:
        # In rules with pipes it is the size; elsewhere it may be how wide a field is.
        if not isinstance(value, (str, Mapping)):
            raise UnclearError
        self._on_span([value, value] if isinstance(value, str) else value)

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
        number = number_of(value)
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

    def _on_choices(self, value: Any) -> None:
        if isinstance(value, Mapping):
            told = by_folded_name(value)
            # A constraint holds them beside its messages.
            value = next((told[w] for w in _HOLDERS if isinstance(told.get(w), (list, Mapping))), value)
            self._types += ["array"] if told.get("multiple") is True else []
            if value and isinstance(value, Mapping) and all(bound_of(word_of(name)) for name in value):
                self._on_span(value)
                return
        if are_scalars(value) and _LOCATIONS.issuperset(map(str, value)):
            # Where in the request it is.
            return
        if value not in ([], {}, ""):
            self._claims.append(value)

    def _on_in(self, value: Any) -> None:
        if isinstance(value, list) and len(value) == 1 and are_scalars(value[0]):
            # As the only argument.
            value = value[0]
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
        self._secret |= flag_of(value)
