# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Services made up at random, with records that look like an order's contract: none is settled wrongly.

Left out is what no rule can tell: somebody who buys the same by hand in the same minute, a contract that a list shows
late, and a stranger's where fewer than two recorded contracts show whose they are.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.values import OrderedValues
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import ClaimEvidence, Record
from tests.support.contract_lists import NOT_FOUND, PRODUCTS, VPS, VPS_L, bought, order, reconciler_of

WEB = "web01.example.org"
USERS = [str(uuid.UUID(int=number, version=4)) for number in range(1, 4)]
BEFORE, AFTER = "2026-11-20T08:00:00Z", "2026-11-21T12:00:04Z"


def put(record: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a path such as ``server/name``."""
    *outer, last = path.split("/")
    for name in outer:
        record = record.setdefault(name, {})
    record[last] = value


@dataclass
class RandomService:
    """How one service writes its records, which it lists, and what was really bought."""

    seed: int
    chance: random.Random = field(init=False)
    listed: list[dict[str, Any]] = field(default_factory=list)
    by_id: dict[str, dict[str, Any]] = field(default_factory=dict)
    older: str | None = None
    ours: int = 0

    def __post_init__(self) -> None:
        self.chance = pick = random.Random(self.seed)
        self.id_at = pick.choice(["id", "uuid", "@id", "contractId", "number", "identifier"])
        self.owner_id_first = self.id_at not in ("id", "number") and pick.random() < 0.4
        self.host_at = pick.choice(["hostname", "name", "server/hostname", "rechner/bezeichnung", "settings/hostname"])
        self.product_at = pick.choice(["product", "product/id", "plan", "tarif/name", "offer/uuid"])
        self.product_by_name = pick.random() < 0.3
        self.user_at = pick.choice([None, "endUser", "customer/id", "inhaber", "owner/uuid"])
        self.account_at = pick.choice([None, None, "kundennummer", "account/number", "billing/mail"])
        self.state_at = pick.choice([None, "status", "state"])
        self.label_at = pick.choice([None, "label", "notiz/titel", "displayName"])
        self.names_addresses = pick.random() < 0.3
        self.upgrades = pick.random() < 0.3
        self.items = pick.choice(["right", "right", "right", "ignore the id", "none"])

    def add(self, hostname: str | None, product: str, user: str, made: str, **more: Any) -> str:
        """A contract that is listed from now on: its id."""
        pick = self.chance
        id_ = str(pick.randrange(100, 10_000)) if self.id_at == "number" else str(uuid.UUID(int=pick.getrandbits(128)))
        record: dict[str, Any] = {"id": 4} if self.owner_id_first else {}
        record[self.id_at if self.id_at != "number" else "id"] = (
            f"/api/reseller/contracts/{id_}" if self.id_at == "@id" else id_
        )
        put(record, self.product_at, PRODUCTS[product] if self.product_by_name else product)
        if hostname:
            put(record, self.host_at, hostname)
        if self.user_at and user != "__self__":
            put(record, self.user_at, user)
        if self.account_at:
            number = 1000 + [*USERS, "__self__"].index(user)
            put(record, self.account_at, f"{number}@example.org" if self.account_at.endswith("mail") else number)
        if self.state_at:
            put(record, self.state_at, "active")
        record["createdAt"] = made
        if self.label_at:
            put(record, self.label_at, pick.choice(["shop", "My server", hostname or "x"]))
        if self.names_addresses:
            record["ips"] = [{"ip": "192.0.2.1", "rdns": pick.choice([hostname, f"host{id_[:4]}.example.net"])}]
        if self.upgrades:
            record["upgrades"] = [{"product": VPS_L}, {"product": VPS}]
        record |= more
        self.listed.append(record)
        self.by_id[id_] = record
        return id_

    def respond(self, wanted: str | None, _organization: str) -> Any:
        if wanted is None:
            return {"data": self.listed, "total": len(self.listed)}
        if self.items == "ignore the id":
            return self.listed[-1] if self.listed else NOT_FOUND
        return self.by_id.get(wanted, NOT_FOUND) if self.items == "right" else NOT_FOUND

    def history(self) -> list[Record]:
        """Contracts from before, some of them recorded."""
        pick, recorded = self.chance, []
        for number in range(pick.choice([0, 0, 1, 2, 4])):
            user, product = pick.choice(["__self__", *USERS[:1]]), pick.choice([VPS, VPS_L])
            id_ = self.add(f"host{number}.example.org", product, user, BEFORE)
            if pick.random() < 0.6:
                self.ours += user == "__self__"
                recorded.append(bought(id_, f"host{number}.example.org", end_user=user, product=product))
        if pick.random() < 0.2:
            self.older = self.add(WEB, VPS, "__self__", BEFORE)
        return recorded

    def meanwhile(self) -> None:
        """What happens between the look before the order and the one after it, beside the order."""
        pick, there = self.chance, [*self.listed]
        events = {
            "L2VPN": lambda: self.add(None, VPS_L, "__self__", AFTER, members=[WEB, "host0.example.org"]),
            "backup": lambda: self.add("backup-7.example.net", VPS, "__self__", AFTER, source=WEB),
            "stranger": lambda: (
                self.add(WEB, VPS, USERS[2], AFTER) if self.user_at or (self.account_at and self.ours > 1) else None
            ),
            "of two": lambda: self.add(WEB, VPS, USERS[0], AFTER, createdBy=USERS[1]),
            "renamed to it": lambda: (
                put(pick.choice(there), self.host_at, WEB) if there and self.older is None else None
            ),
            "failed": lambda: self.add(WEB, VPS, "__self__", AFTER, **{self.state_at or "cancelledAt": "failed"}),
            "label": lambda: (
                put(pick.choice(self.listed), self.label_at, WEB) if self.listed and self.label_at else None
            ),
            "renamed": lambda: self.add("other.example.org", VPS, "__self__", AFTER, history=[{"was": WEB}]),
            "upgraded": lambda: self.add(WEB, VPS_L, "__self__", AFTER),
            "renewed": self.renew,
        }
        for event in events.values():
            if pick.random() < 0.1:
                event()

    def renew(self) -> None:
        """Cancel the older contract of the order's hostname, and renew it under a new id."""
        if self.older is not None:
            self.listed.remove(self.by_id.pop(self.older))
            self.add(WEB, VPS, "__self__", AFTER)


def attack(seed: int) -> tuple[str, list[str]]:
    """How the order of one service ended: ``right``, ``wrong`` or ``open``, with the evidence."""
    service = RandomService(seed)
    pick, recorded = service.chance, service.history()
    user = pick.choice(["__self__", "__self__", USERS[0], USERS[1]])
    asked = order(WEB, end_user=user)
    known = [order(f"{each[:4]}.example.org", end_user=each, status="rejected") for each in USERS[:2]]
    recorded += known if pick.random() < 0.5 else []
    assert asked.request is not None
    before, _client = reconciler_of(recorded, service.respond)
    look = before.existing(OrderedValues(asked.request))
    evidence = ClaimEvidence(None, look.ids, look.absent) if pick.random() < 0.95 else None
    there = pick.choice([*service.by_id, None])
    service.meanwhile()
    made = service.add(WEB, VPS, user, AFTER) if pick.random() < 0.7 else None
    if made and pick.random() < 0.2:
        service.listed.remove(service.by_id[made])
    pick.shuffle(service.listed)
    told = pick.choice([None, None, None, None, made, str(pick.randrange(1, 20)), there])
    doubtful = replace(
        asked, request=replace(asked.request, evidence=evidence), outcome=replace(asked.outcome, possible_id=told)
    )
    reconciler, _client = reconciler_of([*recorded, doubtful], service.respond)
    (found,) = reconciler.judgments()
    ended = "open" if found.contract is None else "right" if found.contract.id == made else "wrong"
    return ended, [*found.evidence, f"really {made}", *map(str, service.listed)]


@pytest.mark.parametrize("count", [400, pytest.param(8000, marks=pytest.mark.full)])
def test_no_random_service_gets_an_order_settled_wrongly(count: int) -> None:
    results = {seed: attack(seed) for seed in range(count)}
    wrong = {seed: said for seed, (ended, said) in results.items() if ended == "wrong"}
    assert wrong == {}
    settled = sum(ended == "right" for ended, _said in results.values())
    assert settled > count // 8, settled
