# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages of a list: which are requested, and when a list is said to be incomplete."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ServiceError, UnreadableAnswerError
from ansible_collections.hosting.reseller.plugins.module_utils._http import client as http
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._records import lists
from ansible_collections.hosting.reseller.plugins.module_utils._records import pages as module
from ansible_collections.hosting.reseller.plugins.module_utils._records.lists import RecordList, find_list
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer

PATH = "/api/reseller/things"


class ThingReader(module.PageReader):
    """Gathers the ids of the records of all pages."""

    what = "the request for its things"

    def take(self, answer: Answer, body: Any) -> RecordList | None:
        return find_list(body, "things")

    @property
    def ids(self) -> list[str]:
        return [raw["id"] for _key, raw in self.entries]


MANY = [{"id": str(number)} for number in range(36)]
FIRST, SECOND, THIRD = MANY[:2], MANY[2:4], MANY[4:6]
PAGE = {"page": 1}


@contextmanager
def serving(script: Callable[[Received], Reply], prefix: str = "") -> Iterator[tuple[ScriptedServer, Client]]:
    with (
        ScriptedServer(script) as server,
        closing(Client(ServiceConfig(server.url + prefix, "k3y-of-the-test", "org-1"))) as client,
    ):
        yield server, client


def read_list(client: Client, listed: Any = dict) -> ThingReader:
    reader = ThingReader(client, client.url(PATH), listed)
    reader.read()
    return reader


