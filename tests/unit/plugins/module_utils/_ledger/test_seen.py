# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user saw of ledgers is kept: never too much, safe from runs at the same time, and no reason to fail."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.seen import Seen, Sight

ADDRESS = "/srv/ledger.db"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "hosting.reseller"


@pytest.mark.parametrize(
    ("sights", "kept"),
    [
        ([Sight("a", 1), Sight("a", 3)], Sight("a", 3)),
        ([Sight("a", 3), Sight("a", 1)], Sight("a", 3)),
        ([Sight("a", 3), Sight("b", 7)], Sight("a", 3)),
    ],
)
def test_the_most_that_was_seen_of_a_ledger_is_kept(folder: Path, sights: list[Sight], kept: Sight) -> None:
    for sight in sights:
        Seen(folder).note(ADDRESS, sight)
    assert Seen(folder).of(ADDRESS) == kept
    assert Seen(folder).of("/srv/other.db") is None
    assert [path.name for path in folder.iterdir()] == ["seen"]
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / "seen")] == [0o700, 0o600]


def test_what_is_accepted_replaces_what_was_seen(folder: Path) -> None:
    seen = Seen(folder)
    seen.note(ADDRESS, Sight("a", 3))
    seen.accept(ADDRESS, Sight("b", 1))
    assert seen.of(ADDRESS) == Sight("b", 1)
    seen.accept(ADDRESS, None)
    assert seen.of(ADDRESS) is None


def test_the_most_that_was_seen_of_a_ledger_at_any_address(folder: Path) -> None:
    """A backup that is restored at another address went back, too."""
    seen = Seen(folder)
    seen.note(ADDRESS, Sight("a", 3))
    seen.note("/srv/copy.db", Sight("a", 1))
    assert [seen.most(ledger) for ledger in ("a", "b")] == [3, 0]
    seen.accept("/srv/copy.db", Sight("a", 2))
    assert seen.most("a") == 2
    assert seen.of(ADDRESS) is None


def test_runs_at_the_same_time_lose_nothing(folder: Path) -> None:
    def run(number: int) -> None:
        for counter in range(1, 21):
            Seen(folder).note(f"/srv/{number}.db", Sight("own", counter))
            Seen(folder).note(ADDRESS, Sight("shared", 20 * counter + number))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [Seen(folder).of(f"/srv/{number}.db") for number in range(6)] == [Sight("own", 20)] * 6
    assert Seen(folder).of(ADDRESS) == Sight("shared", 405)


def test_a_line_that_was_cut_off_does_not_count(folder: Path) -> None:
    other = "/srv/other.db"
    for sight in (Sight("a", 1), Sight("a", 20)):
        Seen(folder).note(ADDRESS, sight)
    whole = (folder / "seen").read_bytes()
    for cut in range(1, len(whole) - whole.index(b"\n") + 1):
        (folder / "seen").write_bytes(whole[:-cut])
        assert Seen(folder).of(ADDRESS) == Sight("a", 1)
    (folder / "seen").write_bytes(whole[:-1])
    Seen(folder).note(other, Sight("b", 5))
    assert (Seen(folder).of(ADDRESS), Seen(folder).of(other)) == (Sight("a", 1), Sight("b", 5))


def test_the_file_does_not_grow_with_the_claims(folder: Path) -> None:
    seen = Seen(folder)
    for counter in range(1, 1001):
        seen.note(ADDRESS, Sight("a", counter))
        assert (folder / "seen").stat().st_size < 5000
    assert Seen(folder).of(ADDRESS) == seen.of(ADDRESS) == Sight("a", 1000)


def test_what_another_run_writes_meanwhile_is_seen(folder: Path) -> None:
    ours, theirs = Seen(folder), Seen(folder)
    ours.note(ADDRESS, Sight("a", 1))
    theirs.note(ADDRESS, Sight("a", 5))
    assert ours.of(ADDRESS) == Sight("a", 5)
    ours.note(ADDRESS, Sight("a", 4))
    theirs.accept(ADDRESS, Sight("a", 2))
    assert ours.of(ADDRESS) == Sight("a", 2)


def no_json(path: Path) -> None:
    path.write_text("{")


def another_form(path: Path) -> None:
    path.write_text(json.dumps({"format": 2, "ledgers": {ADDRESS: {"id": "a", "counter": 9}}}))


def a_list(path: Path) -> None:
    path.write_text("[]")


def no_counter(path: Path) -> None:
    path.write_text(json.dumps({"format": 1, "ledgers": {ADDRESS: {"id": "a", "counter": "many"}}}))


def an_infinite_counter(path: Path) -> None:
    path.write_text(json.dumps({"format": 1, "ledgers": {ADDRESS: {"id": "a", "counter": float("inf")}}}))


def an_endless_counter(path: Path) -> None:
    path.write_text('{"format": 1, "ledgers": {"x": {"id": "a", "counter": ' + "9" * 5000 + "}}}")


def too_large(path: Path) -> None:
    path.touch(mode=0o600)
    os.truncate(path, 2**40)


def writable_by_others(path: Path) -> None:
    Seen(path.parent).note(ADDRESS, Sight("a", 9))
    path.chmod(0o666)


def a_fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


@pytest.mark.parametrize(
    "make",
    [
        no_json,
        another_form,
        a_list,
        no_counter,
        an_infinite_counter,
        an_endless_counter,
        too_large,
        writable_by_others,
        a_fifo,
    ],
)
def test_what_cannot_be_read_was_not_seen(folder: Path, make: object) -> None:
    folder.mkdir(parents=True)
    make(folder / "seen")  # type: ignore[operator]
    assert Seen(folder).of(ADDRESS) is None
    Seen(folder).note(ADDRESS, Sight("a", 1))
    assert Seen(folder).of(ADDRESS) == Sight("a", 1)


def test_what_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (None, tmp_path / "file"):
        seen = Seen(folder)
        seen.note(ADDRESS, Sight("a", 1))
        assert seen.of(ADDRESS) is None
        with pytest.raises(LedgerError, match="cannot be recorded"):
            seen.accept(ADDRESS, None)


def test_a_folder_of_another_user_is_left_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: folder.parent.stat().st_uid + 1)
    Seen(folder).note(ADDRESS, Sight("a", 1))
    assert not folder.exists()
