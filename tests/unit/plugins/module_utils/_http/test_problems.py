# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ServiceError, UnreadableAnswerError
from ansible_collections.hosting.reseller.plugins.module_utils._http.problems import service_error
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer, read_json
from tests.support.cases import cases
from tests.support.json_values import json_values

URL = "https://portal.example.com/api/reseller/contracts"


def answered(body: Any, status: int = 422, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, URL, content, {name.replace("_", "-"): value for name, value in headers.items()})


PAGE = (
    b"<!DOCTYPE html><html><head><title>\n Log in &amp; order </title></head><body><svg><title>x</title></svg></body>"
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answered(b" \r\n", 200), ["200", "empty body"]),
        (answered(PAGE, 200), ["HTML page", "base_url"]),
        (answered(b"<p>hm", 200, Content_Type="Text/HTML; charset=utf-8"), ["HTML page"]),
        (answered(b"<?xml version='1.0'?><a/>", 200), ["not valid JSON", "<?xml"]),
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
    ("body", "message"),
    [
        (b"Service says\x07 no\n", "Service says no"),
        (PAGE, None),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\xff\xff\xff", None),
    ],
)
def test_what_a_body_says_that_is_not_json(body: bytes, message: str | None) -> None:
    error = service_error(answered(body), "the order")
    assert error.results["service_message"] == message
    assert error.message.startswith(
        f"The service rejected the order (422 Unprocessable Entity){f': {message}.' if message else ', without'}"
    )


def violations_of(error: ServiceError) -> dict[str, str]:
    """Path to rules, joined by commas."""
    said: dict[str, str] = {}
    for each in error.results["violations"]:
        said[each["path"]] = ", ".join(filter(None, [said.get(each["path"]), each["rule"]]))
        assert each["source"] == "service"
    return said


@cases("errors")
def test_errors_of_services_are_read_without_their_internals(case: dict[str, Any]) -> None:
    settings = ["cpu_cores", "hostname", "ram", "ownercRef"]
    body = case["body"].encode() if isinstance(case["body"], str) else case["body"]
    answer = answered(body, case.get("status", 422), **case.get("headers", {}))
    error = service_error(answer, "the order", settings)
    assert (error.results["service_message"] or "") == case.get("message", "")
    assert violations_of(error) == case.get("violations", {})
    assert case.get("says", "") in error.message
    assert not re.search(r"/srv|/var|trace|\.php|\.js|Exception|\.java|s3cret", error.message)


@cases("fronts")
def test_proxy_or_firewall_is_told_from_the_service(case: dict[str, Any]) -> None:
    answer = Answer(case["status"], URL, case["body"].encode(), case["headers"])
    message = service_error(answer, "the order").message
    is_front = "A proxy or firewall" in message
    assert is_front == ("id" in case), message
    assert not is_front or ("HTTPS_PROXY" in message and case["id"] in message), message
    assert ("api_key" in message or "API key" in message) == case.get("key", False), message


@pytest.mark.parametrize(
    "text",
    [
        *("Not Found", "Unprocessable Entity", "An error occurred", "Validation failed", "Validation error"),
        *("Unprocessable Content", "Content Too Large", "Request Entity Too Large"),
    ],
)
def test_body_is_shown_where_its_message_says_no_more_than_the_status(text: str) -> None:
    shown = service_error(answered({"message": text, "reason_code": "E4"}), "the order").results["service_message"]
    assert shown == f'{{"message": "{text}", "reason_code": "E4"}}'


def test_page_of_open_brackets_is_read_at_once() -> None:
    assert "A proxy or firewall" in service_error(Answer(503, URL, b"<html>" + b"<" * 100_000), "the order").message


TOKEN = "https://login.example.com/?token=s3cret"


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (answered({"message": "No"}, 401), "api_key"),
        (answered({"message": "No"}, 403), "organization_id"),
        (answered({"message": "No"}, 404), "base_url"),
        (answered({"message": "No"}, 400), "Correct"),
        (answered({"message": "No"}, 429), "later"),
        (answered({"message": "No"}, 599), "operator"),
        (Answer(404, "https://a.example/api/api/reseller/products"), "Write it as https://a.example."),
        # What is cut off may end within a secret.
        (Answer(502, URL, b"The key s3cret", flaw="it was cut off"), "operator"),
        (answered(b"", 302, Location=TOKEN), "A redirect to https://login.example.com/ is not followed.\nSet base_url"),
        (answered(b"", 303, Location=TOKEN), "is not followed."),
    ],
)
def test_every_status_has_its_advice(answer: Answer, advice: str) -> None:
    error = service_error(answer, "the request for its products")
    assert error.status == answer.status
    assert str(answer.status) in error.message
    assert advice in error.message
    assert "Set base_url" not in error.message or answer.status != 303
    assert "s3cret" not in error.message


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Cf-Ray": "8f-FRA", "x-request-ID": "r-1"}, "r-1"),
        *(({name: "r-1"}, "r-1") for name in ("X-Amzn-RequestId", "Request-ID", "Correlation-ID", "Trace-ID")),
        ({"X-Request-Id": " "}, None),
    ],
)
def test_request_id(headers: dict[str, str], expected: str | None) -> None:
    error = service_error(Answer(500, URL, b'{"requestId": "r-2"}', headers), "the order")
    assert error.results["request_id"] == expected
    assert expected is None or expected in error.message


@pytest.mark.parametrize("text", ["x", " ", "\n", "\n a"])
def test_messages_are_bounded(text: str) -> None:
    """And are read at once: an expression that tries each way to split whitespace would take hours."""
    errors = {f"f{number}": [f"field {number:04} {text * 1500}"] for number in range(900)}
    body = {"message": f"m{text * 20_000}", "errors": errors}
    error = service_error(answered(body), "the order", ["cpu_cores", "hostname", "ram"])
    assert len(error.results["service_message"] or "") <= 2000
    assert len(error.results["violations"]) == 50
    assert all(len(each["rule"]) <= 2000 for each in error.results["violations"])


NAMES = "errors violations detail message title loc children settings source"
BODIES = json_values(NAMES, "/api/contracts/17", "http://[x", "a[b]")


@given(BODIES | st.binary(), st.integers(100, 999), st.sampled_from(["", "text/html", "application/json"]))
def test_any_body_gives_a_value_or_a_typed_error(body: Any, status: int, media_type: str) -> None:
    answer = answered(body, status, Content_Type=media_type)
    json.dumps(service_error(answer, "the order").results, allow_nan=False)
    with contextlib.suppress(UnreadableAnswerError):
        read_json(answer)
