# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_record: a person's word on one order. It settles, adopts, corrects, fills in or removes."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import ConflictError, identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order_errors import unrecorded_error
from ansible_collections.hosting.reseller.plugins.module_utils._tasks import record as record_task
from playbooks.files.simulator import data
from tests.support.cases import cases
from tests.support.ledgers import claim, opened, record
from tests.support.order_examples import settings as example
from tests.support.pasting import arguments_of
from tests.unit.plugins.module_utils._tasks.conftest import (
    CONTRACT,
    FOR_OWN,
    IN_FILE,
    KNOWN_VPS,
    OTHER_CONTRACT,
    SERVICE,
    Desk,
    request,
)

pytestmark = FOR_OWN

HOST, DEBIAN = {"hostname": "web01"}, {"template": "debian-12"}
DOMAIN = {"domain": "example.org", "action": "register", "ownercRef": "1", "admincRef": "2"}
TAKEN_OVER = {"take_over_settings": True, "settings": {"template": "debian-13"}}
B_SETTINGS = {"hostname": "b", "template": "x"}
HELD = {"web01": ("ordered", CONTRACT), "doubt": ("in_doubt", None), "d": ("in_doubt", None)}
#: Beside HELD: a name, the options, and a part of the message.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (" ", {"state": "absent"}, "The name ' ' is not a valid name"),
    ("shop ", {}, "The name 'shop ' is not a valid name"),
    ("WEB01", {}, "'web01' is. Nothing was recorded."),
    # What is adopted is checked as an order is.
    ("b", {"settings": {"hostname": "b"}}, "settings cannot be checked without product_type"),
    ("b", {**KNOWN_VPS, "settings": {"hostname": "b", "template": 1}, "end_user": "4711"}, "end_user '4711'"),
    ("b", {**KNOWN_VPS, "settings": {"hostname": "b"}, "product": "VPS M"}, "api_key is missing"),
    ("b", {**KNOWN_VPS, "settings": {"hostname": "not a name"}}, "settings.hostname"),
    ("b", {**KNOWN_VPS, "settings": {**B_SETTINGS, **HOST}}, "b is for the same hostname as web01: web01."),
    (
        "b",
        {"end_user": data.END_USER, "product_type": "domain", "settings": DOMAIN, "allow_second": True},
        "b is for the same domain as d",
    ),
    # IDs, of which a contract has one and settles one order.
    ("web01", {"contract_id": OTHER_CONTRACT}, f"recorded as contract {CONTRACT}, not {OTHER_CONTRACT}"),
    ("web01", {"contract_id": OTHER_CONTRACT}, "name=web01/2 state=present"),
    ("web01", {"contract_id": OTHER_CONTRACT, "replaces": OTHER_CONTRACT}, f"Recorded: {CONTRACT}."),
    ("web01", {"replaces": OTHER_CONTRACT}, "replaces is not the recorded contract ID of web01."),
    ("web01", {"l2vpn_id": CONTRACT}, f"recorded with L2VPN {data.L2VPN}, not {CONTRACT}"),
    ("web01", {"contract_id": "contract 7"}, "contract_id 'contract 7' is not an ID"),
    ("b", {"contract_id": OTHER_CONTRACT, "replaces": CONTRACT}, "is not the recorded contract ID of b"),
    *(
        (name, {"contract_id": copied}, "is recorded as web01. Nothing was recorded.")
        for name in ("doubt", "b")
        for copied in (f" {CONTRACT.upper()}\n", f"https://x.example/c/{CONTRACT}/")
    ),
    # An order in doubt needs an ID, or a word for none.
    ("doubt", {}, "doubt is in doubt, and contract_id is missing. Nothing was recorded."),
    ("doubt", {"contract_id": CONTRACT, "settings": HOST}, "its settings are recorded as they were sent. Nothing"),
    ("doubt", {**TAKEN_OVER, "contract_id": CONTRACT}, "doubt is in doubt"),
    # What a record knows never changes, but settings that are taken over.
    ("web01", {"end_user": "__self__"}, f"end_user: recorded '{data.END_USER}', requested '__self__'"),
    ("web01", {"end_user": "…"}, "end_user is still a placeholder"),
    ("web01", {"product": data.VPS_KONFIGURATOR}, "product_type is vps"),
    ("web01", {"product": data.WEBHOSTING_START}, "product: recorded 'VPS M'"),
    ("web01", {"product_type": "dedicated_server"}, "product_type: recorded 'vps', requested 'dedicated_server'"),
    ("web01", {"settings": {"hostname": "web02"}}, "settings.hostname: recorded 'web01', requested 'web02'"),
    ("web01", {"settings": {"template": "debian-13"}}, "Another contract needs another name."),
    ("web01", {"take_over_settings": True}, "take_over_settings needs settings"),
    ("web01", {**TAKEN_OVER, "settings": {"hostname": "web09"}}, "settings.hostname: recorded 'web01'"),
    ("web01", {**TAKEN_OVER, "end_user": "__self__"}, "end_user: recorded"),
    ("web01", {**TAKEN_OVER, "settings": {"template": 12}}, "settings.template"),
    ("b", {**TAKEN_OVER, "product_type": "vps"}, "b is not recorded."),
    # The record of an order is removed only with its ID.
    ("doubt", {"state": "absent", "replaces": CONTRACT}, "replaces has no meaning for state: absent."),
    ("web01", {"state": "absent"}, f"contract_id={CONTRACT}"),
    ("web01", {"state": "absent", "contract_id": "x"}, "The record was not removed."),
]


