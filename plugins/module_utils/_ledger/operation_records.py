# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Named operations in the ledger, claimed like orders, with their own names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .order_records import Filter, Record
from .reading import LedgerReading


def operations_in(
    ledger: LedgerReading, names: Sequence[str] | None = None, statuses: Sequence[str] | None = None
) -> list[Record]:
    """The records of all operations, or of those of these names and (shown) statuses, by the time of their claim."""
    among = statuses and ["ordered" if status == "done" else status for status in statuses if status != "ordered"]
    return ledger.select(Filter(names, among, kind="operation"))


def shown_operation(record: Record) -> dict[str, Any]:
    """Everything that the ledger has about an operation. It has no secrets."""
    request = record.request
    return {
        "name": record.name,
        # It is no order.
        "status": "done" if record.status == "ordered" else record.status,
        "operation": request.product if request else None,
        "path": request.settings.get("path") if request else None,
        "base_url": request.service if request else None,
        "organization_id": request.organization_id if request else None,
        "reason": record.outcome.reason,
        "claimed_at": record.claimed_at,
        "done_at": record.ordered_at,
        "certain_at": record.certain_at,
        "updated_at": record.updated_at,
        "awx_job_id": request.awx_job_id if request else None,
        "awx_workflow_job_id": request.awx_workflow_job_id if request else None,
    }


def result_of(record: Record) -> dict[str, Any]:
    """The return values that show the record of an order or operation in an error."""
    if record.kind == "operation":
        return {"record": shown_operation(record)}
    return {"order": record.order(), "contract_id": record.outcome.contract_id}
