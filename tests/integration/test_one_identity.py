# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The same thing is bought once, whatever it is called: in one task, in later runs, and in runs at the same time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Runner
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
        pytest.param("postgresql", DOMAIN, id="domain-postgresql", marks=pytest.mark.full),
        pytest.param("sqlite", SERVER, id="server-sqlite", marks=pytest.mark.full),
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


def test_a_renamed_task_buys_nothing(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    ordered, renamed, capitals, never, moved = runner.table(
        [
            order(**SERVER),
            order(name="shop", **SERVER),
            order(name="shop", **{**SERVER, "settings": settings(data.VPS, hostname="WEB01.example.org")}),
            order(**DOMAIN),
            order(name="shop/domain", **DOMAIN, on_duplicate="ignore"),
        ],
        simulator.env,
    )
    assert (ordered["changed"], never["changed"]) == (True, True)
    for result in (renamed, capitals):
        assert "Order shop is for the same hostname as web01.example.org" in result["msg"]
    assert "A domain is never bought twice while its order stands" in moved["msg"]
    assert len(simulator.orders()) == 2
    (second,) = runner.table([order(name="shop", **SERVER, on_duplicate="warn")], simulator.env)
    assert second["changed"]
    assert any("is for the same hostname as web01.example.org" in warning for warning in second["warnings"])
    assert len(simulator.orders()) == 3


def test_one_task_or_stack_that_asks_twice_sends_nothing(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    contracts = [{"name": name, **SERVER} for name in ("a", "b")]
    task = {"name": "Order", "hosting.reseller.reseller_contracts": {"contracts": contracts, "on_error": "continue"}}
    server = {"product": "VPS M", **settings(data.VPS, hostname="web01.example.org")}
    stack = {"end_user": data.END_USER, "contracts": {"vps": [{"name": name, **server} for name in ("a", "b")]}}
    checked = {"name": "Check", "hosting.reseller.reseller_stack_info": {"stack": stack, "on_problems": "report"}}
    refused, reported = runner.table([task, checked], simulator.env)
    assert "Order b is for the same hostname as a: web01.example.org." in refused["msg"]
    assert "a is requested in the same task" in refused["msg"]
    (problem,) = reported["problems"]
    assert problem["path"] == "contracts.vps[1]"
    assert "is for the same hostname as a" in problem["message"]
    assert not simulator.orders()