def test_word_that_does_not_fit_records_nothing(desk: Desk) -> None:
    desk.leave_ordered("web01", identity=identity("hostname", "web01", data.END_USER))
    desk.settle("web01", l2vpn_id=data.L2VPN)
    domain = {"organization_id": "", "end_user": "__self__", "product_type": "domain", "settings": DOMAIN}
    desk.leave_in_doubt(request("doubt"), request("d", **domain, identity=identity("domain", "example.org")))
    for name, options, words in REFUSED:
        for check in (True, False):
            ran = desk.settle(name, check=check, **{"base_url": SERVICE, "api_key": "", **options})
            assert (words in ran.msg, ran["changed"]) == (True, False), (name, options, ran.msg)
        assert desk.held() == HELD
    # Without a service there is none that could differ.
    twin = desk.settle("b", **KNOWN_VPS, settings={**B_SETTINGS, **HOST}, base_url="").msg
    assert ("b is for the same hostname" in twin, "It is recorded for" in twin) == (True, False)


def test_order_in_doubt_is_settled_as_placed(desk: Desk) -> None:
    desk.leave_in_doubt(request("web01"))
    shown = desk.settle("web01", contract_id=CONTRACT, check=True)
    assert desk.held() == {"web01": ("in_doubt", None)}
    # No service is needed.
    done = desk.settle("web01", contract_id=CONTRACT, base_url="", api_key="", organization_id="")
    # Check mode shows what is recorded.
    assert {**shown["record"], "updated_at": ""} == {**done["record"], "updated_at": ""}
    assert (shown["changed"], done["changed"], done["before"]["status"]) == (True, True, "in_doubt")
    assert (done["record"]["status"], done["record"]["contract_id"]) == ("ordered", CONTRACT)
    assert done["record"]["ordered_at"] == done["record"]["claimed_at"]
    assert "by a person" in done["record"]["reason"]
    assert ("status: in_doubt" in done["diff"]["before"], "status: ordered" in done["diff"]["after"]) == (True, True)
    again = desk.settle("web01", contract_id=CONTRACT)
    assert (again["changed"], again["record"]) == (False, done["record"])
    assert desk.settle("web01", l2vpn_id=data.L2VPN)["changed"]
    kept = desk.settle("web01")
    assert (kept["changed"], kept["record"]["l2vpn_id"]) == (False, data.L2VPN)


def test_order_is_settled_without_an_id_which_is_recorded_later(desk: Desk) -> None:
    desk.leave_in_doubt(request("web01"), request("web02"))
    assert desk.settle("web01", contract_id="unknown")["record"]["contract_id"] is None
    assert desk.settle("web01", contract_id=CONTRACT)["record"]["contract_id"] == CONTRACT
    assert desk.settle("web02", "absent", contract_id="unknown")["changed"]
    assert desk.held() == {"web01": ("ordered", CONTRACT)}


def test_pending_order_is_not_settled(desk: Desk) -> None:
    with opened(desk.ledger) as living:
        assert claim(living, [request("web01")]) == [None]
        for state, check in (("present", False), ("absent", True)):
            result = desk.settle("web01", state, check=check, contract_id=CONTRACT)
            assert "The order web01 is being placed, or cut off: certain at " in result.msg
            assert result["order"]["status"] == "pending"
        assert desk.info(statuses=["pending"]).names("records") == ["web01"]
        record(living, "web01", Outcome("ordered", contract_id=CONTRACT))
    assert desk.held() == {"web01": ("ordered", CONTRACT)}


