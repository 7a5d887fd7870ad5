# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an order is written, as OpenAPI documents of many kinds tell it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    PublishedReferenceError,
    ResellerError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._reference.order_shape import OrderShape
from ansible_collections.hosting.reseller.plugins.module_utils._reference.published import PublishedOperations
from ansible_collections.hosting.reseller.plugins.module_utils._reference.shape_reader import order_shape

PATH = "/api/reseller/contracts"
KONFIGURATOR = "fb8663c7-70b6-4d81-9750-c0d2b5697107"
OTHER_UUID = "7f1de6e2-1c52-4f3d-9d5e-3d6a5a0a7d11"
TEXT = {"type": "string"}
SETTINGS = {"type": "object", "additionalProperties": True}


def described(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def reference(
    schema: Any, *, path: str = PATH, media_type: str = "application/json", media: Any = None, **top: Any
) -> dict[str, Any]:
    content = {media_type: {"schema": schema, **(media or {})}}
    return {"openapi": "3.1.0", "paths": {path: {"post": {"requestBody": {"content": content}}}}, **top}


def body(required: list[str] | None = None, /, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {**properties, "settings": SETTINGS}}
    return schema if required is None else {**schema, "required": required}


def names(schema: Any, **more: Any) -> tuple[str, str]:
    shape = order_shape(reference(schema, **more))
    return shape.end_user_element, shape.product_element


# Names


END_USERS = (
    "endUser end-user enduser_id endUserUUID enduserid customer CustomerUUID clientRef for forUser onBehalfOf "
    "targetUser organization_user_id idUser endkunde"
)
PRODUCTS = "product product_uuid productid id_product orderedProduct itemId sku target_product"


@pytest.mark.parametrize(
    ("end_user", "product"),
    [*((name, "product") for name in END_USERS.split()), *(("customer", name) for name in PRODUCTS.split())],
)
def test_plain_names(end_user: str, product: str) -> None:
    assert names(body(**{end_user: TEXT, product: TEXT})) == (end_user, product)


@pytest.mark.parametrize(
    "properties",
    [
        # Types and values that cannot be meant
        {"customer": TEXT, "product": TEXT, "user": {"type": "object"}, "item": {"type": "integer"}},
        {"customer": TEXT, "product": TEXT, "account": {"type": "string", "enum": ["live", "test"]}},
        {"customer": TEXT, "product": TEXT, "user": {"type": "string", "readOnly": True}},
        # An IRI is none of the document's values; among equals a required one wins
        {
            "customer": {**described("`__self__`"), "format": "uuid"},
            "user": {**described("`__self__`"), "format": "iri-reference"},
            "product": TEXT,
        },
        # The documented value against another name
        {"customer": described("UUID or `__self__`"), "organization": TEXT, "product": TEXT},
        {"customer": {"oneOf": [{"format": "uuid"}, {"const": "__self__"}]}, "user": TEXT, "product": TEXT},
        {"customer": {"type": "string", "pattern": "^(__self__|[0-9a-f-]{36})$"}, "user": TEXT, "product": TEXT},
        # A mention beside the name that it is about
        {"customer": described("The end-user or `__self__`"), "hint": described("Unless `__self__`"), "product": TEXT},
        {"customer": TEXT, "product": TEXT, "product_id": described("x", example="x"), "sku": TEXT}
        | {"product": {"type": "string", "format": "uuid"}},
    ],
)
def test_one_element_is_clear_beside_others(properties: dict[str, Any]) -> None:
    assert names(body(**properties)) == ("customer", "product")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (described("Use __self__ for yourself"), described(f"For example {KONFIGURATOR}")),
        ({"example": "__self__"}, {"example": KONFIGURATOR}),
        ({"$ref": "#/components/schemas/User"}, {"allOf": [{"$ref": "#/components/schemas/Product"}]}),
    ],
)
def test_descriptions_and_values_tell_what_names_do_not(first: Any, second: Any) -> None:
    schemas = {"User": described("`__self__`"), "Product": described(f"Such as {KONFIGURATOR}")}
    assert names(body(x=first, y=second), components={"schemas": schemas}) == ("x", "y")


@pytest.mark.parametrize(
    ("description", "found"),
    [
        ("Orders a product. `x` takes the UUID of an end user or `__self__`.", True),
        (f"`x`: `__self__`; `y` is for example {KONFIGURATOR}.", True),
        ("Set `x` to `__self__` to order a product for yourself.", True),
        ("An order for `__self__` needs an `x` and a `note`.", False),
        ("`x` is required. The value `__self__` means your own organization.", False),
    ],
)
def test_description_of_the_operation_tells_an_element(description: str, found: bool) -> None:
    document = reference(body(x=TEXT, product=TEXT, note=TEXT))
    document["paths"][PATH]["post"]["description"] = description
    if found:
        assert order_shape(document).end_user_element == "x"
    else:
        with pytest.raises(PublishedReferenceError, match="end_user_element: NAME  # no element was identified"):
            order_shape(document)


