# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an order's answer leads to, on real sockets and a real ledger: what is sent, kept, and sent again."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    LedgerError,
    ResellerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http import answer_file
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_errors import waiting_line
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, StoredRequest
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order
from ansible_collections.hosting.reseller.plugins.module_utils._placing.placer import End
from ansible_collections.hosting.reseller.plugins.module_utils._placing.pool import PlacingPool
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import Pace
from playbooks.files.simulator.http_server import Peer, Received, Reply, ScriptedServer, SocketServer, after_the_request
from tests.support.ledgers import await_doubt, claim, record, remove
from tests.support.order_examples import CONFIG
from tests.unit.plugins.module_utils._placing.conftest import (
    API_KEY,
    CONTRACT,
    NAME,
    PRODUCT,
    Bench,
    EvolvingService,
    learned,
    order,
)

PATH = "/api/reseller/contracts"
#: The address of a service that is not there.
NOBODY = "http://127.0.0.1:9"


def answering(*replies: Reply) -> ScriptedServer:
    """A server that gives one reply to an order after the other, the last for ever."""
    left = list(replies)
    return ScriptedServer(lambda request: left.pop(0) if len(left) > 1 else left[0])


def accepted(request: Received | None = None) -> Reply:
    return Reply({"id": CONTRACT}, 201)


def bodies(server: ScriptedServer) -> list[Any]:
    return [json.loads(request.body) for request in server.requests if request.method == "POST"]


def kept_on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("ledger.db*") if path.is_file())


# Answers


#: One of each kind; test_outcomes.py has all statuses.
ANSWERS: list[tuple[Reply, str, str]] = [
    (accepted(), "ordered", ""),
    (Reply(None, 308, {"Location": "/api/reseller/elsewhere"}), "rejected", "/api/reseller/elsewhere"),
    (Reply(None, 302, {"Location": "/api/reseller/elsewhere"}), "in_doubt", "302"),
    (Reply({"message": "Oops"}, 500), "in_doubt", "500"),
]


@pytest.mark.parametrize(("reply", "status", "words"), ANSWERS)
def test_answer_decides_how_the_order_stands_and_whether_the_next_run_sends_it(
    reply: Reply, status: str, words: str, bench: Bench
) -> None:
    with answering(reply, accepted()) as server:
        placed = bench.place(server.url)
        assert (placed.record, placed.record.status) == (bench.record(), status)
        assert placed.sent is not None
        assert words in f"{placed.record.outcome.reason} {placed.sent.warning}"
        assert (placed.sent.error is None) == (status == "ordered")
        assert [request.path for request in server.requests] == [PATH]
        again = bench.place(server.url)
        rejected = status == "rejected"
        assert (again.sent is not None, again.record.status) == (rejected, "ordered" if rejected else status)
        assert len(server.requests) == 1 + rejected


def test_published_answer_is_no_proof_of_an_order(bench: Bench) -> None:
    """A list of successes says what an answer looks like, and not what it is about."""
    document = learned("endUser", "product")
    schema = {"type": "object", "properties": {"state": {"type": "string"}}}
    document["paths"][PATH]["post"]["responses"] = {"200": {"content": {"application/json": {"schema": schema}}}}

    def answer(request: Received) -> Reply:
        return Reply(document if request.method == "GET" else {"state": "queued"})

    with ScriptedServer(answer) as server:
        assert bench.place(server.url, named=False).record.status == "in_doubt"


@pytest.mark.parametrize(
    ("status", "last", "expected"), [(425, accepted(), "ordered"), (429, Reply(None, 500), "in_doubt")]
)
def test_an_order_that_was_not_processed_is_sent_again_when_the_service_says(
    status: int, last: Reply, expected: str, bench: Bench
) -> None:
    later = Reply({"message": "Not now"}, status, {"Retry-After": "7"})
    with answering(later, later, last) as server:
        assert bench.place(server.url).record.status == expected
        assert len(server.requests) == 3
        assert len({request.body for request in server.requests}) == 1
    assert bench.clocks.slept == [7.0, 7.0]


