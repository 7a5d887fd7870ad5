# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading contracts, which the interface's description does not show: as services of each kind may publish it.

GET on the path of the orders lists the contracts of the organization that the request names, newest first; GET on it
with an id shows one. Both can be left out, and can do what such lists do: lag, repeat themselves, end too early.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import data
from .shapes.base import ORDERS, Answer, Refusal, asked_page
from .state import Order

if TYPE_CHECKING:
    from .service import Call, Service


@dataclass(slots=True)
class Behaviour:
    """What reading contracts does beside the truth. Zeros are the truth.

    Attributes:
        lag_reads: a contract is listed only after so many lists were read since it was made
        ready_reads: a contract is active only after it was shown so many times
        list_status, item_status: the status of every list and item
    """

    lag_reads: int = 0
    ready_reads: int = 0
    list_status: int = 0
    item_status: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A contract as it is to be shown now."""

    order: Order
    number: int
    product: data.Product
    status: str
    made: datetime
    addresses: tuple[str, ...]
    settings: dict[str, Any]


@dataclass(slots=True)
class Contracts:
    """The contracts of one simulated service, and how they are read."""

    service: Service
    behaviour: Behaviour = field(default_factory=Behaviour)
    bought_by_hand: list[Order] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    products: dict[str, data.Product] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    listed: int = 0
    seen_from: dict[str, int] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)

    def reset(self) -> None:
        """Back to the start."""
        fresh = Contracts(self.service)
        for found in fields(self):
            setattr(self, found.name, getattr(fresh, found.name))

    # What the admin interface does

    def add(self, product: str, settings: dict[str, Any], end_user: str, age: float) -> Order:
        """A contract that somebody has bought in the portal, *age* seconds ago."""
        service = self.service
        organization = service.end_users[end_user].id if end_user != data.SELF else data.ORGANIZATION_ID
        body = {
            service.shape.end_user_element: end_user,
            service.shape.product_element: product,
            "settings": settings,
        }
        order = Order(
            str(uuid.uuid4()), time.time() - age, organization, end_user, service.products_by_id[product], body, ()
        )
        self.bought_by_hand.append(order)
        return order

    def change(self, contract: str, product: str | None, settings: dict[str, Any]) -> None:
        """Let a contract be of another product, or have other settings."""
        if product is not None:
            self.products[contract] = self.service.products_by_id[product]
        self.settings.setdefault(contract, {}).update(settings)

    # Reading

    def serves(self, call: Call) -> bool:
        """Tell whether a request reads contracts."""
        published = self.service.settings.contracts
        if call.method != "GET":
            return False
        if call.path.rstrip("/") == ORDERS:
            return published in ("both", "list")
        return published in ("both", "item") and self.wanted(call.path) is not None

    def wanted(self, path: str) -> str | None:
        """The id in the path of one contract; None for other paths."""
        rest = path.removeprefix(f"{ORDERS}/")
        return unquote(rest) if path.startswith(f"{ORDERS}/") and rest and "/" not in rest else None

    def answer(self, call: Call, organization: data.Organization) -> Answer:
        """List contracts, or show one."""
        wanted = self.wanted(call.path)
        status = self.behaviour.item_status if wanted else self.behaviour.list_status
        if status:
            raise Refusal(status, "This is refused.")
        if wanted is None:
            return self.page(call, organization)
        found = next((order for order in self.visible(organization) if order.id == wanted.lower()), None)
        if found is None:
            raise Refusal(404, "There is no such contract.")
        return self.service.shape.enveloped(self.service.shape.contract_record(self.show(found)))

    def visible(self, organization: data.Organization) -> list[Order]:
        """The contracts that this organization sees, newest first."""
        orders = [*self.service.state.orders, *self.bought_by_hand]
        seen = (each for each in orders if each.organization == organization.id and each.id not in self.removed)
        return sorted(seen, key=lambda order: order.at, reverse=True)

    def page(self, call: Call, organization: data.Organization) -> Answer:
        """One page of the list."""
        found = [order for order in self.visible(organization) if self.is_listed(order)]
        if asked_page(call.query) == 1:
            self.listed += 1
        return self.service.paged(
            call, ORDERS, found, lambda order: self.service.shape.contract_record(self.show(order))
        )

    def is_listed(self, order: Order) -> bool:
        """Tell whether the list has come as far as this contract."""
        first = self.seen_from.setdefault(order.id, self.listed)
        return self.listed - first >= self.behaviour.lag_reads

    def show(self, order: Order) -> Shown:
        """A contract as it is now."""
        self.shown[order.id] = self.shown.get(order.id, 0) + 1
        ready = self.shown[order.id] > self.behaviour.ready_reads
        orders = [*self.service.state.orders, *self.bought_by_hand]
        number = next(at for at, each in enumerate(orders, 1) if each.id == order.id)
        product = self.products.get(order.id, order.product)
        serves = product.type in (data.VPS, data.CONFIGURABLE_VPS, data.DEDICATED_SERVER)
        secret = ("password", "authcode")
        settings = {**(order.body.get("settings") or {}), **self.settings.get(order.id, {})}
        return Shown(
            order,
            number,
            product,
            "active" if ready else "provisioning",
            datetime.fromtimestamp(order.at, timezone.utc),
            (f"203.0.113.{number % 250 + 1}", f"2001:db8::{number:x}") if ready and serves else (),
            {name: value for name, value in settings.items() if name not in secret},
        )
