# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In the manner of Laravel: a data envelope with pages, rules with pipes, a map of errors, a script of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from .. import data, reference
from ..data import Order
from ..http_server import Reply
from ..options import as_pipes
from .base import DOCS, Page, Refusal, Shape

JSON = "application/json"
SCRIPT = f"{DOCS}/swagger-initializer.js"
DOCUMENT = f"{DOCS}/reseller-v1.json"
#: The script that starts Swagger UI.
SCRIPT_TEXT = f"""window.onload = function() {{
  window.ui = SwaggerUIBundle({{
    url: "{DOCUMENT}",
    dom_id: '#swagger-ui',
    layout: 'BaseLayout'
  }});
}};
"""


class Laravel(Shape):
    """Snake case, numeric ids beside the UUIDs, and everything below ``data``."""

    key = "laravel"
    end_user_element = "enduser_id"
    product_element = "product_uuid"
    end_user_hint: ClassVar[dict[str, Any]] = {
        "type": "string",
        "description": "Who the contract is for: the UUID of one of your end users, or __self__ for yourself.",
        "example": data.END_USER,
    }
    product_hint: ClassVar[dict[str, Any]] = {
        "type": "string",
        "description": "The product's UUID.",
        "example": data.DOMAIN_DEFAULT,
    }
    style = staticmethod(as_pipes)
    page_size = 6

    def record(self, product: data.Product, options: Any) -> dict[str, Any]:
        """A resource."""
        number = int(product.id[:6], 16)
        record = {"id": number, "uuid": product.id, "name": product.name, "options": options}
        if product.location is not None:
            record["location"] = {"code": product.location}
        return record

    def catalogue(self, page: Page) -> Reply:
        """A resource collection with ``links`` and ``meta``."""

        def url(number: int) -> str | None:
            return page.base + page.path(number) if 1 <= number <= page.last else None

        start = (page.number - 1) * page.size
        collection = {
            "data": page.records,
            "links": {
                "first": url(1),
                "last": url(page.last),
                "prev": url(page.number - 1),
                "next": url(page.number + 1),
            },
            "meta": {
                "current_page": page.number,
                "from": start + 1 if page.records else None,
                "last_page": page.last,
                "path": page.base + page.resource,
                "per_page": page.size,
                "to": start + len(page.records) if page.records else None,
                "total": page.total,
            },
        }
        return Reply(collection)

    def contract(self, order: Order) -> Reply:
        """The new resource."""
        contract: dict[str, Any] = {"uuid": order.id, "product": {"uuid": order.product.id, "name": order.product.name}}
        if order.l2vpn is not None:
            contract["l2vpn"] = {"uuid": order.l2vpn}
        return self.enveloped(contract, 201)

    def contract_record(self, order: Order, status: str, addresses: Sequence[str]) -> dict[str, Any]:
        """A resource with a number beside the UUID, and what it is related to as objects."""
        record: dict[str, Any] = {
            "id": int(order.id[:6], 16),
            "uuid": order.id,
            "product": {"uuid": order.product.id, "name": order.product.name},
            "enduser": None if order.end_user == data.SELF else {"uuid": order.end_user},
            "organization_id": int(order.organization),
            "state": status,
            "attributes": {
                name: order.shown_settings[name] for name in ("hostname", "domain") if name in order.shown_settings
            },
            "network": {"addresses": list(addresses), "gateway": "203.0.113.254"} if addresses else None,
        }
        record["created_at"] = record["updated_at"] = order.made.strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        return record

    def enveloped(self, value: Any, status: int = 200, **headers: str) -> Reply:
        """Below ``data``, as everything."""
        return Reply({"data": value}, status, headers)

    def enveloped_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Below ``data``, too."""
        return {"type": "object", "properties": {"data": schema}}

    def listed_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """And so are lists."""
        return self.enveloped_schema(schema)

    def refusal(self, refusal: Refusal) -> Reply:
        """A message, and a map of paths to messages."""
        body: dict[str, Any] = {"message": refusal.message}
        if refusal.violations:
            errors: dict[str, list[str]] = {}
            for violation in refusal.violations:
                errors.setdefault(".".join(violation.path), []).append(violation.message)
            more = len(refusal.violations) - 1
            suffix = f" (and {more} more error{'s' if more > 1 else ''})" if more else ""
            body = {"message": refusal.violations[0].message + suffix, "errors": errors}
        return Reply(body, refusal.status, refusal.headers)

    def docs(self, path: str, accept: str) -> Reply | None:
        """The page, its script, and the document that the script names."""
        if path == DOCS:
            script = '<script src="docs/swagger-initializer.js" charset="UTF-8"></script>'
            return Reply(reference.swagger_page(script), headers={"Content-Type": "text/html; charset=UTF-8"})
        if path == SCRIPT:
            return Reply(SCRIPT_TEXT.encode(), headers={"Content-Type": "application/javascript"})
        if path == DOCUMENT:
            return Reply(self.document)
        return None

    @cached_property
    def document(self) -> bytes:
        """OpenAPI 3.0 with every schema in place."""
        found = reference.document(
            self,
            "3.0.0",
            key="contract",
            read=reference.state_schema("state"),
            body={"required": True, "content": {JSON: {"schema": reference.order_schema(self)}}},
            ordered=self.enveloped_schema({"type": "object"}),
            components={},
        )
        return json.dumps(found).encode()
