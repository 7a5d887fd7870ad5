# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Provides what a task needs for a published operation: client, published reference, and requests from options."""

from __future__ import annotations

from .._http.client import Client
from .._operations.lookup import Lookup
from .._operations.requests import Preparer
from .._reference.reference import Reference, find_reference
from .clients import client_of
from .context import Context


class _KeptReference:
    """A reference that the items of a loop share."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference

    def close(self) -> None:
        """Nothing to close."""


def preparer_of(context: Context) -> tuple[Client, Preparer]:
    """The client for the service, and the preparer of requests.

    The reference is read once for a task, or for all items of its loop. Raises ConfigurationError, ServiceError and
    PublishedReferenceError.
    """
    client = client_of(context)
    kept = context.open_service((Reference, client.config), lambda: _KeptReference(find_reference(client)))
    lookup = Lookup(kept.reference, client.config.base_url)
    preparer = Preparer(lookup, client.config.base_url, strict=context.params["validation"] == "strict")
    preparer.hidden = context.hidden
    return client, preparer
