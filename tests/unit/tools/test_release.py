# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest

from tests.tools import release


def test_what_is_too_much_and_what_is_missing_is_named() -> None:
    tracked = {*(f"{name}/x" for name in release.WANTED), "plugins/y", "tests/x", "changelogs/fragments/1.yml"}
    good = {name for name in tracked if not name.startswith(("tests/", "changelogs/fragments/"))} | release.MADE
    assert release.wrong_contents(good, tracked) == []
    assert release.wrong_contents(good - {"plugins/y"} | {"tests/x", "changelogs/fragments/1.yml"}, tracked) == [
        "not needed: changelogs/fragments/1.yml",
        "not needed: tests/x",
        "missing: plugins/y",
    ]
    assert release.wrong_contents(good - {"roles/x"}, tracked - {"roles/x"}) == ["missing: roles"]


@pytest.mark.parametrize(
    ("libraries", "vulnerable", "skipped"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], [], []),
        ([{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}], ["a 1: CVE-1"], []),
        ([{"name": "a", "skip_reason": "not found"}], [], ["not found"]),
    ],
)
def test_a_library_that_was_left_out_was_not_audited(
    libraries: list[dict[str, object]], vulnerable: list[str], skipped: list[str]
) -> None:
    assert release.audited(json.dumps({"dependencies": libraries})) == (vulnerable, skipped, 1)
