# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledgers that a user has used, and how far each had come: proof that a ledger lacks nothing.

For each address, a small file holds the ID of the ledger there, and the last token that this user left or saw there. A
ledger must contain those of all addresses of its ID. So a restored backup, a failover and a failback are noticed
however much was ordered since, and so is a copy that was used beside its original, also where the run died that ordered
last: each claim is stored here before its order is sent. The file may lag, and never leads. What cannot be read or
written is as if nothing had been seen: a restored home, a new user and a new machine notice nothing.

Where nothing says so, a ledger is made only for a user who has used none: a mistyped location would order again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .._core.clocks import Clocks
from .._core.errors import Advice, LedgerError
from .._core.files import is_ours, make_folders, read_private, sync
from .._ledger.database import History, Token, now
from .._ledger.ledger_errors import offer_by_hand
from .._ledger.store import Ledger
from .._ledger.transaction import Transaction

NewLedger = Literal["allow", "refuse"]

#: Seconds to wait for other runs that write at this moment.
PATIENCE = 2.0
_PAUSE = 0.01
_LARGEST = 100_000


@dataclass(frozen=True)
class KnownLedger:
    """The ledger that was at an address: its ID, its last token that was seen, and when.

    ``trial``: it was used only with services on this machine. Without an ID, this user has accepted that there is none.
    """

    address: str
    id: str
    token: Token
    seen_at: str = field(compare=False)
    trial: bool = field(default=False, compare=False)


class LedgerCheck(NamedTuple):
    """A ledger beside what this user had seen before it was opened: at its address, and of it anywhere that it lacks.

    ``others`` are the ledgers at other addresses, the last used first, without trials. ``is_accepted``: this user has
    accepted that the one that was at its address is gone.
    """

    ledger: Ledger
    history: History
    here: KnownLedger | None
    missing: list[KnownLedger]
    others: list[KnownLedger]
    is_accepted: bool = False

    def why_not_for_orders(self, new_ledger: NewLedger | None = "allow") -> str | None:
        """Return why the ledger must not be used to order, or ``None``. Raises LedgerError if none may be begun there.

        Without ``new_ledger``, a user's first one may.
        """
        here = self.here
        if self.history.closed is not None:
            return self.history.closed
        if not self.ledger.exists or (here is None and self.history.token is None):
            self._refuse_new(new_ledger)
        if here is not None and here.id != self.ledger.id:
            return self._refusal("is not the one that this user has seen there", [here])
        return self._refusal("went back in time", self.missing) if self.missing else None

    def _refuse_new(self, new_ledger: NewLedger | None) -> None:
        place, here = self.ledger.place, self.here
        what = f"Nothing was ever recorded in the ledger {place}"
        if not self.ledger.exists:
            what = f"There is no ledger at {place}"
        if here is not None:
            raise LedgerError(
                f"{what}, where this user has seen one. Nothing was sent.\n"
                f"It was there at {here.seen_at}. Without it, its orders would be placed again.\n"
                "Do not order anything until the ledger has been restored.",
                Advice(
                    "If ledger (or RESELLER_LEDGER) names the wrong place, correct it. Only if it had no orders, "
                    f"accept that it is gone:\n{self._accepting}",
                ),
            )
        if new_ledger == "refuse":
            why = ", and new_ledger is refuse"
        elif new_ledger is None and self.others and not self.is_accepted:
            more = f" (and {len(self.others) - 1} more)" if len(self.others) > 1 else ""
            why = f". This user has used another one: {self.others[0].address}{more}"
        else:
            return
        raise LedgerError(
            f"{what}{why}. Nothing was sent.\n"
            "A new ledger does not contain orders that are recorded elsewhere. They would be placed again.",
            Advice(
                "Restore the ledger, or correct ledger (or RESELLER_LEDGER). Only if this is to be a new ledger, set "
                "new_ledger to allow for one run: -e, or RESELLER_NEW_LEDGER=allow. In a job or pipeline, refuse is "
                "the default.",
            ),
        )

    def _refusal(self, what: str, missing: list[KnownLedger]) -> str:
        places = ["here" if known.address == self.ledger.address else f"at {known.address}" for known in missing]
        listed = ", and ".join(
            f"{where}, last at {known.seen_at}" for where, known in zip(places, missing, strict=True)
        )
        trial = "" if set(places) == {"here"} else "\nWhat was ordered with a copy, as a trial, was ordered, too."
        return (
            f"The ledger {self.ledger.place} {what}. Nothing was sent.\n"
            f"It lacks what this user has seen {listed}. {self._state}\n"
            "After a restored backup, a failover or a change of databases, orders are missing in it. They would be "
            f"placed again.{trial}\n"
            "Do not order anything until the ledger has been restored, or the contracts that the customer portal shows "
            "were adopted (reseller_record with state: present; reseller_reconcile lists them). Then accept it as it "
            f"is; --diff shows what that means:\n{self._accepting}"
        )

    def first(self) -> str | None:
        """Return the warning for a user who has never used a ledger there, or ``None``: it may be a copy."""
        if self.history.token is None or self.here is not None:
            return None
        return (
            f"This user has not seen the ledger {self.ledger.place} before, so nothing shows whether it is complete.\n"
            f"{self._state}\n"
            "If it is a backup or a copy, stop: orders placed since are missing in it, and would be placed again. "
            "Adopt them first (reseller_reconcile lists them)."
        )

    @property
    def _state(self) -> str:
        """When and where the ledger was last written, and what it holds."""
        history, orders = self.history, self.ledger.read(Transaction.count)
        return f"It was last written at {history.written_at} on {history.host}, with {orders} orders."

    @property
    def _accepting(self) -> str:
        """The line that accepts the ledger as it is."""
        title, options = "Accept the ledger as it is", {"state": "accepted"}
        return str(offer_by_hand(title, options, self.ledger.place, diff=True, module="reseller_ledger"))


