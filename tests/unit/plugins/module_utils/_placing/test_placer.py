# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The outcome table of an order, row by row, on real sockets and a real ledger: what is sent, kept, and sent again."""

from __future__ import annotations

import email.utils
import errno
import gzip
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.cache import Cache
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    LedgerError,
    UnrecordedError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http import waiting
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import ClaimEvidence, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import SELF, Order, RequestedOrder, Target
from ansible_collections.hosting.reseller.plugins.module_utils._order.planner import Step
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service, ServiceOptions
from ansible_collections.hosting.reseller.plugins.module_utils._placing import (
    answer_files,
    orders,
    placer,
    sending,
)
from ansible_collections.hosting.reseller.plugins.module_utils._placing.answer_files import refuse_unwritable
from ansible_collections.hosting.reseller.plugins.module_utils._placing.orders import OrderSender
from ansible_collections.hosting.reseller.plugins.module_utils._placing.placer import Placed, Placer
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import Pace
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from tests.support.evolving_service import EvolvingService
from tests.support.http_server import Received, Reply, ScriptedServer
from tests.support.socket_server import Peer, SocketServer

PATH = "/api/reseller/contracts"
PRODUCT = "43444cec-30eb-4f99-a44d-4e7c1373723d"
CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
ELSEWHERE = "http://127.0.0.1:9/elsewhere"
API_KEY = "key-0123456789"
NAME = "web01.example.org"

#: The table as the design has it; a status that it does not name is "other".
ORDERED = (201, 202, 204)
UNPROVEN = (200, 203, 205, 206, 207, 226, 299)
REJECTED = (
    *(400, 401, 402, 403, 404, 405, 407),
    *(409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 419, 420, 421, 422, 423, 424),
    *(426, 428, 431, 451),
    *(301, 307, 308),
    501,
)
NOT_PROCESSED = (425, 429)
IN_DOUBT = (302, 303, 406, 408, 500, 502, 503, 504, 505, 506, 507, 508, 510, 511, 520, 522, 524, 529, 598, 599)
OTHER = (300, 304, 305, 306, 427, 430, 440, 444, 499, 600, 700, 999)


def order(name: str = NAME, **settings: Any) -> Order:
    target = Target(PRODUCT, "VPS M", PRODUCT_TYPES["vps"])
    return Order(name, "__self__", target, {"hostname": name, "template": "debian-12", **settings}, {})


class Clockless(Pace):
    """Keeps what it is to wait for, and does not wait."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[float] = []

    def hold(self, seconds: float) -> None:
        self.held.append(seconds)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True) as opened:
        yield opened


class Bench:
    """Places orders through new services with one ledger and one cache, as run after run does."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.ledger = ledger
        self.pace = Clockless()
        self._cache = Cache(folder / "cache")

    def service(self, url: str, *, timeout: float = 20.0, named: bool = True) -> Service:
        config = ServiceConfig(url, API_KEY, "4200", timeout=timeout, order_timeout=timeout)
        return Service(config, self._cache, ServiceOptions("forUser", "productUuid") if named else ServiceOptions())

    def placer(self, url: str, *, wait_in_flight: float = 0.0, **options: Any) -> Placer[Order]:
        return Placer(
            OrderSender(self.service(url, **options)), self.ledger, wait_in_flight=wait_in_flight, pace=self.pace
        )

    def place(self, url: str, wanted: Order | None = None, **options: Any) -> Placed:
        return self.placer(url, **options).place(wanted or order())


@pytest.fixture
def bench(tmp_path: Path, ledger: Ledger) -> Bench:
    return Bench(tmp_path, ledger)


def answering(*replies: Reply) -> ScriptedServer:
    """A server that gives one reply to an order after the other, the last for ever, and publishes nothing."""
    left = list(replies)

    def answer(request: Received) -> Reply:
        if request.method == "GET":
            return Reply(None, 404)
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedServer(answer)


def accepted(request: Received | None = None) -> Reply:
    return Reply({"id": CONTRACT}, 201)


def bodies(server: ScriptedServer) -> list[Any]:
    return [json.loads(request.body) for request in server.requests if request.method == "POST"]


# Answers


