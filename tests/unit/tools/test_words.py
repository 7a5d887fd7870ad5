# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `make lint-words` reports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.tools import words


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def standing_orders(): ...", ["standing_orders"]),
        ("from a import twins as _Twins", ["twins", "_Twins"]),
        ("outstanding = 1", []),
        ('"""What is left."""', ["What is left."]),
        ('"""Whatever is left."""', []),
    ],
)
def test_riddles_and_slow_docstrings_are_reported(code: str, found: list[str]) -> None:
    assert [each for _place, each in words.in_code("file.py", ast.parse(code))] == found


def test_message_and_guide_are_reported_with_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (
        ("plugins/a.py", "\nraise SomeError('name is no UUID.')\nraise Other('nobody')\n"),
        ("docs/docsite/rst/guide.rst", "An order\nthat is in flight.\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "PLUGINS", tmp_path / "plugins")
    assert [*words.in_texts()] == [("plugins/a.py:2", "is no UUID"), ("docs/docsite/rst/guide.rst:2", "in flight")]
