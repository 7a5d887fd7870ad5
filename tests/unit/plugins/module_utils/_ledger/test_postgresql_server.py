# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One ledger in a database, whoever connects and whatever is between: roles, schemas, poolers, standbys."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger import postgresql, rows
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.opening import why_refused
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Filter, Outcome
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import Ledger
from tests.support import pgbouncer as poolers
from tests.support import postgresql as servers
from tests.unit.plugins.module_utils._ledger.conftest import Store, started
from tests.unit.plugins.module_utils._ledger.runs import await_that, execute, request

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


def own_schema(store: Store, role: Store) -> str:
    """A schema of the role's own, which its search_path ("$user", public) puts first."""
    name = str(urlsplit(role.address).username)
    execute(store.address, f"CREATE SCHEMA {name} AUTHORIZATION {name}")
    return name


def refusal(store: Store) -> str:
    """Why an order is refused, which check mode says as well."""
    reason = why_refused(location_of(store.address, os.environ), writing=True)
    with pytest.raises(LedgerError) as caught:
        store.open().claim([request("web01")])
    assert str(reason).partition(": ")[2] == caught.value.message.partition(": ")[2]
    return caught.value.message


def grant_all(store: Store, role: Store, schema: str = "public") -> None:
    name = urlsplit(role.address).username
    tables = ", ".join(f"{schema}.{table}" for table in (rows.META, rows.ORDERS, rows.RUNS))
    execute(store.address, f"GRANT USAGE ON SCHEMA {schema} TO {name}", f"GRANT ALL ON {tables} TO {name}")


def test_two_roles_with_schemas_of_their_own_share_one_ledger(store: Store) -> None:
    first, second = as_role(store, "first"), as_role(store, "second")
    schema, _own = own_schema(store, first), own_schema(store, second)
    first.open().claim([request("a")])
    assert f"permission denied for schema {schema}" in refusal(second)
    grant_all(store, second, schema)
    (standing,) = second.open().claim([request("a")])
    assert standing is not None
    assert standing.status == "pending"
    assert execute(store.address, f"SELECT schemaname FROM pg_tables WHERE tablename = '{rows.META}'") == [(schema,)]


def test_two_roles_that_order_for_the_first_time_at_once_make_one_ledger(store: Store) -> None:
    roles = [as_role(store, name) for name in ("first", "second")]
    for role in roles:
        own_schema(store, role)
    runs = [role.starting() for role in roles for _rest in range(3)]
    for run in runs:
        run.tell("open")
    answers = [run.answer() for run in runs]
    # Those of the role that came second lack rights on what the other one made.
    assert sorted(answers) == ["died"] * 3 + ["open"] * 3
    assert len(execute(store.address, f"SELECT 1 FROM pg_tables WHERE tablename = '{rows.META}'")) == 1


def test_a_ledger_in_another_schema_is_read_and_written_there(store: Store) -> None:
    execute(store.address, "CREATE SCHEMA reseller")
    pinned = with_schema(store, "reseller")
    pinned.open().claim([request("a")])
    for found in (store, with_schema(store, "Reseller"), with_schema(store, "%22reseller%22")):
        assert found.open().find(["a"])["a"].status == "pending"
    assert execute(store.address, f"SELECT name FROM reseller.{rows.ORDERS}") == [("a",)]
    assert pinned.open().place.endswith("?options=-csearch_path%3Dreseller")


def test_several_ledgers_in_one_database_are_refused_until_the_address_names_one(store: Store) -> None:
    store.open().claim([request("a")])
    execute(store.address, "CREATE SCHEMA second")
    with_schema(store, "second").open().close()
    for writing in (True, False):
        with pytest.raises(
            LedgerError, match=r"not the only one in its database\.\nThe schemas public, second have one each\."
        ):
            store.open(writing=writing)
    assert with_schema(store, "second").open().select(Filter()) == []
    assert with_schema(store, "public").open().find(["a"])["a"].status == "pending"


@pytest.mark.parametrize(
    ("options", "schema"),
    [
        ('--search-path="My\\ ""S"', 'My "S'),
        ("-cgeqo=off -c search_path=reseller -c DateStyle=ISO,\\ DMY", "reseller"),
    ],
)
def test_an_address_may_name_the_schema(store: Store, options: str, schema: str) -> None:
    execute(store.address, "CREATE SCHEMA reseller", 'CREATE SCHEMA "My ""S"')
    store.open().close()
    Store(f"{store.address}?options={quote(options)}", store._closing).open().close()
    made = f"SELECT schemaname FROM pg_tables WHERE tablename = '{rows.META}' AND schemaname <> 'public'"
    assert execute(store.address, made) == [(schema,)]


