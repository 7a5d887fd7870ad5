# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges what the service's list of contracts proves about orders in doubt. Pure.

Presence may settle an order, absence never does. Every verdict says in words what it rests on.

====  =======================================================================  ==========================
rank  evidence                                                                 settles
====  =======================================================================  ==========================
R0    the claim's marker, in exactly one contract                              yes
R1    an id that the interrupted answer told, and its contract agrees          yes
R2    the only newcomer since before the order, with everything that it asked  yes
R3    as R2, but known by its time alone                                       with ``evidence: strong``
R4    no natural key, or no usable time                                        no
====  =======================================================================  ==========================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Literal

from .._core.text import clean, same_id
from .contract import Listing, ShownContract
from .controls import key_of
from .likeness import Asked, could_be, likeness, texts

Rank = Literal["R0", "R1", "R2", "R3", "R4"]
#: ``ambiguous``: a person has to choose. ``unseen``: nothing that is shown can be it, which proves nothing.
Result = Literal["settled", "ambiguous", "unseen"]
#: Seconds that the service's clock may be off.
MOST_CLOCK_OFF = 300.0


@dataclass(frozen=True)
class BeforeImage:
    """The IDs of contracts like an order that existed before it was sent. ``complete``: all of them."""

    ids: tuple[str, ...]
    complete: bool


@dataclass(frozen=True)
class Doubt:
    """An order in doubt, and what is known about how it was sent.

    ``told_id`` is the id that an interrupted answer told, ``told`` its contract as the service shows it, if it does.
    ``claimed_at`` is aware, by the clock of the run that claimed it.
    """

    asked: Asked
    claimed_at: datetime | None
    marker: str | None = None
    before: BeforeImage | None = None
    told_id: str | None = None
    told: ShownContract | None = None


@dataclass(frozen=True)
class Terms:
    """How evidence is judged: ``strong`` takes R3, too; seconds a contract may come after and before its claim."""

    strong: bool = False
    window: float = 3600.0
    skew: float = 60.0


@dataclass(frozen=True)
class Verdict:
    """What the list proves about one order. ``candidates`` are the IDs of contracts that it may have bought."""

    name: str
    result: Result
    rank: Rank | None = None
    contract: ShownContract | None = None
    candidates: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """The evidence for judging orders: the service's list for one organization, and the ledger's records.

    ``recorded`` are the names of orders by the ids of their contracts. ``rivals`` are other orders that may have
    bought a contract that is shown: those that a living run is placing, and those whose contract's id is not known.
    """

    listing: Listing
    recorded: Mapping[str, str] = field(default_factory=dict)
    rivals: Sequence[Asked] = ()
    read_in: str | None = None
    terms: Terms = Terms()


def judge(doubts: Sequence[Doubt], scene: Scene) -> list[Verdict]:
    """One verdict for each order in doubt, in their order. All that may have bought the same are to be judged together.

    Nothing is settled by a list that is not complete.
    """
    known = {key_of(id_): name for id_, name in scene.recorded.items()}
    verdicts: dict[int, Verdict] = {}
    if scene.listing.complete:
        for index, doubt in enumerate(doubts):
            verdict = _by_marker(doubt, scene, known) or _by_told_id(doubt, scene, known)
            if verdict is not None:
                verdicts[index] = verdict
        verdicts = dict(zip(verdicts, without_conflicts(list(verdicts.values())), strict=True))
    settled = {key_of(each.contract.id): each.name for each in verdicts.values() if each.contract is not None}
    found = {
        index: _candidates(doubt, scene, {**known, **settled})
        for index, doubt in enumerate(doubts)
        if index not in verdicts
    }
    open_ = [index for index in range(len(doubts)) if index not in verdicts or verdicts[index].contract is None]
    for index, (candidates, vetoed) in found.items():
        others = [doubts[each].asked for each in open_ if each != index]
        verdicts[index] = _by_likeness(doubts[index], candidates, vetoed, [*others, *scene.rivals], scene)
    return [verdicts[index] for index in range(len(doubts))]


def _by_marker(doubt: Doubt, scene: Scene, known: Mapping[str, str]) -> Verdict | None:
    """R0, or ``None`` if no contract shows the marker."""
    marker, name = doubt.marker, doubt.asked.name
    if not marker:
        return None
    bearers = [shown for shown in scene.listing.contracts if marker == shown.marker or marker in texts(shown.raw)]
    ids = tuple(shown.id for shown in bearers)
    if len(bearers) > 1:
        why = f"R0 refused: the marker of this order is in {len(bearers)} contracts ({_listed(ids)})."
        return Verdict(name, "ambiguous", candidates=ids, evidence=(why,))
    if not bearers:
        return None
    against = _against(doubt, bearers[0], scene, known)
    if against:
        why = f"R0 refused: contract {ids[0]} shows the marker of this order, but {' and '.join(against)}."
        return Verdict(name, "ambiguous", candidates=ids, evidence=(why,))
    why = f"R0: contract {ids[0]}, and no other, shows the marker that was sent with this order."
    return Verdict(name, "settled", "R0", bearers[0], ids, (why,))


