# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The interface itself: who is calling, what the catalogue holds, and which orders are accepted."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from . import data
from .contracts import Contracts
from .http_server import Received, Reply
from .operations import Operations
from .rules import UUID, Context, Violation, matches, settings_violations, unique_pairs
from .shapes.base import ORDERS, PRODUCTS, Page, Refusal, Shape, covers

LONGEST_ELEMENT = 255
#: Answers a request for an organization, or raises Refusal.
Handler = Callable[[Received, data.Organization], Reply]


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(f"{name} is no JSON")


class Service:
    """The simulated service in one shape, and all that it remembers: its L2VPNs, and its orders, oldest first."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.orders: list[data.Order] = []
        self.l2vpns = {l2vpn.id: l2vpn for l2vpn in data.L2VPNS}
        self.contracts = Contracts(self)
        self.operations = Operations(self)
        self.products_by_id = {product.id: product for product in data.PRODUCTS}
        self.organizations = {organization.id: organization for organization in data.ORGANIZATIONS}
        self.end_users = {found.end_user: found for found in data.ORGANIZATIONS if found.end_user}
        self.elements = {shape.end_user_element, shape.product_element, "settings", *shape.optional_elements}

    def answer(self, request: Received) -> Reply:
        """Process one request to the interface or to its OpenAPI document."""
        try:
            docs = self.docs(request)
            if docs is not None:
                return docs
            organization = self.caller(request)
            handler = self.contracts.handler(request) or self.operations.handler(request) or self.handler(request)
            self.negotiate(request)
            return handler(request, organization)
        except Refusal as refusal:
            return self.shape.refusal(refusal)

    def handler(self, request: Received) -> Handler:
        """What answers a request to one of the two endpoints."""
        method, handler = {ORDERS: ("POST", self.order), PRODUCTS: ("GET", self.catalogue)}.get(
            request.path, ("", None)
        )
        if handler is None:
            raise Refusal(404, f"No route found for {request.method} {request.path}.")
        if request.method != method:
            message = f"The {request.method} method is not supported here. Use {method}."
            raise Refusal(405, message, headers={"Allow": method})
        return handler

    def negotiate(self, request: Received) -> None:
        """Refuse who cannot read the answer, if the shape speaks one language only. Nothing was processed yet."""
        only, accept = self.shape.only_type, request.headers.get("Accept", "")
        if only and not covers(accept, only):
            raise Refusal(406, f'Requested format "{accept}" is not supported. Supported MIME types are "{only}".')

    def docs(self, request: Received) -> Reply | None:
        """What belongs to the OpenAPI document; None when the path is none of it."""
        if request.method != "GET":
            return None
        if request.path == self.shape.protected and request.headers.get("X-API-Key") not in data.RESELLERS:
            raise Refusal(401, "The API key is missing or unknown.")
        return self.shape.docs(request.path, request.headers.get("Accept", ""))

    def caller(self, request: Received) -> data.Organization:
        """Who is calling, and for which organization (section 5)."""
        reseller = data.RESELLERS.get(request.headers.get("X-API-Key", ""))
        if reseller is None:
            raise Refusal(401, "The API key is missing or unknown.")
        named = request.headers.get("X-Organization-ID")
        if not named:
            raise Refusal(401, "The header X-Organization-ID is missing.")
        organization = self.organizations.get(named)
        if organization is None or organization.reseller != reseller:
            raise Refusal(403, "You have no access to this organization.")
        return organization

    def catalogue(self, request: Received, organization: data.Organization) -> Reply:
        """One page of the catalogue, as the organization may see it."""
        shape = self.shape
        return self.paged(
            request,
            PRODUCTS,
            data.PRODUCTS,
            lambda found: shape.record(found, shape.options(found, organization.org_max_ram)),
        )

    def paged(
        self, request: Received, resource: str, found: Sequence[Any], show: Callable[[Any], dict[str, Any]] = dict
    ) -> Reply:
        """One page of a list, in the shape's envelope."""
        asked = request.query.get("page", "1") if self.shape.page_size else "1"
        size = self.shape.page_size or max(len(found), 1)
        last = max(-(-len(found) // size), 1)
        if not asked.isdecimal() or not 1 <= int(asked) <= last + 1:
            raise Refusal(404, f"There is no page {asked}.")
        number = int(asked)
        records = [show(each) for each in found[(number - 1) * size : number * size]]
        base = f"http://{request.headers['Host']}"
        return self.shape.catalogue(Page(records, number, last, size, len(found), base, resource))

    def order(self, request: Received, organization: data.Organization) -> Reply:
        """Check one order and create its contract, whatever was ordered before: the service knows no idempotency."""
        content_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if content_type not in self.shape.order_media_types:
            wanted = " or ".join(self.shape.order_media_types)
            raise Refusal(415, f'The content-type "{content_type}" is not supported. Use {wanted}.')
        try:
            given = json.loads(request.body, object_pairs_hook=unique_pairs, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise Refusal(400, f"The body is no JSON: {error}") from error
        if not isinstance(given, dict):
            raise Refusal(400, "The body is no JSON object.")
        found = [Violation((name,), "This element is not known.") for name in given if name not in self.elements]
        found += self.text_violations(given)
        target = self.target(given, organization, found)
        product = self.product(given, found)
        if "settings" in given and given["settings"] is None:
            found.append(Violation(("settings",), "This value should be an object."))
        elif product is not None:
            context = Context(
                product,
                target.id if target is not None else "",
                organization.org_max_ram,
                self.l2vpns,
                data.OWNER_CONTACTS[organization.reseller],
                data.ADMIN_CONTACTS[organization.reseller],
            )
            found += settings_violations(given.get("settings"), context)
        if found or target is None or product is None:
            raise Refusal(self.shape.invalid, "The given data was invalid.", tuple(found))
        end_user = given[self.shape.end_user_element]
        l2vpn = self.public_vlan(target, product, given.get("settings") or {})
        order = data.Order(str(uuid.uuid4()), time.time(), target.id, end_user, product, given, l2vpn)
        self.orders.append(order)
        return self.shape.contract(order)

    def public_vlan(self, target: data.Organization, product: data.Product, settings: dict[str, Any]) -> str | None:
        """The L2VPN of a dedicated server: the one that was asked for, or a new one (section 4.3.3, rule 3)."""
        if product.location is None:
            return None
        if (existing := settings.get("existing_l2vpn")) is not None:
            return str(existing).lower()
        l2vpn = data.L2vpn(str(uuid.uuid4()), product.location, target.id)
        self.l2vpns[l2vpn.id] = l2vpn
        return l2vpn.id

    def text_violations(self, given: dict[str, Any]) -> list[Violation]:
        """What is wrong with the elements beside the documented ones."""
        found = []
        for name in self.shape.optional_elements:
            value = given.get(name, "")
            if not isinstance(value, str) or len(value) > LONGEST_ELEMENT:
                found.append(Violation((name,), f"This should be a string of at most {LONGEST_ELEMENT}."))
        return found

    def uuid_of(self, name: str, given: dict[str, Any], found: list[Violation]) -> str | None:
        """The UUID that an element holds, in lower case; None after telling what is wrong with it."""
        if name not in given:
            found.append(Violation((name,), "This element is required."))
        elif not matches(UUID, given[name]):
            found.append(Violation((name,), "This value is not a valid UUID."))
        else:
            return str(given[name]).lower()
        return None

    def target(
        self, given: dict[str, Any], organization: data.Organization, found: list[Violation]
    ) -> data.Organization | None:
        """The organization that the contract is for (sections 2.3 and 4.1)."""
        name = self.shape.end_user_element
        if given.get(name) == data.SELF:
            return organization
        if (value := self.uuid_of(name, given, found)) is None:
            return None
        target = self.end_users.get(value)
        if target is not None and (
            organization.id == target.id or organization.id == organization.reseller == target.reseller
        ):
            return target
        found.append(Violation((name,), "There is no such end-user."))
        return None

    def product(self, given: dict[str, Any], found: list[Violation]) -> data.Product | None:
        """The product that is ordered (section 4.1)."""
        name = self.shape.product_element
        if (value := self.uuid_of(name, given, found)) is None:
            return None
        product = self.products_by_id.get(value)
        if product is None:
            found.append(Violation((name,), "There is no such product."))
        return product
