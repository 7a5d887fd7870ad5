# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every example of the documentation is run, first in check mode, and does what the documentation says."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import argument_spec
from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.support import documentation, playbooks
from tests.support.dns_server import DnsServer, hosts, zone
from tests.support.documentation import Block
from tests.support.playbooks import ROOT, Play, Runner, order, vps

NAMESERVERS = {"ns1.example.net": "127.0.0.2", "ns2.example.net": "127.0.0.3"}
RESOLVER = "127.0.0.53"
STACK = f"""\
end_user: {data.END_USER}
contracts:
  vps:
    - hostname: web31.example.org
      product: VPS S
      template: debian-12
"""
#: What the examples in plugins are written with, and what the simulated service has instead.
PLACEHOLDERS = {
    r"/var/lib/reseller/ledger\.db": "{ledger}",
    r"/etc/motd": "{ledger}.motd",
    r"\binterval: 10\b": "interval: 0.1",
}
#: Variables that examples expect to be set elsewhere, in a vault for example.
VARIABLES: dict[str, Any] = {
    "vault_vps_password": "correct-horse-battery",
    "vault_build01_password": "correct-horse-battery",
    "vault_example_com_authcode": "auth-1234-code",
    "vault_example_net_authcode": "auth-5678-code",
    "contracts": [
        {"end_user": data.END_USER, "product": "VPS S", "settings": {"hostname": "a.example", "template": "debian-12"}}
    ],
    "new_ledger": "{folder}/new.db",
}
#: Files that examples read.
FILES = {"4711.yml": STACK, "customers/4711.yml": STACK, "contracts.csv": "hostname\na.example\n"}
IN_DOUBT = "docs/docsite/rst/in_doubt.rst"
LEDGER = "docs/docsite/rst/ledger.rst"
MANY_ORDERS = "docs/docsite/rst/many_orders.rst"
#: It waits for a server of the first order: test_guide_tasks.py walks it.
READY_SERVERS = "docs/docsite/rst/ready_servers.rst"


@pytest.fixture(scope="module")
def nameservers() -> Iterator[DnsServer]:
    """Nameservers that have every zone, with the names of both."""

    def any_zone(query: Any) -> Any:
        return zone(query.name.to_text(omit_final_dot=True), *NAMESERVERS)(query)

    known = hosts({name: [address] for name, address in NAMESERVERS.items()})
    with DnsServer({RESOLVER: known, **dict.fromkeys(NAMESERVERS.values(), any_zone)}) as running:
        yield running


