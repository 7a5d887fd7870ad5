# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guides for single tasks: their files are saved, and their commands run as shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.support import documentation, playbooks
from tests.support.playbooks import Runner

GUIDES = "docs/docsite/rst"
#: Stands in guides for the digest that a run shows.
DIGEST = "plan-2:new:5d1f…"


def walk(source: str, runner: Runner, env: Mapping[str, str], *replaced: tuple[str, str]) -> dict[str, str]:
    """Save the files of a document, run its commands of Ansible, and return what each of them printed.

    Each must succeed, and print the lines that the document shows, where each text of ``replaced`` has another one.
    """
    printed, digest = {}, DIGEST
    for block in documentation.blocks(source):
        text = block.text
        for shown, ours in replaced:
            text = text.replace(shown, ours)
        if block.file_name:
            runner.save(block.file_name, text)
        for words, lines in documentation.commands(text) if block.language == "console" else ():
            # test_simulator_playbook.py runs that one, on a free port.
            if not words[0].startswith("ansible") or words[1] in ("collection", "hosting.reseller.simulator"):
                continue
            program, *arguments = (word.replace("~", str(runner.folder)).replace(DIGEST, digest) for word in words)
            play = runner.command(env, *arguments, program=playbooks.PROGRAM.with_name(program))
            assert play.status == 0, play.output
            digest = (re.findall(r"plan-2:\w+:\w+", play.output) or [digest])[-1]
            said = (line.strip() for line in play.output.replace(digest, DIGEST).splitlines())
            wanted = [line.strip() for line in lines if line.strip() not in ("", "…")]
            assert [line for line in wanted if line not in said] == [], play.output
            printed[" ".join(words)] = play.output
    assert printed
    return printed


@pytest.mark.full
@pytest.mark.parametrize(
    "source", ["README.md", *(f"{GUIDES}/{name}.rst" for name in ("first_order", "many_orders", "stacks"))]
)
def test_first_commands_show_what_the_document_shows(source: str, runner: Runner, simulator: Simulator) -> None:
    assert len(walk(source, runner, simulator.env)) >= 2


def test_several_services_take_the_orders_of_their_groups(runner: Runner, start_simulator: SimulatorFactory) -> None:
    north, south = start_simulator("apiplatform"), start_simulator("plain")
    keys = dict.fromkeys(("vault_north_key", "vault_south_key"), data.API_KEY)
    runner.save("vault.yml", json.dumps(keys))
    replaced = ("https://north.example.com", north.base_url), ("https://south.example.com", south.base_url)
    places = ("/var/lib/reseller", str(runner.folder / "ledgers"))
    # One host after the other, as the guide shows them.
    env = {"RESELLER_LEDGER": "", "ANSIBLE_FORKS": "1"}
    walk(f"{GUIDES}/describe.rst", runner, {**north.env, **env}, *replaced, places)
    hosts = [[order["settings"]["hostname"] for order in each.orders()] for each in (north, south)]
    assert hosts == [["web01.north.example.org"], ["web01.south.example.org"]]
    assert sorted(path.name for path in (runner.folder / "ledgers").glob("*.db")) == ["north.db", "south.db"]


def test_keys_come_from_a_vault_and_from_a_program(runner: Runner, simulator: Simulator) -> None:
    env = {**simulator.env, "RESELLER_API_KEY": "", "PATH": f"{runner.folder}:{playbooks.PROGRAM.parent}:/usr/bin:/bin"}
    program = runner.folder / "pass"
    program.write_text(f'#!/bin/sh\n[ "$*" = "show hosting/reseller" ] && echo {data.API_KEY}\n', encoding="utf-8")
    program.chmod(0o700)
    runner.save(".reseller-vault", "a passphrase")
    walk(f"{GUIDES}/vault.rst", runner, env, ("api_key: ...", f"api_key: {data.API_KEY}"))
    assert (runner.folder / "vault.yml").read_text(encoding="utf-8").startswith("$ANSIBLE_VAULT;")
    *_others, playbook, looked_up = documentation.yaml_blocks(f"{GUIDES}/vault.rst")
    text = playbook.text.replace('api_key: "{{ vault_reseller_api_key }}"', looked_up.text.strip())
    runner.save("list_pass.yml", text.replace("  vars_files: [vault.yml]\n", ""))
    assert runner.command(env, "list_pass.yml").status == 0
    # The catalogue is read with each of them, or with the first, whose answer is kept for this key.
    assert {request.headers["X-API-Key"] for request in simulator.requests()} == {data.API_KEY}


