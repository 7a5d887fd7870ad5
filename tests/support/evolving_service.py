# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service whose published reference changes, and with it the elements of an order that it takes."""

from __future__ import annotations

import json
import uuid
from typing import Any

from .http_server import Received, Reply


def learned(end_user: str, product: str) -> dict[str, Any]:
    properties = {
        end_user: {"type": "string", "description": "UUID of the end-user, or __self__"},
        product: {"type": "string", "format": "uuid", "description": "UUID of the product"},
        "settings": {"type": "object"},
    }
    schema = {"type": "object", "required": [end_user, product], "properties": properties}
    content = {"application/json": {"schema": schema}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Reseller", "version": "1"},
        "paths": {"/api/reseller/contracts": {"post": {"requestBody": {"content": content}}}},
    }


class EvolvingService:
    """A service whose element names can change; it refuses an order with others."""

    def __init__(self, status: int = 422) -> None:
        self.names = ("endUser", "product")
        self.status = status

    def __call__(self, request: Received) -> Reply:
        if request.method == "GET":
            return Reply(learned(*self.names)) if request.path.endswith(".json") else Reply(None, 404)
        known = set(json.loads(request.body)) == {*self.names, "settings"}
        return (
            Reply({"id": str(uuid.uuid4())}, 201) if known else Reply({"message": "This form is unknown"}, self.status)
        )
