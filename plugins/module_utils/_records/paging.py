# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the next page of a response (API specification 4.2 shows no parameters and no envelope). Pure.

A response may name the next page. Otherwise pages are requested by a parameter that the published reference lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from .._core.text import brief, by_folded_name, fold, words
from .._http.transport import Answer
from .._reference.request_parts import QueryParameter

#: Elements that may hold what is said about the pages.
_HOLDERS = words(
    "meta metadata links pagination paging paginator pager page pageinfo pages view hydraview navigation info"
)
_NEXT = words("next hydranext nextpage nextpageurl nextpagelink nexturl nexturi nextlink nexthref @odatanextlink")
_CURSORS = words("nextcursor nextpagetoken nexttoken")
_CURRENT = ("currentpage", "page", "pagenumber", "pageindex", "number", "current")
_LAST = ("lastpage", "totalpages", "pagecount", "pagestotal", "numpages", "numberofpages", "pages", "last")
_TOTAL = re.compile(
    r"(?:hydra)?total(?:items|count|elements|results|records|products|contracts)?|recordstotal|itemcount|count"
)
_MORE = ("next", "hasmore", "hasnext", "hasnextpage", "hasmorepages", "more")
#: Query parameters (folded) that take the number of a page, that pass over records, and that bound a page.
_NUMBERS = words("page pagenumber pageindex pageno pagenr p currentpage")
_OFFSETS = words("offset skip start from startindex first $skip pageoffset")
_SIZES = words("limit take top perpage pagesize itemsperpage size count pagelimit maxresults rows $top")
_RANGE = re.compile(r"(?:[a-z]+\s+)?\d+\s*-\s*\d+\s*/\s*(\d+)", re.IGNORECASE)
_HOLDER_DEPTH = 3


@dataclass(frozen=True)
class ReadSoFar:
    """The progress of reading: pages, records in total, and records on the last page."""

    pages: int
    received: int
    on_page: int


@dataclass(frozen=True)
class PageParameter:
    """A query parameter that selects a page: its number, or how many records to skip.

    ``first`` is the number of the first page. ``size`` is the parameter that bounds a page, if it has to be given.
    ``listed``: the published reference lists it.
    """

    name: str
    by_number: bool = True
    first: int = 1
    size: str | None = None
    listed: bool = True

    def url(self, url: str, so_far: ReadSoFar) -> str:
        """The URL of the page after those that were read. ``url`` is that of any page."""
        at = so_far.pages + self.first if self.by_number else so_far.received
        sizes = {self.size: str(so_far.on_page)} if self.size else {}
        return _with_query(url, **{self.name: str(at)}, **sizes)


class UnclearPageError(ValueError):
    """The service announces a next page in a form that is not understood."""


def paging_parts(around: Sequence[Mapping[Any, Any]], answer: Answer) -> list[dict[str, Any]]:
    """All objects that may describe the pages, by folded names: those around the records, and headers."""
    found: list[dict[str, Any]] = []

    def collect(mapping: Mapping[Any, Any], depth: int) -> None:
        folded = by_folded_name(mapping)
        # A cursor's own name tells how the parameter is spelt.
        folded |= {fold(name): (name, item) for name, item in mapping.items() if fold(name) in _CURSORS}
        found.append(folded)
        for name in _HOLDERS & folded.keys():
            if isinstance(folded[name], Mapping) and depth:
                collect(folded[name], depth - 1)

    for mapping in around:
        collect(mapping, _HOLDER_DEPTH)
    for name, text in answer.headers.items():
        if "page" in name.lower() or "pagination" in name.lower():
            try:
                value = json.loads(text)
            except ValueError:
                continue
            if isinstance(value, Mapping):
                collect(value, 0)
    return found


def next_page(answer: Answer, parts: Sequence[Mapping[str, Any]]) -> str | None:
    """The address of the next page. ``""`` if the service says that there is none, ``None`` if it says nothing.

    Looked for in this order: ``Link`` header, links in the body, cursors, header ``X-Next-Page``. Raises
    UnclearPageError when there is a next page, but not how to get it.
    """
    links = answer.links("next")
    if links:
        return _joined(answer.url, links[0].target)
    ended = False
    for holder in parts:
        for value in _next_values(holder):
            if value is True:
                continue
            if value in (None, False, "", 0) or value == {} or value == []:
                ended = True
                continue
            return _followed(answer.url, value)
    for holder in parts:
        for name in sorted(_CURSORS & holder.keys()):
            spelt, value = holder[name]
            if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                return _with_query(answer.url, **{_parameter(spelt): str(value)})
            ended = True
    following = _whole(answer.header("X-Next-Page"))
    if following is not None:
        return _with_query(answer.url, page=str(following))
    return "" if ended else None


