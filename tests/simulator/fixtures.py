# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures that give tests a running simulator.

Processes are started once per session and reset before each test that uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.nursery import Nursery

from .running import MODULE, Simulator
from .shapes import SHAPES

SimulatorFactory = Callable[..., Simulator]


@pytest.fixture(scope="session")
def simulator_nursery() -> Iterator[Nursery]:
    """What the simulators of this session are forked from."""
    nursery = Nursery(MODULE)
    yield nursery
    nursery.close()


@pytest.fixture(scope="session")
def simulator_pool(simulator_nursery: Nursery) -> Iterator[dict[Any, Simulator]]:
    """All simulators of this session, by shape and options."""
    pool: dict[Any, Simulator] = {}
    yield pool
    with ThreadPoolExecutor() as threads:
        list(threads.map(Simulator.stop, pool.values()))


@pytest.fixture
def start_simulator(simulator_pool: dict[Any, Simulator], simulator_nursery: Nursery) -> SimulatorFactory:
    """Get a simulator with options, fresh as after its start: ``start_simulator("plain", no_contracts=True)``."""
    seen: set[Any] = set()

    def start(shape: str = "apiplatform", **options: Any) -> Simulator:
        key = (shape, repr(sorted(options.items())))
        if key not in simulator_pool:
            running = Simulator(shape, nursery=simulator_nursery, **options)
            running.start()
            simulator_pool[key] = running
        elif key not in seen:
            simulator_pool[key].reset()
        seen.add(key)
        return simulator_pool[key]

    return start


@pytest.fixture(params=sorted(SHAPES))
def simulator(request: pytest.FixtureRequest, start_simulator: SimulatorFactory) -> Simulator:
    """A simulator with nothing ordered yet, once in each shape."""
    return start_simulator(request.param)
