# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The running service: its file, its OpenAPI document, and what is read of it once, for a task, loop or batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar, cast

from .._core.clocks import Clocks
from .._core.errors import PublishedReferenceError, ServiceError
from .._http.client import Client
from .._http.config import ServiceConfig
from .description import Description, Field
from .document_search import find_document
from .openapi_document import OpenApiDocument, Operation
from .order_shape import OrderShape, order_shape

_Read = TypeVar("_Read")


class Service:
    """A service at a base URL, and the answers of it. Reads nothing before it is needed, and nothing twice.

    ``described`` is what its file says. Nothing that was learned outlives this.
    """

    def __init__(
        self, config: ServiceConfig, described: Description | None = None, clocks: Clocks | None = None
    ) -> None:
        self.config = config
        self.clocks = clocks or Clocks()
        self.described = described or Description()
        self._client: Client | None = None
        self._shape: OrderShape | None = None
        self._document: OpenApiDocument | PublishedReferenceError | None = None
        self._read: dict[Any, Any] = {}

    @property
    def client(self) -> Client:
        if self._client is None:
            self._client = Client(self.config, clocks=self.clocks)
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def once(self, read: Callable[[Service], _Read]) -> _Read:
        """Return what ``read`` returns for this service, and read it only once. What it raises is raised each time."""
        if read not in self._read:
            self._read[read] = read(self)
        return cast(_Read, self._read[read])

    def was_read(self, read: Callable[[Service], _Read]) -> _Read | None:
        """Return what once() returned for this, ``None`` if it was not read yet."""
        return cast("_Read | None", self._read.get(read))

    def openapi(self) -> OpenApiDocument:
        """The OpenAPI document, searched once. Raises ServiceError and its kinds."""
        if self._document is None:
            try:
                self._document = find_document(self.client, self.described)
            except PublishedReferenceError as error:
                self._document = error
        if isinstance(self._document, PublishedReferenceError):
            raise self._document
        return self._document

    @cached_property
    def description(self) -> Description:
        """The description in the file, with what it leaves out as the OpenAPI document tells it clearly."""
        learned: dict[str, Field] = {}
        with suppress(ServiceError):
            if path := self.openapi().contracts_path:
                learned["contracts.path"] = Field(path, "openapi")
            shape = self.shape()
            learned["order.end_user"] = Field(shape.end_user_element, "openapi")
            learned["order.product"] = Field(shape.product_element, "openapi")
        return self.described.with_learned(learned)

    def shape(self, *, offline: bool = False) -> OrderShape:
        """The shape of the request body: from the file or the OpenAPI document.

        ``offline``: as far as it is known without a request, with placeholders for unknown names. Raises
        PublishedReferenceError when the document is not found or not clear.
        """
        end_user, product = map(self.described.get, ("order.end_user", "order.product"))
        if self._shape is None and end_user and product:
            self._shape = OrderShape(end_user, product)
        if self._shape is None and offline:
            unknown = "({} element: not yet known)".format
            return OrderShape(end_user or unknown("end-user"), product or unknown("product"))
        if self._shape is None:
            self._shape = order_shape(self.openapi(), end_user, product)
        return self._shape

    def query_parameters(self, find: Callable[[OpenApiDocument], Operation | None]) -> Mapping[str, int | None]:
        """The query parameters of an operation of the OpenAPI document. None if that cannot be read or lacks it."""
        try:
            operation = find(self.openapi())
        except ServiceError:
            return {}
        return operation.query_parameters if operation else {}
