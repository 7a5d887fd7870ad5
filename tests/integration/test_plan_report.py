# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of a plan: what it tells, that it escapes all of it, and that making it orders nothing."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import StoredRequest
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support import playbooks
from tests.support.described import service_file
from tests.support.ledgers import claim, opened
from tests.support.playbooks import ROOT, Play, Runner

WHOLE = ROOT / "docs/examples/stacks/customer-4711.yml"
ADDRESSES = "https://example.com //example.com www.example.com post@example.com"
HOSTILE = f"<script>alert(1)</script> | **x** `y` [z](http://example.com) \"q\" 'r' & \\ {ADDRESSES}"

#: What the service's file calls an end user.
NAME = "shop <b>*4711*</b> & sons"


def shown(page: str) -> dict[str, str]:
    """The text of an HTML page by section, without tags."""
    body = re.sub(r"(?s)<style>.*?</style>", "", page)
    first, *others = re.split(r'<section aria-labelledby="(\w+)">', body)
    sections = {"": first, **dict(zip(others[::2], others[1::2], strict=True))}
    return {name: html.unescape(re.sub("<[^>]*>", "", text)) for name, text in sections.items()}


def report(
    runner: Runner, simulator: Simulator, stack: Path, *arguments: str, service: str = "", **extra: Any
) -> tuple[Play, str, str]:
    """Run the playbook, and read both of its files: HTML and Markdown."""
    env = {**simulator.env, "RESELLER_SERVICE": service}
    play = runner.playbook("plan", env, *arguments, customer_stack_file=str(stack), **extra)
    page, markdown = (runner.folder / f"{stack.stem}.plan.{kind}" for kind in ("html", "md"))
    return play, page.read_text("utf-8"), markdown.read_text("utf-8")


