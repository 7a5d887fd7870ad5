# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks whether orders may use a ledger: is it the ledger that this user knows, and may a new one be created?"""

from __future__ import annotations

from typing import Literal

from .._core.errors import LedgerError
from .seen import Seen, Sight
from .store import AbsentLedger, Ledger, moved

NewLedger = Literal["allow", "refuse"]

_ACCEPT = "reseller_ledger with state: accepted"


class Custody:
    """Which ledgers this user has used, and whether a new one may be created."""

    def __init__(self, seen: Seen, new_ledger: NewLedger) -> None:
        self._seen = seen
        self._new_ledger = new_ledger

    def before_making(self, address: str, place: str) -> None:
        """Raise LedgerError if no ledger may be created at this address."""
        known = self._seen.of(address)
        if known is not None:
            raise LedgerError(
                f"There is no ledger at {place}, where this user has seen one. Nothing was sent.\n"
                f"It had counted {known.counter} claims. Without it, those orders would be placed again.\n"
                "Do not order anything before the ledger was restored. If ledger (or RESELLER_LEDGER) names the wrong "
                f"place, correct it. To start a new ledger, run {_ACCEPT} once."
            )
        if self._new_ledger == "refuse":
            raise LedgerError(
                f"There is no ledger at {place}, and new_ledger is refuse. Nothing was sent.\n"
                "A new ledger does not contain orders that are recorded elsewhere. They would be placed again.\n"
                "Restore the ledger, or correct ledger (or RESELLER_LEDGER). For a first run, set new_ledger: allow."
            )

    def objection(self, ledger: Ledger) -> str | None:
        """Why this ledger must not be used to order, or ``None``."""
        if isinstance(ledger, AbsentLedger):
            try:
                self.before_making(ledger.address, ledger.place)
            except LedgerError as error:
                return error.message
            return None
        if ledger.objection is not None:
            return ledger.objection
        mark, known = ledger.mark(), self._seen.of(ledger.address)
        if mark.moved_to is not None:
            return moved(ledger.place, mark.moved_to)
        # Also at another address: a backup may have been restored elsewhere.
        most = self._seen.most(ledger.id)
        if known is not None and known.id != ledger.id:
            what = "is not the one that this user has seen there"
            why = f"The one before had counted {known.counter} claims, this one {mark.counter}"
        elif most > mark.counter:
            what = "went back in time"
            why = f"It counts {mark.counter} claims, and this user has seen {most}"
        else:
            return None
        return (
            f"The ledger {ledger.place} {what}. Nothing was sent.\n"
            f"{why}. After a restored backup, a failover or a change of databases, orders are missing in it.\n"
            "Do not order anything before the ledger was restored, or the contracts that the customer portal shows "
            f"were adopted (reseller_ledger with state: ordered). Then run {_ACCEPT} once."
        )

    def watch(self, ledger: Ledger) -> None:
        """When the task ends, store what this run saw of the ledger."""

        def note() -> None:
            self._seen.note(ledger.address, Sight(ledger.id, ledger.counter))

        ledger.at_end = note

    def accept(self, ledger: Ledger, *, really: bool) -> bool:
        """Accept the ledger, or a missing one, as what this user saw last. Return whether that changes anything."""
        sight = None if isinstance(ledger, AbsentLedger) else Sight(ledger.id, ledger.mark().counter)
        changed = self._seen.of(ledger.address) != sight or ledger.objection is not None
        changed = changed or (sight is not None and self._seen.most(sight.id) > sight.counter)
        if changed and really:
            self._seen.accept(ledger.address, sight)
            ledger.accept()
        return changed
