# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile: compares the ledger with the service, and records what the comparison settles.

It reads from the service and writes to the ledger; it never orders, adopts nothing, and removes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import catalogue_of
from .._contracts.contract_list import UNCLEAR
from .._contracts.judging import Judge, Judgment
from .._contracts.reading import check_recorded, reader_of, reconciler_of, settle
from .._contracts.reconciling import Presence, UnrecordedContract
from .._contracts.server_addresses import keep_addresses
from .._core.errors import NotPublishedError, ServiceError
from .._core.text import as_yaml
from .._ledger.order_records import Filter, Record
from .._service.service import Service

_UNWRITTEN = "settle is false, so this order is left in doubt."


def run(context: Context) -> Result:
    """Settle orders that the service's list proves, and report the rest."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, "read")
    check_recorded(params["names"], ledger)
    reader = reader_of(service)
    judgments, absent, unrecorded, hidden = (
        list[Judgment](),
        list[tuple[Record, Presence]](),
        list[dict[str, Any]](),
        [],
    )
    try:
        reader.read(reader.organizations)
        if reader.own in reader.unread:
            raise reader.unread[reader.own]
        found = reconciler_of(reader, service, ledger.select(Filter()))
        judged = Judge(found).judgments()
        judgments = [each for each in judged if params["names"] is None or each.name in params["names"]]
        absent = found.absent(params["names"])
        unrecorded = [
            _to_adopt(each, service)
            for each in found.unrecorded({each.name: each.contract for each in judged if each.contract})
        ]
        hidden = [user for user in found.end_users if found.is_hidden(user)]
        why = found.why_incomplete(found.end_users)
        if not context.check_mode:
            keep_addresses(found, lambda: ledger_of(context, "settle"))
    except NotPublishedError as error:
        # All is left as it was.
        why = error.message.splitlines()[0]
        in_doubt = ledger.select(Filter(statuses=["in_doubt"], names=params["names"]))
        judgments = [Judgment(each, (why,)) for each in in_doubt]
    if why:
        context.warn(why)
    proven = [each for each in judgments if each.contract is not None]
    left = {} if params["settle"] else {each.name: _UNWRITTEN for each in proven}
    if proven and params["settle"]:
        # In check mode this tells why it could not be written.
        ledger = ledger_of(context, "settle")
        # What has changed since it was read is left.
        others = {} if context.check_mode else settle(service.config, ledger, proven)
        left = {
            name: f"Not written: {each.name} is recorded meanwhile, {each.status_in_words}."
            for name, each in others.items()
        }
    settled = {each.name: each for each in proven if each.name not in left}
    result: Result = {
        "settled": [*map(_entry, settled.values())],
        "ambiguous": [
            {
                "name": each.name,
                "candidates": [*each.candidates],
                "evidence": [*each.sentences, *([left[each.name]] if each.name in left else [])],
            }
            for each in judgments
            if each.candidates and each.name not in settled
        ],
        "unseen": [
            *map(_entry, (each for each in judgments if not each.candidates)),
            *(_absent(*each) for each in absent if each[1].presence == "unseen"),
        ],
        "not_read": [_absent(*each) for each in absent if each[1].presence == "not_read"],
        "unrecorded": unrecorded,
        "complete": not why,
        "why_incomplete": why,
        "organizations": hidden,
    }
    result["changed"] = bool(result["settled"])
    if context.diff:
        result["diff"] = {"before": "", "after": as_yaml({"settled": result["settled"]}) if result["settled"] else ""}
    return result


def _to_adopt(unrecorded: UnrecordedContract, service: Service) -> dict[str, Any]:
    """A contract that the ledger lacks: what reseller_record needs to adopt it, and what speaks against that."""
    shown, kind = unrecorded.contract, None
    with suppress(ServiceError):
        kind = catalogue_of(service).find(shown.product).product_type if shown.product else None
    settings = {name: value for name, value in (("hostname", shown.hostname), ("domain", shown.domain)) if value}
    doubts, end_user = [*unrecorded.doubts], None if shown.end_user == UNCLEAR else shown.end_user
    if kind is None or end_user is None or (kind.identity and kind.identity not in settings):
        doubts.append("Its product type, end user, or hostname or domain is not known: give what is missing.")
    return {
        "name": shown.hostname or shown.domain or shown.id,
        "contract_id": shown.id,
        "product": shown.product,
        "product_type": kind.name if kind else None,
        "end_user": end_user,
        "settings": settings,
        "doubts": doubts,
    }


def _entry(judgment: Judgment) -> dict[str, Any]:
    contract_id = next(iter(judgment.candidates), None)
    return {"name": judgment.name, "contract_id": contract_id, "evidence": list(judgment.evidence)}


def _absent(record: Record, seen: Presence) -> dict[str, Any]:
    return {"name": record.name, "contract_id": record.outcome.contract_id, "evidence": [seen.why]}


TASK = Task(run)
