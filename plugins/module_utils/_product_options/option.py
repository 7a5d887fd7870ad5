# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product of the catalogue, and one of the options that it lists (document sections 2.1 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

RelationKind = Literal["required_with", "required_with_all", "required_without", "required_without_all", "prohibits"]
OptionType = Literal["string", "integer", "number", "boolean", "array", "object"]


@dataclass(frozen=True)
class Choice:
    """One value of a select field, and what the service calls it (the value itself where it has no label)."""

    value: Any
    label: str


@dataclass(frozen=True)
class Relation:
    """What a setting needs or forbids beside it: it is required with or without ``others``, or prohibits them."""

    kind: RelationKind
    others: tuple[str, ...]


@dataclass(frozen=True)
class Option:
    """One setting that a product accepts, as its ``options`` entry tells it; ``None`` is what it does not tell.

    For a string, ``minimum`` and ``maximum`` count characters. ``pattern`` is a regular expression in Python's syntax
    that the whole value must match. ``secret`` is true for a password field, ``json`` for text that must be JSON.
    ``not_understood`` holds the rules that could not be read, in the service's words.
    """

    name: str
    type: OptionType | None = None
    required: bool | None = None
    default: Any = None
    minimum: float | int | None = None
    maximum: float | int | None = None
    step: float | int | None = None
    pattern: str | None = None
    choices: tuple[Choice, ...] = ()
    secret: bool = False
    json: bool = False
    relations: tuple[Relation, ...] = ()
    not_understood: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The form that products_info returns."""
        return {
            "name": self.name,
            "type": self.type,
            "required": self.required,
            "default": self.default,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "step": self.step,
            "pattern": self.pattern,
            "choices": [{"value": choice.value, "label": choice.label} for choice in self.choices],
        }


__all__ = ["Choice", "Option", "OptionType", "Relation", "RelationKind"]
