# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Orders whose answers are lost, with read_back: a batch goes on, and of several runs one reports each order."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from tests.support.fixed_service import VPS
from tests.unit.plugins.module_utils._tasks.conftest import Bench, Ran

NAMES = [f"web{number:02}.example.org" for number in range(5)]


def many(names: list[str], **options: Any) -> dict[str, Any]:
    return {
        "defaults": {"end_user": "__self__", "product": VPS},
        "contracts": [{"settings": {"hostname": each, "template": "debian-12"}} for each in names],
        "read_back": True,
        **options,
    }


@pytest.mark.parametrize("concurrency", [1, 2])
def test_batch_goes_on_after_an_order_that_was_read_back(bench: Bench, concurrency: int) -> None:
    """Also with on_error stop, which is the default: what was read back did not fail."""
    names = [NAMES[0], "lost01.example.org", NAMES[1], "lost02.example.org", NAMES[2]]
    done = bench.run("reseller_contracts", **many(names, concurrency=concurrency))
    assert not done.failed, done.msg
    assert [each["changed"] for each in done["results"]] == [True] * 5
    assert done["counts"]["ordered"] == 5
    assert len(bench.service.sent) == 5
    assert {record.outcome.contract_id for record in bench.records().values()} == set(bench.service.contracts)
    again = bench.run("reseller_contracts", **many(names))
    assert (again.failed, again["changed"], len(bench.service.sent)) == (False, False, 5)


def test_batch_stops_at_an_order_that_is_not_listed(bench: Bench) -> None:
    bench.service.lagging = True
    done = bench.run("reseller_contracts", **many([NAMES[0], "lost01.example.org", NAMES[1]], concurrency=1))
    assert done.failed
    assert (done["counts"]["in_doubt"], done["counts"]["not_sent"]) == (1, 1)
    assert len(bench.service.sent) == 2


@pytest.mark.parametrize("module", ["reseller_contract", "reseller_contracts"])
def test_error_of_an_order_in_doubt_offers_to_reconcile(bench: Bench, module: str) -> None:
    """Where the reference has a list of contracts: in the run that sent it, and in the next one."""
    bench.service.lose = True
    for _run in range(2):
        if module == "reseller_contract":
            assert "Run reseller_reconcile first" in bench.order(NAMES[0]).msg
        else:
            assert "Run reseller_reconcile first" in bench.run(module, **many(NAMES[:1], read_back=False)).msg


@pytest.mark.parametrize("module", ["reseller_contract", "reseller_contracts"])
def test_one_of_several_runs_reports_a_lost_order_as_placed(bench: Bench, module: str) -> None:
    bench.service.lose = True
    # The processes are forked and have the bench, which cannot be sent to them.
    _benches[:] = [bench]
    with ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
        runs = list(pool.map(_run, [module] * 4))
    assert len(bench.service.sent) == 1
    # A run that begins between the lost answer and its reading back is refused, as the order is in doubt then.
    assert all("is in doubt" in ran.msg for ran in runs if ran.failed)
    assert [ran["changed"] for ran in runs if not ran.failed].count(True) == 1


_benches: list[Bench] = []


def _run(module: str) -> Ran:
    (bench,) = _benches
    if module == "reseller_contract":
        return bench.order(NAMES[0], read_back=True)
    return bench.run(module, **many(NAMES[:1]))


def test_advice_stands_in_the_messages_alone(bench: Bench) -> None:
    bench.service.lose = True
    done = bench.run("reseller_contracts", **many(NAMES[:2], read_back=False, on_error="continue"))
    assert done.msg.count("Check the customer portal") == 2
    assert all("advice" not in each for each in done["results"])
