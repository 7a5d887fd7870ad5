# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file in plugins/modules is documentation alone. The action plugin of its name takes the options it documents."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
ACTIONS = "ansible_collections.hosting.reseller.plugins.action."
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
#: What validate-modules compares where a module has an argument spec, which these files have not.
COMPARED = ("type", "elements", "default", "choices", "required")


@cache
def documented() -> dict[str, Any]:
    """The documented options of each module, with those of its fragments."""
    names = [f"hosting.reseller.{name}" for name in MODULES]
    program = [Path(sys.executable).with_name("ansible-doc"), "--json", "--type", "module", *names]
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache")}
    done = subprocess.run(program, env=env, capture_output=True, text=True, check=True)
    return {name.rpartition(".")[2]: each["doc"]["options"] for name, each in json.loads(done.stdout).items()}


def differences(said: Mapping[str, Any], taken: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Where the documented options and an argument spec differ, down to the options of options."""
    yield from (f"{place}{name} is only documented, or not documented" for name in sorted(said.keys() ^ taken.keys()))
    for name in sorted(said.keys() & taken.keys()):
        if (one := compared(said[name])) != (other := compared(taken[name])):
            yield f"{place}{name} is documented as {one}, and taken as {other}"
        yield from differences(said[name].get("suboptions") or {}, taken[name].get("options") or {}, f"{place}{name}.")


def compared(option: Mapping[str, Any]) -> dict[str, Any]:
    """One option; what is false or null is as if it were not there, but for a default."""
    found = {name: option[name] for name in COMPARED if option.get(name) not in (None, False)}
    if option.get("default") is False:
        found["default"] = False
    return {"type": "str", **found, "aliases": sorted(option.get("aliases") or ())}


@pytest.mark.parametrize("module", MODULES)
def test_documented_options_are_those_that_the_action_takes(module: str) -> None:
    spec = import_module(ACTIONS + module).ActionModule.TASK.argument_spec
    assert list(differences(documented()[module], spec)) == []


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ({"type": "int"}, {"type": "float"}),
        ({"type": "bool", "default": False}, {"type": "bool"}),
        ({"choices": ["a"]}, {"choices": ["a", "b"]}),
        ({"required": True}, {}),
        ({"type": "list", "elements": "str"}, {"type": "list"}),
        ({"aliases": ["old"]}, {}),
        (
            {"type": "dict", "suboptions": {"b": {"type": "int"}}},
            {"type": "dict", "options": {"b": {"type": "str"}}},
        ),
    ],
)
def test_difference_is_found(said: dict[str, Any], taken: dict[str, Any]) -> None:
    assert list(differences({"a": said}, {"a": taken}))
    assert list(differences({"a": said}, {}))


@pytest.mark.parametrize("module", MODULES)
def test_module_file_is_documentation_alone(module: str) -> None:
    tree = ast.parse((ROOT / f"plugins/modules/{module}.py").read_text(encoding="utf-8"))
    names = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            assert isinstance(node.value, ast.Constant)
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            assert isinstance(node, ast.ImportFrom)
            assert node.module == "__future__"
    assert names == ["DOCUMENTATION", "EXAMPLES", "RETURN"]


def test_each_module_has_an_action_plugin() -> None:
    assert sorted(path.stem for path in (ROOT / "plugins/action").glob("*.py")) == MODULES
