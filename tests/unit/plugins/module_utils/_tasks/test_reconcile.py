# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile against a service whose contracts can be read: what it settles, adopts, reports, and leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from tests.simulator.data import END_USER, WEBHOSTING_START
from tests.simulator.fixtures import SimulatorFactory
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._tasks.conftest import VPS, Bench


def test_order_that_was_not_looked_for_before_is_left_to_a_person(controlled: Bench) -> None:
    made = controlled.lost("web01.example.org")
    before = controlled.path.read_bytes()
    left = controlled.reconcile()
    assert (left["settled"], left.names("ambiguous"), left["changed"]) == ([], ["web01.example.org"], False)
    assert left["ambiguous"][0]["candidates"] == [made]
    assert "With read_back, it would have been" in left["ambiguous"][0]["evidence"][0]
    assert f"contract_id={made}" in left["ambiguous"][0]["evidence"][-1]
    # Nor is the contract adopted that it may have bought.
    dry = controlled.reconcile(adopt_all=True, adopt_names="contract_id", check=True)
    assert (dry["adopted"], dry.names("unrecorded")) == ([], [made])
    assert "may be what web01.example.org bought" in dry["unrecorded"][0]["evidence"][-1]
    assert controlled.path.read_bytes() == before


def test_newcomer_is_settled_and_recorded(bench: Bench) -> None:
    bench.service.behave(lags=True)
    made = bench.lost("web01.example.org", read_back=True)
    bench.service.behave()
    dry, done = bench.reconcile(check=True), bench.reconcile()
    assert dry["settled"] == done["settled"]
    assert [(each["name"], each["contract_id"]) for each in done["settled"]] == [("web01.example.org", made)]
    record = bench.records()["web01.example.org"]
    assert (record.status, record.outcome.contract_id, record.run_id) == ("ordered", made, None)
    assert record.outcome.reason == done["settled"][0]["evidence"][0]
    assert not bench.order("web01.example.org")["changed"]
    assert bench.sent == 1
    assert not bench.reconcile()["changed"]


@pytest.mark.parametrize("later", [True, False])
def test_order_accepted_without_an_id_gets_it(bench: Bench, later: bool) -> None:
    bench.service.arm("answer", status=202, body="", process=True, match={"product": VPS})
    bench.service.behave(lags=later)
    done = bench.order("web01.example.org", read_back=True)
    assert done["changed"]
    (made,) = bench.ids
    assert done["contract_id"] == (None if later else made)
    bench.service.behave()
    assert bench.reconcile().names("settled") == (["web01.example.org"] if later else [])
    assert bench.records()["web01.example.org"].outcome.contract_id == made


def test_order_in_progress_is_left_alone(controlled: Bench) -> None:
    controlled.lost("web01.example.org")
    with open_ledger(location_of(str(controlled.path), {}), writing=True) as running:
        request = controlled.records()["web01.example.org"].request
        running.remove("web01.example.org")
        assert request is not None
        assert claim(running, [request]) == [None]
        left = controlled.reconcile()
        assert not any(left[key] for key in ("settled", "ambiguous", "unseen"))
        # Nor is its contract taken for that of anything else.
        assert controlled.reconcile(adopt_all=True, check=True)["adopted"] == []


@pytest.mark.parametrize("status", [401, 404])
def test_nothing_is_gone_where_nothing_can_be_read(controlled: Bench, status: int) -> None:
    controlled.age()
    controlled.service.behave(list_status=status, item_status=status)
    before = controlled.path.read_bytes()
    refused = controlled.reconcile()
    assert (refused.failed, str(status) in refused.msg) == (True, True)
    assert controlled.path.read_bytes() == before


