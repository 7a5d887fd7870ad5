# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core.clocks import Clocks
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    LargeReadError,
    LostAnswerError,
    ServiceError,
    UnreadableAnswerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client, accept_header
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
from playbooks.files.simulator.http_server import (
    Peer,
    Received,
    Reply,
    ScriptedServer,
    SocketServer,
    after_the_request,
    dripping,
)
from tests.support.clocks import HurriedClocks

KEY = "s3cret-key"
PRODUCTS = "/api/reseller/products"
CONTRACTS = "/api/reseller/contracts"
JSON = "application/json"


@contextlib.contextmanager
def client_of(
    base_url: str,
    *,
    timeout: float = 20.0,
    api_key: str = KEY,
    transport: Transport | None = None,
    clocks: Clocks | None = None,
    **options: Any,
) -> Iterator[Client]:
    config = ServiceConfig(base_url, api_key, "4711", timeout=timeout, **options)
    with contextlib.closing(Client(config, transport=transport, clocks=clocks or HurriedClocks())) as client:
        yield client


class GivenAnswers(Transport):
    """Answers with the status, headers and body of ``replies``, one after the other, and the last one for ever.

    Each takes so many ``seconds`` by the clocks.
    """

    def __init__(self, *replies: tuple[int, dict[str, str], bytes], seconds: float = 0.0) -> None:
        self.replies, self.seconds = [*replies], seconds
        self.requests: list[HttpRequest] = []
        self.clocks = HurriedClocks(is_stopped=True)

    def send(self, request: HttpRequest) -> RawAnswer:
        self.requests.append(request)
        self.clocks.pass_(self.seconds)
        status, headers, body = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return RawAnswer(status, request.url, body, headers)

    def close(self) -> None:
        pass


@contextlib.contextmanager
def given(
    *replies: tuple[int, dict[str, str], bytes],
    base_url: str = "https://portal.example.com",
    seconds: float = 0.0,
    **options: Any,
) -> Iterator[tuple[GivenAnswers, Client]]:
    """Answers without a network, and their client."""
    transport = GivenAnswers(*replies, seconds=seconds)
    with client_of(base_url, transport=transport, clocks=transport.clocks, **options) as client:
        yield transport, client


def in_turn(*replies: Reply) -> Callable[[Received], Reply]:
    """A script that gives these answers one after another, and the last one for ever."""
    left = list(replies)
    return lambda _request: left.pop(0) if len(left) > 1 else left[0]


FINE = Reply({"fine": True})


@contextlib.contextmanager
def talking(script: Reply | Callable[[Received], Reply] | SocketServer, **options: Any) -> Iterator[tuple[Any, Client]]:
    """A server that follows a script, or always gives one answer, and its client."""
    served: Any = script
    if not isinstance(script, SocketServer):
        served = ScriptedServer((lambda _request: script) if isinstance(script, Reply) else script)
    with served as server, client_of(server.url, **options) as client:
        yield server, client


# Headers


def test_both_headers_are_on_every_request_and_the_version_of_the_collection() -> None:
    galaxy = yaml.safe_load((Path(__file__).parents[5] / "galaxy.yml").read_text(encoding="utf-8"))
    replies = in_turn(Reply(status=302, headers={"Location": "/new"}), FINE)
    with talking(replies) as (server, client):
        client.get("/old")
        client.send_once("POST", CONTRACTS, b"{}", {"Content-Type": "application/ld+json"})
    assert [request.path for request in server.requests] == ["/old", "/new", CONTRACTS]
    for request in server.requests:
        assert request.headers.get_all("X-API-Key") == [KEY]
        assert request.headers.get_all("X-Organization-ID") == ["4711"]
        assert request.headers["User-Agent"].split()[0] == f"hosting.reseller/{galaxy['version']}"
    assert (server.requests[0].headers["Accept"], server.requests[0].headers["Content-Type"]) == (accept_header(), None)
    assert server.requests[-1].headers["Content-Type"] == "application/ld+json"


