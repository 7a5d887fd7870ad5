# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Customer stacks from files, by the collection's playbooks: the whole of one customer, and all that can be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.reseller.plugins.module_utils._core.yaml_reader import read_yaml
from ansible_collections.hosting.reseller.plugins.module_utils._orders.preparing import checked_settings
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_contracts import L2vpns
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_reader import read_stack
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import each_shape, in_shape
from tests.support.playbooks import ROOT, Runner
from tests.tools import stack_schema

EXAMPLES = sorted((ROOT / "docs/examples/stacks").glob("*.yml"))
WHOLE = ROOT / "docs/examples/stacks/customer-4711.yml"
NAMES = {
    "example.org",
    "example.com",
    "customer-4711/homepage",
    "web01.example.org",
    "web02.example.org",
    "db01.example.org",
    "db02.example.org",
}
SECRETS = {
    "customer_stack_secrets": {
        "build01.example.org": {"password": "correct-horse-battery"},
        "example.com": {"authcode": "secret-code-1"},
    }
}


def ordered(simulator: Simulator) -> list[str]:
    """What the service knows the orders by."""
    settings = [order["settings"] or {} for order in simulator.orders()]
    return [each.get("hostname") or each.get("domain") or "webhosting" for each in settings]


@each_shape
def test_a_whole_customer(simulator: Simulator, runner: Runner) -> None:
    """Ordered, and there already; where no L2VPN is told, a person looks it up in between."""
    extra: dict[str, Any] = {"customer_stack_file": str(WHOLE), "customer_stack_secrets": secrets_of(WHOLE)}
    first = runner.playbook("customer_stack", simulator.env, **extra)
    if simulator.shape == "plain":
        assert first.status != 0
        assert "set l2vpn_ids to it" in first.output
        assert "db02.example.org" not in ordered(simulator)
        extra["customer_stack_l2vpn_ids"] = {"db01.example.org": simulator.new_l2vpns().pop()}
        first = runner.playbook("customer_stack", simulator.env, **extra)
    assert (first.status, any(first.changed)) == (0, True), first.output
    assert sorted(ordered(simulator)) == sorted((NAMES - {"customer-4711/homepage"}) | {"webhosting"})

    assert "secret-code-1" in [(order["settings"] or {}).get("authcode") for order in simulator.orders()]

    again = runner.playbook("customer_stack", simulator.env, **extra)
    assert (again.status, any(again.changed)) == (0, False), again.output
    assert len(simulator.orders()) == len(NAMES)


#: JSON Schema has no word of secrets.
MISTAKES = """\
end_user: 4711  # found
contracts:
  configurable_vps:
    - hostname: build_01.example.org  # found
      cpu_core: 4  # found
      ram: 1000  # found
      password: correct-horse  # refused by the role alone
  dedicated_server:
    - hostname: db01.example.org
      ip4_count: 1
      ip4_subnet_size: 29  # found
    - hostname: db02.example.org  # found
    - hostname: db03.example.org
      ip4_count: 1
      existing_l2vpn: 8b0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
      l2vpn_of: db01.example.org  # found
  domain:
    - domain: example.org
      action: buy  # found
      admin: erika
      ownercRef: OC-10001
      owner: erika  # found
"""


def test_schema_finds_mistakes_that_the_role_refuses_and_none_in_examples() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(stack_schema.SCHEMA.read_text(encoding="utf-8")))
    validator.check_schema(validator.schema)
    for example in EXAMPLES:
        assert list(validator.iter_errors(yaml.safe_load(example.read_text("utf-8")))) == []
    found = validator.iter_errors(yaml.safe_load(MISTAKES))
    leaves = {each.json_path for error in found for each in ([error] if not error.context else error.context)}
    assert len(leaves) == MISTAKES.count("# found"), leaves
    stack = read_stack(read_yaml(MISTAKES), may_hold_secrets=False)
    for each in stack.contracts:
        checked = checked_settings(stack.requested(each, L2vpns(), {}), each.kind, check_mode=True)
        stack.report(each, checked.violations)
    refused = {problem.line for problem in stack.document.problems}
    assert {number for number, line in enumerate(MISTAKES.splitlines(), 1) if "# " in line} <= refused


