# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an order is written, as OpenAPI documents of many kinds tell it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    PublishedReferenceError,
    ResellerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.openapi_document import OpenApiDocument
from ansible_collections.hosting.reseller.plugins.module_utils._service.order_shape import (
    OrderShape,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.order_shape import order_shape as shape_of
from ansible_collections.hosting.reseller.plugins.module_utils._service.schemas import elements_of
from tests.support.json_values import json_values

PATH = "/api/reseller/contracts"
KONFIGURATOR = "fb8663c7-70b6-4d81-9750-c0d2b5697107"
TEXT = {"type": "string"}
SETTINGS = {"type": "object", "additionalProperties": True}
UUID = {"type": "string", "format": "uuid"}
USER_AND_PRODUCT = {"customer": TEXT, "product": TEXT}


def described(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def reference(
    schema: Any, *, path: str = PATH, media_type: str = "application/json", media: Any = None, **top: Any
) -> dict[str, Any]:
    content = {media_type: {"schema": schema, **(media or {})}}
    return {"openapi": "3.1.0", "paths": {path: {"post": {"requestBody": {"content": content}}}}, **top}


def body(required: str = "", /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {**properties, "settings": SETTINGS}, "required": required.split()}


def order_shape(document: dict[str, Any], *options: str | None) -> OrderShape:
    return shape_of(OpenApiDocument("", document), *options)


def names(document: dict[str, Any], *options: str | None) -> tuple[str, ...]:
    """Both names, or what the error suggests to set instead."""
    try:
        shape = order_shape(document, *options)
    except PublishedReferenceError as error:
        message = error.message.replace("  # no element was identified", "")
        return tuple(re.findall(r"\n    (?:end_user|product): (.*)", message))
    return shape.end_user_element, shape.product_element


# Names

END_USERS = (
    "endUser end-user enduser_id endUserUUID enduserid customer CustomerUUID clientRef for forUser onBehalfOf "
    "targetUser organization_user_id idUser endkunde"
)
PRODUCTS = "product product_uuid productid id_product orderedProduct itemId sku target_product"


MENTIONED = described("UUID or `__self__`")


@pytest.mark.parametrize(
    ("properties", "end_user"),
    [
        *(({name: TEXT}, name) for name in END_USERS.split()),
        # Types and values that cannot be meant
        ({"customer": TEXT, "user": {"type": "object"}, "item": {"type": "integer"}}, "customer"),
        ({"customer": TEXT, "user": {"type": "string", "readOnly": True}}, "customer"),
        ({"customer": TEXT, "user": {"type": "string", "maxLength": 20}}, "customer"),
        ({"customer": {**MENTIONED, "format": "uuid"}, "user": MENTIONED}, "customer  # or user"),
        # The documented value against another name
        ({"customer": MENTIONED, "organization": TEXT}, "customer"),
        ({"customer": {"oneOf": [{"format": "uuid"}, {"const": "__self__"}]}, "endUser": TEXT}, "customer"),
        ({"x": {"type": "string", "pattern": "^(__self__|[0-9a-f-]{36})$"}, "user": MENTIONED}, "x"),
        ({"endUser": TEXT, "organization": MENTIONED}, "endUser  # or organization"),
        # A mention that is about another element
        ({"end_user": TEXT, "hint": described("Not needed when end_user is __self__")}, "end_user"),
        # A free text is never what remains
        ({"required": "a product", "a": TEXT}, "NAME"),
        # A synonym beside what may be an id, too, but for what is optional beside a required one
        ({"required": "client product note", "client": TEXT, "note": TEXT}, "client"),
        ({"account": described("Account to be billed"), "member": TEXT}, "account  # or member"),
        ({"customer": TEXT, "payer_id": TEXT}, "customer  # or payer_id"),
        ({"required": "customer product", "customer": TEXT, "payer_id": TEXT}, "customer"),
        # What merely remains
        ({"required": "a customer product", "a": UUID, "customer": TEXT}, "customer  # or a"),
        # Among equals a required one wins
        ({"required": "user product", "user": MENTIONED, "account": MENTIONED}, "user"),
        # What the values show, not the names
        ({"x": {"example": "__self__"}}, "x"),
    ],
)
def test_element_of_the_end_user(properties: dict[str, Any], end_user: str) -> None:
    required = properties.pop("required", "")
    assert names(reference(body(required, **properties, product=TEXT))) == (end_user, "product")


@pytest.mark.parametrize(
    ("properties", "product"),
    [
        *(({name: TEXT}, name) for name in PRODUCTS.split()),
        ({"x": described(f"For example {KONFIGURATOR}")}, "x"),
        ({"x": {"example": KONFIGURATOR}, "product": TEXT}, "x"),
        ({"product": {**TEXT, "format": "uuid"}, "product_id": TEXT, "sku": TEXT}, "product  # or product_id"),
        ({"productId": TEXT, "product_note": TEXT}, "productId"),
        ({"required": "ware", "ware": UUID}, "NAME"),
    ],
)
def test_element_of_the_product(properties: dict[str, Any], product: str) -> None:
    required = properties.pop("required", "")
    for customer in (MENTIONED, TEXT) if properties.get(product) == TEXT else (MENTIONED,):
        assert names(reference(body(required, customer=customer, **properties))) == ("customer", product)


def test_element_that_fits_both_is_neither() -> None:
    schema = body(product=described("What is ordered", example="__self__"), b=TEXT)
    assert names(reference(schema)) == ("NAME", "NAME")


def test_candidates_are_listed_with_their_descriptions_and_bounded() -> None:
    many = {f"x{number}": described("What it is " + "long " * 100) for number in range(100)}
    with pytest.raises(PublishedReferenceError) as caught:
        order_shape(reference(body("x0", **many)))
    assert "\n  - x0 (string, required): What it is long" in caught.value.message
    assert "and 76 more" in caught.value.message
    assert len(caught.value.message) < 20_000


@pytest.mark.parametrize(
    ("properties", "options", "found"),
    [
        ({"a": TEXT, "b": TEXT}, ("a", "b"), ("a", "b")),
        ({"user": TEXT, "organization": TEXT, "product": TEXT}, ("organization", None), ("organization", "product")),
        (USER_AND_PRODUCT, ("kundin", None), ("kundin", "product")),
    ],
)
def test_options_win(properties: dict[str, Any], options: tuple[str | None, ...], found: tuple[str, str]) -> None:
    document = reference(body(properties.pop("required", ""), **properties))
    assert names(document, *options) == found
    unknown = ("The OpenAPI document names no element kundin; order.end_user in the service's file still sends it.",)
    assert order_shape(document, *options).warnings == (unknown if "kundin" in found else ())


# What else an order needs


def test_required_elements_that_the_user_must_give() -> None:
    vps = body(
        "endUser product settings costCentre state channel",
        **dict.fromkeys(("endUser", "product", "costCentre", "note"), TEXT),
        state={"type": "string", "readOnly": True},
        channel={"type": "string", "default": "api"},
    )
    shape = order_shape(reference(vps))
    assert (shape.required, shape.settings_required) == (("costCentre",), True)
    assert shape.elements == ("endUser", "product", "costCentre", "note", "channel", "settings")
    hosting = body("endUser product costCentre plesk", endUser=TEXT, product=TEXT, costCentre=TEXT, plesk=TEXT)
    shape = order_shape(reference({"oneOf": [vps, hosting]}))
    assert (shape.required, shape.settings_required) == (("costCentre",), False)
    assert "plesk" in shape.elements


BASE = body("customer product", **USER_AND_PRODUCT)
NOTED = body("note", note=TEXT)


@pytest.mark.parametrize(
    "forms",
    [
        {"oneOf": [NOTED, {}]},
        {"allOf": [{"anyOf": [{}, NOTED]}]},
    ],
)
def test_element_of_some_forms_is_known_and_not_required(forms: dict[str, Any]) -> None:
    own = {"$ref": "#/components/schemas/Order"}
    components = {"schemas": {"Order": {**BASE, **forms}, "Noted": {"allOf": [own, NOTED]}, "Plain": {"allOf": [own]}}}
    shape = order_shape(reference(own, components=components))
    assert (shape.end_user_element, shape.product_element, shape.required) == ("customer", "product", ())
    assert "note" in shape.elements


ORDER = {"schema": body(**USER_AND_PRODUCT)}
RESOURCE = {"schema": {"properties": {"data": {"properties": {"type": TEXT, "attributes": ORDER["schema"]}}}}}


@pytest.mark.parametrize(
    ("content", "chosen"),
    [
        ({"application/ld+json": ORDER, "application/json; charset=utf-8": ORDER}, "application/json"),
        ({"application/vnd.portal+json": ORDER, "application/ld+json": ORDER}, "application/ld+json"),
        ({"application/vnd.api+json": RESOURCE, "application/hal+json": ORDER}, "application/hal+json"),
    ],
)
def test_media_type(content: dict[str, Any], chosen: str) -> None:
    document = reference({})
    document["paths"][PATH]["post"]["requestBody"]["content"] = content
    assert order_shape(document).media_type == chosen


# Schemas

NODE: dict[str, Any] = {
    "properties": {**USER_AND_PRODUCT, "parent": {"$ref": "#/components/schemas/Node"}},
    "allOf": [{"$ref": "#/components/schemas/Node"}],
}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Ord~1er%20~0x"},
        {"allOf": [{"$ref": "#/components/schemas/Part"}, {"properties": {"product": TEXT}}]},
        {"properties": {"customer": {"anyOf": [TEXT, {"type": "null"}]}, "product": {"type": ["string", "null"]}}},
        {"properties": {"customer": {"oneOf": [{"$ref": "#/components/schemas/Node"}, TEXT]}, "product": {}}},
        {"$ref": "#/components/schemas/Node"},
        {"type": "object", "example": {"customer": "__self__", "product": KONFIGURATOR, "settings": {}}},
    ],
)
def test_schemas_are_resolved(schema: Any) -> None:
    schemas = {"Ord/er ~x": ORDER["schema"], "Part": {"properties": {"customer": TEXT}}, "Node": NODE}
    assert names(reference(schema, components={"schemas": schemas})) == ("customer", "product")


