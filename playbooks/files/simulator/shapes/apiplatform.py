# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In the manner of API Platform: JSON-LD collections, problem details with violations, a document in the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from .. import data, reference
from ..data import Order
from ..http_server import Reply
from ..options import as_constraints
from .base import DOCS, ORDERS, PRODUCTS, Page, Refusal, Shape, covers

LD_JSON = "application/ld+json"
OPENAPI_JSON = "application/vnd.openapi+json"


class ApiPlatform(Shape):
    """JSON-LD in, JSON-LD out."""

    key = "apiplatform"
    end_user_element = "endUser"
    product_element = "product"
    end_user_hint: ClassVar[dict[str, Any]] = {
        "type": "string",
        "description": "UUID of the end-user to order for, or `__self__` to order for your own organization.",
        "example": data.SELF,
    }
    product_hint: ClassVar[dict[str, Any]] = {
        "type": "string",
        "format": "uuid",
        "description": "UUID of the product to order.",
        "example": data.VPS_KONFIGURATOR,
    }
    style = staticmethod(as_constraints)
    page_size = 10
    order_media_types = (LD_JSON,)
    only_type = LD_JSON

    def record(self, product: data.Product, options: Any) -> dict[str, Any]:
        """A JSON-LD item."""
        record = {
            "@id": f"{PRODUCTS}/{product.id}",
            "@type": "Product",
            "id": product.id,
            "name": product.name,
            "description": product.description,
            "options": options,
        }
        if product.location is not None:
            record["location"] = product.location
        return record

    def catalogue(self, page: Page) -> Reply:
        """A collection with a view of its pages."""
        view = {
            "@id": page.path(page.number),
            "@type": "PartialCollectionView",
            "first": page.path(1),
            "last": page.path(page.last),
        }
        if page.number > 1:
            view["previous"] = page.path(page.number - 1)
        if page.number < page.last:
            view["next"] = page.path(page.number + 1)
        collection = {
            "@context": f"/api/contexts/{'Product' if page.resource == PRODUCTS else 'Contract'}",
            "@id": page.resource,
            "@type": "Collection",
            "totalItems": page.total,
            "member": page.records,
            "view": view,
        }
        return self.enveloped(collection)

    def contract(self, order: Order) -> Reply:
        """The new item; a dedicated server's holds its L2VPN."""
        path = f"{ORDERS}/{order.id}"
        contract = {
            "@context": "/api/contexts/Contract",
            "@id": path,
            "@type": "Contract",
            "id": order.id,
            "product": f"{PRODUCTS}/{order.product.id}",
            "status": "provisioning",
        }
        if order.l2vpn is not None:
            contract["l2vpn"] = order.l2vpn
        return self.enveloped(contract, 201, **{"Content-Location": path})

    def contract_record(self, order: Order, status: str, addresses: Sequence[str]) -> dict[str, Any]:
        """An item with IRIs for what it is related to, and its name at the top."""
        return {
            "@id": f"{ORDERS}/{order.id}",
            "@type": "Contract",
            "id": order.id,
            "product": f"{PRODUCTS}/{order.product.id}",
            "owner": None if order.end_user == data.SELF else f"/api/reseller/end_users/{order.end_user}",
            "status": status,
            "createdAt": order.made.isoformat(timespec="seconds"),
            "ipAddresses": [{"@type": "IpAddress", "address": found} for found in addresses],
            **{name: order.shown_settings[name] for name in ("hostname", "domain") if name in order.shown_settings},
        }

    def enveloped(self, value: Any, status: int = 200, **headers: str) -> Reply:
        """An item."""
        return Reply(value, status, {"Content-Type": f"{LD_JSON}; charset=utf-8", **headers})

    def listed_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The collection."""
        return {"type": "object", "properties": {"member": schema}}

    def refusal(self, refusal: Refusal) -> Reply:
        """Problem details (RFC 9457), with a list of violations where settings are refused."""
        problem: dict[str, Any] = {
            "@type": "ConstraintViolation" if refusal.violations else "Error",
            "type": f"/api/errors/{refusal.status}",
            "title": refusal.phrase,
            "status": refusal.status,
            "detail": refusal.message,
        }
        if refusal.violations:
            listed = [
                {
                    "propertyPath": violation.path[0] + "".join(f"[{name}]" for name in violation.path[1:]),
                    "message": violation.message,
                }
                for violation in refusal.violations
            ]
            problem["detail"] = "\n".join(f"{item['propertyPath']}: {item['message']}" for item in listed)
            problem["violations"] = listed
        headers = {"Content-Type": "application/problem+json; charset=utf-8", **refusal.headers}
        return Reply(problem, refusal.status, headers)

    def docs(self, path: str, accept: str) -> Reply | None:
        """The page, or the document for those who accept it there."""
        if path != DOCS:
            return None
        if OPENAPI_JSON in accept.lower() and covers(accept, OPENAPI_JSON):
            return Reply(self.document, headers={"Content-Type": f"{OPENAPI_JSON}; charset=utf-8", "Vary": "Accept"})
        return Reply(self.page, headers={"Content-Type": "text/html; charset=utf-8", "Vary": "Accept"})

    @cached_property
    def page(self) -> bytes:
        """The page, which holds the document itself."""
        embedded = b'{"title":"' + reference.TITLE.encode() + b'","spec":' + self.document + b"}"
        for character, escape in ((b"<", b"\\u003C"), (b">", b"\\u003E"), (b"&", b"\\u0026")):
            embedded = embedded.replace(character, escape)
        return reference.swagger_page(
            f"""<script id="swagger-data" type="application/json">{embedded.decode()}</script>
<script>
const held = JSON.parse(document.getElementById("swagger-data").textContent);
SwaggerUIBundle({{spec: held.spec, dom_id: "#swagger-ui"}});
</script>"""
        )

    @cached_property
    def document(self) -> bytes:
        """OpenAPI 3.1; the body of an order is put together from two schemas."""
        text = {"type": "string", "readOnly": True}
        item, order = {"$ref": "#/components/schemas/ItemBase"}, {"$ref": "#/components/schemas/Contract.Order"}
        schemas = {
            "ItemBase": {"type": "object", "properties": {"@id": text, "@type": text}},
            "Contract.Order": reference.order_schema(self),
            "Contract.Order.jsonld": {"allOf": [item, order]},
            "Contract.jsonld": {"allOf": [item, {"type": "object"}]},
            "Contract.Read.jsonld": {"allOf": [item, reference.state_schema("status")]},
        }
        ordering = {"schema": {"$ref": "#/components/schemas/Contract.Order.jsonld"}}
        found = reference.document(
            self,
            "3.1.0",
            key="uuid",
            read={"$ref": "#/components/schemas/Contract.Read.jsonld"},
            body={"required": True, "content": {LD_JSON: ordering}},
            ordered={"$ref": "#/components/schemas/Contract.jsonld"},
            components={"schemas": schemas},
        )
        return json.dumps(found).encode()
