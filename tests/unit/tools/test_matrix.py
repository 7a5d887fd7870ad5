# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.tools import matrix

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize("listed", [[], ["--list"]])
def test_a_cell_without_its_interpreter_is_not_run_and_the_matrix_not_passed(
    listed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(matrix, "interpreters", lambda python: iter([sys.executable] if python == PYTHON else ()))
    monkeypatch.setattr(matrix, "make_venv", lambda cell: Path(matrix.find_interpreter(cell.python)).parent)
    monkeypatch.setattr(matrix, "status", lambda *_command: 0)
    here = next(cell.name for cell in matrix.CELLS if cell.python == PYTHON)
    missing = next(cell.name for cell in matrix.CELLS if cell.python != PYTHON)
    monkeypatch.setattr(sys, "argv", ["matrix.py", *listed, here, missing])
    assert matrix.main() == 1
    *_before, first, second = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"{here} +({sys.executable}|passed in .*)", first)
    assert re.fullmatch(rf"{missing} +NOT RUN: there is no python3\.\d+", second)
    monkeypatch.setattr(sys, "argv", ["matrix.py", *listed, here])
    assert matrix.main() == 0


def test_every_supported_version_is_documented() -> None:
    """What the matrix runs is what the metadata promises, and what the guides call tested."""
    lowest = min(matrix.SUPPORTED, key=_ordered)
    pythons = sorted({python for each in matrix.SUPPORTED.values() for python in each}, key=_ordered)
    assert f"requires_ansible: '>={lowest}.0'" in _text("meta/runtime.yml")
    assert f"ansible-core>={lowest}.0" in _text("execution-environment.yml")
    assert f"for ansible-core {lowest} or newer and Python {pythons[0]} or newer" in _text("README.md")
    assert f"ansible-core {lowest} to {max(matrix.SUPPORTED, key=_ordered)}" in _text("docs/docsite/rst/upgrading.rst")


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _text(path: str) -> str:
    return (matrix.ROOT / path).read_text(encoding="utf-8")


def test_constraints_hold_every_requirement_at_its_lower_bound() -> None:
    names = ["requests", "jsonschema", "PyYAML", "dnspython", "psycopg"]
    lines = matrix.lowest(*(path.read_text(encoding="utf-8") for path in matrix.RUNTIME)).split()
    assert [line.partition("==")[0] for line in lines] == names
    assert all(re.fullmatch(r"\w+==[0-9.]+", line) for line in lines)
