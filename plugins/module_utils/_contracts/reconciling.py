# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares the ledger with the contracts that the service shows: settled, gone, different or new.

Nothing here writes, and nothing is concluded from a list that is not complete.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from .._core.addresses import same_service
from .._core.text import same_id
from .._ledger.ledger import Record, Request
from .._product_types.registry import SELF
from .contract import Listing, ShownContract, organization_of
from .controls import key_of
from .evidence import BeforeImage, Doubt, Scene, Terms, Verdict, judge, without_conflicts
from .likeness import Asked, could_be, likeness
from .records import moment_of


class Seen(Protocol):
    """Whether the service shows one contract: ``present``, ``gone`` or ``unseen``, and why."""

    @property
    def presence(self) -> str:
        """``present``, ``gone`` or ``unseen``."""

    @property
    def why(self) -> str:
        """Why it is not ``present``, for messages."""

    @property
    def contract(self) -> ShownContract | None:
        """The contract, if it is ``present``."""


class Reader(Protocol):
    """Reads contracts. All methods raise ServiceError and its kinds."""

    def listing(self, organization_id: str) -> Listing:
        """The contracts of an organization."""

    def presence(self, contract_id: str, organization_id: str, end_user: str | None) -> Seen:
        """Whether the service shows this contract."""

    def organization_of(self, end_user: str, own: str) -> str:
        """The organization that a contract of this end user lies in."""


@dataclass(frozen=True)
class Finding:
    """What was found about a recorded contract, in sentences."""

    name: str
    contract_id: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Unrecorded:
    """A contract that the service shows and the ledger lacks.

    ``end_user`` is whose it is, ``None`` if that is not known; ``claimed_by`` are orders that may have bought it.
    """

    contract: ShownContract
    end_user: str | None
    claimed_by: tuple[str, ...] = ()


