# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where an answer says that its next page is (document section 4.2: neither parameters nor envelope are shown)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from .._core.text import brief, fold, words
from .._http.client import Answer

try:
    from requests.utils import parse_header_links
except ImportError:
    # Without requests there is no client, and so no answer to look at.
    parse_header_links = None  # type: ignore[assignment]


#: Elements that may hold what is said about the pages.
_HOLDERS = words(
    "meta metadata links pagination paging paginator pager page pageinfo pages view hydraview navigation info"
)
_NEXT = words("next hydranext nextpage nextpageurl nextpagelink nexturl nexturi nextlink nexthref @odatanextlink")
_CURSORS = words("nextcursor nextpagetoken nexttoken")
_CURRENT = ("currentpage", "page", "pagenumber", "pageindex", "number", "current")
_LAST = ("lastpage", "totalpages", "pagecount", "pagestotal", "numpages", "numberofpages", "pages", "last")
_TOTALS = (
    "totalitems",
    "hydratotalitems",
    "total",
    "totalcount",
    "totalelements",
    "totalresults",
    "totalrecords",
    "recordstotal",
    "totalproducts",
    "itemcount",
    "count",
)
_MORE = ("next", "hasmore", "hasnext", "hasnextpage", "hasmorepages", "more")
_OFFSETS = (("offset", "limit"), ("skip", "limit"), ("skip", "take"), ("start", "limit"))
_HOLDER_DEPTH = 3


@dataclass(frozen=True)
class NextPage:
    """The next page. ``told`` is false where the service did not say its address, and it was made up from a count."""

    url: str
    told: bool = True


@dataclass(frozen=True)
class ReadSoFar:
    """How far the reading is: pages read, records received in all and on the last page, and the first page's number."""

    pages: int
    received: int
    on_page: int
    first_number: int = 1


class UnclearPageError(ValueError):
    """The service says that there is a next page, in a way that is not understood."""


def holders(around: Sequence[Mapping[Any, Any]]) -> list[dict[str, Any]]:
    """All objects that may tell about the pages, by folded names: those around the records, and what they hold."""
    found: list[dict[str, Any]] = []

    def collect(value: Mapping[Any, Any], depth: int) -> None:
        told: dict[str, Any] = {}
        for name, item in value.items():
            # A cursor's own name tells how the parameter is spelt.
            told.setdefault(fold(name), (name, item) if fold(name) in _CURSORS else item)
        found.append(told)
        for name in _HOLDERS & told.keys():
            if isinstance(told[name], Mapping) and depth:
                collect(told[name], depth - 1)

    for value in around:
        collect(value, _HOLDER_DEPTH)
    return found


def next_page(answer: Answer, told: Sequence[Mapping[str, Any]], progress: ReadSoFar) -> NextPage | None:
    """The page after this answer, ``None`` when there is none.

    Looked for in this order: ``Link`` header, links in the body, cursors, page numbers, offsets, totals. Raises
    UnclearPageError when there is a next page, but not how to get it.
    """
    linked = _linked(answer)
    if linked:
        return NextPage(_joined(answer.url, linked))
    ended = False
    for holder in told:
        for value in _next_values(holder):
            if value is True:
                continue
            if value in (None, False, "", 0) or value == {} or value == []:
                ended = True
                continue
            return _followed(answer.url, value)
    for holder in told:
        for name in sorted(_CURSORS & holder.keys()):
            spelt, value = holder[name]
            if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                return NextPage(_with_query(answer.url, **{_parameter(spelt): str(value)}))
            ended = True
    if ended:
        return None
    return _numbered(answer, told, progress)


def total(answer: Answer, told: Sequence[Mapping[str, Any]]) -> int | None:
    """How many records there are in all, if the answer says so."""
    for name in ("X-Total-Count", "X-Total", "X-WP-Total"):
        number = _whole(_header(answer, name))
        if number is not None:
            return number
    return next(
        (number for name in _TOTALS for holder in told if (number := _whole(holder.get(name))) is not None), None
    )


