# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each rule of what an answer to an order proves; tests/cases/answers.yml has whole answers."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._service.failures import (
    envelope_failure,
    record_failure,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.receipts import (
    SentOrder,
    l2vpn_id,
    read_receipt,
    request_failure,
)

A = "0f3c1d9e-8a51-4c39-9d2a-0f3c1d9e8a51"
B = "7e0b8f44-55aa-4f7e-8c11-7e0b8f4455aa"
PRODUCT, END_USER = "43444cec-30eb-4f99-a44d-4e7c1373723d", "d19f51a8-e747-452b-89a9-286bfa544c77"
OTHER_PRODUCT, OTHER_USER = "99999999-1111-4222-8333-444444444444", "aaaaaaaa-1111-4222-8333-444444444444"
KNOWN = {PRODUCT, END_USER, OTHER_PRODUCT, OTHER_USER}
HOST = "web01.example.org"
ENDED = ("failed", "REJECTED", "declined", "cancelled", "canceled", "expired", "draft", "quote", "offer")
SERVER = SentOrder(END_USER, PRODUCT, "hostname", HOST, {END_USER, PRODUCT, HOST, "debian-12", "4200"}, KNOWN)
DOMAIN = SentOrder(END_USER, PRODUCT, "domain", "example.net", {END_USER, PRODUCT, "example.net"}, KNOWN)
WEBHOSTING = SentOrder(END_USER, PRODUCT, values={END_USER, PRODUCT}, known=KNOWN)
OWN = SERVER._replace(end_user="__self__")


# The ID


@pytest.mark.parametrize(
    ("body", "location", "expected"),
    [
        # A value that was sent hides no other one.
        ({"contract_id": END_USER, "id": "c-17"}, None, "c-17"),
        ({"id": "c-17", "data": {"id": PRODUCT}}, None, "c-17"),
        ({"uuid": HOST, "contract": "c-17"}, None, "c-17"),
        ({"id": 17, "uuid": A}, None, "17"),
        ({"@id": "_:b0", "uuid": A}, None, A),
        ({"contract_id": "c-17"}, None, "c-17"),
        ({"contract": {"id": 17}}, None, "17"),
        ({"contract": {"data": {"type": "contracts", "id": 17}}}, None, "17"),
        ({"id": 5, "contract": "/api/contracts/17"}, None, "17"),
        ({"contract": "/api/contracts/17"}, None, "17"),
        ({"contract": "created", "id": 5}, None, "5"),
        ([{"id": 17}], None, "17"),
        (A, None, A),
        # What is bought and by whom is not the contract.
        ({"product": {"id": A}, "status": "new"}, None, None),
        ({"id": "c-1", "item": {"id": "p-1"}}, None, "c-1"),
        # Nobody can tell which of two is meant, unless the header does.
        ({"id": 1, "data": {"id": "c-17"}}, None, None),
        ({"id": 1, "data": {"id": "c-17"}}, "/api/contracts/c-17", "c-17"),
        ({"contract_id": 1, "contractUuid": A}, None, None),
        # A bare text, and what else holds one record.
        ({"contract": "2026-17"}, None, "2026-17"),
        ({"item": {"id": 17}}, None, "17"),
        ({"record": {"contract": "2026-17"}}, None, "2026-17"),
        ({"vertrag": "2026-17"}, None, None),
        # Of an order, a request, a job or a user.
        ({"order": {"id": 1}, "request": {"id": 2}, "job": {"id": 3}, "user": {"id": 4}}, None, None),
        ({"orderId": 1, "request_id": 2, "job_id": 3, "user_id": 4}, None, None),
        *(({name: "Order", "id": 1}, None, None) for name in ("type", "@type", "kind", "object", "resource_type")),
        *(({"type": kind, "id": 1}, None, None) for kind in ("orders", "contract_request", "BuildJob", "user")),
        *(({"@id": f"/api/{kind}/17"}, None, None) for kind in ("orders", "requests", "jobs", "users")),
        ({"contract": "/api/orders/17"}, None, None),
        # No ids.
        ({"id": True}, None, None),
        ({"id": "two words"}, None, None),
        # The header.
        (None, "contracts/17.jsonld", "17"),
        (None, "/portal/" + A, A),
        (None, "/api/reseller/contracts", None),
        (None, "http://[bad", None),
        ({"id": 17}, "/api/contracts/18", "17"),
    ],
)
def test_contract_id(body: Any, location: str | None, expected: str | None) -> None:
    assert read_receipt(body, location, 201, SERVER).contract_id == expected


