# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds responses with a success status that report an error (API specification 7 does not show errors). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .contract_ids import holders

_SAYS_SUCCESS = ("success", "ok")
_SAYS_FAILURE = ("error", "errors", "violations")
_FAILURES = frozenset({"error", "errors", "fail", "failed", "failure"})


def contradictions(body: Any) -> Iterator[str]:
    """Parts of a body or its envelopes that report a failed request, whatever the status is."""
    for record in holders(body):
        for name in _SAYS_SUCCESS:
            if record.get(name) is not None and str(record[name]).strip().lower() in ("false", "0", "no", ""):
                yield f"{name} in it is false"
        for name in _SAYS_FAILURE:
            if _says_something(record.get(name)):
                yield f"{name} in it is not empty"
        for name in ("status", "statuscode"):
            value = record.get(name)
            if isinstance(value, str) and value.strip().lower() in _FAILURES:
                yield f"{name} in it is {value.strip().lower()}"
            if isinstance(value, int) and 400 <= value < 600:
                yield f"{name} in it is {value}"


def _says_something(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in ("", "0", "false", "none", "null")
    if isinstance(value, Mapping):
        return any(_says_something(each) for each in value.values())
    return bool(value)
