# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contracts read back from a real HTTP server: lists, items, and whether a contract is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts import reader as reader_module
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reader import ContractReader
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    NotPublishedError,
    PublishedReferenceError,
    ServiceError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._service.reference import Reference
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from tests.support.contract_lists import VPS, bought

LIST, ITEM = "/api/reseller/contracts", "/api/reseller/contracts/{id}"
USER, OTHER_USER = "d19f51a8-e747-452b-89a9-286bfa544c77", "85c6fa90-c539-4eb3-ad3a-5991a524246b"
OWN = "4200"


def reference(*paths: str) -> Reference:
    return Reference("https://x/api/docs", {"openapi": "3.1.0", "paths": {path: {"get": {}} for path in paths}})


def contract(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"c-{number}", "hostname": f"web{number}", "product": VPS, "endUser": USER, **more}


@contextmanager
def reading(
    script: Callable[[Received], Reply], *paths: str, **options: Any
) -> Iterator[tuple[ScriptedServer, ContractReader]]:
    """A reader whose ledger has the contracts 1 and 2 of an end user."""
    with ScriptedServer(script) as server, closing(Client(ServiceConfig(server.url, "key", OWN))) as client:
        records = [
            bought(f"c-{number}", f"web{number}", service=server.url, organization_id=OWN, end_user=USER)
            for number in (1, 2)
        ]
        published = reference(*(paths or (LIST, ITEM)))
        yield server, ContractReader(client, lambda: published, records, **options)


GONE = Reply({"message": "not found"}, 404)


def site(listed: Any, item: Callable[[str], Any] = lambda _id: GONE) -> Callable[[Received], Reply]:
    """A service with this list, and with items by their ids."""

    def script(request: Received) -> Reply:
        found = listed if request.path == LIST else item(request.path.rpartition("/")[2])
        return found if isinstance(found, Reply) else Reply(found)

    return script


def test_list_is_read_once() -> None:
    with reading(site({"data": [contract(1), contract(2), contract(3)]})) as (server, reader):
        listing = reader.listing(OWN)
        assert reader.listing(OWN) is listing
        assert len(server.requests) == 1
    assert (listing.complete, listing.id_place) == (True, "id")
    assert [(each.product, each.end_user) for each in listing.contracts] == [(VPS, USER)] * 3


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ([contract(1), {"hostname": "web9"}], "1 of 2 records have no known id"),
        ([contract(1), contract(1, hostname="web9")], "contract c-1 is in it more than once"),
        *(({"data": [], **more}, "says that it failed") for more in ({"success": False}, {"status": "error"})),
        ({"data": [contract(1)], "errors": ["no"]}, "says that it failed"),
        # What a contract in it says of itself is another matter.
        ({"data": [contract(1, status="failed", error="no disk", success=False)], "status": "ok"}, ""),
    ],
)
def test_list_is_not_complete_or_failed(listed: Any, words: str) -> None:
    with reading(site(listed), LIST) as (_server, reader):
        try:
            why = reader.listing(OWN).why_incomplete
        except ServiceError as error:
            why = error.message
    assert words in why
    assert bool(words) is bool(why)


def test_list_of_the_first_page_is_the_one_of_the_others() -> None:
    def script(request: Received) -> Reply:
        if request.query:
            return Reply({"products": [{"id": VPS}], "servers": [contract(2)]})
        return Reply({"servers": [contract(1)], "next": "?page=2"})

    with reading(script, LIST) as (_server, reader):
        assert [each.id for each in reader.listing(OWN).contracts] == ["c-1", "c-2"]


def test_list_that_is_not_published_is_not_read() -> None:
    with reading(site([]), ITEM) as (server, reader):
        with pytest.raises(NotPublishedError, match="has no GET /api/reseller/contracts, which lists contracts"):
            reader.listing(OWN)
        assert server.requests == []


