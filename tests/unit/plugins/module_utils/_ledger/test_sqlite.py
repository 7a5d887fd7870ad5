# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What only a ledger in a file has to stand: foreign files, damage, removal, full disks."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import mounts, rows
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import FileLocation, location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite_files import why_not_writable
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import request

ORDERED = Outcome("ordered", contract_id="c-1")


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    return sqlite_store


@pytest.fixture
def path(store: Store) -> Path:
    return Path(store.address)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refused(store: Store, words: str, *, writing: bool) -> None:
    with pytest.raises(LedgerError, match=words):
        store.open(writing=writing)


def test_files_are_private_whatever_the_umask(store: Store, path: Path) -> None:
    before = os.umask(0)
    try:
        store.open().claim([request("a")])
    finally:
        os.umask(before)
    modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in [path.parent, *path.parent.rglob("*")]}
    runs = {name: mode for name, mode in modes.items() if re.fullmatch(r"[0-9a-f]{32}", name)}
    assert list(runs.values()) == [0o600]
    assert {name: mode for name, mode in modes.items() if name not in runs} == {
        "state": 0o700,
        "ledger.db.runs": 0o700,
        "ledger.db": 0o600,
        "ledger.db-wal": 0o600,
        "ledger.db-shm": 0o600,
    }


def test_nothing_but_the_ledger_is_left(store: Store, path: Path) -> None:
    with store.open() as ledger:
        ledger.claim([request("a")])
        ledger.record("a", ORDERED)
    reader = store.open(writing=False)
    assert len(reader.select(Filter())) == 1
    reader.close()
    assert {found.name for found in path.parent.rglob("*")} == {"ledger.db", "ledger.db.runs"}


def test_every_commit_is_on_the_disk(store: Store) -> None:
    ledger: Any = store.open()
    assert ledger._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert ledger._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_missing_ledger_is_not_made_by_reading(store: Store, path: Path) -> None:
    store.open(writing=False)
    assert not path.parent.exists()


def foreign_text(path: Path) -> None:
    path.write_text("some notes\n" * 100)


def foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE hosting_reseller_orders (name TEXT)")


def truncated_header(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


@pytest.mark.parametrize("make", [foreign_text, foreign_database, truncated_header])
@pytest.mark.parametrize("writing", [True, False])
def test_a_foreign_file_is_left_as_it_is(store: Store, path: Path, make: Any, writing: bool) -> None:
    path.parent.mkdir()
    make(path)
    before = snapshot(path.parent), path.stat().st_mtime_ns
    refused(store, "is not a ledger. It was not changed", writing=writing)
    assert (snapshot(path.parent), path.stat().st_mtime_ns) == before


@pytest.mark.parametrize("writing", [True, False])
def test_a_folder_is_no_ledger(store: Store, path: Path, writing: bool) -> None:
    path.mkdir(parents=True)
    refused(store, "is a directory", writing=writing)


@pytest.mark.parametrize("writing", [True, False])
def test_a_device_is_no_ledger(store: Store, writing: bool) -> None:
    store.address = os.devnull
    refused(store, "not a regular file", writing=writing)


def test_an_empty_file_becomes_a_ledger(store: Store, path: Path) -> None:
    path.parent.mkdir()
    path.touch(mode=0o644)
    assert store.open(writing=False).select(Filter()) == []
    assert path.stat().st_size == 0
    assert store.open().claim([request("a")]) == [None]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_ledger_is_found_through_links(store: Store, path: Path, tmp_path: Path) -> None:
    """Also the locks: another name of the ledger must not make its runs look dead."""
    link = tmp_path / "link.db"
    link.symlink_to(path)
    other = Store(str(link))
    ours = other.open()
    ours.claim([request("a")])
    assert path.is_file()
    assert store.open().find(["a"])["a"].status == "pending"
    other.close()
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["a ledger?x=1#y.db", "100%.db", "ü.db"])
def test_any_name_will_do(store: Store, path: Path, name: str) -> None:
    store.address = str(path.with_name(name))
    store.open().claim([request("a")])
    assert path.with_name(name).is_file()


def test_a_place_that_cannot_be_made(store: Store, path: Path, tmp_path: Path) -> None:
    blocking = tmp_path / "file"
    blocking.touch()
    for impossible in (blocking / "ledger.db", blocking / "deeper" / "ledger.db", Path("/proc/ledger.db")):
        store.address = str(impossible)
        with pytest.raises(LedgerError, match=r"cannot be opened: (Not a directory|No such file)") as caught:
            store.open()
        assert str(impossible) in caught.value.message


