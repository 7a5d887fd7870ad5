# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given

from ansible_collections.hosting.reseller.plugins.module_utils._catalogue.catalogue import (
    Catalogue,
    catalogue_of,
    known_ids,
    product_of,
    read_catalogue,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ServiceError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import DOCUMENTED_PRODUCTS
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.vps import VPS
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, EndUser, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.service import Service
from playbooks.files.simulator.http_server import Received, Reply, ScriptedServer
from tests.support.json_values import json_values

PATH = "/api/reseller/products"
KEY = "k3y-of-the-test"


def uuid_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def product(number: int, **more: Any) -> dict[str, Any]:
    return {"id": uuid_of(number), "name": f"Product {number}", "options": [], **more}


def read(*pages: Any, description: Description | None = None) -> Catalogue:
    """The catalogue of a service that gives these bodies for page 1, 2 and so on, and an empty one after them."""

    def script(request: Received) -> Reply:
        assert request.path == PATH
        assert request.headers["X-API-Key"] == KEY
        number = int(request.query.get("page", 1))
        page = pages[number - 1] if number <= len(pages) else []
        return page if isinstance(page, Reply) else Reply(page)

    no_document = Description("/etc/service.yml", {"openapi_url": Field(None, "file")})
    described = (description or Description()).with_learned(no_document.fields)
    with (
        ScriptedServer(script) as server,
        closing(Service(ServiceConfig(server.url, KEY, "org-1"), described)) as service,
    ):
        return read_catalogue(service)


def ids(catalogue: Catalogue) -> list[str]:
    return [each.id for each in catalogue.products]


ONE, TWO = product(1), product(2)
BOTH = [uuid_of(1), uuid_of(2)]
RECORDS = [ONE, TWO]


def test_product_is_listed_once_whatever_the_case_of_its_id() -> None:
    catalogue = read([*RECORDS, {**ONE, "id": uuid_of(1).upper()}])
    assert ids(catalogue) == BOTH
    assert [each.name for each in catalogue.products] == ["Product 1", "Product 2"]
    assert [each.options() for each in catalogue.products] == [[], []]
    assert catalogue.warnings == []


@pytest.mark.parametrize(
    ("record", "product_id", "name"),
    [
        ({"uuid": uuid_of(1), "title": "T"}, uuid_of(1), "T"),
        ({"id": 17, "uuid": uuid_of(1), "name": "N", "slug": "s"}, uuid_of(1), "N"),
        ({"@id": f"/api/products/{uuid_of(1)}", "@type": "Product", "label": "L"}, uuid_of(1), "L"),
        ({"@id": "/.well-known/genid/7", "product_id": uuid_of(1), "display_name": "D"}, uuid_of(1), "D"),
        ({"identifier": uuid_of(1), "name": {"de": "Deutsch", "en": "English"}}, uuid_of(1), "Deutsch"),
        ({"id": uuid_of(1), "options": []}, uuid_of(1), None),
        ({"id": 17, "name": "N"}, "17", "N"),
    ],
)
def test_id_and_name_by_their_usual_keys(record: dict[str, Any], product_id: str, name: str | None) -> None:
    catalogue = read([record])
    assert [(each.id, each.name, each.raw) for each in catalogue.products] == [(product_id, name, record)]
    assert not catalogue.warnings


@pytest.mark.parametrize("name", ["productCode", "sku", "offerId", "plan_id"])
def test_id_is_known_by_the_name_of_the_element_of_the_order(name: str) -> None:
    records = [{name: uuid_of(1), "id": 17, "name": "N", "options": []}]
    assert ids(read(records)) == ["17"]
    assert ids(read(records, description=described(**{"order.product": name}))) == [uuid_of(1)]


def test_description_gives_the_places_of_products() -> None:
    record = {"offer": {"code": "vps-m", "texts": [{"key": "de", "value": "VPS M"}]}, "form": {"hostname": "required"}}
    places = {"records": "offers.open", "id": "offer.code", "name": "offer.texts.de", "options": "form"}
    description = described(**{f"products.{name}": place for name, place in places.items()})
    (found,) = read({"offers": {"open": [record], "closed": [ONE]}}, description=description).products
    assert (found.id, found.name, [each.name for each in found.options() or ()]) == ("vps-m", "VPS M", ["hostname"])


def described(**fields: str) -> Description:
    return Description(fields={name: Field(value, "file") for name, value in fields.items()})


def test_catalogue_that_is_not_read_completely_says_so() -> None:
    catalogue = read({"items": RECORDS, "total": 100}, {"items": RECORDS})
    assert ids(catalogue) == BOTH
    assert [warning.partition(":")[0] for warning in catalogue.warnings] == [
        "Not all products of the catalogue were read"
    ]
    with pytest.raises(ServiceError, match="may not be whole"):
        catalogue.find("Product 77")


def test_an_answer_that_is_not_recognised_is_told_by_its_shape() -> None:
    for body in ({"status": "ok", "token": "s3cret"}, [{"status": "s3cret", "prices": []}], None):
        with pytest.raises(ServiceError, match="null" if body is None else "status: a string") as caught:
            read(json.dumps(body).encode())
        assert "s3cret" not in caught.value.message


def test_records_without_an_id_are_reported() -> None:
    catalogue = read([ONE, {"name": "No id", "options": []}, 17])
    assert ids(catalogue) == BOTH[:1]
    assert "2 records" in catalogue.warnings[0]
    assert "name: a string" in catalogue.warnings[0]


DOMAIN = {"id": "0d6d810e-DEC2-4a06-8fe5-7d7698d97ae6", "name": "domain-default", "title": "Domain"}
FIVE = [product(1), product(2, name="VPS S", slug="vps-s"), *(product(each, name="VPS M") for each in (3, 4)), DOMAIN]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (uuid_of(2), "VPS S"),
        ("0D6D810E-dec2-4a06-8fe5-7d7698d97ae6", "domain-default"),
        ("VPS S", "VPS S"),
        ("vps-s", "VPS S"),
        ("Domain", "domain-default"),
        ("VPS s", ["'VPS S'"]),
        (uuid_of(2).replace("2", "7"), ["no product with the UUID", uuid_of(2)]),
        ("VPS M", [f"{uuid_of(3)}, {uuid_of(4)}"]),
        ("zzzzzz", ["among its 5 products", "reseller_products_info"]),
    ],
)
def test_product_is_found_by_uuid_in_any_case_or_exact_name(wanted: str, found: str | list[str]) -> None:
    catalogue = Catalogue([each for each in map(product_of, FIVE) if each])
    if isinstance(found, str):
        assert catalogue.find(wanted).name == found
        return
    with pytest.raises(ServiceError) as caught:
        catalogue.find(wanted)
    assert all(word in caught.value.message for word in found)
    with pytest.raises(ServiceError, match="organization_id"):
        read([]).find(wanted)


