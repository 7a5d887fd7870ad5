# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger and reseller_ledger_info: a person's word on orders, and what the ledger holds."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Actor, Event
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import ConflictError, identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, StoredRequest
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order_errors import unrecorded_error
from ansible_collections.hosting.reseller.plugins.module_utils._tasks import ledger_info
from ansible_collections.hosting.reseller.plugins.module_utils._tasks import record as record_task
from playbooks.files.simulator import data
from tests.conftest import SimulatorFactory
from tests.support.cases import cases
from tests.support.ledgers import claim, opened, record
from tests.support.order_examples import settings as example
from tests.support.pasting import arguments_of
from tests.unit.plugins.module_utils._tasks.conftest import Bench, Ran

CONTRACT, OTHER_CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55"
SERVICE = "https://portal.example.org"
VPS = {"end_user": data.END_USER, "product": data.VPS_M, "product_type": "vps"}


def request(name: str, **changes: Any) -> StoredRequest:
    values: dict[str, Any] = {
        "service": SERVICE,
        "organization_id": data.ORGANIZATION_ID,
        **VPS,
        "product_name": "VPS M",
        "settings": {"hostname": name, "template": "debian-12"},
    }
    return StoredRequest(name, **(values | changes))


@dataclass(frozen=True)
class Desk(Bench):
    """With what a person does to the ledger."""

    def leave_in_doubt(self, *requests: StoredRequest) -> None:
        """A run claims these orders and ends."""
        with opened(self.path) as ledger:
            assert claim(ledger, requests) == [None] * len(requests)

    def leave_ordered(self, name: str, contract_id: str | None = CONTRACT) -> None:
        with opened(self.path) as ledger:
            claim(ledger, [request(name)])
            record(ledger, name, Outcome("ordered", contract_id=contract_id))

    def settle(self, name: str, state: str = "present", *, check: bool = False, **options: Any) -> Ran:
        return self.run("reseller_record", check, name=name, state=state, **options)

    def buy(self, **options: Any) -> Ran:
        return self.run("reseller_contract", **options)

    def info(self, **filters: Any) -> Ran:
        return self.run("reseller_ledger_info", **filters)

    def held(self) -> dict[str, tuple[str, str | None]]:
        return {name: (record.status, record.outcome.contract_id) for name, record in self.records().items()}


@pytest.fixture
def desk(start_simulator: SimulatorFactory, tmp_path: Path) -> Desk:
    return Desk(start_simulator("plain"), tmp_path / "ledger")


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


def test_trail_shows_what_was_done_by_hand_and_what_it_was_before(desk: Desk) -> None:
    desk.leave_in_doubt(request("web01", approved_by="plan-2:new:0"), request("web02"))
    assert [each["approved_by"] for each in desk.info()["records"]] == ["plan-2:new:0", None]
    assert "events" not in desk.info().result
    desk.settle("web01", contract_id=CONTRACT)
    desk.settle("web02", "absent")
    desk.settle("web01", "absent", contract_id=CONTRACT)
    # A removed name has no record, and its history stays.
    assert desk.info(names=["web01"])["records"] == []
    trail = desk.info(names=["WEB01"], events=True)
    first, last = trail["events"]
    assert (first["action"], first["before"]["status"], first["after"]["contract_id"]) == (
        "settled",
        "in_doubt",
        CONTRACT,
    )
    assert (last["action"], last["before"], last["after"]) == ("removed", first["after"], None)
    actor = first["actor"]
    assert trail["event_lines"] == [
        f"{each['at']} {each['action']} 'web01' ({ends}) by {actor['user']} at {each['host']}"
        for each, ends in (
            (first, f"in doubt -> ordered, contract {CONTRACT}"),
            (last, f"ordered, contract {CONTRACT} -> not recorded"),
        )
    ]
    assert len(desk.info(events=True)["events"]) == 3
    assert desk.info(events=True, since="2999-01-01")["events"] == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"ledger": "/a.db"}, {"ledger": "postgresql://db/a"}, "/a.db -> postgresql://db/a"),
        ({"base_url": "https://a"}, {"base_url": "https://b"}, "https://a -> https://b"),
        ({"id": "4711", "orders": 3}, {"id": "4712", "orders": 0}, "ID 4711, 3 orders -> ID 4712, 0 orders"),
    ],
)
def test_trail_shows_what_was_done_to_the_whole_ledger(before: Any, after: Any, words: str) -> None:
    event = Event("2026-11-21T14:03:20Z", "moved", None, Actor("alice", "17", "16"), "host", before, after)
    shown = ledger_info.event_line(event)
    assert shown == f"2026-11-21T14:03:20Z moved the ledger ({words}) by alice at host, AWX job 17, AWX workflow job 16"


