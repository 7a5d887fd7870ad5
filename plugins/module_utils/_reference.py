# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The published reference of the service (document section 1): found, and asked how an order is written."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._client import Client
from ansible_collections.hosting.reseller.plugins.module_utils._openapi import OrderShape, order_shape
from ansible_collections.hosting.reseller.plugins.module_utils._openapi_operations import (
    Operation,
    describes_orders,
    operations,
)
from ansible_collections.hosting.reseller.plugins.module_utils._openapi_reader import openapi_version
from ansible_collections.hosting.reseller.plugins.module_utils._reference_search import ReferenceSearch
from ansible_collections.hosting.reseller.plugins.module_utils._text import clean


@dataclass(frozen=True)
class Reference:
    """A published reference. ``url`` is where it was found: its own address, or that of the page it is embedded in.

    ``tried`` tells, in order, each place that was asked before and what was found there.
    """

    url: str
    document: Mapping[str, Any]
    tried: tuple[str, ...] = ()

    @property
    def openapi(self) -> str:
        """The version of OpenAPI that it is written in, such as ``3.1.0``."""
        return openapi_version(self.document) or ""

    @property
    def title(self) -> str | None:
        return self._info("title")

    @property
    def version(self) -> str | None:
        """The version of the interface that it tells."""
        return self._info("version")

    def operations(self) -> list[Operation]:
        """All published operations, in the reference's order."""
        return operations(self.document)

    def order_shape(self, end_user_element: str | None = None, product_element: str | None = None) -> OrderShape:
        """How an order is written; the names given win over those found.

        Raises PublishedReferenceError that lists the candidates when the reference does not tell the names clearly.
        """
        place = f"The published reference at {self.url}"
        return order_shape(self.document, end_user_element, product_element, place=place)

    def _info(self, key: str) -> str | None:
        info = self.document.get("info")
        value = info.get(key) if isinstance(info, Mapping) else None
        return clean(str(value), 200) if isinstance(value, (str, int, float)) else None


def find_reference(client: Client, *, clock: Callable[[], float] = time.monotonic) -> Reference:
    """Find the reference that describes POST /api/reseller/contracts, else the first reference of any kind.

    Raises PublishedReferenceError that lists every place tried and what was found there, and UnreachableError when
    the service cannot be reached.
    """
    search = ReferenceSearch(client, clock)
    other: Reference | None = None
    for url, document in search.documents():
        if describes_orders(document):
            return Reference(url, document, tuple(search.notes))
        search.note(url, "an OpenAPI document without POST /api/reseller/contracts")
        other = other or Reference(url, document)
    if other is None:
        raise search.failure()
    return Reference(other.url, other.document, tuple(search.notes))


__all__ = ["Operation", "OrderShape", "Reference", "find_reference"]
