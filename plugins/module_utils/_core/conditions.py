# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conditions on a JSON value (``{pointer: /status, equals | in | exists: …}``), and JSON pointers. Pure.

A pointer is one of RFC 6901. ``null`` counts as not there: a service shows so what it does not know yet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .errors import ConfigurationError
from .text import brief, clean

_BROKEN_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def steps_of(pointer: str, place: str) -> tuple[str, ...]:
    """The steps of a JSON pointer; none for ``""``, the whole value.

    Raises ConfigurationError, which names ``place``.
    """
    if (pointer and not pointer.startswith("/")) or _BROKEN_ESCAPE.search(pointer):
        raise ConfigurationError(
            f"{place}: {clean(pointer, 60)!r} is not a JSON pointer. Nothing was sent.\n"
            "A pointer (RFC 6901) has a slash before each step, as in /status. Write ~0 for a tilde and ~1 for a slash "
            "that belongs to a name."
        )
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointer_to(steps: Sequence[str]) -> str:
    """The JSON pointer that has these steps."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def value_at(value: Any, steps: Sequence[str]) -> Any:
    """The value at a pointer's steps, or ``None``."""
    found, missing = _followed(value, steps)
    return None if missing else found


def is_there(value: Any, steps: Sequence[str]) -> bool:
    """Whether a value has this place, or may get it: what is ``null`` may be filled, and a list may get longer."""
    found, missing = _followed(value, steps)
    return not missing or found is None or (isinstance(found, list) and _INDEX.fullmatch(missing[0]) is not None)


def _followed(value: Any, steps: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """The value that the steps lead to, and the first step that it does not have with those behind it."""
    for at, step in enumerate(steps):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return value, steps[at:]
    return value, ()


class Condition(NamedTuple):
    """A condition on one place of a JSON value: one of the ``wanted`` values is there, or whether any ``exists``."""

    steps: tuple[str, ...]
    wanted: Sequence[Any]
    exists: bool | None = None

    def holds(self, value: Any) -> bool:
        """Whether a JSON value meets the condition."""
        shown = value_at(value, self.steps)
        if self.exists is not None:
            return self.exists is (shown is not None)
        return any(same(wanted, shown) for wanted in self.wanted)


def same(wanted: Any, shown: Any) -> bool:
    """Whether a value is the wanted one. YAML numbers and booleans equal their strings in JSON.

    A template gives ``"4"`` where 4 is meant, and a service may show ``"4"`` for 4.
    """
    if wanted is None or shown is None:
        return wanted is shown
    if isinstance(wanted, (Mapping, list)) or isinstance(shown, (Mapping, list)):
        return type(wanted) is type(shown) and json.dumps(wanted, sort_keys=True) == json.dumps(shown, sort_keys=True)
    if _is_number(wanted) and _is_number(shown):
        return bool(wanted == shown)
    return _text(wanted) == _text(shown)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def read_conditions(value: Any, place: str) -> tuple[Condition, ...]:
    """The conditions in an option (``place``), as a list or a single one.

    Raises ConfigurationError that names the entry and what is wrong with it.
    """
    entries = value if isinstance(value, list) else [value]
    found = tuple(_condition(entry, f"{place}[{at}]") for at, entry in enumerate(entries))
    if not found:
        raise ConfigurationError(
            f"{place} is empty. Nothing was sent.\n"
            "Give at least one condition, for example {pointer: /status, equals: active}."
        )
    return found


def _condition(entry: Any, place: str) -> Condition:
    given = entry if isinstance(entry, Mapping) else {}
    said = {name: value for name, value in given.items() if value is not None or name not in ("equals", "in", "exists")}
    pointer, wanted, exists = said.pop("pointer", None), (), None
    if said.keys() == {"exists"}:
        exists = {"true": True, "false": False}.get(str(said["exists"]).lower())
    elif said.keys() == {"equals"} or (said.keys() == {"in"} and isinstance(said["in"], list)):
        wanted = tuple(said.get("in", said.values()))
    if not isinstance(pointer, str) or not (wanted or exists is not None):
        raise ConfigurationError(
            f"{place} is not a condition: {brief(entry, 60)}. Nothing was sent.\n"
            "It has a pointer and one of equals, in (a list), exists (a boolean): {pointer: /status, equals: active}."
        )
    return Condition(steps_of(pointer, place), wanted, exists)
