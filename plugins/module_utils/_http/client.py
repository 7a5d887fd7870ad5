# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HTTP to the service: reads are repeated, and an order is sent once (API specification 4 and 5).

The client transports bytes and raises typed errors; what an answer means is decided elsewhere.
"""

from __future__ import annotations

import contextlib
import copy
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urljoin, urlsplit

from .._core.addresses import origin
from .._core.clocks import Clocks
from .._core.errors import (
    Advice,
    LostAnswerError,
    ServiceError,
    UnreachableError,
)
from .._core.text import clean
from .._secrets.masker import Masker
from .._secrets.recognition import distinctive
from .config import ServiceConfig
from .transport import (
    ENCODED_TWICE,
    MEGABYTE,
    TOO_LARGE,
    Answer,
    HttpRequest,
    HttpTransport,
    RawAnswer,
    Transport,
    check_whole,
)

#: Bytes, and about the values of JSON, that a read may get with all its pages and tries. A value takes a hundred bytes
#: of memory.
_MOST_BYTES, _MOST_VALUES = 64 * MEGABYTE, 2_000_000
#: How often a read is tried again.
READ_RETRIES = 3
#: Statuses after which it is.
RETRIED_STATUSES = frozenset({429, 502, 503, 504})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: Seconds that all waits for one read may add up to, whatever ``Retry-After`` asks for.
LONGEST_WAIT = 60.0
#: The ``Accept`` header of a request, the least wanted last. JSON first: services that speak nothing else answer an
#: ordinary refusal with a page if they are asked for JSON-LD or anything.
ACCEPT = "application/json;q=0.9, application/ld+json;q=0.8, application/problem+json;q=0.7, */*;q=0.1"


@dataclass
class _Bounds:
    """When a read must have ended by the monotonic clock, its seconds in all, and what it may still get."""

    ends: float
    seconds: float
    requests: float
    octets: float = math.inf
    values: float = math.inf

    def count(self, answer: Answer) -> None:
        """Count a response. Raises ServiceError where it is too much."""
        self.octets -= len(answer.body)
        self.values -= sum(map(answer.body.count, (b",", b"[", b"{")))
        if self.octets < 0 or self.values < 0:
            most = f"{_MOST_BYTES // MEGABYTE} MB" if self.octets < 0 else f"{_MOST_VALUES} values"
            raise ServiceError(f"The read got more than {most}.\nIt ended at {clean(answer.url, 300)}.")


_NO_SECRETS = Masker(by_name=False)
_NO_BOUNDS = _Bounds(math.inf, math.inf, math.inf)
#: Those of the read that this thread is at.
_bounds: ContextVar[_Bounds] = ContextVar("bounds", default=_NO_BOUNDS)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Client:
    """One session with the service. Threads may share it; it must not cross a fork."""

    def __init__(
        self, config: ServiceConfig, *, transport: Transport | None = None, clocks: Clocks | None = None
    ) -> None:
        self.config = config
        self.clocks = clocks or Clocks()
        self._transport = transport or HttpTransport(config.base_url, config.verify)
        self._masker = config.masker(by_name=False)

    def close(self) -> None:
        self._transport.close()

    def acting_for(self, organization_id: str) -> Client:
        """The same session and deadlines, with another organization in the requests (API specification 5)."""
        other = copy.copy(self)
        other.config = replace(self.config, organization_id=organization_id)
        return other

    def url(self, target: str) -> str:
        """The absolute URL of a path below ``base_url``, or of a URL that is absolute already."""
        return target if _ABSOLUTE.match(target) else f"{self.config.base_url}/{target.lstrip('/')}"

    @contextlib.contextmanager
    def reading(self, most_seconds: float = math.inf, most_requests: float = math.inf) -> Iterator[None]:
        """Make everything that this thread reads in this context one read of at most ten times ``timeout``.

        Raises ServiceError where it would take longer than that or than ``most_seconds``, or more than
        ``most_requests``, of which tries and redirects are some, and where its responses have more than 64 MB or
        2,000,000 values in all.
        """
        # What is read within another read is a part of it.
        seconds, outer = min(self.config.read_timeout, most_seconds), _bounds.get()
        own = _Bounds(self.clocks.monotonic() + seconds, seconds, most_requests, _MOST_BYTES, _MOST_VALUES)
        token = _bounds.set(own if outer is _NO_BOUNDS else outer)
        try:
            yield
        finally:
            _bounds.reset(token)

    def get(
        self,
        target: str,
        *,
        accept: str = ACCEPT,
        retries: int = READ_RETRIES,
        max_redirects: int = 5,
        method: Literal["GET", "HEAD"] = "GET",
    ) -> Answer:
        """Read ``target`` (a path below ``base_url``, or a URL on the same origin), whatever its status.

        Statuses 429, 502, 503, 504, lost connections and truncated bodies are retried three times, with ``Retry-After``
        honored up to a minute in all. Redirects are followed on the configured origin only: the API key is sent nowhere
        else. All of it takes at most ten times ``timeout`` (see also ``reading``).

        Raises UnreachableError, LostAnswerError, UnreadableAnswerError (body truncated or too large), or
        ServiceError for a redirect that is not followed.
        """
        url, headers = self.url(target), {"Accept": accept}
        with self.reading():
            for _hop in range(max_redirects + 1):
                answer = self._get_with_retries(method, url, headers, retries + 1)
                location = answer.header("Location")
                if answer.status not in REDIRECTS or not location:
                    return answer
                url = self._redirected(answer, location)
        raise ServiceError(
            f"The service redirected more than {max_redirects} times.\n"
            f"{method} {clean(target, 300)} led to {url} at last.",
            Advice("Check base_url, and any proxy in between."),
            status=answer.status,
        )

    def send_once(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        check: Callable[[], None] = lambda: None,
    ) -> RawAnswer:
        """Send one request of any method: one attempt, no redirect followed, at most ``order_timeout`` seconds.

        It goes over a connection of its own, opened for it and closed after it: on a kept one, the late answer to an
        earlier request would be taken for that to this one. ``check`` is called once the connection stands, right
        before the first byte; what it raises keeps the request from being sent.
        ``url`` is a path below ``base_url``, or a URL on the same origin. An answer is returned as soon as its status
        is known, even if its body is not whole (see ``RawAnswer.flaw``).
        Raises UnreachableError when the request had not begun, LostAnswerError when it had and no status came back, and
        ServiceError for a URL on another origin.
        """
        timeout = self.config.order_timeout
        return self._send(HttpRequest(method, self.url(url), headers, body, timeout, check, is_alone=True))

    def _get_with_retries(self, method: str, url: str, headers: dict[str, str], attempts: int) -> Answer:
        waited, attempt = 0.0, 1
        while True:
            wait = 2.0 ** (attempt - 1) / 2
            timeout, bounds = min(self.config.timeout, self.check_deadline(url)), _bounds.get()
            if bounds.requests <= 0:
                raise ServiceError("It takes too many requests.")
            bounds.requests -= 1
            try:
                received = self._send(HttpRequest(method, url, headers, timeout=timeout))
            except (UnreachableError, LostAnswerError):
                if attempt >= attempts or not self._may_wait(waited, wait):
                    raise
            else:
                answer = self._without_key(received)
                bounds.count(answer)
                flaw = answer.flaw or TOO_LARGE
                passing = answer.status in RETRIED_STATUSES or not flaw.startswith((TOO_LARGE, ENCODED_TWICE))
                retry_after = answer.retry_after()
                wait = wait if retry_after is None else retry_after
                if not passing or attempt >= attempts or not self._may_wait(waited, wait):
                    break
            self.clocks.wait_until(self.clocks.monotonic() + wait)
            waited, attempt = waited + wait, attempt + 1
        check_whole(answer)
        return answer

    def _without_key(self, answer: RawAnswer) -> Answer:
        """Return what was read without the API key, before anything of it is shortened, shown or kept."""
        # In a catalogue a key that is a plain word stands by chance, and stays.
        stays = answer.ok and answer.flaw is None and not distinctive(self.config.api_key)
        return answer.masked(_NO_SECRETS if stays else self._masker)

    def check_deadline(self, url: str) -> float:
        """Return how many seconds the read that this thread is at has left. ``url`` is what it reads.

        Raises ServiceError if there are none. It is called between its steps, because answers also take time to read.
        """
        seconds = _bounds.get().seconds
        left = _bounds.get().ends - self.clocks.monotonic()
        if left > 0:
            return left
        is_timeout = seconds == self.config.read_timeout
        raise ServiceError(
            f"The read took longer than {seconds:g} seconds{' (ten times timeout)' if is_timeout else ''}.\n"
            f"It ended at {clean(url, 300)}.",
            Advice("Raise timeout if the service is slow." if is_timeout else ""),
        )

    def _may_wait(self, waited: float, wait: float) -> bool:
        """Return whether there is time for a further wait, and for a request after it."""
        return waited + wait <= LONGEST_WAIT and self.clocks.monotonic() + wait < _bounds.get().ends

    def _redirected(self, answer: Answer, location: str) -> str:
        try:
            url = urljoin(answer.url, location)
        except ValueError:
            # It has no origin.
            url = location
        scheme, host, _port = origin(self.config.base_url)
        if scheme == "https" and origin(url)[:2] == ("http", host):
            # A service behind a proxy for TLS does not know how it is reached: to add a slash, it redirects to http.
            own = urlsplit(self.config.base_url)
            url = urlsplit(url)._replace(scheme=own.scheme, netloc=own.netloc).geturl()
        if origin(url) == origin(self.config.base_url):
            return url
        raise ServiceError(
            f"The service answered {answer.status}, a redirect to another origin than that of base_url.\n"
            f"GET {answer.url} leads to {clean(url, 200)}. It is not followed, because the API key would be sent "
            "there.",
            Advice("If the service moved, set base_url to its new address."),
            status=answer.status,
        )

    def _send(self, request: HttpRequest) -> RawAnswer:
        config, url = self.config, request.url
        if origin(url) != origin(config.base_url):
            raise ServiceError(f"{clean(url, 200)} is not on the origin of base_url. The API key is not sent there.")
        own = {"X-API-Key": config.api_key, "X-Organization-ID": config.organization_id}
        return self._transport.send(replace(request, headers={**own, **request.headers}))
