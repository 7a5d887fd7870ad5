# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the client does with responses, which a transport of the tests gives it, and with the time of its own clocks."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    LostAnswerError,
    ServiceError,
    UnreachableError,
    UnreadableAnswerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import ACCEPT, Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.problems import service_error
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import (
    LARGEST,
    Answer,
    HttpRequest,
    RawAnswer,
    Transport,
    read_json,
)
from tests.support.clocks import HurriedClocks

KEY = "s3cret-key"
PRODUCTS = "/api/reseller/products"
CONTRACTS = "/api/reseller/contracts"
JSON = "application/json"
SERVICE = "https://portal.example.com"


def reply(status: int = 200, body: bytes = b"{}", flaw: str | None = None, **headers: str) -> RawAnswer:
    return RawAnswer(status, "", body, {name.replace("_", "-"): value for name, value in headers.items()}, flaw)


class GivenAnswers(Transport):
    """Gives these replies one after the other, and the last one for ever. Each takes so many ``seconds``."""

    def __init__(self, replies: tuple[RawAnswer | ServiceError, ...], seconds: float) -> None:
        self.replies, self.seconds = [*replies], seconds
        self.requests: list[HttpRequest] = []
        self.clocks = HurriedClocks(is_stopped=True)

    def send(self, request: HttpRequest) -> RawAnswer:
        self.requests.append(request)
        self.clocks.pass_(self.seconds)
        given = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(given, ServiceError):
            raise given
        return RawAnswer(given.status, request.url, given.body, given.headers, given.flaw)

    def close(self) -> None:
        pass


@contextlib.contextmanager
def given(
    *replies: RawAnswer | ServiceError, base_url: str = SERVICE, seconds: float = 0.0, key: str = KEY, **options: Any
) -> Iterator[tuple[GivenAnswers, Client]]:
    transport, config = GivenAnswers(replies, seconds), ServiceConfig(base_url, key, "4711", **options)
    with contextlib.closing(Client(config, transport=transport, clocks=transport.clocks)) as client:
        yield transport, client


# Headers


def test_both_headers_are_on_every_request() -> None:
    with given(reply(302, Location="/new"), reply()) as (service, client):
        client.get("/old")
        client.send_once("POST", CONTRACTS, b"{}", {"Content-Type": "application/ld+json"})
    own = {"X-API-Key": KEY, "X-Organization-ID": "4711"}
    assert [(request.method, request.url, request.body, request.headers) for request in service.requests] == [
        ("GET", f"{SERVICE}/old", None, {**own, "Accept": ACCEPT}),
        ("GET", f"{SERVICE}/new", None, {**own, "Accept": ACCEPT}),
        ("POST", f"{SERVICE}{CONTRACTS}", b"{}", {**own, "Content-Type": "application/ld+json"}),
    ]


# Reads that are tried again

CUT_OFF = reply(body=b'{"fi', flaw="it was cut off")
LOST, UNREACHABLE = LostAnswerError("The answer was lost."), UnreachableError("No connection.")


@pytest.mark.parametrize(
    ("replies", "timeout", "end", "waited"),
    [
        # What passes is tried again, and nothing else.
        *(
            ((passing, passing, reply()), 20.0, 200, [0.5, 1.0])
            for passing in (*map(reply, (429, 502, 503, 504)), CUT_OFF, LOST, UNREACHABLE)
        ),
        *(((reply(status),), 20.0, status, []) for status in (200, 304, 401, 404, 408, 425, 500, 501, 505)),
        # The last answer or failure counts.
        ((reply(429, Retry_After="soon"),), 20.0, 429, [0.5, 1.0, 2.0]),
        ((CUT_OFF,), 20.0, "answered 200 OK, but the body cannot be used: it was cut off", [0.5, 1.0, 2.0]),
        ((LOST,), 20.0, "was lost", [0.5, 1.0, 2.0]),
        # Nobody waits for an hour: the answer says when to come back.
        ((reply(429, Retry_After="60"),), 20.0, 429, [60.0]),
        ((reply(429, Retry_After="61"),), 20.0, 429, []),
        ((reply(429, Retry_After="25"),), 20.0, 429, [25.0, 25.0]),
        # Nor beyond the time of the read.
        ((reply(429, Retry_After="30"),), 2.0, 429, []),
    ],
)
def test_how_often_a_read_is_tried(
    replies: tuple[RawAnswer | ServiceError, ...], timeout: float, end: int | str, waited: list[float]
) -> None:
    with given(*replies, timeout=timeout) as (service, client):
        if isinstance(end, int):
            assert client.get(PRODUCTS).status == end
        else:
            with pytest.raises((LostAnswerError, UnreadableAnswerError), match=end):
                client.get(PRODUCTS)
    assert (service.clocks.slept, len(service.requests)) == (waited, len(waited) + 1)


def test_request_that_changes_something_is_sent_once_with_a_time_and_a_connection_of_its_own() -> None:
    with given(reply(503), timeout=0.3, order_timeout=0.2) as (service, client):
        assert client.get(PRODUCTS, retries=0).status == client.send_once("POST", CONTRACTS, b"{}", {}).status == 503
    assert [(request.timeout, request.is_alone) for request in service.requests] == [(0.3, False), (0.2, True)]


