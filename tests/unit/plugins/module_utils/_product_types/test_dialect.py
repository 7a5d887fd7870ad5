# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules of JSON Schema in words. The tests of documented and live rules check values with the dialect."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.dialect import rule_in_words


@pytest.mark.parametrize(
    ("keyword", "wanted", "rule"),
    [
        ("minimum", 5, "at least 5"),
        ("pattern", "^a$", "matches the pattern ^a$"),
        ("const", "x", "exactly x"),
        ("type", ["string", "null"], "a string or null"),
        ("enum", ["a", 1], 'one of "a", 1'),
        ("enum", list(range(30)), f"one of {', '.join(map(str, range(20)))}, …"),
    ],
)
def test_rule_in_words(keyword: str, wanted: Any, rule: str) -> None:
    assert rule_in_words(keyword, wanted) == rule