@pytest.mark.parametrize(
    ("retry_after", "requests", "held"),
    [
        ("0", 5, []),
        ("25", 3, [25.0, 25.0]),
        ("59", 2, [59.0]),
        ("60", 1, []),
        ("", 5, [1.0, 2.0, 4.0, 8.0]),
    ],
)
def test_waits_for_a_busy_service_are_bounded_in_all(
    retry_after: str, requests: int, held: list[float], bench: Bench
) -> None:
    """After them the order is released: another run sends it again."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    with answering(Reply({"message": "Not now"}, 429, headers)) as server:
        placed = bench.place(server.url)
        assert placed.record.status == "rejected"
        assert "Not now" in (placed.record.outcome.reason or "")
        assert len(server.requests) == requests
        assert bench.clocks.slept == held
        bench.place(server.url)
        assert len(server.requests) == 2 * requests


@pytest.mark.parametrize("clock", ["wall", "since_boot"])
@pytest.mark.parametrize(("look", "connections"), [(2, 0), (3, 1)], ids=["claimed", "connected"])
def test_no_attempt_begins_after_the_time_that_others_rely_on(
    clock: str, look: int, connections: int, bench: Bench
) -> None:
    """The machine is suspended, or its clock is set, between the claim and the request or while it connects.

    The clocks are looked at before the claim, after it, and once the connection stands.
    """
    bench.at_look(look, clock, lambda: bench.clocks.pass_(60.0, clock))
    with answering(Reply({"id": "c-1"}, 201)) as server:
        placed = bench.place(server.url)
        server.wait_until_closed(connections)
    assert (server.connections, server.requests) == (connections, [])
    assert placed.record.status == "not_sent"
    assert "could not be sent within 60 seconds of its claim" in (placed.record.outcome.reason or "")


# Media types


LD_JSON = "application/ld+json"


def types_sent(server: ScriptedServer) -> list[str | None]:
    return [request.headers["Content-Type"] for request in server.requests if request.method == "POST"]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ({"body": {"detail": f'"application/json" is not supported. Supported are "{LD_JSON}".'}}, True),
        ({"body": b'{"types": ["application\\/ld+json"]}'}, True),
        ({"headers": {"Accept-Post": f"{LD_JSON}; charset=utf-8"}}, True),
        ({"headers": {"Accept-Patch": LD_JSON}}, True),
        ({"headers": {"Accept": f"text/html, {LD_JSON}"}}, True),
        ({"body": {"detail": "no"}, "headers": {"Content-Type": LD_JSON}}, True),
        ({"body": {"detail": "Send application/json."}}, False),
        ({"body": {"type": "application/problem+json"}}, False),
    ],
)
def test_order_is_sent_in_the_other_type_that_415_names(answer: dict[str, Any], named: bool, bench: Bench) -> None:
    def script(request: Received) -> Reply:
        if request.headers["Content-Type"] == LD_JSON:
            return accepted()
        return Reply(answer.get("body"), 415, answer.get("headers", {}))

    with ScriptedServer(script) as server:
        assert bench.place(server.url).record.status == ("ordered" if named else "rejected")
    assert types_sent(server) == ["application/json", LD_JSON][: 1 + named]


def test_types_that_are_named_without_end_are_tried_a_few_times(bench: Bench) -> None:
    def script(_request: Received) -> Reply:
        return Reply({"detail": f"Send application/v{len(server.requests)}+json."}, 415)

    with ScriptedServer(script) as server:
        assert bench.place(server.url).record.status == "rejected"
    assert len(types_sent(server)) == 5


def test_attempts_are_counted_anew_in_another_type(bench: Bench) -> None:
    busy = Reply({"message": "Not now"}, 429, {"Retry-After": "0"})
    with answering(Reply({"detail": f"Send {LD_JSON}."}, 415), busy) as server:
        assert bench.place(server.url).record.status == "rejected"
    assert types_sent(server) == ["application/json", *[LD_JSON] * 5]


def test_other_type_is_not_tried_after_an_answer_that_may_be_an_order(bench: Bench) -> None:
    replies = [Reply({"detail": f"Send {LD_JSON} or application/hal+json."}, 415), Reply(None, 500), accepted()]
    with answering(*replies) as server:
        assert bench.place(server.url).record.status == "in_doubt"
    assert types_sent(server) == ["application/json", LD_JSON]


# No answer


@pytest.mark.parametrize(
    ("answer", "words"), [(b"", "answer was lost"), (b"Quite-Secret-1 was taken\r\n\r\n", "******** was taken")]
)
def test_order_whose_answer_cannot_be_read_is_in_doubt_and_never_sent_again(
    answer: bytes, words: str, bench: Bench
) -> None:
    with SocketServer(after_the_request(answer)) as server:
        first, again = (bench.place(server.url, order(password="Quite-Secret-1")) for _run in range(2))
        assert server.connections == 1
    assert (first.record.status, again.sent, again.record) == ("in_doubt", None, first.record)
    assert words in (first.record.outcome.reason or "")


# The shape of the request


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


# The ledger


def test_without_a_claim_nothing_is_sent(bench: Bench) -> None:
    with answering(accepted()) as server:
        bench.ledger.close()
        with pytest.raises(LedgerError):
            bench.place(server.url)
        assert server.requests == []


UNKNOWN = "contract_id=unknown"


@pytest.mark.parametrize(
    ("reply", "status", "words", "state"),
    [
        (
            accepted(),
            "ordered",
            f"accepted the order {NAME}, but this could not be recorded.\nContract ID: {CONTRACT}.\n",
            f"state=present contract_id={CONTRACT} ",
        ),
        (Reply(None, 204), "ordered", "Contract ID: not returned.", f"state=present {UNKNOWN} "),
        (
            Reply(None, 500),
            "in_doubt",
            "It is unknown whether the service accepted the order",
            f"state=present {UNKNOWN} ",
        ),
        (Reply({"message": "No credit"}, 402), "rejected", "did not accept the order", "state=absent "),
    ],
)
def test_an_outcome_that_cannot_be_recorded_is_said_and_reads_as_in_doubt(
    reply: Reply, status: str, words: str, state: str, bench: Bench
) -> None:
    def script(request: Received) -> Reply:
        bench.ledger.close()
        return reply

    with ScriptedServer(script) as server, pytest.raises(LedgerError) as caught:
        bench.place(server.url)
    assert caught.value.kind == "not_recorded"
    assert caught.value.results["changed"] == (status == "ordered")
    assert words in caught.value.message
    assert "is closed" in caught.value.message
    line = caught.value.message.partition("before anything is ordered, run this line:\n")[2]
    assert f"name={NAME} {state}" in line
    with bench.open() as later:
        # It was closed while a request was under way.
        assert later.find([NAME])[NAME].status == "pending"
        await_doubt(later, NAME)


def test_order_that_another_run_placed_after_the_deadline_is_not_reported_as_sent(bench: Bench) -> None:
    """This run was stopped until its claim was in doubt, and removed."""

    def late() -> None:
        bench.clocks.pass_(60.0)
        with bench.open() as other:
            await_doubt(other, NAME)
            remove(other, NAME)
            assert claim(other, [StoredRequest(NAME, "", "", "", "", None, "vps")]) == [None]
            record(other, NAME, Outcome("ordered", contract_id=CONTRACT))

    bench.at_look(2, "wall", late)
    placed = bench.place("http://127.0.0.1:9")
    assert (placed.record.status, placed.sent) == ("ordered", None)


def test_order_is_pending_until_its_deadline_if_its_run_is_interrupted_while_it_sends(bench: Bench) -> None:
    def script(peer: Peer) -> None:
        peer.read_request()
        # To the thread that Python handles signals in: another one that took it would not wake that one up.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        peer.wait_until_left()

    with SocketServer(script) as server, pytest.raises(KeyboardInterrupt):
        bench.place(server.url)
    bench.ledger.close()
    with bench.open() as later:
        assert later.find([NAME])[NAME].status == "pending"
        await_doubt(later, NAME)


def test_a_run_that_is_stopped_before_it_sends_releases_the_claim(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Ledger.make
    monkeypatch.setattr(Ledger, "make", lambda self: (bench.pace.stop(), make(self))[1])
    with answering(accepted()) as server:
        assert bench.place(server.url).record.status == "not_sent"
        assert server.requests == []


def test_stop_that_is_seen_before_a_claim_keeps_it_from_being_written(bench: Bench) -> None:
    placer = bench.placer(NOBODY, heartbeat=bench.pace.stop)
    assert (placer.place(order()), bench.ledger.find([NAME])) == (None, {})
    bench.pace = Pace(bench.clocks)
    many = PlacingPool(bench.placer(NOBODY, heartbeat=bench.pace.stop), 1)
    assert ([*many.place({0: order()})], bench.ledger.find([NAME])) == ([], {})


def test_no_claim_is_written_while_the_service_asks_to_wait(bench: Bench) -> None:
    claims = list[int]()

    def heartbeat() -> None:
        claims.append(len(bench.ledger.find([NAME])))
        if len(claims) == 2:
            bench.clocks.pass_(30.0)

    bench.pace.hold(20.0)
    with answering(accepted()) as server:
        pool = PlacingPool(bench.placer(server.url, heartbeat=heartbeat), 1)
        ((_at, end),) = pool.place({0: order()})
    assert (end.record and end.record.status, claims[:2]) == ("ordered", [0, 0])


def test_what_is_known_is_renewed_before_claims(bench: Bench) -> None:
    """It is outdated after what was not accepted with a known ID, and after waiting. An error refuses the order."""
    orders = {index: order(f"web{index}.example.org") for index in range(4)} | {4: order()}
    seen = list[tuple[int, bool]]()

    def renewed(indexes: Sequence[int], is_outdated: bool) -> dict[int, Order | ResellerError]:
        seen.extend((index, is_outdated) for index in indexes)
        return {3: ResellerError("The service has it already.")} if 3 in indexes else {}

    answers = [
        Reply({"id": "c0"}, 201),
        Reply({"message": "no"}, 422),
        Reply({"id": "c2"}, 201),
        Reply({"id": "c4"}, 201),
    ]
    with bench.claimed_elsewhere() as other, answering(*answers) as server:

        def on_wait(_claims: object) -> None:
            other.exchange({NAME: Outcome("rejected")}, [], longest=1.0)

        pool = PlacingPool(bench.placer(server.url, on_wait=on_wait, renewed=renewed), 1, keep_going=True)
        ended = {at: end.record or end.error for at, end in pool.place(orders)}
    assert seen == [(0, False), (1, False), (2, True), (3, False), (4, False), (4, True)]
    assert [str(getattr(end, "status", end)) for _index, end in sorted(ended.items())] == [
        *("ordered", "rejected", "ordered", "The service has it already.", "ordered")
    ]


@pytest.mark.parametrize(
    ("end", "status", "requests"),
    [
        (lambda other: record(other, NAME, Outcome("ordered", contract_id=CONTRACT)), "ordered", 0),
        (lambda other: record(other, NAME, Outcome("rejected", "no")), "ordered", 1),
        (lambda other: other.close(), "in_doubt", 0),
    ],
    ids=["ordered", "released", "dies"],
)
def test_order_pending_elsewhere_is_waited_for(
    end: Callable[[Ledger], object], status: str, requests: int, bench: Bench
) -> None:
    with bench.claimed_elsewhere() as other, answering(accepted()) as server:
        bench.clocks.wait = lambda _seconds: end(other)
        placed = bench.place(server.url)
        assert (placed.record.status, placed.sent is None) == (status, requests == 0)
        assert placed.record.outcome.contract_id == (CONTRACT if status == "ordered" else None)
        assert len(server.requests) == requests


@pytest.mark.parametrize(("job", "who"), [({}, "Another run"), ({"awx_job_id": "17"}, "AWX job 17")])
def test_wait_for_another_run_is_shown_once_with_its_job_and_its_end(
    job: dict[str, str], who: str, bench: Bench
) -> None:
    other = bench.open()
    bench.placer("http://127.0.0.1:9", other, job=job).exchange([], [order()])
    bench.clocks.wait = lambda _seconds: record(other, NAME, Outcome("ordered", contract_id=CONTRACT))
    lines: list[str] = []
    deadline = bench.record().deadline or ""
    placer = bench.placer("http://127.0.0.1:9", on_wait=lambda pending: lines.append(waiting_line(pending)))
    assert placer.place(order()) == End(bench.record())
    assert lines == [f"{who} has claimed {NAME}. Waiting until {deadline[11:19]} UTC at the latest."]
    other.close()


def test_order_pending_elsewhere_is_waited_for_until_no_request_of_it_can_be_under_way(bench: Bench) -> None:
    """Whatever the clocks of both say: an attempt begins within 60 seconds, and takes 20."""
    clocks = bench.clocks
    clocks.boot_id = lambda: None  # type: ignore[method-assign]
    with bench.claimed_elsewhere(), answering(accepted()) as server, bench.open(clocks=clocks) as ledger:
        placed = bench.place(server.url, ledger=ledger)
        assert (placed.sent, placed.record.status) == (None, "in_doubt")
        assert server.requests == []
    assert 80 <= sum(clocks.slept) <= 83


def test_the_ledger_is_told_what_was_ordered_and_no_secret(tmp_path: Path, bench: Bench) -> None:
    password = "Tr0ub4dor&3"
    owner = json.dumps({"first_name": "Erika", "last_name": "Mustermann"})
    wanted = order(password=password, ownercData=owner, boot_word="4711-secret", city="Köln")
    wanted = replace(wanted, secret_names=frozenset({"boot_word"}))
    echo = {"id": CONTRACT, "settings": dict(wanted.settings), "note": f"{password} {API_KEY} for Mustermann"}
    with answering(Reply(echo, 201)) as server:
        bench.place(server.url, wanted, job={"awx_job_id": "17", "awx_workflow_job_id": "4"})
        (sent,) = bodies(server)
        assert "Köln".encode() in server.requests[-1].body
    assert sent == {"forUser": "__self__", "productUuid": PRODUCT, "settings": dict(wanted.settings)}
    kept = bench.record().request
    assert kept is not None
    assert (kept.awx_job_id, kept.awx_workflow_job_id) == ("17", "4")
    assert (kept.service, kept.organization_id, kept.evidence) == (CONFIG.base_url, "4200", None)
    assert set(kept.settings) == {"hostname", "template", "ownercData", "boot_word", "city"}
    bench.ledger.close()
    for secret in (password, API_KEY, "Mustermann", "4711-secret"):
        assert secret.encode() not in kept_on_disk(tmp_path)


def test_reason_of_a_rejection_is_kept_without_contact_data(tmp_path: Path, bench: Bench) -> None:
    owner = json.dumps({"first_name": "Erika", "last_name": "Mustermann", "street": "Heidestrasse 17"})
    with answering(Reply({"message": "Mustermann of Heidestrasse 17 is blocked"}, 422)) as server:
        reason = bench.place(server.url, order(ownercData=owner)).record.outcome.reason
    assert "is blocked" in (reason or "")
    bench.ledger.close()
    for personal in ("Mustermann", "Heidestrasse 17"):
        assert personal not in (reason or "")
        assert personal.encode() not in kept_on_disk(tmp_path)


# Two orders


def in_turn(*answers: Mapping[str, Any], status: int = 201) -> Callable[[Received], Reply]:
    """A service that gives these answers in turn."""
    left = list(answers)
    return lambda _request: Reply(left.pop(0), status)


def test_second_order_that_is_answered_with_the_first_ones_contract_has_no_id(bench: Bench) -> None:
    with ScriptedServer(in_turn({"id": 17}, {"id": 17})) as server:
        first, second = (bench.place(server.url, order(name)) for name in ("web01", "web02"))
    assert (first.record.outcome.contract_id, second.record.outcome.contract_id) == ("17", None)
    assert (second.record.status, first.sent and first.sent.warning) == ("ordered", None)
    assert "another order of this service has the contract ID of its answer" in str(second.sent and second.sent.warning)


def test_receipt_of_another_orders_contract_leaves_the_order_in_doubt(bench: Bench) -> None:
    answers = [{"id": 17, "hostname": name} for name in ("web01", "web02")]
    with ScriptedServer(in_turn(*answers, status=200)) as server:
        first, second = (bench.place(server.url, order(name)) for name in ("web01", "web02"))
    assert (first.record.status, first.record.outcome.contract_id) == ("ordered", "17")
    assert (second.record.status, second.record.outcome.contract_id) == ("in_doubt", None)
    assert second.sent is not None
    assert second.sent.error is not None
    assert second.record.outcome.reason == second.sent.error.statement


# The file for the answer

ANSWER = {"id": CONTRACT, "rootPw": "kT9xToldOnce"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answer.json"


def with_file(path: Path, name: str = NAME) -> Order:
    return replace(order(name), save_answer=str(path))


def test_answer_is_saved_as_it_arrived_and_kept_nowhere_else(path: Path, bench: Bench) -> None:
    modes: list[tuple[int, int]] = []

    def answer(request: Received) -> Reply:
        modes.append((path.stat().st_mode & 0o777, path.stat().st_size))
        if len(modes) == 1:
            return Reply({"message": "Not now, " + "x" * 500}, 429, {"Retry-After": "0"})
        return Reply(ANSWER, 201)

    with ScriptedServer(answer) as server:
        placed = bench.place(server.url, with_file(path))
    # Before the order is sent once more, too, the file is empty.
    assert modes == [(0o600, 0)] * 2
    assert json.loads(path.read_bytes()) == ANSWER
    assert path.stat().st_mode & 0o777 == 0o600
    assert placed.record.status == "ordered"
    assert b"ToldOnce" not in kept_on_disk(path.parent)


@pytest.mark.parametrize("kind", ["a file", "a link to nothing", "no path", "of others"])
def test_nothing_is_sent_without_the_file_for_the_answer(kind: str, path: Path, bench: Bench) -> None:
    elsewhere = path.with_name("elsewhere")
    if kind == "a file":
        path.write_text("precious")
    elif kind == "a link to nothing":
        path.symlink_to(elsewhere)
    elif kind == "of others":
        # As /tmp is.
        (shared := path.with_name("shared")).mkdir()
        shared.chmod(0o1777)
        path = shared / "answer.json"
    else:
        path = path.with_name("a\0b")
    with answering(accepted()) as server:
        with pytest.raises(ConfigurationError, match="save_answer"):
            bench.place(server.url, with_file(path))
        assert server.requests == []
        assert bench.record().status == "not_sent"
        assert bench.place(server.url).record.status == "ordered"
    assert not elsewhere.exists()
    if kind == "a file":
        assert path.read_text() == "precious"


@pytest.mark.parametrize("why", ["No space left on device", "the file was removed meanwhile"])
def test_contract_is_kept_though_its_answer_cannot_be_saved(
    why: str, path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(descriptor: int, content: bytes) -> int:
        if why.startswith("No"):
            raise OSError(errno.ENOSPC, why)
        path.unlink(missing_ok=True)
        return os.write(descriptor, content)

    monkeypatch.setattr(answer_file, "os", SimpleNamespace(**{**vars(os), "write": write}))
    with answering(Reply(ANSWER, 201)) as server:
        placed = bench.place(server.url, with_file(path))
    assert placed.record.status == "ordered"
    assert placed.sent is not None
    assert f"could not be saved to {str(path)!r}: {why}." in (placed.sent.warning or "")


def test_file_for_the_answer_is_removed_if_there_was_none_or_an_empty_one(path: Path, bench: Bench) -> None:
    with (
        answering(Reply(None, 204)) as silent,
        answering(Reply({"message": "No"}, 422)) as refusing,
        SocketServer(after_the_request()) as losing,
        answering(Reply(ANSWER, 500)) as failing,
    ):
        for url, name, status, kept in (
            (silent.url, "web03.example.org", "ordered", False),
            (refusing.url, NAME, "rejected", False),
            (NOBODY, NAME, "not_sent", False),
            (losing.url, NAME, "in_doubt", False),
            (failing.url, "web02.example.org", "in_doubt", True),
        ):
            assert (bench.place(url, with_file(path, name)).record.status, path.exists()) == (status, kept)