def test_examples_and_references_of_the_body_count() -> None:
    sample = {"x": "__self__", "y": KONFIGURATOR}
    components = {"examples": {"One": {"value": sample}}, "requestBodies": {"Order": {"content": {"a/b+json": ORDER}}}}
    for media in ({"example": sample}, {"examples": {"one": {"$ref": "#/components/examples/One"}}}):
        assert names(reference(body(x=TEXT, y=TEXT), media=media, components=components)) == ("x", "y")
    document = reference({}, components=components)
    document["paths"][PATH]["post"]["requestBody"] = {"$ref": "#/components/requestBodies/Order"}
    assert names(document) == ("customer", "product")


DEEP = {f"S{number}": {"$ref": f"#/components/schemas/S{number + 1}"} for number in range(10_000)}


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (reference({"$ref": "https://other.example/schemas.json#/Order"}), "names no elements"),
        (reference({}, media_type="application/vnd.api+json", media=ORDER), "takes orders in JSON:API alone"),
        (reference({"$ref": "#/components/schemas/S0"}, components={"schemas": DEEP}), "too deeply composed"),
        ({"paths": {}}, "does not describe POST /api/reseller/contracts"),
        ({"paths": {f"/{each}/reseller/contracts": {"post": {}} for each in "ab"}}, "does not describe POST"),
    ],
)
def test_document_without_the_elements_is_an_error(document: dict[str, Any], reason: str) -> None:
    with pytest.raises(PublishedReferenceError, match=reason):
        order_shape(document)
    assert names(document, "a", "b") == ("a", "b")


