# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which ledgers this user has used, and how far each had come: proof that a ledger lacks nothing.

A JSON file holds, by a ledger's address, its ID and the last token that this user left or saw there. The ledger must
still contain it. At an address that is new to this user, it must contain those of all addresses of this ID. So a
restored backup, a failover and a failback are noticed however much was ordered since, also where the run died that
ordered last: each claim is stored here before its order is sent. The file may lag, and never leads.
What cannot be read or written is as if nothing had been seen.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from .._core.errors import LedgerError
from .._core.files import is_ours, make_folders, read_private, replace_private
from .locations import FileLocation, Location
from .order_records import Token
from .rows import now
from .run_locks import folder_lock
from .settling_tasks import command
from .store import Ledger, moved

NewLedger = Literal["allow", "refuse"]

FORMAT = 2
#: Seconds to wait for other runs that write the file at this moment.
PATIENCE = 2.0
_LARGEST = 4_000_000


@dataclass(frozen=True)
class KnownLedger:
    """The ledger that was at an address: its ID, its last token that was seen, if it had any, and when."""

    id: str
    token: Token | None
    seen_at: str = field(compare=False)

    def is_later_than(self, kept: KnownLedger | None) -> bool:
        """Whether it is a later state of the ledger that was known before, or the first one."""
        if kept is None or kept.id != self.id or self.token is None:
            return kept is None
        return kept.token is None or kept.token.number < self.token.number


