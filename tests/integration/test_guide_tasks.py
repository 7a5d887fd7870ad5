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
DESCRIBE = f"{GUIDES}/describe.rst"
#: Stands in guides for the digest that a run shows.
DIGEST = "plan-2:new:5d1f…"


def walk(
    source: str, runner: Runner, env: Mapping[str, str], *replaced: tuple[str, str], without: str | None = None
) -> dict[str, str]:
    """Save the files of a document, run its commands of Ansible, and return what each of them printed.

    Each must succeed, and print the lines that the document shows, where each text of ``replaced`` has another one.
    Commands ``without`` are those that do not have this text.
    """
    printed, digest = {}, DIGEST
    for block in documentation.blocks(source):
        text = block.text
        for shown, ours in replaced:
            text = text.replace(shown, ours)
        if block.file_name:
            _saved(runner, block.file_name, text, *replaced)
        elif block.language == "text" and source.endswith("spreadsheet.rst"):
            # As Excel saves it.
            runner.save("contracts.csv", "\ufeff" + text.replace("\n", "\r\n"))
        for words, lines in documentation.commands(text) if block.language == "console" else ():
            # test_simulator_playbook.py runs that one, on a free port.
            if not words[0].startswith("ansible") or words[1] in ("collection", "hosting.reseller.simulator"):
                continue
            if without and without in words:
                continue
            program, *arguments = (word.replace("~", str(runner.folder)).replace(DIGEST, digest) for word in words)
            play = runner.command(env, *arguments, program=playbooks.PROGRAM.with_name(program))
            assert play.status == 0, f"{source}: {' '.join(words)}\n{play.output}"
            digest = (re.findall(r"plan-2:\w+:\w+", play.output) or [digest])[-1]
            said = (line.strip() for line in play.output.replace(digest, DIGEST).splitlines())
            wanted = [line.strip() for line in lines if line.strip() not in ("", "…")]
            assert [line for line in wanted if line not in said] == [], play.output
            printed[" ".join(words)] = play.output
    assert printed, source
    return printed


def _saved(runner: Runner, name: str, text: str, *replaced: tuple[str, str]) -> None:
    """Save a file of a guide. Only its owner may write that of a service."""
    for shown, ours in replaced:
        name = name.replace(shown, ours)
    runner.save(name.replace("~", str(runner.folder)), text).chmod(0o600)


#: Guides with commands that are run in surroundings of their own: by the tests here, and by test_simulator_playbook.py.
ELSEWHERE = {"vault", "secrets", "testing", "ci", "upgrading"}


