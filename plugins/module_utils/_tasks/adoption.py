# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Chooses which contracts of the service to adopt and under which names, and checks the approval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._contracts.contract_list import ShownContract
from .._contracts.reconciling import UnrecordedContract
from .._contracts.values import comparable
from .._core.cache import Cache
from .._core.errors import ApprovalError, ConfigurationError
from .._core.text import caseless
from .._ledger.order_records import RELEASED, Outcome, Record, Request
from .._ledger.store import Ledger
from .._order.approval import ApprovedList
from .._order.order import check_name, identity_of
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES

ADOPTION = ApprovedList("adopt-1:", "contract_id", ("name", "product", "end_user", "hostname", "domain"))
#: Of a changed list, no more differences are told.
_MOST_LISTED = 20
GIVE_KEY = "Adopt it with contract_id, name, and its hostname or domain."


@dataclass(frozen=True)
class KnownProduct:
    """A product of which enough is known to record an order of it: UUID, name and type."""

    id: str
    name: str | None
    kind: ProductType


@dataclass(frozen=True)
class Proposal:
    """A contract to adopt under a name. ``request`` is ``None`` if too little is known about what was ordered."""

    contract: ShownContract
    name: str
    request: Request | None = None
    before: Record | None = None
    problem: str | None = None

    def as_dict(self) -> dict[str, Any]:
        request = self.request
        return {
            "name": self.name,
            "contract_id": self.contract.id,
            "product": self.contract.product,
            "product_type": request.product_type or None if request else None,
            "end_user": self.contract.end_user,
            "hostname": self.contract.hostname,
            "domain": self.contract.domain,
        }


class Adoption:
    """Makes proposals. ``product_of`` returns the known values of a product that a contract shows."""

    def __init__(
        self,
        ledger: Ledger,
        *,
        base_url: str,
        organization_id: str,
        adopt_names: str,
        product_of: Callable[[str], KnownProduct | None],
    ) -> None:
        self._ledger = ledger
        self._base_url = base_url
        self._own = organization_id
        self._adopt_names = adopt_names
        self._product_of = product_of

    def proposals(
        self, contracts: Sequence[UnrecordedContract], wanted: Mapping[str, Mapping[str, str]]
    ) -> list[Proposal]:
        """One proposal for each contract, with what the user gives by contract ID: ``name``, ``hostname``, ``domain``.

        A contract that cannot be adopted says why.
        """
        contracts = [self._with(each, wanted.get(each.contract.id, {})) for each in contracts]
        named = [
            (each, wanted.get(each.contract.id, {}).get("name") or self._name(each.contract)) for each in contracts
        ]
        standing = self._ledger.find([name for _each, name in named])
        twins = self._ledger.differing_in_case([name for _each, name in named])
        shared = Counter(caseless(name) for _each, name in named)
        made = []
        for each, name in named:
            record = standing.get(name)
            problem = self._problem(each, name, record, shared[caseless(name)], twins.get(name))
            before = record if record is not None and record.status in RELEASED else None
            request = self._request(each, name)
            if problem is None and each.contract.id not in wanted:
                problem = self._unprotected(each, request)
            made.append(Proposal(each.contract, name, request, before, problem))
        return self._without_duplicates(made)

    @staticmethod
    def _with(each: UnrecordedContract, given: Mapping[str, str]) -> UnrecordedContract:
        """A contract with the hostname and domain that the user gives, if its record shows them."""
        told = {role: given[role] for role in ("hostname", "domain") if role in given}
        for role, value in told.items():
            if comparable(value) not in each.contract.values:
                raise ConfigurationError(
                    f"Contract {each.contract.id} does not show the {role} {value}. Nothing was written.\n"
                    f"Give the {role} as the service shows it, or leave it out."
                )
        shown = each.contract
        hostname, domain = told.get("hostname", shown.hostname), told.get("domain", shown.domain)
        return replace(each, contract=replace(shown, hostname=hostname, domain=domain))

    @staticmethod
    def _unprotected(each: UnrecordedContract, request: Request | None) -> str | None:
        """Why a contract is not adopted unless the user names it."""
        if not each.proven:
            return "That this is its id is not proven: adopt it by its id if it is."
        return None if is_protected(request) else f"Its hostname or domain is not known. {GIVE_KEY}"

    def _name(self, shown: ShownContract) -> str:
        if self._adopt_names == "contract_id":
            return shown.id
        first, second = (shown.hostname, shown.domain)
        if self._adopt_names == "domain":
            first, second = second, first
        return first or second or shown.id

    def _problem(
        self, each: UnrecordedContract, name: str, record: Record | None, shared: int, twin: str | None
    ) -> str | None:
        if each.claimed_by:
            return f"It may be what {', '.join(each.claimed_by)} bought: settle that first."
        try:
            check_name(name)
        except ConfigurationError as error:
            return error.message
        if record is not None and record.status not in RELEASED:
            return f"The name {name} is in the ledger, {record.status.replace('_', ' ')}: adopt it under another name."
        if twin is not None:
            return f"The name {name} differs from {twin}, which is in the ledger, in capital letters only."
        return f"{shared} contracts would have the name {name}: adopt each under its own." if shared > 1 else None

    def _request(self, each: UnrecordedContract, name: str) -> Request | None:
        """What an adopted contract was ordered with, as far as it shows that; ``None`` if it shows nothing of it."""
        shown = each.contract
        product = self._product_of(shown.product) if shown.product is not None else None
        if product is not None:
            key = product.kind.identity
        else:
            key = "domain" if shown.domain else "hostname" if shown.hostname else None
        value = {"hostname": shown.hostname, "domain": shown.domain}.get(key or "")
        if product is None and value is None:
            return None
        settings, end_user = {key: value} if key and value else {}, shown.end_user or ""
        kind = product.kind if product else next(each for each in PRODUCT_TYPES.values() if each.identity == key)
        return Request(
            name=name,
            service=self._base_url,
            organization_id=self._own,
            end_user=end_user,
            product=product.id if product else "",
            product_name=product.name if product else None,
            product_type=product.kind.name if product else "",
            settings=settings,
            identity=identity_of(kind, settings, end_user),
            partial=True,
        )

    def _without_duplicates(self, proposals: list[Proposal]) -> list[Proposal]:
        """The proposals, with those refused that are for what is recorded, or adopted with them, under another name."""
        free = {each.name: each.request for each in proposals if each.request and not each.problem}
        requests = [request for request in free.values() if request.identity]
        found = self._ledger.duplicates(requests) if requests else {}
        shared = Counter(request.identity for request in requests)
        checked = []
        for each in proposals:
            request, about = free.get(each.name), each.contract.domain or each.contract.hostname
            if request is not None and each.name in found:
                each = replace(each, problem=f"{about} is in the ledger as {found[each.name].name}: use that name.")
            elif request is not None and shared[request.identity] > 1:
                several = f"{shared[request.identity]} contracts are for {about}"
                each = replace(each, problem=f"{several}: adopt each with reseller_ledger and on_duplicate.")
            checked.append(each)
        return checked


