# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run targets of the Makefile as checks, some at once, and tell how far they are and what they came to.

    python tests/tools/checks.py [--jobs N] pytest sanity lint-ruff ...

What a check prints goes to a file. In the end it is shown whole where a check failed, of pytest from its first failure
on; then follow a line for each check, what was skipped, and the table of the fault campaign.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / ".cache" / "test"
#: Seconds between two lines of progress.
EVERY = 15.0
#: How many lines the summary has at most for what was skipped.
MOST_SKIPPED = 5

PERCENT = re.compile(r"\[ *(\d+)%\]$", re.MULTILINE)
SKIPPED = re.compile(r"^SKIPPED \[\d+\] .*$", re.MULTILINE)
FAILURES = re.compile(r"^=+ (?:FAILURES|ERRORS|short test summary info) =+$", re.MULTILINE)
FAULTS = re.compile(r"^[=-]+ fault campaign [=-]+\n(.*?)(?=^[=-]{3,}|\Z)", re.MULTILINE | re.DOTALL)
TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@dataclass
class Check:
    """A target of the Makefile, its process once it was started, and how it ended."""

    name: str
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    seconds: float = 0.0
    status: int | None = None

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    @property
    def said(self) -> str:
        return TERMINAL.sub("", self.log.read_text(encoding="utf-8", errors="replace")) if self.log.exists() else ""

    def start(self, make: str, env: Mapping[str, str]) -> None:
        self.started = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [make, "--no-print-directory", self.name],
                cwd=ROOT,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        if self.process is None or self.process.poll() is None:
            return False
        self.status, self.seconds = self.process.returncode, time.monotonic() - self.started
        return True

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait()


def progress(name: str, said: str) -> str:
    """The check, with how far it is where its output tells that: ``pytest 34 %``."""
    found = PERCENT.findall(said)
    return f"{name} {found[-1]} %" if found else name


def shown(said: str) -> str:
    """What is shown of a check that failed: all, but for the dots of pytest."""
    begin = FAILURES.search(said)
    return said[begin.start() :] if begin else said


def summary(checks: Sequence[Check], said: Mapping[str, str], seconds: float) -> Iterator[str]:
    """At most 30 lines: each check, what was skipped, and the table of the fault campaign."""
    for check in checks:
        state = {0: "ok", None: "not run"}.get(check.status, "FAILED")
        yield f"{state:<8}{check.name:<20}{check.seconds:>5.0f} s"
    skipped = [line for text in said.values() for line in SKIPPED.findall(text)]
    yield from skipped[:MOST_SKIPPED]
    if len(skipped) > MOST_SKIPPED:
        yield f"... and {len(skipped) - MOST_SKIPPED} more lines of what was skipped, in {LOGS.relative_to(ROOT)}"
    for text in said.values():
        for table in FAULTS.findall(text):
            yield from table.rstrip().splitlines()
    failed = [check.name for check in checks if check.status != 0]
    verdict = f"failed: {', '.join(failed)}" if failed else f"all {len(checks)} checks passed"
    yield f"{verdict}, in {seconds // 60:.0f}:{seconds % 60:02.0f}"


def run(checks: Sequence[Check], jobs: int) -> None:
    """Start the checks in their order, and tell of each when it ends, and in between how far they are."""
    make = os.environ.get("MAKE", "make")
    # No colours, no locale's warnings, and no share in the jobs of the make that started this.
    left_out = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "LC_ALL")
    plain = {"NO_COLOR": "1", "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "120"}
    env = {name: value for name, value in os.environ.items() if name not in left_out} | plain
    waiting, running, ended = list(checks), list[Check](), 0
    begin = told = time.monotonic()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(waiting.pop(0))
            running[-1].start(make, env)
        time.sleep(0.1)
        for check in [check for check in running if check.has_ended()]:
            running.remove(check)
            ended += 1
            print(f"{'FAILED' if check.status else 'ok':<8}{check.name:<20}{check.seconds:>5.0f} s", flush=True)
        if running and time.monotonic() - told >= EVERY:
            told = time.monotonic()
            seconds = told - begin
            states = ", ".join(progress(check.name, check.said) for check in running)
            print(f"{seconds // 60:.0f}:{seconds % 60:02.0f}    {ended} of {len(checks)} done; {states}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run targets of the Makefile as checks.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("targets", nargs="+", metavar="TARGET")
    given = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    checks = [Check(name) for name in given.targets]
    for check in checks:
        check.log.unlink(missing_ok=True)
    print(f"{len(checks)} checks, {given.jobs} at once; what they print: {LOGS.relative_to(ROOT)}/NAME.log", flush=True)
    begin = time.monotonic()
    try:
        run(checks, given.jobs)
    except KeyboardInterrupt:
        for check in checks:
            check.stop()
        return 130
    said = {check.name: check.said for check in checks}
    for check in checks:
        if check.status:
            print(f"\n--- {check.name} failed ---\n{shown(said[check.name]).rstrip()}")
    print("\n--- summary ---")
    print("\n".join(summary(checks, said, time.monotonic() - begin)), flush=True)
    # Where CI is set, pytest takes a skipped test for a failure; ansible-test does not, and tests/tools/sanity.py does.
    return 1 if any(check.status for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main())
