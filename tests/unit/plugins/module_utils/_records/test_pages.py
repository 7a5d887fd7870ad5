# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages of a list: which are requested, and when a list is said to be incomplete."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ServiceError, UnreadableAnswerError
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Answer, Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._records import pages as module
from ansible_collections.hosting.reseller.plugins.module_utils._records.lists import RecordList, find_list
from ansible_collections.hosting.reseller.plugins.module_utils._reference.request_parts import QueryParameter
from tests.support.http_server import Received, Reply, ScriptedServer

PATH = "/api/reseller/things"


class ThingReader(module.PageReader):
    """Gathers the ids of the records of all pages."""

    def take(self, answer: Answer, body: Any) -> RecordList | None:
        return find_list(body, "things")

    @property
    def ids(self) -> list[str]:
        return [raw["id"] for _key, raw in self.entries]


def product(number: int, **more: Any) -> dict[str, Any]:
    return {"id": str(number), **more}


@contextmanager
def serving(script: Callable[[Received], Reply], prefix: str = "") -> Iterator[tuple[ScriptedServer, Client]]:
    with (
        ScriptedServer(script) as server,
        Client(ServiceConfig(server.url + prefix, "k3y-of-the-test", "org-1", read_retries=0)) as client,
    ):
        yield server, client


def read_list(client: Client, listed: Any = lambda: (), media_types: Any = lambda: ()) -> ThingReader:
    reader = ThingReader(client, client.url(PATH), listed, media_types)
    reader.read()
    return reader


def read(*pages: Any, listed: Any = (), headers: Mapping[str, str] | None = None) -> ThingReader:
    """The list of a service that has these bodies for page 1, 2 and so on, and an empty one after them."""

    def script(request: Received) -> Reply:
        number = int(request.query.get("page", 1))
        return Reply(pages[number - 1] if number <= len(pages) else [], headers=headers or {})

    with serving(script) as (_server, client):
        return read_list(client, lambda: listed)


def pages_of(*numbers: int) -> list[list[dict[str, Any]]]:
    return [[product(2 * number), product(2 * number + 1)] for number in numbers]


FIRST, SECOND, THIRD = pages_of(0, 1, 2)
ALL = [str(number) for number in range(6)]


def linked(link: Callable[[int], Mapping[str, Any]]) -> list[Any]:
    return [{"items": page, **link(number)} for number, page in enumerate((FIRST, SECOND, THIRD), 1)]


def until(value: Callable[[int], Any], otherwise: Any = None) -> Callable[[int], Any]:
    return lambda number: value(number) if number < 3 else otherwise


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(linked(lambda n: {"next": until(lambda n: f"{PATH}?page={n + 1}")(n)}), id="next path"),
        pytest.param(linked(lambda n: {"next": until(lambda n: n + 1)(n)}), id="next number"),
        pytest.param(
            linked(lambda n: {"_links": {"next": {"href": f"{PATH}?page={n + 1}"}} if n < 3 else {}}),
            id="_links.next.href",
        ),
        pytest.param(
            linked(lambda n: {"links": [{"rel": "next", "href": f"?page={n + 1}"}] if n < 3 else []}), id="links list"
        ),
        pytest.param(
            linked(lambda n: {"hydra:view": {"hydra:next": f"{PATH}?page={n + 1}"} if n < 3 else {}}), id="hydra:view"
        ),
        pytest.param(linked(lambda n: {"next_page_url": until(lambda n: f"?page={n + 1}")(n)}), id="next_page_url"),
        pytest.param(
            linked(lambda n: {"meta": {"pagination": {"links": {"next": f"?page={n + 1}"} if n < 3 else {}}}}),
            id="Fractal",
        ),
        pytest.param(linked(lambda n: {"meta": {"current_page": n, "last_page": 3}}), id="page of pages"),
        pytest.param(linked(lambda n: {"totalItems": 6}), id="a total alone"),
        pytest.param(linked(lambda n: {"has_more": n < 3}), id="has_more"),
        pytest.param(
            [
                {"data": {"current_page": n, "last_page": 3, "data": page}}
                for n, page in enumerate((FIRST, SECOND, THIRD), 1)
            ],
            id="page numbers beside nested records",
        ),
    ],
)
def test_pages_told_in_the_body(pages: list[Any]) -> None:
    found = read(*pages)
    assert found.ids == ALL
    assert not found.incomplete


def test_pages_told_in_a_link_header() -> None:
    def script(request: Received) -> Reply:
        at = int(request.query.get("from", 0))
        link = f'<{PATH}?from={at + 1}>; rel="next", <{PATH}>; rel="first"' if at < 2 else f'<{PATH}>; rel="first"'
        return Reply((FIRST, SECOND, THIRD)[at], headers={"Link": link})

    with serving(script) as (server, client):
        assert read_list(client).ids == ALL
        assert len(server.requests) == 3


def test_a_total_in_a_header() -> None:
    assert read(FIRST, SECOND, THIRD, headers={"X-Total-Count": "6"}).ids == ALL


