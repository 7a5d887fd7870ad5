# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Claims, sends and records, one or many. This is the only step that costs money and cannot be undone.

1. *Claim*: the order, or the named operation, is written to the ledger as pending, durably.
2. *Send*: one request. It is repeated only after an answer that says it was not processed.
3. *Record*: the outcome is written over the claim.

Whatever stops a run between 1 and 3 leaves a claim, which is in doubt once no request of it can be under way any more,
and is never sent again by itself.
"""

from __future__ import annotations

import contextlib
import itertools
import queue
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple

from .._core.errors import LedgerError, ResellerError
from .._http.transport import RawAnswer
from .._ledger.order_records import RELEASED, Outcome, Record
from .._ledger.store import Ledger
from .._orders.order_errors import unrecorded_error
from .sending import INTERRUPTED, LONGEST_WAIT, Delivery, Item, Pace, Sender

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

#: While another run places an order, the ledger is read again after these seconds.
PAUSE = 0.1
#: How often, in seconds, a run looks up from waiting to tell how far it is and whether it is to stop.
HEARTBEAT = 0.5


class End(NamedTuple):
    """How one of those that were placed ended, by its index.

    It has its ``record``, or the ``error`` that prevented or followed it. ``outcome`` is how its sending ended, if this
    run sent it, and ``answer`` the last response.
    """

    at: int
    record: Record | None = None
    error: ResellerError | None = None
    outcome: Outcome | None = None
    answer: RawAnswer | None = None


class Placer(Generic[Item]):
    """Places what ``sender`` sends, with one ledger: here one after the other, or as many ``threads`` at a time.

    The thread that calls it claims and records, in groups. With ``keep_going``, it continues after one that was not
    placed. That thread calls ``heartbeat`` at least every HEARTBEAT seconds; ``on_wait`` with the claims of other runs
    before they are waited for; and ``renewed`` before a group is claimed, with its indexes, and whether this run has
    waited for another one, or sent something that was not accepted with a known ID: it returns what changed, or is not
    to be sent.
    """

    def __init__(
        self,
        sender: Sender[Item],
        ledger: Ledger,
        *,
        pace: Pace,
        threads: int | None = None,
        keep_going: bool = False,
        heartbeat: Callable[[], None] = lambda: None,
        on_wait: Callable[[Sequence[Record]], None] = lambda _claims: None,
        renewed: Callable[[Sequence[int], bool], Mapping[int, Item | ResellerError]] = lambda _indexes, _outdated: {},
    ) -> None:
        self.sender = sender
        self.ledger = ledger
        self.pace = pace
        self._threads = threads
        self._keep_going = keep_going
        self._heartbeat, self._on_wait, self._renewed = heartbeat, on_wait, renewed
        self._going_on = True
        self._pool: ThreadPoolExecutor | None = None
        self._items: dict[int, Item] = {}
        #: By their indexes: what is still to be claimed; what is being sent, until its outcome is recorded, with the
        #: thread that sends it; what was answered; claims of other runs.
        self._waiting: deque[int] = deque()
        self.sending: dict[int, tuple[Delivery[Item], Future[None] | None]] = {}
        self._answers: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._elsewhere: dict[int, Record] = {}
        self._ends: deque[End] = deque()
        #: Whether something happened that makes what was known of the service before it outdated.
        self._is_outdated = False

    def place(self, items: Mapping[int, Item]) -> Generator[End, None, None]:
        """Place these orders or operations, by their index, and yield how each ended, once that is recorded.

        Those that have not begun when it stops are not yielded. Whoever closes it early, or is interrupted, stops it:
        what is under way is waited for and recorded.

        A claim is written only for what can be sent at once, and together with the outcome of what was sent before: a
        killed run leaves no more in doubt than it was sending. What other runs are placing is waited for after all
        others, until their requests must have ended, and placed unless they have done it.
        """
        self._items, self._going_on = {**items}, True
        with contextlib.ExitStack() as at_end:
            if self._threads:
                # Measured: 3 ms of a start, which a task that places one order does not need.
                from concurrent.futures import ThreadPoolExecutor

                self._pool = at_end.enter_context(ThreadPoolExecutor(self._threads))
            try:
                yield from self._placed(items)
                if self._elsewhere and self._may_send:
                    self._on_wait([*self._elsewhere.values()])
                    elsewhere = [each.name for each in self._elsewhere.values()]
                    wait_for_others(self.ledger, elsewhere, self.pace, self._heartbeat)
                    self._is_outdated = True
                    yield from self._placed([*self._elsewhere])
                yield from itertools.starmap(End, self._elsewhere.items())
                self._elsewhere.clear()
            except BaseException:
                # The threads end what they have begun, and begin nothing more.
                self.pace.stop()
                at_end.close()
                for delivery, _future in self.sending.values():
                    # What was cut off is pending until no request of it can be under way.
                    if delivery.name not in self.ledger.under_way:
                        self._recorded(delivery)
                raise

    def _placed(self, indexes: Iterable[int]) -> Iterator[End]:
        """Place those with these indexes, but for what other runs have claimed. Nothing is half done at a yield."""
        self._waiting = deque(indexes)
        while self.sending or (self._waiting and self._may_send):
            free = (self._threads or 1) - len(self.sending)
            # A claim has little time to be sent.
            held = self.pace.seconds_held
            feeding = self._waiting and self._may_send and not held
            answered = self._answered(0.0 if free and feeding else min(held or HEARTBEAT, HEARTBEAT))
            # What stops the run is seen before the next claim.
            self._heartbeat()
            ended = [self.sending[index][0] for index in answered]
            group = self._group(ended) if feeding else []
            self._is_outdated |= not all(map(_leaves_lists_valid, ended))
            self._exchange(answered, self._current(group))
            while self._ends:
                yield self._ends.popleft()

    def _group(self, ended: Sequence[Delivery[Item]]) -> list[int]:
        """Take those that can be sent at once, beside what is under way."""
        going_on = self._keep_going or all(each.outcome.status == "ordered" for each in ended)
        free = (self._threads or 1) - len(self.sending) + len(ended) if self._may_send and going_on else 0
        return [self._waiting.popleft() for _each in range(min(free, len(self._waiting)))]

    def _current(self, group: Sequence[int]) -> list[int]:
        """Return those of a group that are still to be claimed, after a look at what is known by now."""
        changed = self._renewed(group, self._is_outdated) if group else {}
        self._is_outdated &= not group
        for index, item in changed.items():
            if isinstance(item, ResellerError):
                self._end(End(index, error=item))
            else:
                self._items[index] = item
        return [index for index in group if not isinstance(changed.get(index), ResellerError)]

    def _exchange(self, answered: Sequence[int], group: Sequence[int]) -> None:
        """Record what was answered, and claim and send a group, in one transaction as long as the ledger can."""
        ended = [self.sending[index][0] for index in answered]
        recorded: Sequence[Record | LedgerError]
        found: Sequence[tuple[Delivery[Item], Record | None]] = ()
        try:
            recorded, found = self.exchange(ended, [self._items[index] for index in group])
        except LedgerError as error:
            # One outcome may be what cannot be written. The claims have to wait until that is known.
            recorded = [self._recorded(delivery) for delivery in ended]
            if answered:
                self._waiting.extendleft(reversed(group))
            else:
                for index in group:
                    self._end(End(index, error=error))
        futures = [self.sending.pop(index)[1] for index in answered]
        for index, claim in zip(group, found, strict=False):
            self._begin(index, *claim)
        for index, delivery, record, future in zip(answered, ended, recorded, futures, strict=True):
            if future is not None:
                future.result()
            end = End(index, None, delivery.refusal, delivery.outcome, delivery.answer)
            if isinstance(record, LedgerError):
                self._end(end._replace(error=record))
            elif record.status == "ordered" and delivery.outcome.status in RELEASED:
                # This run did not send it in time, and another one has placed it since.
                self._end(End(index, record))
            else:
                self._end(end._replace(record=None if delivery.refusal else record))

    @property
    def _may_send(self) -> bool:
        return self._going_on and not self.pace.stopped

    def _answered(self, patience: float) -> list[int]:
        """Return those that were answered meanwhile; one is waited for, for so many seconds."""
        answered = []
        with contextlib.suppress(queue.Empty):
            answered.append(self._answers.get(timeout=patience))
            while True:
                answered.append(self._answers.get_nowait())
        return answered

    def _begin(self, index: int, delivery: Delivery[Item], other: Record | None) -> None:
        """Send what was claimed, unless ``other`` stands in the way."""
        self._elsewhere.pop(index, None)
        if other is None:
            self.sending[index] = delivery, None
            self.ledger.under_way.add(delivery.name)
            if self._pool is None:
                self._send(index, delivery)
            else:
                self.sending[index] = delivery, self._pool.submit(self._send, index, delivery)
        elif error := self.sender.other(delivery.item, other):
            self._end(End(index, error=error))
        elif other.status == "pending":
            self._elsewhere[index] = other
        else:
            self._end(End(index, other))

    def _send(self, index: int, delivery: Delivery[Item]) -> None:
        try:
            self.sender.send(delivery, self.pace)
        except ResellerError as refusal:
            delivery.refusal = refusal
        finally:
            if delivery.outcome != INTERRUPTED:
                self.ledger.under_way.discard(delivery.name)
            self._answers.put(index)

    def exchange(
        self, ended: Sequence[Delivery[Item]], new: Sequence[Item]
    ) -> tuple[list[Record], list[tuple[Delivery[Item], Record | None]]]:
        """Record how deliveries ended, and claim what is new, in one transaction.

        Return the records of what ended, and the deliveries of what is new, each with the record that prevents it (see
        Ledger.exchange). Raises LedgerError if anything cannot be written. Nothing is written then.
        """
        if new:
            # What a claim holds of contact data is digested with the ledger's key. To check a large ledger takes long,
            # and a delivery has little time.
            self.ledger.make()
        claims = [self.sender.request(item, self.ledger) for item in new]
        deliveries = [
            Delivery(item, claim.name, clocks=self.pace.clocks) for item, claim in zip(new, claims, strict=True)
        ]
        self._hold_against_ledger(ended)
        outcomes = {each.name: each.outcome for each in ended}
        records, found = self.ledger.exchange(outcomes, claims, longest=LONGEST_WAIT + self.sender.timeout)
        for each in ended:
            # The ID was another order's.
            if each.outcome.without_id is not None and records[each.name].outcome.contract_id is None:
                each.outcome = each.outcome.without_id
        return [records[each.name] for each in ended], [*zip(deliveries, found, strict=True)]

    def _hold_against_ledger(self, ended: Sequence[Delivery[Item]]) -> None:
        """Read answers again that show the end user or product of another order in the ledger. Raises LedgerError."""
        related = frozenset[str]().union(*(each.outcome.related for each in ended))
        known = self.ledger.known_ids(related) if related else related
        for each in ended:
            if each.read_beside is not None and (others := each.outcome.related & known):
                each.outcome = each.read_beside(others)

    def _recorded(self, delivery: Delivery[Item]) -> Record | LedgerError:
        """Record how a delivery ended, or return the error with the task that settles it."""
        try:
            return self.exchange([delivery], [])[0][0]
        except LedgerError as error:
            return unrecorded_error(delivery.name, self.sender.kind, delivery.outcome, error, self.ledger.place)

    def _end(self, end: End) -> None:
        self._ends.append(end)
        self._elsewhere.pop(end.at, None)
        # A ledger that cannot be written is no place to go on from, whatever was requested.
        good = end.record is not None and end.record.status == "ordered"
        if isinstance(end.error, LedgerError) or not (good or self._keep_going):
            self._going_on = False


def _leaves_lists_valid(ended: Delivery[Item]) -> bool:
    """Return whether what was sent is known by its ID, or never began."""
    return ended.outcome.status == "not_sent" or bool(ended.outcome.contract_id)


def wait_for_others(ledger: Ledger, names: Sequence[str], pace: Pace, heartbeat: Callable[[], None]) -> None:
    """Wait until other runs have placed these, no request of theirs can be under way any more, or this run stops.

    ``heartbeat`` is called at least every PAUSE seconds. Raises LedgerError.
    """
    pending = names
    while pending := [name for name, each in ledger.find(pending).items() if each.status == "pending"]:
        heartbeat()
        if pace.stopped:
            return
        pace.sleep(PAUSE)
