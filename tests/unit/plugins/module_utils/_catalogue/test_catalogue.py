# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue import pages as module
from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.catalogue import Catalogue
from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.reading import read_catalogue
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    CatalogueError,
    ServiceError,
    UnreadableAnswerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published import QueryParameter
from tests.support.http_server import Received, Reply, ScriptedServer

PATH = "/api/reseller/products"
KEY = "k3y-of-the-test"


def uuid_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def product(number: int, **more: Any) -> dict[str, Any]:
    return {"id": uuid_of(number), "name": f"Product {number}", "options": [], **more}


@contextmanager
def serving(script: Callable[[Received], Reply], prefix: str = "") -> Iterator[tuple[ScriptedServer, Client]]:
    with ScriptedServer(script) as server:
        config = ServiceConfig(server.url + prefix, KEY, "org-1", read_retries=0)
        with Client(config) as client:
            yield server, client


def read(*pages: Any, headers: Mapping[str, str] | None = None) -> Catalogue:
    """The catalogue of a service that gives these bodies for page 1, 2 and so on, and an empty one after them."""

    def script(request: Received) -> Reply:
        assert request.path == PATH
        assert request.headers["X-API-Key"] == KEY
        number = int(request.query.get("page", 1))
        return Reply(pages[number - 1] if number <= len(pages) else [], headers=headers or {})

    with serving(script) as (_server, client):
        return read_catalogue(client)


def ids(catalogue: Catalogue) -> list[str]:
    return [each.id for each in catalogue.products]


ONE, TWO = product(1), product(2)
BOTH = [uuid_of(1), uuid_of(2)]
RECORDS = [ONE, TWO]


@pytest.mark.parametrize(
    "body",
    [
        RECORDS,
        {"member": RECORDS, "totalItems": 2},
        {"@context": "/x", "@type": "hydra:Collection", "hydra:member": RECORDS, "hydra:totalItems": 2},
        {"items": RECORDS},
        {"data": RECORDS, "meta": {"current_page": 1, "last_page": 1, "total": 2}},
        {"results": RECORDS, "count": 2, "next": None, "previous": None},
        {"products": RECORDS},
        {"_embedded": {"products": RECORDS}, "page": {"size": 20, "totalElements": 2, "totalPages": 1, "number": 0}},
        {"data": {"items": RECORDS}},
        {"success": True, "data": {"products": RECORDS, "total": 2}},
        {"response": {"data": {"list": RECORDS}}},
        {"offers": RECORDS},
        {"offers": {"all": RECORDS}},
        {"data": {"edges": [{"node": ONE, "cursor": "a"}, {"node": TWO, "cursor": "b"}]}},
        {uuid_of(1): {"name": "Product 1", "options": []}, uuid_of(2): {"name": "Product 2", "options": []}},
        {"data": {uuid_of(1): {"name": "Product 1", "options": []}, uuid_of(2): {"name": "Product 2", "options": {}}}},
        {"0": ONE, "7": TWO},
        [{"product": ONE}, {"product": TWO}],
        {
            "data": [
                {"type": "products", "id": each["id"], "attributes": {"name": each["name"], "options": []}}
                for each in RECORDS
            ]
        },
        {"vps": [ONE], "domains": [TWO], "categories": [{"id": 1, "name": "VPS"}]},
        [{"id": 1, "name": "VPS", "products": [ONE]}, {"id": 2, "name": "Domains", "products": [TWO]}],
        [*RECORDS, {**ONE, "id": uuid_of(1).upper()}],
    ],
)
def test_envelopes(body: Any) -> None:
    catalogue = read(body)
    assert ids(catalogue) == BOTH
    assert [each.name for each in catalogue.products] == ["Product 1", "Product 2"]
    assert [each.options for each in catalogue.products] == [[], []]
    assert catalogue.warnings == []


