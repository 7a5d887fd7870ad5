# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks run on the controller, as the user who runs Ansible, whatever host, user or Python a play names."""

from __future__ import annotations

import json
from pathlib import Path

from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support import playbooks
from tests.support.lives import Life
from tests.support.playbooks import Runner, vps

pytestmark = in_shape("plain")

BECOME = {"become": True, "become_user": "nobody", "vars": {"ansible_become_exe": "/nonexistent/sudo"}}
LEDGER_INFO = {"name": "List", "hosting.reseller.reseller_ledger_info": {}}


def inventory(folder: Path, *names: str) -> str:
    """Hosts that no connection leads to, with a Python that they do not have."""
    hosts = {
        "ansible_host": "192.0.2.1",
        "ansible_connection": "elsewhere",
        "ansible_python_interpreter": "/nonexistent/python",
    }
    path = folder / "hosts.json"
    path.write_text(json.dumps({"all": {"hosts": dict.fromkeys(names), "vars": hosts}}))
    return str(path)


def environment(simulator: Simulator, **more: str) -> dict[str, str]:
    plugins = str(playbooks.ROOT / "tests/support/connection_plugins")
    return {**simulator.env, "ANSIBLE_CONNECTION_PLUGINS": plugins, **more}


def test_hosts_that_cannot_be_reached_order_once(runner: Runner, simulator: Simulator, state: Path) -> None:
    hosts = inventory(runner.folder, "one", "two")
    env = environment(simulator, RESELLER_LEDGER="", XDG_STATE_HOME=str(state))
    tasks = [
        {**vps("{{ inventory_hostname }}.example.org"), **BECOME},
        {**LEDGER_INFO, "delegate_to": "two", "run_once": True},
        {**LEDGER_INFO, "delegate_to": "nowhere.example.org", "run_once": True},
    ]
    for changed in (True, False):
        play = runner.run(tasks, env, "-i", hosts, "-vvvv", hosts="all")
        assert play.status == 0, play.output
        assert play.changed == [changed, changed, False, False]
        for listed in play.results[2:]:
            assert sorted(each["name"] for each in listed["records"]) == ["one.example.org", "two.example.org"]
        assert "a connection was attempted" not in play.output
    assert len(simulator.orders()) == len(simulator.requests("POST")) == 2
    ledgers = {path for path in (*runner.files(), *state.rglob("*")) if path.name == "ledger.db"}
    assert ledgers == {state / "hosting.reseller/ledger.db"}


def test_twenty_hosts_that_ask_for_one_order_place_one(runner: Runner, simulator: Simulator, life: Life) -> None:
    hosts = inventory(runner.folder, *(f"host{number}" for number in range(20)))
    task, env = vps("web01.example.org", end_user=life.end_user), life.env(simulator, runner.folder)
    play = runner.run(task, environment(simulator, **env), "-i", hosts, "--forks", "10", hosts="all")
    assert play.status == 0, play.output
    assert sum(play.changed) == 1
    assert {result["order"]["status"] for result in play.results} == {"ordered"}
    assert len(play.results) == 20
    assert len(simulator.requests("POST")) == 1


def test_environment_of_a_task_applies_to_it_alone(runner: Runner, simulator: Simulator) -> None:
    other = str(runner.folder / "other" / "ledger.db")
    items = [("c", {}), ("e", {"RESELLER_LEDGER": other}), ("c", {})]
    here, there, broken, again, looped = runner.table(
        [
            vps("a.example.org"),
            {**vps("b.example.org"), "environment": {"RESELLER_LEDGER": other}},
            {**vps("d.example.org"), "environment": {"A=B": "x"}},
            vps("a.example.org"),
            {**vps("{{ item.0 }}.example.org"), "environment": "{{ item.1 }}", "loop": items},
        ],
        simulator.env,
    )
    assert (here["changed"], there["changed"], again["changed"]) == (True, True, False)
    # The one item's ledger is not that of the next.
    assert [each["changed"] for each in looped["results"]] == [True, True, False]
    assert Path(other).is_file()
    assert broken["msg"].splitlines()[0] == (
        "The task's environment has a variable that cannot be set: 'A=B'. Nothing was sent."
    )
    assert len(simulator.orders()) == 4


def test_items_of_a_loop_share_what_is_read_anew(runner: Runner, simulator: Simulator) -> None:
    """Each item is refused for the catalogue, and closes what it shared."""
    assert runner.run(vps(), simulator.env).status == 0
    before = len(simulator.requests("GET"))
    looped = {**vps("{{ item }}.example.org", product="VPS XXL"), "loop": ["a", "b", "c"]}
    play = runner.run(looped, simulator.env)
    assert play.output.count("lists no product with the UUID or name") >= 3, play.output
    read = [request.target for request in simulator.requests("GET")[before:]]
    assert [path for path in read if path.endswith("/products")] == ["/api/reseller/products"], read
