# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.text import (
    brief,
    by_folded_name,
    caseless,
    clean,
    describe_json,
    fold,
    is_uuid,
    nearest,
    same_id,
)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("totalItems", "totalitems"),
        ("total_items", "totalitems"),
        ("Total-Items", "totalitems"),
        ("@id", "@id"),
        ("hydra:member", "hydramember"),
        (7, ""),
        (None, ""),
    ],
)
def test_fold(name: object, folded: str) -> None:
    assert fold(name) == folded


def test_the_first_of_names_that_fold_to_one_counts() -> None:
    mapping = {"Total_Items": 1, "totalItems": 2, 7: 3, None: 4, "@id": 5}
    assert by_folded_name(mapping) == {"totalitems": 1, "": 3, "@id": 5}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("WEB01", "web01", True),
        ("ÄPFEL", "äpfel", True),
        ("STRASSE", "straße", True),
        ("ΟΔΟΣ", "οδος", True),
        ("apfel", "äpfel", False),
        ("web-01", "web01", False),
    ],
)
def test_caseless(one: str, other: str, same: bool) -> None:
    assert (caseless(one) == caseless(other)) is same


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\n lines\t\x00\x1b[31m ", "two lines [31m"),
        ("right\u202eleft", "right left"),
        ("x" * 30, "x" * 8 + " …"),
        ("x" * 10, "x" * 10),
        (" " * 100, " …"),
    ],
)
def test_clean(text: str, line: str) -> None:
    assert clean(text, 10 if len(text) > 20 or set(text) == {"x"} else 100) == line


def test_brief_is_short_however_deep_and_large_a_value_is() -> None:
    deep: list[object] = []
    for _level in range(100_000):
        deep = [deep]
    assert brief(deep) == "[[[[[…]]]]]"
    assert len(brief({str(number): "x" * 1000 for number in range(1000)})) <= 200


def test_shape_tells_no_value() -> None:
    assert describe_json({"token": "hunter2", "items": [{"n": 1}], "none": None, "yes": True}) == (
        "an object {token: a string, items: a list of 1, the first: an object {n: a number}, none: null, "
        "yes: a boolean}"
    )
    assert "hunter2" not in describe_json([[["hunter2"]]])


def test_nearest_finds_slips_and_parts() -> None:
    names = ["VPS S", "VPS M", "Webhosting L", "Dedicated EX-Line"]
    assert nearest("vps-s", names)[0] == "VPS S"
    assert nearest("EX-Line", names) == ["Dedicated EX-Line"]
    assert nearest("", names) == []
    assert nearest("zzzz", names) == []


def test_nearest_among_very_many() -> None:
    assert nearest("Server 77777b", [f"Server {number}" for number in range(100_000)])[0] == "Server 77777"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("fb8663c7-70b6-4d81-9750-c0d2b5697107", True),
        ("FB8663C7-70B6-4D81-9750-C0D2B5697107", True),
        ("fb8663c7-70b6-4d81-9750-c0d2b5697107\n", False),
        ("fb8663c770b64d819750c0d2b5697107", False),
        (17, False),
    ],
)
def test_is_uuid(value: object, expected: bool) -> None:
    assert is_uuid(value) is expected


def test_only_uuids_are_the_same_in_any_case() -> None:
    uuid = "fb8663c7-70b6-4d81-9750-c0d2b5697107"
    assert same_id(uuid, uuid.upper())
    assert not same_id("VPS M", "vps m")
