# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an answer says of an order: which proofs count, what speaks against them, and what its status decides."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
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
from ansible_collections.hosting.reseller.plugins.module_utils._reference.order_shape import OrderAnswers
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK
from playbooks.files.simulator.http_server import Peer, SocketServer
from tests.support.json_values import json_values
from tests.unit.plugins.module_utils._placing.conftest import CONTRACT, Bench, Clockless

URL = "http://service.example/api/reseller/contracts"
PAGE = b"<!DOCTYPE html><html><head><title>Log in</title></head></html>"
QUEUED = {"state": "queued"}

#: The table as the design has it.
REJECTED = (*range(400, 406), 407, *range(409, 425), 426, 428, 431, 451, 301, 307, 308, 501)


def answered(body: Any, status: int = 200, flaw: str | None = None, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, URL, content, {name.replace("_", "-"): value for name, value in headers.items()}, flaw)


def outcome_of(answer: Answer, published: OrderAnswers | None = None, *secrets: str) -> Outcome:
    return order_outcome(answer, Masker(secrets), (), published or OrderAnswers())


def test_proof_of_each_status() -> None:
    table = {**dict.fromkeys((201, 202, 204), "ordered"), **dict.fromkeys((*REJECTED, 425, 429), "rejected")}
    for status in range(100, 1000):
        assert proof_of(status) == table.get(status, "in_doubt"), status
        sent = outcome_of(answered(QUEUED, status))
        assert sent.status != "in_doubt" or "rejected" not in (sent.reason or ""), status


#: Each with what speaks against the order in it.
CONTRARY: list[tuple[Answer, str]] = [
    (answered(PAGE), "with an HTML page"),
    (answered(PAGE, Location=f"/api/reseller/contracts/{CONTRACT}"), "with an HTML page"),
    (
        answered({"id": CONTRACT, "success": False, "message": "Sold out"}),
        "success in it is false.\nThe service answered",
    ),
    (answered({"success": "false", "data": {"id": CONTRACT}}), "success in it is false"),
    (answered({"id": CONTRACT, "ok": 0}), "ok in it is false"),
    (answered({"id": CONTRACT, "error": "Sold out"}), "Sold out"),
    (answered({"id": CONTRACT, "errors": {"hostname": ["is taken"]}}), "hostname: is taken"),
    (answered({"id": CONTRACT, "Errors": [{"message": "is taken"}]}), "errors in it is not empty"),
    (answered({"data": {"id": CONTRACT, "errors": ["is taken"]}}), "errors in it is not empty"),
    (answered([{"id": CONTRACT, "error": True}]), "error in it is not empty"),
    (answered({"id": CONTRACT, "violations": [{"propertyPath": "a", "message": "b"}]}), "violations in it is not"),
    (answered({"status": "fail", "data": {"id": "taken1"}}), "status in it is fail"),
    (answered({"id": CONTRACT, "statusCode": 403, "message": "No"}), "statuscode in it is 403"),
    (answered({"id": CONTRACT, "title": "Oops"}, Content_Type="application/problem+json"), "which is for errors"),
    (answered({"id": CONTRACT}, flaw="it was cut off (10 bytes read)"), "it was cut off (10 bytes read)"),
    (answered(b"", flaw="it is larger than this collection reads"), "it is larger than"),
]


@pytest.mark.parametrize(("answer", "seen"), CONTRARY, ids=lambda value: value if isinstance(value, str) else "")
def test_answer_that_contradicts_itself_proves_nothing_and_is_a_warning_where_its_status_proves_the_order(
    answer: Answer, seen: str
) -> None:
    sent = outcome_of(answer, published=OrderAnswers(only_success=200))
    assert sent.status == "in_doubt"
    assert sent.error is not None
    assert sent.error.message == sent.reason
    assert "with status 200, which does not prove that it was placed" in sent.error.message
    assert seen in sent.error.message
    assert sent.error.status == 200
    proven = outcome_of(replace(answer, status=201))
    assert (proven.status, proven.error) == ("ordered", None)
    assert "cannot be read" in (proven.warning or "") or "says otherwise" in (proven.warning or "")


AT = {"Location": f"/api/reseller/contracts/{CONTRACT}"}
NAMED = OrderAnswers((), 200, False, ("state", "note"))
EMPTY = OrderAnswers((), 200, True)


#: What is published, an answer, and how an order stands by it, with which id.
ORDERED: list[tuple[OrderAnswers | None, Answer, str, str | None]] = [
    # A contract is shown.
    (None, answered({"id": CONTRACT}), "ordered", CONTRACT),
    (None, answered({"data": {"contract_id": 17}}), "ordered", "17"),
    (None, answered({"id": 17, "success": True, "error": None, "errors": [], "status": 200}), "ordered", "17"),
    (None, answered({"id": CONTRACT, "error": {"code": 0, "message": ""}, "status": "pending"}), "ordered", CONTRACT),
    (None, answered({"id": CONTRACT, "error": False}), "ordered", CONTRACT),
    (None, answered(b"", Content_Type="text/html", **AT), "ordered", CONTRACT),
    (None, answered(QUEUED, **AT), "ordered", CONTRACT),
    (None, answered([{"success": True}]), "ordered", None),
    (OrderAnswers(id_parameter="number"), answered({"id": 17, "number": "V-1"}), "ordered", "V-1"),
    # The answer is as published.
    (NAMED, answered(QUEUED), "ordered", None),
    (OrderAnswers((), 200), answered([QUEUED]), "ordered", None),
    (EMPTY, answered(b" \n"), "ordered", None),
    (OrderAnswers((), 205, True), answered(b"", 205), "ordered", None),
    # Another status, or a body that is not as published.
    (replace(NAMED, only_success=201), answered(QUEUED), "in_doubt", None),
    (replace(NAMED, only_success=None), answered(QUEUED), "in_doubt", None),
    (NAMED, answered({"message": "We are closed"}), "in_doubt", None),
    (NAMED, answered([QUEUED]), "in_doubt", None),
    (NAMED, answered(b""), "in_doubt", None),
    (OrderAnswers((), 200), answered(b"Thank you!"), "in_doubt", None),
    (EMPTY, answered(QUEUED), "in_doubt", None),
    # Nothing is published.
    (None, answered(QUEUED), "in_doubt", None),
    (None, answered([]), "in_doubt", None),
    (None, answered({"success": "yes"}), "in_doubt", None),
    (None, answered({"data": {"success": True}}), "in_doubt", None),
    (None, answered(QUEUED, Location="/login"), "in_doubt", None),
    (None, answered(QUEUED, status=207), "in_doubt", None),
]


