# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What control contracts teach of the elements of a service's records, and what they do not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.controls import controls_of
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.learning import Lessons, read_elements
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record, Request

URL = "https://portal.example.com"
VPS, OTHER = "822b73a4-74f1-45e9-8acf-ebd4b55e7470", "43444cec-30eb-4f99-a44d-4e7c1373723d"
USER, OTHER_USER = "d19f51a8-e747-452b-89a9-286bfa544c77", "85c6fa90-c539-4eb3-ad3a-5991a524246b"


def record(
    contract_id: str | None,
    hostname: str,
    *,
    end_user: str = USER,
    product: str = VPS,
    status: Any = "ordered",
    **more: Any,
) -> Record:
    """An order in the ledger."""
    request = Request(
        name=f"order {hostname}",
        service=more.get("service", URL),
        organization_id="4200",
        end_user=end_user,
        product=product,
        product_name=more.get("product_name", "VPS S"),
        product_type="vps",
        settings={"hostname": hostname},
    )
    at = more.get("at", "2026-11-21T12:00:00Z")
    return Record(f"order {hostname}", Outcome(status, contract_id=contract_id), request, None, at, at, at)


LEDGER = [record("c-1", "web01"), record("c-2", "web02", product=OTHER, product_name="VPS M")]


def shown(number: int, product: str = VPS, **more: Any) -> dict[str, Any]:
    return {
        "id": f"c-{number}",
        "hostname": f"web0{number}",
        "product": product,
        "endUser": USER,
        "status": "active",
        "createdAt": "2026-11-21T12:00:03Z",
        **more,
    }


RECORDS = [shown(1), shown(2, OTHER), shown(3)]


def lessons(raws: list[dict[str, Any]], ledger: list[Record] | None = None, **more: Any) -> Lessons:
    controls = controls_of(LEDGER if ledger is None else ledger, URL)
    return Lessons(raws, controls, read_elements(more.pop("elements", {})), **more)


def test_elements_are_learned_where_all_controls_confirm() -> None:
    found = lessons(RECORDS)
    assert found.pointers == {
        "id": "/id",
        "hostname": "/hostname",
        "product": "/product",
        "end_user": "/endUser",
        "created_at": "/createdAt",
    }
    assert sorted(found.unclear) == ["addresses", "domain", "organization", "status"]
    assert sorted(found.controls) == ["c-1", "c-2"]
    third = found.contract(2)
    assert third is not None
    assert (third.id, third.product, third.end_user, third.hostname) == ("c-3", VPS, USER, "web03")


@pytest.mark.parametrize(
    ("records", "role", "pointer"),
    [
        # Another id beside that of the orders: the controls tell which one counts.
        ([{**each, "id": number, "uuid": each["id"]} for number, each in enumerate(RECORDS, 70)], "id", "/uuid"),
        # JSON-LD has it twice.
        ([{**each, "@id": f"/api/reseller/contracts/{each['id']}"} for each in RECORDS], "id", "/id"),
        ([{"@id": f"/api/reseller/contracts/{each['id']}"} for each in RECORDS], "id", "/@id"),
        # Two ids that all controls confirm: the one with an id's name counts.
        ([{**each, "row": each["id"]} for each in RECORDS[:2]] + [shown(3, row="c-9")], "id", "/id"),
        # A reference to another contract is no id.
        ([{**each, "replaces": "c-1"} for each in RECORDS], "id", "/id"),
        ([{**each, "product": f"/api/reseller/products/{each['product']}"} for each in RECORDS], "product", "/product"),
        ([{**each, "product": {"uuid": each["product"], "x": 1}} for each in RECORDS], "product", "/product/uuid"),
        # The id goes before the name.
        (
            [shown(1, name="VPS S"), shown(2, OTHER, name="VPS M"), shown(3, name="VPS S")],
            "product",
            "/product",
        ),
        ([{**shown(1), "product": "VPS S"}, {**shown(2), "product": "VPS M"}, shown(3)], "product", "/product"),
        # Two places show it, and one has the document's name.
        (
            [{**each, "label": each["hostname"]} for each in RECORDS[:2]] + [shown(3, label="x")],
            "hostname",
            "/hostname",
        ),
        ([{**each, "hostname": each["hostname"].upper()} for each in RECORDS], "hostname", "/hostname"),
        ([{"id": each["id"], "server": {"fqdn": each["hostname"]}} for each in RECORDS], "hostname", "/server/fqdn"),
        ([{**each, "updatedAt": each["createdAt"]} for each in RECORDS], "created_at", "/createdAt"),
    ],
)
def test_place_is_found(records: list[dict[str, Any]], role: str, pointer: str) -> None:
    assert lessons(records).pointers[role] == pointer


