# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One ledger in a database, whoever connects and whatever is between: roles, schemas, poolers, standbys."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import rows
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.support import postgresql as servers
from tests.support.ledgers import claim, record
from tests.unit.plugins.module_utils._ledger.conftest import Store
from tests.unit.plugins.module_utils._ledger.runs import await_that, execute, names_in, request

ORDERED = Outcome("ordered", contract_id="c-1")


@pytest.fixture
def store(postgresql_store: Store) -> Store:
    return postgresql_store


def as_role(store: Store, name: str) -> Store:
    """The same ledger for a role of its own, which may create nothing in the schema public."""
    url, role = urlsplit(store.address), f"{name}_{secrets.token_hex(8)}"
    execute(store.address, f"CREATE ROLE {role} LOGIN PASSWORD 'p'", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    return Store(store.address.replace(f"{url.username}:{url.password}@", f"{role}:p@"), store._closing)


def with_schema(store: Store, schema: str) -> Store:
    return Store(f"{store.address}?options=-csearch_path%3D{schema}", store._closing)


def refusal(store: Store) -> str:
    """Why an order is refused, in PostgreSQL's own words."""
    with pytest.raises(LedgerError) as caught:
        claim(store.open(), [request("web01")])
    return caught.value.message


def grant_all(store: Store, role: Store, schema: str = "public") -> None:
    name = urlsplit(role.address).username
    tables = ", ".join(f"{schema}.{table}" for table in (rows.META, rows.ORDERS, rows.RUNS))
    execute(store.address, f"GRANT USAGE ON SCHEMA {schema} TO {name}", f"GRANT ALL ON {tables} TO {name}")


def test_each_schema_of_an_address_has_a_ledger_of_its_own(store: Store) -> None:
    execute(store.address, "CREATE SCHEMA reseller")
    claim(store.open(), [request("a")])
    other = with_schema(store, "reseller").open()
    assert claim(other, [request("a")]) == [None]
    assert other.address != store.open().address


def test_tables_of_somebody_else_are_left(store: Store) -> None:
    execute(store.address, f"CREATE TABLE {rows.ORDERS} (mine text)", f"INSERT INTO {rows.ORDERS} VALUES ('kept')")
    with pytest.raises(LedgerError, match="already exists"):
        store.open()
    assert execute(store.address, f"SELECT * FROM {rows.ORDERS}") == [("kept",)]
    assert execute(store.address, f"SELECT to_regclass('{rows.META}')") == [(None,)]


def test_a_role_without_rights_is_told_what_postgresql_says(store: Store) -> None:
    role = as_role(store, "user")
    name = urlsplit(role.address).username
    assert "permission denied for schema public" in refusal(role)
    assert role.open(writing=False).select(Filter()) == []
    claim(store.open(), [request("a")])
    with pytest.raises(LedgerError, match=f"permission denied for table {rows.META}.\n"):
        role.open(writing=False)
    execute(store.address, f"GRANT SELECT ON {rows.META}, {rows.ORDERS}, {rows.RUNS} TO {name}")
    assert role.open(writing=False).find(["a"])["a"].status == "pending"
    assert "permission denied for table" in refusal(role)
    grant_all(store, role)
    ledger = role.open()
    assert claim(ledger, [request("b")]) == [None]
    record(ledger, "b", ORDERED)
    ledger.remove("b")


def needs_pgbouncer(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of the long form: PgBouncer comes from no package index."""
    return pytest.mark.full(pytest.mark.programs("pgbouncer")(test))


@pytest.fixture
def pooled(store: Store, request: pytest.FixtureRequest) -> Iterator[Store]:
    """The same ledger through a PgBouncer with this pool_mode and these settings."""
    mode, settings = request.param
    folder, port, server = servers.new_directory(), servers.free_port(), urlsplit(store.address)
    (folder / "users.txt").write_text(f'"{server.username}" "{server.password}"\n')
    lines = {"listen_addr": "127.0.0.1", "listen_port": port, "unix_socket_dir": "", "pool_mode": mode}
    lines |= {"auth_type": "plain", "auth_file": "users.txt", **settings}
    written = "".join(f"{name} = {value}\n" for name, value in lines.items())
    (folder / "pgbouncer.ini").write_text(f"[databases]\n* = host=127.0.0.1 port={server.port}\n[pgbouncer]\n{written}")
    pooled = Store(store.address.replace(f":{server.port}/", f":{port}/"))
    with subprocess.Popen(["pgbouncer", "-q", "pgbouncer.ini"], cwd=folder, **servers.unprivileged()) as process:
        await_that(lambda: process.poll() is not None or accepts(port))
        yield pooled
        pooled.close()
        process.kill()
    shutil.rmtree(folder)


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@needs_pgbouncer
@pytest.mark.parametrize(
    "pooled",
    [
        ("transaction", {}),
        ("transaction", {"server_round_robin": 1, "min_pool_size": 4}),
        ("transaction", {"default_pool_size": 1}),
    ],
    indirect=True,
    ids=str,
)
def test_a_transaction_pooler_is_refused(store: Store, pooled: Store) -> None:
    claim(store.open(), [request("a")])
    with pytest.raises(LedgerError, match=r"a pooler that shares sessions\.\n.*pool_mode=session"):
        claim(pooled.open(), [request("b")])
    assert names_in(store.open()) == ["a"]


@needs_pgbouncer
@pytest.mark.parametrize("pooled", [("session", {}), ("session", {"server_round_robin": 1})], indirect=True, ids=str)
def test_a_session_pooler_works(store: Store, pooled: Store) -> None:
    run = pooled.run()
    assert run.ask("claim", "a", "b") == [None, None]
    run.ask("record", "a", {"status": "ordered", "contract_id": "c-1"})
    theirs = store.open()
    assert {record.name: record.status for record in theirs.select(Filter())} == {"a": "ordered", "b": "pending"}
    (standing,) = claim(pooled.open(), [request("b")])
    assert standing is not None
    run.kill()
    await_that(lambda: theirs.find(["b"])["b"].status == "in_doubt")  # once the pooler has noticed


def test_a_standby_is_refused(server: servers.Server) -> None:
    with server.start_standby() as standby:
        for writing in (True, False):
            with pytest.raises(LedgerError, match="server is in hot standby mode"):
                Store(standby.dsn).open(writing=writing)


@contextmanager
def failed_over(late: Callable[[Store], None]) -> Iterator[Store]:
    """A ledger whose primary server is lost, with what happened ``late``: its asynchronous standby has taken over."""
    with servers.start() as primary, primary.start_standby() as standby:
        several = primary.dsn.replace(f":{primary.port}", f":{primary.port},127.0.0.1:{standby.port}")
        store = Store(f"{several}?target_session_attrs=read-write")
        claim(store.open(), [request("early")])
        await_that(lambda: execute(standby.dsn, f"SELECT 1 FROM pg_class WHERE relname = '{rows.META}'") != [])
        await_that(lambda: execute(standby.dsn, f"SELECT 1 FROM {rows.ORDERS}") != [])
        standby.stop()
        late(store)
        primary.stop("immediate")
        standby.start()
        standby.promote()
        try:
            yield store
        finally:
            store.close()


def test_a_run_that_fails_over_to_a_server_without_its_claims_sends_no_more() -> None:
    opened: list[Ledger] = []

    def late(store: Store) -> None:
        opened.append(store.open())
        assert claim(opened[0], [request("a"), request("b")]) == [None, None]

    with failed_over(late), pytest.raises(LedgerError, match="went back in time while this run had it open"):
        claim(opened[0], [request("c")])
