# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Chooses which contracts of the service to adopt and under which names, and checks the approval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from .._catalogue.catalogue import Catalogue
from .._contracts.contract_list import ShownContract
from .._contracts.reconciling import UnrecordedContract
from .._contracts.values import comparable
from .._core.errors import ConfigurationError, ResellerError, ServiceError, UnknownProductError
from .._core.text import same_id
from .._http.config import ServiceConfig
from .._ledger.order_records import RELEASED, Outcome, Record, Request, Settlement
from .._ledger.store import Ledger
from .._order.filling import completed, gaps, is_protected, unknown_request
from .._order.order import check_name
from .._order.plan import list_digest
from .._order.service import Service
from .._secrets.masker import Masker

_SCHEME, _COMPARED = "adopt-1:", ("contract_id", "name", "product", "end_user", "hostname", "domain")
GIVE_KEY = "Adopt it with contract_id, name, and its hostname or domain."
#: What the user may give of a contract beside its ID.
_GIVEN = ("name", "hostname", "domain")


class Proposal(NamedTuple):
    """A contract to adopt under a name.

    ``request`` is what is known of its order. ``before`` is a record that the name is free to be taken from.
    ``problem`` says why the contract is not adopted.
    """

    contract: ShownContract
    name: str
    request: Request
    before: Record | None = None
    problem: str | None = None

    def as_dict(self) -> dict[str, Any]:
        listed = f"The service lists contract {self.contract.id}, and the ledger does not have it."
        return {
            "name": self.name,
            "contract_id": self.contract.id,
            "product": self.contract.product,
            "product_type": self.request.product_type or None,
            "end_user": self.contract.end_user,
            "hostname": self.contract.hostname,
            "domain": self.contract.domain,
            "evidence": [listed, *gaps(self.request), *filter(None, [self.problem])],
        }

    def settlement(self, masker: Masker) -> Settlement:
        """What the ledger records of it, without secrets."""
        outcome = Outcome("ordered", "Adopted as the service lists it.", self.contract.id, dict(self.contract.raw))
        return Settlement(self.name, outcome.masked(masker), self.request, self.before)


def wanted_contracts(
    adopt: Sequence[Any], unrecorded: Sequence[UnrecordedContract], records: Sequence[Record]
) -> dict[str, dict[str, str]]:
    """What the option ``adopt`` says of contracts that are not recorded yet, by their IDs.

    Raises ConfigurationError for an entry that is not a contract that can be adopted.
    """
    wanted: dict[str, dict[str, str]] = {}
    for each in adopt:
        given = each if isinstance(each, Mapping) else {"contract_id": each}
        id_, name = given.get("contract_id"), given.get("name")
        is_id = isinstance(id_, (str, int)) and not isinstance(id_, bool) and str(id_)
        if not is_id or set(given) - {"contract_id", *_GIVEN}:
            raise ConfigurationError(
                f"adopt holds {each!r}, which is not a contract ID. Nothing was written.\n"
                "Give the id of a contract, or a mapping of contract_id and name."
            )
        contract_id = str(id_)
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
        wanted[shown] = {key: str(given[key]) for key in _GIVEN if given.get(key) is not None}
    return wanted