@pytest.mark.parametrize("status", [*ORDERED, *UNPROVEN])
def test_2xx_with_a_contract_is_ordered_and_never_sent_again(status: int, bench: Bench) -> None:
    headers = {"Location": f"{PATH}/{CONTRACT}"} if status in (204, 205) else {}
    with answering(Reply(None if headers else {"id": CONTRACT}, status, headers)) as server:
        placed = bench.place(server.url)
        assert placed.record.status == "ordered"
        assert placed.record.outcome.contract_id == CONTRACT
        again = bench.place(server.url)
        assert again.sent is None
        assert again.record.status == "ordered"
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [*ORDERED, *UNPROVEN])
def test_2xx_that_shows_nothing_is_never_sent_again(status: int, bench: Bench) -> None:
    with answering(Reply(None if status in (204, 205) else {"state": "queued"}, status)) as server:
        placed = bench.place(server.url)
        assert placed.record.status == ("ordered" if status in ORDERED else "in_doubt")
        assert placed.sent is not None
        assert (placed.sent.warning is not None) == (status in ORDERED)
        assert bench.place(server.url).sent is None
        assert len(server.requests) == 1
    if status in UNPROVEN:
        assert f"status {status}, which does not prove that it was placed" in (placed.record.outcome.reason or "")


def test_published_answer_proves_the_order(bench: Bench) -> None:
    """Also in a later run, which has the published form from the cache."""
    schema = {"type": "object", "properties": {"state": {"type": "string"}}}
    body = {"type": "object", "properties": {"endUser": {"type": "string"}, "product": {"type": "string"}}}
    operation = {
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
    }
    document = {"openapi": "3.1.0", "paths": {PATH: {"post": operation}}}

    def answer(request: Received) -> Reply:
        return Reply(document if request.method == "GET" else {"state": "queued"})

    with ScriptedServer(answer) as server:
        for name in ("one", "two"):
            assert bench.place(server.url, order(name), named=False).record.status == "ordered"
        assert [request.method for request in server.requests] == ["GET", "POST", "POST"]
        # Nobody read the reference where the elements are given.
        assert bench.place(server.url, order("three")).record.status == "in_doubt"


@pytest.mark.parametrize("status", REJECTED)
def test_a_rejection_is_kept_with_its_reason_and_the_next_run_sends(status: int, bench: Bench) -> None:
    refused = Reply({"message": "We are closed"}, status, {"Location": ELSEWHERE} if status < 400 else {})
    with answering(refused, accepted()) as server:
        placed = bench.place(server.url)
        assert placed.record.status == "rejected"
        assert (ELSEWHERE if status < 400 else "We are closed") in (placed.record.outcome.reason or "")
        assert placed.sent is not None
        assert placed.sent.error is not None
        assert placed.sent.error.status == status
        assert len(bodies(server)) == 1
        assert bench.place(server.url).record.status == "ordered"
        assert len(bodies(server)) == 2


@pytest.mark.parametrize("status", [*IN_DOUBT, *OTHER])
def test_a_status_that_proves_nothing_leaves_the_order_in_doubt_and_is_never_sent_again(
    status: int, bench: Bench
) -> None:
    unclear = Reply({"message": "Oops"} if status != 304 else None, status, {"Location": "/somewhere"})
    with answering(unclear, accepted()) as server:
        placed = bench.place(server.url)
        assert placed.record.status == "in_doubt"
        assert str(status) in (placed.record.outcome.reason or "")
        again = bench.place(server.url)
        assert again.record.status == "in_doubt"
        assert again.sent is None
        assert [request.path for request in server.requests] == [PATH]


@pytest.mark.parametrize("status", NOT_PROCESSED)
def test_an_order_that_was_not_processed_is_sent_again_when_the_service_says(status: int, bench: Bench) -> None:
    later = Reply({"message": "Not now"}, status, {"Retry-After": "7"})
    with answering(later, later, accepted()) as server:
        assert bench.place(server.url).record.status == "ordered"
        assert len(server.requests) == 3
        assert len({request.body for request in server.requests}) == 1
    assert bench.pace.held == [7.0, 7.0]


@pytest.mark.parametrize("status", NOT_PROCESSED)
def test_an_order_that_is_never_processed_is_released_at_last(status: int, bench: Bench) -> None:
    with answering(Reply({"message": "Not now"}, status, {"Retry-After": "0"})) as server:
        placed = bench.place(server.url)
        assert placed.record.status == "rejected"
        assert "Not now" in (placed.record.outcome.reason or "")
        assert len(server.requests) == sending.ATTEMPTS
        bench.place(server.url)
        assert len(server.requests) == 2 * sending.ATTEMPTS


@pytest.mark.parametrize(
    ("retry_after", "requests", "held"),
    [
        ("3600", 1, []),
        ("60", 2, [60.0]),
        ("61", 1, []),
        ("25", 3, [25.0, 25.0]),
        ("", 5, [1.0, 2.0, 4.0, 8.0, 16.0]),
        ("soon", 5, [1.0, 2.0, 4.0, 8.0, 16.0]),
        ("-5", 5, [1.0, 2.0, 4.0, 8.0, 16.0]),
        ("99999999999999999999", 1, []),
    ],
)
def test_waits_for_a_busy_service_are_bounded_in_all(
    retry_after: str, requests: int, held: list[float], bench: Bench
) -> None:
    headers = {"Retry-After": retry_after} if retry_after else {}
    with answering(Reply(None, 429, headers)) as server:
        assert bench.place(server.url).record.status == "rejected"
        assert len(server.requests) == requests
    assert bench.pace.held[: requests - 1] == held[: requests - 1]
    assert sum(bench.pace.held[: requests - 1]) <= sending.LONGEST_WAIT


