# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random services of ordinary shapes, each with contracts, a ledger, and one order whose answer is lost.

A number makes the same service each time. What its records are called, and what they show, is drawn once for each
service; the contracts, and what happens around the order, are drawn beside that.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ansible_collections.hosting.reseller.plugins.module_utils._http.client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._http.transport import Answer
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description
from ansible_collections.hosting.reseller.plugins.module_utils._service.openapi_document import OpenApiDocument
from ansible_collections.hosting.reseller.plugins.module_utils._service.service import Service

SERVICE, OWN, LIST = "https://portal.example.org", "4711", "/api/reseller/contracts"
SELF = "__self__"
#: Products by UUID, with the name and the type of each.
PRODUCTS = {
    "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a": ("VPS M", "vps"),
    "8e2f4d63-5b1c-4d9f-8e48-1a7f6f2d3c4b": ("VPS L", "vps"),
    "9b2e1f64-5a1c-4d3e-8f21-7c0d9e8b6a52": ("Dedicated M", "dedicated_server"),
    "c0a8f3d4-5b6e-4f70-8a91-b2c3d4e5f607": ("Webhosting S", "webhosting"),
    "d1b9f4e5-6c7f-4081-9ba2-c3d4e5f60718": ("Webhosting L", "webhosting"),
    "3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f": ("Domain", "domain"),
}
_IDS = ("id", "id", "id", "uuid", "contractId", "number", "vertragsnummer", "code", "ref", "sid", "contract_key", "nr")
_OWNERS = (
    *("endUser", "customer_id", "customer", "owner", "belongsTo", "holder", "tenant", "user_uuid", "kunde", "party"),
    *("assignedTo", "account"),
)
_KEYS = ("hostname", "hostname", "domain", "name", "fqdn", "label", "title", "server_name", "identifier_name")
_NUMBERS = ("vcpus", "term_months", "rack", "invoice_day", "tier", "notice_period", "traffic_tb", "site", "contacts")
_ENVELOPES = ("bare", "data", "items", "results", "member", "contracts", "embedded", "records", "nested")
_PAGING = ("none", "total", "page")