class KnownLedgers:
    """The ledgers that this user has used, in files of this directory. ``None``: nothing can be remembered.

    A ledger is checked against what was known when this was made, before it was opened: another run may make it later.
    ``warn`` gets what cannot be remembered.
    """

    def __init__(self, folder: Path | None, warn: Callable[[str], object] = lambda _text: None) -> None:
        self._warn = warn
        self._place = folder and folder / "known_ledgers"
        #: The directory, which may be missing; ``None`` where it is, or would be, somebody else's.
        self._folder = self._place if self._place is not None and is_ours(self._place) else None
        entries: list[KnownLedger | None] = []
        if self._folder is not None and self._folder.is_dir():
            with contextlib.ExitStack() as held:
                # Whoever hangs must not have it forgotten.
                with contextlib.suppress(OSError):
                    held.enter_context(locked(self._folder))
                entries = [*map(_read, self._folder.iterdir())]
        #: By address.
        self.entries = {entry.address: entry for entry in entries if entry}

    @property
    def is_able(self) -> bool:
        """Return whether this user can remember ledgers, which is checked without writing."""
        folder = self._folder
        nearest = folder and next(path for path in (folder, *folder.parents) if path.exists())
        return nearest is not None and os.access(nearest, os.W_OK | os.X_OK)

    def check(self, ledger: Ledger) -> LedgerCheck:
        """Compare the ledger with what this user has seen before."""
        entry = self.entries.get(ledger.address)
        here = entry if entry and entry.id else None
        same = [known for known in self.entries.values() if known.id == ledger.id]
        history = ledger.history([known.token for known in same])
        missing = [known for known in same if known.token in history.lacks]
        others = [known for known in self.entries.values() if known != here and known.id and not known.trial]
        others.sort(key=lambda known: known.seen_at, reverse=True)
        return LedgerCheck(ledger, history, here, missing, others, is_accepted=entry is not None and here is None)

    def remember_changes(self, ledger: Ledger, warn: Callable[[str], None]) -> None:
        """Store each change that this run makes, before anything is sent. Warn of a ledger's first.

        Before each, the ledger is checked against what other runs have stored meanwhile.
        """

        def remembered() -> Token | None:
            folder = self._folder
            known = folder and _read(_path(folder, ledger.address))
            return known.token if known and known.id == ledger.id else None

        def changed() -> None:
            self.remember(ledger)
            if ledger.seen.token is not None and ledger.seen.token.number == 1:
                warn(
                    f"A new ledger was made: {ledger.place}.\n"
                    "Orders recorded elsewhere are missing in it, and would be placed again.\n"
                    "If there is an older ledger, stop, and set ledger (or RESELLER_LEDGER) to it."
                )

        ledger.on_change, ledger.remembered = changed, remembered

    def remember(self, ledger: Ledger) -> None:
        """Store what this run saw of the ledger, or warn that this is not possible."""
        if (known := _seen_now(ledger)) is not None:
            try:
                self.note(known)
            except OSError as error:
                self._warn_forgotten(ledger, error)

    def _warn_forgotten(self, ledger: Ledger, error: Exception) -> None:
        self._warn(
            f"The ledger {ledger.place} cannot be remembered: {error}, in {self._place} (XDG_STATE_HOME).\n"
            "So it is not noticed if the ledger is lost, replaced or restored from a backup."
        )

    def accept(self, ledger: Ledger, *, write: bool) -> tuple[bool, dict[str, Any], dict[str, Any]]:
        """Accept the ledger, or a missing one, as what this user saw last, and forget what it lacks of other addresses.

        Return whether that changes anything, and what was known before and is from then on.
        """
        check = self.check(ledger)
        history, before, current = check.history, self.entries.get(ledger.address), _seen_now(ledger)
        if before and not current:
            current = KnownLedger(ledger.address, "", Token("", 0), now(Clocks()), trial=True)
        elsewhere = [known.address for known in check.missing if known.address != ledger.address]
        changed = before != current or bool(elsewhere)
        if changed and write:
            try:
                with locked(self._folder) as folder:
                    for address in (*elsewhere, ledger.address):
                        _path(folder, address).unlink(missing_ok=True)
                    if current is not None:
                        _write(folder, current, is_new=True)
            except OSError as error:
                self._warn_forgotten(ledger, error)
        was = {"ledger": ledger.place, **_shown(before), "moved_to": history.moved_to}
        was |= {"incoming_from": history.incoming_from, "lacks_what_was_seen_at": elsewhere}
        shown = was | _shown(current) | {"moved_to": None, "incoming_from": None, "lacks_what_was_seen_at": []}
        return changed, was, shown | {"written_at": history.written_at, "orders": ledger.read(Transaction.count)}

    # The files

    def note(self, known: KnownLedger) -> None:
        """Store what was seen if it is later than what is known. If another ledger is known there, keep that.

        Raises OSError. Whoever hangs only has it lag.
        """
        with contextlib.suppress(TimeoutError), locked(self._folder) as folder:
            kept = _read(_path(folder, known.address))
            if kept is None or not kept.id:
                _write(folder, known, is_new=True)
            elif kept.id == known.id:
                is_later, trial = kept.token.number < known.token.number, kept.trial and known.trial
                if is_later or trial != kept.trial:
                    _write(folder, replace(known if is_later else kept, trial=trial), is_new=False)