def is_protected(request: Request | None) -> bool:
    """Whether what is adopted is refused under another name, or has nothing by which it could be bought again."""
    if request is None:
        return False
    product_type = PRODUCT_TYPES.get(request.product_type)
    return request.identity is not None or (product_type is not None and product_type.identity is None)


def outcome_of(proposal: Proposal, kept: Any) -> Outcome:
    """The outcome to record for an adopted contract. ``kept`` is the part of its record that the ledger may keep."""
    return Outcome("ordered", "Adopted as the service lists it.", proposal.contract.id, kept)


def entries_of(proposals: Sequence[Proposal]) -> list[dict[str, Any]]:
    """The proposals as they are approved, in an order of their own: a service lists contracts in any."""
    return sorted((each.as_dict() for each in proposals), key=lambda entry: str(entry["contract_id"]))


def digest_to_approve(proposals: Sequence[Proposal]) -> str | None:
    """The digest of what is to be adopted. ``None`` if that is nothing."""
    return ADOPTION.digest(entries_of(proposals)) if proposals else None


def check_adoption_approval(approved: str | None, proposals: Sequence[Proposal], cache: Cache) -> None:
    """Raise ApprovalError unless this list is the approved one. An empty list needs no approval."""
    now = digest_to_approve(proposals)
    if now is None or approved == now:
        return
    shown: dict[str, Any] = {"digest": now, "adopted": [], "unrecorded": [each.as_dict() for each in proposals]}
    advice = f"Run the task in check mode, look at adopted, and set approve to the digest that it returns: {now}"
    if not approved:
        raise ApprovalError(
            f"{len(proposals)} contracts would be adopted, but the list is not approved. Nothing was written.\n"
            f"{advice}",
            **shown,
        )
    before = ADOPTION.remembered(approved, cache)
    differences = [] if before is None else ADOPTION.differences(before, entries_of(proposals))
    listed = "".join(f"\n  - contract {line}" for line in differences[:_MOST_LISTED])
    raise ApprovalError(
        f"The contracts to adopt are no longer the approved ones. Nothing was written.{listed}\n"
        f"Approved: {approved}.\n{advice}",
        **shown,
    )
