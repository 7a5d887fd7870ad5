# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Claims, sends and records. This is the only step that costs money and cannot be undone.

1. *Claim*: the order, or the named operation, is written to the ledger as pending, durably.
2. *Send*: one request. It is repeated only after an answer that says it was not processed.
3. *Record*: the outcome is written over the claim.

Whatever stops a run between 1 and 3 leaves a claim, which is in doubt once no request of it can be under way any more,
and is never sent again by itself. ``Placer.place`` does this for one, ``PlacingPool`` (pool.py) for many at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple

from .._core.errors import LedgerError, ResellerError
from .._http.transport import RawAnswer
from .._ledger.order_records import RELEASED, Outcome, Record
from .._ledger.store import Ledger
from .._orders.order_errors import unrecorded_error
from .sending import INTERRUPTED, LONGEST_WAIT, Delivery, Item, Pace, Sender, send

#: While another run places an order, the ledger is read again after these seconds.
PAUSE = 0.1


class End(NamedTuple):
    """The end of the placing of one order or operation."""

    record: Record | None = None
    #: What prevented or followed its sending, if there is no record.
    error: ResellerError | None = None
    #: How its sending ended, if this run sent it.
    outcome: Outcome | None = None
    #: The last response to it.
    answer: RawAnswer | None = None


