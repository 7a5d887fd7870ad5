# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What only a ledger in a file has to stand: foreign files, damage, removal, full disks."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import ledger_tables as tables
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import FileLocation, location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from tests.support.ledgers import claim, record
from tests.support.playbooks import ROOT
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import die_at, die_while_writing, request

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
        with store.open() as ledger:
            claim(ledger, [request("a")])
            record(ledger, "a", ORDERED)
            during = {found.name: found.stat().st_mode & 0o777 for found in [path.parent, *path.parent.rglob("*")]}
    finally:
        os.umask(before)
    after = {"state": 0o700, "ledger.db": 0o600, "ledger.db-journal": 0o600}
    assert during == after
    assert {found.name for found in path.parent.rglob("*")} == {*after} - {"state"}


def test_every_commit_is_on_the_disk(store: Store) -> None:
    ledger: Any = store.open()
    assert ledger._database._connection.execute("PRAGMA journal_mode").fetchone() == ("persist",)
    assert ledger._database._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_who_writes_is_alone_from_before_it_reads(store: Store, path: Path) -> None:
    ledger: Any = store.open()
    claim(ledger, [request("a")])

    def look(transaction: Any) -> None:
        assert transaction.find(["a"])
        with (
            closing(sqlite3.connect(path, timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")

    ledger.run(look, writing=True)


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


def test_empty_file_is_no_ledger_and_left_as_it_is(store: Store, path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.touch(mode=0o644)
    assert store.open(writing=False).select(Filter()) == []
    refused(store, "is empty, and not a ledger. It was not changed", writing=True)
    with pytest.raises(LedgerError, match="is empty, and not a ledger"):
        open_ledger(FileLocation(path), "check")
    assert (stat.S_IMODE(path.stat().st_mode), path.stat().st_size) == (0o644, 0)


def test_new_ledger_is_linked_beside_what_others_made(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its journal is made before, and what this run did not make stays, such as another ledger of the name."""
    path.parent.mkdir(mode=0o700)
    others = [path.with_name(name) for name in ("ledger.db.new", "ledger.db.new-journal", ".ledger.db.another")]
    for each in others:
        each.write_text("kept")
    at_link: list[dict[str, bytes | None]] = []
    link = os.link
    monkeypatch.setattr(os, "link", lambda *names: (at_link.append(snapshot(path.parent)), link(*names)))
    store.open()
    assert [each.read_text() for each in others] == ["kept"] * 3
    assert (path.stat().st_nlink, {*path.parent.iterdir()}) == (
        1,
        {path, path.with_name("ledger.db-journal"), *others},
    )
    (before,) = at_link
    assert before[f"{path}-journal"] == b""
    assert str(path) not in before


def test_a_ledger_of_any_name_is_found_through_links(store: Store, path: Path, tmp_path: Path) -> None:
    """Also the locks: another name of the ledger must not make its runs look dead."""
    path, link = path.with_name("a 100% ü?x=1#y.db"), tmp_path / "link.db"
    store.address = str(path)
    link.symlink_to(path)
    other = Store(str(link))
    ours = other.open()
    claim(ours, [request("a")])
    assert path.is_file()
    assert store.open().find(["a"])["a"].status == "pending"
    other.close()
    assert link.is_symlink()


def test_a_place_that_cannot_be_made(store: Store, path: Path, tmp_path: Path) -> None:
    blocking = tmp_path / "file"
    blocking.touch()
    for impossible in (blocking / "ledger.db", blocking / "deeper" / "ledger.db", Path("/proc/ledger.db")):
        store.address = str(impossible)
        with pytest.raises(LedgerError, match=r"cannot be (opened|made): (Not a directory|No such file)") as caught:
            store.open()
        assert str(impossible) in caught.value.message
    assert "No ledger can be made there. Nothing was sent.\nSet ledger (or RESELLER_LEDGER)" in caught.value.message
    assert "below HOME" in caught.value.message


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("99", "another version of hosting.reseller(?s:.*)version 99(?s:.*)Use the release that wrote it"),
        ("", "was damaged: its table hosting_reseller_meta lacks(?s:.*)Do not order anything"),
    ],
)
def test_ledger_of_another_version_is_refused_before_anything_else_is_read(
    store: Store, path: Path, version: str, words: str
) -> None:
    store.open().close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE {tables.META} SET value = ? WHERE key = 'version'", [version])
        # Whatever its tables were.
        connection.execute(f"DELETE FROM {tables.META} WHERE key = 'digest_key'")
        for table in (tables.ORDERS, tables.RUNS, tables.LISTS, tables.CLAIMS, tables.EVENTS):
            connection.execute(f"DROP TABLE {table}")
    before = path.read_bytes()
    for writing in (True, False):
        refused(store, words, writing=writing)
    assert path.read_bytes() == before


@pytest.mark.parametrize("replaced", [False, True])
def test_a_claim_that_others_cannot_see_is_no_claim(store: Store, path: Path, replaced: bool) -> None:
    ledger = store.open()
    claim(ledger, [request("a")])
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    copy.replace(path) if replaced else path.unlink()
    for write in (lambda: claim(ledger, [request("b")]), lambda: record(ledger, "a", ORDERED)):
        with pytest.raises(LedgerError, match="removed or replaced while this run had it open"):
            write()


@pytest.mark.parametrize("then", ["write", "read", "back up"])
def test_a_run_that_dies_while_it_writes_leaves_what_was_there(store: Store, path: Path, then: str) -> None:
    with store.open() as ledger:
        claim(ledger, [request("a")])
    die_while_writing(path)
    os.truncate(path, path.stat().st_size - 1)  # as if the last page were written in part
    assert path.with_name("ledger.db-journal").read_bytes().startswith(b"\xd9\xd5\x05\xf9")
    if then == "back up":
        guide = (ROOT / "docs/docsite/rst/ledger.rst").read_text(encoding="utf-8")
        command = guide.partition("   $ (umask")[2].partition("\n\n")[0]
        subprocess.run(f"(umask{command}", shell=True, cwd=path.parent, check=True)
        path.with_name("backup.db").replace(path)
    assert [record.status for record in store.open(writing=then == "write").select(Filter())] == ["in_doubt"]


@pytest.mark.parametrize("writing", [True, False])
def test_a_ledger_that_is_gone_is_not_made_anew_beside_its_journal(store: Store, path: Path, writing: bool) -> None:
    store.open().close()
    die_while_writing(path)
    path.unlink()
    refused(store, "gone or empty, and its journal is still there", writing=writing)
    assert not path.exists()


def test_nothing_is_left_open(store: Store) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _rest in range(3):
        with open_ledger(location_of(store.address, {}), "write") as ledger:
            claim(ledger, [request("a")])
    assert len(os.listdir("/proc/self/fd")) == before


RESTORE = r"Do not order anything until the ledger has been restored"


@pytest.mark.parametrize("writing", [True, False])
@pytest.mark.parametrize("size", [1, 4096, -4096, -1])
def test_a_ledger_that_was_cut_off_is_refused(store: Store, path: Path, size: int, writing: bool) -> None:
    with store.open() as ledger:
        claim(ledger, [request("a")])
        record(ledger, "a", ORDERED)
    os.truncate(path, size if size > 0 else path.stat().st_size + size)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=RESTORE):
        store.open(writing=writing).find(["a"])
    assert path.read_bytes() == before


@pytest.mark.parametrize("harm", [None, random.Random(1).randbytes(8192)], ids=["removed", "overwritten"])
def test_a_claim_outlasts_what_becomes_of_the_journal(store: Store, path: Path, harm: bytes | None) -> None:
    run, journal = store.run(), path.with_name("ledger.db-journal")
    assert run.ask("claim", "a", "b") == [None, None]
    run.kill()
    journal.unlink() if harm is None else journal.write_bytes(harm)
    recorded = claim(store.open(), [request("a"), request("b")])
    assert [record and record.status for record in recorded] == ["pending", "pending"]


@pytest.mark.parametrize("others", [0, 1])
def test_another_state_that_is_copied_over_an_open_ledger_is_noticed(store: Store, path: Path, others: int) -> None:
    """SQLite would go on with what it has in memory where both states were written equally often."""
    backup = Store(str(path.with_name("backup.db")), store._closing)
    with store.open() as ledger:
        claim(ledger, [request("a")])
        record(ledger, "a", Outcome("rejected", "No credit."))
    shutil.copy(path, backup.address)
    for number in range(others):
        claim(backup.open(), [request(f"other-{number}")])
    ours = store.open()
    assert claim(ours, [request("a"), request("b")]) == [None, None]
    path.write_bytes(Path(backup.address).read_bytes())
    with pytest.raises(LedgerError, match="went back in time while this run had it open"):
        claim(ours, [request("c")])


@pytest.mark.parametrize(
    ("owner", "step", "links"), [(sqlite, "make_tables", 0), (sqlite, "sync", 0), (Path, "unlink", 2)]
)
def test_first_run_that_is_killed_while_it_makes_the_ledger_refuses_nobody(
    store: Store, path: Path, owner: Any, step: str, links: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it writes the tables, before what it made is put in place, and once that is linked."""
    work = getattr(owner, step)

    def die(*given: Any) -> None:
        if step != "unlink":
            work(*given)
        os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patched:
        patched.setattr(owner, step, die)
        die_at(store.open)
    assert (path.stat().st_nlink if path.exists() else 0) == links
    assert claim(store.open(), [request("a")]) == [None]


def test_ledger_in_which_a_page_was_lost_is_refused(store: Store, path: Path) -> None:
    """Also one of an index."""
    with store.open() as ledger:
        claim(ledger, [request(f"web{number}.example.org") for number in range(60)])
    whole = path.read_bytes()
    for page in range(4096, len(whole), 4096):
        path.write_bytes(whole[:page] + bytes(4096) + whole[page + 4096 :])
        with pytest.raises(LedgerError, match=RESTORE):
            claim(open_ledger(location_of(store.address, {}), "write"), [request("another")])


def test_ledger_is_checked_once_before_the_first_change_of_a_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    claim(store.open(), [request("a")])
    statements: list[str] = []

    def connect(path: Path, mode: str) -> sqlite3.Connection:
        connection = connected(path, mode)
        connection.set_trace_callback(statements.append)
        return connection

    connected = sqlite.connect
    monkeypatch.setattr(sqlite, "connect", connect)
    with open_ledger(location_of(store.address, {}), "write") as ours:
        for name in ("b", "c"):
            claim(ours, [request(name)])
            record(ours, name, ORDERED)
    (check,) = (at for at, each in enumerate(statements) if "integrity" in each)
    assert not any(each.startswith("INSERT") for each in statements[:check])


def test_record_answers_by_its_row_whatever_one_index_says(store: Store, path: Path) -> None:
    """Each place at which its name stands is changed to that of another order: in the row, and in each index."""
    with store.open() as ledger:
        claim(ledger, [request("web02", identity=None)])
        record(ledger, "web02", ORDERED)
    whole = path.read_bytes()
    places = [at for at in range(len(whole)) if whole.startswith(b"web02", at)]
    assert len(places) >= 4
    for at in places:
        path.write_bytes(whole[:at] + b"web01" + whole[at + 5 :])
        with store.open(writing=False) as ledger:
            assert ledger.find(["web01"]) == ledger.look_up(["web01"])[0] == {}
            assert ledger.select(Filter(names=["web01"])) == []
