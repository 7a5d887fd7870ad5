# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The database of a ledger as one run has it open, and what a ledger tells of itself: how far it has come, by whom."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeVar

from .._core.clocks import Clocks
from .._core.errors import LedgerError
from .order_records import ListedIds

_T = TypeVar("_T")

#: The form of all times in a ledger: UTC, ISO 8601 with seconds and ``Z``.
TIME = "%Y-%m-%dT%H:%M:%SZ"
#: How a ledger is opened. ``check``: only read, and refused where it would be for ``write``, as far as that shows.
Mode = Literal["read", "check", "write"]
Action = Literal["settled", "adopted", "removed", "cancelled", "accepted", "moved", "readdressed"]


class Clock(NamedTuple):
    """A moment: ``time`` by the clock that all runs of a ledger share (UTC, ISO 8601 with seconds and ``Z``).

    Of a ledger in a file, also the machine's boot ID, and the seconds since it was started, with those in which it
    slept. Nobody can set that clock.
    """

    time: str
    boot_id: str | None = None
    boot_time: float = 0.0


def now(clocks: Clocks) -> str:
    """The time of this machine."""
    return datetime.fromtimestamp(clocks.wall(), UTC).strftime(TIME)


class Actor(NamedTuple):
    """The user of a ledger: one of AWX or of this machine, and the job."""

    user: str | None = None
    awx_job_id: str | None = None
    awx_workflow_job_id: str | None = None


class Event(NamedTuple):
    """Something that was done at a time (UTC, ISO 8601), by ``actor``, on this host.

    ``name`` is that of the order or operation, ``None`` if it was about the whole ledger. ``before`` and ``after`` are
    the record as the ledger had and has it, or what is known of the ledger: its address, that of the service. They have
    no secrets and no users of databases.
    """

    at: str
    action: Action
    name: str | None
    actor: Actor
    host: str
    before: Any = None
    after: Any = None

    def as_dict(self) -> dict[str, Any]:
        """The event as it is shown."""
        return {**self._asdict(), "actor": self.actor._asdict()}


@dataclass(frozen=True)
class Run:
    """The run that has a ledger open: a unique ID, its user, its clocks, and what it alone knows."""

    id: str
    actor: Actor = field(default_factory=Actor)
    clocks: Clocks = field(default_factory=Clocks)
    #: What was listed before this run's orders that were accepted without an ID, by their names.
    evidence: dict[str, ListedIds] = field(default_factory=dict)
    #: When each claim was read first whose deadline a clock that was set back puts off, by the clock of ``monotonic``.
    #: A claim: its name, run, and time.
    first_read: dict[tuple[str | None, ...], float] = field(default_factory=dict)


@dataclass(frozen=True)
class Token:
    """The mark that each change leaves in the ledger for good: its run, and a number above those of earlier changes.

    A run keeps its last token alone. A ledger contains a token if it has that of this run or a later one of it.
    """

    run_id: str
    number: int


class History(NamedTuple):
    """The state of the ledger at ``place``."""

    place: str
    #: Its newest token, with the time (UTC, ISO 8601) and the host.
    token: Token | None = None
    written_at: str | None = None
    host: str | None = None
    #: The location that it was moved to.
    moved_to: str | None = None
    #: The ID of the ledger whose rows it took over, and of the one whose rows it is to take over.
    moved_from: str | None = None
    incoming_from: str | None = None
    #: Set for good once anything was claimed or adopted in it for a service elsewhere than on this machine.
    real: str | None = None
    #: Those of the tokens that it was asked for and does not contain.
    lacks: frozenset[Token] = frozenset()

    @property
    def closed(self) -> str | None:
        """The reason why nothing may be ordered with the ledger, because it is moved, or ``None``."""
        if self.moved_to is not None:
            return (
                f"The ledger {self.place} was moved to {self.moved_to}. Nothing was sent.\n"
                f"Set ledger (or RESELLER_LEDGER) to {self.moved_to}: orders placed since are recorded there alone."
            )
        if self.incoming_from is not None:
            return (
                f"The orders of another ledger are being moved to {self.place}, and are not there yet. Nothing was "
                "sent.\nIf that was cut off, run the same move again (playbook move_ledger), which finishes it."
            )
        return None


class Session(ABC):
    """A transaction of a database, open while the work that it is given to runs. Statements are written with ``?``."""

    @abstractmethod
    def query(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows that the statement returns, if any."""

    @abstractmethod
    def many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute the statement for each row of values."""

    @abstractmethod
    def clock(self) -> Clock:
        """The time by the clock that all runs of this ledger share."""


class Database(ABC):
    """The database of a ledger as one run has it open. Every method but release() raises LedgerError.

    ``place`` is the location for messages: a path, or a PostgreSQL address without its password. ``address`` is the
    unique location: a path without links, or host, port, database and search path. ``id`` is the unique ID of the
    ledger, and ``digest_key`` 32 random bytes, which are the key of its digests of contact data. ``by`` is who has it
    open. ``exists``: whether there is a ledger.
    """

    def __init__(self, place: str, address: str, by: Run) -> None:
        self.place, self.address, self.by = place, address, by
        self.exists, self.id, self.digest_key = False, "", b""

    @abstractmethod
    def run(self, work: Callable[[Session], _T], *, writing: bool) -> _T:
        """Do the work in one transaction. The work may be done again from its start.

        When writing, durably, and while no other run writes: what the work reads stays true until it ends.
        """

    @abstractmethod
    def release(self) -> None:
        """Release the connection."""

    def check_whole(self) -> None:  # noqa: B027 - a server does so itself
        """Check all of the ledger, once before the first change of a run."""


def damaged(place: str, how: str) -> LedgerError:
    """Return the error of a ledger that is not as this collection wrote it."""
    return LedgerError(
        f"The ledger {place} was damaged: {how}.\n"
        "Do not order anything until the ledger has been restored from a backup."
    )
