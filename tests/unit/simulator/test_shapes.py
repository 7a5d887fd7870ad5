# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How each shape speaks: catalogue, orders and refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from tests.simulator import data, examples
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.options import STYLES
from tests.simulator.running import Simulator

PRODUCTS = "/api/reseller/products"
ORDERS = "/api/reseller/contracts"


def all_products(simulator: Simulator) -> list[dict[str, Any]]:
    """The whole catalogue, read the way the shape wants it."""
    found: list[dict[str, Any]] = []
    url: str | None = PRODUCTS
    while url is not None:
        page = simulator.get(url.removeprefix(simulator.base_url)).json()
        if simulator.shape == "plain":
            return list(page)
        if simulator.shape == "laravel":
            found += page["data"]
            url = page["links"]["next"]
        else:
            hydra = "hydra:" if simulator.options.get("legacy_hydra") else ""
            found += page[f"{hydra}member"]
            assert page[f"{hydra}totalItems"] >= len(found)
            url = page[f"{hydra}view"].get(f"{hydra}next")
    return found


def identity(simulator: Simulator, record: dict[str, Any]) -> tuple[str, str]:
    """The UUID and the name of a product record."""
    id_key, name_key = {"apiplatform": ("id", "name"), "laravel": ("uuid", "name"), "plain": ("id", "title")}[
        simulator.shape
    ]
    return record[id_key], record[name_key]


def test_the_catalogue_holds_every_product(simulator: Simulator) -> None:
    found = [identity(simulator, record) for record in all_products(simulator)]
    assert found == [(product.id, product.name) for product in data.PRODUCTS]


@pytest.mark.parametrize("product_type", sorted(examples.SETTINGS))
def test_every_product_type_can_be_ordered(simulator: Simulator, product_type: str) -> None:
    settings = examples.settings(product_type)
    for end_user, organization in ((data.SELF, data.ORGANIZATION_ID), (data.END_USER, data.END_USER_ORGANIZATION_ID)):
        answer = simulator.order(examples.PRODUCTS[product_type], settings, end_user=end_user)
        assert answer.ok, answer.text
        order = simulator.orders()[-1]
        assert order["id"] in answer.text
        assert order["organization"] == organization
        assert order["product_type"] == product_type
        assert order["settings"] == settings
        assert order["headers"]["x-api-key"] == data.API_KEY
    assert len(simulator.orders()) == 2


def test_answers_to_orders(simulator: Simulator) -> None:
    answer = simulator.order(data.DEDICATED_FRANKFURT, examples.settings(data.DEDICATED_SERVER))
    [order] = simulator.orders()
    body = answer.json()
    if simulator.shape == "apiplatform":
        assert answer.status_code == 201
        assert (body["id"], body["@id"], body["l2vpn"]) == (order["id"], f"{ORDERS}/{order['id']}", order["l2vpn"])
    elif simulator.shape == "laravel":
        assert answer.status_code == 201
        assert body["data"]["uuid"] == order["id"]
        assert body["data"]["l2vpn"] == {"uuid": order["l2vpn"]}
    else:
        assert answer.status_code == 200
        assert body["id"] == order["id"]
        assert order["l2vpn"] not in answer.text


def test_refused_settings(simulator: Simulator) -> None:
    answer = simulator.order(data.VPS_M, {"hostname": "-", "template": "none"})
    body = answer.json()
    if simulator.shape == "apiplatform":
        assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (422, "application/problem+json")
        assert [item["propertyPath"] for item in body["violations"]] == ["settings[hostname]", "settings[template]"]
    elif simulator.shape == "laravel":
        assert answer.status_code == 422
        assert set(body["errors"]) == {"settings.hostname", "settings.template"}
        assert all(isinstance(message, str) for messages in body["errors"].values() for message in messages)
    else:
        assert answer.status_code == 400
        assert set(body["error"]["fields"]) == {"hostname", "template"}
    assert simulator.orders() == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-API-Key": None}, 401),
        ({"X-Organization-ID": None}, 401),
        ({"X-Organization-ID": "0"}, 403),
        ({"X-Organization-ID": data.FOREIGN_ORGANIZATION_ID}, 403),
        ({"X-API-Key": data.FOREIGN_API_KEY}, 403),
        ({"X-API-Key": data.SECOND_API_KEY}, 200),
        ({"X-Organization-ID": data.END_USER_ORGANIZATION_ID}, 200),
    ],
)
def test_both_headers_are_checked(simulator: Simulator, headers: dict[str, str], status: int) -> None:
    answer = simulator.get(PRODUCTS, headers=headers)
    assert answer.status_code == status
    assert isinstance(answer.json(), list if simulator.shape == "plain" and answer.ok else dict)
    ordered = simulator.order(data.WEBHOSTING_START, **headers)
    assert ordered.ok if status == 200 else ordered.status_code == status
    assert len(simulator.orders()) == (1 if status == 200 else 0)


