# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conditions on JSON values, and the pointers that they follow."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.conditions import (
    is_there,
    pointer_to,
    read_conditions,
    steps_of,
    value_at,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError

#: Of the example of RFC 6901, with what each pointer leads to.
RFC = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", RFC),
        ("/foo/1", "baz"),
        ("/", 0),
        ("/a~1b", 1),
        ("/m~0n", 8),
        ("/foo/2", None),
        ("/nothing/at/all", None),
    ],
)
def test_pointer_leads_to(pointer: str, value: Any) -> None:
    steps = steps_of(pointer, "until[0].pointer")
    assert value_at(RFC, steps) == value
    assert pointer_to(steps) == pointer


@pytest.mark.parametrize(
    ("condition", "shown", "holds"),
    [
        ({"equals": "active"}, {"status": "Active"}, False),
        ({"equals": "null"}, {"status": None}, False),
        ({"equals": "4"}, {"status": 4}, True),
        ({"equals": True}, {"status": 1}, False),
        ({"equals": {"a": [1]}}, {"status": {"a": [1]}}, True),
        ({"equals": {"a": [1]}}, {"status": {"a": [1], "b": 2}}, False),
        ({"in": ["active", "running"]}, {"status": "running"}, True),
        ({"in": ["active", "running"]}, {"status": "failed"}, False),
        ({"exists": True}, {"status": None}, False),
        ({"exists": "true"}, {"status": ""}, True),
        ({"exists": False}, {"status": None}, True),
    ],
)
def test_condition_holds(condition: dict[str, Any], shown: Any, holds: bool) -> None:
    (read,) = read_conditions({"pointer": "/status", **condition}, "until")
    assert read.holds(shown) is holds


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("status == active", '[1] is not a condition: "status == active". Nothing was sent.'),
        ({"equals": 1}, "[1] is not a condition"),
        ({"pointer": "/a"}, "[1] is not a condition"),
        ({"pointer": "/a", "equals": 1, "exists": True}, "[1] is not a condition"),
        ({"pointer": "/a", "in": "active"}, "[1] is not a condition"),
        ({"pointer": "/a", "in": []}, "[1] is not a condition"),
        ({"pointer": "/a", "exists": "perhaps"}, "[1] is not a condition"),
        ({"pointer": "/a", "equals": 1, "is": 1}, "[1] is not a condition"),
        *(({"pointer": each, "exists": True}, "is not a JSON pointer") for each in ("status", "/a~2", "/a~")),
    ],
)
def test_condition_is_refused(entry: Any, told: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        read_conditions([{"pointer": "/b", "exists": True}, entry], "unless.shows")
    assert error.value.message.startswith("unless.shows[1]")
    assert told in error.value.message
    with pytest.raises(ConfigurationError, match="is empty"):
        read_conditions([], "until")


@pytest.mark.parametrize(
    ("pointer", "expected"), [("/a/b", True), ("/list/0/x", True), ("/list/1", True), ("/c", False), ("/list/x", False)]
)
def test_place_is_there_if_null_or_a_longer_list_may_fill_it(pointer: str, expected: bool) -> None:
    assert is_there({"a": None, "list": [{"x": 1}]}, pointer.split("/")[1:]) is expected
