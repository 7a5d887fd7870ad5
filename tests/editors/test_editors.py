# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person sees who writes a stack file in an editor, or checks one in a pipeline, with the schema as written."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_reader import read_stack
from ansible_collections.hosting.reseller.plugins.module_utils._stack.yaml_reader import read_yaml
from tests.editors.language_server import ROOT, SERVER, LanguageServer
from tests.tools import stack_schema

CHECK = ROOT / ".cache" / "editors" / "bin" / "check-jsonschema"
GUIDE = ROOT / "docs/docsite/rst/stacks.rst"
EXAMPLES = sorted((ROOT / "docs/examples/stacks").glob("*.yml"))
#: As `playbook stack_schema` writes them.
SETTINGS = {
    "yaml.schemas": {"./customers/customer_stack.schema.json": ["customers/*.yml"]},
    "yaml.yamlVersion": "1.1",
}
CONTRACTS = "end_user: __self__\ncontracts:\n"
with_language_server = pytest.mark.programs("node", SERVER)


def mistakes() -> str:
    """The stack file of the guide whose comments tell what editors say of its lines."""
    text = GUIDE.read_text(encoding="utf-8").partition("The comments quote their messages:")[2]
    block = re.search(r":class: fragment\n\n(.*?)\n(?=\S)", text, re.DOTALL)
    assert block
    return textwrap.dedent(block[1])


def said() -> dict[int, str]:
    """What the guide says of each line with a mistake, counted from 0."""
    lines = enumerate(mistakes().splitlines())
    return {number: line.partition("# ")[2] for number, line in lines if "# " in line}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder that is open in the editor."""
    customers = tmp_path / "customers"
    customers.mkdir()
    shutil.copy(stack_schema.SCHEMA, customers)
    return tmp_path


@pytest.fixture
def editor(workspace: Path) -> Iterator[LanguageServer]:
    with LanguageServer(workspace, SETTINGS) as server:
        yield server


def write(workspace: Path, text: str, name: str = "4711.yml") -> Path:
    path = workspace / "customers" / name
    path.write_text(text, encoding="utf-8")
    return path


def at(text: str, mark: str) -> tuple[int, int]:
    """The line and column of the end of a mark in a text, counted from 0."""
    before = text[: text.index(mark) + len(mark)]
    return before.count("\n"), len(before.rpartition("\n")[2])


@pytest.mark.full
@with_language_server
class TestLanguageServer:
    def test_each_mistake_of_the_guide_is_underlined_with_its_words(
        self, workspace: Path, editor: LanguageServer
    ) -> None:
        found: dict[int, list[str]] = {}
        for problem in editor.open(write(workspace, mistakes())):
            found.setdefault(problem["range"]["start"]["line"], []).append(problem["message"])
        assert len(said()) == 12
        assert found.keys() == said().keys()
        for line, words in said().items():
            assert any(message.startswith(words) for message in found[line]), found[line]

    def test_the_examples_have_no_mistakes(self, workspace: Path, editor: LanguageServer) -> None:
        for example in EXAMPLES:
            copied = Path(shutil.copy(example, workspace / "customers"))
            assert editor.open(copied) == []

    def test_the_line_that_names_the_schema_works_without_settings(self, workspace: Path) -> None:
        text = "# yaml-language-server: $schema=customer_stack.schema.json\nend_user: me\ncontracts: {vps: []}\n"
        with LanguageServer(workspace) as editor:
            (problem,) = editor.open(write(workspace, text))
        assert problem["message"].startswith("the UUID of the end user")

    def test_names_and_values_are_completed_and_null_is_not_offered(
        self, workspace: Path, editor: LanguageServer
    ) -> None:
        text = (
            "end_user: \ncontracts:\n  domain:\n    - domain: example.org\n      action: \n  configurable_vps:\n"
            "    - hostname: a.example.org\n      ha_upgrade: \n      "
        )
        path = write(workspace, text)
        editor.open(path)
        assert editor.complete(path, *at(text, "end_user: ")) == ["__self__"]
        assert sorted(editor.complete(path, *at(text, "action: "))) == ["register", "transfer"]
        assert sorted(editor.complete(path, *at(text, "ha_upgrade: "))) == ["false", "true"]
        names = editor.complete(path, *at(text, "ha_upgrade: \n      "))
        assert {"cpu_cores", "template_name", "10g_upgrade"} <= set(names)
        # It does not belong into the file.
        assert "password" not in names

    def test_what_is_pointed_at_is_explained(self, workspace: Path, editor: LanguageServer) -> None:
        text = textwrap.dedent(
            """\
            end_user: __self__
            contacts:
              erika:
                telephone: "+49.2211234567"
            products: {web: VPS M}
            defaults:
              vps: {product: web}
            contracts:
              dedicated_server:
                - hostname: db01.example.org
                  ip4_count: 1
                  l2vpn_of: a
                  settings: {}
              domain:
                - domain: example.org
                  nameservers: [ns1.example.net]
            """
        )
        path = write(workspace, text)
        editor.open(path)
        titles = {
            "end_us": "End user",
            "contac": "Contacts",
            "erik": "Contact",
            "telepho": "Telephone",
            "produc": "Products",
            "{we": "Product",
            "default": "Defaults",
            "\n  vp": "Regular VPS",
            "contract": "Contracts",
            "dedicated_serv": "Contracts: dedicated server",
            "hostna": "Hostname",
            "ip4_cou": "Number of IPv4 addresses to allocate",
            "l2vpn_": "L2VPN of another server",
            "settin": "Additional settings",
            "  domai": "Contracts: domain",
            "nameserve": "Nameservers",
            "ns1.exa": "Nameserver",
        }
        shown = {mark: editor.hover(path, *at(text, mark)) for mark in titles}
        for mark, title in titles.items():
            heading, _blank, description = shown[mark].split("\n")[:3]
            assert heading == f"#### {title}"
            assert description
            assert not description.startswith("Source:")

    @pytest.mark.parametrize("version", ["1.1", "1.2"])
    def test_yaml_is_read_as_ansible_reads_it_with_the_settings_only(self, workspace: Path, version: str) -> None:
        text = f"""{CONTRACTS}  configurable_vps:
    - hostname: on
      ram: 8_192
