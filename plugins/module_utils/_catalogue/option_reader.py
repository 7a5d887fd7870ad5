# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the settings in a product's ``options`` entry (API specification 2.1, 2.5 and 4.2).

The API specification says that the entry lists the settings with their rules, value mappings and allowed values, and
not how. The settings are found by their documented names, wherever they stand. A rule holds where it is said plainly:
of what stands among alternatives or under a condition, or is said differently at two places, only the names are read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from .._core import strict_json
from .._core.text import brief, fold, is_uuid, words
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_SETTINGS, PRODUCT_TYPES
from .._reference.schemas import Schemas, as_list
from .documented_bounds import documented_bounds
from .option import Option
from .option_choices import CHOICE_WORDS
from .option_rules import SettingReader
from .option_words import HOLDERS, RULES, SILENT, are_rules

_MOST_NODES, _DEEPEST = 5000, 10
#: The settings of an entry that has more settings or values are not read.
_MOST_SETTINGS, _MOST_VALUES = 1000, 100_000
#: Groups of rules that are looked at for all settings of one entry, with those that references lead to.
_MOST_GROUPS = 5000
#: What these hold is not said about settings, but shown to people, entered by them, or kept to be referred to.
_LEFT_OUT = words(
    "messages labels hints placeholders examples example formdata defaults uischema defs definitions components flags"
)
#: Elements that hold the name of a setting, where the settings are a list.
_NAMES = ("name", "key", "field", "property", "setting", "code", "id", "slug", "identifier", "attribute", "parameter")
#: Parts of an entry that each say something else about the same settings.
_SECTIONS = HOLDERS | CHOICE_WORDS | SILENT
#: What these hold are alternatives, or conditions, unless it is a list of one.
_ALTERNATIVES = words("oneof anyof not if then else dependentschemas dependencies discriminator matches")
_COMPOSED = _ALTERNATIVES | words("allof $ref")


class _Place(NamedTuple):
    """A mapping from settings to what is said about each, with the names that are required beside it.

    ``certain``: its keys are settings, whatever their names are. ``plain``: what it says holds for every order.
    """

    said: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    certain: bool = False
    plain: bool = True

    def rank(self, names: Mapping[str, Any]) -> tuple[int, int]:
        """How many of these names are here, and of how many something is said that is a rule."""
        here = [name for name in self.said if name in names]
        return len(here), sum(are_rules(self.said[name]) for name in here)

    def adds(self, name: str) -> bool:
        """Whether a name that is none of the product type's settings is a setting all the same."""
        if name in DOCUMENTED_SETTINGS:
            # In one of several forms, it is another product type's.
            return self.plain
        holds_settings = any(inner in DOCUMENTED_SETTINGS for inner, _value in _parts(self.said[name]))
        return not self.said[name] or (are_rules(self.said[name]) and not holds_settings)


class OptionsEntry:
    """What an ``options`` entry lists. It is read as that of a product type.

    Without one, it is read as that of the type that most of the names in it belong to.
    """

    def __init__(self, entry: Any) -> None:
        # It may be a column of a database that is passed on as it is.
        held = strict_json.held_in(entry)
        self._entry = entry if held is None else held
        self._schemas = Schemas(self._entry if isinstance(self._entry, Mapping) else {})
        is_read = _holds(self._entry) and not _is_too_large(self._entry)
        self._places = [*_agreeing([*_places(self._entry, self._schemas)])] if is_read else []
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
        """The settings of a product type, each where it is told best, and what is sure to be one beside them.

        ``None`` if no place is sure to have settings.
        """
        if not self._named & kind.settings.keys():
            certain = next((place for place in self._places if place.certain), None)
            return None if certain is None else dict.fromkeys(certain.said, certain)
        ranked = sorted(self._places, key=lambda place: (place.plain, place.rank(kind.settings)), reverse=True)
        best = max(ranked, key=lambda place: place.rank(kind.settings))
        placed: dict[str, _Place] = {}
        for place in ranked:
            for name in place.said:
                if name in kind.settings or ((place is best or place.certain) and place.adds(name)):
                    placed.setdefault(name, place)
        return placed if len(placed) <= _MOST_SETTINGS else None

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
    if place.plain:
        reader.read(place.said[name])
    else:
        reader.keep("not for every order", place.said[name])
    return reader.option(required=place.plain and name in place.required)


# Where settings are


