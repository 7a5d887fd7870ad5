# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core import strict_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"]))
def test_what_json_writes_is_read(value: object, encoding: str) -> None:
    assert strict_json.read(json.dumps(value).encode(encoding)) == value


@given(st.binary() | st.text(alphabet='{}[]",:0123456789eE.-+truefalsn\\ud8').map(str.encode))
def test_anything_else_is_a_typed_error(body: bytes) -> None:
    try:
        value = strict_json.read(body)
    except strict_json.JsonError:
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
    with pytest.raises(strict_json.JsonError, match=reason):
        strict_json.read(body)


def test_what_is_read_at_the_bounds() -> None:
    assert strict_json.read(b"[" * 100 + b"9" * 100 + b"]" * 100)
    # Lone surrogates become characters that can be written.
    assert strict_json.read(rb'{"a\ud800": ["\udfff", "\ud83d\ude00"]}') == {"a\ufffd": ["\ufffd", "\U0001f600"]}