def proposals_of(
    contracts: Sequence[UnrecordedContract],
    wanted: Mapping[str, Mapping[str, str]],
    ledger: Ledger,
    service: Service,
    adopt_names: str,
) -> list[Proposal]:
    """One proposal for each contract, with what the user gives of it. One that cannot be adopted has a problem."""
    try:
        catalogue = service.catalogue() if contracts else None
    except ServiceError:
        catalogue = None
    drafts = []
    for each in contracts:
        given = wanted.get(each.contract.id, {})
        shown = _with_given(each.contract, given)
        by_host = (shown.hostname, shown.domain)
        preferred = {"contract_id": (), "domain": by_host[::-1]}.get(adopt_names, by_host)
        name = given.get("name") or next(filter(None, preferred), shown.id)
        drafts.append(Proposal(shown, name, _request(shown, name, service.config, catalogue)))
    names, requests = [each.name for each in drafts], [each.request for each in drafts]
    records, in_other_case = ledger.look_up(names)
    duplicates = ledger.duplicates(requests)
    of_name, of_subject = Counter(map(str.casefold, names)), Counter(request.identity for request in requests)

    def problems(each: UnrecordedContract, draft: Proposal) -> Iterator[str]:
        name, shown = draft.name, draft.contract
        subject, about = draft.request.identity, shown.domain or shown.hostname or name
        if each.claimed_by:
            yield f"It may be what {', '.join(each.claimed_by)} bought: settle that first."
        yield from _why_not_name(name, records.get(name), in_other_case.get(name), of_name[name.casefold()])
        if shown.id not in wanted and not each.proven:
            yield "That this is its id is not proven: adopt it by its id if it is."
        if shown.id not in wanted and each.doubt:
            yield f"{each.doubt} Adopt it by its id if it is one to keep."
        if shown.id not in wanted and not is_protected(draft.request):
            yield GIVE_KEY
        if subject and name in duplicates:
            yield f"{about} is in the ledger as {duplicates[name].name}: use that name."
        if subject and of_subject[subject] > 1:
            yield f"{of_subject[subject]} contracts are for {about}: adopt each with reseller_ledger and on_duplicate."

    return [
        draft._replace(before=records.get(draft.name), problem=next(problems(each, draft), None))
        for each, draft in zip(contracts, drafts, strict=True)
    ]


def _why_not_name(name: str, record: Record | None, in_other_case: str | None, wanted_by: int) -> Iterator[str]:
    """Why a contract cannot have a name that ``wanted_by`` contracts would have."""
    try:
        check_name(name)
    except ConfigurationError as error:
        yield error.message
    if record is not None and record.status not in RELEASED:
        yield f"The name {name} is in the ledger, {record.status_in_words}: adopt it under another name."
    if in_other_case is not None:
        yield f"The name {name} differs from {in_other_case}, which is in the ledger, in capital letters only."
    if wanted_by > 1:
        yield f"{wanted_by} contracts would have the name {name}: adopt each under its own."


def _with_given(shown: ShownContract, given: Mapping[str, str]) -> ShownContract:
    """A contract with the hostname and domain that the user gives, if its record shows them."""
    for role in ("hostname", "domain"):
        if role in given and comparable(given[role]) not in shown.values:
            raise ConfigurationError(
                f"Contract {shown.id} does not show the {role} {given[role]}. Nothing was written.\n"
                f"Give the {role} as the service shows it, or leave it out."
            )
    hostname, domain = given.get("hostname", shown.hostname), given.get("domain", shown.domain)
    return replace(shown, hostname=hostname, domain=domain)


def _request(shown: ShownContract, name: str, config: ServiceConfig, catalogue: Catalogue | None) -> Request:
    """What an adopted contract was ordered with, as far as it shows that."""
    product = None
    if catalogue is not None and shown.product is not None:
        with suppress(UnknownProductError):
            product = catalogue.find(shown.product)
    kind = product.product_type if product else None
    setting = kind.identity if kind else "domain" if shown.domain else "hostname"
    value = {"domain": shown.domain, "hostname": shown.hostname}.get(setting or "")
    said = Request(
        name=name,
        service=config.base_url,
        organization_id=config.organization_id,
        end_user=shown.end_user or "",
        product=product.id if product and kind else "",
        product_name=product.name if product and kind else None,
        product_type=kind.name if kind else "",
        settings={setting: value} if setting and value else {},
        partial=True,
    )
    return completed(unknown_request(name), said)


def digest_to_approve(entries: Sequence[Mapping[str, Any]]) -> str | None:
    """The digest of what is to be adopted. ``None`` if that is nothing."""
    return list_digest(_SCHEME, entries, _COMPARED) if entries else None


def check_adoption_approval(approved: str | None, now: str | None, entries: Sequence[Mapping[str, Any]]) -> None:
    """Raise ResellerError unless this list, with the digest ``now``, is the approved one."""
    if approved == now:
        return
    raise ResellerError(
        f"The list of {len(entries)} contracts to adopt is not the approved one. Nothing was written.\n"
        f"Approved: {approved or 'none'}.\n"
        f"Run the task in check mode, look at adopted, and set approve to the digest that it returns: {now}",
        kind="invalid",
        digest=now,
        adopted=[],
        unrecorded=entries,
    )
