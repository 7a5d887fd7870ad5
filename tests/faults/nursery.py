# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of a task as processes of their own that cost little: forks of one process that has imported everything.

Ansible's own workers come about in the same way, and do the same when they run an action plugin of the collection.

As a program: ``nursery.py <socket>`` forks for each connection. It reads one line of JSON (``module``, ``options``,
``environ``, ``fault``, ``without``, ``user``, ``group``), and answers its process id and, if it
lives to tell, the result as an adapter shows it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.faults import mutants
from tests.faults.hooks import fault_points
from tests.support.tasks import Runner

ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / "tests/faults/hooks"
PYTHONPATH = os.pathsep.join(map(str, (HOOKS, ROOT / ".cache", ROOT)))
#: No run takes that long; one that does hangs.
PATIENCE = 180.0


class Fork:
    """A run in a fork. ``pid`` is known at once; result() waits for its end."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("r", encoding="utf-8")
        self.pid = int(self._lines.readline())

    def result(self, patience: float = PATIENCE) -> dict[str, Any] | None:
        """What the task returned; ``None`` when its process was killed. Raises TimeoutError if it does not end."""
        self._connection.settimeout(patience)
        with self._connection, self._lines:
            line = self._lines.readline()
        if not line.endswith("\n"):
            return None
        result: dict[str, Any] = json.loads(line)
        if "crashed" in result:
            raise AssertionError(result["crashed"])
        return result

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """The process that runs are forked from."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nursery-")
        self._address = str(Path(self._folder.name) / "socket")
        self._process = subprocess.Popen(
            [sys.executable, __file__, self._address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": PYTHONPATH, "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg")},
        )
        if self._process.stdout is None or not self._process.stdout.readline():
            raise AssertionError("the nursery did not start")

    def fork(self, module: str, options: Mapping[str, Any], **more: Any) -> Fork:
        """Start a run of a module of the collection; see the top of this file for what can be asked of it."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE)
        connection.connect(self._address)
        connection.sendall(json.dumps({"module": module, "options": options, **more}).encode() + b"\n")
        return Fork(connection)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()


def run(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a task, with its warnings."""
    if wanted.get("fault"):
        fault_points.install(wanted["fault"])
    mutants.switch_off(wanted.get("without", ()))
    runner = Runner({}, os.environ)
    return {**runner.run(wanted["module"], wanted["options"]), "warnings": runner.warnings}


TASKS = ("contract", "contracts", "ledger", "ledger_info", "reconcile")


def main() -> None:
    for module in (*(f"_tasks.{task}" for task in TASKS), "_ledger.postgresql", "_ledger.sqlite"):
        import_module(f"{mutants.UTILS}{module}")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    print("ready", flush=True)
    while True:
        connection, _address = listener.accept()
        if os.fork() == 0:
            listener.close()
            serve(connection)
            os._exit(0)
        connection.close()


def serve(connection: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    with connection.makefile("rw", encoding="utf-8") as lines:
        wanted = json.loads(lines.readline())
        lines.write(f"{os.getpid()}\n")
        lines.flush()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RESELLER_", "XDG_", "AWX_"))}
        os.environ.clear()
        os.environ.update({**kept, **wanted.get("environ", {})})
        if wanted.get("user"):
            os.setgroups([])
            os.setgid(wanted.get("group") or wanted["user"])
            os.setuid(wanted["user"])
        try:
            result = run(wanted)
        except KeyboardInterrupt:
            os._exit(130)
        except Exception:  # noqa: BLE001 - whatever it is, the test is told
            result = {"crashed": traceback.format_exc()}
        lines.write(json.dumps(result, default=str) + "\n")


if __name__ == "__main__":
    main()
