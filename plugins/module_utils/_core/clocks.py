# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The clocks of this machine, and waiting by them. What has deadlines is given them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Event

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_TIME_NAMESPACE = Path("/proc/self/ns/time")


@lru_cache(maxsize=1)
def _boot_id(_process: int) -> str | None:
    """Return that of this process, which is read once: each transaction of a ledger looks at it several times."""
    boot_id = None
    with suppress(OSError):
        boot_id = _BOOT_ID.read_text("ascii").strip()
        # In another time namespace, which Linux before 5.6 has not, the time since the boot is another one.
        boot_id += f" {os.readlink(_TIME_NAMESPACE)}"
    return boot_id


class Clocks:
    """Three clocks, in seconds, and one way to wait."""

    def wall(self) -> float:
        """The time since 1970. Somebody may set it."""
        return time.time()

    def since_boot(self) -> float:
        """The time since this machine was started, with that in which it slept. Nobody can set it."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    def boot_id(self) -> str | None:
        """Return what two runs share whose ``since_boot`` is that of one clock."""
        return _boot_id(os.getpid())

    def monotonic(self) -> float:
        """The time that deadlines within one process count."""
        return time.monotonic()

    def wait_until(self, moment: float, stop: Event | None = None) -> None:
        """Wait until a moment of ``monotonic``, or until ``stop`` is set."""
        left = max(0.0, moment - self.monotonic())
        if stop is None:
            time.sleep(left)
        else:
            stop.wait(left)
