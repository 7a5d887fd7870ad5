# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line: ``python -m tests.simulator --port 0 --shape plain``."""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Sequence

from . import server
from .shapes import SHAPES


def arguments() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulator", description="Simulate a reseller interface.")
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on")
    add("--port", type=int, default=8080, help="port to listen on; 0 takes a free one and prints it")
    add("--shape", choices=sorted(SHAPES), default="apiplatform", help="manner of names, envelopes and errors")
    add("--no-contracts", action="store_false", dest="contracts", help="have no operations that read contracts")
    add("--end-with-stdin", action="store_true", help="end when standard input ends")
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Serve as the command line says."""
    given = arguments().parse_args(argv)
    shape = SHAPES[given.shape](given.contracts)
    server.serve(shape, given.host, given.port, end_with_stdin=given.end_with_stdin)


def preload() -> None:
    """All that simulators share is imported above."""


def serve(wanted: Sequence[str], connection: socket.socket, _descriptors: list[int]) -> None:
    """Serve as a command line says, with a connection as standard input, output and error."""
    for standard in range(3):
        os.dup2(connection.fileno(), standard)
    connection.close()
    main(wanted)


if __name__ == "__main__":
    main()
