# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the OpenAPI document: behind ``{base_url}/api/docs``, at each address there, then in four usual places.

Everything is asked through the client, so the API key goes to the origin of ``base_url`` only; what is said to be
elsewhere is looked for at the same path there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from .._core.errors import (
    Advice,
    LostAnswerError,
    NoReferenceError,
    PublishedReferenceError,
    ServiceError,
    UnreachableError,
)
from .._core.text import clean
from .._http.client import MEGABYTE, Client
from .._http.transport import Answer
from .docs_page import Lead, embedded_documents, leads_in
from .document import openapi_version, read_document
from .order_shape import OrderShape
from .published_operations import PublishedOperations
from .shape_reader import order_shape

DOCS = "api/docs"
REFERENCE = "application/vnd.openapi+json, application/json;q=0.9, application/yaml;q=0.8, text/yaml;q=0.8, */*;q=0.1"
#: Where a reference usually is if no page leads to it.
USUAL_NAMES = ("api/docs.json", "api/docs/openapi.json", "api/openapi.json", "openapi.json")
#: Addresses that one search asks, and how many answers may be lost until it ends.
MOST_ADDRESSES = 12
MOST_LOST = 2
MOST_REDIRECTS = 2
LARGEST = 32 * MEGABYTE

#: Documents, each with the URL where it was found.
Found = Iterator[tuple[str, Mapping[str, Any]]]


class ReferenceSearch:
    """One search. ``notes`` list each place tried and what was found there."""

    def __init__(self, client: Client) -> None:
        self.notes: list[str] = []
        self._client = client
        self._left = MOST_ADDRESSES
        #: Answers that were lost, or that another time may be others.
        self._lost = 0
        #: The first status that was no success.
        self._status = 0
        self._asked: set[str] = set()
        #: What is asked next.
        self._queue: list[Lead] = []

    def documents(self) -> Found:
        """Every OpenAPI document that can be found. Sends requests as needed."""
        yield from self._follow(Lead(self._client.url(DOCS)))
        while self._queue and self._left > len(USUAL_NAMES):
            yield from self._follow(self._queue.pop(0))
        if self._queue:
            self.note("other places", f"{len(self._queue)} not asked, because the search was long enough")
        for path in USUAL_NAMES:
            yield from self._follow(Lead(self._client.url(path)))

    def note(self, place: str, found: str) -> None:
        self.notes.append(f"{clean(place, 200)}: {clean(found, 300)}")

    def failure(self) -> PublishedReferenceError:
        """The error of a search without a result. NoReferenceError where another search would find no more."""
        place = f"{self._client.config.base_url}/{DOCS}"
        tried = "Places tried:" + "".join(f"\n  - {note}" for note in self.notes)
        if self._status in (401, 403):
            return PublishedReferenceError(
                f"The service does not show its OpenAPI document to this API key (status {self._status}).\n"
                f"The reference is expected behind {place}.",
                Advice(
                    "Check api_key, organization_id, and whether they may read it, or set end_user_element and "
                    "product_element to the names that the service expects.",
                ),
                tried,
                status=self._status,
            )
        kind = PublishedReferenceError if self._lost else NoReferenceError
        return kind(
            "No OpenAPI document (an OpenAPI document) was found, so the order's elements are unknown.\n"
            f"It is expected behind {place}.",
            Advice(
                "Check base_url, or set end_user_element and product_element to the names that the service expects.",
            ),
            tried,
        )

    def _follow(self, lead: Lead) -> Found:
        """The documents that a lead leads to; its own leads are asked later."""
        for url in self._own_urls(lead):
            answer = None if url in self._asked else self._ask(url)
            if answer is not None:
                yield from self._read(answer, lead.page)
                return

    def _read(self, answer: Answer, page: str) -> Found:
        """The documents that an answer is or holds; ``page`` is the one of a script."""
        is_page = answer.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        if not (page or is_page):
            try:
                document = read_document(answer.body)
            except PublishedReferenceError as error:
                # The settings of a viewer, for example.
                self.note(answer.url, error.message)
            else:
                yield answer.url, document
                return
        # Addresses and settings are ASCII in all the encodings that are in use.
        text = answer.body.decode("utf-8", "replace")
        documents = [*embedded_documents(text)]
        leads = leads_in(text, page or answer.url, is_script=bool(page) or not is_page)
        if is_page and not (page or documents or leads):
            self.note(answer.url, "a page without a reference or a link to one")
        yield from ((answer.url, document) for document in documents)
        # What is named like a document is asked next, scripts after what waits.
        scripts = [lead for lead in leads if lead.page]
        self._queue = [*(lead for lead in leads if not lead.page), *self._queue, *scripts]

    def _ask(self, url: str) -> Answer | None:
        """The answer if it is a good one; else what happened is noted."""
        if self._left <= 0:
            return None
        self._left -= 1
        self._asked.add(url)
        retries = 0 if self._lost else 1
        try:
            answer = self._client.get(
                url, accept=REFERENCE, max_bytes=LARGEST, retries=retries, max_redirects=MOST_REDIRECTS
            )
        except UnreachableError:
            raise
        except (ServiceError, ValueError) as error:
            if isinstance(error, LostAnswerError):
                self._lost += 1
                self._left = self._left if self._lost < MOST_LOST else 0
            self.note(url, str(error))
            return None
        self._asked.add(answer.url)
        if answer.ok:
            return answer
        self._status = self._status or answer.status
        self._lost += answer.status == 429 or answer.status >= 500
        self.note(url, f"status {answer.status}")
        return None

    def _own_urls(self, lead: Lead) -> list[str]:
        """Where to ask for a lead: on the origin of base_url, as it is and below the path of base_url.

        A service behind a proxy may not know its own name, nor a path that the proxy removes.
        """
        parts, base = urlsplit(lead.url), urlsplit(self._client.config.base_url)
        if parts.hostname != base.hostname:
            if lead.page:
                return []
            self.note(lead.url, "not read, because it is on another origin than base_url and would get the API key")
        own = parts._replace(scheme=base.scheme, netloc=base.netloc)
        below = own._replace(path=base.path + own.path)
        return [own.geturl(), *([] if own.path.startswith(f"{base.path}/") else [below.geturl()])]


