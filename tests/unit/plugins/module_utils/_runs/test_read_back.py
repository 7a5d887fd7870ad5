# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ordering with what the service lists: what is read, sent, refused, noted and settled at the end."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Shared
from ansible_collections.hosting.reseller.plugins.module_utils._contracts import judging, reading
from playbooks.files.simulator import data
from playbooks.files.simulator.data import END_USER
from playbooks.files.simulator.running import Simulator
from tests.support.described import end_users
from tests.support.order_examples import settings
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, VPS, Bench, Ran

pytestmark = FOR_OWN

WEB = "web01.example.org"
LIST = "/api/reseller/contracts"


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
    controlled.lose()
    done = controlled.batch(WEB, "web02.example.org", read_back=required, on_error="continue")
    assert not done.failed, done.msg
    assert [each["order"]["status"] for each in done["results"]] == ["ordered", "ordered"]
    assert all("before the order" in each["evidence"][0] for each in done["results"])
    methods = [request.method for request in controlled.service.requests() if request.path == LIST]
    # Page 2, which the service does not have, is read to tell that page 1 is all.
    assert methods[5:] == ["GET", "GET", "POST", "POST", "GET", "GET"]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_batch_goes_on_after_an_order_that_was_read_back(controlled: Bench, concurrency: int) -> None:
    """Also with on_error stop, which is the default: what was read back did not fail."""
    bench, before = controlled, controlled.sent
    names = [WEB, "lost01.example.org", "web02.example.org", "lost02.example.org", "web03.example.org"]
    for name in names[1::2]:
        bench.lose(hostname=name)
    done = bench.batch(*names, read_back=True, concurrency=concurrency)
    assert not done.failed, done.msg
    assert [each["changed"] for each in done["results"]] == [True] * 5
    assert (done["counts"]["ordered"], bench.sent - before) == (5, 5)
    assert {record.outcome.contract_id for record in bench.records().values()} == set(bench.ids)
    again = bench.batch(*names, read_back=True)
    assert (again.failed, again["changed"], bench.sent - before) == (False, False, 5)


def test_batch_stops_at_an_order_that_is_not_listed(bench: Bench) -> None:
    bench.service.behave(lags=True)
    bench.lose(hostname="lost01.example.org")
    done = bench.batch(WEB, "lost01.example.org", "web02.example.org", read_back=True, concurrency=1)
    assert done.failed
    assert (done["counts"]["in_doubt"], done["counts"]["not_sent"]) == (1, 1)
    assert bench.sent == 2


def test_settlement_that_the_ledger_refuses_is_not_told_as_done(
    controlled: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "settle", lambda _config, _ledger, judgments: {each.name: each for each in judgments})
    controlled.lose()
    lost = controlled.order(WEB)
    assert (lost.failed, lost["order"]["status"]) == (True, "in_doubt")


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
def test_one_of_several_runs_reports_a_lost_order_as_placed(controlled: Bench, module: str) -> None:
    bench, before = controlled, controlled.sent
    bench.lose()
    # The processes are forked and have the bench, which cannot be sent to them.
    _benches[:] = [bench]
    with ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
        runs = list(pool.map(_run, [module] * 4))
    assert bench.sent - before == 1
    assert [ran.msg for ran in runs if ran.failed] == []
    assert sorted(ran["changed"] for ran in runs) == [False, False, False, True]


_benches: list[Bench] = []


def _run(module: str) -> Ran:
    (bench,) = _benches
    return (bench.order if module == "reseller_contract" else bench.batch)(WEB, read_back=True)


THEIRS: dict[str, Any] = {"end_users": end_users({END_USER: data.END_USER_ORGANIZATION_ID})}


@pytest.mark.parametrize(
    ("parts", "end_user"),
    [({"contracts": {"owned_by_list": True}}, "__self__"), (THEIRS, END_USER)],
    ids=["own", "theirs"],
)
def test_lost_order_is_settled_after_the_first_recorded_contract_in_every_shape(
    simulator: Simulator, tmp_path: Path, parts: dict[str, Any], end_user: str
) -> None:
    """For an end user as soon as the organization is named, for one's own where the list says whose it is."""
    bench = Bench(simulator, tmp_path)
    options = {"end_user": end_user, "service": bench.described(**parts)}
    bench.add("web02.example.org", end_user=end_user)
    assert bench.order("web00.example.org", **options)["changed"]
    simulator.arm("drop_after", match={"hostname": WEB})
    done = bench.order(WEB, **options)
    assert not done.failed, done.msg
    assert f"No contract showed hostname {WEB} before the order" in done["evidence"][0]
    assert bench.ids[-1] == done["contract_id"]
    again = bench.order(WEB, **options)
    assert (again["changed"], again["contract_id"], len(bench.ids)) == (False, done["contract_id"], 2)