@pytest.mark.parametrize(
    ("body", "parameter", "expected"),
    [
        ({"id": 17, "number": "V-1"}, "number", "V-1"),
        ({"id": 17, "number": "V-1"}, "contractNumber", "V-1"),
        ({"data": {"id": 17, "number": "V-1"}}, "number", "V-1"),
        ({"status": "ok", "contract": {"id": 17, "number": "V-1"}}, "number", "V-1"),
        ({"number": "V-1", "item": {"id": "p-1"}}, "number", "V-1"),
        # An envelope has elements of its own, and "id" is what any record may have.
        ({"code": 201, "data": {"id": "c-17"}}, "code", "c-17"),
        ({"id": 5, "contract_id": "c-17"}, "id", "c-17"),
        ({"id": 5, "contract_id": "c-17"}, "contract_id", "c-17"),
    ],
)
def test_path_parameter_names_the_element_of_the_id(body: Any, parameter: str, expected: str | None) -> None:
    assert read_receipt(body, None, 201, SERVER._replace(parameter=parameter)).contract_id == expected


@pytest.mark.parametrize(
    ("sent", "record", "refused"),
    [
        # What was sent.
        *((SERVER, {"id": each}, "a value that was sent") for each in (END_USER, PRODUCT.upper(), HOST, 4200)),
        # Another name, under its own name.
        (SERVER, {"hostname": "db01.example.org"}, "the hostname db01.example.org"),
        (SERVER, {"Host_Name": "db01.example.org", "name": HOST}, "the hostname db01.example.org"),
        (SERVER, {"hostname": "db01", "domain": "example.org"}, "the hostname db01"),
        (SERVER, {"domain": "example.org"}, "the domain example.org"),
        (SERVER, {"hostname": "db01", "settings": {"hostname": HOST}}, "the hostname db01"),
        (SERVER, {"attributes": {"hostname": "db01"}}, "the hostname db01"),
        (DOMAIN, {"domain_name": "www.example.net"}, "the domainname www.example.net"),
        (DOMAIN, {"hostname": HOST}, f"the hostname {HOST}"),
        (SERVER, {"name": "db01.example.org", "label": "x"}, None),
        (SERVER, {"hostname": f" {HOST.upper()}. "}, None),
        (SERVER, {"hostname": "web01", "domain": "example.org"}, None),
        (SERVER, {"node": {"hostname": "kvm7"}}, None),
        (WEBHOSTING, {"domain": "srv7.example"}, None),
        (DOMAIN._replace(name="xn--mller-kva.example"), {"domain": "MÜLLER.example"}, None),
        # Another product or end user that is known.
        *((SERVER, {name: OTHER_PRODUCT.upper()}, OTHER_PRODUCT) for name in ("product", "product_uuid", "tariff")),
        (SERVER, {"product": {"id": OTHER_PRODUCT}}, OTHER_PRODUCT),
        (SERVER, {"product": f"/api/products/{OTHER_PRODUCT}"}, OTHER_PRODUCT),
        (WEBHOSTING, {"customer": OTHER_USER}, OTHER_USER),
        (OWN, {"customer": OTHER_USER}, OTHER_USER),
        (OWN, {"customer": A}, None),
        (SERVER, {"customer": A, "product": B}, None),
        (SERVER, {"product": {"id": PRODUCT}, "customer": END_USER}, None),
        # A state of what never became a contract.
        *((SERVER, {"status": each}, f"the status {each}") for each in ENDED),
        (SERVER, {"state": {"name": "Draft"}}, "the state Draft"),
        (SERVER, {"attributes": {"state": "draft"}}, "the state draft"),
        *((SERVER, {"status": each}, None) for each in ("installing", "pending", "paused", None, 3)),
    ],
)
def test_id_is_not_recorded_if_it_or_its_record_contradicts_what_was_sent(
    sent: SentOrder, record: dict[str, Any], refused: str | None
) -> None:
    body = {"id": "c-17", **record}
    for whole in (body, {"data": body}, {"contract": body}):
        found = read_receipt(whole, None, 201, sent)
        assert found.contract_id == (None if refused else "c-17")
        assert (refused or "") in (found.refused or "")


