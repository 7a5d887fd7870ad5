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
from typing import Any, NamedTuple

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
_SECTIONS = HOLDERS | CHOICE_WORDS | SILENT
#: What a text may say instead of an entry.
_NOTHING = words("none no nothing na null empty nosettings")


class _Place(NamedTuple):
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
        entry = re.split(r"[\s,;|:]+", entry)
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
        return [_option(certain, name, schemas) for name in certain.said]
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
    for place in ranked:
        for name, said in place.said.items():
            is_live = place is ranked[0] and (name in DOCUMENTED or not said or are_rules(said))
            if name not in found and (name in best or is_live):
                found[name] = _option(place, name, schemas)
    return [*found.values()]


def _option(place: _Place, name: str, schemas: Schemas) -> Option:
    return read_setting(name, place.said[name], schemas, required=name in place.required)


def _places(entry: Any, schemas: Schemas, also_kept_schemas: bool) -> Iterator[_Place]:
    """Where settings may be, the outer places first."""
    waiting: deque[tuple[Any, int]] = deque([(entry, 0)])
    looked_at: set[int] = set()
    for _node in range(_MOST_NODES):
        if not waiting:
            return
        value, depth = waiting.popleft()
        if isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
            value = schemas.resolve(value)
        if id(value) in looked_at:
            continue
        looked_at.add(id(value))
        if isinstance(value, list) or (value and all(str(name).isdigit() for name in value)):
            yield from _rows(value if isinstance(value, list) else [*value.values()])
        if isinstance(value, Mapping):
            yield from _mapped(value)
        inner = (
            value
            if isinstance(value, list)
            else [
                item
                for name, item in value.items()
                if fold(name) not in _SHOWN and (also_kept_schemas or name not in _SCHEMAS or isinstance(item, list))
            ]
        )
        if depth < _DEEPEST:
            waiting.extend((item, depth + 1) for item in inner if isinstance(item, (Mapping, list)))


def _mapped(value: Mapping[Any, Any]) -> Iterator[_Place]:
    """The settings of a mapping: of its sections together, and its own."""
    said: dict[str, dict[Any, Any]] = {}
    for section, part in value.items():
        for name, rules in part.items() if isinstance(part, Mapping) and fold(section) in _SECTIONS else ():
            if _bare(name) in DOCUMENTED:
                said.setdefault(_bare(name), {})[section] = rules
    if any(len(each) > 1 for each in said.values()):
        yield _Place(said)
    listed, properties = value.get("required"), value.get("properties")
    required = frozenset(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else frozenset()
    if isinstance(properties, Mapping) and properties:
        yield _Place({_bare(name): rules for name, rules in properties.items()}, required, certain=True)
    # The keys may also be rules or sections, and so what is said of one setting.
    of_one = all(rule_word(name) in RULES or fold(name) in _SECTIONS for name in value)
    own = {_bare(name): rules for name, rules in value.items()}
    yield _Place(own, certain=not of_one and all(map(are_rules, own.values())))


def _rows(items: list[Any]) -> Iterator[_Place]:
    """The settings of a list: the objects in it by each element that may hold their names."""
    rows = [_flat(item) for item in items if isinstance(item, Mapping)]
    for column in _NAMES if rows and len(rows) == len(items) else ():
        said = {
            _bare(row[key]): {name: item for name, item in row.items() if name != key}
            for row in rows
            for key in row
            if fold(key) == column and isinstance(row[key], str) and row[key] and not is_uuid(row[key])
        }
        if len(said) == len(rows):
            yield _Place(said, certain=all(map(are_rules, said.values())))


def _flat(item: Mapping[Any, Any]) -> dict[Any, Any]:
    """An object, with the members of an inner one that holds its name: ``{"id": 7, "attributes": {"name": …}}``."""
    inner = [part for part in item.values() if isinstance(part, Mapping) and any(fold(name) in _NAMES for name in part)]
    return {**(inner[0] if len(inner) == 1 else {}), **item}


def _bare(name: Any) -> str:
    return str(name).rpartition(".")[2]


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
