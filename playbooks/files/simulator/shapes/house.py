# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In words of a house of its own, which nobody can guess: it needs the file beside this one, ``house.yml``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from .. import data, reference
from ..data import Order
from ..http_server import Reply
from ..options import as_list
from .base import DOCS, Page, Refusal, Shape

DOCUMENT = "/doku/schnittstelle"


class House(Shape):
    """Short words without a meaning elsewhere, a success that says little, and a document at an odd place."""

    key = "house"
    end_user_element = "f01"
    product_element = "f02"
    ends_element = "ende"
    end_user_hint: ClassVar[dict[str, Any]] = {"type": "string"}
    product_hint: ClassVar[dict[str, Any]] = {"type": "string"}
    style = staticmethod(as_list)
    success = 200

    def record(self, product: data.Product, options: Any) -> dict[str, Any]:
        """A product."""
        return {"k1": {"v": product.id}, "k2": product.name, "k3": options}

    def catalogue(self, page: Page) -> Reply:
        """All of a list in one answer, beside their number."""
        return Reply({"z": {"posten": page.records}, "n": page.total})

    def contract(self, order: Order) -> Reply:
        """A word, and the number of the contract."""
        return Reply({"antwort": "ok", "vorgang": {"nr": order.id}})

    def contract_record(self, order: Order, status: str, addresses: Sequence[str]) -> dict[str, Any]:
        """A contract."""
        named = [{"name": name, "value": value} for name, value in order.shown_settings.items()]
        return {
            "nr": order.id,
            "was": {"k1": order.product.id},
            "wer": None if order.end_user == data.SELF else order.end_user,
            "merkmale": named,
            "lage": {"active": "L2", "provisioning": "L1", "cancelled": "L3"}.get(status, "L9"),
            "netz": [{"zahl": each} for each in addresses],
        }

    def refusal(self, refusal: Refusal) -> Reply:
        """One text."""
        return Reply({"grund": refusal.message}, refusal.status, refusal.headers)

    def docs(self, path: str, accept: str) -> Reply | None:
        """A page that leads nowhere, and the document."""
        if path == DOCS:
            return Reply(b"<!DOCTYPE html><html><body>Doku</body></html>", headers={"Content-Type": "text/html"})
        return Reply(self.document) if path == DOCUMENT else None

    @cached_property
    def document(self) -> bytes:
        """OpenAPI 3.1 in JSON."""
        found = reference.document(
            self,
            "3.1.0",
            key="nr",
            read={"type": "object", "properties": {self.ends_element: {"type": "string", "format": "date"}}},
            body={"required": True, "content": {"application/json": {"schema": reference.order_schema(self)}}},
            ordered={"type": "object", "properties": {"antwort": {"type": "string"}}},
            components={},
        )
        return json.dumps(found).encode()
