# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the settings in an ``options`` entry by their documented names, whatever its structure.

A place is an object whose keys, or a list whose elements' names, are the settings. The one with the most documented
names of one product type is it; objects around and beside the settings are none.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._core import strict_json
from .._core.text import fold, is_uuid
from .._product_types.registry import PRODUCT_TYPES
from .vocabulary import RULES, word_of
from .written import UnclearError, target_of

_DEPTH = 12
_MOST_NODES = 20_000
_MOST_ROWS = 1000
#: Where a JSON Schema or an OpenAPI document keeps schemas to refer to.
_SCHEMAS = frozenset({"$defs", "definitions", "components"})
#: Elements that hold the name of a setting where no documented name tells which does.
_NAMES = ("name", "key", "field", "property", "setting", "code", "identifier", "id", "slug", "attribute", "parameter")
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,99}", re.ASCII)
_PATH = re.compile(r"(.*[.\[])?([A-Za-z0-9][\w-]*)\]?")


@dataclass(frozen=True)
class Place:
    """Where settings may be: their names and what is said of each.

    ``path`` leads there from the entry; ``is_keyed`` tells that the names are keys; ``around`` are the objects on the
    way, outermost first; ``documented`` the names that one product type of the document knows.
    """

    path: tuple[str | int, ...]
    is_keyed: bool
    pairs: tuple[tuple[str, Any], ...]
    around: tuple[Any, ...]
    documented: frozenset[str]

    @property
    def word(self) -> str:
        """The last key on the way here."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    def is_beside(self, other: Place) -> bool:
        """Whether neither is inside the other."""
        shorter = min(len(self.path), len(other.path))
        return self.path[:shorter] != other.path[:shorter]


def documented_names(names: Sequence[str]) -> frozenset[str]:
    """Those that the product type knows that knows the most of them."""
    given = frozenset(names)
    return max((given & kind.settings.keys() for kind in PRODUCT_TYPES.values()), key=len)


def places(entry: Any) -> list[Place]:
    """All places where settings may be, the outermost first. Schemas that nothing refers to are looked at last."""
    found = list(_places(entry, _SCHEMAS))
    return found if any(place.documented for place in found) else list(_places(entry, frozenset()))


def _places(entry: Any, left_out: frozenset[str]) -> Iterator[Place]:
    waiting: deque[tuple[tuple[Any, ...], tuple[Any, ...], Any]] = deque([((), (), entry)])
    nodes = 0
    while waiting and nodes < _MOST_NODES:
        path, around, value = waiting.popleft()
        nodes += 1
        if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
            value = _parsed(value)
        if not isinstance(value, (list, Mapping)) or len(path) > _DEPTH:
            continue
        if isinstance(value, Mapping):
            around = (*around, value)
            yield _place(path, list(value.items()), around, is_keyed=True)
            inner = [(key, item) for key, item in value.items() if key not in left_out]
            inner += _referred(value, around)
        else:
            inner = list(enumerate(value[:_MOST_ROWS]))
        for pairs in _named(value):
            yield _place(path, pairs, around, is_keyed=False)
        waiting.extend(((*path, key), around, item) for key, item in inner if isinstance(item, (list, Mapping, str)))


def _referred(value: Mapping[Any, Any], around: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """What an object stands for that refers to another one of the entry."""
    reference = value.get("$ref")
    try:
        return [("$ref", target_of(reference, around))] if isinstance(reference, str) else []
    except UnclearError:
        return []


def _parsed(text: str) -> Any:
    try:
        return strict_json.read(text.encode("utf-8", "replace"))
    except strict_json.JsonError:
        return None


def _place(path: tuple[Any, ...], pairs: list[tuple[Any, Any]], around: tuple[Any, ...], *, is_keyed: bool) -> Place:
    """The place of these, with ``settings.`` and the like taken off the names that have it."""
    named = [(name, _PATH.fullmatch(name), said) for name, said in pairs if isinstance(name, str)]
    split = [(found[1] or "", found[2], said) for _name, found, said in named if found]
    known = documented_names([name for _prefix, name, _said in split])
    prefixes = [prefix for prefix, name, _said in split if name in known]
    if prefixes and (usual := max(prefixes, key=prefixes.count)):
        kept = [(name, said) for prefix, name, said in split if prefix == usual]
    else:
        kept = [(name, said) for name, _found, said in named]
    return Place(path, is_keyed, tuple(kept), around, documented_names([name for name, _said in kept]))


# Lists


def _named(holder: Any) -> Iterator[list[tuple[str, Any]]]:
    """The elements of a list or mapping by their names, for each way in which they may have names."""
    items = list(holder.values()) if isinstance(holder, Mapping) else holder[:_MOST_ROWS]
    rows = [item for item in items if isinstance(item, Mapping)]
    if isinstance(holder, list):
        texts = [item.partition(":") for item in items if isinstance(item, str)]
        if texts and not rows:
            yield [(name.strip(), rules or None) for name, _colon, rules in texts]
        if rows and all(len(row) == 1 for row in rows):
            yield [pair for row in rows for pair in row.items()]
        # Yii names the settings of a rule first, then the rule.
        rows += [{"0": item[0], "1": item[1]} for item in items if isinstance(item, list) and len(item) > 1]
    for column in _columns(rows):
        yield [(name, said) for row in rows for name, said in _by(column, row)]


def _columns(rows: Sequence[Mapping[Any, Any]]) -> list[tuple[str, ...]]:
    """The elements that hold the names, of the rows or of an object in each: by documented names, else usual ones."""
    found: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        for path, value in _texts(row):
            found.setdefault(path, []).extend(value)
    found = {path: names for path, names in found.items() if RULES.get(word_of(path[-1])) not in ("type", "format")}
    telling = sorted(found, key=lambda path: -len(documented_names(found[path])))
    if telling and documented_names(found[telling[0]]):
        return telling[:1]
    usual = [path for name in _NAMES for path in found if fold(path[-1]) == name]
    return [
        path
        for path in usual
        if len(found[path]) == len(rows) == len({*found[path]}) and all(map(_is_name, found[path]))
    ][:1]


def _texts(row: Mapping[Any, Any]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    for key, value in row.items():
        if isinstance(value, str):
            yield (str(key),), [value]
        elif str(key) == "0" and isinstance(value, list):
            yield ("0",), [each for each in value if isinstance(each, str)]
        elif isinstance(value, Mapping):
            yield from (((str(key), str(inner)), [text]) for inner, text in value.items() if isinstance(text, str))


def _by(column: tuple[str, ...], row: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    holder = row.get(column[0]) if len(column) > 1 else row
    if not isinstance(holder, Mapping):
        return
    names = holder.get(column[-1])
    said = {name: value for name, value in {**row, **holder}.items() if name not in (column[0], column[-1])}
    if column == ("0",):
        word = said.pop("1", None)
        said = {str(word): said or True} if isinstance(word, str) else said
    for name in names if isinstance(names, list) else [names]:
        if isinstance(name, str):
            yield name, said


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and any(map(str.isalpha, text)) and not is_uuid(text)
