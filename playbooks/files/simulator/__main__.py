# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line: ``python -m playbooks.files.simulator --port 0 --shape plain``."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import tempfile
import threading

from . import data
from .running import Simulator
from .shapes import SHAPES

#: What a playbook needs, with a ledger that is removed with the orders: real ones stay out of it.
HOW = """
Paste this into another terminal:
{exports}

An end user is {end_user}, a product VPS M, an OS template {template}.
Nothing is bought. When this ends (Ctrl-C), the orders and this ledger are gone."""


def main() -> None:
    """Serve as the command line says, until a signal comes."""
    parser = argparse.ArgumentParser(prog="simulator", description="Simulate a reseller interface.")
    add = parser.add_argument
    add("--port", type=int, default=8080, help="port to listen on; 0 takes a free one and prints it")
    add("--shape", choices=sorted(SHAPES), default="apiplatform", help="manner of names, envelopes and errors")
    add("--no-contracts", action="store_true", help="have no operations that read contracts")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        simulator = Simulator(given.shape, no_contracts=given.no_contracts, port=given.port)
    except OSError as error:
        sys.exit(f"The simulator cannot listen on port {given.port}: {error.strerror}. Choose another one, or 0.")
    with contextlib.suppress(KeyboardInterrupt), tempfile.TemporaryDirectory() as folder, simulator:
        print(f"simulator listening on {simulator.base_url}", flush=True)
        if sys.stdout.isatty():
            variables = {**simulator.env, "RESELLER_LEDGER": f"{folder}/ledger.db"}
            exports = "\n".join(f"export {name}={value}" for name, value in variables.items())
            print(HOW.format(exports=exports, end_user=data.END_USER, template=data.OS_TEMPLATE), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