def test_published_types_are_accepted_first() -> None:
    usual = "application/ld+json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"
    assert accept_header() == f"{JSON};q=0.9, {usual}"
    assert accept_header((JSON,)) == f"{JSON}, {usual}"
    assert accept_header(("application/ld+json", "text/json")) == (
        "application/ld+json, text/json, application/json;q=0.9, application/problem+json;q=0.7, */*;q=0.1"
    )


# Reads that are tried again


AGAIN = (429, 502, 503, 504)


@pytest.mark.parametrize("status", [*AGAIN, 200, 304, 401, 404, 408, 425, 500, 501, 505])
def test_read_is_tried_again_after_a_passing_failure_alone(status: int) -> None:
    with given((status, {}, b""), (status, {}, b""), (200, {}, b"{}")) as (service, client):
        assert client.get(PRODUCTS).status == (200 if status in AGAIN else status)
    assert service.clocks.slept == ([0.5, 1.0] if status in AGAIN else [])
    assert len(service.requests) == (3 if status in AGAIN else 1)


@pytest.mark.parametrize(
    ("retry_after", "timeout", "waited"),
    [
        ("soon", 20.0, [0.5, 1.0, 2.0]),
        # Nobody waits for an hour: the answer says when to come back.
        ("60", 20.0, [60.0]),
        ("61", 20.0, []),
        ("25", 20.0, [25.0, 25.0]),
        # Nor beyond the time of the read.
        ("30", 2.0, []),
    ],
)
def test_reads_end_with_the_last_answer(retry_after: str, timeout: float, waited: list[float]) -> None:
    with given((429, {"Retry-After": retry_after}, b""), timeout=timeout) as (service, client):
        assert client.get(PRODUCTS).status == 429
    assert service.clocks.slept == waited
    assert len(service.requests) == len(waited) + 1


@pytest.mark.parametrize(
    ("broken", "kind", "words"),
    [
        (b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"fi', UnreadableAnswerError, "answered 200, but the body "),
        (b"", LostAnswerError, "was sent, and the answer was lost"),
    ],
    ids=["cut off", "none"],
)
def test_broken_answer_is_asked_for_again_until_reads_end(broken: bytes, kind: type[ServiceError], words: str) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(broken if peer.number != 3 else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with talking(SocketServer(script)) as (server, client):
        assert client.get(PRODUCTS).body == b"{}"
        server.wait_until_closed(3)
        with pytest.raises(kind, match=words):
            client.get(PRODUCTS)
    assert server.connections == 3 + 4


# Deadlines


def test_each_kind_of_request_has_a_time_of_its_own() -> None:
    never_ending = after_the_request(b"HTTP/1.1 200 OK\r\n\r\n{", dripping(b" "))
    with talking(SocketServer(never_ending), timeout=0.3, order_timeout=0.2) as (server, client):
        with pytest.raises(UnreadableAnswerError, match=r"within 0.3 seconds \(timeout\)"):
            client.get(PRODUCTS, retries=0)
        answer = client.send_once("POST", CONTRACTS, b"{}", {})
    assert answer.status == 200
    assert "within 0.2 seconds (timeout)" in str(answer.flaw)
    assert server.connections == 2


def test_redirects_and_pages_share_the_time_of_the_read() -> None:
    """Each answer takes 410 seconds: the third request has 80 of 900 seconds left, a fourth none."""
    moved = (302, {"Location": "/moved"}, b"")
    with given(moved, (200, {}, b"{}"), seconds=410, timeout=90.0) as (service, client):
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
    "location", ["//127.0.0.1:{other}/api", "http://127.0.0.1:{port}@127.0.0.1:{other}/api", "file:///etc/passwd"]
)
def test_no_redirect_leads_the_api_key_elsewhere(location: str) -> None:
    def script(_request: Received) -> Reply:
        return Reply(status=302, headers={"Location": location.format(other=other_port, port=port)})

    with ScriptedServer(lambda _request: FINE) as other, ScriptedServer(script) as server:
        other_port, port = (each.url.rpartition(":")[2] for each in (other, server))
        with client_of(server.url) as client:
            with pytest.raises(ServiceError, match="because the API key would be sent there") as caught:
                client.get(PRODUCTS)
            with pytest.raises(ServiceError, match=r"is not on the origin of base_url\. The API key is not sent there"):
                client.get(other.url)
    assert other.requests == []
    assert len(server.requests) == 1
    assert caught.value.status == 302
    assert KEY not in caught.value.message


@pytest.mark.parametrize("port", ["", ":80", ":8080"])
def test_redirect_of_a_service_behind_a_tls_proxy_is_read_there(port: str) -> None:
    moved = (301, {"Location": f"http://portal.example.com{port}/api/reseller/products/?page=2"}, b"")
    with given(moved, (200, {}, b"{}"), base_url="https://portal.example.com:8443") as (service, client):
        assert client.get(PRODUCTS).ok
    own = "https://portal.example.com:8443/api/reseller/products"
    assert [request.url for request in service.requests] == [own, f"{own}/?page=2"]


def test_redirects_in_a_circle_end() -> None:
    moved = (302, {"Location": PRODUCTS}, b"")
    with given(moved) as (service, client), pytest.raises(ServiceError, match="redirected more than 5 times"):
        client.get(PRODUCTS)
    assert len(service.requests) == 6


# Retry-After


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("Mon, 21 Nov 2016 11:00:00 GMT", 0.0), ("Sat, 21 Nov 99999 11:00:00 GMT", None), ("-1", None), ("²", None)],
)
def test_how_long_an_answer_asks_to_wait(value: str, seconds: float | None) -> None:
    assert Answer(429, "https://a.example", headers={"Retry-After": value}).retry_after() == seconds


