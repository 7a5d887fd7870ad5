# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One option while its rules are being read, and the result after a comparison with the API specification."""

from __future__ import annotations

import math
from typing import Any

from .._core.text import brief, clean
from .._product_types.secret_names import is_secret_name
from . import patterns
from .choices import agreed, choose, read_faces, relabelled
from .evidence import DOCUMENTED, kind_of_setting, leaves_room
from .option import Choice, Option
from .written import plain


class Draft:
    """What is known of an option so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.required: bool | None = None
        self._types: list[str] = []
        self._field_types: list[str] = []
        #: (is a lower bound, is exclusive, is of the length, number)
        self._bounds: list[tuple[bool, bool, bool, float]] = []
        self._exclusive: set[bool] = set()
        self._schema: dict[str, Any] = {}
        self._patterns: list[str] = []
        self._claims: list[Any] = []
        self._mappings: list[Any] = []
        self._nullable = self._conditional = self._has_parts = self._secret = False
        self._default: Any = None
        self._unclear: dict[str, None] = {}
        self._price: dict[str, Any] = {}

    def doubt(self, words: str) -> None:
        """Store a rule that is not enforced, in the service's words."""
        self._unclear.setdefault(clean(words, 200))

    def option(self) -> Option:
        """The option with the rules that leave room for what the API specification allows."""
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
        # Bounds of another type than the specification's measure something else, such as the digits of a number.
        is_other = kind is not None and kind != measured and {kind, measured} != {"integer", "number"}
        for lower, exclusive, of_length, number in self._bounds:
            of_length |= measured in ("string", "array")
            what = "Items" if measured == "array" else "Length"
            exclusive |= lower in self._exclusive
            if is_other or measured == "boolean" or (of_length and (measured in ("integer", "number") or exclusive)):
                self.doubt(f"{'minimum' if lower else 'maximum'}{' length' if of_length else ''}: {number}")
                continue
            if exclusive and measured == "integer":
                number = math.floor(number) + 1 if lower else math.ceil(number) - 1
            word = f"{'min' if lower else 'max'}{what}" if of_length else "minimum" if lower else "maximum"
            if exclusive and measured != "integer":
                word = f"exclusive{word.capitalize()}"
            rules[word] = (max if lower else min)(plain(number), rules.get(word, plain(number)))
        step = self._schema.pop("step", None)
        # A form's step counts from the minimum, others from zero: it is plain where both are the same.
        if step is not None and step != self._schema.setdefault("multipleOf", step):
            self.doubt(f"step: {step}")
        elif step is not None and rules.get("minimum", 0) % step:
            self.doubt(f"step: {self._schema.pop('multipleOf')}")
        if self._patterns:
            rules["pattern"] = patterns.combined(list(dict.fromkeys(self._patterns)))
        return rules | self._schema