def first_number(told: Sequence[Mapping[str, Any]]) -> int:
    """What the service calls its first page, told by the answer that is the first page: 0 or 1."""
    current = _number_in(told, _CURRENT)
    return 0 if current == 0 else 1


def _numbered(answer: Answer, told: Sequence[Mapping[str, Any]], progress: ReadSoFar) -> NextPage | None:
    following = _whole(_header(answer, "X-Next-Page"))
    if following is not None:
        return NextPage(_with_query(answer.url, page=str(following)))
    last = _number_in(told, _LAST)
    if last is None:
        last = _whole(_header(answer, "X-Total-Pages") or _header(answer, "X-WP-TotalPages"))
    number = progress.pages + progress.first_number
    if last is not None and number < last + progress.first_number:
        return NextPage(_with_query(answer.url, page=str(number)), told=False)
    count = total(answer, told)
    if count is not None and count > progress.received:
        for offset, limit in _OFFSETS:
            for holder in told:
                at, size = _whole(holder.get(offset)), _whole(holder.get(limit))
                if at is not None and size:
                    begin = at + (progress.on_page or size)
                    return NextPage(_with_query(answer.url, **{offset: str(begin), limit: str(size)}), told=False)
        return NextPage(_with_query(answer.url, page=str(number)), told=False)
    if any(holder.get(name) is True for name in _MORE for holder in told):
        return NextPage(_with_query(answer.url, page=str(number)), told=False)
    return None


def _linked(answer: Answer) -> str | None:
    header = _header(answer, "Link")
    if not header or parse_header_links is None:
        return None
    for link in parse_header_links(header):
        if "next" in str(link.get("rel", "")).lower().split():
            return str(link.get("url") or "") or None
    return None


def _next_values(holder: Mapping[str, Any]) -> Iterator[Any]:
    for name in sorted(_NEXT & holder.keys()):
        yield holder[name]
    links = holder.get("links")
    for link in links[:100] if isinstance(links, list) else ():
        if isinstance(link, Mapping) and link.get("rel") == "next":
            yield link


def _followed(url: str, value: Any) -> NextPage:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, Mapping):
        told = {fold(name): item for name, item in value.items()}
        value = next(
            (told[name] for name in ("href", "url", "@id", "link", "uri", "page", "number") if told.get(name)), value
        )
    number = _whole(value)
    if number is not None:
        return NextPage(_with_query(url, page=str(number)))
    if isinstance(value, str) and any(mark in value for mark in "/?"):
        return NextPage(_joined(url, value))
    raise UnclearPageError(brief(value))


def _joined(url: str, link: str) -> str:
    try:
        joined = urljoin(url, link.strip())
        parts, own = urlsplit(joined), urlsplit(url)
        port = parts.port
    except ValueError:
        raise UnclearPageError(brief(link)) from None
    # A service behind a proxy that ends TLS may believe that it is reached by plain HTTP,
    if (parts.scheme, own.scheme, port, own.port) == ("http", "https", None, None) and parts.hostname == own.hostname:
        parts = parts._replace(scheme="https")
    # and one below a path that the proxy removes does not know that path.
    if parts.netloc == own.netloc and parts.path != own.path and own.path.endswith(parts.path):
        parts = parts._replace(path=own.path)
    return urlunsplit(parts._replace(fragment=""))


def _with_query(url: str, **changed: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode({**dict(parse_qsl(parts.query)), **changed})))


def _parameter(spelt: str) -> str:
    """The parameter that takes a cursor: ``cursor`` for ``next_cursor``, ``pageToken`` for ``nextPageToken``."""
    rest = spelt[4:].lstrip("_-")
    return rest[:1].lower() + rest[1:]


def _header(answer: Answer, name: str) -> str | None:
    return next((value for told, value in answer.headers.items() if told.lower() == name.lower()), None)


def _number_in(told: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int | None:
    return next((number for name in names for holder in told if (number := _whole(holder.get(name))) is not None), None)


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


__all__ = ["NextPage", "ReadSoFar", "UnclearPageError", "first_number", "holders", "next_page", "total"]
