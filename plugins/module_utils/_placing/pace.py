# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pace of sending orders: one for all threads of a run, slowed by the service, and ended by a signal."""

from __future__ import annotations

import threading
import time


class Pace:
    """Lets senders continue, makes all of them wait, or stops all of them."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._until = 0.0

    def hold(self, seconds: float) -> None:
        """Send nothing for this many seconds."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def ready(self) -> bool:
        """Wait until sending is allowed. ``False`` if the run is stopping and may not send anything."""
        while not self._stop.is_set():
            with self._lock:
                left = self._until - time.monotonic()
            if left <= 0:
                return True
            self._stop.wait(left)
        return False

    def stop(self) -> None:
        """Stop sending. Safe in a signal handler."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def sleep(self, seconds: float) -> None:
        """Sleep, unless the run is stopping."""
        self._stop.wait(seconds)
