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

import json
import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._core.text import brief, fold, is_uuid, words
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_SETTINGS, PRODUCT_TYPES
from .._reference.schemas import Schemas, as_list
from .documented_bounds import documented_bounds
from .option import Option
from .option_choices import CHOICE_WORDS
from .option_rules import read_setting
from .option_words import HOLDERS, RULES, SILENT, are_rules, rule_word

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
#: Types of JSON that settings are not.
_NO_OBJECTS = frozenset({"null", "string", "array", "integer", "number", "boolean"})
_OF_ITSELF = ("$", "~")


class _Form(NamedTuple):
    """One of several alternatives: the group of them, which one it is, and how many there are."""

    group: object
    number: int
    of: int


@dataclass(frozen=True)
class _Place:
    """A mapping from settings to what is said about each, with the names that are required beside it.

    Places with the same ``path`` are about the same settings. ``forms`` are the alternatives that this one is in, the
    outermost first. ``certain``: its keys are settings, whatever their names are.
    """

    path: tuple[Any, ...]
    forms: tuple[_Form, ...]
    said: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    certain: bool = False


class _Settings:
    """What the places with one path say together."""

    def __init__(self) -> None:
        self.places: list[_Place] = []

    @property
    def names(self) -> dict[str, None]:
        return dict.fromkeys(name for place in self.places for name in place.said)

    @property
    def certain(self) -> bool:
        return all(place.certain for place in self.places)

    def rank(self, names: Mapping[str, Any]) -> tuple[int, int]:
        """How many of these names are here, and of how many something is said that is a rule."""
        here = [name for name in self.names if name in names]
        return len(here), sum(are_rules(self.about(name)[0]) for name in here)

    def adds(self, name: str, settings: Mapping[str, Any]) -> bool:
        """Whether a name that is none of these settings is one all the same."""
        said = self.about(name)[0]
        if all(place.forms for place in self.places if name in place.said) and name in DOCUMENTED_SETTINGS:
            # One of the forms is another product type's.
            return name in settings
        return name in DOCUMENTED_SETTINGS or not said or are_rules(said)

    def about(self, name: str, places: Sequence[_Place] | None = None, level: int = 0) -> tuple[Any, bool]:
        """What is said of a setting, and whether it is required: outside of alternatives, or else in each of them."""
        here = [place for place in (self.places if places is None else places) if name in place.said]
        for place in here:
            if len(place.forms) == level:
                return place.said[name], name in place.required
        group, _number, count = here[0].forms[level]
        forms = [[each for each in here if each.forms[level][:2] == (group, number)] for number in range(count)]
        told = [self.about(name, form, level + 1) if form else ({}, False) for form in forms]
        return {"anyOf": [said for said, _required in told]}, all(required for _said, required in told)


def read_options(entry: Any, product_type: ProductType | None = None) -> list[Option] | None:
    """The options that an ``options`` entry lists, ``None`` where nothing looks like any.

    Without a ``product_type``, they are read as those of the type that most of their names belong to.
    """
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
        found: dict[tuple[Any, ...], _Settings] = {}
        for place in _places(entry, schemas, also_kept_schemas):
            found.setdefault(place.path, _Settings()).places.append(place)
        named = {name for settings in found.values() for name in settings.names}
        kind = product_type or max(PRODUCT_TYPES.values(), key=lambda each: len(named & each.settings.keys()))
        if named & kind.settings.keys():
            return _of_documented_names([*found.values()], kind, schemas)
    certain = next((settings for settings in found.values() if settings.certain), None)
    if certain is not None:
        return [_option(certain, name, kind, schemas) for name in certain.names]
    mentioned = [Option(name, unclear=(brief(where),)) for name, where in _mentioned(entry).items()]
    return mentioned or ([] if _says_none(entry) else None)


def _of_documented_names(found: list[_Settings], kind: ProductType, schemas: Schemas) -> list[Option]:
    """The settings of a product type, each as the best place tells it, and what the very best place has beside them."""
    ranked = sorted(found, key=lambda settings: settings.rank(kind.settings), reverse=True)
    options: dict[str, Option] = {}
    for settings in ranked:
        for name in settings.names:
            is_live = name in kind.settings or (settings is ranked[0] and settings.adds(name, kind.settings))
            if name not in options and is_live:
                options[name] = _option(settings, name, kind, schemas)
    return [*options.values()]


def _option(settings: _Settings, name: str, kind: ProductType, schemas: Schemas) -> Option:
    said, required = settings.about(name)
    return read_setting(documented_bounds(kind, name), said, schemas, required=required)


# Where settings are


def _places(entry: Any, schemas: Schemas, also_kept_schemas: bool) -> Iterator[_Place]:
    """Where settings may be, the outer places first."""
    waiting: deque[tuple[Any, tuple[Any, ...], tuple[_Form, ...]]] = deque([(entry, (), ())])
    looked_at: set[tuple[int, tuple[_Form, ...]]] = set()
    for _node in range(_MOST_NODES):
        if not waiting:
            return
        value, path, forms = waiting.popleft()
        # What is said outside of a form is said in it, too.
        if len(path) + len(forms) > _DEEPEST or any((id(value), forms[:n]) in looked_at for n in range(len(forms) + 1)):
            continue
        looked_at.add((id(value), forms))
        if isinstance(value, list) or (value and all(str(name).isdigit() for name in value)):
            for column, rows in _rows(value if isinstance(value, list) else [*value.values()]):
                yield _Place((*path, column), forms, rows, certain=all(map(are_rules, rows.values())))
        parts: dict[str, list[tuple[tuple[_Form, ...], Any]]] = {}
        if isinstance(value, Mapping):
            parts = dict(_composed(value, schemas))
            for kind, said, required, certain in _mapped(value, parts):
                yield _Place((*path, kind), forms, said, required, certain)
        waiting += [(part, path, (*forms, *form)) for each in parts.values() for form, part in each if _holds(part)]
        for name, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            is_schemas = name in _SCHEMAS and not isinstance(item, list) and not also_kept_schemas
            if name not in parts and _holds(item) and not is_schemas and fold(name) not in _SHOWN:
                waiting.append((item, (*path, name), forms))


