# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What lists settle, which orders compete for one contract, and what is left of a list without them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.judging import Judge, Judgment
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reading import ContractReader
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reconciling import Reconciler
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, EndUser, Field
from tests.support.random_services import ListedService

SERVICE, OWN, THEIRS = "https://portal.example.org", "4711", "4712"
USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11"
STRANGER = "aa0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9baa"
VPS = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"
WEB, DB = "web01.example.org", "db01.example.org"
GIVEN = {"path": "/c", "next": None, "id": "id", "hostname": "hostname", "domain": "domain", "product": "product"}
GIVEN |= {"end_user": "owner", "own": [None]}


class ListingClient(Client):
    """A client that lists these records of each organization."""

    def __init__(self, lists: dict[str, list[dict[str, Any]]], organization_id: str = OWN) -> None:
        super().__init__(ServiceConfig(SERVICE, "k3y-of-the-test", organization_id))
        self.lists = lists

    def acting_for(self, organization_id: str) -> ListingClient:
        return ListingClient(self.lists, organization_id)

    def get(self, target: str, **_options: Any) -> Answer:
        return Answer(200, target, json.dumps(self.lists.get(self.config.organization_id, [])).encode())


def raw(id_: str = "c1", hostname: str | None = WEB, **more: Any) -> dict[str, Any]:
    return {"id": id_, "hostname": hostname, "product": VPS, "owner": None, **more}


def request(hostname: str = WEB, **changes: Any) -> StoredRequest:
    known = {"name": hostname, "service": SERVICE, "organization_id": OWN, "end_user": "__self__", "product": VPS}
    known |= {"product_name": "VPS M", "product_type": "vps", "settings": {"hostname": hostname}}
    return StoredRequest(**{**known, **changes})


def reconciler(listed: Any, records: Sequence[Record] = (), without: str = "", **given: Any) -> Reconciler:
    lists = listed if isinstance(listed, dict) else {OWN: listed}
    said = {name: value for name, value in {**GIVEN, **given}.items() if name != without}
    fields = {f"contracts.{name}": Field(value, "file") for name, value in said.items()}
    described = Description("file", fields, {"customer": EndUser("customer", USER, THEIRS)})
    reader = ContractReader(ListedService(ListingClient(lists), described))
    reader.read(reader.organizations)
    return Reconciler(reader, records)


def lost(
    name: str = WEB, possible_id: str | None = None, status: Any = "in_doubt", before: Any = (), **changes: Any
) -> Record:
    """An order in doubt, before which the list was empty or had these records."""
    wanted = request(changes.pop("hostname", WEB), **{"name": name, **changes})
    evidence = reconciler([*before]).existing(wanted).evidence
    wanted = replace(wanted, evidence=evidence)
    outcome = Outcome(status, possible_id=possible_id)
    return Record(name, outcome, wanted, "run", "2026-11-21T12:00:00Z", None, "", alive=status == "pending")


RECORDED = Record("old", Outcome("ordered", contract_id="c1"), request(DB, name="old"), None, None, None, "")
#: What the list shows of an order in doubt, before which it had other records, or was read otherwise: its contract, or
#: words on why it stays open.
JUDGED: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "the only newcomer": ([raw()], {}, "c1"),
    "beside those of before": ([raw(), raw("c2", DB)], {"before": [raw("c2", DB)]}, "c1"),
    "a list that is not complete": ([raw(), raw(None, DB)], {}, "no known id"),
    "an id twice": ([raw(), raw("c2", DB), raw("c2", "x.example.org")], {}, "more than once"),
    "another list before": ([raw()], {"path": "/d"}, "another list was read before"),
    "no complete list before": ([raw()], {"before": [raw(None, DB)]}, "no complete list"),
    "a nameless server before": ([raw(), raw("c2", None)], {"before": [raw("c2", None)]}, "no complete list"),
    "a nameless one of another product before": (
        [raw(), raw("c2", None, product=DB)],
        {"before": [raw("c2", None, product=DB)]},
        "c1",
    ),
    "a contract of a record": ([raw()], {"records": [RECORDED]}, "it is the contract of old"),
    "one that was there under another name": ([raw()], {"before": [raw("c1", DB)]}, "was there before"),
    "a word of failure": ([raw(status="failed")], {}, "it says status: failed"),
    "no product": ([raw(product=None)], {}, "its product is"),
    "an owner who is not known": ([raw(owner="somebody")], {}, "not shown for certain"),
    "an owner at a place that its name suggests": (
        [raw(endUserUuid=STRANGER)],
        {"without": "end_user", "ordered": {"end_user": STRANGER}},
        "its end user is",
    ),
}