@pytest.mark.parametrize(
    ("properties", "end_user", "product"),
    [
        ({"a": TEXT, "b": TEXT}, "NAME", "NAME"),
        # A word that is used for the same beside anything else that could carry the role
        ({"customer": TEXT, "note": TEXT, "product": TEXT}, "customer  # or note", "product"),
        (
            {"account": described("Account to be billed"), "member": described("Sales person"), "product": TEXT},
            "account  # or member",
            "product",
        ),
        # Never by exclusion
        ({"a": TEXT, "product": TEXT}, "NAME", "product"),
        # The specification's own word against its value
        (
            {"endUser": TEXT, "organization": described("A UUID or `__self__`"), "product": TEXT},
            "endUser  # or organization",
            "product",
        ),
        # Both fit one
        ({"product": described("What is ordered", example="__self__"), "b": TEXT}, "NAME", "NAME"),
        ({"customer": {"type": ["object", "null"]}, "product": TEXT}, "NAME", "product"),
    ],
)
def test_what_is_not_clear_is_asked_from_the_user(properties: dict[str, Any], end_user: str, product: str) -> None:
    with pytest.raises(PublishedReferenceError) as caught:
        names(body(**properties))
    message = caught.value.message.replace("NAME  # no element was identified", "NAME")
    assert f"\n  end_user_element: {end_user}\n  product_element: {product}\n" in message
    for name in properties:
        assert f"\n  - {name}" in message


def test_similar_word_of_a_required_element_beside_optional_ones() -> None:
    schema = body(["customer", "product"], customer=TEXT, product=TEXT, comment=TEXT)
    assert names(schema) == ("customer", "product")
    for required in ([], ["product"], ["customer", "product", "comment"]):
        with pytest.raises(PublishedReferenceError, match="end_user_element: customer  # or comment"):
            names({**schema, "required": required})


def test_candidates_are_listed_with_their_descriptions_and_bounded() -> None:
    many = {f"x{number}": described("What it is " + "long " * 100) for number in range(100)}
    with pytest.raises(PublishedReferenceError) as caught:
        names(body(["x0"], **many))
    assert "x0 (string, required): What it is long" in caught.value.message
    assert "and 76 more" in caught.value.message
    assert len(caught.value.message) < 20_000


# What the user says


@pytest.mark.parametrize(
    ("properties", "given", "found"),
    [
        ({"a": TEXT, "b": TEXT}, ("a", "b"), ("a", "b")),
        ({"user": TEXT, "organization": TEXT, "product": TEXT}, ("organization", None), ("organization", "product")),
        ({"user": TEXT, "product": TEXT, "plan": TEXT}, (None, "plan"), ("user", "plan")),
        ({"customer": TEXT, "product": TEXT}, ("kundin", None), ("kundin", "product")),
    ],
)
def test_options_win(properties: dict[str, Any], given: tuple[str | None, ...], found: tuple[str, str]) -> None:
    shape = order_shape(reference(body(**properties)), *given)
    assert (shape.end_user_element, shape.product_element) == found
    unknown = ("The published reference names no element kundin; end_user_element still sends it.",)
    assert shape.warnings == (unknown if "kundin" in found else ())


def test_both_options_need_no_operation() -> None:
    assert order_shape({"openapi": "3.0.0", "paths": {}}, "a", "b") == OrderShape("a", "b")


# What else an order needs


def test_required_elements_that_the_user_must_give() -> None:
    schema = body(
        ["endUser", "product", "settings", "costCentre", "state", "channel"],
        endUser=TEXT,
        product=TEXT,
        costCentre=TEXT,
        state={"type": "string", "readOnly": True},
        channel={"type": "string", "default": "api"},
        note=TEXT,
    )
    shape = order_shape(reference(schema))
    assert shape.required == ("costCentre",)
    assert shape.elements == ("endUser", "product", "costCentre", "channel", "note", "settings")
    assert shape.settings_required


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["application/ld+json", "application/json; charset=utf-8"], "application/json"),
        (["application/vnd.portal+json", "application/ld+json"], "application/ld+json"),
        (["application/x-www-form-urlencoded"], "application/json"),
    ],
)
def test_the_media_type(offered: list[str], chosen: str) -> None:
    document = reference(body(customer=TEXT, product=TEXT))
    content = {name: {"schema": body(customer=TEXT, product=TEXT)} for name in offered}
    document["paths"][PATH]["post"]["requestBody"]["content"] = content
    assert order_shape(document).media_type == chosen


