# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all pages of a list, however it is paged (API specification 4.2 shows no parameters and no envelope)."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .._core.errors import ServiceError
from .._core.text import clean, counted
from .._http.answers import read_json, service_error
from .._http.client import JSON, MEGABYTE, Client
from .._http.transport import Answer
from .._reference.request_parts import QueryParameter
from . import paging
from .lists import RecordList

#: A service that speaks JSON-LD tells only in it how many records there are and where the next page is.
ACCEPT = "application/ld+json, application/json;q=0.9"
NOT_ACCEPTABLE = 406
LARGEST_PAGE = 64 * MEGABYTE
LARGEST_LIST = 128 * MEGABYTE
MOST_PAGES = 1000
#: A list of exactly so many records may have been cut by a limit.
USUAL_LIMITS = frozenset({10, 15, 20, 25, 30, 50, 100, 200, 250, 500, 1000})
#: What says that there is no page of this number.
_NO_SUCH_PAGE = frozenset({400, 404, 410, 416, 422})

ListedParameters = Callable[[], Sequence[QueryParameter]]
MediaTypes = Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Page:
    """A page that was read: its response, what may show further pages, and how many of its records are new."""

    answer: Answer
    parts: list[dict[str, Any]]
    so_far: paging.ReadSoFar
    new: int


