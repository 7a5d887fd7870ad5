# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import psycopg
import pytest

from tests.support import databases
from tests.support.databases import Databases


def test_database_with_tables_is_used_again_without_them(postgresql: str) -> None:
    found = Databases(postgresql)
    with found.one() as first, psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE one (id serial PRIMARY KEY)")
        connection.execute("CREATE TABLE two (one int REFERENCES one)")
    with found.one() as second, found.one() as third:
        assert second == first
        assert third != first
        with psycopg.connect(second) as connection:
            assert connection.execute(databases.TABLES).fetchall() == []


@pytest.mark.parametrize(
    "left",
    [
        "REVOKE ALL ON SCHEMA public FROM public",
        "ALTER DATABASE {database} SET default_transaction_read_only = on",
        "",
    ],
    ids=["rights", "settings", "a connection"],
)
def test_database_is_not_used_again_if_anything_else_is_left(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    monkeypatch.setattr(databases, "PATIENCE", 0.0)
    found = Databases(postgresql)
    with found.one() as first:
        connection = psycopg.connect(first, autocommit=True)
        connection.execute(left.format(database=first.rpartition("/")[2]).encode())
        if left:
            connection.close()
    with connection, found.one() as second:
        assert second != first
