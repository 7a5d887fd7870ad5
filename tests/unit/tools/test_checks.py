# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make test` says while it runs, and in the end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tools import checks

PYTEST = """\
.......F [ 33%]
=================================== FAILURES ===================================
E   assert 1 == 2
-------------------------------- fault campaign --------------------------------
all                    10
=========================== short test summary info ============================
SKIPPED [1] tests/conftest.py:89: needs PostgreSQL: there is none
"""


def test_all_checks_run_though_one_fails_and_what_failed_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\ncat "$2"\ntest "$2" = sanity\n')
    make.chmod(0o700)
    for target, said in (("sanity", "fine"), ("pytest", PYTEST)):
        (tmp_path / target).write_text(said)
    monkeypatch.setenv("MAKE", str(make))
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.setattr(checks, "LOGS", tmp_path / ".cache/test")
    monkeypatch.setattr(sys, "argv", ["checks.py", "--jobs", "1", "pytest", "sanity"])
    assert checks.main() == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert [line.split()[:2] for line in lines[1:3]] == [["FAILED", "pytest"], ["ok", "sanity"]]
    # Of pytest, all but the dots.
    end = lines.index("--- summary ---")
    assert lines[3:end] == ["--- pytest failed ---", *PYTEST.splitlines()[1:]]
    assert lines[end + 3 : -1] == [PYTEST.splitlines()[-1], "all                    10"]
    assert lines[-1].startswith("failed: pytest, in 0:")
