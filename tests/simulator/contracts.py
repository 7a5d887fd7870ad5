# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading contracts, which the interface's description does not show: as services of each kind may publish it.

GET on the path of the orders lists the contracts of the organization that the request names, newest first; GET on it
with an id shows one. Both can be left out.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from . import data
from .shapes.base import ORDERS, Answer, Refusal
from .state import Order

if TYPE_CHECKING:
    from .service import Call, Service


@dataclass(slots=True)
class Behaviour:
    """What reading contracts does beside the truth. Zeros are the truth.

    Attributes:
        ready_reads: a contract is active only after it was shown so many times
        list_status, item_status: the status of every list and item
        hidden: the ids of contracts that no list shows
        lags: no list shows the orders that come from now on
        repeated_page: the page of a list whose records the next page shows once more
        of_end_users: the reseller's own list shows the contracts of its end users, too
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    ready_reads: int = 0
    list_status: int = 0
    item_status: int = 0
    hidden: list[str] = field(default_factory=list)
    lags: bool = False
    repeated_page: int = 0
    of_end_users: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A contract as it is to be shown now."""

    order: Order
    number: int
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
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    known_orders: int = 0
    shown: dict[str, int] = field(default_factory=dict)

    def reset(self) -> None:
        """Back to the start."""
        fresh = Contracts(self.service)
        for found in fields(self):
            setattr(self, found.name, getattr(fresh, found.name))

    # What the admin interface does

    def behave(self, behaviour: Behaviour) -> None:
        """Behave like that from now on."""
        self.behaviour, self.known_orders = behaviour, len(self.service.state.orders)

    def add(self, product: str, settings: dict[str, Any], end_user: str, age: float, changes: dict[str, Any]) -> Order:
        """A contract that somebody has bought in the portal, *age* seconds ago. *changes* are to its record."""
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
        self.changes[order.id] = changes
        return order

    # Reading

    def serves(self, call: Call) -> bool:
        """Tell whether a request reads contracts."""
        if call.method != "GET" or not self.service.shape.contracts:
            return False
        return call.path.rstrip("/") == ORDERS or self.wanted(call.path) is not None

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
            return self.service.paged(call, ORDERS, self.listed(organization), self.record)
        found = next((order for order in self.visible(organization) if order.id == wanted.lower()), None)
        if found is None:
            raise Refusal(404, "There is no such contract.")
        return self.service.shape.enveloped(self.record(found))

    def visible(self, organization: data.Organization) -> list[Order]:
        """The contracts that this organization sees, newest first."""
        orders = [*self.service.state.orders, *self.bought_by_hand]
        seen = {organization.id}
        if self.behaviour.of_end_users:
            seen |= {each.id for each in data.ORGANIZATIONS if each.reseller == organization.id}
        found = (each for each in orders if each.organization in seen and each.id not in self.removed)
        return sorted(found, key=lambda order: order.at, reverse=True)

    def listed(self, organization: data.Organization) -> list[Order]:
        """What lists show of them."""
        behaviour, size = self.behaviour, self.service.shape.page_size
        late = self.service.state.orders[self.known_orders :] if behaviour.lags else []
        hidden = {*behaviour.hidden, *(order.id for order in late)}
        found = [order for order in self.visible(organization) if order.id not in hidden]
        if page := behaviour.repeated_page:
            found[page * size : (page + 1) * size] = found[(page - 1) * size : page * size]
        return found

    def record(self, order: Order) -> dict[str, Any]:
        """A contract as it is now."""
        self.shown[order.id] = self.shown.get(order.id, 0) + 1
        ready = self.shown[order.id] > self.behaviour.ready_reads
        orders = [*self.service.state.orders, *self.bought_by_hand]
        number = next(at for at, each in enumerate(orders, 1) if each.id == order.id)
        serves = order.product.type in (data.VPS, data.CONFIGURABLE_VPS, data.DEDICATED_SERVER)
        settings = order.body.get("settings") or {}
        shown = Shown(
            order,
            number,
            "active" if ready else "provisioning",
            datetime.fromtimestamp(order.at, UTC),
            (f"203.0.113.{number % 250 + 1}", f"2001:db8::{number:x}") if ready and serves else (),
            {name: value for name, value in settings.items() if name not in ("password", "authcode")},
        )
        return {**self.service.shape.contract_record(shown), **self.changes.get(order.id, {})}
