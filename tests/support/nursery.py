# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes that cost little to start: forks of one process that has imported what they share.

Ansible's own workers come about in the same way.

As a program: ``python -m tests.support.nursery MODULE`` imports a module, and reads connections from the socket that is
its standard input. For each, a fork reads a line of JSON from the connection, and calls the module's ``serve`` with it;
its ``preload`` was called before.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: What a fork does with what is wanted of it, the connection to whoever wants it, and the descriptors that came along.
Serve = Callable[[Any, socket.socket, list[int]], None]


class Nursery:
    """The process that others are forked from, started with the first one; ``environ`` is added to its environment."""

    def __init__(self, module: str, environ: Mapping[str, str] | None = None) -> None:
        self._command = [sys.executable, "-m", __name__, module]
        self._environ = environ or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._socket, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def fork(self, wanted: Any, *descriptors: int) -> socket.socket:
        """Start a fork, and return the connection to it."""
        if self._process is None:
            # In a session of its own: an interrupt from the terminal is for whoever asks for forks. Pipes, as runs of
            # playbooks have them: Python looks at them when it starts.
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env={**os.environ, **self._environ},
                stdin=self._theirs,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._theirs.close()
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._socket, [b"."], [theirs.fileno(), *descriptors])
        ours.sendall(json.dumps(wanted).encode() + b"\n")
        return ours

    def close(self) -> None:
        """End the process; its forks live on."""
        self._socket.close()
        self._theirs.close()
        if self._process is not None:
            self._process.communicate()


def main() -> None:
    module = import_module(sys.argv[1])
    module.preload()
    serve: Serve = module.serve
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    control = socket.socket(fileno=os.dup(0))
    while True:
        _message, descriptors, _flags, _address = socket.recv_fds(control, 1, 8)
        if not descriptors:
            return
        if os.fork() == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            connection = socket.socket(fileno=descriptors[0])
            with connection.makefile("rb", buffering=0) as lines:
                wanted = json.loads(lines.readline())
            serve(wanted, connection, descriptors[1:])
            return
        for each in descriptors:
            os.close(each)


if __name__ == "__main__":
    main()
