# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Claims, sends and records. This is the only step that costs money and cannot be undone.

1. *Claim*: the order, or the named operation, is written to the ledger as pending, durably.
2. *Send*: one request. It is repeated only after an answer that says it was not processed.
3. *Record*: the outcome is written over the claim.

Whatever stops a run between 1 and 3 leaves a claim without a living owner, which reads as in doubt and is never sent
again by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, Protocol

from .._core.errors import LedgerError, ResellerError
from .._ledger.order_records import Claim, Kind, Record
from .._ledger.store import Ledger
from .._order.already_there import unrecorded_error
from .outcomes import SendResult
from .sending import LONGEST_WAIT, Delivery, Item, Pace

#: While another run places an order, the ledger is read again after these seconds.
PAUSE = 0.1
#: Seconds that another run may take to record its outcome, after the last moment of its request.
RECORDING = 5.0


class Sender(Protocol[Item]):
    """What a Placer needs of orders or of operations, all of one ``kind``."""

    kind: Kind
    #: Seconds that one request takes at most.
    timeout: float

    def key(self, item: Item, /) -> str:
        """Its name in the ledger."""

    def request(self, item: Item, ledger: Ledger, /) -> Claim:
        """What the ledger keeps of a new claim."""

    def send(self, delivery: Delivery[Item], pace: Pace, /) -> None:
        """Send what is claimed, and set how it ended, also if this raises."""

    def renew(self) -> bool:
        """Read the OpenAPI document anew, while nothing is claimed: whether to place again what was rejected."""
        return False

    def other(self, item: Item, record: Record, /) -> ResellerError:
        """The error if a record of another name or kind prevents the claim."""


class Placer(Generic[Item]):
    """Places what ``sender`` sends, with one ledger."""

    def __init__(self, sender: Sender[Item], ledger: Ledger, *, pace: Pace | None = None) -> None:
        self.sender = sender
        self.ledger = ledger
        self.pace = pace or Pace()

    def place(self, item: Item) -> tuple[Record, SendResult | None]:
        """Send the order or operation unless its record shows that it was sent.

        Its record afterwards, and how the sending ended if this run sent it.
        If another run is placing the order, this waits until that run's requests must have ended. Raises ResellerError
        when the same thing was claimed under another name meanwhile, LedgerError when the claim cannot be written
        (nothing was sent in both cases), and a LedgerError that settles when the outcome cannot.
        """
        key = self.sender.key(item)
        while True:
            _recorded, (found,) = self.exchange([], [item])
            if isinstance(found, Delivery):
                try:
                    self.sender.send(found, self.pace)
                finally:
                    record = self.record(found)
                if not found.sent.outdated or self.pace.stopped or not self.sender.renew():
                    return record, found.sent
                continue
            if found.name != key or found.kind != self.sender.kind:
                raise self.sender.other(item, found)
            if found.status != "pending" or self.pace.stopped:
                return found, None
            if not wait_for_others(self.ledger, [key], self.pace):
                return found, None

    def exchange(
        self, ended: Sequence[Delivery[Item]], new: Sequence[Item]
    ) -> tuple[list[Record], list[Record | Delivery[Item]]]:
        """Record how deliveries ended, and claim what is new, in one transaction.

        Of what is claimed, its delivery; otherwise the record that prevents it, which may be one of another name (see
        Ledger.exchange). Raises LedgerError if anything cannot be written. Nothing is written then.
        """
        if new:
            # What a claim holds of contact data is digested with the ledger's key. To check a large ledger takes long,
            # and a delivery has little time.
            self.ledger.make()
        key, deliveries = self.sender.key, [*map(Delivery, new)]
        outcomes = {key(each.item): each.sent.outcome for each in ended}
        requests = [self.sender.request(item, self.ledger) for item in new]
        longest = LONGEST_WAIT + self.sender.timeout
        records, found = self.ledger.exchange(outcomes, requests, longest=longest)
        claimed = [record or delivery for record, delivery in zip(found, deliveries, strict=True)]
        return [records[key(each.item)] for each in ended], claimed

    def record(self, delivery: Delivery[Item]) -> Record:
        """Record how a delivery ended. Raises LedgerError with the task that settles it."""
        try:
            return self.exchange([delivery], [])[0][0]
        except LedgerError as error:
            name, ended = self.sender.key(delivery.item), delivery.sent.outcome
            raise unrecorded_error(name, self.sender.kind, ended, error, self.ledger.place) from error


def wait_for_others(
    ledger: Ledger,
    names: Sequence[str],
    pace: Pace,
    heartbeat: Callable[[], None] = lambda: None,
) -> bool:
    """Wait until other runs have placed these, or this run stops: whether they have, or it does.

    ``False`` after the time in which a request of theirs can be under way, and be recorded. ``heartbeat`` is called at
    least every PAUSE seconds. Raises LedgerError.
    """
    left = list(names)
    seconds = max(map(_longest, ledger.find(left).values()), default=0.0)
    deadline = time.monotonic() + seconds
    while True:
        records = ledger.find(left)
        left = [name for name in left if name in records and records[name].status == "pending"]
        heartbeat()
        if not left or pace.stopped:
            return True
        if (rest := deadline - time.monotonic()) <= 0:
            return False
        pace.sleep(min(PAUSE, rest))


def _longest(record: Record) -> float:
    """For how many seconds a pending claim may be waited for: a length of time, because two clocks may differ."""
    if record.status != "pending" or record.claimed_at is None or record.deadline is None:
        return 0.0
    under_way = datetime.fromisoformat(record.deadline) - datetime.fromisoformat(record.claimed_at)
    return under_way.total_seconds() + RECORDING
