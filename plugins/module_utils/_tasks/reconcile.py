# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reconcile: compares the ledger with the service, and records what the comparison settles.

It reads from the service and writes to the ledger; it never orders, and removes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.openers import ledger_of, service_of
from .._contracts.judging import Judgment
from .._contracts.reconciling import ChangedContract, UnrecordedContract, advice_on_organizations
from .._core.errors import ConfigurationError, NotPublishedError, ServiceError
from .._core.tables import as_yaml
from .._core.text import nearest, same_id
from .._ledger.order_records import Filter, Record, Settlement
from .._ledger.store import Ledger
from .._order.service import Service
from .._product_types.registry import PRODUCT_TYPES
from .._secrets.masker import Masker
from .adoption import (
    ADOPTION,
    GIVE_KEY,
    Adoption,
    KnownProduct,
    Proposal,
    check_adoption_approval,
    digest_to_approve,
    entries_of,
    is_protected,
    outcome_of,
)
from .read_back import reconciler_of
from .settling import settlements_of

_UNWRITTEN = "settle is false, so this order is left in doubt."


def run(context: Context) -> Result:
    """Settle orders that the service's list proves, adopt contracts in the options, and report the rest."""
    params = context.params
    service, ledger = service_of(context), ledger_of(context, writing=False)
    records = ledger.select(Filter())
    _check_names(params["names"], records)
    reconciler = reconciler_of(context, service, records)
    try:
        listings = reconciler.listings()
        judgments = reconciler.judgments(params["names"])
        gone, mismatched = reconciler.changed(params["names"])
        unrecorded = reconciler.unrecorded()
        missing = reconciler.missing_organizations()
    except NotPublishedError as error:
        return _unreadable(context, records, error)
    incomplete = [
        f"The list of contracts of organization {organization} is not complete: {listing.why_incomplete}."
        for organization, listing in listings.items()
        if not listing.complete
    ]
    if incomplete and params["adopt_all"]:
        raise ConfigurationError(f"{incomplete[0]}\nNothing was written. Adopt single contracts with adopt.")
    incomplete += [advice_on_organizations(missing)] if missing else []
    for sentence in incomplete:
        context.warn(sentence)
    proposals, left = _proposals(context, service, ledger, records, unrecorded)
    if proposals and (params["adopt_all"] or params["approve"]) and not context.check_mode:
        check_adoption_approval(params["approve"], proposals, service.cache)
    settled = [each for each in judgments if each.contract is not None and params["settle"]]
    result: Result = {
        "settled": [_settled(each) for each in settled],
        "adopted": [{**each.as_dict(), "evidence": _shown_by(each)} for each in proposals],
        "ambiguous": [_open(each) for each in judgments if each.result == "ambiguous" or not _settles(each, params)],
        "unseen": [
            {"name": each.name, "evidence": list(each.evidence)} for each in judgments if each.result == "unseen"
        ],
        "gone": [_finding(each) for each in gone],
        "mismatched": [_finding(each) for each in mismatched],
        "unrecorded": left,
        "digest": digest_to_approve(proposals),
        "complete": not incomplete,
        "why_incomplete": "\n".join(incomplete),
        "organizations": missing,
    }
    for each in (each for each in proposals if not is_protected(each.request)):
        context.warn(
            f"{each.name}: nothing protects contract {each.contract.id} against a second order under another name.\n"
            f"{GIVE_KEY}"
        )
    if context.check_mode:
        ADOPTION.remember(entries_of(proposals), service.cache)
    if settled or proposals:
        _write(context, service, records, settled, proposals, result)
    result["changed"] = bool(result["settled"] or result["adopted"])
    return {**result, **_diff(context, result)}


def _diff(context: Context, result: Result) -> Result:
    if not context.diff:
        return {}
    after = {key: result[key] for key in ("settled", "adopted") if result[key]}
    return {"diff": {"before": "", "after": as_yaml(after) if after else ""}}


def _check_names(names: Sequence[str] | None, records: Sequence[Record]) -> None:
    known = [record.name for record in records]
    for name in names or ():
        if name not in known:
            near = nearest(name, known)
            meant = f"The nearest names are {', '.join(near)}." if near else "List them with reseller_ledger_info."
            raise ConfigurationError(f"No order named {name} is in the ledger. Nothing was written.\n{meant}")


def _unreadable(context: Context, records: Sequence[Record], error: NotPublishedError) -> Result:
    """The result where the service has nothing to read contracts by: all is as it was."""
    params = context.params
    if params["adopt"] or params["adopt_all"]:
        raise error
    sentence = error.message.splitlines()[0]
    context.warn(sentence)
    names = params["names"]
    doubtful = [each.name for each in records if each.status == "in_doubt" and (names is None or each.name in names)]
    empty: Result = {key: [] for key in ("settled", "adopted", "ambiguous", "gone", "mismatched", "unrecorded")}
    unseen = [{"name": name, "evidence": [sentence]} for name in doubtful]
    return {
        **empty,
        "unseen": unseen,
        "digest": None,
        "complete": False,
        "why_incomplete": sentence,
        "organizations": [],
        "changed": False,
    }


# What is adopted


