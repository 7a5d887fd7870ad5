# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a product's ``options`` entry of any form into a list of options (API specification 2.1, 2.5 and 4.2).

The document says that the entry lists the settings with their rules, value mappings and allowed values, and not how.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._core.text import brief, fold, words
from .._product_types.registry import PRODUCT_TYPES
from .evidence import DOCUMENTED
from .option import Option
from .places import Place, documented_names, places
from .rule_reader import Reader
from .vocabulary import CONTAINERS, DESCRIPTIVE, FORMATS, RULES, TYPES, is_known, is_rule_word, word_of

_WRAPPERS = words(
    "settings fields options member hydramember parameters inputs elements schema form data children formfields "
    "configurableoptions configoptions properties items list jsonschema shape keys definitions defs components "
    "actions post"
)
_NONE: tuple[Any, ...] = (None, [], {})
#: Rules of a JSON Schema about several settings.
_FOR_ALL = words("allOf anyOf oneOf not if dependencies dependentRequired dependentSchemas minProperties maxProperties")
_RESERVED = (_WRAPPERS | CONTAINERS | TYPES.keys() | RULES.keys()) - FORMATS.keys()


def read_options(entry: Any) -> list[Option] | None:
    """The options that an ``options`` entry lists, ``None`` where nothing looks like any.

    Rules that are not enforced are in ``Option.unclear``. An empty entry, also ``null``, lists none.
    """
    if entry in _NONE:
        return []
    found = places(entry)
    most = max((len(place.documented) for place in found), default=0)
    if most:
        return _together(found, [place for place in found if 2 * len(place.documented) > most])
    for place in found:
        options = _undocumented(place)
        if options:
            return options
    return [] if _lists_none(entry) else None


def _together(found: Sequence[Place], candidates: Sequence[Place]) -> list[Option]:
    """The options of the place that says most of documented names, with what is said of them beside it."""
    best = candidates[0]
    if len(candidates) > 1:
        best = max(candidates, key=lambda place: (_told(place.documented, _read(place, {})), len(place.documented)))
    names = set(best.documented)
    others: list[Place] = []
    aspects: dict[str, list[Any]] = {}
    for place in found:
        if not place.documented or not place.is_beside(best) or not all(map(place.is_beside, others)):
            continue
        if names.isdisjoint(place.documented):
            # Another group of settings of the same product type.
            together = frozenset(names | place.documented)
            is_alike = len(place.path) == len(best.path) and place.is_keyed is best.is_keyed
            if is_alike and documented_names([*together]) == together:
                others.append(place)
                names |= place.documented
        else:
            _add_aspect(place, aspects)
    options = [option for place in (best, *others) for option in _read(place, aspects)]
    return _without_contradictions(options)


def _add_aspect(place: Place, aspects: dict[str, list[Any]]) -> None:
    """What a place beside the settings says of them: its key is the rule, as in ``{"defaults": {"ram": 1024}}``."""
    word = fold(place.word)
    for name, said in place.pairs:
        if said is None and word in ("required", "optional"):
            aspects.setdefault(name, []).append({word: True})
        elif (is_known(word) or is_known(word.removesuffix("s")) or word in CONTAINERS) and said is not None:
            word = word if is_known(word) or word in CONTAINERS else word.removesuffix("s")
            aspects.setdefault(name, []).append({word: said})


def _told(names: frozenset[str], options: Sequence[Option]) -> tuple[int, int]:
    """Of how many of these settings something is understood, and how much."""
    told = [
        len(option.schema) + bool(option.choices) + (option.required is not None)
        for option in options
        if option.name in names and _is_understood(option)
    ]
    return len(told), sum(told)


def _is_understood(option: Option) -> bool:
    return bool(option.schema or option.choices or option.required is not None)


def _read(place: Place, aspects: Mapping[str, Sequence[Any]]) -> list[Option]:
    """The settings of a place: the documented ones, and others of which something is understood."""
    readers: dict[str, Reader] = {}
    # A list with several rows for a setting is one of constraints.
    names = [name for name, _said in place.pairs]
    is_constraints = not place.is_keyed and len(set(names)) < len(names)
    for name, said in place.pairs:
        if place.is_keyed and name not in DOCUMENTED and _is_no_setting(name, said):
            continue
        if said is None and place.word in ("required", "optional"):
            said = {place.word: True}
        readers.setdefault(name, Reader(name, place.around)).read(
            [said] if is_constraints else said, is_row=not place.is_keyed
        )
    for name in [*readers, *(name for name in aspects if name in place.documented)]:
        for said in aspects.get(name, ()):
            readers.setdefault(name, Reader(name, place.around)).read(said)
    _require(place, readers)
    options = [reader.option() for reader in readers.values()]
    return [
        option
        for option in options
        if not place.is_keyed or option.name in DOCUMENTED or _is_understood(option) or not option.unclear
    ]


def _require(place: Place, readers: dict[str, Reader]) -> None:
    """JSON Schema lists the names of the required settings beside their properties."""
    holder = place.around[-2] if len(place.around) > 1 and place.word == "properties" else {}
    required = holder.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str):
            readers.setdefault(name, Reader(name, place.around)).required = True
    for name in _FOR_ALL & holder.keys() if readers else ():
        next(iter(readers.values())).doubt(f"for all settings together, {name}: {brief(holder[name])}")


def _is_no_setting(name: str, said: Any) -> bool:
    """Whether a key beside settings, or instead of them, is rather a word of the entry itself."""
    word = word_of(name)
    if name.startswith(("@", "$", "_")):
        return True
    if isinstance(said, str) and is_rule_word(said):
        return word in _RESERVED and not re.search("[|:]", said)
    return not isinstance(said, Mapping) and (word in _RESERVED or is_known(word) or word in DESCRIPTIVE)


def _undocumented(place: Place) -> list[Option]:
    """The options of a place without any documented name, if it reads as rules throughout."""
    if place.is_keyed and place.word != "properties":
        told = [(name, said) for name, said in place.pairs if not name.startswith(("@", "$"))]
        if not told or any(
            _is_no_setting(name, said) or (isinstance(said, Mapping) and word_of(name) in _RESERVED | DESCRIPTIVE)
            for name, said in told
        ):
            return []
    if place.path and not any(said for _name, said in place.pairs):
        # Bare words somewhere inside, such as media types.
        return []
    options = _read(place, {})
    return options if any(map(_is_understood, options)) or not any(option.unclear for option in options) else []


def _lists_none(entry: Any) -> bool:
    """Whether an entry says that there are no settings, such as ``{"type": "object", "properties": {}}``."""
    if not isinstance(entry, Mapping):
        return False
    told = {fold(name): value for name, value in entry.items()}
    held = [value for name, value in told.items() if name in _WRAPPERS]
    inner = [value for value in held if value not in _NONE]
    return (bool(held) or told.get("type") == "object") and all(map(_lists_none, inner))


def _without_contradictions(options: list[Option]) -> list[Option]:
    """Settings of which the API specification requires exactly one are not all required."""
    required = {option.name for option in options if option.required}
    impossible: set[str] = set()
    for kind in PRODUCT_TYPES.values():
        for group in kind.schema.get("allOf", ()):
            alternatives = {each["required"][0] for each in group["oneOf"]}
            impossible |= alternatives if alternatives <= required else set()
    return [
        replace(option, required=False, unclear=(*option.unclear, "required")) if option.name in impossible else option
        for option in options
    ]
