# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Never twice, never lost: runs that are killed and cut off at every point of the protocol, alone and many at once.

By default a short form, a case of everything; ``--full`` runs all cases, ``--trials N`` each of them N times.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import astuple
from itertools import cycle, product

import pytest

from tests.faults import fault_points, wire
from tests.faults.conftest import RESULT
from tests.faults.scene import Scene
from tests.faults.site import Store, Tally
from tests.faults.trial import LEDGERS, Case, Kind, Trial

FAULTS: list[tuple[Kind, str]] = [
    *(("kill", point) for point in fault_points.POINTS),
    *(("drop", point) for point in wire.POINTS),
]
STOPS: list[tuple[Kind, str]] = [(kind, point) for kind in ("term", "int") for point in fault_points.POINTS]
FULL_TRIALS = 4


def short_cases() -> Iterator[Case]:
    """Every fault with all numbers of runs and both modules in turn: kills on both ledgers, others on one in turn."""
    runs, many, ledgers = cycle((1, 2, 4, 1, 8)), cycle((False, True, True, False, True, False)), cycle(LEDGERS)
    for kind, point in FAULTS:
        for ledger in LEDGERS if kind == "kill" else [next(ledgers)]:
            yield Case(ledger, kind, point, next(many), next(runs))
    for ledger in LEDGERS:
        yield Case(ledger, "none", "", many=True, runs=8)


def full_cases() -> Iterator[tuple[Case, int]]:
    """All cases, each with how many trials it gets."""
    both = (False, True)
    for ledger, many, runs in product(LEDGERS, both, (1, 2, 4, 8)):
        for kind, point in (("none", ""), *FAULTS):
            yield Case(ledger, kind, point, many, runs), FULL_TRIALS
    for ledger, many, (kind, point) in product(LEDGERS, both, STOPS):
        yield Case(ledger, kind, point, many, runs=2), 2


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        option: Callable[..., object] = metafunc.config.getoption
        cases = list(full_cases()) if option("full", False) else [(case, 1) for case in short_cases()]
        wanted = option("trials", 0)
        chosen = [pytest.param(case, wanted or trials, id=str(case)) for case, trials in cases]
        metafunc.parametrize(("case", "trials"), chosen)


def test_no_order_is_placed_twice_or_lost(
    case: Case, trials: int, scene_of: Callable[..., Scene], record_property: Callable[[str, object], None]
) -> None:
    tally, complaints = Tally(), []
    for number in range(trials):
        scene = scene_of(case.ledger, number)
        trial = Trial(scene, case)
        trial.run()
        tally.add(trial.tally)
        complaints += scene.complaints + scene.traces()
        shutil.rmtree(scene.folder, ignore_errors=True)
    record_property(RESULT, (case.ledger, case.kind, *astuple(tally)))
    assert not complaints, "\n".join(complaints)
    assert not tally.harm


@pytest.mark.parametrize(
    ("ledger", "mutant"),
    [
        ("sqlite", "no_claim"),
        ("postgresql", "late_claim"),
        pytest.param("sqlite", "late_claim", marks=pytest.mark.full),
        pytest.param("postgresql", "no_claim", marks=pytest.mark.full),
    ],
)
def test_the_campaign_sees_a_protocol_without_a_claim_before_the_request(
    mutant: str, ledger: Store, scene_of: Callable[..., Scene]
) -> None:
    def tried(case: Case, number: int = 0) -> Tally:
        trial = Trial(scene_of(ledger, number), case, mutant)
        trial.run()
        assert trial.scene.complaints or not trial.tally.harm
        return trial.tally

    assert [tried(Case(ledger, "kill", point)).lost for point in ("sent", "received", "before_record")] == [1, 1, 1]
    # Runs that happen to follow one another order once in any case.
    assert any(tried(Case(ledger, "none", "", many=True, runs=4), number).duplicates for number in range(10))
