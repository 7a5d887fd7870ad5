# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Contract records in answers of any envelope, and the values in them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.records import (
    addresses_in,
    find_contracts,
    item_record,
    leaves,
    moment_of,
)

ONE, TWO = {"id": "c-1", "hostname": "a"}, {"id": "c-2", "hostname": "b"}
BOTH = [ONE, TWO]
JSON_API = {"type": "contracts", "id": "c-1", "attributes": {}}
JSON_LD = {"@id": "/api/reseller/contracts/c-1", "item": {"x": 1}}
UUID = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    "body",
    [
        BOTH,
        {"data": BOTH, "links": {"next": None}, "meta": {"total": 2}},
        {"hydra:member": BOTH, "hydra:totalItems": 2},
        {"count": 2, "next": None, "previous": None, "results": BOTH},
        {"contracts": BOTH, "products": [{"id": "p-1"}]},
        {"_embedded": {"contracts": BOTH}, "page": {"totalElements": 2}},
        {"success": True, "data": {"contracts": BOTH, "total": 2}},
        {"servers": BOTH},
        {"data": BOTH, "included": [{"type": "product", "id": "p"}]},
        [{"contract": ONE}, {"contract": TWO}],
        {"data": {"edges": [{"node": ONE, "cursor": "1"}, {"node": TWO, "cursor": "2"}]}},
    ],
)
def test_records_of_a_list_are_found(body: Any) -> None:
    found = find_contracts(body)
    assert found is not None
    assert [raw for _key, raw in found.entries] == BOTH


@pytest.mark.parametrize("body", [[], {"data": []}, {"contracts": [], "total": 0}, {"results": [], "count": 0}])
def test_empty_list_is_a_list(body: Any) -> None:
    found = find_contracts(body)
    assert found is not None
    assert found.entries == []


def test_records_by_their_ids_are_found() -> None:
    found = find_contracts({UUID: {"hostname": "a"}})
    assert found is not None
    assert found.entries == [(UUID, {"hostname": "a"})]


@pytest.mark.parametrize(
    "body",
    [{}, None, "contracts", 7, {"message": "no"}, ["a", "b"], {"errors": ["x"]}, {"a": BOTH, "b": BOTH}, {"id": "c-1"}],
)
def test_what_is_no_list_is_not_taken_for_one(body: Any) -> None:
    assert find_contracts(body) is None


@pytest.mark.parametrize(
    ("body", "record"),
    [
        (ONE, ONE),
        ({"data": ONE}, ONE),
        ({"success": True, "data": {"contract": ONE}}, ONE),
        ([ONE], ONE),
        ({"data": [ONE]}, ONE),
        ({"id": "c-1", "data": {"cpu": 1}}, {"id": "c-1", "data": {"cpu": 1}}),
        (
            {"data": {"type": "contracts", "id": "c-1", "attributes": {}}},
            {"type": "contracts", "id": "c-1", "attributes": {}},
        ),
        (
            {"@id": "/api/reseller/contracts/c-1", "item": {"x": 1}},
            {"@id": "/api/reseller/contracts/c-1", "item": {"x": 1}},
        ),
        (BOTH, None),
        ("c-1", None),
        (None, None),
    ],
)
def test_record_of_an_item_is_found(body: Any, record: Any) -> None:
    assert item_record(body) == record


def test_leaves_have_their_steps_and_are_bounded() -> None:
    assert list(leaves({"a": {"b": [1, None]}, "c/d": "x"})) == [(("a", "b", "0"), 1), (("c/d",), "x")]
    assert len(list(leaves({str(number): number for number in range(5000)}))) == 400
    deep: dict[str, Any] = {}
    for _level in range(50):
        deep = {"a": deep, "b": 1}
    assert len(list(leaves(deep))) == 6


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("203.0.113.7", ("203.0.113.7",)),
        ("203.0.113.7/24", ("203.0.113.7",)),
        ("203.0.113.0/24", ()),
        (["2001:db8::1", "203.0.113.7", "203.0.113.7"], ("2001:db8::1", "203.0.113.7")),
        ({"ips": [{"address": "203.0.113.7", "gateway": "203.0.113.1", "netmask": "255.255.255.0"}]}, ("203.0.113.7",)),
        ({"dns": ["9.9.9.9"], "hostname": "web01"}, ()),
        (7, ()),
        (None, ()),
    ],
)
def test_addresses_are_the_servers_own(value: Any, found: tuple[str, ...]) -> None:
    assert addresses_in(value) == found


NOON = datetime(2026, 11, 21, 12, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-11-21T12:00:00Z", NOON),
        ("2026-11-21T12:00:00.1234567Z", NOON),
        ("2026-11-21T13:00:00+01:00", NOON),
        ("2026-11-21T13:00:00+0100", NOON),
        ("2026-11-21 13:00+01", NOON),
        ("2026-11-21 12:00:00 UTC", NOON),
        ("Sat, 21 Nov 2026 12:00:00 GMT", NOON),
        (int(NOON.timestamp()), NOON),
        (NOON.timestamp() * 1000, NOON),
        ("2026-11-21 12:00:00", NOON.replace(tzinfo=None)),
        ("2026-11-21", None),
        ("12", None),
        (12, None),
        (True, None),
        ("2026-13-41T12:00:00Z", None),
        ("tomorrow", None),
        (None, None),
    ],
)
def test_times_are_read(value: Any, time: datetime | None) -> None:
    found = moment_of(value)
    assert found == time
    assert found is None or time is None or (found.tzinfo is None) == (time.tzinfo is None)
    assert found is None or found.tzinfo is None or found.utcoffset() in (timedelta(0), timedelta(hours=1))