def test_guides_are_walked_in_their_own_order(runner: Runner, simulator: Simulator) -> None:
    """Each begins with what the one before left: the order of the quick start is waited for, adopted, and canceled."""
    port = simulator.base_url.rpartition(":")[2]
    # Its file is the default one. The server is this machine, and nobody becomes root on it.
    motd = str(runner.folder / "motd")
    replaced = (
        ("portal.example.com.yml", f"127.0.0.1_{port}.yml"),
        ("https://portal.example.com", simulator.base_url),
        ("/etc/motd", motd),
        ("hosts: reseller_type_vps:", "connection: local\n  hosts: reseller_type_vps:"),
        ("become: true", "become: false"),
    )
    listed = yaml.safe_load((ROOT / "docs/docsite/extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    sources = {name: f"{GUIDES}/{name}.rst" for section in listed for name in section["toctree"]}
    walked = [name for name, source in sources.items() if name not in ELSEWHERE and _commands(source)]
    assert walked[:4] == ["first_order", "describe", "after_first_order", "ready_servers"]

    def walk_to(last: str) -> None:
        for name in walked[: walked.index(last) + 1]:
            walk(sources[name], runner, simulator.env, *replaced, without="services.yml")
        del walked[: walked.index(last) + 1]

    walk_to("first_order")
    simulator.behave(ready_reads=2)
    walk_to("after_first_order")
    first, second = simulator.orders()
    assert second["id"] in (runner.folder / "web02.json").read_text(encoding="utf-8")
    simulator.behave()
    walk_to("ready_servers")
    assert Path(motd).read_text(encoding="utf-8") in [f"{n}, contract {i}\n" for n, i in _ids(simulator).items()]
    assert len(simulator.orders()) == 2
    walk_to("stacks")
    bought = simulator.add_contract(
        data.VPS_S, {"hostname": "web41.example.org", "template": "debian-12"}, end_user=data.END_USER, age=100000.0
    )
    walk_to("spreadsheet")
    assert bought not in [each["id"] for each in simulator.orders()]
    walk_to("change")
    walk_to("cancel")
    assert walked == []
    gone = [request.path.rpartition("/")[2] for request in simulator.requests("DELETE")]
    theirs = [each["id"] for each in simulator.orders() if each["end_user"] == data.END_USER]
    domain = next(each["id"] for each in simulator.orders() if "domain" in (each["settings"] or {}))
    assert (gone[0], gone[-1]) == (first["id"], domain)
    assert sorted(gone) == sorted([*theirs, bought])


def _commands(source: str) -> list[str]:
    """The commands of Ansible in a guide."""
    consoles = [block.text for block in documentation.blocks(source) if block.language == "console"]
    found = [words for text in consoles for words, _shown in documentation.commands(text)]
    return [" ".join(words) for words in found if words[0].startswith("ansible")]


def _ids(simulator: Simulator) -> dict[str, str]:
    return {each["settings"].get("hostname", ""): each["id"] for each in simulator.orders()}


@pytest.mark.full
def test_collection_that_is_installed_as_the_guide_says_orders(runner: Runner, simulator: Simulator) -> None:
    """From a clone, with no more than the three variables that the guide sets."""
    source, home = f"{GUIDES}/first_order.rst", runner.folder
    consoles = [block.text for block in documentation.blocks(source) if block.language == "console"]
    commands = [words for text in consoles for words, _shown in documentation.commands(text)]
    names = [words[1].partition("=")[0] for words in commands if words[0] == "export"]
    env = {
        "ANSIBLE_COLLECTIONS_PATH": str(home / ".ansible/collections"),
        **{each: simulator.env[each] for each in names},
    }
    [(program, *arguments)] = [words for words in commands if words[0] == "ansible-galaxy"]
    subprocess.run(
        [playbooks.PROGRAM.with_name(program), *arguments],
        cwd=ROOT,
        env=playbooks.environment(home, env),
        timeout=playbooks.TIMEOUT,
        check=True,
    )
    walk(source, runner, env)
    assert [each["settings"]["hostname"] for each in simulator.orders()] == ["web01.example.org"]


@pytest.mark.full
def test_commands_of_the_readme_show_what_it_shows(runner: Runner, simulator: Simulator) -> None:
    assert len(walk("README.md", runner, simulator.env)) >= 2


def test_several_services_take_the_orders_of_their_groups(runner: Runner, start_simulator: SimulatorFactory) -> None:
    north, south = start_simulator("apiplatform"), start_simulator("plain")
    keys = dict.fromkeys(("vault_north_key", "vault_south_key"), data.API_KEY)
    runner.save("vault.yml", json.dumps(keys))
    replaced = ("https://north.example.com", north.base_url), ("https://south.example.com", south.base_url)
    places = ("/var/lib/reseller", str(runner.folder / "ledgers"))
    # One host after the other, as the guide shows them.
    env = {"RESELLER_LEDGER": "", "ANSIBLE_FORKS": "1"}
    for block in documentation.yaml_blocks(DESCRIBE):
        if block.file_name in ("services.yml", "servers.yml"):
            text = block.text
            for shown, ours in (*replaced, places):
                text = text.replace(shown, ours)
            runner.save(block.file_name, text)
    arguments = next(each for each in _commands(DESCRIBE) if "services.yml" in each).split()[1:]
    assert runner.command({**north.env, **env}, *arguments).status == 0
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


@pytest.mark.full
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


def described(runner: Runner, simulator: Simulator, **end_users: tuple[str, str]) -> Mapping[str, str]:
    """Return the environment of a reader who has the file of the guide, and more end users in it."""
    said = next(yaml.safe_load(block.text) for block in documentation.yaml_blocks(DESCRIBE))
    more = {name.replace("_", "-"): {"id": user, "organization_id": at} for name, (user, at) in end_users.items()}
    parts = {**said, "base_url": simulator.base_url, "end_users": said["end_users"] | more}
    return {**simulator.env, "RESELLER_SERVICE": service_file(runner.folder, **parts)}


def saved(runner: Runner, guide: str, name: str) -> str:
    """Save a playbook of a guide."""
    [block] = [each for each in documentation.blocks(f"{GUIDES}/{guide}.rst") if each.file_name == name]
    runner.save(name, block.text)
    return block.text


def test_all_contracts_of_an_end_user_are_canceled_and_a_stopped_run_goes_on(
    runner: Runner, simulator: Simulator
) -> None:
    env = described(runner, simulator)
    saved(runner, "cancel", "leave.yml")
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
    latest, earlier = ids["web02.example.org"], ids["web01.example.org"]
    assert sent == [latest, latest, earlier, ids["example.org"]]
    assert not any(runner.command(env, "leave.yml").changed)


def test_list_of_renewals_that_is_not_complete_fails_and_says_why(runner: Runner, simulator: Simulator) -> None:
    env = described(runner, simulator)
    saved(runner, "change", "renewals.yml")
    assert "The list shows no contract." in runner.command(env, "renewals.yml").output
    for number in range(12):
        simulator.add_contract(data.VPS_S, {"hostname": f"web{number}.example.org"}, end_user=data.END_USER)
    whole = runner.command(env, "renewals.yml")
    assert (whole.status, len(re.findall(r'"msg": "\S+ 20', whole.output))) == (0, 12), whole.output
    simulator.behave(repeated_page=1)
    cut = runner.command(env, "renewals.yml")
    assert cut.status == 2
    assert "The list of contracts is not complete: its pages repeat themselves after page 1." in cut.output, cut.output
    assert "Show the dates" not in cut.output


@pytest.mark.full
def test_table_of_forty_rows_finds_what_exists_and_orders_the_rest_once(runner: Runner, simulator: Simulator) -> None:
    other = (data.OTHER_END_USER, data.OTHER_END_USER_ORGANIZATION_ID)
    env = described(runner, simulator, customer_4712=other)
    saved(runner, "adopting", "adopt_list.yml")
    playbook = saved(runner, "spreadsheet", "table.yml")
    users = {"customer-4711": data.END_USER, "customer-4712": data.OTHER_END_USER, data.SELF: data.SELF}
    rows = []
    for number in range(40):
        name, product = [*users][number % 3], ("VPS M", "VPS S")[number % 2]
        rows.append(f"{name};{product};web{number}.example.org;debian-12")
        if number % 5 == 0:
            bought = {"hostname": f"web{number}.example.org", "template": "debian-12"}
            ids = {"VPS M": data.VPS_M, "VPS S": data.VPS_S}
            simulator.add_contract(ids[product], bought, end_user=users[name], age=100000.0)

    def run(*contracts: str, name: str = "table.yml") -> playbooks.Play:
        # As Excel saves it, with rows and columns that are empty.
        header = "end_user;product;settings.hostname;settings.template;"
        lines = [header, *(f"{each};" for each in contracts), ";;;;"]
        runner.save("contracts.csv", "\ufeff" + "\r\n".join(lines) + "\r\n")
        return runner.command(env, name)

    # Nothing is bought again, also if nobody has adopted what exists.
    unadopted = run(*rows)
    assert "a contract like it that the ledger lacks" in unadopted.output, unadopted.output
    assert simulator.orders() == []
    adopted = run(*rows, name="adopt_list.yml")
    assert (adopted.status, len(_recorded(runner, simulator))) == (0, 8), adopted.output
    few = run(*rows)
    assert "max_orders" in few.output, few.output
    runner.save("table.yml", playbook.replace("max_orders: 10", "max_orders: 40"))
    wrong = run(*rows[:39], rows[39].replace("debian-12", "debian-21"))
    assert "web39.example.org" in wrong.output
    assert simulator.orders() == []
    simulator.behave(list_status=503)
    assert "the list of contracts (503" in run(*rows).output
    assert simulator.orders() == []
    simulator.behave()
    ordered = run(*rows)
    assert ordered.status == 0, ordered.output
    assert len(simulator.orders()) == len({each["settings"]["hostname"] for each in simulator.orders()}) == 32
    assert not any(run(*rows[::-1]).changed)
    left = run(*rows[3:])
    assert [each["name"] for each in left.results[0]["not_requested"]["orders"]] == [
        f"web{number}.example.org" for number in range(3)
    ]
    listed = runner.playbook("ledger", env, end_user="customer-4712")
    assert listed.output.count("example.org ") == 13, listed.output
    assert len(simulator.orders()) == 32


def test_playbooks_of_guides_end_with_what_is_wrong(runner: Runner, simulator: Simulator) -> None:
    """Each where there is something: not with an error that nobody explains, and not quietly."""
    env = described(runner, simulator)

    def tasks(guide: str, first: str) -> list[dict[str, Any]]:
        """A task of a guide and those that follow it, where a reader who waits is impatient."""
        texts = [each.text for each in documentation.yaml_blocks(f"{GUIDES}/{guide}.rst") if not each.file_name]
        found = [task for text in texts for task in yaml.safe_load(text) if "hosts" not in task]
        start = [task["name"] for task in found].index(first)
        return [{**each, **({"retries": 1, "delay": 0} if "until" in each else {})} for each in found[start:]]

    simulator.arm("drop_after")
    assert runner.run(playbooks.vps("web09.example.org"), {**env, "RESELLER_SERVICE": ""}).status == 0
    for guide, first, status, said in (
        ("in_doubt", "Settle what the service's list of contracts proves", 0, '"web09.example.org": ['),
        ("operations", "Reset a server", 2, "The reset is not done: {"),
    ):
        play = runner.run(tasks(guide, first), env, ignore_errors=False)
        last = play.output.rpartition("TASK [")[2]
        assert (play.status, said in last, "Unknown error" in last) == (status, True, False), play.output


def test_ledger_is_moved_to_another_computer(runner: Runner, simulator: Simulator) -> None:
    guide = f"{GUIDES}/ledger.rst"
    [text] = [each.text for each in documentation.blocks(guide) if each.text.startswith("old$")]
    lines = [line.partition("$ ")[::2] for line in text.splitlines()]
    homes = {name: runner.within(name) for name in ("old", "new")}
    env = {**simulator.env, "RESELLER_LEDGER": "", "NEW": str(homes["new"].folder)}
    env["PATH"] = f"{runner.folder}:{playbooks.environment(runner.folder, {})['PATH']}"
    # The other computer is another home on this one.
    for name, script in {"ssh": 'cd "$NEW" && sh -c "$2"', "scp": 'cp -p "$2" "$NEW/${3#new:}"'}.items():
        runner.save(name, f"#!/bin/sh\n{script}\n").chmod(0o700)
    for each in homes.values():
        saved(each, "first_order", "order.yml")
    assert homes["old"].command(env, "order.yml").changed == [True]
    folder = homes["old"].folder / ".local/state/hosting.reseller"
    for at, line in lines:
        place = f"cd {folder} && " if at == "old" else ""
        done = homes[at].shell(place + line, {**env, "HOME": str(homes[at].folder)})
        assert done.status == 0, f"{line}\n{done.output}"
    assert homes["new"].command(env, "--check", "order.yml").changed == [False]
    assert homes["new"].command(env, "order.yml").changed == [False]
    closed = homes["old"].command(env, "order.yml")
    assert "where this user has seen one. Nothing was sent." in closed.output, closed.output
    assert len(simulator.orders()) == 1


PIPELINES = ROOT / "docs/examples/pipelines"
#: What the two systems set for the pipeline of a merge request and for that of the default branch.
GITLAB = {"CI_API_V4_URL": "{url}/api/v4", "CI_PROJECT_ID": "7", "CI_MERGE_REQUEST_IID": "3"}
GITHUB = {"NOTES": "{url}/repos/us/servers/issues/3/comments"}


def _gitlab(job: Mapping[str, Any], step: str) -> list[str]:
    return list(job["after_script" if step == "Comment" else "script"])


def _github(job: Mapping[str, Any], step: str) -> list[str]:
    return [each["run"] for each in job["steps"] if each.get("name") == step]


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "comments", "at", "lines"),
    [
        ("gitlab-ci.yml", GITLAB, "/api/v4/projects/7/merge_requests/3/notes", _gitlab),
        ("github-actions.yml", GITHUB, "/repos/us/servers/issues/3/comments", _github),
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

    # The job orders nothing without the artifact, and exactly the plan with it.
    assert run("order", "Order", "first").returncode != 0
    assert len(simulator.orders()) == 1
    shutil.copy(tmp_path / "review/plan.json", tmp_path / "first")
    done = run("order", "Order", "first")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(simulator.orders()) == 2
    # A runner that finds no ledger fails.
    done = run("order", "Order", "first", RESELLER_LEDGER=str(tmp_path / "lost" / "ledger.db"))
    assert "new_ledger is refuse" in done.stdout
    assert len(simulator.orders()) == 2


def _recorded(runner: Runner, simulator: Simulator) -> list[str]:
    listed = runner.run({"hosting.reseller.reseller_ledger_info": {}}, simulator.env)
    return sorted(order["name"] for order in listed.result["records"])
