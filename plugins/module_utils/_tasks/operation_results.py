# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports an operation: result keys, diff and errors. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.conditions import MISSING, value_at
from .._core.errors import ResellerError, ServiceError
from .._core.text import as_yaml
from .._operations.requests import Prepared
from .._operations.schema_elements import Path, body_path
from .._placing.outcomes import SendResult


class NotDoneError(ResellerError):
    """An operation was not done, or it is unknown whether it was."""


def base_result(prepared: Prepared) -> dict[str, Any]:
    """The result of an operation that was not sent and changes nothing."""
    return {
        "changed": False,
        "sent": False,
        "operation": prepared.operation.name,
        "request": prepared.shown,
        "status": None,
        "body": None,
        "differences": [],
        "record": None,
        "wait": None,
    }


def shown_differences(found: Sequence[Path], prepared: Prepared, shown: Any) -> list[dict[str, Any]]:
    """Both values at each of these places, with secrets masked."""
    before, after = (prepared.without_secrets(side) for side in (shown, prepared.body))
    return [{"path": body_path(path), "before": _at(before, path), "after": _at(after, path)} for path in found]


def _at(value: Any, path: Path) -> Any:
    found = value_at(value, [str(step) for step in path])
    return None if found is MISSING else found


def diff_of(before: Any, after: Any, prepared: Prepared) -> dict[str, str]:
    """Both sides of a diff as YAML, without secrets."""
    return {"before": _yaml(prepared.without_secrets(before)), "after": _yaml(prepared.without_secrets(after))}


def _yaml(side: Any) -> str:
    if side is None:
        return ""
    return as_yaml(side if isinstance(side, Mapping) else {"body": side})


def given_part(given: Any, shown: Any) -> Any:
    """The part of the shown value that has a counterpart in the given value."""
    if isinstance(given, Mapping) and isinstance(shown, Mapping):
        return {name: given_part(item, shown[name]) for name, item in given.items() if name in shown}
    return None if shown is MISSING else shown


def not_done(sent: SendResult, prepared: Prepared, *, repeatable: bool) -> ResellerError:
    """The error of an operation that was not done or is in doubt."""
    error = sent.error or ServiceError(sent.outcome.reason or f"{prepared.operation.name} was not sent.")
    if sent.status != "in_doubt":
        error.results["sent"] = sent.status != "not_sent"
        return error
    advice = (
        "This task sends it again when it is run again: look first whether it was done."
        if repeatable
        else "It is not sent again in this run. Look whether it was done, then run the task again."
    )
    return NotDoneError(
        f"It is unknown whether {prepared.operation.name} was done.\n{error.message}\n{advice}",
        **{**error.results, "sent": True, "changed": True},
    )
