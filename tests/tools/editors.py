# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A stack file with mistakes, and what yaml-language-server, which editors use, says of stack files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support import documentation
from tests.support.playbooks import ROOT

BLOCKS = documentation.blocks("docs/docsite/rst/stacks.rst")
#: The comments tell what editors say of the lines.
MISTAKES = """\
end_user: customer-4711              # the UUID of the end user, or __self__
contacts:
  erika:
    label: customer-4711
    first_name: Erika
    last_name: Mustermann
    company_name: ""
    street: Heidestr. 17
    postal_code: 51147               # a string that is not blank; quote
    city: Oslo
    country: NO                      # a two-letter country code
    telephone: "+47.21234567"
    email: erika@example.org
contracts:
  configurable_vps:
    - hostname: build_01.example.org  # a valid host name
      cpu_core: 4                    # Property cpu_core is not allowed.
      ram: 1000                      # Value is not divisible by 1024.
      password: correct-horse        # A secret is not safe in a file that is not encrypted.
  dedicated_server:
    - hostname: db01.example.org
      ip4_count: 1
      ip4_subnet_size: 29   # give either ip4_subnet_size or ip4_count: leave one of them out
    - hostname: db02.example.org  # give either ip4_subnet_size or ip4_count: here, or in defaults
    - hostname: db03.example.org
      ip4_count: 1
      existing_l2vpn: 8b0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11
      l2vpn_of: db01.example.org     # l2vpn_of and existing_l2vpn both name an L2VPN
  domain:
    - domain: example.org
      action: buy                    # register or transfer
      admin: erika
      ownercRef: OC-10001
      owner: erika                   # ownercRef and owner both name the OwnerC
"""
EXAMPLES = sorted((ROOT / "docs/examples/stacks").glob("*.yml"))


def said() -> dict[int, str]:
    """What editors say of each line with a mistake, counted from 0."""
    lines = enumerate(MISTAKES.splitlines())
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
