# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many orders at a time, on real sockets and a real ledger: what is claimed and recorded, and when."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Run
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome, Record
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import Order
from ansible_collections.hosting.reseller.plugins.module_utils._placing.pool import PlacingPool
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from tests.support.ledgers import record
from tests.unit.plugins.module_utils._placing.conftest import NAME, Bench, accepted, answering, order


def orders(count: int) -> list[Order]:
    return [order(f"web{number}.example.org") for number in range(count)]


def statuses(bench: Bench) -> dict[str, str]:
    with bench.open(writing=False) as ledger:
        return {record.name: record.status for record in ledger.select(Filter())}


def ordered(ended: Mapping[int, Record | ResellerError]) -> set[int]:
    """Which orders ended well."""
    return {index for index, each in ended.items() if isinstance(each, Record) and each.status == "ordered"}


def run(bench: Bench, wanted: list[Order], answer: Callable[[str], object]) -> dict[int, Record | ResellerError]:
    """How these orders ended at a service that accepts all, after ``answer`` was called with the name of each."""

    def script(request: Received) -> Reply:
        name = json.loads(request.body)["settings"]["hostname"]
        answer(name)
        return Reply({"id": f"c-{name}"}, 201)

    with ScriptedServer(script) as server:
        return bench.batch(server.url, wanted)


def take_claim(bench: Bench, name: str) -> None:
    """Record the order as another run that has the claim in its hands now."""
    other: Any = bench.open()
    with other:
        other._database.by = Run(other.find([name])[name].run_id)
        record(other, name, Outcome("ordered", contract_id="c-elsewhere"))


def test_outcome_that_cannot_be_recorded_keeps_no_other_from_being(bench: Bench) -> None:
    together = threading.Barrier(3)

    def answer(name: str) -> None:
        together.wait(20.0)
        if name == "web1.example.org":
            take_claim(bench, name)

    ended = run(bench, orders(3), answer)
    assert isinstance(ended[1], LedgerError)
    assert ended[1].kind == "not_recorded"
    assert ordered(ended) == {0, 2}


def test_order_beside_an_outcome_that_cannot_be_recorded_is_not_begun(bench: Bench) -> None:
    """Its claim would have been in the same transaction."""

    def script(request: Received) -> Reply:
        name = json.loads(request.body)["settings"]["hostname"]
        take_claim(bench, name)
        return Reply({"id": f"c-{name}"}, 201)

    with ScriptedServer(script) as server:
        ((at, end),) = PlacingPool(bench.placer(server.url), 1, keep_going=True).place(dict(enumerate(orders(2))))
    assert (at, end.error and end.error.kind) == (0, "not_recorded")
    assert [*statuses(bench)] == ["web0.example.org"]


def test_error_in_a_thread_leaves_no_outcome_unrecorded(bench: Bench) -> None:
    wanted = orders(3)
    wanted[1] = replace(wanted[1], additional_elements={"note": float("nan")})
    with pytest.raises(ValueError, match="JSON compliant"):
        run(bench, wanted, lambda name: None)
    first, failed, third = statuses(bench).values()
    assert failed == "not_sent"
    # Their threads may have sent them before the batch stopped, or not. What counts is that no record stays pending.
    assert {first, third} <= {"ordered", "not_sent"}


def test_ledger_that_was_moved_takes_no_claim_and_still_the_outcomes(bench: Bench) -> None:
    def answer(_name: str) -> None:
        other: Any = bench.open()
        with other:
            other.run(lambda each: each.set_meta("moved_to", "postgresql://elsewhere"), writing=True)

    ended = run(bench, orders(20), answer)
    assert set(statuses(bench).values()) == {"ordered"}
    assert ordered(ended) == {0, 1, 2}
    error = ended[3]
    assert isinstance(error, LedgerError)
    assert "was moved to" in error.message
    # Nothing goes on without a ledger, also where the others are to be placed after a failure.
    assert len(ended) <= 6


def test_placing_that_is_left_early_ends_and_records_what_it_has_begun(bench: Bench) -> None:
    told = threading.Event()

    def script(request: Received) -> Reply:
        name = json.loads(request.body)["settings"]["hostname"]
        if name != "web0.example.org":
            # The others are under way when the first one is told.
            told.wait(20.0)
        return Reply({"id": f"c-{name}"}, 201)

    with ScriptedServer(script) as server:
        with closing(PlacingPool(bench.placer(server.url), 3).place(dict(enumerate(orders(9))))) as ends:
            assert next(ends)[0] == 0
            told.set()
        found, sent = [*statuses(bench).values()], len(server.requests)
    # Nothing is pending, and what was claimed too late to begin is released.
    assert {*found} <= {"ordered", "not_sent"}
    assert sent == found.count("ordered")
    assert 1 <= sent <= len(found) <= 4


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
    wanted = dict(enumerate([*orders(4), order()]))
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
        ended = {at: end.record or end.error for at, end in pool.place(wanted)}
    assert seen == [(0, False), (1, False), (2, True), (3, False), (4, False), (4, True)]
    assert [str(getattr(end, "status", end)) for _index, end in sorted(ended.items())] == [
        *("ordered", "rejected", "ordered", "The service has it already.", "ordered")
    ]