@contextmanager
def locked(folder: Path | None) -> Iterator[Path]:
    """Give a directory of this user, which nobody else changes meanwhile.

    Raises OSError; TimeoutError when others hold it for too long.
    """
    if folder is None:
        raise PermissionError("there is no directory of this user alone")
    make_folders(folder)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    deadline = time.monotonic() + PATIENCE
    try:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if time.monotonic() >= deadline:
                raise TimeoutError(f"other processes have locked {folder}")
            time.sleep(_PAUSE)
        yield folder
    finally:
        os.close(descriptor)


def _path(folder: Path, address: str) -> Path:
    return folder / hashlib.sha256(address.encode()).hexdigest()[:32]


def _read(path: Path) -> KnownLedger | None:
    try:
        entry = json.loads(read_private(path, _LARGEST))
        return KnownLedger(**{**entry, "token": Token(**entry["token"])})
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _write(folder: Path, known: KnownLedger, *, is_new: bool) -> None:
    """Write what is known over what was, in one write: to rename a file in its place would take a flush of the disk.

    ``is_new``: there was nothing that can be read.
    """
    path, content = _path(folder, known.address), json.dumps(known, default=vars).encode()
    if is_new:
        path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb", buffering=0) as file:
        file.write(content.ljust(os.fstat(descriptor).st_size))
        if is_new:
            os.fsync(descriptor)
    if is_new:
        sync(folder)


def _seen_now(ledger: Ledger) -> KnownLedger | None:
    """Return what history() read of the ledger, or the last change of this run, ``None`` if there was no change."""
    trial, token = ledger.seen.real is None, ledger.seen.token
    return None if token is None else KnownLedger(ledger.address, ledger.id, token, now(Clocks()), trial)


def _shown(known: KnownLedger | None) -> dict[str, Any]:
    return {"id": known and (known.id or None), "seen_at": known and known.seen_at}
