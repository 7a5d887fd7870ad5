# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where each shape publishes its reference, what it says, and who may read it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
import yaml

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
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


def test_a_prefix_before_all_paths(start_simulator: SimulatorFactory) -> None:
    for shape in ("apiplatform", "laravel", "plain"):
        simulator = start_simulator(shape, prefix="/portal")
        assert simulator.base_url.endswith("/portal")
        products = simulator.get(PRODUCTS)
        assert products.status_code == 200
        assert order_elements(published(simulator))
        assert simulator.order(data.WEBHOSTING_START).ok
        assert requests.get(simulator.base_url.removesuffix("/portal") + PRODUCTS, timeout=60).status_code == 404
