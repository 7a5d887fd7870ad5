# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading back without being asked: what it takes, what it leaves alone, and what is told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Shared
from ansible_collections.hosting.reseller.plugins.module_utils._tasks import read_back
from playbooks.files.simulator import data
from playbooks.files.simulator.data import END_USER
from tests.support.order_examples import settings
from tests.unit.plugins.module_utils._tasks.conftest import VPS, Bench, Ran

WEB = "web01.example.org"
LIST = "/api/reseller/contracts"


def lists_read(bench: Bench) -> int:
    return sum(request.target.partition("?")[0] == LIST for request in bench.service.requests("GET"))


@pytest.fixture
def shared() -> Iterator[Shared]:
    """What the items of one loop share."""
    with_items = Shared()
    yield with_items
    with_items.close()


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
    defaults = {"end_user": "__self__", "product": VPS, "on_duplicate": "ignore"}
    for check in (True, False):
        required = paged.batch("web02.example.org", check=check, read_back=True, defaults=defaults)
        assert (required.failed, paged.sent) == (True, 2)
        assert "not known whether the service has it already" in required.msg
        assert "leave out read_back" in required.msg


def test_list_is_tried_again_in_another_run_of_ansible(paged: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    paged.service.behave(list_status=403)
    assert not paged.order(WEB)["read_back"]["read"]
    paged.service.behave()
    assert not paged.order("web02.example.org")["read_back"]["read"]
    monkeypatch.setattr(os, "getppid", lambda: 1)
    assert paged.order("web03.example.org")["read_back"]["read"]


@pytest.mark.parametrize(("contracts", "requests", "read"), [(100, 10, True), (101, 1, False), (5000, 1, False)])
def test_list_takes_at_most_ten_requests(paged: Bench, contracts: int, requests: int, read: bool) -> None:
    """One that says that it has more pages is left after the first one."""
    paged.order("first.example.org", read_back=False)
    for number in range(contracts - 1):
        paged.add(f"other{number}.example.org")
    done = paged.order(WEB)
    assert (done["changed"], done["read_back"]["read"], lists_read(paged)) == (True, read, requests)
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
    assert lists_read(paged) > 20


def test_lost_ledger_sends_nothing(controlled: Bench) -> None:
    """A second webhosting is sent where that is wanted, a second domain never."""
    domain = {"product_type": "domain", "product": None, "settings": settings(data.DOMAIN, domain="example.org")}
    domain |= {"verify_nameservers": False, "on_duplicate": "ignore"}
    shop = {"organizations": {END_USER: 4201}}
    made = [controlled.order(None, **domain)["contract_id"], controlled.web_hosting("shop", **shop)["contract_id"]]
    other = controlled.with_another_ledger()
    refused, sold = other.order(None, **domain), other.web_hosting("shop", **shop)
    assert "A domain is never bought twice" in refused.msg
    assert refused["read_back"] == {"read": True, "why": None}
    for ran, contract_id in zip((refused, sold), made, strict=True):
        assert "the service has a contract like it that the ledger lacks" in ran.msg
        assert contract_id in ran.msg
    assert controlled.ids[0] in other.batch("control1.example.org").msg
    warned = other.web_hosting("shop", **shop, on_duplicate="warn")
    assert (warned["changed"], any(made[1] in each for each in warned.warnings)) == (True, True)


@pytest.mark.parametrize("required", [None, True])
def test_list_that_shows_no_contracts_of_end_users_is_not_read_for_them(
    controlled: Bench, required: bool | None
) -> None:
    controlled.add("own.example.org")
    done = controlled.order(WEB, end_user=END_USER, read_back=required)
    assert (done["changed"], done["read_back"]["read"], bool(done.warnings)) == (True, False, bool(required))
    assert "set organizations" in done["read_back"]["why"]
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
    read = lists_read(controlled)
    made = [controlled.order(f"web{number}.example.org", shared=shared)["contract_id"] for number in range(3)]
    assert lists_read(controlled) == read + 1
    controlled.service.behave(lags=True)
    controlled.lose()
    assert controlled.order(WEB, shared=shared).failed
    assert lists_read(controlled) == read + 2
    request = controlled.records()[WEB].request
    assert request is not None
    assert request.evidence is not None
    assert request.evidence.before is not None
    assert all(map(request.evidence.before.has, (*controlled.ids[:2], *made)))
    controlled.service.disarm()
    assert controlled.order("web09.example.org", shared=shared)["changed"]
    assert lists_read(controlled) == read + 3


@pytest.mark.parametrize("why", ["ten seconds later", "no id", "required"])
def test_list_is_read_anew(controlled: Bench, shared: Shared, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    read, clock = lists_read(controlled), time.monotonic
    if why == "no id":
        controlled.service.arm("answer", status=202, body="", process=True)
    assert controlled.order(WEB, shared=shared)["changed"]
    if why == "ten seconds later":
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 10.5)
    assert controlled.order("web02.example.org", shared=shared, read_back=why == "required" or None)["changed"]
    assert lists_read(controlled) == read + 2


def test_list_is_read_anew_before_it_refuses(controlled: Bench, shared: Shared) -> None:
    made = controlled.add("old.example.org")
    assert controlled.order(WEB, shared=shared)["changed"]
    read = lists_read(controlled)
    assert controlled.order("old.example.org", shared=shared).failed
    controlled.service.remove_contract(made)
    assert controlled.order("old.example.org", shared=shared)["changed"]
    assert lists_read(controlled) == read + 2


def test_batch_reads_one_list(controlled: Bench) -> None:
    read = lists_read(controlled)
    assert controlled.batch(*(f"web{number}.example.org" for number in range(5)))["counts"]["ordered"] == 5
    assert lists_read(controlled) == read + 1


# The plan of a stack


def plan(bench: Bench, **options: Any) -> Ran:
    servers = [{"hostname": name, "product": VPS, "template": "debian-12"} for name in (WEB, "web02.example.org")]
    stack = {"end_user": "__self__", "contracts": {"vps": servers}}
    return bench.run("reseller_stack_info", stack=stack, organizations={END_USER: 4201}, **options)


def test_plan_of_a_stack_refuses_what_is_there_and_its_digest_does_not(controlled: Bench) -> None:
    plain = plan(controlled)
    assert (plain["read_back"], [each["action"] for each in plain["plan"]]) == (
        {"read": True, "why": None},
        ["order", "order"],
    )
    made = controlled.add(WEB)
    refused = plan(controlled, contracts_path=LIST)
    assert [each["action"] for each in refused["plan"]] == ["refused", "order"]
    assert made in refused["contracts"][0]["message"]
    assert (refused["order_with"], refused["problems"]) == (None, [])
    assert refused["plan_digest"] == plain["plan_digest"]
    blind = plan(controlled, read_back=False)
    assert ([each["action"] for each in blind["plan"]], "read_back" in blind.result) == (["order", "order"], False)
    before = len(controlled.service.requests())
    assert "read_back" not in plan(controlled, validation="specification").result
    assert len(controlled.service.requests()) == before
