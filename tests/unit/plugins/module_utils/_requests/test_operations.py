# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is refused in a request before it is sent, what its answer proves, and what a read shows otherwise."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import Delivery, Pace, send
from ansible_collections.hosting.reseller.plugins.module_utils._requests.operation_call import (
    OperationCall,
    accepted_statuses,
    checked_path,
    differing,
    is_order_path,
    operation_call,
    shown_object,
)
from ansible_collections.hosting.reseller.plugins.module_utils._requests.operation_sender import OperationSender

CONFIG = ServiceConfig("https://portal.example.com", "test-key-7f3c9a1e", "4200")


def call(**options: Any) -> OperationCall:
    given = {"method": "GET", "path": "/api/x", "status_code": ["2xx"], "secrets": [], **options}
    return operation_call(given, CONFIG, set())


@pytest.mark.parametrize(
    "path",
    [
        *("/api/x?a=1", "/api/x?", "https://portal.example.com/api/x", "https:/api/x", "//evil.example/api/x", "api/x"),
        *("", "\\api\\x", "/", "/api//x", "/api/x//", "/api/./x", "/api/../x", "/api/..", "/api/ .. /x"),
        *("/api/..%20/x", "/api/%20/x/%20..", "/api/{id}", "/api/x;v=1", "/api/x#top", "/api/a\\b", "/api/x\n"),
        *("/api/\u202ex", "/api/%C2%85", "/api/%", "/api/%4"),
        *(f"/api/{text}" for text in ("%63ontracts", "%43", "%7A", "%5a", "%30", "%2D", "%5F", "%7e", "%2e%2E")),
        # No UTF-8: a full stop, a slash, half of a character.
        *(f"/api/{text}" for text in ("%C0%AE%C0%AE", "a%C0%AFb", "%C3", "%FF")),
        *(f"/api/{text}" for text in ("a%2Fb", "a%2fb", "a%5Cb", "%3B", "%3F", "%23", "%25")),
        *(f"/api/{text}" for text in ("%2563ontracts", "%7Bid%7D", "%00", "%0a", "%7F")),
    ],
)
def test_path_is_refused_in_each_spelling_that_may_lead_elsewhere(path: str) -> None:
    with pytest.raises(ConfigurationError, match=r"Nothing was sent"):
        checked_path(path)


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/api/reseller/ssh-keys/41", "/api/reseller/ssh-keys/41"),
        ("/api/x/", "/api/x/"),
        ("/api/a.b/c..d/~e_f", "/api/a.b/c..d/~e_f"),
        ("/api/two words/ü", "/api/two%20words/%C3%BC"),
        ("/api/two%20words/%C3%BC%40", "/api/two%20words/%C3%BC%40"),
        ("/api/a@b:c,(d)='e'", "/api/a@b:c,(d)='e'"),
    ],
)
def test_other_paths_are_sent_as_they_are_written(path: str, sent: str) -> None:
    assert checked_path(path) == sent
    assert call(path=path).url == f"https://portal.example.com{sent}"


@pytest.mark.parametrize(
    ("base_url", "path"),
    [
        ("https://h", "/api/reseller/contracts"),
        ("https://h", "/api/reseller/contracts/"),
        ("https://h", "/API/Reseller/Contracts"),
        ("https://h", "/api/reseller/contract\u017f"),
        ("https://h", "/api/reseller/contracts.json"),
        ("https://h", "/api/reseller/contracts%20"),
        ("https://h", "/api/reseller%09/contracts"),
        ("https://h/portal", "/api/reseller/contracts"),
        ("https://h/api", "/reseller/contracts"),
        ("https://h/api/Reseller", "/contracts"),
        # Where an OpenAPI document may have it: without /api, or behind a server of its own.
        ("https://h", "/reseller/contracts"),
        ("https://h", "/v2/api/reseller/contracts"),
    ],
)
def test_post_to_the_path_of_orders_is_refused_in_whatever_spelling(base_url: str, path: str) -> None:
    assert is_order_path(base_url, path)
    given = {"method": "POST", "path": path, "status_code": ["2xx"], "secrets": []}
    with pytest.raises(ConfigurationError):
        operation_call(given, ServiceConfig(base_url, "test-key-7f3c9a1e", "4200"), set())


