# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mistakes are made where their text stands, and are seen or not: in a package that is made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools import mutants
from tests.tools.mutants import Mutant, Place

CODE = """\
def largest(values):
    if values:
        return max(
            values
        )
    return 0
"""


def of(old: str, new: str) -> Mutant:
    return Mutant("A1", "_core/numbers.py", old, new, "the smallest is returned")


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ("return max(", "return min(", CODE.replace("max", "min")),
        ("if values:\nreturn max(", "if not values:\n    return 0\nelse:\n    return max(", CODE.replace(
            "if values:", "if not values:\n        return 0\n    else:")),
        ("return", "yield", None),
        ("return sum(", "return min(", None),
    ],
    ids=["one line", "several lines", "not unique", "gone"],
)  # fmt: skip
def test_text_that_stands_once_is_changed(old: str, new: str, made: str | None) -> None:
    assert mutants.changed(CODE, of(old, new)) == made


def test_text_that_moved_is_found_with_the_tests_of_its_package(tmp_path: Path) -> None:
    path = tmp_path / mutants.CORE / "_orders/plan.py"
    path.parent.mkdir(parents=True)
    path.write_text(CODE, encoding="utf-8")
    place = mutants.place_of(of("max(", "min("), tmp_path)
    tests = ("tests/unit/plugins/module_utils/_orders",)
    assert place == Place("_orders/plan.py", CODE, CODE.replace("max", "min"), tests)
    path.with_name("planner.py").write_text(CODE, encoding="utf-8")
    assert mutants.place_of(of("max(", "min("), tmp_path) is None


@pytest.mark.parametrize(
    ("checked", "end"),
    [
        ("largest([1, 2]) == 2", "killed"),
        pytest.param("largest([]) == 0", "survived", marks=pytest.mark.full),
        pytest.param("(", "not run: pytest ended with 2", marks=pytest.mark.full),
    ],
)
def test_mistake_is_judged_by_the_tests(
    checked: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepared(copy: Path) -> Path:
        (copy / ".cache").mkdir(parents=True)
        (copy / mutants.CORE / "_core").mkdir(parents=True)
        mutants.write(copy / mutants.CORE / "_core/numbers.py", CODE)
        test = f"from plugins.module_utils._core.numbers import largest\n\ndef test_it(): assert {checked}\n"
        (copy / "test_it.py").write_text(test, encoding="utf-8")
        return copy

    monkeypatch.setattr(mutants, "prepared", prepared)
    monkeypatch.setattr(mutants, "HOME", tmp_path)
    place = Place("_core/numbers.py", CODE, CODE.replace("max(", "min("), ("test_it.py",))
    if end.startswith("not run"):
        with pytest.raises(SystemExit, match="Without a mistake, these tests fail"):
            [*mutants.judged([place], 1)]
    else:
        assert [*mutants.judged([place], 1)] == [end]
    assert (tmp_path / "0" / mutants.CORE / "_core/numbers.py").read_text(encoding="utf-8") == CODE


def test_each_mistake_has_an_id_of_its_own_and_few_may_survive() -> None:
    known = mutants.known_mutants()
    assert len({each.id for each in known}) == len(known)
    assert sum(bool(each.reason) for each in known) <= mutants.MOST