# IDs


def test_another_contract_id_takes_the_place_of_one_that_is_named_as_wrong(desk: Desk) -> None:
    desk.leave_ordered("web01")
    desk.settle("web01", l2vpn_id=data.L2VPN)
    wanted = {"contract_id": OTHER_CONTRACT, "replaces": f" {CONTRACT.upper()}"}
    for check in (True, False):
        corrected = desk.settle("web01", check=check, **wanted)
        assert (corrected["before"]["contract_id"], corrected["record"]["contract_id"]) == (CONTRACT, OTHER_CONTRACT)
        assert (corrected["record"]["l2vpn_id"], CONTRACT in corrected["record"]["reason"]) == (None, True)
    assert desk.held() == {"web01": ("ordered", OTHER_CONTRACT)}
    assert not desk.settle("web01", **wanted)["changed"]


@cases("contract_ids")
def test_what_a_table_holds_in_place_of_an_id_is_not_adopted(desk: Desk, case: dict[str, Any]) -> None:
    for at, given in enumerate(case["given"]):
        ran = desk.settle(f"web{at}", contract_id=given, check=True)
        if case["right"] == "refused":
            is_none = all(each in ran.msg for each in ("stands for no ID", "leave the cell empty", "unknown"))
            assert ran.failed, given
            assert is_none or "Format the column as text" in ran.msg, given
        else:
            right = given if case["right"] == "given" else case["right"]
            assert ran["record"]["contract_id"] == right, given


@pytest.mark.parametrize("copied", [f" {CONTRACT.upper()}\n", f"https://x.example/c/{CONTRACT}/"])
def test_id_is_recognized_however_it_is_copied(desk: Desk, copied: str) -> None:
    desk.leave_ordered("web01")
    assert not desk.settle("web01", contract_id=copied)["changed"]
    assert desk.settle("web01", "absent", contract_id=copied, check=True)["changed"]
    assert desk.settle("web01", "absent", contract_id=copied)["before"]["status"] == "ordered"
    assert desk.held() == {}


@IN_FILE
def test_what_is_offered_corrects_swapped_ids_keeps_a_second_contract_and_removes_one_without_an_id(desk: Desk) -> None:
    longest = "w" * 255
    for name, contract_id in (("web01", OTHER_CONTRACT), (longest, CONTRACT), ("shop", None)):
        desk.leave_ordered(name, contract_id)
    corrected = {"name": "web01", "contract_id": CONTRACT, "replaces": OTHER_CONTRACT}
    others = [{"name": longest, "contract_id": each} for each in (OTHER_CONTRACT, "2026/7")]
    for options in (corrected, corrected, *others, {"name": "shop", "state": "absent"}):
        for line in desk.settle(**options).msg.split("\n"):
            if line.startswith("ansible "):
                pasted = arguments_of(shlex.split(line)[-1])
                assert [desk.settle(**pasted)["changed"] for _twice in "12"] == [True, False]
    recorded = {"web01": CONTRACT, longest: OTHER_CONTRACT, f"{longest[:253]}/2": "2026/7"}
    assert desk.held() == {name: ("ordered", contract_id) for name, contract_id in recorded.items()}


def test_conflict_is_told_as_one_and_what_it_offers_loses_no_contract(desk: Desk) -> None:
    desk.leave_ordered("web01")
    cause, ended = ConflictError("It may exist twice.", CONTRACT), Outcome("ordered", contract_id=OTHER_CONTRACT)
    error = unrecorded_error("web01", "order", ended, cause, str(desk.path))
    assert error.message.startswith("The service accepted the order web01, but the ledger says otherwise.")
    assert f"contract_id: {OTHER_CONTRACT} and replaces: {CONTRACT}." in error.message
    (task,) = yaml.safe_load(error.results["settle_with"])
    assert desk.run("reseller_record", **task["hosting.reseller.reseller_record"])["changed"]
    assert desk.held() == {"web01": ("ordered", CONTRACT), "web01/2": ("ordered", OTHER_CONTRACT)}


# What a record lacks