def test_another_contract_id_takes_the_place_of_one_that_is_named_as_wrong(desk: Desk) -> None:
    desk.leave_ordered("web01")
    desk.settle("web01", l2vpn_id=data.L2VPN)
    for options, words in (
        ({"contract_id": OTHER_CONTRACT}, f"recorded as contract {CONTRACT}, not {OTHER_CONTRACT}"),
        # What is offered loses none of the two.
        ({"contract_id": OTHER_CONTRACT}, "name=web01/2 state=present"),
        ({"contract_id": OTHER_CONTRACT, "replaces": OTHER_CONTRACT}, f"Recorded: {CONTRACT}."),
        ({"replaces": OTHER_CONTRACT}, "replaces is not the recorded contract ID of web01."),
        ({"l2vpn_id": CONTRACT}, f"recorded with L2VPN {data.L2VPN}, not {CONTRACT}"),
        ({"contract_id": "contract 7"}, "contract_id 'contract 7' is not an ID"),
    ):
        assert words in desk.settle("web01", **options)["msg"]
    wanted = {"contract_id": OTHER_CONTRACT, "replaces": f" {CONTRACT.upper()}"}
    for check in (True, False):
        corrected = desk.settle("web01", check=check, **wanted)
        assert (corrected["before"]["contract_id"], corrected["record"]["contract_id"]) == (CONTRACT, OTHER_CONTRACT)
        assert corrected["record"]["l2vpn_id"] is None
        assert CONTRACT in corrected["record"]["reason"]
    assert desk.held() == {"web01": ("ordered", OTHER_CONTRACT)}
    assert not desk.settle("web01", **wanted)["changed"]
    assert "is not the recorded contract ID of web02" in desk.settle("web02", **wanted)["msg"]


@cases("contract_ids")
def test_what_a_table_holds_in_place_of_an_id_is_not_adopted(desk: Desk, case: dict[str, Any]) -> None:
    for at, given in enumerate(case["given"]):
        found = desk.settle(f"web{at}", contract_id=given, check=True)
        if case["right"] == "refused":
            assert found.failed, given
            is_none = "stands for no ID" in found.msg and "Leave it out" in found.msg and "unknown" in found.msg
            assert is_none or "Format the column as text" in found.msg, given
        else:
            right = given if case["right"] == "given" else case["right"]
            assert found["record"]["contract_id"] == right, given


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


@pytest.mark.parametrize("written", [f" {CONTRACT.upper()}\n", f"https://x.example/c/{CONTRACT}/"])
def test_contract_settles_one_order_however_its_id_is_copied(desk: Desk, written: str) -> None:
    desk.leave_ordered("web01")
    desk.leave_in_doubt(request("web02"))
    for name in ("web02", "shop"):
        assert "is recorded as web01. Nothing was recorded." in desk.settle(name, contract_id=written)["msg"]
    assert not desk.settle("web01", contract_id=written)["changed"]
    # Its record is removed only with its ID.
    for wrong in ({}, {"contract_id": "x"}):
        told = desk.settle("web01", "absent", **wrong)["msg"]
        assert "The record was not removed." in told
        assert f"contract_id={CONTRACT}" in told
    assert desk.settle("web01", "absent", contract_id=written, check=True)["changed"]
    assert desk.settle("web01", "absent", contract_id=written)["before"]["status"] == "ordered"
    assert desk.held() == {"web02": ("in_doubt", None)}