def test_pages_counted_from_zero() -> None:
    def script(request: Received) -> Reply:
        at = int(request.query.get("page", 0))
        page = {"size": 2, "totalElements": 6, "totalPages": 3, "number": at}
        return Reply({"content": (FIRST, SECOND, THIRD)[at], "page": page})

    with serving(script) as (server, client):
        assert read_list(client).ids == ALL
        assert len(server.requests) == 3


@pytest.mark.parametrize(("element", "parameter"), [("next_cursor", "cursor"), ("nextPageToken", "pageToken")])
def test_cursors(element: str, parameter: str) -> None:
    def script(request: Received) -> Reply:
        at = {"": 0, "b&b": 1, "c": 2}[request.query.get(parameter, "")]
        return Reply({"items": (FIRST, SECOND, THIRD)[at], element: ("b&b", "c", None)[at]})

    with serving(script) as (_server, client):
        assert read_list(client).ids == ALL


def test_a_proxy_that_removes_a_path() -> None:
    def script(request: Received) -> Reply:
        assert request.path == f"/gateway{PATH}"
        return Reply({"items": SECOND} if request.query else {"items": FIRST, "next": f"{PATH}?page=2"})

    with serving(script, "/gateway") as (_server, client):
        assert read_list(client).ids == ALL[:4]


@pytest.mark.parametrize("origin", ["http://backend.internal:8000", "https://portal.example", "//10.0.0.7"])
def test_next_link_with_an_inner_address_is_followed_on_our_origin(origin: str) -> None:
    def script(request: Received) -> Reply:
        return Reply({"items": SECOND} if request.query else {"items": FIRST, "next": f"{origin}{PATH}?page=2"})

    with serving(script) as (server, client):
        found = read_list(client)
        assert [request.query for request in server.requests] == [{}, {"page": "2"}]
    assert found.ids == ALL[:4]
    assert not found.incomplete


MANY = [product(number) for number in range(36)]


def paged(name: str, by: str, size: int = 10, headers: Callable[[int], Mapping[str, str]] = lambda at: {}) -> Any:
    """A service that answers with a bare list, whose pages are chosen by one query parameter alone."""

    def script(request: Received) -> Reply:
        asked = request.query.get(name)
        at = (int(asked) - int(by == "number from 1") if asked else 0) * (1 if by == "offset" else size)
        return Reply(MANY[at : at + size], headers={**headers(at)})

    return script


@pytest.mark.parametrize(
    ("script", "listed"),
    [
        pytest.param(paged("page", "number from 1"), None, id="nothing is known"),
        pytest.param(paged("page", "number from 1", 30), [QueryParameter("page", 1)], id="page"),
        pytest.param(paged("page[number]", "number from 1"), [QueryParameter("page[number]")], id="page in brackets"),
        pytest.param(paged("page", "number from 0"), [QueryParameter("page", 0)], id="page from 0"),
        pytest.param(
            paged("offset", "offset"), [QueryParameter("limit", 10), QueryParameter("offset", 0)], id="offset"
        ),
        pytest.param(
            paged("page", "number from 1", headers=lambda at: {"Content-Range": f"items {at}-{at + 9}/36"}),
            None,
            id="range",
        ),
        pytest.param(
            paged(
                "page",
                "number from 1",
                5,
                headers=lambda at: {"X-Pagination": json.dumps({"TotalCount": 36, "PageSize": 5, "CurrentPage": 1})},
            ),
            None,
            id="X-Pagination",
        ),
    ],
)
def test_bare_lists_are_read_whole(script: Any, listed: list[QueryParameter] | None) -> None:
    with serving(script) as (_server, client):
        found = read_list(client, lambda: listed or [])
    assert found.ids == [str(number) for number in range(36)]
    assert not found.incomplete


def test_failure_is_asked_for_once_more_as_plain_json() -> None:
    """A service that speaks JSON alone may fail to put an error into JSON-LD: what it has to say is in the second."""

    def script(request: Received) -> Reply:
        if "ld+json" in request.headers["Accept"]:
            return Reply(b"<html><title>Oops</title></html>", 500)
        return Reply({"message": "The key is unknown."}, 401)

    with serving(script) as (server, client), pytest.raises(ServiceError, match="The key is unknown"):
        read_list(client)
    assert [request.headers["Accept"] for request in server.requests] == [module.ACCEPT, "application/json"]


def test_failure_that_lasts_is_told_as_it_was() -> None:
    with (
        serving(lambda _request: Reply({"message": "Broken"}, 500)) as (server, client),
        pytest.raises(ServiceError, match="Broken"),
    ):
        read_list(client)
    assert len(server.requests) == 2


