# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What may stand before a PostgreSQL server, as scripts of a SocketServer: a rogue, an end of TLS, and a pooler."""

from __future__ import annotations

import os
import select
import shutil
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg

from playbooks.files.simulator.http_server import Peer
from tests.support.ledgers import await_that
from tests.support.postgresql import free_port, new_directory, unprivileged

#: An address that leads to this machine, and that nobody takes for loopback.
REMOTE = "0.0.0.0"
_TLS_REQUEST, _GSS_REQUEST = 80877103, 80877104


def _exactly(peer: Peer, count: int) -> bytes:
    found = peer.read_exactly(count)
    if len(found) < count:
        raise ConnectionResetError
    return found


def _message(peer: Peer) -> tuple[bytes, bytes]:
    """The kind of a message, and all of its bytes."""
    head = _exactly(peer, 5)
    (length,) = struct.unpack("!I", head[1:])
    return head[:1], head + _exactly(peer, length - 4)


def _packed(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!I", len(content) + 4) + content


def _startup(peer: Peer, tls: ssl.SSLContext | None = None) -> tuple[Peer, bytes]:
    """Answer the requests for encryption, and return the connection and the startup message."""
    while True:
        (length,) = struct.unpack("!I", _exactly(peer, 4))
        content = _exactly(peer, length - 4)
        (code,) = struct.unpack("!I", content[:4])
        if code == _TLS_REQUEST and tls is not None:
            peer.send(b"S")
            peer = Peer(tls.wrap_socket(peer.sock, server_side=True))
        elif code in (_TLS_REQUEST, _GSS_REQUEST):
            peer.send(b"N")
        else:
            return peer, struct.pack("!I", length) + content


def rogue(peer: Peer) -> None:
    """Refuse TLS, ask for the password in clear text, and count it among the server's requests."""
    _startup(peer)
    peer.send(_packed(b"R", struct.pack("!I", 3)))
    _kind, message = _message(peer)
    peer.count(message[5:].rstrip(b"\0"))


def tls_before(port: int, tls: ssl.SSLContext) -> Callable[[Peer], None]:
    """Speak TLS for a server that does not."""

    def script(peer: Peer) -> None:
        peer, startup = _startup(peer, tls)
        with socket.create_connection(("127.0.0.1", port)) as server, peer.sock:
            server.sendall(startup)
            others = {peer.sock: server, server: peer.sock}
            # One thread: TLS is not for two at once.
            while True:
                pending = isinstance(peer.sock, ssl.SSLSocket) and peer.sock.pending()
                for source in [peer.sock] if pending else select.select([*others], [], [])[0]:
                    piece = source.recv(65536)
                    if not piece:
                        return
                    others[source].sendall(piece)

    return script


class Pooler:
    """Gives each transaction a session with the server, the last one, as PgBouncer does."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._idle: list[psycopg.Connection[Any]] = []
        self._lock = threading.Lock()

    @contextmanager
    def _session(self) -> Iterator[tuple[socket.socket, psycopg.Connection[Any]]]:
        with self._lock:
            session = self._idle.pop() if self._idle else psycopg.connect(self._dsn)
        with socket.socket(fileno=os.dup(session.fileno())) as server:
            server.setblocking(True)
            yield server, session
        with self._lock:
            self._idle.append(session)

    def __call__(self, peer: Peer) -> None:
        _startup(peer)
        with self._session() as (_server, session):
            names = (b"server_version", b"client_encoding", b"standard_conforming_strings", b"TimeZone")
            shown = [(name, session.pgconn.parameter_status(name) or b"") for name in names]
        greeting = [_packed(b"S", name + b"\0" + value + b"\0") for name, value in shown]
        ready = _packed(b"K", struct.pack("!II", 4711, 0)) + _packed(b"Z", b"I")
        peer.send(b"".join([_packed(b"R", struct.pack("!I", 0)), *greeting, ready]))
        while (first := _message(peer))[0] != b"X":
            with self._session() as (server, _session):
                end = _transaction(peer, Peer(server), *first)
            # Who sees the end finds the session left.
            peer.send(end)


def _transaction(client: Peer, server: Peer, kind: bytes, message: bytes) -> bytes:
    """Pass messages on until the transaction has ended, and return the one that says so."""
    while True:
        server.send(message)
        if kind in (b"Q", b"S"):
            answer, state = _message(server)
            while answer != b"Z":
                client.send(state)
                answer, state = _message(server)
            if state.endswith(b"I"):
                return state
            client.send(state)
        kind, message = _message(client)


_CONFIGURATION = """[databases]
{name} = host=127.0.0.1 port={server} dbname={name} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
"""


@contextmanager
def pgbouncer(dsn: str) -> Iterator[int]:
    """A real PgBouncer in transaction mode before the server of this address; its port."""
    server, port, directory = urlsplit(dsn), free_port(), new_directory()
    options = {"user": server.username, "password": server.password, "server": server.port, "port": port}
    path = directory / "pgbouncer.ini"
    path.write_text(_CONFIGURATION.format(name=server.path[1:], **options))
    path.chmod(0o644)
    with subprocess.Popen(["pgbouncer", "--quiet", path], **unprivileged()) as process:
        try:
            await_that(lambda: _listens(port))
            yield port
        finally:
            process.terminate()
    shutil.rmtree(directory)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
