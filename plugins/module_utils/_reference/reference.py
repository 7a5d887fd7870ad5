# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the published reference may be, asked one after the other: all places behind ``{base_url}/api/docs``.

Everything is asked through the client, so the API key goes to the origin of ``base_url`` only; what is said to be
elsewhere is named and not asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .._core.errors import LostAnswerError, PublishedReferenceError, ServiceError, UnreachableError
from .._core.text import clean
from .._http.client import MEGABYTE, REDIRECTS, RETRIED_STATUSES, Answer, Client, origin
from .docs_findings import PageFindings, absolute
from .docs_page import is_reference_link, read_page
from .docs_script import read_script
from .document import openapi_version, parse_json, read_document
from .operations import Operation, describes_orders, operations
from .order_shape import OrderShape, order_shape

DOCS = "api/docs"
NEGOTIATED = ("application/vnd.openapi+json", "application/json")
PAGE = "text/html"
ANY_REFERENCE = (
    "application/vnd.openapi+json, application/vnd.oai.openapi+json, application/json, application/yaml;q=0.9, "
    "text/yaml;q=0.9, */*;q=0.1"
)
WELL_KNOWN = ("api/docs.jsonopenapi", "api/docs.json", "api/openapi.json", "openapi.json", "v3/api-docs")
#: Requests of one search, with each redirect and each repetition of a request that failed counted.
MOST_REQUESTS = 12
MOST_REDIRECTS = 2
MOST_LOST = 2
MOST_SCRIPTS = 3
MOST_HINTS = 4
#: Seconds after which a search begins no further request.
LONGEST_SEARCH = 180.0
LARGEST = 8 * MEGABYTE

#: Documents, each with the URL where it was found.
Found = Iterator[tuple[str, Mapping[str, Any]]]


class ReferenceSearch:
    """One search. ``notes`` tell each place tried and what was found there."""

    def __init__(self, client: Client, clock: Callable[[], float]) -> None:
        self.notes: list[str] = []
        self._client = client
        self._clock = clock
        self._end = clock() + LONGEST_SEARCH
        self._left = MOST_REQUESTS
        self._lost = 0
        self._refused = False
        self._asked: set[str] = set()

    def documents(self) -> Found:
        """Every OpenAPI document that can be found, the likeliest places first. Asks as it goes."""
        docs = self._client.url(DOCS)
        page: Answer | None = None
        linked: list[str] = []
        for accept in (*NEGOTIATED, PAGE):
            if accept == PAGE and page is not None:
                break
            answer = self._ask(docs, f"{docs} as {accept}", accept)
            if answer is None:
                continue
            docs = answer.url
            linked += [url for url in _linked(answer) if url not in linked]
            if _is_page(answer):
                page = page or answer
            else:
                yield from self._document(answer, f"{docs} as {accept}")
        self._asked |= {docs, self._client.url(DOCS)}
        if page is not None:
            yield from self._page(page, follow=True)
        yield from self._at(linked)
        yield from self._at(self._client.url(path) for path in WELL_KNOWN)

    def note(self, place: str, found: str) -> None:
        self.notes.append(f"{clean(place, 200)}: {clean(found, 300)}")

    def failure(self) -> PublishedReferenceError:
        base_url = self._client.config.base_url
        advice = (
            "The service answered 401 or 403: check api_key and organization_id, or whether they may read it. "
            if self._refused
            else ""
        )
        return PublishedReferenceError(
            f"No published reference (an OpenAPI document) was found behind {base_url}/{DOCS}, so the names of the "
            f"order's elements are not known. {advice}Check base_url, or set the options end_user_element and "
            "product_element to the names that the service expects. Places tried:"
            + "".join(f"\n  - {note}" for note in self.notes)
        )

    # What pages, settings and URLs lead to

    def _page(self, answer: Answer, *, follow: bool) -> Found:
        findings = read_page(_text(answer), answer.url)
        before = len(self.notes)
        yield from self._findings(findings)
        hints = findings.hints
        for script in findings.scripts[:MOST_SCRIPTS]:
            told = self._ask_once(script, f"{script} (script of {answer.url})", "*/*")
            if told is not None:
                more = PageFindings(findings.page, findings.base)
                read_script(_text(told), more)
                yield from self._findings(more, script)
                hints += more.hints
        yield from self._at(findings.links)
        yield from self._at(hints[:MOST_HINTS])
        for page in findings.pages if follow else ():
            inner = self._ask_once(page, f"{page} (page within {answer.url})", PAGE)
            if inner is not None and _is_page(inner):
                yield from self._page(inner, follow=False)
        if len(self.notes) == before:
            self.note(answer.url, "a page that holds and names no reference")

    def _findings(self, findings: PageFindings, place: str | None = None) -> Found:
        for document in findings.documents:
            yield place or findings.page, document
        # Of several definitions, one that is named for resellers is asked first.
        yield from self._at(sorted(findings.urls, key=lambda url: "reseller" not in url.lower()))
        for config in findings.configs:
            answer = self._ask_once(config, f"{config} (settings of the page)", "application/json")
            if answer is not None:
                told = PageFindings(findings.page, findings.base)
                try:
                    told.inspect(parse_json(answer.body))
                except ValueError as error:
                    self.note(answer.url, f"no JSON ({error})")
                yield from ((answer.url, document) for document in told.documents)
                yield from self._at(told.urls)

    def _at(self, urls: Iterable[str]) -> Found:
        for url in urls:
            answer = self._ask_once(url, url, ANY_REFERENCE)
            prefixed = self._with_prefix(url)
            if answer is None and prefixed is not None:
                answer = self._ask_once(prefixed, prefixed, ANY_REFERENCE)
            if answer is not None:
                yield from self._document(answer, answer.url)

    def _document(self, answer: Answer, place: str) -> Found:
        try:
            document = read_document(answer.body)
        except PublishedReferenceError as error:
            self.note(place, error.message)
        else:
            yield answer.url, document

    # Asking

    def _ask(self, url: str, place: str, accept: str) -> Answer | None:
        """The answer if it is a good one; else what happened is noted."""
        url = self._own_url(url)
        if origin(url) != origin(self._client.config.base_url):
            self._note_once(place, "not asked, since it is on another origin than base_url; the API key stays here")
            return None
        if self._left <= 0 or self._clock() > self._end:
            self._note_once(place, "not asked: the search was long enough")
            return None
        answer = self._get(url, place, accept)
        if answer is None or answer.ok:
            return answer
        self._refused = self._refused or answer.status in (401, 403)
        self.note(place, f"status {answer.status}")
        return None

    def _ask_once(self, url: str, place: str, accept: str) -> Answer | None:
        """As _ask, but ``None`` for what was asked before."""
        url = self._own_url(url)
        if url in self._asked:
            return None
        self._asked.add(url)
        return self._ask(url, place, accept)

    def _get(self, url: str, place: str, accept: str) -> Answer | None:
        self._left -= 1
        redirects = min(MOST_REDIRECTS, self._left)
        retries = 1 if self._left else 0
        try:
            answer = self._client.get(url, accept=accept, max_bytes=LARGEST, retries=retries, max_redirects=redirects)
        except UnreachableError:
            raise
        except LostAnswerError as error:
            self._left -= retries
            self._lost += 1
            if self._lost >= MOST_LOST:
                self._left = 0
            self.note(place, error.message)
        except ServiceError as error:
            self._left -= redirects if error.status in REDIRECTS else 0
            self.note(place, error.message)
        except ValueError as error:
            self.note(place, f"a redirect to what is no URL ({error})")
        else:
            self._left -= redirects if answer.url != url else 0
            self._left -= retries if answer.status in RETRIED_STATUSES else 0
            self._asked.update({answer.url} if answer.url != url else ())
            return answer
        return None

    def _note_once(self, place: str, found: str) -> None:
        if not any(note.startswith(f"{clean(place, 200)}: ") for note in self.notes):
            self.note(place, found)

    def _own_url(self, url: str) -> str:
        """A service behind a proxy that ends TLS may believe that it is reached by plain HTTP."""
        parts, base = urlsplit(url), urlsplit(self._client.config.base_url)
        if (
            (parts.scheme, base.scheme) == ("http", "https")
            and parts.port in (None, 80)
            and parts.hostname == base.hostname
        ):
            return parts._replace(scheme=base.scheme, netloc=base.netloc).geturl()
        return url

    def _with_prefix(self, url: str) -> str | None:
        """A service below a path that a proxy removes does not know that path."""
        base_url = self._client.config.base_url
        prefix = urlsplit(base_url).path
        parts = urlsplit(url)
        if not prefix or parts.path.startswith(f"{prefix}/") or origin(url) != origin(base_url):
            return None
        return parts._replace(path=prefix + parts.path).geturl()