def test_retry_after_may_be_a_date(bench: Bench) -> None:
    moment = email.utils.formatdate(time.time() + 30, usegmt=True)
    with answering(Reply(None, 429, {"Retry-After": moment}), accepted()) as server:
        assert bench.place(server.url).record.status == "ordered"
    (held,) = bench.pace.held
    assert 0 < held <= 30


@pytest.mark.parametrize(
    ("second", "expected"),
    [(Reply(None, 500), "in_doubt"), (Reply({"message": "no"}, 422), "rejected"), (accepted(), "ordered")],
)
def test_what_follows_a_busy_service_counts(second: Reply, expected: str, bench: Bench) -> None:
    with answering(Reply(None, 429), second) as server:
        assert bench.place(server.url).record.status == expected
        assert len(bodies(server)) == 2


def test_a_busy_service_is_asked_as_often_as_the_documentation_says() -> None:
    assert (sending.ATTEMPTS, sending.LONGEST_WAIT) == (5, 60.0)


def test_text_is_sent_as_utf_8(bench: Bench) -> None:
    with answering(accepted()) as server:
        bench.place(server.url, order(city="Köln"))
        assert "Köln".encode() in server.requests[-1].body


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_on_any_origin(status: int, bench: Bench) -> None:
    with answering(accepted()) as other:
        for location in (other.url + PATH, "/api/reseller/other"):
            with answering(Reply(None, status, {"Location": location})) as server:
                bench.place(server.url, order(f"{status}-{len(location)}.example.org"))
                assert [request.path for request in server.requests] == [PATH]
        assert other.requests == []


# Media types


LD_JSON = "application/ld+json"


def picky(wanted: str, document: Any = None, **answer: Any) -> ScriptedServer:
    """A service that takes orders in one media type, and publishes a document or nothing."""

    def script(request: Received) -> Reply:
        if request.method == "GET":
            return Reply(document) if document is not None else Reply(None, 404)
        if request.headers["Content-Type"] == wanted:
            return accepted()
        return Reply(answer.get("body"), 415, answer.get("headers", {}))

    return ScriptedServer(script)


def types_sent(server: ScriptedServer) -> list[str | None]:
    return [request.headers["Content-Type"] for request in server.requests if request.method == "POST"]


@pytest.mark.parametrize(
    "answer",
    [
        {"body": {"detail": f'"application/json" is not supported. Supported MIME types are "{LD_JSON}".'}},
        {"body": b'{"types": ["application\\/ld+json"]}'},
        {"headers": {"Accept-Post": f"{LD_JSON}; charset=utf-8"}},
        {"headers": {"Accept": f"text/html, {LD_JSON}"}},
        {"body": {"detail": "no"}, "headers": {"Content-Type": LD_JSON}},
    ],
)
def test_order_is_sent_in_the_type_that_415_names(answer: dict[str, Any], bench: Bench) -> None:
    with picky(LD_JSON, **answer) as server:
        assert bench.place(server.url).record.status == "ordered"
    assert types_sent(server) == ["application/json", LD_JSON]


@pytest.mark.parametrize("body", [None, {"detail": "Send application/json."}, {"type": "application/problem+json"}])
def test_415_that_names_no_other_type_is_a_rejection(body: Any, bench: Bench) -> None:
    with picky(LD_JSON, body=body) as server:
        placed = bench.place(server.url)
    assert placed.record.status == "rejected"
    assert types_sent(server) == ["application/json"]


def test_types_that_are_named_without_end_are_tried_a_few_times(bench: Bench) -> None:
    def script(request: Received) -> Reply:
        if request.method == "GET":
            return Reply(None, 404)
        return Reply({"detail": f"Send application/v{len(server.requests)}+json."}, 415)

    with ScriptedServer(script) as server:
        assert bench.place(server.url).record.status == "rejected"
    assert len(types_sent(server)) == orders.MOST_FORMS


def test_other_type_is_not_tried_after_an_answer_that_may_be_an_order(bench: Bench) -> None:
    replies = [Reply({"detail": f"Send {LD_JSON} or application/hal+json."}, 415), Reply(None, 500), accepted()]
    with answering(*replies) as server:
        assert bench.place(server.url).record.status == "in_doubt"
    assert types_sent(server) == ["application/json", LD_JSON]


