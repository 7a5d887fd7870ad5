# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges which contract of a list is that of an order. Presence may settle an order, absence never does.

Evidence that settles: the id in the interrupted response, if its contract shows the natural key; a newcomer, which is
the only record that shows the natural key after the order. Both need the list before the order: it was complete and did
not have the contract, and for a newcomer showed the natural key nowhere. Everything else that shows the natural key is
a candidate, for a person.

Nothing is settled by a list that is not complete.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .._core.errors import Advice
from .._core.text import clean
from .._ledger.ledger_errors import offer_settling
from .._ledger.order_records import ListedIds, Outcome, Record, Settlement
from .._product_types.registry import SELF
from .._secrets.masker import Masker
from .._service.receipts import l2vpn_id
from .contract_list import ContractList, ShownContract
from .reader import ContractReader
from .values import OrderedValues, comparable, id_key, natural_key, says_ended


class Judgment(NamedTuple):
    """The result of a look at the lists for one order.

    ``contract`` is the one that it bought, if that is proven. ``candidates`` are the ids of those that it may have
    bought; without any, none is shown.
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
        outcome = Outcome("ordered", " ".join(self.evidence), self.contract.id, raw, l2vpn)
        return Settlement(self.name, outcome.masked(masker), None, self.record)


@dataclass
class Judge:
    """Judges one order by the list in which its contract belongs."""

    reader: ContractReader
    record: Record
    ordered: OrderedValues
    listing: ContractList

    @property
    def evidence(self) -> ListedIds | None:
        """The evidence that was noted when the order was claimed, ``None`` if no complete list was read."""
        return self.ordered.request.evidence

    def by_response(self) -> Judgment | None:
        """Return what the id in the order's interrupted response proves; ``None`` if nothing."""
        possible = self.record.outcome.possible_id
        # The own organization's id is no contract's.
        if possible is None or possible == self.reader.own or not self.listing.complete:
            return None
        # Where the ids of the list are not proven, this may be the id of its owner.
        found = self.listing.find(possible) if self.listing.id_place is not None else None
        shown = found or self.reader.read(possible, self.listing.organization_id)
        if shown is None or self._vetoes(shown):
            return None
        if self.ordered.kind:
            shows_it = not self._other_key(shown)
        else:
            # Numbers are the ids of many things.
            shows_it = bool(shown.same_product(self.ordered)) and not possible.isdigit()
        if not shows_it:
            return None
        said = f"The interrupted response told the id {possible}, and that contract shows {self.ordered.in_words}"
        if self.evidence is None:
            why = f"{said}, but the list was not read before the order: it may have been there."
            return self.ambiguous([shown], why)
        if against := self._against(shown):
            return self.ambiguous([shown], f"{said}, but it {against}.")
        return self._settled(shown, possible, f"{said}.")

    def by_newcomer(self, rivals: Sequence[OrderedValues], taken: Collection[str]) -> Judgment:
        """Return what the list proves about an order by itself. ``taken`` are the contracts of other orders."""
        listing, candidates, excluded = self.listing, [], []
        for shown in listing.contracts:
            if self.ordered.is_shown_by(shown.values):
                vetoes = self._vetoes(shown)
                vetoes += [] if shown.id_keys.isdisjoint(taken) else ["another order is settled with it"]
                if vetoes:
                    excluded.append(f"Contract {shown.id} is not it: {' and '.join(vetoes)}.")
                else:
                    candidates.append(shown)
        if not candidates:
            counted = f"None of the {len(listing.contracts)} contracts that the service lists is known to be it."
            proves = "That proves nothing: a list may lag behind."
            return Judgment(self.record, tuple(filter(None, (counted, listing.incomplete, proves, *excluded))))
        why = listing.incomplete or self._why_not(candidates, rivals)
        proven = None if why else self.reader.proven_id(candidates[0], self.ordered.key or "", listing)
        if proven is None:
            unproven = f"That {candidates[0].id} is its id is not proven: the service does not show it by that id."
            return self.ambiguous(candidates, why or unproven, excluded)
        said = f"No contract showed {self.ordered.in_words} before the order, and now {proven} does, with its product."
        return self._settled(candidates[0], proven, said, excluded)

    def _why_not(self, candidates: Sequence[ShownContract], rivals: Sequence[OrderedValues]) -> str:
        """The reason why these contracts settle nothing. Empty: the only one is a newcomer."""
        shown, ordered = candidates[0], self.ordered
        if len(candidates) > 1:
            return f"{len(candidates)} contracts may be it: {', '.join(each.id for each in candidates[:5])}."
        same = [each.request.name for each in rivals if shown.may_be(each)]
        why = ""
        if same:
            why = f"it may as well be that of {', '.join(same[:5])}"
        elif not ordered.kind:
            why = "nothing tells it from another of this product"
        elif self.evidence is None:
            why = "no complete list was read before the order"
        elif not self.evidence.absent:
            why = f"it is not known that none showed {ordered.key} before the order"
        elif other := self._other_key(shown):
            return f"Contract {shown.id} shows {ordered.key}, but {other}."
        elif not shown.same_product(ordered):
            why = "it does not show which product it is of"
        elif ordered.request.end_user != SELF and not self.listing.users_in(shown, ordered.request.end_user):
            why = "it does not show its end user"
        elif against := self._against(shown):
            why = f"it {against}"
        return f"Contract {shown.id} may be it, but {why}." if why else ""

    def _against(self, shown: ShownContract) -> str:
        """The reason why a contract may be another owner's, or does not stand, or an empty string."""
        owner = self.ordered.request.end_user
        users = self.listing.users_in(shown, owner)
        if len(users) > 1:
            return f"shows {len(users)} end users"
        if owner == SELF and (unknown := self.listing.strangers(shown)):
            return f"shows {min(unknown)}, which may be an end user that the ledger lacks"
        ended = says_ended(shown.raw)
        return f"says {ended}" if ended else ""

    def _vetoes(self, shown: ShownContract) -> list[str]:
        """The reasons that rule a contract out for the order, whatever speaks for it: clauses for people."""
        end_user = self.ordered.request.end_user
        holder = self.listing.known.record_of(shown.id_keys)
        found = [f"it is the contract of {holder.name}"] if holder else []
        if self.evidence is not None and any(map(self.evidence.has, shown.id_keys)):
            found.append("it was there before the order was sent")
        if shown.same_product(self.ordered) is False:
            found.append("it shows another product")
        users = self.listing.users_in(shown, end_user)
        if len(users) == 1 and id_key(end_user) not in users:
            found.append("it shows another end user")
        return found

    def _other_key(self, shown: ShownContract) -> str:
        """The reason why a record that shows the natural key may be about something else, or an empty string."""
        kind, places = self.ordered.kind or "", self.listing.places
        theirs = natural_key(kind, shown.leaves, places)
        if theirs is None:
            where = f" where recorded contracts show their {kind}" if places.get(kind) else ""
            return f"not as its only name{where}"
        return "" if comparable(theirs) == comparable(self.ordered.key) else f"its {kind} is {clean(theirs, 100)}"

    def _settled(self, shown: ShownContract, contract_id: str, said: str, more: Sequence[str] = ()) -> Judgment:
        contract = replace(shown, id=contract_id)
        return Judgment(self.record, (said, *more), contract, (contract_id,))

    def ambiguous(self, candidates: Sequence[ShownContract], why: str, more: Sequence[str] = ()) -> Judgment:
        """Return that each of these contracts may be that of the order, and why none is known to be."""
        ids = dict.fromkeys(each.id for each in candidates)
        return Judgment(self.record, (why, *more), None, tuple(ids))