@pytest.mark.parametrize("path", ["/api/reseller/contracts/7/cancel", "/api/contracts", "/api/reseller/contracts-old"])
def test_other_paths_are_not_that_of_orders(path: str) -> None:
    assert call(method="POST", path=path).method == "POST"
    assert call(method="GET", path="/api/reseller/contracts").path == "/api/reseller/contracts"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({}, ""),
        ({"a": 1, "b": True, "c": None, "d": "ü &"}, "?a=1&b=true&d=%C3%BC%20%26"),
        ({"ids": [1, 2], "filter[status]": "active"}, "?ids=1&ids=2&filter[status]=active"),
    ],
)
def test_query_is_encoded(query: dict[str, Any], text: str) -> None:
    assert call(query=query).url == f"https://portal.example.com/api/x{text}"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": {"x": {"a": 1}}}, "is not a string, number, boolean"),
        ({"query": {"x": [[1]]}}, "is not a string, number, boolean"),
        ({"method": "PUT", "body": {"x": float("nan")}}, "body cannot be written as JSON"),
        *(({"status_code": [wrong]}, "is not a status") for wrong in ("4xx", "99", "600", "ok", "20")),
    ],
)
def test_request_that_cannot_be_meant_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        call(**options)


def test_statuses_are_numbers_and_2xx() -> None:
    assert accepted_statuses(["2XX", "404"]) == {*range(200, 300), 404}


# Answers


@pytest.mark.parametrize("name", ["", "reset"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    ("status", "body", "flaw", "outcome"),
    [
        (200, b'{"message": "Done"}', None, "ordered"),
        (204, b"", None, "ordered"),
        (201, b"No JSON", None, "ordered"),
        *((status, b'{"success": false}', None, "in_doubt") for status in (200, 201, 202)),
        *((status, b"<!doctype html><title>Log in", None, "in_doubt") for status in (200, 201, 202, 204)),
        (200, b"<!doctype html><title>Log", "it was cut off", "in_doubt"),
        # It may have been done: what is whole says no other.
        *((status, b'{"done": tr', "it was cut off", "ordered") for status in (200, 201)),
        (422, b'{"message": "No"}', None, "rejected"),
        (500, b'{"message": "No"}', None, "in_doubt"),
    ],
)
def test_success_with_a_word_of_failure_or_a_page_is_none(
    name: str, method: str, status: int, body: bytes, flaw: str | None, outcome: str
) -> None:
    """Of a named request, what was sent is never released, whatever its method is."""
    answer = Answer(status, CONFIG.base_url, body, {"Content-Type": "application/json"} if b"{" in body else {}, flaw)
    client: Any = SimpleNamespace(config=CONFIG, send_once=lambda *_request: answer)
    delivery = Delivery(name)
    send(delivery, OperationSender(client, call(method=method), None, {}).message(name), Pace())
    assert delivery.outcome.status == outcome
    said = delivery.outcome.warning or delivery.outcome.reason
    assert bool(said) is (outcome != "ordered" or flaw is not None)


# What a read shows


@pytest.mark.parametrize(
    ("requested", "shown", "found"),
    [
        ({"label": "a"}, {"label": "a", "changed_by": "api"}, None),
        ({"label": "a"}, {"label": "b"}, ({"label": "b"}, {"label": "a"})),
        # What is not shown differs, also from null.
        ({"password": "x"}, {"label": "b"}, ({}, {"password": "x"})),
        ({"comment": None}, {}, ({}, {"comment": None})),
        ({"comment": None}, {"comment": None}, None),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3, "d": 4}}, ({"a": {"c": 3}}, {"a": {"c": 2}})),
        ({"on": True}, {"on": 1}, ({"on": 1}, {"on": True})),
        ({"size": 4}, {"size": "4"}, ({"size": "4"}, {"size": 4})),
        ({"size": 10}, {"size": 10.0}, None),
        ({"ids": [1, 2]}, {"ids": [2, 1]}, ({"ids": [2, 1]}, {"ids": [1, 2]})),
        ({"a": {"b": 1}}, {"a": None}, ({"a": None}, {"a": {"b": 1}})),
        ([1], [1], None),
        ("text", None, (None, "text")),
    ],
)
def test_requested_elements_are_compared(requested: Any, shown: Any, found: Any) -> None:
    assert differing(requested, shown) == found


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({"label": "a"}, {"label": "a"}),
        ({"data": {"label": "a"}, "meta": {"page": 1}}, {"label": "a"}),
        ({"data": {"name": "a"}}, {"data": {"name": "a"}}),
        ({"old": {"label": "a"}, "new": {"label": "b"}}, {"old": {"label": "a"}, "new": {"label": "b"}}),
        ([1], [1]),
    ],
)
def test_envelope_around_requested_elements_is_opened(body: Any, shown: Any) -> None:
    assert shown_object(body, {"label": "x"}) == shown