contacts: {{a: {{label: a, first_name: A, last_name: B, company_name: "", street: S, postal_code: "1", city: C,
  country: NO, telephone: "+1.1", email: a@example.org}}}}
"""
        with LanguageServer(workspace, {**SETTINGS, "yaml.yamlVersion": version}) as editor:
            found = {problem["range"]["start"]["line"] for problem in editor.open(write(workspace, text))}
        assert found == ({3, 6} if version == "1.1" else {4})


@pytest.mark.full
@pytest.mark.programs(CHECK)
class TestCheckJsonschema:
    def check(self, path: Path) -> tuple[int, str]:
        command = [CHECK, "--output-format", "json", "--schemafile", stack_schema.SCHEMA, path]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_the_examples_are_valid(self) -> None:
        for example in EXAMPLES:
            assert self.check(example)[0] == 0

    def test_the_mistakes_of_the_guide_are_found(self, workspace: Path) -> None:
        status, output = self.check(write(workspace, mistakes()))
        paths = [error["path"] for error in json.loads(output)["errors"]]
        assert status == 1
        # All but the secret, of which JSON Schema itself has no word, and the country, which is a string in YAML 1.2.
        assert set(paths) == {
            "$.end_user",
            "$.contacts.erika.postal_code",
            "$.contracts.configurable_vps[0]",
            "$.contracts.configurable_vps[0].hostname",
            "$.contracts.configurable_vps[0].ram",
            "$.contracts.dedicated_server[0]",
            "$.contracts.dedicated_server[1]",
            "$.contracts.dedicated_server[2]",
            "$.contracts.domain[0]",
            "$.contracts.domain[0].action",
        }


def test_the_role_refuses_each_mistake_of_the_guide() -> None:
    stack = read_stack(read_yaml(mistakes()), may_hold_secrets=False)
    found = {problem.line - 1 for problem in stack.problems if problem.line is not None}
    assert said().keys() <= found
