# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from threading import Event

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks


def test_clocks_are_those_of_the_machine() -> None:
    clocks = Clocks()
    assert abs(time.time() - clocks.wall()) < 60
    assert abs(time.monotonic() - clocks.monotonic()) < 60
    assert clocks.since_boot() <= clocks.since_boot()


@pytest.mark.parametrize(
    ("seconds", "stop", "least"), [(-60, None, 0), (-60, Event(), 0), (0.02, None, 0.02), (0.02, Event(), 0.02)]
)
def test_wait_ends_at_its_moment_or_when_it_is_stopped(seconds: float, stop: Event | None, least: float) -> None:
    clocks = Clocks()
    began = clocks.monotonic()
    clocks.wait_until(began + seconds, stop)
    assert least <= clocks.monotonic() - began < 60
    if stop is not None:
        stop.set()
        clocks.wait_until(began + 600, stop)
        assert clocks.monotonic() - began < 60
