# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the portal does beside ordering, as services of each kind may publish it. Its description shows none of it.

It believes what it is sent: who sends it has read the reference.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import data
from .http_server import Received, Reply
from .shapes.base import Refusal

if TYPE_CHECKING:
    from .service import Handler, Service

BASE = "/api/reseller"
INVOICES = f"{BASE}/invoices"
KEYS = f"{BASE}/ssh-keys"
SERVERS = f"{BASE}/servers"
#: The server of each organization.
SERVER = "9d3c1f7e-2a64-4b0b-8c51-6f0e7a91d2b4"
OWNERS = {SERVER: data.ORGANIZATION_ID, "1c7f5a90-63ab-4d0e-9a0b-2b8e5f7c4d31": data.END_USER_ORGANIZATION_ID}
INVOICE_COUNT = 27
FIRST_KEY = 41
#: How often a task is read before it is done.
STEPS = ("queued", "running", "done")
LONGEST_LABEL = 80
STRING: dict[str, Any] = {"type": "string"}


@dataclass(frozen=True)
class Route:
    """An operation: its method and path, what it is called, and what it takes."""

    method: str
    path: str
    tag: str
    summary: str
    handler: str
    success: int = 200
    body: str = ""
    shown: str = ""
    required: bool = True
    paged: bool = False


ROUTES = (
    Route("delete", f"{BASE}/contracts/{{id}}", "Contracts", "Cancel a contract", "cancel", 204),
    Route("post", f"{BASE}/contracts/{{id}}/documents", "Contracts", "Upload a document", "upload", 201),
    Route("get", f"{BASE}/contracts/{{id}}/label", "Contracts", "Show the label of a contract", "label", shown="Label"),
    Route("put", f"{BASE}/contracts/{{id}}/label", "Contracts", "Rename a contract", "rename", body="Label"),
    Route("get", f"{SERVERS}/{{id}}", "Servers", "Show a server", "server", shown="Server"),
    Route("post", f"{SERVERS}/{{id}}/reset", "Servers", "Reset a server", "restart", 202, "Reset", required=False),
    Route("get", f"{BASE}/tasks/{{id}}", "Servers", "Show how far a task is", "task", shown="Task"),
    Route("get", INVOICES, "Invoices", "List the invoices", "invoices", paged=True),
    Route("get", KEYS, "SSH keys", "List the SSH keys", "keys"),
    Route("post", KEYS, "SSH keys", "Add an SSH key", "add_key", 201, "SshKey"),
    Route("get", f"{KEYS}/{{id}}", "SSH keys", "Show an SSH key", "key", shown="SshKey"),
    Route("delete", f"{KEYS}/{{id}}", "SSH keys", "Remove an SSH key", "remove_key", 204),
)


SCHEMAS: dict[str, Any] = {
    "Label": {
        "type": "object",
        "required": ["label"],
        "properties": {
            "label": {**STRING, "maxLength": LONGEST_LABEL, "description": "What the portal shows instead of the id"},
            "comment": {**STRING, "nullable": True, "maxLength": 200},
        },
    },
    "Reset": {
        "type": "object",
        "properties": {
            "mode": {**STRING, "enum": ["soft", "hard"], "default": "soft", "description": "How it is switched off"}
        },
    },
    "Server": {
        "type": "object",
        "properties": {"id": STRING, "status": {**STRING, "enum": ["running", "resetting", "failed"]}},
    },
    "Task": {
        "type": "object",
        "properties": {"id": STRING, "status": {**STRING, "enum": [*STEPS, "failed"]}},
    },
    "SshKey": {
        "type": "object",
        "required": ["id", "label", "public_key"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "label": {**STRING, "maxLength": LONGEST_LABEL, "description": "Unique among your keys"},
            "public_key": {**STRING, "description": "As ssh-keygen writes it"},
            "fingerprint": {**STRING, "readOnly": True},
        },
    },
}


