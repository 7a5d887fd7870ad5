# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Moves a ledger: all that it holds, as it is, into an empty one. Another run finishes a move that was cut off."""

from __future__ import annotations

from .._core.errors import LedgerError
from .known_ledgers import KnownLedgers
from .locations import Location
from .opening import open_ledger, why_refused
from .order_records import Filter
from .store import Ledger, moved, not_empty


def move_ledger(old: Location, new: Location, known: KnownLedgers, *, really: bool) -> bool:
    """Move the ledger at one location to another one, where it is from then on. Return whether anything changes.

    The old ledger is retired first, so that no order gets lost between both. Raises LedgerError, and InFlightError
    while a run is placing an order.
    """
    for location in (old, new):
        if reason := why_refused(location, writing=not really):
            raise LedgerError(reason)
    with open_ledger(old, writing=False) as source, open_ledger(new, writing=False) as target:
        if not _is_left_to_do(source, target, known):
            return False
    if not really:
        return True
    # The new one is made before the old one is retired: what prevents that leaves the old one in use.
    with (
        open_ledger(new, writing=True, before_making=known.before_making) as target,
        open_ledger(old, writing=True) as source,
    ):
        target.take_over(source.retire(target.place))
        target.history()
        known.remember(target)
    return True


def _is_left_to_do(source: Ledger, target: Ledger, known: KnownLedgers) -> bool:
    """Whether a ledger is still to be moved. Raises LedgerError if it cannot be."""
    if not source.exists:
        raise LedgerError(f"There is no ledger at {source.place} that could be moved.")
    if source.address == target.address or source.id == target.id:
        raise LedgerError(f"{target.place} is the same ledger as {source.place}.\nGive the location of another one.")
    moved_to = source.history().moved_to
    if moved_to is not None and target.history().moved_from == source.id:
        return False
    if moved_to not in (None, target.place):
        raise LedgerError(moved(source.place, str(moved_to)))
    for ledger in (source, target):
        reason = known.why_refused(ledger) if ledger is target or moved_to is None else None
        if reason is not None:
            raise LedgerError(reason)
    if target.history().token is not None or target.newest_order()[0]:
        raise LedgerError(not_empty(target.place))
    for record in source.select(Filter(statuses=["pending"])):
        source.refuse_in_flight(record)
    return True
