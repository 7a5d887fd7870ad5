# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading OpenAPI documents: what is one, what is none, and what is meant to do harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import PublishedReferenceError
from ansible_collections.hosting.reseller.plugins.module_utils._reference.document import openapi_version, read_document

YAML = b"""
openapi: 3.1
info: {title: Portal, version: 1.10, date: 2026-01-31}
paths:
  /api/reseller/contracts: &item
    post:
      responses:
        201: {description: no}
  /same: *item
  /other:
    x-zone: 0012
    x-off: off
    x-empty:
    x-true: true
"""


def test_yaml_is_read_as_json_would_say_it() -> None:
    document = read_document(YAML)
    assert openapi_version(document) == "3.1"
    assert document["info"] == {"title": "Portal", "version": 1.1, "date": "2026-01-31"}
    assert document["paths"]["/same"] == {"post": {"responses": {"201": {"description": "no"}}}}
    assert document["paths"]["/other"] == {
        "x-zone": "0012",
        "x-off": "off",
        "x-empty": None,
        "x-true": True,
    }


def nested(levels: int, first: str, each: str) -> bytes:
    """YAML in which each level has the one before nine times."""
    lines = ["openapi: 3.0.0", f"a0: &a0 {first}"]
    lines += [f"a{level}: &a{level} {each % ', '.join([f'*a{level - 1}'] * 9)}" for level in range(1, levels)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><p>openapi: 3.0.0", "neither JSON nor YAML"),
        (b'{"openapi": "3.0.0"', "neither JSON nor YAML of an OpenAPI document .*delimiter"),
        (b'{"hydra:member": []}', "but an object {hydra:member: a list}"),
        (b'{"openapi": "4.0.0", "paths": {}}', "version 2.0 or 3"),
        (b'{"openapi": "3.0.0", "paths": []}', "with paths"),
        (b"[" * 400_000, "recursion"),
        (b"[" * 1_000_000, "more than 500000 values"),
        (b"openapi: 3.0.0\npaths: [", "YAML is broken"),
        (b"openapi: 3.0.0\na: &a [*a]", "grows by its aliases"),
        (nested(9, "[x, x]", "[%s]"), "grows by its aliases"),
        (b"openapi: 3.0.0\na: " + b"[" * 100_000, "too deep|nesting depth"),
        (b"openapi: 3.0.0\n" + b"# comment\n" * 900_000, "too large"),
    ],
)
def test_what_is_no_document_is_told_apart(body: bytes, said: str) -> None:
    with pytest.raises(PublishedReferenceError, match=said) as caught:
        read_document(body)
    assert len(caught.value.message) < 500


def test_aliases_are_read_and_tags_do_nothing() -> None:
    assert read_document(nested(4, "[x, x]", "[%s]"))["a1"] == [["x", "x"]] * 9
    assert read_document(b"openapi: 3.0.0\na: !!python/object/apply:os.system ['true']")["a"] == ["true"]


@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.text().map(lambda text: f"openapi: 3.0.0\n{text}".encode()))
)
def test_any_bytes_are_a_document_or_a_typed_error(body: bytes) -> None:
    try:
        document = read_document(body)
    except PublishedReferenceError:
        return
    assert openapi_version(document)
    json.dumps(document)
