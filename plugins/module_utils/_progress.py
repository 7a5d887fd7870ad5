# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How far a long task is: a line every few seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds between two lines.
PERIOD = 5.0


class Progress:
    """Counts what has ended, and tells it from time to time."""

    def __init__(self, total: int, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._tell = tell
        self._clock = clock
        self._began = self._told = clock()
        self._done = self._in_doubt = 0

    def ended(self, status: str | None) -> None:
        """One more order has come to this end."""
        self._done += 1
        self._in_doubt += status == "in_doubt"

    def heartbeat(self) -> None:
        """Tell a line if it is time to."""
        now = self._clock()
        if now - self._told >= PERIOD:
            self._told = now
            self._tell(self.line())

    def line(self) -> str:
        """Done of total, in doubt, rate and time left."""
        spent = max(self._clock() - self._began, 1e-9)
        rate = self._done / spent
        left = f"{(self._total - self._done) / rate:.0f} s left" if rate else "time left not known yet"
        return f"{self._done}/{self._total} orders, {self._in_doubt} in doubt, {rate:.1f} a second, {left}"


__all__ = ["PERIOD", "Progress"]