class PageReader(ABC):
    """Reads page after page, and gathers their ``entries``: each record once, with its key where that may be its id.

    ``incomplete`` says why not all pages were read; ``failure`` is the error in between. ``may_be_cut``: nothing showed
    that the last page is the last one.

    ``what`` is what the service is sent, as in "the request for its products". ``url`` is the first page's. ``listed``
    gives the query parameters that the published reference lists. It is called only if a page does not say whether
    there are more. ``media_types`` gives those of the published list, and is called after the usual ones were refused.
    """

    what = "the request for its records"

    def __init__(self, client: Client, url: str, listed: ListedParameters, media_types: MediaTypes) -> None:
        self.incomplete: str | None = None
        self.failure: ServiceError | None = None
        self.entries: list[tuple[str | None, Any]] = []
        self.may_be_cut = False
        self._client = client
        self._url = url
        self._listed = listed
        self._media_types = media_types
        self._accept = ACCEPT
        self._parameters: list[paging.PageParameter] | None = None
        self._size = 0
        self._pages = 0
        self._requested: set[str] = set()
        self._seen: set[str] = set()
        self._again = 0

    @abstractmethod
    def take(self, answer: Answer, body: Any) -> RecordList | None:
        """The records of a page. ``None``: it is not understood. Raises ServiceError and its kinds."""

    def read(self) -> None:
        """Read page after page. Raises ServiceError and its kinds where the first page cannot be read."""
        page = self._page(self._url)
        try:
            while page is not None:
                page = self._following(page)
        except ServiceError as error:
            self.failure = error
            self.incomplete = f"page {self._pages + 1} could not be read: {error.message.splitlines()[0]}"

    def why_incomplete(self) -> str | None:
        """Why the list may lack records, after it was read."""
        if self._again and not self.incomplete:
            return f"{counted(self._again, 'record')} came more than once, so pages repeat or moved meanwhile"
        if self.may_be_cut and len(self.entries) in USUAL_LIMITS and not self.incomplete:
            return f"it has exactly {len(self.entries)} records, as a limit would cut it, and tells of no further page"
        return self.incomplete

    def says_all(self, page: Page) -> bool:
        """Whether a page says that there is none after it, or nothing lets expect one."""
        try:
            url = paging.next_page(page.answer, page.parts)
        except paging.UnclearPageError:
            return False
        more = paging.says_more(page.answer, page.parts, page.so_far)
        if url == "":
            return not more or paging.total(page.answer, page.parts) is None
        return not (url or more or self._may_go_on(page, more))

    def _following(self, page: Page) -> Page | None:
        try:
            url = paging.next_page(page.answer, page.parts)
        except paging.UnclearPageError as error:
            self.incomplete = f"the service names a next page that is not understood: {error}"
            return None
        more = paging.says_more(page.answer, page.parts, page.so_far)
        self.may_be_cut = url is None and more is None and page.so_far.on_page > 0
        if url == "":
            count = paging.total(page.answer, page.parts)
            if count is not None and more:
                self.incomplete = f"the service speaks of {count}, and tells no further page"
        elif url in self._requested or (url and not page.new and page.so_far.on_page):
            self.incomplete = f"its pages repeat themselves after page {self._pages}"
        elif url or more or self._may_go_on(page, more):
            if self._pages >= MOST_PAGES:
                self.incomplete = f"it has more than {MOST_PAGES} pages"
            elif self._size > LARGEST_LIST:
                self.incomplete = f"it is larger than {LARGEST_LIST // MEGABYTE} MB"
            else:
                return self._page(url) if url else self._by_parameter(page, expected=bool(more))
        elif self._pages == 1 and page.so_far.on_page in USUAL_LIMITS and any(each.listed for each in self._by(page)):
            # The number that the service counts may be that of this page.
            after = self._by_parameter(page, expected=False)
            if after is not None and after.new:
                self.incomplete = f"the service counts {page.so_far.on_page}, and its next page has more"
        return None

    def _may_go_on(self, page: Page, more: bool | None) -> bool:
        """Whether there may be more after a page that says nothing: one request shows it."""
        if more is not None or not page.new:
            return False
        return page.so_far.on_page in USUAL_LIMITS or any(each.listed for each in self._by(page))

    def _by(self, page: Page) -> list[paging.PageParameter]:
        if self._parameters is None:
            self._parameters = paging.page_parameters(page.parts, self._listed())
        return self._parameters

    def _by_parameter(self, page: Page, *, expected: bool) -> Page | None:
        """The next page by the first parameter that brings new records. That parameter is kept."""
        refused = ""
        for parameter in self._by(page):
            url = parameter.url(page.answer.url, page.so_far)
            if url in self._requested:
                continue
            self._requested.add(url)
            answer = self._get(url)
            if answer.ok:
                found = self._read(answer)
                self.may_be_cut &= found is None or found.so_far.on_page > 0
                if self.incomplete or (found is not None and found.new):
                    self._parameters = [parameter]
                    return found
            elif expected or answer.status in _NO_SUCH_PAGE:
                refused = f": {clean(url, 200)} was answered with status {answer.status}"
            else:
                raise service_error(answer, self.what)
        if expected:
            count = paging.total(page.answer, page.parts)
            said = "there are more" if count is None else f"there are {count}"
            self.incomplete = f"the service says that {said}, and no way to ask for its next page brings any{refused}"
        return None

    def _page(self, url: str) -> Page | None:
        self._requested.add(url)
        answer = self._get(url)
        if not answer.ok:
            raise service_error(answer, self.what)
        return self._read(answer)

    def _get(self, url: str) -> Answer:
        answer = self._client.get(url, accept=self._accept, max_bytes=LARGEST_PAGE)
        # The pages that follow are in the form of the first.
        if self._pages or (answer.status != NOT_ACCEPTABLE and answer.status < 500):
            return answer
        # A service that speaks plain JSON alone may refuse JSON-LD, or fail to put its error into it.
        plain = self._client.get(url, accept=JSON, max_bytes=LARGEST_PAGE, retries=0)
        if plain.status != NOT_ACCEPTABLE:
            self._accept = JSON if plain.ok else ACCEPT
            return plain
        media_types = self._media_types()
        if not media_types:
            return plain
        self._accept = ", ".join([*media_types, "*/*;q=0.1"])
        return self._client.get(url, accept=self._accept, max_bytes=LARGEST_PAGE)

    def _read(self, answer: Answer) -> Page | None:
        body = read_json(answer)
        # What writes positions as keys writes no record as an empty object.
        taken = self.take(answer, [] if self._pages and body == {} else body)
        if taken is None:
            if self._pages:
                self.incomplete = f"page {self._pages + 1} is not understood: no list is recognized in it"
            return None
        keys = [json.dumps(entry, sort_keys=True) for entry in taken.entries]
        new = [entry for key, entry in zip(keys, taken.entries, strict=True) if key not in self._seen]
        # A page that is the first one again: the service takes no such parameter.
        self._again += len(keys) - len(new) if new else 0
        self._seen.update(keys)
        self.entries += new
        self._size += len(answer.body)
        # One that brings nothing new is no further page: the next is counted from the last that did.
        self._pages += bool(new) or not self._pages
        so_far = paging.ReadSoFar(self._pages, len(self.entries), len(keys))
        return Page(answer, paging.paging_parts(taken.around, answer), so_far, len(new))
