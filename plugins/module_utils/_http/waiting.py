# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until what is read meets conditions, or shows that it never will."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._core.conditions import Condition, read_conditions
from .._core.errors import ConfigurationError, LostAnswerError, ResellerError, ServiceError, UnreachableError
from .._core.text import clean
from .._secrets.masker import masked
from .client import RETRIED_STATUSES

#: The thing is not there, or nobody may see it.
GONE = (404, 410)
#: What may be there later: a thing that is not made yet, and a service that is not well.
_MAY_PASS = RETRIED_STATUSES | {*GONE, 408, 409, 425, 500}
_LONGEST = 7 * 86400.0


class WaitFor(NamedTuple):
    """What to wait for: all of ``until``, unless one of ``fail_on`` is there before. Times are seconds."""

    until: Sequence[Condition]
    fail_on: Sequence[Condition]
    timeout: float
    interval: float

    def __str__(self) -> str:
        return " and ".join(map(str, self.until))


@dataclass
class Awaited:
    """Something to wait for. ``read`` returns what it shows now, and raises ServiceError if it shows nothing."""

    title: str
    read: Callable[[], Any]
    value: Any = None
    unmet: tuple[str, ...] = ("nothing yet",)


def read_wait_for(given: Mapping[str, Any]) -> WaitFor:
    """The option ``wait_for``. Raises ConfigurationError."""
    until = read_conditions(given["until"], "wait_for.until")
    fail_on = read_conditions(given["fail_on"], "wait_for.fail_on") if given.get("fail_on") else ()
    timeout, interval = (float(given.get(name) or 0) for name in ("timeout", "interval"))
    for name, number, least in (("timeout", timeout, 0.0), ("interval", interval, 0.01)):
        if not least <= number <= _LONGEST:
            raise ConfigurationError(
                f"wait_for.{name} must be from {least:g} to {_LONGEST:g} seconds (given: {number:g})."
            )
    return WaitFor(until, fail_on, timeout, interval)


def wait_until(
    look: Callable[[], bool],
    seconds: float,
    interval: float,
    *,
    pause: Callable[[float], None] = time.sleep,
) -> bool:
    """Look, and look again each ``interval`` seconds, until it is so. ``False`` if it is not within ``seconds``."""
    deadline = time.monotonic() + seconds
    while not look():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        pause(min(interval, left))
    return True


def wait(wanted: WaitFor, targets: Sequence[Awaited], *, once: bool = False) -> dict[str, Any]:
    """Read until all targets meet their conditions: the return value ``wait``. With ``once``, look once.

    What stands under a secret's name is not shown. Raises ResellerError with the last values seen, at once where
    ``fail_on`` is met, and ServiceError for an answer that waiting does not change.
    """
    begun, reads, late = time.monotonic(), 0, list(targets)

    def look() -> bool:
        nonlocal reads, late
        for target in late:
            reads += 1
            target.unmet = _unmet(target, wanted)
        late = [target for target in late if target.unmet]
        failed = [(each, target) for target in late for each in wanted.fail_on if each.holds(target.value)]
        if failed and not once:
            condition, target = failed[0]
            raise ResellerError(
                f"{target.title} will not get ready: {condition.shown(masked(target.value))}.\n"
                f"It meets fail_on ({condition}). Waited for: {wanted}.\nCheck it in the customer portal.",
                kind="service",
                wait=progress(),
            )
        return once or not late

    def progress() -> dict[str, Any]:
        unmet = [f"{target.title}: {text}" for target in late for text in target.unmet]
        return {"met": not late, "seconds": round(time.monotonic() - begun, 1), "reads": reads, "unmet": unmet}

    if wait_until(look, wanted.timeout, wanted.interval):
        return progress()
    others = f" {len(late) - 1} more are not ready either." if len(late) > 1 else ""
    raise ResellerError(
        f"{late[0].title} is not ready after {wanted.timeout:g} s: {'; '.join(late[0].unmet)}.\n"
        f"It was read {reads} times. Waited for: {wanted}.{others}\n"
        "Raise wait_for.timeout if the service is only slow. Otherwise check it in the customer portal.",
        kind="service",
        wait=progress(),
    )


def _unmet(target: Awaited, wanted: WaitFor) -> tuple[str, ...]:
    """What is not as it is to be, in words; nothing if all is."""
    target.value = None
    try:
        target.value = target.read()
    except (UnreachableError, LostAnswerError) as error:
        return (clean(error.message.splitlines()[0], 200),)
    except ServiceError as error:
        if error.status not in _MAY_PASS:
            raise
        # That it is gone may be what is waited for.
        is_met = error.status in GONE and all(each.holds(None) for each in wanted.until)
        return () if is_met else (f"it was not shown (status {error.status})",)
    return tuple(each.shown(masked(target.value)) for each in wanted.until if not each.holds(target.value))
