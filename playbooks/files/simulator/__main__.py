# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line: ``python -m simulator --port 0 --shape plain``, in the directory that has this package."""

from __future__ import annotations

import argparse
import contextlib
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from . import data
from .running import Simulator
from .shapes import SHAPES

HOW = """
Paste this into another terminal:
{exports}

An end user is {end_user}, whose organization is {organization}.
A product is VPS M, an OS template {template}.
Nothing is bought. When this ends (Ctrl-C), the orders and this ledger are gone."""


def main() -> None:
    """Serve as the command line says, until a signal or a request to stop comes."""
    parser = argparse.ArgumentParser(prog="simulator", description="Simulate a reseller interface.")
    add = parser.add_argument
    add("--port", type=int, default=8080, help="port to listen on; 0 takes a free one and prints it")
    add("--shape", choices=sorted(SHAPES), default="apiplatform", help="manner of names, envelopes and errors")
    add("--no-contracts", action="store_true", help="have no operations that read contracts")
    add("--background", action="store_true", help="return as soon as it listens, and let it run")
    given = parser.parse_args()
    if given.background:
        start_in_background([each for each in sys.argv[1:] if each != "--background"])
    else:
        serve(given.shape, given.port, no_contracts=given.no_contracts)


def start_in_background(arguments: list[str]) -> None:
    """Start another process with these arguments, and print its first line.

    Raises:
        SystemExit: it does not listen, with what it said
    """
    process = subprocess.Popen(
        [sys.executable, "-m", str(__package__), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith("simulator listening"):
        sys.exit(line + process.stdout.read())
    print(line, end="")


def serve(shape: str, port: int, *, no_contracts: bool) -> None:
    """Serve until a signal or a request to stop comes; exit with a message if the port is taken."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        simulator = Simulator(shape, no_contracts=no_contracts, port=port)
    except OSError as error:
        sys.exit(f"The simulator cannot listen on port {port}: {error.strerror}. Choose another one, or 0.")
    with contextlib.suppress(KeyboardInterrupt), simulator, tempfile.TemporaryDirectory() as folder:
        # A ledger that is removed with the orders: real ones stay out of it.
        variables = {**simulator.env, "RESELLER_LEDGER": f"{folder}/ledger.db"}
        simulator.exports = [f"export {name}={value}" for name, value in variables.items()]
        simulator.exports_file = Path(folder, "exports")
        exports = "\n".join(simulator.exports)
        simulator.exports_file.write_text(f"{exports}\n", encoding="utf-8")
        print(f"simulator listening on {simulator.base_url}", flush=True)
        if sys.stdout.isatty():
            known = {"end_user": data.END_USER, "organization": data.END_USER_ORGANIZATION_ID}
            print(HOW.format(exports=exports, template=data.OS_TEMPLATE, **known), flush=True)
        simulator.stopped.wait()


if __name__ == "__main__":
    main()
