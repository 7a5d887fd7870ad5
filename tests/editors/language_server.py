# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Drives yaml-language-server, which editors check YAML with, over its standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: In an environment of its own (`make test-full`), where npm is found.
SERVER = ROOT / ".cache" / "editors-node" / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
LONGEST = 60.0


class LanguageServer:
    """One language server with one folder open, as an editor has it; ``settings`` are those of the editor."""

    def __init__(self, folder: Path, settings: Mapping[str, Any] | None = None) -> None:
        self._folder = folder
        self._settings = {"yaml.validate": True, **(settings or {})}
        self._process = subprocess.Popen(
            ["node", str(SERVER), "--stdio"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._diagnostics: dict[str, list[dict[str, Any]]] = {}
        self._number = 0

    def __enter__(self) -> LanguageServer:
        threading.Thread(target=self._read, daemon=True).start()
        folder = self._folder.as_uri()
        self.request(
            "initialize",
            processId=None,
            rootUri=folder,
            workspaceFolders=[{"uri": folder, "name": "workspace"}],
            capabilities={
                "workspace": {"configuration": True, "workspaceFolders": True},
                "textDocument": {"publishDiagnostics": {}},
            },
        )
        self._notify("initialized")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def open(self, path: Path) -> list[dict[str, Any]]:
        """Open a file. Returns what is wrong with it, as the editor underlines it."""
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": path.read_text(encoding="utf-8")}
        self._notify("textDocument/didOpen", textDocument=document)
        while path.as_uri() not in self._diagnostics:
            self._handle(self._next())
        return self._diagnostics.pop(path.as_uri())

    def request(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._handle(message)

    def _notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def _handle(self, message: Mapping[str, Any]) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "textDocument/publishDiagnostics":
            self._diagnostics[params["uri"]] = params["diagnostics"]
        elif method == "workspace/configuration":
            sections = [self._section(item.get("section")) for item in params["items"]]
            self._send({"id": message["id"], "result": sections})
        elif method is not None and "id" in message:
            self._send({"id": message["id"], "result": None})

    def _section(self, name: str | None) -> dict[str, Any]:
        """The settings below a name. A dot in a setting's own name makes no further level: those of YAML have one."""
        return {key.partition(".")[2]: value for key, value in self._settings.items() if key.partition(".")[0] == name}

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self._process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        message = self._messages.get(timeout=LONGEST)
        if message is None:
            raise RuntimeError("the language server has ended")
        return message

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _colon, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)
