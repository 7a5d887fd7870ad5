# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starts the services as real processes."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
DATA: dict[str, Any] = json.loads((FOLDER / "catalogue.json").read_text(encoding="utf-8"))
#: The frameworks are no requirements of the other tests, and have an environment of their own (`make test-services`).
PYTHON = ROOT / ".cache" / "services" / "bin" / "python"
NODE_MODULES = ROOT / ".cache" / "services-node" / "node_modules"
LONGEST_START = 60.0


@dataclass
class Service:
    """A service that runs as a process of its own, on a free port of loopback."""

    name: str
    process: subprocess.Popen[bytes] | None = None
    port: int = 0
    output: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def env(self) -> dict[str, str]:
        """The variables with which a playbook uses it."""
        return {
            "RESELLER_BASE_URL": self.base_url,
            "RESELLER_API_KEY": DATA["api_key"],
            "RESELLER_ORGANIZATION_ID": DATA["organization_id"],
        }

    def start(self) -> None:
        """Start it and wait until it answers. Raises RuntimeError with its output if it does not."""
        # Another process can take the free port before the service does.
        if not any(self._answers() for _attempt in range(3)):
            self.output.seek(0)
            raise RuntimeError(f"{self.name} did not start: {self.output.read().decode(errors='replace')[-2000:]}")

    def _answers(self) -> bool:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [*command(self.name), str(self.port)],
            cwd=FOLDER,
            env={
                **os.environ,
                "NODE_PATH": str(NODE_MODULES),
                "TS_NODE_PROJECT": str(FOLDER / "node" / "tsconfig.json"),
            },
            stdout=self.output,
            stderr=subprocess.STDOUT,
        )
        end = time.monotonic() + LONGEST_START
        while self.process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError):
                self.orders()
                return True
            time.sleep(0.05)
        self.stop()
        return False

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def orders(self) -> list[dict[str, Any]]:
        """The bodies of the orders that it accepted, in their order."""
        with urllib.request.urlopen(f"{self.base_url}/_orders") as answer:
            found: list[dict[str, Any]] = json.load(answer)
        return found


def command(name: str) -> list[str]:
    """The command line that starts it, but for the port."""
    if name == "fastapi":
        return [str(PYTHON), str(FOLDER / "fastapi_service.py")]
    return ["node", "-r", str(NODE_MODULES / "ts-node/register/transpile-only"), str(FOLDER / "node" / f"{name}.ts")]
