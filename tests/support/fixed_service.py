# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service that answers the same order always in the same way, for tests that compare one run with another."""

from __future__ import annotations

import json
import uuid

from tests.support.http_server import Received, Reply

VPS = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a"
WEBHOSTING = "c0a8f3d4-5b6e-4f70-8a91-b2c3d4e5f607"
END_USER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11"
API_KEY = "fixed-key-51b0c9d8e7f6"
ORGANIZATION_ID = "4711"

REFERENCE = {
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


def answer(request: Received) -> Reply:
    """Accept every order but those for a hostname that begins with the name of a fault."""
    if request.method == "GET":
        return Reply(CATALOGUE if request.path.endswith("/products") else REFERENCE)
    order = json.loads(request.body)
    hostname = str(order.get("settings", {}).get("hostname", ""))
    if hostname.startswith("refused"):
        return Reply({"title": "Refused", "detail": "No such thing.", "api_key_was": API_KEY}, 422)
    if hostname.startswith("lost"):
        return Reply({"title": "Broken"}, 500)
    if hostname.startswith("silent"):
        return Reply(b"", 201)
    name = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(order, sort_keys=True))
    return Reply({"id": str(name), "echo": order}, 201)
