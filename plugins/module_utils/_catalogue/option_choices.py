# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the values of a select field: a list, a mapping, or objects with a value and a label (API specification 4.2).

A list counts only if it tells the values: an id, a price, an empty key or a digit in a label is no value. Where nothing
tells which of a key, a value, an id or a label the service takes, each of them is accepted and sent as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._core.text import fold, is_uuid, words
from .._product_types.registry import TEMPLATE_SETTINGS
from .option import Choice, is_price, listed_prices
from .room import DOCUMENTED, fits, is_text, kind_of_setting, may_list, plain_number

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
_IDENTIFIERS = (re.compile(r"[a-z0-9_.:+@/-]+"), re.compile(r"[\w.:+@/-]+"))
_NUMBER = re.compile(r"\d+")
_DEEPEST = 3


def agreed(name: str, lists: Sequence[Any]) -> tuple[Choice, ...]:
    """The choices of a setting that all lists told for it agree on; none if they differ or tell no values."""
    found = [choices for listed in lists if (choices := tuple(_chosen(name, listed)))]
    if not found:
        return ()
    # A list of values alone has one reading; the others then tell the labels.
    first = min(found, key=lambda choices: max(len(each.accepted) for each in choices))
    for other in found:
        if len(other) != len(first):
            return ()
        by_face = {str(face): each for each in other for face in (*each.accepted, each.label)}
        labelled = [by_face.get(str(each.value)) for each in first]
        if None in labelled:
            return ()
        first = tuple(
            Choice(
                each.value,
                told.label if each.label == str(each.value) else each.label,
                each.faces,
                each.price or told.price,
            )
            for each, told in zip(first, labelled, strict=True)
            if told is not None
        )
    return first


def _chosen(name: str, listed: Any) -> Iterator[Choice]:
    items = _items(listed, _DEEPEST)
    if not items or not may_list(name) or any(not item for item in items):
        return
    is_template, kind = name in TEMPLATE_SETTINGS, kind_of_setting(name)
    faces = [face for face in items[0] if face != "price" and all(face in item for item in items)]
    if len(items) == 1:
        faces = [face for face in faces if face in _VALUES or face in _LABELS]
    else:
        faces = [face for face in faces if len({str(item[face]) for item in items}) == len(items)]
    if is_template:
        faces = [face for face in faces if not all(_is_number_or_id(item[face]) for item in items)]
    elif kind in ("integer", "boolean"):
        faces = [face for face in faces if face in ("value", "const", "key", "label") and _fit(name, items, face)]
        if not _is_list_of_numbers(name, [item[face] for item in items for face in faces[:1]], items):
            return
    elif name in DOCUMENTED and not is_text(name):
        faces = [face for face in faces if _fit(name, items, face)]
    # What looks like a name for programs comes before what people read.
    ordered = sorted(faces, key=lambda face: (_readability(item[face] for item in items), face in _LABELS))
    for item in items if ordered else ():
        values = list(dict.fromkeys(item[face] for face in ordered))
        label = next((item[face] for face in _LABELS if face in item and item[face] != values[0]), values[0])
        yield Choice(values[0], str(label), tuple(values) if len(values) > 1 else (), item.get("price") or {})


def _readability(values: Iterable[Any]) -> int:
    """0 for names for programs, 1 for words, 2 for text with blanks."""
    texts = [str(value) for value in values]
    return next((at for at, form in enumerate(_IDENTIFIERS) if all(map(form.fullmatch, texts))), len(_IDENTIFIERS))


def _fit(name: str, items: Sequence[Mapping[str, Any]], face: str) -> bool:
    return all(fits(name, item[face]) for item in items)


def _is_number_or_id(value: Any) -> bool:
    return isinstance(plain_number(value), (int, float)) or is_uuid(value)


