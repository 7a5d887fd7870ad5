# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Never twice, never lost, and nothing reported that was not placed, whatever is around a run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import astuple

import pytest

from tests.faults.around import SURROUNDINGS
from tests.faults.conftest import RESULT
from tests.faults.mutants import PROTECTIONS
from tests.faults.scene import Scene
from tests.faults.site import Store, Tally


def rows() -> Iterator[object]:
    for name, row in SURROUNDINGS.items():
        for store in row.stores:
            marks = [pytest.mark.full] if store in row.full else []
            yield pytest.param(name, store, id=f"{store}-{name.replace(' ', '-')}", marks=marks)


def without() -> Iterator[object]:
    """Each row that names protections, on all of its ledgers; without ``--full``, the first that names each."""
    tried: set[str] = set()
    for name, row in SURROUNDINGS.items():
        for store in row.stores if row.without else ():
            marks = [pytest.mark.full] if tried.issuperset(row.without) else []
            tried.update(row.without)
            yield pytest.param(name, store, id=f"{store}-{name.replace(' ', '-')}", marks=marks)


@pytest.mark.parametrize(("name", "store"), list(rows()))
def test_no_order_is_placed_twice_lost_or_invented_and_no_secret_shown(
    name: str,
    store: Store,
    scene_of: Callable[..., Scene],
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    row = SURROUNDINGS[name]
    option: Callable[..., object] = request.config.getoption
    trials = option("trials", 0) or (row.trials if option("full", False) else 1)
    tally, complaints = Tally(), []
    for number in range(int(str(trials))):
        scene = scene_of(store, number)
        row.order(scene)
        tally.add(scene.tally())
        complaints += scene.complaints + scene.traces()
        shutil.rmtree(scene.folder, ignore_errors=True)
    record_property(RESULT, (store, "surroundings", *astuple(tally)))
    assert not complaints, "\n".join(complaints)
    assert not tally.harm


@pytest.mark.parametrize(("name", "store"), list(without()))
def test_the_campaign_sees_a_protection_that_is_missing(
    name: str, store: Store, scene_of: Callable[..., Scene]
) -> None:
    row = SURROUNDINGS[name]
    unknown = set(row.without) - set(PROTECTIONS)
    assert not unknown
    # Not every damage of a file harms: it is tried until one does.
    for number in range(row.trials):
        scene = scene_of(store, number, row.without)
        row.order(scene)
        if scene.complaints or scene.tally().harm:
            return
    raise AssertionError(f"{name} does not need {', '.join(row.without)}")
