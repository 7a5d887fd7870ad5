# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is pasted is one task or one command, with exactly the values that were put in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.pasting import (
    PLACEHOLDER,
    CommentedValue,
    Offer,
    arguments,
    line,
    lines_of,
    offer,
    task,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.text import is_legible
from tests.support import pasting

MODULE = "hosting.reseller.reseller_record"
#: Texts of any characters, and those made of what means something to YAML, Ansible or a shell.
TEXTS = st.text() | st.text(alphabet="{}%#'\"\\$`;!&*-=:,[]<>|@~ \n\r\t\x85\u2028\u202eax0é\U0001f600.", max_size=40)


def assert_task_holds(text: str) -> None:
    """One task has the text in all places where a text can stand, and comments cannot add anything.

    YAML reads no name that is longer than 1,024 characters as it is written.
    """
    name = text[:100]
    values = {"of": text, "in": {name: [text, {name: text}]}, "numbers": [1, 2.5, 1e16, True, None], "none": {}}
    noted: dict[str, Any] = {name: CommentedValue(value, text) for name, value in values.items()}
    hidden = {f"not_{name}": CommentedValue(value, text, off=True) for name, value in values.items()}
    written = task(text, MODULE, {**noted, **hidden}, {"diff": True})
    assert pasting.tasks_of(written) == [{"name": text, MODULE: values, "diff": True}]
    assert all(map(is_legible, written.removesuffix("\n").split("\n")))


def test_task_has_hostile_values_as_they_are() -> None:
    for text in (*pasting.HOSTILE, "x" * 1200, "\u2028" * 400):
        assert_task_holds(text)


@given(TEXTS)
def test_task_has_any_value_as_it_is(text: str) -> None:
    assert_task_holds(text)


def test_shell_runs_a_line_with_the_very_values_and_nothing_else(tmp_path: Path) -> None:
    offers = {text: offer("Settle", MODULE, {"name": text, "state": "x"}, diff=True) for text in pasting.HOSTILE}
    lines = {text: each.line for text, each in offers.items() if each.line is not None}
    ran = pasting.words_of([*lines.values()], tmp_path / "shell")
    for text, (*words, options, diff) in zip(lines, ran, strict=True):
        assert words == ["localhost", "-m", MODULE, "-a"]
        assert pasting.arguments_of(options) == {"name": text, "state": "x"}
        assert diff == "--diff"
    # What Ansible would evaluate stands in the task alone.
    others = [text for text in offers if text not in lines]
    assert others == [text for text in pasting.HOSTILE if any(mark in text for mark in ("{{", "{%", "{#", "#jinja2:"))]
    assert all(str(offers[text]) == offers[text].task.rstrip() and offers[text].form == "task" for text in others)


@given(TEXTS, TEXTS)
def test_line_is_one_line_with_any_value(one: str, other: str) -> None:
    word = arguments({"one": one, "other": other})
    assert is_legible(word)
    assert pasting.arguments_of(word) == {"one": one, "other": other}


def test_line_that_a_terminal_would_show_otherwise_is_none() -> None:
    assert line(["x", "a\u202eb"]) is None
    assert line(["a\nb"]) is None
    assert line(["a b", "c"]) == "'a b' c"


def test_notes_are_comments_of_the_task_alone() -> None:
    assert offer(
        "Settle the order", MODULE, {"name": "web01", "state": CommentedValue("present", "or absent")}
    ) == Offer(
        f"- name: Settle the order\n  {MODULE}:\n    name: web01\n    state: present  # or absent\n",
        f"ansible localhost -m {MODULE} -a 'name=web01 state=present'",
    )
    noted = {"id": CommentedValue(PLACEHOLDER, "of it", off=True), "ready": CommentedValue(["a", "b"], off=True)}
    assert lines_of(noted) == "# id: …  # of it\n# ready:\n#   - a\n#   - b\n"


@pytest.mark.parametrize("job", [{}, {"JOB_ID": "4711"}, {"INVENTORY_UPDATE_ID": "7"}])
def test_what_is_offered_is_followed_by_a_sentence_in_awx(monkeypatch: pytest.MonkeyPatch, job: dict[str, str]) -> None:
    """Without a job it is ansible-runner elsewhere, such as in ansible-navigator."""
    for name, value in {"AWX_ISOLATED_DATA_DIR": "/runner/artifacts/1", **job}.items():
        monkeypatch.setenv(name, value)
    offered = offer("Settle", MODULE, {"name": "web01"})
    sentence = "\nIn AWX, launch the template that does it: see the guide." if job else ""
    assert str(offered) == f"{offered.line}{sentence}"
    assert str(Offer(offered.task, None)) == f"{offered.task.rstrip()}{sentence}"