ADOPTED = {"base_url": "https://other.example", "organization_id": "4711", "product_name": None}
HOST, DEBIAN = {"hostname": "web01"}, {"template": "debian-12"}
REJECTED = {"awx_job_id": "that of a rejected order"}
SAID: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any] | str]] = [
    ({}, {"end_user": data.END_USER.upper(), "product": data.VPS_M, "settings": HOST}, {}),
    ({}, {"end_user": "__self__"}, f"end_user: recorded '{data.END_USER}', requested '__self__'"),
    ({}, {"end_user": "…"}, "end_user is still a placeholder"),
    ({}, {"product": data.VPS_KONFIGURATOR}, "product_type is vps"),
    ({}, {"product": data.WEBHOSTING_START}, "product: recorded 'VPS M'"),
    ({}, {"product_type": "dedicated_server"}, "product_type: recorded 'vps', requested 'dedicated_server'"),
    ({}, {"settings": {"hostname": "web02"}}, "settings.hostname: recorded 'web01', requested 'web02'"),
    ({"partial": True, "settings": HOST}, {"settings": DEBIAN}, {"settings": {**HOST, **DEBIAN}}),
    ({"service": "", "organization_id": ""}, {}, {"base_url": "https://other.example", "organization_id": "4711"}),
    ({"end_user": ""}, {"end_user": "__self__"}, {"end_user": "__self__"}),
    ({"product": "", "product_name": None}, {"product": data.VPS_M}, {"product": data.VPS_M}),
    ({"product_type": "", "settings": {}}, {"product_type": "vps"}, {"product_type": "vps"}),
    # What was rejected is not what was bought elsewhere, unless nothing is said.
    (REJECTED, {}, {}),
    (REJECTED, {**VPS, "settings": {"hostname": "web02"}}, {**ADOPTED, "settings": {"hostname": "web02"}}),
]


@pytest.mark.parametrize("number", range(len(SAID)))
def test_what_a_record_knows_never_changes_and_what_it_lacks_is_filled_in(desk: Desk, number: int) -> None:
    recorded, said, expected = SAID[number]
    with opened(desk.path) as ledger:
        claim(ledger, [request("web01", **recorded)])
        if recorded is REJECTED:
            record(ledger, "web01", Outcome("rejected", "No such template."))
        elif "settings" in said:
            record(ledger, "web01", Outcome("ordered"))
    elsewhere = {"base_url": "https://other.example", "organization_id": "4711"}
    (before,) = desk.info()["records"]
    result = desk.settle("web01", contract_id=CONTRACT, **elsewhere, **said)
    (after,) = desk.info()["records"]
    if isinstance(expected, str):
        assert expected in result["msg"]
        assert after == before
        return
    known = ("base_url", "organization_id", "end_user", "product", "product_type", "product_name", "settings")
    assert {name: after[name] for name in known} == {**{name: before[name] for name in known}, **expected}
    assert (after["status"], after["contract_id"]) == ("ordered", CONTRACT)
    again = desk.settle("web01", contract_id=CONTRACT, **elsewhere, **said)
    assert (again["changed"], again["record"]) == (False, after)


def test_conflict_is_told_as_one_and_what_it_offers_loses_no_contract(desk: Desk) -> None:
    desk.leave_ordered("web01")
    cause, ended = ConflictError("It may exist twice.", CONTRACT), Outcome("ordered", contract_id=OTHER_CONTRACT)
    error = unrecorded_error("web01", "order", ended, cause, str(desk.path))
    assert error.message.startswith("The service accepted the order web01, but the ledger says otherwise.")
    assert f"contract_id: {OTHER_CONTRACT} and replaces: {CONTRACT}." in error.message
    (task,) = yaml.safe_load(error.results["settle_with"])
    assert desk.run("reseller_record", **task["hosting.reseller.reseller_record"])["changed"]
    assert desk.held() == {"web01": ("ordered", CONTRACT), "web01/2": ("ordered", OTHER_CONTRACT)}


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
    assert "settings.ram: recorded 4096, requested 8192" in drifted["msg"]
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
    assert re.match(r"Order mail may be what was adopted as (shop|blog): Webhosting Start for d19f51a8", refused["msg"])
    assert re.search(r"\n(shop|blog) is in the ledger: it is ordered, contract", refused["msg"])
    for name, changes, ordered in (
        ("of another", {"end_user": data.OTHER_END_USER}, True),
        ("other product", {"product": "Webhosting Pro"}, product is not None),
        ("second", {"allow_second": True}, True),
        # What was ordered stands for itself alone.
        ("one more", {}, False),
        ("one more of another", {"end_user": data.OTHER_END_USER}, True),
    ):
        assert desk.buy(name=name, **{**asked, **changes})["changed"] is ordered, name