# What a service repeats


def test_what_is_read_holds_no_api_key() -> None:
    key = "KyBegin/3f&Q é\\KyEnd"
    written = f"{'x' * 1985} {json.dumps(key)}"
    headers = {"X-Request-Id": quote(written, safe=" "), "Link": f'<?p={quote(written)}>; rel="next"'}
    replies = [Reply({"message": written, written: [written]}, 200, headers), Reply(written.encode(), 500, headers)]
    with talking(in_turn(*replies), api_key=key) as (_server, client):
        answers = [client.get(PRODUCTS, retries=0) for _reply in replies]
    for text in [*map(repr, answers), service_error(answers[1], "the request for its products").message]:
        assert "KyBeg" not in text
        assert "KyEnd" not in text


def test_key_that_is_a_plain_word_stays_in_what_is_used() -> None:
    body = {"name": "reseller", "id": "reseller-1"}
    replies = [Reply(body), Reply({"message": "no reseller"}, 403)]
    with talking(in_turn(*replies), api_key="reseller") as (_server, client):
        assert read_json(client.get(PRODUCTS)) == body
        assert read_json(client.get(PRODUCTS)) == {"message": "no ********"}


def test_bound_counts_each_request_of_a_read() -> None:
    """Those that are tried again as well. What is read after it has no bound."""
    with given((503, {}, b"")) as (service, client):
        with client.reading(10.0, 3), pytest.raises(ServiceError, match="takes too many requests"):
            client.get(PRODUCTS)
        assert len(service.requests) == 3
        assert client.get(PRODUCTS).status == 503
    assert len(service.requests) == 3 + 4


# How much a read may get


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
    with given((status, {}, body), api_key="portals") as (service, client):

        def read() -> None:
            with client.reading():
                for _page in range(10):
                    client.get(PRODUCTS)

        with pytest.raises(LargeReadError) as caught:
            read()
        assert caught.value.message == f"The read got more than {most}.\nIt ended at {client.url(PRODUCTS)}."
        assert len(service.requests) == requests
        # Another read begins anew.
        assert status == 503 or client.get(PRODUCTS).ok
