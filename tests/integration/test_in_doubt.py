# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An order in doubt: what the failed task says, and the line in its message, pasted and run."""

from __future__ import annotations

import os
import subprocess

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks
from tests.support.playbooks import vps

NAME = 'it\'s "web01": #1 (büro) $(touch made) ; `touch made` & !x'


def test_message_tells_when_which_and_what_and_its_line_settles(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("laravel")
    # The ledger is an option of the task alone: the pasted line has to have it.
    task = vps(name=NAME, end_user=data.END_USER, ledger=str(runner.folder / "it's mine" / "orders.db"))
    simulator.arm("drop_after")
    results = runner.table([task, task, {**task, "check_mode": True}], simulator.env)
    for result in results:
        first, claimed, reason, *_more, advice, line = result["msg"].split("\n")
        assert first == f"Order {NAME} is in doubt: the service may have accepted it. It is not sent again."
        assert claimed.endswith(f"Z: POST {simulator.base_url}/api/reseller/contracts, vps for {data.END_USER}.")
        assert "the answer was lost" in reason
        assert advice.startswith("Check the customer portal. If the contract exists, run this line.")
        assert result["order"]["status"] == "in_doubt"
        assert "state: ordered" in result["settle_with"]
    assert len(simulator.orders()) == len(simulator.requests("POST")) == 1

    path = f"{playbooks.PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=runner.folder,
        env=playbooks.environment(runner.folder, {"RESELLER_LEDGER": "", "PATH": path}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "localhost | CHANGED" in done.stdout) == (0, True), done.stdout + done.stderr
    assert not (runner.folder / "made").exists()
    last = runner.run(task, simulator.env).result
    assert (last["changed"], last["order"]["status"]) == (False, "ordered")
    assert len(simulator.requests("POST")) == 1
