# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guides for single tasks: their files are saved, and their commands run as shown."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from playbooks.files.simulator import data
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from playbooks.files.simulator.running import Simulator
from tests.conftest import SimulatorFactory
from tests.support import documentation, playbooks
from tests.support.described import service_file
from tests.support.playbooks import ROOT, Runner

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
    away = {"RESELLER_BASE_URL": "http://127.0.0.1:1"}
    with ScriptedServer(take) as webhook:
        # What goes away by itself is reported, and does not fail the playbook.
        for kind, status, answer, env in (
            ("unreachable", 0, None, away),
            ("rejected", 2, {"status": 422}, {}),
            ("in_doubt", 2, {"status": 500}, {}),
        ):
            if answer:
                simulator.arm("answer", **answer)
            played = runner.command({**simulator.env, **env}, "order_and_tell.yml", "-e", f"webhook={webhook.url}")
            assert (played.status, received[-1]["kind"]) == (status, kind), played.output
        assert "web01.example.org is in doubt" in received[-1]["text"]
        listed = runner.command(simulator.env, "events.yml", "-e", f"events={webhook.url}")
    assert listed.status == 0, listed.output
    assert received[3:] == [{"order": "web01.example.org", "status": "in_doubt"}]


def test_address_and_password_of_a_server_are_kept_after_its_order(runner: Runner, simulator: Simulator) -> None:
    runner.run(playbooks.vps(), simulator.env)
    walk(f"{GUIDES}/after_first_order.rst", runner, simulator.env, ("203.0.113.1", "203.0.113.2"))
    answer = runner.folder / "web02.json"
    assert simulator.orders()[1]["id"] in answer.read_text(encoding="utf-8")
    assert answer.stat().st_mode & 0o077 == 0


def test_first_order_is_canceled(runner: Runner, simulator: Simulator) -> None:
    guide = f"{GUIDES}/cancel.rst"
    said = next(yaml.safe_load(each.text) for each in documentation.blocks(guide) if each.fragment)
    env = {**simulator.env, "RESELLER_SERVICE": service_file(runner.folder, simulator.base_url, **said)}
    [order] = [each for each in documentation.blocks(f"{GUIDES}/first_order.rst") if each.file_name == "order.yml"]
    assert runner.command(env, str(runner.save("order.yml", order.text))).status == 0
    walk(guide, runner, env)
    assert [request.path for request in simulator.requests("DELETE")] == [
        f"/api/reseller/contracts/{simulator.orders()[0]['id']}"
    ]
    listed = runner.run({"hosting.reseller.reseller_ledger_info": {}}, simulator.env)
    assert [bool(each["cancelled"]) for each in listed.result["records"] if each["kind"] == "order"] == [True]


def test_all_contracts_of_an_end_user_are_canceled_and_a_stopped_run_goes_on(
    runner: Runner, simulator: Simulator
) -> None:
    guide = f"{GUIDES}/cancel.rst"
    said = next(yaml.safe_load(each.text) for each in documentation.blocks(guide) if each.fragment)
    env = {**simulator.env, "RESELLER_SERVICE": service_file(runner.folder, simulator.base_url, **said)}
    [leave] = [each for each in documentation.blocks(guide) if each.file_name == "leave.yml"]
    runner.save("leave.yml", leave.text)
    unknown = runner.command(env, "leave.yml")
    assert "check end_user" in unknown.output
    domain = {"domain": "example.org", "action": "register", "ownercRef": "OC-10001", "admincRef": "AC-20001"}
    theirs = [
        playbooks.order(end_user=data.END_USER, product_type="domain", settings=domain),
        playbooks.vps("web01.example.org", end_user=data.END_USER),
        playbooks.vps("web02.example.org", end_user=data.END_USER),
    ]
    assert runner.run([*theirs, playbooks.vps("ours.example.org")], env).changed == [True] * 4
    ids = {next(iter(each["settings"].values())): each["id"] for each in simulator.orders()}
    simulator.arm("answer", status=422, method="DELETE", on="/api/reseller/contracts/")
    stopped = runner.command(env, "leave.yml")
    assert stopped.status == 2, stopped.output
    done = runner.command(env, "leave.yml")
    assert done.status == 0, done.output
    sent = [request.path.rpartition("/")[2] for request in simulator.requests("DELETE")]
    # The first was rejected, and is sent again. Each other is sent once, the domain last, and what is ours stays.
    assert sent.count(sent[0]) == 2
    assert {*sent} == {*ids.values()} - {ids["ours.example.org"]}
    assert (len(sent), sent[2]) == (4, ids["example.org"])
    assert not any(runner.command(env, "leave.yml").changed)


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


