# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the published reference: behind ``{base_url}/api/docs``, at each address there, then in three usual places.

Everything is asked through the client, so the API key goes to the origin of ``base_url`` only; what is said to be
elsewhere is looked for at the same path there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import origin
from .._core.errors import LostAnswerError, NoReferenceError, PublishedReferenceError, ServiceError, UnreachableError
from .._core.text import clean
from .._http.client import MEGABYTE, REDIRECTS, RETRIED_STATUSES, Answer, Client
from .docs_page import Lead, Leads, absolute, is_reference_link, read_page, read_script
from .document import openapi_version, parse_json, read_document
from .order_shape import OrderShape
from .published import Operation, PublishedOperations
from .request_parts import QueryParameter
from .shape_reader import order_shape

DOCS = "api/docs"
NEGOTIATED = "application/vnd.openapi+json, application/json;q=0.9"
PAGE = "text/html, */*;q=0.1"
ANY_REFERENCE = (
    "application/vnd.openapi+json, application/vnd.oai.openapi+json, application/json, application/yaml;q=0.9, "
    "text/yaml;q=0.9, */*;q=0.1"
)
#: Where a reference usually is if no page leads to it.
USUAL_NAMES = ("api/docs.json", "api/openapi.json", "openapi.json")
#: Requests of one search, with each redirect and each repetition of a request that failed counted.
MOST_REQUESTS = 12
MOST_REDIRECTS = 2
MOST_LOST = 2
MOST_SCRIPTS = 3
#: How far a page may lead: to a page, its scripts, and what these name.
DEPTH = 2
LARGEST = 8 * MEGABYTE

#: Documents, each with the URL where it was found.
Found = Iterator[tuple[str, Mapping[str, Any]]]


class ReferenceSearch:
    """One search. ``notes`` list each place tried and what was found there."""

    def __init__(self, client: Client) -> None:
        self.notes: list[str] = []
        self._client = client
        self._left = MOST_REQUESTS
        #: Answers that were lost, or that another time may be others.
        self._lost = 0
        self._scripts = 0
        self._refused = self._missing = False
        self._page_status = 0
        self._asked: set[str] = set()
        #: What is asked next, with how far it may lead and the page that led to it.
        self._queue: list[tuple[Lead, int, str]] = []

    def documents(self) -> Found:
        """Every OpenAPI document that can be found. Sends requests as needed."""
        docs = self._client.url(DOCS)
        self._asked.add(docs)
        for accept in (NEGOTIATED, PAGE):
            answer = self._ask(docs, f"{docs} as {accept.partition(',')[0]}", accept)
            if answer is not None:
                yield from self._read(answer, Lead(docs), DEPTH)
                if _is_page(answer):
                    break
            elif self._missing or self._page_status in (401, 403):
                break
        while self._queue and self._left > len(USUAL_NAMES):
            yield from self._follow(*self._queue.pop(0))
        if self._queue:
            self.note("other places", f"{len(self._queue)} not asked, because the search was long enough")
        for path in USUAL_NAMES:
            yield from self._follow(Lead(self._client.url(path)), 0, docs)

    def note(self, place: str, found: str) -> None:
        self.notes.append(f"{clean(place, 200)}: {clean(found, 300)}")

    def failure(self) -> PublishedReferenceError:
        """The error of a search without a result. NoReferenceError where another search would find no more."""
        place = f"{self._client.config.base_url}/{DOCS}"
        tried = "Places tried:" + "".join(f"\n  - {note}" for note in self.notes)
        if self._page_status in (401, 403):
            return PublishedReferenceError(
                f"The service does not show its published reference to this API key (status {self._page_status}).\n"
                f"The reference is expected behind {place}.\n"
                "Check api_key, organization_id, and whether they may read it, or set end_user_element and "
                f"product_element to the names that the service expects. {tried}",
                status=self._page_status,
            )
        kind = PublishedReferenceError if self._lost or self._refused else NoReferenceError
        advice = "A place answered 401 or 403: check api_key. " if self._refused else ""
        return kind(
            "No published reference (an OpenAPI document) was found, so the order's elements are unknown.\n"
            f"It is expected behind {place}.\n"
            f"{advice}Check base_url, or set end_user_element and product_element to the names that the service "
            f"expects. {tried}"
        )

    # Leads

    def _add(self, leads: Iterable[Lead], depth: int, page: str) -> None:
        """What is named like a document is asked next, all else after what waits."""
        waiting = [(lead, depth, page) for lead in leads]
        named = [each for each in waiting if each[0].kind == "document"]
        self._queue = [*named, *self._queue, *(each for each in waiting if each not in named)]

    def _follow(self, lead: Lead, depth: int, page: str) -> Found:
        if lead.kind == "script":
            self._scripts += 1
            if self._scripts > MOST_SCRIPTS:
                return
        own = self._own_url(lead.url)
        if own is None:
            self.note(lead.url, "not read, because it is on another origin than base_url and would get the API key")
            if lead.kind == "document":
                here = urlsplit(self._client.config.base_url)
                moved = urlsplit(lead.url)._replace(scheme=here.scheme, netloc=here.netloc).geturl()
                self._queue.append((Lead(moved, "other"), depth, page))
            return
        is_document = lead.kind in ("document", "other")
        place = lead.url if is_document else f"{lead.url} ({lead.kind} of {page})"
        for url in (own, self._with_prefix(own)):
            if url is None or url in self._asked:
                continue
            self._asked.add(url)
            answer = self._ask(url, place, ANY_REFERENCE if is_document else "*/*")
            if answer is not None:
                yield from self._read(answer, lead, depth, page)
                return

    def _read(self, answer: Answer, lead: Lead, depth: int, page: str = "") -> Found:
        """The documents that an answer is or holds; what it leads to is asked later."""
        leads = Leads(answer.url)
        for link in _links(answer):
            leads.add(Lead(link))
        if _is_page(answer):
            found = read_page(_text(answer), answer.url)
            leads = Leads(found.page, found.base, found.documents, {**leads.found, **found.found})
        elif lead.kind == "script":
            leads.page = leads.base = page
            read_script(_text(answer), leads)
        else:
            try:
                leads.documents.append(read_document(answer.body))
            except PublishedReferenceError as error:
                self.note(answer.url, error.message)
                leads.inspect(_json(answer))
        yield from ((answer.url, document) for document in leads.documents)
        if _is_page(answer) and not leads.documents and not leads.found:
            self.note(answer.url, "a page without a reference or a link to one")
        if depth:
            self._add(leads.found.values(), depth - 1, leads.page)

    # Asking

    def _ask(self, url: str, place: str, accept: str) -> Answer | None:
        """The answer if it is a good one; else what happened is noted."""
        answer = self._get(url, place, accept) if self._left > 0 else None
        if answer is None or answer.ok:
            return answer
        self._missing = answer.status in (404, 410)
        self._page_status = self._page_status or answer.status
        self._lost += answer.status == 429 or answer.status >= 500
        self._refused = self._refused or answer.status in (401, 403)
        self.note(place, f"status {answer.status}")
        return None

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
            self.note(place, f"a redirect to an invalid URL ({error})")
        else:
            self._left -= redirects if answer.url != url else 0
            self._left -= retries if answer.status in RETRIED_STATUSES else 0
            self._asked.add(answer.url)
            return answer
        return None

    def _own_url(self, url: str) -> str | None:
        """The URL on the origin of base_url, ``None`` for another host.

        A service behind a proxy may believe that it is reached by plain HTTP, or at a port of its own.
        """
        parts, base = urlsplit(url), urlsplit(self._client.config.base_url)
        if origin(url) == origin(self._client.config.base_url):
            return url
        if parts.hostname != base.hostname or (parts.scheme, base.scheme) != ("http", "https"):
            return None
        return parts._replace(scheme=base.scheme, netloc=base.netloc).geturl()

    def _with_prefix(self, url: str) -> str | None:
        """A service below a path that a proxy removes does not know that path."""
        prefix, parts = urlsplit(self._client.config.base_url).path, urlsplit(url)
        if not prefix or parts.path.startswith(f"{prefix}/"):
            return None
        return parts._replace(path=prefix + parts.path).geturl()


