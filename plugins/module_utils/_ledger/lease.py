# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A claim is a lease: until its deadline a request of it may be under way, whatever became of its run. Pure.

Whoever sends looks at both clocks, so that whichever decides for a reader, no request is under way after the deadline.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from .._core.clocks import Clocks

_TIME = "%Y-%m-%dT%H:%M:%SZ"


class Clock(NamedTuple):
    """A moment: ``time`` by the clock that all runs of a ledger share (UTC, ISO 8601 with seconds and ``Z``).

    Of a ledger in a file, also the machine's boot ID, and the seconds since it was started, with those in which it
    slept. Nobody can set that clock.
    """

    time: str
    boot_id: str | None = None
    boot_time: float = 0.0


def now(clocks: Clocks) -> str:
    return datetime.fromtimestamp(clocks.wall(), UTC).strftime(_TIME)


def clock_here(clocks: Clocks) -> Clock:
    """Return what the clocks of this machine show."""
    return Clock(now(clocks), clocks.boot_id(), clocks.since_boot())


def later(moment: str, seconds: float) -> str:
    """At least so many seconds after a time that was rounded down."""
    return (datetime.fromisoformat(moment) + timedelta(seconds=math.ceil(seconds) + 1)).strftime(_TIME)


def seconds_left(claimed: Clock, deadline: str, clock: Clock, waited: float) -> float:
    """Return for how many seconds from ``clock`` on a request of a claim may be under way; 0 or less: it is certain.

    On the same boot, the clock that nobody sets decides. Otherwise, a deadline that lies further ahead than the whole
    claim was long shows that a clock was set back: that length is waited for. ``waited`` are the seconds since this
    reader first saw the claim. Raises ValueError for times of another form.
    """
    end = datetime.fromisoformat(deadline)
    length = (end - datetime.fromisoformat(claimed.time)).total_seconds()
    if claimed.boot_id and claimed.boot_id == clock.boot_id and clock.boot_time >= claimed.boot_time:
        return length - (clock.boot_time - claimed.boot_time)
    left = (end - datetime.fromisoformat(clock.time)).total_seconds()
    return left if left <= length else length - waited
