# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task tells of an order: its result keys, its diff, and errors that say how to go on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.cache import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ClaimEvidence,
    Outcome,
    Record,
    Request,
)
from ansible_collections.hosting.reseller.plugins.module_utils._order.already_there import in_doubt_error
from ansible_collections.hosting.reseller.plugins.module_utils._order.drift import DriftedValue, drift_error
from ansible_collections.hosting.reseller.plugins.module_utils._order.planner import Step
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.needles import MASK
from ansible_collections.hosting.reseller.plugins.module_utils._tasks import order_results
from tests.support.orders import PRODUCT, order_of

CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
URL, LEDGER = "https://portal.example.org", "/var/lib/ledger.db"
SETTINGS = {"hostname": "web01", "template": "debian-12", "password": "Quite-Secret-1"}
ORDER = order_of("web01", SETTINGS, additional_elements={"note": "x"})
REQUEST = Request("web01", URL, "4200", "__self__", PRODUCT, "VPS M", "vps", {"hostname": "web01"})
CLAIMED, ORDERED = "2026-11-21T08:00:00Z", "2026-11-21T08:00:01Z"
TOLD = {
    "name": "web01",
    "product": PRODUCT,
    "product_name": "VPS M",
    "product_type": "vps",
    "end_user": "__self__",
}
#: Of an order that is not placed yet.
TIMES = {"ordered_at": None, "certain_at": None}


def record(status: Any, *, alive: bool = False, request: Request | None = REQUEST, **outcome: Any) -> Record:
    ordered_at = ORDERED if status == "ordered" else None
    return Record(
        "web01", Outcome(status, **outcome), request, "run", CLAIMED, ordered_at, CLAIMED, alive, ledger=LEDGER
    )


def step(action: Any, **changes: Any) -> Step:
    return Step(ORDER.requested, action, **changes)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    config = ServiceConfig(URL, "key-0123456789", "4200")
    found = Service(config, Cache(tmp_path), "endUser", "product")
    yield found
    found.close()


# Results


def test_result_of_a_recorded_order() -> None:
    standing = record("ordered", contract_id=CONTRACT, contract={"id": CONTRACT}, l2vpn_id=PRODUCT)
    drift = DriftedValue("settings.ram", 1024, 2048)
    result = order_results.recorded_result(step("none", record=standing, differences=(drift,)))
    assert (result["changed"], result["contract_id"], result["l2vpn_id"]) == (False, CONTRACT, PRODUCT)
    assert result["order"] == {**TOLD, "status": "ordered", "ordered_at": ORDERED, "certain_at": None}
    assert result["differences"] == [{"path": "settings.ram", "recorded": 1024, "requested": 2048}]


def test_result_of_a_planned_order(service: Service) -> None:
    result = order_results.placed_result(None, ORDER, service)
    assert (result["changed"], result["order"]) == (True, {**TOLD, "status": "planned", **TIMES})
    assert list(result["request"]["body"])[:2] == ["endUser", "product"]
    shown = order_results.request_of(ORDER, Service(service.config, service.cache, "endUser").known_shape())["body"]
    assert list(shown)[:2] == ["endUser", "(product element: not yet known)"]


def test_the_diff_of_an_order_to_place_and_of_one_that_is_there() -> None:
    new = order_results.order_diff(ORDER, None)
    assert new["before"] == ""
    after = yaml.safe_load(new["after"])
    assert after == {**TOLD, "settings": {**SETTINGS, "password": MASK}, "additional_elements": {"note": "x"}}
    old = order_results.order_diff(None, record("ordered", contract_id=CONTRACT))
    assert old["before"] == old["after"]
    assert yaml.safe_load(old["before"]) == {**TOLD, "contract_id": CONTRACT}


def test_contacts_in_a_diff_are_listed_field_by_field() -> None:
    owner = {"label": "customer-4711", "city": "Köln", "postal_code": "51147"}
    contacts = {"ownercData": owner, "admincData": dict(owner), "ownercRef": "r-1"}
    order = replace(ORDER, settings={"authcode": "Quite-Secret-2", **contacts})
    shown = {"authcode": MASK, "ownercData": owner, "admincData": "the same as ownercData", "ownercRef": "r-1"}
    assert yaml.safe_load(order_results.order_diff(order, None)["after"])["settings"] == shown