@pytest.mark.parametrize(("published", "answer", "status", "contract_id"), ORDERED)
def test_answer_is_an_order_if_it_shows_a_contract_or_is_as_published(
    published: OrderAnswers | None, answer: Answer, status: str, contract_id: str | None
) -> None:
    outcome = outcome_of(answer, published)
    assert (outcome.status, outcome.contract_id) == (status, contract_id)
    shown = f"status {answer.status}, which does not prove that it was placed" in (outcome.reason or "")
    assert shown is (status == "in_doubt")


@pytest.mark.parametrize(("status", "warned"), [(202, False), (201, True)])
def test_missing_id_is_no_surprise_where_the_reference_publishes_no_body(status: int, warned: bool) -> None:
    result = outcome_of(answered(b"", status), OrderAnswers((), 202, True))
    assert (result.status, result.warning is not None) == ("ordered", warned)


def test_reason_holds_no_credential_of_the_answer() -> None:
    for body in ({"password": "hunter-two"}, {"password": "hunter-two", "success": False}):
        assert "hunter" not in (outcome_of(answered(body)).reason or "")


def test_accepted_answer_is_shown_without_secrets() -> None:
    sent = outcome_of(answered({"contract": {"id": 17}, "note": "as sent", "password": "hunter-two"}, 201))
    assert sent.contract_id == "17"
    assert sent.body == {"contract": {"id": 17}, "note": "as sent", "password": MASK}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (answered({"id": CONTRACT}, 500), CONTRACT),
        (answered({"contract": {"id": 17}, "status": "unknown"}, 504), "17"),
        (answered({"id": 17, "number": "V-1"}, 500), "V-1"),
        (answered({"contract": {"id": 17}, "error": "You have one already."}, 504), None),
        (answered(b"", 302, Location=f"/api/reseller/contracts/{CONTRACT}"), CONTRACT),
        (answered({"id": CONTRACT, "success": False}), None),
        (answered(b"<html><p>Bad gateway", 502), None),
        (answered(b"{", 500), None),
        (answered({"detail": "No."}, 500), None),
        (answered({"id": ".."}, 500), None),
        (answered({"id": CONTRACT}, 422), None),
    ],
)
def test_id_in_an_answer_that_proves_nothing_is_told(answer: Answer, told: str | None) -> None:
    outcome = outcome_of(answer, OrderAnswers(id_parameter="number"))
    assert (outcome.contract_id, outcome.possible_id) == (None, told)


@pytest.mark.parametrize(
    ("body", "location"),
    [({"id": "c-hunter2-9"}, None), ({}, "https://portal.example/api/reseller/contracts/c-hunter2-9")],
)
def test_id_that_contains_a_secret_is_not_stored(body: dict[str, str], location: str | None) -> None:
    answer = Answer(201, "", json.dumps(body).encode(), {"Location": location} if location else {})
    assert outcome_of(answer).contract_id == "c-hunter2-9"
    result = outcome_of(answer, None, "hunter2-9")
    assert (result.contract_id, result.contract) == (None, None)
    assert "It is not stored" in (result.warning or "")
    assert "hunter2-9" not in repr(result)


# Whatever an answer holds, the outcome that its status proves is recorded, with the id if it can be read.

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
    message = Message(
        lambda _type, _check: request(), lambda each: order_outcome(each, masker, (), OrderAnswers()), masker
    )
    send(delivery, message, Clockless())
    return delivery.outcome


BODIES = st.binary() | json_values("id contract data error success", CONTRACT).map(
    lambda each: json.dumps(each).encode()
)
HEADERS = st.dictionaries(
    st.sampled_from(["Location", "Content-Type", "Retry-After", "Link", "X-Request-Id", "Accept-Post"]), st.text()
)


@given(st.integers(100, 999), BODIES, HEADERS, st.none() | st.text())
def test_every_answer_has_the_outcome_of_its_status(
    status: int, content: bytes, headers: dict[str, str], flaw: str | None
) -> None:
    answer = Answer(status, URL, content, headers, flaw)
    result = sent(lambda: answer, Masker({"geheim-123456"}, kept=["web01"]))
    proof = proof_of(status)
    assert result.status == proof or (answer.ok and (result.status, proof) == ("ordered", "in_doubt"))
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
    answer = Answer(status, URL, body()) if status else None
    result = sent((lambda: answer) if answer else fail, Masker(set()))
    assert result.status == recorded
    told = {201: result.contract_id, 500: result.possible_id}.get(status or 0, CONTRACT)
    assert told == CONTRACT
    assert failure.__name__ in (result.warning or "") + (result.error.message if result.error else "")
