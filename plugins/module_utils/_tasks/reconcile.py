# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile: compares the ledger with the service, and records what the comparison settles.

It reads from the service and writes to the ledger; it never orders, and removes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._contracts.judgments import Judgment
from .._contracts.reconciling import UnrecordedContract, advice_on_organizations
from .._core.errors import ConfigurationError, NotPublishedError
from .._core.text import as_yaml
from .._ledger.order_records import Filter, Record, Settlement
from .._ledger.store import Ledger
from .._order.filling import UNPROTECTED, is_protected
from .._order.service import Service
from .._secrets.masker import Masker
from .adoption import (
    GIVE_KEY,
    Proposal,
    check_adoption_approval,
    digest_to_approve,
    proposals_of,
    wanted_contracts,
)
from .read_back import check_recorded, evidence_of, reconciler_of, settlements_of

_UNWRITTEN = "settle is false, so this order is left in doubt."


def run(context: Context) -> Result:
    """Settle orders that the service's list proves, adopt contracts in the options, and report the rest."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, writing=False)
    records = ledger.select(Filter())
    check_recorded(params["names"], records)
    reconciler = reconciler_of(context, service, records)
    try:
        listings = reconciler.listings()
        judgments = reconciler.judgments(params["names"])
        changed = [*reconciler.changed(params["names"])]
        unrecorded = reconciler.unrecorded()
        missing = reconciler.missing_organizations()
        incomplete: list[str] = []
    except NotPublishedError as error:
        if params["adopt"] or params["adopt_all"]:
            raise
        # All is left as it was.
        incomplete = error.message.splitlines()[:1]
        listings, unrecorded, missing, changed = {}, [], [], []
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
    if incomplete and params["adopt_all"]:
        raise ConfigurationError(f"{incomplete[0]}\nNothing was written. Adopt single contracts with adopt.")
    incomplete += [advice_on_organizations(missing)] if missing else []
    for sentence in incomplete:
        context.warn(sentence)
    chosen, left = _proposals(context, service, ledger, records, unrecorded)
    adopted = [each.as_dict() for each in chosen]
    digest = digest_to_approve(adopted)
    if chosen and (params["adopt_all"] or params["approve"]) and not context.check_mode:
        check_adoption_approval(params["approve"], digest, adopted)
    for each in (each for each in chosen if not is_protected(each.request)):
        context.warn(f"{each.name}: {UNPROTECTED}\n{GIVE_KEY}")
    settled = [each for each in judgments if each.contract is not None and params["settle"]]
    left_open = [each for each in judgments if each.result != "unseen" and not (each.contract and params["settle"])]
    told = {
        result: [_entry(each) for each in (*judgments, *changed) if each.result == result]
        for result in ("unseen", "gone", "mismatched")
    }
    result: Result = {
        "settled": [_entry(each) for each in settled],
        "adopted": adopted,
        "ambiguous": [_open(each, ledger.place) for each in left_open],
        **told,
        "unrecorded": [each.as_dict() for each in left],
        "digest": digest,
        "complete": not incomplete,
        "why_incomplete": "\n".join(incomplete),
        "organizations": missing,
    }
    masker = Masker({service.config.api_key})
    words = [*settlements_of(service.config, records, settled), *(each.settlement(masker) for each in chosen)]
    if words:
        _write(context, words, result)
    result["changed"] = bool(result["settled"] or result["adopted"])
    if context.diff:
        after = {key: result[key] for key in ("settled", "adopted") if result[key]}
        result["diff"] = {"before": "", "after": as_yaml(after) if after else ""}
    return result


def _proposals(
    context: Context,
    service: Service,
    ledger: Ledger,
    records: Sequence[Record],
    unrecorded: Sequence[UnrecordedContract],
) -> tuple[list[Proposal], list[Proposal]]:
    """What is to be adopted, and what stays unrecorded."""
    params = context.params
    wanted = wanted_contracts(params["adopt"] or [], unrecorded, records)
    made = proposals_of(unrecorded, wanted, ledger, service, params["adopt_names"])
    refused = [each for each in made if each.problem and each.contract.id in wanted]
    if refused:
        listed = "\n".join(f"  - contract {each.contract.id}: {each.problem}" for each in refused)
        raise ConfigurationError(
            f"{len(refused)} of the contracts in adopt cannot be adopted. Nothing was written.\n{listed}\n"
            "Give each a free name, as a mapping of contract_id and name."
        )
    # In an order of their own, for the digest: a service lists contracts in any.
    chosen = [each for each in made if not each.problem and (params["adopt_all"] or each.contract.id in wanted)]
    chosen.sort(key=lambda each: each.contract.id)
    ids = {each.contract.id for each in chosen}
    return chosen, [each for each in made if each.contract.id not in ids]


def _write(context: Context, words: Sequence[Settlement], result: Result) -> None:
    """Write all in one transaction. What has changed since it was read is left, and moved in ``result``."""
    # In check mode this tells why it could not be written.
    ledger = ledger_of(context, writing=True, settling=True)
    if context.check_mode:
        return
    in_the_way = {word.name: record for word, record in zip(words, ledger.settle(words), strict=True) if record}
    for key, rest in (("settled", "ambiguous"), ("adopted", "unrecorded")):
        for entry in [entry for entry in result[key] if entry["name"] in in_the_way]:
            record = in_the_way[entry["name"]]
            why = f"Not written: {record.name} is recorded meanwhile, {record.status.replace('_', ' ')}."
            result[key].remove(entry)
            result[rest].append({**entry, "evidence": [*entry["evidence"], why]})


def _entry(judgment: Judgment) -> dict[str, Any]:
    contract_id = next(iter(judgment.candidates), None)
    return {"name": judgment.name, "contract_id": contract_id, "evidence": list(judgment.evidence)}


def _open(judgment: Judgment, place: str) -> dict[str, Any]:
    evidence = [*evidence_of(judgment, place), *([_UNWRITTEN] if judgment.contract is not None else [])]
    return {"name": judgment.name, "candidates": list(judgment.candidates), "evidence": evidence}


TASK = Task(run)
