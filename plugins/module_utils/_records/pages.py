# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all pages of a list, however it is paged (API specification 4.2 shows no parameters and no envelope)."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .._core.errors import Advice, ServiceError
from .._core.text import clean, counted, describe_json
from .._http.client import Client
from .._http.problems import service_error
from .._http.transport import Answer, read_json
from .lists import MOST_RECORDS, RecordList, too_many_records
from .paging import Member, Page, PageParameter, UnclearPageError

MOST_PAGES = 1000
#: A list of so many records, of which nothing tells whether it is whole, may have been cut.
_MAY_BE_CUT = 10
#: What says that there is no such page, and what may also say that there is no such parameter.
_NO_SUCH_PAGE, _REFUSED = frozenset({204, 404, 410, 416}), frozenset({400, 422})

#: Query parameters by name, each with its first value if that is known.
ListedParameters: TypeAlias = Callable[[], Mapping[str, "int | None"]]


class PageReader(ABC):
    """Reads page after page, and gathers their ``entries``: each record once, with its key where that may be its id.

    ``incomplete`` says why not all pages were read; ``failure`` is the error in between. ``doubt``: what stood beside
    the records and could mean more, where no further page was found.

    ``what`` is what the service is sent, as in "the request for its products"; ``noun`` is what is listed, ``advice``
    what to do if the first page shows no list. ``url`` is that page's. ``listed`` gives the query parameters that the
    OpenAPI document lists. It is called only if a page does not say whether there are more.
    """

    what: str
    noun = "records"
    advice = ""
    #: More pages than these are not read, where that is less than MOST_PAGES.
    most_pages: int | None = None

    def __init__(self, client: Client, url: str, listed: ListedParameters) -> None:
        self.incomplete: str | None = None
        self.failure: ServiceError | None = None
        self.entries: list[tuple[str | None, Any]] = []
        self.doubt: Member | None = None
        self._client = client
        self._url = url
        self._listed = listed
        self._parameters: list[PageParameter] | None = None
        self._pages = 0
        self._requested: set[str] = set()
        self._seen: set[str] = set()
        self._again = 0
        self._total: int | None = None
        #: Whether pages were read by links, and by a parameter.
        self._linked = self._paged = False

    @abstractmethod
    def take(self, answer: Answer, body: Any) -> RecordList | None:
        """The records of a page. ``None``: no list is recognized. Raises ServiceError and its kinds."""

    def read(self) -> str | None:
        """Read page after page as one read, and say why the list may lack records.

        Raises ServiceError and its kinds where the first page cannot be read.
        """
        with self._client.reading():
            page = self._page(self._url)
            try:
                while page is not None:
                    last, page = page, self._following(page)
                    self.doubt = self.doubt or (last.other_list if page is None else None)
            except ServiceError as error:
                self.failure = error
                why = error.message.splitlines()[0].rstrip(".")
                self.incomplete = f"page {self._pages + 1} could not be read: {why}"
        return self.why_incomplete()

    def why_incomplete(self) -> str | None:
        """Why the list may lack records, after it was read."""
        if self.incomplete:
            return self.incomplete
        if self._again:
            return f"{counted(self._again, 'record')} came more than once, so pages repeat or moved meanwhile"
        if self.doubt:
            return f"{self.doubt} beside its {counted(len(self.entries), 'record')} may mean that there are more"
        return None

    def _following(self, page: Page) -> Page | None:
        if self.incomplete:
            return None
        try:
            url = page.next_url
        except UnclearPageError as error:
            self.incomplete = f"the service names a next page that is not understood: {error}"
            return None
        if url is not None:
            if url in self._requested or (not page.new and page.on_page):
                self.incomplete = f"its pages repeat themselves after page {self._pages}"
            elif self._may_read_on(page):
                self._linked = True
                return self._page(url)
        elif page.total is not None and page.total < page.received:
            self.incomplete = f"the service speaks of {page.total}, and lists {page.received}"
        elif page.says_more and (page.ended or self._linked):
            self.incomplete = f"{_there_are_more(page)}, and names no further page"
        elif not (page.says_all or self._linked) and self._may_go_on(page) and self._may_read_on(page):
            return self._by_parameter(page)
        return None

    def _may_read_on(self, page: Page) -> bool:
        # A page without records is none of its pages, and a request all the same.
        read, most = max(self._pages, len(self._requested)), self.most_pages or MOST_PAGES
        # A list that is too long is so by its first page, if that tells how many records there are.
        expected = math.ceil((page.total or 0) * page.pages / max(page.received, 1))
        if max(read + 1, expected) > most:
            self.incomplete = f"it has more than {most} pages"
        return self.incomplete is None

    def _may_go_on(self, page: Page) -> bool:
        """Return whether there may be more after a page that does not say: one request shows it."""
        may_be_cut = bool(page.says_more or page.doubts) or self._paged or page.on_page >= _MAY_BE_CUT
        return may_be_cut or (page.new > 0 and any(each.listed for each in self._by(page)))

    def _by(self, page: Page) -> list[PageParameter]:
        if self._parameters is None:
            self._parameters = page.page_parameters(self._listed())
        return self._parameters

    def _by_parameter(self, page: Page) -> Page | None:
        """The next page by the first parameter that brings new records. That parameter is kept.

        The list ends with an empty page, or with an earlier one where the parameter is known to select pages.
        """
        ended, expected = False, page.says_more is not None
        for parameter in self._by(page) if page.new else ():
            answer, optional, found = self._get(parameter.url(page)), not (parameter.listed or self._paged), None
            if answer.ok and answer.status not in _NO_SUCH_PAGE:
                try:
                    found = self._read(answer, optional=optional)
                except ServiceError:
                    # A parameter that no document lists may mean anything.
                    if not optional:
                        raise
            nothing = answer.status in _NO_SUCH_PAGE or (found is not None and not found.on_page)
            if self.incomplete or (found is not None and found.new):
                # A cursor is another one on each page.
                self._parameters, self._paged = [parameter] if parameter.cursor is None else None, True
                return found
            ended |= (parameter.listed and parameter.cursor is None) or self._paged or nothing
            if not (answer.ok or expected or nothing or answer.status in _REFUSED):
                raise service_error(answer, self.what)
        if expected:
            self.incomplete = f"{_there_are_more(page)}, and no way to ask for its next page brings any"
        elif not ended:
            self.doubt = next(iter(page.doubts), None)
        return None

    def _page(self, url: str) -> Page | None:
        self._requested.add(url)
        answer = self._get(url)
        if not answer.ok:
            raise service_error(answer, self.what)
        return self._read(answer)

    def _get(self, url: str) -> Answer:
        return self._client.get(url)

    def _read(self, answer: Answer, *, optional: bool = False) -> Page | None:
        body = read_json(answer)
        self._client.check_deadline(answer.url)
        # What writes positions as keys writes no record as an empty object.
        taken = self.take(answer, [] if self._pages and body == {} else body)
        if taken is None:
            if not self._pages:
                raise ServiceError(
                    f"The service answered {answer.status}, but no list of {self.noun} is recognized in it.\n"
                    f"{clean(answer.url, 300)} answered {clean(describe_json(body), 1000)}.",
                    Advice(self.advice),
                    status=answer.status,
                )
            if not optional:
                self.incomplete = f"page {self._pages + 1} is not understood: no list is recognized in it"
            return None
        if len(self.entries) + len(taken.entries) > MOST_RECORDS:
            raise too_many_records()
        keys = [json.dumps(entry, sort_keys=True) for entry in taken.entries]
        new = [entry for key, entry in zip(keys, taken.entries, strict=True) if key not in self._seen]
        # A page that is the first one again: the service takes no such parameter.
        self._again += len(keys) - len(new) if new else 0
        self._seen.update(keys)
        self.entries += new
        # One that brings nothing new is no further page: the next is counted from the last that did.
        self._pages += bool(new) or not self._pages
        page = Page(taken, answer, pages=self._pages, received=len(self.entries), on_page=len(keys), new=len(new))
        self._total = page.total if self._pages == 1 else self._total
        if page.total != self._total:
            self.incomplete = f"the service spoke of {self._total} records, and later of {page.total}"
        self._client.check_deadline(answer.url)
        return page


def _there_are_more(page: Page) -> str:
    return f"the service says that there are more: {page.says_more}"
