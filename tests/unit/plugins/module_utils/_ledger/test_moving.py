# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger that is moved takes all of its rows along, in any direction, and is in use at one location alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import InFlightError, LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import store as stores
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.known_ledgers import KnownLedgers
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.moving import move_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request, settle


@pytest.fixture
def known(tmp_path: Path) -> KnownLedgers:
    return KnownLedgers(tmp_path / "known")


@pytest.fixture(params=["to PostgreSQL", "to a file", "file to file"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Store, Store]:
    sqlite: Store = request.getfixturevalue("sqlite_store")
    if request.param == "file to file":
        return sqlite, Store(str(tmp_path / "new" / "ledger.db"), sqlite._closing)
    postgresql: Store = request.getfixturevalue("postgresql_store")
    return (sqlite, postgresql) if request.param == "to PostgreSQL" else (postgresql, sqlite)


def move(way: tuple[Store, Store], known: KnownLedgers, *, really: bool = True) -> bool:
    old, new = way
    return move_ledger(location_of(old.address, {}), location_of(new.address, {}), known, really=really)


def fill(store: Store) -> None:
    run = store.run()
    assert run.ask("claim", "lost", "placed") == [None, None]
    run.ask("record", "placed", {"status": "ordered", "contract_id": "c-1"})
    run.kill()
    with store.open() as ledger:
        ledger.claim([request("reset")], kind="operation")
        ledger.record("reset", Outcome("ordered"), "operation")
        ledger.claim([request("rejected")])
        ledger.record("rejected", Outcome("rejected", "No."))
        settle(ledger, "adopted", Outcome("ordered", contract_id="c-2"))


def contents(store: Store) -> Any:
    return [sorted(map(tuple, table), key=repr) for table in store.state()]


def test_all_rows_are_moved_as_they_are(way: tuple[Store, Store], known: KnownLedgers) -> None:
    old, new = way
    fill(old)
    before, key = contents(old), old.open(writing=False).digest_key
    assert move(way, known, really=False)
    assert not new.open(writing=False).exists
    assert move(way, known)
    assert contents(new) == before
    moved = new.open()
    assert moved.digest_key == key
    assert moved.id != old.open(writing=False).id
    assert {record.name: record.status for record in moved.select(Filter())} == {
        "lost": "in_doubt",
        "placed": "ordered",
        "rejected": "rejected",
        "adopted": "ordered",
    }
    assert [record.name for record in moved.select(Filter(kind="operation"))] == ["reset"]
    (standing, free) = moved.claim([request("lost"), request("new")])
    assert standing is not None
    assert free is None
    assert "was moved to" in str(known.why_refused(old.open()))
    assert known.why_refused(moved) is None
    assert not move(way, known)


def test_a_move_that_was_cut_off_is_finished(
    way: tuple[Store, Store], known: KnownLedgers, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = way
    fill(old)
    before = contents(old)

    def cut(_self: object, _contents: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stores.Ledger, "take_over", cut)
        with pytest.raises(KeyboardInterrupt):
            move(way, known)
    with pytest.raises(LedgerError, match="was moved to"):
        old.open().claim([request("new")])
    assert move(way, known)
    assert contents(new) == before


def test_a_living_run_prevents_the_move(way: tuple[Store, Store], known: KnownLedgers) -> None:
    old, new = way
    run = old.run()
    assert run.ask("claim", "a") == [None]
    for really in (False, True):
        with pytest.raises(InFlightError, match="placing the order a"):
            move(way, known, really=really)
    assert run.ask("record", "a", {"status": "ordered"}) == "ordered"
    assert move(way, known)
    assert new.open().find(["a"])["a"].status == "ordered"
    assert "was moved" in run.ask("claim", "b")["message"]


def test_a_ledger_with_records_is_not_moved_to(way: tuple[Store, Store], known: KnownLedgers) -> None:
    old, new = way
    fill(old)
    with new.open() as ledger:
        ledger.claim([request("own")])
    for really in (False, True):
        with pytest.raises(LedgerError, match="has records of its own"):
            move(way, known, really=really)
    assert old.open().history().moved_to is None
    # Another run may write to the new one after it was looked at.
    contents = old.open().retire("elsewhere")
    with new.open() as ledger, pytest.raises(LedgerError, match="has records of its own"):
        ledger.take_over(contents)


def test_what_cannot_be_moved(sqlite_store: Store, known: KnownLedgers, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="There is no ledger at"):
        move((sqlite_store, Store(str(tmp_path / "new.db"))), known)
    fill(sqlite_store)
    (tmp_path / "link.db").symlink_to(sqlite_store.address)
    with pytest.raises(LedgerError, match="is the same ledger as"):
        move((sqlite_store, Store(str(tmp_path / "link.db"))), known)
    assert move((sqlite_store, Store(str(tmp_path / "new.db"))), known)
    with pytest.raises(LedgerError, match=r"was moved to .*new\.db\."):
        move((sqlite_store, Store(str(tmp_path / "third.db"))), known)