def _places(entry: Any, schemas: Schemas) -> Iterator[_Place]:
    """Where settings may be, the outer places first."""
    waiting, left = deque([(entry, True, _DEEPEST)]), _MOST_NODES
    while waiting and left:
        value, plain, depth = waiting.popleft()
        left -= 1
        if isinstance(value, Mapping) and all(str(name).isdigit() for name in value):
            value = [*value.values()]
        sections = _sections(value)
        found = [_Place(sections)] if sections else [*_rows(value), *_mapped(value)]
        yield from (each._replace(plain=plain) for each in found)
        inner = _inner(value)
        if isinstance(value, Mapping) and "$ref" in value:
            inner.append(("", schemas.resolve(value)))
        for name, each in inner if depth else ():
            word = fold(name)
            if (
                _holds(each)
                and not (sections and word in _SECTIONS)
                and (word not in _LEFT_OUT or isinstance(each, list))
            ):
                waiting.append((each, plain and (word not in _ALTERNATIVES or _is_one(each)), depth - 1))


def _is_too_large(entry: Any) -> bool:
    """Whether an entry has more values, or a mapping or list of objects in it more members, than are read."""
    waiting, left = [entry], _MOST_VALUES
    while waiting:
        value = waiting.pop()
        inner = [*value.values()] if isinstance(value, Mapping) else value if isinstance(value, list) else []
        is_rows = isinstance(value, Mapping) or (inner and isinstance(inner[0], Mapping))
        left -= len(inner)
        if left < 0 or (is_rows and len(inner) > _MOST_SETTINGS):
            return True
        waiting += inner
    return False


def _is_one(forms: Any) -> bool:
    """Whether these alternatives are one form, beside null."""
    return len([form for form in as_list(forms) if form != {"type": "null"}]) == 1


def _agreeing(places: Sequence[_Place]) -> Iterator[_Place]:
    """The places, of which those are not plain that say something else of a setting than another one does."""
    told: dict[str, list[Any]] = {}
    for name, said in ((name, said) for place in places if place.plain for name, said in place.said.items()):
        if name in DOCUMENTED_SETTINGS and are_rules(said) and said not in told.setdefault(name, []):
            told[name].append(said)
    for place in places:
        differs = any(len(told.get(name, ())) > 1 for name in place.said)
        yield place._replace(plain=place.plain and not differs)


def _sections(value: Any) -> dict[str, dict[Any, Any]]:
    """What the sections of a mapping say together of each setting; nothing where no two say something of one."""
    said: dict[str, dict[Any, Any]] = {}
    for section, part in value.items() if isinstance(value, Mapping) else ():
        for name, rules in part.items() if isinstance(part, Mapping) and fold(section) in _SECTIONS else ():
            if _bare(name) in DOCUMENTED_SETTINGS:
                said.setdefault(_bare(name), {})[section] = rules
    return said if any(len(each) > 1 for each in said.values()) else {}


def _mapped(value: Any) -> Iterator[_Place]:
    """The settings of a mapping: of its properties, and of its keys."""
    properties = value.get("properties") if isinstance(value, Mapping) else None
    if isinstance(properties, Mapping) and properties:
        required = frozenset(name for name in as_list(value.get("required")) if isinstance(name, str))
        yield _Place({_bare(name): rules for name, rules in properties.items()}, required, certain=True)
    if isinstance(value, Mapping):
        # The keys may also be rules or sections, and so what is said of one setting.
        of_one = all(fold(name) in RULES or fold(name) in _SECTIONS for name in value)
        keys = {_bare(name): rules for name, rules in value.items() if fold(name) not in _COMPOSED}
        yield _Place(keys, certain=not of_one and all(map(are_rules, keys.values())))


def _rows(value: Any) -> Iterator[_Place]:
    """The settings of a list: the objects in it by the element that holds their names."""
    columns = []
    for column in _NAMES if isinstance(value, list) and all(isinstance(row, Mapping) for row in value) else ():
        said = {
            _bare(row[key]): {name: item for name, item in row.items() if name != key}
            for row in value
            for key in row
            if fold(key) == column and isinstance(row[key], str) and row[key] and not is_uuid(row[key])
        }
        columns += [said] if said and len(said) == len(value) else []
    for said in sorted(columns, key=lambda each: len(each.keys() & DOCUMENTED_SETTINGS), reverse=True)[:1]:
        yield _Place(said, certain=all(map(are_rules, said.values())))


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
