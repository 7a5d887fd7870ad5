# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A way to PostgreSQL that breaks when a test wants it to."""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
from typing import Literal
from urllib.parse import urlsplit

_KEY_DATA = re.compile(rb"K\x00\x00\x00\x0c(....)", re.DOTALL)


class Proxy:
    """Passes everything on between its port and the server's.

    ``break_at``: the next commit ends the connection, ``before`` it reaches the server, or ``after`` the server has
    done it and before its answer arrives. ``pooling``: it tells another process id than the server's, as a pooler does.
    """

    def __init__(self, dsn: str, *, pooling: bool = False) -> None:
        server = urlsplit(dsn)
        self._server = (server.hostname or "", server.port or 5432)
        self._pooling = pooling
        self.break_at: Literal["before", "after"] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.dsn = dsn.replace(f":{server.port}/", f":{self._listener.getsockname()[1]}/")
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _rest = self._listener.accept()
                server = socket.create_connection(self._server)
                breaking = threading.Event()
                for pump in (self._to_server, self._to_client):
                    threading.Thread(target=pump, args=(client, server, breaking), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket, breaking: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if b"COMMIT" in data and self.break_at:
                    when, self.break_at = self.break_at, None
                    if when == "before":
                        break
                    breaking.set()
                server.sendall(data)
        _end(client, server)

    def _to_client(self, client: socket.socket, server: socket.socket, breaking: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if breaking.is_set():
                    break
                if self._pooling:
                    data = _KEY_DATA.sub(lambda found: b"K\x00\x00\x00\x0c" + struct.pack("!I", 4242), data)
                client.sendall(data)
        _end(client, server)


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
