# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import UnreadableAnswerError
from ansible_collections.hosting.reseller.plugins.module_utils._http.answers import read_json, service_error
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Answer

URL = "https://portal.example.com/api/reseller/contracts"


def answered(body: Any, status: int = 422, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, URL, content, {name.replace("_", "-"): value for name, value in headers.items()})


def test_read_json() -> None:
    assert read_json(answered([1], 200, Content_Type="text/html")) == [1]


PAGE = (
    b"<!DOCTYPE html><html><head><title>\n Log in &amp; order </title></head><body><svg><title>x</title></svg></body>"
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answered(b"", 204), ["204", "empty body"]),
        (answered(b" \r\n", 200), ["empty body"]),
        (answered(PAGE, 200), ["HTML page", "base_url"]),
        (answered(b"<p>hm", 200, Content_Type="text/html; charset=utf-8"), ["HTML page"]),
        (answered(b"<?xml version='1.0'?><a/>", 200), ["not valid JSON", "<?xml"]),
        (answered(b'{"id": 1', 200), ["not valid JSON", '{"id": 1']),
        (answered(b"\x1b[2Jcreated\x00", 200), ["not valid JSON", "[2Jcreated"]),
        (Answer(200, URL, b'{"id"', flaw="it was cut off"), ["cut off"]),
    ],
)
def test_unreadable_bodies_are_told_apart(answer: Answer, words: list[str]) -> None:
    with pytest.raises(UnreadableAnswerError) as caught:
        read_json(answer)
    assert caught.value.status == answer.status
    assert all(word in caught.value.message for word in words)
    assert all(line.isprintable() for line in caught.value.message.split("\n"))


@pytest.mark.parametrize(
    ("body", "message", "violations"),
    [
        pytest.param(
            {
                "type": "/validation_errors/1",
                "title": "An error occurred",
                "detail": "settings[hostname]: This is no hostname.",
                "violations": [{"propertyPath": "settings[hostname]", "message": "This is no hostname.", "code": "1"}],
            },
            "",
            {"settings.hostname": "This is no hostname."},
            id="API Platform",
        ),
        pytest.param(
            {"@type": "hydra:Error", "hydra:title": "An error occurred", "hydra:description": "No such product."},
            "No such product.",
            {},
            id="Hydra",
        ),
        pytest.param(
            {
                "message": "The given data was invalid.",
                "errors": {"settings.ram": ["too much", "odd"], "product": ["?"]},
            },
            "The given data was invalid.",
            {"settings.ram": "too much, odd", "product": "?"},
            id="Laravel",
        ),
        pytest.param(
            {
                "detail": [
                    {"loc": ["body", "settings", "ram"], "msg": "too much", "input": "s3cret"}
                    | {"ctx": {"le": "what is too much"}},
                    {"loc": ["body"], "msg": "odd", "type": "value_error"},
                ]
            },
            "odd",
            {"settings.ram": "too much"},
            id="FastAPI list",
        ),
        pytest.param(
            {"error": {"code": "E4", "message": "Invalid", "fields": {"cpu_cores": "too many"}}},
            "Invalid",
            {"settings.cpu_cores": "too many"},
            id="error object with fields",
        ),
        pytest.param(
            {
                "errors": [
                    {
                        "status": "422",
                        "title": "Invalid",
                        "detail": "odd",
                        "source": {"pointer": "/data/attributes/settings/hostname"},
                    }
                ]
            },
            "",
            {"settings.hostname": "odd"},
            id="JSON:API",
        ),
        pytest.param(
            {"errors": {"errors": ["Odd form."], "children": {"settings": {"children": {"ram": {"errors": ["odd"]}}}}}},
            "Odd form.",
            {"settings.ram": "odd"},
            id="Symfony form",
        ),
        pytest.param(
            {"settings": {"ram": ["odd"]}, "non_field_errors": ["Even."]}, "Even.", {"settings.ram": "odd"}, id="Django"
        ),
        pytest.param({"errors": {"colour": ["odd"]}}, "", {"colour": "odd"}, id="no documented setting"),
        pytest.param(
            {
                "success": False,
                "error": {
                    "name": "ZodError",
                    "message": json.dumps([{"path": ["settings", "ram"], "message": "Too big"}]),
                },
            },
            "",
            {"settings.ram": "Too big"},
            id="zod 4",
        ),
        pytest.param(
            {
                "detail": "forUser: No such user.\nx: Odd one.",
                "violations": [
                    {"propertyPath": "forUser", "message": "No such user."},
                    {"propertyPath": "x", "message": "Odd one."},
                ],
            },
            "",
            {"forUser": "No such user.", "x": "Odd one."},
            id="joined violations of elements",
        ),
        pytest.param(
            {
                "message": "The order is in the way.",
                "sent": {"settings": {"hostname": "web01", "template": "debian-12"}},
            },
            "The order is in the way.",
            {},
            id="what was sent",
        ),
        pytest.param(
            {"message": ["settings.ram must not be greater than 4", "Order twice"], "error": "Bad Request"},
            "Order twice",
            {"settings.ram": "settings.ram must not be greater than 4"},
            id="NestJS",
        ),
        pytest.param(
            [{"property": "settings", "children": [{"property": "ram", "constraints": {"max": "ram is too large"}}]}],
            "",
            {"settings.ram": "ram is too large"},
            id="class-validator",
        ),
        pytest.param(
            {
                "error": "Bad Request",
                "path": "/api/reseller/contracts",
                "message": "Validation failed for object='order'",
                "errors": [
                    {"codes": ["Max.ram"], "defaultMessage": "is too much", "field": "settings.ram", "code": "Max"}
                ],
            },
            "Validation failed for object='order'",
            {"settings.ram": "is too much"},
            id="Spring",
        ),
        pytest.param(
            {"errors": [], "properties": {"settings": {"errors": [], "properties": {"ram": {"errors": ["Too big"]}}}}},
            "",
            {"settings.ram": "Too big"},
            id="zod tree",
        ),
        pytest.param(
            {"code": "FST_ERR_VALIDATION", "error": "Bad Request", "message": "body/settings/ram must be <= 4"},
            "",
            {"settings.ram": "body/settings/ram must be <= 4"},
            id="Fastify",
        ),
        pytest.param(
            {"errors": {"settings[ram]": "Too big.", "[settings][hostname]": ["Odd."]}},
            "",
            {"settings.ram": "Too big.", "settings.hostname": "Odd."},
            id="paths in brackets",
        ),
        pytest.param(
            {"errors": [{"field": "ram", "code": "E_TOO_BIG", "message": "TOO_BIG"}]},
            '{"errors": [{"field": "ram", "code": "E_TOO_BIG", "message": "TOO_BIG"}]}',
            {},
            id="codes alone",
        ),
        pytest.param({"status": "fail", "code": "E42"}, '{"status": "fail", "code": "E42"}', {}, id="something else"),
        pytest.param(b"Service says\x07 no\n", "Service says no", {}, id="plain text"),
        pytest.param(PAGE, None, {}, id="HTML"),
        pytest.param(b"", None, {}, id="empty"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00\xff\xff\xff", None, {}, id="no text"),
    ],
)
def test_error_shapes(body: Any, message: str | None, violations: dict[str, str]) -> None:
    error = service_error(answered(body), "the order", ["cpu_cores", "hostname", "ram"])
    said: dict[str, str] = {}
    for violation in error.violations:
        said[violation.path] = ", ".join(filter(None, [said.get(violation.path), violation.rule]))
        assert violation.source == "service"
    assert said == violations
    assert error.service_message == (message or None)
    assert error.message.startswith("The service rejected the order (422 ")
    assert all(text in error.message for text in [message or "", *violations])
    assert "s3cret" not in error.message


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "api_key"),
        (403, "organization_id"),
        (404, "base_url"),
        (400, "Correct"),
        (422, "Correct"),
        (429, "later"),
        (500, "operator"),
        (599, "operator"),
    ],
)
def test_every_status_has_its_advice(status: int, advice: str) -> None:
    error = service_error(answered({"message": "No"}, status), "the request for its products")
    assert error.status == status
    assert str(status) in error.message
    assert advice in error.message


