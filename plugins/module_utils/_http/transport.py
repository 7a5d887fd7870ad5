# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One HTTP exchange with requests, and whether the request had begun, which requests does not show."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._core.addresses import is_loopback, origin
from .._core.errors import LostAnswerError, MissingLibraryError, UnreachableError
from .._core.text import clean
from .connections import IMPORT_ERROR, observing_adapter, reached

if TYPE_CHECKING:
    from requests import PreparedRequest, Response, Session


if IMPORT_ERROR is None:
    import requests
    import urllib3

USER_AGENT = "hosting.reseller/0.1.0 (Ansible)"
TOO_LARGE = "it is larger than this collection reads"
#: So many bytes are decoded at once: they may become a thousand times as many.
_PIECE = 8192


@dataclass(frozen=True)
class Received:
    """A response. ``flaw`` says why it is not complete, or is ``None``."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    flaw: str | None = None


def open_session(pool_size: int) -> Session:
    """A requests session that sends no credentials of its own and repeats nothing.

    Raises MissingLibraryError when requests is not installed.
    """
    if IMPORT_ERROR is not None:
        raise MissingLibraryError("requests", "to reach the service", str(IMPORT_ERROR))
    session = requests.Session()
    # ~/.netrc would add an Authorization header that the API specification does not have.
    session.auth = _unchanged
    session.headers["User-Agent"] = USER_AGENT
    # Not what urllib3 offers: decoders that are there on some machines alone.
    session.headers["Accept-Encoding"] = "gzip"
    adapter = observing_adapter(pool_size)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session


def _prepare() -> None:
    """Make what the first session would make, for the processes that are forked from this one. Nothing is sent."""
    with open_session(1) as session:
        session.prepare_request(requests.Request("POST", "https://localhost", data=b"{}"))


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
    option: str = "timeout",
) -> Received:
    """Send one request once, and follow no redirect.

    From connecting to the last byte it may take ``timeout`` seconds, which ``option`` sets.
    A status that arrived is returned whatever happened to the rest of the answer (see ``Received.flaw``).
    Raises UnreachableError when the request had not begun, LostAnswerError when it had and no status came back.
    """
    reached.start(timeout)
    try:
        request = session.prepare_request(requests.Request(method, url, headers=dict(headers), data=body))
        surroundings: dict[str, Any] = {**session.merge_environment_settings(request.url, {}, True, verify, None)}
        if is_loopback(origin(url)[1]):
            # A proxy would get in clear what is meant for this machine alone.
            surroundings["proxies"] = {}
        # Past the session, which would keep cookies, and read the whole body of a redirect to see where it leads.
        response = session.get_adapter(url).send(request, timeout=timeout, **surroundings)
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        if reached.status is not None:
            cause = _late(error, timeout, option) or _reason(error)
            return Received(reached.status, flaw=f"it was cut off in its headers ({cause})")
        raise _failure(f"{method} {url}", error, timeout, option) from error
    with response:
        content, flaw = _read(response, max_bytes, timeout, option)
        return Received(response.status_code, response.headers, content, flaw)


def _read(response: Response, max_bytes: int, timeout: float, option: str) -> tuple[bytes, str | None]:
    content = bytearray()
    # urllib3 1.26 does not miss the end of a body unless told to.
    response.raw.enforce_content_length = True
    try:
        for piece in response.raw.stream(_PIECE, decode_content=True):
            content += piece
            if len(content) > max_bytes:
                return b"", TOO_LARGE
    except urllib3.exceptions.DecodeError as error:
        return b"", f"it cannot be decoded ({error})"
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        return bytes(content), f"it was cut off ({_late(error, timeout, option) or _reason(error)})"
    return bytes(content), None


def _late(error: Exception, timeout: float, option: str) -> str | None:
    """Which option to raise, if it was the time that ran out."""
    if not any(isinstance(cause, TimeoutError) for cause in _causes(error)):
        return None
    return f"it was not there within {timeout:g} seconds; raise {option} if the service is slow"


def _failure(request: str, error: Exception, timeout: float, option: str) -> UnreachableError | LostAnswerError:
    causes = _causes(error)
    reason = _reason(error)
    # Without an observed connection nothing was seen, so an error of a connection proves nothing.
    if not reached.request_begun and (reached.connection or not isinstance(error, requests.ConnectionError)):
        if any(map(_is_invalid, causes)):
            # The libraries repeat what they cannot use: a header, or the address of a proxy with its password.
            reason = "the address of the service or of a proxy, or a header, is not valid"
        return UnreachableError(f"{request} was not sent: {reason}.\n{_advice(causes, reason, option)}")
    reason = _late(error, timeout, option) or reason
    return LostAnswerError(f"{request} was sent, and the answer was lost: {reason}.")


def _is_invalid(error: BaseException) -> bool:
    """Whether this says that a URL or a header cannot be used, before anything was tried."""
    exceptions = requests.exceptions
    kinds = (exceptions.InvalidURL, exceptions.InvalidHeader, urllib3.exceptions.LocationValueError, UnicodeError)
    return isinstance(error, kinds) or error.__class__ is ValueError


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what caused it, the innermost last. Libraries keep the cause in several places."""
    causes = [error]
    while True:
        current = causes[-1]
        context = None if current.__suppress_context__ else current.__context__
        places = [getattr(current, "reason", None), current.__cause__, context, *current.args]
        inner = next((place for place in places if isinstance(place, BaseException) and place not in causes), None)
        if inner is None:
            return causes
        causes.append(inner)


def _reason(error: BaseException) -> str:
    """The innermost cause in its own words: the wrappings of the libraries repeat the URL and object addresses."""
    innermost = _causes(error)[-1]
    text = str(innermost)
    # What is longer repeats what the peer sent; cut off, a secret in it would not be recognised.
    return (clean(text, 300).rstrip(".") if len(text) <= 300 else "") or type(innermost).__name__


def _advice(causes: Sequence[BaseException], reason: str, option: str) -> str:
    """What to do about a request that could not be sent."""

    def caused_by(kind: type[BaseException]) -> bool:
        return any(isinstance(cause, kind) for cause in causes)

    if caused_by(requests.exceptions.ProxyError):
        return "The proxy refused or failed. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY."
    if caused_by(socket.gaierror):
        return "The host name cannot be resolved. Check base_url and the resolver of the controller."
    if re.search(r"certificate|hostname|x509", reason, re.IGNORECASE):
        return (
            "Check base_url. For a certificate authority of your own, set ca_path (or REQUESTS_CA_BUNDLE) to the file "
            "of its certificate."
        )
    if caused_by(requests.exceptions.SSLError):
        return "The host did not speak TLS as expected. Check scheme, host and port of base_url."
    if caused_by(TimeoutError):
        return (
            "The host did not accept a connection in time. Check base_url and the firewall, or raise the option "
            f"{option}."
        )
    if not reached.connection:
        return "Check base_url, HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY."
    return "Check base_url, and that the service runs and can be reached from the controller."


if IMPORT_ERROR is None:
    _prepare()
