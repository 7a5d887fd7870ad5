# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may stand before a PostgreSQL server: a rogue that asks for the password, an end of TLS, and a pooler.

They listen on all addresses of this machine, so that they can be reached at one that is not loopback: ``REMOTE``.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

#: An address that leads to this machine, and that nobody takes for loopback.
REMOTE = "0.0.0.0"
_TLS_REQUEST, _GSS_REQUEST = 80877103, 80877104


class Broken(Exception):
    """The other side has closed the connection."""


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece = connection.recv(count - len(found))
        if not piece:
            raise Broken
        found += piece
    return found


def _message(connection: socket.socket) -> tuple[bytes, bytes]:
    """The kind of a message, and all of its bytes."""
    head = _exactly(connection, 5)
    (length,) = struct.unpack("!I", head[1:])
    return head[:1], head + _exactly(connection, length - 4)


def _packed(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!I", len(content) + 4) + content


def _startup(connection: socket.socket, *, tls: ssl.SSLContext | None = None) -> tuple[socket.socket, bytes]:
    """Answer the requests for encryption, and return the connection and the startup message."""
    while True:
        (length,) = struct.unpack("!I", _exactly(connection, 4))
        content = _exactly(connection, length - 4)
        (code,) = struct.unpack("!I", content[:4])
        if code == _TLS_REQUEST and tls is not None:
            connection.sendall(b"S")
            connection = tls.wrap_socket(connection, server_side=True)
        elif code in (_TLS_REQUEST, _GSS_REQUEST):
            connection.sendall(b"N")
        else:
            return connection, struct.pack("!I", length) + content


@dataclass
class Front:
    """A server on this machine, with a thread for each connection."""

    port: int = 0
    _open: list[socket.socket] = field(default_factory=list)

    def __enter__(self) -> Any:
        listener = socket.create_server((REMOTE, self.port))
        self.port = listener.getsockname()[1]
        self._open.append(listener)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return self

    def __exit__(self, *_rest: object) -> None:
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _peer = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(Broken, OSError), contextlib.closing(connection):
            self.serve(connection)

    def serve(self, connection: socket.socket) -> None:
        raise NotImplementedError


@dataclass
class Rogue(Front):
    """Refuses TLS, and asks for the password in clear text. What it was told is in ``passwords``."""

    passwords: list[bytes] = field(default_factory=list)

    def serve(self, connection: socket.socket) -> None:
        connection, _parameters = _startup(connection)
        connection.sendall(_packed(b"R", struct.pack("!I", 3)))
        _kind, message = _message(connection)
        self.passwords.append(message[5:].rstrip(b"\0"))


@dataclass
class TlsFront(Front):
    """Speaks TLS for a server that does not."""

    server: int = 0
    tls: ssl.SSLContext | None = None

    def serve(self, connection: socket.socket) -> None:
        connection, startup = _startup(connection, tls=self.tls)
        with socket.create_connection(("127.0.0.1", self.server)) as behind:
            self._open.append(behind)
            behind.sendall(startup)
            threading.Thread(target=_copy, args=(behind, connection), daemon=True).start()
            _copy(connection, behind)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)


@dataclass
class Pooler(Front):
    """Gives each transaction a session with the server, the one that was left last, as PgBouncer does; or each client.

    ``tells``: clients are told the process of a session, as some poolers do, and not a number of the pooler's own.
    """

    dsn: str = ""
    by_transaction: bool = True
    tells: bool = False
    _idle: list[psycopg.Connection[Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def _session(self) -> Iterator[tuple[socket.socket, psycopg.Connection[Any]]]:
        with self._lock:
            session = self._idle.pop() if self._idle else psycopg.connect(self.dsn)
        with socket.socket(fileno=os.dup(session.fileno())) as server:
            server.setblocking(True)
            yield server, session
        with self._lock:
            self._idle.append(session)

    def serve(self, connection: socket.socket) -> None:
        connection, _parameters = _startup(connection)
        with self._session() as (_server, session):
            process = session.info.backend_pid if self.tells else 4711
            names = (b"server_version", b"client_encoding", b"standard_conforming_strings", b"TimeZone")
            shown = [(name, session.pgconn.parameter_status(name) or b"") for name in names]
        greeting = [_packed(b"S", name + b"\0" + value + b"\0") for name, value in shown]
        ready = _packed(b"K", struct.pack("!II", process, 0)) + _packed(b"Z", b"I")
        connection.sendall(b"".join([_packed(b"R", struct.pack("!I", 0)), *greeting, ready]))
        if not self.by_transaction:
            with psycopg.connect(self.dsn) as session, socket.socket(fileno=os.dup(session.fileno())) as server:
                server.setblocking(True)
                threading.Thread(target=_copy, args=(server, connection), daemon=True).start()
                _copy(connection, server)
            return
        while True:
            kind, message = _message(connection)
            if kind == b"X":
                return
            with self._session() as (server, _session):
                self._transaction(connection, server, kind, message)

    @staticmethod
    def _transaction(client: socket.socket, server: socket.socket, kind: bytes, message: bytes) -> None:
        """Pass messages on until the transaction has ended."""
        while True:
            server.sendall(message)
            if kind in (b"Q", b"S"):
                answer, state = b"", b""
                while answer != b"Z":
                    answer, state = _message(server)
                    client.sendall(state)
                if state.endswith(b"I"):
                    return
            kind, message = _message(client)
