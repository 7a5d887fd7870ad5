# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the settings in a product's ``options`` entry (API specification 2.1, 2.5 and 4.2).

The API specification says that the entry lists the settings with their rules, value mappings and allowed values, and
not how. The settings are found by their documented names, wherever they stand. Where only the names can be read, they
are listed and nothing is enforced. Where forms are alternatives, the settings of all of them are known, and only what
all of them say is a rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from .._core import strict_json
from .._core.text import brief, fold, is_uuid, words
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_SETTINGS, PRODUCT_TYPES
from .._reference.schemas import Schemas, alternatives, as_list
from .documented_bounds import documented_bounds
from .option import Option
from .option_choices import CHOICE_WORDS
from .option_rules import SettingReader
from .option_words import HOLDERS, RULES, SILENT, are_rules, rule_word

_MOST_NODES, _DEEPEST = 5000, 10
#: Groups of rules that are looked at for all settings of one entry, with those that references lead to.
_MOST_GROUPS = 5000
#: What these hold is not said about settings, but shown to people, entered by them, or kept to be referred to.
_LEFT_OUT = words(
    "messages labels hints placeholders examples example formdata defaults uischema defs definitions components"
)
#: Elements that hold the name of a setting, where the settings are a list.
_NAMES = ("name", "key", "field", "property", "setting", "code", "id", "slug", "identifier", "attribute", "parameter")
#: Parts of an entry that each say something else about the same settings.
_SECTIONS = HOLDERS | CHOICE_WORDS | SILENT
#: Types of JSON that settings are not.
_NO_OBJECTS = ("null", "string", "array", "integer", "number", "boolean")


class _Place(NamedTuple):
    """A mapping from settings to what is said about each, with the names that are required beside it.

    ``certain``: its keys are settings, whatever their names are. ``sometimes`` are those that only some forms have.
    """

    said: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    certain: bool = False
    sometimes: frozenset[str] = frozenset()

    def rank(self, names: Mapping[str, Any]) -> tuple[int, int]:
        """How many of these names are here, and of how many something is said that is a rule."""
        here = [name for name in self.said if name in names]
        return len(here), sum(are_rules(self.said[name]) for name in here)

    def adds(self, name: str) -> bool:
        """Whether a name that is none of the product type's settings is a setting all the same."""
        if name in DOCUMENTED_SETTINGS:
            # In one of several forms, it is another product type's.
            return name not in self.sometimes
        return not self.said[name] or are_rules(self.said[name])

    def beside(self, other: _Place) -> _Place:
        """What holds as well: the first to tell of a setting counts."""
        return _Place(
            {**other.said, **self.said},
            self.required | other.required,
            self.certain and other.certain,
            (self.sometimes - other.said.keys()) | (other.sometimes - self.said.keys()),
        )


def _either(forms: Sequence[_Place]) -> _Place:
    """What is said by several forms, of which one holds."""
    names = dict.fromkeys(name for form in forms for name in form.said)
    return _Place(
        {name: {"anyOf": [form.said.get(name, {}) for form in forms]} for name in names},
        frozenset.intersection(*(form.required for form in forms)),
        all(form.certain or not form.said for form in forms),
        frozenset(name for name in names if any(name not in form.said or name in form.sometimes for form in forms)),
    )


