# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The way between the runs and the service, which breaks at an exact byte of an exchange when a test wants it to."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

#: Where a connection can break. The service processes the order from ``sent`` on; with ``silence`` no answer comes.
#: With the last three something in between answers: a page that says 200 (unprocessed or processed), or 408.
Point = Literal[
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
]
POINTS: tuple[Point, ...] = get_args(Point)
_PAGE = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "<!DOCTYPE html><html><title>Log in</title></html>"
_LATE = "HTTP/1.1 408 Request Timeout\r\n", ""
REPLIES = {"page_unprocessed": _PAGE, "page_processed": _PAGE, "late": _LATE}
PATIENCE = 60.0
_BYE = b"BYE\r\n\r\n"


@dataclass
class Break:
    """Where the connection of an order breaks: of the order number ``skip``, counted as they arrive."""

    point: Point
    skip: int = 0
    reset: bool = True


@dataclass
class Scripted:
    """An answer that something in between gives: its bytes, sent one piece after the other.

    ``process``: whether the service gets the request all the same.
    """

    pieces: Iterable[bytes]
    process: bool = False


#: Makes the answer to a request (its head and its body); ``None``: the service answers.
Script = Callable[[bytes, bytes], Scripted | None]


class Wire:
    """Passes requests on to the service, one connection of its own for each. ``url`` is where runs find it."""

    def __init__(self, upstream: str) -> None:
        server = urlsplit(upstream)
        self._server = (server.hostname or "", server.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}{server.path}"
        self._lock = threading.Condition()
        self._open = 0
        self._break: Break | None = None
        self._script: Script | None = None
        self.orders = 0
        self.broke = False
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, breaking: Break | None, script: Script | None = None) -> None:
        with self._lock:
            self._break, self._script, self.orders, self.broke = breaking, script, 0, False

    def wait_until_idle(self) -> None:
        """Wait until the service has had all that runs which have ended have sent to it."""
        # Connections are accepted in their order: when this one is, those of the killed are, too.
        with socket.create_connection(self._listener.getsockname()) as last:
            last.sendall(_BYE)
            last.recv(1)
        with self._lock:
            if not self._lock.wait_for(lambda: self._open == 0, PATIENCE):
                raise AssertionError(f"{self._open} connections are still open")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    self._open += 1
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            self._exchange(client)
        finally:
            with self._lock:
                self._open -= 1
                self._lock.notify_all()

    def _exchange(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError), client:
            while (head := read_head(client)) != _BYE:
                breaking = self._of(head)
                if breaking is None:
                    body = read_body(client, head)
                    scripted = self._script(head, body) if self._script is not None else None
                    if scripted is None:
                        client.sendall(self._answer(head + body))
                        continue
                    if scripted.process:
                        self._answer(head + body)
                    for piece in scripted.pieces:
                        client.sendall(piece)
                    return
                self._play(breaking, client, head)
                # A reset could take away what was answered.
                end(client, reset=breaking.reset and breaking.point not in REPLIES)
                return

    def _of(self, head: bytes) -> Break | None:
        """The break that this request meets, if it is the order that is meant."""
        if not head.startswith(b"POST "):
            return None
        with self._lock:
            number, self.orders = self.orders, self.orders + 1
            if self._break is None or number != self._break.skip:
                return None
            self.broke = True
            return self._break

    def _play(self, breaking: Break, client: socket.socket, head: bytes) -> None:
        point = breaking.point
        if point == "half_sent":
            half = read_exactly(client, length_of(head) // 2)
            with socket.create_connection(self._server) as service:
                service.sendall(head + half)
            return
        body = read_body(client, head)
        answer = self._answer(head + body) if point not in ("unprocessed", "page_unprocessed") else b""
        if point in REPLIES:
            start, content = REPLIES[point]
            length = f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
            client.sendall((start + length + content).encode())
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
        client.sendall(answer[:sent])
        if point == "silence":
            # The client gives up first.
            client.recv(1)

    def _answer(self, request: bytes) -> bytes:
        with socket.create_connection(self._server) as service:
            service.sendall(request)
            head = read_head(service)
            return head + read_body(service, head)


def read_head(connection: socket.socket) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read_exactly(connection, 1)
    return head


def length_of(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _colon, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def read_body(connection: socket.socket, head: bytes) -> bytes:
    return read_exactly(connection, length_of(head))


def read_exactly(connection: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        piece = connection.recv(length - len(content))
        if not piece:
            raise EOFError
        content += piece
    return content


def end(connection: socket.socket, *, reset: bool) -> None:
    """End with RST, or with FIN after what was sent."""
    if reset:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
