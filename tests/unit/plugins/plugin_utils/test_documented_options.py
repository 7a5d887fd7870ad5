# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options are checked as their documentation has them, and no value ends in an untyped error."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Context
from ansible_collections.hosting.reseller.plugins.module_utils._adapter.options import check_options
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import OptionsValidator
from tests.support.clocks import HurriedClocks

UTILS = "ansible_collections.hosting.reseller.plugins.module_utils."
MODULES = Path(__file__).resolve().parents[4] / "plugins/modules"
NAMES = sorted(path.stem.removeprefix("reseller_") for path in MODULES.glob("reseller_*.py"))


def test_environment_stands_for_options_that_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESELLER_BASE_URL", "https://portal.example.org")
    monkeypatch.setenv("RESELLER_NEW_LEDGER", "refuse")
    monkeypatch.setenv("RESELLER_LEDGER", "")
    params, problem = OptionsValidator("reseller_reconcile", {}).validated({"timeout": "7"})
    assert problem is None
    assert (params["base_url"], params["ledger"]) == ("https://portal.example.org", None)
    assert (params["timeout"], params["new_ledger"]) == (7.0, "refuse")


INFINITE, NAN = float("inf"), float("nan")
GIVEN = {
    "base_url": "http://127.0.0.1:9",
    "api_key": "key",
    "organization_id": "4711",
    "ledger": "/nonexistent/ledger.db",
    "contracts": [],
    "end_user": "__self__",
    "name": "web01",
    "domain": "example.org",
    "nameservers": [],
}


TASKS = {name: import_module(f"{UTILS}_tasks.{name}").TASK for name in NAMES}
VALUES: list[Any] = [
    *(None, True, 0, -1, 1.5, INFINITE, -INFINITE, NAN, 10**400, "9" * 5000, "0" * 5000, ".inf", "1e999", "", "x"),
    *("\ud800", "a\0b", "\u202e\x1b[2J", "x" * 100_000, [0] * 1000, {"x": 0}, {"": None}, [[]], [{}], {"\ud800": "\0"}),
]


@cache
def validator_of(name: str) -> OptionsValidator:
    return OptionsValidator(f"reseller_{name}", TASKS[name].constraints)


def run(name: str, options: dict[str, Any]) -> None:
    """Check options as an action plugin does, before the task and by it; nothing is asked of any service."""
    validator = validator_of(name)
    arguments = {option: value for option, value in GIVEN.items() if option in validator.argument_spec} | options
    with suppress(ResellerError):
        check_options(arguments)
        params, problem = validator.validated(arguments)
        if not problem:
            context = Context(params, True, True, {}, lambda text: None, clocks=HurriedClocks())
            with closing(context.shared), context.at_end:
                json.dumps(TASKS[name].run(context))


@pytest.mark.parametrize(
    "name", [name if name == "contract" else pytest.param(name, marks=pytest.mark.full) for name in NAMES]
)
def test_any_value_of_any_option_ends_without_an_untyped_error(name: str, pytestconfig: pytest.Config) -> None:
    """Without --full each option has a fifth of the values, in turn."""
    step = 1 if pytestconfig.getoption("full") else 5
    for number, option in enumerate(validator_of(name).argument_spec):
        for value in VALUES[number % step :: step]:
            run(name, {option: value})


@pytest.mark.full
@pytest.mark.parametrize("kind", PRODUCT_TYPES)
def test_any_value_of_any_setting_ends_without_an_untyped_error(kind: str) -> None:
    """As it is, in a contact, and after zeros: YAML and JSON know more numbers than there are quantities."""
    values = [*VALUES, "0" * 300, "0" * 100_000, "1" + "0" * 300, 1e308, 5e-324, -0.0, [0] * 300, {"email": "\ud800"}]
    for setting in (*PRODUCT_TYPES[kind].settings, "unknown", "\ud800", ""):
        for value in values:
            settings = {"hostname": "web01.example.org", "domain": "example.org", setting: value}
            run("contract", {"product_type": kind, "validation": "specification", "settings": settings})
