# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run sanity, unit and integration tests on every supported ansible-core with every Python that it supports.

    python tests/tools/matrix.py [--list] [cell ...]

Each cell has a virtual environment of its own in .cache/matrix. Two more cells have the lowest versions that
requirements.txt allows. A cell whose interpreter is missing is listed as not run, and the matrix has not passed then.
Tests may not be skipped.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".cache" / "matrix"
RUNTIME = (ROOT / "requirements.txt", ROOT / "requirements-postgresql.txt")
TESTS = ROOT / "tests" / "requirements-test.txt"
REQUIREMENTS = (*RUNTIME, TESTS, ROOT / "tests" / "unit" / "requirements.txt")
WORKERS = os.cpu_count() or 2


@dataclass(frozen=True)
class Cell:
    """One combination.

    lowest: with the lowest versions of the collection's requirements, instead of the newest.
    no_sanity: why ansible-test sanity is left out here.
    """

    core: str
    python: str
    lowest: bool = False
    no_sanity: str = ""

    @property
    def name(self) -> str:
        return f"{self.core}-py{self.python}" + ("-lowest" if self.lowest else "")


SUPPORTED = {
    "2.19": ("3.11", "3.12", "3.13"),
    "2.20": ("3.12", "3.13", "3.14"),
    "2.21": ("3.12", "3.13", "3.14"),
}
CELLS = [Cell(core, python) for core, pythons in SUPPORTED.items() for python in pythons]
CELLS += [
    Cell("2.19", "3.11", lowest=True, no_sanity="ansible-test does not use the requirements"),
    Cell("2.21", "3.13", lowest=True, no_sanity="ansible-test does not use the requirements"),
]


class CellError(Exception):
    """What went wrong in a cell."""


class NoInterpreterError(CellError):
    """This machine has no interpreter for a cell."""


def interpreters(python: str) -> Iterator[str]:
    """Yield the places where python3.X may be: on PATH, then among pyenv's versions."""
    if found := shutil.which(f"python{python}"):
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{python}.*/bin/python{python}"), reverse=True))


def find_interpreter(python: str) -> str:
    """Return an interpreter that runs and is of this version: a launcher on PATH may lead nowhere."""
    test = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"
    for candidate in interpreters(python):
        done = subprocess.run([candidate, "-c", test], check=False, capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.strip() == python:
            return candidate
    raise NoInterpreterError(f"there is no python{python}")


def make_venv(cell: Cell) -> Path:
    """Make the cell's virtual environment, or bring it up to date with the requirements; return its bin directory."""
    interpreter = find_interpreter(cell.python)
    venv = HOME / cell.name
    stamp = venv / ".setup-stamp"
    inputs = "".join(path.read_text(encoding="utf-8") for path in REQUIREMENTS)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == inputs:
        return venv / "bin"
    run([interpreter, "-m", "venv", "--clear", str(venv)])
    command = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", f"ansible-core~={cell.core}.0"]
    if cell.lowest:
        constraints = venv / "lowest.txt"
        constraints.write_text(lowest(*(path.read_text(encoding="utf-8") for path in RUNTIME)), encoding="utf-8")
        command += ["-c", str(constraints)]
    run([*command, "-r", str(TESTS)])
    stamp.write_text(inputs, encoding="utf-8")
    return venv / "bin"


def lowest(*requirements: str) -> str:
    """Return constraints that hold each requirement at its lower bound.

    >>> lowest("psycopg[binary]>=3.2.2")
    'psycopg==3.2.2'
    """
    lines = [line for text in requirements for line in text.splitlines() if not line.startswith(("#", "-r"))]
    return "\n".join(re.sub(r"(\[.*\])?>=", "==", line) for line in lines)


def test_cell(cell: Cell) -> None:
    """Run everything in one cell; raise CellError naming what failed."""
    scripts = make_venv(cell)
    environment = os.environ | {
        "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
        "CI": "true",
        "PATH": os.pathsep.join([str(scripts), os.environ["PATH"]]),
        "VIRTUAL_ENV": str(scripts.parent),
    }
    python = str(scripts / "python")
    commands = {"tests": [python, "-m", "pytest", "-n", str(WORKERS), "tests/unit", "tests/integration"]}
    if not cell.no_sanity:
        commands["sanity"] = [python, "tests/tools/sanity.py"]
    if failed := [title for title, command in commands.items() if status(command, environment)]:
        raise CellError(" and ".join(failed) + " failed")


def run(command: list[str]) -> None:
    """Run a command that has to work before anything can be tested."""
    if code := status(command):
        raise CellError(f"ended with {code}: {' '.join(command)}")


def status(command: list[str], environment: dict[str, str] | None = None) -> int:
    print("+", *command, flush=True)
    try:
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    except OSError as exc:
        raise CellError(f"{command[0]} cannot be run: {exc}") from exc


def main() -> int:
    cells = {cell.name: cell for cell in CELLS}
    parser = argparse.ArgumentParser(description="Run the tests on every supported ansible-core and Python.")
    parser.add_argument("--list", action="store_true", help="list the cells and their interpreters, run nothing")
    parser.add_argument("cells", nargs="*", metavar="cell", help="only these cells: " + ", ".join(cells))
    arguments = parser.parse_args()
    if unknown := set(arguments.cells) - set(cells):
        parser.error(f"no such cell: {', '.join(sorted(unknown))}")
    results: list[str] = []
    passed = True
    for name in arguments.cells or cells:
        started = time.monotonic()
        try:
            if arguments.list:
                outcome = find_interpreter(cells[name].python)
            else:
                print(f"\n=== {name}", flush=True)
                test_cell(cells[name])
                outcome = f"passed in {time.monotonic() - started:.0f} s"
                outcome += f", without sanity: {cells[name].no_sanity}" if cells[name].no_sanity else ""
        except CellError as exc:
            outcome = f"{'NOT RUN' if isinstance(exc, NoInterpreterError) else 'FAILED'}: {exc}"
            passed = False
        results.append(f"{name:20} {outcome}")
    print("", *results, sep="\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
