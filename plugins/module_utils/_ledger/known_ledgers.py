# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which ledgers this user has used, and how far each had come: proof that a ledger lacks nothing.

For each ledger that was used, a small file holds its address, its ID, and the last token that this user left or saw
there. The ledger must still contain it. At an address that is new to this user, it must contain those of all addresses
of this ID. So a restored backup, a failover and a failback are noticed however much was ordered since, also where the
run died that ordered last: each claim is stored here before its order is sent. The file may lag, and never leads.
What cannot be read or written is as if nothing had been seen.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from .._core.advice import Advice, told
from .._core.errors import LedgerError
from .._core.files import is_ours, make_folders, read_private, sync
from .locations import FileLocation, Location
from .order_records import Token
from .rows import now
from .run_locks import folder_lock
from .settling import offer_by_hand
from .store import Ledger, moved

NewLedger = Literal["allow", "refuse"]

#: Seconds to wait for other runs that write at this moment.
PATIENCE = 2.0
_LARGEST = 100_000


@dataclass(frozen=True)
class KnownLedger:
    """The ledger that was at an address: its ID, its last token that was seen, if it had any, and when."""

    address: str
    id: str
    token: Token | None
    seen_at: str = field(compare=False)

    def is_later_than(self, kept: KnownLedger | None) -> bool:
        """Whether it is a later state of the ledger that was known before, or the first one."""
        if kept is None or kept.id != self.id or self.token is None:
            return kept is None
        return kept.token is None or kept.token.number < self.token.number