# Answers of which only the status can be read


UNREADABLE: Mapping[str, Callable[[Peer], None]] = {
    "no JSON": lambda peer: peer.answer("201 Created", b"Thank you!"),
    "nothing": lambda peer: peer.answer("201 Created", b""),
    "a page": lambda peer: peer.answer("201 Created", b"<html><title>Hi</title></html>", "Content-Type: text/html"),
    "not whole": lambda peer: peer.send(b'HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{"id": "01'),
    "broken off in its headers": lambda peer: peer.send(b"HTTP/1.1 201 Created\r\nContent-Le"),
    "no length": lambda peer: peer.send(b'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"'),
    "not decodable": lambda peer: peer.answer("201 Created", b"no gzip", "Content-Encoding: gzip"),
    "unknown encoding": lambda peer: peer.answer("201 Created", b"??", "Content-Encoding: br"),
    "too large": lambda peer: peer.answer("201 Created", b"[" + b" " * 9_000_000 + b"]"),
    "a bomb": lambda peer: peer.answer("201 Created", gzip.compress(b" " * 50_000_000, 9), "Content-Encoding: gzip"),
    "nested without end": lambda peer: peer.answer("201 Created", b"[" * 200_000),
    "not of this encoding": lambda peer: peer.answer("201 Created", b'{"id": "\xff\xfe"}'),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_accepted_order_is_ordered_whatever_its_answer_holds(case: str, bench: Bench) -> None:
    def script(peer: Peer) -> None:
        if peer.read_request():
            UNREADABLE[case](peer)

    with SocketServer(script) as server:
        placed = bench.place(server.url)
        assert placed.record.status == "ordered"
        assert placed.record.outcome.contract_id is None
        assert placed.sent is not None
        assert placed.sent.error is None
        assert "accepted the order" in (placed.sent.warning or "")
        assert bench.place(server.url).sent is None
        assert len(server.requests) == 1


def test_an_accepted_order_whose_answer_does_not_end_is_ordered(bench: Bench) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{")
        peer.wait_until_left()

    with SocketServer(script) as server:
        placed = bench.place(server.url, timeout=0.3)
    assert placed.record.status == "ordered"
    assert placed.sent is not None
    assert placed.sent.warning is not None


def test_the_location_header_tells_the_id_that_the_body_does_not(bench: Bench) -> None:
    with answering(Reply(b"created", 201, {"Location": f"{PATH}/{CONTRACT}"})) as server:
        placed = bench.place(server.url)
    assert placed.record.outcome.contract_id == CONTRACT
    assert placed.sent is not None
    assert "cannot be read" in (placed.sent.warning or "")


def test_an_answer_without_an_id_is_said(bench: Bench) -> None:
    with answering(Reply({"state": "queued"}, 202)) as server:
        placed = bench.place(server.url)
    assert placed.record.outcome.contract == {"state": "queued"}
    assert placed.sent is not None
    assert "no contract id" in (placed.sent.warning or "")


# No answer


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    "address", [lambda: "nowhere.invalid", lambda: f"127.0.0.1:{unused_port()}"], ids=["name", "port"]
)
def test_a_service_that_cannot_be_reached_was_sent_nothing_and_the_next_run_sends(
    address: Callable[[], str], bench: Bench
) -> None:
    placed = bench.place(f"http://{address()}")
    assert placed.record.status == "not_sent"
    assert "was not sent" in (placed.record.outcome.reason or "")
    with answering(accepted()) as server:
        assert bench.place(server.url).record.status == "ordered"


def test_a_failed_handshake_sent_nothing(bench: Bench) -> None:
    with SocketServer(lambda peer: peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as server:
        placed = bench.place(server.url.replace("http://", "https://"))
    assert placed.record.status == "not_sent"
    assert server.requests == []


def after_the_request(then: Callable[[Peer], None]) -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        peer.read_request()
        then(peer)

    return script


def closed_in_the_middle(peer: Peer) -> None:
    peer.read_head()
    peer.reset()


def closed_as_it_began(peer: Peer) -> None:
    """A reset at once could come before the first byte was sent, and then nothing was."""
    peer.read(lambda received: min(len(received), 1))
    peer.reset()


LOST: Mapping[str, Callable[[Peer], None]] = {
    "closed as it began": closed_as_it_began,
    "closed in the middle of it": closed_in_the_middle,
    "no answer": after_the_request(lambda peer: None),
    "reset": after_the_request(Peer.reset),
    "half a status line": after_the_request(lambda peer: peer.send(b"HTTP/1.1 2")),
    "no HTTP": after_the_request(lambda peer: peer.send(b"SSH-2.0-OpenSSH_9.2\r\n")),
    "silence": after_the_request(Peer.wait_until_left),
    "an interim answer and no more": after_the_request(lambda peer: peer.send(b"HTTP/1.1 103 Early Hints\r\n\r\n")),
}


@pytest.mark.parametrize("case", LOST)
def test_an_answer_that_is_lost_leaves_the_order_in_doubt_and_is_never_sent_again(case: str, bench: Bench) -> None:
    with SocketServer(LOST[case]) as server:
        placed = bench.place(server.url, timeout=0.5 if case == "silence" else 20.0)
        assert placed.record.status == "in_doubt"
        assert "answer was lost" in (placed.record.outcome.reason or "")
        connections = server.connections
        again = bench.place(server.url)
        assert again.sent is None
        assert again.record.status == "in_doubt"
        assert server.connections == connections == 1


def test_a_connection_that_breaks_while_a_long_order_is_sent_leaves_it_in_doubt(bench: Bench) -> None:
    def script(peer: Peer) -> None:
        peer.read_head()
        peer.sock.recv(65536)
        peer.reset()

    with SocketServer(script) as server:
        long = replace(order(), additional_elements={"note": "x" * 20_000_000})
        assert bench.place(server.url, long).record.status == "in_doubt"
        assert server.connections == 1


# The shape of the request


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422])
def test_an_order_in_an_outdated_shape_is_sent_once_more_in_the_new_one(status: int, bench: Bench) -> None:
    service = EvolvingService(status)
    with ScriptedServer(service) as server:
        assert bench.place(server.url, named=False).record.status == "ordered"
        service.names = ("customer", "item")
        second = order("web02.example.org")
        assert bench.place(server.url, second, named=False).record.status == "ordered"
        assert [set(body) - {"settings"} for body in bodies(server)] == [
            {"endUser", "product"},
            {"endUser", "product"},
            {"customer", "item"},
        ]
        gets = sum(request.method == "GET" for request in server.requests)
        bench.place(server.url, order("web03.example.org"), named=False)
        assert len(bodies(server)) == 4
        assert sum(request.method == "GET" for request in server.requests) == gets


