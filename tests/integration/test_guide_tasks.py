# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guides for single tasks: their files are saved, and their commands run as shown."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.running import Simulator
from tests.support import documentation, playbooks
from tests.support.simulator_fixtures import SimulatorFactory

GUIDES = "docs/docsite/rst"


def walk(guide: str, folder: Path, env: Mapping[str, str], replaced: Mapping[str, str]) -> dict[str, str]:
    """Save the files of a guide, run its commands, and return what each of them printed.

    Each must succeed, and print the lines that the guide shows.
    """
    printed = {}
    for block in documentation.blocks(f"{GUIDES}/{guide}.rst"):
        text = block.text
        for shown, ours in replaced.items():
            text = text.replace(shown, ours)
        if block.file_name:
            (folder / block.file_name).write_text(text, encoding="utf-8")
        elif block.language == "console":
            for part in re.split(r"(?m)^\$ ", text)[1:]:
                command, _newline, shown = part.partition("\n")
                program, *arguments = shlex.split(command.replace("~", str(folder)))
                play = playbooks.command(folder, env, *arguments, program=playbooks.PROGRAM.with_name(program))
                assert play.status == 0, play.output
                printed[command] = play.output
                lines = [line.strip() for line in play.output.splitlines()]
                assert [line for line in shown.splitlines() if line.strip() not in ("", *lines)] == [], play.output
    assert printed
    return printed


def test_several_services_take_the_orders_of_their_groups(tmp_path: Path, start_simulator: SimulatorFactory) -> None:
    north, south = start_simulator("apiplatform"), start_simulator("plain")
    replaced = {
        "https://north.example.com": north.base_url,
        "https://south.example.com": south.base_url,
        "/var/lib/reseller": str(tmp_path / "ledgers"),
    }
    keys = dict.fromkeys(("vault_north_key", "vault_south_key"), data.API_KEY)
    (tmp_path / "vault.yml").write_text(json.dumps(keys), encoding="utf-8")
    walk("several_services", tmp_path, {"RESELLER_LEDGER": ""}, replaced)
    hosts = [[order["settings"]["hostname"] for order in each.orders()] for each in (north, south)]
    assert hosts == [["web01.north.example.org"], ["web01.south.example.org"]]
    assert sorted(path.name for path in (tmp_path / "ledgers").glob("*.db")) == ["north.db", "south.db"]


