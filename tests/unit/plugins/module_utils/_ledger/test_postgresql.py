# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What only a ledger in PostgreSQL has to stand: lost connections, preferences of the database, roles and poolers.

Its password is for nobody but a server that shows whose it is.
"""

from __future__ import annotations

import secrets
import shlex
import shutil
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import psycopg
import pytest
import trustme

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import ledger_tables as tables
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import postgresql
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.database import Run
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_errors import offer_settling
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome, Settlement
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.transaction import Transaction
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._locations.opening import open_ledger
from playbooks.files.simulator.http_server import SocketServer
from tests.support import postgresql as servers
from tests.support import postgresql_fronts
from tests.support.ledgers import await_doubt, await_that, claim, record, remove
from tests.support.pasting import arguments_of, tasks_of
from tests.support.postgresql_fronts import REMOTE, Pooler
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import (
    execute,
    in_the_way,
    request,
    settle,
)

ORDERED = Outcome("ordered", contract_id="c-1")


@pytest.fixture
def store(postgresql_store: Store) -> Store:
    return postgresql_store


@pytest.fixture
def own_store(server: servers.Server) -> Iterator[Store]:
    store = Store(server.create_database())
    yield store
    store.close()


def lose_next_commit(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """Have the connection end when the next transaction does, before its commit or before the answer to that."""
    leave, left = psycopg.Transaction.__exit__, []

    def lost(self: psycopg.Transaction, *ended: Any) -> bool:
        if left:
            return leave(self, *ended)
        left.append(leave(self, *ended) if when == "after" else None)
        self.connection.close()
        raise psycopg.OperationalError("the connection is lost")

    monkeypatch.setattr(psycopg.Transaction, "__exit__", lost)


@pytest.mark.parametrize("when", ["before", "after"])
def test_claim_and_outcome_whose_commit_is_lost_are_written_once(
    store: Store, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = store.open(), store.open()
    claim(ours, [request("first")])
    claim(theirs, [request("b")])
    lose_next_commit(monkeypatch, when)
    assert in_the_way(ours, *map(request, ("a", "b", "first"))) == [None, "b", "first"]
    assert theirs.find(["a"])["a"].status == "pending"
    lose_next_commit(monkeypatch, when)
    record(ours, "a", ORDERED)
    assert theirs.find(["a"])["a"].outcome == ORDERED
    assert [theirs.find([name])[name].status for name in ("b", "first")] == ["pending", "pending"]
    # So is a number that is taken back: of two claims, one was removed by a person.
    remove(theirs, "a")
    claim(ours, [request("a")])
    lose_next_commit(monkeypatch, when)
    record(ours, "a", Outcome("rejected", "No."))
    assert theirs.numbers(["a"]) == {"a": 1}
    lose_next_commit(monkeypatch, when)
    assert ours.settle([Settlement("adopted", Outcome("ordered", contract_id="c-9"))]) == [None]
    assert len(theirs.events("adopted")) == 1


def test_a_restart_while_an_order_is_pending(server: servers.Server, own_store: Store) -> None:
    ours, theirs = own_store.open(), own_store.open()
    claim(ours, [request("a"), request("b")])
    server.restart("immediate")
    record(ours, "a", ORDERED)
    assert {record.name: record.status for record in theirs.select(Filter())} == {"a": "ordered", "b": "pending"}


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


def test_a_run_whose_session_is_gone_is_not_known_to_be_dead(store: Store) -> None:
    """By the clock of the server, whatever the clocks of the machines say."""
    run, theirs = store.run(), store.open()
    run.ask("claim", "a", "b")
    run.kill()
    store.clocks.pass_(1e9)
    found = theirs.find(["a"])["a"]
    assert found.status == "pending"
    with pytest.raises(ResellerError, match=f"A request of it may be under way until {found.deadline}."):
        remove(theirs, "a")
    with pytest.raises(ResellerError, match=f"A request of it may be under way until {found.deadline}."):
        settle(theirs, "b", ORDERED)
    execute(store.address, f"UPDATE {tables.ORDERS} SET deadline = '2026-01-01T00:00:00Z'")
    assert theirs.find(["a"])["a"].status == "in_doubt"
    remove(theirs, "a")


@pytest.mark.parametrize(("commit", "kept"), [("off", "on"), ("remote_apply", "remote_apply")])
def test_what_an_order_depends_on_is_set_in_each_transaction(store: Store, commit: str, kept: str) -> None:
    """Whatever the database prefers. The address may set the rest."""
    preferred = {
        "synchronous_commit": (commit, kept),
        "statement_timeout": ("5000", "1min"),
        "lock_timeout": ("5000", "40s"),
        "idle_in_transaction_session_timeout": ("5000", "30s"),
        "default_transaction_isolation": ("serializable", "serializable"),
        "default_transaction_read_only": ("on", "on"),
    }
    if execute(store.address, "SHOW server_version_num")[0][0] >= "170000":
        preferred["transaction_timeout"] = ("5000", "2min")
    name = urlsplit(store.address).path[1:]
    execute(store.address, *(f"ALTER DATABASE {name} SET {each} = {value}" for each, (value, _) in preferred.items()))
    other = Store(f"{store.address}?connect_timeout=3&application_name=mine", store._closing)
    ledger: Any = other.open()
    assert claim(ledger, [request("a")]) == [None]

    def settings(transaction: Any) -> dict[str, str]:
        return {each: transaction.query(f"SHOW {each}")[0][0] for each in (*preferred, "transaction_isolation")}

    expected = {each: value for each, (_preferred, value) in preferred.items()}
    for writing in (True, False):
        assert ledger.run(settings, writing=writing) == {
            **expected,
            "transaction_isolation": "read committed",
        }
    given = ledger._database._connection.info.get_parameters()
    assert (given["connect_timeout"], given["application_name"]) == ("3", "mine")


@contextmanager
def another_writes(address: str) -> Iterator[Any]:
    """The transaction of another run, which is committed once somebody waits for that."""
    with psycopg.connect(address) as connection:
        yield Transaction(Mock(place="", by=Run("another")), postgresql.PostgresqlSession(connection, writing=True))
        await_that(lambda: execute(address, "SELECT 1 FROM pg_locks WHERE NOT granted") != [])


def test_whoever_waited_for_another_sees_what_it_wrote(store: Store) -> None:
    """The tables that another first run made, and what a person said who settled at that moment."""
    run = store.starting()
    with another_writes(store.address) as transaction:
        run.tell("open")
        tables.make_tables(transaction)
        transaction.set_meta("digest_key", "00" * 32)
    assert run.answer() == "open"
    assert store.open().digest_key == bytes(32)
    assert run.ask("claim", "a") == [None]
    with another_writes(store.address) as transaction:
        run.tell("record", "a", {"status": "in_doubt"})
        transaction.query(f"UPDATE {tables.ORDERS} SET status = 'ordered', contract_id = 'c-9', run_id = NULL")
    assert run.answer() == "ordered"
    assert store.open().find(["a"])["a"].outcome == Outcome("ordered", contract_id="c-9")


# Whoever connects, and whatever is between: schemas, roles, poolers, standbys


def test_ledger_in_any_schema_of_the_database_is_found_before_another_one_is_made(store: Store) -> None:
    execute(store.address, "CREATE SCHEMA reseller", "CREATE SCHEMA other")
    with Store(f"{store.address}?options=-csearch_path%3Dreseller").open() as ledger:
        claim(ledger, [request("a")])
    for address in (store.address, f"{store.address}?options=-csearch_path%3Dother"):
        for writing in (True, False):
            with pytest.raises(LedgerError, match=r"is in another schema than (?s:.*)options=-csearch_path%3DSCHEMA"):
                Store(address).open(writing=writing)
    assert execute(store.address, f"SELECT to_regclass('{tables.META}')") == [(None,)]
    # A search path that is the role's own, or the database's.
    execute(store.address, f"ALTER DATABASE {urlsplit(store.address).path[1:]} SET search_path = reseller")
    assert [each.name for each in store.open().select(Filter())] == ["a"]


def test_tables_of_somebody_else_are_left(store: Store) -> None:
    orders = tables.ORDERS
    execute(store.address, f"CREATE TABLE {orders} (mine text)", f"INSERT INTO {orders} VALUES ('kept')")
    with pytest.raises(LedgerError, match="already exists"):
        store.open()
    assert execute(store.address, f"SELECT * FROM {tables.ORDERS}") == [("kept",)]
    assert execute(store.address, f"SELECT to_regclass('{tables.META}')") == [(None,)]


def test_a_role_without_rights_is_told_what_postgresql_says(store: Store) -> None:
    url, name = urlsplit(store.address), f"role_{secrets.token_hex(8)}"
    execute(store.address, f"CREATE ROLE {name} LOGIN PASSWORD 'p'", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    role = Store(store.address.replace(f"{url.username}:{url.password}@", f"{name}:p@"), store._closing)
    with pytest.raises(LedgerError, match="permission denied for schema public"):
        role.open()
    claim(store.open(), [request("a")])
    granted = ", ".join((tables.META, tables.ORDERS, tables.RUNS, tables.LISTS, tables.CLAIMS))
    execute(store.address, f"GRANT SELECT ON {granted} TO {name}")
    assert role.open(writing=False).find(["a"])["a"].status == "pending"
    with pytest.raises(LedgerError, match="permission denied for table"):
        claim(role.open(), [request("b")])


#: The real one where it is installed. A stand-in does what it does with sessions.
PGBOUNCER = [postgresql_fronts.pgbouncer] if shutil.which("pgbouncer") else []


@contextmanager
def stand_in(address: str) -> Iterator[int]:
    with SocketServer(Pooler(address)) as pooler:
        yield pooler.port


@pytest.mark.parametrize("front", [stand_in, *PGBOUNCER])
def test_a_transaction_pooler_works(store: Store, front: Callable[[str], AbstractContextManager[int]]) -> None:
    """No lock and no setting of a session is relied upon: a claim is pending until its deadline."""
    with front(store.address) as port:
        pooled = [Store(store.address.replace(f":{urlsplit(store.address).port}/", f":{port}/")) for _each in range(3)]
        ours, theirs, reader = (each.open() for each in pooled)
        assert claim(ours, [request("a"), request("b")]) == [None, None]
        assert in_the_way(theirs, request("a"), request("c")) == ["a", None]
        record(ours, "a", ORDERED)
        ours.under_way.add("b")
        ours.close()
        theirs.close()
        assert {each.name: each.status for each in reader.select(Filter())} == {
            "a": "ordered",
            "b": "pending",
            "c": "in_doubt",
        }
        for each in pooled:
            each.close()


def test_no_statement_is_prepared(store: Store) -> None:
    """A pooler gives the next statement to a session that lacks what was prepared."""
    ledger: Any = store.open()
    for number in range(10):
        claim(ledger, [request(f"web{number}")])
        record(ledger, f"web{number}", ORDERED)
        ledger.find([f"web{number}"])
    prepared = ledger.run(lambda each: each.query("SELECT 1 FROM pg_prepared_statements"), writing=False)
    assert prepared == []


def test_a_standby_is_refused(server: servers.Server) -> None:
    mark = Path(server.directory, "data", "standby.signal")
    mark.touch()
    server.restart()
    try:
        for writing in (True, False):
            with pytest.raises(LedgerError, match="server is in hot standby mode"):
                Store(server.dsn).open(writing=writing)
    finally:
        mark.unlink()
        server.restart()


def test_what_is_offered_for_settling_names_the_ledger_without_its_password() -> None:
    place = "postgresql://reseller@db.example.org/ledger"
    offered = offer_settling("it's: #1", place)
    expected = {"name": "it's: #1", "state": "present", "contract_id": "unknown", "ledger": place}
    ((_name, given),) = (each.values() for each in tasks_of(offered.task))
    assert given == expected
    words = shlex.split(offered.line or "")
    assert (words[0], arguments_of(words[-1])) == ("ansible", expected)


# Who gets the password

PASSWORD = "correct-horse"
FILE_OF_AUTHORITY, MODE = "add sslrootcert=/path/of/its/certificate to the address", "sslmode=require or less"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSSLMODE", "PGSSLROOTCERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def rogue() -> Iterator[SocketServer]:
    """Takes passwords for its requests."""
    with SocketServer(postgresql_fronts.rogue) as rogue:
        yield rogue


def opening(address: str) -> str:
    """Why a ledger is not opened."""
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(address, {}), "read")
    assert PASSWORD not in caught.value.message
    return caught.value.message


def says_both_ways(message: str) -> bool:
    return FILE_OF_AUTHORITY in message and MODE in message


@pytest.mark.parametrize(
    ("host", "query", "environment"),
    [
        (REMOTE, "", {}),
        (REMOTE, "", {"PGSSLMODE": "prefer", "PGSSLROOTCERT": "/dev/null"}),
        (REMOTE, "", {"PGSERVICE": "weak"}),
        (REMOTE, "service=weak", {}),
        (f"127.0.0.1:1,{REMOTE}", "", {}),
        ("localhost", f"hostaddr={REMOTE}", {}),
        ("localhost", "", {"PGHOSTADDR": REMOTE}),
        ("", "", {"PGHOST": REMOTE}),
    ],
    ids=str,
)
def test_rogue_server_gets_no_password(
    rogue: SocketServer,
    host: str,
    query: str,
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "services").write_text("[weak]\nsslmode=disable\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    for name, value in {"PGPORT": str(rogue.port), **environment}.items():
        monkeypatch.setenv(name, value)
    port = f":{rogue.port}" if host else ""
    message = opening(f"postgresql://reseller:{PASSWORD}@{host}{port}/ledger?{query}")
    assert "server does not support SSL, but SSL was required" in message
    assert says_both_ways(message)
    assert rogue.requests == []


def test_rogue_server_on_this_machine_gets_the_password(rogue: SocketServer) -> None:
    """It takes what it is given: the other tests would see it."""
    opening(f"postgresql://reseller:{PASSWORD}@127.0.0.1:{rogue.port}/ledger")
    assert set(rogue.requests) == {PASSWORD.encode()}


@pytest.fixture
def authority(tmp_path: Path) -> trustme.CA:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    return authority


@pytest.fixture
def behind_tls(store: Store, authority: trustme.CA, request: Any) -> Iterator[SocketServer]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(getattr(request, "param", REMOTE)).configure_cert(tls)
    with SocketServer(postgresql_fronts.tls_before(urlsplit(store.address).port or 0, tls)) as front:
        yield front


def at(front: SocketServer, store: Store, query: str = "") -> str:
    parts = urlsplit(store.address)
    return f"postgresql://{parts.username}:{parts.password}@{REMOTE}:{front.port}{parts.path}?{query}"


def test_server_with_a_trusted_certificate_is_used(
    behind_tls: SocketServer, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trusted by what the address says, or by the system."""
    message = opening(at(behind_tls, store))
    assert "certificate verify failed" in message
    assert says_both_ways(message)
    authority = str(tmp_path / "authority.pem")
    written = ((f"sslrootcert={authority}", ""), ("sslmode=require", ""))
    for query, system in (*written, ("", authority), ("sslrootcert=system", authority)):
        monkeypatch.setenv("SSL_CERT_FILE", system)
        with open_ledger(location_of(at(behind_tls, store, query), {}), "write") as ledger:
            assert claim(ledger, [request(f"a{query}")]) == [None]


@pytest.mark.parametrize("behind_tls", ["another.example.org"], indirect=True)
def test_certificate_of_another_host_is_refused(behind_tls: SocketServer, store: Store, tmp_path: Path) -> None:
    assert "does not match host name" in opening(at(behind_tls, store, f"sslrootcert={tmp_path}/authority.pem"))


@pytest.mark.parametrize(
    ("address", "is_required"),
    [
        ("postgresql://db.example.org/ledger?hostaddr=127.0.0.1,192.0.2.1", True),
        ("postgresql://127.0.0.1.example.org/ledger", True),
        ("postgresql://[::1]/ledger", False),
        ("postgresql:///ledger", False),
        ("postgresql:///ledger?host=/run/postgresql", False),
        ("postgresql://db.example.org/ledger?hostaddr=127.0.0.1", False),
        ("postgresql://db.example.org/ledger?sslmode=require", False),
        ("postgresql://db.example.org/ledger?%73slmode=allow", False),
    ],
)
def test_further_hosts_that_must_show_a_certificate(address: str, is_required: bool) -> None:
    assert (postgresql.parameters_of(address).get("sslmode") == "verify-full") is is_required
