# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.hosting.reseller.plugins.module_utils import _tasks
from ansible_collections.hosting.reseller.plugins.module_utils._adapter.argspec import (
    refuse_unusable,
    with_settings_hint,
)
from ansible_collections.hosting.reseller.plugins.module_utils._adapter.context import Context
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    ResellerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.options import check_options
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contracts import TASK

KNOWN = "Supported parameters include: name, product, settings (options)."


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        (
            f"Unsupported parameters for (x) module: hostname. {KNOWN}",
            "hostname is a setting of the product, not an option. Nothing was sent.\nWrite it below ",
        ),
        (
            f"Unsupported parameters for (x) module: contracts.hostname. {KNOWN}",
            "contracts.hostname is a setting of the product, not an option. Nothing was sent.\nWrite it below ",
        ),
        (
            f"Unsupported parameters for (x) module: 10g_upgrade, ram. {KNOWN}",
            "10g_upgrade and ram are settings of the product, not options. Nothing was sent.\nWrite them ",
        ),
        (f"Unsupported parameters for (x) module: prodct. {KNOWN}", None),
        ("Unsupported parameters for (x) module: hostname. Supported parameters include: name.", None),
        ("missing required arguments: end_user", None),
    ],
)
def test_settings_beside_the_option_are_said_to_belong_below_it(message: str, hint: str | None) -> None:
    assert with_settings_hint(message) == message if hint is None else with_settings_hint(message).startswith(hint)
    assert with_settings_hint(message).endswith(message)


UTILS = "ansible_collections.hosting.reseller.plugins.module_utils."
MODULES = Path(*_tasks.__path__).parents[1] / "modules"
NAMES = sorted(path.stem.removeprefix("reseller_") for path in MODULES.glob("reseller_*.py"))
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
    "read_timeout": 0.2,
}


@pytest.mark.parametrize("value", [0, [0]])
def test_value_that_ansible_cannot_check_is_named(value: Any) -> None:
    with pytest.raises(ConfigurationError, match="argument 'defaults' must be a mapping"):
        refuse_unusable({"defaults": value}, TASK.argument_spec)


TASKS = {name: import_module(f"{UTILS}_tasks.{name}").TASK for name in NAMES}
VALUES = [
    *(None, True, 0, -1, 1.5, INFINITE, -INFINITE, NAN, 10**400, "9" * 5000, "0" * 5000, ".inf", "1e999", "", "x"),
    *("\ud800", "a\0b", "\u202e\x1b[2J", "x" * 100_000, [0] * 1000, {"x": 0}, {"": None}, [[]], [{}], {"\ud800": "\0"}),
]


@pytest.mark.parametrize(
    "name", [name if name == "contract" else pytest.param(name, marks=pytest.mark.full) for name in NAMES]
)
def test_any_value_of_any_option_ends_without_an_untyped_error(name: str) -> None:
    """Checked as an action plugin checks them, before the task and by it; nothing is asked of any service."""
    task = TASKS[name]
    given = {option: value for option, value in GIVEN.items() if option in task.argument_spec}
    for option in task.argument_spec:
        for value in VALUES:
            arguments = {**given, option: value}
            with suppress(ResellerError):
                check_options(arguments)
                refuse_unusable(arguments, task.argument_spec)
                checked = ArgumentSpecValidator(task.argument_spec, **task.constraints).validate(arguments)
                if not checked.error_messages:
                    context = Context(checked.validated_parameters, True, True, {}, lambda text: None)
                    task.run(context)
                    context.close()


@pytest.mark.full
@pytest.mark.parametrize("kind", PRODUCT_TYPES)
def test_any_value_of_any_setting_ends_without_an_untyped_error(kind: str) -> None:
    """As it is, in a contact, and after zeros: YAML and JSON know more numbers than there are quantities."""
    task = TASKS["contract"]
    values = [*VALUES, "0" * 300, "0" * 100_000, "1" + "0" * 300, 1e308, 5e-324, -0.0, [0] * 300, {"email": "\ud800"}]
    for setting in (*PRODUCT_TYPES[kind].settings, "unknown", "\ud800", ""):
        for value in values:
            settings = {"hostname": "web01.example.org", "domain": "example.org", setting: value}
            given = {name: each for name, each in GIVEN.items() if name in task.argument_spec}
            arguments = {**given, "product_type": kind, "validation": "documented", "settings": settings}
            checked = ArgumentSpecValidator(task.argument_spec, **task.constraints).validate(arguments)
            context = Context(checked.validated_parameters, True, True, {}, lambda text: None)
            with suppress(ResellerError):
                json.dumps(task.run(context))
            context.close()