def _by_told_id(doubt: Doubt, scene: Scene, known: Mapping[str, str]) -> Verdict | None:
    """R1, or ``None`` if no id was told, or that of a contract that cannot be this order's or is not shown."""
    told = doubt.told_id
    if told is None:
        return None
    shown = next((each for each in scene.listing.contracts if same_id(each.id, told)), doubt.told)
    if shown is None:
        return None
    found = likeness(doubt.asked, shown, scene.listing, scene.read_in)
    if _against(doubt, shown, scene, known):
        # It is the id of something else, such as the request, that a contract happens to have, too.
        return None
    if not _confirms(doubt.asked, shown):
        why = f"R1 refused: the interrupted answer told the id {told}, but nothing that it shows was asked for."
        return Verdict(doubt.asked.name, "ambiguous", candidates=(shown.id,), evidence=(why,))
    agrees = ", ".join(found.agrees) or _key_in_words(doubt.asked)
    why = f"R1: the interrupted answer told the id {told}, and that contract agrees: {agrees}."
    return Verdict(doubt.asked.name, "settled", "R1", shown, (shown.id,), (why,))


def _confirms(asked: Asked, shown: ShownContract) -> bool:
    """Whether a contract shows, anywhere, what tells this order from others; without a natural key, its product."""
    shows = {text.casefold().rstrip(".") for text in texts(shown.raw)}
    shows |= {text.casefold().rstrip(".") for text in (shown.hostname, shown.domain, shown.product) if text}
    wanted = (asked.value,) if asked.key else (asked.product, asked.product_name)
    return any(each is not None and each.casefold().rstrip(".") in shows for each in wanted)


def _key_in_words(asked: Asked) -> str:
    return f"{asked.key} {asked.value}" if asked.key else f"product {asked.product_name or asked.product}"


def _against(doubt: Doubt, shown: ShownContract, scene: Scene, known: Mapping[str, str]) -> list[str]:
    """What rules a contract out for an order, whatever speaks for it: clauses for people."""
    reasons = []
    holder = known.get(key_of(shown.id))
    if holder is not None and holder != doubt.asked.name:
        reasons.append(f"it is the contract of {holder}")
    if doubt.before and key_of(shown.id) in {key_of(id_) for id_ in doubt.before.ids}:
        reasons.append("it was there before the order was sent")
    differs = likeness(doubt.asked, shown, scene.listing, scene.read_in).differs
    reasons += [f"it has {what}" for what in differs]
    after = _seconds_after_claim(doubt, shown, scene.listing)
    if after is not None and after < -scene.terms.skew:
        reasons.append(f"it was created {abs(after):.0f} s before this order was claimed")
    return reasons


def _seconds_after_claim(doubt: Doubt, shown: ShownContract, listing: Listing) -> float | None:
    """When a contract was created, in seconds after the claim; ``None`` if no clock tells.

    Both are compared by the clock here, as far as the service's own is known.
    """
    if shown.created_at is None or doubt.claimed_at is None or _clock_is_wrong(listing):
        return None
    here = shown.created_at - timedelta(seconds=listing.clock_off or 0.0)
    return (here - doubt.claimed_at).total_seconds()


def _clock_is_wrong(listing: Listing) -> bool:
    return listing.clock_off is not None and abs(listing.clock_off) > MOST_CLOCK_OFF


def _candidates(doubt: Doubt, scene: Scene, known: Mapping[str, str]) -> tuple[list[ShownContract], list[str]]:
    """The contracts that may be what the order bought, and sentences on those that look like it and are ruled out."""
    candidates, ruled_out = [], []
    for shown in scene.listing.contracts:
        found = likeness(doubt.asked, shown, scene.listing, scene.read_in)
        like = found.key_agrees if doubt.asked.key else not found.differs and _confirms(doubt.asked, shown)
        if not like:
            continue
        against = _against(doubt, shown, scene, known)
        if against:
            ruled_out.append(f"Contract {shown.id} is not it: {' and '.join(against)}.")
        else:
            candidates.append(shown)
    return candidates, ruled_out


