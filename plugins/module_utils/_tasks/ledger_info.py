# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger_info: what the ledger holds."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils import _argspec, _reports
from ansible_collections.hosting.reseller.plugins.module_utils._errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.contract import Filter, Record
from ansible_collections.hosting.reseller.plugins.module_utils._settings.registry import PRODUCT_TYPES
from ansible_collections.hosting.reseller.plugins.module_utils._task import Context, Result, Task

STATUSES = ("ordered", "pending", "in_doubt", "rejected", "not_sent")


def run(context: Context) -> Result:
    """List the orders that match."""
    params = context.params
    wanted = Filter(
        names=params["name"],
        statuses=params["status"],
        end_user=params["end_user"],
        product_type=params["product_type"],
        since=_utc(params["since"]) if params["since"] else None,
    )
    ledger = context.ledger(writing=False)
    return {"changed": False, "orders": [recorded_order(record) for record in ledger.select(wanted)]}


def recorded_order(record: Record) -> dict[str, Any]:
    """All that the ledger holds of an order. It holds no secrets."""
    request, outcome = record.request, record.outcome
    return {
        **_reports.order_of(record),
        "contract_id": outcome.contract_id,
        "contract": outcome.contract,
        "l2vpn_id": outcome.l2vpn_id,
        "reason": outcome.reason,
        "base_url": request.service if request else None,
        "organization_id": request.organization_id if request else None,
        "settings": dict(request.settings) if request else None,
        "claimed_at": record.claimed_at,
        "updated_at": record.updated_at,
        "awx_job_id": request.awx_job_id if request else None,
        "awx_workflow_job_id": request.awx_workflow_job_id if request else None,
    }


def _utc(text: str) -> str:
    """A date or a time, as the ledger writes times. One without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise ConfigurationError(
            f"since is a date or a time in ISO 8601, as 2026-11-21 or 2026-11-21T08:00:00Z (given: {text!r})."
        ) from None


ARGUMENTS: _argspec.ArgumentSpec = {
    **_argspec.common(),
    "name": {"type": "list", "elements": "str"},
    "status": {"type": "list", "elements": "str", "choices": list(STATUSES)},
    "end_user": {"type": "str"},
    "product_type": {"type": "str", "choices": list(PRODUCT_TYPES)},
    "since": {"type": "str"},
}

TASK = Task(ARGUMENTS, run)

__all__ = ["STATUSES", "TASK", "recorded_order"]