def secrets_of(example: Path) -> dict[str, dict[str, str]]:
    """Those that are given beside an example, for the contracts that it names."""
    text = example.read_text("utf-8")
    return {name: each for name, each in SECRETS["customer_stack_secrets"].items() if f": {name}\n" in text}


@pytest.mark.full
@in_shape("laravel")
def test_each_example_can_be_ordered(simulator: Simulator, runner: Runner) -> None:
    tasks = []
    for example in EXAMPLES:
        options = {"path": str(example), "secrets": secrets_of(example), "verify_nameservers": False}
        tasks.append({"hosting.reseller.reseller_stack": options})
    play = runner.run(tasks, simulator.env, "-vvv", "--check")
    assert play.status == 0, play.output
    for result in play.results:
        assert not result.get("failed"), result
        assert {step["action"] for step in result["plan"]} == {"order"}
    assert "correct-horse-battery" not in play.output


PRIVATE = """---
end_user: __self__
contracts:
  configurable_vps:
    - {hostname: build01.example.org, template_name: debian-12, cpu_cores: 1, ram: 1024, disk_size: 10, username: admin,
       password: correct-horse-battery, ipv4_addresses: 1, traffic_display: 128, backup_count: 5, snapshot_count: 2,
       ha_upgrade: false, 10g_upgrade: false}
"""
READABLE = (
    "stack.yml:6:8: contracts.configurable_vps[0].password: a secret in a file that is not encrypted: move it to "
    "secrets, or encrypt the file with ansible-vault and give its text as content"
)


@in_shape("laravel")
def test_a_secret_in_a_readable_file_is_refused(simulator: Simulator, runner: Runner) -> None:
    readable, vaulted, password = (runner.folder / name for name in ("stack.yml", "encrypted.yml", "vault-password"))
    readable.write_text(PRIVATE, encoding="utf-8")
    vaulted.write_bytes(VaultLib([("default", VaultSecret(b"of the vault"))]).encrypt(PRIVATE))
    password.write_text("of the vault", encoding="utf-8")
    role = {"ansible.builtin.include_role": {"name": "hosting.reseller.customer_stack"}}
    module = "hosting.reseller.reseller_stack"
    tasks = [
        {module: {"content": PRIVATE, "path": str(readable)}},
        {module: {"path": str(vaulted)}},
        {**role, "vars": {"customer_stack_file": str(vaulted)}},
        {**role, "vars": {"customer_stack_file": str(readable)}},
    ]
    play = runner.run(tasks, simulator.env, "--check", "--vault-password-file", str(password))
    shown = [
        result for result in play.results if {"plan", "problems"} & {*result} or "decrypt" in str(result.get("msg"))
    ]
    private, undecrypted, decrypted, refused = shown
    assert private["problems"] == []
    assert "encrypted.yml is encrypted by ansible-vault, and this task cannot decrypt it." in undecrypted["msg"]
    assert decrypted["changed"]
    assert READABLE in refused["msg"]
    assert "has 1 problem. Nothing was sent." in refused["msg"]
    assert simulator.orders() == []
    assert "correct-horse-battery" not in play.output


@pytest.mark.full
def test_the_schema_is_written_beside_the_users_files(runner: Runner) -> None:
    settings = runner.folder / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"editor.tabSize": 2, "yaml.schemas": {"a.json": ["b.yml"]}}', encoding="utf-8")
    first = runner.playbook("stack_schema", {})
    again = runner.playbook("stack_schema", {})
    assert (first.status, any(first.changed), any(again.changed)) == (0, True, False), first.output
    written = runner.folder / "customers" / "customer_stack.schema.json"
    assert written.read_text("utf-8") == stack_schema.SCHEMA.read_text("utf-8")
    assert json.loads(settings.read_text("utf-8")) == {
        "editor.tabSize": 2,
        "yaml.schemas": {
            "a.json": ["b.yml"],
            "./customers/customer_stack.schema.json": ["customers/*.yml", "customers/*.yaml"],
        },
        "yaml.yamlVersion": "1.1",
    }
