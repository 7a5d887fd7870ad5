# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the settings in a product's ``options`` entry (API specification 2.1, 2.5 and 4.2).

The API specification says that the entry lists the settings with their rules, value mappings and allowed values, and
not how. The settings are found by their documented names, wherever they stand. Where only the names can be read, they
are listed and nothing is enforced.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._core.text import brief, fold, is_uuid, words
from .._product_types.registry import PRODUCT_TYPES
from .._reference.schemas import Schemas
from .option import Option
from .option_choices import CHOICE_WORDS
from .option_rules import read_setting
from .option_words import HOLDERS, RULES, SILENT, are_rules, rule_word
from .room import DOCUMENTED

_MOST_NODES, _DEEPEST = 5000, 10
#: Where a schema keeps schemas of other things to refer to.
_SCHEMAS = ("$defs", "definitions", "components")
#: What these hold is not said about settings, but shown to people or entered by them.
_SHOWN = words("messages labels hints placeholders examples example formdata defaults uischema")
#: Elements that hold the name of a setting, where the settings are a list.
_NAMES = ("name", "key", "field", "property", "setting", "code", "id", "slug", "identifier", "attribute", "parameter")
#: Parts of an entry that each say something else about the same settings.
_SECTIONS = HOLDERS | CHOICE_WORDS | words("fields properties settings parameters") | SILENT
#: What a text may say instead of an entry.
_NOTHING = words("none no nothing na null empty nosettings")


@dataclass(frozen=True)
class _Place:
    """A mapping from settings to what is said about each, with the names that are required beside it.

    ``certain``: its keys are settings, whatever their names are.
    """

    said: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    certain: bool = False

    def known(self, names: Mapping[str, Any]) -> tuple[int, int]:
        """How many of these names are here, and of how many something is said that is a rule."""
        here = [name for name in self.said if name in names]
        return len(here), sum(are_rules(self.said[name]) for name in here)


def read_options(entry: Any) -> list[Option] | None:
    """The options that an ``options`` entry lists, ``None`` where nothing looks like any."""
    if isinstance(entry, str) and entry.lstrip()[:1] in ("{", "["):
        try:
            entry = json.loads(entry)
        except (ValueError, RecursionError):
            return None
    if entry in (None, False) or fold(entry) in _NOTHING:
        return []
    if isinstance(entry, str):
        entry = [word for word in re.split(r"[\s,;|:]+", entry) if word in DOCUMENTED]
        return [Option(name) for name in dict.fromkeys(entry)] or None
    if not isinstance(entry, (Mapping, list)):
        return None
    schemas = Schemas(entry if isinstance(entry, Mapping) else {})
    for also_kept_schemas in (False, True):
        places = [*_places(entry, schemas, also_kept_schemas)]
        found = _of_documented_names(places, schemas)
        if found:
            return found
    certain = next((place for place in places if place.certain), None)
    if certain is not None:
        return [
            read_setting(name, said, schemas, required=name in certain.required) for name, said in certain.said.items()
        ]
    named = [Option(name, unclear=(brief(where),)) for name, where in _mentioned(entry).items()]
    return named or ([] if _says_none(entry) else None)


def _of_documented_names(places: list[_Place], schemas: Schemas) -> list[Option]:
    """The settings of the product type that most places name, each as the best place tells it."""
    best = max(
        (kind.settings for kind in PRODUCT_TYPES.values()),
        key=lambda names: len({name for place in places for name in place.said if name in names}),
    )
    ranked = sorted(
        (place for place in places if place.known(best)[0]), key=lambda place: place.known(best), reverse=True
    )
    found: dict[str, Option] = {}
    for at, place in enumerate(ranked):
        for name, said in place.said.items():
            if name not in found and (
                name in best or (at == 0 and (name in DOCUMENTED or not said or are_rules(said)))
            ):
                found[name] = read_setting(name, said, schemas, required=name in place.required)
    return [*found.values()]


def _places(entry: Any, schemas: Schemas, also_kept_schemas: bool) -> Iterator[_Place]:
    """Where settings may be, the outer places first."""
    waiting: deque[tuple[Any, str, int]] = deque([(entry, "", 0)])
    looked_at: set[int] = set()
    for _node in range(_MOST_NODES):
        if not waiting:
            return
        value, word, depth = waiting.popleft()
        if isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
            value = schemas.resolve(value)
        if id(value) in looked_at:
            continue
        looked_at.add(id(value))
        if isinstance(value, Mapping):
            inner = [
                (item, fold(name))
                for name, item in value.items()
                if fold(name) not in _SHOWN and (also_kept_schemas or name not in _SCHEMAS or isinstance(item, list))
            ]
            if value and all(str(name).isdigit() for name in value):
                yield from _rows([*value.values()])
            yield from _mapped(value, word)
        else:
            inner = [(item, "") for item in value]
            yield from _rows(value)
        if depth < _DEEPEST:
            waiting.extend((item, name, depth + 1) for item, name in inner if isinstance(item, (Mapping, list)))


