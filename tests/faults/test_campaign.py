# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Never twice, never lost, nothing reported that was not placed, no secret shown: whatever stops or surrounds a run.

Runs are killed and cut off at every point of the protocol, alone and many at once (trial.py), and order in all kinds of
surroundings (around.py). By default a short form, a case of everything; ``--full`` runs all rows, ``--trials N`` each
of them N times.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import cycle, product

import pytest

from tests.faults import fault_points, wire
from tests.faults.around import SURROUNDINGS
from tests.faults.conftest import RESULT
from tests.faults.scene import HARMS, Row, Scene
from tests.faults.site import Store
from tests.faults.trial import LEDGERS, Case, Kind

FAULTS: list[tuple[Kind, str]] = [
    *(("kill", point) for point in fault_points.POINTS),
    *(("drop", point) for point in wire.POINTS),
]
STOPS: list[tuple[Kind, str]] = [(kind, point) for kind in ("term", "int") for point in fault_points.POINTS]
#: Cases that show that a protection is missing.
WITHOUT = {
    Case("kill", "sent", many=False, runs=1): ("claim",),
    Case("kill", "received", many=False, runs=1): ("claim",),
    Case("kill", "before_record", many=False, runs=1): ("claim",),
    Case("none", "", many=False, runs=1): ("record",),
    Case("none", "", many=True, runs=8): ("claim",),
}


def short_cases() -> dict[Case, set[Store]]:
    """Every fault with all numbers of runs and both modules in turn, on one ledger in turn, at a record on both."""
    runs, many, ledgers = cycle((1, 2, 4, 1, 8)), cycle((False, True, True, False, True, False)), cycle(LEDGERS)
    found: dict[Case, set[Store]] = defaultdict(set)
    for kind, point in FAULTS:
        for ledger in LEDGERS if kind == "kill" and point.endswith(("claim", "record")) else [next(ledgers)]:
            found[Case(kind, point, next(many), next(runs))].add(ledger)
    found[Case("none", "", many=True, runs=8)] = {*LEDGERS}
    return found


def rows() -> Iterator[tuple[str, Row]]:
    """All cases and surroundings."""
    short = short_cases()
    cases = [Case(*fault, *how) for fault in (("none", ""), *FAULTS) for how in product((False, True), (1, 2, 4, 8))]
    stops = [Case(*fault, many, runs=2) for fault in STOPS for many in (False, True)]
    for case in (*cases, *stops):
        trials = 2 if case in stops else 4
        yield str(case), Row(case.order, LEDGERS, (*short[case],), WITHOUT.get(case, ()), trials, case.kind)
    yield from SURROUNDINGS.items()


def params(*, of_mutants: bool) -> Iterator[object]:
    """Each row on each of its ledgers, or without each of its protections: in the short form, the first of a kind."""
    tried: set[tuple[str, str]] = set()
    for name, row in rows():
        for store, without in product(row.stores, row.without if of_mutants else ("",)):
            is_short = (row.kind, without) not in tried if of_mutants else store in row.short
            tried.add((row.kind, without))
            marks = [] if is_short else [pytest.mark.full]
            text = " ".join((store, name, *(["without", without] if without else [])))
            yield pytest.param(row, store, without, id="-".join(text.split()), marks=marks)


@pytest.mark.parametrize(("row", "store", "without"), list(params(of_mutants=False)))
def test_no_order_is_placed_twice_lost_or_invented_and_no_secret_shown(
    row: Row,
    store: Store,
    without: str,
    scene_of: Callable[..., Scene],
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    option: Callable[..., int] = request.config.getoption
    counts, wrong = dict.fromkeys(("trials", "in doubt", *HARMS), 0), []
    for number in range(option("trials", 0) or (row.trials if option("full", False) else 1)):
        scene = scene_of(store, number, without)
        row.order(scene)
        scene.audit()
        counts["trials"] += 1
        counts["in doubt"] += scene.settled
        for harm in HARMS:
            counts[harm] += len(scene.harm[harm])
        wrong += scene.wrong
        shutil.rmtree(scene.folder, ignore_errors=True)
    record_property(RESULT, (store, row.kind, counts))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("row", "store", "without"), list(params(of_mutants=True)))
def test_the_campaign_sees_a_protection_that_is_missing(
    row: Row, store: Store, without: str, scene_of: Callable[..., Scene]
) -> None:
    # Runs that happen to follow one another order once in any case.
    for number in range(10):
        scene = scene_of(store, number, without)
        row.order(scene)
        scene.audit()
        if scene.wrong:
            return
    raise AssertionError(f"this does not need {without}")
