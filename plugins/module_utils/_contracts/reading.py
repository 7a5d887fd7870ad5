# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the lists of contracts of a service, each organization's once, and compares the ledger with them.

A list is always read first and the ledger afterwards: so the ledger has what other runs have bought in between. That
the service does not show a contract proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from .._catalogue.catalogue import Catalogue, catalogue_of
from .._core.errors import (
    READING_FAILURES,
    Advice,
    ConfigurationError,
    NotPublishedError,
    PublishedReferenceError,
    ServiceError,
)
from .._core.text import clean, nearest
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._product_types.registry import SELF
from .._service.description import Description
from .._service.record_list import RecordList
from .._service.service import Service

if TYPE_CHECKING:
    from .reconciling import Reconciler

#: What the read of a list takes at most, in requests and seconds, where no option requires it.
MOST_REQUESTS, MOST_SECONDS = 10, 10.0
#: Seconds for which a list serves claims, after its last page.
_SERVES = 60.0


class ContractReader:
    """Reads the lists of contracts of a service. It sends nothing before ``read``.

    ``is_bounded``: a list is read as far as ten requests in ten seconds allow.
    """

    def __init__(self, service: Service, *, is_bounded: bool = False) -> None:
        self.service, self._is_bounded = service, is_bounded
        #: The own organization.
        self.own = service.config.organization_id
        self.forget()

    def forget(self) -> None:
        """Read everything anew from now on."""
        #: By organization: the lists that were read, and why others could not be.
        self.lists: dict[str, RecordList] = {}
        self.unread: dict[str, ServiceError] = {}
        #: When the oldest one was read, by the monotonic clock.
        self._read_at: float | None = None

    @cached_property
    def description(self) -> Description:
        """What is known of the service. Raises NotPublishedError where no list is, and UnreachableError."""
        known = self.service.described
        if known.source("contracts.path") is None:
            try:
                # It says why there is none.
                self.service.openapi()
            except PublishedReferenceError as error:
                if error.status in (401, 403):
                    raise
                raise _not_published(error.message.splitlines()[0]) from error
            known = self.service.description
        if not known.get("contracts.path"):
            raise _not_published("The OpenAPI document has no operation that lists contracts.")
        return known

    @property
    def path(self) -> str:
        return str(self.description.get("contracts.path"))

    @property
    def organizations(self) -> dict[str, str]:
        """The organizations with a list, each with whose it is: the own one first."""
        users = self.description.end_users.values()
        return {self.own: SELF, **{user.organization_id: user.id for user in users if user.organization_id}}

    def organization_of(self, end_user: str) -> str | None:
        """Return the organization of an end user's contracts, ``None`` where it is not given."""
        if end_user == SELF:
            return self.own
        known = self.description.end_user(end_user)
        return known.organization_id if known else None

    def lists_of(self, end_users: Iterable[str]) -> list[str]:
        """Return the organizations in whose lists the contracts of these end users would be, each once."""
        return [*dict.fromkeys(self.organization_of(user) or self.own for user in end_users)]

    def read(self, organizations: Iterable[str]) -> None:
        """Read the lists of these organizations that were not read yet. Raises NotPublishedError."""
        description = self.description
        for organization in organizations:
            if organization in self.lists or organization in self.unread:
                continue
            try:
                self.lists[organization] = self._read(organization, description)
            except ServiceError as error:
                self.unread[organization] = error
            except READING_FAILURES as failure:
                why = f"The list of contracts cannot be understood ({type(failure).__name__})."
                self.unread[organization] = ServiceError(why)
            if self._read_at is None:
                self._read_at = self.service.clocks.monotonic()

    def _read(self, organization: str, description: Description) -> RecordList:
        client, parameters = self.service.client.acting_for(organization), dict[str, int | None]()
        if description.source("contracts.next") is None:
            # The OpenAPI document is no part of the bounded read.
            parameters = {**self._published_parameters()}
        with client.reading(MOST_SECONDS, MOST_REQUESTS) if self._is_bounded else nullcontext():
            return RecordList(
                client,
                client.url(self.path),
                description,
                part="contracts",
                noun="contracts",
                what="the request for the list of contracts",
                advice="Check base_url and organization_id, or give contracts.path and contracts.records.",
                parameters=lambda: parameters,
            ).read()

    def _published_parameters(self) -> Mapping[str, int | None]:
        given = self.service.described.get("contracts.path") or "/api/reseller/contracts"
        steps = tuple(filter(None, str(given).split("/")))
        return self.service.query_parameters(lambda document: document.at("GET", steps))

    @property
    def is_outdated(self) -> bool:
        """Return whether a list was read too long ago to serve a claim."""
        return self._read_at is not None and self.service.clocks.monotonic() - self._read_at > _SERVES


def _not_published(sentence: str) -> NotPublishedError:
    return NotPublishedError(
        f"{sentence} So contracts cannot be read back. If the service lists them, give contracts.path."
    )


def reconciler_of(reader: ContractReader, records: Sequence[Record]) -> Reconciler:
    """Compare these records, which were read after the lists, with what the lists show."""
    # Measured: 20 ms of a start, which only runs that read back need. They come here before they claim anything.
    from .reconciling import Reconciler

    try:
        catalogue = catalogue_of(reader.service)
    except ServiceError:
        catalogue = Catalogue()
    return Reconciler(reader, records, catalogue)


def read_lists(reader: ContractReader, ledger: Ledger, end_users: Iterable[str]) -> Reconciler:
    """Read the lists of these end users, and the ledger after them. Raises ServiceError."""
    reader.read(reader.lists_of(end_users))
    return reconciler_of(reader, ledger.select(Filter()))


def check_recorded(names: Sequence[str] | None, ledger: Ledger) -> None:
    """Raise ConfigurationError unless orders of these names are recorded."""
    recorded = ledger.find(names or ())
    for name in names or ():
        if name not in recorded:
            near = ", ".join(nearest(name, [record.name for record in ledger.select(Filter())]))
            meant = f"The nearest names are {near}. " if near else ""
            raise ConfigurationError(
                f"No order named {clean(name, 60)} is in the ledger. Nothing was sent or written.",
                Advice(f"{meant}reseller_ledger_info lists all."),
            )