@pytest.mark.parametrize("media_type", ["application/hal+json", "application/vnd.api+json"])
def test_catalogue_is_asked_for_in_the_published_types_after_406(media_type: str) -> None:
    def script(request: Received) -> Reply:
        return Reply(FIRST) if media_type in request.headers["Accept"] else Reply({"message": "no"}, 406)

    with serving(script) as (server, client):
        assert read_list(client, media_types=lambda: (media_type,)).ids == ALL[:2]
    assert server.requests[-1].headers["Accept"] == f"{media_type}, */*;q=0.1"
    assert len(server.requests) == 3


def test_endless_pages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAGES", 20)

    def script(request: Received) -> Reply:
        number = int(request.query.get("page", 1))
        return Reply({"items": [product(number)], "next": number + 1})

    with serving(script) as (server, client):
        found = read_list(client)
        assert len(server.requests) == 20
    assert len(found.ids) == 20
    assert "more than 20 pages" in str(found.incomplete)


def test_large_pages_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_LIST", 100_000)

    def script(request: Received) -> Reply:
        number = int(request.query.get("page", 1))
        return Reply({"items": [product(number, text="x" * 40_000)], "next": number + 1})

    with serving(script) as (_server, client):
        found = read_list(client)
    assert len(found.ids) == 3
    assert "larger than" in str(found.incomplete)


def test_a_page_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_PAGE", 1_000)
    with (
        serving(lambda _request: Reply([product(1, text="x" * 2_000)])) as (_server, client),
        pytest.raises(UnreadableAnswerError, match="larger"),
    ):
        read_list(client)


PAGE = [QueryParameter("page", 1)]


@pytest.mark.parametrize(
    ("pages", "listed", "requests", "ids"),
    [
        pytest.param([MANY[:3], MANY[3:4], []], PAGE, 3, 4, id="short page of a list with a listed parameter"),
        pytest.param([MANY[:3], Reply({"title": "Not found"}, 404)], PAGE, 2, 3, id="no such page"),
        pytest.param([{"items": MANY[:3], "total": 3}], PAGE, 1, 3, id="total is reached"),
        pytest.param([{"items": MANY[:3], "next": None}], PAGE, 1, 3, id="no next page"),
        pytest.param([{"items": MANY[:10], "total": 10}, []], PAGE, 2, 10, id="total of as many as a limit allows"),
        pytest.param([[]], PAGE, 1, 0, id="empty list"),
        pytest.param([MANY[:9]], [], 1, 9, id="nothing is listed"),
        pytest.param([MANY[:10]], [], 2, 10, id="as many as a usual limit allows, on every page"),
        pytest.param([MANY[:3]], PAGE, 2, 3, id="parameter without effect"),
        pytest.param([{"0": MANY[0], "1": MANY[1]}, {"2": MANY[2]}, {}], PAGE, 3, 3, id="keys are positions"),
    ],
)
def test_whole_list_needs_few_requests(pages: list[Any], listed: list[QueryParameter], requests: int, ids: int) -> None:
    def script(request: Received) -> Reply:
        page = pages[min(int(request.query.get("page", 1)), len(pages)) - 1]
        return page if isinstance(page, Reply) else Reply(page)

    with serving(script) as (server, client):
        found = read_list(client, lambda: listed)
    assert (len(found.ids), found.incomplete, len(server.requests)) == (ids, None, requests)


def test_listed_parameters_are_read_only_if_needed() -> None:
    with serving(lambda _request: Reply({"items": MANY, "total": 36})) as (_server, client):
        assert len(read_list(client, pytest.fail).ids) == 36


@pytest.mark.parametrize(
    ("body", "second", "words"),
    [
        ({"items": FIRST, "next": PATH}, None, "repeat"),
        ({"items": FIRST, "total": 100}, None, "there are 100"),
        ({"items": FIRST, "total": 3}, Reply({"error": "no"}, 400), "status 400"),
        ({"items": FIRST, "meta": {"current_page": 1, "last_page": 9}}, None, "there are more"),
        ({"items": FIRST, "total": 100, "next": None}, None, "100"),
        ({"items": FIRST, "next": "abc"}, None, "not understood"),
        ({"items": FIRST, "next": "http://[bad/"}, None, "not understood"),
        ({"items": FIRST, "next": "?page=2"}, Reply({"message": "Broken"}, 500), "page 2 could not be read"),
        ({"items": FIRST, "next": "?page=2"}, Reply({"message": "None here"}), "page 2 is not understood"),
        (FIRST, Reply({"oops": 1}), "page 2 is not understood"),
        (FIRST, Reply(b"<html></html>"), "page 2 could not be read"),
    ],
)
def test_list_is_incomplete(body: Any, second: Reply | None, words: str) -> None:
    with serving(lambda request: second if request.query and second else Reply(body)) as (server, client):
        found = read_list(client, lambda: PAGE)
        assert len(server.requests) <= 3
    assert found.ids == ALL[:2]
    assert words in str(found.incomplete)


def test_total_of_one_page_alone_is_noticed() -> None:
    found = read(*({"items": MANY[at : at + 10], "total": 10} for at in (0, 10)), listed=PAGE)
    assert "counts 10, and its next page has more" in str(found.incomplete)
