# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until what an operation reads meets conditions, or shows that it never will."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from .._core.conditions import Condition
from .._core.errors import LostAnswerError, ResellerError, ServiceError, UnreachableError
from .._http.client import RETRIED_STATUSES

#: What may be there later: a thing that is not made yet, and a service that is not well.
_MAY_PASS = RETRIED_STATUSES | {404, 408, 409, 410, 425, 500}


#: A thing that is gone, which is waited for where ``until`` says that something does not exist.
_ABSENT = ("status 404", "status 410")


class WaitError(ResellerError):
    """The wait ended without success."""


@dataclass(frozen=True)
class Wait:
    """What to wait for: all of ``until``, unless one of ``fail_on`` is there before. Times are seconds."""

    until: Sequence[Condition]
    fail_on: Sequence[Condition] = ()
    timeout: float = 600.0
    interval: float = 5.0


#: Reads once: the status of the answer, and its body.
Look = Callable[[], tuple[int, Any]]


def wait_for(
    wait: Wait,
    look: Look,
    what: str,
    *,
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[dict[str, Any], Any]:
    """Read until the conditions are met: the return value ``wait``, and the body that met them.

    ``what`` names the operation that is read. Raises WaitError at once when a condition of ``fail_on`` is met, and with
    the last value seen when the time is up; ServiceError for an answer that waiting does not change.
    """
    begun, reads, last = clock(), 0, "nothing yet"
    body: Any = None
    while True:
        reads += 1
        seen, body = _look(look)
        last = seen or "; ".join(dict.fromkeys(each.shown(body) for each in (*wait.until, *wait.fail_on)))
        shown = {"met": False, "reads": reads, "seconds": round(clock() - begun, 1), "last": last}
        if seen is None or (seen in _ABSENT and all(each.holds(None) for each in wait.until)):
            broken = next((each for each in wait.fail_on if each.holds(body)), None)
            if broken is not None:
                raise WaitError(
                    f"{what} shows that it failed: {broken.shown(body)}.\n"
                    f"fail_on: {broken}. What was sent before is not undone.",
                    wait=shown,
                    body=body,
                )
            if all(each.holds(body) for each in wait.until):
                return {**shown, "met": True}, body
        if clock() - begun + wait.interval > wait.timeout:
            wanted = " and ".join(map(str, wait.until))
            raise WaitError(
                f"{what} did not show in {wait.timeout:g} seconds what was waited for: {wanted}.\n"
                f"Last seen: {last} ({reads} reads).\n"
                "Raise wait_for.timeout if it only takes longer. Correct until if the value is called otherwise.",
                wait=shown,
                body=body,
            )
        pause(wait.interval)


def _look(look: Look) -> tuple[str | None, Any]:
    """What hinders, if anything, and the body."""
    try:
        status, body = look()
    except (LostAnswerError, UnreachableError) as error:
        return error.message, None
    except ServiceError as error:
        if error.status not in _MAY_PASS:
            raise
        return f"status {error.status}", None
    if status >= HTTPStatus.BAD_REQUEST and status not in _MAY_PASS:
        raise ServiceError(
            f"What was waited for cannot be read: the service answered {status}.\n"
            "Check wait_for.operation, and whether the API key may read it. What was sent before is not undone.",
            status=status,
        )
    return (None, body) if status < HTTPStatus.BAD_REQUEST else (f"status {status}", body)