def _by_likeness(
    doubt: Doubt, candidates: Sequence[ShownContract], ruled_out: Sequence[str], others: Sequence[Asked], scene: Scene
) -> Verdict:
    """R2 to R4 of an order that neither a marker nor an id settles."""
    name, listing = doubt.asked.name, scene.listing
    ids = tuple(shown.id for shown in candidates)
    if not candidates:
        return Verdict(name, "unseen", evidence=(_nothing_seen(doubt, listing), *ruled_out))

    def refused(rank: Rank | None, why: str) -> Verdict:
        return Verdict(name, "ambiguous", rank, None, ids, (why, *ruled_out))

    if not listing.complete:
        return refused(
            None, f"The list of contracts is not complete ({listing.why_incomplete}), so it settles nothing."
        )
    if len(candidates) > 1:
        return refused(None, f"{len(candidates)} contracts may be it: {_listed(ids)}.")
    shown = candidates[0]
    same = [other.name for other in others if could_be(other, shown, listing, scene.read_in)]
    if same:
        return refused(None, f"Contract {shown.id} may as well be that of {_listed(same)}.")
    if not doubt.asked.key:
        return refused("R4", f"R4: contract {shown.id} may be it, but nothing tells it from another of this product.")
    found = likeness(doubt.asked, shown, listing, scene.read_in)
    if found.unknown:
        return refused("R4", f"R4: contract {shown.id} may be it, but not compared: {'; '.join(found.unknown)}.")
    return _by_time(doubt, shown, ", ".join(found.agrees), ruled_out, scene)


def _by_time(doubt: Doubt, shown: ShownContract, agrees: str, ruled_out: Sequence[str], scene: Scene) -> Verdict:
    """R2, R3 or R4 of the only contract that has everything that the order asked for."""
    listing, terms, ids = scene.listing, scene.terms, (shown.id,)
    after = _seconds_after_claim(doubt, shown, listing)
    newcomer = doubt.before is not None and doubt.before.complete

    def verdict(rank: Rank, why: str, *, settles: bool = False) -> Verdict:
        contract = shown if settles else None
        return Verdict(doubt.asked.name, "settled" if settles else "ambiguous", rank, contract, ids, (why, *ruled_out))

    rank: Rank = "R2" if newcomer else "R3"
    if shown.created_at is not None and _clock_is_wrong(listing):
        why = f"the service's clock is {abs(listing.clock_off or 0):.0f} s off, more than {MOST_CLOCK_OFF:.0f}"
        return verdict("R4", f"{rank} refused: {why}, so contract {shown.id} cannot be told by its time.")
    if after is not None and after > terms.window:
        why = f"it was created {after:.0f} s after the claim, later than window ({terms.window:.0f} s)"
        return verdict("R4", f"{rank} refused: contract {shown.id} may be it, but {why}.")
    when = "" if after is None else f", created at {_utc(shown.created_at)}, claimed at {_utc(doubt.claimed_at)}"
    if newcomer:
        why = f"R2: contract {shown.id} is the only one like it that was not there before the order: {agrees}{when}."
        return verdict("R2", why, settles=True)
    if after is None or listing.clock_off is None:
        why = _no_time(doubt, shown, listing)
        return verdict("R4", f"R3 refused: {why}, and nothing was kept of what was there before the order.")
    why = f"R3: contract {shown.id} is the only one like it that was made at the time of the order: {agrees}{when}."
    if terms.strong:
        return verdict("R3", why, settles=True)
    return verdict("R3", f"{why} This settles it only with evidence: strong.")


def _utc(moment: datetime | None) -> str:
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else "a time that is not known"


def _no_time(doubt: Doubt, shown: ShownContract, listing: Listing) -> str:
    if shown.created_at is None:
        told = clean(listing.unclear.get("created_at", ""), 200)
        reason = told or "none, or one without a zone, is shown"
        return f"when contract {shown.id} was created is not known ({reason})"
    if doubt.claimed_at is None:
        return "when the order was claimed is not known"
    return "the service's clock is not known, because its response has no Date"


def _nothing_seen(doubt: Doubt, listing: Listing) -> str:
    counted = f"None of the {len(listing.contracts)} contracts that the service lists is it, as far as can be told"
    incomplete = f" The list is not complete ({listing.why_incomplete})." if not listing.complete else ""
    return f"{counted}.{incomplete} That proves nothing: a list may lag behind."


def without_conflicts(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, without those that would give one contract to two orders."""
    holders: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.contract is not None:
            holders.setdefault(key_of(verdict.contract.id), []).append(verdict.name)
    checked = []
    for verdict in verdicts:
        names = holders[key_of(verdict.contract.id)] if verdict.contract is not None else []
        if len(names) > 1:
            why = f"{verdict.rank} refused: contract {verdict.candidates[0]} would be that of {_listed(names)}."
            checked.append(Verdict(verdict.name, "ambiguous", candidates=verdict.candidates, evidence=(why,)))
        else:
            checked.append(verdict)
    return checked


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
