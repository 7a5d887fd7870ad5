# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.options import RANGES, check_options
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import argument_spec

MODULES = ("contracts", "nameservers_info", "operation", "operation_info", "reconcile", "stack")
SPECS = [argument_spec(f"reseller_{module}") for module in MODULES]


def options_of(spec: dict[str, dict[str, Any]], *types: str) -> set[str]:
    """The names of all options of these types."""
    found = {name for name, each in spec.items() if {each.get("type"), each.get("elements")} & {*types}}
    deeper = (each["options"] for name, each in spec.items() if "options" in each)
    return found.union(*(options_of(each, *types) for each in deeper))


def refusal(options: dict[str, Any]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        check_options(options)
    return caught.value.message


def test_every_number_has_a_range() -> None:
    assert set().union(*(options_of(spec, "int", "float") for spec in SPECS)) == RANGES.keys()


@pytest.mark.parametrize("name", RANGES)
def test_ends_of_each_range(name: str) -> None:
    allowed = RANGES[name]
    for inside in (allowed.most, str(allowed.most), allowed.least, None, "soon", [allowed.most]):
        check_options({name: inside})
    for outside in (allowed.most + 1, -1, 10**400, -(10**400), "9" * 5000, float("inf"), float("nan"), "1e999", "NaN"):
        assert refusal({name: outside}).startswith(f"{name} must be {allowed} (given: ")
    assert refusal({name: [allowed.most, float("inf")]})
    assert refusal({name: allowed.least - 1})


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"ledger": "postgresql://me:hunter2\0@db/x"}, "ledger"),
        ({"contracts": [{"settings": {"password": "hunter2\udfff"}}]}, "contracts[0].settings.password"),
        ({"body": {"a\udc80": 1}}, "body.a"),
    ],
)
def test_broken_text_is_refused_without_being_shown(given: dict[str, Any], place: str) -> None:
    message = refusal(given)
    assert message.startswith(f"{place} has a character that is not valid in text. Nothing was sent")
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("given", "first"),
    [
        ({"body": {"a": [{"b": " … "}]}}, "body.a[0].b"),
        ({"query": {"id": "…", "…": "…"}, "name": "…"}, "query.id"),
        ({"contracts": [{"settings": {"hostname": "…"}}]}, "contracts[0].settings.hostname"),
    ],
)
def test_placeholder_is_refused_in_whatever_place(given: dict[str, Any], first: str) -> None:
    message = refusal(given)
    assert message.startswith(f"{first} is still a placeholder")
    assert "Nothing was sent" in message
    assert message.count("query.…") == ("name" in given)
    check_options({"path": "x", "body": {"a": "one … two", "b": 5, "c": None}})
