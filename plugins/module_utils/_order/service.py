# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue and the request body of the running service, each learned once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from .._catalogue.catalogue import Catalogue, read_catalogue
from .._core.errors import NoReferenceError, ServiceError
from .._http.client import Client
from .._http.config import ServiceConfig
from .._reference.order_shape import OrderShape, order_shape
from .._reference.published_operation import Operation
from .._reference.reference import PRODUCTS_PATH, Reference
from .._reference.reference_search import find_reference
from .._service.description import Description, Field


class Service:
    """Learns from the service what the API specification leaves open, once. Reads nothing before it is needed.

    ``described`` is what its file says.
    """

    def __init__(self, config: ServiceConfig, described: Description | None = None) -> None:
        self.config = config
        self.described = described or Description()
        self._elements = self.described.get("order.end_user"), self.described.get("order.product")
        self._client: Client | None = None
        self._catalogue: Catalogue | None = None
        self._shape: OrderShape | None = None
        self._reference: Reference | NoReferenceError | None = None

    @property
    def client(self) -> Client:
        if self._client is None:
            self._client = Client(self.config)
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def catalogue(self) -> Catalogue:
        """The catalogue from GET /api/reseller/products. Raises ServiceError and its kinds."""
        if self._catalogue is None:
            self._catalogue = read_catalogue(self.client, self._catalogue_parameters, self._description())
        return self._catalogue

    @property
    def known_ids(self) -> frozenset[str]:
        """The UUIDs of the products of the catalogue, as far as it was read, and of the end users in the file."""
        products = self._catalogue.products if self._catalogue else ()
        return frozenset([*(each.id for each in products), *(each.id for each in self.described.end_users.values())])

    def _description(self) -> Description:
        """Return what the file says, with the element of the order that carries the product, if that can be read."""
        learned = dict[str, Field]()
        with suppress(ServiceError):
            learned["order.product"] = Field(self.shape().product_element, "openapi")
        return self.described.with_learned(learned)

    def shape(self, *, offline: bool = False) -> OrderShape:
        """The shape of the request body: from the file or the OpenAPI document.

        ``offline``: as far as it is known without a request, with placeholders for unknown names. Raises
        PublishedReferenceError when the reference is not found or not clear.
        """
        end_user_element, product_element = self._elements
        if self._shape is None and end_user_element and product_element:
            self._shape = OrderShape(end_user_element, product_element)
        if self._shape is None and offline:
            unknown = "({} element: not yet known)".format
            return OrderShape(end_user_element or unknown("end-user"), product_element or unknown("product"))
        if self._shape is None:
            self._shape = order_shape(self.reference(), *self._elements)
        return self._shape

    def query_parameters(self, find: Callable[[Reference], Operation | None]) -> Mapping[str, int | None]:
        """The query parameters of an operation of the OpenAPI document. None if that cannot be read or lacks it."""
        try:
            found = find(self.reference())
        except ServiceError:
            found = None
        return found.query_parameters if found else {}

    def _catalogue_parameters(self) -> Mapping[str, int | None]:
        return self.query_parameters(lambda reference: reference.at("GET", PRODUCTS_PATH))

    def reference(self) -> Reference:
        """The OpenAPI document, searched once. Raises ServiceError and its kinds."""
        if self._reference is None:
            try:
                self._reference = find_reference(self.client)
            except NoReferenceError as error:
                self._reference = error
        if isinstance(self._reference, NoReferenceError):
            raise self._reference
        return self._reference
