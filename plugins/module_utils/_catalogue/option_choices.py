# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the values of a select field: a list, a mapping, or objects with a value and a label (API specification 4.2).

A list counts only if it tells the values: an id, a price, an empty key or a digit in a label is no value. Where nothing
tells which of a key, a value, an id or a label the service takes, each of them is accepted and sent as written.
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
CHOICE_WORDS = words("select oneof in allowed valid mapping mappings enumvalues enumeration picklist symbols") | {
    first + noun
    for first in ("", "allowed", "possible", "available", "valid", "selectable", "permitted", "supported", "accepted")
    for noun in ("choice", "choices", "values", "options", "enum")
}
#: Members of a choice that hold its value, the most telling first, and those that hold what people read.
_VALUES = ("value", "const", "key", "name", "slug", "code", "identifier", "id", "uuid")
_LABELS = ("label", "title", "displayname", "text", "name", "value", "key")
#: Members that hold the choices of a group.
_GROUPED = CHOICE_WORDS | words("children items")
#: Members of a choice that are neither.
_OTHERS = words("order position sort weight description help currency type group category family disabled selected")
_IDENTIFIER = re.compile(r"[a-z0-9_.:+@/-]+")
_DEEPEST = 3


def agreed(bounds: DocumentedBounds, lists: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of a setting that all lists told for it agree on; none if they differ or tell no values."""
    found = [choices for listed in lists if (choices := tuple(_choices(bounds, listed)))]
    # A list of values alone has one reading; the others then tell the labels.
    first = min(found, key=lambda choices: max(len(each.accepted) for each in choices), default=())
    for other in found:
        by_name = {str(name): each for each in other for name in (*each.accepted, each.label)}
        if len(other) != len(first) or not all(str(each.value) in by_name for each in first):
            return ()
        first = tuple(_labelled(each, by_name[str(each.value)]) for each in first)
    return first


def _labelled(choice: Choice, other: Choice) -> Choice:
    """A choice with the label and the price that another list tells."""
    label = other.label if choice.label == str(choice.value) else choice.label
    return choice._replace(label=label, price=choice.price or other.price)


def _choices(bounds: DocumentedBounds, listed: Any) -> Iterator[Choice]:
    items = _items(listed, _DEEPEST)
    if not items or not bounds.may_be_listed or not all(items):
        return
    members = [name for name in items[0] if name != "price" and all(name in item for item in items)]
    if len(items) == 1:
        members = [name for name in members if name in _VALUES or name in _LABELS]
    else:
        members = [name for name in members if len({str(item[name]) for item in items}) == len(items)]
    if bounds.setting in TEMPLATE_SETTINGS:
        members = [name for name in members if not all(_is_number_or_id(item[name]) for item in items)]
    elif bounds.type in ("integer", "boolean"):
        members = [name for name in members if name in ("value", "const") and _are_values(bounds, items, name)]
    elif bounds.type and not bounds.is_text:
        members = [name for name in members if all(bounds.allow(item[name]) for item in items)]
    # What looks like a name for programs comes before what people read.
    programs = [name for name in members if all(_IDENTIFIER.fullmatch(str(item[name])) for item in items)]
    ordered = sorted(members, key=lambda name: (name not in programs, name in _LABELS))
    for item in items if ordered else ():
        value, *others = dict.fromkeys(item[name] for name in ordered)
        label = next((item[name] for name in _LABELS if name in item and item[name] != value), value)
        yield Choice(value, one_line(str(label)), tuple(others), item.get("price") or {})


def _is_number_or_id(value: Any) -> bool:
    return isinstance(plain_number(value), (int, float)) or is_uuid(value)


def _are_values(bounds: DocumentedBounds, items: Sequence[Mapping[str, Any]], member: str) -> bool:
    """Whether these are the values of a number or boolean, and not bounds with a step."""
    values = [plain_number(item[member]) for item in items]
    if not all(map(bounds.allow, values)):
        return False
    if bounds.type == "boolean":
        return len(values) > 1
    return len(values) > 2 and (values == sorted(values) or all(len(item) > 1 for item in items))


# What is listed


def _items(listed: Any, depth: int) -> list[dict[str, Any]]:
    """What each choice is called, by the member that says so; an empty one for what is no choice."""
    if not isinstance(listed, (list, Mapping)) or not depth:
        return []
    if isinstance(listed, Mapping) and [*listed] == [str(number) for number in range(len(listed))]:
        listed = [*listed.values()]
    groups = _groups(listed)
    if groups is not None:
        return [item for each in groups for item in (_items(each, depth - 1) or [{}])]
    if isinstance(listed, list):
        rows = [_members(each) for each in listed if each is not None]
    else:
        rows = [{"key": key, **_members(each, "label")} for key, each in listed.items() if key != ""]
    # An empty one that people read something for, such as "Please choose", is no choice.
    return [row for row in rows if row.get("value", row.get("key", 0)) != "" or row.keys() <= {"value", "price"}]


def _groups(listed: list[Any] | Mapping[Any, Any]) -> list[Any] | None:
    """The lists of the groups that choices are in; ``None`` if they are in none."""
    if isinstance(listed, list):
        groups = [_group_choices(each) for each in listed]
        return groups if groups and None not in groups else None
    inner, values = _group_choices(listed), [*listed.values()]
    if inner is not None:
        return [inner]
    return values if values and all(map(_is_group, values)) else None


def _group_choices(value: Any) -> Any:
    """The only list of choices in an object, ``None`` for anything else."""
    members = [item for name, item in value.items() if fold(name) in _GROUPED] if isinstance(value, Mapping) else []
    return members[0] if len(members) == 1 and isinstance(members[0], (list, Mapping)) else None


def _is_group(value: Any) -> bool:
    """Whether this lists values or maps them to labels, and is not one choice."""
    known = (*_VALUES, *_LABELS, *_OTHERS)
    is_choice = isinstance(value, Mapping) and any(fold(each) in known or is_price(each) for each in value)
    return isinstance(value, list) or (isinstance(value, Mapping) and bool(value) and not is_choice)


def _members(item: Any, alone: str = "value") -> dict[str, Any]:
    """What a choice is called; a single value is what ``alone`` says: the value itself, or the label of its key."""
    if isinstance(item, (str, int, float)):
        return {alone: item}
    if isinstance(item, list) and len(item) == 2 and all(isinstance(each, (str, int)) for each in item):
        # A pair of a value and what people read, as Python's frameworks write it.
        return {"value": item[0], "label": item[1]}
    if not isinstance(item, Mapping):
        return {}
    found = {
        fold(name): value
        for name, value in item.items()
        # A boolean is a value only where a member says so.
        if isinstance(value, (str, int)) and (not isinstance(value, bool) or fold(name) == "value")
        if not is_price(name) and fold(name) not in _OTHERS
    }
    return {**found, "price": listed_prices(item)} if found else {}
