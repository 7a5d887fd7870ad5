# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What CONTRIBUTING.md says of adding and changing things is done, step by step, in a copy of the checkout.

The short form changes all that is to be changed, and runs neither tests nor playbooks there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema
import pytest

from playbooks.files.simulator.running import Simulator
from tests.support.playbooks import ROOT
from tests.tools.sanity import copy_checkout

HEADER = "".join(f"{line}\n" for line in Path(__file__).read_text(encoding="utf-8").splitlines()[:3])
#: What is in the way of make in a copy: it would install everything.
STAMP = ".venv/.setup-stamp"
STEP = re.compile(
    r"Save this as\s+`(?P<new>[^`]+)`:"
    r"|In\s+(?:`(?P<file>[^`]+)`|(?P<same>the same file)),\s+below\s+(?P<last>the last\s+)?`(?P<line>[^`]+)`,\s+write:"
    r"|In\s+`(?P<changed>[^`]+)`,\s+replace\s+`(?P<old>[^`]+)`\s+with\s+`(?P<with>[^`]+)`"
    r"|^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Copy:
    """A copy of the checkout, in which somebody does what a section says."""

    folder: Path
    env: Mapping[str, str]
    #: What the first word of a command begins with that is run: all of them by default.
    programs: tuple[str, ...] = ("",)
    #: What each command has printed.
    shown: dict[str, str] = field(default_factory=dict)
    _file: str = ""

    def do(self, section: str) -> None:
        """Make the files and changes of a section, and run its commands, in its order."""
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        (found,) = re.findall(rf"^## {section}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
        # A block belongs to the step before it.
        step = None
        for each in STEP.finditer(found):
            if each["old"]:
                self._replace(each["changed"], each["old"], each["with"])
            elif not each["language"]:
                step = each
            elif each["language"] == "console":
                for line in each["text"].splitlines():
                    self._run(line.removeprefix("$ "))
            elif step is not None:
                self._write(step, each["text"])
                step = None

    def _write(self, step: re.Match[str], text: str) -> None:
        if step["new"]:
            path = self.folder / step["new"]
            assert not path.exists()
            path.write_text((HEADER if path.suffix == ".py" else "") + text, encoding="utf-8")
            return
        self._file = step["file"] or self._file
        lines = (self.folder / self._file).read_text(encoding="utf-8").splitlines(keepends=True)
        places = [at for at, line in enumerate(lines, 1) if line.rstrip("\n") == step["line"]]
        places = places or [at for at, line in enumerate(lines, 1) if line.strip() == step["line"]]
        (at,) = places[-1:] if step["last"] else places
        (self.folder / self._file).write_text("".join([*lines[:at], text, *lines[at:]]), encoding="utf-8")

    def _replace(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old} is {text.count(old)} times in {file}"
        (self.folder / file).write_text(text.replace(old, new), encoding="utf-8")

    def _run(self, line: str) -> None:
        words = shlex.split(line)
        if not words[0].startswith(self.programs):
            return
        if words[0] == "make":
            words[1:1] = ["-o", STAMP]
        done = subprocess.run(words, cwd=self.folder, env=self.env, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        self.shown[line] = done.stdout


@pytest.fixture
def copy(tmp_path: Path, simulator: Simulator, request: pytest.FixtureRequest) -> Copy:
    folder = tmp_path / "checkout"
    copy_checkout(folder)
    (folder / ".venv").symlink_to(sys.prefix)
    link = folder / ".cache/ansible_collections/hosting/reseller"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../..")
    own = ("PYTEST_", "ANSIBLE_", "RESELLER_", "MAKE")
    env = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    env |= {"HOME": str(tmp_path), "ANSIBLE_CONFIG": str(folder / "tests/ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
    env |= {**simulator.env, "RESELLER_LEDGER": str(tmp_path / "ledger" / "ledger.db")}
    return Copy(folder, env, ("",) if request.config.getoption("full") else ("make", "grep"))


def test_each_section_does_what_it_says(copy: Copy) -> None:
    """One after the other in one copy, which is compiled once."""
    copy.do("Add an option")
    copy.do("Add a module")
    shown = list(copy.shown.values())
    assert not shown or '"debian-13"' in shown[-1]
    copy.do("Add a product type")
    if shown:
        printed = list(copy.shown.values())[-1]
        assert re.search(r"\+ +quota: 10$", printed, re.MULTILINE), printed
        assert "correct-horse" not in printed
    assert "C(quota) - Quota in GB" in (copy.folder / "plugins/modules/reseller_contract.py").read_text()
    schema = json.loads((copy.folder / "roles/customer_stack/files/customer_stack.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for quota, valid in ((50, True), (51, False)):
        contracts = {"mailbox": [{"address": "b@example.org", "quota": quota}]}
        assert validator.is_valid({"end_user": "__self__", "contracts": contracts}) is valid
    copy.do("Change a message")
    (command,) = [each for each in copy.shown if each.startswith("grep")]
    assert len(copy.shown[command].splitlines()) == 3
    again = subprocess.run(shlex.split(command), cwd=copy.folder, check=False, capture_output=True, text=True)
    assert again.stdout == ""