def test_gone_and_changed_contracts_are_told_and_kept(controlled: Bench) -> None:
    assert controlled.order("control3.example.org")["changed"]
    first, second, third = controlled.ids
    controlled.service.remove_contract(first)
    controlled.service.change_contract(second, productId=WEBHOSTING_START)
    # What was ordered today may be listed late: it is unseen, with what the service answered.
    young = controlled.reconcile()
    assert (young["gone"], young.names("unseen")) == ([], ["control1.example.org"])
    assert "answered 404" in young["unseen"][0]["evidence"][0]
    controlled.age()
    before = controlled.path.read_bytes()
    told = controlled.reconcile()
    assert [(each["name"], each["contract_id"]) for each in told["gone"]] == [("control1.example.org", first)]
    assert (told.names("mismatched"), told["unseen"]) == (["control2.example.org"], [])
    assert "another product" in told["mismatched"][0]["evidence"][0]
    assert (told["changed"], controlled.path.read_bytes()) == (False, before)
    assert controlled.reconcile(names=["control3.example.org"])["gone"] == []
    # Another product beside its own is none that was changed to.
    controlled.service.change_contract(second, upgradedFrom=VPS)
    assert controlled.reconcile()["mismatched"] == []
    # Neither is anything gone that is there by its id, or where all are.
    controlled.service.behave(hidden=[third])
    (unseen,) = controlled.reconcile()["unseen"]
    assert (unseen["contract_id"], "status 200" in unseen["evidence"][0]) == (third, True)
    controlled.service.behave(hidden=controlled.ids)
    told = controlled.reconcile()
    assert (told["complete"], told["gone"], len(told["unseen"])) == (False, [], 3)
    assert "it is empty, and the ledger has 3 contracts of this organization" in told["why_incomplete"]


