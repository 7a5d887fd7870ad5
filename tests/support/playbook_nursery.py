# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes of ansible-playbook that cost little to start: forks of one that has imported libraries.

Each run executes the program ansible-playbook from its first line, in a session of its own. What reads settings is
imported anew each time, and so is the collection.

As a program: ``playbook_nursery.py <ansible-playbook>`` reads runs from the socket that is its standard input. Each is
a message of JSON with the descriptor for what it prints. It answers the process id, and the exit status at the end.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

LONGEST = 1 << 18
#: What an interpreter and the C library read once, when they start.
READ_AT_START = ("PYTHON", "COVERAGE_", "LC_", "LANG", "LD_", "MALLOC_", "TZ")
#: This module and whatever imports it read Ansible's settings, from the environment and from files.
SETTINGS = "ansible.constants"
#: Libraries that Ansible and the collection use, and parts of ansible-core that read no settings, where they are found.
PRELOADED = (
    "concurrent.futures",
    "jinja2.nativetypes",
    "jsonschema",
    "multiprocessing.queues",
    "packaging.requirements",
    "requests",
    "sqlite3",
    "yaml",
    "ansible._internal._ssh._ssh_agent",
    "ansible.parsing.utils.addresses",
    "ansible.vars.hostvars",
)


class Nursery:
    """The process that runs are forked from, started with the first one. It serves one run at a time."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._socket, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def run(
        self, arguments: Sequence[str], folder: Path, environ: Mapping[str, str], timeout: float
    ) -> tuple[int, str]:
        """Run ansible-playbook, and return its exit status and output once nothing is left that could print.

        Raises:
            TimeoutError: it took longer, and was killed
        """
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__, self._program],
                stdin=self._theirs,
                # Pipes, as each run has them: Python looks at them when it starts.
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._theirs.close()
        message = json.dumps({"arguments": arguments, "folder": str(folder), "environ": dict(environ)})
        reading, writing = os.pipe()
        socket.send_fds(self._socket, [message.encode()], [writing])
        os.close(writing)
        pid = int(self._socket.recv(LONGEST))
        with open(reading, "rb", buffering=0) as output:
            try:
                printed = read(output, timeout)
            except TimeoutError:
                os.killpg(pid, signal.SIGKILL)
                raise
            finally:
                status = int(self._socket.recv(LONGEST))
        return status, io.TextIOWrapper(io.BytesIO(printed), encoding="utf-8").read()

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._theirs.close()
        if self._process is not None:
            self._process.communicate()


def read(file: io.RawIOBase, timeout: float) -> bytes:
    """All that comes until the file's end."""
    found, deadline = [b""], time.monotonic() + timeout
    while select.select([file], [], [], max(0.0, deadline - time.monotonic()))[0]:
        if not (part := file.read(LONGEST)):
            return b"".join(found)
        found.append(part)
    raise TimeoutError(f"no end within {timeout:g} s after {b''.join(found)!r}")


def can_be_forked(environment: Mapping[str, str]) -> bool:
    """Whether a fork of a process of this one's environment is what a process with that one would be."""
    return "COVERAGE_PROCESS_CONFIG" not in environment and all(
        os.environ.get(name) == environment.get(name)
        for name in {*os.environ, *environment}
        if name.startswith(READ_AT_START)
    )


def preload() -> None:
    """Import what is the same whatever the settings are."""
    # Out of reach meanwhile, so that nothing that reads settings can come along.
    sys.modules[SETTINGS] = None  # type: ignore[assignment]
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            import_module(name)
    del sys.modules[SETTINGS]
    gc.collect()
    gc.freeze()


def become(output: int, arguments: Sequence[str], folder: str, environ: Mapping[str, str]) -> None:
    """Make this fork what a process is that was started like that."""
    os.setsid()
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    sys.argv[1:] = arguments


def main() -> None:
    """Fork a run for each message, and wait for its end."""
    sys.argv[:] = sys.argv[1:]
    sys.path[0] = os.path.dirname(sys.argv[0])
    preload()
    control = socket.socket(fileno=os.dup(0))
    while True:
        message, descriptors, _flags, _address = socket.recv_fds(control, LONGEST, 1)
        if not descriptors:
            return
        (output,) = descriptors
        if (pid := os.fork()) == 0:
            control.close()
            become(output, **json.loads(message))
            runpy.run_path(sys.argv[0], run_name="__main__")
            return
        os.close(output)
        control.send(str(pid).encode())
        _pid, status = os.waitpid(pid, 0)
        control.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    main()
