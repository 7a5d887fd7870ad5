# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ordering with read_back, on_unrecorded and marker_element: what is sent, refused, noted and settled at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import ClaimEvidence
from tests.support.contract_service import ContractService
from tests.support.fixed_service import END_USER, VPS, WEBHOSTING
from tests.unit.plugins.module_utils._tasks.conftest import Bench

WEB = "web01.example.org"


def another_ledger(bench: Bench, tmp_path: Path) -> Bench:
    other = Bench(bench.service, tmp_path / "another")
    other.folder.mkdir(mode=0o700)
    return other


def evidence_of(bench: Bench, name: str = WEB) -> ClaimEvidence | None:
    request = bench.records()[name].request
    return request.evidence if request else None


def wanted(*hostnames: str, **options: Any) -> dict[str, Any]:
    return {
        "defaults": {"end_user": "__self__", "product": VPS},
        "contracts": [{"settings": {"hostname": each, "template": "debian-12"}} for each in hostnames],
        **options,
    }


# What is noted, and what it settles


def test_what_is_there_before_is_noted(controlled: Bench) -> None:
    old = controlled.service.add(WEB, endUser=END_USER)
    assert controlled.order(WEB, read_back=True, on_unrecorded="ignore")["changed"]
    assert evidence_of(controlled) == ClaimEvidence(None, (old,), complete=True)
    assert controlled.order("web02.example.org")["changed"]
    assert evidence_of(controlled, "web02.example.org") is None


def test_order_in_doubt_is_settled_at_the_end_of_the_run(controlled: Bench) -> None:
    controlled.service.lose = True
    done = controlled.order(WEB, read_back=True)
    assert (done.failed, done["changed"], done["order"]["status"]) == (False, True, "ordered")
    assert "No contract showed hostname web01.example.org before the order" in done["evidence"][0]
    assert controlled.service.contracts[done["contract_id"]]["hostname"] == WEB
    sent = len(controlled.service.sent)
    again = controlled.order(WEB, read_back=True)
    assert (again["changed"], again["contract_id"]) == (False, done["contract_id"])
    assert len(controlled.service.sent) == sent


def test_order_that_the_list_does_not_show_yet_stays_in_doubt_and_is_settled_later(controlled: Bench) -> None:
    controlled.service.lose = controlled.service.lagging = True
    lost = controlled.order(WEB, read_back=True)
    assert (lost.failed, lost["order"]["status"]) == (True, "in_doubt")
    assert "a list may lag behind" in lost.msg
    assert controlled.order(WEB, read_back=True).failed
    controlled.service.lagging = False
    assert controlled.reconcile().names("settled") == [WEB]
    assert not controlled.order(WEB)["changed"]


def test_orders_of_a_batch_are_settled_at_its_end(controlled: Bench) -> None:
    controlled.service.lose = True
    done = controlled.run("reseller_contracts", **wanted(WEB, "web02.example.org", read_back=True, on_error="continue"))
    assert not done.failed, done.msg
    assert [each["order"]["status"] for each in done["results"]] == ["ordered", "ordered"]
    assert all("before the order" in each["evidence"][0] for each in done["results"])
    assert (done["counts"]["ordered"], done["changed"]) == (2, True)
    lists = [request for request in controlled.service.requests if request.path == "/api/reseller/contracts"]
    assert [request.method for request in lists[2:]] == ["GET", "POST", "POST", "GET"]


def test_stack_is_settled_at_its_end(controlled: Bench) -> None:
    assert controlled.order("theirs.example.org", end_user=END_USER)["changed"]
    controlled.service.lose = True
    servers = [{"hostname": WEB, "product": VPS, "template": "debian-12"}]
    done = controlled.run("reseller_stack", stack={"end_user": END_USER, "contracts": {"vps": servers}}, read_back=True)
    assert not done.failed, done.msg
    assert "before the order" in done["results"][0]["evidence"][0]


def test_without_read_back_nothing_is_read(controlled: Bench) -> None:
    before = len(controlled.service.requests)
    controlled.service.lose = True
    assert controlled.order(WEB).failed
    assert [each.path for each in controlled.service.requests[before:] if each.method == "GET"] == []


# What the service has already


@pytest.mark.parametrize("product", [VPS, WEBHOSTING])
def test_another_ledger_sends_nothing(controlled: Bench, tmp_path: Path, product: str) -> None:
    """The explicit word refuses also what it does not understand: no contract is known to the new ledger."""
    options: dict[str, Any] = {"name": "one", "product": product}
    hostname = WEB if product == VPS else None
    assert controlled.order(hostname, **options)["changed"]
    sent = len(controlled.service.sent)
    other = another_ledger(controlled, tmp_path)
    for check in (True, False):
        refused = other.run(
            "reseller_contracts",
            check=check,
            defaults={"end_user": "__self__"},
            contracts=[{**options, "settings": {"hostname": hostname, "template": "debian-12"} if hostname else {}}],
            on_unrecorded="fail",
        )
        assert refused.failed
        assert "one" in refused.msg
    assert len(controlled.service.sent) == sent


def test_read_back_with_another_ledger_sends_nothing_that_is_there(controlled: Bench, tmp_path: Path) -> None:
    assert controlled.order(WEB)["changed"]
    sent = len(controlled.service.sent)
    refused = another_ledger(controlled, tmp_path).order(WEB, read_back=True)
    assert refused.failed
    assert "the service has a contract like it that the ledger lacks" in refused.msg
    assert controlled.records()[WEB].outcome.contract_id in refused.msg
    assert len(controlled.service.sent) == sent


def test_first_order_of_all_is_settled(tmp_path: Path) -> None:
    """Nothing is recorded: the values of the order are enough."""
    with ContractService() as service:
        service.lose = True
        done = Bench(service, tmp_path).order(WEB, read_back=True)
        assert (done["changed"], done["order"]["status"]) == (True, "ordered"), done.msg