@pytest.mark.parametrize(
    ("record", "product_id", "name"),
    [
        ({"uuid": uuid_of(1), "title": "T"}, uuid_of(1), "T"),
        ({"id": 17, "uuid": uuid_of(1), "name": "N", "slug": "s"}, uuid_of(1), "N"),
        ({"@id": f"/api/products/{uuid_of(1)}", "@type": "Product", "label": "L"}, uuid_of(1), "L"),
        ({"product_id": uuid_of(1), "display_name": "D"}, uuid_of(1), "D"),
        ({"productUuid": uuid_of(1), "productName": "P"}, uuid_of(1), "P"),
        ({"identifier": uuid_of(1), "name": {"de": "Deutsch", "en": "English"}}, uuid_of(1), "English"),
        ({"id": uuid_of(1), "options": []}, uuid_of(1), None),
        ({"id": 17, "name": "N"}, "17", "N"),
    ],
)
def test_id_and_name_by_their_usual_keys(record: dict[str, Any], product_id: str, name: str | None) -> None:
    catalogue = read([record])
    assert [(each.id, each.name, each.raw) for each in catalogue.products] == [(product_id, name, record)]
    assert bool(catalogue.warnings) == (product_id == "17")


def pages_of(*numbers: int) -> list[list[dict[str, Any]]]:
    return [[product(2 * number), product(2 * number + 1)] for number in numbers]


FIRST, SECOND, THIRD = pages_of(0, 1, 2)
ALL = [uuid_of(number) for number in range(6)]


def linked(link: Callable[[int], Mapping[str, Any]]) -> list[Any]:
    return [{"items": page, **link(number)} for number, page in enumerate((FIRST, SECOND, THIRD), 1)]


def until(value: Callable[[int], Any], otherwise: Any = None) -> Callable[[int], Any]:
    return lambda number: value(number) if number < 3 else otherwise


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(linked(lambda n: {"next": until(lambda n: f"{PATH}?page={n + 1}")(n)}), id="next path"),
        pytest.param(linked(lambda n: {"next": until(lambda n: f"?page={n + 1}")(n)}), id="next query"),
        pytest.param(linked(lambda n: {"next": until(lambda n: f"products?page={n + 1}#top")(n)}), id="next relative"),
        pytest.param(linked(lambda n: {"next": until(lambda n: n + 1)(n)}), id="next number"),
        pytest.param(linked(lambda n: {"next_page": until(lambda n: str(n + 1), "")(n)}), id="next_page text"),
        pytest.param(
            linked(lambda n: {"links": {"next": until(lambda n: f"{PATH}?page={n + 1}")(n)}}), id="links.next"
        ),
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
        pytest.param(linked(lambda n: {"view": {"next": f"{PATH}?page={n + 1}"} if n < 3 else {}}), id="view.next"),
        pytest.param(linked(lambda n: {"next_page_url": until(lambda n: f"?page={n + 1}")(n)}), id="next_page_url"),
        pytest.param(
            linked(lambda n: {"meta": {"next_page_url": until(lambda n: f"?page={n + 1}")(n)}}), id="meta.next_page_url"
        ),
        pytest.param(
            linked(lambda n: {"meta": {"pagination": {"links": {"next": f"?page={n + 1}"} if n < 3 else {}}}}),
            id="Fractal",
        ),
        pytest.param(linked(lambda n: {"meta": {"current_page": n, "last_page": 3}}), id="page of pages"),
        pytest.param(linked(lambda n: {"page": n, "totalPages": "3"}), id="page and totalPages"),
        pytest.param(linked(lambda n: {"pagination": {"page": n, "pages": 3}}), id="pagination.pages"),
        pytest.param(linked(lambda n: {"totalItems": 6}), id="a total alone"),
        pytest.param(linked(lambda n: {"meta": {"total": 6, "per_page": 2}}), id="a total in meta"),
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
    catalogue = read(*pages)
    assert ids(catalogue) == ALL
    assert catalogue.warnings == []


def test_pages_told_in_a_link_header() -> None:
    def script(request: Received) -> Reply:
        at = int(request.query.get("from", 0))
        link = f'<{PATH}?from={at + 1}>; rel="next", <{PATH}>; rel="first"' if at < 2 else f'<{PATH}>; rel="first"'
        return Reply((FIRST, SECOND, THIRD)[at], headers={"Link": link})

    with serving(script) as (server, client):
        assert ids(read_catalogue(client)) == ALL
        assert len(server.requests) == 3


def test_a_total_in_a_header() -> None:
    assert ids(read(FIRST, SECOND, THIRD, headers={"X-Total-Count": "6"})) == ALL