DOMAIN = {"domain": "example.org", "action": "register", "ownercRef": "1", "admincRef": "2"}
KNOWN_DOMAIN = {"end_user": data.END_USER, "product_type": "domain", "settings": DOMAIN}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (" ", {"state": "absent"}, "The name ' ' is not a valid name"),
    ("shop ", {}, "The name 'shop ' is not a valid name"),
    ("WEB01", {}, "'web01' is. Nothing was recorded."),
    ("b", {"settings": {"hostname": "b"}}, "settings cannot be checked without product_type"),
    ("b", {**VPS, "settings": {"hostname": "b", "template": 1}, "end_user": "4711"}, "end_user '4711'"),
    ("b", {**VPS, "settings": {"hostname": "b"}, "product": "VPS M"}, "api_key is missing"),
    ("b", {**VPS, "settings": {"hostname": "not a name"}}, "settings.hostname"),
    ("b", {**VPS, "settings": {"hostname": "web01", "template": "x"}}, "b is for the same hostname as web01: web01."),
    ("b", {**KNOWN_DOMAIN, "allow_second": True}, "b is for the same domain as d"),
]


def test_adoption_is_checked_as_an_order_is(desk: Desk) -> None:
    domain = request("d", organization_id="", end_user="__self__", product_type="domain", settings=DOMAIN)
    desk.leave_in_doubt(
        replace(request("web01"), identity=identity("hostname", "web01", data.END_USER)),
        replace(domain, identity=identity("domain", "example.org")),
    )
    for name, options, words in REFUSED:
        for check in (True, False):
            assert words in desk.settle(name, check=check, **{"base_url": SERVICE, "api_key": "", **options})["msg"]
    assert set(desk.held()) == {"web01", "d"}
    # Without a service there is none that could differ.
    twin = desk.settle("b", **VPS, settings={"hostname": "web01", "template": "x"}, base_url="")["msg"]
    assert ("b is for the same hostname" in twin, "It is recorded for" in twin) == (True, False)


def test_pending_order_is_not_settled(desk: Desk) -> None:
    with opened(desk.path) as living:
        assert claim(living, [request("web01")]) == [None]
        for state, check in (("present", False), ("absent", True)):
            result = desk.settle("web01", state, check=check, contract_id=CONTRACT)
            assert "The order web01 is being placed, or cut off: certain at " in result["msg"]
            assert result["order"]["status"] == "pending"
        assert [found["name"] for found in desk.info(statuses=["pending"])["records"]] == ["web01"]
        record(living, "web01", Outcome("ordered", contract_id=CONTRACT))
    assert desk.held() == {"web01": ("ordered", CONTRACT)}


def test_order_in_doubt_is_settled_only_with_an_id_or_without_one_written_out(desk: Desk) -> None:
    desk.leave_in_doubt(request("web01"), request("web02"))
    assert "web01 is in doubt, and contract_id is missing. Nothing was recorded." in desk.settle("web01")["msg"]
    words = "its settings are recorded as they were sent. Nothing was recorded."
    assert words in desk.settle("web01", contract_id=CONTRACT, settings={"hostname": "web01"})["msg"]
    assert desk.held() == {"web01": ("in_doubt", None), "web02": ("in_doubt", None)}
    assert desk.settle("web01", contract_id="unknown")["record"]["contract_id"] is None
    assert desk.settle("web01", contract_id=CONTRACT)["record"]["contract_id"] == CONTRACT
    assert "replaces has no meaning for state: absent." in desk.settle("web02", "absent", replaces=CONTRACT)["msg"]
    assert desk.settle("web02", "absent", contract_id="unknown")["changed"]


