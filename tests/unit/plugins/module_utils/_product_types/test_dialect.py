# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The dialect of JSON Schema that values are checked with: its keywords, its patterns, and its rules in words."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.dialect import rule_in_words, validator


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"multipleOf": 0.1}, [0.3, 1, "x", True], [0.35, float("inf")]),
        ({"pattern": "[0-9]+"}, ["12", 12, True], ["x12", "12\n"]),
    ],
)
def test_keywords_of_the_dialect(schema: dict[str, Any], valid: list[Any], invalid: list[Any]) -> None:
    assert [value for value in valid if not validator(schema).is_valid(value)] == []
    assert [value for value in invalid if validator(schema).is_valid(value)] == []


@pytest.mark.parametrize(
    ("keyword", "wanted", "rule"),
    [
        ("minimum", 5, "at least 5"),
        ("maxLength", 8, "at most 8 characters"),
        ("pattern", "^a$", "matches the pattern ^a$"),
        ("const", "x", "exactly x"),
        ("type", ["string", "null"], "a string or null"),
        ("enum", ["a", 1], 'one of "a", 1'),
        ("enum", list(range(30)), f"one of {', '.join(map(str, range(20)))}, …"),
    ],
)
def test_rule_in_words(keyword: str, wanted: Any, rule: str) -> None:
    assert rule_in_words(keyword, wanted) == rule