@pytest.mark.parametrize(
    ("record", "strange"), [({"hostname": "db01"}, True), ({"customer": OTHER_USER}, True), ({}, False)]
)
def test_record_of_another_order_is_strange_with_an_id_and_without(record: dict[str, Any], strange: bool) -> None:
    """Its L2VPN is not that of this order."""
    for more in ({"id": 17}, {}):
        assert read_receipt({"data": {**record, **more, "l2vpn": A}}, None, 201, SERVER).strange is strange


# Receipts


@pytest.mark.parametrize(
    ("sent", "body", "proves"),
    [
        (SERVER, {"id": 17, "name": HOST.upper()}, True),
        (SERVER, {"hostname": HOST}, False),
        (SERVER, {"id": 17, "template": "debian-12", "product": PRODUCT, "customer": END_USER}, False),
        # It stands in another record than the ID.
        (SERVER, {"contract": {"id": 17}, "hostname": HOST}, False),
        (SERVER, {"id": 17, "server": {"hostname": HOST}}, False),
        *((SERVER, {"id": 17, echo: {"hostname": HOST}}, False) for echo in ("request", "input", "params", "payload")),
        *((SERVER, {"id": 17, echo: HOST}, False) for echo in ("message", "detail", "input", "request")),
        (WEBHOSTING, {"id": 17, "product": PRODUCT, "customer": {"uuid": END_USER}}, True),
        (WEBHOSTING, {"id": 17, "settings": {"product": PRODUCT, "end_user": END_USER.upper()}}, True),
        (WEBHOSTING, {"id": 17, "product": PRODUCT}, False),
        (WEBHOSTING, {"id": 17, "customer": END_USER}, False),
        # A word of failure on the way to the record vetoes.
        (SERVER, {"response": {"code": 450, "data": {"id": 17, "hostname": HOST}}}, False),
        (SERVER, {"data": {"id": 17, "hostname": HOST, "errors": ["x"]}}, False),
        # What the record has as its own values, and what stands elsewhere, do not.
        (SERVER, {"data": {"id": 17, "hostname": HOST, "code": 450}}, True),
        (SERVER, {"id": 17, "hostname": HOST, "action": {"error": {"code": "x"}}}, True),
    ],
)
def test_receipt_shows_a_value_of_the_order_in_the_record_of_its_id(sent: SentOrder, body: Any, proves: bool) -> None:
    assert read_receipt(body, None, 200, sent).proves is proves


def test_location_proves_nothing_beside_what_may_be_an_echo() -> None:
    found = read_receipt({"hostname": HOST}, "/api/reseller/contracts/17", 200, SERVER)
    assert (found.contract_id, found.proves) == ("17", False)


PLACED = {"status": 200, "id": "answer.service_id"}


@pytest.mark.parametrize(
    ("body", "placed", "status", "contract_id", "proves"),
    [
        ({"answer": {"service_id": 17}}, PLACED, 200, "17", True),
        ({"Answer": [{"serviceId": "17"}]}, PLACED, 200, "17", True),
        ({"answer": {"service_id": 17}}, PLACED, 202, None, False),
        ({"answer": {}}, PLACED, 200, None, False),
        ({"answer": {"id": 17}}, PLACED, 200, "17", False),
        # It takes the place of the value alone.
        ({"answer": {"service_id": PRODUCT}}, PLACED, 200, None, False),
        ({"answer": {"service_id": 17, "hostname": "db01"}}, PLACED, 200, None, False),
        ({"answer": {"service_id": 17, "state": "draft"}}, PLACED, 200, None, False),
        ({"result": "error", "answer": {"service_id": 17}}, PLACED, 200, "17", False),
        ({"answer": {"service_id": "/api/jobs/17"}}, PLACED, 200, None, False),
        ({"orderId": 17}, {"status": 200, "id": "orderId"}, 200, None, False),
        ({"order": {"id": 17}}, {"status": 200, "id": "order.id"}, 200, None, False),
        ({"vertrag": "2026-17"}, {"status": 201, "id": "vertrag"}, 201, "2026-17", True),
    ],
)
def test_place_in_the_file_takes_the_place_of_the_value_of_the_order_alone(
    body: Any, placed: dict[str, Any], status: int, contract_id: str | None, proves: bool
) -> None:
    found = read_receipt(body, None, status, SERVER._replace(placed=placed))
    assert (found.contract_id, found.proves) == (contract_id, proves)


