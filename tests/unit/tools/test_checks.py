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
from tests.tools.checks import Check, progress, shown, summary

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


def test_of_a_failed_check_all_is_shown_but_the_dots() -> None:
    assert shown("one\ntwo\n") == "one\ntwo\n"
    assert shown(PYTEST).startswith("=================================== FAILURES")
    assert "assert 1 == 2" in shown(PYTEST)


def test_the_summary_is_short_and_has_what_was_skipped_and_the_faults() -> None:
    done = [Check("pytest", status=1, seconds=3.4), Check("sanity", status=0, seconds=70), Check("lint-ruff")]
    many = "".join(f"SKIPPED [1] tests/test_{number}.py: no network\n" for number in range(50))
    lines = list(summary(done, {"pytest": PYTEST, "sanity": many}, 75.2))
    assert lines == [
        "FAILED  pytest                  3 s",
        "ok      sanity                 70 s",
        "not run lint-ruff               0 s",
        "SKIPPED [1] tests/conftest.py:89: needs PostgreSQL: there is none",
        *(f"SKIPPED [1] tests/test_{number}.py: no network" for number in range(4)),
        "... and 46 more lines of what was skipped, in .cache/test",
        "ledger      fault  trials",
        "sqlite      kill       10",
        "all                    10",
        "failed: pytest, lint-ruff, in 1:15",
    ]


def test_all_checks_run_though_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\nprintf "\\033[32mthis is $2\\033[0m $MAKEFLAGS\\n"\ntest "$2" != bad\n')
    make.chmod(make.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("MAKE", str(make))
    monkeypatch.setenv("MAKEFLAGS", "-j8 --jobserver-auth=3,4")
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.setattr(checks, "LOGS", tmp_path / ".cache/test")
    monkeypatch.setattr(sys, "argv", ["checks.py", "--jobs", "2", "good", "bad", "better"])
    assert checks.main() == 1
    first, *_rest = said = capsys.readouterr().out.splitlines()
    assert first == "3 checks, 2 at once; what they print: .cache/test/NAME.log"
    assert sorted(line.split()[:2] for line in said[1:4]) == [["FAILED", "bad"], ["ok", "better"], ["ok", "good"]]
    assert said[said.index("--- bad failed ---") + 1].rstrip() == "this is bad"
    assert "this is good" not in "\n".join(said)
    assert said[-1].startswith("failed: bad, in 0:")
