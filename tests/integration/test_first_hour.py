# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first hour of somebody new, by the guides' own text: from the installation to an order that was canceled."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.test_guide_tasks import walk
from tests.support import documentation, playbooks
from tests.support.playbooks import ROOT, Runner

GUIDES = "docs/docsite/rst"
FIRST, ADDRESS, CANCEL = (f"{GUIDES}/{name}.rst" for name in ("first_order", "after_first_order", "cancel"))
#: Where guides say what a person writes into the file of a service.
DESCRIBING = (f"{GUIDES}/describe.rst", f"{GUIDES}/ready_servers.rst", CANCEL)
#: The types that the first order, a VPS, leaves, with what is kept out of their files.
MORE: dict[str, dict[str, Any]] = {
    "configurable_vps": {"build01.example.org": {"password": "Quite-Secret-1"}},
    "dedicated_server": {},
    "webhosting": {},
    "domain": {"example.com": {"authcode": "Auth-Code-1"}},
}
#: What somebody sees of a server that is ready, and is told by the operator.
TOLD = {"address": "ipAddresses.*.address", "ready": ["active"], "failed": ["failed"], "ended": ["cancelled"]}
LEDGER = "plugin: hosting.reseller.ledger\n"
TYPES = {data.VPS, data.CONFIGURABLE_VPS, data.DEDICATED_SERVER, data.WEBHOSTING, data.DOMAIN}


def words_of(source: str, first: str) -> list[list[str]]:
    """The commands of a guide that begin with this word."""
    consoles = [block.text for block in documentation.blocks(source) if block.language == "console"]
    return [words for text in consoles for words, _shown in documentation.commands(text) if words[0] == first]


def parts(*wanted: str) -> dict[str, Any]:
    """The parts of the file of a service that the guides show."""
    blocks = [block for source in DESCRIBING for block in documentation.yaml_blocks(source)]
    found = [each for block in blocks for each in block.documents() if isinstance(each, Mapping)]
    return {name: next(each[name] for each in found if name in each) for name in wanted}


def offered(output: str) -> Iterator[str]:
    """The lines for the file in the output of ``connect``, where each comment has been checked and is a line."""
    listed = json.loads(re.findall(r'"msg": (\[\s+"Lines for [^\]]*?\n    \])', output, re.DOTALL)[-1])
    for line in listed[1:]:
        yield re.sub(r"^(\s*)# (\s*[\w-]+:)", r"\1\2", line)


@pytest.mark.full
def test_first_hour_of_somebody_new(runner: Runner, simulator: Simulator) -> None:
    home = runner.folder
    installed = {"HOME": str(home), "ANSIBLE_COLLECTIONS_PATH": str(home / ".ansible/collections")}

    # Install: in a clone, as the guide says.
    [install] = words_of(FIRST, "ansible-galaxy")
    program = playbooks.PROGRAM.with_name(install[0])
    done = subprocess.run(
        [program, *install[1:]],
        cwd=ROOT,
        env=playbooks.environment(home, installed),
        capture_output=True,
        text=True,
        timeout=playbooks.TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    collection = home / ".ansible/collections/ansible_collections/hosting/reseller"

    # Credentials: three variables, with what a person has of the service.
    names = [word.partition("=")[0] for words in words_of(FIRST, "export") for word in words[1:2]]
    assert names == ["RESELLER_BASE_URL", "RESELLER_API_KEY", "RESELLER_ORGANIZATION_ID"]
    env = {name: simulator.env[name] for name in names}

    # Connect, see what there is, order one server, and run again. The rest runs from the checkout, which is faster.
    walk(FIRST, runner, env | installed)
    assert [each["settings"]["hostname"] for each in simulator.orders()] == ["web01.example.org"]

    # The file of the service: the end user, what connect has found since, and what only a person can tell.
    path = home / f".config/hosting.reseller/127.0.0.1_{simulator.base_url.rpartition(':')[2]}.yml"
    users = parts("end_users")
    assert data.END_USER in [each["id"] for each in users["end_users"].values()]
    path.parent.mkdir(parents=True)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump({"base_url": simulator.base_url, **users}), encoding="utf-8")
    shown = runner.command(env, "hosting.reseller.connect")
    assert shown.status == 0, shown.output
    found = yaml.safe_load("\n".join(offered(shown.output)))["contracts"]
    assert found.keys() >= {"id", "hostname", "product", "end_user", "state"}
    said = {"contracts": found | TOLD, **parts("cancel")}
    path.write_text(yaml.safe_dump({"base_url": simulator.base_url, **users, **said}), encoding="utf-8")

    # The address, and the password of another server.
    walk(ADDRESS, runner, env, ("203.0.113.1", "203.0.113.2"), ("203.0.113.22", "203.0.113.2"))
    look = ("localhost", "-m", "hosting.reseller.reseller_contract_info")
    assert runner.command(env, *look, program=playbooks.PROGRAM.with_name("ansible")).status == 0
    inventory, _said = runner.inventory(env, "-i", str(runner.save("reseller_ledger.yml", LEDGER)))
    assert inventory["_meta"]["hostvars"]["web01.example.org"]["ansible_host"] == "203.0.113.2"
    simulator.behave(ready_reads=1)

    # The other four types of product, by the files that come with the collection, and waited for.
    for kind, secrets in MORE.items():
        options = {"file": str(collection / f"docs/examples/stacks/{kind}.yml"), "secrets": secrets, "wait": True}
        given = {f"customer_stack_{name}": value for name, value in options.items()}
        play = runner.playbook("customer_stack", env, **given)
        assert play.status == 0, play.output
        simulator.behave()
    assert {each.product.type for each in simulator.service.orders} == TYPES

    # Cancel: once, whatever is repeated. An order of the name is then a new one.
    count, first = len(simulator.orders()), simulator.orders()[0]["id"]
    for block in documentation.blocks(CANCEL):
        if block.file_name == "cancel.yml":
            runner.save("cancel.yml", block.text)
    changed = [runner.command(env, *arguments, "cancel.yml").changed for arguments in ([], [], ["--check"])]
    assert changed == [[True], [False], [False]]
    assert [each.path.rpartition("/")[2] for each in simulator.requests("DELETE")] == [first]
    again = [runner.command(env, "order.yml").changed[0] for _time in range(2)]
    assert (again, len(simulator.orders())) == ([True, False], count + 1)
