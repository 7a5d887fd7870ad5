# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.argspec import unusable
from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contracts import TASK

INFINITE, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"wait_in_flight": INFINITE}, "wait_in_flight"),
        ({"max_orders": NAN}, "max_orders"),
        ({"concurrency": "9" * 5000}, "concurrency"),
        ({"concurrency": "0" * 5000}, "concurrency"),
        ({"timeout": 10**5000}, "timeout"),
        ({"defaults": 0}, "defaults"),
        ({"defaults": [0]}, "defaults"),
        ({"defaults": {"org_max_ram": INFINITE}}, "defaults.org_max_ram"),
        ({"contracts": [{}, {"org_max_ram": -INFINITE}]}, "contracts[1].org_max_ram"),
    ],
)
def test_value_that_ansible_cannot_check_is_named(arguments: dict[str, Any], named: str) -> None:
    told = unusable(arguments, TASK.argument_spec)
    assert told is not None
    assert f"'{named}'" in told


@pytest.mark.parametrize("value", [None, True, 0, -1, "", "x", "\ud800", "a\0b", [0], {"x": 0}, [[]], 1.5, INFINITE])
@pytest.mark.parametrize("name", sorted(TASK.argument_spec))
def test_any_other_value_is_checked_without_an_untyped_error(name: str, value: Any) -> None:
    arguments = {"contracts": [], name: value}
    if unusable(arguments, TASK.argument_spec) is None:
        ArgumentSpecValidator(TASK.argument_spec).validate(arguments)
