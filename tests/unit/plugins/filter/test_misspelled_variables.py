# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter misspelled_variables, on every role of the collection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.filter.misspelled_variables import misspelled_variables

ROLES = Path(__file__).resolve().parents[4] / "roles"


def specs_of(role: str) -> dict[str, Any]:
    text = (ROLES / role / "meta/argument_specs.yml").read_text("utf-8")
    specs: dict[str, Any] = yaml.safe_load(text)["argument_specs"]
    return specs


@pytest.mark.parametrize(
    ("role", "name", "meant"),
    [
        ("web_presence", "web_presence_domains", ["web_presence_domain", "web_presence_more_domains"]),
        ("customer_stack", "customer_stack_plan", ["customer_stack_approved_plan"]),
    ],
)
def test_variable_that_is_nearly_one_of_the_role_is_told_with_it(role: str, name: str, meant: list[str]) -> None:
    assert misspelled_variables([name], specs_of(role), role) == [
        f"{name} is not a variable of the role {role}. Did you mean {' or '.join(meant)}?"
    ]


def test_other_variables_are_other_peoples() -> None:
    names = [
        "web_presence_of_mine",
        "my_web_presence_name",
        "web_presencename",
        "web_presence__name",
        "web_presence_name",
    ]
    assert misspelled_variables(names, specs_of("web_presence"), "web_presence") == []


@pytest.mark.parametrize("role", sorted(path.name for path in ROLES.iterdir()))
def test_what_a_role_returns_is_not_taken_for_an_input(role: str) -> None:
    more = {"dedicated_server": ["l2vpn_id"], "dedicated_cluster": ["shared_l2vpn"], "customer_stack": ["planned"]}
    returned = {f"{role}_{name}" for name in ["results", "lines", "l2vpns", *more.get(role, [])]}
    assert not returned & {name for entry in specs_of(role).values() for name in entry["options"]}
    assert misspelled_variables(returned, specs_of(role), role) == []


@pytest.mark.parametrize("role", sorted(path.name for path in ROLES.iterdir()))
def test_no_role_has_a_default_for_what_costs_money(role: str) -> None:
    costly = ("cores", "ram", "disk_size", "addresses", "traffic_display", "_count", "upgrade", "subnet_size")
    defaults = ROLES / role / "defaults/main.yml"
    given = yaml.safe_load(defaults.read_text("utf-8")) if defaults.exists() else {}
    options = {name: option for entry in specs_of(role).values() for name, option in entry["options"].items()}
    with_default = [name for name, option in options.items() if "default" in option]
    assert [name for name in (*given, *with_default) if name.endswith(costly)] == []
