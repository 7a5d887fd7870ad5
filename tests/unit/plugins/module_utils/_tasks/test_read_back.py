# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ordering with what the service lists: what is sent, refused, noted and settled at the end."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.data import END_USER
from playbooks.files.simulator.running import Simulator
from tests.unit.plugins.module_utils._tasks.conftest import VPS, Bench, Ran

WEB = "web01.example.org"


# What is noted, and what it settles


def test_order_that_the_list_does_not_show_yet_stays_in_doubt_and_is_settled_later(controlled: Bench) -> None:
    controlled.lose()
    controlled.service.behave(lags=True)
    lost = controlled.order(WEB, read_back=True)
    assert (lost.failed, lost["order"]["status"]) == (True, "in_doubt")
    assert "a list may lag behind" in lost.msg
    again = controlled.order(WEB, read_back=True)
    assert (again.failed, "a list may lag behind" in again.msg) == (True, True)
    controlled.service.behave()
    assert controlled.batch(WEB, check=True, read_back=True).failed
    settled = controlled.batch(WEB, "web02.example.org", read_back=True)
    assert (settled.failed, [each["changed"] for each in settled["results"]]) == (False, [False, True])


def test_orders_of_a_batch_are_settled_at_its_end(controlled: Bench) -> None:
    for made in controlled.ids:
        # Those that were ordered in one second have that in common, and it tells nothing.
        controlled.service.change_contract(made, createdAt=1795418762)
    controlled.lose()
    done = controlled.batch(WEB, "web02.example.org", read_back=True, on_error="continue")
    assert not done.failed, done.msg
    assert [each["order"]["status"] for each in done["results"]] == ["ordered", "ordered"]
    assert all("before the order" in each["evidence"][0] for each in done["results"])
    lists = [request for request in controlled.service.requests() if request.target == "/api/reseller/contracts"]
    assert [request.method for request in lists[4:]] == ["GET", "POST", "POST", "GET"]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_batch_goes_on_after_an_order_that_was_read_back(bench: Bench, concurrency: int) -> None:
    """Also with on_error stop, which is the default: what was read back did not fail."""
    names = [WEB, "lost01.example.org", "web02.example.org", "lost02.example.org", "web03.example.org"]
    for name in names[1::2]:
        bench.lose(hostname=name)
    done = bench.batch(*names, read_back=True, concurrency=concurrency)
    assert not done.failed, done.msg
    assert [each["changed"] for each in done["results"]] == [True] * 5
    assert (done["counts"]["ordered"], bench.sent) == (5, 5)
    assert {record.outcome.contract_id for record in bench.records().values()} == set(bench.ids)
    again = bench.batch(*names, read_back=True)
    assert (again.failed, again["changed"], bench.sent) == (False, False, 5)


def test_batch_stops_at_an_order_that_is_not_listed(bench: Bench) -> None:
    bench.service.behave(lags=True)
    bench.lose(hostname="lost01.example.org")
    done = bench.batch(WEB, "lost01.example.org", "web02.example.org", read_back=True, concurrency=1)
    assert done.failed
    assert (done["counts"]["in_doubt"], done["counts"]["not_sent"]) == (1, 1)
    assert bench.sent == 2


def test_without_read_back_nothing_is_read(controlled: Bench) -> None:
    """In the run that sent it, and in the next one."""
    before = len(controlled.service.requests())
    controlled.lose()
    for order in (controlled.order, controlled.batch):
        for _run in range(2):
            doubt = order(WEB, read_back=False).msg
            assert "Check the customer portal" in doubt
    assert controlled.service.requests("GET")[before:] == []


@pytest.mark.parametrize("module", ["reseller_contract", "reseller_contracts"])
def test_one_of_several_runs_reports_a_lost_order_as_placed(bench: Bench, module: str) -> None:
    bench.lose()
    # The processes are forked and have the bench, which cannot be sent to them.
    _benches[:] = [bench]
    with ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
        runs = list(pool.map(_run, [module] * 4))
    assert bench.sent == 1
    assert [ran.msg for ran in runs if ran.failed] == []
    assert sorted(ran["changed"] for ran in runs) == [False, False, False, True]


_benches: list[Bench] = []


def _run(module: str) -> Ran:
    (bench,) = _benches
    return (bench.order if module == "reseller_contract" else bench.batch)(WEB, read_back=True)


def test_lost_order_is_settled_at_the_end_of_its_run_in_every_shape(simulator: Simulator, tmp_path: Path) -> None:
    bench = Bench(simulator, tmp_path)
    simulator.add_contract(VPS, {"hostname": "web02.example.org", "template": "debian-12"}, age=7200.0)
    simulator.arm("drop_after", match={"hostname": WEB})
    done = bench.order(WEB, read_back=True)
    assert not done.failed, done.msg
    assert f"No contract showed hostname {WEB} before the order" in done["evidence"][0]
    assert bench.ids == [done["contract_id"]]
    again = bench.order(WEB, read_back=True)
    assert (again["changed"], again["contract_id"], len(bench.ids)) == (False, done["contract_id"], 1)


# What the service has already


def test_contract_that_is_over_is_a_warning_alone(controlled: Bench) -> None:
    controlled.add(WEB, status="cancelled")
    done = controlled.order(WEB)
    assert (done["changed"], len(done.warnings)) == (True, 1)


def test_contract_that_is_recorded_without_its_hostname_is_not_bought_again(controlled: Bench) -> None:
    made = controlled.add(WEB)
    controlled.adopt("shop", contract_id=made)
    refused = controlled.order(WEB, read_back=True)
    assert refused.failed
    assert made in refused.msg


def test_orders_without_an_id_explain_as_many_contracts(controlled: Bench) -> None:
    controlled.service.behave(of_end_users=True)
    controlled.service.arm("answer", status=202, body="", process=True, match={"product": data.WEBHOSTING_START})
    for name in ("shop", "blog"):
        assert controlled.web_hosting(name)["changed"]
    controlled.service.add_contract(data.WEBHOSTING_START, {}, end_user=END_USER, endUser=END_USER)
    assert controlled.web_hosting("wiki").failed
