# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a playbook does beside ordering: cancel, reset and wait, list operations."""

from __future__ import annotations

from typing import Any

from playbooks.files.simulator import data
from playbooks.files.simulator.operations import SERVER
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support.playbooks import Runner, Task, vps

CONTRACTS = "/api/reseller/contracts"
RESET = {"method": "POST", "path": f"/api/reseller/servers/{SERVER}/reset", "name": "reset, ticket 4711"}


def change(**options: Any) -> Task:
    return {"hosting.reseller.reseller_operation": options}


def read(**options: Any) -> Task:
    return {"hosting.reseller.reseller_operation_info": options}


def test_contract_is_cancelled_where_it_is_and_nowhere_else(runner: Runner, simulator: Simulator) -> None:
    contract = runner.run(vps(end_user=data.END_USER), simulator.env).result["contract_id"]
    path, theirs = f"{CONTRACTS}/{contract}", {"organization_id": data.END_USER_ORGANIZATION_ID}
    found = {**read(path=path, status_code=["2xx", 404], **theirs), "register": "found"}
    cancel = {**change(method="DELETE", path=path, **theirs), "when": "found.status == 200"}
    wrong = change(method="DELETE", path=path)
    again = change(method="DELETE", path=path, **theirs)
    play = runner.run([wrong, found, cancel, found, cancel, again], simulator.env)
    statuses = [result.get("status") for result in play.results]
    assert statuses == [404, 200, 204, 404, None, 404], play.output
    assert ["failure" in result for result in play.results] == [True, False, False, False, False, True]
    assert f"Organization {data.ORGANIZATION_ID} has no such thing" in play.results[0]["msg"]
    assert (play.results[2]["changed"], "sent" in play.results[4]) == (True, False)
    assert f"Organization {data.END_USER_ORGANIZATION_ID} has no such thing" in play.results[5]["msg"]


def test_job_is_waited_for_with_until(runner: Runner, simulator: Simulator) -> None:
    wait = {
        **read(path="/api/reseller/tasks/{{ reset.location | basename }}"),
        "register": "job",
        "until": "job.body.status in ['done', 'failed']",
        "retries": 10,
        "delay": 0,
    }
    play = runner.run([{**change(**RESET), "register": "reset"}, wait], simulator.env)
    assert play.status == 0, play.output
    assert (play.results[-1]["body"]["status"], play.results[-1]["attempts"]) == ("done", 3)


@in_shape("laravel")
def test_playbook_lists_operations_by_group_and_describes_one(runner: Runner, simulator: Simulator) -> None:
    listing = runner.playbook("operations", simulator.env)
    assert listing.status == 0, listing.output
    assert "(item=SSH keys)" in listing.output
    assert f"PUT {CONTRACTS}/{{id}}/label Rename a contract" in listing.output
    one = runner.playbook("operations", simulator.env, operation=f"PUT {CONTRACTS}/{{id}}/label")
    assert one.status == 0, one.output
    described = one.results[0]["operation"]
    assert (described["summary"], described["group"]) == ("Rename a contract", "Contracts")
    assert [each["name"] for each in described["parameters"]] == ["id"]
    (schema,) = described["body"].values()
    assert schema["properties"]["label"]["maxLength"] == 80
    assert "Show the operation" in one.output
    unknown = runner.playbook("operations", simulator.env, operation="PUT /api/reseller/contract/{id}/label")
    assert f"Nearest: PUT {CONTRACTS}/{{id}}/label" in unknown.output
