# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges which contract of a list is that of an order. Presence may settle an order, absence never does.

Evidence that settles: the claim's marker in exactly one record; the id that the interrupted response told, if its
contract shows the natural key; a newcomer, which is the only record that shows the natural key after the order. Both of
these need the list before the order: it was complete and did not have the contract, and for a newcomer showed the
natural key nowhere. Everything else that shows the natural key is a candidate, for a person.

Nothing is settled by a list that is not complete.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .._core.text import clean
from .._ledger.order_records import ClaimEvidence, Record, Request
from .._product_types.registry import SELF
from .contract_list import ContractList, ShownContract
from .learned_places import natural_key
from .owners import other_identifier, strangers
from .reader import ContractReader
from .values import OrderedValues, comparable, id_hash, id_key, says_ended


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
        # The own organization's id is no contract's.
        told = record.outcome.told_id if record.outcome.told_id != self._own else None
        shown = self._of_answer(told, ordered, listing) if told is not None else None
        if told is None or shown is None or _was_before(told, evidence):
            return None
        if self.vetoes(record, ordered, shown, listing):
            return None
        said = f"The interrupted response told the id {told}, and that contract shows {ordered.in_words}"
        if evidence.before is None or evidence.before.hashes is None:
            why = f"{said}, but the list was not read before the order: it may have been there."
            return _ambiguous(record.name, [shown], why)
        against = self._why_another(ordered, shown, listing) or _why_ended(shown)
        if against:
            return _ambiguous(record.name, [shown], f"{said}, but it {against}.")
        return _settled(record, shown, told, f"{said}.")

    def _by_marker(
        self,
        record: Record,
        ordered: OrderedValues,
        marker: str,
        bearers: Sequence[ShownContract],
        listing: ContractList,
    ) -> Judgment:
        said = f"The marker of this order is in {', '.join(each.id for each in bearers)}"
        if len(bearers) > 1:
            return _ambiguous(record.name, bearers, f"{said}.")
        against = self.vetoes(record, ordered, bearers[0], listing)
        against += [f"it {ended}"] if (ended := _why_ended(bearers[0])) else []
        proven = self._reader.proven_id(bearers[0], marker, listing) if not against else None
        if proven is None:
            why = " and ".join(against) or "that id is not proven"
            return _ambiguous(record.name, bearers, f"{said}, but {why}.")
        said = f"Contract {proven}, and no other, shows the marker that was sent with this order."
        return _settled(record, bearers[0], proven, said)

    def _of_answer(self, told: str, ordered: OrderedValues, listing: ContractList) -> ShownContract | None:
        """The contract of the id that an interrupted response told, if it shows what was ordered."""
        # Where the ids of the list are not proven, this may be the id of its owner.
        found = listing.find(told) if self._reader.id_place(listing) is not None else None
        shown = found or self._reader.read(told, listing.organization_id)
        if shown is None:
            return None
        if not ordered.kind:
            # Numbers are the ids of many things.
            same = self._reader.known.same_product(ordered, shown, listing.places)
            return shown if same and not told.isdigit() else None
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
        proven = None if why else self._reader.proven_id(candidates[0], ordered.key or "", listing)
        if proven is None:
            unproven = f"That {candidates[0].id} is its id is not proven: the service does not show it by that id."
            return _ambiguous(record.name, candidates, why or unproven, excluded)
        if _was_before(proven, request.evidence or ClaimEvidence()):
            why = f"Contract {proven} shows {ordered.in_words}, but it was there before the order was sent."
            return _ambiguous(record.name, candidates, why, excluded)
        said = f"No contract showed {ordered.in_words} before the order, and now {proven} does, with its product."
        return _settled(record, candidates[0], proven, said, excluded)

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
        evidence = (record.request.evidence if record.request else None) or ClaimEvidence()
        if len(candidates) > 1:
            return f"{len(candidates)} contracts may be it: {', '.join(each.id for each in candidates[:5])}."
        it = f"Contract {shown.id} may be it, but"
        same = [each.name for each in rivals if self.may_be(each, shown, listing)]
        if same:
            return f"{it} it may as well be that of {', '.join(same[:5])}."
        if not ordered.kind:
            return f"{it} nothing tells it from another of this product."
        if evidence.before is None or evidence.before.hashes is None:
            return f"{it} no complete list was read before the order. With read_back, it would have been."
        if not evidence.absent:
            return f"{it} it is not known that none showed {ordered.key} before the order."
        other = _other_key(ordered, shown, listing)
        if other is not None:
            return f"Contract {shown.id} shows {ordered.key}, but {other}."
        if not known.same_product(ordered, shown, listing.places):
            return f"{it} it does not show which product it is of."
        if ordered.end_user != SELF and not known.users_in(shown):
            return f"{it} it does not show its end user."
        against = self._why_another(ordered, shown, listing) or _why_ended(shown)
        return f"{it} it {against}." if against else ""

    def _why_another(self, ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> str:
        """Why a contract may be another owner's, in any list: what it shows, in words, or an empty string."""
        users, places = self._reader.known.users_in(shown), listing.places
        if len(users) > 1:
            return f"shows {len(users)} end users"
        other = other_identifier(shown.raw, places, ordered.end_user, ordered.settings)
        if other is not None:
            return f"shows {other}"
        known = {*shown.id_keys, *self._reader.known.products, *users}
        unknown = strangers(shown.raw, places, ordered.end_user, known)
        return f"shows {min(unknown)}, which may be an end user that the ledger lacks" if unknown else ""

    def may_be(self, ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> bool:
        """Whether a contract may be that of an order."""
        known = self._reader.known
        return ordered.is_shown_by(shown.values) and known.same_product(ordered, shown, listing.places) is not False

    def vetoes(self, record: Record, ordered: OrderedValues, shown: ShownContract, listing: ContractList) -> list[str]:
        """What rules a contract out for an order, whatever speaks for it: clauses for people."""
        evidence = (record.request.evidence if record.request else None) or ClaimEvidence()
        holders = (self._recorded[each] for each in shown.id_keys if each in self._recorded)
        found = [f"it is the contract of {holder}" for holder in holders if holder != record.name][:1]
        # Numbers may have been those of other contracts, where they are not the only ids.
        ids = [each for each in shown.id_keys if not each.isdigit()] or shown.id_keys
        if any(_was_before(each, evidence) for each in ids):
            found.append("it was there before the order was sent")
        if self._reader.known.same_product(ordered, shown, listing.places) is False:
            found.append("it shows another product")
        users = self._reader.known.users_in(shown)
        ours = listing.organization_id == self._own and SELF in shown.values and ordered.end_user not in (SELF, "")
        if (len(users) == 1 and id_key(ordered.end_user) not in users) or (ours and not users):
            found.append("it shows another end user")
        return found


def _settled(record: Record, shown: ShownContract, contract_id: str, said: str, more: Sequence[str] = ()) -> Judgment:
    return Judgment(record.name, "settled", (said, *more), replace(shown, id=contract_id), (contract_id,))


def _was_before(contract_id: str, evidence: ClaimEvidence) -> bool:
    """Whether a contract with this id was listed before the order."""
    return bool(evidence.before and id_hash(contract_id) in (evidence.before.hashes or ()))


def _why_ended(shown: ShownContract) -> str:
    ended = says_ended(shown.raw)
    return "" if ended is None else f"says {ended}"


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
