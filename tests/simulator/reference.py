# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of the published reference (OpenAPI) that the shapes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    hints = shape.settings.hints
    properties: dict[str, Any] = {
        shape.end_user_element: shape.end_user_hint if hints else {"type": "string"},
        shape.product_element: shape.product_hint if hints else {"type": "string"},
        "settings": {
            "type": "object",
            "description": "The settings that the product's options entry lists.",
            "additionalProperties": True,
        },
    }
    for name in shape.settings.required_elements:
        properties[name] = {"type": "string", "description": "Agreed upon with your account manager."}
    for name in shape.optional_elements:
        properties[name] = {"type": "string", "maxLength": 255, "description": "Printed on the invoice."}
    return {
        "type": "object",
        "required": [shape.end_user_element, shape.product_element, *shape.settings.required_elements],
        "properties": properties,
    }


def contract_schema(status: str) -> dict[str, Any]:
    """The schema of a contract that is read; *status* is the name of its state."""
    return {
        "type": "object",
        "properties": {status: {"type": "string", "enum": ["provisioning", "active", "suspended", "failed"]}},
    }


def contract_paths(
    shape: Shape,
    parameter: str,
    contract: dict[str, Any],
    media_type: str,
    listed: str = "",
    item: str = "",
    page: str = "",
) -> dict[str, Any]:
    """The path items that read contracts: what is added to that of the orders, and that of one contract.

    *listed* and *item* are the elements that hold the contracts in an answer, *page* the parameter for its pages.
    """
    published, found = shape.settings.contracts, {}
    many: dict[str, Any] = {"type": "array", "items": contract}
    if published in ("both", "list"):
        found["/api/reseller/contracts"] = {
            "get": {
                "summary": "Lists the contracts",
                "parameters": [{"name": page, "in": "query", "schema": {"type": "integer"}}] if page else [],
                "responses": answered(
                    200, "OK", media_type, {"type": "object", "properties": {listed: many}} if listed else many
                ),
            }
        }
    if published in ("both", "item"):
        one = {"type": "object", "properties": {item: contract}} if item else contract
        found[f"/api/reseller/contracts/{{{parameter}}}"] = {
            "get": {
                "summary": "Shows a contract",
                "parameters": [{"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": answered(200, "OK", media_type, one),
            }
        }
    return found


def swagger_page(*scripts: str) -> bytes:
    """The Swagger UI page; its files come from the simulator itself. *scripts* are complete script elements."""
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f"<title>{TITLE}</title>",
            '<link rel="stylesheet" href="/static-offline-docs/swagger-ui.css">',
            '<link rel="icon" href="/static-offline-docs/favicon.png">',
            "</head>",
            "<body>",
            '<div id="swagger-ui"></div>',
            '<script src="/static-offline-docs/swagger-ui-bundle.js"></script>',
            *scripts,
            "</body>",
            "</html>",
            "",
        )
    ).encode()


def answered(status: int, description: str, media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The responses of an operation, with the one that says yes."""
    return {
        str(status): {"description": description, "content": {media_type: {"schema": schema}}},
        "401": {"description": "The API key is missing or unknown."},
        "403": {"description": "The organization is not yours."},
    }