class Placer(Generic[Item]):
    """Places what ``sender`` sends, with one ledger. The thread that calls it claims and records.

    That thread calls ``heartbeat`` before each claim, while it waits, and once one order is recorded; ``on_wait`` with
    the claims of other runs before they are waited for; and ``renewed`` before claims, with their indexes, and whether
    this run has waited for another one, or sent something that was not accepted with a known ID: it returns what
    changed, or is not to be sent.
    """

    def __init__(
        self,
        sender: Sender[Item],
        ledger: Ledger,
        *,
        pace: Pace,
        heartbeat: Callable[[], None] = lambda: None,
        on_wait: Callable[[Sequence[Record]], None] = lambda _claims: None,
        renewed: Callable[[Sequence[int], bool], Mapping[int, Item | ResellerError]] = lambda _indexes, _outdated: {},
    ) -> None:
        self.sender, self.ledger, self.pace = sender, ledger, pace
        self.heartbeat, self.on_wait, self.renewed = heartbeat, on_wait, renewed

    def place(self, item: Item) -> End | None:
        """Place one order or operation, whose index is 0. Return ``None`` if the run stops before.

        What another run is placing is waited for until its request must have ended, and placed unless it has done it.
        Raises LedgerError if the ledger cannot be read meanwhile.
        """
        has_waited = False
        while True:
            self.heartbeat()
            if self.pace.stopped:
                return None
            current = self.renewed([0], has_waited).get(0, item)
            if isinstance(current, ResellerError):
                return End(error=current)
            item = current
            try:
                _recorded, ((delivery, other),) = self.exchange([], [item])
            except LedgerError as error:
                return End(error=error)
            if other is None:
                break
            end = self.end_of(item, other)
            if end.error or other.status != "pending":
                return end
            self.wait_for([other])
            if self.pace.stopped:
                return end
            has_waited = True
        try:
            self.send(delivery, item)
            end = self.ended(delivery, self.recorded(delivery))
        except BaseException:
            self.record_cut_off([delivery])
            raise
        # A run whose parent has gone meanwhile tells itself what became of this.
        self.heartbeat()
        return end

    # The steps

    def exchange(
        self, answered: Sequence[Delivery], new: Sequence[Item]
    ) -> tuple[list[Record], list[tuple[Delivery, Record | None]]]:
        """Record how deliveries ended, and claim what is new, in one transaction.

        Return the records of what ended, and the deliveries of what is new, each with the record that prevents it (see
        Ledger.exchange). Raises LedgerError if anything cannot be written. Nothing is written then.
        """
        if new:
            # What a claim holds of contact data is digested with the ledger's key. To check a large ledger takes long,
            # and a delivery has little time.
            self.ledger.make()
        claims = [self.sender.request(item, self.ledger) for item in new]
        deliveries = [Delivery(claim.name, clocks=self.pace.clocks) for claim in claims]
        self._hold_against_ledger(answered)
        outcomes = {delivery.name: delivery.outcome for delivery in answered}
        records, others = self.ledger.exchange(outcomes, claims, longest=LONGEST_WAIT + self.sender.timeout)
        for ended in answered:
            # Of many orders, what each answer was held against would take memory.
            other = ended.outcome.without_id
            ended.outcome = ended.outcome._replace(without_id=None, related=frozenset())
            if other is not None and records[ended.name].outcome.contract_id is None:
                # The ID was another order's.
                ended.outcome = other
        return [records[ended.name] for ended in answered], [*zip(deliveries, others, strict=True)]

    def _hold_against_ledger(self, answered: Sequence[Delivery]) -> None:
        """Read answers again that show the end user or product of another order in the ledger. Raises LedgerError."""
        related = frozenset[str]().union(*(delivery.outcome.related for delivery in answered))
        known = self.ledger.known_ids(related) if related else related
        for delivery in answered:
            if delivery.outcome_if_known is not None and delivery.outcome.related & known:
                delivery.outcome = delivery.outcome_if_known(delivery.outcome.related & known)

    def send(self, delivery: Delivery, item: Item) -> None:
        """Send what is claimed, in any thread, and set how that ended."""
        self.ledger.under_way.add(delivery.name)
        try:
            send(delivery, self.sender.message(item), self.pace)
        except ResellerError as refusal:
            delivery.refusal = refusal
        finally:
            if delivery.outcome != INTERRUPTED:
                self.ledger.under_way.discard(delivery.name)

    def recorded(self, delivery: Delivery) -> Record | LedgerError:
        """Record how a delivery ended, or return the error with the task that settles it."""
        try:
            return self.exchange([delivery], [])[0][0]
        except LedgerError as error:
            return unrecorded_error(delivery.name, self.sender.kind, delivery.outcome, error, self.ledger.place)

    def record_cut_off(self, deliveries: Iterable[Delivery]) -> None:
        """Stop the run, and record what its threads have ended by now."""
        self.pace.stop()
        for delivery in deliveries:
            # What was cut off is pending until no request of it can be under way.
            if delivery.name not in self.ledger.under_way:
                self.recorded(delivery)

    def ended(self, delivery: Delivery, record: Record | LedgerError) -> End:
        """Return how a delivery ended that is recorded so, or cannot be."""
        outcome, refusal = delivery.outcome, delivery.refusal
        if isinstance(record, LedgerError):
            return End(None, record, outcome, delivery.answer)
        if record.status == "ordered" and outcome.status in RELEASED:
            # This run did not send it in time, and another one has placed it since.
            return End(record)
        return End(None if refusal else record, refusal, outcome, delivery.answer)

    def end_of(self, item: Item, other: Record) -> End:
        """Return the end of what is not sent because of another record."""
        error = self.sender.other(item, other)
        return End(error=error) if error else End(other)

    def wait_for(self, claims: Sequence[Record]) -> None:
        """Wait for what other runs have claimed. Raises LedgerError."""
        self.on_wait(claims)
        wait_for_others(self.ledger, [claim.name for claim in claims], self.pace, self.heartbeat)


def wait_for_others(ledger: Ledger, names: Sequence[str], pace: Pace, heartbeat: Callable[[], None]) -> None:
    """Wait until other runs have placed these, no request of theirs can be under way any more, or this run stops.

    ``heartbeat`` is called at least every PAUSE seconds. Raises LedgerError.
    """
    pending = names
    while pending := [name for name, record in ledger.find(pending).items() if record.status == "pending"]:
        heartbeat()
        if pace.stopped:
            return
        pace.sleep(PAUSE)