@pytest.mark.parametrize("status", [401, 403, 409, 500, 501, 503])
def test_what_says_nothing_of_the_shape_does_not_send_twice(status: int, bench: Bench) -> None:
    service = EvolvingService(status)
    with ScriptedServer(service) as server:
        bench.place(server.url, named=False)
        service.names = ("customer", "item")
        assert bench.place(server.url, order("web02.example.org"), named=False).record.status != "ordered"
        assert len(bodies(server)) == 2


def test_a_rejection_in_the_shape_that_still_holds_is_final(bench: Bench) -> None:
    service = EvolvingService()

    def poor(request: Received) -> Reply:
        broke = request.method == "POST" and b"web02" in request.body
        return Reply({"message": "No credit"}, 422) if broke else service(request)

    with ScriptedServer(poor) as server:
        bench.place(server.url, named=False)
        placed = bench.place(server.url, order("web02.example.org"), named=False)
        assert placed.record.status == "rejected"
        assert "No credit" in (placed.record.outcome.reason or "")
        assert len(bodies(server)) == 2


def test_a_run_that_is_stopped_looks_for_no_new_shape(bench: Bench) -> None:
    service = EvolvingService()

    def stopping(request: Received) -> Reply:
        if b"web02" in request.body:
            bench.pace.stop()
        return service(request)

    with ScriptedServer(stopping) as server:
        bench.place(server.url, named=False)
        service.names = ("customer", "item")
        placed = bench.place(server.url, order("web02.example.org"), named=False)
        assert server.requests[-1].method == "POST"
    assert placed.record.status == "rejected"
    assert "This form is unknown" in (placed.record.outcome.reason or "")


def test_an_order_that_the_new_shape_leaves_in_doubt_is_in_doubt(bench: Bench) -> None:
    service = EvolvingService()

    def failing(request: Received) -> Reply:
        reply = service(request)
        return Reply(None, 500) if reply.status == 201 and "customer" in json.loads(request.body) else reply

    with ScriptedServer(failing) as server:
        bench.place(server.url, named=False)
        service.names = ("customer", "item")
        assert bench.place(server.url, order("web02.example.org"), named=False).record.status == "in_doubt"


# The ledger


def test_without_a_claim_nothing_is_sent(bench: Bench, ledger: Ledger) -> None:
    with answering(accepted()) as server:
        placer = bench.placer(server.url)
        ledger.close()
        with pytest.raises(LedgerError):
            placer.place(order())
        assert server.requests == []


