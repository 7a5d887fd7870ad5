# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contract_info: reads contracts from the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._contracts.contract_list import UNCLEAR, ShownContract
from .._contracts.reading import ContractReader, check_recorded, reconciler_of
from .._contracts.reconciling import Presence, Reconciler
from .._core.errors import NotPublishedError
from .._core.text import same_id
from .._ledger.order_records import Filter, Record
from .._orders.order import check_end_user
from .._product_types.registry import SELF
from .._service.places import id_key


def run(context: Context) -> Result:
    """Read contracts."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, "read")
    end_user = service.described.id_of(params["end_user"] or "")
    if end_user:
        check_end_user(end_user, "Nothing was read", service.described.end_users)
    reader, names, ids = ContractReader(service), params["names"] or (), params["contract_ids"] or ()
    named = ledger.find(names)
    if not context.check_mode:
        check_recorded(names, ledger)
    try:
        reader.read(_organizations(reader, named.values(), end_user, params))
    except NotPublishedError as error:
        # A service that publishes no such operation is used as before.
        context.warn(error.message)
        return _result(_unread(named.values(), ids, error.message), error.message)
    reconciler = reconciler_of(reader, ledger.select(Filter()))
    users = [end_user] if end_user else reconciler.end_users
    if names and not ids:
        users = _users(named.values())
    why = reconciler.why_incomplete([*dict.fromkeys(users)])
    if why:
        context.warn(why)
    contracts = [*_requested(reconciler, names, ids)] if names or ids else [*_listed(reconciler, end_user)]
    if not context.check_mode:
        reconciler.keep_addresses(lambda: ledger_of(context, "settle"))
    for contract in contracts:
        contract["end_user_name"] = service.described.name_of(contract["end_user"])
    return _result(contracts, why)


def _result(contracts: list[dict[str, Any]], why: str | None) -> Result:
    return {"changed": False, "contracts": contracts, "complete": not why, "why_incomplete": why}


def _unread(named: Iterable[Record], ids: Iterable[str], why: str) -> list[dict[str, Any]]:
    """Return the contracts that the options name, of which nothing is read."""
    unread = Presence("not_read", why)
    shown = [_shown(record.outcome.contract_id, record, unread) for record in named]
    return [*shown, *(_shown(contract_id, None, unread) for contract_id in ids)]


def _users(records: Iterable[Record]) -> list[str]:
    return [record.request.end_user for record in records if record.request]


def _organizations(
    reader: ContractReader, named: Iterable[Record], end_user: str, params: Mapping[str, Any]
) -> list[str]:
    """Return the organizations in which to look: those of the end users that the options name, else all."""
    users = _users(named)
    if end_user:
        users.append(end_user)
    if params["contract_ids"] or not users:
        return [*reader.organizations]
    return reader.lists_of(users)


def _requested(reconciler: Reconciler, names: Sequence[str], ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the contracts of these names and ids, each once."""
    by_name, seen = {record.name: record for record in reconciler.records}, set[str]()
    for name in names:
        record = by_name.get(name)
        contract_id = record.outcome.contract_id if record else None
        if record is None:
            presence = Presence("unseen", "It is not ordered yet: no such order is in the ledger.")
        elif contract_id is None:
            presence = Presence("unseen", f"The ledger knows no contract id of it: it is {record.status}.")
        else:
            presence = reconciler.presence_of(record)
            seen.add(id_key(contract_id))
        yield _shown(contract_id, record, presence)
    for contract_id in dict.fromkeys(ids):
        if id_key(contract_id) not in seen:
            record = reconciler.known.recorded.get(id_key(contract_id))
            end_user = record.request.end_user if record and record.request else None
            yield _shown(contract_id, record, reconciler.presence(contract_id, end_user))


def _listed(reconciler: Reconciler, end_user: str) -> Iterator[dict[str, Any]]:
    """Yield all contracts of the lists, or those of an end user. One that shows no end user counts as one's own."""
    seen = set[str]()
    for organization in reconciler.reader.lists:
        listing = reconciler.listing(organization)
        for shown in listing.contracts:
            key = id_key(shown.id)
            owner = shown.end_user or (listing.end_user if listing.is_owned else SELF)
            if not (key and key in seen) and (not end_user or same_id(owner, end_user)):
                seen.add(key)
                yield _shown(shown.id, reconciler.holder(shown), Presence("present", "", shown, organization))


def _shown(contract_id: str | None, record: Record | None, presence: Presence) -> dict[str, Any]:
    shown = presence.contract or ShownContract(contract_id or "")
    return {
        "id": shown.id or None,
        "name": record.name if record else None,
        "product": shown.product,
        "end_user": None if shown.end_user == UNCLEAR else shown.end_user,
        "organization_id": presence.organization,
        "hostname": shown.hostname,
        "domain": shown.domain,
        "address": shown.address,
        "presence": presence.presence,
        "why": presence.why,
        "raw": dict(shown.raw),
    }


TASK = Task(run)