def test_a_media_type_that_tells_the_elements_is_preferred_to_one_that_does_not() -> None:
    document = reference(body(customer=TEXT, product=TEXT), media_type="application/ld+json")
    document["paths"][PATH]["post"]["requestBody"]["content"]["application/json"] = {"schema": {"type": "object"}}
    assert order_shape(document).media_type == "application/ld+json"


# Schemas


USER_AND_PRODUCT = {"customer": TEXT, "product": TEXT}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Order"},
        {"allOf": [{"$ref": "#/components/schemas/WithCustomer"}, {"properties": {"product": TEXT}}]},
        {"oneOf": [{"$ref": "#/components/schemas/WithCustomer"}, {"properties": USER_AND_PRODUCT}]},
        {"anyOf": [{"properties": USER_AND_PRODUCT}, {"properties": {**USER_AND_PRODUCT, "settings": SETTINGS}}]},
        {"properties": {"customer": {"anyOf": [TEXT, {"type": "null"}]}, "product": {"type": ["string", "null"]}}},
        {"properties": {"customer": {"oneOf": [{"$ref": "#/components/schemas/Node"}, TEXT]}, "product": {}}},
        {"$ref": "#/components/schemas/Node"},
        {"type": "object", "example": {"customer": "__self__", "product": KONFIGURATOR, "settings": {}}},
    ],
)
def test_schemas_are_resolved(schema: Any) -> None:
    order = {"type": "object", "properties": USER_AND_PRODUCT}
    node = {"properties": {**USER_AND_PRODUCT, "parent": {"$ref": "#/components/schemas/Node"}}}
    node["allOf"] = [{"$ref": "#/components/schemas/Node"}]  # type: ignore[assignment]
    schemas = {"Order": order, "Ord/er ~x": order, "WithCustomer": {"properties": {"customer": TEXT}}, "Node": node}
    assert names(schema, components={"schemas": schemas}) == ("customer", "product")


def test_one_of_requires_what_all_its_schemas_require() -> None:
    vps = body(["endUser", "product", "settings", "zone"], endUser=TEXT, product=TEXT, zone=TEXT)
    hosting = body(["endUser", "product", "zone", "plesk"], endUser=TEXT, product=TEXT, zone=TEXT, plesk=TEXT)
    shape = order_shape(reference({"oneOf": [vps, hosting]}))
    assert shape.required == ("zone",)
    assert set(shape.elements) == {"endUser", "product", "settings", "zone", "plesk"}
    assert not shape.settings_required


def test_examples_and_references_of_the_body_count() -> None:
    sample = {"x": "__self__", "y": KONFIGURATOR}
    components = {
        "examples": {"One": {"value": sample}},
        "requestBodies": {"Order": {"content": {"application/json": {"schema": body(x=TEXT, y=TEXT)}}}},
    }
    for media in ({"example": sample}, {"examples": {"one": {"$ref": "#/components/examples/One"}}}):
        assert names(body(x=TEXT, y=TEXT), media=media, components=components) == ("x", "y")
    document = reference({}, components=components)
    document["paths"][PATH]["post"] |= {
        "requestBody": {"$ref": "#/components/requestBodies/Order"},
        "summary": "`x`: __self__",
    }
    assert order_shape(document, None, "y").end_user_element == "x"


@pytest.mark.parametrize("target", ["https://other.example/schemas.json#/Order", "#/nowhere", "#x", "#"])
def test_references_that_lead_nowhere_say_nothing(target: str) -> None:
    with pytest.raises(PublishedReferenceError, match="names no elements"):
        names({"$ref": target})


def bomb(keyword: str) -> dict[str, Any]:
    schemas: dict[str, Any] = {"S0": {"properties": {f"p{number}": TEXT for number in range(200)}}}
    for level in range(1, 50):
        schemas[f"S{level}"] = {keyword: [{"$ref": f"#/components/schemas/S{level - 1}"}] * 8}
    return reference({"$ref": "#/components/schemas/S49"}, components={"schemas": schemas})


def chain(length: int) -> dict[str, Any]:
    schemas = {f"S{number}": {"$ref": f"#/components/schemas/S{number + 1}"} for number in range(length)}
    return reference({"$ref": "#/components/schemas/S0"}, components={"schemas": schemas})


@pytest.mark.parametrize(
    "document",
    [
        bomb("allOf"),
        chain(10_000),
        reference({"properties": {f"p{number}": TEXT for number in range(300_000)}}),
    ],
)
def test_schemas_that_are_too_much_are_a_typed_error(document: dict[str, Any]) -> None:
    with pytest.raises(PublishedReferenceError, match="too many or too deeply composed"):
        order_shape(document)
    assert order_shape(document, "a", "b").end_user_element == "a"


# Swagger 2.0


