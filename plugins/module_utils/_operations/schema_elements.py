# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follows a value through its published schemas: what it means, and where secrets and unknown elements are. Pure.

Follows references and compositions within the document, however they refer to themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from .._checks.coercion import Unfit, scalar
from .._core.errors import PublishedReferenceError
from .._reference.schemas import Described, Schemas
from .._secrets.names import is_secret_name
from .._secrets.needles import MASK

Path: TypeAlias = "tuple[str | int, ...]"
#: How deep values are followed.
_DEPTH = 40


class Walk:
    """One walk through a value beside the schemas of it. Schemas that are too many or too deep say nothing.

    ``value`` is what is meant by it: numbers and booleans where the schemas allow no string, because templates make
    strings. Below ``texts``, where all is sent as text, also strings for numbers: 41 is what YAML makes of the text.
    ``secrets`` are the secrets in it by their places, by the schemas (``format: password``, ``writeOnly``) and by
    names. ``unknown`` are the places of elements that no schema names, each with the names that there are. Below
    ``partial``, no element is required.
    """

    def __init__(
        self,
        schemas: Schemas,
        nodes: Sequence[Any],
        value: Any,
        texts: Collection[Path] = (),
        partial: Collection[Path] = (),
    ) -> None:
        self.secrets: dict[Path, Any] = {}
        self.unknown: dict[Path, list[str]] = {}
        self.schemas = schemas
        self._texts = texts
        self._partial = partial
        self._objects: dict[int, tuple[Described, Path]] = {}
        self.value = self._meant(nodes, value, ())

    def may_lack(self, holder: Mapping[str, Any], name: str) -> bool:
        """Whether a mapping in ``value`` need not have a required element, as one that only the service sets."""
        found, path = self._objects.get(id(holder), (Described(), ()))
        return is_within(path, self._partial) or self._described(found.properties.get(name, [])).read_only

    def _described(self, nodes: Sequence[Any]) -> Described:
        try:
            return self.schemas.described(nodes)
        except PublishedReferenceError:
            return Described()

    def _meant(self, nodes: Sequence[Any], value: Any, path: Path) -> Any:
        found = self._described(nodes) if len(path) < _DEPTH else Described()
        marked = found.secret and not isinstance(value, (Mapping, list))
        if value is not None and not isinstance(value, bool) and (marked or (path and is_secret_name(str(path[-1])))):
            self.secrets[path] = value
        if isinstance(value, Mapping):
            elements = {str(name): item for name, item in value.items()}
            if found.lists_elements and not found.describes_others:
                known = [*found.properties]
                self.unknown |= {(*path, name): known for name in elements if name not in found.properties}
            meant = {
                name: self._meant(found.properties.get(name, []), item, (*path, name))
                for name, item in elements.items()
            }
            self._objects[id(meant)] = found, path
            return meant
        if isinstance(value, list):
            return [self._meant(found.items, item, (*path, at)) for at, item in enumerate(value)]
        if isinstance(value, str) and found.types and "string" not in found.types and not found.enum:
            return _converted(value, found.types)
        is_number = type(value) in (int, float) and is_within(path, self._texts)
        if is_number and "string" in found.types and not found.types & {"integer", "number"}:
            return str(value)
        return value


def _converted(text: str, types: set[str]) -> Any:
    for name in ("integer", "boolean"):
        if name in types:
            meant = scalar((name,), text)
            return text if isinstance(meant, Unfit) else meant
    with suppress(ValueError):
        if "number" in types:
            return float(text) if any(mark in text for mark in ".eE") else int(text)
    return text


def hide(value: Any, places: Collection[Path], path: Path = ()) -> Any:
    """A copy of a value with these places masked."""
    if path in places:
        return MASK
    if isinstance(value, Mapping):
        return {name: hide(item, places, (*path, str(name))) for name, item in value.items()}
    return [hide(item, places, (*path, at)) for at, item in enumerate(value)] if isinstance(value, list) else value


def is_within(path: Path, places: Collection[Path]) -> bool:
    """Whether a path is one of these places, or leads into one."""
    return any(path[:length] in places for length in range(len(path) + 1))


def path_text(path: Path) -> str:
    """A path as in messages: ``body.keys[0].label``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
