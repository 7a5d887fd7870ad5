# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which operations a reference publishes, where they are, how a task names them, and which read contracts."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published_operations import (
    PublishedOperations,
    refuse_order,
)


def lookup(paths: dict[str, Any], base_url: str = "https://h", **top: Any) -> PublishedOperations:
    document = {"openapi": "3.0.0", "paths": paths, **top}
    return PublishedOperations(document, f"{base_url}/api/docs", base_url)


def test_operations_are_listed() -> None:
    paths = {
        "/servers/{id}": {"parameters": [], "delete": {"description": "Give it back.\nFor ever."}},
        "/x": {"$ref": "#/components/pathItems/X", "summary": "no operation"},
        "/broken": [],
    }
    components = {"pathItems": {"X": {"post": {}}}}
    found = lookup(paths, servers=[{"url": "https://h/api/"}], components=components).all
    assert [(each.name, each.summary) for each in found] == [
        ("DELETE /api/servers/{id}", "Give it back. For ever."),
        ("POST /api/x", ""),
    ]


def around(prefix: str = "", *servers: str, **more: Any) -> dict[str, Any]:
    paths = {f"{prefix}/reseller/contracts": {"post": {"operationId": "order"}}, f"{prefix}/reseller/x": {"get": {}}}
    return {"paths": paths, "servers": [{"url": server} for server in servers], **more}


@pytest.mark.parametrize(
    ("document", "base_url"),
    [
        (around("/api"), "https://h"),
        (around("", "/api"), "https://h"),
        (around("", "https://other/v1", "https://h/api"), "https://h"),
        (around("/api", "/portal"), "https://h/portal"),
        (around("/api", "/"), "https://h/portal"),
        (around("/api", "http://inner:8000/app"), "https://h"),
        (around(), "https://h"),
        (around("/api", servers=[{"url": "/v1/{t}", "variables": {"t": {"default": "t"}}}]), "https://h"),
        (around(swagger="2.0", basePath="/api", host="inner"), "https://h"),
    ],
)
def test_operation_is_below_base_url_wherever_the_reference_says(document: dict[str, Any], base_url: str) -> None:
    found = lookup(base_url=base_url, **document)
    assert found.find("GET /api/reseller/x").path == "/api/reseller/x"
    with pytest.raises(ConfigurationError, match="orders a product"):
        found.find("order")


PATHS: dict[str, Any] = {
    "/api/keys.{_format}": {"get": {"operationId": "list"}, "post": {"operationId": "twice"}},
    "/api/keys/{id}": {"get": {"operationId": "show"}, "put": {"operationId": "twice"}},
    "/api/keys/mine": {"get": {}},
    "/api/far": {"get": {"operationId": "far"}, "servers": [{"url": "https://far.example/api"}]},
}


def test_operation_is_found_by_its_names() -> None:
    for wanted in ("list", "get /api/keys", "GET /api/keys.{_format}"):
        assert lookup(PATHS).find(wanted).path == "/api/keys"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("twice", "2 published operations are called 'twice'"),
        ("GET /api/kees", "publishes no operation 'GET /api/kees'(?s:.*)Nearest: GET /api/keys"),
        ("GET /api/keys/9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4", "Nearest: GET /api/keys/{id}."),
        ("far", "is published at another host, https://far.example"),
    ],
)
def test_what_is_not_one_operation_here_is_refused(wanted: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        lookup(PATHS).find(wanted)


def test_host_of_openapi_2_is_another_host() -> None:
    found = PublishedOperations({"swagger": "2.0", "host": "far.example", "paths": PATHS}, "https://h/d", "https://h")
    with pytest.raises(ConfigurationError, match="is published at another host"):
        found.find("list")


def test_operation_elsewhere_serves_no_path() -> None:
    found = lookup(PATHS)
    assert found.reading("/api/keys/{id}") is not None
    assert found.reading("/api/far") is None
    served = [found.serving("GET", path) for path in ("/api/keys/7", "/api/keys/mine", "/api/far")]
    assert [each and each.path for each in served] == ["/api/keys/{id}", "/api/keys/mine", None]


@pytest.mark.parametrize(
    "path",
    [
        "/API/Reseller//contracts/",
        "/portal/api/reseller/contracts.json?x=1",
        "/api/reseller/x/../contracts;v=1",
        "/api/reseller/%2563ontracts",
        "\\api\\reseller\\contracts",
        "/reseller/contracts",
    ],
)
def test_order_is_refused_however_its_path_is_written(path: str) -> None:
    with pytest.raises(ConfigurationError, match="orders a product"):
        refuse_order("post", path)
    refuse_order("GET", path)


@pytest.mark.parametrize("path", ["/api/reseller/contracts/{id}/cancel", "/api/contracts"])
def test_other_paths_are_no_order(path: str) -> None:
    refuse_order("POST", path)


# Operations that read contracts

LIST, ITEM = "/api/reseller/contracts", "/api/reseller/contracts/{}"


def document(*paths: str) -> dict[str, Any]:
    """An OpenAPI document with GET on each of these paths."""
    return {"openapi": "3.1.0", "paths": {path: {"get": {"responses": {}}} for path in paths}}


@pytest.mark.parametrize(
    ("described", "given", "list_path", "item_path"),
    [
        (document("/reseller/contracts/{id}"), None, None, ITEM),
        (document(f"{LIST}/", f"{LIST}/{{id}}/"), None, f"{LIST}/", f"{ITEM}/"),
        (document(LIST + "{._format}", LIST + "/{uuid}{._format}"), None, LIST, ITEM),
        # None of these reads contracts.
        (document("/api/contracts", f"{LIST}/{{id}}/renewals", f"{LIST}/export"), None, None, None),
        ({"openapi": "3.1.0", "paths": {LIST: {"post": {"responses": {}}}}}, None, None, None),
        # A path that is given lists contracts, and one lies below it.
        ({}, "/v2/servers/", "/v2/servers/", "/v2/servers/{}/"),
        (document(LIST, f"{LIST}/{{id}}"), "/v2/servers", "/v2/servers", "/v2/servers/{}"),
        (document("/v2/servers", "/v2/servers/{id}/"), "/v2/servers", "/v2/servers", "/v2/servers/{}/"),
    ],
)
def test_operations_that_read_contracts_are_found(
    described: dict[str, Any], given: str | None, list_path: str | None, item_path: str | None
) -> None:
    found = PublishedOperations(described).reading_contracts(given)
    assert (found.list_path, found.item_path) == (list_path, item_path)


def test_parameters_of_the_list_are_told() -> None:
    described = document(LIST)
    described["paths"][LIST]["parameters"] = [{"name": "p", "in": "query", "schema": {"default": 1}}]
    described["paths"]["/v2/servers"] = described["paths"][LIST]
    for path in (None, "/v2/servers"):
        found = PublishedOperations(described).reading_contracts(path)
        assert found.parameters == {"p": 1}
