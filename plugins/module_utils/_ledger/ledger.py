# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every ledger stores and guarantees, whatever stores it.

A ledger holds at most one record for a name. It never holds a secret: the caller hands over settings from which
secrets are removed and in which contact data are replaced by keyed digests.
"""

from __future__ import annotations

import hmac
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, NoReturn

from .._core.errors import LedgerError

#: ``pending``: claimed, and its run still holds its lock (in flight) or has lost it (in doubt).
#: ``not_sent`` and ``rejected`` are released claims: their reason is kept and the name may be claimed again.
Status = Literal["pending", "ordered", "in_doubt", "rejected", "not_sent"]
RELEASED: frozenset[str] = frozenset({"rejected", "not_sent"})
#: What the key of a named operation begins with (see operations.py). No name of an order begins with whitespace.
KEY_OF_OPERATIONS = " operation "


@dataclass(frozen=True)
class ClaimEvidence:
    """Evidence stored with a claim, so that the service's list of contracts can show later how it ended.

    ``marker`` is the text that is sent with the order. ``seen`` are the ids of the contracts like it that were there
    before, ``None`` if nobody looked; ``complete``: no other ones were.
    """

    marker: str | None = None
    seen: tuple[str, ...] | None = None
    complete: bool = False


@dataclass(frozen=True)
class Request:
    """What an order asks for, as the ledger stores it.

    ``settings`` are without secrets and with digests for contacts; ``service`` is the ``base_url``.
    ``identity`` is what the order is about (see identity.py), where that can be told: a second one is a duplicate.
    ``evidence`` is of one claim, and no part of what is asked for. ``partial``: the settings are those that the service
    shows of an adopted contract, and it was ordered with others, too.
    """

    name: str
    service: str
    organization_id: str
    end_user: str
    product: str
    product_name: str | None
    product_type: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    awx_job_id: str | None = None
    awx_workflow_job_id: str | None = None
    identity: str | None = None
    partial: bool = False
    evidence: ClaimEvidence | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Outcome:
    """How the sending of an order ended. ``reason`` is a sentence for users. ``contract`` contains no secrets.

    ``told_id`` is an id in an answer that leaves the order in doubt: it may be the contract's.
    """

    status: Status
    reason: str | None = None
    contract_id: str | None = None
    contract: Any = None
    l2vpn_id: str | None = None
    told_id: str | None = None


@dataclass(frozen=True)
class Settlement:
    """An outcome to record under this name, with ``request`` and ``again`` as in Ledger.settle.

    ``before`` is the record that it is about, ``None`` if there was none: it is written only if that still stands as it
    was, and no other order has the contract.
    """

    name: str
    outcome: Outcome
    request: Request | None = None
    before: Record | None = None
    again: bool = False


@dataclass(frozen=True)
class Record:
    """An order in the ledger. Times are UTC, ISO 8601 with seconds and ``Z``.

    ``request`` is ``None`` for a contract that was adopted without knowing what it was ordered with. ``run_id`` is the
    run that claimed it, ``None`` once a person has settled it. ``ordered_at`` is when its run recorded it as ordered;
    for an order in doubt that was settled as ordered it is when it was claimed, for an adopted one ``None``.
    ``alive`` is whether the run still holds its lock; it matters only while the outcome is ``pending``.
    """

    name: str
    outcome: Outcome
    request: Request | None
    run_id: str | None
    claimed_at: str | None
    ordered_at: str | None
    updated_at: str
    alive: bool = False

    @property
    def status(self) -> Status:
        """The status to show: a pending order whose run has ended is in doubt."""
        if self.outcome.status == "pending" and not self.alive:
            return "in_doubt"
        return self.outcome.status

    def order(self) -> dict[str, Any]:
        """The return value ``order``: what was ordered, and its status."""
        request = self.request
        return {
            "name": self.name,
            "status": self.status,
            "product": request.product if request else None,
            "product_name": request.product_name if request else None,
            "product_type": request.product_type if request else None,
            "end_user": request.end_user if request else None,
            "ordered_at": self.ordered_at,
        }

    def as_dict(self) -> dict[str, Any]:
        """Everything that the ledger has about an order. It has no secrets."""
        request, outcome = self.request, self.outcome
        return {
            **self.order(),
            "contract_id": outcome.contract_id,
            "contract": outcome.contract,
            "l2vpn_id": outcome.l2vpn_id,
            "reason": outcome.reason,
            "base_url": request.service if request else None,
            "organization_id": request.organization_id if request else None,
            "settings": dict(request.settings) if request else None,
            "partial": request.partial if request else False,
            "claimed_at": self.claimed_at,
            "updated_at": self.updated_at,
            "awx_job_id": request.awx_job_id if request else None,
            "awx_workflow_job_id": request.awx_workflow_job_id if request else None,
        }


@dataclass(frozen=True)
class Filter:
    """Which orders to list; ``None`` means any. ``since`` compares ``updated_at`` (UTC, ISO 8601).

    With ``operations``, named operations are listed instead, by their keys.
    """

    names: Sequence[str] | None = None
    statuses: Sequence[str] | None = None
    end_user: str | None = None
    product_type: str | None = None
    since: str | None = None
    operations: bool = False

    def holds(self, record: Record) -> bool:
        """Whether a record is to be listed."""
        equal = {"end_user": self.end_user, "product_type": self.product_type}
        return (
            record.name.startswith(KEY_OF_OPERATIONS) is self.operations
            and (self.statuses is None or record.status in self.statuses)
            and (self.since is None or record.updated_at >= self.since)
            and all(
                record.request is not None and getattr(record.request, column) == value
                for column, value in equal.items()
                if value is not None
            )
        )


@dataclass(frozen=True)
class Mark:
    """The state of a ledger: the number of its claims, and the ledger it was moved to, if any."""

    counter: int = 0
    moved_to: str | None = None


#: Called with the address and the place of a ledger that is about to be made; raises LedgerError to prevent it.
BeforeMaking = Callable[[str, str], None]


class Ledger(ABC):
    """The durable store of every order sent. An open ledger is one run, with one lock that shows whether it is alive.

    Threads may share one; it must not cross a fork. When closed, what is still pending of its run is in doubt.
    Every method but close() raises LedgerError, with what to do, when the store cannot be read or written.
    ``warnings`` are for whoever orders, once for each run.
    """

    warnings: Sequence[str] = ()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    #: Whether this run made the ledger.
    made = False
    #: The most claims that this run saw the ledger count.
    counter = 0
    #: Called when a task that used the ledger ends.
    at_end: Callable[[], None] | None = None
    #: Why nothing may be claimed: the ledger shows by itself that it went back in time. ``None``: nothing shows.
    objection: str | None = None

    @property
    @abstractmethod
    def place(self) -> str:
        """The location of the ledger for messages: a path, or a PostgreSQL address without its password."""

    @property
    @abstractmethod
    def address(self) -> str:
        """The unique location of the ledger: a path without links, or host, port, database and schema."""

    @property
    def id(self) -> str:
        """The unique ID of the ledger, which another ledger at its location does not have."""
        return hmac.new(self.digest_key, b"ledger", "sha256").hexdigest()[:32]

    @property
    @abstractmethod
    def digest_key(self) -> bytes:
        """32 random bytes, created with this ledger. They are the key of the digests of contact data."""

    def accept(self) -> None:
        """Take the ledger as it is, whatever ``objection`` says. Raises LedgerError."""
        return

    @abstractmethod
    def mark(self) -> Mark:
        """The state of this ledger."""

    @abstractmethod
    def move(self, place: str | None, known: Collection[str]) -> None:
        """Record that the ledger was moved to this location. After that, nothing can be claimed in it.

        ``None``: that it is in use again. ``known`` are the names that the new ledger holds: LedgerError is raised
        if an order that is not released is not among them.
        """

    @abstractmethod
    def find(self, names: Sequence[str]) -> dict[str, Record]:
        """The records with these names, by name. Names without a record are left out."""

    @abstractmethod
    def differing_in_case(self, names: Sequence[str]) -> dict[str, str]:
        """Those of these names that another, not released order's name differs from in capital letters only: that name.

        Capital letters are those of any script, see text.caseless.
        """

    @abstractmethod
    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        """The records for the same things as these requests under other names, by the requests' names.

        An order in doubt and one that is being placed stand, too.
        """

    @abstractmethod
    def names(self) -> list[str]:
        """The names of all orders."""

    @abstractmethod
    def services(self) -> dict[str, int]:
        """The addresses of services with recorded orders, and the number of orders for each."""

    @abstractmethod
    def select(self, wanted: Filter) -> list[Record]:
        """The records that match, in the order of ``claimed_at`` (adopted ones by ``updated_at``) and name."""

    @abstractmethod
    def exchange(
        self, outcomes: Mapping[str, Outcome], requests: Sequence[Request], *, again: Collection[str] = ()
    ) -> tuple[dict[str, Record], list[Record | None]]:
        """Record how orders of this run ended, by their names, and claim others, in one transaction, durably.

        The records as they stand then, and what claim() answers. When LedgerError is raised, nothing was written, see
        claim() and record().
        """

    def claim(self, requests: Sequence[Request], *, again: Collection[str] = ()) -> list[Record | None]:
        """Record these orders as ``pending`` for this run, in one transaction that is durable on return.

        For each request, in order: ``None`` when the claim is this run's now (no record, or a released one), else the
        record that stands in the way, untouched; of a name that is given twice, the second gets the first's claim. A
        record of another name stands in the way if it is a duplicate, unless the request's name is in ``again``; of two
        runs that claim the same under two names, one gets the other's claim. This run's lock is taken before the first
        claim is written. Raises LedgerError if the ledger was moved, or has come less far than this run has seen it.
        When LedgerError is raised, nothing was claimed; if the store failed at the very end it may show the claims as
        in doubt nonetheless, never as free.
        """
        return self.exchange({}, requests, again=again)[1]

    def record(self, name: str, outcome: Outcome) -> Record:
        """Record durably how this run's order ended, and return the new record.

        ``outcome`` is not ``pending``. Saying it again is harmless.

        A contract is never lost: if somebody removed the claim meanwhile, it is made again; if somebody settled it,
        ``ordered`` outranks everything, ``in_doubt`` everything but ``ordered``, and a contract id that one side
        lacks is filled in. A record that another run claimed meanwhile is left as it is: that is LedgerError (with
        both outcomes in its message) if two orders may exist, as are two different contract ids.
        """
        return self.exchange({name: outcome}, [])[0][name]

    @abstractmethod
    def settle(self, name: str, outcome: Outcome, request: Request | None, *, again: bool = False) -> Record | None:
        """Record ``outcome`` under this name, as a user settles it, or add a record (adopt).

        ``request`` replaces the recorded request when it is given. Of a recorded contract with the same or no id, what
        ``outcome`` does not tell is kept. Returns ``None``, or without having written anything a record that stands for
        the same as ``request`` under another name, unless that is wanted ``again`` or was recorded here before. Raises
        InFlightError while another run is placing the order.
        """

    @abstractmethod
    def settle_all(self, settlements: Sequence[Settlement]) -> list[Record | None]:
        """Settle or adopt many in one transaction, durably.

        For each ``None``, or without having written it a record that stands in the way: its own if that has changed
        since it was read, that of another order with the same contract, or as settle() has it.
        """

    @abstractmethod
    def move_service(self, old: str, new: str) -> None:
        """Give all records whose service is exactly ``old`` the address ``new``."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove the record with this name, if any. Raises InFlightError while another run is placing it."""

    @abstractmethod
    def close(self) -> None:
        """Release this run's lock and the connection. Closing twice does nothing."""