def test_keys_come_from_a_vault_and_from_a_program(tmp_path: Path, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    env = {**simulator.env, "RESELLER_API_KEY": "", "PATH": f"{tmp_path}:{playbooks.PROGRAM.parent}:/usr/bin:/bin"}
    program = tmp_path / "pass"
    program.write_text(f'#!/bin/sh\n[ "$*" = "show hosting/reseller" ] && echo {data.API_KEY}\n', encoding="utf-8")
    program.chmod(0o700)
    (tmp_path / ".reseller-vault").write_text("a passphrase", encoding="utf-8")
    walk("vault", tmp_path, env, {"vault_reseller_api_key: ...": f"vault_reseller_api_key: {data.API_KEY}"})
    assert (tmp_path / "vault.yml").read_text(encoding="utf-8").startswith("$ANSIBLE_VAULT;")
    *_others, playbook, looked_up = documentation.yaml_blocks(f"{GUIDES}/vault.rst")
    text = playbook.text.replace('api_key: "{{ vault_reseller_api_key }}"', looked_up.text.strip())
    (tmp_path / "list_pass.yml").write_text(text.replace("  vars_files: [vault.yml]\n", ""), encoding="utf-8")
    assert playbooks.command(tmp_path, env, "list_pass.yml").status == 0
    # The catalogue is read with each of them, or with the first, whose answer is kept for this key.
    assert {request.headers["X-API-Key"] for request in simulator.requests()} == {data.API_KEY}


def test_failure_and_each_order_in_doubt_reach_a_webhook(tmp_path: Path, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform", no_contracts=True)
    received: list[dict[str, str]] = []

    def take(request: Received) -> Reply:
        received.append(json.loads(request.body))
        return Reply({})

    for block in documentation.yaml_blocks(f"{GUIDES}/tell_somebody.rst"):
        (tmp_path / str(block.file_name)).write_text(block.text, encoding="utf-8")
    simulator.arm("drop_after")
    with ScriptedServer(take) as webhook:
        failed, listed = (
            playbooks.command(tmp_path, simulator.env, f"{name}.yml", "-e", f"{variable}={webhook.url}")
            for name, variable in (("order_and_tell", "webhook"), ("events", "events"))
        )
    assert (failed.status, listed.status) == (2, 0), failed.output + listed.output
    message, event = received
    assert message["kind"] == "in_doubt"
    assert "web01.example.org is in doubt" in message["text"]
    assert event == {"order": "web01.example.org", "status": "in_doubt"}


def test_address_and_password_of_a_server_are_kept_after_its_order(
    tmp_path: Path, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("apiplatform")
    playbooks.run(tmp_path, playbooks.vps(), simulator.env)
    walk("after_first_order", tmp_path, simulator.env, {"203.0.113.1": "203.0.113.2"})
    answer = tmp_path / "web02.json"
    assert simulator.orders()[1]["id"] in answer.read_text(encoding="utf-8")
    assert answer.stat().st_mode & 0o077 == 0


def test_contract_is_canceled_and_its_record_removed(tmp_path: Path, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    playbooks.run(tmp_path, playbooks.vps(), simulator.env)
    walk("cancel", tmp_path, simulator.env, {})
    assert [request.path for request in simulator.requests("DELETE")] == [
        f"/api/reseller/contracts/{simulator.orders()[0]['id']}"
    ]
    assert _recorded(tmp_path, simulator) == []


def test_change_in_the_portal_is_taken_over_into_the_record(tmp_path: Path, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    wanted = playbooks.vps(settings={"hostname": "web01.example.org", "template": "debian-13"})
    ordered = playbooks.run(tmp_path, [playbooks.vps(), wanted], simulator.env)
    assert ordered.results[1]["failure"]["kind"] == "differs"
    printed = walk("change", tmp_path, simulator.env, {})
    assert playbooks.run(tmp_path, wanted, simulator.env).changed == [False]
    assert "web01.example.org 20" in printed["ansible-playbook renewals.yml"]
    assert len(simulator.orders()) == 1


def test_table_is_adopted_and_orders_what_is_added_to_it(tmp_path: Path, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    guide = documentation.blocks(f"{GUIDES}/spreadsheet.rst")
    table = next(block.text for block in guide if block.language == "text")
    for digit, product in (("5", data.VPS_M), ("6", data.VPS_S)):
        settings = {"hostname": f"web4{int(digit) - 4}.example.org", "template": data.OS_TEMPLATE}
        bought = simulator.add_contract(product, settings, end_user=data.END_USER, age=100000.0)
        table = table.replace(f"0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d5{digit}", bought)
    header, *rows = table.splitlines()

    def run(*contracts: str) -> playbooks.Play:
        (tmp_path / "contracts.csv").write_text("\n".join([header, *contracts]) + "\n", encoding="utf-8")
        return playbooks.command(tmp_path, simulator.env, "table.yml")

    (tmp_path / "contracts.csv").write_text(table, encoding="utf-8")
    printed = walk("spreadsheet", tmp_path, simulator.env, {})
    assert "web43.example.org" in printed["ansible-playbook --check --diff table.yml"]
    assert _recorded(tmp_path, simulator) == ["web41.example.org", "web42.example.org", "web43.example.org"]
    assert not any(run(*rows[::-1]).changed)
    assert any(run(*rows[:2], rows[2].replace("web43", "web44")).changed)
    changed = run(*rows[:2], rows[2].replace("debian-12", "debian-13"))
    assert "differs from its record in the ledger" in changed.output
    assert [order["settings"]["hostname"] for order in simulator.orders()] == ["web43.example.org", "web44.example.org"]


def _recorded(folder: Path, simulator: Simulator) -> list[str]:
    listed = playbooks.run(folder, {"hosting.reseller.reseller_ledger_info": {}}, simulator.env)
    return sorted(order["name"] for order in listed.result["orders"])