def test_an_l2vpn_in_a_diff_has_the_name_of_its_first_server() -> None:
    joining = order_of("web01", {"existing_l2vpn": CONTRACT.upper()})
    shown = [
        order_results.shown_order(order, {CONTRACT: "db01"})["settings"]["existing_l2vpn"]
        for order in (joining, order_of("db01", joining.settings), order_of("web01", {"existing_l2vpn": PRODUCT}))
    ]
    assert shown == [f"that of db01 ({CONTRACT.upper()})", CONTRACT.upper(), PRODUCT]


# What stands in the way


@pytest.mark.parametrize(
    ("evidence", "lists", "offered"),
    [(ClaimEvidence(), True, True), (ClaimEvidence(), False, False), (None, True, False)],
)
def test_reconciling_is_offered_where_it_can_settle(evidence: ClaimEvidence | None, lists: bool, offered: bool) -> None:
    doubt = record("pending", request=replace(REQUEST, evidence=evidence))
    error = in_doubt_error(doubt, lists_contracts=lists)
    assert error.statement.splitlines()[-1] == "Reason: The run that claimed it did not record how the order ended."
    lines = error.message.splitlines()
    begins = "ansible localhost -m hosting.reseller.reseller_reconcile -a "
    found = [line for line in lines if "reseller_reconcile" in line]
    assert [shlex.split(line)[-1] for line in found if line.startswith(begins)] == (
        [f'{{"names": ["web01"], "ledger": "{LEDGER}"}}'] if offered else []
    )
    assert len(found) == int(offered)


def test_drift_is_told_setting_by_setting_with_what_can_be_done() -> None:
    told = (DriftedValue("settings.ram", 1024, 2048), DriftedValue("settings.ownercData", "(not shown)", "(not shown)"))
    error = drift_error(record("ordered", contract_id=CONTRACT), told)
    assert "  - settings.ram: recorded 1024, requested 2048\n  - settings.ownercData differs\n" in error.message
    advice = "set on_drift to warn or ignore. To order another one, change its name and its hostname or domain"
    assert advice in error.message
    assert error.results["contract_id"] == CONTRACT
    assert [each["path"] for each in error.results["differences"]] == ["settings.ram", "settings.ownercData"]


@pytest.mark.parametrize(
    ("recorded", "asked", "suggested"),
    [
        ("https://old.example", "https://new.example", True),
        ("http://127.0.0.1:8080", "https://new.example", False),
        ("https://old.example", "http://localhost:8080", False),
        ("http://localhost:1", "http://127.0.0.1:1", True),
    ],
)
def test_moving_is_offered_but_for_a_trial_on_this_machine(recorded: str, asked: str, suggested: bool) -> None:
    error = drift_error(record("ordered"), [DriftedValue("base_url", recorded, asked)])
    assert f"recorded for {recorded}, and this is {asked}. A service for tests needs a ledger of" in error.message
    line = f"ansible localhost -m hosting.reseller.reseller_ledger -a 'state=readdressed from={recorded} to={asked}"
    assert (line in error.message) is suggested


def test_order_of_another_run() -> None:
    """Planned again after the wait: still pending, not placed, or there."""
    pending = record("pending", alive=True)._replace(deadline="2026-11-21T14:03:20Z")
    alive = order_results.left_by_others(step("pending", record=pending))
    assert alive is not None
    assert (alive.kind, alive.results["order"]["status"]) == ("pending", "pending")
    assert alive.results["order"]["certain_at"] == "2026-11-21T14:03:20Z"
    assert alive.message.splitlines() == [
        "The order web01 is being placed, or cut off: certain at 14:03:20 UTC. Nothing was sent or changed.",
        f"A run claimed it at {CLAIMED}. A request of it may be under way until 2026-11-21T14:03:20Z.",
        "Run again then, or when its run has ended. If it hangs, end it. Until it is certain, it cannot be settled.",
    ]
    left = order_results.left_by_others(step("order", record=record("rejected", reason="No credit.")))
    assert left is not None
    assert left.message.startswith("Another run was placing the order web01, but did not place it (No credit.).")
    unsent = order_results.left_by_others(step("order", record=record("not_sent")))
    assert unsent is not None
    assert [left.kind, unsent.kind] == ["rejected", "unreachable"]
    assert order_results.left_by_others(step("none", record=record("ordered"))) is None
