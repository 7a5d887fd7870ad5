# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One HTTP exchange: its response, and whether the request had begun, which urllib3 does not show."""

from __future__ import annotations

import http.client
import os
import re
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Protocol

from .._core.addresses import is_loopback, origin
from .._core.errors import Advice, LostAnswerError, MissingLibraryError, UnreachableError, UnreadableAnswerError
from .._core.text import JsonError, clean, parse_json
from .._secrets.masker import Masker
from .connections import IMPORT_ERROR, Progress, connected, observed_pool

if IMPORT_ERROR is None:
    import requests
    import urllib3

USER_AGENT = "hosting.reseller/1.0.0 (Ansible)"
#: Of decoders, not all that urllib3 offers: some are there on some machines alone.
_HEADERS = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"}
#: Headers in which a service names a request, as in ``X-Request-Id`` and ``X-Amzn-RequestId``.
_REQUEST_ID_HEADER = re.compile(r"(?:.*-)?(?:request|correlation|trace)-?id", re.IGNORECASE)
TOO_LARGE = "it is larger than this collection reads"
ENCODED_TWICE = "it has more than one content encoding"
#: X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED.
_OUT_OF_DATE = frozenset({9, 10})
#: What OpenSSL says of an answer that is not TLS.
_NO_TLS = ("wrong version number", "wrong_version_number", "record layer failure")
MEGABYTE = 1024 * 1024
#: Bytes of a response.
LARGEST = 8 * MEGABYTE
#: So many bytes are decoded at once: they may become a thousand times as many.
_PIECE = 8192


