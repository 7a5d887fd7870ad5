# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a list of records to its end, as the description says, or as the list itself tells (specification 4.2).

Nothing of a list's form is documented, so it counts as complete only by a total, or by pages that were read to their
end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from .._core.errors import Advice, ServiceError
from .._core.text import brief, by_folded_name, clean, counted, describe_json, json_in
from .._http.client import Client
from .._http.problems import service_error
from .._http.transport import Answer, read_json
from .description import Description, Field, Source
from .failures import ERRORS, envelope_failure
from .list_names import (
    Beside,
    as_records,
    beside_records,
    limits_of,
    link_in,
    next_step,
    records_place,
    says_more,
    total_place,
)
from .places import at, inside

MOST_PAGES, MOST_RECORDS = 1000, 100_000
#: Usual numbers of records on a page: a list of so many that has no pages may have been cut.
USUAL_LIMITS = frozenset({10, 15, 20, 25, 30, 50, 100, 200, 250, 500, 1000})
_NO_SUCH_PAGE = frozenset({204, 404, 410, 416})
_PARTIAL = 206
#: The headers that may be about pages.
_HEADER = re.compile("link|pag(e|ination)|next|total|more|content-range|cursor|count")


class _Page(NamedTuple):
    """A page as it was read."""

    #: Its address, after redirects.
    url: str
    #: Its body, and its headers as ``headers``.
    view: Mapping[str, Any]
    beside: list[Beside]
    #: The number of its records, and of those that no page before it had.
    size: int = 0
    new: int = 0
    #: Whether it shows all records of page 1 again.
    is_first: bool = False


