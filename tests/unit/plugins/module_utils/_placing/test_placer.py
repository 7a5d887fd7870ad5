# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an order's answer leads to, on real sockets and a real ledger: what is sent, kept, and sent again."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    LedgerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_errors import waiting_line
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, StoredRequest
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
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
    NOBODY,
    PRODUCT,
    Bench,
    accepted,
    answering,
    kept_on_disk,
    order,
)

PATH = "/api/reseller/contracts"


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
    placed = bench.place(NOBODY)
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
def test_wait_for_another_run_is_shown_once_with_its_job(job: dict[str, str], who: str, bench: Bench) -> None:
    other = bench.open()
    bench.placer(NOBODY, other, job=job).exchange([], [order()])
    bench.clocks.wait = lambda _seconds: record(other, NAME, Outcome("ordered", contract_id=CONTRACT))
    lines: list[str] = []
    deadline = bench.record().deadline or ""
    placer = bench.placer(NOBODY, on_wait=lambda pending: lines.append(waiting_line(pending)))
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
        (sent,) = (json.loads(request.body) for request in server.requests)
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


@pytest.mark.parametrize(("status", "second"), [(201, "ordered"), (200, "in_doubt")])
def test_second_order_that_is_answered_with_the_first_ones_contract_has_no_id(
    status: int, second: str, bench: Bench
) -> None:
    """As a receipt alone, that proves nothing."""
    names = "web01", "web02"
    with answering(
        *(Reply({"id": 17, **({"hostname": name} if status == 200 else {})}, status) for name in names)
    ) as server:
        first, other = (bench.place(server.url, order(name)) for name in names)
    assert (first.record.status, first.record.outcome.contract_id) == ("ordered", "17")
    assert (other.record.status, other.record.outcome.contract_id) == (second, None)
    assert first.sent is not None
    assert first.sent.warning is None
    assert other.sent is not None
    assert "another order of this service has the contract ID" in (
        other.sent.warning or other.record.outcome.reason or ""
    )
    assert (other.sent.error and other.sent.error.statement) == other.record.outcome.reason


@pytest.mark.parametrize(("status", "recorded"), [(201, "ordered"), (200, "in_doubt"), (500, "in_doubt")])
def test_record_of_an_end_user_that_the_ledger_alone_knows_tells_no_id(
    status: int, recorded: str, bench: Bench
) -> None:
    mine, theirs = (f"{digit * 8}-0000-4000-8000-000000000000" for digit in "ab")
    answers = [Reply({"id": number, "customer": theirs.upper()}, status) for number in (17, 18)]
    with answering(accepted(), *answers) as server:
        bench.place(server.url, replace(order("web02"), end_user=theirs))
        own = bench.place(server.url, replace(order("web03"), end_user=theirs)).record.outcome
        other = bench.place(server.url, replace(order(), end_user=mine)).record
    assert (own.contract_id or own.possible_id) == "17"
    assert (other.status, other.outcome.contract_id, other.outcome.possible_id) == (recorded, None, None)
