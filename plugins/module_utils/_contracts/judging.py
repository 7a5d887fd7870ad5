# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges which contract of a list is that of an order. Presence may settle an order, absence never does.

Evidence that settles: the claim's marker in exactly one record; the id that the interrupted response told, if its
contract shows the natural key; a newcomer, which is the only record that shows the natural key after the order while
none did before it. Everything else that shows the natural key is a candidate, for a person.

Nothing is settled by a list that is not complete.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from .._core.text import clean
from .._ledger.order_records import ClaimEvidence, Record, Request
from .._product_types.registry import SELF
from .contract_list import ContractList, ShownContract
from .places import natural_key
from .reader import ContractReader
from .values import OrderedValues, comparable, id_key, latest_time

#: What was there so long before the claim was not bought by it, however the clocks differ.
_CLOCKS_DIFFER = timedelta(minutes=15)


@dataclass(frozen=True)
class Judgment:
    """What the list proves about one order. ``candidates`` are the ids of contracts that it may have bought.

    ``contract`` is the one that it bought, if that is proven.
    """

    name: str
    result: Literal["settled", "ambiguous", "unseen"]
    evidence: tuple[str, ...]
    contract: ShownContract | None = None
    candidates: tuple[str, ...] = ()


class Judge:
    """Judges orders by the lists of one reader. ``recorded`` are the names of orders by the ids of their contracts."""

    def __init__(self, reader: ContractReader, recorded: Mapping[str, str], own: str) -> None:
        self._reader = reader
        self._recorded = recorded
        self._own = own

    def by_claim(self, record: Record, request: Request, listing: ContractList) -> Judgment | None:
        """What the order's marker or the id that its response told proves; ``None`` if nothing."""
        ordered, evidence = OrderedValues.of(request), request.evidence or ClaimEvidence()
        if not listing.complete:
            return None
        bearers = [each for each in listing.contracts if evidence.marker and evidence.marker in each.values]
        if bearers:
            return self._by_marker(record, ordered, evidence.marker or "", bearers, listing)
        answered_id = record.outcome.told_id
        shown = self._of_answer(answered_id, ordered, listing) if answered_id is not None else None
        if answered_id is None or shown is None or self.vetoes(record, ordered, shown, listing):
            return None
        said = f"The interrupted response told the id {answered_id}, and that contract shows {ordered.in_words}."
        return self._settled(record, shown, answered_id, said)

    def _by_marker(
        self,
        record: Record,
        ordered: OrderedValues,
        marker: str,
        bearers: Sequence[ShownContract],
        listing: ContractList,
    ) -> Judgment:
        ids = ", ".join(each.id for each in bearers)
        if len(bearers) > 1:
            return _ambiguous(record.name, bearers, f"The marker of this order is in {ids}.")
        vetoes = self.vetoes(record, ordered, bearers[0], listing)
        if vetoes:
            return _ambiguous(
                record.name, bearers, f"The marker of this order is in {ids}, but {' and '.join(vetoes)}."
            )
        proven = self._reader.proven_id(bearers[0], marker, listing)
        if proven is None:
            return _ambiguous(record.name, bearers, f"The marker of this order is in {ids}, but that id is not proven.")
        said = f"Contract {proven}, and no other, shows the marker that was sent with this order."
        return self._settled(record, bearers[0], proven, said)

    def _of_answer(self, answered_id: str, ordered: OrderedValues, listing: ContractList) -> ShownContract | None:
        """The contract of the id that an interrupted response told, if it shows what was ordered."""
        shown = listing.find(answered_id)
        if shown is None or id_key(shown.id) != id_key(answered_id):
            shown = self._reader.read(answered_id, listing.organization_id)
        elif len(shown.id_keys) > 1:
            # One of them may be that of its owner.
            proven = self._reader.proven_id(shown, ordered.key or ordered.product, listing)
            shown = shown if proven is not None and id_key(proven) == id_key(answered_id) else None
        if shown is None:
            return None
        if not ordered.kind:
            # Numbers are the ids of many things.
            same = self._reader.known.same_product(ordered, shown, listing.places)
            return shown if same and not answered_id.isdigit() else None
        return shown if _other_key(ordered, shown, listing) is None else None

    def by_newcomer(
        self,
        record: Record,
        request: Request,
        listing: ContractList,
        rivals: Sequence[OrderedValues],
        taken: Collection[str],
    ) -> Judgment:
        """What the list proves about an order of which nothing is told. ``taken`` are the contracts of other orders."""
        ordered, candidates, excluded = OrderedValues.of(request), [], []
        for shown in listing.contracts:
            if ordered.is_shown_by(shown.values):
                vetoes = self.vetoes(record, ordered, shown, listing)
                vetoes += ["another order is settled with it"] if id_key(shown.id) in taken else []
                if vetoes:
                    excluded.append(f"Contract {shown.id} is not it: {' and '.join(vetoes)}.")
                else:
                    candidates.append(shown)
        incomplete = [] if listing.complete else [f"The list of contracts is not complete: {listing.why_incomplete}."]
        if not candidates:
            counted = f"None of the {len(listing.contracts)} contracts that the service lists is known to be it."
            reasons = (counted, *incomplete, "That proves nothing: a list may lag behind.", *excluded)
            return Judgment(record.name, "unseen", reasons)
        why = incomplete[0] if incomplete else self._why_not(record, ordered, candidates, rivals, listing)
        if why:
            return _ambiguous(record.name, candidates, why, excluded)
        proven = self._reader.proven_id(candidates[0], ordered.key or "", listing)
        if proven is None:
            why = f"That {candidates[0].id} is its id is not proven: the service does not show it by that id."
            return _ambiguous(record.name, candidates, why, excluded)
        said = f"No contract showed {ordered.in_words} before the order, and now {proven} does, with its product."
        return self._settled(record, candidates[0], proven, said, excluded)

    def _why_not(
        self,
        record: Record,
        ordered: OrderedValues,
        candidates: Sequence[ShownContract],
        rivals: Sequence[OrderedValues],
        listing: ContractList,
    ) -> str:
        """Why these contracts settle nothing. Empty: the only one is a newcomer."""
        shown, known = candidates[0], self._reader.known
        if len(candidates) > 1:
            return f"{len(candidates)} contracts may be it: {', '.join(each.id for each in candidates[:5])}."
        same = [each.name for each in rivals if self.may_be(each, shown, listing)]
        if same:
            return f"Contract {shown.id} may as well be that of {', '.join(same[:5])}."
        if not ordered.kind:
            return f"Contract {shown.id} may be it, but nothing tells it from another of this product."
        before = _why_not_new(record, ordered, shown)
        if before:
            return before
        other = _other_key(ordered, shown, listing)
        if other is not None:
            return f"Contract {shown.id} shows {ordered.key}, but {other}."
        if not known.same_product(ordered, shown, listing.places):
            return f"Contract {shown.id} may be it, but it does not show which product it is of."
        in_own_list = listing.organization_id == self._own
        if ordered.end_user != SELF and in_own_list and not known.same_end_user(ordered, shown):
            return f"Contract {shown.id} may be it, but does not show its end user: set organizations."
        stranger = known.stranger(shown, listing.places) if ordered.end_user == SELF else None
        if stranger is not None:
            return (
                f"Contract {shown.id} may be it, but shows {stranger}, which may be an end user that the ledger lacks."
            )
        return ""

    def may_be(self, ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> bool:
        """Whether a contract may be that of an order."""
        known = self._reader.known
        return ordered.is_shown_by(shown.values) and known.same_product(ordered, shown, listing.places) is not False

    def vetoes(self, record: Record, ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> list[str]:
        """What rules a contract out for an order, whatever speaks for it: clauses for people."""
        evidence = record.request.evidence if record.request else None
        holders = (self._recorded[each] for each in shown.id_keys if each in self._recorded)
        found = [f"it is the contract of {holder}" for holder in holders if holder != record.name][:1]
        if evidence and not shown.id_keys.isdisjoint(id_key(each) for each in evidence.seen or ()):
            found.append("it was there before the order was sent")
        latest = latest_time(shown.raw)
        if latest and record.claimed_at:
            claimed = datetime.fromisoformat(record.claimed_at)
            if latest < claimed - _CLOCKS_DIFFER:
                found.append(f"its latest time is {latest:%Y-%m-%d %H:%M} UTC, and this order was claimed later")
        return found + self.differences(ordered, shown, listing)

    def differences(self, ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> list[str]:
        """What a contract shows that the order did not ask for: clauses for people."""
        known = self._reader.known
        other_product = known.same_product(ordered, shown, listing.places) is False
        other_user = known.same_end_user(ordered, shown) is False or (
            listing.organization_id == self._own and ordered.end_user not in (SELF, "") and SELF in shown.values
        )
        return [*(["it shows another product"] * other_product), *(["it shows another end user"] * other_user)]

    @staticmethod
    def _settled(
        record: Record, shown: ShownContract, contract_id: str, said: str, more: Sequence[str] = ()
    ) -> Judgment:
        return Judgment(record.name, "settled", (said, *more), replace(shown, id=contract_id), (contract_id,))


def _why_not_new(record: Record, ordered: OrderedValues, shown: ShownContract) -> str:
    """Why it is not known that a contract was not there before the order. Empty: it was not."""
    evidence = (record.request.evidence if record.request else None) or ClaimEvidence()
    if evidence.seen is None:
        return (
            f"Contract {shown.id} may be it. With read_back, the list would have been read before the order, and "
            "this contract would settle it."
        )
    if evidence.seen:
        return f"Contract {shown.id} may be it, but before the order others showed {ordered.key}, too."
    if not evidence.complete:
        return f"Contract {shown.id} may be it, but before the order not all contracts were listed."
    return ""


def _other_key(ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> str | None:
    """Why a record that shows the natural key may be about something else, or ``None``."""
    kind = ordered.kind or ""
    theirs = natural_key(kind, shown.raw, listing.places)
    if theirs is None:
        where = f"where recorded contracts show their {kind}" if listing.places.keys.get(kind) else "as its only name"
        return f"not {where}"
    return None if comparable(theirs) == comparable(ordered.key) else f"its {kind} is {clean(theirs, 100)}"


def _ambiguous(name: str, candidates: Sequence[ShownContract], why: str, more: Sequence[str] = ()) -> Judgment:
    return Judgment(name, "ambiguous", (why, *more), candidates=tuple(each.id for each in candidates))
