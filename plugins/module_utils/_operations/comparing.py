# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the values of a task with what a read shows, and shows what differs. Pure.

Only what is given is compared (``subset``): services add elements of their own. A list is compared entry by entry, in
its order; another number of entries is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from .._core.conditions import same, value_at
from .._core.text import as_yaml
from .requests import Prepared
from .schema_elements import Path, path_text

Compare = Literal["subset", "exact", "none"]


def differences(given: Any, shown: Any, compare: Compare = "subset", path: Path = ()) -> Iterator[Path]:
    """Where the given and the shown value differ. With ``exact``, also the places of values that are only shown.

    ``null`` that is given equals what is not shown.
    """
    if isinstance(given, Mapping) and isinstance(shown, Mapping):
        for name, value in given.items():
            yield from differences(value, shown.get(name), compare, (*path, str(name)))
        if compare == "exact":
            yield from ((*path, str(name)) for name in shown if name not in given)
    elif isinstance(given, list) and isinstance(shown, list) and len(given) == len(shown):
        for at, (mine, theirs) in enumerate(zip(given, shown, strict=True)):
            yield from differences(mine, theirs, compare, (*path, at))
    elif not same(given, shown):
        yield path


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


def shown_differences(found: Sequence[Path], prepared: Prepared, shown: Any) -> list[dict[str, Any]]:
    """Both values at each of these places, with secrets masked."""
    sides = {"before": prepared.without_secrets(shown), "after": prepared.without_secrets(prepared.body)}
    return [
        {
            "path": path_text(("body", *path)),
            **{name: value_at(side, [*map(str, path)]) for name, side in sides.items()},
        }
        for path in found
    ]


def diff_of(before: Any, after: Any, prepared: Prepared) -> dict[str, str]:
    """Both sides of a diff as YAML, without secrets."""
    sides = {"before": prepared.without_secrets(before), "after": prepared.without_secrets(after)}
    return {
        name: "" if side is None else as_yaml(side if isinstance(side, Mapping) else {"body": side})
        for name, side in sides.items()
    }


def given_part(given: Any, shown: Any) -> Any:
    """The part of the shown value that has a counterpart in the given value."""
    if isinstance(given, Mapping) and isinstance(shown, Mapping):
        return {name: given_part(item, shown[name]) for name, item in given.items() if name in shown}
    return shown
