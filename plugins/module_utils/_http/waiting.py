# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until something is so."""

from __future__ import annotations

import time
from collections.abc import Callable

#: The thing is not there, or nobody may see it.
GONE = (404, 410)


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
