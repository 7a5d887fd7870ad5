# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file in plugins/modules is documentation alone. The action plugin of its name takes the options it documents."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contract import requested_order
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import (
    argument_spec,
    fragment_options,
)
from tests.support.returned import documented as described_results
from tests.tools import product_types

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
CHECKED = ("type", "elements", "default", "choices", "required")


@cache
def documented() -> dict[str, Any]:
    """The documented options of each module, with those of its fragments."""
    names = [f"hosting.reseller.{name}" for name in MODULES]
    program = [Path(sys.executable).with_name("ansible-doc"), "--json", "--type", "module", *names]
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache")}
    done = subprocess.run(program, env=env, capture_output=True, text=True, check=True)
    return {name.rpartition(".")[2]: each["doc"]["options"] for name, each in json.loads(done.stdout).items()}


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a documentation says of options that can be checked; what is false or null is as if it were not there."""
    found: dict[str, Any] = {}
    for name, option in options.items():
        found[name] = {key: option[key] for key in CHECKED if option.get(key) not in (None, False)}
        if option.get("default") is False:
            found[name]["default"] = False
        if inner := option.get("suboptions") or option.get("options"):
            found[name]["options"] = checked(inner)
    return found


@pytest.mark.parametrize("module", MODULES)
def test_options_are_read_as_ansible_reads_them(module: str) -> None:
    spec, shown = checked(argument_spec(module)), checked(documented()[module])
    assert {name: spec[name] for name in shown} == shown
    assert spec.keys() == shown.keys()
    assert not any("aliases" in option for option in documented()[module].values())


def test_page_of_an_order_and_the_documentation_of_all_modules_are_so_long_at_most(tmp_path: Path) -> None:
    """Without the settings of product types, which are as many as there are."""
    collection = tmp_path / "ansible_collections/hosting/reseller"
    for part in ("modules", "doc_fragments"):
        shutil.copytree(ROOT / "plugins" / part, collection / "plugins" / part)
    module = collection / "plugins/modules" / product_types.MODULE.name
    module.write_text(product_types.with_block("", module.read_text(encoding="utf-8")), encoding="utf-8")
    program = [Path(sys.executable).with_name("ansible-doc"), "hosting.reseller.reseller_contract"]
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "COLUMNS": "80", "ANSIBLE_NOCOLOR": "1"}
    page = subprocess.run(program, env=env, capture_output=True, text=True, check=True).stdout
    assert "Settings of the product, with" in page
    # The path of the module before it has lines, too.
    assert 100 < len(page.partition("\n\n")[2].splitlines()) <= 500
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in collection.rglob("*.py")) <= 2720


def test_order_has_the_documented_defaults() -> None:
    given = {"end_user": "__self__"}
    defaults = {name: option.get("default") for name, option in argument_spec("reseller_contract").items()}
    assert requested_order(given) == requested_order({**defaults, **given})


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


#: As many options as each module has at most: each one has to be learned.
MOST_OPTIONS = {
    "reseller_contract": 26,
    "reseller_contracts": 20,
    "reseller_stack": 28,
    "reseller_record": 21,
    "reseller_reconcile": 12,
    "reseller_contract_info": 13,
    "reseller_operation": 20,
    "reseller_operation_info": 15,
}


@pytest.mark.parametrize(("module", "most"), MOST_OPTIONS.items())
def test_module_has_at_most_so_many_options(module: str, most: int) -> None:
    assert len(argument_spec(module)) <= most, sorted(argument_spec(module))


@pytest.mark.parametrize("module", MODULES)
def test_option_is_plural_where_it_takes_several_values(module: str) -> None:
    spec = argument_spec(module)
    spec |= {name: each for option in spec.values() for name, each in option.get("options", {}).items()}
    lists = {name for name, option in spec.items() if option["type"] == "list"}
    # As in ansible.builtin.uri.
    assert not [name for name in lists - {"status_code"} if not name.endswith("s")]
    assert not lists & {"status", "name", "end_user", "product_type"}
    assert not spec.keys() - lists & {"statuses", "names", "end_users", "product_types"}


#: What is returned under these names is one thing in all modules.
ONE_SHAPE = {
    "order": "dict",
    "record": "dict",
    "records": "list",
    "read_back": "dict",
    "presence": "str",
    "lines": "list",
}


@pytest.mark.parametrize("module", MODULES)
def test_one_thing_has_one_name_in_all_results(module: str) -> None:
    returned = described_results(module)
    assert {name: returned[name]["type"] for name in ONE_SHAPE.keys() & returned} == {
        name: ONE_SHAPE[name] for name in ONE_SHAPE.keys() & returned
    }
    # Presence alone would say nothing of why.
    assert "presence" not in returned or "read_back" in returned
    # What is returned on success is there on each success.
    assert not [
        name for name, each in returned.items() if not re.match("success|failure|on failure|when", each["returned"])
    ]


GROUPS = {
    "reseller": {
        *fragment_options("hosting.reseller.connection"),
        *fragment_options("hosting.reseller.connection.tls"),
    },
    "ledger": {*fragment_options("hosting.reseller.ledger")},
}


FRAGMENTS = {"reseller": "service_group", "ledger": "ledger_group"}


@pytest.mark.parametrize("group", GROUPS)
def test_default_of_an_action_group_is_an_option_of_each_of_its_modules(group: str) -> None:
    """A module that takes one of the options, but is not in the group, would miss the default."""
    runtime = yaml.safe_load((ROOT / "meta/runtime.yml").read_text(encoding="utf-8"))
    taking = [module for module in MODULES if GROUPS[group] <= argument_spec(module).keys()]
    assert runtime["action_groups"][group] == taking
    assert not [module for module in MODULES if module not in taking and GROUPS[group] & argument_spec(module).keys()]
    for module in taking:
        page = (ROOT / f"plugins/modules/{module}.py").read_text(encoding="utf-8")
        assert re.search(rf"(?m)^  - hosting\.reseller\.attributes\.({FRAGMENTS[group]}|both_groups)$", page), module
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert all(f"`{option}`" in contributing for option in GROUPS[group])


#: Each module has to be learned, too.
MOST_MODULES = 13


def test_there_are_at_most_so_many_modules() -> None:
    assert len(MODULES) <= MOST_MODULES


def test_each_module_has_an_action_plugin() -> None:
    actions = sorted(path.stem for path in (ROOT / "plugins/action").glob("*.py"))
    assert actions == MODULES, "plugins/action has another list of files than plugins/modules"
