# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server that a CI service runs is the one that tests share."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.support import postgresql as servers


def test_given_server_is_shared_and_left_running(
    postgresql: servers.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(servers.GIVEN, postgresql.dsn)
    given = servers.shared(tmp_path)
    database = given.create_database()
    given.drop_database(database)
    servers.close_shared(tmp_path)
    assert list(tmp_path.iterdir()) == []
    psycopg.connect(postgresql.dsn).close()