def _proposals(
    context: Context,
    service: Service,
    ledger: Ledger,
    records: Sequence[Record],
    unrecorded: Sequence[UnrecordedContract],
) -> tuple[list[Proposal], list[dict[str, Any]]]:
    """What is to be adopted, and the entries of what stays unrecorded."""
    params = context.params
    wanted = _wanted(params["adopt"] or [], unrecorded, records)
    adoption = Adoption(
        ledger,
        base_url=service.config.base_url,
        organization_id=service.config.organization_id,
        adopt_names=params["adopt_names"],
        product_of=_Products(service if params["adopt_all"] or wanted else None, records).find,
    )
    made = adoption.proposals(unrecorded, wanted)
    refused = [each for each in made if each.problem and each.contract.id in wanted]
    if refused:
        listed = "\n".join(f"  - contract {each.contract.id}: {each.problem}" for each in refused)
        raise ConfigurationError(
            f"{len(refused)} of the contracts in adopt cannot be adopted. Nothing was written.\n{listed}\n"
            "Give each a free name, as a mapping of contract_id and name."
        )
    chosen = [each for each in made if not each.problem and (params["adopt_all"] or each.contract.id in wanted)]
    ids = {each.contract.id for each in chosen}
    left = [{**each.as_dict(), "evidence": _shown_by(each)} for each in made if each.contract.id not in ids]
    return chosen, left


def _wanted(
    adopt: Sequence[Any], unrecorded: Sequence[UnrecordedContract], records: Sequence[Record]
) -> dict[str, dict[str, str]]:
    """The names by the ids of contracts that ``adopt`` gives and that are not recorded yet."""
    wanted: dict[str, dict[str, str]] = {}
    for each in adopt:
        given = each if isinstance(each, Mapping) else {"contract_id": each}
        told, name = given.get("contract_id"), given.get("name")
        if (
            not isinstance(told, (str, int))
            or isinstance(told, bool)
            or not str(told)
            or set(given) - {"contract_id", "name", "hostname", "domain"}
        ):
            raise ConfigurationError(
                f"adopt holds {each!r}, which is not a contract ID. Nothing was written.\n"
                "Give the id of a contract, or a mapping of contract_id and name."
            )
        contract_id = str(told)
        recorded = next((record for record in records if same_id(record.outcome.contract_id or "", contract_id)), None)
        shown = next((one.contract.id for one in unrecorded if same_id(one.contract.id, contract_id)), None)
        if recorded is not None and recorded.status == "ordered" and name in (None, recorded.name):
            continue
        if shown is None:
            where = f"it is recorded as {recorded.name}" if recorded else "the service shows no such contract"
            raise ConfigurationError(
                f"Contract {contract_id} cannot be adopted: {where}. Nothing was written.\n"
                "Look at unrecorded in the result of a run without adopt."
            )
        wanted[shown] = {key: str(value) for key, value in given.items() if key != "contract_id" and value is not None}
    return wanted


class _Products:
    """What is known of products: from the ledger, else from the catalogue of ``service``."""

    def __init__(self, service: Service | None, records: Sequence[Record]) -> None:
        self._service = service
        self._known: dict[str, KnownProduct | None] = {}
        for request in (record.request for record in records if record.request):
            kind = PRODUCT_TYPES.get(request.product_type)
            if kind is not None:
                known = KnownProduct(request.product, request.product_name, kind)
                self._known.setdefault(request.product, known)
                if request.product_name:
                    self._known.setdefault(request.product_name, known)

    def find(self, product: str) -> KnownProduct | None:
        """The known values of a product by UUID or name. ``None`` if they are too few to record what was ordered."""
        if product not in self._known:
            self._known[product] = self._in_catalogue(product)
        return self._known[product]

    def _in_catalogue(self, wanted: str) -> KnownProduct | None:
        if self._service is None:
            return None
        try:
            product = self._service.catalogue().find(wanted)
        except ServiceError:
            return None
        kind = product.product_type
        return KnownProduct(product.id, product.name, kind) if kind is not None else None


# What is written


def _write(
    context: Context,
    service: Service,
    records: Sequence[Record],
    settled: Sequence[Judgment],
    proposals: Sequence[Proposal],
    result: Result,
) -> None:
    """Write all in one transaction. What has changed since it was read is left, and told in ``result``."""
    # In check mode this tells why it could not be written.
    ledger = ledger_of(context, writing=True, settling=True)
    words = settlements_of(service.config, records, settled)
    masker = Masker({service.config.api_key})
    for each in proposals:
        kept = outcome_of(each, dict(each.contract.raw)).masked(masker)
        words.append(Settlement(each.name, kept, each.request, each.before))
    if context.check_mode:
        return
    in_the_way = {word.name: record for word, record in zip(words, ledger.settle(words), strict=True) if record}
    for key, rest in (("settled", "ambiguous"), ("adopted", "unrecorded")):
        for entry in [entry for entry in result[key] if entry["name"] in in_the_way]:
            record = in_the_way[entry["name"]]
            why = f"Not written: {record.name} is recorded meanwhile, {record.status.replace('_', ' ')}."
            result[key].remove(entry)
            result[rest].append({**entry, "evidence": [*entry["evidence"], why]})


# What is told


def _settles(judgment: Judgment, params: Mapping[str, Any]) -> bool:
    return judgment.contract is None or params["settle"]


def _settled(judgment: Judgment) -> dict[str, Any]:
    contract_id = judgment.contract.id if judgment.contract else None
    return {"name": judgment.name, "contract_id": contract_id, "evidence": list(judgment.evidence)}


def _open(judgment: Judgment) -> dict[str, Any]:
    evidence = [*judgment.evidence, _UNWRITTEN] if judgment.contract is not None else list(judgment.evidence)
    return {"name": judgment.name, "candidates": list(judgment.candidates), "evidence": evidence}


def _finding(finding: ChangedContract) -> dict[str, Any]:
    return {"name": finding.name, "contract_id": finding.contract_id, "evidence": list(finding.evidence)}


def _shown_by(proposal: Proposal) -> list[str]:
    said = [f"The service lists contract {proposal.contract.id}, and the ledger does not have it."]
    if proposal.problem:
        said.append(proposal.problem)
    elif not is_protected(proposal.request):
        said.append("Its hostname or domain is not known: nothing protects against buying it again under another name.")
    return said


TASK = Task(run)
