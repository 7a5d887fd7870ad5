# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What only a ledger in PostgreSQL has to stand: lost connections, the database's preferences, other releases."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal
from urllib.parse import urlsplit

import psycopg
import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import postgresql, rows
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from tests.support import postgresql as servers
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import await_doubt, await_that, execute, request, settle

ORDERED = Outcome("ordered", contract_id="c-1")
_KEY_DATA = re.compile(rb"K\x00\x00\x00\x0c(....)", re.DOTALL)


class Proxy:
    """Passes everything on between its port and the server's.

    ``break_at``: the next commit ends the connection, ``before`` it reaches the server, or ``after`` the server has
    done it and before its answer arrives. ``pooling``: it tells another process id than the server's, as a pooler does.
    """

    def __init__(self, dsn: str, *, pooling: bool = False) -> None:
        server = urlsplit(dsn)
        self._server = (server.hostname or "", server.port or 5432)
        self._pooling = pooling
        self.break_at: Literal["before", "after"] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.dsn = dsn.replace(f":{server.port}/", f":{self._listener.getsockname()[1]}/")
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _rest = self._listener.accept()
                server = socket.create_connection(self._server)
                breaking = threading.Event()
                for pump in (self._to_server, self._to_client):
                    threading.Thread(target=pump, args=(client, server, breaking), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket, breaking: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if b"COMMIT" in data and self.break_at:
                    when, self.break_at = self.break_at, None
                    if when == "before":
                        break
                    breaking.set()
                server.sendall(data)
        _end(client, server)

    def _to_client(self, client: socket.socket, server: socket.socket, breaking: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if breaking.is_set():
                    break
                if self._pooling:
                    data = _KEY_DATA.sub(lambda found: b"K\x00\x00\x00\x0c" + struct.pack("!I", 4242), data)
                client.sendall(data)
        _end(client, server)


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def store(postgresql_store: Store) -> Store:
    return postgresql_store


@pytest.fixture
def own_store(server: servers.Server) -> Iterator[Store]:
    store = Store(server.create_database())
    yield store
    store.close()


@pytest.fixture
def proxy(store: Store) -> Iterator[Proxy]:
    proxy = Proxy(store.address)
    yield proxy
    proxy.close()


def test_a_session_that_changes_its_process_is_refused(store: Store) -> None:
    """Any pooler is known by the process id that it tells, which is not the server's."""
    proxy = Proxy(store.address, pooling=True)
    try:
        assert claim(Store(proxy.dsn, store._closing).open(), [request("a")]) == [None]
    finally:
        proxy.close()


def through(store: Store, proxy: Proxy) -> Store:
    return Store(proxy.dsn, store._closing)


@pytest.mark.parametrize("when", ["before", "after"])
def test_claim_and_outcome_whose_commit_is_lost_are_written_once(
    store: Store, proxy: Proxy, when: Literal["before", "after"]
) -> None:
    ours, theirs = through(store, proxy).open(), store.open()
    claim(ours, [request("first")])
    claim(theirs, [request("b")])
    proxy.break_at = when
    answer = claim(ours, [request("a"), request("b"), request("first")])
    assert proxy.break_at is None
    assert [record and record.name for record in answer] == [None, "b", "first"]
    (standing,) = claim(theirs, [request("a")])
    assert standing is not None
    assert standing.status == "pending"
    proxy.break_at = when
    record(ours, "a", ORDERED)
    assert proxy.break_at is None
    assert theirs.find(["a"])["a"].outcome == ORDERED
    assert [theirs.find([name])[name].status for name in ("b", "first")] == ["pending", "pending"]


def test_a_restart_while_an_order_is_in_flight(server: servers.Server, own_store: Store) -> None:
    ours, theirs = own_store.open(), own_store.open()
    claim(ours, [request("a"), request("b")])
    server.restart("immediate")
    record(ours, "a", ORDERED)
    assert {record.name: record.status for record in theirs.select(Filter())} == {"a": "ordered", "b": "pending"}
    assert claim(ours, [request("c")]) == [None]


def test_a_server_that_stays_away(server: servers.Server, own_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "PATIENCE", 0.5)
    ours = own_store.open()
    claim(ours, [request("a")])
    server.stop()
    try:
        with pytest.raises(LedgerError, match=r"cannot be written: (?s:.*)Check the address") as caught:
            record(ours, "a", ORDERED)
        with pytest.raises(LedgerError, match="cannot be opened"):
            own_store.open()
    finally:
        server.start()
    assert str(urlsplit(own_store.address).password) not in caught.value.message
    await_doubt(own_store.open(), "a")
    record(ours, "a", ORDERED)
    assert own_store.open().find(["a"])["a"].status == "ordered"


def test_a_session_that_was_ended_takes_its_lock_again(store: Store) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request("a")])
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    execute(store.address, f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {others}")
    await_doubt(theirs, "a")
    ours.find(["a"])
    assert theirs.find(["a"])["a"].status == "pending"


def test_a_run_whose_session_is_gone_is_not_known_to_be_dead(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock of the server, whatever the clocks of the machines say."""
    with store.open() as ours:
        monkeypatch.setattr(rows, "now", lambda: "2001-01-01T00:00:00Z")
        claim(ours, [request("a"), request("b")], longest=600.0)
    theirs = store.open()
    monkeypatch.setattr(rows, "now", lambda: "2099-01-01T00:00:00Z")
    found = theirs.find(["a"])["a"]
    assert (found.status, found.unseen) == ("pending", True)
    with pytest.raises(ResellerError, match=f"A request of it may be under way until {found.deadline}."):
        theirs.remove("a")
    # What the portal shows is there.
    assert settle(theirs, "b", ORDERED) is None
    execute(store.address, f"UPDATE {rows.ORDERS} SET deadline = '2026-01-01T00:00:00Z'")
    assert theirs.find(["a"])["a"].status == "in_doubt"
    theirs.remove("a")


def test_a_lock_is_taken_again_while_the_server_still_has_the_old_session(store: Store) -> None:
    """The server notices late that a client's machine or network is gone."""
    ours: Any = store.open()
    claim(ours, [request("a")])
    database = ours._database
    old, database._connection = database._connection, None
    record(ours, "a", ORDERED)
    claim(ours, [request("b")])
    old.close()
    assert store.open().find(["b"])["b"].status == "pending"


def show(store: Store, setting: str) -> str:
    ledger: Any = store.open()
    return str(ledger._database._connection.execute(f"SHOW {setting}").fetchone()[0])


@pytest.mark.parametrize(
    ("setting", "preferred", "expected"),
    [
        ("synchronous_commit", "off", "on"),
        ("synchronous_commit", "remote_apply", "remote_apply"),
        ("idle_session_timeout", "1000", "0"),
    ],
)
def test_what_an_order_depends_on_is_not_left_to_the_database(
    store: Store, setting: str, preferred: str, expected: str
) -> None:
    execute(store.address, f"ALTER DATABASE {urlsplit(store.address).path[1:]} SET {setting} = {preferred}")
    assert show(store, setting) == expected


def test_any_kind_of_transactions_may_be_the_databases_default(store: Store) -> None:
    name = urlsplit(store.address).path[1:]
    execute(
        store.address,
        f"ALTER DATABASE {name} SET default_transaction_isolation = serializable",
        f"ALTER DATABASE {name} SET default_transaction_read_only = on",
    )
    ledger: Any = store.open()
    claim(ledger, [request("a")])
    with ledger._database._connection.transaction():
        assert ledger._database._connection.execute("SHOW transaction_isolation").fetchone() == ("read committed",)


def await_a_waiting_session(address: str) -> None:
    await_that(lambda: execute(address, "SELECT 1 FROM pg_locks WHERE NOT granted") != [])


@contextlib.contextmanager
def another_writes(address: str) -> Iterator[psycopg.Connection[Any]]:
    """The connection of another run in the middle of a change, which is committed in the end."""
    with psycopg.connect(address) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [postgresql._key(postgresql._WRITING_LOCK)])
        yield connection


def test_whoever_waited_for_another_to_make_the_tables_sees_them(store: Store) -> None:
    run = store.starting()
    with another_writes(store.address) as connection:
        run.tell("open")
        await_a_waiting_session(store.address)
        rows.make(postgresql._Cursor(connection))
        rows.write_meta(postgresql._Cursor(connection), "digest_key", "00" * 32)
    assert run.answer() == "open"
    assert store.open().digest_key == bytes(32)


def test_an_outcome_waits_for_a_person_who_settles_at_that_moment(store: Store) -> None:
    run = store.run()
    assert run.ask("claim", "a") == [None]
    with another_writes(store.address) as connection:
        connection.execute(f"UPDATE {rows.ORDERS} SET status = 'ordered', contract_id = 'c-9', run_id = NULL".encode())
        run.tell("record", "a", {"status": "in_doubt"})
        await_a_waiting_session(store.address)
    assert run.answer() == "ordered"
    assert store.open().find(["a"])["a"].outcome == Outcome("ordered", contract_id="c-9")


def test_two_changes_at_once_leave_tokens_of_two_numbers(store: Store) -> None:
    run = store.run()
    with another_writes(store.address) as connection:
        others = rows.leave_token(postgresql._Cursor(connection), "another run")
        run.tell("claim", "a")
        await_a_waiting_session(store.address)
    assert run.answer() == [None]
    newest = store.open().history().token
    assert others is not None
    assert newest is not None
    assert newest.number == others.number + 1


@pytest.mark.parametrize(
    "change",
    [
        lambda dsn: f"{dsn}_missing",
        lambda dsn: f"{dsn}?port=1",
        lambda dsn: dsn.replace(f":{urlsplit(dsn).password}@", ":wr%40ng-s3cret@"),
    ],
)
def test_no_message_holds_the_password(store: Store, change: Callable[[str], str]) -> None:
    with pytest.raises(LedgerError, match="cannot be opened") as caught:
        Store(change(store.address)).open()
    seen = f"{caught.value.message} {caught.value.__cause__!r} {caught.value.results}"
    assert (urlsplit(store.address).password or "") not in seen
    assert "s3cret" not in seen
    assert caught.value.__suppress_context__


def test_what_an_address_sets_is_kept(store: Store) -> None:
    ledger: Any = Store(f"{store.address}?connect_timeout=3&application_name=mine", store._closing).open()
    assert ledger._database._connection.info.get_parameters()["connect_timeout"] == "3"
    assert ledger._database._connection.info.get_parameters()["application_name"] == "mine"
    ledger = store.open()
    assert ledger._database._connection.info.get_parameters()["connect_timeout"] == "10"
