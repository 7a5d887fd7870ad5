# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of the published reference (OpenAPI) that the shapes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import operations
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
        "properties": {name: {"type": "string", "enum": ["provisioning", "active", "suspended", "failed"]}},
    }


def document(
    shape: Shape, version: str, *, parameter: str, read: dict[str, Any], body: Any, ordered: Any, components: Any
) -> dict[str, Any]:
    """The document: *body* orders, *ordered* is the answer to it, *read* a contract as it is shown by *parameter*."""
    media_type = shape.order_media_types[0]
    pages = [{"name": "page", "in": "query", "schema": {"type": "integer"}}] if shape.page_size else []

    def get(summary: str, schema: dict[str, Any], parameters: list[Any]) -> dict[str, Any]:
        return {"summary": summary, "parameters": parameters, "responses": answered(200, media_type, schema)}

    many = {"type": "array", "items": {"type": "object"}}
    order = {"summary": "Order a product", "requestBody": body}
    order["responses"] = answered(shape.success, media_type, ordered)
    paths: dict[str, Any] = {
        PRODUCTS: {"get": get("List the products", shape.listed_schema(many), pages)},
        ORDERS: {"post": order},
    }
    if shape.contracts:
        listed = shape.listed_schema({"type": "array", "items": read})
        paths[ORDERS]["get"] = get("List the contracts", listed, pages)
        key = {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}
        shown = get("Show a contract", shape.enveloped_schema(read), [key])
        paths[f"{ORDERS}/{{{parameter}}}"] = {"get": shown}
    return {
        "openapi": version,
        "info": {"title": TITLE, "version": "1"},
        "servers": [{"url": "/"}],
        "paths": {**paths, **operations.paths(shape, media_type)},
        "components": {**components, "securitySchemes": SECURITY_SCHEMES},
        "security": SECURITY,
    }


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


def answered(status: int, media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The responses of an operation, with the one that says yes."""
    return {
        str(status): {"description": "Done", "content": {media_type: {"schema": schema}}},
        "401": {"description": "The API key is missing or unknown."},
        "403": {"description": "The organization is not yours."},
    }
