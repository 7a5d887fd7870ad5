# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What runs on GitHub can be run anywhere: workflows call targets of make. Schemas are for `make lint-workflow`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.playbooks import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TARGETS = {
    name
    for line in re.findall(r"(?m)^([\w $()-]+):(?![=])", (ROOT / "Makefile").read_text(encoding="utf-8"))
    for name in line.split()
}


def jobs(path: Path) -> Iterator[dict[str, Any]]:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    yield from workflow["jobs"].values()


def commands(path: Path) -> Iterator[str]:
    """What the steps run, with each value that a matrix gives."""
    for job in jobs(path):
        for line in (step["run"] for step in job["steps"] if "run" in step):
            used = re.search(r"\$\{\{ matrix\.(\w+) \}\}", line)
            values = job["strategy"]["matrix"].get(used[1], [""]) if used else [""]
            yield from (re.sub(r"\$\{\{ matrix\.\w+ \}\}", value, line) for value in values)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_steps_call_only_targets_of_make(path: Path) -> None:
    words = [shlex.split(line) for line in commands(path)]
    assert words
    assert {program for program, *_rest in words} == {"make"}
    called = {word for line in words for word in line[1:] if "=" not in word}
    assert called - TARGETS == set()


def test_token_is_for_tags_alone() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in WORKFLOWS}
    used = {name: found for name, text in texts.items() if (found := re.findall(r"\$\{\{ (.*secrets.*) \}\}", text))}
    assert used == {"release": ["github.event_name == 'push' && secrets.GALAXY_TOKEN || ''"]}
    assert yaml.safe_load(texts["release"])["on"]["push"] == {"tags": ["[0-9]+.[0-9]+.[0-9]+"]}


def test_cells_of_the_matrix_are_those_of_tox_and_of_the_support_window() -> None:
    (job,) = jobs(ROOT / ".github/workflows/test.yml")
    cells = {f"py{each['python']}-core{each['core']}" for each in job["strategy"]["matrix"]["include"]}
    tox = (ROOT / "tests/tox.ini").read_text(encoding="utf-8")
    ranges = re.findall(r"(?m)^ +py\{([\d.,]+)\}-core([\d.]+)$", tox)
    assert cells == {f"py{python}-core{core}" for pythons, core in ranges for python in pythons.split(",")}
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    supported = re.findall(r"(?m)^\| ([\d.]+) \| (3[\d., ]+) \|$", policy)
    assert {(pythons.replace(" ", ""), core) for core, pythons in supported} == {*ranges}
