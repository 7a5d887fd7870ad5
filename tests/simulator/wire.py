# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers below the level of HTTP: raw bytes, and connections that end in the middle.

An ASGI application cannot do that, so the protocol hands its transport to the application with each request.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from .shapes.base import Answer

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

TRANSPORT = "simulator.transport"

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as HttpProtocol
    except ImportError:
        from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol


class OpenProtocol(HttpProtocol):
    """The server's own protocol, with the transport in each request's scope."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wrap the application for this connection."""
        super().connection_made(transport)
        app: Any = self.app

        async def with_transport(scope: Scope, receive: Receive, send: Send) -> None:
            scope[TRANSPORT] = transport
            await app(scope, receive, send)

        self.app = with_transport


async def read_body(receive: Receive) -> bytes | None:
    """The whole body of a request; None when the client went away before it was complete."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        return bytes(message["body"])
    chunks = []
    while message["type"] == "http.request":
        chunks.append(message["body"])
        if not message.get("more_body"):
            return b"".join(chunks)
        message = await receive()
    return None


async def send_answer(answer: Answer, send: Send) -> None:
    """Answer as HTTP wants it."""
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.raw_headers()})
    await send({"type": "http.response.body", "body": answer.body})


def wire_bytes(answer: Answer, length: int) -> bytes:
    """*answer* as it goes over the wire, with this Content-Length."""
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}".encode(), b"content-length: %d" % length]
    lines += [name + b": " + value for name, value in answer.raw_headers() if name != b"content-length"]
    return b"\r\n".join(lines) + b"\r\n\r\n" + answer.body


async def cut(scope: Scope, receive: Receive, sent: bytes = b"", *, reset: bool = False) -> None:
    """Send *sent*, then end the connection: with RST when *reset*, else with FIN after what was sent."""
    transport = scope[TRANSPORT]
    if sent:
        transport.write(sent)
    if reset:
        found = transport.get_extra_info("socket")
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.close()
    while (await receive())["type"] != "http.disconnect":
        pass
