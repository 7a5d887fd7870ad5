# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contracts: many orders planned and validated as a whole, approved, and stopped without loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.simulator import data
from tests.simulator.examples import settings
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support.tasks import Runner, runner_for

#: What all orders here share.
SHARED = {"end_user": data.END_USER, "product": "VPS M", "settings": {"template": data.OS_TEMPLATE}}
HOSTS = [f"web{number}.customer.example" for number in range(5)]


@dataclass
class Desk:
    """Runs tasks against a service."""

    simulator: Simulator
    runner: Runner

    def order(self, hostnames: Sequence[str], *, check: bool = False, **options: Any) -> dict[str, Any]:
        """Order a VPS for each host name."""
        contracts = [{"settings": {"hostname": name}} for name in hostnames]
        return self.run({"contracts": contracts, **options}, check=check)

    def run(self, options: dict[str, Any], *, check: bool = False) -> dict[str, Any]:
        return self.runner.run("reseller_contracts", {"defaults": SHARED, **options}, check=check, diff=check)

    def ordered(self) -> list[str]:
        return sorted(order["settings"]["hostname"] for order in self.simulator.orders())


@pytest.fixture
def desk(start_simulator: SimulatorFactory, tmp_path: Path) -> Desk:
    simulator = start_simulator("apiplatform")
    return Desk(simulator, runner_for(simulator.base_url, str(tmp_path / "ledger.db"), api_key=data.API_KEY))


def test_each_is_placed_once_and_reported_in_the_order_given(desk: Desk) -> None:
    names = [*HOSTS[::-1], "aaa.customer.example"]
    first = desk.order(names, concurrency=4)
    assert [entry["name"] for entry in first["plan"]] == [result["name"] for result in first["results"]] == names
    assert {entry["action"] for entry in first["plan"]} == {"order"}
    assert first["counts"] == {"ordered": 6, "unchanged": 0, "failed": 0, "in_doubt": 0, "not_sent": 0}
    ids = {order["settings"]["hostname"]: order["id"] for order in desk.simulator.orders()}
    assert {result["name"]: result["contract_id"] for result in first["results"]} == ids
    desk.simulator.reset()
    again = desk.order(names)
    assert (again["changed"], again["counts"]["unchanged"]) == (False, 6)
    assert [result["contract_id"] for result in again["results"]] == [ids[name] for name in names]
    assert not desk.simulator.requests(), "the ledger answers"


def test_everything_is_validated_before_anything_is_sent(desk: Desk) -> None:
    contracts = [
        *({"settings": {"hostname": name}} for name in HOSTS[:3]),
        {"settings": {"hostname": "-.example", "template": "none"}},
        {"product": "VPS XXXXL", "name": "unknown product", "settings": {"hostname": "a.example"}},
        {"settings": {}},
        {"end_user": "nobody", "name": "nobody"},
    ]
    for on_error in ("stop", "continue"):
        result = desk.run({"contracts": contracts, "on_error": on_error})
        assert not result["changed"]
        assert "4 of 7 orders cannot be placed. Nothing was sent" in result["msg"]
        paths = {violation["path"] for violation in result["violations"]}
        assert {"contracts[3].settings.hostname", "contracts[3].settings.template"} <= paths
        assert [entry["action"] for entry in result["plan"]] == ["order"] * 3 + ["refused"] * 4
        for index in (4, 6):
            assert f"contracts[{index}]: {result['results'][index]['msg'].splitlines()[0]}" in result["msg"]
        assert "contracts[5]: settings.hostname: required" in result["msg"]
        assert result["counts"]["failed"] == 4
    assert not desk.simulator.requests("POST")


def test_plan_is_approved_for_its_ledger(desk: Desk, tmp_path: Path) -> None:
    first, second, *_rest = HOSTS
    seen = desk.order([first], check=True)
    assert seen["plan_digest"].startswith("plan-2:new:")
    assert desk.order([second])["changed"]
    approved = {"plan": seen["plan"], "plan_digest": seen["plan_digest"]}
    (difference,) = desk.order([first], approved_plan=approved)["plan_differences"]
    assert difference.startswith(f"the ledger: approved with a new one, now {tmp_path}/ledger.db, the one with ID ")
    seen = desk.order([first], check=True)
    elsewhere = desk.order([first], approved_plan=seen["plan_digest"], ledger=str(tmp_path / "other.db"))
    assert elsewhere["plan_differences"][0].endswith(f"now {tmp_path}/other.db, a new one")
    assert desk.order([first], approved_plan=seen["plan_digest"])["changed"]