class ListedService(Service):
    """A service that this client answers for, described so in its file, with this OpenAPI document."""

    def __init__(
        self, client: Client, described: Description | None = None, document: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(client.config, described)
        self._client = client
        self._document = OpenApiDocument(SERVICE, document or {})


@dataclass
class Contract:
    """A contract of a service: what it is of, and whose. ``key`` is its hostname or domain."""

    at: int
    product: str
    owner: str
    key: str | None
    status: str = "active"

    @property
    def kind(self) -> str:
        return PRODUCTS[self.product][1]


class RandomService(Client):
    """A service as a client whose requests it answers in this process, with its contracts and their shape."""

    def __init__(self, number: int) -> None:
        super().__init__(ServiceConfig(SERVICE, "k3y-of-the-test", OWN))
        draw = Random(f"shape {number}")
        self.contracts: list[Contract] = []
        self.id_name = draw.choice(_IDS)
        self.id_kind = draw.choice(("number", "uuid", "text"))
        #: Another number at the top that is no id of the path, such as that of the database.
        self.inner_id = self.id_name not in ("id", "uuid") and draw.random() < 0.35
        names_it = self.inner_id or draw.random() < 0.7
        self.parameter = self.id_name if names_it else draw.choice(("id", "contract"))
        self.has_items = self.inner_id or draw.random() < 0.85
        self.owner = draw.choice(_OWNERS) if draw.random() < 0.75 else None
        self.owner_form = draw.choice(("plain", "object", "iri"))
        self.self_form = draw.choice(("null", SELF, "own", "uuid", "missing"))
        self.own_uuid = _uuid(draw)
        self.creator = draw.choice(("createdBy", "orderedBy", "agent")) if draw.random() < 0.25 else None
        self.staff = [_uuid(draw) for _each in range(draw.randint(1, 3))]
        self.customer_number = draw.choice(("customer_number", "clientNo", "reseller")) if draw.random() < 0.2 else None
        self.numbers = {name: draw.randint(1, 4) for name in draw.sample(_NUMBERS, draw.randint(0, 4))}
        self.key_name = draw.choice(_KEYS)
        self.settings = draw.choice(("top", "top", "mapping", "key", "name"))
        self.product_form = draw.choice(("uuid", "uuid", "object", "object", "name", "iri", "own"))
        self.product_name = draw.choice(("product", "product_id", "article", "tariff", "plan"))
        self.envelope, self.paging = draw.choice(_ENVELOPES), draw.choice(_PAGING)
        self.per_page = draw.choice((10, 20, 25))
        self.extra = draw.sample(("ips", "image", "note", "nameservers", "price", "datacenter"), draw.randint(0, 3))

    # What a person can write of it

    @cached_property
    def fields(self) -> dict[str, Any]:
        """Its description, by somebody who saw one contract of each kind, and one of the own organization."""
        above = {"top": "", "mapping": "settings.", "key": "settings.", "name": "settings."}[self.settings]
        is_called = self.key_name in ("hostname", "domain")
        inner = ".id" if self.owner_form == "object" else ""
        lists = {"bare": "", "embedded": "_embedded.contracts", "nested": "data.items"}
        owns: dict[str, Any] = {"null": None, "missing": None, SELF: SELF, "own": OWN, "uuid": self.own_uuid}
        return {
            "path": LIST,
            "records": lists.get(self.envelope, self.envelope),
            "next": {"parameter": "page", "first": 1} if self.paging == "page" else None,
            "id": self.id_name,
            "hostname": above + ("hostname" if is_called else self.key_name),
            "domain": above + ("domain" if is_called else self.key_name),
            "state": "status",
            "ended": ["cancelled"],
            "product": self.product_name + (".id" if self.product_form == "object" else ""),
            **({"end_user": self.owner + inner, "own": [owns[self.self_form]]} if self.owner else {}),
        }

    # What it answers

    def id_of(self, contract: Contract) -> str:
        """The id by which the service reads a contract, and that its portal shows."""
        if self.id_kind == "uuid":
            return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.own_uuid}/{contract.at}"))
        return str(1000 + contract.at) if self.id_kind == "number" else f"V-{1000 + contract.at}"

    def record(self, contract: Contract) -> dict[str, Any]:
        """A contract as this service shows it."""
        shown, spread = Random(f"{self.own_uuid}/{contract.at}"), self.id_of(contract)
        raw: dict[str, Any] = {"id": 90_000 + 7 * contract.at} if self.inner_id else {}
        raw[self.id_name] = int(spread) if self.id_kind == "number" else spread
        raw |= self._owner_of(contract)
        raw |= {
            name: most if shown.random() < 0.7 else shown.randint(1, most + 1) for name, most in self.numbers.items()
        }
        if self.creator:
            raw[self.creator] = shown.choice(self.staff)
        if self.customer_number:
            owners = sorted({each.owner for each in self.contracts})
            raw[self.customer_number] = 5000 + owners.index(contract.owner) if contract.owner in owners else None
        raw |= self._product_of(contract)
        raw |= {"status": contract.status, "created_at": f"2025-10-{1 + contract.at % 28:02}T09:00:00Z"}
        raw |= {"ends_at": "2025-11-30"} if contract.status == "cancelled" else {}
        named = {} if contract.key is None else {self._key_name(contract): contract.key}
        named |= {"template": "debian-12"} if contract.kind in ("vps", "dedicated_server") else {}
        raw |= self._settings(named)
        return raw | {name: self._extra(name, shown, contract) for name in self.extra}

    def _key_name(self, contract: Contract) -> str:
        is_called = self.key_name in ("hostname", "domain")
        return "domain" if is_called and contract.kind == "domain" else "hostname" if is_called else self.key_name

    def _settings(self, named: dict[str, Any]) -> dict[str, Any]:
        if self.settings == "top":
            return named
        if self.settings == "mapping":
            return {"settings": named}
        return {"settings": [{self.settings: name, "value": value} for name, value in named.items()]}

    def _owner_of(self, contract: Contract) -> dict[str, Any]:
        if self.owner is None:
            return {}
        value: Any = contract.owner
        if contract.owner == SELF:
            value = {"null": None, SELF: SELF, "own": OWN, "uuid": self.own_uuid}.get(self.self_form, "")
            if value == "":
                return {}
        if value in (None, SELF):
            return {self.owner: value}
        forms = {"plain": value, "object": {"id": value, "name": "Somebody"}, "iri": f"/api/users/{value}"}
        return {self.owner: forms[self.owner_form]}

    def _product_of(self, contract: Contract) -> dict[str, Any]:
        name, kind = PRODUCTS[contract.product]
        forms: dict[str, Any] = {
            "uuid": contract.product,
            "object": {"id": contract.product, "name": name},
            "name": name,
            "iri": f"/api/reseller/products/{contract.product}",
            # A number of its own, which nothing of the catalogue shows.
            "own": 70 + [*PRODUCTS].index(contract.product),
        }
        return {self.product_name: forms[self.product_form], "type": kind}

    def _extra(self, name: str, shown: Random, contract: Contract) -> Any:
        return {
            "ips": [{"ip": f"192.0.2.{shown.randint(1, 250)}", "rdns": f"host-{contract.at}.rev.example.net"}],
            "image": self.staff[0],
            "note": shown.choice(("", "second rack", "ask sales")),
            "nameservers": ["ns1.example.net", "ns2.example.net"] if contract.kind == "domain" else [],
            "price": {"net": shown.choice((4.9, 9.9)), "currency": "EUR"},
            "datacenter": {"id": 3, "name": "FRA1"},
        }[name]

    def get(self, target: str, **_options: Any) -> Answer:
        parts = urlsplit(target)
        wanted, query = unquote(parts.path[len(LIST) + 1 :]), parse_qs(parts.query)
        if wanted:
            found = (
                next((each for each in self.contracts if self.id_of(each) == wanted), None) if self.has_items else None
            )
            if found is None:
                return Answer(404, target, b'{"message": "Not found"}')
            return Answer(200, target, json.dumps(self.answer_to(found)).encode())
        return self._page(target, {name: values[0] for name, values in query.items()})

    def acting_for(self, _organization_id: str) -> RandomService:
        return self

    def _page(self, target: str, query: Mapping[str, str]) -> Answer:
        rows, size = [self.record(each) for each in self.contracts], self.per_page
        first = (int(query.get("page", 1)) - 1) * size
        page = rows[first : first + size] if self.paging == "page" else rows
        beside = {} if self.paging == "none" else {"total": len(rows)}
        headers = {"X-Total-Count": str(len(rows))} if self.envelope == "bare" and beside else {}
        forms: dict[str, Any] = {
            "bare": page,
            "embedded": {"_embedded": {"contracts": page}, **beside},
            "nested": {"data": {"items": page}, "meta": beside},
        }
        body = forms.get(self.envelope, {self.envelope: page, **beside})
        return Answer(200, target, json.dumps(body).encode(), headers)

    def answer_to(self, contract: Contract) -> Any:
        """The body of its answer to an order, or for one contract."""
        record = self.record(contract)
        return {"data": record} if self.envelope == "data" else record

    @cached_property
    def document(self) -> dict[str, Any]:
        """Its OpenAPI document."""
        page = {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}
        parameters = [page] if self.paging == "page" else []
        order = {"endUser": {"type": "string"}, "product": {"type": "string"}, "settings": {"type": "object"}}
        content = {"application/json": {"schema": {"type": "object", "properties": order}}}
        paths: dict[str, Any] = {
            LIST: {"post": {"requestBody": {"content": content}}, "get": {"parameters": parameters}}
        }
        if self.has_items:
            paths[f"{LIST}/{{{self.parameter}}}"] = {"get": {}}
        return {"openapi": "3.1.0", "paths": paths}


