# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Leaves parts out of values, by their paths. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

Steps: TypeAlias = Sequence[str | int]


def without(value: Any, paths: Collection[Steps]) -> Any:
    """A copy of a value without the elements of mappings at these paths."""
    deeper = _by_step(paths)
    if isinstance(value, Mapping):
        return {
            name: without(item, deeper.get(str(name), []))
            for name, item in value.items()
            if () not in deeper.get(str(name), [])
        }
    if isinstance(value, list):
        return [without(item, deeper.get(at, [])) for at, item in enumerate(value)]
    return value


def _by_step(paths: Collection[Steps]) -> dict[str | int, list[Steps]]:
    """The rest of each path, by its first step."""
    deeper: dict[str | int, list[Steps]] = {}
    for path in paths:
        if path:
            deeper.setdefault(path[0], []).append(tuple(path[1:]))
    return deeper


def value_at_path(value: Any, path: Steps) -> Any:
    """The value at an existing path."""
    for step in path:
        value = value[step]
    return value
