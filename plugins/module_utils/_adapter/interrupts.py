# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Holds back signals that end a run while orders are being sent, so that each outcome is recorded first."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

#: Ctrl-C, the request to end, and the end of the terminal or connection that the run was started from.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Within this context, signals do not end the process. They are recorded, and the first one calls ``stop``.

    A run whose parent has gone is treated as one that was asked to end: not every release of ansible-core passes a
    signal on to the process that runs the task. Signals that are ignored, as by ``nohup``, stay ignored. To be used by
    the main thread.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._parent = os.getppid()
        self._before: dict[signal.Signals, Any] = {}
        self.first: int | None = None

    def __enter__(self) -> Interrupts:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Check whether anyone still waits for the result. Call it from time to time."""
        if os.getppid() != self._parent:
            self._note(signal.SIGTERM, None)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.first is None:
            self.first = number
            self._stop()