def test_pages_counted_from_zero() -> None:
    def script(request: Received) -> Reply:
        at = int(request.query.get("page", 0))
        page = {"size": 2, "totalElements": 6, "totalPages": 3, "number": at}
        return Reply({"content": (FIRST, SECOND, THIRD)[at], "page": page})

    with serving(script) as (server, client):
        assert ids(read_catalogue(client)) == ALL
        assert len(server.requests) == 3


def test_offsets() -> None:
    def script(request: Received) -> Reply:
        offset = int(request.query.get("offset", 0))
        return Reply({"items": (FIRST + SECOND + THIRD)[offset : offset + 2], "offset": offset, "limit": 2, "total": 6})

    with serving(script) as (_server, client):
        catalogue = read_catalogue(client)
    assert ids(catalogue) == ALL
    assert catalogue.warnings == []


@pytest.mark.parametrize(("element", "parameter"), [("next_cursor", "cursor"), ("nextPageToken", "pageToken")])
def test_cursors(element: str, parameter: str) -> None:
    def script(request: Received) -> Reply:
        at = {"": 0, "b&b": 1, "c": 2}[request.query.get(parameter, "")]
        return Reply({"items": (FIRST, SECOND, THIRD)[at], element: ("b&b", "c", None)[at]})

    with serving(script) as (_server, client):
        assert ids(read_catalogue(client)) == ALL


def test_a_proxy_that_removes_a_path() -> None:
    def script(request: Received) -> Reply:
        assert request.path == f"/gateway{PATH}"
        return Reply({"items": SECOND} if request.query else {"items": FIRST, "next": f"{PATH}?page=2"})

    with serving(script, "/gateway") as (_server, client):
        assert ids(read_catalogue(client)) == ALL[:4]


