# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What playbooks do beside ordering: list products and orders, move a ledger, settle, reset and wait."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import StoredRequest
from playbooks.files.simulator import data
from playbooks.files.simulator.operations import SERVER
from playbooks.files.simulator.running import Simulator
from tests.conftest import LEARNED
from tests.integration.conftest import in_shape
from tests.support.described import connect_once, service_file
from tests.support.ledgers import claim, opened
from tests.support.playbooks import ROOT, Runner, vps


def test_products_and_orders_are_listed_within_a_terminal(runner: Runner, simulator: Simulator) -> None:
    env = simulator.env
    runner.run(vps(end_user=data.END_USER), env)
    with opened(runner.ledger) as ledger:
        priced = StoredRequest("priced", env["RESELLER_BASE_URL"], "4200", data.END_USER, data.VPS_S, None, "vps")
        assert claim(ledger, [replace(priced, listed_prices={"monthly": "9.90"})]) == [None]
    env |= {
        "RESELLER_SERVICE": service_file(runner.folder, simulator.base_url, end_users={"shop": {"id": data.END_USER}})
    }
    play = runner.playbook("ledger", env, "hosting.reseller.products", end_user="shop", prices="true")
    assert play.status == 0, play.output
    shown = [line.strip('", ') for line in play.output.splitlines()]
    assert "cpu_cores  integer, required, minimum 1, maximum 10" in shown
    assert "NAME                          STATUS    PRODUCT            SINCE" in shown
    assert any(line.startswith("web01.example.org             ordered   VPS M              20") for line in shown)
    assert shown[shown.index("Prices as they were listed:") + 1] == r"priced: {\"monthly\": \"9.90\"}"
    assert "skipping" not in play.output
    listed = play.output.partition("PLAY [List what was ordered]")[2].partition("PLAY RECAP")[0]
    assert [line for line in listed.splitlines() if "**" not in line and len(line) > 80] == []
    unknown = runner.playbook("ledger", env, end_user="shpo")
    assert "end_user 'shpo' is not a UUID" in unknown.output
    assert "Did you mean shop?" in unknown.output


def test_no_playbook_warns_when_its_syntax_is_checked(runner: Runner) -> None:
    play = runner.command({}, "--syntax-check", *map(str, sorted((ROOT / "playbooks").glob("*.yml"))))
    assert play.status == 0, play.output
    assert "WARNING" not in play.output, play.output


@pytest.mark.full
@pytest.mark.parametrize("shape", LEARNED)
def test_connect_shows_and_writes_the_file_once(runner: Runner, simulator: Simulator) -> None:
    env = {**simulator.env, "XDG_CONFIG_HOME": str(runner.folder / "config")}
    shown = runner.playbook("connect", env)
    assert f"order.end_user: '{simulator.end_user_element}' (from the OpenAPI document)" in shown.output
    assert "Lines for" in shown.output
    assert not (runner.folder / "config").exists()
    connect_once(runner, env, simulator.base_url)


@in_shape("plain")
def test_ledger_is_moved(runner: Runner, simulator: Simulator) -> None:
    old, new, env = str(runner.folder / "old.db"), str(runner.folder / "new" / "ledger.db"), simulator.env
    assert runner.run(vps(ledger=old), env).result["changed"]
    moving = {"RESELLER_LEDGER_FROM": old, "RESELLER_LEDGER_TO": new}
    checked = runner.playbook("move_ledger", moving, "--check")
    # And again, in the same process.
    moved = runner.playbook("move_ledger", moving, "hosting.reseller.move_ledger")
    for play in (checked, moved):
        assert (play.status, play.changed.count(True)) == (0, 1), play.output
    assert not runner.run(vps(ledger=new), env).result["changed"]


@pytest.mark.full
@in_shape("plain")
def test_job_of_awx_lists_only_what_the_service_leaves_in_doubt(runner: Runner, simulator: Simulator) -> None:
    runner.run([vps("control.example.org"), vps("control2.example.org")], simulator.env)
    for number in (1, 2):
        simulator.arm("drop_after", match={"hostname": f"lost{number}.example.org"})
    simulator.behave(lags=True)
    # The first one was not looked for before.
    runner.run([vps(f"lost{number}.example.org", read_back=number == 2) for number in (1, 2)], simulator.env)
    simulator.behave()
    play = runner.playbook("awx_in_doubt", simulator.env)
    assert play.status == 2
    assert "1 in doubt: lost1.example.org" in play.output
    assert "'lost2.example.org' is ordered, contract" in play.output
    settled = {"name": "lost1.example.org", "state": "present", "contract_id": "unknown"}
    runner.run({"hosting.reseller.reseller_record": settled}, simulator.env)
    play = runner.playbook("awx_in_doubt", simulator.env)
    assert "No order is in doubt" in play.output
    assert "lost2.example.org" not in play.output
    assert len(simulator.orders()) == 4


# Other operations


def test_job_is_waited_for_with_until(runner: Runner, simulator: Simulator) -> None:
    path = f"/api/reseller/servers/{SERVER}/reset"
    reset = {
        "hosting.reseller.reseller_operation": {"method": "POST", "path": path, "name": "reset, ticket 4711"},
        "register": "reset",
    }
    wait = {
        "hosting.reseller.reseller_operation_info": {"path": "/api/reseller/tasks/{{ reset.location | basename }}"},
        "register": "job",
        "until": "job.body.status in ['done', 'failed']",
        "retries": 10,
        "delay": 0,
    }
    play = runner.run([reset, wait], simulator.env)
    assert play.status == 0, play.output
    assert (play.results[-1]["body"]["status"], play.results[-1]["attempts"]) == ("done", 3)


@in_shape("laravel")
def test_playbook_lists_operations_by_group_and_describes_one(runner: Runner, simulator: Simulator) -> None:
    listing = runner.playbook("operations", simulator.env)
    assert listing.status == 0, listing.output
    assert "(item=SSH keys)" in listing.output
    assert "PUT /api/reseller/contracts/{id}/label Rename a contract" in listing.output
    one = runner.playbook("operations", simulator.env, operation="PUT /api/reseller/contracts/{id}/label")
    assert one.status == 0, one.output
    described = one.results[0]["operation"]
    assert (described["summary"], described["group"]) == ("Rename a contract", "Contracts")
    assert [each["name"] for each in described["parameters"]] == ["id"]
    label = "label (string, required): What the portal shows instead of the id"
    assert [*described["body"].values()] == [[label, "comment (string)"]]
    assert "Show the operation" in one.output
    unknown = runner.playbook("operations", simulator.env, operation="PUT /api/reseller/contract/{id}/label")
    assert "Nearest: PUT /api/reseller/contracts/{id}/label" in unknown.output
