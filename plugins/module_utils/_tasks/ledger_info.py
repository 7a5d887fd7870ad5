# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger_info: lists the records of the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._core.errors import ConfigurationError
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._order.order import check_end_user

#: What is left of 80 columns where ansible.builtin.debug shows a list.
WIDTH = 69
#: They make up WIDTH. A longer name or product moves the rest of its line.
_COLUMNS = "{:28}  {:8}  {:17}  {:10}"
_HEADINGS = ("NAME", "STATUS", "PRODUCT", "SINCE")


def run(context: Context) -> Result:
    """List the records that match."""
    params = context.params
    for end_user in params["end_users"] or ():
        check_end_user(end_user, "Nothing was listed")
    wanted = Filter(
        names=params["names"],
        statuses=params["statuses"],
        end_users=params["end_users"],
        product_types=params["product_types"],
        since=_utc(params["since"]) if params["since"] else None,
    )
    ledger = ledger_of(context, "read")
    records = [record.as_dict() for record in (*ledger.select(wanted), *_operations(ledger, wanted))]
    return {"changed": False, "records": records, "lines": record_lines(records)}


def _operations(ledger: Ledger, wanted: Filter) -> list[Record]:
    """The named operations that match. They have neither an end user nor a product type."""
    if wanted.end_users or wanted.product_types:
        return []
    # An operation that was accepted is done, and not ordered.
    known = wanted.statuses and [each for each in wanted.statuses if each != "ordered"]
    statuses = known and ["ordered" if each == "done" else each for each in known]
    return ledger.select(wanted._replace(statuses=statuses, kind="operation"))


def record_lines(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of records: name, status, what was ordered or sent, and since when."""
    what = ("product_name", "product_type", "product", "operation")
    rows = [
        (
            str(each["name"]),
            str(each["status"]),
            str(next((each[name] for name in what if each[name]), "?")),
            str(each["since"] or "")[:10],
        )
        for each in records
    ]
    return [_COLUMNS.format(*row).rstrip() for row in (_HEADINGS, *rows)] if rows else []


def _utc(text: str) -> str:
    """A date or a time, as the ledger writes times. One without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise ConfigurationError(
            f"since is a date or a time in ISO 8601, as 2026-11-21 or 2026-11-21T08:00:00Z (given: {text!r})."
        ) from None


TASK = Task(run)
