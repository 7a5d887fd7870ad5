# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nothing is bought by a slip: a stopped plan, a killed run, a mistyped ledger; the service counts."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.support.playbooks import Runner, vps

HOSTS = [f"web0{number}.example.org" for number in range(5)]


def many(names: list[str] = HOSTS, **options: Any) -> dict[str, Any]:
    defaults = {"end_user": data.END_USER, "product": "VPS M", "settings": {"template": data.OS_TEMPLATE}}
    contracts = [{"settings": {"hostname": name}} for name in names]
    given = {"defaults": defaults, "contracts": contracts, "concurrency": 1, **options}
    return {"hosting.reseller.reseller_contracts": given}


def sent(simulator: Simulator) -> list[str]:
    return [order["settings"]["hostname"] for order in simulator.orders()]


def planned(runner: Runner, env: dict[str, str]) -> dict[str, Any]:
    """The plan of a run in check mode, as it is kept in a file."""
    shown = runner.run(many(), env, "--check").result
    return {"plan": shown["plan"], "plan_digest": shown["plan_digest"]}


def test_stopped_plan_is_resumed_by_another_user_of_the_ledger(
    runner: Runner, simulator: Simulator, postgresql_dsn: str, tmp_path: Path
) -> None:
    env = {**simulator.env, "RESELLER_LEDGER": postgresql_dsn}
    approved = planned(runner, env)
    simulator.arm("answer", status=422, body="{}", match={"hostname": HOSTS[2]})
    stopped = runner.run(many(approved_plan=approved["plan_digest"]), env)
    assert (stopped.result["counts"]["failed"], sent(simulator)) == (1, HOSTS[:2])
    # This one has seen no ledger.
    other = Runner(tmp_path / "another user")
    other.folder.mkdir()
    more = many([*HOSTS, "more.example.org"], approved_plan=approved)
    refused, resumed, again = other.table([more, many(approved_plan=approved), many(approved_plan=approved)], env)
    assert "'more.example.org': requested now (order), but not in the approved list" in refused["msg"]
    assert (resumed["counts"]["ordered"], again["changed"]) == (3, False)
    assert sent(simulator) == HOSTS


def test_plan_is_resumed_after_a_kill(runner: Runner, simulator: Simulator) -> None:
    """What it was sending is recorded, and the run that resumes it waits for that."""
    approved = planned(runner, simulator.env)
    simulator.arm("hold", match={"hostname": HOSTS[2]})
    process = runner.start(simulator.env, runner.write(many(approved_plan=approved), ignore_errors=False))
    simulator.wait(held=1)
    os.kill(process.pid, signal.SIGKILL)
    # Its worker sees that it is gone once it is.
    process.wait()
    simulator.release()
    assert runner.finish(process).status != 0
    assert sent(simulator) == HOSTS[:3]
    resumed = runner.run(many(approved_plan=approved, read_back=False), simulator.env)
    assert "msg" not in resumed.result, resumed.output
    assert sent(simulator) == HOSTS


def test_one_letter_in_the_path_of_the_ledger_buys_nothing(runner: Runner, simulator: Simulator) -> None:
    # An address of this machine that is no trial's.
    real = {**simulator.env, "RESELLER_BASE_URL": f"http://0.0.0.0:{urlsplit(simulator.base_url).port}"}
    trial = {**simulator.env, "RESELLER_LEDGER": str(runner.ledger.with_name("trial.db"))}
    mistyped = {**real, "RESELLER_LEDGER": str(runner.ledger.with_name("legder.db"))}
    order = vps("web01.example.org", allow_http=True, read_back=False)
    # A trial is no other ledger, and the first one is made with a word.
    assert runner.run(order, trial).result["changed"]
    made = runner.run(order, real)
    assert made.result["changed"]
    assert f"A new ledger was made: {runner.ledger}." in " ".join(made.output.split())
    refused = " ".join(runner.run(order, mistyped).result["msg"].split())
    assert f"{mistyped['RESELLER_LEDGER']}. This user has used another one: {runner.ledger}. Nothing was" in refused
    assert len(simulator.orders()) == 2
    assert runner.run(order, {**mistyped, "RESELLER_NEW_LEDGER": "allow"}).result["changed"]


def test_ledger_that_cannot_be_remembered_is_warned_of(runner: Runner, simulator: Simulator, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for changed in (True, False):
        play = runner.run(vps("web01.example.org"), {**simulator.env, "XDG_STATE_HOME": str(tmp_path / "file")})
        said = " ".join(play.output.split())
        assert play.result["changed"] is changed
        assert "cannot be remembered: there is no directory of this user alone, in" in said
        assert "has not seen the ledger" not in said
