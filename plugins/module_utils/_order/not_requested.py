# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists what the ledger has for the end users of a plan, and the plan does not request. It may go on being billed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .._http.config import ServiceConfig
from .._ledger.order_records import Record
from .._ledger.store import Ledger

#: As many are listed. All are counted.
MOST_LISTED = 20
_SHOWN = ("name", "status", "product", "product_name", "product_type", "end_user", "contract_id")
IN_FILE = "recorded, not in this file"
IN_LIST = "recorded for these end users, not in this list"


def not_requested(
    ledger: Ledger, config: ServiceConfig, end_users: Collection[str], names: Collection[str], words: str
) -> dict[str, Any]:
    """Return the return value ``not_requested``: what is recorded for these end users under other names than these.

    ``words`` are IN_FILE or IN_LIST. Raises LedgerError.
    """
    recorded = ledger.names_for(end_users, config.base_url, config.organization_id)
    others = [name for name in recorded if name not in names]
    records = ledger.find(others[:MOST_LISTED])
    contracts = [_shown(records[name]) for name in others[:MOST_LISTED] if name in records]
    lines = [f"{len(others)} {words}:", *map(_line_of, contracts)] if others else []
    return {"count": len(others), "contracts": contracts, "lines": lines}


def _shown(record: Record) -> dict[str, Any]:
    known = record.as_dict()
    since = known["ordered_at"] or known["claimed_at"] or known["updated_at"]
    return {**{name: known[name] for name in _SHOWN}, "since": since}


def _line_of(shown: dict[str, Any]) -> str:
    product = shown["product_name"] or shown["product"] or shown["product_type"] or "unknown product"
    contract = f", contract {shown['contract_id']}" if shown["contract_id"] else ""
    status = "" if shown["status"] == "ordered" else f", {shown['status'].replace('_', ' ')}"
    return f"{shown['name']!r}: {product}{status}{contract}, since {shown['since'][:10]}"
