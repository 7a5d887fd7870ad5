# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In the manner of Laravel: a data envelope with pages, rules with pipes, a map of errors, a script of its own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from .. import data, reference
from ..options import as_pipes
from ..state import Order
from .base import DOCS, Answer, Page, Refusal, Shape, to_json

if TYPE_CHECKING:
    from ..contracts import Shown

JSON = "application/json"
SCRIPT = f"{DOCS}/swagger-initializer.js"
DOCUMENT = f"{DOCS}/reseller-v1.json"


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

    def catalogue(self, page: Page) -> Answer:
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
        return Answer(200, to_json(collection), JSON)

    def contract(self, order: Order) -> Answer:
        """The new resource."""
        contract: dict[str, Any] = {"uuid": order.id, "product": {"uuid": order.product.id, "name": order.product.name}}
        if order.l2vpn is not None:
            contract["l2vpn"] = {"uuid": order.l2vpn}
        return Answer(201, to_json({"data": contract}), JSON)

    def contract_record(self, shown: Shown) -> dict[str, Any]:
        """A resource with a number beside the UUID, and what it is related to as objects."""
        order = shown.order
        record: dict[str, Any] = {
            "id": 7000 + shown.number,
            "uuid": order.id,
            "product": {"uuid": order.product.id, "name": order.product.name},
            "enduser": None if order.end_user == data.SELF else {"uuid": order.end_user},
            "organization_id": int(order.organization),
            "state": shown.status,
            "attributes": {name: shown.settings[name] for name in ("hostname", "domain") if name in shown.settings},
            "network": {"addresses": list(shown.addresses), "gateway": "203.0.113.254"} if shown.addresses else None,
        }
        record["created_at"] = record["updated_at"] = shown.made.strftime("%Y-%m-%dT%H:%M:%S.000000Z")
        return record

    def enveloped(self, value: Any) -> Answer:
        """Below ``data``, as everything."""
        return Answer(200, to_json({"data": value}), JSON)

    def enveloped_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Below ``data``, too."""
        return {"type": "object", "properties": {"data": schema}}

    def listed_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """And so are lists."""
        return self.enveloped_schema(schema)

    def refusal(self, refusal: Refusal) -> Answer:
        """A message, and a map of paths to messages."""
        body: dict[str, Any] = {"message": refusal.message}
        if refusal.violations:
            errors: dict[str, list[str]] = {}
            for violation in refusal.violations:
                errors.setdefault(".".join(violation.path), []).append(violation.message)
            more = len(refusal.violations) - 1
            suffix = f" (and {more} more error{'s' if more > 1 else ''})" if more else ""
            body = {"message": refusal.violations[0].message + suffix, "errors": errors}
        return Answer(refusal.status, to_json(body), JSON, list(refusal.headers))

    def docs(self, path: str, accept: str) -> Answer | None:
        """The page, its script, and the document that the script names."""
        if path == DOCS:
            script = '<script src="docs/swagger-initializer.js" charset="UTF-8"></script>'
            return Answer(200, reference.swagger_page(script), "text/html; charset=UTF-8")
        if path == SCRIPT:
            return Answer(200, self.script.encode(), "application/javascript")
        if path == DOCUMENT:
            return Answer(200, self.document, JSON)
        return None

    @property
    def script(self) -> str:
        """The script that starts Swagger UI."""
        return (
            "window.onload = function() {\n"
            "  // Begin Swagger UI call region\n"
            "  window.ui = SwaggerUIBundle({\n"
            f'    url: "{DOCUMENT}",\n'
            "    dom_id: '#swagger-ui',\n"
            "    deepLinking: true,\n"
            "    layout: 'BaseLayout'\n"
            "  });\n"
            "};\n"
        )

    @cached_property
    def document(self) -> bytes:
        """OpenAPI 3.0 with every schema in place."""
        found = reference.document(
            self,
            "3.0.0",
            parameter="contract",
            read=reference.state_schema("state"),
            body={"required": True, "content": {JSON: {"schema": reference.order_schema(self)}}},
            ordered=self.enveloped_schema({"type": "object"}),
            components={},
        )
        return to_json(found)
