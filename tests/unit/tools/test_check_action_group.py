# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from tests.tools.check_action_group import problems


@pytest.mark.parametrize(
    ("listed", "modules", "found"),
    [
        (["one", "two"], {"one", "two"}, []),
        (["one"], {"one", "two"}, ["two is missing"]),
        (["one", "two"], {"one"}, ["two is in the action group, but"]),
        (["two", "one"], {"one", "two"}, ["not sorted"]),
        (["one", "one"], {"one"}, ["twice"]),
    ],
)
def test_every_difference_is_named(listed: list[str], modules: set[str], found: list[str]) -> None:
    reported = problems(listed, modules)
    assert len(reported) == len(found)
    assert all(part in text for part, text in zip(found, reported, strict=True))
