# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading contracts, which the interface's description does not show: as services of each kind may publish it.

GET on the path of the orders lists the contracts of the organization that the request names, newest first; GET on it
with an id shows one. Both can be left out.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from . import data
from .data import Order
from .http_server import Received, Reply
from .shapes.base import ORDERS, Refusal

if TYPE_CHECKING:
    from .service import Handler, Service


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
        failed_products: contracts of these products fail
        cancel_until: a cancelled contract is shown until this day, beside it
    """

    ready_reads: int = 0
    list_status: int = 0
    item_status: int = 0
    hidden: Sequence[str] = ()
    lags: bool = False
    repeated_page: int = 0
    of_end_users: bool = False
    failed_products: Sequence[str] = ()
    cancel_until: str = ""


@dataclass(slots=True)
class Contracts:
    """The contracts of one simulated service, and how they are read."""

    service: Service
    behaviour: Behaviour = field(default_factory=Behaviour)
    bought_by_hand: list[Order] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    cancelled: dict[str, str] = field(default_factory=dict)
    known_orders: int = 0
    shown: dict[str, int] = field(default_factory=dict)

    # What tests do

    def behave(self, behaviour: Behaviour) -> None:
        """Behave like that from now on."""
        self.behaviour, self.known_orders = behaviour, len(self.service.orders)

    def add(
        self, product: str, settings: dict[str, Any], end_user: str, own: str, age: float, changes: dict[str, Any]
    ) -> str:
        """A contract that somebody has bought in the portal, *age* seconds ago; its id. *changes* are to its record.

        *own* is the organization of a reseller who bought it for itself.
        """
        service = self.service
        organization = service.end_users[end_user].id if end_user != data.SELF else own
        body = {
            service.shape.end_user_element: end_user,
            service.shape.product_element: product,
            "settings": settings,
        }
        made_at = time.time() - age
        order = Order(str(uuid.uuid4()), made_at, organization, end_user, service.products_by_id[product], body)
        self.bought_by_hand.append(order)
        self.changes[order.id] = changes
        return order.id

    def cancel(self, contract: str) -> None:
        """End a contract, at once or on a day."""
        if contract in self.removed or contract in self.cancelled:
            raise Refusal(404, "There is no such contract, or it is cancelled.")
        if until := self.behaviour.cancel_until:
            self.cancelled[contract] = until
        else:
            self.removed.add(contract)

    # Reading

    def handler(self, request: Received) -> Handler | None:
        """What answers a request, if it reads contracts."""
        match = re.fullmatch(f"{ORDERS}(?:/([^/]*))?", request.path)
        if match is None or request.method != "GET" or not self.service.shape.contracts:
            return None
        return partial(self.show_item, unquote(match[1])) if match[1] else self.show_list

    def show_list(self, request: Received, organization: data.Organization) -> Reply:
        """List contracts."""
        if self.behaviour.list_status:
            raise Refusal(self.behaviour.list_status, "This is refused.")
        return self.service.paged(request, ORDERS, self.listed(organization), self.record)

    def show_item(self, wanted: str, _request: Received, organization: data.Organization) -> Reply:
        """Show a contract."""
        if self.behaviour.item_status:
            raise Refusal(self.behaviour.item_status, "This is refused.")
        found = next((order for order in self.visible(organization) if order.id == wanted.lower()), None)
        if found is None:
            raise Refusal(404, "There is no such contract.")
        return self.service.shape.enveloped(self.record(found))

    def visible(self, organization: data.Organization) -> list[Order]:
        """The contracts that this organization sees, newest first."""
        orders = [*self.service.orders, *self.bought_by_hand]
        seen = {organization.id}
        if self.behaviour.of_end_users:
            seen |= {each.id for each in data.ORGANIZATIONS if each.reseller == organization.id}
        found = (each for each in orders if each.organization in seen and each.id not in self.removed)
        return sorted(found, key=lambda order: order.at, reverse=True)

    def listed(self, organization: data.Organization) -> list[Order]:
        """What lists show of them."""
        behaviour, size = self.behaviour, self.service.shape.page_size
        late = self.service.orders[self.known_orders :] if behaviour.lags else []
        hidden = {*behaviour.hidden, *(order.id for order in late)}
        found = [order for order in self.visible(organization) if order.id not in hidden]
        if page := behaviour.repeated_page:
            found[page * size : (page + 1) * size] = found[(page - 1) * size : page * size]
        return found

    def record(self, order: Order) -> dict[str, Any]:
        """A contract as it is now."""
        self.shown[order.id] = self.shown.get(order.id, 0) + 1
        ready = self.shown[order.id] > self.behaviour.ready_reads
        number = [*self.service.orders, *self.bought_by_hand].index(order) + 1
        serves = order.product.type in (data.VPS, data.CONFIGURABLE_VPS, data.DEDICATED_SERVER)
        addresses = (f"203.0.113.{number % 250 + 1}", f"2001:db8::{number:x}") if ready and serves else ()
        state = "active" if ready else "provisioning"
        if order.product.id in self.behaviour.failed_products:
            state = "failed"
        until = self.cancelled.get(order.id)
        record = self.service.shape.contract_record(order, "cancelled" if until else state, addresses)
        ending = {self.service.shape.ends_element: until} if until else {}
        return {**record, **ending, **self.changes.get(order.id, {})}
