# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the OpenAPI document: behind ``{base_url}/api/docs``, at each address there, then in four usual places.

All requests go through the client, so the API key goes to the origin of ``base_url`` only; an address elsewhere is
tried at the same path there.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from .document import read_document
from .reference import Reference

DOCS = "api/docs"
ACCEPTED = "application/vnd.openapi+json, application/json;q=0.9, application/yaml;q=0.8, text/yaml;q=0.8, */*;q=0.1"
#: Where a reference usually is if no page leads to it.
USUAL_NAMES = ("api/docs.json", "api/docs/openapi.json", "api/openapi.json", "openapi.json")
#: Addresses that one search requests.
MOST_ADDRESSES = 12
MOST_REDIRECTS = 2
LARGEST = 32 * MEGABYTE
_ADVICE = "set end_user_element and product_element to the names that the service expects."


def find_reference(client: Client) -> Reference:
    """Find the reference with POST /api/reseller/contracts, otherwise the first reference of any kind.

    Raises PublishedReferenceError that lists every place tried and what was found there (NoReferenceError where
    searching again would find no more), and UnreachableError when the service cannot be reached.
    """
    search, other = _ReferenceSearch(client), None
    with client.reading():
        for found in search.references():
            if found.order is not None:
                return found
            other = other or found
    if other is None:
        raise search.failure()
    return other


class _ReferenceSearch:
    """One search. ``notes`` list each place tried and what was found there."""

    def __init__(self, client: Client) -> None:
        self.notes: list[str] = []
        self._client = client
        self._left = MOST_ADDRESSES
        #: Whether a response was lost, or may be another one at another time.
        self._may_pass = False
        #: The first status that was no success.
        self._status = 0
        self._requested: set[str] = set()
        self._queue: list[Lead] = []

    def references(self) -> Iterator[Reference]:
        """Every OpenAPI document that can be found. Sends requests as needed."""
        yield from self._follow(Lead(self._client.url(DOCS)))
        while self._queue and self._left > len(USUAL_NAMES):
            yield from self._follow(self._queue.pop(0))
        if self._queue:
            self.note("other places", f"{len(self._queue)} not tried, because the search was long enough")
        for path in USUAL_NAMES:
            yield from self._follow(Lead(self._client.url(path)))

    def note(self, place: str, found: str) -> None:
        self.notes.append(f"{clean(place, 200)}: {clean(found, 300)}")

    def failure(self) -> PublishedReferenceError:
        """The error of a search without a result. NoReferenceError where another search would find no more."""
        place = f"It is expected behind {self._client.config.base_url}/{DOCS}."
        tried = "Places tried:" + "".join(f"\n  - {note}" for note in self.notes)
        if self._status in (401, 403):
            message = f"The service does not show its OpenAPI document to this API key (status {self._status})."
            advice = Advice(f"Check api_key, organization_id, and whether they may read it, or {_ADVICE}")
            return PublishedReferenceError(f"{message}\n{place}", advice, tried, status=self._status)
        kind = PublishedReferenceError if self._may_pass else NoReferenceError
        message = "No OpenAPI document was found, so the order's elements are unknown."
        return kind(f"{message}\n{place}", Advice(f"Check base_url, or {_ADVICE}"), tried)

    def _follow(self, lead: Lead) -> Iterator[Reference]:
        """The documents that a lead leads to; its own leads are followed later."""
        for url in self._own_urls(lead):
            answer = None if url in self._requested else self._get(url)
            if answer is not None:
                yield from self._read(answer, lead.page)
                return

    def _read(self, answer: Answer, page: str) -> Iterator[Reference]:
        """The documents that an answer is or holds; ``page`` is the one of a script."""
        is_page = answer.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        if not (page or is_page):
            try:
                yield Reference(answer.url, read_document(answer.body))
            except PublishedReferenceError as error:
                # The settings of a viewer, for example.
                self.note(answer.url, error.message)
            else:
                return
        # Addresses and settings are ASCII in all the encodings that are in use.
        text = answer.body.decode("utf-8", "replace")
        documents = [*embedded_documents(text)]
        leads = leads_in(text, page or answer.url, is_script=bool(page) or not is_page)
        if is_page and not (page or documents or leads):
            self.note(answer.url, "a page without a reference or a link to one")
        yield from (Reference(answer.url, document) for document in documents)
        # What is named like a document comes next, scripts after what waits.
        scripts = [lead for lead in leads if lead.page]
        self._queue = [*(lead for lead in leads if not lead.page), *self._queue, *scripts]

    def _get(self, url: str) -> Answer | None:
        """The answer if it is a good one; else what happened is noted. A lost one ends the search."""
        if self._left <= 0:
            return None
        self._left -= 1
        self._requested.add(url)
        try:
            answer = self._client.get(url, accept=ACCEPTED, max_bytes=LARGEST, retries=1, max_redirects=MOST_REDIRECTS)
        except UnreachableError:
            raise
        except (ServiceError, ValueError) as error:
            if isinstance(error, LostAnswerError):
                self._may_pass, self._left = True, 0
            self.note(url, str(error))
            return None
        self._requested.add(answer.url)
        if answer.ok:
            return answer
        self._status = self._status or answer.status
        self._may_pass |= answer.status == 429 or answer.status >= 500
        self.note(url, f"status {answer.status}")
        return None

    def _own_urls(self, lead: Lead) -> list[str]:
        """The URLs of a lead on the origin of base_url: as it is, and below the path of base_url.

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
