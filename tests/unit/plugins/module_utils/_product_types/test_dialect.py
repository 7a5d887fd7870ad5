# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The dialect of JSON Schema that values are checked with: its keywords, its patterns, and its rules in words."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.dialect import rule_in_words, validator
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.patterns import whole_pattern


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"multipleOf": 0.1}, [0.3, 1, "x", True], [0.35, float("inf")]),
        ({"pattern": "[0-9]+"}, ["12", 12, True, "x" * 300], ["x12", "12\n"]),
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


def matches(pattern: str, value: str) -> bool:
    return re.fullmatch(pattern, value) is not None


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ("^[a-z]{3,8}$", ["abc"], ["ab", "abc\n", "ABC", "xabc1"]),
        ("/^[a-z]{3,8}$/i", ["ABC"], ["ab", "abcdefghi"]),
        ("#^a/b$#", ["a/b"], ["a"]),
        ("/b/", ["abc", "a\nb"], ["ac"]),
        ("##", ["", "a"], []),
        ("^a{1,3}b{1,3}c{0,9}d{2}$", ["abbdd"], ["bdd"]),
        (r"/\d+-\d+/", ["x 1-2 y"], ["x 1- y"]),
        ("/^a|b$/", ["ax", "xb", "a"], ["xa"]),
        # In JSON Schema it may be anywhere; HTML means the whole value, and does not say so.
        ("[a-z]{3}", ["abc", "abcd", "1abc"], ["ab"]),
        ("^a", ["abc"], ["ba"]),
        (r"\Aab\z", ["ab"], ["ab\n", "abc"]),
        (r"^\d+\\$", ["5\\"], ["5"]),
        ("/^(?<year>[0-9]{4})$/", ["2026"], ["26"]),
        (r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$", ["00:00:5e:00:53:01"], ["00:00:5e"]),
        (r"^[^@\s]+@[^@\s]+\.[^@\s]+$", ["a@b.example"], ["a@b"]),
    ],
)
def test_patterns_mean_what_the_service_means(text: str, accepted: list[str], refused: list[str]) -> None:
    pattern = whole_pattern(text)
    assert pattern is not None
    assert [value for value in accepted if not matches(pattern, value)] == []
    assert [value for value in refused if matches(pattern, value)] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(a+)+$",
        "^(a|ab)+c$",
        r"^(\d{1,3}\.){3}\d{1,3}$",
        "^.*.*.*.*x$",
        "^a{1,}b{1,}c{1,}d{1,}$",
        "(",
        "a{9999999999}",
        "[a-z&&[^b]]",
        "^[^]+[a-z]$",
        r"^\p{Lu}+$",
        "/a/Z",
        "(?R)",
        "x" * 5000,
        "(" * 600 + ")" * 600,
    ],
)
def test_what_is_not_understood_or_may_take_for_ever_is_no_pattern(text: str) -> None:
    assert whole_pattern(text) is None


@given(st.text(alphabet="ab^$|()[]{}*+?.,:=!<>P\\\\dzwi/#1234", max_size=30))
def test_any_text_gives_a_pattern_or_none(text: str) -> None:
    pattern = whole_pattern(text)
    if pattern is not None:
        assert re.compile(pattern)
        matches(pattern, "ab" * 64)
