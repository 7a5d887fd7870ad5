# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An order in doubt: what the failed task says, the line in its message and its task, pasted and run."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.integration.test_ledger_modules import held
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import playbooks
from tests.support.playbooks import order

NAME = "it's web01: #1 (büro)"
VPS: dict[str, Any] = {
    "end_user": data.END_USER,
    "product": "VPS M",
    "settings": {"hostname": "web01.example.org", "template": "debian-12"},
}


@pytest.fixture
def simulator(start_simulator: SimulatorFactory) -> Simulator:
    return start_simulator("laravel")


def line_of(message: str) -> str:
    """The line at the end of a message, as somebody would select it."""
    return message[message.index("ansible localhost ") :]


def run_line(runner: Runner, line: str, env: Mapping[str, str]) -> str:
    """What somebody sees who pastes a line into a shell."""
    program, *arguments = shlex.split(line)
    done = subprocess.run(
        [playbooks.PROGRAM.with_name(program), *arguments],
        env=playbooks.environment(runner.folder, env),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_message_tells_when_which_and_what_and_its_task_settles(runner: Runner, simulator: Simulator) -> None:
    # The ledger is an option of the task alone: the pasted task has to know it.
    ledger = str(runner.folder / "it's mine" / "orders.db")
    task = order(name=NAME, ledger=ledger, **VPS)
    simulator.arm("drop_after")
    first, again, shown = runner.table([task, task, {**task, "check_mode": True}], simulator.env)
    for result in (first, again, shown):
        message = result["msg"]
        assert message.startswith(
            f"Order {NAME} is in doubt: the service may have accepted it. It is not sent again.\n"
        )
        assert re.search(r"Claimed at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: POST ", message)
        assert f"POST {simulator.base_url}/api/reseller/contracts, vps for {data.END_USER}." in message
        assert "Reason: POST" in message
        assert "the answer was lost" in message
        assert "It is not sent again" in message
        assert "customer portal" in message
        assert result["order"]["status"] == "in_doubt"
        assert "- name:" not in message
        assert "state: ordered" in result["settle_with"]
    assert len(simulator.orders()) == len(simulator.requests("POST")) == 1

    said = run_line(runner, line_of(first["msg"]), {"RESELLER_LEDGER": ""})
    assert "localhost | CHANGED" in said
    assert held(ledger) == {NAME: ("ordered", None)}
    last = runner.run(task, simulator.env)
    assert last.result["changed"] is False
    assert len(simulator.requests("POST")) == 1
