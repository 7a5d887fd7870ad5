# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this package; every value is bound
"""What a ledger needs of its PostgreSQL server: one schema, rights, and standby servers that have what was ordered."""

from __future__ import annotations

from .._core.errors import LedgerError
from .rows import META, ORDERS, RUNS, Transaction, damaged

#: A table has one of these kinds: ordinary or partitioned. A session's temporary tables are no ledger.
_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    f"WHERE c.relname IN ('{META}', '{ORDERS}', '{RUNS}') AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
)
#: Standbys that receive the log at this moment. A role without pg_read_all_stats sees of a sender its process, user and
#: application name alone, so programs that copy the log are known by their names, and logical replication by its slot.
_STANDBYS = (
    "SELECT count(*) FROM pg_stat_replication WHERE coalesce(state, '') <> 'backup' "
    "AND application_name NOT IN ('pg_basebackup', 'pg_receivewal', 'pg_recvlogical') "
    "AND NOT EXISTS (SELECT 1 FROM pg_replication_slots s WHERE s.active_pid = pid AND s.slot_type = 'logical')"
)
#: What whoever orders does to the tables: done to no row, it shows whether the role may.
_RIGHTS = (
    f"INSERT INTO {ORDERS} SELECT * FROM {ORDERS} WHERE false",
    f"UPDATE {ORDERS} SET name = name WHERE false",
    f"DELETE FROM {ORDERS} WHERE false",
    f"INSERT INTO {META} SELECT * FROM {META} WHERE false",
    f"DELETE FROM {META} WHERE false",
    f"INSERT INTO {RUNS} SELECT * FROM {RUNS} WHERE false",
    f"UPDATE {RUNS} SET number = number WHERE false",
)


def find_schema(transaction: Transaction, pinned: str | None, place: str) -> str | None:
    """Find the ledger of this database in any schema, because another role's search_path may have set it.

    ``pinned`` is the only schema that counts. Raises LedgerError for more than one ledger, and for half a one.
    """
    tables: dict[str, set[str]] = {}
    for schema, table in transaction.query(_TABLES):
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
        if len(names) < 3:
            raise damaged(place, f"the schema {schema} has the table {min(names)}, but not all of a ledger")
        return schema
    return None


def check_rights(transaction: Transaction) -> None:
    """Do to no row what whoever orders does: PostgreSQL refuses it to a role that may not."""
    for statement in _RIGHTS:
        transaction.query(statement)


def use_schema(transaction: Transaction, schema: str) -> None:
    """Have all statements of this session use this schema."""
    # A search path leaves out what the role may not use, and the tables would seem to be missing.
    transaction.query(f"SELECT (quote_ident(?) || '.{META}')::regclass", [schema])
    transaction.query("SELECT set_config('search_path', quote_ident(?) || ', pg_temp', false)", [schema])


def risk_of_failover(transaction: Transaction, place: str, *, several: bool) -> str | None:
    """Why a failover would lose orders, as far as this role can detect it, or ``None``.

    ``several``: the address names more than one server.
    """
    ((synchronous, standbys),) = transaction.query(
        f"SELECT current_setting('synchronous_standby_names'), ({_STANDBYS})"
    )
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