@dataclass(frozen=True)
class Reader(Runner):
    """Somebody who types in what a document shows."""

    simulator: Simulator
    dns: DnsServer

    def text(self, block: Block) -> str:
        text = block.text
        for pattern, value in PLACEHOLDERS.items():
            text = re.sub(pattern, value.replace("{ledger}", str(self.ledger)), text)
        return text

    def play(self, *arguments: str) -> Play:
        """Run ansible-playbook with these arguments."""
        return self.command(self.simulator.env, "--extra-vars", "@variables.json", *arguments)

    def before(self, *tasks: playbooks.Task, good: bool = True) -> Play:
        """Run tasks before the examples."""
        play = self.play(self.write(tasks, ignore_errors=False, **self._prepared({})))
        assert (play.status == 0) is good, play.output
        return play

    def run_blocks(self, blocks: Sequence[Block], *, dry_alone: bool = False) -> None:
        """Run blocks as what they are: all plays in one playbook, first in check mode; then what reads the ledger."""
        plays: list[dict[str, Any]] = []
        inventories: list[tuple[Block, dict[str, Any]]] = []
        for block in blocks:
            for document in yaml.load_all(self.text(block), documentation.Loader):
                if isinstance(document, dict) and "plugin" in document:
                    inventories.append((block, document))
                elif document is not None:
                    plays += [{"name": str(block), **play} for play in self._plays(block, document)]
        if plays:
            dry = [{**play, "check_mode": True, "diff": True} for play in plays]
            wanted = dry if dry_alone else [*dry, *plays]
            path = self.save("examples.yml", yaml.safe_dump(wanted, sort_keys=False, allow_unicode=True))
            play = self.play(str(path), *(["--check"] if dry_alone else []))
            assert play.status == 0, play.output
            assert len(play.results) >= len(wanted), play.output
        for block, document in [] if dry_alone else inventories:
            self._run_inventory(block, document)

    def _plays(self, block: Block, document: Any) -> list[dict[str, Any]]:
        if isinstance(document, dict) and {"end_user", "contracts"} <= document.keys():
            path = self.save(block.file_name or "stack.yml", self.text(block))
            return [self._play([{"hosting.reseller.reseller_stack": {"path": str(path)}}])]
        if isinstance(document, list):
            whole = all("hosts" in entry for entry in document)
            return [self._prepared(play) for play in document] if whole else [self._play(document)]
        pytest.fail(f"{block} is neither a playbook nor tasks nor a configuration: mark it as a fragment")

    def _run_inventory(self, block: Block, document: Mapping[str, Any]) -> None:
        path = self.save(f"reseller_{document['plugin'].rpartition('.')[2]}.yml", yaml.safe_dump(dict(document)))
        listed, said = self.inventory(self.simulator.env, "-i", str(path))
        assert listed["_meta"]["hostvars"], f"{block} has no hosts\n{said}"

    def _play(self, tasks: Sequence[playbooks.Task]) -> dict[str, Any]:
        return self._prepared({"hosts": "localhost", "gather_facts": False, "tasks": list(tasks)})

    def _prepared(self, play: dict[str, Any]) -> dict[str, Any]:
        """The play, with the nameservers of this test for those of the system."""
        resolvers, port = [self.dns.place(RESOLVER)], self.dns.port
        ours = {
            "hosting.reseller.reseller_nameservers_info": {"resolvers": resolvers, "port": port},
            # Orders query port 53, which a test cannot have.
            "hosting.reseller.reseller_contract": {"verify_nameservers": False},
        }
        return {**play, "module_defaults": {**ours, **play.get("module_defaults", {})}}


def doubtful(reader: Reader) -> None:
    reader.simulator.arm("drop_after")
    play = reader.before(vps("web09.example.org", end_user=data.END_USER), good=False)
    assert play.result["order"]["status"] == "in_doubt"


def ordered_already(reader: Reader) -> None:
    """What is approved in the examples of reseller_contracts is there: such a plan needs no approval."""
    reader.before(order(**VARIABLES["contracts"][0]))
    reader.save("variables.json", json.dumps({**VARIABLES, "approved_plan": "plan-2:0"}))


def approved(reader: Reader) -> None:
    """The example that needs an approval has the plan of a run in check mode, and its digest."""
    (block,) = (each for each in examples(MANY_ORDERS) if "approved_plan" in each.text)
    playbook = str(reader.save("approve.yml", reader.text(block)))
    unapproved = reader.play(playbook)
    assert unapproved.status == 2
    assert "approved_plan is missing or empty. Nothing was sent." in unapproved.output
    assert reader.simulator.orders() == []
    shown = reader.play(playbook, "--check")
    assert shown.status == 0, shown.output
    digest = next(each["plan_digest"] for each in shown.results if "plan_digest" in each)
    reader.save("variables.json", json.dumps({**VARIABLES, "approved_plan": digest}))


def with_a_server(reader: Reader) -> None:
    settings = {"hostname": "db01.example.org", "template": data.OS_TEMPLATE, "ip4_count": 1}
    reader.before(order(end_user=data.END_USER, product="Dedicated Server E-2388", settings=settings))