# What is not readable


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 403},
        {"status": 200, "body": "<html><title>Log in</title></html>"},
        {"status": 200, "body": {"message": "Hello."}},
    ],
)
def test_list_that_cannot_be_read_refuses_only_where_it_is_required(paged: Bench, fault: dict[str, Any]) -> None:
    paged.add(WEB)
    paged.service.arm("answer", method="GET", times=-1, **{"on": LIST, **fault})
    done = paged.order(WEB)
    assert (done["changed"], done["read_back"]["read"]) == (True, False)
    (said,) = [each for each in done.warnings if "ledger" not in each]
    assert "1 order is not compared with what the service lists." in said
    defaults = {"end_user": "__self__", "product": VPS, "allow_second": True}
    for check in (True, False):
        required = paged.batch("web02.example.org", check=check, read_back=True, defaults=defaults)
        assert (required.failed, paged.sent) == (True, 1)
        assert "not known whether the service has it already" in required.msg
        assert "leave out read_back" in required.msg


def test_first_page_refuses_although_the_second_one_cannot_be_read(paged: Bench) -> None:
    for number in range(11):
        paged.add(f"other{number}.example.org")
    paged.add(WEB)
    paged.service.arm("answer", method="GET", times=-1, on=f"{LIST}?page=2", status=403)
    refused = paged.order(WEB)
    assert (refused.failed, refused["read_back"]["read"], paged.sent) == (True, False, 0)
    assert "the ledger lacks" in refused.msg


@pytest.mark.parametrize(("contracts", "requests", "read"), [(100, 10, True), (101, 10, False), (5000, 10, False)])
def test_list_takes_at_most_ten_requests(paged: Bench, contracts: int, requests: int, read: bool) -> None:
    paged.order("first.example.org", read_back=False)
    for number in range(contracts - 1):
        paged.add(f"other{number}.example.org")
    done = paged.order(WEB)
    assert (done["changed"], done["read_back"]["read"], paged.reads(LIST)) == (True, read, requests)
    assert read or "It takes too many requests" in done["read_back"]["why"]


def test_list_that_takes_too_long_refuses_nothing(controlled: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (reading.MOST_REQUESTS, reading.MOST_SECONDS) == (10, 10.0)
    monkeypatch.setattr(reading, "MOST_SECONDS", 0.3)
    controlled.service.arm("hold", method="GET", times=-1)
    done = controlled.order(WEB)
    assert (done["changed"], done["read_back"]["read"], len(done.warnings)) == (True, False, 1)
    controlled.service.release()


def test_service_without_a_list_is_used_silently_unless_it_is_required(plain_service: Bench) -> None:
    done = plain_service.order(WEB)
    assert done["changed"]
    assert (done["read_back"]["read"], [each for each in done.warnings if "ledger" not in each]) == (False, [])
    assert "The OpenAPI document has no operation that lists contracts." in done["read_back"]["why"]
    required = plain_service.batch("web02.example.org", "web03.example.org", read_back=True)
    assert (required.failed, plain_service.sent) == (True, 1)


# What is read


def test_lost_answer_is_settled_whatever_the_list_takes_then(paged: Bench) -> None:
    """The bound is that of the read before orders."""
    options = {"service": paged.described(contracts={"owned_by_list": True})}
    paged.order("first.example.org")
    for number in range(99):
        paged.add(f"other{number}.example.org")
    paged.lose()
    done = paged.order(WEB, **options)
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


def test_each_order_of_a_loop_reads_the_list(controlled: Bench) -> None:
    read, shared = controlled.reads(LIST), Shared()
    with closing(shared):
        for number in range(2):
            assert controlled.order(f"web{number}.example.org", shared=shared)["changed"]
    assert controlled.reads(LIST) == read + 4


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
