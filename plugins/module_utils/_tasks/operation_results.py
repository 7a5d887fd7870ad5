# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports an operation: result keys, diff and errors. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .._core.conditions import MISSING
from .._core.errors import ResellerError, ServiceError
from .._core.tables import as_yaml
from .._ledger.operation_records import shown_operation
from .._ledger.order_records import Record
from .._operations.comparing import Difference
from .._operations.requests import Prepared
from .._placing.outcomes import SendResult
from .._secrets.echoes import MASK
from .._secrets.masker import hide, masked


class NotDoneError(ResellerError):
    """An operation was not done, or it is unknown whether it was."""


def base_result(prepared: Prepared, secrets: Collection[str]) -> dict[str, Any]:
    """The result of an operation that was not sent and changes nothing."""
    return {
        "changed": False,
        "sent": False,
        "operation": prepared.operation.name,
        "request": prepared.shown(secrets),
        "status": None,
        "body": None,
        "differences": [],
        "record": None,
        "wait": None,
    }


def sent_result(sent: SendResult, body: Any) -> dict[str, Any]:
    """The values that the response of a successful operation adds. ``body`` is without secrets."""
    status = None if sent.answer is None else sent.answer.status
    return {"changed": True, "sent": True, "status": status, "body": body}


def recorded_operation(record: Record | None) -> dict[str, Any]:
    """The values that the ledger adds for a named operation."""
    return {"record": None if record is None else shown_operation(record)}


def shown_differences(
    found: Sequence[Difference], prepared: Prepared, secrets: Collection[str]
) -> list[dict[str, Any]]:
    """The differences, with secrets masked."""
    shown = []
    for each in found:
        entry = each.as_dict()
        hidden = any(tuple(each.path[: len(path)]) == tuple(path) for path in prepared.secret_paths)
        named = masked({str(each.path[-1]) if each.path else "": entry["before"]}, named=secrets)
        if hidden or MASK in named.values():
            entry |= {name: None if entry[name] is None else MASK for name in ("before", "after")}
        else:
            depth = len(each.path)
            inner = [tuple(path[depth:]) for path in prepared.secret_paths if tuple(path[:depth]) == each.path]
            entry |= {name: masked(hide(entry[name], inner), named=secrets) for name in ("before", "after")}
        shown.append(entry)
    return shown


def diff_of(before: Any, after: Any, prepared: Prepared, secrets: Collection[str]) -> dict[str, str]:
    """Both sides of a diff as YAML, without secrets."""
    sides = (masked(hide(side, prepared.secret_paths), named=secrets) for side in (before, after))
    texts = [_yaml(side) for side in sides]
    return {"before": texts[0], "after": texts[1]}


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
