# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the lists of contracts of a service, each organization's once, as its description says.

That the service does not show a contract proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from functools import cached_property

from .._core.errors import READING_FAILURES, NotPublishedError, PublishedReferenceError, ServiceError
from .._core.text import same_id
from .._http.client import Client
from .._product_types.registry import SELF
from .._service.description import Description
from .._service.record_list import RecordList

#: What the read of a list takes at most, in requests and seconds, where no option requires it.
MOST_REQUESTS, MOST_SECONDS = 10, 10.0
#: Seconds for which a list serves claims, after its last page.
_SERVES = 60.0


class ContractReader:
    """Reads lists of contracts. ``describe`` returns what is known of the service, ``parameters`` what it publishes.

    ``is_bounded``: a list is read as far as ten requests in ten seconds allow.
    """

    def __init__(
        self,
        client: Client,
        describe: Callable[[], Description],
        parameters: Callable[[], Mapping[str, int | None]] = dict,
        *,
        is_bounded: bool = False,
    ) -> None:
        self.client, self._describe, self._parameters, self._is_bounded = client, describe, parameters, is_bounded
        #: The service, and the own organization.
        self.base_url, self.own = client.config.base_url, client.config.organization_id
        self.lists: dict[str, RecordList] = {}
        self.unread: dict[str, ServiceError] = {}
        self._read_at: dict[str, float] = {}

    @cached_property
    def description(self) -> Description:
        """The description. Raises NotPublishedError where no list is known, and UnreachableError."""
        try:
            found = self._describe()
        except PublishedReferenceError as error:
            if error.status in (401, 403):
                raise
            raise _not_published(error.message.splitlines()[0]) from error
        if not found.get("contracts.path"):
            raise _not_published("The OpenAPI document has no operation that lists contracts.")
        return found

    @property
    def path(self) -> str:
        return str(self.description.get("contracts.path"))

    @property
    def organizations(self) -> dict[str, str]:
        """The organizations with a list, each with whose it is: the own one first."""
        users = self.description.end_users.values()
        return {self.own: SELF, **{each.organization_id: each.id for each in users if each.organization_id}}

    def organization_of(self, end_user: str) -> str | None:
        """Return the organization of an end user's contracts, ``None`` where it is not given."""
        if end_user == SELF:
            return self.own
        return next((id_ for id_, user in self.organizations.items() if same_id(user, end_user)), None)

    def lists_of(self, end_users: Iterable[str]) -> list[str]:
        """Return the organizations in whose lists the contracts of these end users would be, each once."""
        return [*dict.fromkeys(self.organization_of(each) or self.own for each in end_users)]

    def read(self, organizations: Iterable[str]) -> None:
        """Read the lists of these organizations that were not read yet. Raises NotPublishedError."""
        _found = self.description
        for organization in organizations:
            if organization not in (*self.lists, *self.unread):
                try:
                    self.lists[organization] = self._read(organization)
                except ServiceError as error:
                    self.unread[organization] = error
                except READING_FAILURES as failure:
                    why = f"The list of contracts cannot be understood ({type(failure).__name__})."
                    self.unread[organization] = ServiceError(why)
                self._read_at[organization] = self.client.clocks.monotonic()

    def _read(self, organization: str) -> RecordList:
        description, client = self.description, self.client.acting_for(organization)
        # The OpenAPI document is no part of the bounded read.
        parameters = self._parameters() if description.source("contracts.next") is None else {}
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

    @property
    def is_outdated(self) -> bool:
        """Return whether a list was read too long ago to serve a claim."""
        return any(self.client.clocks.monotonic() - at > _SERVES for at in self._read_at.values())

    def forget(self) -> None:
        """Read everything anew from now on."""
        self.lists, self.unread, self._read_at = {}, {}, {}


def _not_published(sentence: str) -> NotPublishedError:
    return NotPublishedError(
        f"{sentence} So contracts cannot be read back. If the service lists them, give contracts.path."
    )