def test_a_network_file_system_is_refused_for_writing(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.open().close()
    monkeypatch.setattr(mounts, "_MOUNTS", path.with_name("mounts"))
    path.with_name("mounts").write_text(f"1 0 0:1 / {path.parent} rw - nfs4 server:/ rw\n")
    before = snapshot(path.parent)
    refused(store, r"network file system \(nfs4\)(?s:.*)PostgreSQL", writing=True)
    assert snapshot(path.parent) == before
    assert re.search(r"network file system \(nfs4\)(?s:.*)PostgreSQL", why_not_writable(FileLocation(path)) or "")
    store.open(writing=False)


@pytest.mark.parametrize("closed", ["", "new", "new/ledger.db"])
def test_what_may_not_be_written_shows_without_writing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    path = tmp_path / "new" / "ledger.db"
    if closed:
        store.address = str(path)
        store.open().close()
    before = snapshot(tmp_path)
    assert why_not_writable(FileLocation(path)) is None
    # root could write anyway
    monkeypatch.setattr(os, "access", lambda found, _mode: Path(found) != tmp_path / closed)
    assert f"cannot be written: {tmp_path / closed} is read-only" in str(why_not_writable(FileLocation(path)))
    assert snapshot(tmp_path) == before


def test_a_newer_ledger_is_refused_and_left(store: Store, path: Path) -> None:
    store.open().close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE {rows.META} SET value = '99' WHERE key = 'version'")
    before = path.read_bytes()
    for writing in (True, False):
        refused(store, "newer release of hosting.reseller(?s:.*)version 99(?s:.*)Upgrade", writing=writing)
    assert path.read_bytes() == before


@pytest.mark.parametrize("writing", [True, False])
def test_a_damaged_ledger_says_so(store: Store, path: Path, writing: bool) -> None:
    with store.open() as ledger:
        ledger.claim([request(f"order-{number}") for number in range(500)])
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(LedgerError, match=r"malformed(?s:.*)restored from a backup"):
        store.open(writing=writing).select(Filter())


@pytest.mark.parametrize("rest", [0, 1], ids=["a page", "a part of a page"])
def test_a_ledger_that_lost_its_end_is_damaged_and_not_foreign(rest: int, store: Store, path: Path) -> None:
    with store.open() as ledger:
        ledger.claim([request(f"order-{number}") for number in range(500)])
    os.truncate(path, path.stat().st_size // 8192 * 4096 + rest)
    with pytest.raises(LedgerError, match=r"cut off at \d+ bytes(?s:.*)restored from a backup"):
        store.open().select(Filter())


def die_with_a_log(store: Store, *names: str) -> None:
    """A run dies after it claimed these orders and before it moved the log into the file."""
    store.open().close()
    child = os.fork()
    if child == 0:
        try:
            ledger: Any = store.open()
            ledger._take_lock()
            ledger._locked, ledger._move_log = True, lambda _connection: None
            ledger.claim([request(name) for name in names])
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def test_a_run_that_died_while_it_moved_its_log_into_the_file_loses_nothing(store: Store, path: Path) -> None:
    names = [f"order-{number}" for number in range(200)]
    die_with_a_log(store, *names)
    page = 4096
    log = path.with_name("ledger.db-wal").read_bytes()
    frames = [log[at : at + 24 + page] for at in range(32, len(log), 24 + page)]
    first = [frame[24:] for frame in frames if frame[:4] == b"\0\0\0\1"]
    with path.open("r+b") as file:
        file.write(first[-1])
    assert int.from_bytes(first[-1][28:32], "big") * page > path.stat().st_size
    assert {record.status for record in store.open().find(names).values()} == {"in_doubt"}


def test_a_ledger_without_its_table_is_damaged(store: Store, path: Path) -> None:
    store.open().close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"DROP TABLE {rows.META}")
    refused(store, "was damaged", writing=True)


def test_a_ledger_that_was_removed_before_its_log_is_not_made_anew(store: Store, path: Path) -> None:
    """The log holds orders; SQLite would replay it into a new file, or lose it."""
    die_with_a_log(store, "a")
    moved = path.with_name("moved.db")
    path.rename(moved)
    for writing in (True, False):
        refused(store, "ledger.db-wal, which holds its latest orders", writing=writing)
    moved.rename(path)
    assert store.open().find(["a"])["a"].status == "in_doubt"


def test_a_claim_that_others_cannot_see_is_no_claim(store: Store, path: Path) -> None:
    ledger = store.open()
    ledger.claim([request("a")])
    path.unlink()
    with pytest.raises(LedgerError, match="removed or replaced while this run had it open"):
        ledger.claim([request("b")])
    with pytest.raises(LedgerError, match="removed or replaced"):
        ledger.record("a", ORDERED)


def test_another_ledger_of_the_same_process_leaves_the_locks_of_the_first(store: Store) -> None:
    """A process that closes a file loses all its locks on it: then another run would tidy the log of the first away."""
    ledger = store.open()
    store.open().close()
    store.open(writing=False).close()
    other = store.run()
    other.ask("claim", "a")
    other.end()
    assert ledger.claim([request("b")]) == [None]
    assert {record.name for record in store.open().select(Filter())} == {"a", "b"}


def test_a_replaced_ledger_is_noticed(store: Store, path: Path) -> None:
    ledger = store.open()
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    copy.replace(path)
    with pytest.raises(LedgerError, match="removed or replaced"):
        ledger.claim([request("a")])


def test_a_removed_ledger_begins_anew(store: Store, path: Path) -> None:
    with store.open() as ledger:
        ledger.claim([request("a")])
        ledger.record("a", ORDERED)
    path.unlink()
    assert store.open().claim([request("a")]) == [None]


def test_a_full_disk_while_claiming_claims_nothing(store: Store, path: Path) -> None:
    run = store.run()
    run.ask("limit", 4096)
    answer = run.ask("claim", *(f"order-{number}" for number in range(200)))
    assert answer["error"] == "LedgerError"
    assert "cannot be written" in answer["message"]
    run.end()
    assert store.open().select(Filter()) == []


def test_a_full_disk_while_recording_leaves_the_order_in_doubt(store: Store, path: Path) -> None:
    run = store.run()
    assert run.ask("claim", "a") == [None]
    run.ask("limit", 4096)
    answer = run.ask("record", "a", {"status": "ordered", "contract_id": "c-1"})
    assert "cannot be written" in answer["message"]
    assert store.open().find(["a"])["a"].status == "pending"
    run.end()
    assert store.open().find(["a"])["a"].status == "in_doubt"


def test_a_full_disk_while_it_is_made_leaves_no_half_ledger(store: Store, path: Path) -> None:
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, -1)); "
        "from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import open_ledger; "
        "from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of; "
        "open_ledger(location_of(sys.argv[1], {}), writing=True)"
    )
    environ = {"PYTHONPATH": str(Path(__file__).parents[5] / ".cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], env=environ, capture_output=True, text=True, check=False
    )
    assert "LedgerError" in done.stderr
    assert {found.name for found in path.parent.rglob("*")} == {"ledger.db.runs"}
    assert store.open().claim([request("a")]) == [None]


def test_a_ledger_that_only_can_be_read_is_read(store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.open() as ledger:
        ledger.claim([request("a")])
    monkeypatch.setattr(os, "access", lambda *_rest: False)  # root could write anyway
    reader = store.open(writing=False)
    assert [record.status for record in reader.select(Filter())] == ["in_doubt"]
    reader.close()
    assert {found.name for found in path.parent.rglob("*")} == {"ledger.db", "ledger.db.runs"}
    # While another run writes, its log has to be read too.
    writer = store.open()
    writer.claim([request("b")])
    assert len(store.open(writing=False).select(Filter())) == 2


def test_two_ledgers_have_two_digest_keys(store: Store, path: Path) -> None:
    with store.open() as ledger:
        first = ledger.digest_key
    path.unlink()
    assert store.open().digest_key != first


def test_a_record_is_readable_for_people(store: Store, path: Path) -> None:
    with store.open() as ledger:
        ledger.claim([request("a")])
        ledger.record("a", Outcome("ordered", contract_id="c-1", contract={"id": "c-1"}))
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute(f"SELECT status, contract_id, contract, settings FROM {rows.ORDERS}").fetchone()
    assert row[:2] == ("ordered", "c-1")
    assert json.loads(row[2]) == {"id": "c-1"}
    assert json.loads(row[3])["hostname"] == "a"


def test_nothing_is_left_open(store: Store) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _rest in range(3):
        with open_ledger(location_of(store.address, {}), writing=True) as ledger:
            ledger.claim([request("a")])
    assert len(os.listdir("/proc/self/fd")) == before


RESTORE = r"Do not order anything until the ledger has been restored"


@pytest.mark.parametrize("writing", [True, False])
@pytest.mark.parametrize("size", [1, 15, 16, 50, 99, 100, 512, 4095, 4096, 4097, 8192, -4096, -1])
def test_a_ledger_that_was_cut_off_is_refused(store: Store, path: Path, size: int, writing: bool) -> None:
    with store.open() as ledger:
        ledger.claim([request("a")])
        ledger.record("a", ORDERED)
    os.truncate(path, size if size > 0 else path.stat().st_size + size)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=RESTORE) as caught:
        store.open(writing=writing).find(["a"])
    assert "does not exist yet" not in caught.value.message
    assert path.read_bytes() == before


def test_reading_makes_no_file(store: Store, path: Path) -> None:
    with store.open() as ledger:
        ledger.claim([request("a")])
    before = snapshot(path.parent)
    with store.open(writing=False) as reader:
        assert [*reader.find(["a"])] == ["a"]
        assert snapshot(path.parent) == before


def test_a_reader_sees_what_was_written_since_it_opened_the_ledger(store: Store) -> None:
    store.open().close()
    reader = store.open(writing=False)
    assert reader.find(["a"]) == {}
    with store.open() as ledger:
        ledger.claim([request("a")])
        assert reader.find(["a"])["a"].status == "pending"
        ledger.record("a", ORDERED)
        assert reader.find(["a"])["a"].status == "ordered"
    assert reader.find(["a"])["a"].status == "ordered"
