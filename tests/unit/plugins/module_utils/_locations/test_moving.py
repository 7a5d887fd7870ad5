# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ledger that is moved takes all of its rows along, in any direction, and is in use at one location alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError, LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import checked_base_url
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Actor
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_tables import META
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Filter,
    ListedIds,
    NamedOperation,
    Outcome,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from ansible_collections.hosting.reseller.plugins.module_utils._locations import moving
from ansible_collections.hosting.reseller.plugins.module_utils._locations.known_ledgers import KnownLedgers
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.moving import move_ledger
from tests.support.ledgers import await_doubt, claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import in_the_way, request, settle


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """The directory of what the user knows."""
    return tmp_path / "known"


@pytest.fixture(params=["to PostgreSQL", "to a file"])
def way(request: pytest.FixtureRequest, sqlite_store: Store, postgresql_store: Store) -> tuple[Store, Store]:
    both = (sqlite_store, postgresql_store)
    return both if request.param == "to PostgreSQL" else both[::-1]


def move(way: tuple[Store, Store], known: Path, *, write: bool = True) -> bool:
    old, new = way
    return move_ledger(
        location_of(old.address, {}), location_of(new.address, {}), KnownLedgers(known), Actor("me"), write=write
    )


def fill(store: Store) -> None:
    with store.open() as ledger:
        listed = request("listed", evidence=ListedIds(frozenset("a")))
        claim(ledger, [request("lost"), request("placed", approved_by="plan"), request("rejected"), listed])
        record(ledger, "placed", Outcome("ordered", contract_id="c-1"))
        record(ledger, "rejected", Outcome("rejected", "No."))
        settle(ledger, "adopted", Outcome("ordered", contract_id="c-2"))
        claim(ledger, [NamedOperation("reset", "https://h", "1", "POST /x", "d")])
        record(ledger, "reset", Outcome("ordered"))
    with store.open() as ledger:
        await_doubt(ledger, "lost", "listed")


def contents(store: Store) -> Any:
    return [sorted(map(tuple, table), key=repr) for table in store.state()]


def test_all_rows_are_moved_as_they_are(way: tuple[Store, Store], known: Path) -> None:
    old, new = way
    fill(old)
    state, before = old.state(), contents(old)
    with old.open(writing=False) as source:
        key, moving_from = source.digest_key, source.address
    assert move(way, known, write=False)
    assert not new.open(writing=False).exists
    assert move(way, known)
    # The retirement left a token.
    after = contents(new)
    assert (after[0], len(after[1]), after[2:4]) == (before[0], len(before[1]) + 1, before[2:4])
    assert [len(table) for table in before[2:]] == [1, 5, 1]
    moved = new.open()
    assert moved.numbers(["placed", "rejected", "adopted"]) == {"placed": 1, "rejected": 0, "adopted": 0}
    assert moved.history().real == "yes"
    adopted, event = moved.events()
    assert adopted.action == "adopted"
    assert (event.action, event.actor.user) == ("moved", "me")
    assert (event.before, event.after) == ({"ledger": moving_from}, {"ledger": moved.address})
    assert moved.digest_key == key
    assert moved.id != old.open(writing=False).id
    await_doubt(moved, "lost", "listed")
    assert {record.name: record.status for record in moved.select(Filter())} == {
        "lost": "in_doubt",
        "listed": "in_doubt",
        "placed": "ordered",
        "rejected": "rejected",
        "adopted": "ordered",
    }
    assert [record.name for record in moved.select(Filter(kind="operation"))] == ["reset"]
    assert in_the_way(moved, request("lost"), request("new")) == ["lost", None]
    assert "was moved to" in str(KnownLedgers(known).check(old.open()).why_not_for_orders())
    assert KnownLedgers(known).check(moved).why_not_for_orders() is None
    assert not move(way, known)
    with pytest.raises(LedgerError, match="has records of its own"):
        move((new, old), known)
    # A backup from before the move.
    with old.open() as ledger:
        moving.accept(ledger, {}, {})
    old.restore(state)
    assert "went back in time" in str(KnownLedgers(known).check(old.open()).why_not_for_orders())