PIPELINES = ROOT / "docs/examples/pipelines"
#: What the two systems set for the pipeline of a merge request and for that of the default branch.
GITLAB = {"CI_API_V4_URL": "{url}/api/v4", "CI_PROJECT_ID": "7", "CI_MERGE_REQUEST_IID": "3"}
GITHUB = {"COMMENTS_TOKEN": "a-token", "NOTES": "{url}/repos/us/servers/issues/3/comments"}


def _gitlab(job: Mapping[str, Any], step: str) -> list[str]:
    return list(job["after_script" if step == "Comment" else "script"])


def _github(job: Mapping[str, Any], step: str) -> list[str]:
    return [each["run"] for each in job["steps"] if each.get("name") == step]


@pytest.mark.parametrize(
    ("name", "comments", "at", "lines"),
    [
        ("gitlab-ci.yml", GITLAB, "/api/v4/projects/7/merge_requests/3/notes", _gitlab),
        pytest.param(
            "github-actions.yml", GITHUB, "/repos/us/servers/issues/3/comments", _github, marks=pytest.mark.full
        ),
    ],
)
def test_pipeline_comments_with_its_plan_and_orders_it_on_fresh_runners(
    name: str,
    comments: Mapping[str, str],
    at: str,
    lines: Callable[[Mapping[str, Any], str], list[str]],
    tmp_path: Path,
    simulator: Simulator,
) -> None:
    pipeline = yaml.safe_load((PIPELINES / name).read_text(encoding="utf-8"))
    variables = {**pipeline.get("variables", {}), **pipeline.get("env", {})}
    jobs = {**pipeline, **pipeline.get("jobs", {})}
    # In place of the database: a file that outlives the runners.
    ledger = tmp_path / "kept" / "ledger.db"
    Runner(tmp_path).run(playbooks.vps("web00.example.org"), {**simulator.env, "RESELLER_LEDGER": str(ledger)})

    def run(job: str, step: str, folder: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a step on a runner that has nothing but the checkout and the artifact ``plan.json``."""
        runner = tmp_path / folder
        (runner / "customers").mkdir(parents=True, exist_ok=True)
        stack = {"vps": [{"hostname": "web01.example.org", "product": "VPS M", "template": "debian-12"}]}
        content = json.dumps({"end_user": data.END_USER, "contracts": stack})
        (runner / "customers/4711.yml").write_text(content, encoding="utf-8")
        shutil.copy(PIPELINES / "comment.yml", runner)
        env = {**variables, **simulator.env, "RESELLER_LEDGER": str(ledger), "CI": "true", **more}
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines(jobs[job], step))],
            cwd=runner,
            env=playbooks.environment(runner, env),
            capture_output=True,
            text=True,
            timeout=playbooks.TIMEOUT,
            check=False,
        )

    received: list[tuple[str, str, str]] = []

    def take(request: Received) -> Reply:
        received.append((request.path, request.headers["Authorization"], json.loads(request.body)["body"]))
        return Reply({}, status=201)

    with ScriptedServer(take) as reviews:
        on_reviews = {key: value.replace("{url}", reviews.url) for key, value in comments.items()}
        for step in ("Plan", "Comment"):
            done = run("plan", step, "review", COMMENTS_TOKEN="a-token", **on_reviews)
            assert done.returncode == 0, done.stdout + done.stderr
    [(path, authorization, comment)] = received
    assert (path, authorization) == (at, "Bearer a-token")
    assert "web01.example.org | VPS M" in comment

    # The job orders nothing without the artifact, and exactly the plan with it; the next run of it orders nothing.
    assert run("order", "Order", "first").returncode != 0
    assert len(simulator.orders()) == 1
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir(exist_ok=True)
        shutil.copy(tmp_path / "review/plan.json", tmp_path / folder)
        done = run("order", "Order", folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(simulator.orders()) == 2
    # A runner that finds no ledger fails.
    (tmp_path / "third").mkdir()
    shutil.copy(tmp_path / "review/plan.json", tmp_path / "third")
    done = run("order", "Order", "third", RESELLER_LEDGER=str(tmp_path / "lost" / "ledger.db"))
    assert "new_ledger is refuse" in done.stdout
    assert len(simulator.orders()) == 2


def _recorded(runner: Runner, simulator: Simulator) -> list[str]:
    listed = runner.run({"hosting.reseller.reseller_ledger_info": {}}, simulator.env)
    return sorted(order["name"] for order in listed.result["records"])
