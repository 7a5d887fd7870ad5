# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the list, or the one record, in any response (API specification 2.5, 4.2 and 4.4 show no envelope). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._core.errors import ServiceError
from .._core.text import by_folded_name, is_uuid
from .contract_ids import ENVELOPES, WRAPPERS, id_names, id_under

#: Hold a list, or an object with one; the most telling first.
LISTS = (
    *("member", "hydramember", "items", "data", "results", "records", "content", "entries", "rows", "list", "objects"),
    *("collection", "elements", "edges", "nodes", "value", "result", "response", "payload", "body", "embedded"),
    *("@graph", "catalogue", "catalog"),
)
#: Hold the record in an entry of a list of contracts; others, such as ``data``, may be a part of it.
_ENTRY_WRAPPERS = ("contract", "node", "item", "resource")
_DEEPEST = 3
#: One read takes at most so many records.
MOST_RECORDS = 100_000

#: Whether an entry of a list, with its key where the list is a mapping, is a record of the wanted kind.
IsRecord = Callable[["str | None", Any], bool]


@dataclass
class RecordList:
    """The entries of one response, each with its key where that may be its id, and the objects around them.

    ``taken`` are the lists that held them: all else in the ``envelopes`` is beside the entries. ``name`` is that of
    the element that is the list.
    """

    entries: list[tuple[str | None, Any]] = field(default_factory=list)
    envelopes: list[Mapping[Any, Any]] = field(default_factory=list)
    taken: list[Any] = field(default_factory=list)
    name: str = ""


def find_list(
    body: Any, noun: str = "", is_record: IsRecord | None = None, *, any_name: bool = True
) -> RecordList | None:
    """The list in a response, or ``None``. An empty list has no entries.

    ``noun`` is the plural that may name the list, as in "contracts"; with it and ``any_name``, the only list of an
    object is taken whatever its name is. A null in its place is no list, and no other one stands for it. ``is_record``
    tells records from other things; then lists of several kinds are joined.
    A JSON object whose keys are UUIDs, or positions ("0", "1", …), which are no ids, is a list, too.

    Raises ServiceError for one with more than ``MOST_RECORDS``, before anything looks at them.
    """
    found = _Finder(noun, is_record).find(body, _DEEPEST, any_name=any_name and bool(noun))
    return RecordList(envelopes=[body]) if found is None and _is_empty_hal(body) else found


