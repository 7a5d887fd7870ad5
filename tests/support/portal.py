# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A small portal with state, and its reference in OpenAPI 2.0, 3.0 and 3.1, for tests that count requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.support.http_server import Received, Reply

ORDERS = "/api/reseller/contracts"
KEYS = "/api/reseller/keys"
KEY = f"{KEYS}/{{id}}"
INVOICES = "/api/reseller/invoices"
VERSIONS = ("2.0", "3.0.3", "3.1.0")

_TEXT = {"type": "string"}


def schemas(version: str) -> dict[str, Any]:
    """The schemas of the portal as a version writes them."""
    nullable: dict[str, Any] = {"type": ["string", "null"]} if version == "3.1.0" else {"type": "string"}
    more: dict[str, Any] = {"3.0.3": {"nullable": True}, "2.0": {"x-nullable": True}}.get(version, {})
    bound = {"minimum": 0, "exclusiveMinimum": True} if version != "3.1.0" else {"exclusiveMinimum": 0}
    return {
        "Key": {
            "type": "object",
            "required": ["id", "label"],
            "properties": {
                "id": {"type": "integer", "readOnly": True},
                "label": {"type": "string", "maxLength": 40, "description": "Shown in the portal"},
                "kind": {"type": "string", "enum": ["rsa", "ed25519"]},
                "bits": {"type": "integer", **bound},
                "note": {**nullable, **more},
                "passphrase": {"type": "string", "format": "password"},
                "unlock": {"type": "string", "format": "password"},
                "tags": {"type": "array", "items": _TEXT},
            },
        },
        "Job": {
            "type": "object",
            "properties": {"status": {"type": "string", "enum": ["queued", "running", "done", "failed"]}},
        },
    }


