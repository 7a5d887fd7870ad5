# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until contracts meet conditions. Only the user can define what "ready" means."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._checks.secrets import masked
from .._core.conditions import Condition, read_conditions, unpublished
from .._core.errors import ConfigurationError, LostAnswerError, NotReadyError, ServiceError, UnreachableError
from .._core.text import brief, clean
from .._http.answers import service_error
from .._http.client import RETRIED_STATUSES
from .reader import ContractReader

#: Seconds that ``timeout`` and ``interval`` can be at most.
_LONGEST = 7 * 86400.0


@dataclass(frozen=True)
class WaitFor:
    """What to wait for, all of ``until`` or any of ``fail_on``, and how long, in seconds."""

    until: tuple[Condition, ...]
    fail_on: tuple[Condition, ...] = ()
    timeout: float = 600.0
    interval: float = 5.0


@dataclass
class Awaited:
    """A contract to wait for. ``raw`` is its last record, ``said`` its last response without a record."""

    title: str
    id: str
    organization: str
    raw: Mapping[str, Any] | None = None
    said: str = "it was not shown"
    met: bool = False
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True)
class Waited:
    """How the wait ended: whether all conditions are met, the seconds and reads, and unmet conditions."""

    met: bool
    seconds: float
    reads: int
    unmet: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {"met": self.met, "seconds": round(self.seconds, 1), "reads": self.reads, "unmet": list(self.unmet)}


def read_wait_for(given: Mapping[str, Any], published: Mapping[str, Sequence[Any]]) -> WaitFor:
    """The option ``wait_for``. ``published`` are the possible values of a contract's elements, by pointer.

    Raises ConfigurationError, which lists the published values if a condition has another one or there is none.
    """
    listed = "".join(
        f"\n  - {pointer}: {', '.join(brief(value, 40) for value in values[:20])}"
        for pointer, values in published.items()
    )
    told = f"The published reference lists these values:{listed}" if listed else "The reference lists no values."
    if not given.get("until"):
        raise ConfigurationError(
            "wait_for.until is missing: what a contract that is ready shows. Nothing was waited for.\n"
            f"Give conditions, for example [{{pointer: /status, equals: active}}]. {told}"
        )
    until = read_conditions(given["until"], "wait_for.until")
    fail_on = read_conditions(given["fail_on"], "wait_for.fail_on") if given.get("fail_on") else ()
    wrong = [*unpublished(until, published), *unpublished(fail_on, published)]
    if wrong:
        listed_wrong = "".join(f"\n  - {each}" for each in wrong)
        raise ConfigurationError(
            f"wait_for cannot come true: {wrong[0].partition(': ')[0]}. Nothing was waited for.{listed_wrong}\n"
            "Correct the value or the pointer."
        )
    timeout, interval = (float(given.get(name) or 0) for name in ("timeout", "interval"))
    for name, number, least in (("timeout", timeout, 0.0), ("interval", interval, 0.01)):
        if not least <= number <= _LONGEST:
            raise ConfigurationError(
                f"wait_for.{name} must be from {least:g} to {_LONGEST:g} seconds (given: {number:g})."
            )
    return WaitFor(until, fail_on, timeout, interval)


@dataclass
class Waiter:
    """Waits for contracts. ``pause`` and ``clock`` are those of the process."""

    reader: ContractReader
    wanted: WaitFor
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _reads: int = field(default=0, init=False)

    def look(self, targets: Sequence[Awaited]) -> Waited:
        """Read once, without waiting. Raises ServiceError."""
        started = self.clock()
        for target in targets:
            self._read(target)
        return self._waited(targets, started)

    def wait(self, targets: Sequence[Awaited]) -> Waited:
        """Read the contracts repeatedly until all meet their conditions.

        Raises NotReadyError, which names the last value seen, and ServiceError for an answer that no wait changes.
        """
        started = self.clock()
        while True:
            for target in targets:
                if not target.met:
                    self._read(target)
                    self._check(target)
            waited = self._waited(targets, started)
            if waited.met:
                return waited
            left = self.wanted.timeout - waited.seconds
            if left <= 0:
                raise self._timed_out(targets, waited)
            self.pause(min(self.wanted.interval, left))

    def _waited(self, targets: Sequence[Awaited], started: float) -> Waited:
        unmet = [f"{target.title}: {text}" for target in targets for text in target.unmet]
        return Waited(not unmet, self.clock() - started, self._reads, tuple(unmet))

    def _read(self, target: Awaited) -> None:
        self._reads += 1
        try:
            raw = self._raw(target)
        except (UnreachableError, LostAnswerError) as error:
            raw, target.said = None, error.message.splitlines()[0]
        except ServiceError as error:
            # What passes may be waited for; what does not is told at once.
            if error.status is None or not (error.status in RETRIED_STATUSES or error.status >= 500):
                raise
            raw, target.said = None, error.message.splitlines()[0]
        if raw is not None:
            target.raw = raw
            target.unmet = tuple(each.shown(masked(raw)) for each in self.wanted.until if not each.holds(raw))
        else:
            target.unmet = (target.said,)
        target.met = not target.unmet

    def _raw(self, target: Awaited) -> Mapping[str, Any] | None:
        """The record as the service shows it now; ``None`` if it shows none, which lists may do at first."""
        if self.reader.operations.item_path is None:
            return self.reader.newest(target.id, target.organization)
        item = self.reader.item(target.id, target.organization)
        if item.raw is None:
            if not item.absent:
                raise service_error(item.answer, f"for contract {clean(target.id, 100)}")
            target.said = f"it was not shown (status {item.answer.status})"
        return item.raw

    def _check(self, target: Awaited) -> None:
        failed = [each for each in self.wanted.fail_on if target.raw is not None and each.holds(target.raw)]
        if failed and not target.met:
            raise NotReadyError(
                f"{clean(target.title, 60)} will not get ready: {failed[0].shown(masked(target.raw))}.\n"
                f"Contract {clean(target.id, 100)} meets fail_on ({failed[0]}). {self._wanted()}\n"
                "Check the contract in the customer portal."
            )

    def _timed_out(self, targets: Sequence[Awaited], waited: Waited) -> NotReadyError:
        late = next(target for target in targets if not target.met)
        others = sum(not target.met for target in targets) - 1
        more = f" {others} more are not ready either." if others else ""
        return NotReadyError(
            f"{clean(late.title, 60)} is not ready after {self.wanted.timeout:g} s: {late.unmet[0]}.\n"
            f"Contract {clean(late.id, 100)} in organization {late.organization}, read {waited.reads} times. "
            f"{self._wanted()}{more}\n"
            "Raise wait_for.timeout if the service is only slow. Otherwise check the contract in the customer portal.",
            wait=waited.as_dict(),
        )

    def _wanted(self) -> str:
        return f"Waited for: {' and '.join(map(str, self.wanted.until))}."