@pytest.mark.parametrize(
    ("records", "role", "words"),
    [
        # One control of two shows something else.
        (
            [shown(1), {**shown(2, OTHER), "hostname": "renamed"}],
            "hostname",
            '/hostname confirms it in 1 of 2 .* shows "renamed" for order web02',
        ),
        ([shown(1), shown(2, VPS)], "product", "/product confirms it in 1 of 2"),
        ([{"id": "c-1"}, {"id": "c-2"}], "hostname", "no element of the 2 control contracts shows what was ordered"),
        # Two places that nothing tells apart.
        (
            [
                {"id": f"c-{number}", "label": f"web0{number}", "dns": f"web0{number}" if number < 3 else "x"}
                for number in (1, 2, 3)
            ],
            "hostname",
            "/label and /dns show it in all 2 control contracts, and differ",
        ),
        (
            [{**each, "createdAt": "2026-11-21 13:00:03"} for each in RECORDS],
            "created_at",
            "/createdAt shows times without a time zone",
        ),
        # An hour off: a local time that is said to be UTC.
        (
            [{**each, "createdAt": "2026-11-21T13:00:03Z"} for each in RECORDS],
            "created_at",
            "a time that fits the order",
        ),
        (RECORDS, "organization", "none of them is your own organization's"),
        (RECORDS, "domain", "none of them was ordered with a domain"),
        (RECORDS, "status", "The records have /status. Set elements.status"),
        ([{**each, "net": {"v4": "203.0.113.9"}} for each in RECORDS], "addresses", "The records have /net/v4. Set"),
        ([shown(8), shown(9)], "hostname", "no control contract .* Adopt one .* set elements.hostname"),
        ([shown(8), shown(9)], "id", "no control contract"),
        ([{"a": "c-1", "b": "c-1"}, {"a": "c-7", "b": "c-8"}], "id", "no control contract"),
    ],
)
def test_what_is_not_confirmed_is_unclear_with_the_reason(records: list[dict[str, Any]], role: str, words: str) -> None:
    found = lessons(records)
    assert role not in found.pointers
    assert re.search(words, found.unclear[role]), found.unclear[role]


def test_without_controls_only_ids_are_told() -> None:
    found = lessons([{"uuid": "c-8", "hostname": "a"}], [])
    contract = found.contract(0)
    assert found.pointers == {}
    assert contract is not None
    assert (contract.id, contract.hostname, contract.product, contract.raw["hostname"]) == ("c-8", None, None, "a")


def test_elements_go_before_what_controls_confirm() -> None:
    elements = {"hostname": "/label", "status": "/status", "addresses": "", "marker": "/note", "domain": "/nowhere"}
    raws = [{**each, "label": "l", "note": "token", "ip": "203.0.113.7"} for each in RECORDS]
    found = lessons(raws, elements=elements)
    contract = found.contract(0)
    assert contract is not None
    assert (contract.hostname, contract.status, contract.addresses, contract.marker) == (
        "l",
        "active",
        ("203.0.113.7",),
        "token",
    )
    assert "'/nowhere', and none of the 3 records" in found.unclear["domain"]
    assert "status" not in found.unclear


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        ({"host": "/a"}, "elements.host: unknown key; allowed keys: .*Did you mean hostname"),
        ({"hostname": "a"}, "elements.hostname: 'a' is not a JSON pointer"),
        ({"hostname": ["/a"]}, "elements.hostname is not a JSON pointer"),
    ],
)
def test_elements_are_checked(elements: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=f"(?s){words}"):
        read_elements(elements)


def test_control_is_read_with_what_the_others_confirm() -> None:
    """The id of web02 is another product's now: the product is not learned, and web02 shows what it is."""
    found = lessons([shown(1), shown(2, USER), shown(3)])
    assert "product" not in found.pointers
    contracts = [found.contract(at) for at in range(3)]
    assert [contract and contract.product for contract in contracts] == [None, USER, None]


def test_own_contracts_are_told_by_what_they_show() -> None:
    own = "7f2b6f0e-51f5-4c0f-9d25-2f3f2f2a4c11"
    ledger = [record("c-1", "web01"), record("c-2", "web02", end_user="__self__")]
    found = lessons([shown(1), shown(2, endUser=own), shown(3, endUser=own), shown(4, endUser=OTHER_USER)], ledger)
    contracts = [found.contract(at) for at in range(4)]
    assert [contract and contract.end_user for contract in contracts] == [USER, "__self__", "__self__", OTHER_USER]


@pytest.mark.parametrize(
    ("own", "learned"),
    [
        ({"organizationId": 4200}, "/organizationId"),
        ({"organization": {"id": "4200"}}, "/organization/id"),
        # A short number may stand anywhere by chance.
        ({"traffic": 4200}, None),
    ],
)
def test_organization_is_learned_from_own_contracts(own: dict[str, Any], learned: str | None) -> None:
    found = lessons([shown(1, **own)], [record("c-1", "web01", end_user="__self__")])
    assert found.pointers.get("organization") == learned


def test_time_is_compared_by_the_services_clock() -> None:
    late = [{**each, "createdAt": "2026-11-21T13:00:03Z"} for each in RECORDS]
    assert lessons(late, clock_off=3600.0).pointers["created_at"] == "/createdAt"


def test_single_time_is_not_taken_for_another() -> None:
    raws = [{"id": "c-1", "hostname": "web01", "lastSeen": "2026-11-21T12:00:09Z"}]
    assert "created_at" not in lessons(raws).pointers


def test_controls_are_accepted_orders_of_this_service() -> None:
    ledger = [
        record("c-1", "web01"),
        record("c-2", "web02", status="in_doubt"),
        record("c-3", "web03", service="https://other.example.com"),
        record(None, "web04"),
        record("c-5", "web05"),
        record("c-5", "web06"),
        Record("adopted", Outcome("ordered", contract_id="C-7"), None, None, None, None, "2026-11-21T12:00:00Z"),
    ]
    assert sorted(controls_of(ledger, f"{URL}/")) == ["C-7", "c-1"]
