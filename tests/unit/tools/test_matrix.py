# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.tools import matrix


def interpreter(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_launcher_that_leads_nowhere_is_no_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    broken = interpreter(tmp_path / "broken", "exit 127")
    another = interpreter(tmp_path / "another", "echo 3.1")
    monkeypatch.setattr(matrix, "interpreters", lambda _python: iter([broken, another, sys.executable]))
    assert matrix.find_interpreter(version) == sys.executable


def test_a_missing_interpreter_fails_its_cell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(matrix, "interpreters", lambda _python: iter(()))
    monkeypatch.setattr(sys, "argv", ["matrix.py", "2.17-py3.10"])
    assert matrix.main() == 1
    assert re.search(r"2\.17-py3\.10 +FAILED: no interpreter: install python3\.10", capsys.readouterr().out)


def test_constraints_hold_every_requirement_at_its_lower_bound() -> None:
    names = ["requests", "jsonschema", "PyYAML", "dnspython", "psycopg"]
    lines = matrix.lowest(*(path.read_text(encoding="utf-8") for path in matrix.RUNTIME)).split()
    assert [line.partition("==")[0] for line in lines] == names
    assert all(re.fullmatch(r"\w+==[0-9.]+", line) for line in lines)
