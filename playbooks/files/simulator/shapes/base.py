# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every shape answers, and what is the same in all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import responses
from typing import Any, ClassVar

from .. import data
from ..data import Order
from ..http_server import Reply
from ..options import Option, options_of
from ..rules import Violation

ORDERS = "/api/reseller/contracts"
PRODUCTS = "/api/reseller/products"
DOCS = "/api/docs"


@dataclass(slots=True)
class Refusal(Exception):
    """A request that is refused, before a shape puts it into words."""

    status: int
    message: str
    violations: tuple[Violation, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def phrase(self) -> str:
        """The reason phrase of its status."""
        return responses.get(self.status, "Error")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list. ``base`` is the address that the request named; ``resource`` the path."""

    records: Sequence[Mapping[str, Any]]
    number: int
    last: int
    size: int
    total: int
    base: str
    resource: str = PRODUCTS

    def path(self, number: int) -> str:
        """The path of page *number*, below the base."""
        return f"{self.resource}?page={number}"


def covers(accept: str, media_type: str) -> bool:
    """Tell whether an Accept header covers *media_type* (RFC 9110, 12.5.1), whatever it weighs."""
    ranges = {part.partition(";")[0].strip() for part in accept.lower().split(",")}
    return bool(ranges & {"", "*/*", f"{media_type.partition('/')[0]}/*", media_type})


class Shape(ABC):
    """One manner of speaking: element names, envelopes, errors, and how the reference is published."""

    key: ClassVar[str]
    end_user_element: ClassVar[str]
    product_element: ClassVar[str]
    end_user_hint: ClassVar[dict[str, Any]]
    product_hint: ClassVar[dict[str, Any]]
    optional_elements: ClassVar[tuple[str, ...]] = ()
    #: How options are written.
    style: ClassVar[Callable[[Iterable[Option]], Any]]
    page_size: ClassVar[int] = 0
    #: The path of the OpenAPI document where it needs the API key, though the page around it does not.
    protected: ClassVar[str] = ""
    order_media_types: ClassVar[tuple[str, ...]] = ("application/json",)
    #: The one media type of all answers; who does not accept it is refused. Empty: nobody looks at ``Accept``.
    only_type: ClassVar[str] = ""
    success: ClassVar[int] = 201
    invalid: ClassVar[int] = 422
    #: Where a contract shows its last day, once it is cancelled to one.
    ends_element: ClassVar[str] = "cancelledTo"

    def __init__(self, contracts: bool = True) -> None:
        #: Whether contracts can be read.
        self.contracts = contracts

    def options(self, product: data.Product, org_max_ram: int) -> Any:
        """The product's ``options`` entry for an organization of *org_max_ram* MB."""
        return self.style(options_of(product.type, org_max_ram))

    @abstractmethod
    def record(self, product: data.Product, options: Any) -> dict[str, Any]:
        """The product as the catalogue shows it."""

    @abstractmethod
    def catalogue(self, page: Page) -> Reply:
        """One page of the catalogue, or all of it where the shape knows no pages."""

    @abstractmethod
    def contract(self, order: Order) -> Reply:
        """The answer to an accepted order."""

    @abstractmethod
    def contract_record(self, order: Order, status: str, addresses: Sequence[str]) -> dict[str, Any]:
        """A contract as it is shown later, in a list and alone: other than the answer to its order."""

    def enveloped(self, value: Any, status: int = 200, **headers: str) -> Reply:
        """The answer that is one thing of any kind."""
        return Reply(value, status, headers)

    def enveloped_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema of such an answer."""
        return schema

    def listed_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema of an answer that is a list."""
        return schema

    @abstractmethod
    def refusal(self, refusal: Refusal) -> Reply:
        """The answer to a refused request."""

    @abstractmethod
    def docs(self, path: str, accept: str) -> Reply | None:
        """The answer to GET *path* where it belongs to the OpenAPI document, None elsewhere."""
