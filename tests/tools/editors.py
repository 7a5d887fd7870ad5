# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guide's stack file with mistakes, and what yaml-language-server, which editors use, says of stack files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support import documentation
from tests.support.playbooks import ROOT

BLOCKS = documentation.blocks("docs/docsite/rst/stacks.rst")
EXAMPLES = sorted((ROOT / "docs/examples/stacks").glob("*.yml"))


def mistakes() -> str:
    """The stack file of the guide whose comments tell what editors say of its lines."""
    (text,) = [block.text for block in BLOCKS if block.text.startswith("end_user: customer-4711")]
    return text


def said() -> dict[int, str]:
    """What the guide says of each line with a mistake, counted from 0."""
    lines = enumerate(mistakes().splitlines())
    return {number: line.partition("# ")[2] for number, line in lines if "# " in line}


def section(name: str) -> dict[str, Any]:
    """The editor's settings below a name, as the guide has them."""
    (settings,) = [json.loads(block.text) for block in BLOCKS if block.language == "json"]
    return {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{name}.")}


def underlined(server: Path, folder: Path, files: Sequence[Path]) -> dict[Path, list[dict[str, Any]]]:
    """What an editor with this folder open shows of its files: of each, a list of LSP's ``Diagnostic``."""
    with subprocess.Popen(["node", server, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        editor = {"workspace": {"configuration": True}, "textDocument": {"publishDiagnostics": {}}}
        workspace = {"uri": folder.as_uri(), "name": folder.name}
        opened = {
            "processId": None,
            "rootUri": folder.as_uri(),
            "workspaceFolders": [workspace],
            "capabilities": editor,
        }
        _send(process.stdin, {"id": 0, "method": "initialize", "params": opened})
        found: dict[str, list[dict[str, Any]]] = {}
        while len(found) < len(files):
            message = _receive(process.stdout)
            method, params = message.get("method"), message.get("params")
            if method is None:  # the answer to initialize
                _send(process.stdin, {"method": "initialized", "params": {}})
                for path in files:
                    document = {
                        "uri": path.as_uri(),
                        "languageId": "yaml",
                        "version": 1,
                        "text": path.read_text("utf-8"),
                    }
                    _send(process.stdin, {"method": "textDocument/didOpen", "params": {"textDocument": document}})
            elif method == "textDocument/publishDiagnostics":
                found[params["uri"]] = params["diagnostics"]
            elif method == "workspace/configuration":
                sections = [section(item["section"]) for item in params["items"]]
                _send(process.stdin, {"id": message["id"], "result": sections})
            elif "id" in message:
                _send(process.stdin, {"id": message["id"], "result": None})
        process.kill()
    return {path: found[path.as_uri()] for path in files}


def _send(stream: Any, message: Mapping[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    stream.flush()


def _receive(stream: Any) -> dict[str, Any]:
    length = 0
    while header := stream.readline().strip():
        name, _colon, value = header.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    message: dict[str, Any] = json.loads(stream.read(length))
    return message
