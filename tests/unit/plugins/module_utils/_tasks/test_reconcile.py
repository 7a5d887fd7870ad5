# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile against a service whose contracts can be read: what it settles, reports, and leaves."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._tasks import reconcile
from playbooks.files.simulator.data import END_USER
from tests.support.described import PLAIN
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, IN_FILE, IS_READ, VPS, Bench

pytestmark = IS_READ


@IN_FILE
def test_order_that_was_not_looked_for_before_is_left_to_a_person(controlled: Bench) -> None:
    made = controlled.lost("web01.example.org")
    before = controlled.path.read_bytes()
    left = controlled.reconcile()
    assert (left["settled"], left.names("ambiguous"), left["changed"]) == ([], ["web01.example.org"], False)
    assert left["ambiguous"][0]["candidates"] == [made]
    assert "no complete list that can settle it was read before the order" in left["ambiguous"][0]["evidence"][0]
    assert f"contract_id={made}" in left["ambiguous"][0]["evidence"][-1]
    # Nor is the contract adopted that it may have bought.
    (unrecorded,) = left["unrecorded"]
    assert unrecorded["contract_id"] == made
    assert "may be what web01.example.org bought" in str(unrecorded["doubts"])
    assert controlled.path.read_bytes() == before


def test_newcomer_is_settled_and_recorded(bench: Bench) -> None:
    described = {"service": bench.described(contracts=PLAIN)}
    bench.service.behave(lags=True)
    made = bench.lost("web01.example.org", read_back=True, **described)
    bench.service.behave()
    dry, done = bench.reconcile(check=True, **described), bench.reconcile(**described)
    assert dry["settled"] == done["settled"]
    assert [(each["name"], each["contract_id"]) for each in done["settled"]] == [("web01.example.org", made)]
    record = bench.records()["web01.example.org"]
    assert (record.status, record.outcome.contract_id, record.run_id) == ("ordered", made, None)
    assert record.outcome.reason == done["settled"][0]["evidence"][0]
    assert not bench.order("web01.example.org")["changed"]
    assert bench.sent == 1
    assert not bench.reconcile()["changed"]


@pytest.mark.parametrize("later", [True, False])
def test_order_accepted_without_an_id_gets_it_while_its_run_lasts(bench: Bench, later: bool) -> None:
    bench.service.arm("answer", status=202, body="", process=True, match={"product": VPS})
    bench.service.behave(lags=later)
    done = bench.order("web01.example.org", read_back=True, service=bench.described(contracts=PLAIN))
    assert done["changed"]
    (made,) = bench.ids
    assert done["contract_id"] == (None if later else made)
    bench.service.behave()
    found = bench.reconcile()
    assert (found["settled"], found.names("ambiguous")) == ([], ["web01.example.org"] if later else [])
    if later:
        # The list before the order is gone: the contract that fits is a candidate, with the line that records it.
        assert found["ambiguous"][0]["candidates"] == [made]
        assert "reseller_record" in str(found["ambiguous"][0]["evidence"])
        bench.adopt("web01.example.org", contract_id=made)
    assert bench.records()["web01.example.org"].outcome.contract_id == made


@pytest.mark.parametrize("status", [401, 404])
@IN_FILE
def test_nothing_is_told_where_nothing_can_be_read(controlled: Bench, status: int) -> None:
    controlled.service.behave(list_status=status, item_status=status)
    before = controlled.path.read_bytes()
    refused = controlled.reconcile()
    assert (refused.failed, str(status) in refused.msg) == (True, True)
    assert controlled.path.read_bytes() == before


@IN_FILE
def test_unseen_contracts_are_named_and_kept(controlled: Bench) -> None:
    assert controlled.order("control3.example.org")["changed"]
    first, _second, third = controlled.ids
    controlled.service.remove_contract(first)
    before = controlled.path.read_bytes()
    told = controlled.reconcile()
    assert [(each["name"], each["contract_id"]) for each in told["unseen"]] == [("control1.example.org", first)]
    assert "does not show it" in told["unseen"][0]["evidence"][0]
    assert (told["changed"], controlled.path.read_bytes()) == (False, before)
    assert controlled.reconcile(names=["control3.example.org"])["unseen"] == []
    controlled.service.behave(hidden=[third])
    assert controlled.reconcile().names("unseen") == ["control1.example.org", "control3.example.org"]


def test_settling_can_be_left_to_a_person(bench: Bench) -> None:
    names = ["web01.example.org", "web02.example.org"]
    described = {"service": bench.described(contracts=PLAIN)}
    bench.service.behave(lags=True)
    for name in names:
        bench.lost(name, read_back=None, **described)
    bench.service.behave()
    told = bench.reconcile(settle=False, **described)
    assert (told["settled"], told.names("ambiguous"), told["changed"]) == ([], names, False)
    assert "settle is false" in told["ambiguous"][0]["evidence"][-1]
    # Or bound to names.
    assert bench.reconcile(names=names[1:], **described).names("settled") == names[1:]
    assert bench.records()[names[0]].status == "in_doubt"
    wrong = bench.reconcile(names=["web1.example.org"])
    assert "No order named web1.example.org" in wrong.msg
    assert names[0] in wrong.msg


