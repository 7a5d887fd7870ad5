# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Counts the files and functions of the library that one order passes, from its options to its result.

    PYTHONPATH=.cache python -m bench.hops [--list]

The order is placed in this process, at a service that answers at once and publishes nothing but orders. It is the
second one in its ledger. The status is 1 if the order passes more than the goals.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from playbooks.files.simulator.data import END_USER
from playbooks.files.simulator.data import VPS_M as VPS
from tests.support.tasks import Runner

from .plays import ROOT

#: How many files and functions one order passes at most.
MOST_FILES, MOST_FUNCTIONS = 40, 340
_LIBRARY = "/hosting/reseller/plugins/module_utils/"


@contextmanager
def passed(functions: set[CodeType]) -> Iterator[None]:
    """Note the functions of the library that are called. What is nested in one without a name counts with it."""

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and _LIBRARY in code.co_filename and not code.co_name.startswith("<"):
            functions.add(code)

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


def order(runner: Runner, hostname: str) -> None:
    settings = {"hostname": hostname, "template": "debian-12"}
    result = runner.run("reseller_contract", {"end_user": END_USER, "product": VPS, "settings": settings})
    if not result["changed"]:
        sys.exit(f"{hostname} was not ordered: {result}")


def functions_of_an_order() -> set[CodeType]:
    """The functions that a second order at a service passes."""
    functions = set[CodeType]()
    command = [sys.executable, "-m", "bench.server"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as service,
    ):
        try:
            options = {
                "base_url": (service.stdout.readline() if service.stdout else "").strip(),
                "api_key": "bench-key",
                "organization_id": "4711",
                "ledger": str(Path(folder) / "ledger.db"),
            }
            runner = Runner(options, {"XDG_STATE_HOME": f"{folder}/state"})
            order(runner, "first.example.com")
            with passed(functions):
                order(runner, "second.example.com")
        finally:
            service.terminate()
    return functions


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the functions of each file")
    options = parser.parse_args()
    by_file: dict[str, list[str]] = defaultdict(list)
    for code in functions_of_an_order():
        by_file[code.co_filename.partition(_LIBRARY)[2]].append(code.co_qualname)
    by_package: dict[str, list[int]] = defaultdict(list)
    for file, names in sorted(by_file.items()):
        by_package[file.partition("/")[0]].append(len(names))
        if options.list:
            print(f"{file:<45} {len(names):>4}  {' '.join(sorted(names))}")
    for package, numbers in by_package.items():
        print(f"{package:<20} {len(numbers):>3} files {sum(numbers):>4} functions")
    files, functions = len(by_file), sum(map(len, by_file.values()))
    print(f"{'one order':<20} {files:>3} files {functions:>4} functions (goals: {MOST_FILES} and {MOST_FUNCTIONS})")
    sys.exit(files > MOST_FILES or functions > MOST_FUNCTIONS)


if __name__ == "__main__":
    main()
