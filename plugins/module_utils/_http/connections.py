# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections that record how far an exchange came, because an order must not be sent twice.

Requests does not show it. They work with urllib3 1.26 and 2: only what both have is relied on.
"""

from __future__ import annotations

import http.client
import io
import socket
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any, cast

try:
    import requests
    import urllib3

    # What another release may lack.
    _POOLS = urllib3.poolmanager.pool_classes_by_scheme
except (ImportError, AttributeError) as error:
    IMPORT_ERROR: Exception | None = error
else:
    IMPORT_ERROR = None


#: Bytes of a line in a chunked body, as http.client has it for headers.
_LONGEST_LINE = 65536


class Reached(threading.local):
    """The progress of this thread's exchange."""

    #: Whether an observed connection is used for it, so that what follows can be trusted.
    connection = False
    #: Whether the first byte of the request is on its way.
    request_begun = False
    #: That of the answer, once its status line has arrived.
    status: int | None = None
    #: When the whole answer must be there, by ``time.monotonic``, and in words.
    deadline = 0.0
    limit = ""
    #: Called right before the first byte: what it raises keeps the request from being sent.
    check: Callable[[], None]

    def start(self, seconds: float, check: Callable[[], None]) -> None:
        """Begin an exchange that may take so many seconds."""
        self.check = check
        self.connection = self.request_begun = False
        self.status = None
        self.deadline = time.monotonic() + seconds
        self.limit = f"within {seconds:g} seconds (timeout)"

    def left(self) -> float:
        """Remaining seconds for the exchange. Raises TimeoutError if there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time was up")
        return left


reached = Reached()


class Arriving(io.RawIOBase):
    """The bytes of a response. A socket's timeout is for one wait, so each wait gets the remaining time."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = reached.left()
        # The socket behind it; not every kind has one that can be asked for.
        sock = getattr(self._raw, "_sock", None)
        if sock is not None:
            sock.settimeout(left)
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

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fp: Lines = Lines(Arriving(self.fp.detach()))

    def begin(self) -> None:
        try:
            super().begin()
        finally:
            # The version is a number once the status line was understood.
            if isinstance(self.version, int) and self.status >= 200:
                reached.status = self.status
        if self.status < 200:
            raise ConnectionResetError(f"an interim answer came ({self.status}), which this collection does not read")
        self.fp.in_head = False


class ObservedConnection:
    """Mixin for urllib3's connections: separates name lookup, connect, proxy tunnel and handshake from sending.

    All of it together has the time of the exchange (``reached``).
    """

    response_class = ObservedResponse
    _connecting = False

    def connect(self) -> None:
        reached.connection = self._connecting = True
        try:
            super().connect()  # type: ignore[misc]
        finally:
            self._connecting = False

    def _new_conn(self) -> socket.socket:
        """urllib3 tries the addresses of a host in turn, each for this time: after two that are dead, some is left."""
        self.timeout = reached.left() / 3
        sock: socket.socket = super()._new_conn()  # type: ignore[misc]
        # The handshake has what is left.
        sock.settimeout(reached.left())
        return sock

    def send(self, data: Any) -> None:
        if not self._connecting:
            if self.sock is None and self.auto_open:  # type: ignore[attr-defined]
                self.connect()
            if not reached.request_begun:
                reached.check()
            self.sock.settimeout(reached.left())  # type: ignore[attr-defined]
            reached.connection = reached.request_begun = True
        super().send(data)  # type: ignore[misc]


@cache
def _observed(pool: Any) -> Any:
    """The pool with observed connections; it is its own."""
    if issubclass(pool.ConnectionCls, ObservedConnection):
        return pool
    connection = type("Connection", (ObservedConnection, pool.ConnectionCls), {})
    return type(f"Observed{pool.__name__}", (pool,), {"ConnectionCls": connection})


def _observe(manager: Any) -> Any:
    """Have a pool manager (also one of HTTP or SOCKS proxies) make observed pools of observed connections."""
    manager.pool_classes_by_scheme = {name: _observed(pool) for name, pool in manager.pool_classes_by_scheme.items()}
    return manager


if IMPORT_ERROR is None:

    class ObservingAdapter(requests.adapters.HTTPAdapter):
        """An adapter that records its exchanges in ``reached``. It repeats nothing, as all do unless told to."""

        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            super().init_poolmanager(*args, **options)
            _observe(self.poolmanager)

        def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
            # Requests keeps the managers, and another thread may have made this one: each observes it before its use.
            return _observe(super().proxy_manager_for(proxy, **options))