def test_a_role_without_rights_is_told_what_postgresql_says(store: Store) -> None:
    role = as_role(store, "user")
    name = urlsplit(role.address).username
    assert "permission denied for schema public" in refusal(role)
    assert role.open(writing=False).select(Filter()) == []
    store.open().claim([request("a")])
    with pytest.raises(LedgerError, match=f"permission denied for table {rows.META}.\n"):
        role.open(writing=False)
    execute(store.address, f"GRANT SELECT ON {rows.META}, {rows.ORDERS}, {rows.RUNS} TO {name}")
    assert role.open(writing=False).find(["a"])["a"].status == "pending"
    assert "permission denied for table" in refusal(role)
    grant_all(store, role)
    assert why_refused(location_of(role.address, os.environ), writing=True) is None
    ledger = role.open()
    assert ledger.claim([request("b")]) == [None]
    ledger.record("b", ORDERED)
    ledger.remove("b")


def test_check_mode_leaves_nothing_behind(store: Store) -> None:
    assert why_refused(location_of(store.address, os.environ), writing=True) is None
    assert not store.open(writing=False).exists
    with store.open() as ledger:
        ledger.claim([request("a")])
        before = ledger.history()
        assert why_refused(location_of(store.address, os.environ), writing=True) is None
        assert ledger.history() == before


@pytest.mark.parametrize(
    ("table", "right"),
    [
        (rows.ORDERS, "INSERT"),
        (rows.ORDERS, "UPDATE"),
        (rows.RUNS, "INSERT"),
    ],
)
def test_each_right_that_is_missing_shows_before_a_claim(store: Store, table: str, right: str) -> None:
    store.open().close()
    role = as_role(store, "user")
    grant_all(store, role)
    execute(store.address, f"REVOKE {right} ON {table} FROM {urlsplit(role.address).username}")
    assert f"permission denied for table {table}" in refusal(role)


#: PgBouncer comes from no package index, so these are left out of the short form.
needs_pgbouncer = pytest.mark.full


@pytest.fixture
def pooled(store: Store, request: pytest.FixtureRequest) -> Iterator[Store]:
    mode, settings = request.param
    try:
        with poolers.pgbouncer(store.address, mode, **settings) as address:
            pooled = Store(address)
            yield pooled
            pooled.close()
    except servers.Unavailable as exc:
        pytest.skip(f"needs PgBouncer: {exc}")


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
    store.open().claim([request("a")])
    with pytest.raises(LedgerError, match=r"a pooler that shares sessions.*\n.*\n.*pool_mode=session"):
        pooled.open().claim([request("b")])
    assert "a pooler that shares sessions" in str(why_refused(location_of(pooled.address, os.environ), writing=True))
    assert store.open().names() == ["a"]


@needs_pgbouncer
@pytest.mark.parametrize("pooled", [("session", {}), ("session", {"server_round_robin": 1})], indirect=True, ids=str)
def test_a_session_pooler_works(store: Store, pooled: Store) -> None:
    execute(store.address, "CREATE SCHEMA reseller")
    # Its schema is found: older releases of PgBouncer take no options.
    with_schema(store, "reseller").open().close()
    run = pooled.run()
    assert run.ask("claim", "a", "b") == [None, None]
    run.ask("record", "a", {"status": "ordered", "contract_id": "c-1"})
    theirs = store.open()
    assert {record.name: record.status for record in theirs.select(Filter())} == {"a": "ordered", "b": "pending"}
    (standing,) = pooled.open().claim([request("b")])
    assert standing is not None
    run.kill()
    await_that(lambda: theirs.find(["b"])["b"].status == "in_doubt")  # once the pooler has noticed


@needs_pgbouncer
@pytest.mark.parametrize("pooled", [("session", {"default_pool_size": 1})], indirect=True, ids=str)
def test_a_session_pooler_without_a_second_server_works(pooled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "POOLER_PATIENCE", 0.2)
    assert pooled.open().claim([request("a")]) == [None]


def test_a_standby_is_refused(server: servers.Server) -> None:
    with server.start_standby() as standby:
        for writing in (True, False):
            with pytest.raises(LedgerError, match="server is in hot standby mode"):
                Store(standby.dsn).open(writing=writing)
        assert "server is in hot standby mode" in str(why_refused(location_of(standby.dsn, os.environ), writing=True))


@contextmanager
def failed_over(tmp_path: Path, late: Callable[[Store], None]) -> Iterator[Store]:
    """A ledger whose primary server is lost, with what happened ``late``: its asynchronous standby has taken over."""
    with started(tmp_path / "primary") as primary, primary.start_standby() as standby:
        several = primary.dsn.replace(f":{primary.port}", f":{primary.port},127.0.0.1:{standby.port}")
        store = Store(f"{several}?target_session_attrs=read-write")
        store.open().claim([request("early")])
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


def test_a_run_that_fails_over_to_a_server_without_its_claims_sends_no_more(tmp_path: Path) -> None:
    opened: list[Ledger] = []

    def late(store: Store) -> None:
        opened.append(store.open())
        assert opened[0].claim([request("a"), request("b")]) == [None, None]

    with failed_over(tmp_path, late), pytest.raises(LedgerError, match="went back in time while this run had it open"):
        opened[0].claim([request("c")])
