# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.text import (
    by_folded_name,
    clean,
    is_uuid,
    same_id,
)


def test_the_first_of_names_that_fold_to_one_counts() -> None:
    mapping = {"Total-Items": 1, "totalItems": 2, 7: 3, None: 4, "@id": 5, "hydra:member": 6}
    assert by_folded_name(mapping) == {"totalitems": 1, "": 3, "@id": 5, "hydramember": 6}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\n lines\t\x00\x1b[31m ", "two lines [31m"),
        ("right\u202eleft", "right left"),
        ("x" * 21, "x" * 18 + " …"),
        ("x" * 20, "x" * 20),
        (" " * 100, " …"),
    ],
)
def test_clean(text: str, line: str) -> None:
    assert clean(text, 20) == line


def test_uuids_are_the_same_in_any_case_and_names_are_not() -> None:
    uuid = "fb8663c7-70b6-4d81-9750-c0d2b5697107"
    given = [uuid, uuid.upper(), f"{uuid}\n", uuid.replace("-", ""), 17]
    assert [is_uuid(value) for value in given] == [True, True, False, False, False]
    assert same_id(uuid, uuid.upper())
    assert not same_id("VPS M", "vps m")
