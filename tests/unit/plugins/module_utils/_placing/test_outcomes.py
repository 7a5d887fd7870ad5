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
    sent_order,
)
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import Delivery, Message, Pace, send
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import MASK
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.receipts import SentOrder
from playbooks.files.simulator.http_server import Peer, SocketServer
from tests.support.cases import cases
from tests.support.clocks import HurriedClocks
from tests.support.json_values import json_values
from tests.support.order_examples import order_of
from tests.unit.plugins.module_utils._placing.conftest import CONTRACT, PRODUCT, Bench

URL = "http://service.example/api/reseller/contracts"
PAGE = b"<!DOCTYPE html><html><head><title>Log in</title></head></html>"
QUEUED = {"state": "queued"}

#: The table as the design has it.
REJECTED = (*range(400, 406), 407, *range(409, 425), 426, 428, 431, 451, 301, 307, 308, 501)


def answered(body: Any, status: int = 200, flaw: str | None = None, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status, URL, content, {name.replace("_", "-"): value for name, value in headers.items()}, flaw)


#: An order of a server.
SENT = SentOrder("customer", "product", "hostname", "web01", {"web01"})


def outcome_of(answer: Answer, *secrets: str) -> Outcome:
    return order_outcome(answer, Masker(secrets), (), SENT)


# In the styles of real services (tests/cases/answers.yml)

END_USER = "d19f51a8-e747-452b-89a9-286bfa544c77"
#: Another product and another end user that the run knows.
KNOWN = frozenset({PRODUCT, END_USER, "99999999-1111-4222-8333-444444444444", "aaaaaaaa-1111-4222-8333-444444444444"})
SETTINGS: dict[str, dict[str, Any]] = {
    "server": {"hostname": "web01.example.org", "template": "debian-12"},
    "domain": {"domain": "example.net", "action": "register"},
    "webhosting": {},
}


@cases("answers")
def test_answer_of_a_service_proves_what_it_shows(case: dict[str, Any]) -> None:
    order = replace(order_of("web01", SETTINGS[case.get("sent", "server")]), end_user=END_USER, product=PRODUCT)
    content = json.dumps(case["answer"]) if "answer" in case else case["text"]
    headers = {"Content-Type": case.get("type", "application/json"), "Location": case.get("location")}
    answer = Answer(
        case["status"],
        "https://portal.example.com/api/reseller/contracts",
        content.encode(),
        {name: text for name, text in headers.items() if text},
    )
    named = {"order.placed": case.get("placed"), "contracts.address": case.get("at")}
    described = Description("service.yml", {name: Field(each, "file") for name, each in named.items() if each})
    outcome = order_outcome(answer, Masker(), (), sent_order(order, KNOWN, described=described))
    assert outcome.status.replace("_", " ") == case["right"]
    assert (outcome.contract_id, outcome.possible_id) == (case.get("id"), case.get("possible"))
    assert outcome.address == case.get("address")
    said = outcome.warning or (outcome.error.message if outcome.error else "")
    assert case.get("said", "") in said
    assert bool(said) == ("id" not in case or "said" in case)


# Rules


def test_proof_of_each_status() -> None:
    table = {**dict.fromkeys((201, 202, 204), "ordered"), **dict.fromkeys((*REJECTED, 425, 429), "rejected")}
    for status in range(100, 1000):
        assert proof_of(status) == table.get(status, "in_doubt"), status
        sent = outcome_of(answered(QUEUED, status))
        assert sent.status != "in_doubt" or "rejected" not in (sent.reason or ""), status


SHOWN = {"id": CONTRACT, "hostname": "web01"}
#: Each with what speaks against the order in it, and how it stands by a 201 of the same.
CONTRARY: list[tuple[Answer, str, str]] = [
    (answered(PAGE, Location=f"/api/reseller/contracts/{CONTRACT}"), "with an HTML page", "ordered"),
    (answered({**SHOWN, "success": False, "message": "Sold out"}), "success in it is false.\nThe service", "ordered"),
    (answered({"success": "false", "data": {}}), "success in it is false", "in_doubt"),
    (answered({**SHOWN, "error": "Sold out"}), "Sold out", "ordered"),
    (answered({**SHOWN, "state": "draft"}), "its record has the state draft", "in_doubt"),
    (answered({"status": "rejected"}), "its record has the status rejected", "in_doubt"),
    (answered({**SHOWN, "title": "Oops"}, Content_Type="application/problem+json"), "which is for errors", "ordered"),
    (answered(SHOWN, flaw="it was cut off (10 bytes read)"), "it was cut off (10 bytes read)", "ordered"),
    (answered(b"", flaw="it is larger than this collection reads"), "it is larger than", "ordered"),
]


@pytest.mark.parametrize(("answer", "seen", "created"), CONTRARY)
def test_word_of_failure_vetoes_and_a_status_outweighs_it_with_an_id(answer: Answer, seen: str, created: str) -> None:
    sent = outcome_of(answer)
    assert (sent.status, sent.contract_id, sent.possible_id) == ("in_doubt", None, None)
    assert sent.error is not None
    assert sent.error.message == sent.reason
    assert "with status 200, which does not prove that it was placed" in sent.error.message
    assert seen in sent.error.message
    assert sent.error.status == 200
    proven = outcome_of(replace(answer, status=201))
    assert (proven.status, proven.error is None) == (created, created == "ordered")
    said = (proven.warning or "") + (proven.reason or "")
    assert "cannot be read" in said or seen in said or "says otherwise" in said


