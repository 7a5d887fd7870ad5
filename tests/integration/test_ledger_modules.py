# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger and reseller_ledger_info in real playbooks: a person's word on orders, and what the ledger holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.identity import identity
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome, Request
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import order

CONTRACT, OTHER_CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55"
#: These modules need no service, so that none is named.
NO_SERVICE: dict[str, str] = {}
SERVICE = "https://portal.example.org"


def request(name: str, **changes: Any) -> Request:
    values: dict[str, Any] = {
        "service": SERVICE,
        "organization_id": data.ORGANIZATION_ID,
        "end_user": data.END_USER,
        "product": data.VPS_M,
        "product_name": "VPS M",
        "product_type": "vps",
        "settings": {"hostname": name, "template": "debian-12"},
    }
    return Request(name, **(values | changes))


@contextmanager
def opened(address: Path | str) -> Iterator[Ledger]:
    with open_ledger(location_of(str(address), {}), writing=True) as ledger:
        yield ledger


def leave_in_doubt(address: Path | str, *requests: Request) -> None:
    """A run claims these orders and ends."""
    with opened(address) as ledger:
        assert ledger.claim(requests) == [None] * len(requests)


def held(address: Path | str) -> dict[str, tuple[str, str | None]]:
    with open_ledger(location_of(str(address), {}), writing=False) as ledger:
        return {record.name: (record.status, record.outcome.contract_id) for record in ledger.select(Filter())}


def settle(name: str, state: str, **options: Any) -> dict[str, Any]:
    task = {"name": f"Settle {name}", "hosting.reseller.reseller_ledger": {"name": name, "state": state}}
    task["hosting.reseller.reseller_ledger"].update(options)  # type: ignore[attr-defined]
    return task


def info(**options: Any) -> dict[str, Any]:
    return {"name": "List", "hosting.reseller.reseller_ledger_info": options}


@pytest.fixture
def address(postgresql_dsn: str) -> str:
    """A ledger that does not exist yet."""
    return postgresql_dsn


def test_an_order_in_doubt_is_settled_as_placed(runner: Runner, address: str) -> None:
    leave_in_doubt(address, request("web01"))
    env = {"RESELLER_LEDGER": address}
    shown, done, again, corrected, kept = runner.table(
        [
            settle("web01", "ordered", contract_id=CONTRACT) | {"check_mode": True},
            settle("web01", "ordered", contract_id=CONTRACT),
            settle("web01", "ordered", contract_id=CONTRACT),
            settle("web01", "ordered", contract_id=OTHER_CONTRACT, l2vpn_id=data.L2VPN),
            settle("web01", "ordered"),
        ],
        env,
        "--diff",
    )
    assert [result["changed"] for result in (shown, done, again, corrected, kept)] == [True, True, False, True, False]
    for result in (shown, done):
        assert result["before"]["status"] == "in_doubt"
        assert result["order"]["status"] == "ordered"
        assert result["order"]["contract_id"] == CONTRACT
        assert result["order"]["settings"] == {"hostname": "web01", "template": "debian-12"}
        assert "status: in_doubt" in result["diff"]["before"]
        assert "status: ordered" in result["diff"]["after"]
    assert done["order"]["ordered_at"] == done["order"]["claimed_at"]
    assert "by a person" in done["order"]["reason"]
    assert again["order"] == again["before"] == done["order"]
    assert again["diff"]["before"] == again["diff"]["after"]
    assert corrected["before"]["contract_id"] == CONTRACT
    assert kept["order"]["contract_id"] == OTHER_CONTRACT
    assert kept["order"]["l2vpn_id"] == data.L2VPN
    assert held(address) == {"web01": ("ordered", OTHER_CONTRACT)}


def test_check_mode_fails_where_the_order_could_not_be_written_down(runner: Runner) -> None:
    wanted = order(
        end_user=data.END_USER,
        base_url=SERVICE,
        api_key="not-asked",
        organization_id=data.ORGANIZATION_ID,
        product=data.VPS_M,
        product_type="vps",
        settings={"hostname": "web01.example.org", "template": "debian-12"},
        validation="documented",
    )
    env = {"AWX_ISOLATED_DATA_DIR": str(runner.folder / "artifacts" / "1")}
    explicit = order(**wanted["hosting.reseller.reseller_contract"], ledger_is_kept=True)
    dry, kept = runner.table([wanted, explicit], env, "--check")
    assert f"The ledger {runner.ledger} would be lost with this job. Nothing was sent.\n" in dry["msg"]
    assert kept["changed"]
    assert [text.partition(" at ")[0] for text in kept["warnings"]] == ["There is no ledger"]


