# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the OpenAPI document: where the file says, else behind ``{base_url}/api/docs`` and in a few usual places.

Of a documentation page (Swagger UI, Nelmio, API Platform, FastAPI, drf-spectacular, springdoc, NestJS), the address or
document is read that it, or the one script that starts it, is given. Everything more exotic is for the file. All
requests go to the origin of base_url: the API key is sent nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from .._core.errors import (
    Advice,
    LostAnswerError,
    PublishedReferenceError,
    ServiceError,
    UnreachableError,
)
from .._core.text import check_depth, check_size, clean
from .._http.client import Client
from .._http.transport import MEGABYTE, Answer
from .description import Description
from .reference import Reference, openapi_version, read_document

#: Addresses of a page that are looked at, and objects that may be JSON.
MOST_LEADS = 50
MOST_OBJECTS = 200
#: Bytes of a page that are looked at.
MOST_OF_PAGE = 2 * MEGABYTE
#: An address that an interface is given: the first text of the expression.
_GIVEN = re.compile(
    r"""(?<![\w-])(?:(?:spec|config|swagger|open-?api|schema)-?)?url["']?\s{0,9}[:=]"""
    r"""[^"'`,;<>]{0,80}["'`]([^\s"'`<>]{1,500})["'`]""",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"""<script\b[^>]{0,500}?\ssrc\s{0,9}=\s{0,9}["']?([^\s"'<>]{1,500})""", re.IGNORECASE)
#: Parts of the names of the interfaces' own files, which hold megabytes and no settings.
_BUNDLES = re.compile(r"bundle|standalone|preset|jquery|polyfill|vendor|react|\.min\.")
_NO_ADDRESS = re.compile(r"[{}()\[\]*|,;$\\]|\.(?:m?js|css|png|svg|ico|html?)\Z")
#: How an object begins, and the member by which one is a document.
_OBJECT = re.compile(r'\{\s*"')
_VERSION = re.compile(r'"(?:openapi|swagger)"\s*:')
#: A slash or any character as PHP and other templates escape it in scripts.
_ESCAPED = re.compile(r"\\(?:(/)|u([0-9a-fA-F]{4}))")
ACCEPTED = "application/vnd.openapi+json, application/json;q=0.9, application/yaml;q=0.8, text/yaml;q=0.8, */*;q=0.1"
DOCS = "api/docs"
#: Where a document usually is if no page leads to it.
USUAL_NAMES = (
    *("api/docs.json", "api/docs-json", "api/docs/openapi.json", "api/doc.json", "api/openapi.json", "openapi.json"),
)
#: Addresses that one search requests.
MOST_ADDRESSES = 14
MOST_REDIRECTS = 2
_ADVICE = "set openapi_url in the service's file to its address, or order.end_user and order.product to their names."


class Lead(NamedTuple):
    """An absolute URL that may lead to a document. What a script names is relative to its ``page``."""

    url: str
    page: str = ""


def embedded_documents(text: str, check: Callable[[], Any] = lambda: None) -> Iterator[Mapping[str, Any]]:
    """The OpenAPI documents in the text of a page or script, whatever object they are a member of.

    ``check`` is called before each object, and may raise. One that is too large or too deep is passed over.
    """
    last = max((found.start() + 1 for found in _VERSION.finditer(text)), default=-1)
    at, left = 0, MOST_OBJECTS
    while left and (begin := _OBJECT.search(text, at, last)) is not None:
        left -= 1
        check()
        try:
            value, at = json.JSONDecoder().raw_decode(text, begin.start())
            check_size(text[begin.start() : at])
            check_depth(text[begin.start() : at])
        except (ValueError, RecursionError):
            at = begin.end() - 1
        else:
            yield from _documents_in(value)


