# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connections that note how far an exchange came, which requests does not tell: an order must not be sent twice.

They work with urllib3 1.26 and 2, which differ in what they call, so only what both have is relied on.
"""

from __future__ import annotations

import http.client
import io
import math
import threading
import time
from typing import TYPE_CHECKING, Any, cast

try:
    import requests
except ImportError as error:
    IMPORT_ERROR: ImportError | None = error
else:
    IMPORT_ERROR = None
if TYPE_CHECKING:
    from requests.adapters import HTTPAdapter


#: Servers close idle connections after a few seconds; an order must not begin on one that is about to be closed.
IDLE_SECONDS = 1.0


class Reached(threading.local):
    """How far the exchange came that this thread makes.

    ``connection``: an observed connection is used for it, so that what follows can be trusted. ``request_begun``: the
    first byte of the request is on its way. ``status``: the status of the answer, once its status line has arrived.
    ``deadline``: when the whole answer must be there, in the terms of ``time.monotonic``.
    """

    connection = False
    request_begun = False
    status: int | None = None
    deadline = math.inf

    def start(self, seconds: float) -> None:
        self.connection = self.request_begun = False
        self.status = None
        self.deadline = time.monotonic() + seconds


reached = Reached()


class Arriving(io.RawIOBase):
    """The bytes of an answer. A time-out of the socket is for each wait alone, so the whole has a deadline, too."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() > reached.deadline:
            raise TimeoutError("it was still arriving when the time was up")
        return cast("int | None", self._raw.readinto(buffer))

    def close(self) -> None:
        self._raw.close()
        super().close()


class Lines(io.BufferedReader):
    """Tells a status line or headers that were cut off from whole ones; http.client takes either."""

    in_head = True
    _first = True

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        too_long = size is not None and 0 <= size <= len(line)
        if self.in_head and not line.endswith(b"\n") and not too_long and (line or not self._first):
            raise ConnectionResetError("the connection was closed before the headers had arrived")
        self._first = False
        return line


class ObservedResponse(http.client.HTTPResponse):
    """Notes the status as soon as it is known, and waits for the final answer behind all interim ones.

    http.client takes 102 or 103 for the answer, and leaves the real one to the next request on the connection.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fp: Lines = Lines(Arriving(self.fp.detach()))

    def begin(self) -> None:
        while self.headers is None:
            try:
                super().begin()
            finally:
                # The version is a number once the status line was understood.
                if isinstance(self.version, int) and self.status >= 200:
                    reached.status = self.status
            if self.status < 200:
                self.headers = self.msg = cast("Any", None)
                self.version = cast("Any", None)
        self.fp.in_head = False


class ObservedConnection:
    """Mixed into urllib3's connections: tells name lookup, connect, proxy tunnel and handshake from sending."""

    response_class = ObservedResponse
    last_used = 0.0
    _connecting = False

    def connect(self) -> None:
        reached.connection = self._connecting = True
        try:
            super().connect()  # type: ignore[misc]
        finally:
            self._connecting = False

    def send(self, data: Any) -> None:
        if not self._connecting:
            if self.sock is None and self.auto_open:  # type: ignore[attr-defined]
                self.connect()
            reached.connection = reached.request_begun = True
        super().send(data)  # type: ignore[misc]


class ObservedPool:
    """Mixed into urllib3's pools: a connection that was idle is made anew instead of trusted."""

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)  # type: ignore[misc]
        if connection.sock is not None and time.monotonic() - connection.last_used >= IDLE_SECONDS:
            connection.close()
            return self._new_conn()  # type: ignore[attr-defined]
        return connection

    def _put_conn(self, connection: Any) -> None:
        if connection is not None:
            connection.last_used = time.monotonic()
        super()._put_conn(connection)  # type: ignore[misc]


def _observe(manager: Any) -> None:
    """Have a pool manager (also one of HTTP or SOCKS proxies) make observed pools of observed connections."""
    manager.pool_classes_by_scheme = {
        scheme: type(
            f"Observed{pool.__name__}",
            (ObservedPool, pool),
            {"ConnectionCls": type("Connection", (ObservedConnection, pool.ConnectionCls), {})},
        )
        for scheme, pool in manager.pool_classes_by_scheme.items()
    }


def observing_adapter(pool_size: int) -> HTTPAdapter:
    """An adapter for a requests session that retries nothing, and whose exchanges are noted in ``reached``.

    The class is made here because its base may be missing at import.
    """
    lock = threading.Lock()

    class ObservingAdapter(requests.adapters.HTTPAdapter):
        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            super().init_poolmanager(*args, **options)
            _observe(self.poolmanager)

        def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
            # Requests keeps the managers; no thread may use a new one before it is observed.
            with lock:
                known = proxy in self.proxy_manager
                manager = super().proxy_manager_for(proxy, **options)
                if not known:
                    _observe(manager)
                return manager

    return ObservingAdapter(pool_connections=2, pool_maxsize=pool_size, max_retries=0)


__all__ = ["IMPORT_ERROR", "observing_adapter", "reached"]
