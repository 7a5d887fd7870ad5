# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What surrounds a run: its directory, libraries of other releases, FIPS, other strategies, and INI inventories."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support.cases import cases
from tests.support.playbooks import Runner, vps

pytestmark = in_shape("plain")

#: As FIPS hosts have it: the library is there, and refuses these.
FIPS = """
import hashlib

def refuse(*_arguments, **_options):
    raise ValueError("[digital envelope routines] unsupported")

for name in ("md5", "blake2b", "blake2s"):
    setattr(hashlib, name, refuse)
"""


def test_directory_that_is_removed_in_the_run_stops_no_order(runner: Runner, simulator: Simulator) -> None:
    work = runner.within("work")
    playbook = runner.write(
        [
            {"ansible.builtin.file": {"path": str(work.folder), "state": "absent"}},
            vps("web01.example.org"),
            {"hosting.reseller.reseller_ledger_info": {}},
        ],
        ignore_errors=False,
    )
    env = {**simulator.env, "RESELLER_LEDGER": str(runner.ledger), "HOME": str(runner.folder)}
    env["RECORDED_RESULTS"] = str(runner.folder / "results.jsonl")
    process = work.start(env, playbook)
    play = runner.finish(process)
    assert play.status == 0, play.output
    assert [result["changed"] for result in play.results] == [True, True, False]
    assert [order["name"] for order in play.results[2]["records"]] == ["web01.example.org"]


def test_orders_need_neither_md5_nor_blake2(runner: Runner, simulator: Simulator) -> None:
    runner.save("fips/sitecustomize.py", FIPS)
    env = {**simulator.env, "PYTHONPATH": str(runner.folder / "fips")}
    tasks = [vps(f"web0{number}.example.org") for number in (1, 2, 3, 1)]
    assert [result["changed"] for result in runner.table(tasks, env)] == [True, True, True, False]


@cases("libraries")
def test_library_that_lacks_what_is_needed_fails_the_task(
    case: dict[str, Any], runner: Runner, simulator: Simulator
) -> None:
    for name, text in case["files"].items():
        runner.save(f"old/{name}", text)
    name, version = case["library"], case["version"]
    runner.save(
        f"old/{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    env = {**simulator.env, "PYTHONPATH": str(runner.folder / "old")}
    rescued = {"block": [vps("web01.example.org")], "rescue": [{"ansible.builtin.debug": {"msg": "rescued"}}]}
    play = runner.run(rescued, env, ignore_errors=False)
    assert (play.status, play.results[-1]["msg"]) == (0, "rescued"), play.output
    assert f"Version {version} is installed, and {case['wanted']} is needed" in play.results[0]["msg"]
    assert f"pip install '{name}{case['wanted']}'" in play.results[0]["msg"]
    assert "probably a bug" not in play.output
    assert simulator.orders() == []


@pytest.mark.full
@pytest.mark.parametrize("strategy", ["mitogen_linear", "mitogen_free"])
def test_strategies_of_mitogen_run_tasks(runner: Runner, simulator: Simulator, strategy: str, tmp_path: Path) -> None:
    folder = tmp_path / "mitogen"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), "mitogen==0.3.54"]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        pytest.skip("Mitogen cannot be installed from the package index")
    plugins = folder / "ansible_mitogen" / "plugins" / "strategy"
    env = {**simulator.env, "ANSIBLE_STRATEGY_PLUGINS": str(plugins), "ANSIBLE_STRATEGY": strategy}
    play = runner.run([vps("web01.example.org")] * 2, {**env, "PYTHONPATH": str(folder)})
    assert play.changed == [True, False], play.output


def test_number_of_an_ini_inventory_is_answered_with_quotes_within_quotes(runner: Runner, simulator: Simulator) -> None:
    runner.save("hosts.ini", 'localhost ansible_connection=local pw="123456" quoted=\'"0o17"\'\n')
    settings = {"hostname": "kvm01.example.org", "template_name": "debian-12", "username": "admin", "ram": 1024}
    settings |= {"cpu_cores": 1, "disk_size": 10, "ipv4_addresses": 1, "traffic_display": 128, "backup_count": 5}
    settings |= {"snapshot_count": 2, "ha_upgrade": False, "10g_upgrade": False}

    def order(password: str) -> dict[str, Any]:
        options = {"end_user": "__self__", "product_type": "configurable_vps"}
        return {"hosting.reseller.reseller_contract": {**options, "settings": {**settings, "password": password}}}

    tasks = [order("{{ pw }}"), order("{{ quoted }}")]
    refused, ordered = runner.table(tasks, simulator.env, "-i", str(runner.folder / "hosts.ini"))
    assert "quote it (in an INI inventory twice, as in pw='\"123456\"')" in refused["msg"]
    assert ordered["changed"]
    assert [each["settings"]["password"] for each in simulator.orders()] == ["0o17"]
