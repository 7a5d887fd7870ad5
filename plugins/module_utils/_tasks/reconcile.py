# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile: compares the ledger with the service, and records what the comparison settles.

It reads from the service and writes to the ledger; it never orders, adopts nothing, and removes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._contracts.contract_settlements import evidence_of, settlements_of, to_adopt
from .._contracts.judgments import Judgment
from .._contracts.reconciling import UnrecordedContract, advice_on_organizations
from .._core.errors import NotPublishedError, ServiceError
from .._core.text import as_yaml
from .._ledger.order_records import Filter, Settlement
from .._order.service import Service
from .._product_types.product_type import ProductType
from .read_back import check_recorded, reconciler_of

_UNWRITTEN = "settle is false, so this order is left in doubt."


def run(context: Context) -> Result:
    """Settle orders that the service's list proves, and report the rest."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, "read")
    records = ledger.select(Filter())
    check_recorded(params["names"], records)
    reconciler = reconciler_of(context, service, records)
    try:
        listings = reconciler.listings()
        judgments = reconciler.judgments(params["names"])
        unseen = [*reconciler.unseen(params["names"])]
        unrecorded = reconciler.unrecorded()
        missing = reconciler.missing_organizations()
        incomplete: list[str] = []
    except NotPublishedError as error:
        # All is left as it was.
        incomplete = error.message.splitlines()[:1]
        listings, unrecorded, missing, unseen = {}, [], [], []
        judgments = [
            Judgment(each.name, "unseen", tuple(incomplete))
            for each in records
            if each.status == "in_doubt" and (params["names"] is None or each.name in params["names"])
        ]
    incomplete += [
        f"The list of contracts of organization {organization} is not complete: {listing.why_incomplete}."
        for organization, listing in listings.items()
        if not listing.complete
    ]
    incomplete += [advice_on_organizations(missing)] if missing else []
    for sentence in incomplete:
        context.warn(sentence)
    settled = [each for each in judgments if each.contract is not None and params["settle"]]
    left_open = [each for each in judgments if each.result != "unseen" and not (each.contract and params["settle"])]
    result: Result = {
        "settled": [_entry(each) for each in settled],
        "ambiguous": [_open(each, ledger.place) for each in left_open],
        "unseen": [*(_entry(each) for each in judgments if each.result == "unseen"), *map(_entry, unseen)],
        "unrecorded": [to_adopt(each, _type_of(each, service)) for each in unrecorded],
        "complete": not incomplete,
        "why_incomplete": "\n".join(incomplete),
        "organizations": missing,
    }
    words = settlements_of(service.config, records, settled)
    if words:
        _write(context, words, result)
    result["changed"] = bool(result["settled"])
    if context.diff:
        result["diff"] = {"before": "", "after": as_yaml({"settled": result["settled"]}) if result["settled"] else ""}
    return result


def _type_of(unrecorded: UnrecordedContract, service: Service) -> ProductType | None:
    try:
        product = unrecorded.contract.product
        return service.catalogue().find(product).product_type if product else None
    except ServiceError:
        return None


def _write(context: Context, words: Sequence[Settlement], result: Result) -> None:
    """Write all in one transaction. What has changed since it was read is left, and moved in ``result``."""
    # In check mode this tells why it could not be written.
    ledger = ledger_of(context, "settle")
    if context.check_mode:
        return
    in_the_way = {word.name: record for word, record in zip(words, ledger.settle(words), strict=True) if record}
    for entry in [entry for entry in result["settled"] if entry["name"] in in_the_way]:
        record = in_the_way[entry["name"]]
        why = f"Not written: {record.name} is recorded meanwhile, {record.status.replace('_', ' ')}."
        result["settled"].remove(entry)
        result["ambiguous"].append({**entry, "evidence": [*entry["evidence"], why]})


def _entry(judgment: Judgment) -> dict[str, Any]:
    contract_id = next(iter(judgment.candidates), None)
    return {"name": judgment.name, "contract_id": contract_id, "evidence": list(judgment.evidence)}


def _open(judgment: Judgment, place: str) -> dict[str, Any]:
    evidence = [*evidence_of(judgment, place), *([_UNWRITTEN] if judgment.contract is not None else [])]
    return {"name": judgment.name, "candidates": list(judgment.candidates), "evidence": evidence}


TASK = Task(run)
