# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the simulator lets contracts be read, in each shape."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator, SimulatorError

ORDERS = "/api/reseller/contracts"
SETTINGS = {"hostname": "web01.example.com", "template": data.OS_TEMPLATE}


def listed(simulator: Simulator, path: str = ORDERS, **headers: str) -> list[dict[str, Any]]:
    body = simulator.get(path, headers=headers).json()
    found: list[dict[str, Any]] = body if isinstance(body, list) else body.get("member", body.get("data"))
    return found


def id_of(record: dict[str, Any]) -> str:
    return str(record.get("uuid", record["id"]))


def test_contract_is_listed_and_shown_to_its_organization(simulator: Simulator) -> None:
    simulator.order(data.VPS_S, SETTINGS, end_user=data.END_USER)
    [order] = simulator.orders()
    assert listed(simulator) == []
    header = {"X-Organization-ID": data.END_USER_ORGANIZATION_ID}
    [record] = listed(simulator, **header)
    assert id_of(record) == order["id"]
    assert "web01.example.com" in str(record)
    item = simulator.get(f"{ORDERS}/{order['id']}", headers=header).json()
    assert order["id"] in str(item)
    assert simulator.get(f"{ORDERS}/{order['id']}").status_code == 404
    assert simulator.get(ORDERS, headers={"X-API-Key": "x"}).status_code == 401
    assert simulator.get(ORDERS, headers={"X-Organization-ID": data.FOREIGN_ORGANIZATION_ID}).status_code == 403


@pytest.mark.parametrize("published", ["both", "list", "item", "none"])
def test_operations_can_be_left_out(start_simulator: SimulatorFactory, published: str) -> None:
    simulator = start_simulator("plain", contracts=published, reference_format="json")
    simulator.order(data.VPS_S, SETTINGS)
    contract = simulator.orders()[0]["id"]
    assert simulator.get(ORDERS).status_code == (200 if published in ("both", "list") else 405)
    assert simulator.get(f"{ORDERS}/{contract}").status_code == (200 if published in ("both", "item") else 404)
    paths = simulator.get("/api/reference/reseller.json").json()["paths"]
    assert ("get" in paths[ORDERS]) is (published in ("both", "list"))
    assert (f"{ORDERS}/{{contractId}}" in paths) is (published in ("both", "item"))


def test_list_can_lag_and_a_contract_become_ready(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    simulator.behave(lag_reads=2, ready_reads=1)
    listed(simulator)
    simulator.order(data.VPS_S, SETTINGS)
    assert [len(listed(simulator)) for _read in range(3)] == [0, 0, 1]
    [record] = listed(simulator)
    assert record["state"] == {"name": "active", "ready": True}
    assert record["ips"]


def test_list_can_repeat_a_page_or_end_early(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("laravel", contract_page_size=2)
    for number in range(6):
        simulator.add_contract(data.VPS_S, {"hostname": f"web{number}"}, age=number)
    simulator.behave(repeat_page=1)
    assert listed(simulator, f"{ORDERS}?page=2") == listed(simulator)
    simulator.behave(cut_pages=2)
    second = simulator.get(f"{ORDERS}?page=2").json()
    assert (second["links"]["next"], second["meta"]["total"]) == (None, 6)


def test_contracts_can_change_and_vanish(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    contract = simulator.add_contract(data.VPS_S, SETTINGS, age=3600)
    simulator.change_contract(contract, product=data.VPS_M, settings={"hostname": "other"})
    [record] = listed(simulator)
    assert (record["productId"], record["settings"]["hostname"]) == (data.VPS_M, "other")
    simulator.remove_contract(contract)
    assert listed(simulator) == []
    assert simulator.get(f"{ORDERS}/{contract}").status_code == 404
    assert simulator.orders() == []


def test_reads_can_be_refused_and_the_clock_be_wrong(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    right = parsedate_to_datetime(simulator.get(ORDERS).headers["Date"])
    simulator.behave(list_status=403, item_status=410, skew=-600)
    assert simulator.get(ORDERS).status_code == 403
    assert simulator.get(f"{ORDERS}/x").status_code == 410
    wrong = parsedate_to_datetime(simulator.get(ORDERS).headers["Date"])
    assert 590 <= (right - wrong).total_seconds() <= 610
    simulator.reset()
    assert simulator.get(ORDERS).status_code == 200


@pytest.mark.parametrize("behaviour", [{"times": "dusk"}, {"no_such": 1}, {"ready_status": "fine"}])
def test_senseless_behaviour_is_refused(start_simulator: SimulatorFactory, behaviour: dict[str, Any]) -> None:
    with pytest.raises(SimulatorError):
        start_simulator("plain").behave(**behaviour)