def test_options_and_product_type() -> None:
    catalogue = read(
        [
            product(1, options={"hostname": "required|string", "template": "required"}),
            product(2, options="something else"),
            {"id": uuid_of(3), "name": "Product 3"},
            product(4, options=None),
            {"id": DOCUMENTED_PRODUCTS[0], "name": "Documented", "options": {"hostname": {"max": 9}}},
        ]
    )
    listed = [each.options() for each in catalogue.products]
    options = [each and [option.name for option in each] for each in listed]
    assert options == [["hostname", "template"], None, None, [], ["hostname"]]
    assert catalogue.products[0].options() is catalogue.products[0].options(VPS) is listed[0], "read once"
    kinds = [each.product_type and each.product_type.name for each in catalogue.products]
    assert kinds == ["vps", None, None, "webhosting", "configurable_vps"]


def test_prices_are_those_of_the_record() -> None:
    (found,) = read([{**ONE, "setupFee": 5, "price": 3, "currency": "EUR", "vat_price": None}]).products
    assert found.prices == {"setupFee": 5, "price": 3, "currency": "EUR"}


def test_os_templates_are_sorted_and_unique() -> None:
    listed = [{"name": "template", "values": ["debian-12", "alma-9"]}, {"name": "edition", "values": ["other"]}]
    mapped = {"template_name": {"type": "select", "options": {"ubuntu-24": "Ubuntu", "debian-12": "D"}}}
    catalogue = read([product(1, options=listed), product(2, options=mapped), product(3, options="unknown")])
    assert catalogue.os_templates() == ["alma-9", "debian-12", "ubuntu-24"]


BODIES = json_values("id uuid @id name options data items product attributes", *BOTH)


@given(BODIES)
def test_what_is_found_in_any_answer_is_a_product(body: Any) -> None:
    records = body if isinstance(body, list) else [body]
    catalogue = Catalogue([each for raw in records if (each := product_of(raw)) is not None])
    assert all(isinstance(each.id, str) and each.id for each in catalogue.products)
    assert all(isinstance(name, str) for name in catalogue.os_templates())


def test_known_ids_are_those_of_the_file_and_of_the_catalogue_once_it_was_read() -> None:
    product, end_user = "43444cec-30eb-4f99-a44d-4e7c1373723d", "d19f51a8-e747-452b-89a9-286bfa544c77"
    described = Description(end_users={"customer": EndUser("customer", end_user)})
    with ScriptedServer(lambda _request: Reply([{"id": product, "name": "VPS M", "options": []}])) as server:
        service = Service(ServiceConfig(server.url, "key-0123456789", "4200"), described)
        assert known_ids(service) == {end_user}
        assert server.requests == []
        catalogue_of(service)
        assert known_ids(service) == {end_user, product}
        service.close()
