# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parameters and bodies as they go over the wire, and where an operation is."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._operations.comparing import differences
from ansible_collections.hosting.reseller.plugins.module_utils._operations.writing import (
    UnwritableError,
    path_value,
    query_value,
    written_body,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.operation_lookup import (
    OperationLookup,
    OrderRefusedError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.reference import Reference
from ansible_collections.hosting.reseller.plugins.module_utils._reference.request_parts import Parameter

LIST, MAPPING = ["a b", "c/d"], {"x": 1, "y": "ü"}


@pytest.mark.parametrize(
    ("explode", "value", "expected"),
    [
        (False, "a/b ü", "a%2Fb%20%C3%BC"),
        (False, "..a", "..a"),
        (False, 5, "5"),
        (False, True, "true"),
        (False, LIST, "a%20b,c%2Fd"),
        (False, MAPPING, "x,1,y,%C3%BC"),
        (True, MAPPING, "x%3D1,y%3D%C3%BC"),
    ],
)
def test_path_parameter_stays_one_step(explode: bool, value: Any, expected: str) -> None:
    assert path_value(Parameter("p", "path", explode=explode), value) == expected


@pytest.mark.parametrize("value", ["", " ", ".", "..", "...", None, [], ["a", ""]])
def test_path_parameter_that_would_name_another_thing_is_refused(value: Any) -> None:
    with pytest.raises(UnwritableError):
        path_value(Parameter("p", "path"), value)


@pytest.mark.parametrize(
    ("explode", "value", "expected"),
    [
        (True, "a&b=c", "p=a%26b%3Dc"),
        (True, LIST, "p=a%20b&p=c%2Fd"),
        (False, LIST, "p=a%20b,c%2Fd"),
        (True, MAPPING, "x=1&y=%C3%BC"),
        (False, MAPPING, "p=x,1,y,%C3%BC"),
    ],
)
def test_query_parameter_is_written_in_the_style_form(explode: bool, value: Any, expected: str) -> None:
    assert query_value(Parameter("p", "query", explode=explode), value) == expected


def test_body_is_written_in_its_media_type() -> None:
    for media_type in ("application/json", "application/merge-patch+json", "application/vnd.api+json"):
        assert written_body(media_type, {"a": "ü"}, {}) == ('{"a": "ü"}'.encode(), media_type)
    form, media_type = written_body("multipart/form-data", {"a": [1, True]}, {"f": ('n"1', b"\0\1")})
    assert media_type.startswith("multipart/form-data; boundary=")
    assert b'name="f"; filename="n%221"\r\nContent-Type: application/octet-stream\r\n\r\n\0\1\r\n' in form
    assert [form.count(part) for part in (b'name="a"', b"\r\n1\r\n", b"\r\ntrue\r\n")] == [2, 1, 1]


@pytest.mark.parametrize(
    ("media_type", "body", "files", "told"),
    [
        ("application/json", {"a": float("nan")}, {}, "what JSON can carry"),
        ("application/json", {}, {"f": ("n", b"")}, "without files"),
        ("multipart/form-data", "text", {}, "a mapping"),
        ("application/xml", "<a/>", {}, "ansible.builtin.uri"),
        ("application/x-www-form-urlencoded", {"a": 1}, {}, "ansible.builtin.uri"),
        ("application/octet-stream", None, {"f": ("n", b"")}, "ansible.builtin.uri"),
    ],
)
def test_body_that_its_media_type_cannot_carry_is_refused(media_type: str, body: Any, files: Any, told: str) -> None:
    with pytest.raises(UnwritableError, match=told):
        written_body(media_type, body, files)


def reference(servers: Any, prefix: str = "", **more: Any) -> dict[str, Any]:
    paths = {f"{prefix}/reseller/contracts": {"post": {"operationId": "order"}}, f"{prefix}/reseller/x": {"get": {}}}
    return {"openapi": "3.0.0", "servers": servers, "paths": paths, **more}


@pytest.mark.parametrize(
    ("document", "base_url", "found"),
    [
        (reference([], "/api"), "https://h", "/api/reseller/x"),
        (reference([{"url": "/"}], "/api"), "https://h", "/api/reseller/x"),
        (reference([{"url": "/api"}]), "https://h", "/api/reseller/x"),
        (reference([{"url": "https://h/api"}]), "https://h", "/api/reseller/x"),
        (reference([{"url": "/portal"}], "/api"), "https://h/portal", "/api/reseller/x"),
        (reference([{"url": "/"}], "/api"), "https://h/portal", "/api/reseller/x"),
        (
            reference([{"url": "/v1/{tenant}", "variables": {"tenant": {"default": "t"}}}], "/api"),
            "https://h",
            "/api/reseller/x",
        ),
        (reference([{"url": "http://inner:8000/app"}], "/api"), "https://h", "/api/reseller/x"),
        (reference([]), "https://h", "/api/reseller/x"),
        (
            {"swagger": "2.0", "basePath": "/api", "host": "inner", "paths": reference([])["paths"]},
            "https://h",
            "/api/reseller/x",
        ),
    ],
)
def test_operation_is_below_base_url_wherever_the_reference_says(
    document: dict[str, Any], base_url: str, found: str
) -> None:
    lookup = OperationLookup(Reference(f"{base_url}/api/docs", document), base_url)
    assert lookup.find(f"GET {found}")[0].path == found
    with pytest.raises(OrderRefusedError):
        lookup.find("order")


def test_operation_id_of_several_operations_is_refused() -> None:
    document = reference([], "/api")
    document["paths"]["/api/reseller/y"] = {"get": {"operationId": "twice"}, "put": {"operationId": "twice"}}
    with pytest.raises(ConfigurationError, match="2 published operations are called 'twice'"):
        OperationLookup(Reference("https://h/api/docs", document), "https://h").find("twice")


@pytest.mark.parametrize(
    ("given", "shown", "subset", "exact"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, 0, 1),
        ({"a": "1"}, {"a": 1}, 0, 0),
        ({"a": True}, {"a": "true"}, 0, 0),
        ({"a": None}, {}, 0, 0),
        ({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}, 1, 2),
        ({"a": [1, 2]}, {"a": [2, 1]}, 2, 2),
        ({"a": [1]}, {"a": [1, 2]}, 1, 1),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, 0, 1),
        ({"a": 1}, None, 1, 1),
    ],
)
def test_what_is_given_is_compared(given: Any, shown: Any, subset: int, exact: int) -> None:
    assert len(list(differences(given, shown))) == subset
    assert len(list(differences(given, shown, "exact"))) == exact
