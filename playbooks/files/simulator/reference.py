# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of the OpenAPI document (OpenAPI) that the shapes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .operations import ROUTES, SCHEMAS
from .shapes.base import ORDERS, PRODUCTS

if TYPE_CHECKING:
    from .shapes.base import Shape

TITLE = "Reseller API"

SECURITY_SCHEMES = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "organization": {"type": "apiKey", "in": "header", "name": "X-Organization-ID"},
}
SECURITY: list[dict[str, list[str]]] = [{"apiKey": [], "organization": []}]


def order_schema(shape: Shape) -> dict[str, Any]:
    """The schema of the body that orders a product."""
    properties: dict[str, Any] = {
        shape.end_user_element: shape.end_user_hint,
        shape.product_element: shape.product_hint,
        "settings": {
            "type": "object",
            "description": "The settings that the product's options entry lists.",
            "additionalProperties": True,
        },
    }
    for name in shape.optional_elements:
        properties[name] = {"type": "string", "maxLength": 255, "description": "Agreed upon with your account manager."}
    return {
        "type": "object",
        "required": [shape.end_user_element, shape.product_element],
        "properties": properties,
    }


def state_schema(name: str) -> dict[str, Any]:
    """The schema of a contract that is read; *name* is that of its state."""
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "enum": ["provisioning", "active", "suspended", "failed", "cancelled"]},
            "cancelledTo": {"type": "string", "format": "date"},
        },
    }


def answered(summary: str, media_type: str, success: int, schema: dict[str, Any] | None) -> dict[str, Any]:
    """An operation that is answered like that; without a *schema* the answer is empty."""
    done: dict[str, Any] = {"description": "Done"}
    if schema is not None:
        done["content"] = {media_type: {"schema": schema}}
    responses = {
        str(success): done,
        "401": {"description": "The API key is missing or unknown."},
        "403": {"description": "The organization is not yours."},
    }
    return {"summary": summary, "responses": responses}


def parameter(name: str, place: str, kind: str) -> dict[str, Any]:
    """A parameter of a path or query."""
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": kind}}


def document(
    shape: Shape, version: str, *, key: str, read: dict[str, Any], body: Any, ordered: Any, components: Any
) -> dict[str, Any]:
    """The document: *body* orders, *ordered* is the answer to it, *read* a contract as it is shown by *key*."""
    media_type = shape.order_media_types[0]
    pages = {"parameters": [parameter("page", "query", "integer")] if shape.page_size else []}
    many, read_many = shape.listed_schema(list_of({"type": "object"})), shape.listed_schema(list_of(read))
    paths: dict[str, Any] = {
        PRODUCTS: {"get": answered("List the products", media_type, 200, many) | pages},
        ORDERS: {"post": answered("Order a product", media_type, shape.success, ordered) | {"requestBody": body}},
    }
    if shape.contracts:
        paths[ORDERS]["get"] = answered("List the contracts", media_type, 200, read_many) | pages
        shown = answered("Show a contract", media_type, 200, shape.enveloped_schema(read))
        paths[f"{ORDERS}/{{{key}}}"] = {"get": shown, "parameters": [parameter(key, "path", "string")]}
    for route in ROUTES:
        schema = shape.enveloped_schema(SCHEMAS.get(route.shown, {})) if route.success != 204 else None
        operation = answered(route.summary, media_type, route.success, schema)
        operation |= {"tags": [route.tag], "operationId": route.handler}
        if route.paged:
            operation |= pages
        if route.body:
            content = {media_type: {"schema": SCHEMAS[route.body]}}
            operation["requestBody"] = {"required": route.required, "content": content}
        item = paths.setdefault(route.path, {})
        item[route.method] = operation
        if "{id}" in route.path:
            item["parameters"] = [parameter("id", "path", "string")]
    return {
        "openapi": version,
        "info": {"title": TITLE, "version": "1"},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {**components, "securitySchemes": SECURITY_SCHEMES},
        "security": SECURITY,
    }


def list_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list of such things."""
    return {"type": "array", "items": schema}


def swagger_page(script: str) -> bytes:
    """The Swagger UI page. *script*: the script elements that start it."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{TITLE}</title>
<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/swagger-ui-dist@5/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="https://cdn.jsdelivr.net/npm/swagger-ui-dist@5/swagger-ui-bundle.js"></script>
{script}
</body>
</html>
""".encode()
