# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is offered is pasted: into playbooks that include it, and into a shell. Nothing else happens than it says."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._order.order import check_name
from ansible_collections.hosting.reseller.plugins.module_utils._records.contract_ids import identifier
from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.support import pasting, playbooks
from tests.support.http_server import Received, Reply, ScriptedServer
from tests.support.pasting import CANARY, HOSTILE
from tests.support.playbooks import Play

LEDGER = "hosting.reseller.reseller_ledger"


def environment(url: str) -> dict[str, str]:
    names = {"END_USER_ELEMENT": "forUser", "PRODUCT_ELEMENT": "productUuid"}
    service = {"BASE_URL": url, "API_KEY": "portal-key-98aa1", "ORGANIZATION_ID": "4200", **names}
    return {f"RESELLER_{name}": value for name, value in service.items()}


def listed(folder: Path, name: str, values: Any) -> str:
    """An expression for values of whose texts no playbook evaluates any."""
    (folder / name).write_text(json.dumps(values), encoding="utf-8")
    return f"{{{{ lookup('ansible.builtin.file', '{name}') | from_json }}}}"


def included(runner: Runner, texts: list[str], env: dict[str, str]) -> list[dict[str, Any]]:
    """The results of tasks that a playbook includes, each from a file as it was offered."""
    for number, text in enumerate(texts):
        (runner.folder / f"{number}.yml").write_text(text, encoding="utf-8")
    tasks = [{"ansible.builtin.include_tasks": f"{number}.yml"} for number in range(len(texts))]
    # A task that is included may fail, and the next one is to run.
    blocks = [{"block": [task], "rescue": [{"ansible.builtin.meta": "noop"}]} for task in tasks]
    play = runner.run(blocks, env, ignore_errors=False)
    assert_nothing_else(runner, play)
    return [result for result in play.results if "include" not in result]


def assert_nothing_else(runner: Runner, play: Play) -> None:
    assert "Traceback" not in play.output
    assert not [path for path in runner.files() if path.name == CANARY], play.output


def shown_in_a_message(result: dict[str, Any], before: str) -> str:
    """What a message offers behind these words."""
    return str(result["msg"].partition(f"{before}\n")[2]) + "\n"


def tasks_that_say(offers: list[str], folder: Path) -> list[str]:
    """The tasks among the offers, and for each line the task that has what a shell hands to Ansible."""
    lines = [each for each in offers if each.startswith("ansible ")]
    ran = iter(pasting.words_of(lines, folder, "HOME"))
    found = []
    for offered in offers:
        if offered in lines:
            host, _m, module, _a, options, _home = next(ran)
            assert (host, module) == ("localhost", LEDGER)
            offered = json.dumps([{module: pasting.arguments_of(options)}])
        found.append(offered)
    return found


def test_orders_with_hostile_names_and_contract_ids_are_settled_and_removed_as_offered(runner: Runner) -> None:
    names = [text for text in HOSTILE if is_name(text)][::8]
    ids = {text: f"{text}-7" for text in names if identifier(text) == text}

    def answer(request: Received) -> Reply:
        name = json.loads(request.body)["settings"]["hostname"] if request.method == "POST" else ""
        return Reply({"contract_id": ids[names[int(name[1:])]]}, 201) if name.startswith("p") else Reply(None, 500)

    # Half of the orders are in doubt, the others are placed.
    orders = [
        {
            "name": name,
            "settings": {"hostname": f"{'p' if at % 2 and name in ids else 'd'}{at}", "template": "debian-12"},
        }
        for at, name in enumerate(names)
    ]
    placed = {each["name"] for each in orders if each["settings"]["hostname"].startswith("p")}
    shared = {"end_user": data.SELF, "product": data.VPS_M, "product_type": "vps", "validation": "documented"}
    options = {"contracts": listed(runner.folder, "orders.json", orders), "defaults": shared, "on_error": "continue"}
    with ScriptedServer(answer) as server:
        env = environment(server.url)
        play = runner.run({"hosting.reseller.reseller_contracts": options}, env)
        sent = len(server.requests)
        assert play.result["counts"]["in_doubt"] == len(names) - len(placed), play.output
        doubtful = [each for each in play.result["results"] if each["name"] not in placed]
        offers = [shown_in_a_message(each, "absent instead of ordered.") for each in doubtful[::2]]
        tasks = [each["settle_with"] for each in doubtful[1::2]]
        included(runner, [*tasks_that_say(offers, runner.folder / "shell"), *tasks], env)
        assert statuses(runner, env) == {name: ("ordered", ids[name] if name in placed else None) for name in names}
        # The record of a contract is removed by its id.
        removal = {
            LEDGER: {"name": "{{ item }}", "state": "absent"},
            "loop": listed(runner.folder, "names.json", names),
        }
        refused = runner.run(removal, env).result["results"]
        offers = [shown_in_a_message(each, "repeat its ID:") for each in refused]
        included(runner, tasks_that_say(offers, runner.folder / "again"), env)
        assert statuses(runner, env) == {}
        assert len(server.requests) == sent