class RecordList:
    """The ``records`` of all pages that were read, each once. ``why_incomplete`` is empty if none can be missing.

    ``part`` is that of the description, ``contracts`` or ``products``, and ``noun`` may name the list. ``what`` is the
    request, in messages; ``advice`` is what to do where no list is found. ``parameters`` returns the published query
    parameters with their default or least number. ``learned`` are the fields that the description leaves out.
    ``failure`` is the error between two pages.
    """

    def __init__(
        self,
        client: Client,
        url: str,
        description: Description,
        *,
        part: str,
        noun: str,
        what: str,
        advice: str = "",
        parameters: Callable[[], Mapping[str, int | None]] = dict,
        get: Callable[[str], Answer] | None = None,
    ) -> None:
        self.records: list[Any] = []
        self.why_incomplete = ""
        self.failure: ServiceError | None = None
        self.learned: dict[str, Field] = {}
        self._client, self._url, self._get = client, url, get or client.get
        self._description, self._part, self._noun = description, part, noun
        self._what, self._advice, self._parameters = what, advice, parameters
        #: The records that were read, and those of page 1, as texts.
        self._read: set[str] = set()
        self._first_page: set[str] = set()
        self._requested: set[str] = set()
        self._last = _Page(url, {}, [])
        self._totals: set[int] = set()
        #: The number of pages that had records of their own.
        self._pages = 0
        self._is_doubtful = False

    def read(self) -> RecordList:
        """Read all pages. Raises ServiceError and its kinds where the first one cannot be read."""
        with self._client.reading():
            first = self._page(self._url)
            try:
                if first is not None:
                    self._follow(first)
            except ServiceError as error:
                self.failure = error
                why = error.message.splitlines()[0].rstrip(".")
                self.why_incomplete = f"page {self._pages + 1} could not be read: {why}"
        return self

    @property
    def is_cut(self) -> bool:
        """Return whether it lacks records by what the service itself says, and not only may lack them."""
        return bool(self.why_incomplete) and not self._is_doubtful

    # The description, and what the first page tells

    def _field(self, name: str) -> Any:
        full = f"{self._part}.{name}"
        return self.learned[full].value if full in self.learned else self._description.get(full)

    def _is_known(self, name: str) -> bool:
        return self._description.source(f"{self._part}.{name}") is not None

    def _learn(self, published: Mapping[str, int | None]) -> None:
        """Learn from page 1 what the description leaves out, and by the parameters that the service publishes."""
        told = {
            "total": total_place(self._last.beside, self._last.size),
            "next": next_step(self._last.beside, published),
        }
        for name, value in told.items():
            if value is not None and not self._is_known(name):
                source: Source = "openapi" if published and name == "next" else "name"
                self.learned[f"{self._part}.{name}"] = Field(value, source)

    def _records_in(self, body: Any) -> list[Any] | None:
        full = f"{self._part}.records"
        if not self._is_known("records") and full not in self.learned:
            place = records_place(body, self._noun)
            if place is None:
                return None
            self.learned[full] = Field(place, "name")
        here = inside(body, self._field("records") or "")
        return as_records(here[0]) if here else None

    # Pages

    def _follow(self, first: _Page) -> None:
        if self._is_known("next") and self._field("next") is None:
            return self._end(is_all=True)
        if self._is_total:
            return None
        step = self._field("next")
        if step is None or step.keys() == {"parameter"}:
            self._learn(self._parameters())
            step = self._field("next") or {"parameter": "page"}
        if not (first.size or {"link", "cursor"} & step.keys()):
            return self._end(has_ended=True)
        if step.keys() == {"parameter"}:
            return self._probe(first, step["parameter"])
        return self._read_on(first, step)

    def _read_on(self, page: _Page, step: Mapping[str, Any]) -> None:
        """Read from here to the end of the pages."""
        while not self.why_incomplete:
            url = self._next_url(page, step)
            following = self._page(url, may_be_missing="link" not in step) if url is not None else None
            if following is None or not following.size or (self._is_total and "link" not in step):
                return self._end(has_ended=True)
            if not following.new:
                if self._pages == 1 and following.is_first and "link" not in step:
                    return self._end()
                self.why_incomplete = f"its pages repeat themselves after page {self._pages}"
            page = following
        return None

    def _probe(self, first: _Page, name: str) -> None:
        """Ask for page 2, where nothing tells whether there is one, then for page 1: a list may begin with page 0."""
        second = self._page(with_query(first.url, {name: "2"}), may_be_missing=True)
        if second is not None and second.is_first:
            # The parameter means nothing to the service.
            return self._end()
        page_1 = self._page(with_query(first.url, {name: "1"}), may_be_missing=True)
        is_first = page_1 is not None and page_1.is_first
        begins_at_0 = page_1 is not None and (page_1.new > 0 or not page_1.size)
        if second is None or not second.new:
            return self._end(has_ended=begins_at_0 or is_first)
        if not (is_first or begins_at_0):
            self.why_incomplete = "its pages repeat themselves after page 1"
        step = {"parameter": name, "first": 0 if begins_at_0 else 1}
        self._pages = 3 if begins_at_0 else 2
        if not self._is_known("next"):
            self.learned[f"{self._part}.next"] = Field(step, "name")
        return self._read_on(first, step)

    def _next_url(self, page: _Page, step: Mapping[str, Any]) -> str | None:
        """Return the address of the next page at the service's own origin, ``None`` where there is none."""
        if "offset" in step:
            # Pages as large as the first one.
            size = {step["limit"]: str(len(self._first_page))} if "limit" in step else {}
            return with_query(page.url, {step["offset"]: str(len(self.records)), **size})
        if "first" in step:
            return with_query(page.url, {step["parameter"]: str(self._pages + step["first"])})
        told = [item for item in inside(page.view, step.get("link") or step["cursor"]) if item not in (None, "", False)]
        if not told:
            return None
        if "cursor" in step:
            return with_query(page.url, {step["parameter"]: str(told[-1])})
        link = link_in(told[0])
        try:
            parts, own = urlsplit(urljoin(page.url, link or "")), urlsplit(page.url)
        except ValueError:
            link = None
        if link is None:
            self.why_incomplete = f"the service names a next page that is not understood: {brief(told[0])}"
            return None
        # Behind a proxy, a service may know neither its own name nor a path that the proxy removes.
        path = own.path if own.path.endswith(parts.path) else parts.path
        return urlunsplit((own.scheme, own.netloc, path, parts.query, ""))

    def _page(self, url: str, *, may_be_missing: bool = False) -> _Page | None:
        """Read a page, and add its records. ``None`` for one that the service says not to have. Raises ServiceError."""
        if url in self._requested or len(self._requested) >= MOST_PAGES:
            ends = "its pages repeat themselves" if url in self._requested else f"it has more than {MOST_PAGES} pages"
            raise ServiceError(f"{ends}.")
        self._requested.add(url)
        answer = self._get(url)
        if may_be_missing and answer.status in _NO_SUCH_PAGE:
            return None
        if not answer.ok:
            raise service_error(answer, self._what)
        body = read_json(answer)
        self._client.check_deadline(answer.url)
        view = _view_of(answer, body)
        records = self._records_in(body)
        beside = beside_records(view, self._field("records") or "")
        beside += [Beside("status 206", "more", True)] * (answer.status == _PARTIAL)
        if records is None:
            self._refuse_other(answer, body, beside)
        if isinstance(body, Mapping):
            self._refuse_failure(answer, body)
        self._last = self._with_records(_Page(answer.url, view, beside), records or [])
        if len(self._requested) == 1:
            self._learn({})
        told = [Beside("", "", value).number for value in at(view, self._field("total"))]
        self._totals.update([number for number in told if number is not None][:1])
        return self._last

    def _refuse_other(self, answer: Answer, body: Any, beside: Iterable[Beside]) -> None:
        """Raise ServiceError unless an answer without a list says that there is no record, as HAL does."""
        is_empty = (
            body in ({}, []) if self._pages else any("total" in item.name and item.number == 0 for item in beside)
        )
        if not is_empty:
            raise ServiceError(
                f"The service answered {answer.status}, but no list of {self._noun} is recognized in it.\n"
                f"{clean(answer.url, 300)} answered {clean(describe_json(body), 1000)}.",
                Advice(self._advice),
                status=answer.status,
            )

    def _with_records(self, page: _Page, records: list[Any]) -> _Page:
        """Add the records of a page, and return it with what is told by comparing them with those before."""
        if len(self.records) + len(records) > MOST_RECORDS:
            raise ServiceError(
                f"The service lists more than {MOST_RECORDS} records, which is more than one read takes."
            )
        keys = [json.dumps(record, sort_keys=True) for record in records]
        new = {key: record for key, record in zip(keys, records, strict=True) if key not in self._read}
        # A list may have grown in between.
        is_first = self._pages > 0 and bool(keys) and self._first_page <= {*keys}
        if not is_first and len(new) < len(keys):
            self._is_doubtful = not self._pages
            self.why_incomplete = "records came more than once, so pages repeat or moved meanwhile"
        self._read.update(new)
        self.records += new.values()
        if not self._pages:
            self._first_page = {*new}
        self._pages += bool(new) or not self._pages
        return page._replace(size=len(keys), new=len(new), is_first=is_first)

    # Its end

    @property
    def _is_total(self) -> bool:
        """Return whether every total that was told is the number of the records that were read."""
        return self._totals == {len(self.records)}

    def _end(self, *, has_ended: bool = False, is_all: bool = False) -> None:
        """Say why the list may lack records. ``has_ended``: its pages have, ``is_all``: one page is all it has."""
        if self.why_incomplete or self._is_total:
            return
        step, beside, count = self._field("next") or {}, self._last.beside, len(self.records)
        known = [*filter(None, (self._field("total"), step.get("link"), step.get("cursor")))]
        if self._totals:
            self.why_incomplete = f"the service speaks of {max(self._totals)}, and lists {count}"
        elif not is_all and (more := says_more(beside, self._pages, known)):
            shown = f"{clean(more.place, 60)} ({brief(more.value, 60)})"
            self.why_incomplete = f"{shown} beside its {counted(count, 'record')} may mean that there are more"
        elif not (is_all or has_ended) and count in USUAL_LIMITS | limits_of(beside, self._parameters()):
            self._is_doubtful = True
            self.why_incomplete = f"{count} records may be the most of one page, and nothing tells whether that is all"

    def _refuse_failure(self, answer: Answer, body: Mapping[Any, Any]) -> None:
        """Raise ServiceError for an answer that says that it failed. Its records may well tell of failures."""
        members = by_folded_name(body).items()
        own = {
            name: value for name, value in members if not isinstance(value, (list, Mapping)) or ERRORS.fullmatch(name)
        }
        contrary = next(envelope_failure(own), None)
        if contrary is not None:
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but says that it failed: {contrary}.",
                Advice("Check organization_id, and look for the reason in the customer portal."),
                status=answer.status,
            )


def with_query(url: str, changed: Mapping[str, str]) -> str:
    """Return a URL with these query parameters in place of those of their names."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode({**dict(parse_qsl(parts.query)), **changed})))


def _view_of(answer: Answer, body: Any) -> dict[str, Any]:
    """The body, and as ``headers`` the headers by names in small letters, ``Link`` as its addresses by relations."""
    texts = {name.lower(): text for name, text in answer.headers.items() if _HEADER.search(name.lower())}
    headers: dict[str, Any] = {name: json_in(text) or text for name, text in texts.items()}
    if "link" in headers:
        headers["link"] = answer.links()
    return {**(body if isinstance(body, Mapping) else {}), "headers": headers}
