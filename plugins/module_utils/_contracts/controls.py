# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Control contracts: contracts whose IDs and orders are in the ledger. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .._core.addresses import same_service
from .._ledger.ledger import Record
from .._product_types.registry import SELF
from .records import moment_of

#: A contract's time may be so much before its order was claimed, and after it was recorded: clocks differ, work waits.
_EARLIEST, _LATEST = timedelta(minutes=15), timedelta(minutes=30)


@dataclass(frozen=True)
class Control:
    """A contract whose ID is in the ledger, with its ordered values, or ``None`` for unknown ones."""

    id: str
    name: str
    end_user: str | None = None
    organization: str | None = None
    product: str | None = None
    product_name: str | None = None
    hostname: str | None = None
    domain: str | None = None
    earliest: datetime | None = None
    latest: datetime | None = None


def controls_of(records: Iterable[Record], base_url: str) -> dict[str, Control]:
    """The control contracts in a ledger's records, by their IDs (UUIDs in lower case).

    Counted are orders that this service has accepted. An id that two orders have is nobody's.
    """
    found: dict[str, list[Control]] = {}
    for record in records:
        told = record.outcome.contract_id
        if record.status != "ordered" or not told:
            continue
        request = record.request
        if request is None:
            found.setdefault(key_of(told), []).append(Control(told, record.name))
        elif not request.service or same_service(request.service, base_url):
            claimed, ordered = moment_of(record.claimed_at), moment_of(record.ordered_at)
            found.setdefault(key_of(told), []).append(
                Control(
                    told,
                    record.name,
                    end_user=request.end_user or None,
                    organization=(request.organization_id or None) if request.end_user == SELF else None,
                    product=request.product or None,
                    product_name=request.product_name,
                    hostname=_text(request.settings.get("hostname")),
                    domain=_text(request.settings.get("domain")),
                    earliest=claimed - _EARLIEST if claimed else None,
                    latest=(ordered or claimed) + _LATEST if claimed else None,
                )
            )
    return {key: several[0] for key, several in found.items() if len(several) == 1}


def key_of(contract: str) -> str:
    """The ID of a contract in the form in which IDs are compared."""
    return contract.lower() if len(contract) == 36 else contract


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
