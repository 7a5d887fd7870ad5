# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How each shape speaks: catalogue, orders, refusals, and where its published reference is."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
import yaml

from tests.simulator import data, examples
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.options import STYLES
from tests.simulator.running import Simulator

PRODUCTS = "/api/reseller/products"
ORDERS = "/api/reseller/contracts"
OPENAPI = "application/vnd.openapi+json"


class Scripts(HTMLParser):
    """The script elements of a page: their attributes and their text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[dict[str, str | None], str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "script"
        if self.inside:
            self.found.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found[-1] = (self.found[-1][0], self.found[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        self.inside = False


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


def published(simulator: Simulator) -> dict[str, Any]:
    """The OpenAPI document, found the way the shape publishes it."""
    page_url = simulator.base_url + "/api/docs"
    scripts = Scripts(requests.get(page_url, timeout=60).text).found
    document: Any
    if simulator.shape == "apiplatform":
        [held] = [text for attributes, text in scripts if attributes.get("id") == "swagger-data"]
        document = json.loads(held)["spec"]
    elif simulator.shape == "laravel":
        [source] = [found["src"] for found, dummy in scripts if str(found.get("src")).endswith("initializer.js")]
        script = requests.get(urljoin(page_url, source), timeout=60)
        [url] = re.findall(r'\burl: "([^"]+)"', script.text)
        document = requests.get(urljoin(page_url, url), timeout=60).json()
    else:
        [url] = [url for dummy, text in scripts for url in re.findall(r"\burl: '([^']+)'", text)]
        answer = requests.get(urljoin(page_url, url), headers=simulator.headers, timeout=60)
        document = yaml.safe_load(answer.text)
    assert isinstance(document, dict)
    return document


def order_elements(document: dict[str, Any]) -> dict[str, Any]:
    """The properties of the body that orders a product."""
    [path] = [path for path in document["paths"] if path.endswith(ORDERS)]

    def resolved(value: Any) -> Any:
        while "$ref" in value:
            found: Any = document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    [content] = resolved(document["paths"][path]["post"]["requestBody"])["content"].values()
    schema = resolved(content["schema"])
    properties: dict[str, Any] = {}
    for part in [schema, *schema.get("allOf", [])]:
        properties.update(resolved(part).get("properties", {}))
    return {name: value for name, value in properties.items() if not name.startswith("@")}


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


def test_the_same_order_twice_makes_two_contracts(simulator: Simulator) -> None:
    first, second = (simulator.order(data.WEBHOSTING_START) for dummy in range(2))
    assert first.text != second.text
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
        ({"X-API-Key": "wrong"}, 401),
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
        (data.ORGANIZATION_ID, "", None),
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


@pytest.mark.parametrize(("path", "status"), [(ORDERS, 405), (PRODUCTS + "/", 404), ("/api/nothing", 404)])
def test_other_routes_are_refused_in_the_shapes_manner(simulator: Simulator, path: str, status: int) -> None:
    answer = simulator.get(path)
    assert answer.status_code == status
    assert {"apiplatform": "detail", "laravel": "message", "plain": "error"}[simulator.shape] in answer.json()


def test_the_published_reference(simulator: Simulator) -> None:
    document = published(simulator)
    assert document["openapi"].startswith("3.")
    elements = order_elements(document)
    assert {simulator.end_user_element, simulator.product_element, "settings"} <= set(elements)
    assert "__self__" in elements[simulator.end_user_element]["description"]


@pytest.mark.parametrize("shape", ["apiplatform", "laravel", "plain"])
def test_renamed_elements(start_simulator: SimulatorFactory, shape: str) -> None:
    names = {"end_user_element": "customer", "product_element": "offer"}
    simulator = start_simulator(shape, no_hints=True, required_element="costCentre", **names)
    elements = order_elements(published(simulator))
    assert elements["customer"] == elements["offer"] == {"type": "string"}
    assert simulator.order(data.WEBHOSTING_START).status_code in (400, 422)
    assert simulator.order(data.WEBHOSTING_START, elements={"costCentre": "K1"}).ok
    assert set(simulator.orders()[0]["body"]) == {"customer", "offer", "costCentre"}


@pytest.mark.parametrize("shape", ["apiplatform", "laravel", "plain"])
def test_without_a_reference(start_simulator: SimulatorFactory, shape: str) -> None:
    simulator = start_simulator(shape, no_reference=True)
    paths = (
        "/api/docs",
        "/api/docs/swagger-initializer.js",
        "/api/docs/reseller-v1.json",
        "/api/reference/reseller.yaml",
    )
    for path in paths:
        assert "openapi" not in simulator.get(path, headers={"Accept": OPENAPI}).text.lower()
    page = simulator.get("/api/docs")
    assert (page.status_code, page.headers["Content-Type"].split(";")[0]) == (200, "text/html")


@pytest.mark.parametrize(
    ("accept", "negotiated"),
    [
        (OPENAPI, True),
        (f"text/html;q=0.5, {OPENAPI}", True),
        ("text/html", False),
        ("*/*", False),
        (f"{OPENAPI};q=0", False),
    ],
)
def test_content_negotiation(start_simulator: SimulatorFactory, accept: str, negotiated: bool) -> None:
    simulator = start_simulator("apiplatform")
    answer = simulator.get("/api/docs", headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith(OPENAPI if negotiated else "text/html")
    if negotiated:
        assert answer.json() == published(simulator)


def test_without_content_negotiation(start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform", no_negotiation=True)
    answer = simulator.get("/api/docs", headers={"Accept": OPENAPI})
    assert answer.headers["Content-Type"].startswith("text/html")
    assert published(simulator)["openapi"]


@pytest.mark.parametrize("reference_format", ["yaml", "json"])
def test_the_format_of_the_document(start_simulator: SimulatorFactory, reference_format: str) -> None:
    simulator = start_simulator("plain", reference_format=reference_format)
    answer = simulator.get(f"/api/reference/reseller.{reference_format}")
    assert answer.text.startswith("{") == (reference_format == "json")
    assert order_elements(published(simulator))


@pytest.mark.parametrize(
    ("shape", "options", "page", "document"),
    [
        ("apiplatform", {}, 200, 200),
        ("laravel", {}, 200, 200),
        ("plain", {}, 200, 401),
        ("plain", {"protect_docs": "nothing"}, 200, 200),
        ("apiplatform", {"protect_docs": "reference"}, 200, 401),
        ("laravel", {"protect_docs": "everything"}, 401, 401),
    ],
)
def test_who_may_read_the_docs(
    start_simulator: SimulatorFactory, shape: str, options: dict[str, Any], page: int, document: int
) -> None:
    simulator = start_simulator(shape, **options)
    path = {
        "apiplatform": "/api/docs",
        "laravel": "/api/docs/reseller-v1.json",
        "plain": "/api/reference/reseller.yaml",
    }[shape]
    without = {"X-API-Key": None, "X-Organization-ID": None}
    assert simulator.get("/api/docs", headers={**without, "Accept": "text/html"}).status_code == page
    assert simulator.get(path, headers={**without, "Accept": OPENAPI}).status_code == document
    with_key = {"X-Organization-ID": None, "Accept": OPENAPI}
    assert simulator.get(path, headers=with_key).status_code == 200


def test_swagger_ui_needs_no_other_host(simulator: Simulator) -> None:
    page = simulator.get("/api/docs", headers={"Accept": "text/html"}).text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    for path in re.findall(r'(?:src|href)="(/[^"]+)"', page):
        assert simulator.session.get(simulator.base_url + path, timeout=60).status_code == 200


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


def test_a_prefix_before_all_paths(start_simulator: SimulatorFactory) -> None:
    for shape in ("apiplatform", "laravel", "plain"):
        simulator = start_simulator(shape, prefix="/portal")
        assert simulator.base_url.endswith("/portal")
        products = simulator.get(PRODUCTS)
        assert products.status_code == 200
        assert order_elements(published(simulator))
        assert simulator.order(data.WEBHOSTING_START).ok
        assert requests.get(simulator.base_url.removesuffix("/portal") + PRODUCTS, timeout=60).status_code == 404
