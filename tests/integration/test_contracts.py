# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many orders in one task, in runs that are stopped without loss, and plans. Runs side by side are in tests/faults."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.support import playbooks
from tests.support.lives import Life
from tests.support.playbooks import Runner, vps

#: What all orders here share.
SHARED = {"end_user": data.END_USER, "product": "VPS M", "settings": {"template": data.OS_TEMPLATE}}


def many(hostnames: Sequence[str], **options: Any) -> dict[str, Any]:
    """A task that orders a VPS for each host name."""
    contracts = [{"settings": {"hostname": name}} for name in hostnames]
    return {"hosting.reseller.reseller_contracts": {"contracts": contracts, "defaults": SHARED, **options}}


def hosts(count: int) -> list[str]:
    return [f"web{number:03}.customer.example" for number in range(count)]


def hostnames(simulator: Simulator) -> list[str]:
    return sorted(order["settings"]["hostname"] for order in simulator.orders())


def start(runner: Runner, task: dict[str, Any], env: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a playbook with this task."""
    return runner.start(env, runner.write(task, ignore_errors=False))


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """What a process printed until it said this, which it has to say before it ends."""
    said = ""
    for line in process.stdout or ():
        said += line
        if words in line:
            return said
    raise AssertionError(f"it never said {words!r}:\n{said}")


#: The terminal and AWX signal the whole process group; the last is gone before it could tell anybody.
ENDS = [
    pytest.param(os.killpg, signal.SIGINT, id="Ctrl-C", marks=pytest.mark.full),
    pytest.param(os.killpg, signal.SIGTERM, id="ended-job", marks=pytest.mark.full),
    pytest.param(os.kill, signal.SIGKILL, id="killed"),
]


@pytest.mark.parametrize(("kill", "number"), ENDS)
def test_interrupted(runner: Runner, simulator: Simulator, kill: Callable[[int, int], None], number: int) -> None:
    """Nothing new is sent, what was sent is recorded, and a person is told what became of it all."""
    simulator.arm("hold", times=-1)
    process = start(runner, many(hosts(50), concurrency=4, timeout=300), simulator.env)
    simulator.wait(held=4)
    kill(process.pid, number)
    said = read_until(process, "Stopping: nothing more is sent")
    simulator.release()
    said += process.communicate(timeout=playbooks.TIMEOUT)[0]
    assert "The run was stopped by a signal: 4 ordered, 46 not sent.\nRun again to order the rest." in said
    assert process.returncode not in (0, None)
    assert len(simulator.orders()) == 4
    simulator.disarm()
    again = runner.run(many(hosts(50), concurrency=16), simulator.env).result
    assert {count: number for count, number in again["counts"].items() if number} == {"ordered": 46, "unchanged": 4}
    assert hostnames(simulator) == hosts(50)


@pytest.mark.parametrize(("kill", "number"), [ENDS[0], ENDS[2]])
def test_one_order_is_recorded_before_the_run_ends(
    runner: Runner, simulator: Simulator, kill: Callable[[int, int], None], number: int
) -> None:
    """In a loop of single orders, the one on its way is recorded, and the next one is not sent."""
    simulator.arm("hold")
    looped = {**vps("{{ item }}", timeout=300), "loop": hosts(3)}
    process = start(runner, looped, simulator.env)
    simulator.wait(held=1)
    kill(process.pid, number)
    if number == signal.SIGKILL:
        process.wait()
    else:
        read_until(process, "User interrupted execution")
    simulator.release()
    said = process.communicate(timeout=playbooks.TIMEOUT)[0]
    assert f"The order {hosts(1)[0]} is recorded: ordered." in said
    assert hostnames(simulator) == hosts(1)
    again = runner.run(looped, simulator.env).result["results"]
    assert [each["changed"] for each in again] == [False, True, True]


#: Seconds that Ansible gives a task that orders.
CUT_AFTER = 3


@pytest.mark.parametrize(
    ("keyword", "env"),
    [
        ({"timeout": CUT_AFTER}, {}),
        pytest.param({}, {"ANSIBLE_TASK_TIMEOUT": str(CUT_AFTER)}, marks=pytest.mark.full),
    ],
    ids=["keyword", "variable"],
)
def test_timeout_of_a_task_cuts_no_order(
    runner: Runner, simulator: Simulator, keyword: dict[str, Any], env: dict[str, str]
) -> None:
    """The orders on their way are recorded, the result names them, and nothing more is sent."""
    single = {**vps(hosts(1)[0], timeout=300), **keyword}
    batch = {**many(hosts(9)[1:], concurrency=4, timeout=300), **keyword}
    # Not the list of contracts, which is read before.
    simulator.arm("hold", times=-1, match={"template": data.OS_TEMPLATE})
    runs = []
    for name, task in (("single", single), ("batch", batch)):
        other = runner.within(name)
        runs.append((other, start(other, task, {**simulator.env, **env, "RESELLER_LEDGER": str(runner.ledger)})))
    simulator.wait(held=5)
    for _other, process in runs:
        read_until(process, "(timeout, ANSIBLE_TASK_TIMEOUT) ran out while it was sending")
    simulator.release()
    simulator.disarm()
    one, several = (other.finish(process).result for other, process in runs)
    assert one["changed"]
    assert (one["order"]["name"], one["order"]["status"]) == (hosts(1)[0], "ordered")
    assert all("ran out while it was sending" in str(each["warnings"]) for each in (one, several))
    assert several["msg"].startswith("The run was stopped by the timeout of the task: 4 ordered, 4 not sent.")
    ordered = [each["name"] for each in several["results"] if each["changed"]]
    assert len(ordered) == 4
    assert hostnames(simulator) == sorted([*hosts(1), *ordered])
    again = runner.run([vps(hosts(1)[0]), many(hosts(9)[1:])], simulator.env)
    assert again.results[0]["changed"] is False
    counts = {count: number for count, number in again.results[1]["counts"].items() if number}
    assert counts == {"ordered": 4, "unchanged": 4}


def test_plan_is_resumed_after_a_kill(runner: Runner, simulator: Simulator, life: Life) -> None:
    """What it was sending is recorded, and the run that resumes it waits for that."""
    env = life.env(simulator, runner.folder)
    shared = {"plan_file": str(runner.folder / "plan.json"), "defaults": {**SHARED, "end_user": life.end_user}}
    shown = runner.run(many(hosts(5), **shared), env, "--check").result
    approved = {**shared, "approved_plan": shown["plan_digest"]}
    simulator.arm("hold", match={"hostname": hosts(5)[2]})
    process = start(runner, many(hosts(5), concurrency=1, **approved), env)
    simulator.wait(held=1)
    os.kill(process.pid, signal.SIGKILL)
    # Its worker sees that it is gone once it is.
    process.wait()
    simulator.release()
    assert runner.finish(process).status != 0
    assert hostnames(simulator) == hosts(3)
    resumed = runner.run(many(hosts(5), **approved, read_back=False), env)
    assert "msg" not in resumed.result, resumed.output
    assert hostnames(simulator) == hosts(5)
