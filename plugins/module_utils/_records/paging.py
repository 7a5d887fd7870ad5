# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what stands beside the records of a page and may mean that there are more (API specification 4.2 shows none).

The shape of a value and the kind of its name say that: links, cursors, totals, other numbers, tokens, ``true``, and
further lists. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from .._core.text import brief, by_folded_name, clean, fold, is_uuid, parse_json, plain_number, words
from .._http.transport import Answer
from .lists import RecordList

# Kinds of names, folded and without the prefixes of JSON-LD, OData and headers.
_PREFIX = re.compile(r"(hydra|@odata|@)(?=.)")
_MORE = re.compile(r"more|next|remain")
_END = re.compile(r"(is|has)?(last|end)(page)?")
#: The most records of a page.
_BOUND = re.compile(r".*(limit|size|perpage)|max.*")
_PAGE = re.compile(r".*page.*|number|last.*")
#: What was read already.
_READ = re.compile(r"first|prev|self|last|current|has_?prev")
#: What a response says of itself, of time and money, and of its request: whatever the value is, it means no records.
_NEUTRAL = re.compile(
    r".*(success|status|ok|code|message|version|time(stamp)?|(ed|es)at|price|duration|took|ratelimit.*)"
    r"|object|type|context|(request|trace)?id|included|sort|search|query|filters?|pageable|order(by)?"
)
_LINKS = words("link links")
#: What has an id or a name is a thing, and says nothing about pages.
_OF_THINGS = words("id uuid name")
_HEADER = re.compile(r"page|pagination|next|total|more|range|cursor|count|offset|limit")
_HEADER_PREFIX = re.compile(r"\A(x-)?(wp-)?", re.IGNORECASE)
_RANGE = re.compile(r"(?:[a-z]+\s+)?(?:\d+\s*-\s*\d+|\*)\s*/\s*(\d+|\*)", re.IGNORECASE)
#: One of several, such as ``1/2`` and ``Page 1 of 2``.
_PART = re.compile(r"\D*\d+\s*(?:/|of)\s*\d+\D*", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LINK = re.compile(r"/|\?|https?:")
#: Query parameters (folded) that take the number of a page, and that pass over records.
_NUMBERS = words("page pagenumber pageno pageindex")
_OFFSETS = words("offset skip start startindex pageoffset")
_EMPTY: tuple[Any, ...] = (None, "", 0, {}, [])
_DEPTH = 3
PARTIAL = 206


@dataclass(frozen=True)
class PageParameter:
    """A query parameter that selects a page: its number, or how many records to skip.

    ``first`` is the number of the first page, ``None`` for records to skip. ``cursor`` is what the page shows under
    this name instead of a number. ``listed``: the OpenAPI document lists it.
    """

    name: str
    first: int | None = None
    listed: bool = True
    cursor: str | None = None

    def url(self, page: Page) -> str:
        """The URL of the page after this one."""
        number = page.received if self.first is None else page.pages + self.first
        return _with_query(page.url, **{self.name: self.cursor or str(number)})


class UnclearPageError(ValueError):
    """The service announces a next page in a form that is not understood."""


@dataclass(frozen=True)
class Member:
    """A value beside the records. ``name`` is the kind of its name, ``path`` where it stands."""

    path: str
    name: str
    value: Any

    def __str__(self) -> str:
        return f"{clean(self.path, 60)} ({brief(self.value, 60)})"

    @property
    def is_link(self) -> bool:
        return isinstance(self.value, str) and _LINK.match(self.value.strip()) is not None


class Page:
    """A page that was read, and what it says about further ones.

    ``pages`` and ``received`` are the numbers of pages and records so far, ``on_page`` is that of its records, ``new``
    of those that were not on an earlier one. ``total`` is the number of all records, as far as the service says it.
    """

    def __init__(self, found: RecordList, answer: Answer, *, pages: int, received: int, on_page: int, new: int) -> None:
        self.url = answer.url
        self.pages, self.received, self.on_page, self.new = pages, received, on_page, new
        known = {id(each) for each in (*found.envelopes, *found.taken)}
        self._members = [each for holder in found.envelopes for each in _members(holder, known)]
        self._members += _members(_of_headers(answer), known)
        if answer.status == PARTIAL:
            self._members.append(Member("Content-Range of status 206", "", "*/*"))
        # In the body or a header; the largest of several.
        self.total = max((number for each in self._members if (number := _total(each)) is not None), default=None)

    @cached_property
    def says_more(self) -> Member | None:
        """The member that says that there are more records."""
        return next(filter(self._says_more, self._members), None)

    @cached_property
    def doubts(self) -> list[Member]:
        """The members that may mean more records."""
        return list(filter(self._may_mean_more, self._members))

    @property
    def says_all(self) -> bool:
        """True if it says that it is the last one, and nothing contradicts that."""
        return (self.ended or self.total == self.received) and self.says_more is None

    @property
    def other_list(self) -> Member | None:
        """A further list of objects, of which the end of the pages says nothing: only a total tells that it is none."""
        lists = (each for each in self.doubts if isinstance(each.value, list)) if self.total != self.received else ()
        return next((each for each in lists if any(isinstance(item, Mapping) for item in each.value)), None)

    @cached_property
    def next_url(self) -> str | None:
        """The address of the next page: by a link, otherwise by a cursor or a number. Raises UnclearPageError."""
        found = [each for each in self._next if not isinstance(each.value, bool) and each.value not in _EMPTY]
        return _followed(self.url, min(found, key=lambda each: not each.is_link)) if found else None

    @property
    def _next(self) -> list[Member]:
        return [each for each in self._members if each.name.startswith("next")]

    @cached_property
    def ended(self) -> bool:
        """True if the page says that it is the last one."""
        flags = [each for each in self._members if isinstance(each.value, bool)]
        ends = any(
            each.value if _END.fullmatch(each.name) else _MORE.search(each.name) and not each.value for each in flags
        )
        return ends or any(each.value in _EMPTY for each in self._next)

    def _says_more(self, member: Member) -> bool:
        name, value, number = member.name, member.value, _whole(member.value)
        if isinstance(value, bool):
            return not value if _END.fullmatch(name) else value and _MORE.search(name) is not None
        if (total := _total(member)) is not None:
            return total > self.received
        if number is None or name.endswith("id") or name.startswith("next") or _BOUND.fullmatch(name):
            return False
        if _PAGE.fullmatch(name):
            return number > self.pages
        return number > self.received > 0 and (name == "count" or "total" in name)

    def _may_mean_more(self, member: Member) -> bool:
        """Return whether a value may mean more: a number, a link with a query, a token, ``true``, a list."""
        name, value, number = member.name, member.value, _whole(member.value)
        if value in _EMPTY or name.startswith("next") or _total(member) is not None:
            return False
        if isinstance(value, bool):
            return value and not (_END.fullmatch(name) or _READ.match(name))
        if number is not None:
            if name.endswith("id") or _PAGE.fullmatch(name):
                return False
            bound = number == self.on_page
            return bound if _BOUND.fullmatch(name) else number > self.received > 0 or _MORE.search(name) is not None
        if member.is_link:
            return "?" in value and not (_READ.match(name) or "page" in name)
        return _is_token(name, value.strip()) if isinstance(value, str) else isinstance(value, (list, Mapping))

    def page_parameters(self, listed: Mapping[str, int | None]) -> list[PageParameter]:
        """Return the query parameters by which a page can be requested, in the order in which they are tried.

        Those that the OpenAPI document lists. If it lists none, ``page``, which most services know.
        """
        numbers = {each.name: number for each in self._members if (number := _whole(each.value)) is not None}
        current = [numbers[name] for name in numbers if name in (*_NUMBERS, "currentpage", "number")]
        # Where the first may be 0 or 1, page 1 is requested: is it another one?
        firsts = (min(current[0], 1),) if current else (0, 1)
        texts = [each for each in self._members if isinstance(each.value, str)]
        cursors = {each.name: each.value for each in texts if _is_token(each.name, each.value.strip())}
        found = []
        for name, least in listed.items():
            if cursor := cursors.get(fold(name)):
                found.append(PageParameter(name, cursor=cursor))
            elif fold(name) in _NUMBERS:
                found += [PageParameter(name, each) for each in (firsts if least is None else (min(least, 1),))]
            elif fold(name) in _OFFSETS:
                found.append(PageParameter(name))
        return found or [PageParameter("page", each, listed=False) for each in firsts]


def _members(
    holder: Mapping[Any, Any], known: set[int], path: str = "", depth: int = _DEPTH, *, links: bool = False
) -> Iterator[Member]:
    """The members beside the records that may be about pages: those of an object, and of objects in it."""
    for spelt, value in holder.items():
        name, at = _PREFIX.sub("", fold(spelt)), f"{path}{spelt}"
        whole = name.startswith("next") or name.endswith("key")
        if id(value) in known:
            continue
        if name in _LINKS and isinstance(value, list):
            related = [(by_folded_name(link), link) for link in value if isinstance(link, Mapping)]
            relations = {str(link.get("rel") or link.get("relation")): target for link, target in related}
            yield from _members(relations, known, f"{at}.", links=True)
        elif isinstance(value, Mapping) and not whole:
            thing = not by_folded_name(value).keys().isdisjoint(_OF_THINGS) or _NEUTRAL.fullmatch(name)
            if depth and (links or name in _LINKS or not thing):
                yield from _members(value, known, f"{at}.", depth - 1, links=links or name in _LINKS)
        elif whole or not (links or _NEUTRAL.fullmatch(name)):
            yield Member(at, name, _target(value) if whole else value)


def _of_headers(answer: Answer) -> dict[str, Any]:
    """The headers that may be about pages, as an object."""
    found: dict[str, Any] = {"Link": answer.links()}
    for spelt, text in answer.headers.items():
        name = _HEADER_PREFIX.sub("", spelt)
        if _HEADER.search(name.lower()):
            try:
                found[name] = parse_json(text.encode())
            except ValueError:
                found[name] = text
    return found


def _total(member: Member) -> int | None:
    """The number of all records (not of pages) that a member tells: ``total``, ``total.value``, ``0-9/25``."""
    in_range = _RANGE.fullmatch(member.value.strip()) if isinstance(member.value, str) else None
    if in_range:
        return _whole(in_range[1])
    *above, last = ["", *map(fold, member.path.split("."))][-2:]
    # A total of the page is that of its records, and one called ``totalElements`` is that of all.
    kinds = last if last.startswith("total") and last != "total" else "".join((*above, last))
    return _whole(member.value) if "total" in kinds and "page" not in kinds else None


def _is_token(name: str, text: str) -> bool:
    """Return whether a text may mean more: one of several, or what looks like a cursor.

    That is a word of letters and digits, or with ``=``, that is no UUID and no date.
    """
    if _RANGE.fullmatch(text) or _PART.fullmatch(text) or "cursor" in name or "token" in name:
        return True
    if any(letter.isspace() for letter in text) or is_uuid(text) or _DATE.match(text):
        return False
    return "=" in text or (any(letter.isdigit() for letter in text) and any(letter.isalpha() for letter in text))


def _target(link: Any) -> Any:
    """The address in an object or a list that is one link, otherwise the value."""
    if isinstance(link, list) and len(link) == 1:
        link = link[0]
    folded = by_folded_name(link) if isinstance(link, Mapping) else {}
    return next((folded[name] for name in ("href", "url", "@id", "uri") if folded.get(name)), link)


def _followed(url: str, member: Member) -> str:
    """The URL that a link, a cursor or a page's number leads to: ``next_cursor`` is given as ``cursor``."""
    value, parameter = member.value, re.sub(r"\A.*next[_-]*", "", member.path, flags=re.IGNORECASE)
    if isinstance(value, str) and (member.is_link or "?" in value):
        return _joined(url, value)
    if _whole(value) is not None and fold(parameter) in ("", *_NUMBERS):
        return _with_query(url, page=str(value))
    if isinstance(value, (str, int)) and parameter and fold(parameter) not in words("url uri link href page"):
        return _with_query(url, **{parameter[:1].lower() + parameter[1:]: str(value)})
    raise UnclearPageError(brief(value))


def _joined(url: str, link: str) -> str:
    """The path and query of a link on the origin of this page: behind a proxy, a service may not know its own name."""
    try:
        parts, own = urlsplit(urljoin(url, link.strip())), urlsplit(url)
    except ValueError:
        raise UnclearPageError(brief(link)) from None
    # A service below a path that a proxy removes does not know that path either.
    path = own.path if own.path.endswith(parts.path) else parts.path
    return urlunsplit((own.scheme, own.netloc, path, parts.query, ""))


def _with_query(url: str, **changed: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode({**dict(parse_qsl(parts.query)), **changed})))


def _whole(value: Any) -> int | None:
    number = plain_number(value)
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None
