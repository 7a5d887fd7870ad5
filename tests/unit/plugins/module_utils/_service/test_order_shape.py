# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an order is written, as OpenAPI documents of many kinds tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
JSON = "application/json"
UUID = {"type": "string", "format": "uuid"}
USER_AND_PRODUCT = {"customer": TEXT, "product": TEXT}


def described(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def document(content: Mapping[str, Any], *, path: str = PATH, **top: Any) -> dict[str, Any]:
    """A document that publishes an order with these media types."""
    return {"openapi": "3.1.0", "paths": {path: {"post": {"requestBody": {"content": content}}}}, **top}


def taking(schema: Any, **top: Any) -> dict[str, Any]:
    return document({"application/json": {"schema": schema}}, **top)


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
FOR = {"customer": MENTIONED}
OF = {"product": TEXT}


@pytest.mark.parametrize(
    ("properties", "found"),
    [
        *(({name: TEXT, **OF}, (name, "product")) for name in END_USERS.split()),
        *(
            ({name: TEXT, **end_user}, ("customer", name))
            for name in PRODUCTS.split()
            for end_user in (FOR, {"customer": TEXT})
        ),
        # Types and values that cannot be meant
        ({"customer": TEXT, "user": {"type": "object"}, "item": {"type": "integer"}, **OF}, ("customer", "product")),
        ({"customer": TEXT, "user": {"type": "string", "readOnly": True}, **OF}, ("customer", "product")),
        ({"customer": TEXT, "user": {"type": "string", "maxLength": 20}, **OF}, ("customer", "product")),
        ({"customer": TEXT, "user": {"type": "string", "format": "email"}, **OF}, ("customer", "product")),
        ({"customer": {**MENTIONED, "format": "uuid"}, "user": MENTIONED, **OF}, ("customer  # or user", "product")),
        # The documented value against another name
        ({**FOR, "organization": TEXT, **OF}, ("customer", "product")),
        ({"a": {"oneOf": [{"format": "uuid"}, {"const": "__self__"}]}, "endUser": TEXT, **OF}, ("a", "product")),
        ({"x": {"type": "string", "pattern": "^(__self__|[0-9a-f-]{36})$"}, "user": MENTIONED, **OF}, ("x", "product")),
        ({"endUser": TEXT, "organization": MENTIONED, **OF}, ("endUser  # or organization", "product")),
        ({"x": {"example": "__self__"}, **OF}, ("x", "product")),
        ({"x": {"title": "`__self__` or a UUID"}, **OF}, ("x", "product")),
        ({"x": described(f"For example {KONFIGURATOR}"), **FOR}, ("customer", "x")),
        ({"x": {"example": KONFIGURATOR}, **OF, **FOR}, ("customer", "x")),
        # A mention that is about another element
        ({"end_user": TEXT, "hint": described("Not needed when end_user is __self__"), **OF}, ("end_user", "product")),
        # A free text, and an id, is never what remains
        ({"required": "a product", "a": TEXT, **OF}, ("NAME", "product")),
        ({"required": "ware", "ware": UUID, **FOR}, ("customer", "NAME")),
        # A synonym beside what may be an id, too, but for what is optional beside a required one
        ({"required": "client product note", "client": TEXT, "note": TEXT, **OF}, ("client", "product")),
        ({"account": described("To be billed"), "member": TEXT, **OF}, ("account  # or member", "product")),
        ({"customer": TEXT, "payer_id": TEXT, **OF}, ("customer  # or payer_id", "product")),
        ({"required": "customer product", "customer": TEXT, "payer_id": TEXT, **OF}, ("customer", "product")),
        ({"required": "a customer product", "a": UUID, "customer": TEXT, **OF}, ("customer  # or a", "product")),
        ({"product": UUID, "product_id": TEXT, "sku": TEXT, **FOR}, ("customer", "product  # or product_id")),
        ({"productId": TEXT, "product_note": TEXT, **FOR}, ("customer", "productId")),
        # Among equals a required one wins
        ({"required": "user product", "user": MENTIONED, "account": MENTIONED, **OF}, ("user", "product")),
        # One that fits both is neither
        ({"product": described("What is ordered", example="__self__"), "b": TEXT}, ("NAME", "NAME")),
    ],
)
def test_elements_of_the_end_user_and_the_product(properties: dict[str, Any], found: tuple[str, str]) -> None:
    elements = {**properties}
    assert names(taking(body(elements.pop("required", ""), **elements))) == found


def test_candidates_are_listed_with_their_descriptions_and_bounded() -> None:
    many = {f"x{number}": described("What it is " + "long " * 100) for number in range(100)}
    with pytest.raises(PublishedReferenceError) as caught:
        order_shape(taking(body("x0", **many)))
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
    published = taking(body(properties.pop("required", ""), **properties))
    assert names(published, *options) == found
    unknown = ("The OpenAPI document names no element kundin; order.end_user in the service's file still sends it.",)
    assert order_shape(published, *options).warnings == (unknown if "kundin" in found else ())


# What else an order needs

NOTED = body("note", note=TEXT)


def test_required_elements_that_the_user_must_give() -> None:
    vps = body(
        "endUser product settings costCentre state channel",
        **dict.fromkeys(("endUser", "product", "costCentre", "note"), TEXT),
        state={"type": "string", "readOnly": True},
        channel={"type": "string", "default": "api"},
    )
    shape = order_shape(taking(vps))
    assert (shape.required, shape.settings_required) == (("costCentre",), True)
    assert shape.elements == ("endUser", "product", "costCentre", "note", "channel", "settings")
    hosting = body("endUser product costCentre plesk", endUser=TEXT, product=TEXT, costCentre=TEXT, plesk=TEXT)
    shape = order_shape(taking({"oneOf": [vps, hosting]}))
    assert (shape.required, shape.settings_required) == (("costCentre",), False)
    assert "plesk" in shape.elements


@pytest.mark.parametrize("forms", [{"oneOf": [NOTED, {}]}, {"allOf": [{"anyOf": [{}, NOTED]}]}])
def test_element_of_some_forms_is_known_and_not_required(forms: dict[str, Any]) -> None:
    own = {"$ref": "#/components/schemas/Order"}
    base = body("customer product", **USER_AND_PRODUCT)
    components = {"schemas": {"Order": {**base, **forms}, "Noted": {"allOf": [own, NOTED]}, "Plain": {"allOf": [own]}}}
    shape = order_shape(taking(own, components=components))
    assert (shape.end_user_element, shape.product_element, shape.required) == ("customer", "product", ())
    assert "note" in shape.elements


# Where documents have the elements

ORDER = {"schema": body(**USER_AND_PRODUCT)}
SAMPLE = {"customer": "__self__", "product": KONFIGURATOR, "settings": {}}
RESOURCE = {"schema": {"properties": {"data": {"properties": {"type": TEXT, "attributes": ORDER["schema"]}}}}}
NODE: dict[str, Any] = {
    "properties": {**USER_AND_PRODUCT, "parent": {"$ref": "#/components/schemas/Node"}},
    "allOf": [{"$ref": "#/components/schemas/Node"}],
}
COMPONENTS = {
    "schemas": {"Ord/er ~x": ORDER["schema"], "Part": {"properties": {"customer": TEXT}}, "Node": NODE},
    "examples": {"One": {"value": {"x": "__self__", "y": KONFIGURATOR}}},
    "requestBodies": {"Order": {"content": {"a/b+json": ORDER}}},
}
BODY = {"in": "body", "schema": body(**USER_AND_PRODUCT)}


def swagger_2(parameter: Any, post: Mapping[str, Any] = {}, **top: Any) -> dict[str, Any]:
    paths = {"/reseller/contracts": {"post": {"parameters": [parameter], **post}}}
    return {"swagger": "2.0", "basePath": "/api", "paths": paths, **top}


SCHEMAS: list[Any] = [
    {"$ref": "#/components/schemas/Ord~1er%20~0x"},
    {"allOf": [{"$ref": "#/components/schemas/Part"}, {"properties": {"product": TEXT}}]},
    {"properties": {"customer": {"anyOf": [TEXT, {"type": "null"}]}, "product": {"type": ["string", "null"]}}},
    {"properties": {"customer": {"oneOf": [{"$ref": "#/components/schemas/Node"}, TEXT]}, "product": {}}},
    {"$ref": "#/components/schemas/Node"},
    {"type": "object", "example": SAMPLE},
]
REFERRED = document({}, components=COMPONENTS)
REFERRED["paths"][PATH]["post"]["requestBody"] = {"$ref": "#/components/requestBodies/Order"}
OTHERS = taking(body(a=TEXT, b=TEXT), path="/v2/api/reseller/contracts")["paths"]


@pytest.mark.parametrize(
    ("published", "media_type"),
    [
        *((taking(schema, components=COMPONENTS), JSON) for schema in SCHEMAS),
        (REFERRED, "a/b+json"),
        # The media type
        (document({"application/ld+json": ORDER, "application/json; charset=utf-8": ORDER}), JSON),
        (document({"application/vnd.portal+json": ORDER, "application/ld+json": ORDER}), "application/ld+json"),
        (document({"application/vnd.api+json": RESOURCE, "application/hal+json": ORDER}), "application/hal+json"),
        (document({"*/*": ORDER}), JSON),
        (document({f"a/{'b' * 100}+json": RESOURCE, "a/b+json": ORDER}), "a/b+json"),
        # OpenAPI 2.0
        (swagger_2({"$ref": "#/parameters/Order"}, parameters={"Order": BODY}), JSON),
        (swagger_2(BODY, consumes=["application/ld+json"]), "application/ld+json"),
        (swagger_2(BODY, {"consumes": ["application/vnd.x+json"]}, consumes=["a/b"]), "application/vnd.x+json"),
        # The exact path
        ({"paths": {**OTHERS, **document({JSON: ORDER})["paths"]}}, JSON),
    ],
)
def test_elements_and_media_type_of_a_document(published: dict[str, Any], media_type: str) -> None:
    shape = order_shape(published)
    assert (shape.end_user_element, shape.product_element, shape.media_type) == ("customer", "product", media_type)


@pytest.mark.parametrize(
    "media",
    [{"example": {"x": "__self__", "y": KONFIGURATOR}}, {"examples": {"a": {"$ref": "#/components/examples/One"}}}],
)
def test_examples_of_the_body_count(media: dict[str, Any]) -> None:
    published = document({JSON: {"schema": body(x=TEXT, y=TEXT), **media}}, components=COMPONENTS)
    assert names(published) == ("x", "y")


DEEP = {f"S{number}": {"$ref": f"#/components/schemas/S{number + 1}"} for number in range(10_000)}


@pytest.mark.parametrize(
    ("published", "reason"),
    [
        (taking({"$ref": "https://other.example/schemas.json#/Order"}), "names no elements"),
        (document({"application/vnd.api+json": ORDER}), "takes orders in JSON:API alone"),
        (taking({"$ref": "#/components/schemas/S0"}, components={"schemas": DEEP}), "too deeply composed"),
        ({"paths": {}}, "does not describe POST /api/reseller/contracts"),
        ({"paths": {f"/{place}/reseller/contracts": {"post": {}} for place in "ab"}}, "does not describe POST"),
    ],
)
def test_document_without_the_elements_is_an_error(published: dict[str, Any], reason: str) -> None:
    with pytest.raises(PublishedReferenceError, match=reason):
        order_shape(published)
    assert names(published, "a", "b") == ("a", "b")


def test_work_is_bounded_for_a_document() -> None:
    """Each schema holds the one below twice: a small document that is long to look at."""
    nested: dict[str, Any] = {f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 2} for n in range(8)}
    nested["S8"] = {"properties": {"name": TEXT}}
    document = OpenApiDocument("", {"components": {"schemas": nested}}, work=50_000)
    schema = {"$ref": "#/components/schemas/S0"}
    assert [element.name for element in elements_of(document, schema)] == ["name"]
    with pytest.raises(PublishedReferenceError, match="too many or too deeply composed"):
        [elements_of(document, schema) for _look in range(10)]


def test_values_of_an_element_are_bounded() -> None:
    """A small document can show one large value often."""
    parts = {"a": {"allOf": [{"$ref": "#/components/schemas/Large"}] * 1000}}
    large = {"default": "x" * 1000, "enum": ["x"] * 1000, "examples": ["x"] * 1000}
    document = OpenApiDocument("", {"components": {"schemas": {"Large": large}}}, work=10**8)
    (element,) = elements_of(document, {"properties": parts})
    assert len(element.values) <= 20 * 20 + 40


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
    document = taking(schema, components={"schemas": {"A": component}})
    document["paths"]["/reseller/contracts/"] = {"post": operation, "parameters": schema}
    document["paths"][PATH]["parameters"] = operation
    document["paths"][PATH]["post"]["parameters"] = component
    for candidate in (document, {**document, **top}, {**top, "paths": {PATH: {"post": top}}}):
        for operation in OpenApiDocument("", candidate).operations:
            operation.path.encode()
            assert (operation.query_parameters, operation.body, operation.successes) is not None
        try:
            shape = order_shape(candidate)
        except ResellerError as error:
            error.message.encode()
        else:
            assert shape.end_user_element != shape.product_element
