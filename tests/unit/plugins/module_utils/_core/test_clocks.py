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


@pytest.mark.parametrize("stop", [None, Event()])
def test_wait_ends_at_its_moment(stop: Event | None) -> None:
    clocks = Clocks()
    began = clocks.monotonic()
    clocks.wait_until(began - 60, stop)
    clocks.wait_until(began + 0.02, stop)
    assert 0.02 <= clocks.monotonic() - began < 60


def test_wait_ends_when_it_is_stopped() -> None:
    clocks, stop = Clocks(), Event()
    stop.set()
    began = clocks.monotonic()
    clocks.wait_until(began + 600, stop)
    assert clocks.monotonic() - began < 60
