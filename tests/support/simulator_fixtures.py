# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures that give tests a running simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from playbooks.files.simulator.running import Simulator
from playbooks.files.simulator.shapes import SHAPES

SimulatorFactory = Callable[..., Simulator]


@pytest.fixture
def start_simulator() -> Iterator[SimulatorFactory]:
    """Start a simulator, once with the same options: ``start_simulator("plain", no_contracts=True)``."""
    with ExitStack() as running:

        @cache
        def start(shape: str = "apiplatform", *, no_contracts: bool = False) -> Simulator:
            return running.enter_context(Simulator(shape, no_contracts=no_contracts))

        yield start


@pytest.fixture(params=sorted(SHAPES))
def simulator(request: pytest.FixtureRequest, start_simulator: SimulatorFactory) -> Simulator:
    """A simulator with nothing ordered yet, once in each shape."""
    return start_simulator(request.param)
