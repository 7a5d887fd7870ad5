# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Without a framework: a bare list, options as a list, one error object, and a document at a path of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import yaml

from .. import data, reference
from ..data import Order
from ..http_server import Reply
from ..options import as_list
from .base import DOCS, Page, Refusal, Shape

JSON = "application/json"
DOCUMENT = "/api/reference/reseller.yaml"


class Plain(Shape):
    """Camel case, everything at once, and an answer that repeats what was sent."""

    key = "plain"
    end_user_element = "target"
    product_element = "productId"
    end_user_hint: ClassVar[dict[str, Any]] = {
        "type": "string",
        "description": "End-user UUID. Use __self__ to create the contract in your own organization.",
    }
    product_hint: ClassVar[dict[str, Any]] = {
        "type": "string",
        "format": "uuid",
        "description": "Product UUID, see the list of products.",
    }
    optional_elements = ("accessToken", "note")
    style = staticmethod(as_list)
    protected = DOCUMENT
    success = 200
    invalid = 400

    def record(self, product: data.Product, options: Any) -> dict[str, Any]:
        """A product."""
        record = {"id": product.id, "title": product.name, "summary": product.description, "options": options}
        if product.location is not None:
            record["site"] = product.location
        return record

    def catalogue(self, page: Page) -> Reply:
        """A bare list of all products."""
        return Reply(page.records)

    def contract(self, order: Order) -> Reply:
        """The contract with the settings as they were sent, without the L2VPN that was created."""
        contract = {
            "id": order.id,
            self.end_user_element: order.end_user,
            self.product_element: order.product.id,
            "settings": order.settings,
            "createdAt": int(order.at),
        }
        return Reply(contract)

    def contract_record(self, order: Order, status: str, addresses: Sequence[str]) -> dict[str, Any]:
        """What was sent, without secrets, and what became of it."""
        record: dict[str, Any] = {
            "id": order.id,
            self.end_user_element: order.end_user,
            self.product_element: order.product.id,
            "settings": order.shown_settings,
            "state": {"name": status, "ready": status == "active"},
            "ips": list(addresses),
            "createdAt": int(order.at),
            **{name: order.body[name] for name in self.optional_elements if name in order.body},
        }
        return record

    def refusal(self, refusal: Refusal) -> Reply:
        """One object with everything about the error."""
        error: dict[str, Any] = {
            "code": refusal.phrase.lower().replace(" ", "_"),
            "message": refusal.message,
        }
        if refusal.violations:
            error["fields"] = {}
            for violation in refusal.violations:
                error["fields"].setdefault(violation.path[-1], violation.message)
        return Reply({"error": error}, refusal.status, refusal.headers)

    def docs(self, path: str, accept: str) -> Reply | None:
        """The page, and the document that a script in the page names."""
        if path == DOCS:
            return Reply(self.page, headers={"Content-Type": "text/html"})
        if path == DOCUMENT:
            return Reply(self.document, headers={"Content-Type": "application/yaml"})
        return None

    @cached_property
    def page(self) -> bytes:
        """The page; the document needs the API key, so the page asks for it."""
        return reference.swagger_page(
            f"""<script>
  const ui = SwaggerUIBundle({{
    url: '{DOCUMENT}',
    dom_id: '#swagger-ui',
    requestInterceptor: (request) => {{
      request.headers['X-API-Key'] ??= window.prompt('API key');
      return request;
    }},
  }});
</script>"""
        )

    @cached_property
    def document(self) -> bytes:
        """OpenAPI 3.0 in YAML."""
        read = reference.state_schema("name")
        found = reference.document(
            self,
            "3.0.3",
            key="contractId",
            read={"type": "object", "properties": {"state": read}},
            body={"$ref": "#/components/requestBodies/Order"},
            ordered={"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}},
            components={
                "requestBodies": {
                    "Order": {"required": True, "content": {JSON: {"schema": {"$ref": "#/components/schemas/Order"}}}}
                },
                "schemas": {"Order": reference.order_schema(self)},
            },
        )
        # PyYAML would write what occurs twice as an anchor and an alias.
        return yaml.safe_dump(json.loads(json.dumps(found)), sort_keys=False, allow_unicode=True).encode()