class OptionsEntry:
    """What an ``options`` entry lists. It is read as that of a product type.

    Without one, it is read as that of the type that most of the names in it belong to.
    """

    def __init__(self, entry: Any) -> None:
        # It may be a column of a database that is passed on as it is.
        held = strict_json.held_in(entry)
        self._entry = entry if held is None else held
        self._schemas = Schemas(self._entry if isinstance(self._entry, Mapping) else {})
        self._places = [*_PlaceFinder(self._schemas).places(self._entry)] if _holds(self._entry) else []
        self._named = {name for place in self._places for name in place.said}

    def names(self) -> list[str] | None:
        """The names of the settings, ``None`` where nothing looks like any."""
        placed = self._placed(self._kind(None))
        return self._mentioned if placed is None else [*placed]

    def options(self, product_type: ProductType | None = None) -> list[Option] | None:
        """The settings, ``None`` where nothing looks like any."""
        kind = self._kind(product_type)
        placed = self._placed(kind)
        if placed is not None:
            groups = iter(range(_MOST_GROUPS))
            return [_option(place, name, kind, self._schemas, groups) for name, place in placed.items()]
        names = self._mentioned
        # Where only the names can be read, nothing is enforced.
        return None if names is None else [Option(name, unclear=(brief(self._entry),)) for name in names]

    def _kind(self, product_type: ProductType | None) -> ProductType:
        return product_type or max(PRODUCT_TYPES.values(), key=lambda each: len(self._named & each.settings.keys()))

    def _placed(self, kind: ProductType) -> dict[str, _Place] | None:
        """The settings of a product type, each where it is told best, and what the very best place has beside them.

        ``None`` if no place is sure to have settings.
        """
        if not self._named & kind.settings.keys():
            certain = next((place for place in self._places if place.certain), None)
            return None if certain is None else dict.fromkeys(certain.said, certain)
        ranked = sorted(self._places, key=lambda place: place.rank(kind.settings), reverse=True)
        placed: dict[str, _Place] = {}
        for place in ranked:
            for name in place.said:
                if name in kind.settings or (place is ranked[0] and place.adds(name)):
                    placed.setdefault(name, place)
        return placed

    @cached_property
    def _mentioned(self) -> list[str] | None:
        """The names of settings in the texts of the entry."""
        if self._entry in (None, False, "", "none"):
            return []
        if not _holds(self._entry):
            return None
        parts = _parts(self._entry)
        texts = (_bare(text) for part in parts for text in part if isinstance(text, str))
        names = [name for name in dict.fromkeys(texts) if name in DOCUMENTED_SETTINGS]
        return names or ([] if _says_none(parts) else None)


def _option(place: _Place, name: str, kind: ProductType, schemas: Schemas, groups: Iterator[int]) -> Option:
    reader = SettingReader(documented_bounds(kind, name), schemas, groups)
    reader.read(place.said[name])
    return reader.option(required=name in place.required)


# Where settings are


