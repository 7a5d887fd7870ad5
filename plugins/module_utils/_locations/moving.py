# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Moves a ledger: all that it holds, as it is, into an empty one.

The new one is marked before the old one is retired, and is in use once it has all. So nothing is ordered with either in
between, and another run finishes a move that was cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.errors import LedgerError
from .._ledger.database import Actor, History, Mode
from .._ledger.ledger_errors import refuse_pending
from .._ledger.ledger_history import Tables
from .._ledger.order_records import Filter
from .._ledger.store import Ledger
from .._ledger.transaction import Transaction
from .known_ledgers import KnownLedgers
from .locations import Location
from .opening import open_ledger

_PENDING = Filter(statuses=["pending"], kind=None)


def move_ledger(old: Location, new: Location, known: KnownLedgers, actor: Actor, *, write: bool) -> bool:
    """Move the ledger at one location to another one, where it is from then on. Return whether anything changes.

    ``actor`` is who does so.

    Raises LedgerError, and ResellerError while a run is placing an order.
    """
    mode: Mode = "write" if write else "check"
    with open_ledger(new, mode, actor) as target, open_ledger(old, mode, actor) as source:
        if not _is_left_to_do(source, target, known):
            return False
        if write and await_contents(target, source.id):
            tables = retire(source, target)
            # A backup from before the move lacks this.
            known.remember(source)
            take_over(target, source, tables)
        if write:
            target.history()
            known.remember(target)
    return True


def _is_left_to_do(source: Ledger, target: Ledger, known: KnownLedgers) -> bool:
    """Return whether a ledger is still to be moved. Raises LedgerError if it cannot be."""
    if not source.exists:
        raise LedgerError(f"There is no ledger at {source.place} that could be moved.")
    if source.address == target.address or source.id == target.id:
        raise LedgerError(f"{target.place} is the same ledger as {source.place}.\nGive the location of another one.")
    here, there = source.history(), target.history()
    if here.moved_to is not None and there.moved_from == source.id:
        return False
    if here.moved_to not in (None, target.place):
        raise LedgerError(str(here.closed))
    if there.token is not None:
        raise _not_empty(target)
    for ledger, begun in ((source, here.moved_to is not None), (target, there.incoming_from == source.id)):
        reason = None if begun else known.check(ledger).why_not_for_orders()
        if reason is not None:
            raise LedgerError(reason)
    for record in source.select(_PENDING):
        refuse_pending(record)
    return True


def _not_empty(target: Ledger) -> LedgerError:
    return LedgerError(
        f"The ledger {target.place} has records of its own, so that no other ledger can be moved there.\n"
        "Give the location of an empty ledger, or of none: it is made."
    )


def await_contents(target: Ledger, source_id: str) -> bool:
    """Mark a ledger as the one that is to take over the rows of another one. Nothing is ordered with it until then.

    ``False`` if it has taken them over. Raises LedgerError unless it is empty, and awaits no other one's.
    """

    def work(transaction: Transaction) -> bool:
        history = transaction.history()
        if history.moved_from == source_id:
            return False
        if history.incoming_from not in (None, source_id):
            raise LedgerError(str(history.closed))
        if any(transaction.tables()):
            raise _not_empty(target)
        transaction.set_meta("incoming_from", source_id)
        return True

    return target.run(work, writing=True)


def retire(source: Ledger, target: Ledger) -> Tables:
    """Record that a ledger was moved to another one, and return what it holds.

    Nothing is claimed, settled or removed in it any more. Raises ResellerError while a run is placing an order, and
    LedgerError if it was moved elsewhere.
    """

    def work(transaction: Transaction) -> tuple[Tables, History | None]:
        seen = None
        if transaction.history().moved_to != target.place:
            for record in transaction.select(_PENDING):
                refuse_pending(record)
            seen = transaction.leave_token([source.seen.token] if source.seen.token else [])
            transaction.set_meta("moved_to", target.place)
            transaction.note("moved", None, {"ledger": source.address}, {"ledger": target.address})
        return transaction.tables(), seen

    tables, seen = source.run(work, writing=True)
    source.seen = seen or source.seen
    return tables


def take_over(target: Ledger, source: Ledger, tables: Tables) -> None:
    """Take over all that another ledger holds into the one that awaits it, which is in use from then on."""

    def work(transaction: Transaction) -> None:
        history = transaction.history()
        if history.moved_from == source.id:
            return  # by another run, or by this very transaction, whose commit was answered by a lost connection
        if history.incoming_from != source.id:
            raise _not_empty(target)
        transaction.set_meta("digest_key", source.digest_key.hex())
        transaction.set_meta("moved_from", source.id)
        transaction.set_meta("real", source.seen.real)
        transaction.set_meta("incoming_from", None)
        transaction.write_tables(tables)

    target.run(work, writing=True)


#: What is noted of a ledger that is accepted. Locations of others may hold the users of databases.
_ACCEPTED = ("id", "seen_at", "written_at", "orders", "lacks_what_was_seen_at")


def accept(ledger: Ledger, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Take a ledger into use as it is, also one that was moved or awaits another one's rows, and note who did it.

    ``before`` and ``after`` are what is known of it.
    """

    def work(transaction: Transaction) -> None:
        for key in ("moved_to", "incoming_from"):
            transaction.set_meta(key, None)
        noted = [{key: known.get(key) for key in _ACCEPTED} for known in (before, after)]
        transaction.note("accepted", None, *noted)

    ledger.run(work, writing=True)
