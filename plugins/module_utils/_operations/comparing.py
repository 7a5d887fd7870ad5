# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the values of a task with what a read shows. Pure.

Only what is given is compared (``subset``): services add elements of their own. A list is compared entry by entry, in
its order; another number of entries is a difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .._core.conditions import MISSING, same, value_at
from .schema_elements import Path, body_path

Compare = Literal["subset", "exact", "none"]


@dataclass(frozen=True)
class Difference:
    """One value that differs. ``MISSING`` stands for a missing value."""

    path: Path
    shown: Any
    given: Any

    def as_dict(self) -> dict[str, Any]:
        """The entry of ``differences``."""
        before, after = (None if value is MISSING else value for value in (self.shown, self.given))
        return {"path": body_path(self.path), "before": before, "after": after}


def differences(given: Any, shown: Any, compare: Compare = "subset", path: Path = ()) -> Iterator[Difference]:
    """The differences between the given and the shown value. With ``exact``, also values that are only shown.

    ``null`` that is given equals what is not shown.
    """
    if isinstance(given, Mapping) and isinstance(shown, Mapping):
        for name, value in given.items():
            yield from differences(value, shown.get(name, MISSING), compare, (*path, str(name)))
        if compare == "exact":
            yield from (
                Difference((*path, str(name)), value, MISSING) for name, value in shown.items() if name not in given
            )
    elif isinstance(given, list) and isinstance(shown, list) and len(given) == len(shown):
        for at, (mine, theirs) in enumerate(zip(given, shown, strict=True)):
            yield from differences(mine, theirs, compare, (*path, at))
    elif not _equal(given, shown):
        yield Difference(path, shown, given)


def _equal(given: Any, shown: Any) -> bool:
    if given is None or shown is None or given is MISSING or shown is MISSING:
        return given in (None, MISSING) and shown in (None, MISSING)
    return same(given, shown)


def shown_object(body: Any, given: Any, steps: Sequence[str] | None) -> Any:
    """The part of a response to compare: the value at ``steps``, otherwise the object with the given elements.

    That is the answer itself, or the only object in it that has any of the given elements, as in ``{"data": {…}}``.
    """
    if steps is not None:
        return value_at(body, steps)
    if not isinstance(body, Mapping) or not isinstance(given, Mapping) or any(name in body for name in given):
        return body
    inner = [item for item in body.values() if isinstance(item, Mapping) and any(name in item for name in given)]
    return inner[0] if len(inner) == 1 else body


def without(value: Any, paths: Collection[Path]) -> Any:
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


def _by_step(paths: Collection[Path]) -> dict[str | int, list[Path]]:
    """The rest of each path, by its first step."""
    deeper: dict[str | int, list[Path]] = {}
    for path in paths:
        if path:
            deeper.setdefault(path[0], []).append(tuple(path[1:]))
    return deeper