def test_no_address_that_a_ledger_keeps_has_a_password(
    way: tuple[Store, Store], postgresql_store: Store, known: Path
) -> None:
    """Neither in its rows and what is known of it, nor in the trail, whichever way it is moved and accepted again."""
    old, new = way
    fill(old)
    password = str(urlsplit(postgresql_store.address).password)

    def kept() -> str:
        texts = [path.read_text() for path in (known / "known_ledgers").iterdir()]
        for each in (old.open(writing=False), new.open(writing=False)):
            meta = each.run(lambda transaction: transaction.query(f"SELECT * FROM {META}"), writing=False)
            texts += map(str, (meta, each.run(Transaction.tables, writing=False), each.events()))
        return "".join(texts)

    assert move(way, known)
    assert password not in kept()
    ledger = old.open()
    _changed, before, after = KnownLedgers(known).accept(ledger, write=True)
    moving.accept(ledger, before, after)
    with pytest.raises(ConfigurationError, match="a password"):
        checked_base_url("https://me:hunter2@h.example", allow_http=True)
    ledger.readdress("https://service.example", checked_base_url("https://h.example", allow_http=True))
    assert {"moved", "accepted", "readdressed"} <= {each.action for each in ledger.events()}
    assert password not in kept()


STEPS = ["await_contents", "retire", "take_over"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_move_that_was_cut_off_orders_nothing_and_is_finished(
    way: tuple[Store, Store], known: Path, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    old, new = way
    fill(old)
    before, untouched = contents(old)[0], (step, when) == ("await_contents", "before")
    write = getattr(moving, step)

    def cut(*arguments: Any) -> None:
        if when == "after":
            write(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(moving, step, cut)
        with pytest.raises(KeyboardInterrupt):
            move(way, known)
    is_moved = (step, when) == ("take_over", "after")
    if not (untouched or is_moved):
        with pytest.raises(LedgerError, match=r"are being moved to(?s:.*)run the same move again"):
            claim(new.open(), [request("new")])
        assert "are being moved to" in str(KnownLedgers(known).check(new.open()).why_not_for_orders())
        # Another ledger cannot be moved there meanwhile.
        with pytest.raises(LedgerError, match="are being moved to"):
            moving.await_contents(new.open(), "another")
    if step == "take_over" or (step, when) == ("retire", "after"):
        with pytest.raises(LedgerError, match="was moved to"):
            claim(old.open(), [request("new")])
    assert move(way, known) is not is_moved
    assert contents(new)[0] == before
    assert claim(new.open(), [request("new")]) == [None]


def test_two_moves_at_once_to_two_places_are_one(sqlite_store: Store, known: Path, tmp_path: Path) -> None:
    fill(sqlite_store)
    first, second = (Store(str(tmp_path / name / "ledger.db"), sqlite_store._closing) for name in ("one", "two"))
    for target in (first, second):
        assert moving.await_contents(target.open(), sqlite_store.open().id)
    assert move((sqlite_store, first), known)
    with pytest.raises(LedgerError, match=f"was moved to {first.address}"):
        moving.retire(sqlite_store.open(), second.open())
    with pytest.raises(LedgerError, match=f"was moved to {first.address}"):
        move((sqlite_store, second), known)
    # A second one to the same place finds it done.
    assert not moving.await_contents(first.open(), sqlite_store.open().id)


def test_what_is_taken_over_twice_is_there_once(way: tuple[Store, Store]) -> None:
    """As after a commit whose answer was lost."""
    old, new = way
    fill(old)
    before = contents(old)[0]
    with new.open() as target, old.open() as source:
        assert moving.await_contents(target, source.id)
        tables = moving.retire(source, target)
        for _time in range(2):
            moving.take_over(target, source, tables)
    assert contents(new)[0] == before


def test_a_ledger_with_records_is_not_moved_to(way: tuple[Store, Store], known: Path) -> None:
    old, new = way
    fill(old)
    with new.open() as ledger:
        claim(ledger, [request("own")])
    for write in (False, True):
        with pytest.raises(LedgerError, match="has records of its own"):
            move(way, known, write=write)
    assert old.open().history().moved_to is None
    # Another run may write to the new one after it was looked at.
    source = old.open()
    tables = moving.retire(source, new.open())
    for step in (
        lambda ledger: moving.await_contents(ledger, source.id),
        lambda ledger: moving.take_over(ledger, source, tables),
    ):
        with new.open() as ledger, pytest.raises(LedgerError, match="has records of its own"):
            step(ledger)


def test_what_cannot_be_moved(sqlite_store: Store, known: Path, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="There is no ledger at"):
        move((sqlite_store, Store(str(tmp_path / "new.db"))), known)
    fill(sqlite_store)
    (tmp_path / "link.db").symlink_to(sqlite_store.address)
    with pytest.raises(LedgerError, match="is the same ledger as"):
        move((sqlite_store, Store(str(tmp_path / "link.db"))), known)