def test_nothing_of_the_record_of_another_order_is_kept() -> None:
    body = {"id": 17, "l2vpn": "0f3c1d9e-8a51-4c39-9d2a-0f3c1d9e8a51", "state": "new"}
    kept, strange = (outcome_of(answered({**body, **more}, 201)) for more in ({}, {"hostname": "db01"}))
    assert (kept.l2vpn_id, kept.contract) == (body["l2vpn"], {"id": 17, "state": "new"})
    assert (strange.l2vpn_id, strange.contract) == (None, None)


def test_order_in_doubt_for_want_of_a_value_alone_names_the_line_of_the_file() -> None:
    line = 'add order.placed to the service\'s file: {"status": 200, "id": "data.contractId"}'
    outcome = outcome_of(answered({"data": {"contractId": 17}}))
    assert (outcome.status, outcome.possible_id) == ("in_doubt", "17")
    assert line in (outcome.reason or "")
    for body in (QUEUED, {"data": {"contractId": 17}, "error": "No"}, {"data": {"contractId": 17, "state": "draft"}}):
        other = outcome_of(answered(body))
        assert (other.status, "order.placed" in (other.reason or "")) == ("in_doubt", False)


@pytest.mark.parametrize(
    ("status", "without_id", "said"), [(201, "ordered", ""), (200, "in_doubt", "status 200, which does not prove")]
)
def test_outcome_says_how_the_order_stands_if_its_id_is_another_orders(status: int, without_id: str, said: str) -> None:
    outcome = outcome_of(answered(SHOWN, status))
    other = outcome.without_id
    assert (outcome.status, outcome.contract_id, outcome.proven) == ("ordered", CONTRACT, True)
    assert other is not None
    assert (other.status, other.contract_id, other.contract, other.possible_id) == (without_id, None, None, None)
    assert "another order of this service has the contract ID" in (other.warning or other.reason or "")
    assert said in (other.reason or "")
    assert outcome_of(answered(QUEUED, 201)).without_id is None


def test_reason_holds_no_credential_of_the_answer() -> None:
    for body in ({"password": "hunter-two"}, {"password": "hunter-two", "success": False}):
        assert "hunter" not in (outcome_of(answered(body)).reason or "")


def test_secret_that_a_shortened_reason_would_cut_is_masked_before() -> None:
    """What the ledger keeps is the reason of the masked answer: half a secret is recognized by nobody."""
    answer = answered({"message": f"{'x' * 1990} Quite-Secret-1"}, 500)
    assert "Quite" in (outcome_of(answer).reason or "")
    outcome = outcome_of(answer, "Quite-Secret-1")
    assert "Quite" not in (outcome.reason or "") + str(outcome.error)


def test_accepted_answer_is_shown_without_secrets() -> None:
    sent = outcome_of(answered({"contract": {"id": 17}, "note": "as sent", "password": "hunter-two"}, 201))
    assert sent.contract_id == "17"
    assert sent.body == {"contract": {"id": 17}, "note": "as sent", "password": MASK}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (answered({"id": CONTRACT}, 500), CONTRACT),
        (answered({"contract": {"id": 17}, "status": "unknown"}, 504), "17"),
        (answered({"id": "web01"}, 500), None),
        (answered({"id": 17, "hostname": "db01"}, 500), None),
        (answered({"id": 17, "state": "failed"}, 500), None),
        *((answered({"id": 17, name: "No"}, 502), None) for name in ("message", "detail", "title", "description")),
        (answered({"data": {"id": 17, "message": "No"}}, 502), None),
        (answered({"contract": {"id": 17}, "error": "You have one already."}, 504), None),
        (answered({"id": CONTRACT, "state": "draft"}), None),
        (answered(b"", 302, Location=f"/api/reseller/contracts/{CONTRACT}"), CONTRACT),
        (answered({"id": CONTRACT, "success": False}), None),
        (answered(b"<html><p>Bad gateway", 502), None),
        (answered(PAGE, 502, Location=f"/api/reseller/contracts/{CONTRACT}"), None),
        (answered(b"{", 500), None),
        (answered({"detail": "No."}, 500), None),
        (answered({"id": ".."}, 500), None),
        (answered({"id": CONTRACT}, 422), None),
    ],
)
def test_id_in_an_answer_that_proves_nothing_is_told(answer: Answer, told: str | None) -> None:
    outcome = outcome_of(answer)
    assert (outcome.contract_id, outcome.possible_id) == (None, told)


@pytest.mark.parametrize(
    ("body", "location"),
    [({"id": "c-hunter2-9"}, None), ({}, "https://portal.example/api/reseller/contracts/c-hunter2-9")],
)
def test_id_that_contains_a_secret_is_not_stored(body: dict[str, str], location: str | None) -> None:
    answer = Answer(201, "", json.dumps(body).encode(), {"Location": location} if location else {})
    assert outcome_of(answer).contract_id == "c-hunter2-9"
    result = outcome_of(answer, "hunter2-9")
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
    delivery = Delivery("web01", clocks=HurriedClocks())
    message = Message(
        lambda _type, _check: request(), lambda each, sent: order_outcome(each, masker, (), sent), masker, order=SENT
    )
    send(delivery, message, Pace(delivery.clocks))
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
    assert result.status == proof or (answer.ok and {result.status, proof} == {"ordered", "in_doubt"})
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