def _holds(value: Any) -> bool:
    return isinstance(value, (Mapping, list))


def _composed(value: Mapping[Any, Any], schemas: Schemas) -> Iterator[tuple[str, list[tuple[tuple[_Form, ...], Any]]]]:
    """The members of a schema that hold further schemas of the same settings, each with the form that it is."""
    if isinstance(value.get("$ref"), str):
        yield "$ref", [((), schemas.resolve(value))]
    if isinstance(value.get("allOf"), list):
        yield "allOf", [((), part) for part in value["allOf"]]
    alternatives = {name: value[name] for name in ("oneOf", "anyOf", "matches") if isinstance(value.get(name), list)}
    targets = value["discriminator"].get("mapping") if isinstance(value.get("discriminator"), Mapping) else None
    if isinstance(targets, Mapping) and not alternatives:
        alternatives["discriminator"] = [schemas.resolve({"$ref": target}) for target in targets.values()]
    if "then" in value or "else" in value:
        alternatives["then"] = [value.get("then", {}), value.get("else", {})]
        alternatives["else"] = []
    alternatives |= {name: [value[name], {}] for name in ("if", "not") if name in value}
    for name, parts in alternatives.items():
        objects = [part for part in parts if isinstance(part, Mapping) and _may_be_object(part)]
        count = len(objects)
        forms = [(_Form((id(value), name), number, count),) if count > 1 else () for number in range(count)]
        yield name, [*zip(forms, objects, strict=True)]
    for name in ("dependentSchemas", "dependencies"):
        if isinstance(value.get(name), Mapping):
            yield name, [((_Form(id(part), 0, 2),), part) for part in value[name].values()]


def _may_be_object(schema: Mapping[Any, Any]) -> bool:
    types = [kind for kind in (schema.get("type"), *as_list(schema.get("type"))) if isinstance(kind, str)]
    return not types or not _NO_OBJECTS.issuperset(types)


def _mapped(
    value: Mapping[Any, Any], composed: Collection[str]
) -> Iterator[tuple[str, Mapping[str, Any], frozenset[str], bool]]:
    """The settings of a mapping: of its sections together, and its own, with those required and whether it is certain.

    Its ``composed`` members are no settings.
    """
    none = frozenset[str]()
    said: dict[str, dict[Any, Any]] = {}
    for section, part in value.items():
        for name, rules in part.items() if isinstance(part, Mapping) and fold(section) in _SECTIONS else ():
            if _bare(name) in DOCUMENTED_SETTINGS:
                said.setdefault(_bare(name), {})[section] = rules
    if any(len(each) > 1 for each in said.values()):
        yield "sections", said, none, False
    properties = value.get("properties")
    if isinstance(properties, Mapping) and properties:
        required = frozenset(name for name in as_list(value.get("required")) if isinstance(name, str))
        yield "properties", {_bare(name): rules for name, rules in properties.items()}, required, True
    # The keys may also be rules or sections, and so what is said of one setting.
    of_one = all(rule_word(name) in RULES or fold(name) in _SECTIONS for name in value)
    own = {_bare(name): rules for name, rules in value.items() if name not in composed}
    yield "own", own, none, not of_one and all(map(are_rules, own.values()))


def _rows(items: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
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
            yield column, said


def _flat(item: Mapping[Any, Any]) -> dict[Any, Any]:
    """An object, with the members of an inner one that holds its name: ``{"id": 7, "attributes": {"name": …}}``."""
    inner = [part for part in item.values() if isinstance(part, Mapping) and any(fold(name) in _NAMES for name in part)]
    return {**(inner[0] if len(inner) == 1 else {}), **item}


def _bare(name: Any) -> str:
    return str(name).rpartition(".")[2]


# What is no list of settings


def _mentioned(entry: Any) -> dict[str, Any]:
    """The documented names that stand anywhere in an entry, each with what is around it."""
    found: dict[str, Any] = {}
    waiting: deque[tuple[Any, Any]] = deque([(entry, entry)])
    for _node in range(_MOST_NODES):
        if not waiting:
            break
        value, around = waiting.popleft()
        if isinstance(value, str):
            if _bare(value) in DOCUMENTED_SETTINGS:
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
        if isinstance(value, list):
            waiting += [(name, item) for item in value]
        elif isinstance(value, Mapping):
            # What a schema says of itself: ``$schema``, ``$$strict``, ``~standard``.
            value = {
                name: item for name, item in value.items() if name == "$ref" or not str(name).startswith(_OF_ITSELF)
            }
            waiting += value.items()
        # The settings may be at another address.
        elif name in ("$ref", "href", "url") or (value and not isinstance(value, (str, bool))):
            return False
        empty |= value in (None, [], {}) or (name == "additionalProperties" and value is False)
    return empty and not waiting
