# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges which contract of a list is that of an order in doubt, or of one that was accepted without an ID.

An order is settled by the contract whose id its interrupted response has, or by exactly one newcomer to the same list.
Everything else names candidates, for a person. Absence proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from .._core.errors import Advice
from .._core.text import clean
from .._http.config import ServiceConfig
from .._ledger.ledger_errors import offer_settling
from .._ledger.order_records import Outcome, Record, Request, Settlement
from .._ledger.store import Ledger
from .._secrets.masker import Masker
from .._service.places import id_key
from .._service.proofs import key_of
from .._service.receipts import l2vpn_id
from .contract_list import ContractList, OpenOrder, ShownContract
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
        #: What told ids settle, by the names of the orders, and how often each contract is settled so.
        self._told: dict[str, Judgment] = {}
        self._settled: Counter[str] = Counter()

    def judgments(self, names: Collection[str] | None = None) -> list[Judgment]:
        """Return the results for orders in doubt and those without an id, or for those of these names."""
        records = [record for record in self._reconciler.records if names is None or record.name in names]
        wanted = {record.name for record in records}
        lost = self._lost_orders()
        self._judge_told_ids(lost.values(), wanted)
        made = [self._told.get(name) or self._by_newcomer(order) for name, order in lost.items() if name in wanted]
        in_doubt = [record for record in records if record.kind == "order" and record.status == "in_doubt"]
        elsewhere = [_not_here(record) for record in in_doubt if record.name not in lost]
        return [*map(self._certain, made), *elsewhere]

    def _lost_orders(self) -> dict[str, OpenOrder]:
        """Return the orders of this organization whose contract is not known, by name."""
        here = [order for order in self._reconciler.known.open if self._reconciler.is_here(order.record)]
        return {order.record.name: order for order in here if order.record.status != "pending"}

    def _judge_told_ids(self, lost: Collection[OpenOrder], wanted: Collection[str]) -> None:
        """Judge by told ids all orders in the lists in which the wanted ones' contracts would be."""
        lists_of = self._reconciler.reader.lists_of
        lists = {*lists_of(order.request.end_user for order in lost if order.record.name in wanted)}
        for order in lost:
            if lists.issuperset(lists_of([order.request.end_user])) and (judgment := self._by_told_id(order)):
                self._told[order.record.name] = judgment
                if judgment.contract:
                    self._settled[id_key(judgment.contract.id)] += 1

    def _certain(self, judgment: Judgment) -> Judgment:
        """Return a judgment without a contract that several orders would have, and with the line of its end user."""
        request, shown = judgment.record.request, judgment.contract
        if shown is not None and self._settled[id_key(shown.id)] > 1:
            why = f"Contract {shown.id} would be that of several orders."
            return Judgment(judgment.record, (why,), candidates=(shown.id,))
        if shown is None and request and self._reconciler.is_hidden(request.end_user):
            return judgment._replace(
                evidence=(line_for(request.end_user, self._reconciler.reader.service.described), *judgment.evidence)
            )
        return judgment

    def _by_told_id(self, order: OpenOrder) -> Judgment | None:
        """Return what the id in an order's interrupted answer settles; ``None`` if nothing."""
        record, request = order
        listing, told = self._reconciler.own_list(request.end_user), record.outcome.possible_id
        shown = listing.find(told) if told else None
        if shown is None or not listing.is_same(shown, request) or self._vetoes(listing, shown, request):
            return None
        said = f"The interrupted response told the id {told}, and that contract shows {_in_words(request)}"
        if why := self._why_not(listing, shown, request):
            return Judgment(record, (f"{said}, but {why}.",), candidates=(told or "",))
        return Judgment(record, (f"{said}.",), shown, (shown.id,))

    def _by_newcomer(self, order: OpenOrder) -> Judgment:
        """Return what the list settles about an order by itself."""
        record, request = order
        listing = self._reconciler.own_list(request.end_user)
        candidates, excluded = list[ShownContract](), list[str]()
        for shown in listing.contracts:
            if listing.is_same(shown, request):
                vetoes = self._vetoes(listing, shown, request)
                vetoes += [] if shown.id_keys.isdisjoint(self._settled) else ["another order is settled with it"]
                excluded += [f"{shown.name.capitalize()} is not it: {' and '.join(vetoes)}."] if vetoes else []
                candidates += [] if vetoes else [shown]
        ids = tuple(dict.fromkeys(shown.id for shown in candidates if shown.id))
        if not candidates:
            none = f"None of the {len(listing.contracts)} contracts that the service lists is known to be it."
            proves = "That proves nothing: a list may lag behind."
            return Judgment(record, tuple(filter(None, (none, listing.incomplete, proves, *excluded))))
        if len(candidates) > 1:
            said = f"{len(candidates)} contracts may be it: {', '.join(shown.name for shown in candidates[:5])}."
            return Judgment(record, (listing.incomplete or said, *excluded), candidates=ids)
        if why := self._rivals(order) or self._why_not(listing, candidates[0], request):
            said = f"{candidates[0].name.capitalize()} may be it, but {why}."
            return Judgment(record, (said, *excluded), candidates=ids)
        said = f"No contract showed {_in_words(request)} before the order, and now {ids[0]} does, with its product."
        return Judgment(record, (said, *excluded), candidates[0], ids)

    def _rivals(self, lost: OpenOrder) -> str:
        """Return a clause with the names of the other orders that may have bought the same thing; empty without any."""
        settled = {name for name, judgment in self._told.items() if judgment.contract}
        others = [
            order for order in self._reconciler.known.open if order.record.name not in {*settled, lost.record.name}
        ]
        rivals = [order.record.name for order in others if is_rival(order.request, lost.request)]
        return f"it may as well be that of {', '.join(rivals[:5])}" if rivals else ""

    def _vetoes(self, listing: ContractList, shown: ShownContract, request: Request) -> list[str]:
        """Return the reasons that rule a contract out for an order: clauses for people."""
        holder = self._reconciler.holder(shown)
        vetoes = [f"it is the contract of {holder.name}"] if holder else []
        if request.evidence is not None and shown.id and request.evidence.has(id_key(shown.id)):
            vetoes.append("it was there before the order was sent")
        if shown.products and id_key(request.product) not in shown.products:
            vetoes.append("it shows another product")
        return vetoes + (["it shows another end user"] if listing.whose(shown, request) == "others" else [])

    def _why_not(self, listing: ContractList, shown: ShownContract, request: Request) -> str:
        """Return why a contract does not settle an order, a clause; empty if it does."""
        if listing.why_incomplete:
            return f"the list of contracts is not complete: {listing.why_incomplete}"
        if why := listing.why_not_its(shown, request):
            return why.rstrip(".")
        if request.evidence is None:
            return "no complete list that can settle it was read before the order"
        if not request.evidence.is_of(self._reconciler.source(listing, listing.settling(request))):
            return "another list was read before the order, or by other places"
        ended = ended_or_failed(shown.raw, listing.fields)
        return f"it says {ended}" if ended else ""


def _in_words(request: Request) -> str:
    """Its hostname, domain or product, for a sentence."""
    key = key_of(request)
    return f"{key[0]} {key[1]}" if key else f"product {request.product_name or request.product}"


def _not_here(record: Record) -> Judgment:
    """Return the result for an order in doubt that no list which is read here can settle."""
    request = record.request
    if request is None:
        return Judgment(record, ("What was ordered is not recorded.",))
    at = f"at {request.service}, for organization {request.organization_id}"
    return Judgment(record, (f"It was ordered {at}, not read here.",))


def settle(config: ServiceConfig, ledger: Ledger, judgments: Sequence[Judgment]) -> dict[str, Record]:
    """Settle the orders whose contracts are proven. Return the records that stand in the way of that, by name."""
    masker = config.masker()
    settlements = [made for judgment in judgments if (made := judgment.settlement(masker)) is not None]
    others = ledger.settle(settlements) if settlements else []
    return {settlement.name: other for settlement, other in zip(settlements, others, strict=True) if other is not None}
