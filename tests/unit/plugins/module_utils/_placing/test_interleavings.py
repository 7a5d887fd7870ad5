# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Placing, run after run, with whatever requests, other runs and a person may do: by a state machine."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    LostAnswerError,
    ResellerError,
    UnreachableError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import RawAnswer
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Database, Run
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_tables import make_tables
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    RELEASED,
    Filter,
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite import SqliteSession
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from ansible_collections.hosting.reseller.plugins.module_utils._placing.placer import End, Placer
from ansible_collections.hosting.reseller.plugins.module_utils._placing.pool import PlacingPool
from ansible_collections.hosting.reseller.plugins.module_utils._placing.sending import Message, Pace, Sender
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker
from ansible_collections.hosting.reseller.plugins.module_utils._service.receipts import SentOrder
from tests.support.clocks import HurriedClocks
from tests.support.ledgers import claim, let_time_pass, record, remove
from tests.unit.plugins.module_utils._ledger.runs import request, settle

NAMES = ["a", "b", "c", "d"]
#: What happens to one request: whether the service buys, and the status that it answers, if it answers.
REQUESTS: Mapping[str, tuple[bool, int | None]] = {
    "accepted": (True, 201),
    "rejected": (False, 422),
    "accepted, error": (True, 500),
    "error": (False, 500),
    "not now": (False, 429),
    "accepted, lost": (True, None),
    "lost": (False, None),
    "unreachable": (False, None),
    "broken": (False, None),
    "interrupted": (False, None),
    "accepted, interrupted": (True, None),
    "stopped, accepted": (True, 201),
    "stopped, not now": (False, 429),
}
OUTCOMES: Mapping[int, Any] = {201: "ordered", 422: "rejected", 429: "rejected", 500: "in_doubt"}


class InterruptedRunError(BaseException):
    """A signal that a run does not hold back."""


class MemoryDatabase(Database):
    """A ledger in memory, which all runs share: what passes the time of a thread that sends may use it, too."""

    _alone = threading.RLock()

    def __init__(self, connection: sqlite3.Connection, run_id: str) -> None:
        super().__init__("memory", "memory", Run(run_id))
        self.exists = True
        self._connection = connection

    def run(self, work: Callable[..., Any], *, writing: bool) -> Any:
        with self._alone:
            self._connection.execute("BEGIN")
            try:
                answer = work(SqliteSession(self._connection, self.by.clocks))
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            return answer

    def release(self) -> None:
        """The others use the connection, too."""


class GivenTime(HurriedClocks):
    """Time passes as it is waited for, and no other way."""

    def __init__(self, *while_waiting: Callable[[], object]) -> None:
        super().__init__(is_stopped=True)
        self._once, self.wait = [*while_waiting], lambda _seconds: self._once and self._once.pop()()


class Service:
    """What it has sold, and the script of what becomes of the next requests for each name."""

    def __init__(self) -> None:
        self.bought, self.requests, self.begun_after_stop = Counter[str](), Counter[str](), 0
        self.scripts: Mapping[str, list[str]] = {}
        #: That of the run.
        self.pace = Pace()
        self._lock = threading.Lock()


class Scripted(Sender[str]):
    kind, timeout = "order", 20.0

    def __init__(self, service: Service) -> None:
        self._service = service

    def request(self, item: str, ledger: Ledger) -> StoredRequest:
        return request(item)

    def other(self, item: str, record: Record) -> ResellerError | None:
        return None

    def message(self, name: str) -> Message:
        service = self._service

        def post(_media_type: str | None, check: Callable[[], None]) -> RawAnswer:
            script = service.scripts[name]
            happens = script.pop(0) if script else "accepted"
            if happens == "unreachable":
                raise UnreachableError("No connection.")
            check()
            with service._lock:
                service.requests[name] += 1
                service.begun_after_stop += service.pace.stopped
                bought, status = REQUESTS[happens]
                service.bought[name] += bought
            if happens.startswith("stopped"):
                service.pace.stop()
            if happens == "broken":
                raise ValueError(happens)
            if happens.endswith("interrupted"):
                raise InterruptedRunError
            if status is None:
                raise LostAnswerError("No answer.")
            return RawAnswer(status, "https://service.example", headers={"Retry-After": "25"})

        def read(answer: RawAnswer, _sent: SentOrder) -> Outcome:
            status = OUTCOMES[answer.status]
            return Outcome(status, None, f"c-{name}" if status == "ordered" else None)

        return Message(post, read, Masker())


def placed(
    placer: Placer[str], names: Sequence[str], threads: int | None, keep_going: bool
) -> Generator[tuple[int, End], None, None]:
    """How each of these ends that a run places: in its threads, or, without, as tasks of one order each."""
    if threads:
        yield from PlacingPool(placer, threads, keep_going=keep_going).place(dict(enumerate(names)))
        return
    for at, name in enumerate(names):
        end = placer.place(name)
        if end is None:
            return
        yield at, end
        if not keep_going and not (end.record and end.record.status == "ordered"):
            return


