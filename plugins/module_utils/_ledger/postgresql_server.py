# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this package; every value is bound
"""Checks without writing whether a PostgreSQL server meets the requirements of a ledger.

Every function takes a transaction (or what answers queries like one), and sees what an ordinary role may see.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .._core.errors import LedgerError
from .rows import META, ORDERS, damaged


class Queries(Protocol):
    """Runs queries. Statements are written with ``?``."""

    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows that the statement returns."""


#: A table has one of these kinds: ordinary or partitioned. A session's temporary tables are no ledger.
_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    f"WHERE c.relname IN ('{META}', '{ORDERS}') AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
)
#: Standbys that receive the log at this moment. A role without pg_read_all_stats sees of a sender its process, user and
#: application name alone, so programs that copy the log are known by their names, and logical replication by its slot.
_STANDBYS = (
    "SELECT count(*) FROM pg_stat_replication WHERE coalesce(state, '') <> 'backup' "
    "AND application_name NOT IN ('pg_basebackup', 'pg_receivewal', 'pg_recvlogical') "
    "AND NOT EXISTS (SELECT 1 FROM pg_replication_slots s WHERE s.active_pid = pid AND s.slot_type = 'logical')"
)
#: What whoever orders needs on each table.
_WRITING = {META: ("SELECT", "UPDATE"), ORDERS: ("SELECT", "INSERT", "UPDATE", "DELETE")}


@dataclass(frozen=True)
class Schema:
    """The schema of a ledger: where its tables are, or (``exists`` is false) would be made; ``name`` may be unknown."""

    name: str | None
    exists: bool


def find_schema(queries: Queries, pinned: str | None, place: str) -> Schema:
    """Find the ledger of this database in any schema, because another role's search_path may have set it.

    ``pinned`` is the only schema that counts. Raises LedgerError for more than one ledger, and for half a one.
    """
    tables: dict[str, set[str]] = {}
    for schema, table in queries.query(_TABLES):
        if pinned in (None, schema):
            tables.setdefault(schema, set()).add(table)
    if len(tables) > 1:
        raise LedgerError(
            f"The ledger {place} is not the only one in its database.\n"
            f"The schemas {', '.join(sorted(tables))} have one each. Orders in one are missing in the others.\n"
            "Name the schema in the address "
            "(?options=-csearch_path%3DSCHEMA), or remove the tables that hold no orders."
        )
    for schema, names in tables.items():
        if META not in names:
            raise damaged(place, f"the schema {schema} has the table {ORDERS}, but not {META}")
        return Schema(schema, exists=True)
    return Schema(pinned or queries.query("SELECT current_schema()")[0][0], exists=False)


def use_schema(queries: Queries, schema: str) -> None:
    """Have all statements of this session use this schema."""
    queries.query("SELECT set_config('search_path', quote_ident(?) || ', pg_temp', false)", [schema])


def missing_rights(queries: Queries, schema: Schema, place: str, *, writing: bool) -> str | None:
    """The rights that this role lacks and that the ledger's owner has to grant, or ``None``.

    Writing to a ledger that does not exist makes its tables.
    """
    if not schema.exists:
        return _missing_for_a_new_one(queries, schema.name, place) if writing else None
    name = str(schema.name)
    ((role, quoted, usage),) = queries.query(
        "SELECT quote_ident(current_user), quote_ident(?), has_schema_privilege(?, 'USAGE')", [name, name]
    )
    grants = [] if usage else [f"GRANT USAGE ON SCHEMA {quoted} TO {role}"]
    for table, needed in _WRITING.items():
        rights = [right for right in needed if writing or right == "SELECT"]
        lacking = _lacking(queries, name, table, rights)
        if lacking:
            grants.append(f"GRANT {', '.join(lacking)} ON {quoted}.{table} TO {role}")
    if grants:
        return (
            f"The role {role} lacks rights on the ledger {place}.\n"
            f"The owner of its tables grants them: {'; '.join(grants)};"
        )
    return None


def _lacking(queries: Queries, schema: str, table: str, rights: Collection[str]) -> list[str]:
    asked = ", ".join(f"has_table_privilege(c.oid, '{right}')" for right in rights)
    (has,) = queries.query(
        f"SELECT {asked} FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relname = ? AND n.nspname = ?",
        [table, schema],
    )
    return [right for right, granted in zip(rights, has, strict=True) if not granted]


def _missing_for_a_new_one(queries: Queries, name: str | None, place: str) -> str | None:
    found = queries.query(
        "SELECT quote_ident(current_user), quote_ident(nspname), has_schema_privilege(oid, 'CREATE') "
        "FROM pg_namespace WHERE nspname = ?",
        [name],
    )
    if not found:
        subject = f"a schema {name}" if name else "a schema of the role's search_path"
        return (
            f"The ledger {place} needs {subject}, which is missing.\n"
            "Check the address first: a ledger with orders has its schema. For a new ledger, make the schema."
        )
    ((role, schema, may),) = found
    if may:
        return None
    return (
        f"The ledger {place} has no tables yet, and the role {role} may not make them.\n"
        f"They would be in the schema {schema}.\n"
        "Check the address first: a ledger with orders has its tables. For a new ledger, let the schema's owner "
        f"grant it for the first run: GRANT CREATE ON SCHEMA {schema} TO {role};"
    )


def risk_of_failover(queries: Queries, place: str, *, several: bool) -> str | None:
    """Why a failover would lose orders, as far as this role can detect it, or ``None``.

    ``several``: the address names more than one server.
    """
    ((synchronous, standbys),) = queries.query(f"SELECT current_setting('synchronous_standby_names'), ({_STANDBYS})")
    if synchronous.strip() or not (standbys or several):
        return None
    seen = f"{standbys} standby server(s) receive its changes" if standbys else "its address names several servers"
    return (
        f"A failover of the ledger {place} can lose orders, which would then be sent again.\n"
        f"On this server synchronous_standby_names is empty, while {seen}. The last orders may not have reached the "
        "server that takes over.\n"
        "Set synchronous_standby_names on the primary server. After a failover without it, check with the customer "
        "portal what was ordered last."
    )