def test_redirects_and_pages_share_the_time_of_the_read() -> None:
    """Each answer takes 410 seconds: the third request has 80 of 900 seconds left, a fourth none."""
    with given(reply(302, Location="/moved"), reply(), seconds=410, timeout=90.0) as (service, client):
        with client.reading():
            assert client.get(PRODUCTS).ok
            assert client.get(PRODUCTS).ok
            with pytest.raises(ServiceError, match=r"longer than 900 seconds \(ten times timeout\)"):
                client.get(PRODUCTS)
        assert [request.timeout for request in service.requests] == [90.0, 90.0, 80.0]
        # The next read has its own time.
        assert client.get(PRODUCTS).ok


# Redirects


@pytest.mark.parametrize(
    "location", ["//other.example/api", f"{SERVICE}@other.example/api", "file:///etc/passwd", "http://[x"]
)
def test_no_redirect_leads_the_api_key_elsewhere(location: str) -> None:
    with given(reply(302, Location=location)) as (service, client):
        with pytest.raises(ServiceError, match="because the API key would be sent there") as caught:
            client.get(PRODUCTS)
        with pytest.raises(ServiceError, match=r"is not on the origin of base_url\. The API key is not sent there"):
            client.get("https://other.example/api")
    assert (caught.value.status, KEY in caught.value.message) == (302, False)
    assert len(service.requests) == 1


@pytest.mark.parametrize("port", ["", ":80", ":8080"])
def test_redirect_of_a_service_behind_a_tls_proxy_is_read_there(port: str) -> None:
    moved = reply(301, Location=f"http://portal.example.com{port}/api/reseller/products/?page=2")
    with given(moved, reply(), base_url=f"{SERVICE}:8443") as (service, client):
        assert client.get(PRODUCTS).ok
    own = f"{SERVICE}:8443{PRODUCTS}"
    assert [request.url for request in service.requests] == [own, f"{own}/?page=2"]


def test_redirects_in_a_circle_end() -> None:
    moved = reply(302, Location=PRODUCTS)
    with given(moved) as (service, client), pytest.raises(ServiceError, match="redirected more than 5 times"):
        client.get(PRODUCTS)
    assert len(service.requests) == 6


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("Mon, 21 Nov 2016 11:00:00 GMT", 0.0), ("Sat, 21 Nov 99999 11:00:00 GMT", None), ("-1", None), ("²", None)],
)
def test_how_long_an_answer_asks_to_wait(value: str, seconds: float | None) -> None:
    assert Answer(429, SERVICE, headers={"Retry-After": value}).retry_after() == seconds


# What a service repeats


def test_what_is_read_holds_no_api_key() -> None:
    key = "KyBegin/3f&Q é\\KyEnd"
    written = f"{'x' * 1985} {json.dumps(key)}"
    headers = {"X_Request_Id": quote(written, safe=" "), "Link": f'<?p={quote(written)}>; rel="next"'}
    body = json.dumps({"message": written, written: [written]}).encode()
    with given(reply(200, body, **headers), reply(500, written.encode(), **headers), key=key) as (_service, client):
        answers = [client.get(PRODUCTS, retries=0) for _reply in range(2)]
    for text in [*map(repr, answers), service_error(answers[1], "the request for its products").message]:
        assert "KyBeg" not in text
        assert "KyEnd" not in text


def test_key_that_is_a_plain_word_stays_in_what_is_used() -> None:
    body = {"name": "reseller", "id": "reseller-1"}
    rejected = reply(403, json.dumps({"message": "no reseller"}).encode())
    with given(reply(200, json.dumps(body).encode()), rejected, key="reseller") as (_service, client):
        assert read_json(client.get(PRODUCTS)) == body
        assert read_json(client.get(PRODUCTS)) == {"message": "no ********"}


# How much a read may get


def test_bound_counts_each_request_of_a_read() -> None:
    """Those that are tried again as well. What is read after it has no bound."""
    with given(reply(503)) as (service, client):
        with client.reading(10.0, 3), pytest.raises(ServiceError, match="takes too many requests"):
            client.get(PRODUCTS)
        assert len(service.requests) == 3
        assert client.get(PRODUCTS).status == 503
    assert len(service.requests) == 3 + 4


@pytest.mark.parametrize(
    ("status", "body", "most", "requests"),
    [
        (200, b" " * LARGEST, "64 MB", 9),
        # Tries count as well.
        (503, b" " * LARGEST, "64 MB", 9),
        (200, b"[" * 900_000, "2000000 values", 3),
        (200, b"," * 900_000, "2000000 values", 3),
        (200, b"{" * 900_000, "2000000 values", 3),
    ],
    ids=["bytes", "tries", "lists", "items", "objects"],
)
def test_bound_of_a_read_is_one_for_all_that_it_gets(status: int, body: bytes, most: str, requests: int) -> None:
    with given(reply(status, body), key="portals") as (service, client):

        def read() -> None:
            with client.reading():
                for _page in range(10):
                    client.get(PRODUCTS)

        with pytest.raises(ServiceError) as caught:
            read()
        assert caught.value.message == f"The read got more than {most}.\nIt ended at {client.url(PRODUCTS)}."
        assert len(service.requests) == requests
        # Another read begins anew.
        assert status == 503 or client.get(PRODUCTS).ok