def _is_list_of_numbers(name: str, values: Sequence[Any], items: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are the values of a number or boolean, and not bounds, ids or positions."""
    if kind_of_setting(name) == "boolean":
        return len(values) > 1
    numbers = [plain_number(value) for value in values]
    # Two numbers may be the bounds, three the bounds and the step; a single one may be anything.
    if len(numbers) < 3 or (len(numbers) == 3 and numbers != sorted(numbers) and all(len(item) == 1 for item in items)):
        return False
    for number, item in zip(numbers, items, strict=False):
        said = _NUMBER.findall(str(item.get("label", "")))
        if said and not any(int(each) * unit == number for each in said for unit in (1, 1000, 1024)):
            return False
    return True


# What is listed


def _items(listed: Any, depth: int) -> list[dict[str, Any]]:
    """The faces of each choice, by the member that holds them; an empty one for what is no choice."""
    if isinstance(listed, str):
        parts = [part.strip(" \"'") for part in listed.split(",")] if not re.search(r"[|;\n:/]", listed) else []
        return [{"value": part} for part in parts] if len(parts) > 1 else []
    if not isinstance(listed, (list, Mapping)) or not depth:
        return []
    inner = _inner(listed)
    if inner is not None:
        return [item for each in inner for item in (_items(each, depth - 1) or [{}])]
    if isinstance(listed, list):
        rows = [_pair(each) if isinstance(each, list) else _faces(each) for each in listed if each is not None]
    elif [*listed] == [str(number) for number in range(len(listed))]:
        return _items([*listed.values()], depth - 1)
    else:
        rows = [{"key": key, **_named(_faces(each))} for key, each in listed.items() if key != ""]
    return [row for row in rows if row.get("value", row.get("key", 0)) != ""]


def _inner(listed: list[Any] | Mapping[Any, Any]) -> list[Any] | None:
    """The lists of the groups that choices are in; ``None`` if they are in none."""
    if isinstance(listed, Mapping):
        held = [
            value for name, value in listed.items() if fold(name) in _GROUPED and isinstance(value, (list, Mapping))
        ]
        if len(held) == 1:
            return held
        values = [*listed.values()]
        if values and all(isinstance(each, list) for each in values):
            return values
        if values and all(isinstance(each, Mapping) and each and not _faces_known(each) for each in values):
            return values
        return None
    groups = [_inner_of_group(each) for each in listed]
    return [each for each in groups if each is not None] if groups and None not in groups else None


def _inner_of_group(item: Any) -> Any:
    members = [value for name, value in item.items() if fold(name) in _GROUPED] if isinstance(item, Mapping) else []
    return members[0] if len(members) == 1 and isinstance(members[0], (list, Mapping)) else None


def _faces_known(item: Mapping[Any, Any]) -> bool:
    return any(fold(name) in (*_VALUES, *_LABELS) or fold(name) in _OTHERS or is_price(name) for name in item)


def _pair(item: list[Any]) -> dict[str, Any]:
    """A pair of a value and what people read, as Python's frameworks write it."""
    is_pair = len(item) == 2 and all(isinstance(each, (str, int)) for each in item)
    return {"value": item[0], "label": item[1]} if is_pair else {}


def _named(faces: dict[str, Any]) -> dict[str, Any]:
    """The faces of a mapping's entry: what stands there alone is the label of its key, or the value."""
    return {"label": faces["value"]} if [*faces] == ["value"] else faces


def _faces(item: Any) -> dict[str, Any]:
    if isinstance(item, (str, int, float)):
        return {"value": item}
    if not isinstance(item, Mapping):
        return {}
    found = {
        fold(name): value
        for name, value in item.items()
        if isinstance(value, (str, int))
        and not isinstance(value, bool)
        and not is_price(name)
        and fold(name) not in _OTHERS
    }
    # A boolean is a value only where a member says so.
    found |= {fold(name): value for name, value in item.items() if isinstance(value, bool) and fold(name) == "value"}
    return {**found, "price": listed_prices(item)} if found else {}


def accepted_values(choices: Sequence[Choice]) -> Iterator[Any]:
    """Everything that may stand for one of the choices."""
    return (face for choice in choices for face in choice.accepted)