@pytest.mark.parametrize("status", [None, 401])
def test_service_without_reference_publishes_nothing_unless_the_key_is_wrong(status: int | None) -> None:
    def none() -> Reference:
        raise PublishedReferenceError("No OpenAPI document was found.\nPlaces tried: …", status=status)

    client = Client(ServiceConfig("http://127.0.0.1:9", "key", OWN))
    with pytest.raises(PublishedReferenceError) as error:
        ContractReader(client, none, []).listing(OWN)
    assert isinstance(error.value, NotPublishedError) is (status is None)
    if status is None:
        found = ContractReader(client, none, [], contracts_path="/api/v2/servers").operations
        assert (found.list_path, found.item_path) == ("/api/v2/servers", "/api/v2/servers/{}")


def test_path_given_goes_before_the_one_published() -> None:
    def script(request: Received) -> Reply:
        found = {"/api/reseller/servers": [contract(1)], "/api/reseller/servers/c-7": contract(7)}
        return Reply(found[request.path]) if request.path in found else GONE

    with reading(script, contracts_path="/api/reseller/servers") as (_server, reader):
        assert [each.id for each in reader.listing(OWN).contracts] == ["c-1"]
        assert reader.presence("c-7", OWN).presence == "present"


CUT = {"data": [contract(1), contract(3)], "next": None, "total": 9}


@pytest.mark.parametrize(
    ("list_body", "item", "presence", "why"),
    [
        ([contract(1)], None, "unseen", "no operation that reads one contract"),
        ([contract(1), contract(2)], GONE, "present", ""),
        ([contract(1)], contract(2), "present", ""),
        ([contract(1)], GONE, "unseen", "answered 404 .* its list of 1 contracts does not show it"),
        ([contract(1)], Reply({"message": "no"}, 403), "unseen", "403"),
        ([contract(1)], contract(5), "unseen", "its id is not in the answer"),
        (CUT, GONE, "unseen", "not complete: the service says that there are more: total .9."),
        (Reply({"message": "no"}, 403), GONE, "unseen", "403"),
    ],
)
def test_presence(list_body: Any, item: Any, presence: str, why: str) -> None:
    with reading(site(list_body, lambda _id: item), *([LIST] if item is None else [])) as (_server, reader):
        found = reader.presence("c-2", OWN)
    assert found.presence == presence, found
    assert re.search(why, found.why), found.why


def test_ids_are_encoded_and_those_that_lead_elsewhere_are_refused() -> None:
    with reading(site([])) as (server, reader):
        reader.item("a/b?c", OWN)
        assert len(server.requests) == 1
        for bad in ("", ".", ".."):
            with pytest.raises(ConfigurationError, match="not a valid id"):
                reader.item(bad, OWN)
        assert len(server.requests) == 1


# Ids


@pytest.mark.parametrize("keys", [[USER, OTHER_USER], ["5", "6"]], ids=["UUIDs", "positions"])
def test_keys_are_ids_if_they_are_uuids(keys: list[str]) -> None:
    listed = {key: {"hostname": f"web-{key}", "product": VPS} for key in keys}
    ids = [key for key in keys if not key.isdigit()]
    with reading(site({"data": listed}, lambda key: listed.get(key, {"hostname": "db"}))) as (_server, reader):
        listing = reader.listing(OWN)
        # An item without an id is the one that was asked for only if the list has it under its id.
        for key in ids:
            assert reader.item(key, OWN)[1].raw == listed[key]
        with pytest.raises(ServiceError, match="its id is not in the answer"):
            reader.item("7", OWN)
    assert [each.id for each in listing.contracts] == ids
    assert listing.complete is bool(ids)


def test_list_whose_data_cannot_be_handled_is_an_error_and_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_rows: object) -> None:
        raise TypeError

    monkeypatch.setattr(reader_module, "places_of", fail)
    with reading(site([contract(1)])) as (server, reader):
        for _time in range(2):
            with pytest.raises(ServiceError, match=r"cannot be understood \(TypeError\)"):
                reader.listing(OWN)
        assert len(server.requests) == 1
