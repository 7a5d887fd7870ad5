# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""In every state of small worlds, nothing is bought twice or lost, and all that is wanted can still be had."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clocks import HurriedClocks
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.exploring import Explorer
from tests.unit.plugins.module_utils._ledger.worlds import World

TWO_OF_ONE = {"a": "one thing", "b": "one thing"}
TWO_THINGS = {"a": "one thing", "c": "another thing"}
ONE = {"a": "one thing"}

#: Small worlds that are explored as a whole.
SMALL: dict[str, dict[str, Any]] = {
    "two runs": {"wanted": ONE},
    "a group of one thing": {
        "wanted": TWO_OF_ONE,
        "runs": 1,
        "with_groups": True,
        "answers": ["done", "done, answer lost", "rejected"],
        "claims": 1,
    },
    "an adopted contract": {"wanted": ONE, "adopted": "one thing", "answers": ["done", "lost"]},
    "a plan": {"wanted": ONE, "runs": 1, "with_plans": True},
    "a cancellation": {"wanted": ONE, "runs": 1, "with_cancellations": True},
    "a move": {"wanted": ONE, "with_moves": True, "answers": ["done", "lost"], "claims": 1},
    "a restored copy": {
        "wanted": ONE,
        "runs": 1,
        "with_copies": True,
        "answers": ["done", "done, answer lost", "lost"],
    },
}
#: Larger ones, which are explored as far as the time goes.
LARGE: dict[str, dict[str, Any]] = {
    "a plan and a cancellation": {
        "wanted": ONE,
        "runs": 1,
        "with_plans": True,
        "with_cancellations": True,
        "answers": ["done"],
        "claims": 1,
    },
    "two names of one thing": {"wanted": TWO_OF_ONE},
    "two names of one thing, and an adopted one": {"wanted": TWO_OF_ONE, "runs": 1, "adopted": "one thing"},
    "a group of two things": {"wanted": TWO_THINGS, "runs": 1, "with_groups": True},
    "plans": {"wanted": ONE, "with_plans": True},
    "plans of two things": {"wanted": TWO_THINGS, "runs": 1, "with_plans": True},
    "cancellations": {"wanted": ONE, "with_cancellations": True},
    "restored copies": {"wanted": ONE, "with_copies": True},
    "a move of two things": {"wanted": TWO_THINGS, "with_moves": True, "with_cancellations": True},
    "all of it": {
        "wanted": {**TWO_OF_ONE, **TWO_THINGS},
        "runs": 3,
        "with_groups": True,
        "with_plans": True,
        "with_cancellations": True,
        "with_copies": True,
        "adopted": "another thing",
    },
}
#: Of states, and of seconds in a larger world. Of what is left, as many ways of so many steps are taken by chance.
MOST, LONGEST, WAYS, STEPS = 2_000, 40.0, 20, 60


def world_in(store: Store, *, with_moves: bool = False, **parts: Any) -> World:
    ledger: Any = store.open()
    if with_moves:
        parts["to"] = Store(f"{store.address}.new", store._closing).open()
    # Each run of the world has it open with the same connection.
    ledger._database.release = lambda: None
    return World(ledger, **parts)


@pytest.fixture
def memory_store() -> Iterator[Store]:
    """A ledger in memory, where the machine has a place for that, whose clock goes on by a second at each look."""
    clocks = HurriedClocks(is_stopped=True)
    clocks.look = lambda name: clocks.pass_(name == "wall", "wall")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        store = Store(f"{folder}/state/ledger.db", clocks=clocks)
        yield store
        store.close()


@pytest.mark.parametrize("name", SMALL)
def test_promises_hold_in_every_state_of_a_small_world(
    name: str, memory_store: Store, record_property: Callable[[str, object], None]
) -> None:
    explored = Explorer(world_in(memory_store, **SMALL[name])).explore(MOST, LONGEST)
    record_property("explored", f"{name}: {explored}")
    assert explored.is_whole


@pytest.mark.full
@pytest.mark.parametrize("name", LARGE)
def test_promises_hold_in_the_states_of_a_larger_world(
    name: str, memory_store: Store, record_property: Callable[[str, object], None]
) -> None:
    explored = Explorer(world_in(memory_store, **LARGE[name])).explore(1_000_000, LONGEST)
    record_property("explored", f"{name}: {explored}")


def test_promises_hold_on_some_ways_through_a_world_in_postgresql(
    postgresql_store: Store, pytestconfig: pytest.Config, record_property: Callable[[str, object], None]
) -> None:
    world, seen = world_in(postgresql_store, **LARGE["all of it"]), 0
    first = world.begin().stored
    ways, steps = (WAYS, STEPS) if pytestconfig.getoption("full") else (1, 15)
    for seed in range(ways):
        seen += Explorer(world).walk(steps, seed)
        world.put(first)
    record_property("explored", f"PostgreSQL, by chance: {seen} states")
