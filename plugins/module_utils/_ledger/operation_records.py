# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Named POSTs in a ledger, which are claimed as orders are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .order_records import Record

_SHOWN = ("operation", "organization_id", "awx_job_id", "awx_workflow_job_id")


@dataclass(frozen=True)
class NamedOperation:
    """A request that is sent once. It has no secrets.

    ``service`` is the ``base_url``, ``operation`` is ``POST /path``. ``content_digest`` is a keyed digest of its query
    and body.
    """

    name: str
    service: str
    organization_id: str
    operation: str
    content_digest: str
    awx_job_id: str | None = None
    awx_workflow_job_id: str | None = None


def shown_operation(record: Record) -> dict[str, Any]:
    """Everything that the ledger has about an operation. It has no secrets."""
    known = asdict(record.operation) if record.operation else {}
    return {
        "name": record.name,
        # It is no order.
        "status": "done" if record.status == "ordered" else record.status,
        "base_url": known.get("service"),
        **{name: known.get(name) for name in _SHOWN},
        "reason": record.outcome.reason,
        "claimed_at": record.claimed_at,
        "done_at": record.ordered_at,
        "updated_at": record.updated_at,
    }


def result_of(record: Record) -> dict[str, Any]:
    """The return values that show the record of an order or operation in an error."""
    if record.operation is not None:
        return {"record": shown_operation(record)}
    return {"order": record.order(), "contract_id": record.outcome.contract_id}
