# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service whose contracts can be read back, and which can lose answers, lag behind, and be wrong."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.support.http_server import Received, Reply, ScriptedServer

CONTRACTS = "/api/reseller/contracts"
NOTE = "note"
VPS = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"
WEBHOSTING = "c0a8f3d4-5b6e-4f70-8a91-b2c3d4e5f607"
END_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11"
API_KEY = "fixed-key-51b0c9d8e7f6"
ORGANIZATION_ID = "4711"

REFERENCE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Fixed", "version": "1"},
    "paths": {
        "/api/reseller/contracts": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["endUser", "product"],
                                "properties": {
                                    "endUser": {"type": "string", "description": "UUID of an end-user, or __self__"},
                                    "product": {"type": "string", "format": "uuid", "description": "The product"},
                                    "settings": {"type": "object"},
                                },
                            }
                        }
                    }
                }
            }
        }
    },
}
CATALOGUE = [
    {
        "id": VPS,
        "name": "VPS M",
        "options": [
            {"name": "hostname", "type": "string", "required": True},
            {"name": "template", "type": "select", "required": True, "values": ["debian-12", "debian-13"]},
        ],
    },
    {"id": WEBHOSTING, "name": "Webhosting S", "options": []},
]


class ContractService:
    """What it does is set by its attributes; ``sent`` are the bodies of all orders that arrived.

    ``lose``: accept an order, and answer 500, as for each hostname that begins with lost; one that begins with refused
    is rejected. ``told``: what such an answer holds. ``silent``: accept an order with an empty body. ``lagging``: no
    list shows the orders that arrive. ``gone``: ids that are not found. ``hidden``: those that are not listed.
    ``page``: how many contracts a page of the list has. ``repeat``: a page that is shown twice. ``refused``: the status
    of all that is read of contracts.
    """

    def __init__(self, *, readable: bool = True) -> None:
        self.contracts: dict[str, dict[str, Any]] = {}
        self.sent: list[dict[str, Any]] = []
        self.lose = False
        self.told: Any = None
        self.silent = False
        self.lagging = False
        self._late: set[str] = set()
        self.gone: set[str] = set()
        self.hidden: set[str] = set()
        self.page = 0
        self.repeat: int | None = None
        self.refused = 0
        self._readable = readable
        self._server = ScriptedServer(self.answer)

    def __enter__(self) -> ContractService:
        self._server.__enter__()
        return self

    def __exit__(self, *ended: Any) -> None:
        self._server.__exit__(*ended)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def requests(self) -> list[Received]:
        return self._server.requests

    @property
    def environ(self) -> dict[str, str]:
        return {
            "RESELLER_BASE_URL": self.url,
            "RESELLER_API_KEY": API_KEY,
            "RESELLER_ORGANIZATION_ID": ORGANIZATION_ID,
        }

    @property
    def options(self) -> dict[str, Any]:
        return {"base_url": self.url, "api_key": API_KEY, "organization_id": ORGANIZATION_ID}

    def add(self, hostname: str | None, product: str = VPS, **more: Any) -> str:
        """A contract that was made now, for the caller's own organization if not told."""
        id_ = str(uuid.uuid4())
        record = {
            "id": id_,
            "product": {"id": product},
            "endUser": "__self__",
            "hostname": hostname,
            "state": "active",
            "createdAt": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.contracts[id_] = {**record, **more}
        return id_

    def answer(self, request: Received) -> Reply:
        if request.method == "POST":
            return self._ordered(json.loads(request.body))
        if request.path.endswith("/products"):
            return Reply(CATALOGUE)
        if not request.path.startswith(CONTRACTS):
            return Reply(self._reference())
        if not self._readable:
            return Reply({"message": "Method not allowed"}, 405)
        if self.refused:
            return Reply({"message": "Refused"}, self.refused)
        id_ = request.path.removeprefix(CONTRACTS).strip("/")
        return self._item(id_) if id_ else self._list(int(request.query.get("page", "1")))

    def _ordered(self, order: Mapping[str, Any]) -> Reply:
        self.sent.append(dict(order))
        settings = order.get("settings") or {}
        hostname = str(settings.get("hostname", ""))
        if hostname.startswith("refused"):
            return Reply({"title": "Refused", "detail": "No such thing."}, 422)
        more = {name: order[name] for name in (NOTE,) if name in order}
        id_ = self.add(settings.get("hostname"), order["product"], endUser=order["endUser"], **more)
        self._late |= {id_} if self.lagging else set()
        if self.lose or hostname.startswith("lost"):
            return Reply({"id": id_} if self.told == "id" else {"message": "Broken"}, 500)
        return Reply(b"", 202) if self.silent else Reply({"id": id_}, 201)

    def _item(self, id_: str) -> Reply:
        shown = id_ in self.contracts and id_ not in self.gone
        return Reply(self.contracts[id_]) if shown else Reply({"message": "Not found"}, 404)

    def _list(self, page: int) -> Reply:
        hidden = self.gone | self.hidden | (self._late if self.lagging else set())
        every = [each for id_, each in self.contracts.items() if id_ not in hidden]
        if not self.page:
            return Reply({"items": every, "total": len(every)})
        pages = max(1, -(-len(every) // self.page))
        at = page - 1 if self.repeat is not None and page == self.repeat + 1 else page
        chosen = every[(at - 1) * self.page : at * self.page]
        counted = {"page": page, "pages": pages, "total": len(every)}
        return Reply({"items": chosen, **counted})

    def _reference(self) -> dict[str, Any]:
        reference = copy.deepcopy(REFERENCE)
        path: dict[str, Any] = reference["paths"][CONTRACTS]
        schema = path["post"]["requestBody"]["content"]["application/json"]["schema"]
        schema["properties"][NOTE] = {"type": "string"}
        if self._readable:
            found = {"responses": {"200": {"description": "Contracts"}}}
            page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
            path["get"] = {**found, "parameters": [page]}
            place = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
            reference["paths"][f"{CONTRACTS}/{{id}}"] = {"get": {**found, "parameters": [place]}}
        return reference
