# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Simulators that cost little to start: forks of one process that has imported everything.

As a program: ``python -m tests.simulator.nursery`` reads command lines of the simulator from the socket that is its
standard input. Each is a message of JSON with a socket, which becomes standard input, output and error of a fork.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 65536
END_SECONDS = 10.0


class Nursery:
    """The process that simulators are forked from. It is started with the first one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def fork(self, arguments: Sequence[str]) -> socket.socket:
        """Start a simulator, and return its standard input and output. It ends when that is closed."""
        if self._process is None:
            path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
            command = [sys.executable, "-m", __name__]
            # In a session of its own: an interrupt from the terminal is for whoever asks for simulators.
            self._process = subprocess.Popen(
                command, stdin=self._theirs.fileno(), env={**os.environ, "PYTHONPATH": path}, start_new_session=True
            )
            self._theirs.close()
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._socket, [json.dumps(list(arguments)).encode()], [theirs.fileno()])
        return ours

    def close(self) -> None:
        """End the process; its forks live on until they are stopped."""
        self._socket.close()
        self._theirs.close()
        if self._process is not None:
            self._process.wait(END_SECONDS)


def main() -> None:
    """Fork a simulator for each command line."""
    from .__main__ import main as simulate  # what the forks share, and whoever asks for them does not need

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    control = socket.socket(fileno=os.dup(0))
    while True:
        message, descriptors, _flags, _address = socket.recv_fds(control, LONGEST, 1)
        if not descriptors:
            return
        if os.fork() == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for standard in range(3):
                os.dup2(descriptors[0], standard)
            os.close(descriptors[0])
            simulate(json.loads(message))
            return
        os.close(descriptors[0])


if __name__ == "__main__":
    main()
