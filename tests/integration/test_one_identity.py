# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The same thing is bought once, whatever it is called: in one task, in later runs, and in runs at the same time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.simulator import data
from tests.simulator.examples import settings
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks
from tests.support.playbooks import order

DOMAIN = {
    "end_user": data.END_USER,
    "product_type": "domain",
    "settings": settings(data.DOMAIN, domain="once.example", action="register"),
}
SERVER = {"end_user": data.END_USER, "product": "VPS M", "settings": settings(data.VPS, hostname="web01.example.org")}


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        pytest.param("sqlite", DOMAIN, id="domain-sqlite"),
        pytest.param("postgresql", SERVER, id="server-postgresql", marks=pytest.mark.full),
    ],
)
def test_runs_at_the_same_time_buy_once(
    kind: str, wanted: dict[str, Any], request: pytest.FixtureRequest, start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    simulator = start_simulator("plain")
    ledger = request.getfixturevalue("postgresql_dsn") if kind == "postgresql" else str(tmp_path / "ledger.db")
    env = {**simulator.env, "RESELLER_LEDGER": ledger}
    started = []
    for name in ("first", "second", "third"):
        folder = tmp_path / name
        folder.mkdir()
        task = order(name=name, **wanted, **({"on_duplicate": "ignore"} if wanted is DOMAIN else {}))
        path = playbooks.write_playbook(folder, [task], ignore_errors=False, play={})
        started.append((folder, playbooks.start(folder, env, str(path))))
    plays = [playbooks.finish(folder, process) for folder, process in started]
    assert sorted(play.result["changed"] for play in plays) == [False, False, True], [play.output for play in plays]
    refused = [play.result["msg"] for play in plays if not play.result["changed"]]
    assert all("is for the same" in message and "This order was not sent." in message for message in refused)
    assert len(simulator.orders()) == 1