def test_end_user_whose_contracts_may_lie_elsewhere_is_not_ordered_for(controlled: Bench) -> None:
    sent = len(controlled.service.sent)
    refused = controlled.order(WEB, end_user=END_USER, on_unrecorded="fail")
    assert refused.failed
    assert "set organizations" in refused.msg
    assert len(controlled.service.sent) == sent
    assert controlled.order(WEB, end_user=END_USER, on_unrecorded="fail", organizations={END_USER: 4712})["changed"]
    reads = [each for each in controlled.service.requests if each.method == "GET"]
    assert reads[-1].headers["X-Organization-ID"] == "4712"
    # Not asked for by name, the same is said once, and ordered.
    told = controlled.order("web02.example.org", end_user="9d0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b99", read_back=True)
    assert told["changed"]


@pytest.mark.parametrize(
    ("there", "refused"),
    [
        ({"hostname": WEB.upper(), "product": WEBHOSTING}, True),
        ({"hostname": WEB, "endUser": END_USER}, False),
    ],
)
def test_what_looks_like_an_order(controlled: Bench, there: dict[str, Any], refused: bool) -> None:
    assert controlled.order("theirs.example.org", end_user=END_USER)["changed"]
    controlled.service.add(**there)
    assert controlled.order(WEB, on_unrecorded="fail").failed == refused


@pytest.mark.parametrize("end_user", ["__self__", None])
def test_adopted_contract_is_not_bought_again_under_any_name(
    controlled: Bench, tmp_path: Path, end_user: str | None
) -> None:
    other, made = another_ledger(controlled, tmp_path), controlled.service.add(WEB, endUser=end_user)
    assert other.reconcile(adopt=[made]).names("adopted") == [WEB]
    sent = len(controlled.service.sent)
    assert not other.order(WEB)["changed"]
    assert WEB in other.order(WEB, name="shop").msg
    assert len(controlled.service.sent) == sent


def test_contract_that_is_recorded_without_its_hostname_is_not_bought_again(controlled: Bench) -> None:
    made = controlled.service.add(WEB)
    controlled.adopt("shop", contract_id=made)
    refused = controlled.order(WEB, read_back=True)
    assert refused.failed
    assert made in refused.msg


def test_webhosting_is_known_by_its_product_and_end_user(controlled: Bench) -> None:
    options: dict[str, Any] = {"product": WEBHOSTING, "product_type": "webhosting", "on_unrecorded": "fail"}
    assert controlled.order(None, name="shop1", **options)["changed"]
    assert controlled.order(None, name="shop2", **options)["changed"]
    controlled.service.add(None, WEBHOSTING)
    assert "a contract like it that the ledger lacks" in controlled.order(None, name="shop3", **options).msg


def test_warning_is_enough_where_it_is_asked_for(controlled: Bench) -> None:
    made = controlled.service.add(WEB)
    done = controlled.order(WEB, on_unrecorded="warn")
    assert done["changed"]
    assert [each for each in done.warnings if made in each]
    assert evidence_of(controlled) is None


@pytest.mark.parametrize("how", ["not published", "incomplete", "refused"])
def test_list_that_tells_nothing_refuses_only_where_that_is_asked_for(tmp_path: Path, how: str) -> None:
    with ContractService(readable=how != "not published") as service:
        if how == "incomplete":
            for number in range(6):
                service.add(f"host{number}.example.org")
            service.page, service.repeat = 2, 1
        service.refused = 403 if how == "refused" else 0
        other = Bench(service, tmp_path / how)
        other.folder.mkdir(mode=0o700)
        refused = other.run("reseller_contracts", **wanted(WEB, "web02.example.org", on_unrecorded="fail"))
        assert refused.failed
        assert "not known whether the service has it already" in refused.msg
        assert service.sent == []
        done = other.run("reseller_contracts", **wanted(WEB, "web02.example.org", read_back=True))
        assert (done["changed"], len(service.sent)) == (True, 2)
        said = [each for each in done.warnings if "it is not known what the service has already" in each]
        assert len(said) == 1
        assert said[0].startswith(f"{WEB} and 1 other order:")


def test_documented_validation_reads_nothing_in_check_mode(controlled: Bench) -> None:
    before = len(controlled.service.requests)
    options = wanted(WEB, on_unrecorded="fail")
    options["defaults"] |= {"validation": "documented", "product_type": "vps"}
    assert controlled.run("reseller_contracts", check=True, **options)["changed"]
    assert len(controlled.service.requests) == before


# The marker


def test_marker_is_sent_and_shown_as_such(controlled: Bench) -> None:
    dry = controlled.run("reseller_contracts", check=True, **wanted(WEB, marker_element="note"))
    assert dry["results"][0]["request"]["body"]["note"] == "(the claim's marker)"
    assert controlled.run("reseller_contracts", **wanted(WEB, marker_element="note"))["changed"]
    assert controlled.service.sent[-1]["note"] == getattr(evidence_of(controlled), "marker", None)
    digests = {
        controlled.run("reseller_contracts", check=True, **wanted("web02.example.org", **more))["plan_digest"]
        for more in ({}, {"marker_element": "note"})
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"marker_element": "notes", "end_user_element": "endUser", "product_element": "product"}, "did you mean note"),
        ({"marker_element": "note", "additional_elements": {"note": "mine"}}, "is in additional_elements, too"),
    ],
)
def test_marker_needs_a_place_of_its_own(controlled: Bench, options: dict[str, Any], words: str) -> None:
    sent = len(controlled.service.sent)
    refused = controlled.order(WEB, **options)
    assert refused.failed
    assert words in refused.msg
    assert len(controlled.service.sent) == sent
