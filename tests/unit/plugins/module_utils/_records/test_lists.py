# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists, single records and their ids in responses of any envelope."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._records.contract_ids import (
    as_mapping,
    id_in_url,
    ids_by_place,
)
from ansible_collections.hosting.reseller.plugins.module_utils._records.lists import (
    entry_record,
    find_list,
    item_record,
)

ONE, TWO = {"id": "c-1", "hostname": "a"}, {"id": "c-2", "hostname": "b"}
BOTH = [ONE, TWO]
UUID = "00000000-0000-4000-8000-000000000001"


ENTRIES = [(None, ONE), (None, TWO)]


@pytest.mark.parametrize(
    ("body", "entries"),
    [
        (BOTH, ENTRIES),
        ({"data": BOTH, "links": {"next": None}, "meta": {"total": 2}}, ENTRIES),
        ({"contracts": BOTH, "products": [{"id": "p-1"}]}, ENTRIES),
        ({"_embedded": {"contracts": BOTH}, "page": {"totalElements": 2}}, ENTRIES),
        ([{"contract": ONE}, {"contract": TWO}], ENTRIES),
        ({"users": [{"id": "u-1"}], "topics": {"contracts": BOTH}}, ENTRIES),
        ({"data": {"edges": [{"node": ONE, "cursor": "1"}, {"node": TWO, "cursor": "2"}]}}, ENTRIES),
        # Empty ones; under its own name it is the list even then.
        *(([], []), ({"data": []}, []), ({"contracts": [], "data": BOTH}, [])),
        ({"_links": {"self": {"href": "/"}}, "page": {"totalElements": 0}}, []),
        # Keys are ids if they are UUIDs; positions are none.
        ({UUID: {"hostname": "a"}}, [(UUID, {"hostname": "a"})]),
        ({"data": {"0": ONE, "1": TWO}}, ENTRIES),
        ({"17": {"hostname": "a"}}, [(None, {"hostname": "a"})]),
        # No lists. Null is none, and no other list takes its place.
        *(({}, None), (None, None), ({"message": "no"}, None), ({"a": BOTH, "b": BOTH}, None)),
        *(({"contracts": None, "data": BOTH}, None), ({"data": {"contracts": None, "servers": BOTH}}, None)),
    ],
)
def test_records_of_a_list_are_found(body: Any, entries: Any) -> None:
    found = find_list(body, "contracts")
    assert (found and [(key, entry_record(raw)) for key, raw in found.entries]) == entries


@pytest.mark.parametrize(
    ("body", "record"),
    [
        ({"success": True, "data": {"contract": ONE}}, ONE),
        ([ONE], ONE),
        ({"id": "c-1", "data": {"cpu": 1}}, {"id": "c-1", "data": {"cpu": 1}}),
        ({"@id": "/contracts/c-1", "item": {"x": 1}}, {"@id": "/contracts/c-1", "item": {"x": 1}}),
        (BOTH, None),
    ],
)
def test_record_of_an_item_is_found(body: Any, record: Any) -> None:
    assert item_record(body) == record


@pytest.mark.parametrize("entries", [[ONE], []])
def test_list_without_a_name_is_beside_its_page_and_no_list_of_a_record(entries: list[Any]) -> None:
    found = find_list({"_embedded": {"invoices": entries}, "page": {"number": 0}})
    assert found is not None
    assert [entry for _key, entry in found.entries] == entries
    assert find_list({"id": 7, "tags": ["a"] if entries else []}) is None


# Ids

A = "0f3c1d9e-8a51-4c39-9d2a-0f3c1d9e8a51"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/api/reseller/contracts/17/", "17"),
        ("contracts/17.jsonld", "17"),
        ("https://portal.example.com/contracts/c%2D9?a=1#b", "c-9"),
        (f"/portal/{A}", A),
        ("/api/reseller/contracts", None),
        *((f"/api/{kind}/55", None) for kind in ("jobs", "orders", "requests", "users", "v2")),
        ("/login", None),
        ("http://[bad", None),
        (None, None),
        (17, None),
    ],
)
def test_address_of_a_contract_has_its_id(url: Any, expected: str | None) -> None:
    assert id_in_url(url) == expected


@pytest.mark.parametrize(
    ("raw", "ids"),
    [
        ({"id": 7, "uuid": "u1", "number": "V-1"}, {"number": "V-1", "id": "7", "uuid": "u1"}),
        ({"@id": "/api/reseller/contracts/c-1"}, {"@id": "c-1"}),
        ({"contractId": "c", "id": 7}, {"contractid": "c", "id": "7"}),
        ({"_links": {"self": {"href": "/api/reseller/contracts/c-1"}}}, {"(self)": "c-1"}),
        ({"contract": {"id": "c-1"}, "product": {"id": "p"}}, {}),
        ({"contract": "c-1"}, {"contract": "c-1"}),
        ({"id": None, "uuid": ""}, {}),
    ],
)
def test_ids_stand_at_the_top(raw: Any, ids: Any) -> None:
    assert [*ids_by_place(raw, None, "contractNumber").items()] == [*ids.items()]
    assert [*ids_by_place(raw, "k", "number").items()] == [("(key)", "k"), *ids.items()]


PAIRS = [{"key": "a", "value": 1}, {"key": "b", "value": [2]}]


@pytest.mark.parametrize(
    ("value", "mapping"),
    [
        (PAIRS, {"a": 1, "b": [2]}),
        ([{"name": "a", "value": 1}], {"a": 1}),
        ([{"Key": "a", "Value": None}], {"a": None}),
        ([PAIRS[0], PAIRS[0]], None),
        ([*PAIRS, 1], None),
        ([{"key": 1, "value": 1}], None),
        ([{"key": [], "value": 1}], None),
        ([{"name": "a", "value": 1, "unit": "GB"}], None),
        ([{"name": "a", "id": 1}], None),
        ([], None),
        ({"key": "a", "value": 1}, None),
    ],
)
def test_list_of_names_with_values_is_a_mapping(value: Any, mapping: Any) -> None:
    assert as_mapping(value) == (value if mapping is None else mapping)
