# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ruff: noqa: S608 - statements are made of the names in this package; every value is bound
"""Finds the one schema of a PostgreSQL database that has the ledger."""

from __future__ import annotations

from .._core.errors import LedgerError
from .rows import META, ORDERS, RUNS, Transaction, damaged

#: A table has one of these kinds: ordinary or partitioned. A session's temporary tables are no ledger.
_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    f"WHERE c.relname IN ('{META}', '{ORDERS}', '{RUNS}') AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't'"
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


def use_schema(transaction: Transaction, schema: str) -> None:
    """Have all statements of this session use this schema."""
    # A search path leaves out what the role may not use, and the tables would seem to be missing.
    transaction.query(f"SELECT (quote_ident(?) || '.{META}')::regclass", [schema])
    transaction.query("SELECT set_config('search_path', quote_ident(?) || ', pg_temp', false)", [schema])