@dataclass
class Story:
    """One order at a service: what is recorded before it, what is there, and what became of it.

    ``made`` is the contract that the order bought, whose id the cut-off answer showed if ``is_answered``.
    ``undecidable`` says why no rule can tell it from another one. ``users`` are end users that have contracts.
    """

    service: RandomService
    users: list[str]
    recorded: list[Contract]
    product: str
    owner: str
    key: str | None
    duplicate: bool = False
    made: Contract | None = None
    is_answered: bool = False
    after: list[Contract] = field(default_factory=list)
    undecidable: str = ""

    @property
    def kind(self) -> str:
        return PRODUCTS[self.product][1]


def story(number: int) -> Story:
    """The story of this number, with the service before the order."""
    service, draw = RandomService(number), Random(f"story {number}")
    users = [_uuid(draw) for _each in range(draw.randint(1, 4))]
    for _each in range(draw.choice((0, 1, 2, 4, 6, 9, 14, 30))):
        _add(service, draw, draw.choice((SELF, SELF, *users)))
    recorded = [each for each in service.contracts if draw.random() < draw.choice((0.2, 0.9))]
    owner, product = draw.choice((SELF, SELF, *users, _uuid(draw))), draw.choice(list(PRODUCTS))
    drawn = Story(service, users, recorded, product, owner, _key(product, "new"))
    _draw_before(drawn, draw)
    _draw_after(drawn, draw)
    return drawn