@pytest.mark.parametrize("origin", ["http://backend.internal:8000", "https://portal.example", "//10.0.0.7"])
def test_next_link_with_an_inner_address_is_followed_on_our_origin(origin: str) -> None:
    def script(request: Received) -> Reply:
        return Reply({"items": SECOND} if request.query else {"items": FIRST, "next": f"{origin}{PATH}?page=2"})

    with serving(script) as (server, client):
        catalogue = read_catalogue(client)
        assert [request.query for request in server.requests] == [{}, {"page": "2"}]
    assert ids(catalogue) == ALL[:4]
    assert catalogue.warnings == []


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
        pytest.param(paged("pageNumber", "number from 1"), [QueryParameter("pageNumber")], id="page by another name"),
        pytest.param(paged("page[number]", "number from 1"), [QueryParameter("page[number]")], id="page in brackets"),
        pytest.param(paged("page", "number from 0"), [QueryParameter("page", 0)], id="page from 0"),
        pytest.param(
            paged("offset", "offset"), [QueryParameter("limit", 10), QueryParameter("offset", 0)], id="offset"
        ),
        pytest.param(
            paged("skip", "offset"), [QueryParameter("search"), QueryParameter("skip")], id="offset by another name"
        ),
        pytest.param(
            paged("offset", "offset", headers=lambda at: {"X-Total-Count": "36"}),
            None,
            id="total alone",
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
        catalogue = read_catalogue(client, lambda: listed or [])
    assert ids(catalogue) == [uuid_of(number) for number in range(36)]
    assert catalogue.warnings == []


@pytest.mark.parametrize(("count", "requests"), [(9, 1), (36, 2)])
def test_bare_list_that_is_all_is_asked_for_its_next_page_once(count: int, requests: int) -> None:
    with serving(lambda _request: Reply(MANY[:count])) as (server, client):
        catalogue = read_catalogue(client)
        assert len(server.requests) == requests
    assert len(catalogue.products) == count
    assert catalogue.warnings == []


def test_listed_parameters_are_asked_for_only_if_needed() -> None:
    def listed() -> list[QueryParameter]:
        raise AssertionError

    assert len(read({"items": MANY, "total": 36}).products) == 36
    with serving(lambda _request: Reply({"items": MANY, "total": 36})) as (_server, client):
        read_catalogue(client, listed)


@pytest.mark.parametrize(
    ("body", "words", "most"),
    [
        ({"items": FIRST, "next": PATH}, "repeat", 2),
        ({"items": FIRST, "next": f"{PATH}?x=1"}, "repeat", 3),
        ({"items": FIRST, "total": 100}, "there are 100", 3),
        ({"items": FIRST, "meta": {"current_page": 1, "last_page": 9}}, "there are more", 3),
        ({"items": FIRST, "total": 100, "next": None}, "100", 1),
        ({"items": FIRST, "next": "abc"}, "not understood", 1),
        ({"items": FIRST, "next": {"foo": 1}}, "not understood", 1),
        ({"items": FIRST, "next": "http://[bad/"}, "not understood", 1),
        ({"items": FIRST, "next": "http://host:99999999/"}, "not understood", 1),
    ],
)
def test_a_catalogue_that_was_not_read_completely_says_so(body: Any, words: str, most: int) -> None:
    with serving(lambda _request: Reply(body)) as (server, client):
        catalogue = read_catalogue(client)
        assert len(server.requests) <= most
    assert ids(catalogue) == ALL[:2]
    assert len(catalogue.warnings) == 1
    assert "Not all products" in catalogue.warnings[0]
    assert words in catalogue.warnings[0]
    with pytest.raises(CatalogueError, match="may not be whole"):
        catalogue.find("Product 77")


def test_a_guessed_page_that_is_refused_ends_the_reading() -> None:
    def script(request: Received) -> Reply:
        return Reply({"error": "no"}, 400) if request.query else Reply({"items": FIRST, "total": 3})

    with serving(script) as (_server, client):
        catalogue = read_catalogue(client)
    assert ids(catalogue) == ALL[:2]
    assert "status 400" in catalogue.warnings[0]


def test_failure_is_asked_for_once_more_as_plain_json() -> None:
    """A service that speaks JSON alone may fail to put an error into JSON-LD: what it has to say is in the second."""

    def script(request: Received) -> Reply:
        if "ld+json" in request.headers["Accept"]:
            return Reply(b"<html><title>Oops</title></html>", 500)
        return Reply({"message": "The key is unknown."}, 401)

    with serving(script) as (server, client), pytest.raises(ServiceError, match="The key is unknown"):
        read_catalogue(client)
    assert [request.headers["Accept"] for request in server.requests] == [module.ACCEPT, "application/json"]


def test_failure_that_lasts_is_told_as_it_was() -> None:
    with (
        serving(lambda _request: Reply({"message": "Broken"}, 500)) as (server, client),
        pytest.raises(ServiceError, match="500 Internal Server Error: Broken"),
    ):
        read_catalogue(client)
    assert len(server.requests) == 2


@pytest.mark.parametrize("media_type", ["application/hal+json", "application/vnd.api+json"])
def test_catalogue_is_asked_for_in_the_published_types_after_406(media_type: str) -> None:
    def script(request: Received) -> Reply:
        return Reply(RECORDS) if media_type in request.headers["Accept"] else Reply({"message": "no"}, 406)

    with serving(script) as (server, client):
        assert ids(read_catalogue(client, media_types=lambda: (media_type,))) == BOTH
    assert server.requests[-1].headers["Accept"] == f"{media_type}, */*;q=0.1"
    assert len(server.requests) == 3


def test_406_without_published_types_is_an_error() -> None:
    with (
        serving(lambda _request: Reply({"message": "Not that"}, 406)) as (server, client),
        pytest.raises(ServiceError, match="406 Not Acceptable: Not that"),
    ):
        read_catalogue(client)
    assert len(server.requests) == 2


def test_a_told_page_that_is_refused_is_an_error() -> None:
    def script(request: Received) -> Reply:
        return Reply({"error": "broken"}, 500) if request.query else Reply({"items": FIRST, "next": "?page=2"})

    with serving(script) as (_server, client), pytest.raises(ServiceError, match="broken"):
        read_catalogue(client)


def test_endless_pages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAGES", 20)

    def script(request: Received) -> Reply:
        number = int(request.query.get("page", 1))
        return Reply({"items": [product(number)], "next": number + 1})

    with serving(script) as (server, client):
        catalogue = read_catalogue(client)
        assert len(server.requests) == 20
    assert len(catalogue.products) == 20
    assert "more than 20 pages" in catalogue.warnings[0]


def test_large_pages_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_LIST", 100_000)

    def script(request: Received) -> Reply:
        number = int(request.query.get("page", 1))
        return Reply({"items": [product(number, text="x" * 40_000)], "next": number + 1})

    with serving(script) as (_server, client):
        catalogue = read_catalogue(client)
    assert len(catalogue.products) == 3
    assert "larger than" in catalogue.warnings[0]


def test_a_page_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_PAGE", 1_000)
    with (
        serving(lambda _request: Reply([product(1, text="x" * 2_000)])) as (_server, client),
        pytest.raises(UnreadableAnswerError, match="larger"),
    ):
        read_catalogue(client)


def test_a_service_that_takes_only_plain_json() -> None:
    def script(request: Received) -> Reply:
        return Reply(RECORDS) if request.headers["Accept"] == "application/json" else Reply({"message": "no"}, 406)

    with serving(script) as (_server, client):
        assert ids(read_catalogue(client)) == BOTH


@pytest.mark.parametrize("body", [[], {"data": []}, {"member": [], "totalItems": 0}])
def test_an_empty_catalogue(body: Any) -> None:
    catalogue = read(body)
    assert ids(catalogue) == []
    assert catalogue.os_templates() == []
    with pytest.raises(CatalogueError, match="organization_id"):
        catalogue.find("VPS S")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"status": "ok", "token": "s3cret"}, ["object {status: a string, token: a string}"]),
        ([1, "s3cret"], ["a list of 2, the first: a number"]),
        ([{"sku": "s3cret", "prices": []}], ["sku: a string"]),
        ("s3cret", ["a string"]),
        (None, ["null"]),
        ({}, ["an empty object"]),
    ],
)
def test_an_answer_that_is_not_recognised_is_told_by_its_shape(body: Any, words: list[str]) -> None:
    with pytest.raises(CatalogueError) as caught:
        read(json.dumps(body).encode())
    assert all(word in caught.value.message for word in words)
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply({"message": "Bad key"}, 401), ["401", "Bad key", "api_key"]),
        (Reply({"message": "Not yours"}, 403), ["403", "organization_id"]),
        (
            Reply(b"<html><title>Nothing here</title>", 404, {"Content-Type": "text/html"}),
            ["404", "Nothing here", "base_url"],
        ),
        (Reply(b"<html><title>Portal</title>", 200, {"Content-Type": "text/html"}), ["HTML", "Portal", "base_url"]),
        (Reply(b""), ["empty"]),
        (Reply(b"{"), ["not valid JSON"]),
        (Reply(b"[" * 100_000), ["not valid JSON", "nested"]),
    ],
)
def test_other_answers_are_told_apart(reply: Reply, words: list[str]) -> None:
    with serving(lambda _request: reply) as (_server, client), pytest.raises(ServiceError) as caught:
        read_catalogue(client)
    assert all(word in caught.value.message for word in words)
    assert KEY not in caught.value.message


