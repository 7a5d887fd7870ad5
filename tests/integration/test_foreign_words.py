# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a service says: no template in it is evaluated, whatever a playbook does with it, and it steers no terminal.

Names forge no line of an output or report, and no link.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import described, in_shape
from tests.support.playbooks import Runner, stack

#: What a service writes for people, in a reference, a catalogue, a contract and an error.
WORDS = {
    *("description", "summary", "title", "example", "default", "message", "detail", "error", "label", "name", "note"),
    *("termsOfService", "displayName", "group", "status", "state", "location", "hostname", "os", "contact"),
}


def template(made: Path) -> str:
    """A text that makes a file if it is evaluated, by each way to mark a template, and that begins lines and links."""
    evaluated = f"{{{{ lookup('pipe', 'touch {made}') }}}}{{% if lookup('pipe', 'touch {made}') %}}{{% endif %}}"
    lines = "".join(f"{end}forged: line" for end in ("\n", "\r", "\r\n", "\x85", "\u2028", "\x0b"))
    return f"{evaluated} https://forged.example www.forged.example post@forged.example{lines}"


def with_templates(value: Any, live: str, key: str = "") -> Any:
    """A body in which all words end with a template, and objects and lists beside them hold more."""
    if isinstance(value, dict):
        # Of an OpenAPI parameter, the name is no word but what is sent.
        kept = {"name"} if "in" in value else set()
        return {name: item if name in kept else with_templates(item, live, name) for name, item in value.items()} | (
            {"x-note": {live: [live, {"text": live}]}} if value else {}
        )
    if isinstance(value, list):
        return [with_templates(item, live, key) for item in value]
    return f"{value} {live}" if isinstance(value, str) and key in WORDS else value


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Path]:
    """The file that must not exist after the test."""
    path = tmp_path / "made-by-the-service"
    yield path
    assert not path.exists()


@pytest.fixture
def service(simulator: Simulator, made: Path) -> Iterator[dict[str, str]]:
    """The environment that names a service in whose words are templates."""
    simulator.add_contract(data.VPS_M, {"hostname": "byhand"})
    kept_open = requests.Session()

    def script(request: Received) -> Reply:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ("host", "connection")}
        url = f"{simulator.base_url}{request.target}"
        found = kept_open.request(request.method, url, data=request.body, headers=headers, allow_redirects=False)
        kept = {name: value for name, value in found.headers.items() if name in ("Content-Type", "Location", "Link")}
        if "json" not in found.headers.get("Content-Type", ""):
            return Reply(found.content, found.status_code, kept)
        body = with_templates(found.json(), template(made))
        return Reply(json.dumps(body).encode(), found.status_code, kept)

    with ScriptedServer(script) as server:
        yield {**simulator.env, "RESELLER_BASE_URL": server.url}


@in_shape("laravel")
def test_no_playbook_role_inventory_or_lookup_evaluates_one(service: dict[str, str], runner: Runner) -> None:
    runner.save("stack.yml", json.dumps(stack("app01.example.org", product=data.VPS_M)))
    arguments = ["--diff", "-e", "customer_stack_file=stack.yml", "-e", f"customer_stack_report_folder={runner.folder}"]
    names = ("products", "plan", "customer_stack", "ledger", "operations")
    play = runner.command(service, *arguments, *(f"hosting.reseller.{name}" for name in names))
    assert "Traceback" not in play.output
    assert play.status == 0, play.output
    # They did read what the service says, templates and all.
    assert "made-by-the-service" in play.output
    report = (runner.folder / "stack.plan.md").read_text(encoding="utf-8")
    assert "forged" in report
    for text in (play.output, report, (runner.folder / "stack.plan.html").read_text(encoding="utf-8")):
        assert not [line for line in text.splitlines() if line.lstrip(" +-|").startswith("forged")]
    assert not re.search(r"https?://forged|www\.|@forged", report)
    configs = []
    for name in ("ledger", "contracts"):
        options = {"plugin": f"hosting.reseller.{name}", "compose": {f"of_reseller_{name}": "reseller_shown"}}
        configs.append(runner.save(f"reseller_{name}.yml", json.dumps(options)))
    shown = ("hostvars[inventory_hostname]", "lookup('hosting.reseller.os_templates')")
    tasks = [{"ansible.builtin.debug": {"msg": f"{{{{ {each} }}}}"}} for each in shown]
    sources = [word for config in configs for word in ("-i", str(config))]
    play = runner.run(tasks, service, *sources, hosts="all", connection="local")
    assert "app01.example.org" in play.output, play.output
    assert "of_reseller_contracts" in play.output


def test_service_cannot_steer_the_terminal(runner: Runner) -> None:
    bad = "\x1b[2J\x9b31m\u202egnp\u200b\u2066x\x07\r"
    answers = {
        "created": Reply({"id": "c-1", "note": bad, bad: bad}, 201),
        "refused": Reply({"message": f"no {bad}", "errors": {f"settings.{bad}": [bad]}}, 422),
    }

    def answer(request: Received) -> Reply:
        if request.method == "GET":
            return Reply({"message": bad}, 404)
        return answers[json.loads(request.body)["settings"]["hostname"]]

    vps = {"end_user": "__self__", "product": data.VPS_M, "product_type": "vps", "validation": "specification"}
    entries = [{"settings": {"hostname": host, "template": "debian-12"}} for host in answers]
    task = {"hosting.reseller.reseller_contracts": {"contracts": entries, "defaults": vps, "on_error": "continue"}}
    with ScriptedServer(answer) as server:
        play = runner.run(task, described(runner, server.url), "-vvvv", "--diff")
    assert play.result["counts"]["ordered"] == 1
    told = json.dumps(play.results, ensure_ascii=False) + play.output
    for character in set(bad) - set("[2J31mgnpx\r"):
        assert character not in told, hex(ord(character))
        assert json.dumps(character)[1:-1] not in told, hex(ord(character))
