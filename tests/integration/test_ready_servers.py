# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin contracts, and the guide's playbook that orders a server, waits for it and configures it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support import documentation, playbooks
from tests.support.playbooks import vps

GUIDE = "docs/docsite/rst/ready_servers.rst"


def inventory(
    folder: Path, simulator: Simulator, others: Sequence[Any] = (), **config: Any
) -> tuple[dict[str, Any], str]:
    """What ansible-inventory lists, with ``others`` before it, and what it warns of."""
    name = folder / "reseller_contracts.yml"
    name.write_text(json.dumps({"plugin": "hosting.reseller.contracts", **config}), encoding="utf-8")
    return playbooks.inventory(folder, simulator.env, *map(str, others), "-i", str(name))


def test_servers_have_what_the_service_shows(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("laravel")
    playbooks.run(
        tmp_path,
        [vps("web01"), vps("db01", end_user=data.END_USER), vps("old01")],
        simulator.env,
    )
    web, _db, old = simulator.orders()
    simulator.remove_contract(old["id"])
    stranger = simulator.add_contract(data.VPS_M, {"hostname": "byhand", "rootPassword": "Tr0ub4dor&3"}, age=9000)
    elements = {"addresses": "/network", "status": "/state"}
    found, said = inventory(tmp_path, simulator, elements=elements)
    hosts = found["_meta"]["hostvars"]
    assert sorted(hosts) == ["db01", "old01", "web01"]
    assert hosts["web01"]["reseller_ipv4_addresses"] == ["203.0.113.2"]
    assert hosts["web01"]["reseller_ipv6_addresses"] == ["2001:db8::1"]
    assert hosts["web01"]["reseller_contract_status"] == "active"
    assert hosts["web01"]["reseller_shown"]["uuid"] == web["id"]
    assert hosts["web01"]["reseller_status"] == "ordered"
    # The list of the own organization does not show the end user's; absence makes no host vanish.
    assert sorted(found["reseller_unseen"]["hosts"]) == ["db01", "old01"]
    assert [hosts[host]["reseller_presence"] for host in ("db01", "web01")] == ["unseen", "present"]
    assert "WARNING" not in said, said

    organizations = {data.END_USER: int(data.END_USER_ORGANIZATION_ID)}
    wider, _said = inventory(tmp_path, simulator, elements=elements, organizations=organizations, unrecorded=True)
    hosts = wider["_meta"]["hostvars"]
    assert hosts["db01"]["reseller_presence"] == "present"
    assert wider["reseller_unrecorded"]["hosts"] == ["byhand"]
    assert hosts["byhand"]["reseller_contract_id"] == stranger
    assert "Tr0ub4dor" not in json.dumps(wider)


#: Of this machine, of a host and of groups that are there, and what a pattern, a template or ssh would obey.
ODD_NAMES = ["localhost", "db01.prod", "production", "ungrouped", "web[01:20]", "{{ 6 * 7 }}", "-oProxyCommand=x"]
STATIC = """
all:
  hosts:
    localhost: {ansible_connection: local, mine: 1}
    web01: {mine: 2}
  children:
    production:
      hosts:
        db01.prod: {ansible_host: 192.0.2.99, secret: theirs}
      vars: {mine: 3}
"""


def test_hostnames_of_the_service_change_no_other_host_or_group(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    simulator = start_simulator("laravel")
    playbooks.run(tmp_path, [vps("srv01")], simulator.env)
    for name in ODD_NAMES:
        simulator.add_contract(data.VPS_M, {"hostname": name})
    simulator.add_contract(data.VPS_M, {"hostname": "byhand"})
    static = tmp_path / "static.yml"
    static.write_text(STATIC, encoding="utf-8")
    before, _said = inventory(tmp_path, simulator, ["-i", static], product_types=[])
    after, said = inventory(
        tmp_path,
        simulator,
        ["-i", static],
        unrecorded=True,
        compose={"ansible_host": "'192.0.2.7'", "mine": "'changed'"},
        groups={"production": "false"},
    )
    theirs, ours = before["_meta"]["hostvars"], after["_meta"]["hostvars"]
    added = ours.keys() - theirs.keys()
    assert {"srv01", "byhand"} <= added
    # Each has a host of its own, under the contract's ID.
    assert len(added) == len(["srv01", "byhand", *ODD_NAMES])
    assert all("oProxyCommand" not in str(ours[host]["reseller_settings"]) for host in added)
    assert added.isdisjoint(ODD_NAMES)
    assert {host: ours[host] for host in theirs} == theirs
    assert after["production"] == before["production"]
    assert said.count("cannot be host names here, so their hosts have other names: ") == 1


def test_without_such_an_operation_hosts_are_those_of_the_ledger(
    start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    simulator = start_simulator("laravel", no_contracts=True)
    playbooks.run(tmp_path, [vps("web01")], simulator.env)
    found, said = inventory(tmp_path, simulator)
    assert sorted(found["_meta"]["hostvars"]) == ["web01"]
    assert "The hosts are those of the ledger alone" in said


def test_guide_orders_waits_and_configures(start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    simulator = start_simulator("apiplatform")
    simulator.behave(ready_reads=2)
    for block in documentation.blocks(GUIDE):
        if block.file_name:
            text = block.text.replace("/etc/motd", str(tmp_path / "motd")).replace("timeout: 1800", "interval: 0.1")
            (tmp_path / block.file_name).write_text(text, encoding="utf-8")
    (command,) = [block.text for block in documentation.blocks(GUIDE) if block.language == "console"]
    arguments = command.removeprefix("$ ansible-playbook ").split()
    # The server is this machine, and nobody becomes root on it.
    here = ("-e", json.dumps({"ansible_connection": "local", "ansible_become": False}))
    env = {**simulator.env, "PWD": str(tmp_path)}

    def run() -> playbooks.Play:
        play = playbooks.command(tmp_path, env, *arguments, *here)
        assert play.status == 0, play.output
        return play

    first = run()
    [contract] = simulator.orders()
    assert (tmp_path / "motd").read_text() == f"web01.example.org, contract {contract['id']}\n"
    assert first.results[1]["wait"]["met"]
    assert first.results[1]["wait"]["reads"] > 1
    assert run().changed == [False] * len(first.results)
    assert len(simulator.requests("POST")) == 1