def test_a_contract_bought_elsewhere_is_adopted_and_not_ordered(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    secret = "Tr0ub4dor-and-3"
    known = {
        "end_user": data.END_USER,
        "product": data.VPS_KONFIGURATOR,
        "product_type": "configurable_vps",
        "settings": {
            "hostname": "app01.example.org",
            "cpu_cores": "2",
            "ram": 4096,
            "disk_size": 80,
            "username": "deploy",
            "password": secret,
            "template_name": "debian-12",
            "ipv4_addresses": 1,
            "traffic_display": 1024,
            "backup_count": 5,
            "snapshot_count": 2,
            "ha_upgrade": False,
            "10g_upgrade": False,
        },
    }
    # No ledger keeps a secret, so adopting does not need one.
    kept = {name: value for name, value in known["settings"].items() if name != "password"}  # type: ignore[attr-defined]
    without_secret = {**known, "settings": kept}
    bare = {"end_user": data.END_USER, "product": "Webhosting Start", "product_type": "webhosting"}
    play = runner.run(
        [
            settle("app01.example.org", "ordered", contract_id=CONTRACT, **without_secret),
            settle("app01.example.org", "ordered", contract_id=CONTRACT, **known),
            order(**known),
            order(**{**known, "settings": {**known["settings"], "ram": 8192}}),  # type: ignore[dict-item]
            settle("customer/shop", "ordered", contract_id=OTHER_CONTRACT),
            order(name="customer/shop", **bare),
            order(name="customer/blog", **bare),
        ],
        simulator.env,
        "--diff",
    )
    adopted, again, same, drifted, _shop, shop, blog = play.results
    assert adopted["changed"]
    assert adopted["before"] is None
    assert "Adopted" in adopted["order"]["reason"]
    assert adopted["order"]["ordered_at"] is None
    assert adopted["order"]["settings"]["cpu_cores"] == 2
    assert "password" not in adopted["order"]["settings"]
    assert not again["changed"]
    assert (same["changed"], same["contract_id"]) == (False, CONTRACT)
    assert "settings.ram: recorded 4096, requested 8192" in drifted["msg"]
    assert (shop["changed"], shop["contract_id"]) == (False, OTHER_CONTRACT)
    assert blog["changed"]
    assert secret not in play.output
    assert [found["product"] for found in simulator.orders()] == [data.WEBHOSTING_START]


def test_what_cannot_be_meant_is_refused_and_changes_nothing(runner: Runner) -> None:
    leave_in_doubt(runner.ledger, request("web01"))
    results = runner.table(
        [
            settle("web02", "ordered", end_user=data.END_USER, settings={"ram": 4096}),
            settle("web01", "ordered", product="vps-m", product_type="vps"),
            settle(
                "web01", "ordered", end_user="__self__", product=data.VPS_M, product_type="vps", settings={"ram": "x"}
            ),
            settle(" ", "absent"),
            settle("web01", "gone"),
            {"name": "Without a state", "hosting.reseller.reseller_ledger": {"name": "web01"}},
            info(since="yesterday"),
            info(status=["lost"]),
        ],
        {},
    )
    assert all("msg" in result for result in results)
    words = [
        "settings.ram cannot be checked without product_type",
        "is not a UUID",
        "settings.hostname",
        "name is empty",
        "state must be one of",
        "state",
        "ISO 8601",
        "status must be one",
    ]
    for result, word in zip(results, words, strict=True):
        assert word in result["msg"]
    assert held(runner.ledger) == {"web01": ("in_doubt", None)}


def test_an_order_in_flight_is_not_settled(runner: Runner, address: str) -> None:
    with opened(address) as living:
        assert living.claim([request("web01")]) == [None]
        tasks = [settle("web01", "ordered", contract_id=CONTRACT), settle("web01", "absent"), info(status=["pending"])]
        tasks += [task | {"check_mode": True} for task in tasks[:2]]
        results = runner.table(tasks, {"RESELLER_LEDGER": address})
        for result in (*results[:2], *results[3:]):
            assert "Another run has been placing the order web01 since" in result["msg"]
            assert result["order"]["status"] == "pending"
        assert [found["name"] for found in results[2]["orders"]] == ["web01"]
        living.record("web01", Outcome("ordered", contract_id=CONTRACT))
    assert held(address) == {"web01": ("ordered", CONTRACT)}


def test_orders_are_listed_by_status_name_end_user_type_and_time(runner: Runner, address: str) -> None:
    with opened(address) as ledger:
        webhosting = {"product_type": "webhosting", "product": data.WEBHOSTING_START, "settings": {}}
        requests = [
            request("bought"),
            request("shop", end_user="__self__", **webhosting),
            request("refused"),
            request("unsent"),
            request("lost"),
        ]
        ledger.claim(requests)
        ledger.record("bought", Outcome("ordered", contract_id=CONTRACT, contract={"id": CONTRACT, "state": "new"}))
        ledger.record("shop", Outcome("in_doubt", "The answer was lost."))
        ledger.record("refused", Outcome("rejected", "No credit."))
        ledger.record("unsent", Outcome("not_sent", "No route to host."))
    wanted: list[tuple[dict[str, Any], set[str]]] = [
        ({}, {"bought", "shop", "refused", "unsent", "lost"}),
        ({"status": ["ordered"]}, {"bought"}),
        ({"name": ["bought", "lost", "unknown"]}, {"bought", "lost"}),
        ({"end_user": "__self__"}, {"shop"}),
        ({"since": "9999-12-31T23:59:59+00:00"}, set()),
    ]
    play = runner.run([info(**filters) for filters, _names in wanted], {"RESELLER_LEDGER": address}, "--check")
    assert [{found["name"] for found in result["orders"]} for result in play.results] == [
        names for _filters, names in wanted
    ]
    assert play.changed == [False] * len(wanted)
    assert "password" not in play.output
    by_name = {found["name"]: found for found in play.results[0]["orders"]}
    assert by_name["bought"]["contract"] == {"id": CONTRACT, "state": "new"}
    assert by_name["bought"]["base_url"] == SERVICE
    assert by_name["bought"]["ordered_at"] is not None
    assert by_name["refused"]["reason"] == "No credit."
    assert by_name["lost"]["ordered_at"] is None
    assert set(by_name["lost"]) == set(by_name["bought"])


VPS_OF_CUSTOMER = {"end_user": data.END_USER, "product": data.VPS_M, "product_type": "vps"}


@pytest.mark.parametrize("check", [True, False])
def test_adoption_is_checked_as_an_order_is(runner: Runner, address: str, check: bool) -> None:
    env = {"RESELLER_LEDGER": address, "RESELLER_BASE_URL": SERVICE, "RESELLER_ORGANIZATION_ID": data.ORGANIZATION_ID}
    settings = {"hostname": "web01", "template": "debian-12"}
    domain = {"domain": "example.org", "action": "register", "ownercRef": "1", "admincRef": "2"}
    known_domain = {"end_user": data.END_USER, "product_type": "domain", "settings": domain}
    about = [
        Request("web01", SERVICE, data.ORGANIZATION_ID, data.END_USER, data.VPS_M, None, "vps", settings),
        Request("d", SERVICE, "", "__self__", data.DOMAIN_DEFAULT, None, "domain", domain),
    ]
    identities = [identity("hostname", "web01", data.END_USER), identity("domain", "example.org")]
    leave_in_doubt(address, *(replace(each, identity=of) for each, of in zip(about, identities, strict=True)))
    cases = [
        (settle("shop ", "ordered"), "The name 'shop ' is not a valid name"),
        (settle("WEB01", "ordered"), "web01 is. Nothing was recorded."),
        (settle("b", "ordered", **{**VPS_OF_CUSTOMER, "settings": settings, "end_user": "4711"}), "end_user '4711'"),
        (
            settle("b", "ordered", **{**VPS_OF_CUSTOMER, "settings": settings, "product": "VPS M"}),
            "'VPS M' is not a UUID",
        ),
        (settle("b", "ordered", **VPS_OF_CUSTOMER, settings=settings), "b is for the same hostname as web01: web01."),
        (settle("b", "ordered", **known_domain), "b is for the same domain as d: example.org."),
        (settle("b", "ordered", **known_domain, on_duplicate="ignore"), "b is for the same domain as d"),
    ]
    results = runner.table([task for task, _words in cases], env, *(["--check"] if check else []))
    for result, (_task, words) in zip(results, cases, strict=True):
        assert words in result["msg"]
    assert set(held(address)) == {"web01", "d"}


@pytest.mark.parametrize("contract_id", [CONTRACT, None])
def test_an_ordered_order_is_removed_only_with_its_contract_id(runner: Runner, contract_id: str | None) -> None:
    with opened(runner.ledger) as ledger:
        ledger.claim([request("web01")])
        ledger.record("web01", Outcome("ordered", contract_id=contract_id))
    absent = settle("web01", "absent")
    wrong, right = settle("web01", "absent", contract_id="x"), settle("web01", "absent", contract_id=contract_id or "")
    refused, other, dry, removed = runner.table([absent, wrong, right | {"check_mode": True}, right], {})
    for each in (refused, other):
        assert "The record was not removed." in each["msg"]
        assert f"contract_id={contract_id}" in each["msg"] or contract_id is None
    assert dry["changed"]
    assert removed["before"]["status"] == "ordered"
    assert held(runner.ledger) == {}


def test_names_that_were_not_meant_are_told(runner: Runner, address: str) -> None:
    leave_in_doubt(address, request("web01"), request("shop"))
    tasks = [settle("db", "absent"), settle("web10", "absent"), settle("web10", "ordered"), settle("blog", "ordered")]
    absent, mistyped, adopted, other = runner.table(tasks, {"RESELLER_LEDGER": address})
    assert [absent["changed"], mistyped["changed"]] == [False, False]
    assert absent["warnings"] == ["No order named db is recorded, so nothing was removed."]
    nearest = "No order named web10 is recorded, so nothing was removed. The nearest names are web01."
    assert mistyped["warnings"] == [nearest]
    assert "The order web01 stays in doubt. If you meant that one, remove web10" in adopted["warnings"][0]
    assert adopted["before"] is None
    assert "stays in doubt" not in str(other.get("warnings"))


def move(old: str, new: str) -> dict[str, Any]:
    return {"name": "Move", "hosting.reseller.reseller_ledger": {"state": "moved", "from": old, "to": new}}


@pytest.mark.full
def test_a_service_that_moved_keeps_its_orders(runner: Runner, start_simulator: SimulatorFactory, address: str) -> None:
    simulator = start_simulator("plain")
    settings = {"hostname": "web01", "template": "debian-12"}
    with opened(address) as ledger:
        ledger.claim([request("web01", settings=settings), request("other", service="https://other.example")])
        ledger.record("web01", Outcome("ordered", contract_id=CONTRACT))
    env = {**simulator.env, "RESELLER_LEDGER": address}
    url = env["RESELLER_BASE_URL"]
    asked = order(end_user=data.END_USER, product="VPS M", settings=settings, on_drift="ignore")
    old = SERVICE.upper() + ":443/"
    refused, dry, moved, again, found, unknown, same, nothing = runner.table(
        [
            asked,
            move(old, url) | {"check_mode": True},
            move(old, url),
            move(old, url),
            asked,
            move("https://nowhere.example", "https://elsewhere.example"),
            move(url, url + "/"),
            {"name": "Move", "hosting.reseller.reseller_ledger": {"state": "moved", "to": url}},
        ],
        env,
        "--diff",
    )
    assert f"base_url: recorded '{SERVICE}'" in refused["msg"]
    for result in (dry, moved):
        assert (result["changed"], result["moved"]) == (True, 1)
        assert f"{SERVICE}: 1" in result["diff"]["before"]
        assert f"{url}: 1" in result["diff"]["after"]
        assert SERVICE not in result["diff"]["after"]
    assert (again["changed"], again["moved"]) == (False, 0)
    assert "warnings" not in again
    assert (found["changed"], found["contract_id"]) == (False, CONTRACT)
    assert "No order is recorded for the service https://nowhere.example. Nothing was changed." in unknown["msg"]
    assert "https://other.example (1)" in unknown["msg"]
    assert "from and to are the same address" in same["msg"]
    assert "from" in nothing["msg"]
    assert not simulator.orders()