@pytest.mark.parametrize("case", JUDGED)
def test_newcomer_settles_what_it_is_certain_to_be(case: str) -> None:
    listed, given, expected = JUDGED[case]
    fields = {name: value for name, value in given.items() if name not in ("before", "records", "ordered")}
    orders = [lost("a", before=given.get("before", ()), **given.get("ordered", {})), *given.get("records", ())]
    (found,) = Judge(reconciler(listed, orders, **fields)).judgments(["a"])
    assert became(found) == expected or expected in " ".join(found.evidence), found.evidence
    assert found.contract is None or became(found) == expected


@pytest.mark.parametrize("name", ["id", "hostname", "product", "end_user"])
def test_evidence_is_kept_only_by_places_that_permit_to_settle(name: str) -> None:
    assert reconciler([]).existing(request()).evidence is not None
    assert reconciler([], without=name).existing(request()).evidence is None


def became(judgment: Judgment) -> str:
    return judgment.contract.id if judgment.contract else "open"


TOLD_1, TOLD_2 = {"possible_id": "c1"}, {"possible_id": "c2"}


@pytest.mark.parametrize(
    ("order", "other", "contracts"),
    [
        ({}, {}, ["open", "open"]),
        # What interrupted responses told: the same contract, and another one.
        (TOLD_1, TOLD_1, ["open", "open"]),
        ({}, TOLD_2, ["c1", "c2"]),
        # Of whatever organization, and while its contract is not known.
        ({}, {"organization_id": "9"}, ["open", "open"]),
        ({}, {"status": "pending"}, ["open"]),
        ({}, {"status": "ordered"}, ["open", "open"]),
        ({}, {"status": "rejected"}, ["c1"]),
        *(({}, other, ["c1", "open"]) for other in ({"end_user": USER}, {"hostname": DB}, {"service": "https://o"})),
    ],
)
def test_one_contract_for_two_orders_is_nobodys(order: dict[str, Any], other: dict[str, Any], contracts: Any) -> None:
    listed = [raw(), raw("c2")] if other == TOLD_2 else [raw()]
    judged = Judge(reconciler(listed, [lost("a", **order), lost("b", **other)])).judgments()
    assert [became(each) for each in judged] == contracts
    assert contracts[0] != "open" or order or "may as well be that of b" in judged[0].evidence[0]


def test_pending_order_is_left_alone_and_its_contract_not_adopted() -> None:
    found = reconciler([raw()], [lost("a", status="pending")])
    assert Judge(found).judgments() == []
    (unrecorded,) = found.unrecorded({})
    assert "It may be what a bought" in str(unrecorded.doubts)


def test_orders_of_others_are_reported_and_left() -> None:
    (found,) = Judge(reconciler([raw()], [lost("a", service="https://other.example.org")])).judgments()
    assert (became(found), "https://other.example.org" in found.evidence[0]) == ("open", True)


def test_listed_contract_may_be_that_of_an_order_that_is_open() -> None:
    """So one is explained by it, and a second one is not, which the task may allow."""
    listed = [raw(), raw(id="c2")]
    found = reconciler(listed, [lost("a")]).existing(request())
    assert ([each.id for each in found.unrecorded], found.explained) == (["c1", "c2"], 1)
    assert reconciler(listed).existing(request()).explained == 0


def test_domain_is_looked_for_in_every_list_that_was_read() -> None:
    domain = {"product_type": "domain", "product": "p", "settings": {"domain": "a.example"}}
    listed = {THEIRS: [raw(hostname=None, domain="a.example", product="p")]}
    assert [each.id for each in reconciler(listed).existing(request("a.example", **domain)).unrecorded] == ["c1"]
    theirs = [lost("theirs", end_user=USER, **domain)]
    assert reconciler(listed, theirs).existing(request("a.example", **domain)).explained == 1
    assert reconciler({THEIRS: [raw()]}).existing(request()).unrecorded == ()


def test_unrecorded_contracts_are_those_of_all_organizations_once() -> None:
    both = raw("both", DB)
    listed = {OWN: [both, raw("own")], THEIRS: [both, raw("theirs", "x.example.org")]}
    found = reconciler(listed, [lost()])
    settled = {each.name: each.contract for each in Judge(found).judgments() if each.contract}
    assert {name: each.id for name, each in settled.items()} == {WEB: "own"}
    assert [(each.contract.id, each.contract.end_user) for each in found.unrecorded(settled)] == [
        ("both", "__self__"),
        ("theirs", None),
    ]
