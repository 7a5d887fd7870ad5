# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Servers on loopback that answer what a test scripts: byte by byte, so that they can break off anywhere, or whole."""

from __future__ import annotations

import contextlib
import io
import json
import re
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.utils import formatdate
from http import HTTPStatus
from http.client import parse_headers
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

#: Seconds after which a server that still waits for its client gives up, so that a failing test ends.
GIVE_UP = 60.0


@dataclass(frozen=True)
class Received:
    """A request as it arrived. ``path`` is without the query, which is in ``query``; ``target`` is both, as sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Message[str, str]
    body: bytes
    target: str = ""

    @classmethod
    def of(cls, request: bytes) -> Received:
        """A request from its bytes."""
        head, _end, body = request.partition(b"\r\n\r\n")
        line, _end, fields = head.partition(b"\r\n")
        method, target, _version = line.decode("latin-1").split(" ")
        parts = urlsplit(target)
        headers = parse_headers(io.BytesIO(fields + b"\r\n\r\n"))
        return cls(method, parts.path, dict(parse_qsl(parts.query)), headers, body, target)


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

    def answer_to(self, method: str) -> bytes:
        """All bytes of the answer."""
        content = b"" if method == "HEAD" else self.content
        given = {name.lower() for name in self.headers}
        more = {"Date": formatdate(usegmt=True), "Content-Type": "application/json"}
        headers = {name: value for name, value in more.items() if name.lower() not in given} | dict(self.headers)
        phrase = HTTPStatus(self.status).phrase if self.status in iter(HTTPStatus) else ""
        lines = [f"{name}: {value}" for name, value in {**headers, "Content-Length": len(content)}.items()]
        return "\r\n".join([f"HTTP/1.1 {self.status} {phrase}", *lines, "", ""]).encode("latin-1") + content


class Peer:
    """The server's side of one connection."""

    def __init__(self, sock: socket.socket, count: Callable[[bytes], None] = lambda _request: None) -> None:
        self.count = count
        self._buffer = b""
        self.sock = sock
        self.number = 0

    def read(self, enough: Callable[[bytes], int]) -> bytes:
        """Read until ``enough`` says how many bytes to take (0: more are needed); what there is at the end."""
        while not (count := enough(self._buffer)):
            piece = self.sock.recv(65536)
            if not piece:
                count = len(self._buffer)
                break
            self._buffer += piece
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def read_head(self) -> bytes:
        return self.read(lambda held: held.find(b"\r\n\r\n") + 4 if b"\r\n\r\n" in held else 0)

    def read_request(self) -> bytes:
        """A whole request, which the server then counts; empty when the client has gone."""
        head = self.read_head()
        body = self.read_exactly(length_of(head))
        if not head.endswith(b"\r\n\r\n") or len(body) < length_of(head):
            return b""
        self.count(head + body)
        return head + body

    def read_exactly(self, length: int) -> bytes:
        """So many bytes; fewer when the other side has gone."""
        return self.read(lambda held: length if len(held) >= length else 0) if length else b""

    def send(self, content: bytes) -> None:
        self.sock.sendall(content)

    def answer(self, status: str = "200 OK", body: bytes = b"{}", *headers: str) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
        self.send("\r\n".join([*lines, "", ""]).encode() + body)

    def wait_until_left(self) -> None:
        """Say nothing until the client closes the connection."""
        with contextlib.suppress(OSError):
            while self.sock.recv(65536):
                pass

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


class SocketServer:
    """Runs ``script`` in a thread for each connection, and closes the connection when it returns.

    ``requests`` are those that arrived whole, on whichever connection; ``connections`` counts those accepted.
    """

    def __init__(self, script: Callable[[Peer], None], tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        self._script = script
        self._tls = tls
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server(("127.0.0.1", port), backlog=256)
        self.requests: list[Any] = []
        self.connections = 0
        self.closed = 0
        self.port: int = self._listening.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def count(self, request: bytes) -> None:
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()

    def wait_until_closed(self, count: int) -> None:
        """Wait until the server has closed this many connections."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.closed >= count, GIVE_UP):
                raise TimeoutError(f"the server closed {self.closed} connections, not {count}")

    def __enter__(self) -> SocketServer:
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join(GIVE_UP)
        for thread in self._threads:
            thread.join(GIVE_UP)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _address = self._listening.accept()
                self.connections += 1
                thread = threading.Thread(target=self._serve, args=(sock, self.connections), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, sock: socket.socket, number: int) -> None:
        sock.settimeout(GIVE_UP)
        # What was sent before a reset must have left.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            # A client that leaves in the middle of something is what many tests are about.
            with contextlib.suppress(OSError), sock:
                if self._tls is None:
                    self._run(sock, number)
                else:
                    with self._tls.wrap_socket(sock, server_side=True) as encrypted:
                        self._run(encrypted, number)
        finally:
            with self._changed:
                self.closed += 1
                self._changed.notify_all()

    def _run(self, sock: socket.socket, number: int) -> None:
        peer = Peer(sock, self.count)
        peer.number = number
        self._script(peer)


class ScriptedServer(SocketServer):
    """Answers each request with what ``answer`` returns for it. Each of ``requests`` is a Received."""

    def __init__(self, answer: Callable[[Received], Reply], port: int = 0) -> None:
        super().__init__(self._converse, port=port)
        self._answer = answer
        self._peers: list[Peer] = []

    def __exit__(self, *ended: Any) -> None:
        for peer in self._peers:
            # A client may keep its connection.
            with contextlib.suppress(OSError):
                peer.sock.shutdown(socket.SHUT_RDWR)
        super().__exit__(*ended)

    def count(self, request: bytes) -> None:
        """_converse() does."""

    def _converse(self, peer: Peer) -> None:
        self._peers.append(peer)
        while whole := peer.read_request():
            request = Received.of(whole)
            self.requests.append(request)
            reply = self._answer(request)
            if reply.cut:
                return
            peer.send(reply.answer_to(request.method))


def length_of(head: bytes) -> int:
    """How many bytes follow a head."""
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return int(found[1]) if found else 0


def after_the_request(*actions: Callable[[Peer], object] | bytes) -> Callable[[Peer], None]:
    """A script that reads one request, sends or does all this, and closes the connection."""

    def script(peer: Peer) -> None:
        peer.read_request()
        for action in actions:
            if isinstance(action, bytes):
                peer.send(action)
            else:
                action(peer)

    return script


def dripping(piece: bytes) -> Callable[[Peer], None]:
    """An action that sends this from time to time, without end."""

    def action(peer: Peer) -> None:
        never = threading.Event()
        while not never.wait(0.05):
            peer.send(piece)

    return action


def keep_answering(peer: Peer) -> None:
    """A script that answers all requests of a connection."""
    while peer.read_request():
        peer.answer()


def tunnel(peer: Peer) -> None:
    """A script that is a proxy: connects to where CONNECT asks for, and passes on what either side says."""
    head = peer.read_head()
    peer.count(head)
    found = re.match(rb"CONNECT ([^ :]+):(\d+) ", head)
    if found is None:
        peer.answer("400 Bad Request")
        return
    with socket.create_connection((found[1].decode(), int(found[2]))) as target:
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        converse(peer, target)


def converse(peer: Peer, target: socket.socket) -> None:
    """Pass on what either side says, until both have ended."""
    answering = threading.Thread(target=_pass_on, args=(target, peer.sock), daemon=True)
    answering.start()
    _pass_on(peer.sock, target)
    answering.join(GIVE_UP)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