class AbsentLedger(Ledger):
    """The empty ledger. Its digest key is random, because there are no digests to compare with."""

    def __init__(self, place: str, address: str, warnings: Sequence[str] = ()) -> None:
        self.warnings = warnings
        self._place = place
        self._address = address
        self._key = secrets.token_bytes(32)

    @property
    def place(self) -> str:
        return self._place

    @property
    def address(self) -> str:
        return self._address

    @property
    def digest_key(self) -> bytes:
        return self._key

    def mark(self) -> Mark:
        return Mark()

    def move(self, place: str | None, known: Collection[str]) -> None:
        self._refuse()

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        return {}

    def differing_in_case(self, names: Sequence[str]) -> dict[str, str]:
        return {}

    def select(self, wanted: Filter) -> list[Record]:
        return []

    def duplicates(self, requests: Sequence[Request]) -> dict[str, Record]:
        return {}

    def names(self) -> list[str]:
        return []

    def services(self) -> dict[str, int]:
        return {}

    def exchange(
        self, outcomes: Mapping[str, Outcome], requests: Sequence[Request], *, again: Collection[str] = ()
    ) -> tuple[dict[str, Record], list[Record | None]]:
        self._refuse()

    def settle(self, name: str, outcome: Outcome, request: Request | None, *, again: bool = False) -> Record | None:
        self._refuse()

    def settle_all(self, settlements: Sequence[Settlement]) -> list[Record | None]:
        self._refuse()

    def move_service(self, old: str, new: str) -> None:
        self._refuse()

    def remove(self, name: str) -> None:
        self._refuse()

    def close(self) -> None:
        pass

    def _refuse(self) -> NoReturn:
        raise LedgerError(f"The ledger {self._place} was opened for reading only.")
