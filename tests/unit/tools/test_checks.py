# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `make test` says while it runs, and in the end."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from tests.tools import checks
from tests.tools.checks import progress

PYTEST = """\
bringing up nodes...
.......F [ 33%]
........ [100%]
=================================== FAILURES ===================================
E   assert 1 == 2
-------------------------------- fault campaign --------------------------------
ledger      fault  trials
sqlite      kill       10
all                    10
=========================== short test summary info ============================
SKIPPED [1] tests/conftest.py:89: needs PostgreSQL: there is none
FAILED tests/unit/test_a.py::test_a
=================== 1 failed, 15 passed, 1 skipped in 3.00s ====================
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", "a"),
        (".... [  3%]\n.... [ 47%]\n...", "a 47 %"),
    ],
)
def test_progress_is_read_from_what_a_check_says(said: str, expected: str) -> None:
    assert progress("a", said) == expected


def test_all_checks_run_though_one_fails_and_the_summary_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\nprintf "\\033[32mthis is $2\\033[0m$MAKEFLAGS\\n"\ncat "$2"\ntest "$2" = sanity\n')
    make.chmod(make.stat().st_mode | stat.S_IXUSR)
    many = "".join(f"SKIPPED [1] tests/test_{number}.py: no network\n" for number in range(50))
    for target, said in (("sanity", many), ("lint", "wrong"), ("pytest", PYTEST)):
        (tmp_path / target).write_text(said)
    monkeypatch.setenv("MAKE", str(make))
    monkeypatch.setenv("MAKEFLAGS", "-j8 --jobserver-auth=3,4")
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.setattr(checks, "LOGS", tmp_path / ".cache/test")
    monkeypatch.setattr(sys, "argv", ["checks.py", "--jobs", "2", "sanity", "lint", "pytest"])
    assert checks.main() == 1
    first, *rest = (line for line in capsys.readouterr().out.splitlines() if line)
    assert first == "3 checks, 2 at once; what they print: .cache/test/NAME.log"
    ended = [["ok", "sanity"], ["FAILED", "lint"], ["FAILED", "pytest"]]
    assert sorted(line.split()[:2] for line in rest[:3]) == sorted(ended)
    # Of pytest, all but the dots.
    failed = ["--- lint failed ---", "this is lint", "wrong", "--- pytest failed ---", *PYTEST.splitlines()[3:]]
    end = rest.index("--- summary ---")
    assert rest[3:end] == failed
    assert [line.split()[:2] for line in rest[end + 1 : end + 4]] == ended
    assert rest[end + 4 : -1] == [
        *(f"SKIPPED [1] tests/test_{number}.py: no network" for number in range(5)),
        "... and 46 more lines of what was skipped, in .cache/test",
        "ledger      fault  trials",
        "sqlite      kill       10",
        "all                    10",
    ]
    assert rest[-1].startswith("failed: lint, pytest, in 0:")
