# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contract_info: reads contracts from the service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._contracts.contract_list import ShownContract
from .._contracts.reader import ContractReader, Presence, advice_on_organizations
from .._contracts.values import id_key
from .._core.errors import Advice, ConfigurationError, NotPublishedError
from .._core.text import clean, nearest, same_id
from .._ledger.order_records import Filter, Record
from .._order.order import check_end_user
from .._placing.read_back import reader_of
from .._product_types.registry import SELF


def run(context: Context) -> Result:
    """Read contracts."""
    if context.params["end_user"]:
        check_end_user(context.params["end_user"], "Nothing was read")
    service = service_of(context)
    records = ledger_of(context, "read").select(Filter())
    reader = reader_of(service, records)
    return _Reading(context, reader).result()


def check_recorded(names: Sequence[str] | None, records: Sequence[Record]) -> None:
    """Raise ConfigurationError unless orders of these names are recorded."""
    known = {record.name for record in records}
    for name in names or ():
        if name not in known:
            near = ", ".join(nearest(name, known))
            meant = f"The nearest names are {near}. " if near else ""
            raise ConfigurationError(
                f"No order named {clean(name, 60)} is in the ledger. Nothing was sent or written.",
                Advice(f"{meant}reseller_ledger_info lists all."),
            )


class _Reading:
    """One run of the module. A requested contract is its ID and its order in the ledger, as far as they are known."""

    def __init__(self, context: Context, reader: ContractReader) -> None:
        self._context = context
        self._params = context.params
        self._reader = reader
        self._by_id = reader.known.recorded

    def result(self) -> Result:
        requested = self._requested()
        try:
            # Raises where the service publishes nothing that reads contracts.
            _published = self._reader.operations
            contracts = [_shown(*each, *self._presence(*each)) for each in requested] or [*self._listed()]
            why = self._why_incomplete()
        except NotPublishedError as error:
            # A service that publishes no such operation is used as before.
            why = error.message
            self._context.warn(why)
            contracts = [_shown(*each, Presence(why), None) for each in requested]
        return {
            "changed": False,
            "contracts": contracts,
            "complete": bool(self._reader.lists) and not why,
            "why_incomplete": why,
        }

    def _requested(self) -> list[tuple[str | None, Record | None]]:
        """The contracts that the options name. Raises ConfigurationError for a name that is not recorded."""
        names, ids = self._params["names"] or (), self._params["contract_ids"] or ()
        if not self._context.check_mode:
            check_recorded(names, self._reader.records)
        by_name = {record.name: record for record in self._reader.records}
        records = [by_name.get(name) for name in names]
        found = [(record.outcome.contract_id if record else None, record) for record in records]
        named = {id_key(known) for known, _record in found if known}
        return [
            *found,
            *((id_, self._by_id.get(id_key(id_))) for id_ in dict.fromkeys(ids) if id_key(id_) not in named),
        ]

    # Single contracts

    def _presence(self, contract_id: str | None, record: Record | None) -> tuple[Presence, str | None]:
        """Return whether a contract is there, and the organization that was read for it."""
        if contract_id is None:
            why = f"The ledger knows no contract id of it: it is {record.status}." if record else ""
            return Presence(why or "It is not ordered yet: no such order is in the ledger."), None
        end_user = record.request.end_user if record and record.request else None
        presence, organization = Presence(), self._reader.own
        for organization in self._organizations_of(end_user):
            presence = self._reader.presence(contract_id, organization)
            if presence.contract:
                return presence, organization
        if end_user not in (None, SELF) and organization == self._reader.own:
            place = "organization_id in end_users of the service's file"
            advice = f"If it belongs to that of end user {end_user}, set its {place}."
            presence = presence._replace(why=f"{presence.why} {advice}")
        return presence, organization

    def _organizations_of(self, end_user: str | None) -> list[str]:
        """Return the organizations in which to look: that of the end user, else any that the service's file names."""
        if end_user := end_user or self._params["end_user"]:
            return [self._reader.organization_of(end_user)]
        return self._reader.all_organizations

    # Lists

    def _listed(self) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        for organization in self._organizations_of(None):
            listing = self._reader.listing(organization)
            if not listing.complete:
                self._context.warn(
                    f"Not all contracts of organization {organization} were read: {listing.why_incomplete}."
                )
            for contract in listing.contracts:
                key = id_key(contract.id)
                # A contract that shows no end user counts as one's own.
                if key not in seen and self._is_requested(contract.end_user or SELF):
                    seen.add(key)
                    yield _shown(contract.id, self._by_id.get(key), Presence("", contract), organization)

    def _is_requested(self, end_user: str) -> bool:
        return not self._params["end_user"] or same_id(end_user, self._params["end_user"])

    def _why_incomplete(self) -> str:
        """Return why requested contracts may be missing, or an empty string."""
        for listing in self._reader.lists.values():
            if not listing.complete:
                return listing.why_incomplete
        if not self._reader.lists or self._params["names"] or self._params["contract_ids"]:
            return ""
        # Contracts of these end users may lie in organizations that were not read.
        missing = [user for user in self._reader.users_not_shown(self._reader.records) if self._is_requested(user)]
        return advice_on_organizations(missing) if missing else ""


def _shown(
    contract_id: str | None, record: Record | None, presence: Presence, organization: str | None
) -> dict[str, Any]:
    shown = presence.contract or ShownContract(contract_id or "")
    return {
        "id": shown.id or None,
        "name": record.name if record else None,
        "product": shown.product,
        "end_user": shown.end_user,
        "organization_id": organization,
        "hostname": shown.hostname,
        "domain": shown.domain,
        "presence": presence.presence,
        "why": presence.why,
        "raw": dict(shown.raw),
    }


TASK = Task(run)
