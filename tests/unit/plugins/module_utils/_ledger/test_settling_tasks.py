# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The task and the line that settle an order in doubt, to be pasted."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.settling_tasks import (
    settling_command,
    settling_task,
)

CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
LEDGER = "/var/lib/ledger.db"


class AnsibleLoader(yaml.SafeLoader):
    """Reads what Ansible marks as text without templates."""


AnsibleLoader.add_constructor("!unsafe", lambda _loader, node: str(node.value))


@pytest.mark.parametrize(
    "name", ["web01", "it's: #1", "büro", "yes", "007", "- x", "{{ 7 * 7 }}", "{% raw %}", "!x", "a\\b", '"']
)
def test_a_name_is_pasted_as_it_is(name: str) -> None:
    (task,) = yaml.load(settling_task(name, LEDGER), AnsibleLoader)
    assert task["hosting.reseller.reseller_ledger"] == {"name": name, "ledger": LEDGER, "state": "ordered"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("web01", f"name=web01 state=ordered ledger={LEDGER}"),
        ("it's: #1", {"name": "it's: #1", "state": "ordered", "ledger": LEDGER}),
        ("büro", f"name=büro state=ordered ledger={LEDGER}"),
        ("a b", {"name": "a b", "state": "ordered", "ledger": LEDGER}),
    ],
)
def test_a_line_for_a_shell_settles_the_order(name: str, arguments: str | dict[str, str]) -> None:
    program, host, *words = shlex.split(settling_command(name, LEDGER))
    assert [program, host, *words[:3]] == ["ansible", "localhost", "-m", "hosting.reseller.reseller_ledger", "-a"]
    assert (words[3] if isinstance(arguments, str) else json.loads(words[3])) == arguments


def test_a_line_says_what_is_known() -> None:
    database = "postgresql://reseller@db.example.org/ledger"
    line = settling_command("web01", database, state="ordered", contract_id=CONTRACT)
    assert line.endswith(f"'name=web01 state=ordered contract_id={CONTRACT}'")
    assert settling_command("web01", database, kind="operation").endswith("'name=web01 kind=operation state=done'")


def test_a_name_that_looks_like_a_template_is_settled_by_the_task() -> None:
    assert settling_command("{{ 1 }}", LEDGER) == settling_task("{{ 1 }}", LEDGER)


def test_what_is_known_is_in_the_task() -> None:
    (task,) = yaml.safe_load(settling_task("web01", LEDGER, state="ordered", contract_id=CONTRACT))
    assert task["hosting.reseller.reseller_ledger"]["contract_id"] == CONTRACT
    (task,) = yaml.safe_load(settling_task("web01", LEDGER, state="absent"))
    assert task["hosting.reseller.reseller_ledger"] == {"name": "web01", "ledger": LEDGER, "state": "absent"}


def test_a_database_is_named_in_a_comment_since_its_password_is_not_shown() -> None:
    task = settling_task("web01", "postgresql://reseller@db.example.org/ledger")
    assert "# ledger: in RESELLER_LEDGER, postgresql://reseller@db.example.org/ledger with its password" in task
    (read,) = yaml.safe_load(task)
    assert set(read["hosting.reseller.reseller_ledger"]) == {"name", "state"}