def _documents_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """The documents anywhere in a JSON value."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping) and openapi_version(value) is not None and "paths" in value:
            yield value
        elif isinstance(value, (Mapping, list)):
            waiting += value.values() if isinstance(value, Mapping) else value


def leads_in(text: str, page: str) -> list[Lead]:
    """Return what the text of a page, or of the script that starts it, is given, and after that the page's script.

    Relative addresses are tried against the page's URL, and against the page as a directory.
    """
    plain = _ESCAPED.sub(lambda each: each[1] or chr(int(each[2], 16)), text)
    given = (each[1].rpartition("}")[2] for each in islice(_GIVEN.finditer(plain), MOST_LEADS))
    found = [Lead(url) for address in given if not _NO_ADDRESS.search(address) for url in _meant(address, page)]
    scripts = [each[1] for each in _SCRIPT.finditer(plain) if not _BUNDLES.search(each[1].lower().rpartition("/")[2])]
    # The script that starts the interface says so, or comes last. It is the service's own.
    scripts = [each for each in scripts if "//" not in each]
    starting = [each for each in scripts if "init" in each.lower()] or scripts
    return list(dict.fromkeys([*found, *(Lead(url, page) for each in starting[-1:] for url in _meant(each, page))]))


def _meant(address: str, page: str) -> Iterator[str]:
    """The http and https URLs that an address on a page may mean, without their fragments."""
    for base in [page] if urlsplit(page).path.endswith("/") else [page, f"{urldefrag(page).url}/"]:
        try:
            url = urldefrag(urljoin(base, address)).url
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            continue
        if usable and url.isprintable() and parts.path not in ("", "/") and url not in (page, f"{page}/"):
            yield url


def find_reference(client: Client, described: Description) -> Reference:
    """The OpenAPI document of a service, at ``openapi_url`` of its file, if that is given, and nowhere else then.

    One that describes orders is preferred. Raises PublishedReferenceError with all places that were tried, and
    UnreachableError.
    """
    search = _Search(client)
    given = described.get("openapi_url")
    if given is None and described.source("openapi_url") is not None:
        raise PublishedReferenceError("The service's file says that there is no OpenAPI document.", Advice(_ADVICE))
    found = None
    with client.reading():
        for reference in search.at(client.url(given)) if given else search.documents():
            if reference.order is not None:
                return reference
            found = found or reference
    if found is None:
        raise search.failure()
    return found


class _Search:
    """One search. ``notes`` say what was found at each place instead."""

    def __init__(self, client: Client) -> None:
        self.notes: list[str] = []
        self._client = client
        self._queue: list[Lead] = []
        self._requested: set[str] = set()
        self._left = MOST_ADDRESSES
        self._status: int | None = None

    def at(self, url: str) -> Iterator[Reference]:
        """The documents at one address, or on the page there."""
        yield from self._follow(Lead(url))
        while self._queue and self._left > len(USUAL_NAMES):
            yield from self._follow(self._queue.pop(0))
        if self._queue:
            self.note("other places", f"{len(self._queue)} not tried, because the search was long enough")

    def documents(self) -> Iterator[Reference]:
        """Every OpenAPI document that can be found. Sends requests as needed."""
        yield from self.at(self._client.url(DOCS))
        for path in USUAL_NAMES:
            yield from self._follow(Lead(self._client.url(path)))

    def note(self, place: str, found: str) -> None:
        self.notes.append(f"{clean(place, 200)}: {clean(found, 300)}")

    def failure(self) -> PublishedReferenceError:
        """The error of a search without a result."""
        place = f"It is expected behind {self._client.config.base_url}/{DOCS}."
        tried = "Places tried:" + "".join(f"\n  - {note}" for note in self.notes)
        if self._status in (401, 403):
            message = f"The service does not show its OpenAPI document to this API key (status {self._status})."
            advice = Advice(f"Check api_key, organization_id, and whether they may read it, or {_ADVICE}")
            return PublishedReferenceError(f"{message}\n{place}", advice, tried, status=self._status)
        message = "No OpenAPI document was found, so the order's elements are unknown."
        return PublishedReferenceError(f"{message}\n{place}", Advice(f"Check base_url, or {_ADVICE}"), tried)

    def _follow(self, lead: Lead) -> Iterator[Reference]:
        """The documents that a lead leads to; what else it leads to waits."""
        url = self._own_url(lead.url)
        answer = None if url in self._requested else self._get(url)
        if answer is None:
            return
        try:
            documents = [read_document(answer.body)]
        except PublishedReferenceError as error:
            # A page, its script, or the settings of a viewer: ASCII in all the encodings that are in use.
            text = answer.body[:MOST_OF_PAGE].decode("utf-8", "replace")
            documents = [*embedded_documents(text, lambda: self._client.check_deadline(answer.url))]
            leads = leads_in(text, lead.page or answer.url)
            self._queue = [*leads, *self._queue]
            is_page = answer.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
            seen = "a page without an OpenAPI document or a link to one" if is_page else error.message
            if not (documents or leads):
                self.note(answer.url, seen)
        yield from (Reference(answer.url, document) for document in documents)

    def _get(self, url: str) -> Answer | None:
        """The answer if it is a good one; else what happened is noted. A lost one ends the search."""
        if self._left <= 0:
            return None
        self._left -= 1
        self._requested.add(url)
        try:
            answer = self._client.get(url, accept=ACCEPTED, retries=1, max_redirects=MOST_REDIRECTS)
        except UnreachableError:
            raise
        except (ServiceError, ValueError) as error:
            if isinstance(error, LostAnswerError):
                self._left = 0
            self.note(url, str(error))
            return None
        self._requested.add(answer.url)
        if answer.ok:
            return answer
        self._status = self._status or answer.status
        self.note(url, f"status {answer.status}")
        return None

    def _own_url(self, lead: str) -> str:
        """The URL of a lead on the origin of base_url: a service behind a proxy may not know its own name."""
        parts, base = urlsplit(lead), urlsplit(self._client.config.base_url)
        if parts.hostname != base.hostname:
            self.note(lead, "not read, because it is on another origin than base_url and would get the API key")
        return parts._replace(scheme=base.scheme, netloc=base.netloc).geturl()
