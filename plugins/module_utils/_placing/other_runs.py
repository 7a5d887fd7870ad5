# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits for other runs that are placing the same orders."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from .._ledger.store import Ledger
from .pace import Pace

#: The ledger is read again after these seconds, and after ever longer ones up to the second.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.5


def wait_for_others(
    ledger: Ledger, names: Sequence[str], seconds: float, pace: Pace, heartbeat: Callable[[], None] = lambda: None
) -> None:
    """Wait until other runs have placed these orders, at most this many seconds, and unless this run stops.

    ``heartbeat`` is called at least every LONGEST_PAUSE seconds. Raises LedgerError.
    """
    deadline, pause = time.monotonic() + seconds, SHORTEST_PAUSE
    left = list(names)
    while left and not pace.stopped and time.monotonic() < deadline:
        records = ledger.find(left)
        left = [name for name in left if name in records and records[name].status == "pending"]
        if left:
            pace.sleep(max(0.0, min(pause, deadline - time.monotonic())))
            pause = min(2 * pause, LONGEST_PAUSE)
        heartbeat()