@pytest.mark.parametrize(
    ("organization", "end_user", "receives"),
    [
        (data.END_USER_ORGANIZATION_ID, data.SELF, data.END_USER_ORGANIZATION_ID),
        (data.END_USER_ORGANIZATION_ID, data.END_USER, data.END_USER_ORGANIZATION_ID),
        (data.ORGANIZATION_ID, data.END_USER.upper(), data.END_USER_ORGANIZATION_ID),
        (data.END_USER_ORGANIZATION_ID, data.OTHER_END_USER, None),
        (data.ORGANIZATION_ID, data.FOREIGN_END_USER, None),
        (data.ORGANIZATION_ID, "self", None),
    ],
)
def test_who_gets_the_contract(simulator: Simulator, organization: str, end_user: str, receives: str | None) -> None:
    headers = {"X-Organization-ID": organization}
    answer = simulator.order(data.WEBHOSTING_START, end_user=end_user, **headers)
    assert answer.ok == (receives is not None)
    assert [order["organization"] for order in simulator.orders()] == ([receives] if receives else [])


@pytest.mark.parametrize(
    ("body", "status"), [("{", 400), ("[]", 400), ('{"a": NaN}', 400), ('{"a": 1, "a": 1}', 400), ("[" * 100_000, 400)]
)
def test_bodies_that_are_no_order(simulator: Simulator, body: str, status: int) -> None:
    headers = {**simulator.headers, "Content-Type": simulator.order_media_type}
    answer = requests.post(simulator.base_url + ORDERS, data=body, headers=headers, timeout=60)
    assert answer.status_code == status
    assert answer.json()


def test_the_media_type_of_an_order(simulator: Simulator) -> None:
    wrong = "application/json" if simulator.shape == "apiplatform" else "text/plain"
    assert simulator.order(data.WEBHOSTING_START, **{"Content-Type": wrong}).status_code == 415
    right = f"{simulator.order_media_type}; charset=utf-8"
    assert simulator.order(data.WEBHOSTING_START, **{"Content-Type": right}).ok


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("PUT", ORDERS, 405), ("GET", PRODUCTS + "/", 404), ("GET", "/api/nothing", 404)],
)
def test_other_routes_are_refused_in_the_shapes_manner(
    simulator: Simulator, method: str, path: str, status: int
) -> None:
    answer = simulator.session.request(method, simulator.base_url + path, headers=simulator.headers, timeout=30)
    assert answer.status_code == status
    assert {"apiplatform": "detail", "laravel": "message", "plain": "error"}[simulator.shape] in answer.json()


def test_the_older_names_of_a_collection(start_simulator: SimulatorFactory) -> None:
    assert len(all_products(start_simulator("apiplatform", legacy_hydra=True))) == len(data.PRODUCTS)


@pytest.mark.parametrize("shape", ["apiplatform", "laravel", "plain"])
def test_an_inflated_catalogue_with_two_products_of_one_name(start_simulator: SimulatorFactory, shape: str) -> None:
    simulator = start_simulator(shape, duplicate_names=True, products=1200)
    found = [identity(simulator, record) for record in all_products(simulator)]
    assert len(found) == len({found_id for found_id, dummy in found}) == 1200
    assert {found_id for found_id, name in found if name == data.DUPLICATE_NAME} == set(data.DUPLICATES)
    assert simulator.order(data.DUPLICATES[1], examples.settings(data.VPS)).ok


@pytest.mark.parametrize("style", sorted(STYLES))
def test_options_are_published_in_every_style(start_simulator: SimulatorFactory, style: str) -> None:
    simulator = start_simulator("plain", options_style=style)
    options = {record["title"]: record["options"] for record in all_products(simulator)}
    text = json.dumps(options["VPS-Konfigurator"])
    for name in examples.SETTINGS[data.CONFIGURABLE_VPS]:
        assert f'"{name}"' in text
    assert str(data.ORG_MAX_RAM) in text
    for template in data.OS_TEMPLATES:
        assert template in text


def test_the_limit_of_the_organization_is_published_for_each(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    seen = simulator.get(PRODUCTS, headers={"X-Organization-ID": data.END_USER_ORGANIZATION_ID}).text
    assert f'"max":{data.END_USER_ORG_MAX_RAM}' in seen
    assert f'"max":{data.ORG_MAX_RAM}' not in seen
    hidden = start_simulator("plain", hide_org_max_ram=True)
    assert str(data.ORG_MAX_RAM) not in json.dumps(all_products(hidden))


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/ld+json", 200),
        ("*/*", 200),
        ("application/json, */*;q=0.1", 200),
        ("", 200),
        ("application/json", 406),
        ("text/html, application/xml;q=0.9", 406),
        ("application/ld+json;q=0, */*", 406),
    ],
)
def test_strict_shape_refuses_who_does_not_accept_its_type(
    start_simulator: SimulatorFactory, accept: str, status: int
) -> None:
    simulator = start_simulator("strict")
    assert simulator.get(PRODUCTS, headers={"Accept": accept}).status_code == status
    ordered = simulator.order(data.WEBHOSTING_START, Accept=accept)
    assert ordered.status_code == (201 if status == 200 else status)
    assert len(simulator.orders()) == (status == 200)


def test_strict_shape_refuses_other_types_of_orders(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("strict")
    assert simulator.order(data.WEBHOSTING_START, **{"Content-Type": "application/json"}).status_code == 415
    assert simulator.orders() == []
