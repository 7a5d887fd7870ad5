# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all pages of a list, however it is paged (API specification 4.2 shows no parameters and no envelope)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._core.text import clean
from .._http.answers import read_json, service_error
from .._http.client import JSON, MEGABYTE, Answer, Client
from .._reference.published import QueryParameter
from . import paging

#: A service that speaks JSON-LD tells only in it how many records there are and where the next page is.
ACCEPT = "application/ld+json, application/json;q=0.9"
NOT_ACCEPTABLE = 406
LARGEST_PAGE = 64 * MEGABYTE
LARGEST_LIST = 128 * MEGABYTE
MOST_PAGES = 1000
#: A list of at least so many records that says nothing of further ones may be a full page.
SMALLEST_FULL_PAGE = 10

#: The query parameters that the published reference lists for the list; asked for only if they are needed.
Listed = Callable[[], Sequence[QueryParameter]]
#: The media types in which it publishes the list; asked for only after all others were refused.
MediaTypes = Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Taken:
    """The result of a page: counts of its records, of new ones and of all so far, and the objects around them."""

    on_page: int
    new: int
    received: int
    around: Sequence[Mapping[Any, Any]]


@dataclass(frozen=True)
class Page:
    """A page that was read: its response, what may show further pages, and how many of its records are new."""

    answer: Answer
    holders: list[dict[str, Any]]
    so_far: paging.ReadSoFar
    new: int


class PageReader(ABC):
    """Reads page after page. ``incomplete`` says why not all of them were read.

    ``what`` is what the service is asked for, as in "for its products".
    """

    what = "for its records"

    def __init__(self, client: Client, url: str, listed: Listed, media_types: MediaTypes) -> None:
        self.incomplete: str | None = None
        self._client = client
        self._url = url
        self._listed = listed
        self._media_types = media_types
        self._accept = ACCEPT
        self._ways: list[paging.Way] | None = None
        self._size = 0
        self._pages = 0
        self._asked: set[str] = set()

    @abstractmethod
    def take(self, answer: Answer, body: Any, *, tried: bool) -> Taken:
        """Take the records of a page. ``tried``: nothing announced the page. Raises ServiceError and its kinds."""

    def read(self) -> None:
        """Read page after page. Raises ServiceError and its kinds."""
        page: Page | None = self._page(self._url)
        while page is not None:
            page = self._following(page)

    def _following(self, page: Page) -> Page | None:
        try:
            url = paging.next_page(page.answer, page.holders)
        except paging.UnclearPageError as error:
            self.incomplete = f"the service names a next page that is not understood: {error}"
            return None
        more = paging.says_more(page.answer, page.holders, page.so_far)
        if url == "":
            count = paging.total(page.answer, page.holders)
            if count is not None and more:
                self.incomplete = f"the service speaks of {count}, and tells no further page"
            return None
        if url in self._asked or (url and not page.new and page.so_far.on_page):
            self.incomplete = f"its pages repeat themselves after page {self._pages}"
        elif url or more or self._may_be_full(page, more):
            if self._pages >= MOST_PAGES:
                self.incomplete = f"it has more than {MOST_PAGES} pages"
            elif self._size > LARGEST_LIST:
                self.incomplete = f"it is larger than {LARGEST_LIST // MEGABYTE} MB"
            elif url:
                return self._page(url)
            else:
                return self._found(page, expected=bool(more))
        return None

    def _may_be_full(self, page: Page, more: bool | None) -> bool:
        """Whether a page that says nothing of further ones is as large as one that has them."""
        return more is None and page.new > 0 and page.so_far.on_page >= SMALLEST_FULL_PAGE

    def _found(self, page: Page, *, expected: bool) -> Page | None:
        """The next page in the first way that brings new records. That way is kept."""
        if self._ways is None:
            self._ways = paging.ways(page.holders, self._listed())
        refused = ""
        for way in self._ways if expected or len(self._ways) == 1 else self._ways[:1]:
            url = way.url(page.answer.url, page.so_far)
            if url in self._asked:
                continue
            self._asked.add(url)
            answer = self._get(url)
            if not answer.ok:
                refused = f": {clean(url, 200)} was answered with status {answer.status}"
                continue
            found = self._read(answer, tried=True)
            if found.new:
                self._ways = [way]
                return found
        if expected:
            count = paging.total(page.answer, page.holders)
            said = "there are more" if count is None else f"there are {count}"
            self.incomplete = f"the service says that {said}, and no way to ask for its next page brings any{refused}"
        return None

    def _page(self, url: str) -> Page:
        self._asked.add(url)
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
        media_types = self._media_types() if answer.status == NOT_ACCEPTABLE else ()
        if not media_types:
            return answer
        self._accept = ", ".join([*media_types, "*/*;q=0.1"])
        return self._client.get(url, accept=self._accept, max_bytes=LARGEST_PAGE)

    def _read(self, answer: Answer, *, tried: bool = False) -> Page:
        taken = self.take(answer, read_json(answer), tried=tried)
        self._size += len(answer.body)
        self._pages += 1
        so_far = paging.ReadSoFar(self._pages, taken.received, taken.on_page)
        return Page(answer, paging.holders(taken.around, answer), so_far, taken.new)