def parameter(version: str, name: str, place: str, schema: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A parameter as a version writes it."""
    if version == "2.0":
        several = {"collectionFormat": "multi"} if schema.get("type") == "array" else {}
        return {"name": name, "in": place, **schema, **several, **more}
    return {"name": name, "in": place, "schema": dict(schema), **more}


class Portal:
    """What the server at ``script`` answers. ``faults`` are taken for the next requests that are no reads."""

    def __init__(self, version: str = "3.0.3") -> None:
        self.version = version
        self.keys: dict[int, dict[str, Any]] = {1: {"id": 1, "label": "first", "kind": "rsa"}}
        self.invoices = [{"id": number, "total": f"{number}.00"} for number in range(1, 26)]
        self.page_size = 10
        self.faults: list[Callable[[Received], Reply | None]] = []
        self.job = ["queued", "running", "done"]
        self.change: Callable[[dict[str, Any]], None] = lambda document: None
        self.last_page: int | None = None

    # The reference

    def document(self) -> dict[str, Any]:
        """The reference in this version."""
        version = self.version
        keys = {"type": "object", "properties": {"data": {"type": "array", "items": self.reference("Key")}}}
        ident = parameter(version, "id", "path", {"type": "integer"}, required=True)
        tags = parameter(version, "tags", "query", {"type": "array", "items": _TEXT})
        trace = parameter(version, "X-Trace", "header", _TEXT)
        page = parameter(version, "page", "query", {"type": "integer", "minimum": 1})
        document: dict[str, Any] = {
            "info": {"title": "Portal", "version": "1"},
            "paths": {
                ORDERS: {"post": self.operation("order", "Order", body={"type": "object"})},
                KEYS: {
                    "get": self.operation("listKeys", "List keys", answer=keys, tags=["Keys"]),
                    "post": self.operation("addKey", "Add a key", body=self.reference("Key"), tags=["Keys"]),
                },
                KEY: {
                    "parameters": [ident],
                    "get": self.operation("getKey", "Show a key", answer=self.reference("Key"), tags=["Keys"]),
                    "put": self.operation(
                        "putKey", "Replace a key", [tags, trace], self.reference("Key"), tags=["Keys"]
                    ),
                    "delete": self.operation("dropKey", "Remove a key", tags=["Keys"]),
                },
                "/api/reseller/servers/{id}/reset": {"post": self.operation("reset", "Reset", [ident])},
                "/api/reseller/jobs/{id}": {
                    "get": self.operation("job", "Show a job", [ident], answer=self.reference("Job"))
                },
                INVOICES: {"get": self.operation("invoices", "List invoices", [page])},
                "/api/reseller/search": {
                    "post": self.operation("search", "Search", body={"type": "object", "properties": {"q": _TEXT}})
                },
                "/api/reseller/nowhere": {
                    "put": self.operation("nowhere", "Cannot be read", body=self.reference("Key"))
                },
            },
        }
        if version == "2.0":
            document |= {"swagger": "2.0", "consumes": ["application/json"], "definitions": schemas(version)}
        else:
            document |= {"openapi": version, "components": {"schemas": schemas(version)}}
        self.change(document)
        return document

    def reference(self, name: str) -> dict[str, Any]:
        return {"$ref": f"#/{'definitions' if self.version == '2.0' else 'components/schemas'}/{name}"}

    def operation(
        self,
        name: str,
        summary: str,
        parameters: list[Any] | None = None,
        body: Any = None,
        answer: Any = None,
        tags: list[str] | None = None,
    ) -> dict[str, Any]:
        found = [*(parameters or [])]
        described: dict[str, Any] = {"operationId": name, "summary": summary, "parameters": found, "tags": tags or []}
        if body is not None and self.version == "2.0":
            found.append({"in": "body", "name": "body", "required": True, "schema": body})
        elif body is not None:
            described["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
        shown = {"description": "Yes"}
        if answer is not None:
            held = {"schema": answer}
            shown |= held if self.version == "2.0" else {"content": {"application/json": held}}
        return {**described, "responses": {"200": shown}}

    # The service

    def __call__(self, request: Received) -> Reply:
        if request.path == "/api/docs":
            return Reply(self.document())
        if request.method not in ("GET", "HEAD") and self.faults:
            reply = self.faults.pop(0)(request)
            if reply is not None:
                return reply
        if request.path == KEYS:
            return self._keys(request)
        if request.path.startswith(f"{KEYS}/"):
            return self._key(request, int(request.path.rpartition("/")[2]))
        if request.path == INVOICES:
            return self._invoices(int(request.query.get("page", "1")))
        return self._others(request)

    def _others(self, request: Received) -> Reply:
        if request.path.endswith("/reset"):
            return Reply({"job": 7}, 202, {"Location": "/api/reseller/jobs/7"})
        if request.path.startswith("/api/reseller/jobs/"):
            status = self.job.pop(0) if len(self.job) > 1 else self.job[0]
            return Reply({"status": status})
        if request.path == "/api/reseller/search":
            return Reply({"found": [json.loads(request.body)["q"]]})
        if request.path == "/api/reseller/products":
            return Reply([])
        return Reply({"message": "There is nothing here."}, 404)

    def _keys(self, request: Received) -> Reply:
        if request.method in ("GET", "HEAD"):
            return Reply({"data": list(self.keys.values())})
        given = json.loads(request.body)
        number = max(self.keys, default=0) + 1
        self.keys[number] = {"id": number, **given, "added": True}
        return Reply({**self.keys[number], "api_token": "told-once-5577"}, 201)

    def _key(self, request: Received, number: int) -> Reply:
        if number not in self.keys:
            return Reply({"message": "No such key."}, 404)
        if request.method == "DELETE":
            del self.keys[number]
            return Reply(None, 204)
        if request.method == "PUT":
            given = json.loads(request.body)
            shown = {name: value for name, value in given.items() if name not in ("passphrase", "unlock")}
            # The service adds elements of its own.
            self.keys[number] = {"id": number, **shown, "fingerprint": "aa:bb", "updated": True}
        return Reply({"data": self.keys[number]})

    def _invoices(self, page: int) -> Reply:
        last = -(-len(self.invoices) // self.page_size)
        at = min(page, self.last_page or page) - 1
        records = self.invoices[at * self.page_size : (at + 1) * self.page_size]
        meta = {"total": len(self.invoices), "current_page": page, "last_page": last}
        following = f"{INVOICES}?page={page + 1}" if page < last else None
        return Reply({"data": records, "meta": meta, "links": {"next": following}})


def cut(request: Received) -> Reply:
    """The connection ends after the request was received."""
    return Reply(cut=True)
