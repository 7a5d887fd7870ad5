# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ordering with what the service lists: what is read, sent, refused, noted and settled at the end."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Shared
from ansible_collections.hosting.reseller.plugins.module_utils._placing import read_back
from playbooks.files.simulator import data
from playbooks.files.simulator.data import END_USER
from playbooks.files.simulator.running import Simulator
from tests.support.described import end_users
from tests.support.order_examples import settings
from tests.unit.plugins.module_utils._tasks.conftest import VPS, Bench, Ran

WEB = "web01.example.org"
LIST = "/api/reseller/contracts"


@pytest.fixture
def shared() -> Iterator[Shared]:
    """What the items of one loop share."""
    with_items = Shared()
    yield with_items
    with_items.close()


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


@pytest.mark.parametrize("required", [None, True])
def test_batch_reads_one_list_and_settles_its_orders_at_its_end(controlled: Bench, required: bool | None) -> None:
    for made in controlled.ids:
        # Those that were ordered in one second have that in common, and it tells nothing.
        controlled.service.change_contract(made, createdAt=1795418762)
    controlled.lose()
    done = controlled.batch(WEB, "web02.example.org", read_back=required, on_error="continue")
    assert not done.failed, done.msg
    assert [each["order"]["status"] for each in done["results"]] == ["ordered", "ordered"]
    assert all("before the order" in each["evidence"][0] for each in done["results"])
    methods = [request.method for request in controlled.service.requests() if request.path == LIST]
    assert methods[4:] == ["GET", "POST", "POST", "GET"]


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
    assert not any(each.path.startswith(LIST) for each in controlled.service.requests("GET")[before:])


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


# What is not readable


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 403},
        {"status": 200, "body": "<html><title>Log in</title></html>"},
        {"status": 200, "body": {"message": "Hello."}},
        # The list says that it has more.
        {"on": f"{LIST}?page=2", "status": 200, "body": {"member": [], "totalItems": 13}},
    ],
)
def test_list_that_cannot_be_read_refuses_only_where_it_is_required(paged: Bench, fault: dict[str, Any]) -> None:
    """So does one that shows a part of the truth. A ledger that was used before makes no warning of it."""
    paged.order("first.example.org", read_back=False)
    for number in range(11):
        paged.add(f"other{number}.example.org")
    paged.add(WEB)
    paged.service.arm("answer", method="GET", times=-1, **{"on": LIST, **fault})
    done = paged.order(WEB)
    assert (done["changed"], done["read_back"]["read"], done.warnings) == (True, False, [])
    assert done["read_back"]["why"]
    defaults = {"end_user": "__self__", "product": VPS}
    for check in (True, False):
        required = paged.batch("web02.example.org", check=check, read_back=True, defaults=defaults)
        assert (required.failed, paged.sent) == (True, 2)
        assert "not known whether the service has it already" in required.msg
        assert "leave out read_back" in required.msg


@pytest.mark.parametrize(("contracts", "requests", "read"), [(100, 10, True), (101, 1, False), (5000, 1, False)])
def test_list_takes_at_most_ten_requests(paged: Bench, contracts: int, requests: int, read: bool) -> None:
    """One that says that it has more pages is left after the first one."""
    paged.order("first.example.org", read_back=False)
    for number in range(contracts - 1):
        paged.add(f"other{number}.example.org")
    done = paged.order(WEB)
    assert (done["changed"], done["read_back"]["read"], paged.reads(LIST)) == (True, read, requests)
    assert read or "it has more than 10 pages" in done["read_back"]["why"]