def swagger(given: list[Any], **more: Any) -> dict[str, Any]:
    post = {"parameters": given, **more.pop("post", {})}
    return {"swagger": "2.0", "basePath": "/api", "paths": {"/reseller/contracts": {"post": post}}, **more}


@pytest.mark.parametrize(
    "document",
    [
        swagger([{"in": "body", "schema": body(**USER_AND_PRODUCT)}]),
        swagger(
            [{"$ref": "#/parameters/Order"}],
            parameters={"Order": {"in": "body", "schema": {"$ref": "#/definitions/Order"}}},
            definitions={"Order": body(**USER_AND_PRODUCT)},
        ),
        swagger([{"in": "formData", "name": name, "type": "string"} for name in USER_AND_PRODUCT]),
    ],
)
def test_swagger_2(document: dict[str, Any]) -> None:
    shape = order_shape(document)
    assert (shape.end_user_element, shape.product_element) == ("customer", "product")


@pytest.mark.parametrize(
    ("document", "chosen"),
    [
        ({"consumes": ["application/ld+json"]}, "application/ld+json"),
        (
            {"consumes": ["application/ld+json"], "post": {"consumes": ["application/vnd.x+json"]}},
            "application/vnd.x+json",
        ),
        ({"consumes": ["multipart/form-data"]}, "application/json"),
    ],
)
def test_swagger_2_media_types(document: dict[str, Any], chosen: str) -> None:
    assert order_shape(swagger([{"in": "body", "schema": body(**USER_AND_PRODUCT)}], **document)).media_type == chosen


# The operation


@pytest.mark.parametrize(
    ("path", "top"),
    [
        (PATH, {}),
        (f"{PATH}/", {}),
        (f"{PATH}.{{_format}}", {}),
        ("/reseller/contracts", {"servers": [{"url": "https://portal.example/api"}]}),
        ("/contracts", {"servers": [{"url": "/"}, {"url": "/api/reseller/"}]}),
        ("/reseller/contracts", {}),
    ],
)
def test_the_operation_is_found(path: str, top: dict[str, Any]) -> None:
    assert names(body(**USER_AND_PRODUCT), path=path, **top) == ("customer", "product")


def test_the_exact_operation_is_preferred() -> None:
    document = reference(body(a=TEXT, b=TEXT), path="/v2/api/reseller/contracts")
    document["paths"] |= reference(body(**USER_AND_PRODUCT))["paths"]
    document["paths"] |= reference(body(c=TEXT), path="/old/reseller/contracts")["paths"]
    assert order_shape(document).end_user_element == "customer"


@pytest.mark.parametrize(
    "paths",
    [
        {},
        {"/api/contracts": {"post": {}}},
        {PATH: {"get": {}}},
        {f"{PATH}/{{id}}": {"post": {}}},
        {"/a/reseller/contracts": {"post": {}}, "/b/reseller/contracts": {"post": {}}},
    ],
)
def test_documents_without_the_operation(paths: dict[str, Any]) -> None:
    document = {"openapi": "3.0.0", "paths": paths}
    assert PublishedOperations(document).order is None
    with pytest.raises(PublishedReferenceError, match="does not describe POST /api/reseller/contracts"):
        order_shape(document)


# Anything at all

WORDS = """
    $ref allOf oneOf anyOf properties required type items enum const example examples description title readOnly
    default format pattern maxLength additionalProperties parameters in name schema content application/json
    requestBody post paths servers url variables basePath consumes openapi swagger customer product settings
"""
KEYS = st.sampled_from(WORDS.split())
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=5),
    st.sampled_from(
        ["#", "#/paths", "#/components/schemas/A", "string", "object", "__self__", "body", PATH, KONFIGURATOR]
    ),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=6),
    max_leaves=40,
)


@given(schema=TREES, component=TREES, operation=TREES, top=st.dictionaries(KEYS, TREES, max_size=4))
def test_any_document_gives_a_shape_or_a_typed_error(schema: Any, component: Any, operation: Any, top: Any) -> None:
    document = reference(schema, components={"schemas": {"A": component}})
    post = document["paths"][PATH]["post"]
    document["paths"]["/reseller/contracts/"] = {"post": operation, "parameters": schema}
    document["paths"][PATH]["parameters"] = operation
    post["parameters"] = component
    for candidate in (document, {**document, **top}, {**top, "paths": {PATH: {"post": top}}}):
        for listed in PublishedOperations(candidate).all:
            listed.path.encode()
            assert (listed.parameters, listed.body, listed.successes) is not None
        try:
            shape = order_shape(candidate)
        except ResellerError as error:
            error.message.encode()
        else:
            assert shape.end_user_element != shape.product_element
            assert OrderShape.from_cache(json.loads(json.dumps(shape.to_cache()))) == shape
