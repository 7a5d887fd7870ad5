# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Holds back signals that end a run while orders are being sent, so that each outcome is recorded first."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from types import FrameType

#: Ctrl-C, the request to end, and the end of the terminal or connection that the run was started from.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Signals that were to end a run while it holds them back. The first one is kept, and calls ``stop``.

    A run whose parent has gone, also before, ends, too: not every signal that ends
    Ansible's main process reaches the process that runs the task.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self.first: int | None = None

    def check(self) -> None:
        """Check whether anyone still waits for the result. Call it from time to time."""
        parent = multiprocessing.parent_process()
        if parent is not None and parent.pid != os.getppid():
            self.note(signal.SIGTERM)

    def note(self, number: int, _frame: FrameType | None = None) -> None:
        """Note a signal. It is a handler of signals."""
        if self.first is None:
            self.first = number
            self._stop()
