# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of a task in forks of a process that has imported the collection (nursery.py)."""

from __future__ import annotations

import json
import os
import signal
import socket
import traceback
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._http import config
from tests.faults import fault_points, mutants
from tests.support.nursery import ROOT, Nursery
from tests.support.tasks import Runner

PYTHONPATH = os.pathsep.join(map(str, (ROOT / ".cache", ROOT)))
#: No run takes that long; one that does hangs.
PATIENCE = 180.0


class Fork:
    """A run in a fork. ``pid`` is known at once; result() waits for its end."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(PATIENCE)
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


def nursery() -> Nursery:
    """Where runs of tasks are forked from; see serve() for what can be asked of one."""
    return Nursery(__name__, {"PYTHONPATH": PYTHONPATH, "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg")})


def run(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a task, with its warnings."""
    if wanted["without"]:
        mutants.PROTECTIONS[wanted["without"]]()
    if wanted["fault"]:
        fault_points.install(wanted["fault"])
    # Where a trial sets timeout, no request is waited for longer, one that orders included.
    config.ORDER_SECONDS = wanted["options"].get("timeout", config.ORDER_SECONDS)
    runner = Runner({}, os.environ)
    return {**runner.run(wanted["module"], wanted["options"]), "warnings": runner.warnings}


def preload() -> None:
    """Import what runs would import first."""
    for module in ("_tasks.contract", "_tasks.contracts", "_tasks.ledger", "_tasks.reconcile", "_ledger.postgresql"):
        import_module(f"ansible_collections.hosting.reseller.plugins.module_utils.{module}")


def serve(wanted: Mapping[str, Any], connection: socket.socket, _descriptors: list[int]) -> None:
    """Tell of this process, and, if it lives to, of the result as an adapter shows it.

    Wanted are ``module``, ``options``, ``environ``, ``fault`` and ``without``.
    """
    os.setsid()
    with connection, connection.makefile("w", encoding="utf-8") as lines:
        lines.write(f"{os.getpid()}\n")
        lines.flush()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RESELLER_", "XDG_", "AWX_"))}
        os.environ.clear()
        os.environ.update({**kept, **wanted["environ"]})
        try:
            result = run(wanted)
        except KeyboardInterrupt:
            os._exit(130)
        except Exception:  # noqa: BLE001 - whatever it is, the test is told
            result = {"crashed": traceback.format_exc()}
        lines.write(json.dumps(result, default=str) + "\n")
    os._exit(0)