def test_plan_that_is_not_allowed_sends_nothing(desk: Desk) -> None:
    """More than max_orders, another plan than the approved one, a name twice, and one in doubt."""
    first, second, third, *_rest = HOSTS
    desk.simulator.arm("answer", process=True, match={"hostname": "doubt.example"})
    assert desk.order(["doubt.example"])["counts"]["in_doubt"] == 1
    seen = desk.order(HOSTS[:3], check=True)
    approved = {"plan": seen["plan"], "plan_digest": seen["plan_digest"]}
    changed = {"settings": {"hostname": first, "template": "debian-13"}}
    moved = {"settings": {"hostname": second}, "end_user": data.SELF}
    other = {"contracts": [changed, moved, {"settings": {"hostname": "new.example.com"}}], "approved_plan": approved}
    anything = {"plan": [{"name": ["a"]}], "plan_digest": "plan-2:0"}
    malformed = "approved_plan is not a valid plan digest. Nothing was sent."
    for check in (False, True):
        refused: list[tuple[dict[str, Any], str]] = [
            (desk.order(HOSTS[:3], max_orders=2, check=check), "3 orders, but max_orders is 2. Nothing was sent."),
            (desk.order(HOSTS[:2], approved_plan=seen["plan_digest"], check=check), seen["plan_digest"]),
            *((desk.order([first], approved_plan=each, check=check), malformed) for each in ("yes", {"plan": []})),
            (desk.order([first], approved_plan=anything, check=check), "The plan is no longer the approved one."),
            (desk.order([first, first.upper()], check=check), "is also that of contracts[0]"),
        ]
        for result, words in refused:
            assert words in result["msg"]
            assert not result["changed"]
            assert result.get("counts", {"ordered": 0})["ordered"] == 0
        assert desk.run(other, check=check)["plan_differences"] == [
            f"{third}: approved, but no longer requested",
            f"{first}: the settings, additional elements, service or organization differ",
            f"{second}: end_user was {data.END_USER}, and is {data.SELF}",
            "new.example.com: requested now (order), but not in the approved list",
        ]
        doubtful = desk.order([first, "doubt.example"], check=check)
        assert "1 of 2 orders cannot be placed. Nothing was sent" in doubtful["msg"]
        assert [each["order"]["status"] for each in doubtful["results"]] == ["not_sent", "in_doubt"]
        assert [each["action"] for each in doubtful["plan"]] == ["order", "in_doubt"]
    assert len(desk.simulator.requests("POST")) == 1

    # The approved plan is ordered. What is there already counts as nothing and needs no approval.
    done, again = (desk.order(HOSTS[:3], approved_plan=seen["plan_digest"], max_orders=3) for _time in range(2))
    assert (done["plan_digest"], done["counts"]["ordered"]) == (seen["plan_digest"], 3)
    assert (again["plan_digest"] != seen["plan_digest"], again["counts"]["unchanged"]) == (True, 3)
    assert "failed" not in again
    # What is in doubt is passed over where that is wanted.
    passed = desk.order(["doubt.example", "new.example.com"], on_error="continue")
    assert passed["counts"] == {"ordered": 1, "unchanged": 0, "failed": 0, "in_doubt": 1, "not_sent": 0}


def test_check_mode_shows_the_plan(desk: Desk) -> None:
    desk.order(["old.example.com"])
    desk.simulator.reset()
    domain = settings(data.DOMAIN, domain="new.example", action="transfer", authcode="authorised-4711")
    contracts = [
        *({"settings": {"hostname": f"{name}.example.com"}} for name in ("old", "new")),
        {"product": data.DOMAIN_DEFAULT, "end_user": data.SELF, "settings": {**domain, "template": None}},
    ]
    result = desk.run({"contracts": contracts}, check=True)
    assert (result["changed"], result["counts"]["ordered"], result["plan"][2]["billing"]) == (True, 2, "yearly")
    before, after = (yaml.safe_load(result["diff"][side]) for side in ("before", "after"))
    assert result["diff"]["after_header"] == "the plan: 2 to be ordered, 1 there already"
    assert (list(before), before["old.example.com"]) == (["old.example.com"], after["old.example.com"])
    new = after["new.example.com"]
    assert (new["product_name"], new["end_user"]) == ("VPS M", data.END_USER)
    assert new["settings"]["hostname"] == "new.example.com"
    assert (after["new.example"]["billed"], after["new.example"]["end_user"]) == ("yearly", data.SELF)
    assert "authorised-4711" not in str(result)
    assert not desk.simulator.requests("POST")


def test_secrets_are_not_in_the_digest(desk: Desk) -> None:
    wanted = {"end_user": data.END_USER, "product": data.VPS_KONFIGURATOR}
    digests = set()
    for password in ("correct-horse-battery", "another-horse-battery"):
        contract = {**wanted, "settings": settings(data.CONFIGURABLE_VPS, password=password)}
        digests.add(desk.run({"contracts": [contract], "defaults": {}}, check=True)["plan_digest"])
    assert len(digests) == 1


def test_error_stops_what_was_not_begun(desk: Desk) -> None:
    desk.simulator.arm("answer", status=422, match={"hostname": HOSTS[1]})
    result = desk.order(HOSTS, concurrency=1)
    assert result["changed"]
    assert result["counts"] == {"ordered": 1, "unchanged": 0, "failed": 1, "in_doubt": 0, "not_sent": 3}
    assert "1 of 5 orders failed: 1 ordered, 1 failed, 3 not sent" in result["msg"]
    assert [bool(entry.get("failed")) for entry in result["results"]] == [False, True, False, False, False]
    assert desk.ordered() == HOSTS[:1]
    # The rest on the next run, which passes over what fails.
    desk.simulator.arm("answer", status=422, match={"hostname": HOSTS[3]})
    rest = desk.order(HOSTS, on_error="continue")
    assert rest["counts"] == {"ordered": 3, "unchanged": 1, "failed": 1, "in_doubt": 0, "not_sent": 0}
    assert desk.ordered() == [*HOSTS[:3], HOSTS[4]]
