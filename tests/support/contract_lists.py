# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ledger and a service that lists contracts, both in this process, to judge orders by."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reader import ContractReader
from ansible_collections.hosting.reseller.plugins.module_utils._contracts.reconciling import Reconciler
from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    ListedIds,
    Outcome,
    Record,
    Request,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.reference import Reference

SERVICE, OWN = "https://portal.example.org", "4711"
LIST = "/api/reseller/contracts"
VPS, VPS_L, WEBHOSTING = (
    "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a",
    "8e2f4d63-5b1c-4d9f-8e48-1a7f6f2d3c4b",
    "c0a8f3d4-5b6e-4f70-8a91-b2c3d4e5f607",
)
PRODUCTS = {VPS: "VPS M", VPS_L: "VPS L", WEBHOSTING: "Webhosting S"}
CLAIMED = "2026-11-21T12:00:00Z"

#: Answers for a list (``None``) or an item, by its id, in an organization.
Respond = Callable[["str | None", str], Any]
NOT_FOUND = Answer(404, SERVICE, b'{"message": "Not found"}')


class InProcessClient(Client):
    """A client whose requests a function answers: with a JSON value, or an Answer."""

    def __init__(self, config: ServiceConfig, respond: Respond) -> None:
        super().__init__(config)
        self._respond = respond
        self.requests: list[str] = []

    def acting_for(self, organization_id: str) -> InProcessClient:
        """The same, in another organization."""
        client = InProcessClient(replace(self.config, organization_id=organization_id), self._respond)
        client.requests = self.requests
        return client

    def get(self, target: str, **_options: Any) -> Answer:
        path = urlsplit(target).path
        self.requests.append(path)
        found = self._respond(unquote(path[len(LIST) + 1 :]) or None, self.config.organization_id)
        return found if isinstance(found, Answer) else Answer(200, target, json.dumps(found).encode())


def order(hostname: str | None = "web01.example.org", **changes: Any) -> Record:
    """A record of an order in doubt, before which nothing like it was listed."""
    outcome = {"contract_id": None, "possible_id": None}
    outcome = {key: changes.pop(key, None) for key in outcome}
    request = {
        "name": changes.pop("name", hostname or "shop"),
        "service": SERVICE,
        "organization_id": OWN,
        "end_user": "__self__",
        "product": VPS if hostname else WEBHOSTING,
        "product_name": None,
        "product_type": "vps" if hostname else "webhosting",
        "settings": {"hostname": hostname} if hostname else {},
        "evidence": ListedIds(frozenset(), absent=True),
    }
    request |= {key: changes.pop(key) for key in list(changes) if key in request}
    ended = Outcome(changes.pop("status", "in_doubt"), **outcome)
    made = Request(**{**request, "product_name": PRODUCTS.get(request["product"])})
    return Record(made.name, ended, made, "run", changes.pop("claimed_at", CLAIMED), None, CLAIMED, **changes)


def bought(contract_id: str, hostname: str | None, **changes: Any) -> Record:
    """A recorded contract."""
    return order(hostname, status="ordered", contract_id=contract_id, **changes)


def reads_items(records: Sequence[Mapping[str, Any]], *places: str) -> Respond:
    """A service that lists these records, and shows each by its id, which stands at one of these places."""

    def respond(wanted: str | None, organization: str) -> Any:
        del organization
        if wanted is None:
            return {"data": records, "total": len(records)}
        return next(
            (each for each in records for place in places or ("id",) if str(each.get(place)) == wanted), NOT_FOUND
        )

    return respond


def reconciler_of(
    records: Sequence[Record],
    respond: Respond,
    organizations: Mapping[str, str] | None = None,
    parameter: str = "id",
) -> tuple[Reconciler, InProcessClient]:
    """A reconciler for a ledger with these records, and the client that it reads with.

    ``parameter`` is that of the published path of one contract.
    """
    config = ServiceConfig(SERVICE, "k3y-of-the-test", OWN)
    client = InProcessClient(config, respond)
    paths = {LIST: {"get": {}}, f"{LIST}/{{{parameter}}}": {"get": {}}}
    reference = Reference(SERVICE, {"openapi": "3.1.0", "paths": paths})
    reader = ContractReader(client, lambda: reference, records, products=lambda: PRODUCTS, organizations=organizations)
    return Reconciler(reader), client
