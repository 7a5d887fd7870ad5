# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading OpenAPI documents: what is one, what is none, and what is meant to do harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import PublishedReferenceError
from ansible_collections.hosting.reseller.plugins.module_utils._service.reference import (
    Reference,
    openapi_version,
    read_document,
)

YAML = b"""
openapi: 3.1
info: {title: Portal, version: 1.10, date: 2026-01-31}
paths:
  /api/reseller/contracts: &item
    post:
      responses:
        201: {description: no}
  /same: *item
  /other:
    x-zone: 0012
    x-off: off
    x-empty:
    x-true: true
"""


def test_yaml_is_read_as_json_would_say_it() -> None:
    document = read_document(YAML)
    assert openapi_version(document) == "3.1"
    assert document["info"] == {"title": "Portal", "version": 1.1, "date": "2026-01-31"}
    assert document["paths"]["/same"] == {"post": {"responses": {"201": {"description": "no"}}}}
    assert document["paths"]["/other"] == {
        "x-zone": "0012",
        "x-off": "off",
        "x-empty": None,
        "x-true": True,
    }


def nested(levels: int, first: str, each: str) -> bytes:
    """YAML in which each level has the one before nine times."""
    lines = ["openapi: 3.0.0", f"a0: &a0 {first}"]
    lines += [f"a{level}: &a{level} {each % ', '.join([f'*a{level - 1}'] * 9)}" for level in range(1, levels)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><p>openapi: 3.0.0", "neither JSON nor YAML"),
        (b'{"openapi": "3.0.0"', "neither JSON nor YAML of an OpenAPI document .*delimiter"),
        (b'{"hydra:member": []}', "but an object {hydra:member: a list}"),
        (b'{"openapi": "4.0.0", "paths": {}}', "version 2.0 or 3"),
        (b'{"openapi": "3.0.0", "paths": []}', "with paths"),
        (b"[" * 400_000, "nested deeper than 100 levels"),
        (b"[" * 1_000_000, "more than 500000 values"),
        (b"openapi: 3.0.0\npaths: [", "YAML is broken"),
        (b"openapi: 3.0.0\na: &a [*a]", "grows by its aliases"),
        (nested(9, "[x, x]", "[%s]"), "grows by its aliases"),
        (b"openapi: 3.0.0\na: " + b"[" * 100_000, "too deep|nesting depth"),
        (b"openapi: 3.0.0\n" + b"# comment\n" * 900_000, "too large"),
    ],
)
def test_what_is_no_document_is_told_apart(body: bytes, said: str) -> None:
    with pytest.raises(PublishedReferenceError, match=said) as caught:
        read_document(body)
    assert len(caught.value.message) < 500


def test_aliases_are_read_and_tags_do_nothing() -> None:
    assert read_document(nested(4, "[x, x]", "[%s]"))["a1"] == [["x", "x"]] * 9
    assert read_document(b"openapi: 3.0.0\na: !!python/object/apply:os.system ['true']")["a"] == ["true"]


@pytest.mark.full
@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.text().map(lambda text: f"openapi: 3.0.0\n{text}".encode()))
)
def test_any_bytes_are_a_document_or_a_typed_error(body: bytes) -> None:
    try:
        document = read_document(body)
    except PublishedReferenceError:
        return
    assert openapi_version(document)
    json.dumps(document)


def lookup(paths: dict[str, Any], **top: Any) -> Reference:
    return Reference("https://h/api/docs", {"openapi": "3.0.0", "paths": paths, **top})


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


# Operations that read contracts

LIST = "/api/reseller/contracts"


def document(*paths: str) -> dict[str, Any]:
    """An OpenAPI document with GET on each of these paths."""
    return {"openapi": "3.1.0", "paths": {path: {"get": {"responses": {}}} for path in paths}}


@pytest.mark.parametrize(
    ("described", "path", "parameter"),
    [
        (document("/reseller/contracts/{id}"), None, "id"),
        (document(f"{LIST}/", f"{LIST}/{{number}}/"), f"{LIST}/", "number"),
        (document(LIST + "{._format}", LIST + "/{uuid}{._format}"), LIST, "uuid"),
        # None of these reads contracts.
        (document("/api/contracts", f"{LIST}/{{id}}/renewals", f"{LIST}/export"), None, ""),
        ({"openapi": "3.1.0", "paths": {LIST: {"post": {"responses": {}}}}}, None, ""),
    ],
)
def test_operations_that_read_contracts_are_found(described: dict[str, Any], path: str | None, parameter: str) -> None:
    found = Reference("", described)
    assert (found.contracts_path, found.contract_parameter) == (path, parameter)
