# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The interface itself: who is calling, what the catalogue holds, and which orders are accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from . import data
from .contracts import Contracts
from .operations import Operations
from .rules import UUID, Context, Violation, matches, settings_violations, unique_pairs
from .shapes.base import ORDERS, PRODUCTS, Answer, Page, Refusal, Shape, asked_page, covers
from .state import Order, RawHeaders, State

LONGEST_ELEMENT = 255


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(f"{name} is no JSON")


class Call:
    """One request, with the headers that matter here."""

    __slots__ = ("accept", "api_key", "content_type", "headers", "host", "method", "organization", "path", "query")

    def __init__(self, method: str, path: str, query: bytes, headers: RawHeaders) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.api_key = self.organization = self.content_type = self.accept = self.host = ""
        for name, value in headers:
            if name == b"x-api-key":
                self.api_key = value.decode("latin-1")
            elif name == b"x-organization-id":
                self.organization = value.decode("latin-1")
            elif name == b"content-type":
                self.content_type = value.decode("latin-1").partition(";")[0].strip().lower()
            elif name == b"accept":
                self.accept = value.decode("latin-1")
            elif name == b"host":
                self.host = value.decode("latin-1")


class Service:
    """The simulated service in one shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.state = State()
        self.contracts = Contracts(self)
        self.operations = Operations(self)
        self.products_by_id = {product.id: product for product in data.PRODUCTS}
        self.resellers = {reseller.api_key: reseller for reseller in data.RESELLERS}
        self.organizations = {organization.id: organization for organization in data.ORGANIZATIONS}
        self.end_users = {found.end_user: found for found in data.ORGANIZATIONS if found.end_user}
        self.elements = {shape.end_user_element, shape.product_element, "settings", *shape.optional_elements}

    def answer(self, call: Call, body: bytes) -> Answer:
        """Process one request to the interface or to its published reference."""
        try:
            docs = self.docs(call)
            if docs is not None:
                return docs
            reseller, organization = self.caller(call)
            reads = self.contracts.serves(call)
            operates = not reads and self.operations.found(call) is not None
            if not reads and not operates:
                self.route(call)
            self.negotiate(call)
            if reads:
                return self.contracts.answer(call, organization)
            if operates:
                return self.operations.answer(call, body, organization)
            if call.path == ORDERS:
                return self.shape.contract(self.order(call, body, reseller, organization))
            return self.catalogue(call, organization)
        except Refusal as refusal:
            return self.shape.refusal(refusal)

    def route(self, call: Call) -> None:
        """Refuse what is none of the two endpoints."""
        method = {ORDERS: "POST", PRODUCTS: "GET"}.get(call.path)
        if method is None:
            raise Refusal(404, f"No route found for {call.method} {call.path}.")
        if call.method != method:
            message = f"The {call.method} method is not supported here. Use {method}."
            raise Refusal(405, message, headers=(("allow", method),))

    def negotiate(self, call: Call) -> None:
        """Refuse who cannot read the answer, if the shape speaks one language only. Nothing was processed yet."""
        only = self.shape.only_type
        if only and not covers(call.accept, only):
            raise Refusal(406, f'Requested format "{call.accept}" is not supported. Supported MIME types are "{only}".')

    def docs(self, call: Call) -> Answer | None:
        """What belongs to the published reference; None when the path is none of it."""
        if call.method != "GET":
            return None
        found = self.shape.docs(call.path, call.accept)
        if found is None:
            return None
        guarded = self.shape.protects_reference and self.shape.is_reference(call.path, call.accept)
        if guarded and call.api_key not in self.resellers:
            raise Refusal(401, "The API key is missing or unknown.")
        return found

    def caller(self, call: Call) -> tuple[data.Reseller, data.Organization]:
        """Who is calling, and for which organization (section 5)."""
        if not call.api_key:
            raise Refusal(401, "The header X-API-Key is missing.")
        reseller = self.resellers.get(call.api_key)
        if reseller is None:
            raise Refusal(401, "The API key is unknown.")
        if not call.organization:
            raise Refusal(401, "The header X-Organization-ID is missing.")
        organization = self.organizations.get(call.organization)
        if organization is None or organization.reseller != reseller.organization:
            raise Refusal(403, "You have no access to this organization.")
        return reseller, organization

    def catalogue(self, call: Call, organization: data.Organization) -> Answer:
        """One page of the catalogue, as the organization may see it."""
        shape = self.shape
        return self.paged(
            call,
            PRODUCTS,
            data.PRODUCTS,
            lambda found: shape.record(found, shape.options(found, organization.org_max_ram)),
        )

    def paged(
        self, call: Call, resource: str, found: Sequence[Any], show: Callable[[Any], dict[str, Any]] = dict
    ) -> Answer:
        """One page of a list, in the shape's envelope."""
        number = asked_page(call.query) if self.shape.page_size else 1
        size = self.shape.page_size or max(len(found), 1)
        last = max(-(-len(found) // size), 1)
        if not 1 <= number <= last + 1:
            raise Refusal(404, f"There is no page {number}.")
        records = [show(each) for each in found[(number - 1) * size : number * size]]
        return self.shape.catalogue(Page(records, number, last, size, len(found), f"http://{call.host}", resource))

    def order(self, call: Call, body: bytes, reseller: data.Reseller, organization: data.Organization) -> Order:
        """Check one order and create its contract."""
        if call.content_type not in self.shape.order_media_types:
            wanted = " or ".join(self.shape.order_media_types)
            raise Refusal(415, f'The content-type "{call.content_type}" is not supported. Use {wanted}.')
        try:
            given = json.loads(body, object_pairs_hook=unique_pairs, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise Refusal(400, f"The body is no JSON: {error}") from error
        if not isinstance(given, dict):
            raise Refusal(400, "The body is no JSON object.")
        found = [
            Violation((name,), "This element is not known.", "unknown") for name in given if name not in self.elements
        ]
        found += self.text_violations(given)
        target = self.target(given, organization, found)
        product = self.product(given, found)
        if "settings" in given and given["settings"] is None:
            found.append(Violation(("settings",), "This value should be an object.", "type"))
        elif product is not None:
            context = Context(
                product,
                target.id if target is not None else "",
                organization.org_max_ram,
                self.state.l2vpns,
                reseller.owner_contacts,
                reseller.admin_contacts,
            )
            found += settings_violations(given.get("settings"), context)
        if found or target is None or product is None:
            raise Refusal(self.shape.invalid, "The given data was invalid.", tuple(found))
        end_user = given[self.shape.end_user_element]
        return self.state.add_order(target.id, end_user, product, given, call.headers)

    def text_violations(self, given: dict[str, Any]) -> list[Violation]:
        """What is wrong with the elements beside the documented ones."""
        found = []
        for name in self.shape.optional_elements:
            value = given.get(name, "")
            if not isinstance(value, str) or len(value) > LONGEST_ELEMENT:
                found.append(Violation((name,), f"This should be a string of at most {LONGEST_ELEMENT}.", "type"))
        return found

    def target(
        self, given: dict[str, Any], organization: data.Organization, found: list[Violation]
    ) -> data.Organization | None:
        """The organization that the contract is for (sections 2.3 and 4.1)."""
        name = self.shape.end_user_element
        if name not in given:
            found.append(Violation((name,), "This element is required.", "required"))
            return None
        value = given[name]
        if value == data.SELF:
            return organization
        if not matches(UUID, value):
            found.append(Violation((name,), "This value is not a valid UUID.", "uuid"))
            return None
        target = self.end_users.get(value.lower())
        within = target is not None and (
            organization.id == target.id or organization.id == organization.reseller == target.reseller
        )
        if target is None or not within:
            found.append(Violation((name,), "There is no such end-user.", "end_user"))
            return None
        return target

    def product(self, given: dict[str, Any], found: list[Violation]) -> data.Product | None:
        """The product that is ordered (section 4.1)."""
        name = self.shape.product_element
        if name not in given:
            found.append(Violation((name,), "This element is required.", "required"))
            return None
        value = given[name]
        if not matches(UUID, value):
            found.append(Violation((name,), "This value is not a valid UUID.", "uuid"))
            return None
        product = self.products_by_id.get(value.lower())
        if product is None:
            found.append(Violation((name,), "There is no such product.", "product"))
        return product
