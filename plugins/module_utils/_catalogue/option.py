# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One option of a product: a setting in its ``options`` entry (API specification 2.1 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._secrets.recognition import words_of

_PRICE = frozenset({"price", "prices", "pricing", "cost", "costs", "fee", "fees"})


class Choice(NamedTuple):
    """One value of a select field, and what the service calls it (the value itself where it has no label).

    ``synonyms`` are what else may stand for it in an order, where nothing tells which of them (key, value, id, slug,
    name, label) the service takes. ``price`` is as listed.
    """

    value: Any
    label: str
    synonyms: tuple[Any, ...] = ()
    price: Mapping[str, Any] = {}

    @property
    def accepted(self) -> tuple[Any, ...]:
        """Everything that may stand for it in an order."""
        return (self.value, *self.synonyms)


class Option(NamedTuple):
    """One setting that a product accepts, from its ``options`` entry; ``None`` is what that does not say.

    ``required`` is what the entry says; the API specification alone decides what an order must hold.
    ``schema`` is a JSON Schema of its value, without references, that holds the enforced rules alone. ``choices`` are
    enforced instead of it where there are any. ``pattern`` is shown, and left to the service. ``price`` is as listed.
    """

    name: str
    schema: Mapping[str, Any] = {}
    required: bool | None = None
    default: Any = None
    choices: tuple[Choice, ...] = ()
    secret: bool = False
    pattern: str | None = None
    price: Mapping[str, Any] = {}

    def as_dict(self) -> dict[str, Any]:
        """The form that products_info returns. Of a string, the bounds are those of its length."""
        schema = self.schema
        return {
            "name": self.name,
            "type": schema.get("type"),
            "required": self.required,
            "default": self.default,
            "minimum": schema.get("minimum", schema.get("minLength")),
            "maximum": schema.get("maximum", schema.get("maxLength")),
            "step": schema.get("multipleOf"),
            "pattern": self.pattern,
            "choices": [
                {"value": each.value, "label": each.label, **({"price": dict(each.price)} if each.price else {})}
                for each in self.choices
            ],
            "price": dict(self.price) or None,
        }


def is_price(name: object) -> bool:
    """Return whether a key such as ``price``, ``setup_fee`` or ``monthlyPrice`` holds a price."""
    return isinstance(name, str) and not _PRICE.isdisjoint(words_of(name))


def listed_prices(record: Mapping[Any, Any]) -> dict[str, Any]:
    """The prices that an object lists, verbatim, with the currency beside them."""
    prices = {name: value for name, value in record.items() if is_price(name) and value not in (None, "", [], {})}
    if prices and isinstance(record.get("currency"), str):
        prices["currency"] = record["currency"]
    return prices
