# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user knows of ledgers shows each that lacks something, is safe from other runs, and never fails a task."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Token
from ansible_collections.hosting.reseller.plugins.module_utils._locations import known_ledgers
from ansible_collections.hosting.reseller.plugins.module_utils._locations.known_ledgers import (
    KnownLedger,
    KnownLedgers,
    locked,
)
from tests.support.ledgers import claim
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

ADDRESS = "/srv/ledger.db"
TIME = "2026-11-21T10:00:00Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "users" / "hosting.reseller"


def at(number: int, id_: str = "a", run: str = "run", address: str = ADDRESS) -> KnownLedger:
    return KnownLedger(address, id_, Token(run, number), TIME)


# What is proven


class User:
    """A user who orders with a ledger, and remembers it."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder, store

    @property
    def known(self) -> KnownLedgers:
        """What the user knows at this moment."""
        return KnownLedgers(self.folder)

    def refused(self) -> str | None:
        with self.store.open(writing=False) as ledger:
            return self.known.check(ledger).why_not_for_orders()

    def order(self, *names: str) -> None:
        assert self.refused() is None
        with self.store.open() as ledger:
            assert set(claim(ledger, [request(name) for name in names])) == {None}
            self.known.remember(ledger)


@pytest.fixture
def ours(folder: Path, store: Store) -> User:
    return User(folder, store)


@pytest.fixture
def theirs(tmp_path: Path, store: Store) -> User:
    return User(tmp_path / "others", store)


@pytest.mark.parametrize("since", [0, 1, 3])
def test_a_restored_ledger_is_refused_however_much_others_ordered_since(ours: User, theirs: User, since: int) -> None:
    """Two users at equal counts, too: what one user did is missing, and another one filled the gap."""
    ours.order("a")
    state = ours.store.state()
    ours.order("b")
    ours.store.restore(state)
    for number in range(since):
        theirs.order(f"other-{number}")
    message = str(ours.refused())
    assert "went back in time. Nothing was sent.\n" in message
    assert f"with {1 + since} orders.\n" in message
    assert message.splitlines()[-1].endswith(" --diff")
    assert theirs.refused() is None


def test_run_that_was_opened_before_notices_that_what_others_did_since_is_lost(ours: User) -> None:
    ours.order("a")
    with ours.store.open() as earlier:
        ours.known.remember_changes(earlier, str)
        state = ours.store.state()
        ours.order("b")
        ours.store.restore(state)
        with pytest.raises(LedgerError, match="went back in time while this run had it open"):
            claim(earlier, [request("b")])
        assert earlier.find(["b"]) == {}


@pytest.fixture
def file_user(folder: Path, sqlite_store: Store) -> User:
    return User(folder, sqlite_store)


def test_original_and_copy_that_were_both_used_refuse_each_other(file_user: User, tmp_path: Path) -> None:
    file_user.order("a")
    shutil.copy(file_user.store.address, tmp_path / "copy.db")
    copy = User(file_user.folder, Store(str(tmp_path / "copy.db"), file_user.store._closing))
    copy.order("b")
    message = str(file_user.refused())
    assert f"It lacks what this user has seen at {copy.store.address}, last at" in message
    assert "What was ordered with a copy, as a trial, was ordered, too." in message
    assert f"ledger={file_user.store.address}" in message
    with file_user.store.open() as ledger:
        changed, before, after = file_user.known.accept(ledger, write=True)
    assert (changed, before["lacks_what_was_seen_at"], after["lacks_what_was_seen_at"]) == (
        True,
        [copy.store.address],
        [],
    )
    with file_user.store.open() as ledger:
        assert file_user.known.accept(ledger, write=True)[0] is False
    assert (file_user.refused(), copy.refused()) == (None, None)
    # Now that both are in use, each lacks what is ordered with the other one.
    file_user.order("c")
    assert "at " + file_user.store.address in str(copy.refused())


def test_another_ledger_at_a_known_address_is_refused(file_user: User) -> None:
    file_user.order("a")
    for path in Path(file_user.store.address).parent.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)
    with pytest.raises(LedgerError, match="where this user has seen one"):
        file_user.refused()
    with file_user.store.open() as ledger:
        # It has an ID already.
        assert "is not the one that this user has seen there" in str(file_user.refused())
        claim(ledger, [request("b")])
    assert "is not the one that this user has seen there" in str(file_user.refused())


def test_ledger_that_others_wrote_is_pointed_out_once(ours: User, theirs: User) -> None:
    ours.order("a")
    with ours.store.open() as ledger:
        message = str(theirs.known.check(ledger).first())
        assert f" on {os.uname().nodename}, with 1 orders.\n" in message
        theirs.known.remember(ledger)
        assert theirs.known.check(ledger).first() is None


# The file


def seen_in(folder: Path | None, address: str = ADDRESS) -> KnownLedger | None:
    return KnownLedgers(folder).entries.get(address)


def test_latest_state_of_a_ledger_is_kept(folder: Path) -> None:
    for known in (at(1, run="a longer one"), at(3, run="b"), at(2), at(7, "another")):
        KnownLedgers(folder).note(known)
    assert seen_in(folder) == at(3, run="b")
    (path,) = (folder / "known_ledgers").iterdir()
    assert [found.stat().st_mode & 0o777 for found in (folder, path.parent, path)] == [0o700, 0o700, 0o600]


def test_runs_at_the_same_time_lose_nothing(folder: Path) -> None:
    def run(number: int) -> None:
        for count in range(1, 11):
            KnownLedgers(folder).note(at(count, address=f"/srv/{number}.db"))
            KnownLedgers(folder).note(at(20 * count + number))
            found = seen_in(folder)
            assert found is not None
            assert found.id == "a"

    with ThreadPoolExecutor() as pool:
        list(pool.map(run, range(6)))
    assert seen_in(folder) == at(205)
    for address in (f"/srv/{number}.db" for number in range(6)):
        assert seen_in(folder, address) == at(10, address=address)


FORMS: dict[str, Callable[[Path], object]] = {
    "no JSON": lambda path: path.write_text("{"),
    "another member": lambda path: path.write_text(json.dumps({**asdict(at(9)), "counter": 1})),
    "a token of another form": lambda path: path.write_text(json.dumps({**asdict(at(9)), "token": 7})),
    "a fifo": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_what_cannot_be_read_was_not_seen(folder: Path, make: Callable[[Path], object]) -> None:
    KnownLedgers(folder).note(at(9))
    (path,) = (folder / "known_ledgers").iterdir()
    make(path)
    assert seen_in(folder) is None
    KnownLedgers(folder).note(at(1))
    assert seen_in(folder) == at(1)


def test_a_run_that_hangs_has_nothing_forgotten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_ledgers, "PATIENCE", 0.1)
    KnownLedgers(folder).note(at(1))
    with locked(folder / "known_ledgers"):
        KnownLedgers(folder).note(at(2))
        assert seen_in(folder) == at(1)


def test_what_cannot_be_remembered_is_told_and_no_failure(sqlite_store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with sqlite_store.open() as ledger:
        claim(ledger, [request("a")])
        for folder in (None, tmp_path / "file"):
            warned: list[str] = []
            known = KnownLedgers(folder, warn=warned.append)
            known.remember(ledger)
            assert known.accept(ledger, write=True)[0]
            for each in warned:
                assert "cannot be remembered: there is no directory of this user alone" in each
            assert len(warned) == 2
            assert seen_in(folder) is None


@pytest.mark.parametrize(
    ("trials", "counts"),
    [
        ([True], False),
        ([True, True], False),
        ([False], True),
        # A ledger that was tried out, and then used.
        ([True, False], True),
        ([False, True], True),
    ],
)
def test_trials_are_no_other_ledger(folder: Path, tmp_path: Path, trials: list[bool], counts: bool) -> None:
    for number, trial in enumerate(trials):
        KnownLedgers(folder).note(replace(at(number + 1), trial=trial))
        # The same again, also from a run that had not seen the last change.
        KnownLedgers(folder).note(replace(at(1), trial=trial))
    with Store(str(tmp_path / "new.db")).open(writing=False) as ledger:
        others = KnownLedgers(folder).check(ledger).others
    assert [each.address for each in others] == [ADDRESS] * counts


def test_the_ledger_that_was_used_last_is_named_where_nothing_is_recorded(folder: Path, store: Store) -> None:
    for number, seen_at in enumerate(["2026-11-20T10:00:00Z", "2026-11-22T10:00:00Z", TIME]):
        KnownLedgers(folder).note(replace(at(1, address=f"/srv/{number}.db"), seen_at=seen_at))
    for what in ("There is no ledger at", "Nothing was ever recorded in the ledger"):
        check = KnownLedgers(folder).check(store.open(writing=False))
        with pytest.raises(LedgerError, match=rf"{what} .*another one: /srv/1\.db \(and 2 more\)"):
            check.why_not_for_orders(None)
        assert check.why_not_for_orders("allow") is None
        store.open()
