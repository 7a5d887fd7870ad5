# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One HTTP exchange with requests, and the one thing it does not tell: whether the request had begun."""

from __future__ import annotations

import http.cookiejar
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ansible_collections.hosting.reseller.plugins.module_utils._errors import (
    LostAnswerError,
    MissingLibraryError,
    UnreachableError,
)

try:
    import requests
    import urllib3
except ImportError as error:
    IMPORT_ERROR: ImportError | None = error
else:
    IMPORT_ERROR = None

if TYPE_CHECKING:
    from requests import PreparedRequest, Response, Session

USER_AGENT = "hosting.reseller/0.1.0 (Ansible)"
TOO_LARGE = "it is larger than this collection reads"
#: Servers close idle connections after a few seconds; an order must not begin on one that is about to be closed.
IDLE_SECONDS = 1.0
#: A body may arrive slowly, but not for ever: this many times the timeout in all.
PATIENCE = 10

_exchange = threading.local()


@dataclass(frozen=True)
class Received:
    status: int
    headers: Mapping[str, str]
    body: bytes
    flaw: str | None


def open_session(pool_size: int) -> Session:
    """A requests session that sends no credentials of its own, keeps no cookies and retries nothing.

    Raises MissingLibraryError when requests is not installed.
    """
    if IMPORT_ERROR is not None:
        raise MissingLibraryError("requests", "to reach the service", str(IMPORT_ERROR))
    session = requests.Session()
    # ~/.netrc would add an Authorization header that the document does not know.
    session.auth = _unchanged
    session.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
    session.headers["User-Agent"] = USER_AGENT
    adapter = _observing_adapter(pool_size)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


def _unchanged(request: PreparedRequest) -> PreparedRequest:
    return request


def exchange(
    session: Session,
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    verify: bool | str,
    timeout: float,
    max_bytes: int,
) -> Received:
    """Send one request once and follow nothing.

    Raises UnreachableError while the request has not begun, LostAnswerError afterwards until a status has arrived.
    """
    _exchange.begun = False
    try:
        response = session.request(
            method,
            url,
            headers=dict(headers),
            data=body,
            verify=verify,
            timeout=timeout,
            allow_redirects=False,
            stream=True,
        )
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        raise _failure(f"{method} {url}", error, timeout) from error
    with response:
        content, flaw = _read(response, max_bytes, time.monotonic() + PATIENCE * timeout)
        return Received(response.status_code, response.headers, content, flaw)


def _read(response: Response, max_bytes: int, deadline: float) -> tuple[bytes, str | None]:
    content = bytearray()
    try:
        for chunk in response.iter_content(65536):
            content += chunk
            if len(content) > max_bytes:
                return b"", TOO_LARGE
            if time.monotonic() > deadline:
                return b"", "it was still arriving when the time was up"
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        return bytes(content), f"it was cut off ({_reason(error)})"
    return bytes(content), None


def _failure(request: str, error: Exception, timeout: float) -> UnreachableError | LostAnswerError:
    reason = _reason(error)
    if not _exchange.begun:
        return UnreachableError(f"{request} was not sent: {reason}. {_advice(error, reason)}")
    if isinstance(error, requests.Timeout):
        reason = f"no answer within {timeout:g} seconds"
    return LostAnswerError(f"{request} was sent, and the answer was lost: {reason}.")


def _reason(error: BaseException) -> str:
    """The innermost cause in its own words: the wrappings of the libraries repeat the URL and object addresses."""
    seen: set[int] = set()
    current: BaseException = error
    while id(current) not in seen:
        seen.add(id(current))
        inner = getattr(current, "reason", None) or current.__cause__ or current.__context__
        if not isinstance(inner, BaseException) and current.args:
            inner = next((arg for arg in current.args if isinstance(arg, BaseException)), None)
        if not isinstance(inner, BaseException):
            break
        current = inner
    text = str(current).strip().rstrip(".")
    return text or type(current).__name__


def _advice(error: Exception, reason: str) -> str:
    if isinstance(error, requests.exceptions.ProxyError):
        return "The proxy refused or failed: check HTTPS_PROXY, HTTP_PROXY and NO_PROXY."
    if isinstance(error, requests.exceptions.SSLError):
        return "Check base_url; for a certificate authority of your own set ca_path to its file."
    if isinstance(error, requests.exceptions.Timeout):
        return "The host did not accept a connection in time: check base_url, the firewall and the timeout option."
    if "ame or service not known" in reason or "resol" in reason or "getaddrinfo" in reason or "No address" in reason:
        return "The host name cannot be resolved: check base_url and the resolver of the machine that runs the task."
    if isinstance(error, OSError) and "CA certificate bundle" in str(error):
        return "Check ca_path: it must name a file or folder of certificates."
    return "Check base_url, and that the service runs and can be reached from the machine that runs the task."


def _observing_adapter(pool_size: int) -> requests.adapters.HTTPAdapter:
    """An adapter whose connections note when the first byte of a request leaves.

    The classes are made here because their bases may be missing at import.
    """

    class Observed:
        """Mixed into urllib3's connections: tells name lookup, connect, proxy tunnel and handshake from sending."""

        connecting = False
        last_used = 0.0

        def connect(self) -> None:
            self.connecting = True
            try:
                super().connect()  # type: ignore[misc]
            finally:
                self.connecting = False

        def send(self, data: Any) -> None:
            if not self.connecting:
                if self.sock is None:  # type: ignore[attr-defined]
                    self.connect()
                _exchange.begun = True
                self.last_used = time.monotonic()
            super().send(data)  # type: ignore[misc]

        def getresponse(self) -> Any:
            response = super().getresponse()  # type: ignore[misc]
            self.last_used = time.monotonic()
            return response

        @property
        def is_connected(self) -> bool:
            fresh = time.monotonic() - self.last_used < IDLE_SECONDS
            return cast(bool, super().is_connected) and fresh  # type: ignore[misc]

    class PlainConnection(Observed, urllib3.connection.HTTPConnection):
        pass

    class TlsConnection(Observed, urllib3.connection.HTTPSConnection):
        pass

    class PlainPool(urllib3.HTTPConnectionPool):
        ConnectionCls = PlainConnection

    class TlsPool(urllib3.HTTPSConnectionPool):
        ConnectionCls = TlsConnection

    pools = {"http": PlainPool, "https": TlsPool}

    class ObservingAdapter(requests.adapters.HTTPAdapter):
        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            super().init_poolmanager(*args, **options)  # type: ignore[no-untyped-call]
            self.poolmanager.pool_classes_by_scheme = pools  # type: ignore[attr-defined]

        def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
            manager = super().proxy_manager_for(proxy, **options)  # type: ignore[no-untyped-call]
            manager.pool_classes_by_scheme = pools
            return manager

    return ObservingAdapter(pool_connections=2, pool_maxsize=pool_size, max_retries=0)


__all__ = ["TOO_LARGE", "Received", "exchange", "open_session"]