def test_the_claim_is_durable_before_the_request_begins(bench: Bench, tmp_path: Path) -> None:
    seen = []

    def script(request: Received) -> Reply:
        with open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=False) as other:
            seen.append(other.find([NAME])[NAME].status)
        return accepted()

    with ScriptedServer(script) as server:
        bench.place(server.url)
    assert seen == ["pending"]


@pytest.mark.parametrize(
    ("reply", "status", "word"),
    [
        (
            accepted(),
            "ordered",
            f"accepted the order {NAME}, but this could not be recorded.\nContract ID: {CONTRACT}.\n",
        ),
        (Reply(None, 204), "ordered", "Contract ID: not returned."),
        (Reply(None, 500), "in_doubt", "unknown whether"),
        (Reply({"message": "No credit"}, 402), "rejected", "did not accept"),
    ],
)
def test_an_outcome_that_cannot_be_recorded_is_said_and_reads_as_in_doubt(
    reply: Reply, status: str, word: str, bench: Bench, ledger: Ledger, tmp_path: Path
) -> None:
    def script(request: Received) -> Reply:
        ledger.close()
        return reply

    with ScriptedServer(script) as server, pytest.raises(UnrecordedError) as caught:
        bench.place(server.url)
    assert caught.value.status == status
    assert word in caught.value.message
    with open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True) as later:
        assert later.find([NAME])[NAME].status == "in_doubt"


def test_a_run_that_is_interrupted_while_it_sends_leaves_the_order_in_doubt(bench: Bench, ledger: Ledger) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        # To the thread that Python handles signals in: another one that took it would not wake that one up.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        peer.wait_until_left()

    with SocketServer(script) as server, pytest.raises(KeyboardInterrupt):
        bench.place(server.url)
    record = ledger.find([NAME])[NAME]
    assert record.status == "in_doubt"
    assert "interrupted" in (record.outcome.reason or "")


def test_a_run_that_is_stopped_before_it_sends_releases_the_claim(bench: Bench) -> None:
    bench.pace.stop()
    with answering(accepted()) as server:
        assert bench.place(server.url).record.status == "not_sent"
        assert server.requests == []


def test_what_json_cannot_carry_is_never_sent_and_releases_the_claim(bench: Bench, ledger: Ledger) -> None:
    with answering(accepted()) as server:
        placer = bench.placer(server.url)
        assert placer.exchange([], [order()]) == ([], [None])
        with pytest.raises(ValueError, match="JSON compliant"):
            placer.place_claimed(replace(order(), additional_elements={"note": float("nan")}))
        assert server.requests == []
    assert ledger.find([NAME])[NAME].status == "not_sent"


def test_an_order_in_flight_elsewhere_is_waited_for(bench: Bench, tmp_path: Path) -> None:
    with (
        open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True) as other,
        answering(accepted()) as server,
    ):
        theirs = Placer(OrderSender(bench.service(server.url)), other, wait_in_flight=0.0)
        assert theirs.exchange([], [order()]) == ([], [None])
        pace = bench.pace

        def end(seconds: float) -> None:
            pace.sleep = Pace.sleep.__get__(pace)  # type: ignore[method-assign]
            theirs.place_claimed(order())

        pace.sleep = end  # type: ignore[method-assign]
        placed = bench.place(server.url, wait_in_flight=60.0)
        assert placed.sent is None
        assert placed.record.outcome.contract_id == CONTRACT
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("wait", "pauses"),
    [(0.0, []), (0.75, [0.02, 0.04, 0.08, 0.16, 0.32, 0.13]), (2.0, [0.02, 0.04, 0.08, 0.16, 0.32, 0.5, 0.5, 0.38])],
)
def test_an_order_in_flight_elsewhere_is_not_waited_for_without_end(
    wait: float, pauses: list[float], bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    for module in (placer, waiting):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1000.0 + sum(slept)))
    bench.pace.sleep = slept.append  # type: ignore[method-assign]
    with (
        open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True) as other,
        answering(accepted()) as server,
    ):
        assert Placer(OrderSender(bench.service(server.url)), other, wait_in_flight=0.0).exchange([], [order()]) == (
            [],
            [None],
        )
        placed = bench.place(server.url, wait_in_flight=wait)
        assert placed.sent is None
        assert placed.record.status == "pending"
        assert server.requests == []
    assert slept == pytest.approx(pauses)


def test_an_order_whose_run_dies_while_it_is_waited_for_is_in_doubt(bench: Bench, tmp_path: Path) -> None:
    other = open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True)
    with answering(accepted()) as server:
        assert Placer(OrderSender(bench.service(server.url)), other, wait_in_flight=0.0).exchange([], [order()]) == (
            [],
            [None],
        )
        bench.pace.sleep = lambda seconds: other.close()  # type: ignore[method-assign]
        placed = bench.place(server.url, wait_in_flight=60.0)
        assert placed.record.status == "in_doubt"
        assert server.requests == []


