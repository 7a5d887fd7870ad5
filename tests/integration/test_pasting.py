# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is offered is pasted: into playbooks that include it, and into a shell. Nothing else happens than it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import check_name
from ansible_collections.hosting.reseller.plugins.module_utils._service.contract_ids import identifier
from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import described, in_shape
from tests.support import pasting
from tests.support.pasting import CANARY, HOSTILE
from tests.support.playbooks import Play, Runner, stack, vps

LEDGER = "hosting.reseller.reseller_record"


def listed(folder: Path, name: str, values: Any) -> str:
    """An expression for values of whose texts no playbook evaluates any."""
    (folder / name).write_text(json.dumps(values), encoding="utf-8")
    return f"{{{{ lookup('ansible.builtin.file', '{name}') | from_json }}}}"


def included(runner: Runner, texts: list[str], env: dict[str, str], *arguments: str) -> list[dict[str, Any]]:
    """The results of tasks that a playbook includes, each from a file as it was offered."""
    for number, text in enumerate(texts):
        (runner.folder / f"{number}.yml").write_text(text, encoding="utf-8")
    tasks = [{"ansible.builtin.include_tasks": f"{number}.yml"} for number in range(len(texts))]
    # A task that is included may fail, and the next one is to run.
    blocks = [{"block": [task], "rescue": [{"ansible.builtin.meta": "noop"}]} for task in tasks]
    play = runner.run(blocks, env, *arguments, ignore_errors=False)
    assert_nothing_else(runner, play)
    # That of an include tells "include", or no more than "changed".
    results = [result for result in play.results if "include" not in result and result.keys() > {"changed"}]
    assert len(results) == len(texts), play.output
    return results


def assert_nothing_else(runner: Runner, play: Play) -> None:
    assert "Traceback" not in play.output
    assert not [path for path in runner.files() if path.name == CANARY], play.output


def shown_in_a_message(result: dict[str, Any], before: str) -> str:
    """What a message offers behind these words."""
    return str(result["msg"].partition(f"{before}\n")[2]) + "\n"


def tasks_that_say(offers: list[str], folder: Path) -> list[str]:
    """The tasks among the offers, and for each line the task that has what a shell hands to Ansible."""
    lines = [each for each in offers if each.startswith("ansible ")]
    ran = iter(pasting.words_of(lines, folder))
    found = []
    for offered in offers:
        if offered in lines:
            host, _m, module, _a, options = next(ran)
            assert (host, module) == ("localhost", LEDGER)
            offered = json.dumps([{module: pasting.arguments_of(options)}])
        found.append(offered)
    return found


NAME = f'it\'s "web01": #1 (büro) $(touch {CANARY}) ; `touch {CANARY}` & !x'


@in_shape("laravel")
def test_message_tells_when_which_and_what_and_its_line_settles(runner: Runner, simulator: Simulator) -> None:
    # The ledger is an option of the task alone: the pasted line has to have it.
    ledger = str(runner.folder / "it's mine" / "orders.db")
    task = vps(name=NAME, end_user=data.END_USER, ledger=ledger, read_back=False)
    simulator.arm("drop_after")
    results = runner.table([task, task, {**task, "check_mode": True}], simulator.env)
    for result in results:
        first, claimed, reason, *_more, advice, line = result["msg"].split("\n")
        assert first == f"Order {NAME} is in doubt: the service may have accepted it. It is not sent again."
        assert claimed.endswith(f"Z: POST {simulator.base_url}/api/reseller/contracts, vps for {data.END_USER}.")
        assert "the answer was lost" in reason
        assert advice.startswith("Check the customer portal. If the contract exists, run this line.")
        assert result["order"]["status"] == "in_doubt"
        assert "state: present" in result["settle_with"]
    assert len(simulator.orders()) == len(simulator.requests("POST")) == 1

    settled = runner.shell(line, {"RESELLER_LEDGER": ""})
    assert (settled.status, "localhost | CHANGED" in settled.output) == (0, True), settled.output
    assert_nothing_else(runner, settled)
    last = runner.run(task, simulator.env).result
    assert (last["changed"], last["order"]["status"]) == (False, "ordered")
    assert len(simulator.requests("POST")) == 1


@pytest.mark.full
@in_shape("laravel")
def test_line_settles_in_postgresql_with_the_password_of_the_shell(
    runner: Runner, simulator: Simulator, postgresql_dsn: str
) -> None:
    """That of the same ledger in RESELLER_LEDGER, or libpq's own."""
    password, simulated = str(urlsplit(postgresql_dsn).password), simulator.env
    tasks = [vps(f"{name}.example.org", ledger=postgresql_dsn, read_back=False) for name in "abc"]
    simulator.arm("drop_after", times=3)
    lines = [each["msg"].split("\n")[-1] for each in runner.table(tasks, simulated)]
    assert not [line for line in lines if password in line or "RESELLER_LEDGER=" in line]
    shells = [{"RESELLER_LEDGER": postgresql_dsn}, {"PGPASSWORD": password}, {}]
    settled = [runner.shell(line, shell) for line, shell in zip(lines, shells, strict=True)]
    assert ["localhost | CHANGED" in each.output for each in settled] == [True, True, False], settled
    assert not [each for each in settled if password in each.output]
    listing = {LEDGER.replace("record", "ledger_info"): {"ledger": postgresql_dsn}}
    kept = runner.run(listing, simulated).result["records"]
    assert [each["status"] for each in kept] == ["ordered", "ordered", "in_doubt"]


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
    shared = {"end_user": data.SELF, "product": data.VPS_M, "product_type": "vps", "validation": "specification"}
    options = {"contracts": listed(runner.folder, "orders.json", orders), "defaults": shared, "on_error": "continue"}
    with ScriptedServer(answer) as server:
        env = described(runner, server.url)
        play = runner.run({"hosting.reseller.reseller_contracts": options}, env)
        sent = len(server.requests)
        assert play.result["counts"]["in_doubt"] == len(names) - len(placed), play.output
        doubtful = [each for each in play.result["results"] if each["name"] not in placed]
        offers = [shown_in_a_message(each, "absent instead of present.") for each in doubtful[::2]]
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
    orders = runner.run({"hosting.reseller.reseller_ledger_info": {}}, env).result["records"]
    return {each["name"]: (each["status"], each["contract_id"]) for each in orders}


@pytest.mark.full
@in_shape("laravel")
def test_plan_is_ordered_as_its_report_says(runner: Runner, simulator: Simulator) -> None:
    folder = runner.folder / f"it's $(touch {CANARY}) & a #1"
    folder.mkdir()
    file = json.dumps(stack("web01.example.org", end_user=data.END_USER))
    (folder / "4711.yml").write_text(file, encoding="utf-8")
    play = runner.playbook("plan", simulator.env, customer_stack_file=f"{folder}/4711.yml")
    assert play.status == 0, play.output
    report = (runner.folder / "4711.plan.md").read_text("utf-8")
    (offered,) = [line.strip() for line in report.splitlines() if line[:4] == "    "]
    ordered = runner.shell(offered, simulator.env)
    assert ordered.status == 0, ordered.output
    assert [each["settings"]["hostname"] for each in simulator.orders()] == ["web01.example.org"]
    assert_nothing_else(runner, play)
