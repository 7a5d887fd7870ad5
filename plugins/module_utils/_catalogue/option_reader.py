# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the settings in a product's ``options`` entry (API specification 2.1, 2.5 and 4.2).

The API specification says that the entry lists the settings with their rules, value mappings and allowed values, and
not how. They are looked for where they are plainly listed: in a mapping by name, among the properties of a JSON Schema,
or in a list of objects with a name. A rule holds where it is said plainly: of what stands among alternatives or under a
condition, or is said differently at two places, only the names are read. What is said within a setting, such as a rule
or a choice, is no setting. References are not followed.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.text import fold, is_uuid, json_in, words
from .._product_types.product_type import ProductType
from .._product_types.registry import DOCUMENTED_SETTINGS, PRODUCT_TYPES
from .._service.openapi_document import as_list
from .option import Option
from .option_rules import HOLDERS, RULES, SILENT, are_rules, documented_rule, read_option

#: Parts of an entry that are read, and how deep.
_MOST_NODES, _DEEPEST = 5000, 10
#: A part with more members is not read as one of settings.
_MOST_SETTINGS = 1000
#: What these hold is shown to people, entered by them, or kept to be referred to.
_LEFT_OUT = words(
    "messages labels hints placeholders examples example formdata defaults uischema defs definitions components flags"
)
#: Elements that hold the name of a setting, where the settings are a list.
_NAMES = ("name", "key", "field", "property", "setting", "code", "id", "slug", "identifier", "attribute", "parameter")
#: Where keys are all of these, they say something of one setting.
_WORDS = HOLDERS | SILENT | RULES.keys()
#: What these hold are alternatives, or conditions.
_ALTERNATIVES = words("oneof anyof not if then else dependentschemas dependencies discriminator matches")
_COMPOSED = _ALTERNATIVES | words("allof ref properties")
_NAME = re.compile(r"(?![0-9]*\Z)[\w.-]{1,100}")


class _Place(NamedTuple):
    """A place in an entry: the rules of settings by name, and the names that are required beside them.

    ``plain``: its rules hold for every order.
    """

    rules: Mapping[str, Any]
    required: frozenset[str] = frozenset()
    plain: bool = True

    def rank(self, names: Mapping[str, Any]) -> tuple[int, int]:
        """The number of these names that are here, and of those that have rules."""
        here = [name for name in self.rules if name in names]
        return len(here), sum(are_rules(self.rules[name]) for name in here)

    def adds(self, name: str) -> bool:
        """Return whether a name that is none of the product type's settings is a setting all the same."""
        if name in DOCUMENTED_SETTINGS:
            # In one of several forms, it is another product type's.
            return self.plain
        rules = self.rules[name]
        is_one = not rules or (
            are_rules(rules) and not any(inner in DOCUMENTED_SETTINGS for inner, _part in _parts(rules))
        )
        return is_one and bool(_NAME.fullmatch(name))


def read_options(entry: Any, product_type: ProductType | None = None) -> tuple[ProductType, list[Option] | None]:
    """A product type, and the settings that an ``options`` entry lists for it, ``None`` where nothing looks like any.

    The type is the given one, otherwise that which most of the names in the entry belong to.
    """
    # It may be a column of a database that is passed on as it is.
    parsed = json_in(entry)
    entry = entry if parsed is None else parsed
    places = [*_agreeing([*_places(entry)])]
    named = {name for place in places for name in place.rules}
    kind = product_type or max(PRODUCT_TYPES.values(), key=lambda candidate: len(named & candidate.settings.keys()))
    options = []
    for name, place in _placed(places, kind).items():
        rules = place.rules[name] if place.plain else None
        is_required = place.plain and name in place.required
        options.append(read_option(name, documented_rule(kind, name), rules, required=is_required))
    if options:
        return kind, options
    # Where only the names can be read, nothing is enforced.
    names = [name for name in texts_in(entry) if name in DOCUMENTED_SETTINGS]
    return kind, [*map(Option, names)] if names or _is_empty(entry) else None


def texts_in(entry: Any) -> dict[str, None]:
    """All names and texts in an entry, each once: what is none of them is no setting of the product."""
    return dict.fromkeys(_bare(text) for part in _parts(entry) for text in part if isinstance(text, str))


