# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges which contract of a list is that of an order in doubt, or of one that was accepted without an ID.

An order is settled by the contract whose id its interrupted response has, or by exactly one newcomer to the same list.
Everything else names candidates, for a person. Absence proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from .._core.errors import Advice
from .._core.text import clean
from .._ledger.ledger_errors import offer_settling
from .._ledger.order_records import Outcome, Record, Request, Settlement
from .._product_types.registry import SELF
from .._secrets.masker import Masker
from .._service.places import id_key
from .._service.proofs import key_of
from .._service.receipts import l2vpn_id
from .contract_list import ContractList, ShownContract
from .endings import ended_or_failed
from .reconciling import Reconciler, is_rival, line_for


class Judgment(NamedTuple):
    """The result of a look at the lists for one order.

    ``contract`` is the one that it bought, if that is certain. ``candidates`` are the ids of those that it may have
    bought.
    """

    record: Record
    evidence: tuple[str, ...]
    contract: ShownContract | None = None
    candidates: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def sentences(self) -> list[str]:
        """The evidence, and what settles the order if a candidate is its contract."""
        if self.contract is not None or not self.candidates:
            return [*self.evidence]
        likeliest = self.candidates[0]
        by_hand = offer_settling(self.name, self.record.ledger, state="present", contract_id=likeliest)
        advice = Advice(f"If it is, run this {by_hand.form}:\n{by_hand}")
        return [*self.evidence, f"{clean(likeliest, 100)} may be its contract. {advice}"]

    def settlement(self, masker: Masker) -> Settlement | None:
        """Return the settlement of an order with its contract, without secrets in that; ``None`` without one."""
        if self.contract is None:
            return None
        raw = dict(self.contract.raw)
        l2vpn = l2vpn_id(raw) or self.record.outcome.l2vpn_id
        told, address = " ".join(self.evidence), self.contract.address
        outcome = Outcome("ordered", told, self.contract.id, raw, l2vpn, address=address)
        return Settlement(self.name, outcome.masked(masker), None, self.record)