@dataclass(slots=True)
class Operations:
    """The state behind the operations of one simulated service."""

    service: Service
    labels: dict[str, dict[str, Any]] = field(default_factory=dict)
    key_records: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    tasks: dict[str, list[str]] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)

    def handler(self, request: Received) -> Handler | None:
        """What answers a request, if it is for one of these operations."""
        for route in ROUTES:
            pattern = re.escape(route.path).replace(r"\{id\}", "([^/]+)")
            match = re.fullmatch(pattern, request.path)
            if match and route.method.upper() == request.method:
                return partial(self.answer, route, unquote(match[1]) if match.groups() else "")
        return None

    def answer(self, route: Route, key: str, request: Received, organization: data.Organization) -> Reply:
        """Do what a request asks for."""
        if route.handler == "upload":
            return self.upload(request)
        given = json.loads(request.body or b"{}")
        handler: Callable[[str, Any, str, Received], Any] = getattr(self, route.handler)
        shown = handler(key, given, organization.id, request)
        if isinstance(shown, Reply):
            return shown
        if route.success == 204:
            return Reply(status=204)
        return self.service.shape.enveloped(shown, route.success)

    # Contracts

    def owned(self, key: str, organization: str) -> str:
        """A contract or server of this organization; others are not to be seen."""
        orders = {each.id: each.organization for each in (*self.service.orders, *self.service.contracts.bought_by_hand)}
        if {**OWNERS, **orders}.get(key) != organization:
            raise Refusal(404, "There is no such contract.")
        return key

    def cancel(self, key: str, given: Any, organization: str, request: Received) -> None:
        """End a contract of this organization."""
        self.service.contracts.cancel(self.owned(key, organization))

    def upload(self, request: Received) -> Reply:
        """Take a form with a file, and nothing else."""
        if not request.headers.get("Content-Type", "").startswith("multipart/form-data"):
            raise Refusal(415, "A document is sent as multipart/form-data.")
        return Reply(status=201)

    def label(self, key: str, given: Any, organization: str, request: Received) -> Any:
        """The label of a contract."""
        return self.labels.get(self.owned(key, organization), {"label": "", "comment": None})

    def rename(self, key: str, given: Any, organization: str, request: Received) -> Any:
        """Give a contract a label; the service adds when that was."""
        self.labels[self.owned(key, organization)] = {"comment": None, **given, "changed_by": "api"}
        return self.labels[key]

    # Servers

    def server(self, key: str, given: Any, organization: str, request: Received) -> Any:
        """A server, which is being reset until its task was read often enough."""
        key = self.owned(key, organization)
        busy = any(self.owners.get(task) == key and len(left) > 1 for task, left in self.tasks.items())
        return {"id": key, "hostname": f"{key[:8]}.example.org", "status": "resetting" if busy else "running"}

    def restart(self, key: str, given: Any, organization: str, request: Received) -> Reply:
        """Begin to reset a server."""
        task = str(uuid.uuid4())
        self.tasks[task], self.owners[task] = list(STEPS), self.owned(key, organization)
        return self.service.shape.enveloped({"task": task}, 202, Location=f"{BASE}/tasks/{task}")

    def task(self, key: str, given: Any, organization: str, request: Received) -> Any:
        """How far a task is: one step further with each look."""
        if key not in self.tasks:
            raise Refusal(404, "There is no such task.")
        self.owned(self.owners[key], organization)
        left = self.tasks[key]
        return {"id": key, "status": left.pop(0) if len(left) > 1 else left[0]}

    # Invoices

    def invoices(self, key: str, given: Any, organization: str, request: Received) -> Reply:
        """A page of the invoices."""
        numbers = range(1, INVOICE_COUNT + 1)
        found = [{"id": f"{organization}-{number:05d}", "total": f"{number}.90"} for number in numbers]
        return self.service.paged(request, INVOICES, found)

    # SSH keys

    def own_keys(self, organization: str) -> dict[int, dict[str, Any]]:
        """The keys of an organization; each has one from the start."""
        first = {
            "id": FIRST_KEY,
            "label": "office",
            "public_key": "ssh-ed25519 AAAA office",
            "fingerprint": "SHA256:office",
        }
        return self.key_records.setdefault(organization, {FIRST_KEY: first})

    def keys(self, key: str, given: Any, organization: str, request: Received) -> Reply:
        """All keys."""
        return self.service.paged(request, KEYS, list(self.own_keys(organization).values()))

    def add_key(self, key: str, given: Any, organization: str, request: Received) -> Any:
        """Add a key, also one that is there: the service knows no idempotency."""
        own = self.own_keys(organization)
        number = max(own, default=FIRST_KEY) + 1
        own[number] = {"id": number, **given, "fingerprint": f"SHA256:{number}"}
        return own[number]

    def key(self, key: str, given: Any, organization: str, request: Received) -> Any:
        """One key."""
        own = self.own_keys(organization)
        if not key.isdecimal() or int(key) not in own:
            raise Refusal(404, "There is no such key.")
        return own[int(key)]

    def remove_key(self, key: str, given: Any, organization: str, request: Received) -> None:
        """Remove a key."""
        self.key(key, given, organization, request)
        del self.own_keys(organization)[int(key)]