def recorded_elsewhere(reader: Reader) -> None:
    """A record of the service that has a new address in an example, and one with the wrong contract ID."""
    moved = {"state": "readdressed", "from": reader.simulator.base_url, "to": "https://old.example.com"}
    wrong = {"name": "web01.example.com", "state": "present", "contract_id": "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"}
    wrong |= {"end_user": data.END_USER, "product": "VPS M", "settings": {"hostname": "web01.example.com"}}
    told = [{"hosting.reseller.reseller_ledger": moved}, {"hosting.reseller.reseller_record": wrong}]
    reader.before(vps("old.example.org"), *told)


#: What must have happened before the examples of a document.
BEFORE: dict[str, Callable[[Reader], object]] = {
    IN_DOUBT: doubtful,
    LEDGER: with_a_server,
    MANY_ORDERS: approved,
    "plugins/modules/reseller_contracts.py": ordered_already,
    "plugins/modules/reseller_ledger.py": recorded_elsewhere,
    "plugins/modules/reseller_record.py": recorded_elsewhere,
    "plugins/inventory/contracts.py": with_a_server,
    "plugins/inventory/ledger.py": with_a_server,
    "plugins/modules/reseller_contract_info.py": lambda reader: reader.before(vps("web01.example.com")),
}
WITH_EXAMPLES = [source for source in documentation.sources() if documentation.yaml_blocks(source)]


@pytest.fixture
def reader(tmp_path: Path, simulator: Simulator, nameservers: DnsServer) -> Reader:
    reader = Reader(tmp_path, simulator, nameservers)
    for name, text in FILES.items():
        reader.save(name, text)
    reader.save("variables.json", json.dumps(VARIABLES).replace("{folder}", str(tmp_path)))
    return reader


def examples(source: str) -> list[Block]:
    return [block for block in documentation.yaml_blocks(source) if not block.fragment]


@pytest.mark.full
@pytest.mark.parametrize("source", [source for source in WITH_EXAMPLES if source != READY_SERVERS])
def test_examples_run(source: str, reader: Reader) -> None:
    BEFORE.get(source, lambda _reader: None)(reader)
    reader.run_blocks(examples(source))


def test_examples_run_in_check_mode(reader: Reader) -> None:
    """All of them in one playbook, which is the short form of the test above; those of the ledger with orders in it."""
    blocks = [block for source in WITH_EXAMPLES if source not in (*BEFORE, READY_SERVERS) for block in examples(source)]
    # A fact stays, and wins over the variables of all plays that follow.
    reader.run_blocks(sorted(blocks, key=lambda block: "set_fact" in block.text), dry_alone=True)
    assert reader.simulator.orders() == []


def test_examples_of_the_ledger_run(reader: Reader) -> None:
    with_a_server(reader)
    reader.run_blocks(examples("plugins/inventory/ledger.py"))


def option_names(module: str) -> set[str]:
    return set(argument_spec(module.removeprefix("hosting.reseller.")))