class Judge:
    """Judges the orders of a ledger whose contract is not known, by the lists of a reconciler."""

    def __init__(self, reconciler: Reconciler) -> None:
        self._reconciler = reconciler

    def judgments(self, names: Collection[str] | None = None) -> list[Judgment]:
        """Return the results for orders in doubt and those without an id, or for those of these names."""
        here = [
            each for each in self._reconciler.known.open if each.status != "pending" and self._reconciler.is_here(each)
        ]
        judged = [each for each in here if names is None or each.name in names]
        lists = {self._organization(each) for each in judged}
        own = [each for each in here if self._organization(each) in lists]
        by_id = {each.name: self._by_possible_id(each) for each in own if each.outcome.possible_id}
        settled = {name: found.contract for name, found in by_id.items() if found and found.contract}
        taken = Counter(id_key(contract.id) for contract in settled.values())
        made = []
        for record in judged:
            found = by_id.get(record.name)
            if found is None:
                found = self._by_newcomer(
                    record, [each for each in self._reconciler.known.open if each.name not in settled], taken
                )
            elif found.contract is not None and taken[id_key(found.contract.id)] > 1:
                why = f"Contract {found.contract.id} would be that of several orders."
                found = Judgment(record, (why,), candidates=(found.contract.id,))
            made.append(self._with_line(found))
        for record in self._reconciler.records:
            is_wanted = record.status == "in_doubt" and (names is None or record.name in names)
            if is_wanted and not any(record.name == each.name for each in judged) and record.kind == "order":
                why, request = "What was ordered is not recorded.", record.request
                if request is not None:
                    at = f"at {request.service}, for organization {request.organization_id}"
                    why = f"It was ordered {at}, not read here."
                made.append(Judgment(record, (why,)))
        return made

    def _organization(self, record: Record) -> str:
        (organization,) = self._reconciler.reader.lists_of([record.request.end_user if record.request else SELF])
        return organization

    def _with_line(self, judgment: Judgment) -> Judgment:
        """Return a judgment that says first that the end user's organization is not known, where it is not."""
        request = judgment.record.request
        if judgment.contract or not request or not self._reconciler.is_hidden(request.end_user):
            return judgment
        return judgment._replace(evidence=(line_for(request.end_user), *judgment.evidence))

    def _by_possible_id(self, record: Record) -> Judgment | None:
        """Return what the id in an order's interrupted answer settles; ``None`` if nothing."""
        request, possible = record.request, record.outcome.possible_id
        if request is None or possible is None:
            return None
        listing = self._reconciler.own_list(request.end_user)
        shown = listing.find(possible)
        if shown is None or not listing.is_same(shown, request) or self._vetoes(listing, shown, request):
            return None
        said = f"The interrupted response told the id {possible}, and that contract shows {_in_words(request)}"
        if why := self._why_not(listing, shown, request):
            return Judgment(record, (f"{said}, but {why}.",), candidates=(possible,))
        return Judgment(record, (f"{said}.",), shown, (shown.id,))

    def _by_newcomer(self, record: Record, rivals: Iterable[Record], taken: Collection[str]) -> Judgment:
        """Return what the list settles about an order by itself. ``taken`` are the contracts of other orders."""
        request = record.request
        if request is None:
            return Judgment(record, ("What was ordered is not recorded.",))
        listing, candidates, excluded = self._reconciler.own_list(request.end_user), list[ShownContract](), list[str]()
        for shown in listing.contracts:
            if listing.is_same(shown, request):
                vetoes = self._vetoes(listing, shown, request)
                vetoes += [] if shown.id_keys.isdisjoint(taken) else ["another order is settled with it"]
                excluded += [f"{shown.name.capitalize()} is not it: {' and '.join(vetoes)}."] if vetoes else []
                candidates += [] if vetoes else [shown]
        if not candidates:
            none = f"None of the {len(listing.contracts)} contracts that the service lists is known to be it."
            proves = "That proves nothing: a list may lag behind."
            return Judgment(record, tuple(filter(None, (none, listing.incomplete, proves, *excluded))))
        first, ids = candidates[0], tuple(dict.fromkeys(each.id for each in candidates if each.id))
        same = [each.name for each in rivals if each.name != record.name and is_rival(each.request, request)]
        why = f"it may as well be that of {', '.join(same[:5])}" if same else self._why_not(listing, first, request)
        if len(candidates) > 1:
            said = f"{len(candidates)} contracts may be it: {', '.join(each.name for each in candidates[:5])}."
            return Judgment(record, (listing.incomplete or said, *excluded), candidates=ids)
        if why:
            return Judgment(record, (f"{first.name.capitalize()} may be it, but {why}.", *excluded), candidates=ids)
        said = f"No contract showed {_in_words(request)} before the order, and now {first.id} does, with its product."
        return Judgment(record, (said, *excluded), first, (first.id,))

    def _vetoes(self, listing: ContractList, shown: ShownContract, request: Request) -> list[str]:
        """Return the reasons that rule a contract out for an order: clauses for people."""
        holder = self._reconciler.holder(shown)
        found = [f"it is the contract of {holder.name}"] if holder else []
        if request.evidence is not None and shown.id and request.evidence.has(id_key(shown.id)):
            found.append("it was there before the order was sent")
        if shown.products and id_key(request.product) not in shown.products:
            found.append("it shows another product")
        return found + (["it shows another end user"] if listing.whose(shown, request) == "others" else [])

    def _why_not(self, listing: ContractList, shown: ShownContract, request: Request) -> str:
        """Return why a contract does not settle an order, a clause; empty if it does."""
        if not listing.complete:
            return f"the list of contracts is not complete: {listing.why_incomplete}"
        if why := listing.why_not_equal(shown, request):
            return why.rstrip(".")
        if request.evidence is None:
            return "no complete list that can settle it was read before the order"
        if not request.evidence.is_of(self._reconciler.source(listing, request)):
            return "another list was read before the order, or by other places"
        ended = ended_or_failed(shown.raw, listing.fields)
        return f"it says {ended}" if ended else ""


def _in_words(request: Request) -> str:
    """Its hostname, domain or product, for a sentence."""
    key = key_of(request)
    return f"{key[0]} {key[1]}" if key else f"product {request.product_name or request.product}"