def total(answer: Answer, parts: Sequence[Mapping[str, Any]]) -> int | None:
    """The total number of records, if a header or the body of the response has it."""
    for name, text in answer.headers.items():
        folded = fold(name)
        in_range = _RANGE.fullmatch(text.strip())
        if in_range and "range" in folded:
            return int(in_range[1])
        number = _whole(text)
        if number is not None and "total" in folded and not re.search("page|time|duration", folded):
            return number
    named = ((name, holder[name]) for holder in parts for name in holder if _TOTAL.fullmatch(name))
    numbers = [(name, number) for name, value in named if (number := _whole(value)) is not None]
    # A count may be that of this page.
    return min(numbers, key=lambda pair: pair[0] in ("count", "itemcount"), default=("", None))[1]


def says_more(answer: Answer, parts: Sequence[Mapping[str, Any]], so_far: ReadSoFar) -> bool | None:
    """Whether the response says that there are more records. ``None`` if it says nothing."""
    count = total(answer, parts)
    if count is not None:
        return count > so_far.received
    last = _number_in(parts, _LAST)
    if last is None:
        headers = {fold(name): text for name, text in answer.headers.items()}
        last = next((_whole(text) for name, text in headers.items() if re.search("totalpages|pagecount", name)), None)
    if last is not None:
        return so_far.pages < last
    signs = [holder[name] for holder in parts for name in _MORE if isinstance(holder.get(name), bool)]
    return any(signs) if signs else None


def page_parameters(parts: Sequence[Mapping[str, Any]], listed: Sequence[QueryParameter]) -> list[PageParameter]:
    """Those of the query parameters that the published reference lists by which a page can be requested.

    Where nothing tells whether pages are counted from 0 or from 1, both are tried: page 1 is the first one again, or
    the second. If no parameter is listed, ``page``, which most services know.
    """
    current = _number_in(parts, _CURRENT)
    counted_from = [0, 1] if current is None else [min(current, 1)]
    sizes = [parameter.name for parameter in listed if _base(parameter.name) in _SIZES]
    found = []
    for parameter in listed:
        if _base(parameter.name) in _NUMBERS:
            firsts = counted_from if parameter.first is None else [min(parameter.first, 1)]
            found += [PageParameter(parameter.name, first=first) for first in firsts]
        elif _base(parameter.name) in _OFFSETS:
            found.append(PageParameter(parameter.name, by_number=False, size=sizes[0] if sizes else None))
    return found or [PageParameter("page", first=counted_from[-1], listed=False)]


def _base(name: str) -> str:
    """``page[number]`` is ``pagenumber``; ``page`` alone stays."""
    return fold(name.replace("[", "_").replace("]", ""))


def _next_values(holder: Mapping[str, Any]) -> Iterator[Any]:
    for name in sorted(_NEXT & holder.keys()):
        yield holder[name]
    links = holder.get("links")
    for link in links[:100] if isinstance(links, list) else ():
        if isinstance(link, Mapping) and link.get("rel") == "next":
            yield link


def _followed(url: str, value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, Mapping):
        folded = by_folded_name(value)
        names = ("href", "url", "@id", "link", "uri", "page", "number")
        value = next((folded[name] for name in names if folded.get(name)), value)
    number = _whole(value)
    if number is not None:
        return _with_query(url, page=str(number))
    if isinstance(value, str) and any(mark in value for mark in "/?"):
        return _joined(url, value)
    raise UnclearPageError(brief(value))


def _joined(url: str, link: str) -> str:
    """The path and query of a link on the origin of this page: behind a proxy, a service may not know its own name."""
    try:
        parts, own = urlsplit(urljoin(url, link.strip())), urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UnclearPageError(brief(link))
    # A service below a path that a proxy removes does not know that path either.
    path = own.path if own.path.endswith(parts.path) else parts.path
    return urlunsplit((own.scheme, own.netloc, path, parts.query, ""))


def _with_query(url: str, **changed: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode({**dict(parse_qsl(parts.query)), **changed})))


def _parameter(spelt: str) -> str:
    """The parameter that takes a cursor: ``cursor`` for ``next_cursor``, ``pageToken`` for ``nextPageToken``."""
    rest = spelt[4:].lstrip("_-")
    return rest[:1].lower() + rest[1:]


def _number_in(parts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int | None:
    numbers = (_whole(holder.get(name)) for name in names for holder in parts)
    return next((number for number in numbers if number is not None), None)


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None
