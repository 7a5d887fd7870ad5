# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile: compares the ledger with the service, and records what the comparison settles.

It reads from the service and writes to the ledger; it never orders, adopts nothing, and removes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import catalogue_of
from .._contracts.contract_list import UNCLEAR
from .._contracts.judging import Judge, Judgment, settle
from .._contracts.reading import ContractReader, check_recorded, reconciler_of
from .._contracts.reconciling import Presence, UnrecordedContract
from .._core.errors import NotPublishedError, ServiceError
from .._core.text import as_yaml
from .._ledger.order_records import Filter, Record
from .._ledger.store import Ledger
from .._service.service import Service

_UNWRITTEN = "settle is false, so this order is left in doubt."


class _Comparison(NamedTuple):
    """What the lists show beside the ledger."""

    #: Of the orders in doubt.
    judgments: Sequence[Judgment]
    #: Why the lists may not show all.
    why: str | None
    #: Recorded contracts that they do not show.
    absent: Sequence[tuple[Record, Presence]] = ()
    #: Contracts that the ledger lacks, as reseller_record adopts them.
    unrecorded: Sequence[dict[str, Any]] = ()
    #: End users whose contracts are not read.
    hidden: Sequence[str] = ()


def run(context: Context) -> Result:
    """Settle orders that the service's list proves, and report the rest."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, "read")
    check_recorded(params["names"], ledger)
    try:
        comparison = _compared(context, service, ledger)
    except NotPublishedError as error:
        # All is left as it was.
        why = error.message.splitlines()[0]
        in_doubt = ledger.select(Filter(statuses=["in_doubt"], names=params["names"]))
        comparison = _Comparison([Judgment(record, (why,)) for record in in_doubt], why)
    if comparison.why:
        context.warn(comparison.why)
    proven = [judgment for judgment in comparison.judgments if judgment.contract is not None]
    left = _left(context, service, proven)
    settled = [_entry(judgment) for judgment in proven if judgment.name not in left]
    result: Result = {
        "settled": settled,
        **_open(comparison, left),
        "unrecorded": [*comparison.unrecorded],
        "complete": not comparison.why,
        "why_incomplete": comparison.why,
        "organizations": [*comparison.hidden],
        "changed": bool(settled),
    }
    if context.diff:
        result["diff"] = {"before": "", "after": as_yaml({"settled": settled}) if settled else ""}
    return result


def _open(comparison: _Comparison, left: Mapping[str, str]) -> Result:
    """The return values of what is not settled. ``left`` is why some of what is proven is left in doubt."""
    ambiguous = [
        judgment
        for judgment in comparison.judgments
        if judgment.candidates and (judgment.contract is None or judgment.name in left)
    ]
    unseen = [judgment for judgment in comparison.judgments if not judgment.candidates]
    absent = {
        presence: [_absent(record, seen) for record, seen in comparison.absent if seen.presence == presence]
        for presence in ("unseen", "not_read")
    }
    return {
        "ambiguous": [_ambiguous(judgment, left.get(judgment.name)) for judgment in ambiguous],
        "unseen": [*map(_entry, unseen), *absent["unseen"]],
        "not_read": absent["not_read"],
    }


def _compared(context: Context, service: Service, ledger: Ledger) -> _Comparison:
    """Compare all lists with the ledger. Raises NotPublishedError if there are none."""
    reader, names = ContractReader(service), context.params["names"]
    reader.read(reader.organizations)
    if reader.own in reader.unread:
        raise reader.unread[reader.own]
    reconciler = reconciler_of(reader, ledger.select(Filter()))
    judged = Judge(reconciler).judgments()
    unrecorded = reconciler.unrecorded({judgment.name: judgment.contract for judgment in judged if judgment.contract})
    if not context.check_mode:
        reconciler.keep_addresses(lambda: ledger_of(context, "settle"))
    return _Comparison(
        [judgment for judgment in judged if names is None or judgment.name in names],
        reconciler.why_incomplete(reconciler.end_users),
        reconciler.absent(names),
        [_to_adopt(contract, service) for contract in unrecorded],
        [user for user in reconciler.end_users if reconciler.is_hidden(user)],
    )


def _left(context: Context, service: Service, proven: Sequence[Judgment]) -> dict[str, str]:
    """Settle what is proven. Return why some of it is left in doubt, by name."""
    if not context.params["settle"]:
        return {judgment.name: _UNWRITTEN for judgment in proven}
    if not proven:
        return {}
    # In check mode this tells why it could not be written.
    ledger = ledger_of(context, "settle")
    # What has changed since it was read is left.
    others = {} if context.check_mode else settle(service.config, ledger, proven)
    return {
        name: f"Not written: {record.name} is recorded meanwhile, {record.status_in_words}."
        for name, record in others.items()
    }


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


def _ambiguous(judgment: Judgment, left: str | None) -> dict[str, Any]:
    evidence = [*judgment.sentences, *filter(None, [left])]
    return {"name": judgment.name, "candidates": [*judgment.candidates], "evidence": evidence}


def _entry(judgment: Judgment) -> dict[str, Any]:
    contract_id = next(iter(judgment.candidates), None)
    return {"name": judgment.name, "contract_id": contract_id, "evidence": list(judgment.evidence)}


def _absent(record: Record, seen: Presence) -> dict[str, Any]:
    return {"name": record.name, "contract_id": record.outcome.contract_id, "evidence": [seen.why]}


TASK = Task(run)