def test_a_claim_that_another_run_released_is_taken_over(bench: Bench, tmp_path: Path) -> None:
    with (
        open_ledger(location_of(str(tmp_path / "ledger.db"), {}), writing=True) as other,
        answering(accepted()) as server,
    ):
        assert Placer(OrderSender(bench.service(server.url)), other, wait_in_flight=0.0).exchange([], [order()]) == (
            [],
            [None],
        )
        bench.pace.sleep = lambda seconds: other.record(NAME, Outcome("rejected", "no"))  # type: ignore[method-assign]
        assert bench.place(server.url, wait_in_flight=60.0).record.status == "ordered"
        assert len(server.requests) == 1


@pytest.mark.parametrize("then", ["remove", "close"])
def test_what_becomes_of_a_record_afterwards_is_no_failure(
    then: str, bench: Bench, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = type(ledger).exchange

    def forgotten(self: Ledger, outcomes: Mapping[str, Outcome], *claims: Any, **options: Any) -> Any:
        kept = exchange(self, outcomes, *claims, **options)
        for name in outcomes:
            if then == "remove":
                self.remove(name)
            else:
                self.close()
        return kept

    monkeypatch.setattr(type(ledger), "exchange", forgotten)
    with answering(accepted()) as server:
        placed = bench.place(server.url)
    assert placed.record.status == "ordered"
    assert placed.record.outcome.contract_id == CONTRACT


def test_the_ledger_is_told_what_was_ordered_and_no_secret(tmp_path: Path, bench: Bench, ledger: Ledger) -> None:
    password = "Tr0ub4dor&3"
    owner = json.dumps({"first_name": "Erika", "last_name": "Mustermann"})
    wanted = order(password=password, ownercData=owner, boot_word="4711-secret")
    wanted = replace(wanted, secret_names=frozenset({"boot_word"}))
    echo = {"id": CONTRACT, "settings": dict(wanted.settings), "note": f"{password} {API_KEY} for Mustermann"}
    with answering(Reply(echo, 201)) as server:
        job: dict[str, str | None] = {"awx_job_id": "17", "awx_workflow_job_id": "4"}
        Placer(OrderSender(bench.service(server.url), job), ledger, wait_in_flight=0.0).place(wanted)
        (sent,) = bodies(server)
    assert sent == {"forUser": "__self__", "productUuid": PRODUCT, "settings": dict(wanted.settings)}
    record = ledger.find([NAME])[NAME]
    assert record.request is not None
    assert (record.request.awx_job_id, record.request.awx_workflow_job_id) == ("17", "4")
    assert record.request.service == server.url
    assert record.request.organization_id == "4200"
    assert set(record.request.settings) == {"hostname", "template", "ownercData", "boot_word"}
    ledger.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("ledger.db*") if path.is_file())
    for secret in (password, API_KEY, "Mustermann", "4711-secret"):
        assert secret.encode() not in kept


def test_the_reason_of_a_rejection_holds_no_secret(bench: Bench) -> None:
    with answering(Reply({"message": f"Tr0ub4dor&3 is too weak for {API_KEY}"}, 422)) as server:
        placed = bench.place(server.url, order(password="Tr0ub4dor&3"))
    reason = placed.record.outcome.reason or ""
    assert "is too weak" in reason
    assert "Tr0ub4dor" not in reason
    assert API_KEY not in reason


# The file for the answer

ANSWER = {"id": CONTRACT, "rootPw": "kT9xToldOnce"}


def with_file(path: Path, name: str = NAME) -> Order:
    return replace(order(name), save_answer=str(path))


