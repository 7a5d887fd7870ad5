# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_ledger_info: lists the records of the ledger."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import descriptions_of, named_record
from .._core.errors import ConfigurationError
from .._core.text import is_uuid
from .._ledger.database import Event
from .._ledger.identity import folded_name
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._ledger.transaction import Transaction
from .._orders.order import check_end_user
from .._product_types.registry import SELF
from .._service.description import Description

#: They make up LINE_WIDTH. A longer name or product moves the rest of its line.
_COLUMNS = (28, 8, 17, 10)
_HEADINGS = ("NAME", "STATUS", "PRODUCT", "SINCE")


def run(context: Context) -> Result:
    """List the records that match, and the trail if it is wanted."""
    params, ledger = context.params, ledger_of(context, "read")
    wanted = Filter(
        names=params["names"],
        statuses=params["statuses"],
        end_users=_ids(context, ledger, params["end_users"]),
        product_types=params["product_types"],
        since=_utc(params["since"]) if params["since"] else None,
    )
    matching = (*ledger.select(wanted), *_operations(ledger, wanted))
    described = descriptions_of(context, [record.request.service for record in matching if record.request])
    records = [named_record(record, described) for record in matching]
    result = {"changed": False, "records": records, "lines": record_lines(records)}
    if params["events"]:
        events = _events(ledger, wanted)
        result |= {"events": [event.as_dict() for event in events], "event_lines": [*map(event_line, events)]}
    return result


def _ids(context: Context, ledger: Ledger, given: Sequence[str] | None) -> Sequence[str] | None:
    """Return the UUIDs of end users, of which some are given by their names. Raises ConfigurationError.

    A name may be that of an end user of each service in the ledger. In an empty ledger, none is wrong.
    """
    if given is None or all(is_uuid(end_user) or end_user == SELF for end_user in given):
        return given
    services = ledger.read(Transaction.services)
    described = [*descriptions_of(context, services).values()] or [Description()]
    known = [*dict.fromkeys(name for description in described for name in description.end_users)]
    for end_user in given if services else ():
        if end_user not in known:
            check_end_user(end_user, "Nothing was listed", known)
    return [description.id_of(end_user) for end_user in given for description in described]


def _events(ledger: Ledger, wanted: Filter) -> list[Event]:
    """The trail of the wanted names, also of what was removed, and of the whole ledger if none are given."""
    names = wanted.names and {*map(folded_name, wanted.names)}
    return [
        event
        for event in ledger.events()
        if (not names or folded_name(event.name or "") in names) and (not wanted.since or event.at >= wanted.since)
    ]


def _operations(ledger: Ledger, wanted: Filter) -> list[Record]:
    """The named operations that match. They have neither an end user nor a product type."""
    if wanted.end_users or wanted.product_types:
        return []
    # An operation that was accepted is done, and not ordered.
    known = wanted.statuses and [status for status in wanted.statuses if status != "ordered"]
    statuses = known and ["ordered" if status == "done" else status for status in known]
    return ledger.select(wanted._replace(statuses=statuses, kind="operation"))


def record_lines(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of records: name, status, what was ordered or sent, and since when."""
    what = ("product_name", "product_type", "product", "operation")
    rows = [
        (
            str(record["name"]),
            "canceled" if record.get("cancelled") else str(record["status"]),
            str(next((record[name] for name in what if record[name]), "?")),
            str(record["since"] or "")[:10],
        )
        for record in records
    ]
    return ["  ".join(map(_padded, row, _COLUMNS)).rstrip() for row in (_HEADINGS, *rows)] if rows else []


def _padded(text: str, width: int) -> str:
    """The text with blanks up to a width in a terminal, where letters of some scripts take two columns."""
    return text + " " * (width - len(text) - sum(unicodedata.east_asian_width(letter) in "WF" for letter in text))


def event_line(event: Event) -> str:
    """One line of the trail: ``2026-11-21T14:03:20Z settled 'web01' (in doubt -> ordered) by alice at host``."""
    user, job, workflow_job = event.actor
    of_jobs = "".join(
        f", AWX {kind} {number}" for kind, number in (("job", job), ("workflow job", workflow_job)) if number
    )
    about = f" {event.name!r}" if event.name else " the ledger"
    ends = f"{_in_short(event.before)} -> {_in_short(event.after)}"
    return f"{event.at} {event.action}{about} ({ends}) by {user or 'unknown'} at {event.host}{of_jobs}"


def _in_short(known: Mapping[str, Any] | None) -> str:
    """Return the record, or the ledger, before or after an event in a few words."""
    if known is None:
        return "not recorded"
    contract = f", contract {known['contract_id']}" if known.get("contract_id") else ""
    if "status" in known:
        return f"{known['status'].replace('_', ' ')}{contract}"
    return str(known.get("ledger") or known.get("base_url") or f"ID {known.get('id')}, {known.get('orders')} orders")


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