def test_failure_and_each_order_in_doubt_reach_a_webhook(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform", no_contracts=True)
    received: list[dict[str, str]] = []

    def take(request: Received) -> Reply:
        received.append(json.loads(request.body))
        return Reply({})

    for block in documentation.yaml_blocks(f"{GUIDES}/tell_somebody.rst"):
        runner.save(str(block.file_name), block.text)
    simulator.arm("drop_after")
    with ScriptedServer(take) as webhook:
        failed, listed = (
            runner.command(simulator.env, f"{name}.yml", "-e", f"{variable}={webhook.url}")
            for name, variable in (("order_and_tell", "webhook"), ("events", "events"))
        )
    assert (failed.status, listed.status) == (2, 0), failed.output + listed.output
    message, event = received
    assert message["kind"] == "in_doubt"
    assert "web01.example.org is in doubt" in message["text"]
    assert event == {"order": "web01.example.org", "status": "in_doubt"}


def test_address_and_password_of_a_server_are_kept_after_its_order(runner: Runner, simulator: Simulator) -> None:
    runner.run(playbooks.vps(), simulator.env)
    walk(f"{GUIDES}/after_first_order.rst", runner, simulator.env, ("203.0.113.1", "203.0.113.2"))
    answer = runner.folder / "web02.json"
    assert simulator.orders()[1]["id"] in answer.read_text(encoding="utf-8")
    assert answer.stat().st_mode & 0o077 == 0


def test_contract_is_canceled_and_its_record_removed(runner: Runner, simulator: Simulator) -> None:
    runner.run(playbooks.vps(), simulator.env)
    walk(f"{GUIDES}/cancel.rst", runner, simulator.env)
    assert [request.path for request in simulator.requests("DELETE")] == [
        f"/api/reseller/contracts/{simulator.orders()[0]['id']}"
    ]
    assert _recorded(runner, simulator) == []


def test_change_in_the_portal_is_taken_over_into_the_record(runner: Runner, simulator: Simulator) -> None:
    wanted = playbooks.vps(settings={"hostname": "web01.example.org", "template": "debian-13"})
    ordered = runner.run([playbooks.vps(), wanted], simulator.env)
    assert ordered.results[1]["failure"]["kind"] == "differs"
    printed = walk(f"{GUIDES}/change.rst", runner, simulator.env)
    assert runner.run(wanted, simulator.env).changed == [False]
    assert "web01.example.org 20" in printed["ansible-playbook renewals.yml"]
    assert len(simulator.orders()) == 1


def test_table_is_adopted_and_orders_what_is_added_to_it(runner: Runner, simulator: Simulator) -> None:
    guide = documentation.blocks(f"{GUIDES}/spreadsheet.rst")
    table = next(block.text for block in guide if block.language == "text")
    for digit, product in (("5", data.VPS_M), ("6", data.VPS_S)):
        settings = {"hostname": f"web4{int(digit) - 4}.example.org", "template": data.OS_TEMPLATE}
        bought = simulator.add_contract(product, settings, end_user=data.END_USER, age=100000.0)
        table = table.replace(f"0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d5{digit}", bought)
    header, *rows = table.splitlines()

    def run(*contracts: str) -> playbooks.Play:
        runner.save("contracts.csv", "\n".join([header, *contracts]) + "\n")
        return runner.command(simulator.env, "table.yml")

    runner.save("contracts.csv", table)
    printed = walk(f"{GUIDES}/spreadsheet.rst", runner, simulator.env)
    assert "web43.example.org" in printed["ansible-playbook --check --diff table.yml"]
    assert _recorded(runner, simulator) == ["web41.example.org", "web42.example.org", "web43.example.org"]
    assert not any(run(*rows[::-1]).changed)
    assert any(run(*rows[:2], rows[2].replace("web43", "web44")).changed)
    changed = run(*rows[:2], rows[2].replace("debian-12", "debian-13"))
    assert "differs from its record in the ledger" in changed.output
    assert [order["settings"]["hostname"] for order in simulator.orders()] == ["web43.example.org", "web44.example.org"]
    # As Excel saves it, and as a person marks what is to be ordered.
    excel = "\ufeff" + "\r\n".join([header, *rows[:2]]).replace(",", ";") + "\r\n;;;;\r\n"
    runner.save("contracts.csv", excel)
    assert runner.command(simulator.env, "table.yml").changed == [False, False]
    marked = run(*rows[:2], f"{rows[2].replace('web43', 'web45')}tbd")
    assert "contract_id 'tbd' stands for no ID" in marked.output
    assert "web45.example.org" not in _recorded(runner, simulator)


def _recorded(runner: Runner, simulator: Simulator) -> list[str]:
    listed = runner.run({"hosting.reseller.reseller_ledger_info": {}}, simulator.env)
    return sorted(order["name"] for order in listed.result["records"])
