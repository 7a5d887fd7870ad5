# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts read back: by reseller_contract_info from each shape of service, and beside recorded orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.support.described import end_users
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, IN_FILE, IS_READ, Bench, Ran

pytestmark = IS_READ

THEIRS = end_users({data.END_USER: data.END_USER_ORGANIZATION_ID})


def info(bench: Bench, *, check: bool = False, **options: Any) -> Ran:
    return bench.run("reseller_contract_info", check, **options)


def test_contracts_are_read_with_what_their_values_tell_in_every_shape(simulator: Simulator, tmp_path: Path) -> None:
    shaped = Bench(simulator, tmp_path)
    first = shaped.order("web01.example.com", end_user=data.END_USER)["contract_id"]
    second = shaped.order("web02.example.com", end_user=data.END_USER, product=data.VPS_S)["contract_id"]
    stranger = shaped.service.add_contract(data.VPS_L, {"hostname": "db01"}, end_user=data.END_USER, age=9000)
    result = info(shaped, end_user=data.END_USER, service=shaped.described(end_users=THEIRS))
    assert not result.failed, result.msg
    assert (result["complete"], result.warnings, result["why_incomplete"]) == (True, [], "")
    newest, older, oldest = result["contracts"]
    assert [newest["id"], older["id"], oldest["id"]] == [second, first, stranger]
    assert (newest["name"], newest["product"], newest["end_user"]) == ("web02.example.com", data.VPS_S, data.END_USER)
    assert (oldest["name"], oldest["hostname"], oldest["product"]) == (None, "db01", data.VPS_L)
    assert oldest["presence"] == "present"


def test_record_of_another_service_names_no_contract(bench: Bench) -> None:
    made = bench.add("web01.example.com")
    bench.adopt("elsewhere", contract_id=made, base_url="https://portal.example.org")
    assert [each["name"] for each in info(bench, contract_ids=[made])["contracts"]] == [None]
    bench.adopt("web01.example.com", contract_id=bench.add("web02.example.com"))
    assert {each["name"] for each in info(bench)["contracts"]} == {None, "web01.example.com"}


@FOR_OWN
def test_contract_of_each_end_user_is_read_in_its_organization(bench: Bench) -> None:
    own, others = bench.order("own")["contract_id"], bench.order("theirs", end_user=data.END_USER)["contract_id"]
    described = bench.described(end_users=THEIRS)
    result = info(bench, names=["theirs", "own"], service=described)
    assert [(each["id"], each["presence"], each["organization_id"]) for each in result["contracts"]] == [
        (others, "present", data.END_USER_ORGANIZATION_ID),
        (own, "present", data.ORGANIZATION_ID),
    ]
    assert {each["id"] for each in info(bench, service=described)["contracts"]} == {own, others}
    # Without its organization it is not read, which proves nothing.
    (unread,) = info(bench, names=["theirs"])["contracts"]
    assert (unread["presence"], unread["raw"]) == ("not_read", {})
    assert f"The organization of end user {data.END_USER} is not known" in unread["why"]
    elsewhere = bench.described(end_users=end_users({data.END_USER: "4711"}))
    (gone,) = info(bench, names=["theirs"], service=elsewhere)["contracts"]
    assert gone["presence"] == "not_read"
    for asked in ({}, {"end_user": data.END_USER}):
        partly = info(bench, **asked)
        assert partly["complete"] is False
        assert f"Give organization_id in end_users for: {data.END_USER}." in partly["why_incomplete"]
        assert partly["why_incomplete"] in partly.warnings
    assert info(bench, end_user="__self__")["complete"]
    assert "is not a UUID, __self__ or a name" in info(bench, end_user="4711").msg
    assert len(info(bench, end_user="")["contracts"]) == 1


@IN_FILE
def test_service_without_such_operations_is_used_as_before(plain_service: Bench) -> None:
    contract = plain_service.order("web01")["contract_id"]
    plain_service.lost("doubt")
    before = plain_service.path.read_bytes()
    for options, found in (({}, []), ({"names": ["web01"]}, [contract])):
        result = info(plain_service, **options)
        assert ([each["id"] for each in result["contracts"]], result["complete"]) == (found, False)
        (warning,) = result.warnings
        assert "has no operation that lists contracts. So contracts cannot be read back" in warning
        assert "If the service lists them, give contracts.path." in warning
        assert (result["complete"], result["why_incomplete"]) == (False, warning)
    left = plain_service.reconcile()
    assert (left["changed"], left["complete"], left.names("unseen")) == (False, False, ["doubt"])
    assert [each for each in left.warnings if "cannot be read back" in each] == left["unseen"][0]["evidence"]
    assert plain_service.path.read_bytes() == before
    assert [each for each in plain_service.service.requests("GET") if "/contracts" in each.path] == []


