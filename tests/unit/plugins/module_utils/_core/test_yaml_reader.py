# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""YAML files as plain data with places: what is taken, what is refused, and where it stands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core import yaml_reader
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import MissingLibraryError
from ansible_collections.hosting.reseller.plugins.module_utils._core.yaml_reader import Document, dotted, read_yaml

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)
ESCAPED = chr(92)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: 1\nb: [x, {c: y}]\n", {"a": 1, "b": ["x", {"c": "y"}]}),
        ("day: 2026-02-28\n", {"day": "2026-02-28"}),
        ("1: a\nyes: b\n~: c\n", {"1": "a", "yes": "b", "~": "c"}),
        ("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\n", {"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": 3}}),
        ("<<: [{a: 1}, {a: 2, b: 3}]\n", {"a": 1, "b": 3}),
        ('"<<": {a: 1}\n', {"<<": {"a": 1}}),
    ],
)
def test_what_is_taken(text: str, data: Any) -> None:
    document = read_yaml(text)
    assert (document.data, document.problems) == (data, [])


#: Files of which nothing is read, and the one problem of each.
UNREADABLE = [
    ("", ":1:1: the file is empty"),
    ("a:\n\tb: 1\n", r"found character '\t' that cannot start any token"),
    ("a: 1\nb: [1\n", ":3:1: this is not valid YAML: while parsing a flow sequence"),
    ("a: 1\nb: x\x01y\n", ":2:5: this is not valid YAML: a character that cannot be printed"),
    (f'a: "{ESCAPED}U00110000"\n', ":1:1: this is not valid YAML: "),
    (f'a: "x{ESCAPED}ud800"\n', ":1:4: this is not valid YAML: a text has NUL or a part of a character in it"),
    ("[" * 600, ":1:1: this is not valid YAML: it is nested deeper than 50 levels"),
    (BOMB, ": it has more than 100000 parts, aliases counted each time"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *UNREADABLE,
        ("a: 1\nb: 2\na: 3\n", "f:3:1: a: this is given twice, also in line 1"),
        ("a:\n  - b: 1\n    b: 2\n", "f:3:5: a[0].b: this is given twice, also in line 2"),
        ("a: {b: !vault x}\n", "f:1:8: a.b: !vault has no place in this file: encrypt the file as a whole"),
        ("a: !!python/name:os.system x\n", "f:1:4: a: !!python/name:os.system has no place in this file"),
        ("a: '{{ b }}'\n", "f:1:4: a: this file is data, and templates in it are not evaluated"),
        ("a: {{ b }}\n", "f:1:5: a: a name is a plain text, not a list or a mapping (templates in {{ }} are not eval"),
        ("? [a]\n: b\n", "f:1:3: a name is a plain text, not a list or a mapping"),
        # In all forms of numbers, also those to the base 60.
        *(
            (f"a: {number}\n", "f:1:4: a: a number of more than 100 characters: quote it, if it is a text")
            for number in (
                "9" * 101,
                f"0x{'f' * 5000}",
                "1" + ":1" * 50_000,
                "1." + "1" * 5000,
                "1" + ":1" * 5000 + ".5",
            )
        ),
        ("a: &a\n  b: *a\n", "f:2:3: a.b: it contains itself, by an alias"),
        ("a: &a {<<: *a}\n", "f:1:1: a: it contains itself, by an alias"),
        ("a:\n  <<: b\n", "f:2:7: a: << takes a mapping, or a list of mappings"),
        ("a:\n  <<: [{b: 1}, 2]\n", "f:2:16: a: << takes a mapping, or a list of mappings"),
        ("[" * 52 + "]" * 52, "it is deeper than 50 levels"),
        ("{<<: " * 60 + "{a: 1}" + "}" * 60, "f:1:256: it is deeper than 50 levels"),
    ],
)
def test_what_is_refused_with_its_place(text: str, expected: str) -> None:
    document = read_yaml(text)
    (problem,) = document.problems
    assert expected in problem.shown("f")
    assert (document.data is None) is ((text, expected) in UNREADABLE)


def test_all_that_is_refused_is_told_at_once() -> None:
    document = read_yaml("a: !vault x\nb: '{{ c }}'\nd: 1\nd: 2\ne: !!int x\n")
    assert [problem.line for problem in document.problems] == [1, 2, 4, 5]
    assert document.unread == {("a",), ("b",), ("e",)}


@pytest.mark.parametrize(
    ("text", "path", "place"),
    [
        ("a:\n  - x\n  - y\n", ("a", 1), (3, 5)),
        ("a: &a {b: 1}\nc: *a\n", ("c",), (2, 1)),
        ("a: &a {b: 1}\nc: *a\n", ("c", "b"), (1, 8)),
        ("a: &a\n  b: 1\nc:\n  <<: *a\n  d: 2\n", ("c", "b"), (2, 3)),
        # What is written itself counts, and of several that are merged the first.
        ("a: &a\n  b: [1]\nc:\n  b: [2]\n  <<: *a\n", ("c", "b", 0), (4, 7)),
        ("a: &a\n  d: 1\nb: &b\n  d: 2\nc:\n  <<: [*a, *b]\n", ("c", "d"), (2, 3)),
    ],
)
def test_places(text: str, path: tuple[str | int, ...], place: tuple[int, int]) -> None:
    assert read_yaml(text).places[path] == place


@pytest.mark.parametrize("text", ["---\na: 1\n", "# why\na: 1\n", '{"a": 1, "a": 2}', "a: [\n", "a: 1\nb: \x00"])
def test_a_byte_order_mark_changes_nothing(text: str) -> None:
    assert read_yaml(f"\ufeff{text}") == read_yaml(text)


def test_what_is_missing_is_placed_where_its_parent_stands() -> None:
    document = read_yaml("a:\n  - b: 1\n")
    document.add(("a", 0, "c", "d"), "required")
    assert [problem.shown("f") for problem in document.problems] == ["f:2:5: a[0].c.d: required"]
    inline = Document({"a": []})
    inline.add(("a", 0), "required")
    assert [problem.shown("f") for problem in inline.problems] == ["a[0]: required"]


def test_path_is_shown_without_control_characters() -> None:
    assert dotted(("a\nb\x1b", "c")) == "a b.c"


def test_a_missing_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_reader, "YAML_ERROR", ImportError("no yaml"))
    with pytest.raises(MissingLibraryError, match="PyYAML"):
        read_yaml("a: 1")


@given(st.text(st.sampled_from("ab01:-?*&!<{}[]'\"|>%#,~= \n\t\\U\ud800é.") | st.characters(), max_size=40))
def test_no_text_raises(text: str) -> None:
    document = read_yaml(text)
    assert all(problem.message.isprintable() for problem in document.problems)
