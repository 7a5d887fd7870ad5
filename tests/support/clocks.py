# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clocks for tests, by which what is waited for passes at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from threading import Event, Lock

from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks


class HurriedClocks(Clocks):
    """The clocks of this machine, and the time that was waited or that a test lets pass. ``slept`` has each wait.

    ``look`` is called with the name of a clock before it is looked at, ``wait`` with the seconds in place of a wait.
    """

    def __init__(self, *, is_stopped: bool = False) -> None:
        self.slept: list[float] = []
        self.ahead = Counter[str]()
        self.look: Callable[[str], object] = lambda _name: None
        self.wait: Callable[[float], object] = lambda _seconds: None
        self._lock = Lock()
        #: Whether the clocks stand still between waits.
        self._is_stopped = is_stopped

    def pass_(self, seconds: float, *names: str) -> None:
        """Let time pass by these clocks, or by all."""
        for name in names or ("wall", "since_boot", "monotonic"):
            self.ahead[name] += seconds  # type: ignore[assignment]

    def _time(self, name: str, real: float) -> float:
        self.look(name)
        return (1_000.0 if self._is_stopped else real) + self.ahead[name]

    def wall(self) -> float:
        return self._time("wall", super().wall())

    def since_boot(self) -> float:
        return self._time("since_boot", super().since_boot())

    def monotonic(self) -> float:
        return self._time("monotonic", super().monotonic())

    def wait_until(self, moment: float, stop: Event | None = None) -> None:
        with self._lock:
            seconds = moment - self.monotonic()
            if seconds > 0 and not (stop and stop.is_set()):
                self.pass_(seconds)
                self.slept.append(seconds)
        self.wait(seconds)