def test_what_is_not_ordered_is_not_seen(bench: Bench) -> None:
    result = info(bench, check=True, names=["web01"])
    assert result["contracts"][0]["presence"] == "unseen"
    assert "not ordered yet" in result["contracts"][0]["why"]
    made = bench.lost("doubt")
    (shown,) = info(bench, names=["doubt"])["contracts"]
    assert (shown["id"], shown["presence"], "in_doubt" in shown["why"]) == (None, "unseen", True)
    assert info(bench, contract_ids=[made])["contracts"][0]["presence"] == "present"
    for options, words in (({"names": ["web01"]}, "No order named web01 is in the ledger"),):
        assert words in info(bench, **options).msg


@FOR_OWN
def test_secrets_in_records_are_masked(bench: Bench) -> None:
    contract = bench.service.add_contract(data.VPS_S, {"hostname": "web01", "rootPassword": "Tr0ub4dor&3"})
    result = info(bench, contract_ids=[contract])
    assert "Tr0ub4dor" not in str(result)
    assert result["contracts"][0]["raw"]["settings"]["rootPassword"] == "********"


# What tasks that order return of recorded contracts

FIRST, SECOND = "control1.example.org", "control2.example.org"


def test_contract_is_what_the_service_shows_and_what_it_showed_when_it_was_ordered(bench: Bench) -> None:
    ordered = bench.order(FIRST)
    assert ordered["contract"]["settings"]["hostname"] == FIRST
    kept = {"id": ordered["contract_id"], "productId": ordered["order"]["product"]}
    assert {name: ordered["contract_when_ordered"][name] for name in kept} == kept
    assert (ordered["presence"], ordered["read_back"]["why"]) == (None, None)
    again = bench.order(FIRST)
    assert (again["contract"], again["contract_when_ordered"]) == (None, ordered["contract_when_ordered"])
    assert (again["presence"], again["read_back"]) == (None, None)
    bench.service.change_contract(ordered["contract_id"], state={"name": "active"})
    shown = bench.order(FIRST, read_back=True)
    assert shown["contract"]["state"] == {"name": "active"}
    assert (shown["contract_when_ordered"], shown["presence"]) == (ordered["contract_when_ordered"], "present")


@FOR_OWN
def test_contract_that_is_not_seen_is_warned_of(controlled: Bench) -> None:
    assert controlled.order(FIRST, read_back=True).warnings == []
    controlled.service.remove_contract(controlled.ids[0])
    unseen = controlled.order(FIRST, read_back=True)
    assert (unseen["presence"], unseen["contract"], unseen["changed"]) == ("unseen", None, False)
    assert "does not show it" in unseen["read_back"]["why"]
    assert f"{FIRST} is recorded, and its contract {controlled.ids[0]} is not seen any more." in unseen.warnings[0]
    results = controlled.batch(FIRST, SECOND, read_back=True)["results"]
    assert [each["presence"] for each in results] == ["unseen", "present"]
    controlled.service.behave(list_status=403)
    unread = controlled.order(SECOND, read_back=True)
    assert (unread["presence"], unread["read_back"]["read"]) == ("not_read", False)
    controlled.service.behave()
    controlled.adopt("shop", end_user=data.END_USER, product_type="webhosting", product=data.WEBHOSTING_START)
    unknown = controlled.web_hosting("shop", read_back=True)
    assert (unknown["presence"], unknown["read_back"]["why"]) == ("unseen", "The ledger has no ID of its contract.")


def test_contract_that_shows_that_it_ended_is_warned_of(controlled: Bench) -> None:
    controlled.service.change_contract(controlled.ids[0], status="deleted")
    ended = controlled.order(FIRST, read_back=True)
    assert (ended["presence"], ended["changed"]) == ("present", False)
    assert ended["read_back"] == {"read": True, "why": "It says status: deleted."}
    assert f"its contract {controlled.ids[0]} has ended" in ended.warnings[0]
    assert ended["contract"]["status"] == "deleted"
