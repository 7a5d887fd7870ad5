# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Places many orders: sends them in several threads; the one that runs the batch claims and records in groups."""

from __future__ import annotations

import contextlib
import queue
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from .._core.errors import LedgerError, ResellerError
from .._ledger.order_records import Record
from .._order.order import Order
from .outcomes import SendResult
from .placer import Placer, wait_for_others
from .sending import Delivery

#: How often, in seconds, a batch looks up from waiting to tell how far it is and whether it is to stop.
HEARTBEAT = 0.5


class Batch:
    """Places ``concurrency`` orders at a time. With ``keep_going``, continues after one that was not placed.

    ``on_end`` is called for each order as it ends, with its record, or the error that prevented or followed it, and how
    the sending ended if this run sent it; ``heartbeat`` at least every HEARTBEAT seconds, both in the thread that runs
    the batch.
    """

    def __init__(
        self,
        placer: Placer[Order],
        *,
        concurrency: int,
        keep_going: bool,
        on_end: Callable[[int, Record | ResellerError, SendResult | None], None],
        heartbeat: Callable[[], None],
    ) -> None:
        self._placer = placer
        self._concurrency = concurrency
        self._keep_going = keep_going
        self._on_end = on_end
        self._heartbeat = heartbeat
        self._going_on = True
        #: Which order is being sent, until its outcome is recorded; and those of them that were answered.
        self._sending: dict[Future[None], tuple[int, Delivery[Order]]] = {}
        self._answers: queue.SimpleQueue[Future[None]] = queue.SimpleQueue()

    @property
    def being_sent(self) -> int:
        """Number of orders that are being sent."""
        return len(self._sending)

    def run(self, orders: Sequence[Order]) -> None:
        """Place the orders. Those that have not begun when the batch stops get no ``on_end``.

        A claim is written only for an order that a thread is free to send, and together with the outcome of the order
        that this thread sent before: a killed run leaves no more orders in doubt than it was sending. Orders that other
        runs are placing are waited for after all others.
        """
        indexes = range(len(orders))
        with ThreadPoolExecutor(self._concurrency) as pool:
            try:
                elsewhere = self._place(pool, orders, indexes)
                if elsewhere and self._may_send:
                    names = [orders[index].name for index in elsewhere]
                    wait_for_others(self._placer.ledger, names, self._placer.pace, self._heartbeat)
                    if self._may_send:
                        for index, record in self._place(pool, orders, [*elsewhere]).items():
                            self._end(index, record)
            except BaseException:
                # The threads end what they have begun, and begin nothing more.
                self._placer.pace.stop()
                wait(self._sending)
                for _index, delivery in self._sending.values():
                    with contextlib.suppress(LedgerError):
                        self._placer.record(delivery)
                raise

    def _place(self, pool: ThreadPoolExecutor, orders: Sequence[Order], indexes: Sequence[int]) -> dict[int, Record]:
        """Place the orders with these indexes; the claims that other runs hold on some of them."""
        waiting, elsewhere, rejected = deque(indexes), dict[int, Record](), dict[int, tuple[Record, SendResult]]()
        while self._sending or rejected or (waiting and self._may_send):
            if rejected and not self._sending:
                waiting.extendleft(self._renewed(rejected))
                rejected.clear()
                continue
            free = self._concurrency - len(self._sending)
            # A claim has little time to be sent.
            held = self._placer.pace.seconds_held
            feeding = waiting and self._may_send and not rejected and not held
            answered = self._answered(0.0 if free and feeding else min(held or HEARTBEAT, HEARTBEAT))
            deliveries = [self._sending[future][1] for future in answered]
            going_on = self._keep_going or all(map(self._was_ordered, answered))
            group: list[int] = []
            if feeding and going_on and not any(each.sent.outdated for each in deliveries):
                group = [waiting.popleft() for _each in range(min(free + len(answered), len(waiting)))]
            recorded: Sequence[Record | LedgerError]
            found: Sequence[Record | Delivery[Order]] = ()
            try:
                recorded, found = self._placer.exchange(deliveries, [orders[index] for index in group])
            except LedgerError as error:
                # One outcome may be what cannot be written. The claims have to wait until that is known.
                recorded = [self._recorded(delivery) for delivery in deliveries]
                if answered:
                    waiting.extendleft(reversed(group))
                else:
                    for index in group:
                        self._end(index, error)
                group = []
            ended = [(self._sending.pop(future)[0], future) for future in answered]
            for index, delivery in self._claimed(orders, group, found, elsewhere):
                self._send(pool, index, delivery)
            for (index, future), delivery, record in zip(ended, deliveries, recorded, strict=True):
                end = _end_of(future, record)
                if delivery.sent.outdated and isinstance(end, Record):
                    rejected[index] = end, delivery.sent
                else:
                    self._end(index, end, delivery.sent)
            self._heartbeat()
        return elsewhere

    def _renewed(self, rejected: dict[int, tuple[Record, SendResult]]) -> list[int]:
        """Those to place again as the reference tells it now, the first at the end. The others end as rejected."""
        if self._may_send and self._placer.sender.renew():
            return sorted(rejected, reverse=True)
        for index, (record, sent) in rejected.items():
            self._end(index, record, sent)
        return []

    def _answered(self, patience: float) -> list[Future[None]]:
        """Those that were answered meanwhile; one is waited for, for so many seconds."""
        answered = []
        with contextlib.suppress(queue.Empty):
            answered.append(self._answers.get(timeout=patience))
            while True:
                answered.append(self._answers.get_nowait())
        return answered

    def _was_ordered(self, future: Future[None]) -> bool:
        return future.exception() is None and self._sending[future][1].sent.status == "ordered"

    def _send(self, pool: ThreadPoolExecutor, index: int, delivery: Delivery[Order]) -> None:
        future = pool.submit(self._placer.sender.send, delivery, self._placer.pace)
        self._sending[future] = index, delivery
        future.add_done_callback(self._answers.put)

    def _recorded(self, delivery: Delivery[Order]) -> Record | LedgerError:
        try:
            return self._placer.record(delivery)
        except LedgerError as error:
            return error

    @property
    def _may_send(self) -> bool:
        return self._going_on and not self._placer.pace.stopped

    def _claimed(
        self,
        orders: Sequence[Order],
        group: Sequence[int],
        found: Sequence[Record | Delivery[Order]],
        elsewhere: dict[int, Record],
    ) -> list[tuple[int, Delivery[Order]]]:
        """Those of a group that this run may send now; ``found`` has what stands in the way of the others."""
        claimed = []
        for index, record in zip(group, found, strict=True):
            if isinstance(record, Delivery):
                claimed.append((index, record))
            elif (record.name, record.kind) != (orders[index].name, self._placer.sender.kind):
                self._end(index, self._placer.sender.other(orders[index], record))
            elif record.status == "pending":
                elsewhere[index] = record
            else:
                self._end(index, record)
        return claimed

    def _end(self, index: int, end: Record | ResellerError, sent: SendResult | None = None) -> None:
        self._on_end(index, end, sent)
        # A ledger that cannot be written is no place to go on from, whatever was asked.
        good = isinstance(end, Record) and end.status == "ordered"
        if isinstance(end, LedgerError) or not (good or self._keep_going):
            self._going_on = False


def _end_of(future: Future[None], recorded: Record | LedgerError) -> Record | ResellerError:
    try:
        future.result()
    except ResellerError as error:
        return recorded if isinstance(recorded, LedgerError) else error
    return recorded


#: Seconds between two lines.
PERIOD = 5.0


class Progress:
    """Counts the orders that have ended, and reports the count from time to time."""

    def __init__(self, total: int, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._tell = tell
        self._clock = clock
        self._began = self._reported_at = clock()
        self._done = self._in_doubt = 0

    def ended(self, status: str | None) -> None:
        """Count one more order with this status."""
        self._done += 1
        self._in_doubt += status == "in_doubt"

    def heartbeat(self) -> None:
        """Report a line if it is time for one."""
        now = self._clock()
        if now - self._reported_at >= PERIOD:
            self._reported_at = now
            self._tell(self.line())

    def line(self) -> str:
        """A line with orders done, total, in doubt, rate and time left."""
        spent = max(self._clock() - self._began, 1e-9)
        rate = self._done / spent
        left = f"{(self._total - self._done) / rate:.0f} s left" if rate else "time left not known yet"
        return f"{self._done}/{self._total} orders, {self._in_doubt} in doubt, {rate:.1f} a second, {left}"