def test_an_address_with_api_twice_is_corrected() -> None:
    twice = Answer(404, "https://portal.example.com/api/api/reseller/products")
    assert "Write it as https://portal.example.com." in service_error(twice, "the request for its products").message


def test_a_redirect_is_told_without_its_query() -> None:
    error = service_error(answered(b"", 302, Location="https://login.example.com/?token=s3cret"), "the order")
    assert "https://login.example.com/" in error.message
    assert "s3cret" not in error.message


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"Cf-Ray": "8f-FRA", "x-request-ID": "r-1"}, {}, "r-1"),
        ({"X-Amzn-RequestId": "r-1"}, {"requestId": "r-2"}, "r-1"),
        ({"X-Request-Id": " "}, {"error": {"trace_id": "r-1", "message": "x"}}, "r-1"),
        ({}, {"message": "x", "request_id": 7}, None),
    ],
)
def test_request_id(headers: dict[str, str], body: Any, expected: str | None) -> None:
    error = service_error(Answer(500, URL, json.dumps(body).encode(), headers), "the order")
    assert error.request_id == expected
    assert expected is None or expected in error.message


def test_messages_are_bounded() -> None:
    body = {"message": "x" * 10_000, "errors": {f"f{number}": ["y" * 9000] for number in range(900)}}
    error = service_error(answered(body), "the order", ["cpu_cores", "hostname", "ram"])
    assert len(error.service_message or "") <= 2000
    assert len(error.violations) == 50
    assert all(len(violation.rule) <= 2000 for violation in error.violations)


NAMES = st.sampled_from(["errors", "violations", "detail", "message", "title", "loc", "children", "settings", "source"])
BODIES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["/api/contracts/17", "http://[x", "a[b]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=5),
    max_leaves=25,
)


@given(BODIES)
def test_any_body_gives_an_error(body: Any) -> None:
    error = service_error(answered(body), "the order")
    json.dumps(error.results, allow_nan=False)


@given(st.binary(), st.integers(100, 999), st.sampled_from(["", "text/html", "application/json"]))
def test_any_bytes_give_a_value_or_a_typed_error(body: bytes, status: int, media_type: str) -> None:
    answer = answered(body, status, Content_Type=media_type)
    service_error(answer, "the order")
    with contextlib.suppress(UnreadableAnswerError):
        read_json(answer)


@pytest.mark.parametrize("depth", [90, 5000])
def test_deep_bodies_are_survived(depth: int) -> None:
    body = b'[{"errors": ' * (depth // 2) + b'"x"' + b"}]" * (depth // 2)
    assert service_error(answered(body), "the order").status == 422
