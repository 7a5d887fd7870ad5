# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run targets of the Makefile as checks, some at once, and tell how far they are and what they came to.

    python tests/tools/checks.py [--jobs N] pytest sanity lint-ruff ...

What a check prints goes to a file. In the end it is shown whole where a check failed, of pytest from its first failure
on; then follow what was skipped, and the table of the fault campaign.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / ".cache" / "test"
#: Seconds between two lines of progress.
EVERY = 15.0

PERCENT = re.compile(r"\[ *(\d+%)\]$", re.MULTILINE)
SKIPPED = re.compile(r"^SKIPPED \[\d+\] .*$", re.MULTILINE)
FAILURES = re.compile(r"^=+ (?:FAILURES|ERRORS|short test summary info) =+$", re.MULTILINE)
FAULTS = re.compile(r"^[=-]+ fault campaign [=-]+\n(.*?)(?=^[=-]{3,}|\Z)", re.MULTILINE | re.DOTALL)


def log_of(name: str) -> Path:
    return LOGS / f"{name}.log"


def said(name: str) -> str:
    """What a check has printed so far."""
    return log_of(name).read_text(encoding="utf-8", errors="replace") if log_of(name).exists() else ""


def clock(begin: float) -> str:
    minutes, seconds = divmod(time.monotonic() - begin, 60)
    return f"{minutes:.0f}:{seconds:02.0f}"


def run(name: str, env: Mapping[str, str]) -> int:
    """Run a target, say how it ended, and return its exit status."""
    begin = time.monotonic()
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", name]
    with log_of(name).open("wb") as log:
        done = subprocess.run(
            command, cwd=ROOT, env=env, check=False, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    print(f"{'FAILED' if done.returncode else 'ok':<8}{name:<20}{clock(begin):>5}", flush=True)
    return done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Run targets of the Makefile as checks.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("targets", nargs="+", metavar="TARGET")
    given = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    for name in given.targets:
        log_of(name).unlink(missing_ok=True)
    print(f"{len(given.targets)} checks, {given.jobs} at once; what they print: {LOGS.relative_to(ROOT)}/NAME.log")
    # No colours, no locale's warnings, and no share in the jobs of the make that started this.
    left_out = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE")
    env = {name: value for name, value in os.environ.items() if name not in left_out}
    env |= {"NO_COLOR": "1", "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "120"}
    begin = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        running = {name: pool.submit(run, name, env) for name in given.targets}
        try:
            while pending := wait(running.values(), timeout=EVERY).not_done:
                percent = PERCENT.findall(said("pytest"))
                print(f"{clock(begin):>5}   {len(pending)} to go, pytest at {(percent or ['0%'])[-1]}", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            return 130
    failed = [name for name, check in running.items() if check.result()]
    for name in failed:
        text = said(name)
        first = FAILURES.search(text)
        print(f"\n--- {name} failed ---\n{text[first.start() if first else 0 :].rstrip()}")
    print("\n--- summary ---")
    for text in map(said, given.targets):
        for found in (*SKIPPED.findall(text), *FAULTS.findall(text)):
            print(found.rstrip())
    verdict = f"failed: {', '.join(failed)}" if failed else f"all {len(given.targets)} checks passed"
    print(f"{verdict}, in {clock(begin)}")
    # Where CI is set, pytest takes a skipped test for a failure; ansible-test does not, and tests/tools/sanity.py does.
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
