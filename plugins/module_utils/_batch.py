# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Placing many orders: claimed in groups, sent by several threads, each outcome recorded as it arrives."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ansible_collections.hosting.reseller.plugins.module_utils._errors import LedgerError, ResellerError
from ansible_collections.hosting.reseller.plugins.module_utils._order import Order
from ansible_collections.hosting.reseller.plugins.module_utils._placing import Placed, Placer

#: How often, in seconds, a batch looks up from waiting to tell how far it is and whether it is to stop.
HEARTBEAT = 1.0


@dataclass(frozen=True)
class Ended:
    """How the placing of one order ended: ``placed``, or the error that prevented or followed it."""

    placed: Placed | None = None
    error: ResellerError | None = None

    @property
    def good(self) -> bool:
        return self.placed is not None and self.placed.record.status == "ordered"


class Batch:
    """Places orders ``concurrency`` at a time. ``on_end`` is called for each order as it ends, in this thread."""

    def __init__(
        self,
        placer: Placer,
        *,
        concurrency: int,
        keep_going: bool,
        on_end: Callable[[int, Ended], None],
        heartbeat: Callable[[], None],
    ) -> None:
        self._placer = placer
        self._concurrency = concurrency
        self._keep_going = keep_going
        self._on_end = on_end
        self._heartbeat = heartbeat
        self._going_on = True

    def run(self, orders: Sequence[Order]) -> None:
        """Place the orders; those that are not begun when the batch stops get no ``on_end``.

        A claim is written only for an order that a thread is free to send, so that a killed run leaves no more orders
        in doubt than it was sending. Orders that other runs are placing are waited for after all others.
        """
        waiting = deque(enumerate(orders))
        elsewhere: list[tuple[int, Order]] = []
        sending: dict[Future[Placed], int] = {}
        with ThreadPoolExecutor(self._concurrency) as pool:
            while sending or (waiting and self._may_send):
                free = self._concurrency - len(sending)
                if free and waiting and self._may_send:
                    group = [waiting.popleft() for _each in range(min(free, len(waiting)))]
                    for index, order in self._claimed(group, elsewhere):
                        sending[pool.submit(self._placer.place_claimed, order)] = index
                ended, _sending = wait(sending, HEARTBEAT, FIRST_COMPLETED)
                for future in ended:
                    self._end(sending.pop(future), _ended(future.result))
                self._heartbeat()
        for index, order in elsewhere:
            if self._may_send:
                self._end(index, _ended(lambda order=order: self._placer.place(order)))  # type: ignore[misc]

    @property
    def _may_send(self) -> bool:
        return self._going_on and not self._placer.pace.stopped

    def _claimed(
        self, group: Sequence[tuple[int, Order]], elsewhere: list[tuple[int, Order]]
    ) -> list[tuple[int, Order]]:
        try:
            standing = self._placer.claim([order for _index, order in group])
        except LedgerError as error:
            self._going_on = False
            for index, _order in group:
                self._on_end(index, Ended(error=error))
            return []
        claimed = []
        for (index, order), record in zip(group, standing, strict=True):
            if record is None:
                claimed.append((index, order))
            elif record.status == "pending":
                elsewhere.append((index, order))
            else:
                self._end(index, Ended(Placed(record)))
        return claimed

    def _end(self, index: int, ended: Ended) -> None:
        self._on_end(index, ended)
        # A ledger that cannot be written is no place to go on from, whatever was asked.
        if isinstance(ended.error, LedgerError) or not (ended.good or self._keep_going):
            self._going_on = False


def _ended(place: Callable[[], Placed]) -> Ended:
    try:
        return Ended(place())
    except ResellerError as error:
        return Ended(error=error)


__all__ = ["Batch", "Ended"]
