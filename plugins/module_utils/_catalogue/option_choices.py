# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the values of a select field: a list, a mapping, or objects with a value and a label (API specification 4.2).

A list counts only if it is one of values: an id, a price, an empty key or a digit in a label is no value. Where it does
not say which of a key, a value, an id or a label the service takes, each of them is accepted and sent as written.
Groups are read as one list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._core.text import fold, is_uuid, one_line, words
from .._product_types.registry import TEMPLATE_SETTINGS
from .documented_bounds import DocumentedBounds, plain_number
from .option import Choice, is_price, listed_prices

#: ``values``, ``allowedValues``, ``selectable_options`` and the like.
CHOICE_WORDS = words("select oneof in allowed valid mapping mappings enumvalues enumeration picklist") | {
    first + noun
    for first in ("", "allowed", "possible", "available", "valid", "selectable", "permitted", "supported", "accepted")
    for noun in ("choice", "choices", "values", "options", "enum")
}
#: Members of a choice that hold its value, the most telling first, and those that hold what people read.
_VALUES = ("value", "const", "key", "name", "slug", "code", "identifier", "id", "uuid")
_LABELS = ("label", "title", "displayname", "text", "name", "value", "key")
#: Members that hold the choices of a group.
_GROUPED = CHOICE_WORDS | words("children items")
#: A longer list of choices is not read.
_MOST_CHOICES = 100_000
_IDENTIFIER = re.compile(r"[a-z0-9_.:+@/-]+")


def choices_in(bounds: DocumentedBounds, lists: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of a setting that any of its lists has."""
    found: dict[str, Choice] = {}
    # A list of values alone has one reading; the others then have the labels.
    for choice in sorted(
        (each for listed in lists for each in _choices(bounds, listed)), key=lambda each: len(each.accepted)
    ):
        known = found.setdefault(str(choice.value), choice)
        if known.label == str(known.value):
            found[str(choice.value)] = known._replace(label=choice.label, price=choice.price or known.price)
    return tuple(found.values())


def _choices(bounds: DocumentedBounds, listed: Any) -> Iterator[Choice]:
    if isinstance(listed, (list, Mapping)):
        listed = _ungrouped(listed)
    rows = _rows(listed) if isinstance(listed, (list, Mapping)) and len(listed) <= _MOST_CHOICES else []
    if not rows or not bounds.may_be_listed or not all(rows):
        return
    members = [name for name in rows[0] if name != "price" and all(name in row for row in rows)]
    members = [name for name in members if len({str(row[name]) for row in rows}) == len(rows)]
    if bounds.setting in TEMPLATE_SETTINGS:
        members = [name for name in members if not all(_is_number_or_id(row[name]) for row in rows)]
    elif bounds.type in ("integer", "boolean"):
        members = [name for name in members if name in ("value", "const") and _are_values(bounds, rows, name)]
    elif bounds.type and not bounds.is_text:
        members = [name for name in members if all(bounds.allow(row[name]) for row in rows)]
    # What looks like a name for programs comes before what people read.
    programs = [name for name in members if all(_IDENTIFIER.fullmatch(str(row[name])) for row in rows)]
    ordered = sorted(members, key=lambda name: (name not in programs, name in _LABELS))
    for row in rows if ordered else ():
        value, *others = dict.fromkeys(row[name] for name in ordered)
        label = next((row[name] for name in _LABELS if name in row and row[name] != value), value)
        yield Choice(value, one_line(str(label)), tuple(others), row.get("price") or {})


def _is_number_or_id(value: Any) -> bool:
    return isinstance(plain_number(value), (int, float)) or is_uuid(value)


def _are_values(bounds: DocumentedBounds, rows: Sequence[Mapping[str, Any]], member: str) -> bool:
    """Return whether these are the values of a number or boolean, and not bounds with a step."""
    values = [plain_number(row[member]) for row in rows]
    if not all(map(bounds.allow, values)):
        return False
    if bounds.type == "boolean":
        return len(values) > 1
    return len(values) > 2 and (values == sorted(values) or all(len(row) > 1 for row in rows))


def _ungrouped(listed: list[Any] | Mapping[Any, Any]) -> list[Any] | Mapping[Any, Any]:
    """The choices of all groups, if each is in one: lists by their names, or objects with one list."""
    groups = [*listed.values()] if isinstance(listed, Mapping) else [_group(each) for each in listed]
    grouped = bool(groups) and all(isinstance(each, list) for each in groups)
    return [choice for each in groups for choice in each] if grouped else listed


def _group(item: Any) -> Any:
    lists = [value for name, value in item.items() if fold(name) in _GROUPED] if isinstance(item, Mapping) else []
    return lists[0] if len(lists) == 1 else None


def _rows(listed: list[Any] | Mapping[Any, Any]) -> list[dict[str, Any]]:
    """The members of each choice; an empty mapping for what is no choice."""
    if isinstance(listed, Mapping):
        named = [(key, _members(each, "label")) for key, each in listed.items() if key != ""]
        rows = [{"key": key, **members} if members else {} for key, members in named]
    else:
        rows = [_members(each) for each in listed if each is not None]
    # An empty one that people read something for, such as "Please choose", is no choice.
    return [row for row in rows if row.get("value", row.get("key", 0)) != "" or row.keys() <= {"value", "price"}]


def _members(item: Any, alone: str = "value") -> dict[str, Any]:
    """The members of a choice. A single value is what ``alone`` says: the value itself, or the label of its key."""
    if isinstance(item, (str, int, float)):
        return {alone: item}
    if not isinstance(item, Mapping) or any(fold(name) in _GROUPED for name in item):
        return {}
    found = {
        fold(name): value
        for name, value in item.items()
        # A boolean is a value only where a member says so.
        if isinstance(value, (str, int)) and (not isinstance(value, bool) or fold(name) == "value")
        if (fold(name) in _VALUES or fold(name) in _LABELS) and not is_price(name)
    }
    return {**found, "price": listed_prices(item)} if found else {}