@dataclass(frozen=True)
class RawAnswer:
    """A response as it arrived: status, headers (names in any case), body and the URL that responded.

    Statuses, IDs and what is saved are read from it, and no text is made of it: what makes one takes an Answer.
    """

    status: int
    url: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Why the body is not whole: truncated, too large, late.
    flaw: str | None = None

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @cached_property
    def json(self) -> Any:
        """The JSON value of the body, which is parsed once. Raises JsonError."""
        return parse_json(self.body)

    @property
    def media_type(self) -> str:
        """The content type without its parameters, in lower case. Empty if there is none."""
        return (self.header("Content-Type") or "").partition(";")[0].strip().lower()

    @property
    def is_empty(self) -> bool:
        """Return whether the body is whole, and has nothing but whitespace."""
        return self.flaw is None and not self.body.strip(b" \t\r\n\0\xef\xbb\xbf")

    def header(self, name: str) -> str | None:
        """The content of the header with this name, in any case, or ``None``."""
        wanted = name.lower()
        return next((content for header, content in self.headers.items() if header.lower() == wanted), None)

    def masked(self, masker: Masker) -> Answer:
        """The same response as it may be shown: all of it is masked before anything is shortened."""
        headers = {name: masker.text(content) for name, content in self.headers.items()}
        body, flaw = masker.body(self.body, lambda: self.json), self.flaw and masker.text(self.flaw)
        shown = Answer(self.status, masker.text(self.url), body, headers, flaw)
        if body == self.body and "json" in self.__dict__:
            # What is as it was need not be parsed again.
            shown.__dict__["json"] = self.json
        return shown

    def retry_after(self) -> float | None:
        """Seconds to wait according to ``Retry-After``, from a number or an HTTP date, or ``None``."""
        written = self.header("Retry-After")
        try:
            return float(urllib3.Retry().parse_retry_after(written)) if written else None
        except (urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
            return None


class Answer(RawAnswer):
    """A response without the secrets of its request: one that ``masked`` has made."""

    @property
    def described_status(self) -> str:
        """The status with its usual name, as in ``404 Not Found``."""
        return f"{self.status} {http.client.responses.get(self.status, '')}".rstrip()

    @property
    def request_id(self) -> str | None:
        """The service's name for the request, if it tells one."""
        ids = (text for name, text in self.headers.items() if text.strip() and _REQUEST_ID_HEADER.fullmatch(name))
        return next((clean(request_id, 200) for request_id in ids), None)

    def links(self) -> dict[str, str]:
        """Return the addresses of the ``Link`` headers (RFC 8288) as they are written, by relation in lower case."""
        links = requests.utils.parse_header_links(self.header("Link") or "")
        return {relation: str(link["url"]) for link in links for relation in str(link.get("rel", "")).lower().split()}


def read_json(answer: Answer) -> Any:
    """The JSON value of a response's body, whatever its media type is.

    Raises UnreadableAnswerError that tells apart: not whole, empty, an HTML page, no JSON.
    """
    check_whole(answer)
    if answer.is_empty:
        raise _unreadable(answer, " with an empty body, where JSON was expected.")
    try:
        return answer.json
    except JsonError as error:
        if is_page(answer):
            raise _unreadable(
                answer,
                " with an HTML page, where JSON was expected.",
                Advice(
                    "Check base_url: it may name the portal's web pages. A login page or proxy may stand in between."
                ),
            ) from None
        start = clean(answer.body[:400].decode("utf-8", "replace"), 80)
        raise _unreadable(answer, f" with a body that is not valid JSON: {error}.\nIt begins with: {start}") from None


def check_whole(answer: Answer) -> None:
    """Raise UnreadableAnswerError for a response whose body is not whole."""
    if answer.flaw is not None:
        raise _unreadable(answer, f", but the body cannot be used: {answer.flaw}.")


def _unreadable(answer: Answer, how: str, *advice: Advice) -> UnreadableAnswerError:
    what = f"{clean(answer.url, 300)} answered {answer.described_status}{how}"
    return UnreadableAnswerError(what, *advice, status=answer.status, request_id=answer.request_id)


def is_page(answer: RawAnswer) -> bool:
    """Return whether the body is an HTML page, whatever its media type is."""
    start = answer.body[:1000].lstrip().lower()
    claimed = answer.media_type in ("text/html", "application/xhtml+xml")
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or (claimed and start.startswith(b"<"))


@dataclass(frozen=True)
class HttpRequest:
    """A request that is sent once; no redirect is followed."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    #: Seconds from connecting to the last byte of the response.
    timeout: float = 30.0
    #: Called once the connection stands, right before the first byte: what it raises keeps the request from being sent.
    check: Callable[[], None] = lambda: None
    #: Whether it goes over a connection of its own.
    is_alone: bool = False


class Transport(Protocol):
    """A way to exchange a request for a response. Tests give others."""

    def send(self, request: HttpRequest, /) -> RawAnswer:
        """Send a request. A status that arrived is returned whatever happened to the rest (see ``RawAnswer.flaw``).

        Raises UnreachableError when the request had not begun, and LostAnswerError when it had and no status came back.
        """

    def close(self) -> None:
        """Close the connections that are kept."""


class HttpTransport(Transport):
    """Connections for the origin of this URL, which send no credentials of their own and repeat nothing.

    ``verify``: whether certificates are verified, or the file of those to trust. Proxies and certificates are taken
    from the environment once. Raises MissingLibraryError when requests is not installed.
    """

    def __init__(self, url: str, verify: bool | str) -> None:
        if IMPORT_ERROR is not None:
            library = "urllib3" if "urllib3" in str(IMPORT_ERROR) else "requests"
            raise MissingLibraryError(library, "to reach the service", str(IMPORT_ERROR))
        with requests.Session() as session:
            environment = session.merge_environment_settings(url, {}, None, verify, None)
        scheme, host, _port = origin(url)
        self._url = url
        #: Connections that wait for a further request.
        self._kept: list[Any] = []
        self._is_encrypted, self._verify = scheme == "https", environment["verify"]
        # Without TLS, a proxy would read the API key. What is meant for this machine goes to no other one.
        proxies = environment["proxies"] if self._is_encrypted and not is_loopback(host) else {}
        self._proxy: str | None = requests.utils.select_proxy(url, proxies) or None
        if (self._proxy or "").lower().startswith("socks") and find_spec("socks") is None:
            raise MissingLibraryError("PySocks", "for the proxy in ALL_PROXY or HTTPS_PROXY", "No module named 'socks'")

    @cached_property
    def _tls(self) -> ssl.SSLContext | None:
        """What TLS is spoken with. To read the certificates of all authorities takes longer than an order."""
        if not self._is_encrypted:
            return None
        context = urllib3.util.ssl_.create_urllib3_context(
            cert_reqs=ssl.CERT_REQUIRED if self._verify else ssl.CERT_NONE
        )
        if self._verify:
            trusted = requests.utils.DEFAULT_CA_BUNDLE_PATH if self._verify is True else str(self._verify)
            try:
                context.load_verify_locations(**{"capath" if os.path.isdir(trusted) else "cafile": trusted})
            except OSError as error:
                raise UnreachableError(
                    f"The certificates in {trusted!r} cannot be read: {error.strerror or _reason(error)}.",
                    Advice("Set ca_path (or REQUESTS_CA_BUNDLE) to the file of a certificate authority."),
                ) from error
        return context

    @cached_property
    def _pool(self) -> Any:
        return observed_pool(self._url, self._proxy, self._tls)

    def close(self) -> None:
        while self._kept:
            self._kept.pop().close()

    def send(self, request: HttpRequest) -> RawAnswer:
        progress = Progress(request.timeout, request.check)
        try:
            return self._exchanged(request, progress)
        except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError, ValueError) as error:
            if progress.status is not None:
                why = f"it was cut off in its headers ({_why_lost(error, progress)})"
                return RawAnswer(progress.status, request.url, flaw=why)
            raise _failure(f"{request.method} {request.url}", error, request.timeout, progress) from error

    def _exchanged(self, request: HttpRequest, progress: Progress) -> RawAnswer:
        connection = (None if request.is_alone else self._kept_connection(progress)) or connected(self._pool, progress)
        is_kept = False
        try:
            with _response(connection, request) as response:
                body, flaw = _read(response, progress)
            is_kept = flaw is None and connection.sock is not None and not request.is_alone
            return RawAnswer(response.status, request.url, body, dict(response.headers), flaw)
        finally:
            if is_kept:
                self._kept.append(connection)
            else:
                connection.close()

    def _kept_connection(self, progress: Progress) -> Any:
        """Return a connection that an earlier exchange left, ``None`` without one that still stands."""
        while self._kept:
            connection = self._kept.pop()
            if not urllib3.util.is_connection_dropped(connection):
                connection.progress = progress
                return connection
            connection.close()
        return None


def _response(connection: Any, request: HttpRequest) -> urllib3.BaseHTTPResponse:
    """Send a request, and return its response once the head of that is there."""
    target, headers = urllib3.util.parse_url(request.url).request_uri, {**_HEADERS, **request.headers}
    with suppress(BrokenPipeError, ConnectionResetError):
        # A service may answer before it has read all, and close.
        connection.request(request.method, target, body=request.body, headers=headers, preload_content=False)
    response: urllib3.BaseHTTPResponse = connection.getresponse()
    return response


def _read(response: urllib3.BaseHTTPResponse, progress: Progress) -> tuple[bytes, str | None]:
    """The body as far as it came, and why it is not whole."""
    if "," in response.headers.get("Content-Encoding", ""):
        # Each layer may grow a thousandfold.
        return b"", ENCODED_TWICE
    content = bytearray()
    try:
        for piece in response.stream(_PIECE, decode_content=True):
            content += piece
            if len(content) > LARGEST:
                return b"", f"{TOO_LARGE} ({LARGEST // MEGABYTE} MB)"
    except urllib3.exceptions.DecodeError as error:
        return b"", f"it cannot be decoded ({error})"
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        return bytes(content), f"it was cut off ({_why_lost(error, progress)})"
    return bytes(content), None


def _why_lost(error: Exception, progress: Progress) -> str:
    """Which time ran out, if one did, otherwise the innermost cause."""
    is_late = any(isinstance(cause, TimeoutError) for cause in _causes(error))
    return f"it was not there {progress.limit}" if is_late else _reason(error)


def _failure(request: str, error: Exception, timeout: float, progress: Progress) -> UnreachableError | LostAnswerError:
    if progress.request_begun:
        return LostAnswerError(f"{request} was sent, and the answer was lost: {_why_lost(error, progress)}.")
    reason = _reason(error)
    if isinstance(error, ValueError):
        # The libraries repeat what they cannot use: a header, or the address of a proxy with its password.
        reason = "the address of the service or of a proxy, or a header, is not valid"
    return UnreachableError(f"{request} was not sent: {reason}.", Advice(_advice(error, timeout)))


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what caused it, the innermost last."""
    causes: list[BaseException] = []
    inner: BaseException | None = error
    while inner is not None:
        causes.append(inner)
        inner = inner.__cause__ if inner.__suppress_context__ else inner.__context__
    return causes


def _reason(error: BaseException) -> str:
    """The innermost cause in its own words: the wrappings of the libraries repeat the URL and object addresses."""
    innermost = _causes(error)[-1]
    text = str(innermost)
    # What is longer repeats what the peer sent; cut off, a secret in it would not be recognized.
    return (clean(text, 300).rstrip(".") if len(text) <= 300 else "") or type(innermost).__name__


def _advice(error: Exception, timeout: float) -> str:
    """Return what to do about a request that could not be sent, beside the libraries' own words."""
    causes, reason = _causes(error), _reason(error)
    if any(isinstance(cause, ssl.SSLCertVerificationError) and cause.verify_code in _OUT_OF_DATE for cause in causes):
        return "Check the controller's clock. If it is right, the service must renew its certificate."
    if any(mark in reason.lower() for mark in _NO_TLS):
        return "The service speaks no TLS there: try http://, or check the port of base_url."
    if "certificate" in reason or "doesn't match" in reason:
        return (
            "Check scheme, host and port of base_url. For a certificate authority of your own, set ca_path (or "
            "REQUESTS_CA_BUNDLE) to the file of its certificate."
        )
    is_late = any(isinstance(cause, TimeoutError) for cause in causes)
    return (
        "Check base_url, HTTPS_PROXY, ALL_PROXY and NO_PROXY, and that the controller can reach the service (DNS, "
        f"firewall).{f' Raise timeout above {timeout:g} if the service is slow.' if is_late else ''}"
    )