def test_service_without_a_list_is_as_before(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    bench = Bench(start_simulator("plain", no_contracts=True), tmp_path)
    bench.lost("web01.example.org")
    before = bench.path.read_bytes()
    told = bench.reconcile()
    assert (told["changed"], told.names("unseen"), told["complete"]) == (False, ["web01.example.org"], False)
    assert [warning for warning in told.warnings if "cannot be read back" in warning] == told["unseen"][0]["evidence"]
    assert bench.path.read_bytes() == before
    assert bench.reconcile(adopt_all=True).failed


def test_settling_can_be_left_to_a_person(bench: Bench) -> None:
    names = ["web01.example.org", "web02.example.org"]
    for name in names:
        bench.lost(name, marker_element="note")
    told = bench.reconcile(settle=False)
    assert (told["settled"], told.names("ambiguous"), told["changed"]) == ([], names, False)
    assert "settle is false" in told["ambiguous"][0]["evidence"][-1]
    # Or bound to names.
    assert bench.reconcile(names=names[1:]).names("settled") == names[1:]
    assert bench.records()[names[0]].status == "in_doubt"
    wrong = bench.reconcile(names=["web1.example.org"])
    assert "No order named web1.example.org" in wrong.msg
    assert names[0] in wrong.msg


# Adoption


def test_many_contracts_are_adopted_by_digest(controlled: Bench) -> None:
    for number in range(200):
        controlled.add(f"host{number}.example.org")
    before = controlled.path.read_bytes()
    dry = controlled.reconcile(adopt_all=True, check=True)
    assert (len(dry["adopted"]), dry["changed"], dry["unrecorded"]) == (200, True, [])
    late = controlled.add("late.example.org")
    for approve, count in ((None, 201), (dry["digest"], 201)):
        refused = controlled.reconcile(adopt_all=True, approve=approve)
        assert f"The list of {count} contracts to adopt is not the approved one" in refused.msg
        assert refused["digest"] not in (None, dry["digest"])
    assert controlled.path.read_bytes() == before
    controlled.service.remove_contract(late)
    done = controlled.reconcile(adopt_all=True, approve=dry["digest"])
    assert (len(done["adopted"]), done["changed"], len(controlled.records())) == (200, True, 202)
    request = controlled.records()["host1.example.org"].request
    assert request is not None
    assert (request.product, request.product_type, request.partial) == (VPS, "vps", True)
    again = controlled.reconcile(adopt_all=True, approve=dry["digest"])
    assert (again["adopted"], again["changed"], again.failed) == ([], False, False)


def test_incomplete_list_proves_nothing_and_is_not_adopted(paged: Bench) -> None:
    paged.lost("web01.example.org")
    ids = [paged.add(f"host{number}.example.org") for number in range(35)]
    paged.service.behave(repeated_page=3)
    before = paged.path.read_bytes()
    left = paged.reconcile()
    assert (left["settled"], left["changed"], left["complete"]) == ([], False, False)
    assert left.names("unseen") == ["web01.example.org"]
    assert "not complete" in " ".join(left["unseen"][0]["evidence"])
    refused = paged.reconcile(adopt_all=True, check=True)
    assert (refused.failed, "not complete" in refused.msg) == (True, True)
    assert paged.path.read_bytes() == before
    assert paged.reconcile(adopt=[ids[-1]]).names("adopted") == ["host34.example.org"]


def test_single_contracts_are_adopted(controlled: Bench) -> None:
    first, second = (controlled.add(f"web0{number}.example.org") for number in (1, 2))
    controlled.add("web03.example.org")
    chosen = [first, {"contract_id": second, "name": "shop"}]
    done = controlled.reconcile(adopt=chosen)
    assert set(done.names("adopted")) == {"web01.example.org", "shop"}
    assert done.names("unrecorded") == ["web03.example.org"]
    assert controlled.records()["shop"].outcome.contract_id == second
    again = controlled.reconcile(adopt=chosen)
    assert (again["adopted"], again["changed"]) == ([], False)


def test_contract_that_cannot_be_adopted_says_why(controlled: Bench) -> None:
    recorded, free, twin = controlled.ids[0], controlled.add("web01.example.org"), controlled.add("twin.example.org")
    controlled.add("twin.example.org")
    before = controlled.path.read_bytes()
    for adopt, words in (
        ("nope", "the service shows no such contract"),
        ({"contract_id": ""}, "is not a contract ID"),
        ({"id": "x"}, "is not a contract ID"),
        ({"contract_id": recorded, "name": "other"}, "it is recorded as control1.example.org"),
        ({"contract_id": free, "name": "control1.example.org"}, "is in the ledger, ordered"),
        ({"contract_id": free, "name": "Control1.example.org"}, "capital letters only"),
        ({"contract_id": free, "name": " x"}, "whitespace"),
        ({"contract_id": free, "hostname": "other.example.org"}, "does not show the hostname other.example.org"),
        (twin, "2 contracts would have the name twin.example.org"),
    ):
        refused = controlled.reconcile(adopt=[adopt])
        assert (refused.failed, words in refused.msg) == (True, True), words
    assert controlled.path.read_bytes() == before
    # With all, such a contract is left out, and the others are adopted.
    dry = controlled.reconcile(adopt_all=True, check=True)
    assert (dry.names("adopted"), dry.names("unrecorded")) == (["web01.example.org"], ["twin.example.org"] * 2)


def test_names_of_adopted_contracts(controlled: Bench) -> None:
    hosted = controlled.add("web01.example.org")
    bare = controlled.add(None, WEBHOSTING_START)
    by_host = {"web01.example.org", bare}
    for how, names in {"hostname": by_host, "domain": by_host, "contract_id": {hosted, bare}}.items():
        assert set(controlled.reconcile(adopt_all=True, adopt_names=how, check=True).names("adopted")) == names


def test_same_thing_under_another_name_is_not_adopted(controlled: Bench) -> None:
    """Neither what is recorded, nor two contracts of one list for one thing: their IDs are other names for it."""
    for hostname in ("control1.example.org", "twin.example.org", "twin.example.org"):
        controlled.add(hostname)
    dry = controlled.reconcile(adopt_all=True, adopt_names="contract_id", check=True)
    assert dry["adopted"] == []
    assert sorted(each["evidence"][-1] for each in dry["unrecorded"]) == [
        *["2 contracts are for twin.example.org: adopt each with reseller_ledger and on_duplicate."] * 2,
        "control1.example.org is in the ledger as control1.example.org: use that name.",
    ]


def test_record_that_may_be_no_contract_is_left_out_and_named(controlled: Bench) -> None:
    doubtful: list[tuple[dict[str, Any], str]] = [
        ({"state": "failed"}, "It says state: failed"),
        ({"cancelledAt": "2026-11-21"}, "It says cancelledAt: 2026-11-21"),
        ({"productId": "0d0d0d0d-0000-4000-8000-0d0d0d0d0d0d"}, "It shows no known product"),
    ]
    why = {controlled.add(f"web{at}.example.org", **more): words for at, (more, words) in enumerate(doubtful)}
    dry = controlled.reconcile(adopt_all=True, check=True)
    assert dry["adopted"] == []
    assert [why[each["contract_id"]] in each["evidence"][-1] for each in dry["unrecorded"]] == [True] * 3
    assert len(controlled.reconcile(adopt=[*why])["adopted"]) == 3


def test_contract_without_a_natural_key_is_left_out_unless_it_is_named(bench: Bench) -> None:
    """Its record names another host, too: which one is its own, the user says."""
    made = bench.add(None, name="web01.example.org", backup_of="db01.example.org")
    dry = bench.reconcile(adopt_all=True, check=True)
    assert (dry["adopted"], dry.names("unrecorded")) == ([], [made])
    assert "Adopt it with contract_id, name, and its hostname or domain." in dry["unrecorded"][0]["evidence"][-1]
    bare = bench.reconcile(adopt=[made], check=True)
    assert any("nothing protects the contract" in warning for warning in bare.warnings)
    done = bench.reconcile(adopt=[{"contract_id": made, "name": "shop", "hostname": "web01.example.org"}])
    assert (done.names("adopted"), "nothing protects" in str(done.warnings)) == (["shop"], False)
    request = bench.records()["shop"].request
    assert request is not None
    assert (request.settings, request.product) == ({"hostname": "web01.example.org"}, VPS)
    assert bench.order("web01.example.org").failed
    assert bench.sent == 0


OWNERS: list[tuple[dict[str, Any], str | None]] = [
    ({"endUser": END_USER}, END_USER),
    ({"endUser": "__self__", "createdBy": END_USER}, "__self__"),
    ({"endUser": None, "createdBy": END_USER}, None),
]


@pytest.mark.parametrize(("shown", "owner"), OWNERS)
def test_adopted_contract_answers_the_orders_of_its_owner_alone(
    bench: Bench, shown: dict[str, Any], owner: str | None
) -> None:
    assert bench.order("theirs.example.org", end_user=END_USER)["changed"]
    bench.add("web01.example.org", **shown)
    dry = bench.reconcile(adopt_all=True, check=True)
    assert [each["end_user"] for each in dry["adopted"]] == [owner]
    assert ("Orders of this name are refused" in str(dry["adopted"])) is (owner is None)
    assert bench.reconcile(adopt_all=True, approve=dry["digest"])["changed"]
    for end_user in (END_USER, "__self__"):
        asked = bench.order("web01.example.org", end_user=end_user)
        assert (asked.failed, asked["changed"]) == (end_user != owner, False)
    assert bench.order("web01.example.org", end_user=owner or END_USER, name="shop").failed
    if owner is None:
        filled = bench.run("reseller_ledger", name="web01.example.org", state="ordered", end_user=END_USER)
        assert filled["changed"]
        assert not bench.order("web01.example.org", end_user=END_USER).failed


def test_contracts_of_end_users_elsewhere_are_missed(bench: Bench) -> None:
    assert bench.order("theirs.example.org", end_user=END_USER)["changed"]
    told = bench.reconcile()
    assert (told["complete"], told["organizations"], told["unrecorded"]) == (False, [END_USER], [])
    assert "1 end user with orders" in told["why_incomplete"]
    assert told["why_incomplete"] in told.warnings
    bench.service.behave(of_end_users=True)
    assert (bench.reconcile()["complete"], bench.reconcile()["organizations"]) == (True, [])
