# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_service_info: what is known of each shape of service, and a service that only its file explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.support.described import end_users, house
from tests.unit.plugins.module_utils._tasks.conftest import FOR_OWN, IS_READ, Bench

WEB = "web01.example.org"


def fields(result: Any) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in result["fields"]}


def test_every_shape_is_learned_as_far_as_orders_need(simulator: Simulator, tmp_path: Path) -> None:
    bench = Bench(simulator, tmp_path)
    found = bench.run("reseller_service_info")
    assert not found.failed, found.msg
    assert (found["problem"], found["end_users"]) == (None, [])
    known = fields(found)
    assert known["order.end_user"]["value"] == simulator.end_user_element
    assert known["order.product"]["source"] == "openapi"
    assert known["contracts.path"]["value"].rstrip("/") == "/api/reseller/contracts"
    assert known["cancel"]["without"] == "state: absent is refused"
    assert yaml.safe_load(found["text"])["base_url"] == simulator.base_url
    only = "publishes 200 as its only success. If it accepts an order so, add order.placed"
    assert any(only in each for each in found["notices"]) is (simulator.shape == "plain")


def test_file_explains_a_service_in_words_of_its_own(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    bench = Bench(start_simulator("house"), tmp_path)
    alone = bench.run("reseller_service_info")
    assert "No OpenAPI document was found" in alone["problem"]
    assert (alone["order"], alone["operations"], alone["url"]) == (None, [], None)
    assert fields(alone)["order.end_user"]["without"] == "no order can be sent"
    service = bench.described(**house())
    known = bench.run("reseller_service_info", service=service)
    assert (known["problem"], known["file"]) == (None, {"path": service, "exists": True})
    assert {each["source"] for each in known["fields"]} - {None} == {"file"}
    assert [each["name"] for each in known["end_users"]] == ["shop"]
    assert not any("order.placed" in each for each in known["notices"])
    products = bench.run("reseller_products_info", service=service)
    assert {each["name"] for each in products["products"]} >= {"VPS M", "VPS S"}
    assert "debian-12" in products["os_templates"]
    for changed in (True, False):
        ordered = bench.order(WEB, product="VPS M", service=service)
        assert (ordered.failed, ordered["changed"]) == (False, changed), ordered.msg
    assert (bench.sent, ordered["contract_id"]) == (1, bench.ids[0])
    assert bench.service.orders()[0]["body"]["f01"] == data.SELF


def test_file_alone_refuses_what_is_there_and_settles_what_was_lost(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    bench = Bench(start_simulator("house"), tmp_path)
    service = bench.described(**house())
    there = bench.service.add_contract(data.VPS_M, {"hostname": "there.example.org"})
    refused = bench.order("there.example.org", service=service)
    assert there in refused.msg
    assert bench.sent == 0
    bench.service.arm("answer", status=500, process=True, match={"hostname": WEB})
    settled = bench.order(WEB, service=service)
    assert (settled.failed, settled["contract_id"]) == (False, bench.ids[0]), settled.msg


def test_recorded_contracts_prove_fields_in_every_shape(simulator: Simulator, tmp_path: Path) -> None:
    """What they prove is what the file gets, and with that file the same is known."""
    bench = Bench(simulator, tmp_path)
    users = end_users({data.END_USER: data.END_USER_ORGANIZATION_ID})
    service = bench.described(end_users=users)
    for hostname, user in (("web01.example.org", data.SELF), ("web02.example.org", data.END_USER)):
        assert bench.order(hostname, end_user=user, service=service)["contract_id"]
    found = bench.run("reseller_service_info", service=service)
    shown = [(each["end_user"], each["contracts"], each["complete"]) for each in found["lists"]]
    assert shown == [(data.SELF, 1, True), (data.END_USER, 1, True)]
    proven = {name: each["value"] for name, each in fields(found).items() if each["proven"]}
    assert {"contracts.id", "contracts.hostname", "contracts.product"} <= proven.keys()
    assert {each["permits"] for each in found["fields"] if each["proven"]} == {"all that it is for"}
    parts = yaml.safe_load(found["text"])
    assert {f"contracts.{name}": value for name, value in parts["contracts"].items()} == proven
    saved = bench.described(end_users=users, contracts=parts["contracts"])
    again = bench.run("reseller_service_info", service=saved)
    assert {name: fields(again)[name]["source"] for name in proven} == dict.fromkeys(proven, "file")
    assert {each["contradicted"] for each in again["fields"]} == {None}


@IS_READ
def test_field_that_a_recorded_contract_contradicts_permits_nothing(bench: Bench) -> None:
    bench.order(WEB)
    place = fields(bench.run("reseller_service_info"))["contracts.product"]["value"]
    wrong = bench.described(contracts={"hostname": place})
    found = fields(bench.run("reseller_service_info", service=wrong))["contracts.hostname"]
    assert (found["source"], found["permits"]) == ("file", "nothing")
    assert f"contracts.hostname is {place}, but contract {bench.ids[0]} shows its own at" in found["contradicted"]


@pytest.mark.parametrize("given", [{"end_user": "kundin"}, {"end_user": "kundin", "product": "product"}])
def test_element_in_the_file_that_is_not_published_is_told(bench: Bench, given: dict[str, str]) -> None:
    found = bench.run("reseller_service_info", service=bench.described(order=given))
    said = "The OpenAPI document names no element kundin; order.end_user in the service's file still sends it."
    assert said in found["notices"]


@FOR_OWN
def test_list_that_cannot_be_read_is_told(bench: Bench) -> None:
    bench.service.behave(list_status=403)
    (unread,) = bench.run("reseller_service_info")["lists"]
    assert (unread["organization_id"], unread["complete"]) == (data.ORGANIZATION_ID, False)
    assert "403" in unread["why"]
    none = bench.run("reseller_service_info", service=bench.described(openapi_url=None))["lists"][0]
    assert {*none} == {*unread}
    assert none["why"]


def test_operation_of_a_service_without_a_document_cannot_be_shown(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    bench = Bench(start_simulator("house"), tmp_path)
    assert "No OpenAPI document was found" in bench.run("reseller_service_info", operation="GET /x").msg
    service = bench.described(**house())
    shown = bench.run("reseller_service_info", operation="GET /api/reseller/contracts/{nr}", service=service)
    assert shown["operation"]["method"] == "GET"


@FOR_OWN
def test_end_users_that_a_published_list_shows_are_candidates(bench: Bench) -> None:
    users = [{"uuid": data.END_USER, "organizationId": 4201, "name": "Shop"}, {"uuid": "x", "name": "None"}]
    document = {"openapi": "3.1.0", "paths": {"/api/reseller/end-users": {"get": {}}}}
    for path, body in (("/api/docs", document), ("/api/reseller/end-users", users)):
        bench.service.arm("answer", method="GET", on=path, status=200, body=body, times=-1)
    found = bench.run("reseller_service_info")
    candidate = {"name": "Shop", "id": data.END_USER, "organization_id": "4201", "org_max_ram": None}
    assert found["candidates"] == [candidate]
    assert "# Shop:" in found["text"]
    known = bench.described(end_users={"shop": {"id": data.END_USER, "organization_id": "4201"}})
    assert bench.run("reseller_service_info", service=known)["candidates"] == []


@FOR_OWN
def test_nothing_is_written(bench: Bench) -> None:
    found = bench.run("reseller_service_info")
    assert {"file", "candidates", "lists", "lines"} <= found.result.keys()
    assert (found["changed"], bench.path.exists(), found["file"]["exists"]) == (False, False, False)