def test_list_that_takes_too_long_refuses_nothing(controlled: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (read_back._MOST_REQUESTS, read_back._MOST_SECONDS) == (10, 10.0)
    monkeypatch.setattr(read_back, "_MOST_SECONDS", 0.3)
    controlled.service.arm("hold", method="GET", times=-1)
    done = controlled.order(WEB)
    assert (done["changed"], done["read_back"]["read"], done.warnings) == (True, False, [])
    controlled.service.release()


def test_service_without_a_list_is_warned_of_once_where_it_is_required(plain_service: Bench) -> None:
    done = plain_service.order(WEB)
    assert done["changed"]
    assert done["read_back"] == {"read": False, "why": "The OpenAPI document has no operation that lists contracts."}
    assert not any("list of contracts" in warning for warning in done.warnings)
    required = plain_service.batch("web02.example.org", "web03.example.org", read_back=True)
    assert required["changed"]
    (said,) = [each for each in required.warnings if "Only the ledger was checked" in each]
    assert said.startswith("web02.example.org (and 1 other order): ")


# What is read


def test_lost_answer_is_settled_whatever_the_list_takes_then(paged: Bench) -> None:
    """The bound is that of the read before orders."""
    paged.order("first.example.org")
    for number in range(99):
        paged.add(f"other{number}.example.org")
    paged.lose()
    done = paged.order(WEB)
    assert (done["changed"], done["contract_id"]) == (True, paged.ids[-1])
    assert paged.reads(LIST) > 20


def test_lost_ledger_sends_nothing(controlled: Bench) -> None:
    """A second webhosting is sent where that is wanted, a second domain never."""
    domain = {"product_type": "domain", "product": None, "settings": settings(data.DOMAIN, domain="example.org")}
    domain |= {"verify_nameservers": False, "allow_second": True}
    shop = {"service": controlled.described(end_users=end_users({END_USER: "4201"}))}
    made = [controlled.order(None, **domain)["contract_id"], controlled.web_hosting("shop", **shop)["contract_id"]]
    other = controlled.with_another_ledger()
    refused, sold = other.order(None, **domain), other.web_hosting("shop", **shop)
    assert "A domain is never bought twice" in refused.msg
    assert refused["read_back"] == {"read": True, "why": None}
    for ran, contract_id in zip((refused, sold), made, strict=True):
        assert "the service has a contract like it that the ledger lacks" in ran.msg
        assert contract_id in ran.msg
    assert controlled.ids[0] in other.batch("control1.example.org").msg
    # True is about the ledger alone, and names of other contracts allow nothing.
    for allowed in (True, [made[0]], []):
        assert made[1] in other.web_hosting("shop", **shop, allow_second=allowed).msg
    warned = other.web_hosting("shop", **shop, allow_second=[made[0], made[1].upper()])
    assert (warned["changed"], any(made[1] in each for each in warned.warnings)) == (True, True)


@pytest.mark.parametrize("required", [None, True])
def test_list_that_shows_no_contracts_of_end_users_is_not_read_for_them(
    controlled: Bench, required: bool | None
) -> None:
    controlled.add("own.example.org")
    done = controlled.order(WEB, end_user=END_USER, read_back=required)
    assert (done["changed"], done["read_back"]["read"], bool(done.warnings)) == (True, False, bool(required))
    assert "set its organization_id" in done["read_back"]["why"]
    assert controlled.order("web02.example.org", read_back=required)["read_back"] == {"read": True, "why": None}


def test_refusal_offers_what_adopts_the_contract(controlled: Bench) -> None:
    controlled.service.behave(of_end_users=True)
    made = controlled.add(WEB, end_user=END_USER)
    refused = controlled.order(WEB, end_user=END_USER)
    assert "If it is this order's, adopt it with this line. To buy another one" in refused.msg
    options = {"contract_id": made, "end_user": END_USER, "product": VPS, "product_type": "vps"}
    assert all(f"{name}={value}" in refused.msg or value in refused.msg for name, value in options.items())
    controlled.adopt(
        WEB, **options, settings={"hostname": WEB}, base_url=controlled.service.base_url, organization_id="4200"
    )
    assert not controlled.order(WEB, end_user=END_USER)["changed"]


# One list for several orders


def test_one_list_serves_a_loop(controlled: Bench, shared: Shared) -> None:
    """With what the loop has bought itself, until an answer is lost."""
    read = controlled.reads(LIST)
    made = [controlled.order(f"web{number}.example.org", shared=shared)["contract_id"] for number in range(3)]
    assert controlled.reads(LIST) == read + 1
    controlled.service.behave(lags=True)
    controlled.lose()
    assert controlled.order(WEB, shared=shared).failed
    assert controlled.reads(LIST) == read + 2
    request = controlled.records()[WEB].request
    assert request is not None
    assert request.evidence is not None
    assert all(map(request.evidence.has, (*controlled.ids[:2], *made)))
    controlled.service.disarm()
    assert controlled.order("web09.example.org", shared=shared)["changed"]
    assert controlled.reads(LIST) == read + 3


@pytest.mark.parametrize("why", ["ten seconds later", "no id", "required"])
def test_list_is_read_anew(controlled: Bench, shared: Shared, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    read, clock = controlled.reads(LIST), time.monotonic
    if why == "no id":
        controlled.service.arm("answer", status=202, body="", process=True)
    assert controlled.order(WEB, shared=shared)["changed"]
    if why == "ten seconds later":
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 10.5)
    assert controlled.order("web02.example.org", shared=shared, read_back=why == "required" or None)["changed"]
    assert controlled.reads(LIST) == read + 2


def test_list_is_read_anew_before_it_refuses(controlled: Bench, shared: Shared) -> None:
    made = controlled.add("old.example.org")
    assert controlled.order(WEB, shared=shared)["changed"]
    read = controlled.reads(LIST)
    assert controlled.order("old.example.org", shared=shared).failed
    controlled.service.remove_contract(made)
    assert controlled.order("old.example.org", shared=shared)["changed"]
    assert controlled.reads(LIST) == read + 2


# The plan of a stack


def plan(bench: Bench, **options: Any) -> Ran:
    servers = [{"hostname": name, "product": VPS, "template": "debian-12"} for name in (WEB, "web02.example.org")]
    stack = {"end_user": "__self__", "contracts": {"vps": servers}}
    return bench.run("reseller_stack", True, stack=stack, **options)


def test_plan_of_a_stack_with_what_is_there_cannot_be_approved(controlled: Bench) -> None:
    plain = plan(controlled)
    assert (plain["read_back"], [each["action"] for each in plain["plan"]]) == (
        {"read": True, "why": None},
        ["order", "order"],
    )
    made = controlled.add(WEB)
    refused = plan(controlled, service=controlled.described(contracts={"path": LIST}))
    assert [each["action"] for each in refused["plan"]] == ["refused", "order"]
    assert made in refused["results"][0]["msg"]
    assert (refused["order_with"], refused["problems"]) == (None, [])
    assert (bool(plain["plan_digest"]), refused["plan_digest"]) == (True, None)
    blind = plan(controlled, read_back=False)
    assert ([each["action"] for each in blind["plan"]], blind["read_back"]) == (["order", "order"], None)
    assert plan(controlled, validation="specification")["read_back"] is None