def test_order_that_was_settled_meanwhile_is_left(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    described = {"service": bench.described(contracts=PLAIN)}
    bench.service.behave(lags=True)
    made = bench.lost("web01.example.org", read_back=True, **described)
    bench.service.behave()
    opened = reconcile.ledger_of

    def meanwhile(context: Any, purpose: Any) -> Any:
        if purpose == "settle":
            bench.adopt("web01.example.org", contract_id="another1")
        return opened(context, purpose)

    monkeypatch.setattr(reconcile, "ledger_of", meanwhile)
    left = bench.reconcile(**described)
    (entry,) = left["ambiguous"]
    assert (left["settled"], left["changed"], entry["candidates"]) == ([], False, [made])
    assert entry["evidence"][-1] == "Not written: web01.example.org is recorded meanwhile, ordered."


# Adoption


def test_same_thing_is_not_adopted_twice(controlled: Bench) -> None:
    """Neither what is recorded, nor two contracts of one list for one thing: their IDs are other names for it."""
    for hostname in ("control1.example.org", "twin.example.org", "twin.example.org"):
        controlled.add(hostname)
    listed = [each for each in controlled.reconcile()["unrecorded"] if not each.pop("doubts")]
    adopted = [controlled.run("reseller_record", state="present", **each) for each in listed]
    assert sorted(ran.failed for ran in adopted) == [False, True, True]
    assert len(controlled.records()) == 3
    request = controlled.records()["twin.example.org"].request
    assert request is not None
    assert (request.product, request.product_type, request.partial) == (VPS, "vps", True)


@pytest.mark.parametrize(
    ("shown", "doubt"),
    [
        ({"hostname": "web01.example.org", "state": "failed"}, "It says state: failed"),
        ({"hostname": "web01.example.org", "productId": "0d0d0d0d-0000-4000-8000-0d0d0d0d0d0d"}, "no known product"),
        ({"hostname": None, "backup_of": "db01.example.org"}, "hostname or domain is not"),
    ],
)
def test_record_that_may_be_no_contract_or_another_has_doubts(bench: Bench, shown: dict[str, Any], doubt: str) -> None:
    made = bench.add(**shown)
    (listed,) = bench.reconcile(service=bench.described(contracts=PLAIN))["unrecorded"]
    assert (listed["contract_id"], doubt in " ".join(listed["doubts"])) == (made, True)
    settings = {"hostname": shown["hostname"]} if shown["hostname"] else {}
    assert (listed["name"], listed["settings"]) == (shown["hostname"] or made, settings)


OWNERS: list[tuple[dict[str, Any], str | None]] = [
    ({"endUser": END_USER}, END_USER),
    ({"endUser": "__self__", "createdBy": END_USER}, "__self__"),
    ({"endUser": None, "createdBy": END_USER}, None),
]


@pytest.mark.parametrize(("shown", "owner"), OWNERS)
@FOR_OWN
def test_adopted_contract_answers_the_orders_of_its_owner_alone(
    bench: Bench, shown: dict[str, Any], owner: str | None
) -> None:
    assert bench.order("theirs.example.org", end_user=END_USER)["changed"]
    bench.add("web01.example.org", **shown)
    (listed,) = bench.reconcile(service=bench.described(contracts={"id": "id"}))["unrecorded"]
    assert (listed["end_user"], bool(listed["doubts"])) == (owner, owner is None)
    options = {key: listed[key] for key in ("name", "contract_id", "end_user", "product", "product_type", "settings")}
    assert bench.run("reseller_record", state="present", **options)["changed"]
    for end_user in (END_USER, "__self__"):
        asked = bench.order("web01.example.org", end_user=end_user)
        assert (asked.failed, asked["changed"]) == (end_user != owner, False)
    assert bench.order("web01.example.org", end_user=owner or END_USER, name="shop").failed
    if owner is None:
        filled = bench.run("reseller_record", name="web01.example.org", state="present", end_user=END_USER)
        assert filled["changed"]
        assert not bench.order("web01.example.org", end_user=END_USER).failed


@FOR_OWN
def test_contracts_of_end_users_elsewhere_are_not_read(bench: Bench) -> None:
    """And no request is made for each."""
    names = [f"theirs{number}.example.org" for number in range(3)]
    assert bench.batch(*names, defaults={"end_user": END_USER, "product": VPS})["changed"]
    before = len(bench.service.requests("GET"))
    told = bench.reconcile()
    assert (told["complete"], told["organizations"], told["unrecorded"]) == (False, [END_USER], [])
    assert (told.names("not_read"), told["unseen"]) == (names, [])
    assert f"{{id: {END_USER}, organization_id:" in told["not_read"][0]["evidence"][0]
    assert "1 end user with orders" in told["why_incomplete"]
    assert {each.path for each in bench.service.requests("GET")[before:]} & {"/api/reseller/contracts"}
    assert not any(each.path.startswith("/api/reseller/contracts/") for each in bench.service.requests("GET"))
    assert told["why_incomplete"] in told.warnings
    bench.service.behave(of_end_users=True)
    assert (bench.reconcile()["complete"], bench.reconcile()["organizations"]) == (True, [])
