# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever an answer holds, the outcome that its status proves is recorded, with the id if it can be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._placing import outcomes
from ansible_collections.hosting.reseller.plugins.module_utils._placing.outcomes import (
    READING_FAILURES,
    order_outcome,
    proof_of,
)
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import Delivery, Message, send
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker
from playbooks.files.simulator.http_server import Peer, SocketServer
from tests.unit.plugins.module_utils._placing.conftest import CONTRACT, Bench, Clockless

LOCATION = f"Location: /api/reseller/contracts/{CONTRACT}"
FAR = "99999999999999999999"


def body(**more: Any) -> bytes:
    return json.dumps({"id": CONTRACT, **more}).encode()


def nested(levels: int) -> bytes:
    return b'{"id":"' + CONTRACT.encode() + b'","a":' + b"[" * levels + b"]" * levels + b"}"


#: Headers and body, and whether the id can be read in them.
ANSWERS: dict[str, tuple[list[str], bytes, bool]] = {
    "an hour beyond all clocks": ([f"Retry-After: Mon, 01 Jan 2025 {FAR}:00:00 GMT"], body(), True),
    "endless digits": (["Retry-After: " + "9" * 5000], body(), True),
    "an absurd cookie": ([f"Set-Cookie: a=b; expires=Mon, 01 Jan {FAR}; max-age={FAR}; version=x"], body(), True),
    "a broken location": (["Location: http://[::1"], body(), True),
    "a broken link": (["Link: <<<>;;=;,rel"], body(), True),
    "700 levels": ([], nested(700), False),
    "100,000 levels": ([LOCATION], nested(100_000), True),
    "levels in a string in a string": ([], body(text=json.dumps(json.dumps({"x": "[" * 900 + "]" * 900}))), True),
    "no UTF-8": ([LOCATION], b'{"id":"' + CONTRACT.encode() + b'","n":"\xff\xfe"}', True),
    "half a character": ([], b'{"id":"' + CONTRACT.encode() + b'","n":"\\ud800"}', True),
    "a number without end": ([LOCATION], b'{"id":' + b"9" * 5000 + b"}", True),
    "a page that asserts": ([LOCATION], b"<!doctype html><![CDATA[<title>", True),
    "an unknown encoding": (["Content-Encoding: br", LOCATION], body(), True),
    "a cut body": ([LOCATION, "Content-Length: 999999"], body(), True),
    "too many headers": ([f"X-{number}: a" for number in range(150)], body(), False),
}
OUTCOMES = {"201 Created": "ordered", "422 No": "rejected", "429 Later": "rejected", "500 Oops": "in_doubt"}


@pytest.mark.parametrize("status", OUTCOMES)
@pytest.mark.parametrize("case", ANSWERS)
def test_status_decides_whatever_the_answer_holds(case: str, status: str, bench: Bench) -> None:
    headers, content, readable = ANSWERS[case]
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", "Connection: close", *headers]

    def script(peer: Peer) -> None:
        request = peer.read_request()
        if request.startswith(b"POST"):
            peer.send("\r\n".join([*lines, "", ""]).encode() + content)
        elif request:
            peer.answer("404 Not Found")

    with SocketServer(script) as server:
        placed = bench.place(server.url)
    assert placed.record == bench.record()
    assert placed.record.status == OUTCOMES[status]
    if status.startswith("201"):
        assert placed.record.outcome.contract_id == (CONTRACT if readable else None)
        assert "id" in json.dumps(placed.sent and placed.sent.warning) or readable


def sent(request: Callable[[], Answer], masker: Masker) -> Outcome:
    """How the sending of an order ends that is answered so."""
    delivery = Delivery("web01")
    message = Message(lambda _type: request(), lambda each: order_outcome(each, masker), masker)
    send(delivery, message, Clockless())
    return delivery.outcome


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
BODIES = st.binary() | st.just(b'{"id": NaN}') | VALUES.map(lambda value: json.dumps(value).encode())
HEADERS = st.dictionaries(
    st.sampled_from(["Location", "Content-Type", "Retry-After", "Link", "X-Request-Id", "Accept-Post"]), st.text()
)


@given(st.integers(100, 999), BODIES, HEADERS, st.none() | st.text())
def test_every_answer_has_the_outcome_of_its_status(
    status: int, content: bytes, headers: dict[str, str], flaw: str | None
) -> None:
    answer = Answer(status, "http://service.example/api/reseller/contracts", content, headers, flaw)
    result = sent(lambda: answer, Masker({"geheim-123456"}, kept=["web01"]))
    proof = proof_of(status)
    if proof == "unproven":
        assert result.status in ("ordered", "in_doubt")
    else:
        assert result.status == {"not_processed": "rejected"}.get(proof, proof)
    assert (result.error is None) == (result.status == "ordered")


@pytest.mark.parametrize("failure", READING_FAILURES)
@pytest.mark.parametrize(
    ("status", "recorded"),
    [(201, "ordered"), (422, "rejected"), (429, "rejected"), (500, "in_doubt"), (None, "in_doubt")],
)
def test_status_and_id_survive_a_reader_that_fails(
    failure: type[Exception], status: int | None, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No known answer makes one fail any more; the next one may. Without a status, none could be received."""

    def fail(*_arguments: Any, **_options: Any) -> Any:
        raise failure

    for owner, name in ((Masker, "value"), (outcomes, "service_error")):
        monkeypatch.setattr(owner, name, fail)
    answer = Answer(status, "http://service.example/", body()) if status else None
    result = sent((lambda: answer) if answer else fail, Masker(set()))
    assert result.status == recorded
    told = {201: result.contract_id, 500: result.possible_id}.get(status or 0, CONTRACT)
    assert told == CONTRACT
    assert failure.__name__ in (result.warning or "") + (result.error.message if result.error else "")