def _placed(places: Sequence[_Place], kind: ProductType) -> dict[str, _Place]:
    """The settings of a product type, each at its most telling place, and what else surely is one at the best of these.

    Without any of them, those of the outermost place of which each name surely is one.
    """
    ranked = sorted(places, key=lambda place: (place.plain, place.rank(kind.settings)), reverse=True)
    best = max(ranked, key=lambda place: place.rank(kind.settings), default=_Place({}))
    if not best.rank(kind.settings)[0]:
        best = next((place for place in places if place.rules and all(map(place.adds, place.rules))), _Place({}))
    placed: dict[str, _Place] = {}
    for place in ranked:
        for name in place.rules:
            if name in kind.settings or (place is best and place.adds(name)):
                placed.setdefault(name, place)
    return placed


def _places(entry: Any) -> Iterator[_Place]:
    """The places where settings may be, the outer ones first."""
    waiting, left = deque([(entry, True, _DEEPEST)]), _MOST_NODES
    while waiting and left:
        value, plain, depth = waiting.popleft()
        left -= 1
        if not isinstance(value, (Mapping, list)) or len(value) > _MOST_SETTINGS:
            continue
        if isinstance(value, Mapping) and all(str(name).isdigit() for name in value):
            # A list with gaps, as PHP writes it.
            value = [*value.values()]
        yield from (place._replace(plain=plain) for place in _listed(value))
        for name, item in _inner(value) if depth else ():
            word = fold(name)
            if not _is_setting(name, item, in_list=isinstance(value, list)) and (
                word not in _LEFT_OUT or isinstance(item, list)
            ):
                waiting.append((item, plain and word not in _ALTERNATIVES, depth - 1))


def _is_setting(name: str, value: Any, *, in_list: bool) -> bool:
    """Return whether these are the rules of one setting, so that no settings are in them."""
    is_composed = isinstance(value, Mapping) and any(fold(inner) in _COMPOSED for inner in value)
    return (in_list or name in DOCUMENTED_SETTINGS) and are_rules(value) and not is_composed


def _agreeing(places: Sequence[_Place]) -> Iterator[_Place]:
    """The places, of which those are not plain that have other rules of a setting than another one."""
    different: dict[str, list[Any]] = {}
    for name, rules in ((name, rules) for place in places if place.plain for name, rules in place.rules.items()):
        if name in DOCUMENTED_SETTINGS and are_rules(rules) and rules not in different.setdefault(name, []):
            different[name].append(rules)
    for place in places:
        yield place._replace(plain=place.plain and not any(len(different.get(name, ())) > 1 for name in place.rules))


def _listed(value: Mapping[Any, Any] | list[Any]) -> Iterator[_Place]:
    """The settings of a mapping, of its properties and of its keys, or of a list of objects."""
    if isinstance(value, list):
        yield from _named(value)
        return
    properties = value.get("properties")
    if isinstance(properties, Mapping) and 0 < len(properties) <= _MOST_SETTINGS:
        required = frozenset(name for name in as_list(value.get("required")) if isinstance(name, str))
        yield _Place({_bare(name): rules for name, rules in properties.items()}, required)
    if any(fold(name) not in _WORDS for name in value):
        yield _Place({_bare(name): rules for name, rules in value.items() if fold(name) not in _COMPOSED})


def _named(rows: list[Any]) -> Iterator[_Place]:
    """The settings of a list of objects, by the element that holds their names: that with the most documented ones."""
    columns = [_column(rows, name) for name in _NAMES] if all(isinstance(row, Mapping) for row in rows) else []
    full = (column for column in columns if column and len(column) == len(rows))
    best = max(full, key=lambda column: len(column.keys() & DOCUMENTED_SETTINGS), default=None)
    if best is not None:
        yield _Place(best)


def _column(rows: list[Any], element: str) -> dict[str, Any]:
    """The members of objects by the names in this element of them."""
    keys = [(row, key) for row in rows for key in row if fold(key) == element]
    named = [(row, key) for row, key in keys if isinstance(row[key], str) and row[key] and not is_uuid(row[key])]
    return {_bare(row[key]): {name: item for name, item in row.items() if name != key} for row, key in named}


def _bare(name: Any) -> str:
    """The last part of a path such as ``settings.ram``."""
    return str(name).rpartition(".")[2]


def _is_empty(entry: Any) -> bool:
    """Return whether an entry lists no settings: it is empty, or all that it holds is."""
    parts = [value for _name, value in _inner(entry) if isinstance(value, (Mapping, list))]
    closed = isinstance(entry, Mapping) and entry.get("additionalProperties") is False
    return not entry or (not any(parts) and (bool(parts) or closed))


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
