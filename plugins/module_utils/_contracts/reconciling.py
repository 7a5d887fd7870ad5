# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the ledger with the contracts that the service shows. Presence may settle an order, absence never does.

Nothing here writes, and nothing is settled by a list that is not complete. What settles:

R0  the claim's marker, in exactly one record
R1  the id that the interrupted answer told, if its contract shows what was ordered
R2  a newcomer: before the order nothing showed its natural key, now one record does, and shows its product, too
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from .._core.addresses import same_service
from .._core.errors import ServiceError
from .._core.text import clean, is_uuid
from .._ledger.order_records import ClaimEvidence, Record, Request
from .._product_types.registry import SELF
from .._records.contract_ids import identifier
from .reader import ContractReader
from .values import Asked, Listing, ShownContract, key_of, leaves, names_nothing, own_key, plain, times

_CLOCKS_DIFFER = timedelta(minutes=15)
Result = Literal["settled", "ambiguous", "unseen"]


@dataclass(frozen=True)
class Verdict:
    """What the list proves about one order. ``candidates`` are the IDs of contracts that it may have bought."""

    name: str
    result: Result
    evidence: tuple[str, ...]
    rank: str | None = None
    contract: ShownContract | None = None
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What was found about a recorded contract, in sentences."""

    name: str
    contract_id: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Unrecorded:
    """A contract that the service shows and the ledger lacks. ``claimed_by`` are orders that may have bought it.

    ``proven``: its id is known to be that of the contract.
    """

    contract: ShownContract
    claimed_by: tuple[str, ...] = ()
    proven: bool = True


@dataclass(frozen=True)
class Look:
    """What the list shows about one order: all ids of contracts like it, and those that the ledger lacks, in words.

    ``unclear`` says why the list does not tell whether there are others; it is empty if it does.
    """

    seen: tuple[str, ...]
    unrecorded: tuple[str, ...]
    unclear: str = ""


class Reconciler:
    """Compares the records of one ledger with one service, in the context of one organization."""

    def __init__(
        self, reader: ContractReader, records: Sequence[Record], *, base_url: str, organization_id: str
    ) -> None:
        self._reader = reader
        self._own = organization_id
        self._base_url = base_url
        self._records = [record for record in records if self._is_here(record.request)]
        self._elsewhere = [record for record in records if not self._is_here(record.request)]
        self.recorded = {
            key_of(each.outcome.contract_id): each.name
            for each in records
            if each.outcome.contract_id and each.status == "ordered"
        }
        self._verdicts: list[Verdict] | None = None

    def _is_here(self, request: Request | None) -> bool:
        if request is None:
            return True
        at_service = not request.service or same_service(request.service, self._base_url)
        return at_service and request.organization_id in ("", self._own)

    def _read_in(self, request: Request | None) -> str:
        return self._reader.organization_of(request.end_user if request else SELF, self._own)

    def listings(self) -> dict[str, Listing]:
        """What the service shows, by organization."""
        wanted = [self._own, *self._reader.organizations.values()]
        return {organization: self._reader.listing(organization) for organization in dict.fromkeys(wanted)}

    def not_read(self) -> list[str]:
        """End users with orders of which no list shows a contract and whose organization is not given."""
        shown = {
            r.name
            for each in self.listings().values()
            for c in each.contracts
            if (r := self._reader.known.record_of(c))
        }
        users: dict[str, bool] = {}
        for record in self._records:
            if (
                record.request
                and record.request.end_user not in ("", SELF)
                and record.status in ("ordered", "in_doubt")
            ):
                user = record.request.end_user
                seen = record.name in shown or self._read_in(record.request) != self._own
                users[user] = users.get(user, False) or seen
        return [user for user, seen in users.items() if not seen]

    # Orders whose contract is not known

    def verdicts(self, names: Collection[str] | None = None) -> list[Verdict]:
        """The verdicts on orders in doubt and those without an id. All are judged, these ``names`` are returned."""
        if self._verdicts is None:
            elsewhere = [r for r in self._elsewhere if r.status == "in_doubt"]
            told = "It was ordered at another service or for another organization, which was not asked."
            self._verdicts = [*self._judged(), *(Verdict(r.name, "unseen", (told,)) for r in elsewhere)]
        return [verdict for verdict in self._verdicts if names is None or verdict.name in names]

    def _open(self) -> list[Record]:
        """Orders that may have bought a contract that is shown and not recorded."""
        return [
            record
            for record in self._records
            if record.status in ("in_doubt", "pending")
            or (record.status == "ordered" and not record.outcome.contract_id)
        ]

    def _judged(self) -> list[Verdict]:
        open_ = [(r, r.request) for r in self._open() if r.request is not None]
        chosen: dict[str, tuple[str, ShownContract]] = {}
        said: dict[str, Verdict] = {}
        for record, request in open_:
            if record.status != "pending":
                found = self._by_word(record, request)
                if isinstance(found, Verdict):
                    said[record.name] = found
                elif found is not None:
                    chosen[record.name] = found
        taken = [key_of(shown.id) for _rank, shown in chosen.values()]
        verdicts = []
        for record, request in open_:
            if record.status == "pending":
                continue
            rank, shown = chosen.get(record.name, ("", None))
            if shown is not None and taken.count(key_of(shown.id)) > 1:
                why = f"Contract {shown.id} would be that of several orders."
                verdicts.append(Verdict(record.name, "ambiguous", (why,), candidates=(shown.id,)))
            elif shown is not None:
                why = f"{rank}: {self._words(rank, request, shown)}"
                verdicts.append(Verdict(record.name, "settled", (why,), rank, shown, (shown.id,)))
            else:
                others = [Asked.of(q) for r, q in open_ if r is not record and r.name not in chosen]
                verdicts.append(said.get(record.name) or self._by_newcomer(record, request, others, set(taken)))
        untold = [r.name for r in self._open() if r.request is None and r.status == "in_doubt"]
        return [*verdicts, *(Verdict(name, "unseen", ("What was ordered is not recorded.",)) for name in untold)]

    def _by_word(self, record: Record, request: Request) -> tuple[str, ShownContract] | Verdict | None:
        """What the marker or the told id settles: its rank and contract, or why the marker settles nothing."""
        asked, listing = Asked.of(request), self._reader.listing(self._read_in(request))
        evidence = request.evidence or ClaimEvidence()
        if not listing.complete:
            return None
        bearers = [each for each in listing.contracts if evidence.marker and evidence.marker in each.values]
        if bearers:
            against = self._against(record, asked, bearers[0], listing)
            proven = self._reader.proven_id(bearers[0], evidence.marker or "", listing)
            if len(bearers) == 1 and not against and proven:
                return "R0", self._under(bearers[0], proven)
            ids = tuple(each.id for each in bearers)
            why = "; ".join(against) or ("its id is not proven" if len(ids) == 1 else "more than one shows it")
            return self._ambiguous(record.name, ids, f"The marker of this order is in {', '.join(ids)}, but {why}.")
        told = record.outcome.told_id
        if told is None:
            return None
        shown = next((each for each in listing.contracts if each.has_id({key_of(told)})), None)
        shown = shown or self._reader.presence(told, listing.read_in, request.end_user).contract
        if shown is None or self._against(record, asked, shown, listing) or not self._reader.known.like(asked, shown):
            return None
        # Numbers are the ids of many things: what has no natural key cannot tell them apart.
        theirs = own_key(asked.key, shown.raw, self._reader.places) if asked.key else None
        if (theirs is not None and plain(theirs) != plain(asked.value)) or (not asked.key and told.isdigit()):
            return None
        return "R1", self._under(shown, told)

    def _by_newcomer(self, record: Record, request: Request, others: Sequence[Asked], taken: set[str]) -> Verdict:
        asked, listing, known = Asked.of(request), self._reader.listing(self._read_in(request)), self._reader.known
        candidates, ruled_out = [], []
        for shown in listing.contracts:
            if known.like(asked, shown):
                against = self._against(record, asked, shown, listing)
                against += ["it is settled as that of another order"] if key_of(shown.id) in taken else []
                candidates += [] if against else [shown]
                ruled_out += [f"Contract {shown.id} is not it: {' and '.join(against)}."] if against else []
        incomplete = "" if listing.complete else f"The list of contracts is not complete: {listing.why_incomplete}."
        ids = tuple(shown.id for shown in candidates)
        if not candidates:
            counted = (
                f"None of the {len(listing.contracts)} contracts that the service lists is it, as far as can be told."
            )
            proves = "That proves nothing: a list may lag behind."
            told = (counted, *([incomplete] if incomplete else []), proves, *ruled_out)
            return Verdict(record.name, "unseen", told)
        why = incomplete or self._why_not(record, request, asked, candidates, others, listing)
        if not why:
            proven = self._reader.proven_id(candidates[0], asked.value or "", listing)
            if proven is not None:
                shown = self._under(candidates[0], proven)
                said = f"R2: {self._words('R2', request, shown)}"
                return Verdict(record.name, "settled", (said, *ruled_out), "R2", shown, (shown.id,))
            why = f"That {ids[0]} is its id is not proven: the service does not show it by that id."
        return self._ambiguous(record.name, ids, why, ruled_out)

    def _why_not(
        self,
        record: Record,
        request: Request,
        asked: Asked,
        candidates: Sequence[ShownContract],
        others: Sequence[Asked],
        listing: Listing,
    ) -> str:
        """Why nothing is settled by there being these contracts; empty: the only one is a newcomer."""
        shown, evidence, known = candidates[0], request.evidence or ClaimEvidence(), self._reader.known
        if len(candidates) > 1:
            return f"{len(candidates)} contracts may be it: {', '.join(each.id for each in candidates[:5])}."
        same = [
            each.name
            for each in others
            if known.like(each, shown) and known.same_product(each, shown, self._reader.places) is not False
        ]
        if same:
            return f"Contract {shown.id} may as well be that of {', '.join(same[:5])}."
        if not asked.key:
            return f"Contract {shown.id} may be it, but nothing tells it from another of this product."
        if evidence.seen is None or not evidence.complete:
            return f"Contract {shown.id} may be it, but nobody looked before the order: order with read_back."
        if evidence.seen:
            return f"Contract {shown.id} may be it, but before the order others showed {asked.value}, too."
        other = self._other_key(asked, shown)
        if other is not None:
            return f"Contract {shown.id} shows {asked.value}, but {other}."
        if known.same_product(asked, shown, self._reader.places) is not True:
            return f"Contract {shown.id} may be it, but does not show its product."
        if asked.end_user != SELF and listing.read_in == self._own and not known.same_end_user(asked, shown):
            return f"Contract {shown.id} may be it, but does not show its end user: set organizations."
        if asked.end_user == SELF and (strange := self._stranger(shown)):
            return f"Contract {shown.id} shows {strange}, where your recorded contracts show none: it may be an end user's."
        return ""

    def _stranger(self, shown: ShownContract) -> str | None:
        """A UUID that may be that of an end user whom the ledger does not know."""
        at, ours = self._reader.uuid_places, {key_of(each) for each in (shown.id, *shown.ids.values())}
        found = (identifier(value) for steps, value in leaves(shown.raw) if steps not in at)
        known = self._reader.known.products
        return next(
            (each for each in found if each and is_uuid(each) and key_of(each) not in ours | known.keys()), None
        )

    def _other_key(self, asked: Asked, shown: ShownContract) -> str | None:
        """Why a record that shows the natural key is not about it, or ``None``."""
        told = own_key(asked.key or "hostname", shown.raw, self._reader.places)
        if told is None:
            return f"not where contracts have their {asked.key}, as far as that is known"
        return None if plain(told) == plain(asked.value) else f"its {asked.key} is {clean(told, 100)}"

    def _against(self, record: Record, asked: Asked, shown: ShownContract, listing: Listing) -> list[str]:
        """What rules a contract out for an order, whatever speaks for it: clauses for people."""
        evidence = record.request.evidence if record.request else None
        ids = {key_of(each) for each in (shown.id, *shown.ids.values())}
        holder = next((self.recorded[each] for each in ids if each in self.recorded), record.name)
        reasons = [f"it is the contract of {holder}"] if holder != record.name else []
        if evidence and ids & {key_of(each) for each in evidence.seen or ()}:
            reasons.append("it was there before the order was sent")
        claimed = datetime.fromisoformat((record.claimed_at or "9999-01-01T00:00:00Z").replace("Z", "+00:00"))
        latest = max(times(shown.raw), default=claimed)
        if record.claimed_at and latest < claimed - _CLOCKS_DIFFER:
            reasons.append(f"it shows no time after {latest:%Y-%m-%d %H:%M}, and this order was claimed later")
        return reasons + self._differences(asked, shown, listing)

    def _differences(self, asked: Asked, shown: ShownContract, listing: Listing) -> list[str]:
        known = self._reader.known
        found = ["it shows another product"] if known.same_product(asked, shown, self._reader.places) is False else []
        in_own_list = listing.read_in == self._own
        if known.same_end_user(asked, shown) is False or (
            in_own_list and asked.end_user != SELF and SELF in shown.values
        ):
            found.append("it shows another end user")
        return found

    @staticmethod
    def _under(shown: ShownContract, contract_id: str) -> ShownContract:
        return ShownContract(
            contract_id, shown.raw, shown.ids, shown.product, shown.end_user, shown.hostname, shown.domain
        )

    @staticmethod
    def _words(rank: str, request: Request, shown: ShownContract) -> str:
        asked = Asked.of(request)
        what = f"{asked.key} {asked.value}" if asked.key else f"product {asked.product_name or asked.product}"
        if rank == "R0":
            return f"contract {shown.id}, and no other, shows the marker that was sent with this order."
        if rank == "R1":
            return f"the interrupted answer told the id {shown.id}, and that contract shows {what}."
        return f"nothing showed {what} before the order, and now contract {shown.id} does, with its product."

    def _ambiguous(self, name: str, ids: tuple[str, ...], why: str, more: Sequence[str] = ()) -> Verdict:
        by_hand = f"If it is this order's, settle it: reseller_ledger with name: {name}, state: ordered, contract_id: {ids[0]}."
        return Verdict(name, "ambiguous", (why, *more, by_hand), candidates=ids)

    # Recorded contracts, and those that are not

    def changed(self, names: Collection[str] | None = None) -> tuple[list[Finding], list[Finding]]:
        """Recorded contracts that are gone, and those that show something else than was ordered."""
        gone, mismatched = [], []
        for record in self._records:
            told = record.outcome.contract_id
            if record.status != "ordered" or told is None or (names is not None and record.name not in names):
                continue
            listing = self._reader.listing(self._read_in(record.request))
            shown = next((each for each in listing.contracts if each.has_id({key_of(told)})), None)
            if shown is not None and record.request is not None:
                asked = Asked.of(record.request)
                differs = tuple(
                    f"Contract {told} was ordered as {asked.product_name or asked.product}, and {each}."
                    for each in self._differences(asked, shown, listing)
                )
                mismatched += [Finding(record.name, told, differs)] if differs else []
            elif shown is None and listing.complete:
                seen = self._reader.presence(told, listing.read_in, record.request.end_user if record.request else None)
                gone += [Finding(record.name, told, (seen.why,))] if seen.presence == "gone" else []
        return gone, mismatched

    def unrecorded(self) -> list[Unrecorded]:
        """Contracts without a record in all organizations that are read, each once."""
        known, verdicts = self._reader.known, self.verdicts()
        done = {*self.recorded, *(key_of(each.contract.id) for each in verdicts if each.contract is not None)}
        open_ = [
            Asked.of(r.request)
            for r in self._open()
            if r.request and r.name not in {v.name for v in verdicts if v.contract}
        ]
        found: dict[str, Unrecorded] = {}
        for listing in self.listings().values():
            for shown in listing.contracts:
                if shown.has_id(done) or key_of(shown.id) in found:
                    continue
                names = [
                    each.name
                    for each in open_
                    if known.like(each, shown) and known.same_product(each, shown, self._reader.places) is not False
                ]
                found[key_of(shown.id)] = Unrecorded(shown, tuple(names), self._reader.is_proven(listing))
        return list(found.values())

    # Orders that are about to be sent

    def look(self, asked: Asked) -> Look:
        """Contracts like an order that is about to be sent. A domain exists once, so whose it is makes no difference."""
        known, organization = self._reader.known, self._reader.organization_of(asked.end_user, self._own)
        try:
            listing = self._reader.listing(organization)
        except ServiceError as error:
            return Look((), (), error.message.splitlines()[0])
        alike = [shown for shown in listing.contracts if known.like(asked, shown)]
        # What the ledger has by its name alone protects nothing: it is to be adopted with its hostname.
        nameless = {r.name for r in self._records if asked.key and not (r.request and r.request.identity)}
        protected = {id_ for id_, name in self.recorded.items() if name not in nameless}
        unrecorded = [
            each
            for each in alike
            if not each.has_id(protected) and (asked.key == "domain" or known.same_end_user(asked, each) is not False)
        ]
        unclear = ""
        if not listing.complete:
            unclear = f"The list of contracts is not complete: {listing.why_incomplete}."
        elif (
            asked.end_user != SELF
            and organization == self._own
            and not any(known.end_users & each.values for each in listing.contracts)
        ):
            unclear = (
                f"The list of organization {organization} shows no contracts of end users, so those of {asked.end_user} "
                "may be elsewhere: set organizations."
            )
        elif listing.contracts and self._shows_none(asked.key, listing):
            unclear = f"No contract that is listed shows a {asked.key or 'product'}, so it is not known what there is."
        seen = dict.fromkeys(id_ for each in alike for id_ in (each.id, *each.ids.values()))
        return Look(tuple(seen), tuple(f"contract {clean(each.id, 100)}" for each in unrecorded), unclear)

    def _shows_none(self, key: str | None, listing: Listing) -> bool:
        """Whether recorded contracts do not show their own hostname or domain, or without any, no record shows a name."""
        if key is None:
            return not any(self._reader.known.products_in(each, {}) for each in listing.contracts)
        requests = [r.request for each in listing.contracts if (r := self._reader.known.record_of(each)) and r.request]
        if any(Asked.of(request).key == key for request in requests):
            return not self._reader.places.get(key)
        return names_nothing(listing.contracts)