def test_answer_is_saved_as_it_arrived_and_kept_nowhere_else(tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / "answer.json"
    modes: list[tuple[int, int]] = []

    def answer(request: Received) -> Reply:
        modes.append((path.stat().st_mode & 0o777, path.stat().st_size))
        return Reply(ANSWER, 201)

    with ScriptedServer(answer) as server:
        placed = bench.place(server.url, with_file(path))
    assert modes == [(0o600, 0)]
    assert json.loads(path.read_bytes()) == ANSWER
    assert path.stat().st_mode & 0o777 == 0o600
    assert placed.record.status == "ordered"
    kept = b"".join(each.read_bytes() for each in tmp_path.glob("ledger.db*") if each.is_file())
    assert b"ToldOnce" not in kept


@pytest.mark.parametrize("kind", ["a file", "a link to nothing", "no folder", "not writable", "no path"])
def test_nothing_is_sent_without_the_file_for_the_answer(kind: str, tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / "answer.json"
    if kind == "a file":
        path.write_text("precious")
    elif kind == "a link to nothing":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "not writable":
        path = Path("/proc/answer.json")  # not even for root
    else:
        path = tmp_path / ("missing/answer.json" if kind == "no folder" else "a\0b")
    with answering(accepted()) as server:
        with pytest.raises(ConfigurationError, match="save_answer"):
            bench.place(server.url, with_file(path))
        assert server.requests == []
        assert bench.ledger.find([NAME])[NAME].status == "not_sent"
        assert bench.place(server.url).record.status == "ordered"
    assert not (tmp_path / "elsewhere").exists()
    if kind == "a file":
        assert path.read_text() == "precious"


def test_contract_is_kept_though_its_answer_cannot_be_saved(
    tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(answer_files, "os", SimpleNamespace(**{**vars(os), "write": full}))
    with answering(Reply(ANSWER, 201)) as server:
        placed = bench.place(server.url, with_file(tmp_path / "answer.json"))
    assert placed.record.status == "ordered"
    assert placed.sent is not None
    assert "could not be saved to" in (placed.sent.warning or "")
    assert "No space left on device" in (placed.sent.warning or "")


def test_file_for_the_answer_is_removed_if_there_was_none(tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / "answer.json"
    with answering(Reply({"message": "No"}, 422)) as server:
        assert bench.place(server.url, with_file(path)).record.status == "rejected"
    assert not path.exists()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        assert bench.place(url, with_file(path)).record.status == "not_sent"
    assert not path.exists()

    def hang_up(peer: Peer) -> None:
        peer.read_request()

    with SocketServer(hang_up) as server:
        assert bench.place(server.url, with_file(path)).record.status == "in_doubt"
    assert not path.exists()


def test_file_holds_the_last_answer_alone(tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / "answer.json"
    busy = Reply({"message": "Not now, " + "x" * 500}, 429, {"Retry-After": "0"})
    with answering(busy, Reply(ANSWER, 201)) as server:
        bench.place(server.url, with_file(path))
    assert json.loads(path.read_bytes()) == ANSWER


def test_two_orders_of_a_task_do_not_share_a_file(tmp_path: Path) -> None:
    wish = RequestedOrder(SELF, save_answer=str(tmp_path / "one"))
    steps = [Step(name, wish, "order", order=with_file(tmp_path / "one", name)) for name in ("a", "b")]
    steps.append(Step("c", wish, "none", order=with_file(tmp_path / "one", "c")))
    checked = refuse_unwritable(steps)
    assert [step.error is None for step in checked] == [True, False, True]
    assert list(tmp_path.iterdir()) == []


# What tells later how it ended


def marked(name: str = NAME, **changes: Any) -> Order:
    return replace(order(name), marker_element="note", **changes)


def evidence_of(ledger: Ledger, name: str = NAME) -> ClaimEvidence | None:
    held = ledger.find([name])[name].request
    return held.evidence if held else None


def test_marker_that_is_sent_is_kept_with_the_claim(bench: Bench, ledger: Ledger) -> None:
    with answering(Reply({"message": "no"}, 422), accepted()) as server:
        bench.place(server.url, marked())
        bench.place(server.url, marked())
    first, second = (body["note"] for body in bodies(server))
    assert re.fullmatch(r"[0-9a-f]{32}", second)
    # An order that was rejected may have been processed nonetheless: its marker is another one.
    assert first != second
    assert evidence_of(ledger) == ClaimEvidence(second)


def test_marker_is_not_overridden_by_an_additional_element(bench: Bench, ledger: Ledger) -> None:
    with answering(accepted()) as server:
        bench.place(server.url, marked(additional_elements={"note": "mine", "more": 1}))
    (sent,) = bodies(server)
    assert (sent["note"], sent["more"]) == (getattr(evidence_of(ledger), "marker", None), 1)


def test_marker_never_stands_for_the_end_user(bench: Bench) -> None:
    with answering(accepted()) as server, pytest.raises(ConfigurationError, match="sets"):
        bench.place(server.url, replace(order(), marker_element="forUser"))
    assert bodies(server) == []


def test_what_was_seen_before_is_kept_with_the_claim(bench: Bench, ledger: Ledger) -> None:
    seen = ClaimEvidence(None, ("c-1",), complete=True)
    with answering(Reply({"id": CONTRACT}, 500)) as server:
        bench.place(server.url, replace(order(), evidence=seen))
    assert evidence_of(ledger) == seen
    assert ledger.find([NAME])[NAME].outcome.told_id == CONTRACT


def test_order_without_a_marker_has_none(bench: Bench, ledger: Ledger) -> None:
    with answering(accepted()) as server:
        bench.place(server.url)
    assert evidence_of(ledger) is None
    assert "note" not in bodies(server)[0]
