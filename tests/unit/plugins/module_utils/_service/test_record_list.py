# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of records, read to their end from a real server, and why they may lack some."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ServiceError
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._service import record_list
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.record_list import RecordList
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer

PATH = "/api/reseller/contracts"
MANY = [{"id": str(number)} for number in range(36)]


def read(
    script: Callable[[Received], Any],
    given: Mapping[str, Any] | None = None,
    published: Mapping[str, int | None] | None = None,
    prefix: str = "",
) -> tuple[RecordList, int]:
    """The list that a service shows, and the number of requests. ``given`` are fields of the file."""
    description = Description(
        fields={f"contracts.{name}": Field(value, "file") for name, value in (given or {}).items()}
    )

    def replying(request: Received) -> Reply:
        found = script(request)
        return found if isinstance(found, Reply) else Reply(found)

    with (
        ScriptedServer(replying) as server,
        closing(Client(ServiceConfig(server.url + prefix, "k3y-of-the-test", "org-1"))) as client,
    ):
        options: dict[str, Any] = {"part": "contracts", "noun": "contracts", "what": "the request for contracts"}
        found = RecordList(client, client.url(PATH), description, parameters=lambda: published or {}, **options)
        return found.read(), len(server.requests)


def paged(
    size: int, name: str = "page", first: int | None = 1, count: int = 36, beside: Callable[[int], Any] = lambda _at: {}
) -> Callable[[Received], Any]:
    """A list with pages; of ``first`` ``None`` the parameter passes over records."""

    def script(request: Received) -> Any:
        number = int(request.query.get(name, first or 0))
        at = number if first is None else (number - first) * size
        return {"items": MANY[:count][at : at + size], **beside(at // size + 1)}

    return script


def ids(found: RecordList) -> list[str]:
    return [each["id"] for each in found.records]


#: What page ``n`` of three says beside its two records.
BESIDE: dict[str, Callable[[int], dict[str, Any]]] = {
    "Django REST framework": lambda n: {"count": 6, "next": f"{PATH}?page={n + 1}" if n < 3 else None},
    "JSON:API": lambda n: {"links": {"self": f"?page={n}", "next": f"?page={n + 1}" if n < 3 else None}},
    "OData": lambda n: {"@odata.count": 6, **({"@odata.nextLink": f"{PATH}?page={n + 1}"} if n < 3 else {})},
    "Laravel": lambda n: {"meta": {"current_page": n, "last_page": 3, "per_page": 2, "total": 6}},
    "HAL": lambda n: {"_links": {"next": {"href": f"?page={n + 1}"}} if n < 3 else {}},
    "Hydra": lambda n: {"hydra:view": {"hydra:next": f"{PATH}?page={n + 1}"} if n < 3 else {}},
    "a total alone": lambda _n: {"totalItems": 6},
    "nothing": lambda _n: {},
}


@pytest.mark.parametrize("case", BESIDE)
def test_pages_of_frameworks_are_read_by_their_usual_names(case: str) -> None:
    found, _requests = read(paged(2, count=6, beside=BESIDE[case]))
    assert (ids(found), found.why_incomplete) == ([str(number) for number in range(6)], "")


@pytest.mark.parametrize(
    ("name", "first", "given", "published"),
    [
        pytest.param("page", 0, {}, {}, id="pages from 0 that nothing tells"),
        pytest.param("page", 1, {}, {}, id="pages from 1 that nothing tells"),
        pytest.param("pageIndex", 0, {}, {"pageIndex": 0}, id="published from 0"),
        pytest.param("offset", None, {}, {"limit": 10, "offset": 0}, id="published offset"),
        pytest.param("seite", 1, {"next": {"parameter": "seite", "first": 1}}, {}, id="given parameter"),
    ],
)
def test_pages_are_read_to_one_that_is_empty(name: str, first: int | None, given: Any, published: Any) -> None:
    found, _requests = read(paged(10, name, first), given, published)
    assert (sorted(map(int, ids(found))), found.why_incomplete) == ([*range(36)], "")


def test_pages_by_an_offset_are_as_large_as_the_first_one() -> None:
    def script(request: Received) -> Any:
        at, size = int(request.query.get("ab", 0)), int(request.query.get("je", 4))
        assert request.query.keys() == ({"ab", "je"} if request.query else set())
        return MANY[at : at + size]

    found, requests = read(script, {"next": {"offset": "ab", "limit": "je"}})
    assert (len(found.records), found.why_incomplete, requests) == (36, "", 10)


def test_given_cursor_and_places_are_read() -> None:
    def script(request: Received) -> Any:
        at = int(request.query.get("after", 0))
        return {"liste": {"zeilen": MANY[at : at + 2]}, "weiter": at + 2 if at < 4 else None}

    given = {"records": "liste.zeilen", "next": {"cursor": "weiter", "parameter": "after"}}
    found, requests = read(script, given)
    assert (len(found.records), found.why_incomplete, requests) == (6, "", 3)


@pytest.mark.parametrize("link", [f"{PATH}?page=2", f"http://backend.internal:8000{PATH}?page=2"])
def test_link_is_followed_at_the_own_origin_alone(link: str) -> None:
    """Behind a proxy, a service may know neither its own name nor a path that the proxy removes."""

    def script(request: Received) -> Any:
        assert request.path == "/gateway" + PATH
        return {"items": MANY[2:4]} if request.query else {"items": MANY[:2], "next": link}

    found, _requests = read(script, prefix="/gateway")
    assert (len(found.records), found.why_incomplete) == (4, "")


@pytest.mark.parametrize(
    ("pages", "given", "requests", "count", "why"),
    [
        # A total
        pytest.param([{"items": MANY[:10], "total": 10}], {}, 1, 10, "", id="total is what was read"),
        pytest.param([{"items": MANY[:3], "total": 9}], {}, 2, 3, "speaks of 9, and lists 3", id="total is more"),
        pytest.param([{"items": MANY[:3], "total": 1}], {}, 2, 3, "speaks of 1", id="total is less"),
        pytest.param(
            [{"items": MANY[:3], "total": 5}, {"items": MANY[3:5], "total": 4}, {"items": []}],
            {"next": {"parameter": "page", "first": 1}}, 3, 5, "speaks of 5", id="total is another one on page 2",
        ),
        # One page
        pytest.param([{"items": MANY[:20]}], {"next": None}, 1, 20, "", id="next is null in the file"),
        pytest.param([MANY[:3]], {}, 2, 3, "", id="page 2 shows page 1 again"),
        pytest.param([MANY[:3], []], {}, 3, 3, "", id="page 2 is empty"),
        pytest.param([MANY[:3], Reply(None, 404)], {}, 3, 3, "", id="page 2 does not exist"),
        pytest.param([[]], {}, 1, 0, "", id="page 1 is empty"),
        *(
            pytest.param([MANY[:usual]], {}, 2, usual, "may be the most of one page", id=f"{usual} records")
            for usual in (10, 15, 20, 25, 30)
        ),
        pytest.param([{"items": MANY[:7], "per_page": 7}], {}, 2, 7, "may be the most", id="as many as a shown limit"),
        pytest.param([MANY[:3], Reply({"message": "no"}, 400)], {}, 2, 3, "page 2 could not be read", id="refused"),
        pytest.param([MANY[:3], Reply(b"<html>")], {}, 2, 3, "page 2 could not be read", id="page 2 is no JSON"),
        # What says that there are more
        *(
            pytest.param([{"items": MANY[:3], **more}], {}, 2, 3, "may mean that there are more", id=str(more))
            for more in ({"has_more": True}, {"next_cursor": "abc"}, {"pages": 2}, {"nextPageToken": "7"})
        ),
        pytest.param([{"items": MANY[:3], "has_more": False, "pages": 1}], {}, 2, 3, "", id="says that it is all"),
        pytest.param([Reply(MANY[:3], 206)], {}, 2, 3, "status 206", id="partial"),
        # Pages that repeat
        pytest.param([{"items": MANY[:2], "next": PATH}], {}, 1, 2, "repeat", id="link to the page itself"),
        pytest.param(
            [{"items": MANY[:3], "next": "?page=2"}, {"items": MANY[2:4]}], {}, 2, 4, "more than once", id="overlap"
        ),
        pytest.param([[*MANY[:2], MANY[0]]], {"next": None}, 1, 2, "more than once", id="a record twice"),
        pytest.param([MANY[:3], MANY[:4]], {}, 2, 4, "", id="grew in between"),
        pytest.param([{"items": MANY[:2], "next": "http://[bad/"}], {}, 1, 2, "not understood", id="no address"),
    ],
)  # fmt: skip
def test_list_is_complete_only_by_a_total_or_the_end_of_its_pages(
    pages: list[Any], given: dict[str, Any], requests: int, count: int, why: str
) -> None:
    def script(request: Received) -> Any:
        number = int(request.query.get("page", 1))
        # A service without pages shows the same whatever is asked for.
        return pages[min(number, len(pages)) - 1]

    found, sent = read(script, given)
    assert (len(found.records), sent) == (count, requests), found.why_incomplete
    assert why in found.why_incomplete
    assert bool(why) is bool(found.why_incomplete)


def test_published_limit_is_one_that_a_list_may_have_been_cut_at() -> None:
    found, _requests = read(lambda _request: MANY[:17], published={"limit": 17})
    assert "17 records may be the most of one page" in found.why_incomplete


def test_what_was_read_before_a_page_failed_is_kept() -> None:
    def script(request: Received) -> Any:
        return Reply({"message": "Broken"}, 500) if request.query else {"items": MANY[:2], "next": "?page=2"}

    found, _requests = read(script)
    assert (len(found.records), found.failure is not None) == (2, True)


@pytest.mark.parametrize(
    ("body", "records"),
    [
        ([{}, 1], ""),
        ([1], None),
        ({"contracts": [{}], "data": [{}]}, "contracts"),
        ({"data": {"items": [{}]}, "included": [{}]}, "data.items"),
        ({"_embedded": {"servers": [{}]}}, "_embedded.servers"),
        ({"vertraege": [{}], "tags": ["a"]}, "vertraege"),
        ({"data": []}, "data"),
        # Two lists that no name tells apart.
        ({"eins": [{}], "zwei": [{}]}, None),
        ({"message": "Hello."}, None),
    ],
)
def test_list_stands_at_exactly_one_place_or_none(body: Any, records: str | None) -> None:
    if records is None:
        with pytest.raises(ServiceError, match="no list of contracts is recognized"):
            read(lambda _request: body)
        return
    found, _requests = read(lambda _request: body)
    assert found.learned["contracts.records"].value == records


@pytest.mark.parametrize("body", [{"data": [], "success": False}, {"data": MANY[:1], "errors": ["no"]}])
def test_answer_that_says_that_it_failed_is_no_list(body: Any) -> None:
    with pytest.raises(ServiceError, match="says that it failed"):
        read(lambda _request: body)
    # What a record says of itself is another matter.
    found, _requests = read(lambda _request: {"data": [{"id": "1", "error": "no disk", "success": False}], "total": 1})
    assert len(found.records) == 1


def test_header_may_have_the_total() -> None:
    found, requests = read(lambda _request: Reply(MANY[:10], headers={"X-Total-Count": "10"}))
    assert (found.why_incomplete, requests) == ("", 1)
    assert found.learned["contracts.total"] == Field("headers.x-total-count", "name")


def test_list_with_more_records_than_one_read_takes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_list, "MOST_RECORDS", 2)
    with pytest.raises(ServiceError, match="more than 2 records"):
        read(lambda _request: MANY[:3])


def test_endless_pages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_list, "MOST_PAGES", 5)

    def script(request: Received) -> Any:
        number = int(request.query.get("page", 1))
        return json.loads(json.dumps({"items": [{"id": str(number)}], "next": f"?page={number + 1}"}))

    found, requests = read(script)
    assert (len(found.records), requests, "more than 5 pages" in found.why_incomplete) == (5, 5, True)
