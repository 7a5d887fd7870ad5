# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The locks that show which runs are alive, and runs as processes of their own, at the same time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import (
    COLUMNS,
    Liveness,
    later,
    record_of,
    row_of,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import names_in, request


def test_run_lives_as_long_as_its_lock_and_without_a_file_nothing_is_known(sqlite_store: Store) -> None:
    ours, theirs = (ledger.make() for ledger in (sqlite_store.open(), sqlite_store.open()))
    name, alive, unseen, gone = ours.run_id, ({ours.run_id}, set()), (set(), {ours.run_id}), (set(), set())
    lock = Path(f"{sqlite_store.address}.runs", name)

    def seen() -> tuple[set[str], set[str]]:
        return theirs.living(Mock(), [name])

    assert seen() == unseen
    ours.take_lock()
    assert seen() == alive
    ours.release(with_claims=True)
    with lock.open() as other:
        # Readers do not disturb each other.
        fcntl.flock(other, fcntl.LOCK_SH)
        assert seen() == gone
    ours.take_lock()
    ours.release()
    assert seen() == unseen
    # What is no file never blocks.
    os.mkfifo(lock, 0o600)
    assert seen() == gone


RUNS = 6


def test_of_many_runs_that_make_the_ledger_and_claim_one_thing_under_their_own_names_one_wins(store: Store) -> None:
    runs = [store.starting() for _rest in range(RUNS)]
    for number, run in enumerate(runs):
        run.tell("open")
        run.tell("claim same", "domain.example", f"order-{number}", f"alias-{number}")
    assert [run.answer() for run in runs] == ["open"] * RUNS
    answers = [run.answer() for run in runs]
    (name,) = names_in(store.open())
    assert answers.count([None, name]) == 1, answers
    assert answers.count([name, name]) == RUNS - 1, answers


def test_an_order_that_is_recorded_just_now_is_never_in_doubt(store: Store, pytestconfig: pytest.Config) -> None:
    reader = store.open()
    seen = set()
    for number in range(15 if pytestconfig.getoption("full") else 3):
        run = store.run()
        name = f"order-{number}"
        run.tell("claim", name)
        run.tell("record", name, {"status": "ordered"})
        run.tell("end")  # it claims, records and ends at once
        while run.process.poll() is None:
            seen |= {record.status for record in reader.find([name]).values()}
        seen |= {reader.find([name])[name].status}
    assert seen <= {"pending", "ordered"}


TIME = "2026-11-21T10:00:00Z"
PENDING = Outcome("pending")


def test_a_damaged_record_is_named() -> None:
    row = row_of(Record("a", PENDING, request("a"), "mine", TIME, None, TIME))
    damaged = {column: value and value.replace("{", "") for column, value in zip(COLUMNS, row, strict=True)}
    with pytest.raises(LedgerError, match=r"record of the order a was damaged\.\nIts .* is not valid"):
        record_of(damaged, "", Liveness(()))


@pytest.mark.parametrize(
    ("runs", "status", "unseen"),
    [
        (Liveness({"mine"}), "pending", False),
        (Liveness(()), "in_doubt", False),
        (Liveness((), {"mine"}, "2026-11-21T10:01:59Z"), "pending", True),
        (Liveness((), {"mine"}, "2026-11-21T10:02:00Z"), "in_doubt", False),
        (Liveness((), {"another"}, TIME), "in_doubt", False),
    ],
)
def test_run_that_cannot_be_seen_is_under_way_until_the_deadline(runs: Liveness, status: str, unseen: bool) -> None:
    claim = Record("a", PENDING, request("a"), "mine", TIME, None, TIME, deadline="2026-11-21T10:02:00Z")
    found = record_of(dict(zip(COLUMNS, row_of(claim), strict=True)), "", runs)
    assert (found.status, found.unseen) == (status, unseen)


def test_deadline_is_never_early() -> None:
    assert later("2026-12-31T23:59:59Z", 180.5) == "2027-01-01T00:03:01Z"