class _PlaceFinder:
    """Finds where settings may be."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._left = _MOST_NODES

    def places(self, entry: Any) -> Iterator[_Place]:
        """The places in an entry, the outer ones first."""
        waiting: deque[tuple[Any, int]] = deque([(entry, _DEEPEST)])
        while waiting:
            value, depth = waiting.popleft()
            found = self._at(value, depth)
            yield from found.values()
            items = [*enumerate(value)] if isinstance(value, list) else found["keys"].said.items() if found else ()
            inner = [
                (fold(name), item)
                for name, item in items
                if _holds(item) and (fold(name) not in _LEFT_OUT or isinstance(item, list))
            ]
            yield from self._siblings([item for name, item in inner if name not in _SECTIONS], depth - 1)
            waiting.extend((item, depth - 1) for _name, item in inner)

    def _siblings(self, values: list[Any], depth: int) -> Iterator[_Place]:
        """What several values with rules for the same setting say together, such as one for each kind of order."""
        told = [self._at(value, depth) for value in values] if len(values) > 1 else []
        for kind in dict.fromkeys(kind for each in told for kind in each):
            forms = [each[kind] for each in told if kind in each]
            ruled = [
                {name for name in form.said if name in DOCUMENTED_SETTINGS and are_rules(form.said[name])}
                for form in forms
            ]
            if sum(map(len, ruled)) > len(set().union(*ruled)):
                yield _either([form for form, names in zip(forms, ruled, strict=True) if names])

    def _at(self, value: Any, depth: int) -> dict[str, _Place]:
        """What one value says, by how it does: by its rows, sections, properties or keys."""
        self._left -= 1
        found: dict[str, _Place] = {}
        if self._left < 0 or depth < 0:
            return found
        if isinstance(value, list) or (isinstance(value, Mapping) and all(str(name).isdigit() for name in value)):
            found |= _rows(value if isinstance(value, list) else [*value.values()])
        if not isinstance(value, Mapping):
            return found
        groups = self._composed(value)
        found |= _mapped(value, groups)
        for forms in (forms for several in groups.values() for forms in several):
            told = [self._at(form, depth - 1) for form in forms]
            for kind in dict.fromkeys(kind for each in told for kind in each):
                places = [each.get(kind, _Place({})) for each in told]
                place = places[0] if len(places) == 1 else _either(places)
                found[kind] = found[kind].beside(place) if kind in found else place
        return found

    def _composed(self, schema: Mapping[Any, Any]) -> dict[str, list[list[Any]]]:
        """The members of a schema that hold further ones of the same settings: groups of forms of which one holds."""
        groups = {name: [[part] for part in as_list(schema[name])] for name in ("allOf",) if name in schema}
        if isinstance(schema.get("$ref"), str):
            groups["$ref"] = [[self._schemas.resolve(schema)]]
        groups |= alternatives(schema)
        groups |= {name: [as_list(schema[name])] for name in ("matches",) if as_list(schema.get(name))}
        groups |= {name: [[schema[name], {}]] for name in ("not",) if name in schema}
        return {
            name: [
                [form for form in forms if isinstance(form, Mapping) and form.get("type") not in _NO_OBJECTS]
                for forms in several
            ]
            for name, several in groups.items()
        }


def _mapped(value: Mapping[Any, Any], composed: Collection[str]) -> dict[str, _Place]:
    """The settings of a mapping: of its sections together, of its properties, and of its keys that are not composed."""
    found: dict[str, _Place] = {}
    said: dict[str, dict[Any, Any]] = {}
    for section, part in value.items():
        for name, rules in part.items() if isinstance(part, Mapping) and fold(section) in _SECTIONS else ():
            if _bare(name) in DOCUMENTED_SETTINGS:
                said.setdefault(_bare(name), {})[section] = rules
    if any(len(each) > 1 for each in said.values()):
        found["sections"] = _Place(said)
    properties = value.get("properties")
    if isinstance(properties, Mapping) and properties:
        required = frozenset(name for name in as_list(value.get("required")) if isinstance(name, str))
        found["properties"] = _Place({_bare(name): rules for name, rules in properties.items()}, required, certain=True)
    # The keys may also be rules or sections, and so what is said of one setting.
    of_one = all(rule_word(name) in RULES or fold(name) in _SECTIONS for name in value)
    keys = {_bare(name): rules for name, rules in value.items() if name not in composed}
    return {**found, "keys": _Place(keys, certain=not of_one and all(map(are_rules, keys.values())))}


def _rows(items: list[Any]) -> dict[str, _Place]:
    """The settings of a list: the objects in it by each element that may hold their names."""
    found: dict[str, _Place] = {}
    for column in _NAMES if items and all(isinstance(item, Mapping) for item in items) else ():
        said = {
            _bare(row[key]): {name: item for name, item in row.items() if name != key}
            for row in items
            for key in row
            if fold(key) == column and isinstance(row[key], str) and row[key] and not is_uuid(row[key])
        }
        if len(said) == len(items):
            found[column] = _Place(said, certain=all(map(are_rules, said.values())))
    return found


def _bare(name: Any) -> str:
    return str(name).rpartition(".")[2]


# What is no list of settings


def _says_none(parts: Sequence[tuple[str, Any]]) -> bool:
    """Whether an entry says in its own words that there are no settings: some part is empty, and no number is in it."""
    is_empty = any(
        value is None or (_holds(value) and not _inner(value)) or (name == "additionalProperties" and value is False)
        for name, value in parts
    )
    # The settings may be at another address.
    says_more = any(
        name in ("$ref", "href", "url") or (value and not isinstance(value, (str, bool)))
        for name, value in parts
        if not _holds(value)
    )
    return is_empty and not says_more and len(parts) < _MOST_NODES


def _parts(entry: Any) -> list[tuple[str, Any]]:
    """The parts of an entry, the outer ones first, each with its name."""
    parts = [("", entry)]
    for _name, value in parts:
        parts += _inner(value)[: _MOST_NODES - len(parts)]
    return parts


def _inner(value: Any) -> list[tuple[str, Any]]:
    """The members or entries of a value, but for what a schema says of itself (``$$strict``, ``~standard``)."""
    if isinstance(value, Mapping):
        return [(str(name), item) for name, item in value.items() if not str(name).startswith(("$$", "~"))]
    return [("", item) for item in value] if isinstance(value, list) else []


def _holds(value: Any) -> bool:
    return isinstance(value, (Mapping, list))