def _is_page(answer: Answer) -> bool:
    return answer.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or (
        "html" in answer.media_type and not answer.body.lstrip().startswith(b"{")
    )


def _text(answer: Answer) -> str:
    """The text of a page or script. Its addresses and settings are ASCII in all the encodings that are in use."""
    return answer.body.decode("utf-8", "replace")


def _json(answer: Answer) -> Any:
    try:
        return parse_json(answer.body)
    except ValueError:
        return None


def _links(answer: Answer) -> list[str]:
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

    def to_cache(self) -> dict[str, Any]:
        """The reference as a JSON value."""
        return asdict(self)

    @classmethod
    def from_cache(cls, value: object) -> Reference | None:
        """The reference that to_cache made a value of; ``None`` for any other value."""
        try:
            kept = cls(**value)  # type: ignore[arg-type]
            kept = replace(kept, url=str(kept.url), tried=tuple(map(str, kept.tried)))
            return kept if openapi_version(kept.document) is not None else None
        except TypeError:
            return None

    @property
    def openapi(self) -> str:
        """The OpenAPI version of the reference, such as ``3.1.0``."""
        return openapi_version(self.document) or ""

    @property
    def title(self) -> str | None:
        return self._info("title")

    @property
    def version(self) -> str | None:
        """The version of the API in the reference."""
        return self._info("version")

    def operations(self) -> list[Operation]:
        """All published operations, in the reference's order."""
        return PublishedOperations(self.document).all

    def order_shape(self, end_user_element: str | None = None, product_element: str | None = None) -> OrderShape:
        """How an order is written; the names given win over those found.

        Raises PublishedReferenceError that lists the candidates when the reference does not tell the names clearly.
        """
        place = f"The published reference at {self.url}"
        shape = order_shape(self.document, end_user_element, product_element, place=place)
        return replace(shape, lists_contracts=PublishedOperations(self.document).contracts is not None)

    def catalogue_parameters(self) -> list[QueryParameter]:
        """The query parameters of GET /api/reseller/products."""
        products = PublishedOperations(self.document).products
        return products.query_parameters if products else []

    def catalogue_types(self) -> tuple[str, ...]:
        """The media types of JSON in which GET /api/reseller/products is published."""
        products = PublishedOperations(self.document).products
        return products.answer_types if products else ()

    def _info(self, key: str) -> str | None:
        info = self.document.get("info")
        value = info.get(key) if isinstance(info, Mapping) else None
        return clean(str(value), 200) if isinstance(value, (str, int, float)) else None


def find_reference(client: Client) -> Reference:
    """Find the reference with POST /api/reseller/contracts, otherwise the first reference of any kind.

    Raises PublishedReferenceError that lists every place tried and what was found there (NoReferenceError where
    searching again would find no more), and UnreachableError when the service cannot be reached.
    """
    with client.reading():
        return _found(ReferenceSearch(client))


def _found(search: ReferenceSearch) -> Reference:
    other: Reference | None = None
    for url, document in search.documents():
        if PublishedOperations(document).order is not None:
            return Reference(url, document, tuple(search.notes))
        search.note(url, "an OpenAPI document without POST /api/reseller/contracts")
        other = other or Reference(url, document)
    if other is None:
        raise search.failure()
    return Reference(other.url, other.document, tuple(search.notes))