def test_records_without_an_id_are_reported() -> None:
    catalogue = read([ONE, {"name": "No id", "options": []}, 17])
    assert ids(catalogue) == BOTH[:1]
    assert "2 records" in catalogue.warnings[0]
    assert "name: a string" in catalogue.warnings[0]


class TestFind:
    catalogue = read(
        [
            product(1),
            product(2, name="VPS S", slug="vps-s"),
            product(3, name="VPS M"),
            product(4, name="VPS M"),
            {
                "id": "0d6d810e-DEC2-4a06-8fe5-7d7698d97ae6",
                "name": "domain-default",
                "title": "Domain",
                "options": None,
            },
        ]
    )

    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            (uuid_of(2), "VPS S"),
            ("0D6D810E-dec2-4a06-8fe5-7d7698d97ae6", "domain-default"),
            ("VPS S", "VPS S"),
            ("vps-s", "VPS S"),
            ("Domain", "domain-default"),
        ],
    )
    def test_by_uuid_in_any_case_or_exact_name(self, wanted: str, found: str) -> None:
        assert self.catalogue.find(wanted).name == found

    @pytest.mark.parametrize(
        ("wanted", "words"),
        [
            ("VPS s", ["'VPS S'", uuid_of(2)]),
            ("VPS", ["VPS"]),
            (uuid_of(2).replace("2", "7"), ["no product with the UUID", uuid_of(2)]),
            ("zzzzzz", ["among its 5 products", "reseller_products_info"]),
        ],
    )
    def test_an_unknown_one_is_told_with_the_nearest(self, wanted: str, words: list[str]) -> None:
        with pytest.raises(CatalogueError) as caught:
            self.catalogue.find(wanted)
        assert all(word in caught.value.message for word in words)

    def test_a_name_that_several_products_have_is_told_with_their_uuids(self) -> None:
        with pytest.raises(CatalogueError) as caught:
            self.catalogue.find("VPS M")
        assert f"{uuid_of(3)}, {uuid_of(4)}" in caught.value.message