def test_requested_settings_are_taken_over_into_the_record(desk: Desk) -> None:
    desk.leave_ordered("web01")
    desk.leave_in_doubt(request("web02"))
    taken = {"take_over_settings": True, "settings": {"template": "debian-13"}}
    for name, options, words in (
        ("web01", {"take_over_settings": True}, "take_over_settings needs settings"),
        ("web01", {"settings": {"template": "debian-13"}}, "What the ledger knows of an order never changes"),
        ("web01", {**taken, "settings": {"hostname": "web09"}}, "settings.hostname: recorded 'web01'"),
        ("web01", {**taken, "end_user": "__self__"}, "end_user: recorded"),
        ("web01", {**taken, "settings": {"template": 12}}, "settings.template"),
        ("web02", {**taken, "contract_id": CONTRACT}, "web02 is in doubt"),
        ("web03", {**taken, "product_type": "vps"}, "web03 is not recorded."),
    ):
        result = desk.settle(name, **options)
        assert (words in result["msg"], result["changed"]) == (True, False), result
    (before,) = desk.info(names=["web01"])["records"]
    shown = desk.settle("web01", check=True, **taken)
    done = desk.settle("web01", **taken)
    assert (shown["changed"], done["changed"], desk.settle("web01", **taken)["changed"]) == (True, True, False)
    assert done["record"]["settings"] == {**before["settings"], "template": "debian-13"}
    assert ("debian-12" in done["diff"]["before"], "debian-13" in done["diff"]["after"]) == (True, True)
    removed = desk.settle("web01", take_over_settings=True, settings={"template": None, "hostname": "web01"})
    assert removed["record"]["settings"] == {"hostname": before["settings"]["hostname"]}


def test_line_of_a_drift_error_takes_the_settings_over(desk: Desk) -> None:
    order = {"end_user": data.END_USER, "product": data.VPS_M, "read_back": False}
    assert desk.buy(**order, settings=example("vps"))["changed"]
    wanted = {**example("vps"), "template": "debian-13"}
    refused = desk.buy(**order, settings=wanted)
    line = refused["msg"].rpartition("\n")[2]
    assert line.startswith("ansible localhost -m hosting.reseller.reseller_record -a ")
    options = arguments_of(shlex.split(line)[-1])
    assert desk.run("reseller_record", **options)["changed"]
    again = desk.buy(**order, settings=wanted)
    assert (again.failed, again["changed"]) == (False, False)


def test_product_of_an_adopted_contract_is_found_by_its_name(desk: Desk) -> None:
    adopted = desk.settle("web01", end_user="__self__", product="VPS M")
    assert (adopted["record"]["product"], adopted["record"]["product_type"]) == (data.VPS_M, "vps")
    assert "VPS X" in desk.settle("web02", end_user="__self__", product="VPS X", product_type="vps")["msg"]


def test_ledger_is_not_moved_to_the_address_of_a_service(desk: Desk) -> None:
    for options, words in (
        ({"to": "https://portal.example.com"}, "Did you mean state: readdressed?"),
        ({"to": "/srv/new.db", "from": "https://portal.example.com"}, "from is for state: readdressed, not for moved."),
    ):
        result = desk.run("reseller_ledger", state="moved", **options)
        assert (words in result["msg"], result["changed"]) == (True, False)


def test_order_that_was_settled_meanwhile_is_not_removed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.leave_in_doubt(request("web01"))
    monkeypatch.setattr(record_task, "check_removal", lambda *_read: desk.settle("web01", contract_id=CONTRACT))
    assert "web01 was changed meanwhile: it is ordered. Nothing" in desk.settle("web01", "absent")["msg"]
    assert desk.held() == {"web01": ("ordered", CONTRACT)}


