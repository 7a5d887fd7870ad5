# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each fault as a client sees it on its socket, and what the service then holds."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests.simulator import data, examples
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator, SimulatorError

ORDERS = "/api/reseller/contracts"


@pytest.fixture
def plain(start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator("plain")


def raw_order(simulator: Simulator, hostname: str = "web01") -> bytes:
    """Order a VPS over a bare socket and give back all bytes until the connection ends.

    Raises:
        ConnectionResetError: it ended with RST
    """
    body = json.dumps(
        {
            simulator.end_user_element: data.SELF,
            simulator.product_element: data.VPS_M,
            "settings": examples.settings(data.VPS, hostname=hostname),
        }
    )
    headers = {**simulator.headers, "Content-Type": simulator.order_media_type, "Content-Length": str(len(body))}
    address = urlsplit(simulator.base_url)
    lines = [f"POST {ORDERS} HTTP/1.1", f"Host: {address.netloc}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection((address.hostname or "", address.port or 80), timeout=60) as connection:
        connection.sendall("\r\n".join([*lines, "", body]).encode())
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return received


def order(simulator: Simulator, hostname: str = "web01") -> requests.Response:
    return simulator.order(data.VPS_M, examples.settings(data.VPS, hostname=hostname))


@pytest.mark.parametrize(("kind", "orders"), [("drop_before", 0), ("drop_after", 1)])
def test_dropped_connections(simulator: Simulator, kind: str, orders: int) -> None:
    simulator.arm(kind)
    with pytest.raises(ConnectionResetError):
        raw_order(simulator)
    simulator.arm(kind, reset=False)
    assert raw_order(simulator) == b""
    assert len(simulator.orders()) == orders * 2
    assert [request["status"] for request in simulator.requests("POST")] == [None, None]
    assert order(simulator).ok


def test_half_an_answer(simulator: Simulator) -> None:
    simulator.arm("half_answer")
    head = raw_order(simulator)
    assert head.startswith(b"HTTP/1.1 20")
    assert b"\r\n\r\n" not in head
    simulator.arm("half_answer", part="status")
    assert raw_order(simulator) == b"HTTP/1.1 2"
    simulator.arm("half_answer", part="body")
    head, body = raw_order(simulator).split(b"\r\n\r\n", 1)
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    assert len(body) == length // 2
    assert len(simulator.orders()) == 3


def test_a_truncated_answer(simulator: Simulator) -> None:
    simulator.arm("truncated")
    head, body = raw_order(simulator).split(b"\r\n\r\n", 1)
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    assert simulator.orders()[0]["id"] in json.dumps(json.loads(body))
    assert len(body) < length


@pytest.mark.parametrize("status", [500, 504])
def test_an_error_after_processing(simulator: Simulator, status: int) -> None:
    simulator.arm("error_after", status=status)
    assert order(simulator).status_code == status
    assert len(simulator.orders()) == 1


@pytest.mark.parametrize("status", [400, 408, 503])
def test_a_status_without_processing(simulator: Simulator, status: int) -> None:
    simulator.arm("status", status=status, headers={"X-Reason": "test"}, retry_after=7)
    answer = order(simulator)
    assert answer.status_code == status
    assert answer.headers["X-Reason"] == "test"
    assert answer.headers["Retry-After"] == "7"
    assert "problem" in answer.text
    assert simulator.orders() == []


def test_a_status_with_a_body(plain: Simulator) -> None:
    plain.arm("status", status=418, body={"detail": "short and stout"})
    answer = order(plain)
    assert (answer.status_code, answer.json()) == (418, {"detail": "short and stout"})
    plain.arm("status", status=409, body="No.", content_type="text/plain")
    answer = order(plain)
    assert (answer.text, answer.headers["Content-Type"]) == ("No.", "text/plain")


def test_too_many(simulator: Simulator) -> None:
    simulator.arm("too_many", times=2, retry_after=0)
    answers = [order(simulator) for dummy in range(3)]
    assert [answer.ok for answer in answers] == [False, False, True]
    assert (answers[0].status_code, answers[0].headers["Retry-After"]) == (429, "0")
    assert len(simulator.orders()) == 1


Reader = Callable[[requests.Response], object]


@pytest.mark.parametrize(
    ("fault", "read", "seen", "orders"),
    [
        ({"kind": "not_json"}, lambda answer: answer.text, "Thank you for your order!", 1),
        ({"kind": "empty"}, lambda answer: answer.text, "", 1),
        ({"kind": "html"}, lambda answer: answer.status_code, 502, 0),
        ({"kind": "says_no"}, lambda answer: (answer.status_code, answer.json()["success"]), (200, False), 0),
        ({"kind": "big"}, lambda answer: len(answer.content) > 2_000_000, True, 1),
        ({"kind": "redirect", "location": "/else"}, lambda answer: answer.headers["Location"], "/else", 0),
        ({"kind": "redirect", "status": 303, "process": True}, lambda answer: answer.status_code, 303, 1),
    ],
)
def test_strange_answers(plain: Simulator, fault: dict[str, Any], read: Reader, seen: object, orders: int) -> None:
    plain.arm(**fault)
    assert read(order(plain)) == seen
    assert len(plain.orders()) == orders


@pytest.mark.parametrize(("when", "orders"), [("before", 0), ("after", 1)])
def test_a_slow_answer_outlasts_the_client(plain: Simulator, when: str, orders: int) -> None:
    plain.arm("slow", seconds=600, when=when)
    with pytest.raises(requests.ReadTimeout):
        requests.post(
            plain.base_url + ORDERS,
            json={"target": data.SELF, "productId": data.WEBHOSTING_START},
            headers=plain.headers,
            timeout=0.3,
        )
    plain.wait(requests=1)
    assert len(plain.orders()) == orders


@pytest.mark.parametrize(("when", "orders"), [("before", 0), ("after", 2)])
def test_held_orders_wait_for_their_release(plain: Simulator, when: str, orders: int) -> None:
    plain.arm("hold", times=2, when=when)
    with ThreadPoolExecutor() as pool:
        held: list[Future[requests.Response]] = [pool.submit(order, plain, f"web{n}") for n in range(2)]
        plain.wait(held=2)
        assert len(plain.orders()) == orders
        assert order(plain, "web9").ok
        plain.release(1)
        plain.wait(orders=orders + 1)
        plain.release()
        assert all(future.result().ok for future in held)
    assert len(plain.orders()) == 3


def test_a_reset_drops_held_orders_unprocessed(plain: Simulator) -> None:
    plain.arm("hold")
    with ThreadPoolExecutor() as pool:
        held = pool.submit(order, plain)
        plain.wait(held=1)
        plain.reset()
        with pytest.raises(requests.ConnectionError):
            held.result()
    assert order(plain).ok
    assert len(plain.orders()) == 1


def test_waiting_in_vain_says_what_there_is(plain: Simulator) -> None:
    with pytest.raises(SimulatorError, match="'orders': 0"):
        plain.wait(orders=1, timeout=0.01)


@pytest.mark.parametrize(
    "match",
    [
        {"hostname": "web02", "product": data.VPS_M, "end_user": data.SELF, "template": "debian-12"},
    ],
)
def test_a_fault_hits_what_it_matches(simulator: Simulator, match: dict[str, str]) -> None:
    simulator.arm("status", times=-1, match=match)
    assert [order(simulator, f"web0{n}").ok for n in (1, 2, 3, 2)] == [True, False, True, False]
    simulator.disarm()
    assert order(simulator, "web02").ok


@pytest.mark.parametrize(
    ("on", "path"),
    [("products", "/api/reseller/products"), ("docs", "/api/docs"), ("any", "/api/reseller/products")],
)
def test_faults_on_other_requests(simulator: Simulator, on: str, path: str) -> None:
    simulator.arm("status", status=503, on=on)
    assert simulator.get(path).status_code == 503
    assert simulator.get(path).status_code == 200


@pytest.mark.parametrize("fault", [{"kind": "melt"}, {"kind": "slow", "when": "never"}, {"kind": "slow", "speed": 1}])
def test_an_unknown_fault_is_refused(plain: Simulator, fault: dict[str, Any]) -> None:
    with pytest.raises(SimulatorError):
        plain.arm(**fault)
