# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue and the request body of the running service, each learned once and cached."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .._catalogue.catalogue import Catalogue, read_catalogue
from .._core.errors import ConfigurationError, NoReferenceError, PublishedReferenceError, ServiceError
from .._core.files import Cache
from .._http.client import Client
from .._http.config import ServiceConfig
from .._reference.order_shape import OrderShape, order_shape, own_elements
from .._reference.published_operation import Operation
from .._reference.reference import PRODUCTS_PATH, Reference
from .._reference.reference_search import find_reference

_T = TypeVar("_T")

#: Seconds that a catalogue and a OpenAPI document are used, also that there is no reference.
MAX_AGE = 300.0
#: Seconds that the shape of the request body is believed; one that a service rejects is read again at once.
SHAPE_MAX_AGE = 86400.0


class Service:
    """Learns from the service what the API specification leaves open. Reads nothing before it is needed.

    The names of elements are those in the options. With ``anew``, nothing is taken from the cache. ``since`` is when
    the task began that uses it: what the cache has from before may be outdated, see with_fresh(). What is cached
    belongs to the address, the organization and the key. Raises ConfigurationError for names that cannot be meant.
    """

    def __init__(
        self,
        config: ServiceConfig,
        cache: Cache,
        end_user_element: str | None = None,
        product_element: str | None = None,
        *,
        anew: bool = False,
        since: float = math.inf,
    ) -> None:
        own_elements(end_user_element, product_element)
        self.config = config
        self._elements = end_user_element, product_element
        self.cache = cache
        self._key = (config.base_url, config.organization_id, config.api_key)
        self._shape_key = (*self._key, end_user_element or "", product_element or "")
        self._client: Client | None = None
        self._catalogue: Catalogue | None = None
        self._shape: OrderShape | None = None
        self._reference: Reference | None = None
        self._since = math.inf if anew else since
        #: Whether the cache counts only as this task, or another since it began, wrote it; and the kinds that came from
        #: it as it was before.
        self._is_renewed = anew
        self._cached_before: set[str] = set()
        self._is_confirmed = False
        #: Whether the shape comes from the options or the cache, so that the OpenAPI document may tell another.
        self.shape_may_be_outdated = True

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
        """The catalogue from GET /api/reseller/products, or from the cache. Raises ServiceError and its kinds."""
        if self._catalogue is None:
            self._catalogue = Catalogue.from_cache(self._kept("catalogue", self._key))
        if self._catalogue is None:
            self._catalogue = read_catalogue(self.client, self._catalogue_parameters)
            self.cache.write("catalogue", self._key, self._catalogue.to_cache())
        return self._catalogue

    def has_another_catalogue(self) -> bool:
        """Read a catalogue anew that was cached before this task, once. Return whether it is another one now.

        If its first page is the whole that was cached, no more is read, and it still counts as cached: it is read as a
        whole before anything is refused because of it. Raises ServiceError and its kinds.
        """
        before = self.catalogue()
        if "catalogue" not in self._cached_before or self._is_confirmed:
            return False
        self._is_confirmed, found = True, read_catalogue(self.client, self._catalogue_parameters, before)
        if found == before:
            return False
        self._cached_before.remove("catalogue")
        self._catalogue = found
        self.cache.write("catalogue", self._key, found.to_cache())
        return True

    def shape(self, *, offline: bool = False) -> OrderShape:
        """The shape of the request body: from the options, the cache or the OpenAPI document.

        ``offline``: as far as it is known without a request, with placeholders for unknown names. Raises
        PublishedReferenceError when the reference is not found or not clear.
        """
        end_user_element, product_element = self._elements
        if self._shape is None:
            self.shape_may_be_outdated = True
            if end_user_element and product_element:
                self._shape = OrderShape(end_user_element, product_element)
            else:
                self._shape = OrderShape.from_cache(self._kept("shape", self._shape_key, SHAPE_MAX_AGE))
        if self._shape is None and offline:
            unknown = "({} element: not yet known)".format
            return OrderShape(end_user_element or unknown("end-user"), product_element or unknown("product"))
        return self._shape or self._learned_shape()

    def with_fresh(self, work: Callable[[], _T], refuses: Callable[[_T], bool]) -> _T:
        """Return what the work results in, done again if it ``refuses`` something and relies on what was cached before.

        A cached reference also is read anew if it makes the work fail. All is read anew once.
        """
        while True:
            try:
                result = work()
            except PublishedReferenceError:
                if not self._renew():
                    raise
                continue
            if not (refuses(result) and self._renew()):
                return result

    def _renew(self) -> bool:
        """Use nothing that was cached before this task. Return true if anything was used."""
        outdated, self._cached_before, self._is_renewed = self._cached_before, set(), True
        if "catalogue" in outdated:
            self._catalogue = None
        if outdated - {"catalogue"}:
            # A shape is read from a reference.
            self._reference = self._shape = None
        return bool(outdated)

    def renew_shape(self) -> bool:
        """Read the OpenAPI document anew, after the service rejected the shape: whether there is another one now.

        Must not be called while an order is claimed: it may import what is not imported yet, and takes its time.
        """
        rejected, self._shape, self._reference = self._shape, None, None
        self._since, self._is_renewed = math.inf, True
        try:
            return self._learned_shape() != rejected
        except (ServiceError, ConfigurationError):
            # The service's own reason for the rejection tells the user more than a reference that cannot be read.
            return False

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
        """The OpenAPI document, searched once, or from the cache, which also knows that there is none.

        Raises ServiceError and its kinds.
        """
        if self._reference is None:
            kept = self._kept("reference", self._key)
            if isinstance(kept, str):
                raise NoReferenceError(kept)
            self._reference = Reference.from_cache(kept)
        if self._reference is None:
            try:
                self._reference = find_reference(self.client)
            except NoReferenceError as error:
                self.cache.write("reference", self._key, error.message)
                raise
            self.cache.write("reference", self._key, self._reference.to_cache())
            # The shape that is kept is that of an older one.
            self.cache.write("shape", self._shape_key, None)
        return self._reference

    def _kept(self, kind: str, key: tuple[str, ...], max_age: float = MAX_AGE) -> Any:
        """Return what the cache has of the service, if it is young enough."""
        kept = self.cache.read(kind, key, max_age)
        if kept is None:
            return None
        value, written = kept
        if written < self._since:
            if self._is_renewed:
                return None
            self._cached_before.add(kind)
        return value

    def _learned_shape(self) -> OrderShape:
        shape = order_shape(self.reference(), *self._elements)
        self._shape, self.shape_may_be_outdated = shape, False
        self.cache.write("shape", self._shape_key, shape.to_cache())
        return shape