def test_orders_are_listed_by_status_name_end_user_type_and_time(desk: Desk) -> None:
    other = {"end_user": "__self__", "product_type": "webhosting", "product_name": None, "settings": {}}
    with opened(desk.path) as ledger:
        claim(ledger, [request("bought"), request("s" * 30, **other), request("refused")])
        record(ledger, "bought", Outcome("ordered", contract_id=CONTRACT, contract={"id": CONTRACT, "state": "new"}))
        record(ledger, "refused", Outcome("rejected", "No credit."))
    wanted: list[tuple[dict[str, Any], set[str]]] = [
        ({"statuses": ["ordered"]}, {"bought"}),
        ({"names": ["bought", "refused", "unknown"]}, {"bought", "refused"}),
        ({"end_users": ["__self__"]}, {"s" * 30}),
        ({"end_users": [data.END_USER.upper()]}, {"bought", "refused"}),
        ({"end_users": ["__self__", data.END_USER]}, {"bought", "s" * 30, "refused"}),
        ({"product_types": ["webhosting"]}, {"s" * 30}),
        ({"product_types": ["webhosting", "vps"], "statuses": ["ordered", "rejected"]}, {"bought", "refused"}),
        ({"since": "2026-01-01"}, {"bought", "s" * 30, "refused"}),
        ({"since": "9999-12-31T23:59:59+00:00"}, set()),
    ]
    for filters, names in wanted:
        assert {found["name"] for found in desk.info(**filters)["records"]} == names
    assert "ISO 8601" in desk.info(since="yesterday")["msg"]
    listed = desk.info(statuses=["ordered", "in_doubt"])
    now = listed["records"][0]["claimed_at"][:10]
    # A long name moves its own line alone.
    assert listed["lines"] == [
        "NAME                          STATUS    PRODUCT            SINCE",
        f"bought                        ordered   VPS M              {now}",
        f"{'s' * 30}  in_doubt  webhosting         {now}",
    ]
    assert desk.info(names=["none"])["lines"] == []
    (bought,) = desk.info(statuses=["ordered"])["records"]
    assert (bought["contract"], bought["reason"]) == ({"id": CONTRACT, "state": "new"}, None)


def test_columns_stay_with_wide_letters_and_show_what_was_canceled() -> None:
    record = {"name": "顧客/ショップ", "status": "ordered", "product_name": "VPS M", "since": "2026-11-21T08:00:00Z"}
    canceled = ledger_info.record_lines([{**record, "cancelled": {"by": "cancel"}}])
    assert canceled[1].split()[1] == "canceled"
    assert ledger_info.record_lines([record])[1] == f"顧客/ショップ{' ' * 15}  ordered   VPS M              2026-11-21"


def test_names_that_were_not_meant_are_told(desk: Desk) -> None:
    assert "There is no ledger at" in desk.settle("web01", "absent")["msg"]
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


def test_service_that_moved_keeps_its_orders(desk: Desk) -> None:
    desk.leave_ordered("web01")
    desk.leave_in_doubt(request("other", service="https://other.example"))
    url = desk.service.base_url
    wanted = {"end_user": data.END_USER, "product": data.VPS_M, "on_drift": "warn"}
    wanted["settings"] = request("web01").settings

    def move(old: str, new: str = url, *, check: bool = False) -> Ran:
        return desk.run("reseller_ledger", check, **{"state": "readdressed", "from": old, "to": new})

    assert f"base_url: recorded '{SERVICE}'" in desk.buy(**wanted)["msg"]
    old = SERVICE.upper() + ":443/"
    for moved in (move(old, check=True), move(old)):
        assert (moved["changed"], moved["readdressed"]) == (True, 1)
        assert (f"{SERVICE}: 1" in moved["diff"]["before"], f"{url}: 1" in moved["diff"]["after"]) == (True, True)
    assert not move(old)["changed"]
    assert desk.buy(**wanted)["contract_id"] == CONTRACT
    unknown = move("https://nowhere.example", "https://new.example")["msg"]
    assert "No order is recorded for the service https://nowhere.example. Nothing was changed." in unknown
    assert "https://other.example (1)" in unknown
    assert "from and to are the same address" in move(url, url + "/")["msg"]
