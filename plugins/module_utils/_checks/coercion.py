# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts values of a playbook for the schemas, and for the service (API specification 4.3).

Templating makes text of numbers and booleans, and YAML makes numbers and booleans of text. The first is undone where
the rule asks for an integer or a boolean. The second cannot be: ``012345`` has become 5349, so it is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._core.text import kind_of, truth

Path: TypeAlias = "tuple[str | int, ...]"

# Leading zeros are refused: YAML reads an unquoted 010 as 8, so it is not clear what "010" means.
_INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)\Z")
#: More digits than any setting needs, and few enough for Python to print the number (it refuses beyond 4,300).
_MOST_DIGITS = 1000
#: Beyond it a float is no longer sure to be the number that was written.
_LARGEST_EXACT = 2**53
#: Ansible evaluates values there, which takes one pair of quotes away.
_IN_INI = """ (in an INI inventory twice, as in pw='"123456"')"""
_SPACES = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True)
class Unfit:
    """Stands for a value that does not fit the type. ``note`` adds a reason to the rule."""

    note: str | None = None


def scalar(types: str | Sequence[str], value: Any) -> Any:
    """The value as one of the types string, integer, boolean and null, or Unfit. A single type may stand alone."""
    if value is None:
        return None
    if "integer" in types:
        return _integer(value)
    if "boolean" in types:
        said = truth(value)
        return Unfit() if said is None else said
    return _string(value)


def _integer(value: Any) -> int | Unfit:
    if isinstance(value, str) and len(value) <= _MOST_DIGITS and _INTEGER.match(value):
        return int(value)
    if isinstance(value, float):
        exact = value.is_integer() and abs(value) < _LARGEST_EXACT
        instead = f"write {value:.0f}" if exact else "write an integer"
        return Unfit(f"it is given as a fraction: {instead}, or in a template add | int")
    # True is an int to Python, but no integer to the schema.
    return value if isinstance(value, int) and abs(value) < 10**_MOST_DIGITS else Unfit()


def _string(value: Any) -> str | Unfit:
    if not isinstance(value, str):
        quote_it = f"YAML has read it as {kind_of(value)}: quote it{_IN_INI}"
        return Unfit(None if isinstance(value, (Mapping, list, tuple, set)) else quote_it)
    # Ansible keeps bytes that are no UTF-8 as lone surrogates.
    return value if value.isascii() or is_json(value) else Unfit("it contains bytes that are not UTF-8")


def is_json(value: Any) -> bool:
    """Return whether JSON can carry the value."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def json_object(value: Any) -> Mapping[Any, Any] | Unfit:
    """A mapping as it is, a string as the JSON object in it."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str):
        return Unfit()
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError) as error:
        if not value.strip():
            return Unfit("it is empty: leave it out")
        return Unfit(f"it is not valid JSON: {error}")
    if not isinstance(parsed, Mapping):
        return Unfit(f"its JSON is {kind_of(parsed)}")
    return parsed


def host_names(value: Any) -> list[Any] | Unfit:
    """Hostnames from a list or a string, as DNS compares them: without a trailing dot, each once."""
    if isinstance(value, str):
        value = [word for word in _SPACES.split(value) if word]
    if not isinstance(value, (list, tuple)):
        return Unfit()
    names: dict[Any, Any] = {}
    for place, name in enumerate(value):
        plain = name.removesuffix(".") if isinstance(name, str) else name
        names.setdefault(plain.lower() if isinstance(plain, str) else place, plain)
    return list(names.values())


@dataclass
class ReadSettings:
    """Settings as a schema can judge them: the documented ``members``, converted, and each value as ``given``.

    ``undocumented`` are settings that only the catalogue may know, ``unknown`` the places of other names. Nothing is
    refused here: a value that fits no type becomes Unfit.
    """

    members: dict[str, Any] = field(default_factory=dict)
    undocumented: dict[str, Any] = field(default_factory=dict)
    unknown: list[Path] = field(default_factory=list)
    given: dict[Path, Any] = field(default_factory=dict)

    def read(self, schema: Mapping[str, Any], values: Mapping[Any, Any], path: Path = ()) -> dict[str, Any]:
        """Return the documented members. One that is null counts as not given, unless its schema allows null."""
        members: dict[str, Any] = {}
        for name, value in values.items():
            name = str(name)
            place = (*path, name)
            if name in schema["properties"]:
                member = schema["properties"][name]
                if value is not None or "null" in member["type"]:
                    members[name] = self._read_value(member, value, place)
            elif value is not None:
                self.given[place] = value
                if path:
                    self.unknown.append(place)
                else:
                    self.undocumented[name] = value
        return members

    def _read_value(self, schema: Mapping[str, Any], value: Any, path: Path) -> Any:
        self.given[path] = value
        # One type or a list of them; none is a part of the name of another.
        types = schema["type"]
        if "object" in types:
            members = json_object(value)
            return members if isinstance(members, Unfit) else self.read(schema, members, path)
        if "array" in types:
            items = host_names(value)
            if isinstance(items, Unfit):
                return items
            return [self._read_value(schema["items"], item, (*path, place)) for place, item in enumerate(items)]
        return scalar(types, value)
