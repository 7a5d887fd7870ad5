# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starts the services as real processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

import requests

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
DATA: dict[str, Any] = json.loads((FOLDER / "catalogue.json").read_text(encoding="utf-8"))
#: The frameworks are no requirements of the other tests, and have an environment of their own (`make test-services`).
PYTHON = ROOT / ".cache" / "services" / "bin" / "python"
NODE_MODULES = ROOT / ".cache" / "services-node" / "node_modules"
COMMANDS: dict[str, list[Path | str]] = {
    "fastapi": [PYTHON, FOLDER / "fastapi_service.py"],
    "nestjs": ["node", "-r", NODE_MODULES / "ts-node/register/transpile-only", FOLDER / "node" / "nestjs.ts"],
}
LONGEST_START = 60.0


class Service:
    """A service in a process of its own, on a free port of loopback: ``with Service("nestjs") as service``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> Service:
        """Start it, and wait until it answers. Raises RuntimeError with its output if it does not."""
        environ = {**os.environ, "NODE_PATH": str(NODE_MODULES), "TS_NODE_PROJECT": str(FOLDER / "node/tsconfig.json")}
        # Whoever connects to the port waits until the service takes the connection.
        with socket.create_server(("127.0.0.1", 0)) as listening, tempfile.TemporaryFile() as output:
            self.base_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            self.process = subprocess.Popen(
                [*COMMANDS[self.name], str(listening.fileno())],
                pass_fds=[listening.fileno()],
                env=environ,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            listening.close()
            try:
                self.orders()
            except requests.ConnectionError as error:
                output.seek(0)
                said = output.read().decode(errors="replace")
                raise RuntimeError(f"{self.name} did not start: {said[-2000:]}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.wait()

    @property
    def env(self) -> dict[str, str]:
        """The variables with which a playbook uses it."""
        return {
            "RESELLER_BASE_URL": self.base_url,
            "RESELLER_API_KEY": DATA["api_key"],
            "RESELLER_ORGANIZATION_ID": DATA["organization_id"],
        }

    def orders(self) -> list[dict[str, Any]]:
        """The bodies of the orders that it accepted, in their order."""
        found: list[dict[str, Any]] = requests.get(f"{self.base_url}/_orders", timeout=LONGEST_START).json()
        return found