class Reconciler:
    """Compares the records of one ledger with one service, in the context of one organization.

    ``organizations`` are the organizations' ids by end user, ``organization_id`` is the caller's own.
    """

    def __init__(
        self,
        reader: Reader,
        records: Sequence[Record],
        *,
        base_url: str,
        organization_id: str,
        organizations: Mapping[str, str] | None = None,
        terms: Terms | None = None,
    ) -> None:
        self._reader = reader
        self._own = organization_id
        self._organizations = organizations or {}
        self._terms = terms or Terms()
        self._base_url = base_url
        self._records = [record for record in records if self._may_be_here(record.request)]
        self._elsewhere = [record for record in records if not self._may_be_here(record.request)]
        self._verdicts: list[Verdict] | None = None

    def _may_be_here(self, request: Request | None) -> bool:
        if request is None:
            return True
        at_service = not request.service or same_service(request.service, self._base_url)
        return at_service and request.organization_id in ("", self._own)

    @property
    def recorded(self) -> dict[str, str]:
        """The names of orders by the IDs of their contracts, in all organizations."""
        every = [*self._records, *self._elsewhere]
        return {
            str(each.outcome.contract_id): each.name for each in every if each.outcome.contract_id and _ordered(each)
        }

    def listings(self) -> dict[str, Listing]:
        """What the service shows, by organization."""
        wanted = [self._own, *self._organizations.values()]
        wanted += [self._read_in(record) for record in self._in_doubt() if record.request]
        return {organization: self._reader.listing(organization) for organization in dict.fromkeys(wanted)}

    def _read_in(self, record: Record) -> str:
        end_user = record.request.end_user if record.request else SELF
        return self._reader.organization_of(end_user, self._own)

    def _in_doubt(self) -> list[Record]:
        return [record for record in self._records if record.status == "in_doubt"]

    def verdicts(self, names: Collection[str] | None = None) -> list[Verdict]:
        """The verdicts on orders in doubt. All are judged, and those with these ``names`` are returned."""
        if self._verdicts is None:
            self._verdicts = [*self._judged(), *map(self._of_another, self._elsewhere_in_doubt())]
        return [verdict for verdict in self._verdicts if names is None or verdict.name in names]

    def _elsewhere_in_doubt(self) -> list[Record]:
        return [record for record in self._elsewhere if record.status == "in_doubt"]

    def _of_another(self, record: Record) -> Verdict:
        request = record.request
        where = f"{request.service}, organization {request.organization_id}" if request else "another service"
        return Verdict(record.name, "unseen", evidence=(f"It was ordered at {where}, which was not asked.",))

    def _judged(self) -> list[Verdict]:
        groups: dict[str, list[Record]] = {}
        verdicts = []
        for record in self._in_doubt():
            if record.request is None:
                verdicts.append(Verdict(record.name, "unseen", evidence=("What was ordered is not recorded.",)))
            else:
                groups.setdefault(self._read_in(record), []).append(record)
        for organization, records in groups.items():
            others = [each for other, group in groups.items() if other != organization for each in group]
            scene = Scene(
                self._reader.listing(organization),
                self.recorded,
                [*self._rivals(), *(Asked.of(each.request) for each in others if each.request)],
                organization,
                self._terms,
            )
            doubts = [
                self._doubt(record, record.request, organization, scene.listing)
                for record in records
                if record.request is not None
            ]
            verdicts += judge(doubts, scene)
        return without_conflicts(verdicts)

    def _rivals(self) -> list[Asked]:
        """Orders that may have bought what is shown: those in progress, and those whose contract's id is unknown."""
        return [
            self._asked(record.request)
            for record in self._records
            if record.request
            and (record.status == "pending" or (_ordered(record) and record.outcome.contract_id is None))
        ]

    def _asked(self, request: Request) -> Asked:
        asked = Asked.of(request, self._organizations)
        return asked if asked.organization or request.end_user != SELF else replace(asked, organization=self._own)

    def _doubt(self, record: Record, request: Request, organization: str, listing: Listing) -> Doubt:
        told_id, evidence, told = record.outcome.told_id, request.evidence, None
        if (
            told_id is not None
            and listing.complete
            and not any(same_id(told_id, each.id) for each in listing.contracts)
        ):
            told = self._reader.presence(told_id, organization, request.end_user).contract
        before = None
        if evidence is not None and evidence.seen is not None:
            before = BeforeImage(evidence.seen, evidence.complete)
        marker = evidence.marker if evidence else None
        return Doubt(self._asked(request), moment_of(record.claimed_at), marker, before, told_id, told)

    def changed(self, names: Collection[str] | None = None) -> tuple[list[Finding], list[Finding]]:
        """Recorded contracts that are gone, and those that differ from their record."""
        gone, mismatched = [], []
        for record in self._records:
            contract_id = record.outcome.contract_id
            if not _ordered(record) or contract_id is None or (names is not None and record.name not in names):
                continue
            organization = self._read_in(record)
            listing = self._reader.listing(organization)
            shown = next((each for each in listing.contracts if same_id(each.id, contract_id)), None)
            if shown is not None:
                differs = tuple(self._differences(record, shown, listing, organization))
                if differs:
                    mismatched.append(Finding(record.name, contract_id, differs))
            elif listing.complete:
                end_user = record.request.end_user if record.request else None
                seen = self._reader.presence(contract_id, organization, end_user)
                if seen.presence == "gone":
                    gone.append(Finding(record.name, contract_id, (seen.why,)))
        return gone, mismatched

    def _differences(self, record: Record, shown: ShownContract, listing: Listing, organization: str) -> Iterator[str]:
        request = record.request
        if request is None:
            return
        asked = self._asked(request)
        # What a recorded contract shows is read with what the others confirm.
        for what in likeness(asked, shown, listing, organization).differs:
            yield f"Contract {shown.id} has {what}; {record.name} was ordered as {_words(asked)}."

    def unrecorded(self) -> list[Unrecorded]:
        """Contracts without a record in all organizations that are read, each once."""
        recorded = {key_of(id_) for id_ in self.recorded}
        settled = {key_of(each.contract.id) for each in self.verdicts() if each.contract is not None}
        candidates: dict[str, list[str]] = {}
        for verdict in self.verdicts():
            for id_ in verdict.candidates if verdict.contract is None else ():
                candidates.setdefault(key_of(id_), []).append(verdict.name)
        found: dict[str, Unrecorded] = {}
        for organization, listing in self.listings().items():
            for shown in listing.contracts:
                key = key_of(shown.id)
                if key in recorded or key in settled or key in found:
                    continue
                names = [each.name for each in self._rivals() if could_be(each, shown, listing, organization)]
                names = list(dict.fromkeys([*candidates.get(key, ()), *names]))
                found[key] = Unrecorded(shown, self._end_user(shown, organization), tuple(names))
        return list(found.values())

    def _end_user(self, shown: ShownContract, read_in: str) -> str | None:
        if shown.end_user is not None:
            return shown.end_user
        for end_user in self._organizations:
            if same_id(str(organization_of(end_user, self._own, self._organizations)), read_in):
                return end_user
        # In the reseller's own list, a contract that names no end user may still be that of one.
        return SELF if shown.organization is not None and same_id(shown.organization, self._own) else None


def _ordered(record: Record) -> bool:
    return record.status == "ordered"


def _words(asked: Asked) -> str:
    key = f", {asked.key} {asked.value}" if asked.key else ""
    return f"{asked.product_name or asked.product} for {asked.end_user}{key}"
