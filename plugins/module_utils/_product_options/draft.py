# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One option while its rules are being gathered, and what they come to together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from .._core.text import brief, clean
from .._product_types.registry import TEMPLATE_SETTINGS
from .._product_types.secret_names import is_secret_name
from . import patterns
from .choices import by_name, relabelled
from .option import Choice, Option, OptionType, Relation

Number: TypeAlias = "int | float"

_NUMBERS = ("integer", "number")


class NotUnderstoodError(ValueError):
    """A rule, or what it is given, is of no known kind."""


@dataclass
class Draft:
    """What is known of an option so far. ``schema`` is true where JSON Schema's meaning of ``pattern`` holds.

    A type that is only that of a form's field (``weak_type``) yields to one that is a rule.
    """

    name: str
    schema: bool = False
    type: OptionType | None = None
    weak_type: OptionType | None = None
    required: bool | None = None
    nullable: bool = False
    default: Any = None
    least: list[Number] = field(default_factory=list)
    most: list[Number] = field(default_factory=list)
    above: list[Number] = field(default_factory=list)
    below: list[Number] = field(default_factory=list)
    shortest: list[Number] = field(default_factory=list)
    longest: list[Number] = field(default_factory=list)
    exclusive: set[str] = field(default_factory=set)
    step: Number | None = None
    multiple: Number | None = None
    patterns: list[str] = field(default_factory=list)
    choices: tuple[Choice, ...] | None = None
    mappings: list[Any] = field(default_factory=list)
    secret: bool = False
    json: bool = False
    relations: list[Relation] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)

    def set_type(self, kind: OptionType, *, weak: bool = False) -> None:
        """Raises NotUnderstoodError when another rule says that it is of another type."""
        if weak:
            self.weak_type = self.weak_type or kind
        elif self.type is None or (self.type == "number" and kind == "integer"):
            self.type = kind
        elif self.type != kind and not (self.type == "integer" and kind == "number"):
            raise NotUnderstoodError

    def add_choices(self, choices: tuple[Choice, ...] | None) -> None:
        """Raises NotUnderstoodError for choices that are not understood."""
        if choices is None:
            raise NotUnderstoodError
        if self.choices:
            # Two rules that both must hold.
            kept = {str(choice.value) for choice in choices}
            choices = tuple(choice for choice in self.choices if str(choice.value) in kept)
            if not choices:
                raise NotUnderstoodError
        self.choices = choices

    def doubt(self, rule: str) -> None:
        """Keep a rule that is not understood, in the service's words."""
        text = clean(rule, 200)
        if text not in self.not_understood:
            self.not_understood.append(text)

    def option(self) -> Option:
        """What all rules come to."""
        kind = self.type or self.weak_type
        if kind is None and (self.shortest or self.longest):
            kind = "string"
        choices = self._labelled_choices()
        least, most = self._bounds(kind)
        step = _plain(self.step if self.step is not None else self.multiple)
        if self.multiple is not None and least is not None:
            # A step counts from the minimum, a divisor from zero.
            least = _plain(
                float(math.ceil(Fraction(str(least)) / Fraction(str(self.multiple))) * Fraction(str(self.multiple)))
            )
        if self.step is not None and self.multiple is not None and self.step != self.multiple:
            self.doubt(f"step: {self.step}")
            step = _plain(self.multiple)
        return Option(
            name=self.name,
            type=kind,
            required=False if self.required and self.nullable else self.required,
            default=self.default,
            minimum=least,
            maximum=most,
            step=step,
            pattern=patterns.combined(list(dict.fromkeys(self.patterns))),
            choices=choices,
            secret=self.secret or is_secret_name(self.name),
            json=self.json,
            relations=tuple(dict.fromkeys(self.relations)),
            not_understood=tuple(self.not_understood),
        )

    def _labelled_choices(self) -> tuple[Choice, ...]:
        choices = self.choices or ()
        for mapping in self.mappings:
            labelled = relabelled(choices, mapping)
            if labelled is None:
                self.doubt(f"mapping: {brief(mapping)}")
            else:
                choices = labelled
        return by_name(choices) if self.name in TEMPLATE_SETTINGS else choices

    def _bounds(self, kind: OptionType | None) -> tuple[Number | None, Number | None]:
        least, most, above, below = list(self.least), list(self.most), list(self.above), list(self.below)
        # In JSON Schema's draft 4 a bound is made exclusive by a flag beside it.
        if "minimum" in self.exclusive:
            above, least = above + least, []
        if "maximum" in self.exclusive:
            below, most = below + most, []
        if above or below:
            if kind == "integer":
                least += [math.floor(bound) + 1 for bound in above]
                most += [math.ceil(bound) - 1 for bound in below]
            else:
                self._doubt_bounds({"more than": above, "less than": below})
        if kind in (None, "string"):
            least, most = least + self.shortest, most + self.longest
        else:
            self._doubt_bounds({"minimum length": self.shortest, "maximum length": self.longest})
        return _plain(max(least, default=None)), _plain(min(most, default=None))

    def _doubt_bounds(self, bounds: Mapping[str, list[Number]]) -> None:
        for name, numbers in bounds.items():
            for number in numbers:
                self.doubt(f"{name} {number}")


def _plain(number: Number | None) -> Number | None:
    """Whole numbers without a decimal point."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


__all__ = ["Draft", "NotUnderstoodError", "Number"]
