# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that a module documents are those that its task takes: validate-modules cannot tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
TASKS = "ansible_collections.hosting.reseller.plugins.module_utils._tasks."
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
SAME = ("type", "elements", "default", "choices", "required")


@cache
def documented() -> dict[str, Any]:
    names = [f"hosting.reseller.{name}" for name in MODULES]
    program = [Path(sys.executable).with_name("ansible-doc"), "--json", "--type", "module", *names]
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache")}
    done = subprocess.run(program, env=env, capture_output=True, text=True, check=True)
    return {name.rpartition(".")[2]: each["doc"]["options"] for name, each in json.loads(done.stdout).items()}


def differences(options: dict[str, Any], spec: dict[str, Any], place: str = "") -> list[str]:
    found = [f"{place}{name} is in one alone" for name in sorted(options.keys() ^ spec.keys())]
    for name in sorted(options.keys() & spec.keys()):
        said, taken = options[name], spec[name]
        wanted = {"type": "str", **{key: taken[key] for key in SAME if key in taken}}
        told = {"type": "str", **{key: said[key] for key in SAME if said.get(key) is not None}}
        for each in (wanted, told):
            if each.get("required") is False:
                del each["required"]
            if each.get("default") is None:
                each.pop("default", None)
        if wanted != told:
            found.append(f"{place}{name}: documented {told}, taken {wanted}")
        found += differences(said.get("suboptions") or {}, taken.get("options") or {}, f"{place}{name}.")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_documented_options_are_those_that_are_taken(module: str) -> None:
    spec = import_module(TASKS + module.removeprefix("reseller_")).TASK.argument_spec
    assert differences(documented()[module], spec) == []
