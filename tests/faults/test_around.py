# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Never twice, never lost, and nothing reported that was not placed, whatever is around a run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path

import pytest

from tests.faults.around import POINTS, SURROUNDINGS, Scene
from tests.faults.conftest import RESULT
from tests.faults.trial import Site, Store, Tally, untrue
from tests.support import postgresql as servers


def rows() -> Iterator[object]:
    for name, row in SURROUNDINGS.items():
        marks = [pytest.mark.full] if row.full else []
        yield from (
            pytest.param(name, store, id=f"{store}-{name.replace(' ', '-')}", marks=marks) for store in row.stores
        )


@pytest.mark.parametrize(("name", "store"), list(rows()))
def test_no_order_is_placed_twice_lost_or_invented(
    name: str,
    store: Store,
    site: Site,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    option: Callable[..., object] = request.config.getoption
    trials = option("trials", 0) or (len(POINTS) if option("full", False) else 1)
    tally = Tally()
    for number in range(int(str(trials))):
        site.simulator.reset()
        site.wire.arm(None)
        folder = tmp_path / str(number)
        folder.mkdir()
        scene = Scene(site, store, site.ledger(store), folder, number)
        try:
            SURROUNDINGS[name].order(scene)
        except servers.Unavailable as error:
            pytest.skip(f"needs PostgreSQL: {error}")
        tally.add(scene.tally())
        shutil.rmtree(folder, ignore_errors=True)
    record_property(RESULT, (store, name, *astuple(tally)))
    assert (tally.duplicates, tally.lost, tally.untrue) == (0, 0, 0)


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        ({"changed": True, "order": {"name": "a", "status": "ordered", "contract_id": "c-1"}}, 0),
        ({"changed": True, "order": {"name": "shop", "status": "ordered", "contract_id": "c-1"}}, 0),
        ({"changed": True, "order": {"name": "b", "status": "ordered", "contract_id": None}}, 1),
        ({"changed": False, "order": {"name": "b", "status": "ordered", "contract_id": "c-2"}}, 1),
        ({"changed": False, "order": {"name": "b", "status": "in_doubt"}}, 0),
        ({"changed": False, "failed": True, "order": None}, 0),
        ({"results": [{"changed": True, "order": {"name": "b"}}, {"changed": False, "order": {"name": "a"}}]}, 1),
        ({"counts": {"ordered": 2}, "results": []}, 1),
    ],
)
def test_the_campaign_sees_what_was_reported_and_not_placed(result: dict[str, object], wrong: int) -> None:
    assert len(untrue([result], {"a": ["c-1"]})) == wrong
