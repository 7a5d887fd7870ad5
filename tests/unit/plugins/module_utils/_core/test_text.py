# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.text import (
    JsonError,
    by_folded_name,
    clean,
    is_uuid,
    parse_json,
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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"]))
def test_what_json_writes_is_read(value: object, encoding: str) -> None:
    assert parse_json(json.dumps(value).encode(encoding)) == value


@given(st.binary() | st.text(alphabet='{}[]",:0123456789eE.-+truefalsn\\ud8').map(str.encode))
def test_anything_else_is_a_typed_error(body: bytes) -> None:
    try:
        value = parse_json(body)
    except JsonError:
        return
    json.dumps(value, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "Expecting value"),
        (b'{"a": 1, "b": 2, "a": 3}', "name 'a' twice"),
        (b"[NaN]", "NaN"),
        (b"[1e999]", "too large"),
        (b"[" + b"9" * 5000 + b"]", "5000 digits"),
        (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "nested deeper"),
        (b'"\xff"', "UTF-8"),
    ],
)
def test_refusals_say_what_is_wrong(body: bytes, reason: str) -> None:
    with pytest.raises(JsonError, match=reason):
        parse_json(body)


def test_what_is_read_at_the_bounds() -> None:
    assert parse_json(b"[" * 100 + b"9" * 100 + b"]" * 100)
    # Lone surrogates become characters that can be written.
    assert parse_json(rb'{"a\ud800": ["\udfff", "\ud83d\ude00"]}') == {"a\ufffd": ["\ufffd", "\U0001f600"]}
