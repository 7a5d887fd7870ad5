# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Moves a ledger: all that it holds, as it is, into an empty one.

The new one is marked before the old one is retired, and is in use once it has all. So nothing is ordered with either in
between, and another run finishes a move that was cut off.
"""

from __future__ import annotations

from .._core.errors import LedgerError
from .claiming import why_closed
from .known_ledgers import KnownLedgers
from .locations import Location
from .opening import open_ledger
from .order_records import Filter
from .store import Ledger, not_empty


def move_ledger(old: Location, new: Location, known: KnownLedgers, *, write: bool) -> bool:
    """Move the ledger at one location to another one, where it is from then on. Return whether anything changes.

    Raises LedgerError, and ResellerError while a run is placing an order.
    """
    with open_ledger(old, writing=False, dry=True) as source, open_ledger(new, writing=False, dry=True) as target:
        if not _is_left_to_do(source, target, known):
            return False
    if not write:
        return True
    with (
        open_ledger(new, writing=True) as target,
        open_ledger(old, writing=True) as source,
    ):
        source.history()
        if target.await_contents(source.id):
            tables = source.retire(target.place)
            # A backup from before the move lacks this.
            known.remember(source)
            target.take_over(source, tables)
        target.history()
        known.remember(target)
    return True


def _is_left_to_do(source: Ledger, target: Ledger, known: KnownLedgers) -> bool:
    """Whether a ledger is still to be moved. Raises LedgerError if it cannot be."""
    if not source.exists:
        raise LedgerError(f"There is no ledger at {source.place} that could be moved.")
    if source.address == target.address or source.id == target.id:
        raise LedgerError(f"{target.place} is the same ledger as {source.place}.\nGive the location of another one.")
    moved_to, there = source.history().moved_to, target.history()
    if moved_to is not None and there.moved_from == source.id:
        return False
    if moved_to not in (None, target.place):
        raise LedgerError(why_closed(source.place, moved_to, None) or "")
    if there.token is not None or target.newest_order()[0]:
        raise LedgerError(not_empty(target.place))
    for ledger, begun in ((source, moved_to is not None), (target, there.incoming_from == source.id)):
        reason = None if begun else known.look_at(ledger).why_not_for_orders()
        if reason is not None:
            raise LedgerError(reason)
    for record in source.select(Filter(statuses=["pending"])):
        source.refuse_pending(record)
    return True