@dataclass(frozen=True)
class Reference:
    """A OpenAPI document. ``url`` is where it was found: its own address, or that of the page it is embedded in.

    ``tried`` tells, in order, each place that was asked before and what was found there. ``base_url`` is the service's.
    """

    url: str
    document: Mapping[str, Any]
    tried: tuple[str, ...] = ()
    base_url: str = ""

    def to_cache(self) -> dict[str, Any]:
        """The reference as a JSON value."""
        return {"url": self.url, "document": self.document, "tried": self.tried, "base_url": self.base_url}

    @classmethod
    def from_cache(cls, value: Any) -> Reference | None:
        """The reference that to_cache made a value of; ``None`` for any other value."""
        try:
            kept = cls(value["url"], value["document"], tuple(value["tried"]), value["base_url"])
        except (TypeError, KeyError):
            return None
        return kept if openapi_version(kept.document) is not None else None

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

    @cached_property
    def published(self) -> PublishedOperations:
        return PublishedOperations(self.document, self.url, self.base_url)

    def order_shape(self, end_user_element: str | None = None, product_element: str | None = None) -> OrderShape:
        """How an order is written; the names given win over those found.

        Raises PublishedReferenceError that lists the candidates when the reference does not tell the names clearly.
        """
        return order_shape(self.published, end_user_element, product_element)

    def _info(self, key: str) -> str | None:
        info = self.document.get("info")
        value = info.get(key) if isinstance(info, Mapping) else None
        return clean(str(value), 200) if isinstance(value, (str, int, float)) else None


def find_reference(client: Client) -> Reference:
    """Find the reference with POST /api/reseller/contracts, otherwise the first reference of any kind.

    Raises PublishedReferenceError that lists every place tried and what was found there (NoReferenceError where
    searching again would find no more), and UnreachableError when the service cannot be reached.
    """
    search, other = ReferenceSearch(client), None
    with client.reading():
        for url, document in search.documents():
            found = Reference(url, document, tuple(search.notes), client.config.base_url)
            if found.published.order is not None:
                return found
            search.note(url, "an OpenAPI document without POST /api/reseller/contracts")
            other = other or found
    if other is None:
        raise search.failure()
    return replace(other, tried=tuple(search.notes))
