# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists, single records and ids of contracts in responses of any envelope."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._records.contract_ids import (
    as_mapping,
    contract_id,
    ids_by_place,
    l2vpn_id,
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
B = "7e0b8f44-55aa-4f7e-8c11-7e0b8f4455aa"


@pytest.mark.parametrize(
    ("body", "location", "expected"),
    [
        ({"uuid": A}, None, A),
        ({"id": 17, "uuid": A}, None, "17"),
        ({"@id": "/api/contracts/17", "@type": "Contract"}, None, "17"),
        ({"@id": "_:b0", "uuid": A}, None, A),
        ({"contract_id": "c-17"}, None, "c-17"),
        ({"contract": {"id": 17}}, None, "17"),
        ({"item": {"id": 17}}, None, "17"),
        ({"contract": "/api/contracts/17"}, None, "17"),
        ({"contract": "created", "id": 5}, None, "5"),
        ({"data": {"type": "contracts", "id": "17", "attributes": {}}}, None, "17"),
        ([{"id": 17}], None, "17"),
        ({"success": True, "result": {"contractId": 17}}, None, "17"),
        (A, None, A),
        ({"_links": {"self": {"href": "/api/contracts/17"}}}, None, "17"),
        # What is bought and by whom is not the contract.
        ({"product": {"id": A}, "status": "new"}, None, None),
        ({"id": "c-1", "item": {"id": "p-1"}}, None, "c-1"),
        # Nobody can tell which of two is meant, unless the header does.
        ({"id": 1, "data": {"id": "c-17"}}, None, None),
        ({"id": 1, "data": {"id": "c-17"}}, "/api/contracts/c-17", "c-17"),
        ({"contract_id": 1, "contractUuid": A}, None, None),
        ([{"id": 1}, {"id": 2}], None, None),
        # No ids.
        ({"id": True}, None, None),
        ({"id": "two words"}, None, None),
        # The header.
        (None, "/api/reseller/contracts/17/", "17"),
        (None, "contracts/17.jsonld", "17"),
        (None, "/portal/" + A, A),
        (None, "/api/reseller/contracts", None),
        (None, "/api/jobs/55", None),
        (None, "http://[bad", None),
        ({"id": 17}, "/api/contracts/18", "17"),
    ],
)
def test_contract_id(body: Any, location: str | None, expected: str | None) -> None:
    assert contract_id(body, location) == expected


@pytest.mark.parametrize(
    ("body", "parameter", "expected"),
    [
        ({"id": 17, "number": "V-1"}, "number", "V-1"),
        ({"id": 17, "number": "V-1"}, "contractNumber", "V-1"),
        ({"id": 17, "uuid": A}, "uuid", A),
        ({"data": {"id": 17, "number": "V-1"}}, "number", "V-1"),
        ({"status": "ok", "contract": {"id": 17, "number": "V-1"}}, "number", "V-1"),
        ({"number": "V-1", "item": {"id": "p-1"}}, "number", "V-1"),
        # An envelope has elements of its own, and "id" is what any record may have.
        ({"code": 201, "data": {"id": "c-17"}}, "code", "c-17"),
        ({"id": 5, "contract_id": "c-17"}, "id", "c-17"),
        ({"id": 5, "contract_id": "c-17"}, "contract_id", "c-17"),
        ({"product": {"number": 7}}, "number", None),
    ],
)
def test_path_parameter_names_the_element_of_the_id(body: Any, parameter: str, expected: str | None) -> None:
    assert contract_id(body, None, parameter) == expected


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


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"l2vpn_id": A.upper()}, A),
        ({"l2vpn": {"id": 4, "uuid": A}}, A),
        ({"l2vpn": f"/api/l2vpns/{A}"}, A),
        ({"publicVlan": {"@id": f"/api/l2vpns/{A}"}}, A),
        ({"vlan": 4, "l2vpn": B}, B),
        ({"vlan": A, "l2vpn": B}, None),
        ({"settings": [{"key": "ram", "value": 4}, {"key": "l2vpn", "value": A}]}, A),
        ({"data": {"contract": {"settings": {"l2vpn": A}}}}, None),
        ({"contract": {"settings": {"existing_l2vpn": A}}}, A),
        ({"data": {"relationships": {"l2vpn": {"data": {"type": "l2vpns", "id": A}}}}}, A),
        ({"a": {"l2vpn": A}, "b": {"l2vpn": B}}, None),
        ({"vlan": 2041}, None),
        (None, None),
    ],
)
def test_l2vpn_id(body: Any, expected: str | None) -> None:
    assert l2vpn_id(body) == expected
