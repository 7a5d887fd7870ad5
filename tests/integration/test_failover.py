# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""PostgreSQL fails over to an asynchronous standby, and the ledger loses an order: it is not sent a second time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support import postgresql as servers
from tests.support.playbooks import Task, order
from tests.unit.plugins.module_utils._ledger.runs import await_that


def vps(hostname: str) -> Task:
    settings = {"hostname": hostname, "template": "debian-12"}
    return order(end_user=data.END_USER, product="VPS M", settings=settings)


def recorded(dsn: str) -> list[Any]:
    with psycopg.connect(dsn) as connection:
        return connection.execute("SELECT name FROM hosting_reseller_orders ORDER BY name").fetchall()


@pytest.mark.full
def test_an_order_that_a_failover_lost_is_not_sent_again(
    runner: Runner, start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    simulator = start_simulator("plain")
    try:
        primary = servers.start(tmp_path / "primary")
    except servers.Unavailable as exc:
        pytest.skip(f"needs PostgreSQL: {exc}")
    with primary, primary.start_standby() as standby:
        several = primary.dsn.replace(f":{primary.port}", f":{primary.port},127.0.0.1:{standby.port}")
        env = {**simulator.env, "RESELLER_LEDGER": f"{several}?target_session_attrs=read-write"}
        first = runner.run(vps("a.example.org"), env)
        assert first.result["changed"]
        assert any("A failover of the ledger" in warning for warning in first.result["warnings"])
        with psycopg.connect(primary.dsn) as connection:
            ((written,),) = connection.execute("SELECT pg_current_wal_lsn()::text").fetchall()
        with psycopg.connect(standby.dsn, autocommit=True) as connection:
            replayed = f"SELECT pg_last_wal_replay_lsn() >= '{written}'"
            await_that(lambda: connection.execute(replayed.encode()).fetchone() == (True,))
        standby.stop()
        assert runner.run(vps("b.example.org"), env).result["changed"]
        primary.stop("immediate")
        standby.start()
        standby.promote()
        assert recorded(standby.dsn) == [("a.example.org",)]
        (refused,) = runner.table([vps("b.example.org")], env)
        assert "went back in time. Nothing was sent." in refused["msg"]
        assert "with 1 orders, the newest is a.example.org." in refused["msg"]
        assert len(simulator.orders()) == 2