class KnownLedgers:
    """The ledgers that this user has used, in the file ``seen`` of a directory. ``None`` without a directory."""

    def __init__(self, folder: Path | None, new_ledger: NewLedger = "allow") -> None:
        self._folder = folder
        self._new_ledger = new_ledger

    # What orders may use

    def before_making(self, address: str, place: str) -> None:
        """Raise LedgerError if no ledger may be created at this address."""
        known = self.read().get(address)
        if known is not None:
            raise LedgerError(
                f"There is no ledger at {place}, where this user has seen one. Nothing was sent.\n"
                f"It was there at {known.seen_at}. Without it, its orders would be placed again.\n"
                "Do not order anything until the ledger has been restored. If ledger (or RESELLER_LEDGER) names the "
                f"wrong place, correct it. Only if it had no orders, accept that it is gone:\n{_accepting(place)}"
            )
        if self._new_ledger == "refuse":
            raise LedgerError(
                f"There is no ledger at {place}, and new_ledger is refuse. Nothing was sent.\n"
                "A new ledger does not contain orders that are recorded elsewhere. They would be placed again.\n"
                "Restore the ledger, or correct ledger (or RESELLER_LEDGER). For a first run, set new_ledger: allow."
            )

    def why_refused(self, ledger: Ledger) -> str | None:
        """Why this ledger must not be used to order, or ``None``. Raises LedgerError."""
        if not ledger.exists:
            try:
                self.before_making(ledger.address, ledger.place)
            except LedgerError as error:
                return error.message
            return None
        history, known = ledger.history(), self.read()
        if history.moved_to is not None:
            return moved(ledger.place, history.moved_to)
        here = known.get(ledger.address)
        if here is not None and here.id != ledger.id:
            return self._lacking(ledger, "is not the one that this user has seen there", ledger.address, here)
        same = {ledger.address: here} if here else {at: each for at, each in known.items() if each.id == ledger.id}
        for address, each in same.items():
            if each.token is not None and not ledger.contains(each.token):
                return self._lacking(ledger, "went back in time", address, each)
        return None

    @staticmethod
    def _lacking(ledger: Ledger, what: str, address: str, known: KnownLedger) -> str:
        count, newest = ledger.newest_order()
        state = f"last written at {ledger.history().written_at}, with {count} orders"
        where = "here" if address == ledger.address else f"at {address}"
        copy = (
            "" if address == ledger.address else "If it is a copy to try something out, order nothing real with it.\n"
        )
        return (
            f"The ledger {ledger.place} {what}. Nothing was sent.\n"
            f"This user has seen it {where}, last at {known.seen_at}. Now: {state}"
            f"{f', the newest is {newest}' if newest else ''}.\n"
            "After a restored backup, a failover or a change of databases, orders are missing in it. They would be "
            "placed again.\n"
            f"{copy}Do not order anything until the ledger has been restored, or the contracts that the customer "
            "portal shows were adopted (reseller_reconcile, or reseller_ledger with state: ordered). Then accept it as "
            f"it is; --diff shows what that means:\n{_accepting(ledger.place)}"
        )

    def first_sight(self, ledger: Ledger, location: Location) -> str | None:
        """What to tell a user who has never used this file, or ``None``: it may be a backup or a copy."""
        history = ledger.history()
        forgets = not isinstance(location, FileLocation) or location.job_folder is not None
        if forgets or history.token is None or ledger.address in self.read():
            return None
        count, newest = ledger.newest_order()
        return (
            f"This user has not seen the ledger {ledger.place} before, so nothing shows whether it is complete.\n"
            f"It was last written at {history.written_at} on {history.host}, with {count} orders"
            f"{f', the newest is {newest}' if newest else ''}.\n"
            "If it is a backup or a copy, stop: orders placed since are missing in it, and would be placed again. "
            "Adopt them first (reseller_reconcile)."
        )

    def follow_changes(self, ledger: Ledger) -> None:
        """Store what this run saw of the ledger, and each change that it makes before an order of it is sent."""
        ledger.on_change = partial(self.remember, ledger)
        self.remember(ledger)

    def remember(self, ledger: Ledger) -> None:
        """Store what this run saw of the ledger."""
        self.note(ledger.address, _known(ledger))

    def accept(self, ledger: Ledger, *, really: bool) -> tuple[bool, dict[str, Any], dict[str, Any], str | None]:
        """Accept the ledger, or a missing one, as what this user saw last.

        Whether that changes anything, what was known before and is from then on, and why it cannot be remembered.
        """
        known, history = self.read(), ledger.history()
        current = _known(ledger) if ledger.exists else None
        before = known.get(ledger.address)
        # Of other addresses, what this ledger lacks would refuse it for as long as this address is not known.
        forgotten = [
            address
            for address, each in known.items()
            if current and each.id == current.id and each.token and not ledger.contains(each.token)
        ]
        changed = before != current or bool(forgotten)
        problem = None
        if changed and really:
            try:
                with self._changing() as ledgers:
                    for address in (ledger.address, *forgotten):
                        ledgers.pop(address, None)
                    if current is not None:
                        ledgers[ledger.address] = current
            except (OSError, LedgerError) as error:
                problem = (
                    f"What was accepted cannot be remembered: {error}.\n"
                    f"Ledgers are remembered in {self._folder} (XDG_STATE_HOME), which this user must be able to write."
                )
        count, newest = ledger.newest_order()
        after = {
            "ledger": ledger.place,
            **_shown(current),
            "written_at": history.written_at,
            "orders": count,
            "newest": newest,
        }
        return changed, {"ledger": ledger.place, **_shown(before)}, after, problem

    # The file

    def read(self) -> dict[str, KnownLedger]:
        """What is known, by address."""
        if self._folder is None:
            return {}
        try:
            held = json.loads(read_private(self._folder / "seen", _LARGEST)[0])
            if held["format"] != FORMAT:
                return {}
            return {
                address: KnownLedger(**{**each, "token": each["token"] and Token(**each["token"])})
                for address, each in held["ledgers"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}

    def note(self, address: str, known: KnownLedger) -> None:
        """Store what was seen if it is later than what is known. If another ledger is known there, keep that."""
        if known.is_later_than(self.read().get(address)):
            with contextlib.suppress(OSError, LedgerError), self._changing() as ledgers:
                if known.is_later_than(ledgers.get(address)):
                    ledgers[address] = known

    @contextmanager
    def _changing(self) -> Iterator[dict[str, KnownLedger]]:
        """What is known, to be changed: nobody else changes it meanwhile, and readers see the old or the new."""
        folder = self._folder
        if folder is None or not is_ours(folder):
            raise PermissionError(f"the directory {folder} belongs to another user")
        make_folders(folder)
        with folder_lock(folder, PATIENCE):
            ledgers = self.read()
            yield ledgers
            held = {address: asdict(each) for address, each in ledgers.items()}
            replace_private(folder / "seen", json.dumps({"format": FORMAT, "ledgers": held}))


def _known(ledger: Ledger) -> KnownLedger:
    return KnownLedger(ledger.id, ledger.token, now())


def _shown(known: KnownLedger | None) -> dict[str, Any]:
    if known is None:
        return {"id": None, "seen_at": None, "last_run": None}
    return {
        "id": known.id,
        "seen_at": known.seen_at,
        "last_run": known.token and known.token.run_id,
    }


def _accepting(place: str) -> str:
    """The line that accepts the ledger at this place as it is."""
    return f"{command({'state': 'accepted'}, place)} --diff"
