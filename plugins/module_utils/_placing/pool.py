# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places many orders, several at a time: a loop around the steps of a Placer, which it takes for groups."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Generic

from .._core.errors import LedgerError, ResellerError
from .._ledger.order_records import Record
from .placer import End, Placer
from .sending import Delivery, Item

#: How often, in seconds, a run looks up from waiting to tell how far it is and whether it is to stop.
HEARTBEAT = 0.5


class PlacingPool(Generic[Item]):
    """Places many, as many ``threads`` at a time. With ``keep_going``, also after one that was not placed."""

    def __init__(self, placer: Placer[Item], threads: int, *, keep_going: bool = False) -> None:
        self._placer, self._threads, self._keep_going = placer, threads, keep_going
        self._executor = ThreadPoolExecutor(threads)
        self._goes_on = True
        self._items: dict[int, Item] = {}
        #: By their indexes: what is still to be claimed, what other runs have claimed, and the deliveries of what is
        #: being sent, until that is recorded.
        self._waiting: deque[int] = deque()
        self._elsewhere: dict[int, Record] = {}
        self._sending: dict[int, Delivery] = {}
        #: The indexes by the calls that send them.
        self._calls: dict[Future[None], int] = {}
        #: Whether something happened that makes what was known of the service before it outdated.
        self._is_outdated = False

    def place(self, items: Mapping[int, Item]) -> Generator[tuple[int, End], None, None]:
        """Place these, by their index, and yield how each ended, once that is recorded.

        Those that have not begun when it stops are not yielded. Whoever closes it early, or is interrupted, stops it:
        what is under way is waited for and recorded.

        A claim is written only for what can be sent at once, and together with the outcome of what was sent before: a
        killed run leaves no more in doubt than it was sending. What other runs are placing is waited for after all
        others. Raises LedgerError if the ledger cannot be read meanwhile.
        """
        self._items = {**items}
        with self._executor:
            try:
                yield from self._placed(items)
                if self._elsewhere and self._may_send:
                    self._placer.wait_for([*self._elsewhere.values()])
                    self._is_outdated = True
                    yield from self._placed([*self._elsewhere])
                yield from ((index, End(record)) for index, record in self._elsewhere.items())
            except BaseException:
                # The threads end what they have begun, and begin nothing more.
                self._placer.pace.stop()
                self._executor.shutdown()
                self._placer.record_cut_off(self._sending.values())
                raise

    def _placed(self, indexes: Iterable[int]) -> Iterator[tuple[int, End]]:
        """Place those with these indexes, but for what other runs have claimed. Nothing is half done at a yield."""
        self._waiting = deque(indexes)
        while self._sending or (self._waiting and self._may_send):
            answered = self._answered()
            # What stops the run is seen before the next claim.
            self._placer.heartbeat()
            deliveries = [self._sending[index] for index in answered]
            group = self._group(deliveries)
            self._is_outdated |= not all(map(_leaves_lists_valid, deliveries))
            ends = [*self._refused(group), *self._exchanged(answered, group)]
            for index, end in ends:
                self._elsewhere.pop(index, None)
                # A ledger that cannot be written is no place to go on from, whatever was requested.
                good = end.record is not None and end.record.status == "ordered"
                if isinstance(end.error, LedgerError) or not (good or self._keep_going):
                    self._goes_on = False
            yield from ends

    @property
    def _may_send(self) -> bool:
        return self._goes_on and not self._placer.pace.stopped

    @property
    def _may_claim(self) -> bool:
        # A claim has little time to be sent.
        return bool(self._waiting) and self._may_send and not self._placer.pace.seconds_held

    def _answered(self) -> list[int]:
        """Return those that were answered meanwhile. Wait for one if no more can be sent, but not for long."""
        has_room = len(self._sending) < self._threads and self._may_claim
        patience = 0.0 if has_room else min(self._placer.pace.seconds_held or HEARTBEAT, HEARTBEAT)
        if patience and not self._calls:
            self._placer.pace.sleep(patience)
        done = wait(self._calls, patience, FIRST_COMPLETED).done
        return sorted(self._calls[call] for call in done)

    def _group(self, answered: Sequence[Delivery]) -> list[int]:
        """Take those that can be sent at once, beside what is under way."""
        goes_on = self._keep_going or all(delivery.outcome.status == "ordered" for delivery in answered)
        free = self._threads - len(self._sending) + len(answered) if self._may_claim and goes_on else 0
        return [self._waiting.popleft() for _each in range(min(free, len(self._waiting)))]

    def _refused(self, group: list[int]) -> Iterator[tuple[int, End]]:
        """Look at what is known by now, and take those out of a group that are not to be sent any more."""
        changed = self._placer.renewed(group, self._is_outdated) if group else {}
        self._is_outdated &= not group
        for index, item in changed.items():
            if isinstance(item, ResellerError):
                group.remove(index)
                yield index, End(error=item)
            else:
                self._items[index] = item

    def _exchanged(self, answered: Sequence[int], group: Sequence[int]) -> list[tuple[int, End]]:
        """Record what was answered, and claim and send a group, in one transaction as long as the ledger can."""
        placer, deliveries = self._placer, [self._sending[index] for index in answered]
        recorded: Sequence[Record | LedgerError]
        claimed: Sequence[tuple[Delivery, Record | None]] = ()
        ends = list[tuple[int, End]]()
        try:
            recorded, claimed = placer.exchange(deliveries, [self._items[index] for index in group])
        except LedgerError as error:
            # One outcome may be what cannot be written. The claims have to wait until that is known.
            recorded = [placer.recorded(ended) for ended in deliveries]
            if answered:
                self._waiting.extendleft(reversed(group))
            else:
                ends = [(index, End(error=error)) for index in group]
        for index, delivery, record in zip(answered, deliveries, recorded, strict=True):
            ends.append((index, placer.ended(delivery, record)))
            del self._sending[index]
        for index, (delivery, other) in zip(group, claimed, strict=False):
            ends += self._begun(index, delivery, other)
        for call in [future for future, index in self._calls.items() if index in answered]:
            del self._calls[call]
            # What else went wrong in its thread.
            call.result()
        return ends

    def _begun(self, index: int, delivery: Delivery, other: Record | None) -> list[tuple[int, End]]:
        """Send what was claimed, or return its end if another record stands in the way, unless that is pending."""
        self._elsewhere.pop(index, None)
        item = self._items[index]
        if other is None:
            self._sending[index] = delivery
            self._calls[self._executor.submit(self._placer.send, delivery, item)] = index
            return []
        end = self._placer.end_of(item, other)
        if end.error or other.status != "pending":
            return [(index, end)]
        self._elsewhere[index] = other
        return []


def _leaves_lists_valid(ended: Delivery) -> bool:
    """Return whether what was sent is known by its ID, or never began."""
    return ended.outcome.status == "not_sent" or bool(ended.outcome.contract_id)