def ids(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def link_header(n: int) -> dict[str, Any]:
    return {"headers": {"Link": f'<{PATH}?page={n + 1}>; rel="next", <{PATH}>'} if n < 3 else {}}


#: What the page ``n`` of three says beside its records, as frameworks write it.
BESIDE: dict[str, Callable[[int], dict[str, Any]]] = {
    "Django REST framework": lambda n: {"count": 6, "next": f"{PATH}?page={n + 1}" if n < 3 else None},
    "JSON:API": lambda n: {"links": {"self": f"?page={n}", "next": f"?page={n + 1}" if n < 3 else None}},
    "OData": lambda n: {"@odata.count": 6, **({"@odata.nextLink": f"{PATH}?page={n + 1}"} if n < 3 else {})},
    "Laravel": lambda n: {"meta": {"current_page": n, "last_page": 3, "per_page": 2, "total": 6}},
    "Spring": lambda n: {"page": {"totalElements": 6, "totalPages": 3, "number": n - 1}},
    "next number": lambda n: {"next": n + 1 if n < 3 else None},
    "HAL": lambda n: {"_links": {"next": {"href": f"?page={n + 1}"}} if n < 3 else {}},
    "list of links": lambda n: {"links": [{"rel": "next", "href": f"?page={n + 1}"}] if n < 3 else []},
    "Hydra": lambda n: {"hydra:view": {"hydra:next": f"{PATH}?page={n + 1}"} if n < 3 else {}},
    "nested": lambda n: {"meta": {"pagination": {"links": {"next": f"?page={n + 1}"} if n < 3 else {}}}},
    "page of pages": lambda n: {"meta": {"current_page": n, "last_page": 3}},
    "a total alone": lambda _n: {"totalItems": 6},
    "has_more": lambda n: {"has_more": n < 3},
    "cursor": lambda n: {"next_cursor": n + 1 if n < 3 else None},
    "base64": lambda n: {"next_token": f"a/b{n + 1}==" if n < 3 else None},
    "token": lambda n: {"nextPageToken": str(n + 1) if n < 3 else None},
    "RFC 8288": link_header,
    "total in a header": lambda _n: {"headers": {"X-Total-Count": "6"}},
    "range in a header": lambda _n: {"headers": {"Content-Range": "items 0-1/6"}},
    "object in a header": lambda _n: {"headers": {"X-Pagination": json.dumps({"TotalCount": 6})}},
}


#: Those that do not tell whether pages are counted from 0, or whether there is another one: one request more shows it.
UNCLEAR = ("a total alone", "has_more", "page of pages", "total in a header", "range in a header", "object in a header")
#: What selects a page, where that is not ``page``.
PARAMETERS = {"cursor": "cursor", "base64": "token", "token": "pageToken"}


@pytest.mark.parametrize("case", BESIDE)
@pytest.mark.parametrize("enveloped", [True, False])
def test_pages_are_named(case: str, enveloped: bool) -> None:
    def script(request: Received) -> Reply:
        first = 0 if case == "Spring" else 1
        at = int("".join(filter(str.isdigit, request.query.get(PARAMETERS.get(case, "page"), str(first))))) - first
        more, page = BESIDE[case](at + 1), (FIRST, SECOND, THIRD, [])[at]
        headers = more.pop("headers", {})
        body = {"items": page, **more} if more else page
        return Reply({"data": body} if enveloped else body, headers=headers)

    with serving(script) as (server, client):
        found = read_list(client)
        assert len(server.requests) == (4 if case in UNCLEAR else 3)
    assert (found.ids, found.incomplete) == (ids(6), None)


@pytest.mark.parametrize(
    ("prefix", "link"), [("/gateway", f"{PATH}?page=2"), ("", f"http://backend.internal:8000{PATH}?page=2")]
)
def test_link_behind_a_proxy_is_followed_on_our_origin(prefix: str, link: str) -> None:
    def script(request: Received) -> Reply:
        assert request.path == prefix + PATH
        return Reply({"items": SECOND} if request.query else {"items": FIRST, "next": link})

    with serving(script, prefix) as (_server, client):
        found = read_list(client)
    assert (found.ids, found.incomplete) == (ids(4), None)


@pytest.mark.parametrize(
    ("name", "first", "size", "listed"),
    [
        pytest.param("page", 0, 10, {}, id="nothing is known"),
        pytest.param("page[number]", 1, 10, {"page[number]": None}, id="page in brackets"),
        pytest.param("page", 0, 10, {"page": 0}, id="page from 0"),
        pytest.param("offset", None, 10, {"limit": 10, "offset": 0}, id="offset"),
    ],
)
def test_bare_lists_are_read_whole(name: str, first: int | None, size: int, listed: dict[str, int | None]) -> None:
    def script(request: Received) -> Reply:
        number = int(request.query.get(name, first or 0))
        at = number if first is None else (number - first) * size
        return Reply(MANY[at : at + size])

    with serving(script) as (_server, client):
        found = read_list(client, lambda: listed)
    assert (found.ids, found.incomplete) == (ids(36), None)


def test_token_under_the_name_of_a_listed_parameter_is_a_cursor() -> None:
    def script(request: Received) -> Reply:
        at = {"": 0, "t1": 1, "t2": 2}.get(request.query.get("offset", ""))
        if at is None:
            return Reply({"message": "Not a cursor"}, 422)
        return Reply({"items": (FIRST, SECOND, THIRD)[at], **({"offset": f"t{at + 1}"} if at < 2 else {})})

    def ignoring(_request: Received) -> Reply:
        return Reply({"items": FIRST, "region": "eu1"})

    with serving(script) as (_server, client):
        found = read_list(client, lambda: {"offset": 0})
    assert (found.ids, found.why_incomplete()) == (ids(6), None)
    # The same page again shows nothing then: it may be what the list was filtered by.
    with serving(ignoring) as (_server, client):
        assert "region" in str(read_list(client, lambda: {"region": None}).why_incomplete())


@pytest.mark.parametrize("filled", [20, 2])
def test_endless_pages_are_bounded(monkeypatch: pytest.MonkeyPatch, filled: int) -> None:
    monkeypatch.setattr(module, "MOST_PAGES", 20)

    def script(request: Received) -> Reply:
        number = int(request.query.get("page", 1))
        return Reply({"items": [{"id": str(number)}] if number <= filled else [], "next": number + 1})

    with serving(script) as (server, client):
        found = read_list(client)
    assert (len(found.ids), len(server.requests)) == (filled, 20)
    assert "more than 20 pages" in str(found.incomplete)


@pytest.mark.parametrize("size", [3, 1])
def test_list_with_more_records_than_one_read_takes_is_an_error(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """On one page before anything looks at them, and on several."""
    for each in (module, lists):
        monkeypatch.setattr(each, "MOST_RECORDS", 2)

    def script(request: Received) -> Reply:
        first = size * int(request.query.get("page", 0))
        return Reply({"items": MANY[first : first + size], "next": f"?page={first // size + 1}"})

    with serving(script) as (_server, client):
        reader = ThingReader(client, client.url(PATH), dict)
        try:
            why = reader.read()
        except ServiceError as error:
            why = error.message
    assert "more than 2 records" in str(why)
    assert reader.ids == (ids(2) if size == 1 else [])


@pytest.mark.parametrize("seconds", [300.0, 30.0])
def test_deadline_holds_between_the_steps_of_a_read(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """What takes long may be the last answer of a read, which no request follows."""
    clock = [0.0]
    monkeypatch.setattr(http, "monotonic", lambda: clock[0])

    class SlowReader(ThingReader):
        def take(self, answer: Answer, body: Any) -> RecordList | None:
            clock[0] += 301.0
            return super().take(answer, body)

    with serving(lambda _request: Reply({"items": FIRST, "total": 2})) as (_server, client):
        reader = SlowReader(client, client.url(PATH), dict)
        with client.reading(seconds), pytest.raises(ServiceError, match=f"took longer than {seconds:g} seconds"):
            reader.read()


def test_a_page_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Client.get.__kwdefaults__ or {}, "max_bytes", 1_000)
    body = [{"id": "1", "text": "x" * 2_000}]
    with serving(lambda _request: Reply(body)) as (server, client):
        with pytest.raises(UnreadableAnswerError):
            read_list(client)
        # It would be as large the next time.
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("pages", "listed", "requests", "count"),
    [
        pytest.param([MANY[:3], MANY[3:4], []], PAGE, 3, 4, id="short page of a list with a listed parameter"),
        *(pytest.param([MANY[:3], Reply(None, status)], PAGE, 2, 3, id=str(status)) for status in (404, 410, 416)),
        pytest.param(
            [{"items": MANY[:10], "next": "?page=2"}, {"items": MANY[10:20]}], PAGE, 2, 20, id="no link after links"
        ),
        pytest.param([{"items": MANY[:3], "next": None}], PAGE, 1, 3, id="no next page"),
        pytest.param([{"items": MANY[:3], "total": 3}], None, 1, 3, id="parameters are read only if needed"),
        pytest.param([{"items": MANY[:10], "total": 10}], PAGE, 1, 10, id="total of a full page"),
        pytest.param([{"items": MANY[:10], "count": 10, "limit": 10}, []], {}, 3, 10, id="full page, and an empty one"),
        pytest.param(
            [{"items": MANY[:10], "n": 14}, {"items": MANY[10:14], "n": 14}], PAGE, 3, 14, id="number is the sum"
        ),
        pytest.param([{"items": MANY[:3], "limit": 20, "n": 3}], {}, 1, 3, id="page is not full"),
        pytest.param([MANY[:12], Reply({"message": "Unknown parameter"}, 422)], {}, 3, 12, id="parameter is refused"),
        pytest.param([MANY[:12], Reply({"hello": 1})], {}, 3, 12, id="unlisted page that is not understood"),
        pytest.param([MANY[:12], Reply(b"", 204)], {}, 3, 12, id="no content"),
        pytest.param([[]], PAGE, 1, 0, id="empty list"),
        pytest.param([MANY[:10]], {}, 3, 10, id="the same on every page"),
        pytest.param([MANY[:3]], PAGE, 2, 3, id="parameter without effect"),
        pytest.param([{"0": MANY[0], "1": MANY[1]}, {"2": MANY[2]}, {}], PAGE, 3, 3, id="keys are positions"),
    ],
)
def test_whole_list_needs_few_requests(
    pages: list[Any], listed: dict[str, int | None] | None, requests: int, count: int
) -> None:
    def script(request: Received) -> Reply:
        page = pages[min(int(request.query.get("page", 1)), len(pages)) - 1]
        return page if isinstance(page, Reply) else Reply(page)

    with serving(script) as (server, client):
        found = read_list(client, pytest.fail if listed is None else lambda: listed)
    assert (len(found.ids), found.why_incomplete(), len(server.requests)) == (count, None, requests)


@pytest.mark.parametrize(
    ("body", "second", "words"),
    [
        ({"items": FIRST, "next": PATH}, None, "repeat"),
        ({"items": FIRST, "total": 100}, None, "there are more: total (100)"),
        ({"items": FIRST, "total": 3}, Reply({"error": "no"}, 400), "more: total (3)"),
        ({"items": FIRST, "next": "abc"}, None, "not understood"),
        ({"items": FIRST, "next": "http://[bad/"}, None, "not understood"),
        ({"items": FIRST, "next": "?page=2"}, Reply({"message": "Broken"}, 500), "page 2 could not be read"),
        (FIRST, Reply({"oops": 1}), "page 2 is not understood"),
        (FIRST, Reply(b"<html></html>"), "page 2 could not be read"),
        ({"items": FIRST, "next": "?page=2"}, Reply({"items": [FIRST[1], SECOND[0]]}), "1 record came more than once"),
        ({"items": FIRST, "total": 4, "next": "?page=2"}, Reply({"items": SECOND, "total": 5}), "spoke of 4 records"),
        ({"items": FIRST, "total": 1}, None, "speaks of 1, and lists 2"),
        ({"items": FIRST, "total": 9, "next": "?page=2"}, Reply({"items": SECOND, "total": 9}), "no further page"),
    ],
)
def test_list_is_incomplete(body: Any, second: Reply | None, words: str) -> None:
    with serving(lambda request: second if request.query and second else Reply(body)) as (server, client):
        found = read_list(client, lambda: PAGE)
        assert len(server.requests) <= 3
    assert found.ids[:2] == ids(2)
    assert words in str(found.why_incomplete())


TOKEN = "YzE6MTA6Y29udHJhY3Rz"


@pytest.mark.parametrize(
    ("beside", "words"),
    [
        # Numbers
        ({"found": 25}, "found (25) beside its 2 records may mean that there are more"),
        ({"limit": 2}, "limit (2)"),
        ({"meta": {"pages": 3}}, "meta.pages (3)"),
        ({"remaining": 1}, "remaining (1)"),
        ({"totals": {"things": 25}}, "totals.things (25)"),
        ({"range": "1-2/25"}, "there are more: range"),
        ({"page": "1/2"}, 'page ("1/2")'),
        ({"max_id": 7, "organizationId": 4711, "took": 230, "total_price": 119, "timestamp": 1795262400}, ""),
        # Texts
        ({"cursor": TOKEN}, f'cursor ("{TOKEN}")'),
        ({"scroll": "DnF1=="}, "scroll"),
        ({"forward": "/things?start=3"}, "forward"),
        ({"links": {"self": "?page=1", "last": "?page=1"}}, ""),
        ({"links": {"self": "?page=1&s=1", "search": {"href": "?q={q}", "templated": True}}}, ""),
        ({"tenant": "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a", "as_of": "2026-11-21T12:00:00Z", "state": "active"}, ""),
        # true, and what says whether it is the last page
        *(({"truncated": True}, "truncated (true)"), ({"hasMore": True}, "there are more: hasMore (true)")),
        ({"isLast": False}, "isLast (false)"),
        ({"first": True, "last": True, "success": True, "ok": True, "hasPrevious": True}, ""),
        ({"has_more": False, "cursor": TOKEN, "discount": 20}, ""),
        ({"meta": {"page": {"total": 6}}, "next": None}, "there are more: meta.page.total (6)"),
        # Further lists, and objects
        ({"warnings": ["Only the first 2 are shown"]}, "warnings"),
        ({"domains": [{"id": "d-1"}], "next": None, "has_more": False}, "domains"),
        ({"domains": [{"id": "d-1"}], "next": None, "total": 2}, ""),
        ({"orders": [{"id": "o-1"}], "order": [{"by": "name"}]}, "orders"),
        ({"start": {"pk": "c9"}}, "start.pk"),
        ({"LastEvaluatedKey": {"pk": "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"}}, "LastEvaluatedKey"),
        ({"warnings": [], "included": [{"id": "p-1"}], "links": [{"rel": "self", "href": "?page=1"}]}, ""),
        ({"organization": {"id": 4711, "active": True, "limit": 2}}, ""),
        ({"filters": {"active": True}, "sort": ["name"], "search": "web01", "pageable": {"paged": True}}, ""),
        # A total proves it, whatever else stands there, unless it is contradicted.
        ({"total": 2, "cursor": TOKEN, "truncated": True}, ""),
        ({"total": 2, "has_more": True}, "has_more (true)"),
        # Status and headers
        (Reply(FIRST, 206), "status 206"),
        (Reply(FIRST, 206, headers={"Content-Range": "things 0-1/2"}), ""),
        (Reply(FIRST, headers={"Content-Range": "things 0-1/25"}), "there are more: Content-Range"),
        (Reply(FIRST, headers={"X-Total-Pages": "3"}), "there are more"),
        (Reply(FIRST, headers={"X-Scroll-Cursor": TOKEN}), "Cursor"),
        (Reply(FIRST, headers={"X-RateLimit-Limit": "60", "X-Next-Page": "", "Accept-Ranges": "items"}), ""),
        (Reply(FIRST, headers={"X-Pagination": "[" * 5000}), ""),
    ],
)
def test_list_is_complete_only_if_nothing_beside_it_may_mean_more(beside: dict[str, Any] | Reply, words: str) -> None:
    reply = beside if isinstance(beside, Reply) else Reply({"items": FIRST, **beside})
    with serving(lambda _request: reply) as (_server, client):
        why = read_list(client).why_incomplete()
    assert (words in str(why)) if words else why is None, why