def test_work_is_bounded_for_a_document() -> None:
    """Each schema holds the one below twice: a small document that is long to look at."""
    nested: dict[str, Any] = {f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 2} for n in range(8)}
    document = OpenApiDocument(
        "", {"components": {"schemas": {**nested, "S8": {"properties": {"name": TEXT}}}}}, work=50_000
    )
    schema = {"$ref": "#/components/schemas/S0"}
    assert [element.name for element in elements_of(document, schema)] == ["name"]
    with pytest.raises(PublishedReferenceError, match="too many or too deeply composed"):
        [elements_of(document, schema) for _look in range(10)]


IN_BODY = {"in": "body", "schema": body(**USER_AND_PRODUCT)}


@pytest.mark.parametrize(
    ("parameters", "top", "media_type"),
    [
        ([{"$ref": "#/parameters/Order"}], {"parameters": {"Order": IN_BODY}}, "application/json"),
        ([IN_BODY], {"consumes": ["application/ld+json"]}, "application/ld+json"),
        ([IN_BODY], {"consumes": ["a/b"], "post": {"consumes": ["application/vnd.x+json"]}}, "application/vnd.x+json"),
    ],
)
def test_swagger_2(parameters: list[Any], top: dict[str, Any], media_type: str) -> None:
    post = {"parameters": parameters, **top.get("post", {})}
    document = {"swagger": "2.0", "basePath": "/api", "paths": {"/reseller/contracts": {"post": post}}, **top}
    assert names(document) == ("customer", "product")
    assert order_shape(document).media_type == media_type


# The operation


def test_exact_operation_is_preferred() -> None:
    document = reference(body(a=TEXT, b=TEXT), path="/v2/api/reseller/contracts")
    document["paths"] |= reference(ORDER["schema"])["paths"]
    document["paths"] |= reference(body(c=TEXT), path="/old/reseller/contracts")["paths"]
    assert names(document) == ("customer", "product")


# Anything at all

NAMES = """
    $ref allOf oneOf anyOf properties required type items enum const example examples description title readOnly
    default format pattern maxLength additionalProperties parameters in name schema content application/json
    requestBody post paths servers url variables basePath consumes openapi swagger customer product settings
"""
VALUES = ("#", "#/paths", "#/components/schemas/A", "string", "object", "__self__", "body", PATH, KONFIGURATOR)
TREES = json_values(NAMES, *VALUES)
TOPS = st.dictionaries(st.sampled_from(NAMES.split()), TREES, max_size=4)


@pytest.mark.full
@given(schema=TREES, component=TREES, operation=TREES, top=TOPS)
def test_any_document_gives_a_shape_or_a_typed_error(schema: Any, component: Any, operation: Any, top: Any) -> None:
    document = reference(schema, components={"schemas": {"A": component}})
    document["paths"]["/reseller/contracts/"] = {"post": operation, "parameters": schema}
    document["paths"][PATH]["parameters"] = operation
    document["paths"][PATH]["post"]["parameters"] = component
    for candidate in (document, {**document, **top}, {**top, "paths": {PATH: {"post": top}}}):
        for listed in OpenApiDocument("", candidate).operations:
            listed.path.encode()
            assert (listed.query_parameters, listed.body, listed.successes) is not None
        try:
            shape = order_shape(candidate)
        except ResellerError as error:
            error.message.encode()
        else:
            assert shape.end_user_element != shape.product_element