def _uuid(draw: Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


def _key(product: str, name: str) -> str | None:
    kind = PRODUCTS[product][1]
    return {"webhosting": None, "domain": f"{name}.example"}.get(kind, f"{name}.example.org")


def _add(service: RandomService, draw: Random, owner: str, product: str = "", key: str | None = None) -> Contract:
    """A further contract of a service."""
    place, chosen = len(service.contracts), product or draw.choice(list(PRODUCTS))
    service.contracts.append(Contract(place, chosen, owner, key or _key(chosen, f"host{place}")))
    return service.contracts[-1]


def _draw_before(drawn: Story, draw: Random) -> None:
    """What is at the service already that is like the order, or looks so."""
    service, chance = drawn.service, draw.random()
    if chance < 0.06:
        # Bought before, and the ledger lacks it.
        _add(service, draw, drawn.owner, drawn.product, drawn.key)
        drawn.duplicate = True
    elif chance < 0.12 and drawn.kind not in ("webhosting", "domain"):
        # Others may call their hosts as they like.
        others = [each for each in (SELF, *drawn.users) if each != drawn.owner]
        _add(service, draw, draw.choice(others), drawn.product, drawn.key)
    elif chance < 0.15:
        _add(service, draw, drawn.owner, drawn.product, drawn.key).status = "cancelled"
    drawn.duplicate |= drawn.kind == "webhosting" and any(
        (each.product, each.owner, each.status) == (drawn.product, drawn.owner, "active") and each not in drawn.recorded
        for each in service.contracts
    )


def _draw_after(drawn: Story, draw: Random) -> None:
    """What comes to the service while the order is in doubt."""
    service, before = drawn.service, len(drawn.service.contracts)
    if draw.random() < 0.8:
        drawn.made = _add(service, draw, drawn.owner, drawn.product, drawn.key)
        drawn.is_answered = draw.random() < 0.25
    if draw.random() < 0.3:
        _add(service, draw, draw.choice((SELF, *drawn.users)))
    if draw.random() < 0.04:
        # Somebody buys by hand what the order wanted.
        by_hand = draw.choice([drawn.owner, *drawn.users])
        _add(service, draw, by_hand, drawn.product, drawn.key)
        if by_hand == drawn.owner:
            drawn.undecidable = "bought by hand after the order, for the same end user"
        elif service.owner is None:
            drawn.undecidable = "bought by hand after the order, in a list that shows no owner"
    drawn.after = service.contracts[before:]
    del service.contracts[before:]