class KnownLedgers:
    """The ledgers that this user has used, in files of this directory. ``None``: nothing can be remembered."""

    def __init__(self, folder: Path | None, new_ledger: NewLedger = "allow") -> None:
        self._folder = folder and folder / "known_ledgers"
        self._new_ledger = new_ledger

    # What orders may use

    def before_making(self, address: str, place: str) -> None:
        """Raise LedgerError if no ledger may be created at this address."""
        known = self.read().get(address)
        if known is not None:
            raise LedgerError(
                f"There is no ledger at {place}, where this user has seen one. Nothing was sent.\n"
                f"It was there at {known.seen_at}. Without it, its orders would be placed again.\n"
                "Do not order anything until the ledger has been restored.",
                Advice(
                    "ledger",
                    "If ledger (or RESELLER_LEDGER) names the wrong place, correct it. Only if it had no orders, "
                    f"accept that it is gone:\n{_accepting(place)}",
                ),
            )
        if self._new_ledger == "refuse":
            raise LedgerError(
                f"There is no ledger at {place}, and new_ledger is refuse. Nothing was sent.\n"
                "A new ledger does not contain orders that are recorded elsewhere. They would be placed again.",
                Advice(
                    "ledger",
                    "Restore the ledger, or correct ledger (or RESELLER_LEDGER). For a first run, set new_ledger: "
                    "allow.",
                ),
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
            if _lacks(ledger, each):
                return self._lacking(ledger, "went back in time", address, each)
        return None

    @staticmethod
    def _lacking(ledger: Ledger, what: str, address: str, known: KnownLedger) -> str:
        where, copy = "here", ""
        if address != ledger.address:
            where, copy = f"at {address}", "\nIf it is a copy to try something out, order nothing real with it."
        lacking = (
            f"The ledger {ledger.place} {what}. Nothing was sent.\n"
            f"This user has seen it {where}, last at {known.seen_at}. It was {_state(ledger)}.\n"
            "After a restored backup, a failover or a change of databases, orders are missing in it. They would be "
            f"placed again.{copy}"
        )
        restored = (
            "Do not order anything until the ledger has been restored, or the contracts that the customer portal shows "
            "were adopted (reseller_reconcile, or reseller_ledger with state: ordered). Then accept it as it is; "
            f"--diff shows what that means:\n{_accepting(ledger.place)}"
        )
        return told((lacking, Advice("restore", restored)))

    def first_sight(self, ledger: Ledger, location: Location) -> str | None:
        """What to tell a user who has never used this file, or ``None``: it may be a backup or a copy."""
        forgets = not isinstance(location, FileLocation) or location.job_folder is not None
        if forgets or ledger.history().token is None or ledger.address in self.read():
            return None
        unseen = (
            f"This user has not seen the ledger {ledger.place} before, so nothing shows whether it is complete.\n"
            f"It was {_state(ledger)}."
        )
        copied = (
            "If it is a backup or a copy, stop: orders placed since are missing in it, and would be placed again. "
            "Adopt them first (reseller_reconcile)."
        )
        return told((unseen, Advice("older_ledger", copied)))

    def follow_changes(self, ledger: Ledger) -> None:
        """Store what this run saw of the ledger, and each change that it makes before an order of it is sent."""
        ledger.on_change = partial(self.remember, ledger)
        self.remember(ledger)

    def remember(self, ledger: Ledger) -> None:
        """Store what this run saw of the ledger."""
        self.note(_known(ledger))

    def accept(self, ledger: Ledger, *, really: bool) -> tuple[bool, dict[str, Any], dict[str, Any], str | None]:
        """Accept the ledger, or a missing one, as what this user saw last.

        Whether that changes anything, what was known before and is from then on, and why it cannot be remembered.
        """
        known, history = self.read(), ledger.history()
        before, current = known.get(ledger.address), _known(ledger) if ledger.exists else None
        changed, problem = before != current, None
        if changed and really:
            try:
                with self._locked() as folder:
                    if current is not None:
                        _write(folder, current, is_new=True)
                    elif before is not None:
                        _path(folder, before).unlink(missing_ok=True)
            except (OSError, LedgerError) as error:
                problem = (
                    f"What was accepted cannot be remembered: {error}.\n"
                    f"Ledgers are remembered in {self._folder} (XDG_STATE_HOME), which this user must be able to write."
                )
        count, newest = ledger.newest_order()
        place = {"ledger": ledger.place}
        after = _shown(current) | {"written_at": history.written_at, "orders": count, "newest": newest}
        return changed, place | _shown(before), place | after, problem

    # The files

    def read(self) -> dict[str, KnownLedger]:
        """What is known, by address."""
        folder = self._folder
        if folder is None or not is_ours(folder):
            return {}
        try:
            with contextlib.ExitStack() as stack:
                # Whoever hangs must not have it forgotten.
                with contextlib.suppress(LedgerError):
                    stack.enter_context(folder_lock(folder, PATIENCE))
                return {each.address: each for each in map(_read, folder.iterdir()) if each is not None}
        except OSError:
            return {}

    def note(self, known: KnownLedger) -> None:
        """Store what was seen if it is later than what is known. If another ledger is known there, keep that."""
        with contextlib.suppress(OSError, LedgerError), self._locked() as folder:
            kept = _read(_path(folder, known))
            if known.is_later_than(kept):
                _write(folder, known, is_new=kept is None)

    @contextmanager
    def _locked(self) -> Iterator[Path]:
        """The directory, which nobody else changes meanwhile."""
        folder = self._folder
        if folder is None or not is_ours(folder):
            raise PermissionError(f"the directory {folder} belongs to another user")
        make_folders(folder)
        with folder_lock(folder, PATIENCE):
            yield folder


def _path(folder: Path, known: KnownLedger) -> Path:
    return folder / hashlib.sha256(known.address.encode()).hexdigest()[:32]


def _read(path: Path) -> KnownLedger | None:
    try:
        entry = json.loads(read_private(path, _LARGEST)[0])
        return KnownLedger(**{**entry, "token": entry["token"] and Token(**entry["token"])})
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _write(folder: Path, known: KnownLedger, *, is_new: bool) -> None:
    """Write what is known over what was, in one write: to rename a file in its place would take a flush of the disk.

    ``is_new``: there was nothing that can be read.
    """
    path, content = _path(folder, known), json.dumps(asdict(known)).encode()
    if is_new:
        path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb", buffering=0) as file:
        file.write(content.ljust(os.fstat(descriptor).st_size))
        if is_new:
            os.fsync(descriptor)
    if is_new:
        sync(folder)


def _lacks(ledger: Ledger, known: KnownLedger) -> bool:
    """Whether the ledger does not contain the last change that was seen of this one."""
    return known.token is not None and not ledger.contains(known.token)


def _state(ledger: Ledger) -> str:
    """When and where a ledger was last written, and what it holds."""
    history, (count, newest) = ledger.history(), ledger.newest_order()
    which = f", the newest is {newest}" if newest else ""
    return f"last written at {history.written_at} on {history.host}, with {count} orders{which}"


def _known(ledger: Ledger) -> KnownLedger:
    return KnownLedger(ledger.address, ledger.id, ledger.token, now())


def _shown(known: KnownLedger | None) -> dict[str, Any]:
    token = known.token if known else None
    return {
        "id": known and known.id,
        "seen_at": known and known.seen_at,
        "last_run": token and token.run_id,
    }


def _accepting(place: str) -> str:
    """What accepts the ledger at this place as it is."""
    return str(offer_by_hand("Accept the ledger as it is", {"state": "accepted"}, place, diff=True))
