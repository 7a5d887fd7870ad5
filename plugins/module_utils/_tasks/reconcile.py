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
from .._contracts.judgments import Judgment
from .._contracts.reader import advice_on_organizations
from .._contracts.reconciling import UnrecordedContract
from .._core.errors import NotPublishedError, ServiceError
from .._core.text import as_yaml
from .._ledger.order_records import Filter
from .._placing.read_back import reconciler_of, settle
from .._service.service import Service
from .contract_info import check_recorded

_UNWRITTEN = "settle is false, so this order is left in doubt."


def run(context: Context) -> Result:
    """Settle orders that the service's list proves, and report the rest."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, "read")
    records = ledger.select(Filter())
    check_recorded(params["names"], records)
    reconciler = reconciler_of(service, records)
    try:
        listings = reconciler.listings()
        judgments = reconciler.judgments
        unseen = [*reconciler.unseen(params["names"])]
        unrecorded = reconciler.unrecorded()
        missing = reconciler.reader.users_not_shown(reconciler.records)
        incomplete: list[str] = []
    except NotPublishedError as error:
        # All is left as it was.
        incomplete = error.message.splitlines()[:1]
        listings, unrecorded, missing, unseen = {}, [], [], []
        judgments = [Judgment(each, tuple(incomplete)) for each in records if each.status == "in_doubt"]
    judgments = [each for each in judgments if params["names"] is None or each.name in params["names"]]
    incomplete += [
        f"The list of contracts of organization {organization} is not complete: {listing.why_incomplete}."
        for organization, listing in listings.items()
        if not listing.complete
    ]
    incomplete += [advice_on_organizations(missing)] if missing else []
    for sentence in incomplete:
        context.warn(sentence)
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
        "unseen": [*map(_entry, (each for each in judgments if not each.candidates)), *map(_entry, unseen)],
        "unrecorded": [_to_adopt(each, service) for each in unrecorded],
        "complete": not incomplete,
        "why_incomplete": "\n".join(incomplete),
        "organizations": missing,
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
    doubts = [*unrecorded.doubts]
    if kind is None or shown.end_user is None or (kind.identity and kind.identity not in settings):
        doubts.append("Its product type, end user, or hostname or domain is not known: give what is missing.")
    return {
        "name": shown.hostname or shown.domain or shown.id,
        "contract_id": shown.id,
        "product": shown.product,
        "product_type": kind.name if kind else None,
        "end_user": shown.end_user,
        "settings": settings,
        "doubts": doubts,
    }


def _entry(judgment: Judgment) -> dict[str, Any]:
    contract_id = next(iter(judgment.candidates), None)
    return {"name": judgment.name, "contract_id": contract_id, "evidence": list(judgment.evidence)}


TASK = Task(run)