class _Finder:
    def __init__(self, noun: str, is_record: IsRecord | None) -> None:
        self._noun = noun
        self._names = (noun, *LISTS) if noun else LISTS
        self._is_record = is_record

    def find(self, value: Any, depth: int, *, any_name: bool, name: str = "") -> RecordList | None:
        """Return the list that a value is or holds. ``name`` is that of its element."""
        if isinstance(value, (list, Mapping)) and len(value) > MOST_RECORDS:
            raise too_many_records()
        found = None
        if isinstance(value, list):
            found = self._listed(value, depth)
        elif isinstance(value, Mapping) and depth:
            if keyed := self._keyed(value):
                found = RecordList(keyed, taken=[value])
            elif found := self._in_members(by_folded_name(value), depth - 1, any_name=any_name):
                found.envelopes.insert(0, value)
        if found is not None:
            found.name = found.name or name
        return found

    def _in_members(self, members: Mapping[str, Any], depth: int, *, any_name: bool) -> RecordList | None:
        usual = [(name, members[name]) for name in self._names if name in members]
        if usual and usual[0][0] == self._noun and (usual[0][1] is None or isinstance(usual[0][1], list)):
            # It is the list, if it is one, even where it is empty.
            usual, any_name = usual[:1], False
        empty: RecordList | None = None
        for name, item in sorted(usual, key=lambda each: not isinstance(each[1], list)):
            found = self.find(item, depth, any_name=any_name or name == "embedded", name=name)
            if name == "embedded" and isinstance(item, Mapping) and [*item.values()] == [[]]:
                # HAL has the list there under any name, also one that is empty.
                found = RecordList(envelopes=[item], taken=[*item.values()])
            if found is not None and found.entries:
                return found
            empty = empty or found
        if not any_name or (empty is not None and self._is_record is None):
            return empty
        others = [(name, item) for name, item in members.items() if name not in self._names and item]
        deeper = [each for each in others if isinstance(each[1], Mapping) and self._noun in by_folded_name(each[1])]
        if self._is_record is None:
            # Of lists that no name tells apart, none is taken.
            only = deeper or [each for each in others if isinstance(each[1], list)]
            return self.find(only[0][1], depth, any_name=True, name=only[0][0]) if len(only) == 1 else None
        others = deeper if len(deeper) == 1 else others
        found_there = [self.find(item, depth, any_name=True, name=name) for name, item in others]
        return self._joined([each for each in found_there if each]) or empty

    def _listed(self, items: list[Any], depth: int) -> RecordList | None:
        groups = [_group(item, self._names[0]) for item in items] if self._is_record else []
        if any(group is not None for group in groups):
            found = [
                RecordList([(None, item)]) if group is None else self.find(group, depth - 1, any_name=True)
                for item, group in zip(items, groups, strict=True)
            ]
            return self._joined([*(each for each in found if each), RecordList(taken=[items])])
        entries: list[tuple[str | None, Any]] = [(None, item) for item in items]
        usable = not items or self._is_record is None or any(self._is_record(None, item) for item in items)
        return RecordList(entries, taken=[items]) if usable else None

    @staticmethod
    def _joined(parts: list[RecordList]) -> RecordList | None:
        """Records in several lists, one for each kind."""
        filled = [part for part in parts if part.entries]
        entries = [each for part in filled for each in part.entries]
        taken = [each for part in parts for each in part.taken]
        return RecordList(entries, filled[0].envelopes, taken) if filled else None

    def _keyed(self, value: Mapping[Any, Any]) -> list[tuple[str | None, Any]]:
        """The entries of a mapping from UUIDs or positions, or from anything to what is a record, otherwise ``[]``."""
        names = [str(name) for name in value if not str(name).startswith("@")]
        items = [(name if is_uuid(name) else None, value[name]) for name in names]
        if not items or not all(isinstance(item, Mapping) for _key, item in items):
            return []
        fits = self._is_record
        by_key = all(key is not None for key, _item in items) or all(map(str.isdigit, names))
        return items if (by_key if fits is None else all(fits(key, item) for key, item in items)) else []


def too_many_records() -> ServiceError:
    """The error of a list with more records than one read takes."""
    return ServiceError(f"The service lists more than {MOST_RECORDS} records, which is more than one read takes.")


def _is_empty_hal(body: Any) -> bool:
    """Return whether it is HAL that leaves out a list without records, as Spring writes it."""
    members = by_folded_name(body) if isinstance(body, Mapping) else {}
    page = members.get("page")
    return isinstance(page, Mapping) and by_folded_name(page).get("totalelements") == 0


def _group(item: Any, noun: str) -> Any:
    """The records of an entry such as ``{"category": …, "products": […]}``, otherwise ``None``."""
    members = by_folded_name(item) if isinstance(item, Mapping) else {}
    return members[noun] if "options" not in members and isinstance(members.get(noun), (list, Mapping)) else None


def entry_record(entry: Any, parameter: str = "") -> Any:
    """The contract in an entry such as ``{"contract": {…}}`` or ``{"node": {…}, "cursor": …}``, otherwise the entry.

    What has an id is a record; ``parameter`` is that of the path by which it is read.
    """
    return _inner(entry, _ENTRY_WRAPPERS, parameter, Mapping)


def item_record(body: Any, parameter: str = "") -> Mapping[str, Any] | None:
    """The contract in a response with one, without its envelopes. ``None`` if it is not an object.

    What has an id is the record; ``parameter`` is that of the path by which it is read.
    """
    for _level in range(_DEEPEST):
        if isinstance(body, list) and len(body) == 1:
            body = body[0]
        body = _inner(body, ("contract", *ENVELOPES, *WRAPPERS), parameter, (Mapping, list))
    return body if isinstance(body, Mapping) else None


def _inner(value: Any, names: Iterable[str], parameter: str, kinds: type | tuple[type, ...]) -> Any:
    """The only one of these elements of an object without an id that is of these kinds, otherwise the value."""
    members = by_folded_name(value) if isinstance(value, Mapping) else {}
    inner = [members[name] for name in names if isinstance(members.get(name), kinds)]
    return inner[0] if len(inner) == 1 and id_under(members, id_names(parameter)) is None else value
