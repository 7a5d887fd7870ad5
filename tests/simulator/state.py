# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the service remembers: requests, orders, L2VPNs, and the people who wait for them."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import data

KEPT_REQUESTS = 20_000

RawHeaders = Iterable[tuple[bytes, bytes]]


def headers_by_name(raw: RawHeaders) -> dict[str, str]:
    """The headers as received, names in lower case."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}


@dataclass(slots=True)
class Order:
    """One accepted order, which is one contract."""

    id: str
    at: float
    organization: str
    end_user: str
    product: data.Product
    body: dict[str, Any]
    headers: RawHeaders
    l2vpn: str | None = None

    def public(self) -> dict[str, Any]:
        """The order as the admin interface shows it."""
        return {
            "id": self.id,
            "at": self.at,
            "organization": self.organization,
            "end_user": self.end_user,
            "product": self.product.id,
            "product_name": self.product.name,
            "product_type": self.product.type,
            "settings": self.body.get("settings"),
            "l2vpn": self.l2vpn,
            "headers": headers_by_name(self.headers),
            "body": self.body,
        }


@dataclass(slots=True)
class Request:
    """One request to the interface; ``status`` stays None while it is not answered, or when it never was."""

    method: str
    path: str
    headers: RawHeaders
    status: int | None = None

    def public(self) -> dict[str, Any]:
        """The request as the admin interface shows it."""
        return {
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "headers": headers_by_name(self.headers),
        }


@dataclass(slots=True)
class State:
    """Everything that ``POST /_simulator/reset`` forgets."""

    orders: list[Order] = field(default_factory=list)
    requests: deque[Request] = field(default_factory=lambda: deque(maxlen=KEPT_REQUESTS))
    l2vpns: dict[str, data.L2vpn] = field(default_factory=lambda: {l2vpn.id: l2vpn for l2vpn in data.L2VPNS})
    held: list[asyncio.Future[None]] = field(default_factory=list)
    generation: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def reset(self) -> None:
        """Back to the start. Requests that are on their way find another generation and are not processed."""
        self.orders.clear()
        self.requests.clear()
        self.l2vpns = {l2vpn.id: l2vpn for l2vpn in data.L2VPNS}
        self.generation += 1
        self.release()

    def note_request(self, method: str, path: str, headers: RawHeaders) -> Request:
        """Write a request down as it arrives."""
        request = Request(method, path, headers)
        self.requests.append(request)
        return request

    def add_order(self, organization: str, end_user: str, product: data.Product, body: Any, raw: RawHeaders) -> Order:
        """Make a contract, whatever was ordered before: the service knows no idempotency."""
        order = Order(str(uuid.uuid4()), time.time(), organization, end_user, product, body, raw)
        if product.type == data.DEDICATED_SERVER and product.location is not None:
            order.l2vpn = self.public_vlan(organization, product.location, body["settings"])
        self.orders.append(order)
        return order

    def public_vlan(self, organization: str, location: str, settings: dict[str, Any]) -> str:
        """The L2VPN of a dedicated server: the one that was asked for, or a new one."""
        existing = settings.get("existing_l2vpn")
        if existing is not None:
            return str(existing).lower()
        l2vpn = data.L2vpn(str(uuid.uuid4()), location, organization)
        self.l2vpns[l2vpn.id] = l2vpn
        return l2vpn.id

    async def hold(self) -> None:
        """Wait for a release."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.held.append(future)
        async with self.changed:
            self.changed.notify_all()
        await future

    def release(self) -> int:
        """Let the requests that are held go on; tell how many were."""
        released, self.held = self.held, []
        for future in released:
            if not future.done():
                future.set_result(None)
        return len(released)

    async def wait_for_held(self, count: int, seconds: float) -> bool:
        """Wait until so many requests are held, at most *seconds*; tell whether they are."""
        try:
            async with asyncio.timeout(seconds), self.changed:
                await self.changed.wait_for(lambda: len(self.held) >= count)
        except TimeoutError:
            return False
        return True