ELSEWHERE = {"base_url": "https://other.example", "organization_id": "4711"}
REJECTED = {"awx_job_id": "that of a rejected order"}
#: How web01 is recorded, what a person says of it, and what is recorded otherwise then.
FILLED_IN: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({}, {"end_user": data.END_USER.upper(), "product": data.VPS_M, "settings": HOST}, {}),
    ({"partial": True, "settings": HOST}, {"settings": DEBIAN}, {"settings": {**HOST, **DEBIAN}}),
    ({"service": "", "organization_id": ""}, {}, ELSEWHERE),
    ({"end_user": ""}, {"end_user": "__self__"}, {"end_user": "__self__"}),
    ({"product": "", "product_name": None}, {"product": data.VPS_M}, {"product": data.VPS_M}),
    ({"product_type": "", "settings": {}}, {"product_type": "vps"}, {"product_type": "vps"}),
    # What was rejected is not what was bought elsewhere, unless nothing is said.
    (REJECTED, {}, {}),
    (
        REJECTED,
        {**KNOWN_VPS, "settings": {"hostname": "web02"}},
        {**ELSEWHERE, "product_name": None, "settings": {"hostname": "web02"}},
    ),
]


@pytest.mark.parametrize("number", range(len(FILLED_IN)))
def test_what_a_record_lacks_is_filled_in(desk: Desk, number: int) -> None:
    recorded, said, changes = FILLED_IN[number]
    if recorded is REJECTED:
        desk.leave(request("web01", **recorded), Outcome("rejected", "No such template."))
    elif "settings" in said:
        desk.leave_ordered("web01", None, **recorded)
    else:
        desk.leave_in_doubt(request("web01", **recorded))
    (before,) = desk.info()["records"]
    desk.settle("web01", contract_id=CONTRACT, **ELSEWHERE, **said)
    (after,) = desk.info()["records"]
    known = ("base_url", "organization_id", "end_user", "product", "product_type", "product_name", "settings")
    assert {name: after[name] for name in known} == {**{name: before[name] for name in known}, **changes}
    assert (after["status"], after["contract_id"]) == ("ordered", CONTRACT)
    again = desk.settle("web01", contract_id=CONTRACT, **ELSEWHERE, **said)
    assert (again["changed"], again["record"]) == (False, after)


def test_requested_settings_are_taken_over_into_the_record(desk: Desk) -> None:
    desk.leave_ordered("web01")
    (before,) = desk.info(names=["web01"])["records"]
    shown = desk.settle("web01", check=True, **TAKEN_OVER)
    done = desk.settle("web01", **TAKEN_OVER)
    assert (shown["changed"], done["changed"], desk.settle("web01", **TAKEN_OVER)["changed"]) == (True, True, False)
    assert done["record"]["settings"] == {**before["settings"], "template": "debian-13"}
    assert ("debian-12" in done["diff"]["before"], "debian-13" in done["diff"]["after"]) == (True, True)
    removed = desk.settle("web01", take_over_settings=True, settings={"template": None, "hostname": "web01"})
    assert removed["record"]["settings"] == {"hostname": before["settings"]["hostname"]}


@IN_FILE
def test_line_of_a_drift_error_takes_the_settings_over(desk: Desk) -> None:
    order = {"end_user": data.END_USER, "product": data.VPS_M, "read_back": False}
    assert desk.buy(**order, settings=example("vps"))["changed"]
    wanted = {**example("vps"), "template": "debian-13"}
    line = desk.buy(**order, settings=wanted).msg.rpartition("\n")[2]
    assert line.startswith("ansible localhost -m hosting.reseller.reseller_record -a ")
    assert desk.run("reseller_record", **arguments_of(shlex.split(line)[-1]))["changed"]
    again = desk.buy(**order, settings=wanted)
    assert (again.failed, again["changed"]) == (False, False)


# Adopting


def test_contract_bought_elsewhere_is_adopted_and_not_ordered(desk: Desk) -> None:
    secret = "Tr0ub4dor-and-3"
    settings = example(data.CONFIGURABLE_VPS, hostname="app01.example.org", cpu_cores="2", password=secret)
    known = {"end_user": data.END_USER, "product": data.VPS_KONFIGURATOR, "product_type": "configurable_vps"}
    # No ledger keeps a secret, so adopting does not need one.
    without = {name: value for name, value in settings.items() if name != "password"}
    adopted = desk.settle("app01.example.org", contract_id=CONTRACT, **known, settings=without)
    assert (adopted["changed"], adopted["before"]) == (True, None)
    assert "Adopted" in adopted["record"]["reason"]
    assert adopted["record"]["settings"]["cpu_cores"] == 2
    again = desk.settle("app01.example.org", contract_id=CONTRACT, **known, settings=settings)
    assert (again["changed"], "password" in again["record"]["settings"]) == (False, False)
    same = desk.buy(**known, settings=settings)
    assert (same["changed"], same["contract_id"]) == (False, CONTRACT)
    drifted = desk.buy(**known, settings={**settings, "ram": 8192})
    assert "settings.ram: recorded 4096, requested 8192" in drifted.msg
    assert secret not in str([adopted, again, same, drifted])


