# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Empty databases on one PostgreSQL server: new ones, and used ones that are as new again, which cost far less."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from tests.support.postgresql import create_database

#: Seconds for the sessions of a test to end with it.
PATIENCE = 2.0
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
#: What a test can leave in a database that has no tables: other objects, rights, and settings.
REST = """
    SELECT
        (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_type), (SELECT count(*) FROM pg_proc),
        (SELECT count(*) FROM pg_extension), (SELECT count(*) FROM pg_event_trigger),
        (SELECT count(*) FROM pg_publication), (SELECT count(*) FROM pg_default_acl),
        (SELECT count(*) FROM pg_largeobject_metadata),
        (SELECT array_agg((nspname, nspowner, nspacl)::text ORDER BY nspname) FROM pg_namespace),
        datdba, datacl::text, datallowconn, datconnlimit,
        (SELECT count(*) FROM pg_db_role_setting WHERE setdatabase = pg_database.oid)
    FROM pg_database WHERE datname = current_database()
"""


class Databases:
    """The databases of one server that are empty and that nobody uses."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._spare: list[tuple[str, tuple[Any, ...]]] = []

    @contextmanager
    def one(self) -> Iterator[str]:
        """The address of an empty database, until the end for the caller alone."""
        dsn, as_new = self._spare.pop() if self._spare else self._new()
        yield dsn
        if emptied(dsn, as_new):
            self._spare.append((dsn, as_new))

    def _new(self) -> tuple[str, tuple[Any, ...]]:
        dsn = create_database(self._server)
        with psycopg.connect(dsn) as connection:
            return dsn, rest(connection)


def rest(connection: psycopg.Connection[Any]) -> tuple[Any, ...]:
    found: tuple[Any, ...] = connection.execute(REST).fetchone() or ()
    return found


def emptied(dsn: str, as_new: tuple[Any, ...]) -> bool:
    """Remove the tables of a database, and tell whether it is as new and nobody else is connected."""
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            deadline = time.monotonic() + PATIENCE
            while connection.execute(SESSIONS).fetchone() != (0,):
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.01)
            for (table,) in connection.execute(TABLES).fetchall():
                connection.execute(sql.SQL("DROP TABLE public.{} CASCADE").format(sql.Identifier(table)))
            return rest(connection) == as_new
    except psycopg.Error:
        return False
