# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections that record how far an exchange came, because an order must not be sent twice.

urllib3 makes them, with what it knows of TLS and proxies.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

try:
    import requests
    import urllib3

    # What another release may lack. Before 2, connections answer with what http.client reads.
    _POOL = urllib3.HTTPSConnectionPool
    _NEEDED = urllib3.BaseHTTPResponse, _POOL._new_conn, _POOL._prepare_proxy
except (ImportError, AttributeError) as error:
    IMPORT_ERROR: Exception | None = error
else:
    IMPORT_ERROR = None


#: Bytes of a line in a chunked body, as http.client has it for headers.
_LONGEST_LINE = 65536


class Progress:
    """How far an exchange came that may take so many seconds.

    ``check`` is called right before the first byte: what it raises keeps the request from being sent.
    """

    def __init__(self, seconds: float, check: Callable[[], None]) -> None:
        self.check = check
        #: Whether the first byte of the request is on its way.
        self.request_begun = False
        #: That of the answer, once its status line has arrived.
        self.status: int | None = None
        #: When the whole answer must be there, in words.
        self.limit = f"within {seconds:g} seconds (timeout)"
        self._deadline = time.monotonic() + seconds

    def left(self) -> float:
        """Remaining seconds for the exchange. Raises TimeoutError if there are none."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time was up")
        return left


class Arriving(io.RawIOBase):
    """The bytes of a response. A socket's timeout is for one wait, so each wait gets the remaining time."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, progress: Progress) -> None:
        self._raw, self._sock, self._progress = raw, sock, progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._progress.left())
        return cast("int | None", self._raw.readinto(buffer))

    def close(self) -> None:
        self._raw.close()
        super().close()


class Lines(io.BufferedReader):
    """Detects a status line or headers that were cut off, which http.client accepts, and lines that are too long.

    urllib3 before 2.8 puts no limit on a line of a chunked body.
    """

    in_head = True
    _first = True

    def readline(self, size: int | None = -1, /) -> bytes:
        most = _LONGEST_LINE if size is None or size < 0 else size
        line = super().readline(most)
        if most != size and len(line) == most:
            raise http.client.LineTooLong("chunked body")
        too_long = size is not None and 0 <= size <= len(line)
        if self.in_head and not line.endswith(b"\n") and not too_long and (line or not self._first):
            raise ConnectionResetError("the connection was closed before the headers had arrived")
        self._first = False
        return line


class ObservedResponse(http.client.HTTPResponse):
    """Records the status as soon as it is known.

    http.client takes 102 or 103 for the answer, and would leave the real one to the next request on the connection.
    """

    def __init__(self, progress: Progress, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._progress = progress
        self.fp: Lines = Lines(Arriving(self.fp.detach(), sock, progress))

    def begin(self) -> None:
        try:
            super().begin()
        finally:
            # The version is a number once the status line was understood.
            if isinstance(self.version, int) and self.status >= 200:
                self._progress.status = self.status
        if self.status < 200:
            raise ConnectionResetError(f"an interim answer came ({self.status}), which this collection does not read")
        self.fp.in_head = False


class ObservedConnection:
    """Mixin for urllib3's connections: separates name lookup, connect, proxy tunnel and handshake from sending.

    All of it together has the time of the exchange.
    """

    #: That of the exchange that it is used for.
    progress: Progress
    _connecting = False

    def connect(self) -> None:
        self._connecting = True
        try:
            super().connect()  # type: ignore[misc]
        finally:
            self._connecting = False

    def _new_conn(self) -> socket.socket:
        """urllib3 tries the addresses of a host in turn, each for this time: after two that are dead, some is left."""
        self.timeout = self.progress.left() / 3
        sock: socket.socket = super()._new_conn()  # type: ignore[misc]
        # The handshake has what is left.
        sock.settimeout(self.progress.left())
        return sock

    def send(self, data: Any) -> None:
        progress = self.progress
        if not self._connecting:
            if not progress.request_begun:
                progress.check()
            self.sock.settimeout(progress.left())  # type: ignore[attr-defined]
            progress.request_begun = True
        super().send(data)  # type: ignore[misc]

    def response_class(self, *args: Any, **options: Any) -> ObservedResponse:
        return ObservedResponse(self.progress, *args, **options)


@cache
def _observed(pool: Any) -> Any:
    """The pool with observed connections."""
    connection = type("Connection", (ObservedConnection, pool.ConnectionCls), {})
    return type(f"Observed{pool.__name__}", (pool,), {"ConnectionCls": connection})


def observed_pool(url: str, proxy: str | None, tls: ssl.SSLContext | None) -> Any:
    """What makes connections to the origin of a URL, also through a proxy. Raises ValueError for what is no address."""
    manager: urllib3.PoolManager
    if proxy is None:
        manager = urllib3.PoolManager(ssl_context=tls)
    elif proxy.lower().startswith("socks"):
        from urllib3.contrib.socks import SOCKSProxyManager

        manager = SOCKSProxyManager(proxy, ssl_context=tls)
    else:
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        if not urlsplit(proxy).hostname:
            raise ValueError("a proxy without a host")
        user, password = requests.utils.get_auth_from_url(proxy)
        headers = urllib3.make_headers(proxy_basic_auth=f"{user}:{password}" if user else None)
        manager = urllib3.ProxyManager(proxy, proxy_headers=headers, proxy_ssl_context=tls, ssl_context=tls)
    manager.pool_classes_by_scheme = {name: _observed(pool) for name, pool in manager.pool_classes_by_scheme.items()}
    return manager.connection_from_url(url)


def connected(pool: Any, progress: Progress) -> Any:
    """Return a new connection of a pool, which stands. Raises HTTPError of urllib3, OSError and ValueError."""
    connection = pool._new_conn()
    connection.progress = progress
    try:
        if pool.proxy is None:
            connection.connect()
        else:
            pool._prepare_proxy(connection)
    except BaseException:
        connection.close()
        raise
    return connection