def unknown_options(value: Any) -> Iterator[str]:
    """Modules and options of this collection that are named somewhere in a fragment and do not exist."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "group/hosting.reseller.reseller":
                yield from (f"{key}: {name}" for name in set(inner) - option_names("reseller_contract"))
            elif isinstance(key, str) and re.fullmatch(r"hosting\.reseller\.reseller_\w+", key):
                if not (ROOT / "plugins/modules" / f"{key.rpartition('.')[2]}.py").exists():
                    yield f"{key} is no module"
                elif isinstance(inner, dict):
                    yield from (f"{key}: {name}" for name in set(inner) - option_names(key))
            yield from unknown_options(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from unknown_options(inner)


def test_fragments_are_yaml_and_name_what_exists() -> None:
    fragments = [block for source in WITH_EXAMPLES for block in documentation.yaml_blocks(source) if block.fragment]
    assert fragments
    wrong = {str(block): list(unknown_options(block.documents())) for block in fragments}
    assert not {place: names for place, names in wrong.items() if names}


def test_code_is_no_wider_than_a_page() -> None:
    """What the documentation site shows at 1280 pixels without scrolling."""
    pages = [source for source in documentation.sources() if source != "CONTRIBUTING.md"]
    found = [block for source in pages for block in documentation.blocks(source) if block.language != "text"]
    assert [f"{block}: {line}" for block in found for line in block.text.splitlines() if len(line) > 100] == []


def test_what_guides_refer_to_exists() -> None:
    guides = sorted((ROOT / "docs/docsite/rst").glob("*.rst"))
    prefix = "ansible_collections.hosting.reseller.docsite."
    labels = rf"(?m)^\.\. _{re.escape(prefix)}([\w.]+):$"
    places = {found for guide in guides for found in re.findall(labels, guide.read_text(encoding="utf-8"))}
    for guide in guides:
        text = guide.read_text(encoding="utf-8")
        assert text.startswith(f".. _{prefix}{guide.stem}:\n"), guide
        named = set(re.findall(rf":ref:`(?:[^`<]*<)?{re.escape(prefix)}([\w.]+)>?`", text))
        assert named <= places, guide
    pages = yaml.safe_load((ROOT / "docs/docsite/extra-docs.yml").read_text(encoding="utf-8"))
    sections = [section["toctree"] for section in pages["sections"]]
    listed = [name for section in sections for name in section]
    assert sorted(listed) == [each.stem for each in guides]
    # Each leads to the one that follows it, in the order in which test_guide_tasks.py walks them.
    for guide in guides:
        for name in re.findall(rf"Next: :ref:`[^<]*<{re.escape(prefix)}(\w+)>", guide.read_text(encoding="utf-8")):
            assert name in [each[each.index(guide.stem) + 1] for each in sections if guide.stem in each[:-1]], guide
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_messages_of_troubleshooting_are_those_of_the_code() -> None:
    source = "docs/docsite/rst/troubleshooting.rst"
    quoted = documentation.literal_column(source)
    assert len(quoted) > 10
    # All others say themselves what is to be done.
    tables = (ROOT / source).read_text(encoding="utf-8").split("   * - Message\n")[1:]
    assert sum(table.count("\n   * - ") for table in tables) <= 12
    known = documentation.messages()
    assert [message for message in quoted if not any(message in each for each in known)] == []


def test_every_supported_version_is_documented() -> None:
    """What the matrix runs is what the metadata promises, and what the guides call tested. See test_workflows.py."""
    cells = re.findall(r"py\{(.*)\}-core(\S+)", (ROOT / "tests/tox.ini").read_text(encoding="utf-8"))
    minors = sorted(int(core.removeprefix("2.")) for _pythons, core in cells)
    lowest, highest = (f"2.{minor}" for minor in (minors[0], minors[-1]))
    oldest = min(int(python.removeprefix("3.")) for pythons, _core in cells for python in pythons.split(","))
    for path, words in (
        ("meta/runtime.yml", f"requires_ansible: '>={lowest}.0'"),
        ("execution-environment.yml", f"ansible-core>={lowest}.0"),
        ("README.md", f"for ansible-core {lowest} or newer and Python 3.{oldest} or newer"),
        ("docs/docsite/rst/upgrading.rst", f"ansible-core {lowest} to {highest}"),
    ):
        assert words in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.full
def test_the_backup_command_makes_a_whole_ledger(reader: Reader) -> None:
    reader.before(vps())
    (command,) = [
        block.text.removeprefix("$ ") for block in documentation.blocks(LEDGER) if block.language == "console"
    ]
    env = playbooks.environment(reader.folder, {})
    with sqlite3.connect(reader.ledger):  # while another connection has the file open
        subprocess.run(["bash", "-c", command], cwd=reader.ledger.parent, env=env, check=True)
    backup = reader.ledger.with_name("backup.db")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert reader.run(vps(), {**reader.simulator.env, "RESELLER_LEDGER": str(backup)}).changed == [False]