def test_it_tells_what_would_be_ordered_and_what_is_there(runner: Runner, simulator: Simulator) -> None:
    secrets = {"example.com": {"authcode": "secret-code-1"}}
    service = service_file(runner.folder, simulator.base_url, end_users={NAME: {"id": data.END_USER}})
    play, page, markdown = report(runner, simulator, WHOLE, "--check", service=service, customer_stack_secrets=secrets)
    assert play.status == 0, play.output
    assert simulator.orders() == []
    sections = shown(page)
    assert "********" in sections["order"]
    assert "secret-code" not in play.output + page + markdown + str(play.results)
    assert set(sections) == {"", "order"}
    for text in (sections["order"], markdown):
        for told in ("db02.example.org", "VPS M", "yearly", "that of db01.example.org", "debian-12"):
            assert told in text
        assert text.count("yearly") - text.count("billed yearly") == 2
    for text in (sections[""], markdown, play.output):
        # What no order is compared with is told before a plan is approved.
        assert f"The organization of end user {data.END_USER} is not known, so its contracts are not read." in text
    # The end user by name and UUID, and the name as text.
    for text in (sections[""], html.unescape(markdown).replace("\\", "")):
        assert f"For the end user {NAME}, {data.END_USER}. This report ordered nothing." in text.replace("`", "")
    assert "<b>" not in page + markdown
    for text in (sections[""], markdown):
        assert "7 orders would be placed" in text
        assert "customer_stack_approved_plan=plan-2:" in text
        assert "ansible-playbook hosting.reseller.customer_stack -e customer_stack_file=" in text
        assert simulator.base_url in text.replace("\\/", "/")
        assert simulator.env["RESELLER_ORGANIZATION_ID"] in text
        assert re.search(r"Created on \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
    assert "Heidestr" not in page + markdown

    # web02 was ordered as another product.
    servers = [("web01", "VPS M"), ("web02", "VPS S")]
    contracts = [{"hostname": f"{name}.example.org", "product": of, "template": "debian-12"} for name, of in servers]
    there = {"stack": {"end_user": data.END_USER, "contracts": {"vps": contracts}}}
    assert runner.run({"hosting.reseller.reseller_stack": there}, simulator.env).result["changed"]
    play, page, _markdown = report(runner, simulator, WHOLE)
    assert play.status != 0
    sections = shown(page)
    assert set(sections) == {"", "order", "there", "blocked"}
    assert "web01.example.org" in sections["there"]
    first = next(each for each in simulator.orders() if each["settings"]["hostname"] == "web01.example.org")
    assert first["id"] in sections["there"]
    assert "recorded 'VPS S', requested 'VPS M'" in sections["blocked"]
    assert "web02.example.org" not in sections["order"] + sections["there"]
    assert "Nothing can be ordered: 1 problem." in sections[""]
    assert len(simulator.orders()) == 2


@in_shape("laravel")
def test_it_tells_what_is_wrong_and_escapes_everything(runner: Runner, simulator: Simulator) -> None:
    # Its name forges no line either.
    stack = runner.folder / "stack\x1b[2J\n\nNothing to order.\u202e é; a,b.yml"
    lines = {
        "end_user": data.SELF,
        HOSTILE: 1,
        "contracts": {
            "vps": [
                {"name": HOSTILE, "hostname": "web01.example.org", "product": HOSTILE, "template": HOSTILE},
                *({"hostname": f"web1{number}.example.org", "product": "VPS X", "template": "x"} for number in (1, 2)),
            ],
            "webhosting": [{"name": f"a {HOSTILE}", "product": "Webhosting Start"}],
            "domain": [{"domain": "example.org", "action": "register", "ownercRef": HOSTILE, "admincRef": "1"}],
        },
    }
    stack.write_text(json.dumps(lines, indent=1), encoding="utf-8")
    play, page, markdown = report(runner, simulator, stack)
    assert play.status != 0
    assert simulator.orders() == []
    sections = shown(page)
    assert set(sections) == {"", "problems", "order"}
    assert "the reseller's own organization" in sections[""]
    assert sections["order"].strip().startswith("Without a problem")
    # As text, to the letter: a name and a setting.
    assert sections["order"].count(HOSTILE) == 2
    assert not [tag for tag in ("<script", '"q"', "'r'", "href=", "src=") if tag in page]
    assert re.search(r"(?m)^\| 0 \| 0 \| 0 \| \d+ \|$", markdown)
    assert "contracts.vps[0].product" in sections["problems"]
    assert "<script" not in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {len(row.replace("\\\\", "").replace("\\|", "").split("|")) for row in rows} <= {5, 6}
    assert "](http" not in markdown.replace("\\]\\(", "")
    assert not re.search(r"//example|www\.|@example", markdown)
    title = "Plan of stack\ufffd[2J\ufffd\ufffdNothing to order.\ufffd é; a,b.yml"
    assert f"<h1>{title}</h1>" in page
    assert markdown.splitlines()[0].replace("\\", "") == f"# {title}"
    # Problems that are alike are told once.
    told = "The catalogue lists no product with the UUID or name 'VPS X'"
    for problems in (sections["problems"], markdown.partition("## Contracts")[0].replace("&#39;", "'")):
        assert problems.count(told) == 1
        assert all(f"contracts.vps[{index}]" in problems.replace("\\", "") for index in (1, 2))


@pytest.mark.full
@in_shape("laravel")
def test_it_tells_what_the_file_no_longer_names(runner: Runner, simulator: Simulator) -> None:
    """As text, HTML and Markdown: a removed contract goes on being billed. One that differs is not there already."""
    web01, web02 = (
        {"hostname": f"web0{number}.example.org", "product": "VPS M", "template": "debian-12"} for number in "12"
    )
    shop = {"name": f"shop {HOSTILE}", "product": "Webhosting Start"}
    whole = {"end_user": data.END_USER, "contracts": {"vps": [web01, web02], "webhosting": [shop]}}
    # Another end user's contract is of no concern.
    tasks = [{"hosting.reseller.reseller_stack": {"stack": whole}}, playbooks.vps("other.example.org")]
    done = runner.run(tasks, simulator.env).results[0]
    assert done["not_requested"] == {"count": 0, "orders": [], "lines": []}
    ids = {each["name"]: each["contract_id"] for each in done["results"]}
    stack = runner.folder / "stack.yml"
    left = {"end_user": data.END_USER, "contracts": {"vps": [{**web01, "template": "debian-13"}]}}
    stack.write_text(json.dumps(left), encoding="utf-8")
    play, page, markdown = report(runner, simulator, stack, customer_stack_on_drift="warn")
    assert play.status == 0, play.output
    assert re.search(r"web01.example.org\s*differs", shown(page)["there"])
    assert "web01.example.org (differs)" in markdown.replace("\\", "")
    gone, listed = "Not in this file: 2 recorded", shown(page)["elsewhere"]
    assert listed.strip().startswith(gone)
    assert listed.count(f"shop {HOSTILE}") == 1
    # Before the plan.
    for text in (listed, markdown.partition(f"## {gone}")[2].partition("## Already ordered")[0]):
        assert [name for name, contract_id in ids.items() if contract_id in text] == [web02["hostname"], shop["name"]]
    assert "<script" not in page + markdown
    for text in (page, markdown):
        assert "Nothing to order: all contracts of the file are already ordered." in text
    ordered = {"customer_stack_file": str(stack), "customer_stack_on_drift": "warn"}
    again = runner.playbook("customer_stack", simulator.env, **ordered)
    assert (again.status, any(again.changed)) == (0, False), again.output
    assert f"'web01.example.org': VPS M, differs, contract {ids['web01.example.org']}" in again.output
    assert f"'web02.example.org': VPS M, contract {ids['web02.example.org']}, since 20" in again.output
    for said in (play.output, again.output):
        assert ("Not in this file:" in said, "other.example.org" in said + page + markdown) == (True, False)
    assert len(simulator.orders()) == 4


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what another user owns")
@in_shape("laravel")
def test_report_is_written_over_nothing_of_another_user(runner: Runner, simulator: Simulator) -> None:
    stack, there = runner.folder / "stack.yml", runner.folder / "stack.plan.md"
    stack.write_text(f"end_user: {data.SELF}\ncontracts: {{}}\n", encoding="utf-8")
    there.symlink_to(runner.folder / "nothing")
    os.chown(there, 65534, 65534, follow_symlinks=False)
    play = runner.playbook("plan", simulator.env, customer_stack_file=str(stack))
    assert play.status != 0
    assert "Look for what another user made" in play.output
    assert there.lstat().st_uid == 65534
    assert not (runner.folder / "stack.plan.html").exists()


@pytest.mark.full
@in_shape("laravel")
def test_reports_in_a_loop_have_names_of_their_own(runner: Runner, simulator: Simulator) -> None:
    for customer in ("erika", "max"):
        (runner.folder / customer).mkdir()
        entry = f"{{hostname: {customer}.example.org, product: VPS M, template: debian-12}}"
        text = f"end_user: {data.END_USER}\ncontracts:\n  vps: [{entry}]\n"
        (runner.folder / customer / "stack.yml").write_text(text, encoding="utf-8")
    of_files = {"customer_stack_file": "{{ item }}/stack.yml"}
    inline = {"customer_stack_inline": "{{ lookup('ansible.builtin.file', item ~ '/stack.yml') | from_yaml }}"}
    tasks = [
        {
            "ansible.builtin.include_role": {"name": "hosting.reseller.customer_stack", "tasks_from": "plan"},
            "vars": variables,
            "loop": names,
        }
        for variables, names in ((of_files, ["erika", "max", "erika"]), (inline, ["max"]))
    ]
    play = runner.run(tasks, simulator.env, ignore_errors=False)
    assert play.status == 0, play.output
    found = {path.name: path.read_text("utf-8") for path in runner.folder.glob("*.plan.md")}
    customers = {"stack.plan.md": "erika", "stack-2.plan.md": "max", "stack-3.plan.md": "max"}
    assert found.keys() == customers.keys()
    assert all(f"{customer}.example.org" in found[name] for name, customer in customers.items())


@pytest.mark.full
@in_shape("plain")
def test_pending_order_is_named_with_its_time_and_never_there_already(runner: Runner, simulator: Simulator) -> None:
    stack = runner.save("pending.yml", json.dumps(playbooks.stack("web01.example.org")))
    theirs = StoredRequest(
        "web01.example.org", simulator.base_url, data.ORGANIZATION_ID, "__self__", data.VPS_M, None, "vps"
    )
    with opened(runner.ledger) as ledger:
        assert claim(ledger, [theirs]) == [None]
        order = playbooks.vps(product=data.VPS_M)
        several = {"contracts": [order["hosting.reseller.reseller_contract"]]}
        modules = {"stack": {"path": str(stack)}, "contracts": several}
        tasks = [{f"hosting.reseller.reseller_{module}": options} for module, options in modules.items()]
        planned, many, single = runner.run([*tasks, order], simulator.env, "--check").results
        play, page, markdown = report(runner, simulator, stack)
    (step,) = planned["plan"]
    assert (step["action"], step["certain_at"]) == ("pending", single["order"]["certain_at"])
    assert (planned["order_with"], single["changed"], single["order"]["status"]) == (None, False, "pending")
    assert play.status != 0
    assert {count: number for count, number in many["counts"].items() if number} == {"pending": 1}
    for text in (page, markdown, planned["results"][0]["msg"], many["lines"][0], " ".join(single["warnings"])):
        assert re.search(r"being placed, or cut off: certain at \d\d:\d\d:\d\d UTC", text)
        assert "already ordered" not in text
