# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nothing is bought by a slip: a stopped plan, a mistyped ledger, an adopted contract; the service counts."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import Runner
from tests.support import playbooks
from tests.support.playbooks import Play, vps
from tests.support.simulator_fixtures import SimulatorFactory

HOSTS = [f"web0{number}.example.org" for number in range(5)]


@pytest.fixture
def simulator(start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator("apiplatform")


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


def someone_else(runner: Runner, tmp_path: Path) -> Runner:
    """Another user, who has seen no ledger."""
    folder = tmp_path / "someone else"
    folder.mkdir()
    return Runner(folder)


def test_stopped_plan_is_resumed_by_another_user_of_the_ledger(
    runner: Runner, simulator: Simulator, postgresql_dsn: str, tmp_path: Path
) -> None:
    env = {**simulator.env, "RESELLER_LEDGER": postgresql_dsn}
    approved = planned(runner, env)
    # One of them fails, and the same command with the digest alone is refused.
    simulator.arm("answer", status=422, body="{}", match={"hostname": HOSTS[2]})
    stopped = runner.run(many(approved_plan=approved["plan_digest"]), env)
    assert (stopped.result["counts"]["failed"], sent(simulator)) == (1, HOSTS[:2])
    refused = runner.run(many(approved_plan=approved["plan_digest"]), env)
    assert "give approved_plan as a mapping of plan and plan_digest, which sends the orders of it" in refused.output
    other = someone_else(runner, tmp_path)
    more = other.run(many([*HOSTS, "more.example.org"], approved_plan=approved), env)
    assert "'more.example.org': requested now (order), but not in the approved list" in more.result["msg"]
    assert sent(simulator) == HOSTS[:2]
    resumed = other.run(many(approved_plan=approved), env)
    assert "msg" not in resumed.result, resumed.output
    assert sent(simulator) == HOSTS
    assert not other.run(many(approved_plan=approved), env).result["changed"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_plan_is_resumed_after_a_kill(runner: Runner, simulator: Simulator, how: signal.Signals) -> None:
    """What it was sending is recorded, and the run that resumes it waits for that."""
    approved = planned(runner, simulator.env)
    simulator.arm("hold", match={"hostname": HOSTS[2]})
    path = playbooks.write_playbook(runner.folder, [many(approved_plan=approved)], ignore_errors=False, play={})
    process = playbooks.start(runner.folder, simulator.env, str(path))
    simulator.wait(held=1)
    os.kill(process.pid, how)
    simulator.release()
    assert playbooks.finish(runner.folder, process).status != 0
    assert sent(simulator) == HOSTS[:3]
    resumed = runner.run(many(approved_plan=approved, read_back=False), simulator.env)
    assert "msg" not in resumed.result, resumed.output
    assert sent(simulator) == HOSTS


def test_name_that_was_in_doubt_is_not_sent_again_under_its_approval(runner: Runner, simulator: Simulator) -> None:
    approved = planned(runner, simulator.env)
    simulator.arm("drop_after", match={"hostname": HOSTS[2]})
    simulator.behave(list_status=403, item_status=403)
    lost = runner.run(many(approved_plan=approved), simulator.env)
    assert (lost.result["counts"]["in_doubt"], sent(simulator)) == (1, HOSTS[:3])
    absent = {"hosting.reseller.reseller_record": {"name": HOSTS[2], "state": "absent"}}
    assert runner.run(absent, simulator.env).result["changed"]
    refused = runner.run(many(approved_plan=approved), simulator.env).result
    assert refused["plan_differences"] == [
        f"{HOSTS[2]!r}: sent before under this approval, and its record was removed since"
    ]
    rest = [name for name in HOSTS if name != HOSTS[2]]
    assert runner.run(many(rest, approved_plan=approved), simulator.env).result["counts"]["ordered"] == 2
    assert sent(simulator) == HOSTS


def test_approval_of_a_lost_a_restored_and_another_ledger_is_refused(
    runner: Runner, simulator: Simulator, tmp_path: Path
) -> None:
    runner.run(vps("first.example.org"), simulator.env)
    backup = shutil.copy(runner.ledger, tmp_path / "backup.db")
    approved = planned(runner, simulator.env)
    simulator.arm("answer", status=422, body="{}", match={"hostname": HOSTS[2]})
    assert runner.run(many(approved_plan=approved), simulator.env).result["counts"]["failed"] == 1
    before = sent(simulator)
    current = shutil.copy(runner.ledger, tmp_path / "current.db")

    def resumed(**variables: str) -> Play:
        return runner.run(many(approved_plan=approved, read_back=False), {**simulator.env, **variables})

    another = resumed(RESELLER_LEDGER=str(tmp_path / "another.db"))
    assert "the ledger: approved with the one with ID" in another.output
    shutil.copy(backup, runner.ledger)
    assert "went back in time" in resumed().output
    runner.ledger.unlink()
    assert "where this user has seen one" in resumed().output
    assert sent(simulator) == before
    shutil.copy(current, runner.ledger)
    assert resumed().result["changed"]
    assert sent(simulator)[1:] == HOSTS


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
    for arguments in ([], ["--check"]):
        refused = runner.run(order, mistyped, *arguments)
        told = " ".join(refused.result["msg"].split())
        assert f"{mistyped['RESELLER_LEDGER']}. This user has used another one: {runner.ledger}. Nothing was" in told
    assert len(simulator.orders()) == 2
    assert runner.run(order, {**mistyped, "RESELLER_NEW_LEDGER": "allow"}).result["changed"]


def test_ledger_that_cannot_be_remembered_is_warned_of(runner: Runner, simulator: Simulator, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for changed in (True, False):
        play = runner.run(vps("web01.example.org"), {**simulator.env, "XDG_STATE_HOME": str(tmp_path / "file")})
        said = " ".join(play.output.split())
        assert play.result["changed"] is changed
        assert "cannot be remembered: it is not a directory of this user alone, in" in said
        assert "has not seen the ledger" not in said


def test_adopting_webhosting_disarms_no_guard(runner: Runner, simulator: Simulator) -> None:
    known = {"end_user": data.END_USER, "product": "Webhosting Start", "product_type": "webhosting"}
    ids = [simulator.add_contract(data.WEBHOSTING_START, {}, end_user=data.END_USER) for _each in range(2)]
    adopted = [
        {"hosting.reseller.reseller_record": {"name": name, "state": "present", "contract_id": contract_id, **known}}
        for name, contract_id in zip(("shop", "blog"), ids, strict=True)
    ]
    third = {"hosting.reseller.reseller_contract": {"name": "third", **known}}
    allowed = {"hosting.reseller.reseller_contract": {"name": "third", "on_duplicate": "warn", **known}}
    results = runner.table([*adopted, third, allowed], simulator.env)
    assert "Order third may be what was adopted as" in results[2]["msg"]
    assert [each["changed"] for each in results] == [True, True, False, True]