def test_options_are_read_and_those_of_an_unknown_kind_are_none() -> None:
    catalogue = read(
        [
            product(1, options={"hostname": "required|string"}),
            product(2, options="something else"),
            {"id": uuid_of(3), "name": "Product 3"},
            product(4, options=None),
        ]
    )
    options = [each.options for each in catalogue.products]
    assert options[0] is not None
    assert [option.name for option in options[0]] == ["hostname"]
    assert options[1:] == [None, None, []]


def test_os_templates_are_sorted_and_unique() -> None:
    def templates(*names: str) -> Any:
        return [{"name": "template", "values": names}, {"name": "edition", "values": ["other"]}]

    catalogue = read(
        [
            product(1, options=templates("debian-12", "alma-9")),
            product(2, options=templates("debian-12", "alma-9")),
            product(
                3, options={"template_name": {"type": "select", "options": {"ubuntu-24": "Ubuntu", "debian-12": "D"}}}
            ),
            product(4, options={"template": "required|string"}),
        ]
    )
    assert catalogue.os_templates() == ["alma-9", "debian-12", "ubuntu-24"]


def test_the_cache_gives_the_same_catalogue_back() -> None:
    catalogue = read({"items": [product(1, options=[{"name": "template", "values": ["a"]}]), {"x": 1}], "total": 9})
    kept = Catalogue.from_cache(json.loads(json.dumps(catalogue.to_cache())))
    assert kept == catalogue
    assert list(kept.products) == list(catalogue.products)
    assert kept.warnings


@pytest.mark.parametrize(
    "value", [None, 17, [], {}, {"records": [1], "warnings": []}, {"records": [["a", [], []]]}, "x"]
)
def test_a_cache_of_another_form_is_a_typed_error(value: Any) -> None:
    with pytest.raises(CatalogueError):
        Catalogue.from_cache(value)


@pytest.mark.full
def test_a_hundred_thousand_products() -> None:
    options = [{"name": "hostname", "required": True}, {"name": "template", "values": ["debian-12", "alma-9"]}]
    catalogue = read([product(number, options=options) for number in range(100_000)])
    assert len(catalogue.products) == 100_000
    assert catalogue.find("Product 77777").id == uuid_of(77777)
    assert catalogue.os_templates() == ["alma-9", "debian-12"]
    with pytest.raises(CatalogueError, match="Product 77777"):
        catalogue.find("Product 77777b")


NAMES = st.sampled_from(
    [
        "id",
        "uuid",
        "@id",
        "name",
        "options",
        "data",
        "items",
        "member",
        "meta",
        "links",
        "next",
        "href",
        "page",
        "total",
        "last_page",
        "current_page",
        "product",
        "attributes",
        "next_cursor",
        "offset",
        "limit",
        "_embedded",
        "count",
    ]
)
BODIES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.text(max_size=4)
    | st.sampled_from([*BOTH, "?page=2", "//x", "http://["]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=3), inner, max_size=6),
    max_leaves=30,
)


@pytest.fixture(scope="module")
def answering() -> Iterator[tuple[list[Reply], Client]]:
    reply: list[Reply] = []
    with serving(lambda _request: reply[0]) as (_server, client):
        yield reply, client


@given(BODIES, st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answer_gives_a_catalogue_or_a_typed_error(
    answering: tuple[list[Reply], Client], body: Any, link: str
) -> None:
    reply, client = answering
    reply[:] = [Reply(body, headers={"Link": link})]
    try:
        catalogue = read_catalogue(client)
    except ServiceError:
        return
    json.dumps(catalogue.to_cache())
    assert all(isinstance(each.id, str) and each.id for each in catalogue.products)
    assert all(isinstance(name, str) for name in catalogue.os_templates())
