# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests as they go over the wire, in all versions of OpenAPI, and values compared."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ViolationsError
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._operations.comparing import differences
from ansible_collections.hosting.reseller.plugins.module_utils._operations.requests import Preparer
from ansible_collections.hosting.reseller.plugins.module_utils._operations.writing import (
    UnwritableError,
    written_body,
    written_parameter,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.reference import Reference
from ansible_collections.hosting.reseller.plugins.module_utils._reference.request_parts import Parameter

LIST, MAPPING = ["a b", "c/d"], {"x": 1, "y": "ü"}


@pytest.mark.parametrize(
    ("place", "explode", "value", "expected"),
    [
        ("path", False, "a/b ü", "a%2Fb%20%C3%BC"),
        ("path", False, "..a", "..a"),
        ("path", False, True, "true"),
        ("path", False, LIST, "a%20b,c%2Fd"),
        ("query", True, LIST, "p=a%20b&p=c%2Fd"),
        ("query", False, LIST, "p=a%20b,c%2Fd"),
        ("query", True, MAPPING, "x=1&y=%C3%BC"),
        ("header", False, LIST, "a b,c/d"),
        *(("path", False, wrong, None) for wrong in ("", " ", "..", None, [], ["a", ""], MAPPING)),
        *(("header", False, wrong, None) for wrong in ("a\nb", " a", "€", MAPPING)),
        ("query", False, MAPPING, None),
    ],
)
def test_parameter_is_written_in_its_default_style(place: Any, explode: bool, value: Any, expected: str | None) -> None:
    """A path parameter stays one step, and never names another thing."""
    parameter = Parameter("p", place, explode=explode)
    if expected is not None:
        assert written_parameter(parameter, value) == expected
        return
    with pytest.raises(UnwritableError):
        written_parameter(parameter, value)


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
    ],
)
def test_body_that_its_media_type_cannot_carry_is_refused(media_type: str, body: Any, files: Any, told: str) -> None:
    with pytest.raises(UnwritableError, match=told):
        written_body(media_type, body, files)


@pytest.mark.parametrize(
    ("given", "shown", "subset", "exact"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, 0, 1),
        ({"a": "1", "b": True}, {"a": 1, "b": "true"}, 0, 0),
        ({"a": None}, {}, 0, 0),
        ({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}, 1, 2),
        ({"a": [1, 2]}, {"a": [2, 1]}, 2, 2),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, 0, 1),
        ({"a": 1}, None, 1, 1),
    ],
)
def test_what_is_given_is_compared(given: Any, shown: Any, subset: int, exact: int) -> None:
    assert len(list(differences(given, shown))) == subset
    assert len(list(differences(given, shown, "exact"))) == exact


def keys(version: str) -> dict[str, Any]:
    """A reference with one operation that replaces a key, as a version of OpenAPI writes it."""
    text, old = {"type": "string"}, version == "2.0"
    key = {"type": "object", "required": ["label"], "properties": {"label": text, "bits": {"type": "integer"}}}
    several = {"type": "array", "items": text}
    described = {"id": ("path", {"type": "integer"}), "tags": ("query", several), "X-Trace": ("header", text)}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": place, "required": place == "path", **(schema if old else {"schema": schema})}
        for name, (place, schema) in described.items()
    ]
    operation: dict[str, Any] = {"parameters": parameters}
    if old:
        parameters[1]["collectionFormat"] = "multi"
        parameters.append({"name": "key", "in": "body", "required": True, "schema": key})
    else:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": key}}}
    return {"swagger" if old else "openapi": version, "paths": {"/api/reseller/keys/{id}": {"put": operation}}}


@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0"])
def test_same_task_makes_the_same_request_for_every_version(version: str) -> None:
    reference = Reference("https://h/api/docs", keys(version), (), "https://h")
    given = {
        "operation": "PUT /api/reseller/keys/{id}",
        "path_parameters": {"id": "1"},
        "query": {"tags": ["x y", 7]},
        "headers": {"X-Trace": "t-1"},
        "body": {"label": "ü", "bits": "4096"},
    }
    client = Client(ServiceConfig("https://h", "key-0123456789", "42"))
    preparer = Preparer(client, lambda: reference, lambda: False, [], set())
    made = preparer.prepare(given, ["PUT"])
    assert made.url == "https://h/api/reseller/keys/1?tags=x%20y&tags=7"
    assert made.headers == {"X-Trace": "t-1", "Content-Type": "application/json"}
    assert made.content == '{"label": "ü", "bits": 4096}'.encode()
    for wrong, rule in (({"id": "one"}, "path_parameters.id: an integer"), ({}, "path_parameters.id: required")):
        with pytest.raises(ViolationsError, match=rule):
            preparer.prepare({**given, "path_parameters": wrong}, ["PUT"])
