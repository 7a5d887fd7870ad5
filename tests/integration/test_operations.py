# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Published operations in real playbooks: nothing secret is shown or kept, however much is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.integration.conftest import Runner
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.operations import FIRST_KEY, KEYS, ROUTES, SERVER
from tests.support import playbooks
from tests.support.http_server import Received, Reply, ScriptedServer

API_KEY = "portal-key-98aa1"
SECRETS = ("hush-hush-One1", "hush-hush-Two2", "hush-hush-Three3", "told-once-5577", API_KEY)
TEXT = {"type": "string"}
PRIVATE = {**TEXT, "format": "password"}
PROPERTIES = {"label": TEXT, "note": TEXT, "bits": {"type": "integer"}, "passphrase": PRIVATE, "unlock": PRIVATE}
SECRETIVE: dict[str, Any] = {
    "/api/reseller/contracts": {"post": {}},
    "/api/reseller/keys": {"get": {"operationId": "listKeys"}, "post": {"operationId": "addKey"}},
    "/api/reseller/keys/{id}": {
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
        "get": {"operationId": "getKey"},
        "put": {
            "operationId": "putKey",
            "parameters": [{"name": "tags", "in": "query", "schema": {"type": "array", "items": TEXT}}],
        },
    },
}
for _path in SECRETIVE.values():
    for _method in {"post", "put"} & _path.keys():
        _path[_method]["requestBody"] = {
            "content": {"application/json": {"schema": {"type": "object", "properties": PROPERTIES}}}
        }


def keeper(request: Received) -> Reply:
    """A service with one key, which repeats what it is sent, and tells a token."""
    if request.path == "/api/docs":
        return Reply({"openapi": "3.0.3", "info": {"title": "Keys", "version": "1"}, "paths": SECRETIVE})
    shown = {"id": 1, "label": "x", "note": SECRETS[2]}
    if request.method == "GET":
        return Reply([shown] if request.path.endswith("keys") else shown)
    return Reply({**shown, "sent": request.body.decode(), "api_token": SECRETS[3]}, 201)


def test_secrets_are_neither_shown_nor_kept(runner: Runner) -> None:
    body = {"label": "x", "passphrase": SECRETS[0], "unlock": SECRETS[1], "note": SECRETS[2]}
    put: dict[str, Any] = {"operation": "putKey", "path_parameters": {"id": 1}, "secrets": ["note", "tags"]}
    rows = [
        ("reseller_operation", {"operation": "addKey", "name": "k", "body": body, "secrets": ["note"]}),
        ("reseller_operation", {**put, "query": {"tags": [SECRETS[2]]}, "body": body, "update_secrets": True}),
        ("reseller_operation", {**put, "body": {**body, "bits": "x"}}),
        ("reseller_operation_info", {"operation": "listKeys", "secrets": ["note", "tags"]}),
    ]
    with ScriptedServer(keeper) as server:
        env = {
            "RESELLER_BASE_URL": server.url,
            "RESELLER_API_KEY": API_KEY,
            "RESELLER_ORGANIZATION_ID": "4200",
        }
        tasks = [{f"hosting.reseller.{module}": options} for module, options in rows]
        play = runner.run(tasks, env, "-vvvv", "--diff")
        assert ["msg" in result for result in play.results] == [False, False, True, False], play.output
        assert [request.method for request in server.requests if request.path != "/api/docs"] == [
            "POST",
            "GET",
            "PUT",
            "GET",
        ]
    kept = b"".join(path.read_bytes() for path in runner.files() if path.is_file() and not path.is_symlink())
    for secret in SECRETS:
        assert secret not in play.output, secret
        assert secret.encode() not in kept, secret


def pasted(folder: Path, tasks: list[str], *arguments: str, env: dict[str, str]) -> playbooks.Play:
    """The results of tasks in a playbook that is written as people do."""
    held = "".join(f"    {line}\n" for task in tasks for line in task.splitlines())
    play = "- hosts: localhost\n  gather_facts: false\n  ignore_errors: true\n  tasks:\n"
    path = folder / "playbook.yml"
    path.write_text(play + held, encoding="utf-8")
    return playbooks.command(folder, env, *arguments, str(path))


def filled(task: str, number: int, file: Path) -> str:
    """A ready task with a value for each placeholder."""
    values = {"id": FIRST_KEY if KEYS in task else SERVER, "file": file, "name": f"operation {number}"}
    lines = []
    for line in task.splitlines():
        live, mark, comment = line.partition("  # ")
        name = live.strip().partition(":")[0]
        lines.append(live.replace("…", str(values.get(name, f"text {number}"))) + mark + comment)
    return "\n".join(lines) + "\n"


def test_ready_tasks_send_nothing_until_they_are_filled(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator, names = start_simulator("apiplatform"), [f"{route.method.upper()} {route.path}" for route in ROUTES]
    shown = runner.table(
        [{"hosting.reseller.reseller_reference_info": {"operation": name}} for name in names], simulator.env
    )
    tasks = [result["operation"]["task"] for result in shown]
    changes = [task for task in tasks if "reseller_operation:" in task]
    simulator.reset()
    play = pasted(runner.folder, changes, env=simulator.env)
    assert ["placeholder" in result["msg"] for result in play.results] == [True] * len(changes), play.output
    assert simulator.requests() == []
    ready = [filled(task, number, runner.folder / "playbook.yml") for number, task in enumerate(tasks)]
    play = pasted(runner.folder, ready, "--check", env=simulator.env)
    failed = [result.get("msg") for result in play.results if result.get("failed") and "invoice." not in result["msg"]]
    assert (failed, len(play.results)) == ([], len(tasks)), play.output
    assert {request["method"] for request in simulator.requests()} <= {"GET"}
