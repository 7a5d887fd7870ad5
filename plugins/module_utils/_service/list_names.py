# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds a list of records in an answer, and what says beside it how long it is and where it goes on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._core.text import by_folded_name, fold, plain_number, words
from .places import Raw

_LISTS = words(
    "data items results member hydramember records content entries rows list objects collection elements embedded "
    "value result response payload body nodes docs"
)
_NO_RECORDS = words("links included errors violations messages")
_TOTALS = words(
    "total totalcount totalitems totalelements totalrecords totalresults totalsize hydratotalitems odatacount "
    "@odatacount xtotalcount xtotal xwptotal totalcount count recordcount itemcount contentrange"
)
#: Totals that may be the number of the page's own records.
_COUNTS = words("count recordcount itemcount")
_NEXT = re.compile(r"(hydra|@?odata)?next(page)?(url|uri|href|link)?")
_NUMBERS, _OFFSETS = words("page pagenumber pageno pageindex"), words("offset skip start startindex")
_LIMITS = words("limit perpage pagesize size take max itemsperpage maxitems maxresults")
_MORE = re.compile(
    r".*next.*|(has)?more.*|.*cursor|.*token|truncated|remaining.*|(total)?pages|pagecount|lastpage|pagestotal"
)
_URL = re.compile(r"\?|/|https?:")
_RANGE = re.compile(r"(?:[a-z]+\s+)?(?:\d+\s*-\s*\d+|\*)\s*/\s*(\d+)", re.IGNORECASE)
_DEEPEST = 3


class Beside(NamedTuple):
    """A value beside the records of a page: its place, the folded name of its element, and itself."""

    place: str
    name: str
    value: Any

    @property
    def number(self) -> int | None:
        """The whole number that it is, or the total in a range such as ``items 0-9/25``."""
        text = self.value.strip() if isinstance(self.value, str) else self.value
        in_range = _RANGE.fullmatch(text) if isinstance(text, str) else None
        number = plain_number(in_range[1] if in_range else text)
        return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


def as_records(value: Any) -> list[Any] | None:
    """Return a list that has records, or the values of an object whose keys are positions, as PHP writes gaps."""
    if isinstance(value, list):
        return value if not value or any(isinstance(record, Mapping) for record in value) else None
    is_list = isinstance(value, Mapping) and value and all(str(key).isdigit() for key in value)
    return [*value.values()] if is_list and all(isinstance(record, Mapping) for record in value.values()) else None


def records_place(body: Any, noun: str, *, any_name: bool = True) -> str | None:
    """Return the place of the list in an answer: under its noun, a usual name, or as the only list of objects.

    Without ``any_name``, the last one is left out: the answer may be a record that has a list.
    """
    if as_records(body) is not None:
        return ""
    lists = [*_lists(body, "", _DEEPEST)]
    own = [place for place, _list in lists if fold(place.rpartition(".")[2]) == noun]
    usual = [place for place, _list in lists if {*map(fold, place.split("."))} <= _LISTS]
    filled = [place for place, records in lists if records]
    for group in (own, [place for place in usual if place in filled], filled if any_name else [], usual):
        if group:
            return group[0] if len(group) == 1 else None
    return None


def _lists(value: Any, place: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    for name, item in value.items() if isinstance(value, Mapping) and depth else ():
        below, records = f"{place}.{name}".lstrip("."), as_records(item)
        if records is None:
            yield from _lists(item, below, depth - 1)
        elif all(isinstance(record, Mapping) for record in records) and fold(name) not in _NO_RECORDS:
            yield below, records


def beside_records(view: Raw, records: str) -> list[Beside]:
    """Return what stands beside the records of a page, in the body and in headers. Things with an id are left out."""

    def walk(value: Raw, above: str, depth: int) -> Iterator[Beside]:
        for spelt, item in value.items():
            place, name = f"{above}{spelt}", fold(spelt)
            if place == records:
                continue
            if isinstance(item, Mapping) and not name.startswith("next"):
                if depth and by_folded_name(item).keys().isdisjoint(("id", "uuid", "name")):
                    yield from walk(item, f"{place}.", depth - 1)
            elif isinstance(item, list) and any(
                isinstance(link, Mapping) and link.get("rel") == "next" for link in item
            ):
                yield Beside(place, "next", item)
            else:
                yield Beside(place, name, item)

    return [*walk(view, "", _DEEPEST)]


def total_place(beside: Sequence[Beside], on_page: int) -> str | None:
    """Return the place of the number of all records: the largest that is called so."""
    totals = [total for total in beside if total.name in _TOTALS and total.number is not None]
    totals = [total for total in totals if total.name not in _COUNTS or (total.number or 0) > on_page]
    return max(totals, key=lambda total: total.number or 0).place if totals else None


def next_step(beside: Sequence[Beside], parameters: Mapping[str, int | None]) -> dict[str, Any] | None:
    """Return how the next page is asked for: by a link, or by one of the usual parameters that the service publishes.

    A parameter whose first number is not known has no ``first``.
    """
    links = [link for link in beside if _NEXT.fullmatch(link.name) and (link.value is None or link_in(link.value))]
    if links:
        return {"link": min(links, key=lambda link: link.value is None).place}
    limits = [name for name in parameters if fold(name) in _LIMITS][:1]
    for name, least in parameters.items():
        if fold(name) in _NUMBERS:
            return {"parameter": name} | _first_page(beside, least)
        if fold(name) in _OFFSETS:
            return {"offset": name} | ({"limit": limits[0]} if limits else {})
    return None


def _first_page(beside: Sequence[Beside], least: int | None) -> dict[str, int]:
    """Return the number of the first page as it is shown on itself or published; nothing where neither tells it."""
    shown = [item.number for item in beside if item.name in (*_NUMBERS, "currentpage")]
    first = next((number for number in shown if number is not None), least)
    return {} if first is None else {"first": min(first, 1)}


def link_in(value: Any) -> str | None:
    """Return the address in a link: a text, or an object or list of one that holds it."""
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(value, Mapping):
        folded = by_folded_name(value)
        value = next((folded[name] for name in ("href", "url", "@id", "uri") if folded.get(name)), None)
    return value.strip() if isinstance(value, str) and _URL.match(value.strip()) else None


def limits_of(beside: Iterable[Beside], parameters: Mapping[str, int | None]) -> set[int]:
    """Return the most records of a page, as the service publishes or shows them."""
    shown = {item.number for item in beside if item.name in _LIMITS}
    return {
        number for number in (*shown, *(parameters[name] for name in parameters if fold(name) in _LIMITS)) if number
    }


def says_more(beside: Iterable[Beside], pages: int, known: Iterable[str]) -> Beside | None:
    """Return what beside the records of the last page says that there are more, apart from the ``known`` places."""
    for item in beside:
        if item.place in known or not _MORE.fullmatch(item.name) or item.name.startswith(("request", "prev")):
            continue
        if item.number is None or item.value is True:
            if item.value not in (None, False, "", [], {}):
                return item
        elif item.number > (pages if "page" in item.name else 0):
            return item
    return None
