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
from datetime import datetime, timedelta, timezone
from email.utils import formatdate
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote

from . import data
from .shapes.base import ORDERS, Answer, Page, Refusal
from .state import Order

if TYPE_CHECKING:
    from .service import Call, Service

STATUSES = ("provisioning", "active", "suspended", "failed")
TIMES = ("utc", "local", "none")
LOCAL = timezone(timedelta(hours=1))


@dataclass(slots=True)
class Behaviour:
    """What reading contracts does beside the truth. Zeros and the first words are the truth.

    Attributes:
        lag_reads: a contract is listed only after so many lists were read since it was made
        lag_seconds: a contract is listed only so many seconds after it was made
        ready_reads: a contract is active only after it was shown so many times
        ready_status: what it is then
        repeat_page: this page comes a second time, in place of the next one
        cut_pages: the list ends after so many pages, and still counts all contracts
        list_status, item_status: the status of every list and item
        times: when a contract was made: in UTC, in local time without a zone, or not at all
        skew: seconds that the service's clock is ahead
        all_organizations: a reseller's own organization shows the contracts of its end-users as well
    """

    lag_reads: int = 0
    lag_seconds: float = 0.0
    ready_reads: int = 0
    ready_status: str = "active"
    repeat_page: int = 0
    cut_pages: int = 0
    list_status: int = 0
    item_status: int = 0
    times: str = TIMES[0]
    skew: float = 0.0
    all_organizations: bool = False

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            ValueError: a value is none of those that there are
        """
        if self.times not in TIMES or self.ready_status not in STATUSES:
            raise ValueError(f"times is one of {', '.join(TIMES)}, ready_status one of {', '.join(STATUSES)}")

    def public(self) -> dict[str, Any]:
        """The behaviour as the admin interface shows it."""
        return {found.name: getattr(self, found.name) for found in fields(self)}


@dataclass(frozen=True, slots=True)
class Shown:
    """A contract as it is to be shown now; ``made`` is None when that is not shown, naive in local time."""

    order: Order
    number: int
    product: data.Product
    status: str
    made: datetime | None
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
        return self.service.shape.contract_item(self.show(found))

    def visible(self, organization: data.Organization) -> list[Order]:
        """The contracts that this organization sees, newest first."""
        wide = self.behaviour.all_organizations and organization.id == organization.reseller
        known = self.service.organizations
        orders = [*self.service.state.orders, *self.bought_by_hand]
        return sorted(
            (
                order
                for order in orders
                if order.id not in self.removed
                and (
                    order.organization == organization.id
                    or (wide and known[order.organization].reseller == organization.id)
                )
            ),
            key=lambda order: order.at,
            reverse=True,
        )

    def page(self, call: Call, organization: data.Organization) -> Answer:
        """One page of the list."""
        behaviour, shape = self.behaviour, self.service.shape
        found = [order for order in self.visible(organization) if self.is_listed(order)]
        size = self.service.settings.contract_page_size or shape.page_size or max(len(found), 1)
        last = max(-(-len(found) // size), 1)
        number = 1
        if size < len(found) or shape.page_size:
            asked = parse_qs(call.query.decode("latin-1")).get("page", ["1"])[-1]
            if not asked.isdecimal() or not 1 <= int(asked) <= last + 1:
                raise Refusal(404, f"There is no page {asked}.")
            number = int(asked)
        if number == 1:
            self.listed += 1
        content = number - 1 if behaviour.repeat_page and number == behaviour.repeat_page + 1 else number
        records = [shape.contract_record(self.show(order)) for order in found[(content - 1) * size : content * size]]
        if behaviour.cut_pages:
            last = min(last, behaviour.cut_pages)
        base = f"http://{call.host}{self.service.settings.prefix}"
        return shape.catalogue(Page(records, number, last, size, len(found), base, ORDERS))

    def is_listed(self, order: Order) -> bool:
        """Tell whether the list has come as far as this contract."""
        first = self.seen_from.setdefault(order.id, self.listed)
        return self.listed - first >= self.behaviour.lag_reads and time.time() - order.at >= self.behaviour.lag_seconds

    def show(self, order: Order) -> Shown:
        """A contract as it is now."""
        behaviour = self.behaviour
        self.shown[order.id] = self.shown.get(order.id, 0) + 1
        ready = self.shown[order.id] > behaviour.ready_reads
        made: datetime | None = datetime.fromtimestamp(order.at + behaviour.skew, timezone.utc)
        if behaviour.times == "local" and made is not None:
            made = made.astimezone(LOCAL).replace(tzinfo=None)
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
            behaviour.ready_status if ready else "provisioning",
            None if behaviour.times == "none" else made,
            (f"203.0.113.{number % 250 + 1}", f"2001:db8::{number:x}") if ready and serves else (),
            {name: value for name, value in settings.items() if name not in secret},
        )

    def date(self) -> bytes:
        """The header Date, by the service's clock."""
        return formatdate(time.time() + self.behaviour.skew, usegmt=True).encode()
