# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real HTTP server on loopback whose answers a test scripts, and which keeps the requests it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Received:
    """A request as it arrived. ``path`` is without the query, which is in ``query``; ``target`` is both, as sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Message[str, str]
    body: bytes
    target: str = ""


@dataclass(frozen=True)
class Reply:
    """An answer to give. ``body`` is sent as it is if it is bytes, else as JSON. ``Date`` is real by default.

    ``cut``: the connection ends instead.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False

    @property
    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


class ScriptedServer:
    """Answers each request with what ``script`` returns for it. ``url`` has no trailing slash."""

    def __init__(self, script: Callable[[Received], Reply]) -> None:
        self.requests: list[Received] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body leave together: apart, each answer would wait for a delayed acknowledgement.
            wbufsize = -1

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                parts = urlsplit(self.path)
                request = Received(
                    self.command,
                    parts.path,
                    dict(parse_qsl(parts.query)),
                    self.headers,
                    self.rfile.read(length),
                    self.path,
                )
                server.requests.append(request)
                reply = script(request)
                if reply.cut:
                    self.close_connection = True
                    return
                content = b"" if self.command == "HEAD" else reply.content
                if "Date" in reply.headers:
                    self.send_response_only(reply.status)
                else:
                    self.send_response(reply.status)
                if not any(name.lower() == "content-type" for name in reply.headers):
                    self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Tests read ``requests`` instead."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
