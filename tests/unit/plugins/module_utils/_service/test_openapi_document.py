# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of an OpenAPI document: where they are, and which one a path names."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._service.openapi_document import OpenApiDocument


def lookup(paths: dict[str, Any], **top: Any) -> OpenApiDocument:
    return OpenApiDocument("https://h/api/docs", {"openapi": "3.0.0", "paths": paths, **top})


def test_operations_are_listed() -> None:
    paths = {
        "/servers/{id}": {"parameters": [], "delete": {"description": "Give it back.\nFor ever."}},
        "/x": {"$ref": "#/components/pathItems/X", "summary": "no operation"},
        "/broken": [],
    }
    components = {"pathItems": {"X": {"post": {}}}}
    found = lookup(paths, servers=[{"url": "https://h/api/"}], components=components).operations
    assert [(each.name, each.summary) for each in found] == [
        ("DELETE /api/servers/{id}", "Give it back. For ever."),
        ("POST /api/x", ""),
    ]


def around(prefix: str = "", *servers: str, **more: Any) -> dict[str, Any]:
    paths = {f"{prefix}/reseller/contracts": {"post": {"operationId": "order"}}, f"{prefix}/reseller/x": {"get": {}}}
    return {"paths": paths, "servers": [{"url": server} for server in servers], **more}


@pytest.mark.parametrize(
    "document",
    [
        around(),
        around("/api"),
        around("", "/api"),
        around("", "https://other/v1", "https://h/api"),
        around("/api", "http://inner:8000/app", "/"),
        around("/api", "{scheme}://{host}/v1/{tenant}"),
        around(swagger="2.0", basePath="/api", host="inner"),
        {"paths": {"/contracts": {"post": {}}, "/x": {"get": {}}}, "servers": [{"url": "/portal/api/reseller"}]},
    ],
)
def test_operation_is_below_base_url_wherever_the_reference_says(document: dict[str, Any]) -> None:
    found = lookup(**document)
    assert [each.path for each in found.operations] == ["/api/reseller/contracts", "/api/reseller/x"]


PATHS: dict[str, Any] = {
    "/api/keys.{_format}": {"get": {}, "post": {}},
    "/api/keys/{id}": {"get": {}, "put": {}},
    "/api/keys/mine": {"get": {}},
}


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("GET", "/api/keys", "GET /api/keys"),
        ("GET", "/api/keys.{_format}", "GET /api/keys"),
        ("GET", "/api/keys/{id}", "GET /api/keys/{id}"),
        ("PUT", "/api/keys/7", "PUT /api/keys/{id}"),
        ("GET", "/api/keys/mine", "GET /api/keys/mine"),
        ("DELETE", "/api/keys/7", None),
        ("GET", "/api/keys/7/x", None),
    ],
)
def test_operation_is_found_by_its_path(method: str, path: str, found: str | None) -> None:
    operation = lookup(PATHS).find(method, path)
    assert (operation and operation.name) == found


NUMBERS = [{"name": "limit", "in": "query", "schema": {"default": True, "minimum": 3}}, {"$ref": "#/parameters/Page"}]


def test_parameters_of_an_operation_replace_those_of_its_path() -> None:
    item = {
        "get": {"parameters": NUMBERS},
        "parameters": [{"name": "limit", "in": "query"}, {"name": "x", "in": "path"}],
    }
    page = {"name": "page", "in": "query", "minimum": 0}
    (operation,) = lookup({"/x": item}, parameters={"Page": page}).operations
    assert [parameter["name"] for parameter in operation.parameters] == ["limit", "page", "x"]
    assert operation.query_parameters == {"limit": 3, "page": 0}


# Operations that read contracts

LIST = "/api/reseller/contracts"


@pytest.mark.parametrize(
    ("paths", "path", "parameter"),
    [
        (["/reseller/contracts/{id}"], None, "id"),
        ([f"{LIST}/", f"{LIST}/{{number}}/"], f"{LIST}/", "number"),
        ([LIST + "{._format}", LIST + "/{uuid}{._format}"], LIST, "uuid"),
        # None of these reads contracts.
        (["/api/contracts", f"{LIST}/{{id}}/renewals", f"{LIST}/export"], None, ""),
        ([], None, ""),
    ],
)
def test_operations_that_read_contracts_are_found(paths: list[str], path: str | None, parameter: str) -> None:
    document = lookup({**{path: {"get": {}} for path in paths}, f"{LIST}/old": {"post": {}}})
    assert (document.contracts_path, document.contract_parameter) == (path, parameter)
