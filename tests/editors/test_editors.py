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