class Placing(RuleBasedStateMachine):
    """Runs that place batches, one after the other, beside another run and a person who tells the truth."""

    @initialize()
    def begin(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.service, self.count = Service(), 0
        first = self.database()
        first.run(make_tables, writing=True)
        self.ledger, self.other = self.opened(), self.opened()

    def teardown(self) -> None:
        self.connection.close()

    def database(self) -> MemoryDatabase:
        self.count += 1
        return MemoryDatabase(self.connection, f"run-{self.count}")

    def opened(self) -> Ledger:
        return Ledger(self.database, "write")

    def records(self) -> dict[str, Record]:
        return {each.name: each for each in self.opened().select(Filter())}

    # What a run does

    @rule(
        names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True),
        scripts=st.lists(st.lists(st.sampled_from([*REQUESTS]), max_size=3), min_size=4, max_size=4),
        threads=st.sampled_from([None, None, 1, 3]),
        keep_going=st.booleans(),
        others=st.sampled_from(["ordered", "rejected", "dies"]),
        most=st.sampled_from([1, 2, 9, 9]),
    )
    def place(
        self,
        names: Sequence[str],
        scripts: Sequence[list[str]],
        threads: int | None,
        keep_going: bool,
        others: str,
        most: int,
    ) -> None:
        """One more run places these. It leaves after so many ends."""
        before, requests = self.records(), self.service.requests.copy()
        self.service.scripts = {name: [*script] for name, script in zip(NAMES, scripts, strict=True)}
        self.service.begun_after_stop = 0
        pace, ended = Pace(GivenTime(self.time_of_others_passes, lambda: self.others_end(others))), dict[int, End]()
        self.service.pace = pace
        placer = Placer(
            Scripted(self.service),
            self.ledger,
            pace=pace,
            heartbeat=lambda: self.no_more_is_pending_than_is_sent(threads or 1),
        )
        was_cut_off = True
        with suppress(ValueError, InterruptedRunError), closing(placed(placer, names, threads, keep_going)) as ends:
            for at, end in itertools.islice(ends, most):
                assert at not in ended
                ended[at] = end
            was_cut_off = len(ended) == most
        after = self.records()
        sent = {name for name in names if self.service.requests[name] > requests[name]}
        # What was ordered or in doubt is never sent.
        assert not [name for name in sent if name in before and before[name].status in ("ordered", "in_doubt")]
        for at, each in ended.items():
            self.check_end(names[at], each, after)
        if not threads:
            assert self.service.begun_after_stop == 0
        if not (was_cut_off or pace.stopped):
            failed = [each for each in ended.values() if not (each.record and each.record.status == "ordered")]
            assert len(ended) == len(names) or (failed and not keep_going)
        if was_cut_off:
            self.end_run()

    def check_end(self, name: str, ended: End, records: Mapping[str, Record]) -> None:
        """What is told of an order is what is recorded, and true."""
        assert ended.record is not None
        assert ended.record.status == records[name].status
        if ended.record.status == "ordered":
            assert self.service.bought[name] == 1

    def no_more_is_pending_than_is_sent(self, threads: int) -> None:
        pending = [each for each in self.records().values() if each.status == "pending"]
        own = [each for each in pending if each.name in self.ledger._claims]
        assert len(own) <= threads

    @rule()
    def end_run(self) -> None:
        """The run ends orderly, and one more begins."""
        self.ledger.close()
        self.ledger = self.opened()

    @rule()
    def crash_run(self) -> None:
        self.ledger = self.opened()

    # What others do

    @rule(name=st.sampled_from(NAMES))
    def another_run_claims(self, name: str) -> None:
        claim(self.other, [request(name)])

    @rule(how=st.sampled_from(["ordered", "rejected", "dies"]))
    def others_end(self, how: str) -> None:
        for name in [*self.other._claims]:
            if how == "dies":
                let_time_pass(self.other, name)
            elif self.opened().find([name])[name].status == "pending":
                self.service.bought[name] += how == "ordered"
                status: Any = how
                record(self.other, name, Outcome(status, None, f"c-{name}" if how == "ordered" else None))
        if how == "dies":
            self.other = self.opened()

    @rule()
    def person_settles_what_is_in_doubt(self) -> None:
        ledger = self.opened()
        for name, each in self.records().items():
            if each.status == "in_doubt" and self.service.bought[name]:
                assert settle(ledger, name, Outcome("ordered", "By hand.", f"c-{name}")) is None
            elif each.status == "in_doubt":
                assert remove(ledger, name) is None

    @rule()
    def deadlines_pass(self) -> None:
        if not self.other._claims:
            let_time_pass(self.ledger, *NAMES)

    def time_of_others_passes(self) -> None:
        """A run that crashed records nothing of what it has claimed."""
        let_time_pass(self.ledger, *({*NAMES} - {*self.ledger._claims}))

    # What is always true

    @invariant()
    def nothing_is_bought_twice_or_lost_or_untrue(self) -> None:
        records = self.records()
        assert max(self.service.bought.values(), default=0) <= 1
        for name, number in self.service.bought.items():
            assert not number or (name in records and records[name].status not in RELEASED)
        assert all(self.service.bought[name] for name, each in records.items() if each.status == "ordered")


TestPlacing = Placing.TestCase
TestPlacing.settings = settings(settings(), stateful_step_count=15)