def _is_page(answer: Answer) -> bool:
    return answer.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or (
        "html" in answer.media_type and not answer.body.lstrip().startswith(b"{")
    )


def _text(answer: Answer) -> str:
    """The text of a page or script. Its addresses and settings are ASCII in all the encodings that are in use."""
    return answer.body.decode("utf-8", "replace")


def _linked(answer: Answer) -> list[str]:
    """The references that ``Link`` headers lead to."""
    links = [link for link in answer.links() if is_reference_link(" ".join(link.relations), link.media_type)]
    return [url for link in links if (url := absolute(answer.url, link.target))]


@dataclass(frozen=True)
class Reference:
    """A published reference. ``url`` is where it was found: its own address, or that of the page it is embedded in.

    ``tried`` tells, in order, each place that was asked before and what was found there.
    """

    url: str
    document: Mapping[str, Any]
    tried: tuple[str, ...] = ()

    @property
    def openapi(self) -> str:
        """The version of OpenAPI that it is written in, such as ``3.1.0``."""
        return openapi_version(self.document) or ""

    @property
    def title(self) -> str | None:
        return self._info("title")

    @property
    def version(self) -> str | None:
        """The version of the interface that it tells."""
        return self._info("version")

    def operations(self) -> list[Operation]:
        """All published operations, in the reference's order."""
        return operations(self.document)

    def order_shape(self, end_user_element: str | None = None, product_element: str | None = None) -> OrderShape:
        """How an order is written; the names given win over those found.

        Raises PublishedReferenceError that lists the candidates when the reference does not tell the names clearly.
        """
        place = f"The published reference at {self.url}"
        return order_shape(self.document, end_user_element, product_element, place=place)

    def _info(self, key: str) -> str | None:
        info = self.document.get("info")
        value = info.get(key) if isinstance(info, Mapping) else None
        return clean(str(value), 200) if isinstance(value, (str, int, float)) else None


def find_reference(client: Client, *, clock: Callable[[], float] = time.monotonic) -> Reference:
    """Find the reference that describes POST /api/reseller/contracts, else the first reference of any kind.

    Raises PublishedReferenceError that lists every place tried and what was found there, and UnreachableError when
    the service cannot be reached.
    """
    search = ReferenceSearch(client, clock)
    other: Reference | None = None
    for url, document in search.documents():
        if describes_orders(document):
            return Reference(url, document, tuple(search.notes))
        search.note(url, "an OpenAPI document without POST /api/reseller/contracts")
        other = other or Reference(url, document)
    if other is None:
        raise search.failure()
    return Reference(other.url, other.document, tuple(search.notes))


__all__ = ["Reference", "ReferenceSearch", "find_reference"]