@pytest.mark.parametrize(
    ("body", "place"),
    [({"Data": {"@id": "/contracts/7"}}, "Data.@id"), ({"contract": [{"contractId": 7}]}, "contract.contractId")],
)
def test_place_of_an_id_is_written_as_the_answer_has_it(body: Any, place: str) -> None:
    found = read_receipt(body, None, 200, SERVER)
    assert (found.contract_id, found.place) == ("7", place)
    assert read_receipt(body, None, 200, SERVER._replace(placed={"status": 200, "id": place})).proves


# Words of failure


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        *(({name: "Sold out"}, True) for name in ("error", "errors", "fault", "exception", "error_code", "violations")),
        *(({"error": each}, True) for each in (True, ["x"], {"code": 0, "message": "x"}, 7)),
        *(({"errors": each}, False) for each in ([], {}, "", None, False, 0, "0", {"code": 0, "message": ""}, [None])),
        *(({name: False}, True) for name in ("success", "ok", "isSuccess")),
        *(({"success": each}, True) for each in ("false", 0, "0", "No")),
        *(({"success": each}, False) for each in (True, 1, "true", None, "")),
        *(({name: -1}, True) for name in ("code", "result", "status", "statusCode", "result_code")),
        *(({"code": each}, True) for each in (400, "404", 599, "-5", "error", "FAILED", "failure", "remote_fault")),
        *(
            ({"status": each}, True)
            for each in ("rejected", "declined", "not_available", "NotAvailable", "errorX Error")
        ),
        *(({"code": each}, False) for each in (0, 1, 200, 300, 366, 1000, 2302, 600, "ok", "SUCCESS", "", None, False)),
        *(({"status": each}, False) for each in ("zarejestrowano", "installing", "no_error", "No errors", True, [])),
        ({"status": "The request was declined because the customer has no valid contact"}, False),
        ({"status": {"code": 403, "text": "No"}}, True),
        ({"meta": {"status": "error"}}, True),
        ({"meta": {"status": "ok"}}, False),
    ],
)
def test_words_that_say_no_success(said: dict[str, Any], failed: bool) -> None:
    assert (request_failure(said) is not None) is failed
    assert (request_failure({"data": [said]}) is not None) is failed
    assert read_receipt({**said, "id": 7, "hostname": HOST}, None, 200, SERVER).proves is not failed


@pytest.mark.parametrize(
    ("body", "failed"),
    [
        ({"message": "Sold out"}, True),
        ({"data": {"message": "Sold out"}}, True),
        ({"message": "", "detail": None}, False),
        ({"message": "Thank you", "contract": {"state": "new"}}, False),
        ({"message": "Thank you", "hostname": HOST, "state": "queued"}, False),
        # An echo is no record.
        ({"message": "Sold out", "data": {"hostname": HOST, "template": "debian-12"}}, True),
    ],
)
def test_message_beside_no_record_says_that_there_is_none(body: Any, failed: bool) -> None:
    assert (read_receipt(body, None, 201, SERVER).failure is not None) is failed


@pytest.mark.parametrize(
    ("body", "failed"),
    [
        ({"message": "The key was deleted."}, False),
        ({"status": False, "message": "The contract cannot be cancelled."}, True),
        ({"data": {"result": False, "msg": "No"}}, True),
        ({"status": False}, False),
        ("error", False),
        (None, False),
    ],
)
def test_message_is_a_failure_of_another_request_beside_false_alone(body: Any, failed: bool) -> None:
    assert (request_failure(body) is not None) is failed


def test_failures_of_an_envelope_and_of_a_record_are_two() -> None:
    assert [*envelope_failure({"status": "draft"})] == []
    assert [*record_failure({"status": "draft", "code": 404})] == ["the status draft"]


# L2VPNs


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"l2vpn_id": A.upper()}, A),
        ({"l2vpn": {"id": 4, "uuid": A}}, A),
        ({"publicVlan": {"@id": f"/api/l2vpns/{A}"}}, A),
        ({"vlan": 4, "l2vpn": B}, B),
        ({"vlan": A, "l2vpn": B}, None),
        ({"settings": [{"key": "ram", "value": 4}, {"key": "l2vpn", "value": A}]}, A),
        ({"data": {"contract": {"settings": {"l2vpn": A}}}}, None),
        ({"contract": {"settings": {"existing_l2vpn": A}}}, A),
        ({"data": {"relationships": {"l2vpn": {"data": {"type": "l2vpns", "id": A}}}}}, A),
        ({"a": {"l2vpn": A}, "b": {"l2vpn": B}}, None),
        (None, None),
    ],
)
def test_l2vpn_id(body: Any, expected: str | None) -> None:
    assert l2vpn_id(body) == expected
