# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One option of a product: a setting in its ``options`` entry, and its choices (API specification 2.1 and 4.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.text import fold, is_uuid, one_line, words
from .._product_types.registry import TEMPLATE_SETTINGS
from .._secrets.recognition import words_of

_PRICE = frozenset({"price", "prices", "pricing", "cost", "costs", "fee", "fees"})
#: ``values``, ``allowedValues``, ``selectable_options`` and the like.
CHOICE_WORDS = words("select in allowed valid mapping mappings enumvalues enumeration picklist") | {
    first + noun
    for first in ("", "allowed", "possible", "available", "valid", "selectable", "permitted", "supported", "accepted")
    for noun in ("choice", "choices", "values", "options", "enum")
}
#: Members of a choice that hold its value, the most telling first, and those that hold what people read.
_VALUES = ("value", "const", "key", "name", "slug", "code", "identifier", "id", "uuid")
_LABELS = ("label", "title", "displayname", "text", "name", "value", "key")
#: A longer list of choices is not read.
_MOST_CHOICES = 100_000
_IDENTIFIER = re.compile(r"[a-z0-9_.:+@/-]+")


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
                {
                    "value": choice.value,
                    "label": choice.label,
                    **({"price": dict(choice.price)} if choice.price else {}),
                }
                for choice in self.choices
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


def choices_in(setting: str, lists: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of a setting that any of its lists has: lists, mappings, or objects with a value and a label.

    A list counts only if it is one of values: an id, a price, an empty key or a digit in a label is no value. Where it
    does not say which of a key, a value, an id or a label the service takes, each of them is accepted and sent as
    written.
    """
    by_value: dict[str, Choice] = {}
    # A list of values alone has one reading; the others then have the labels.
    for choice in sorted(
        (choice for listed in lists for choice in _choices(setting, listed)), key=lambda choice: len(choice.accepted)
    ):
        first = by_value.setdefault(str(choice.value), choice)
        if first.label == str(first.value):
            by_value[str(choice.value)] = first._replace(label=choice.label, price=choice.price or first.price)
    return tuple(by_value.values())


def _choices(setting: str, listed: Any) -> Iterator[Choice]:
    is_list = isinstance(listed, (list, Mapping)) and len(listed) <= _MOST_CHOICES
    rows = _rows(listed) if is_list else []
    members = _members_of_all(setting, rows) if rows and all(rows) else []
    for row in rows if members else ():
        value, *others = dict.fromkeys(row[name] for name in members)
        label = next((row[name] for name in _LABELS if name in row and row[name] != value), value)
        yield Choice(value, one_line(str(label)), tuple(others), row.get("price") or {})


def _members_of_all(setting: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The members by which an order may say a choice, that which looks like a name for programs first."""
    columns = {name: [row.get(name) for row in rows] for name in rows[0] if name != "price"}
    is_template = setting in TEMPLATE_SETTINGS
    names = [name for name, column in columns.items() if None not in column]
    names = [name for name in names if not is_template or any(map(_is_template, columns[name]))]
    unique = [name for name in names if len({*map(str, columns[name])}) == len(rows)]
    # The image of one template may be listed for each architecture.
    names = unique or names[:is_template]
    programs = [name for name in names if all(map(_IDENTIFIER.fullmatch, map(str, columns[name])))]
    return sorted(names, key=lambda name: (name not in programs, name in _LABELS))


def _is_template(value: Any) -> bool:
    """Return whether this can be the name of an OS template: no number, version or UUID."""
    return isinstance(value, str) and not is_uuid(value) and re.search(r"[^\W\d_]", value) is not None


def _rows(listed: list[Any] | Mapping[Any, Any]) -> list[dict[str, Any]]:
    """The members of each choice; an empty mapping for what is no choice."""
    if isinstance(listed, Mapping):
        named = [(key, _members(item, "label")) for key, item in listed.items() if key != ""]
        rows = [{"key": key, **members} if members else {} for key, members in named]
    else:
        rows = [_members(item) for item in listed if item is not None]
    # An empty one that people read something for, such as "Please choose", is no choice.
    return [row for row in rows if row.get("value", row.get("key", 0)) != "" or row.keys() <= {"value", "price"}]


def _members(item: Any, alone: str = "value") -> dict[str, Any]:
    """The members of a choice. A single value is what ``alone`` says: the value itself, or the label of its key."""
    if isinstance(item, (str, int, float)):
        return {alone: item}
    if not isinstance(item, Mapping) or any(isinstance(value, list) for value in item.values()):
        return {}
    members = {
        fold(name): value
        for name, value in item.items()
        # A boolean is a value only where a member says so.
        if isinstance(value, (str, int)) and (not isinstance(value, bool) or fold(name) == "value")
        if (fold(name) in _VALUES or fold(name) in _LABELS) and not is_price(name)
    }
    return {**members, "price": listed_prices(item)} if members else {}
