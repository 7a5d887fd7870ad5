# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The addresses of recorded servers as lists show them: what the ledger keeps of them, and why there is none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from .._core.errors import LedgerError
from .._core.text import clean
from .._ledger.store import Ledger
from .._service.places import id_key, texts_at
from .contract_list import ContractList, ShownContract
from .endings import over
from .reconciling import Reconciler


def why_no_address(listing: ContractList, shown: ShownContract) -> str:
    """Return why a server that a list shows has no address, or none that is certain to be its own; empty if it has."""
    if ended := over(shown.raw, listing.fields, is_domain=False):
        return f"The contract says {ended}: its address may be that of another server by now."
    if not listing.fields.is_given("address"):
        return "contracts.address is not given in the service's file."
    if not listing.fields.settles("id"):
        return listing.fields.contradicted.get("id") or "contracts.id is neither given nor proven."
    if shown.address:
        return ""
    texts = texts_at(shown.raw, place := listing.fields.get("address"))
    seen = f"shows no IP address at {place}: {clean(texts[0], 60)}" if texts else "does not show its address yet"
    return f"The service {seen}."


def keep_addresses(found: Reconciler, opened: Callable[[], Ledger]) -> None:
    """Keep in the ledger which addresses the lists that were read show of recorded contracts.

    ``opened`` opens it to be written. One that cannot be is left as it is: what was read is not wrong without it.
    """
    changed = {}
    for organization in found.reader.lists:
        listing = found.listing(organization)
        is_certain = listing.fields.is_given("address") and listing.fields.settles("id")
        for shown in listing.contracts if is_certain else ():
            record = found.known.recorded.get(id_key(shown.id))
            if record is None or not record.outcome.contract_id:
                continue
            address = None if why_no_address(listing, shown) else shown.address
            if record.outcome.address != address:
                changed[record.name] = (record.outcome.contract_id, address)
    if changed:
        with suppress(LedgerError):
            opened().note_addresses(changed)
