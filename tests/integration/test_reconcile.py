# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading back in playbooks: a role that hands the options on, and the job of AWX."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator.data import VPS_M as VPS
from tests.simulator.fixtures import SimulatorFactory
from tests.support import playbooks
from tests.support.playbooks import ROOT, vps


def role(hostname: str, **options: Any) -> dict[str, Any]:
    contract = {"hostname": hostname, "product": VPS, "template": "debian-12"}
    given = {**options, "inline": {"end_user": "__self__", "contracts": {"vps": [contract]}}}
    variables = {f"customer_stack_{name}": value for name, value in given.items()}
    return {"ansible.builtin.include_role": {"name": "hosting.reseller.customer_stack"}, "vars": variables}


def test_role_hands_on_how_to_read_back(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("plain")
    there = simulator.add_contract(VPS, {"hostname": "there.example.org"})
    simulator.arm("answer", status=500, process=True, match={"hostname": "lost1.example.org"})
    tasks = [
        vps("control.example.org", product=VPS),
        role(hostname="lost1.example.org", read_back=True),
        role(hostname="marked.example.org", marker_element="note"),
        role(hostname="there.example.org", read_back=True, organizations={}),
    ]
    play = runner.run(tasks, simulator.env)
    assert "lost1.example.org: VPS M, ordered, contract " in play.output
    assert "the service has a contract like it that the ledger lacks" in play.output
    assert there in play.output
    names = [each["settings"]["hostname"].partition(".")[0] for each in simulator.orders()]
    assert names == ["control", "lost1", "marked"]
    assert len(simulator.orders()[-1]["body"]["note"]) == 32


@pytest.mark.full
def test_job_of_awx_lists_only_what_the_service_leaves_in_doubt(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("laravel")
    runner.run([vps("control.example.org"), vps("control2.example.org")], simulator.env)
    for number in (1, 2):
        simulator.arm("drop_after", match={"hostname": f"lost{number}.example.org"})
    simulator.behave(lags=True)
    # The first one was not looked for before.
    runner.run([vps(f"lost{number}.example.org", read_back=number == 2) for number in (1, 2)], simulator.env)
    simulator.behave()
    job = str(ROOT / "playbooks/awx_in_doubt.yml")
    play = playbooks.command(runner.folder, simulator.env, job)
    assert play.status == 2
    assert "1 in doubt: lost1.example.org" in play.output
    assert "lost2.example.org is ordered, contract" in play.output
    runner.run({"hosting.reseller.reseller_ledger": {"name": "lost1.example.org", "state": "ordered"}}, simulator.env)
    play = playbooks.command(runner.folder, simulator.env, job)
    assert "No order is in doubt" in play.output
    assert "lost2.example.org" not in play.output
    assert len(simulator.orders()) == 4
