# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file system, a backup or a person can do to a ledger in a file: nothing of it has an order placed again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

ORDERED = Outcome("ordered", contract_id="c-1")
PACKAGE = os.path.dirname(sqlite.__file__)


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    return sqlite_store


@pytest.fixture
def path(store: Store) -> Path:
    return Path(store.address)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def die_after_claiming(store: Store, *names: str) -> None:
    run = store.run()
    assert run.ask("claim", *names) == [None] * len(names)
    run.kill()


def cut(log: Path) -> None:
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size // 2)


@pytest.mark.parametrize(
    "harm",
    [
        lambda log: log.unlink(missing_ok=True),
        lambda log: log.write_bytes(b""),
        cut,
        lambda log: log.write_bytes(random.Random(1).randbytes(8192)),
    ],
    ids=["removed", "emptied", "cut", "overwritten"],
)
def test_a_claim_outlasts_what_becomes_of_the_log(store: Store, path: Path, harm: Callable[[Path], Any]) -> None:
    die_after_claiming(store, "a", "b")
    harm(beside(path, "-wal"))
    beside(path, "-shm").unlink(missing_ok=True)
    standing = store.open().claim([request("a"), request("b")])
    assert [record and record.status for record in standing] == ["in_doubt", "in_doubt"]


def test_a_backup_of_the_file_alone_has_the_claims(store: Store, path: Path, tmp_path: Path) -> None:
    run = store.run()
    run.ask("claim", "a")
    backup = Store(str(tmp_path / "backup.db"), store._closing)
    shutil.copy(path, backup.address)
    (standing,) = backup.open().claim([request("a")])
    assert standing is not None
    assert standing.status == "in_doubt"


def test_an_older_state_that_is_copied_over_an_open_ledger_is_noticed(store: Store, path: Path) -> None:
    """Where the file stays the same one, SQLite would go on with what it has in memory of the newer state."""
    with store.open() as ledger:
        ledger.claim([request("a")])
        ledger.record("a", Outcome("rejected", "No credit."))
    backup = path.with_name("backup.db")
    shutil.copy(path, backup)
    ours = store.open()
    assert ours.claim([request("a"), request("b")]) == [None, None]
    path.write_bytes(backup.read_bytes())
    with pytest.raises(LedgerError, match="went back in time while this run had it open"):
        ours.claim([request("c")])


def killed(work: Callable[[], object], step: int) -> bool:
    """Do the work in a process that is killed before this line of the ledger's code; whether it got there."""
    child = os.fork()
    if child == 0:
        count = 0

        def trace(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal count
            if not frame.f_code.co_filename.startswith(PACKAGE):
                return None
            if event == "line":
                count += 1
                if count == step:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        try:
            sys.settrace(trace)
            work()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


def placing(store: Store, name: str) -> Callable[[], None]:
    def place() -> None:
        with store.open() as ledger:
            if ledger.claim([request(name)]) == [None]:
                ledger.record(name, ORDERED)

    return place


@pytest.mark.full
def test_a_run_that_is_killed_anywhere_refuses_nobody(tmp_path: Path) -> None:
    """In a ledger that it made, and in one that was there."""
    known = Store(str(tmp_path / "known" / "ledger.db"))
    step, came_to_it = 1, True
    while came_to_it:
        name, came_to_it = f"order-{step}", False
        for store in (Store(str(tmp_path / name / "ledger.db")), known):
            came_to_it |= killed(placing(store, name), step)
            with store.open() as ledger:
                assert len(ledger.claim([request("next")])) == 1
                assert {record.status for record in ledger.find([name]).values()} <= {"in_doubt", "ordered"}, step
        step += 13
    assert step > 100


def test_two_first_runs_at_once_of_which_one_is_killed_refuse_nobody(tmp_path: Path) -> None:
    step, came_to_it = 1, True
    while came_to_it:
        store = Store(str(tmp_path / str(step) / "ledger.db"))
        other = store.starting()
        other.tell("open")
        other.tell("claim", "other")
        came_to_it = killed(placing(store, "killed"), step)
        assert [other.answer(), other.answer()] == ["open", [None]], step
        other.end()
        with store.open() as ledger:
            assert [*ledger.find(["other"])] == ["other"]
        step += 97


def test_no_damage_makes_an_order_seem_new(store: Store, path: Path, tmp_path: Path) -> None:
    """Bits, bytes and pages of the file are changed: either that is noticed, or the orders are there."""
    names = [f"web{number}.example.org" for number in range(60)]
    with store.open() as ledger:
        ledger.claim([request(name) for name in names])
        for name in names:
            ledger.record(name, ORDERED)
    whole, chance = path.read_bytes(), random.Random(20)
    noticed = 0
    for trial in range(150):
        harmed = bytearray(whole)
        at = chance.randrange(100, len(whole))
        if trial % 3 == 0:
            harmed[at] ^= 1 << chance.randrange(8)
        elif trial % 3 == 1:
            harmed[at : at + 16] = chance.randbytes(len(harmed[at : at + 16]))
        else:
            page = at // 4096 * 4096
            harmed[page : page + 4096] = bytes(4096)
        copy = Store(str(tmp_path / f"{trial}.db"))
        Path(copy.address).write_bytes(harmed)
        Path(copy.address).chmod(0o600)
        try:
            with copy.open() as ledger:
                assert None not in ledger.claim([request(name) for name in names]), trial
        except LedgerError:
            noticed += 1
    assert noticed > 50