def is_name(text: str) -> bool:
    try:
        check_name(text)
    except ConfigurationError:
        return False
    return bool(text)


def statuses(runner: Runner, env: dict[str, str]) -> dict[str, tuple[str, str | None]]:
    orders = runner.run({"hosting.reseller.reseller_ledger_info": {}}, env).result["orders"]
    return {each["name"]: (each["status"], each["contract_id"]) for each in orders}


def test_ready_tasks_of_a_hostile_reference_are_one_task_each(runner: Runner) -> None:
    groups = [HOSTILE[at::6] for at in range(6)]
    order = {"responses": {"200": {"description": "Yes"}}, "requestBody": {"content": {"application/json": {}}}}
    paths: dict[str, Any] = {"/api/reseller/contracts": {"post": order}}
    for number, texts in enumerate(groups):
        item = {"post": hostile_operation(texts), "get": hostile_operation(texts, style=texts[0])}
        paths[f"/api/reseller/x{number}"] = item
    reference = Reply({"openapi": "3.0.3", "info": {"title": "Portal", "version": "1"}, "paths": paths})
    with ScriptedServer(lambda request: reference if request.path == "/api/docs" else Reply(None, 404)) as server:
        env = environment(server.url)
        operations = [f"{method} /api/reseller/x{number}" for number in range(6) for method in ("GET", "POST")]
        read = {"hosting.reseller.reseller_reference_info": {"operation": "{{ item }}"}, "loop": operations}
        play = runner.run(read, env)
        assert_nothing_else(runner, play)
        tasks = [each["operation"]["task"] for each in play.result["results"]]
        # The playbook writes the same to a file.
        written = {"operation": operations[1], "task_file": "written.yml"}
        listing = ["hosting.reseller.operations", "-e", json.dumps(written)]
        assert_nothing_else(runner, playbooks.command(runner.folder, {**env, "PWD": str(runner.folder)}, *listing))
        assert (runner.folder / "written.yml").read_text(encoding="utf-8") == tasks[1]
        asked = len(server.requests)
        results = included(runner, tasks, env)
        # Those of a style that is not supported are comments, and all others are refused before anything is sent.
        assert ["is still a placeholder" in result["msg"] for result in results] == [True] * len(groups)
        assert len(server.requests) == asked


def hostile_operation(texts: Sequence[str], style: str | None = None) -> dict[str, Any]:
    """An operation with the texts wherever strings may stand."""
    keys = ("title", "description", "format", "pattern", "default", "example")
    properties = {
        text: {**dict.fromkeys(keys, text), "type": [text, "string"], "enum": [text, f"{text} too"]} for text in texts
    }
    schema = {"type": ["object", *texts], "required": [*texts], "properties": properties}
    optional = {**schema, "required": [], "properties": {**properties, "more": schema}}
    body = {"allOf": [schema, optional], "description": texts[0]}
    parameters = [{"name": text, "in": "query", "required": True, "description": text} for text in texts]
    return {
        **dict.fromkeys(("summary", "description", "operationId"), texts[0]),
        "tags": [*texts],
        "parameters": [{**each, "style": style} if style else each for each in parameters],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body, "example": texts[1]}}},
        "responses": {status: {"description": texts[0]} for status in ("202", *texts)},
    }


def test_plan_is_ordered_as_its_report_says(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator, folder = start_simulator("laravel"), runner.folder / f"it's $(touch {CANARY}) & a #1"
    folder.mkdir()
    contract = {"hostname": "web01.example.org", "product": "VPS M", "template": "debian-12"}
    stack = {"end_user": data.END_USER, "contracts": {"vps": [contract]}}
    (folder / "4711.yml").write_text(json.dumps(stack), encoding="utf-8")
    env = {**simulator.env, "PWD": str(runner.folder)}
    extra = json.dumps({"customer_stack_file": f"{folder}/4711.yml"})
    play = playbooks.command(runner.folder, env, "hosting.reseller.plan", "-e", extra)
    assert play.status == 0, play.output
    (offered,) = [
        line.strip() for line in (runner.folder / "4711.plan.md").read_text("utf-8").splitlines() if line[:4] == "    "
    ]
    path = f"{playbooks.PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    environ = playbooks.environment(runner.folder, {**env, "PATH": path})
    subprocess.run(["sh", "-c", offered], cwd=runner.folder, env=environ, check=True, stdout=subprocess.DEVNULL)
    assert [each["settings"]["hostname"] for each in simulator.orders()] == ["web01.example.org"]
    assert_nothing_else(runner, play)
