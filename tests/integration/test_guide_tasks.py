# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guides that need more than one simulated service: their files are saved, and their commands run as shown."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.running import Simulator
from tests.support import documentation, playbooks
from tests.support.simulator_fixtures import SimulatorFactory

GUIDES = "docs/docsite/rst"


def walk(guide: str, folder: Path, env: Mapping[str, str], replaced: Mapping[str, str]) -> dict[str, str]:
    """Save the files of a guide, run its commands in a shell, and return what each of them printed.

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
            command, _newline, shown = text.removeprefix("$ ").partition("\n")
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=playbooks.environment(folder, env),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout
            said = [line.strip() for line in done.stdout.splitlines()]
            assert [line for line in shown.splitlines() if line.strip() not in ("", "…", *said)] == [], done.stdout
            printed[command] = done.stdout
            (folder / "results.jsonl").unlink(missing_ok=True)
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
    again = playbooks.command(tmp_path, {}, "-i", "services.yml", "-e", "@vault.yml", "servers.yml")
    assert again.changed == [False, False]
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
        failed = _told(tmp_path, simulator, "order_and_tell.yml", f"webhook={webhook.url}")
        listed = _told(tmp_path, simulator, "events.yml", f"events={webhook.url}")
    assert (failed.status, listed.status) == (2, 0), failed.output + listed.output
    message, event = received
    assert message["kind"] == "in_doubt"
    assert "web01.example.org is in doubt" in message["text"]
    assert event == {"order": "web01.example.org", "status": "in_doubt"}


def _told(folder: Path, simulator: Simulator, *arguments: str) -> playbooks.Play:
    name, variable = arguments
    return playbooks.command(folder, simulator.env, name, "-e", variable)