def _mapped(value: Mapping[Any, Any], word: str) -> Iterator[_Place]:
    """The settings of a mapping: of its sections together, and its own."""
    sections = {name: part for name, part in value.items() if isinstance(part, Mapping) and fold(name) in _SECTIONS}
    said: dict[str, dict[Any, Any]] = {}
    for section, part in sections.items():
        for name, rules in part.items():
            said.setdefault(_bare(name), {})[section] = rules
    if len(sections) > 1 and any(len(each) > 1 and name in DOCUMENTED for name, each in said.items()):
        yield _Place({name: _united(each) for name, each in said.items() if name in DOCUMENTED})
    listed = value.get("required")
    required = frozenset(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else frozenset()
    properties = value.get("properties")
    if isinstance(properties, Mapping) and properties:
        yield _Place({_bare(name): rules for name, rules in properties.items()}, required, certain=True)
    own = {_bare(name): rules for name, rules in value.items()}
    certain = bool(own) and all(are_rules(rules) for rules in own.values()) and not _is_said(value)
    yield _Place(own, frozenset(), certain)


def _united(sections: Mapping[Any, Any]) -> dict[Any, Any]:
    """What several sections say about one setting, as one set of rules."""
    known = HOLDERS | CHOICE_WORDS | SILENT
    return {(name if fold(name) in known else "schema"): said for name, said in sections.items()}


def _is_said(value: Mapping[Any, Any]) -> bool:
    """Whether the keys are rules or sections, and so what is said of one setting."""
    return all(rule_word(name) in RULES or fold(name) in _SECTIONS for name in value)


def _rows(items: list[Any]) -> Iterator[_Place]:
    """The settings of a list: the objects in it by each element that may hold their names."""
    rows = [{**_attributes(item), **item} for item in map(_unboxed, items) if isinstance(item, Mapping)]
    for column in _NAMES if len(rows) == len(items) else ():
        said = {
            _bare(_name(row[key])): {name: item for name, item in row.items() if name != key}
            for row in rows
            for key in row
            if fold(key) == column and _is_name(_name(row[key]))
        }
        if rows and len(said) == len(rows):
            yield _Place(said, certain=all(are_rules(each) for each in said.values()))
    if rows and len(rows) == len(items) and all(len(row) == 1 for row in rows):
        merged = {_bare(name): said for row in rows for name, said in row.items()}
        if len(merged) == len(rows):
            yield _Place(merged)


def _unboxed(item: Any) -> Any:
    """The object in ``{"option": {…}}``."""
    inner = next(iter(item.values())) if isinstance(item, Mapping) and len(item) == 1 else None
    named = isinstance(inner, Mapping) and any(fold(name) in _NAMES for name in inner)
    return inner if named and next(iter(item)) not in DOCUMENTED else item


def _attributes(item: Mapping[Any, Any]) -> Mapping[Any, Any]:
    parts = (item.get(name) for name in ("attributes", "props"))
    return next((part for part in parts if isinstance(part, Mapping)), {})


def _bare(name: Any) -> str:
    return str(name).rpartition(".")[2]


def _name(value: Any) -> Any:
    """A name that is written as the steps to it: ``["settings", "cpu_cores"]``."""
    return value[-1] if isinstance(value, list) and value else value


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not is_uuid(value)


def _mentioned(entry: Any) -> dict[str, Any]:
    """The documented names that stand anywhere in an entry, each with what is around it."""
    found: dict[str, Any] = {}
    waiting: deque[tuple[Any, Any]] = deque([(entry, entry)])
    for _node in range(_MOST_NODES):
        if not waiting:
            break
        value, around = waiting.popleft()
        if isinstance(value, str):
            if _bare(value) in DOCUMENTED:
                found.setdefault(_bare(value), around)
        elif isinstance(value, Mapping):
            waiting.extend((name, {name: item}) for name, item in value.items())
            waiting.extend((item, value) for item in value.values())
        elif isinstance(value, list):
            waiting.extend((item, value) for item in value)
    return found


def _says_none(entry: Any) -> bool:
    """Whether an entry says in its own words that there are no settings: some part is empty, and no number is in it."""
    empty, waiting = False, [("", entry)]
    for _node in range(_MOST_NODES):
        if not waiting:
            break
        name, value = waiting.pop()
        if isinstance(value, (Mapping, list)):
            waiting += value.items() if isinstance(value, Mapping) else [(name, item) for item in value]
        # The settings may be at another address.
        elif name in ("$ref", "href", "url") or (value and not isinstance(value, (str, bool))):
            return False
        empty |= value in (None, [], {})
    return empty and not waiting