@pytest.mark.parametrize("product", [data.WEBHOSTING_START, None])
def test_adopted_webhosting_stands_for_one_of_its_end_user_and_product(desk: Desk, product: str | None) -> None:
    known = {"end_user": data.END_USER, "product_type": "webhosting", **({"product": product} if product else {})}
    # As many as the portal shows are adopted.
    for name, contract_id in (("shop", CONTRACT), ("blog", OTHER_CONTRACT)):
        assert desk.settle(name, contract_id=contract_id, **known)["changed"]
    asked = {"end_user": data.END_USER, "product": "Webhosting Start", "product_type": "webhosting"}
    assert not desk.buy(name="shop", **asked)["changed"]
    refused = desk.buy(name="mail", **asked)
    assert re.match(r"Order mail may be what was adopted as (shop|blog): Webhosting Start for d19f51a8", refused.msg)
    assert re.search(r"\n(shop|blog) is in the ledger: it is ordered, contract", refused.msg)
    for name, changes, ordered in (
        ("of another", {"end_user": data.OTHER_END_USER}, True),
        ("other product", {"product": "Webhosting Pro"}, product is not None),
        ("second", {"allow_second": True}, True),
        # What was ordered stands for itself alone.
        ("one more", {}, False),
        ("one more of another", {"end_user": data.OTHER_END_USER}, True),
    ):
        assert desk.buy(name=name, **{**asked, **changes})["changed"] is ordered, name


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"product": data.VPS_M}, "VPS M"),
        ({"product": "VPS M"}, "VPS M"),
        # Without a connection, or a catalogue, it is not known.
        ({"product": data.VPS_M, "api_key": ""}, None),
        ({"product": data.VPS_M, "base_url": "http://127.0.0.1:1"}, None),
        ({"product": data.WEBHOSTING_START[:-1] + "0"}, None),
        ({}, None),
    ],
)
def test_adopted_record_shows_the_name_of_its_product(desk: Desk, options: dict[str, Any], name: str | None) -> None:
    desk.adopt("web01", contract_id="c-1", end_user="__self__", product_type="vps", **options)
    (listed,) = desk.info()["records"]
    assert (listed["product_name"], listed["since"][:2]) == (name, "20")
    # What is recorded later changes nothing.
    assert not desk.settle("web01", contract_id="c-1")["changed"]


def test_product_of_an_adopted_contract_is_found_by_its_name(desk: Desk) -> None:
    adopted = desk.settle("web01", end_user="__self__", product="VPS M")
    assert (adopted["record"]["product"], adopted["record"]["product_type"]) == (data.VPS_M, "vps")
    assert "VPS X" in desk.settle("web02", end_user="__self__", product="VPS X", product_type="vps").msg


# Names


def test_order_that_was_settled_meanwhile_is_not_removed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.leave_in_doubt(request("web01"))
    monkeypatch.setattr(record_task, "check_removal", lambda *_read: desk.settle("web01", contract_id=CONTRACT))
    assert "web01 was changed meanwhile: it is ordered. Nothing" in desk.settle("web01", "absent").msg
    assert desk.held() == {"web01": ("ordered", CONTRACT)}


@IN_FILE
def test_names_that_were_not_meant_are_told(desk: Desk) -> None:
    assert "There is no ledger at" in desk.settle("web01", "absent").msg
    assert not desk.path.parent.exists()
    desk.leave_in_doubt(request("web01"), request("shop"))
    desk.leave_ordered("blog")
    before = desk.path.read_bytes()
    for name, nearest in (
        ("x", ""),
        ("blog2", " The nearest names are blog."),
        ("web10", " The nearest names are web01."),
    ):
        removed = desk.settle(name, "absent")
        assert not removed["changed"]
        assert removed.warnings[-1] == f"Nothing named {name} is recorded, so nothing was removed.{nearest}"
    assert desk.path.read_bytes() == before
    adopted = desk.settle("web10", contract_id=OTHER_CONTRACT)
    assert adopted["before"] is None
    meant = "If you meant web01, remove the record of web10 with reseller_record: state: absent."
    assert meant in str(adopted.warnings)
