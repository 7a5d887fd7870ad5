# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way between the runs and the service, which breaks at an exact byte of an exchange when a test wants it to."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit

from playbooks.files.simulator.http_server import Peer, SocketServer, length_of

#: Where a connection can break. The service processes the order from ``sent`` on; with ``silence`` no answer comes.
#: With the last three something in between answers: a page that says 200 (unprocessed or processed), or 408.
POINTS = (
    "half_sent",
    "unprocessed",
    "sent",
    "half_status",
    "half_headers",
    "half_received",
    "received",
    "silence",
    "page_unprocessed",
    "page_processed",
    "late",
)
_PAGE = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "<!DOCTYPE html><html><title>Log in</title></html>"
_LATE = "HTTP/1.1 408 Request Timeout\r\n", ""
REPLIES = {"page_unprocessed": _PAGE, "page_processed": _PAGE, "late": _LATE}
_BYE = b"BYE\r\n\r\n"


class Wire(SocketServer):
    """Passes requests on to the service, one connection of its own for each. ``url`` is where runs find it."""

    def __init__(self, upstream: str) -> None:
        super().__init__(self._converse)
        server = urlsplit(upstream)
        self._server = (server.hostname or "", server.port or 80)
        self.url += server.path
        self._lock = threading.Lock()
        self.arm(None)

    def arm(self, point: str | None, *, skip: int = 0, reset: bool = True) -> None:
        """Break the connection of one order or cancellation, or of none: of number ``skip``, counted as they arrive."""
        with self._lock:
            self._point, self._skip, self._reset, self.orders, self.broke = point, skip, reset, 0, False

    def wait_until_idle(self) -> None:
        """Wait until the service has had all that runs which have ended have sent to it."""
        # Connections are accepted in their order: when this one is, those of the killed are, too.
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            last.sendall(_BYE)
            last.recv(1)
        self.wait_until_closed(self.connections)

    def _converse(self, client: Peer) -> None:
        # Who is killed within a head has sent no request.
        while (head := client.read_head()).endswith(b"\r\n\r\n") and head != _BYE:
            point = self._point_of(head)
            if point is not None:
                self._play(point, client, head)
                # A reset could take away what was answered.
                if self._reset and point not in REPLIES:
                    client.reset()
                return
            body = client.read_exactly(length_of(head))
            if len(body) < length_of(head):
                return
            client.send(self._answer(head + body))

    def _point_of(self, head: bytes) -> str | None:
        """Where the connection of this request breaks, if it is the order that is meant."""
        if not head.startswith((b"POST ", b"DELETE ")):
            return None
        with self._lock:
            number, self.orders = self.orders, self.orders + 1
            if self._point is None or number != self._skip:
                return None
            self.broke = True
            return self._point

    def _play(self, point: str, client: Peer, head: bytes) -> None:
        length = length_of(head)
        if point == "half_sent":
            half = client.read_exactly(length // 2)
            with socket.create_connection(self._server) as service:
                service.sendall(head + half)
            return
        body = client.read_exactly(length)
        answer = self._answer(head + body) if point not in ("unprocessed", "page_unprocessed") else b""
        if point in REPLIES:
            start, content = REPLIES[point]
            client.send(f"{start}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n{content}".encode())
        if not answer or point in REPLIES:
            return
        end_of_head = answer.index(b"\r\n\r\n") + 4
        sent = {
            "sent": 0,
            "half_status": len("HTTP/1.1 2"),
            "half_headers": end_of_head // 2,
            "half_received": (end_of_head + len(answer)) // 2,
            "received": len(answer),
            "silence": 0,
        }[point]
        client.send(answer[:sent])
        if point == "silence":
            # The client gives up first.
            client.wait_until_left()

    def _answer(self, request: bytes) -> bytes:
        with socket.create_connection(self._server) as connection:
            connection.sendall(request)
            service = Peer(connection)
            head = service.read_head()
            return head + service.read_exactly(length_of(head))
