# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which ledgers this user has used, and how far each had come: proof that a ledger lacks nothing.

For each address, a small file holds the ID of the ledger there, and the last token that this user left or saw there. A
ledger must contain those of all addresses of its ID. The file's name has digests of both, so that a task reads the few
files that are about its ledger, however many there are. So a restored backup, a failover and a failback are noticed
however much was ordered since, and so is a copy that was used beside its original, also where the run died that ordered
last: each claim is stored here before its order is sent. The file may lag, and never leads. What cannot be read or
written is as if nothing had been seen: a restored home, a new user and a new machine notice nothing.

Where nothing says so, a ledger is made only for a user who has used none: a mistyped location would order again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .._core.errors import Advice, LedgerError, message_of
from .._core.files import is_ours, make_folders, read_private, sync
from .ledger_errors import why_closed
from .order_records import History, Token
from .rows import now
from .run_locks import folder_lock
from .settling import offer_by_hand
from .store import Ledger

NewLedger = Literal["allow", "refuse"]

#: Seconds to wait for other runs that write at this moment.
PATIENCE = 2.0
_LARGEST = 100_000


@dataclass(frozen=True)
class KnownLedger:
    """The ledger that was at an address: its ID, its last token that was seen, and when.

    ``trial``: it was used only with a service on this machine. ``None``: the task did not say with which one.
    """

    address: str
    id: str
    token: Token
    seen_at: str = field(compare=False)
    trial: bool | None = field(default=None, compare=False)


class Sight(NamedTuple):
    """What a user had seen before this ledger was opened: at its address, and of it anywhere that it lacks.

    ``others`` are the ledgers at other addresses, the last used first, without trials: if this one is missing.
    """

    ledger: Ledger
    history: History
    here: KnownLedger | None
    missing: list[KnownLedger]
    others: list[KnownLedger]
    trial: bool | None = None

    @property
    def is_news(self) -> bool:
        """Whether there is more to remember."""
        is_real = self.here is not None and self.here.trial and self.trial is False
        return is_real or self.here != _known(self.ledger, self.trial)

    @property
    def closed(self) -> str | None:
        """Why nothing may be written to the ledger, because it is moved, or ``None``."""
        return why_closed(self.ledger.place, self.history.moved_to, self.history.incoming_from)

    def why_not_for_orders(self, new_ledger: NewLedger | None = "allow") -> str | None:
        """Why the ledger must not be used to order, or ``None``. Raises LedgerError if none may be begun there.

        Without ``new_ledger``, a user's first one may.
        """
        ledger, here = self.ledger, self.here
        if not ledger.exists:
            self._refuse_new(f"There is no ledger at {ledger.place}", here, new_ledger)
        if self.closed is not None:
            return self.closed
        if here is None and self.history.token is None:
            self._refuse_new(f"Nothing was ever recorded in the ledger {ledger.place}", None, new_ledger)
        if here is not None and here.id != ledger.id:
            return _refusal(ledger, "is not the one that this user has seen there", [here])
        return _refusal(ledger, "went back in time", self.missing) if self.missing else None

    def _refuse_new(self, what: str, known: KnownLedger | None, new_ledger: NewLedger | None) -> None:
        if known is not None:
            raise LedgerError(
                f"{what}, where this user has seen one. Nothing was sent.\n"
                f"It was there at {known.seen_at}. Without it, its orders would be placed again.\n"
                "Do not order anything until the ledger has been restored.",
                Advice(
                    "If ledger (or RESELLER_LEDGER) names the wrong place, correct it. Only if it had no orders, "
                    f"accept that it is gone:\n{_accepting(self.ledger.place)}",
                ),
            )
        if new_ledger == "refuse":
            raise LedgerError(
                f"{what}, and new_ledger is refuse. Nothing was sent.\n"
                "A new ledger does not contain orders that are recorded elsewhere. They would be placed again.",
                Advice(
                    "Restore the ledger, or correct ledger (or RESELLER_LEDGER). For a first run, set new_ledger to "
                    "allow for that run: -e, or RESELLER_NEW_LEDGER=allow. In a job, refuse is the default.",
                ),
            )

        if new_ledger is None and self.others:
            last, more = self.others[0], len(self.others) - 1
            counted = f" (and {more} more)" if more else ""
            raise LedgerError(
                f"{what}. This user has used another one: {last.address}{counted}. Nothing was sent.\n"
                f"That one was last used at {last.seen_at}. A new ledger does not contain its orders, which would be "
                "placed again.",
                Advice(
                    "Correct ledger (or RESELLER_LEDGER). Only if this is to be another ledger, set new_ledger to "
                    "allow for one run: -e, or RESELLER_NEW_LEDGER=allow."
                ),
            )

    def first(self) -> str | None:
        """What to tell a user who has never used a ledger there, or ``None``: it may be a backup or a copy."""
        ledger = self.ledger
        if self.history.token is None or self.here is not None:
            return None
        unseen = (
            f"This user has not seen the ledger {ledger.place} before, so nothing shows whether it is complete.\n"
            f"It was {_state(ledger)}."
        )
        copied = (
            "If it is a backup or a copy, stop: orders placed since are missing in it, and would be placed again. "
            "Adopt them first (reseller_reconcile lists them)."
        )
        return message_of((unseen, Advice(copied)))


class KnownLedgers:
    """The ledgers that this user has used, in files of this directory. ``None``: nothing can be remembered.

    A ledger is checked against what was known when this was made, before it was opened: another run may make it later.
    ``trial`` is that of KnownLedger for this task. ``warn`` is told what cannot be remembered.
    """

    def __init__(
        self, folder: Path | None, trial: bool | None = None, warn: Callable[[str], object] = lambda _text: None
    ) -> None:
        self._folder = folder and folder / "known_ledgers"
        self._trial, self._warn = trial, warn
        self._names: list[str] = []
        if self._folder is not None and is_ours(self._folder):
            with contextlib.suppress(OSError):
                self._names = os.listdir(self._folder)

    def look_at(self, ledger: Ledger) -> Sight:
        """What this user has seen before, and how far the ledger has come since."""
        seen = self.seen(ledger.address, ledger.id)
        history = ledger.history([each.token for each in seen])
        here = next((each for each in seen if each.address == ledger.address), None)
        missing = [each for each in seen if each.id == ledger.id and each.token in history.lacks]
        others = self._others(ledger) if history.token is None else []
        return Sight(ledger, history, here, missing, others, self._trial)

    def _others(self, ledger: Ledger) -> list[KnownLedger]:
        found = [_read(self._folder / name) for name in self._names] if self._folder else []
        used = [each for each in found if each and each.address != ledger.address and not each.trial]
        return sorted(used, key=lambda each: each.seen_at, reverse=True)

    def unable(self) -> str | None:
        """Why nothing can be remembered, checked without writing, or ``None``."""
        folder = self._folder
        if folder is None:
            return "the home directory of this user is not known"
        if not is_ours(folder):
            return "it is not a directory of this user alone"
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        return None if os.access(nearest, os.W_OK | os.X_OK) else "it cannot be written"

    def warn_unable(self, ledger: Ledger, why: str) -> None:
        """Warn that nothing is remembered of a ledger."""
        self._warn(
            f"The ledger {ledger.place} cannot be remembered: {why}, in {self._folder} (XDG_STATE_HOME).\n"
            "So it is not noticed if the ledger is lost, replaced or restored from a backup."
        )

    def seen(self, address: str, ledger_id: str) -> list[KnownLedger]:
        """What was seen at this address, and of this ledger anywhere."""
        parts = f"{_digest(address)}-", f"-{_digest(ledger_id)}"
        names = [name for name in self._names if any(part in name for part in parts)]
        if self._folder is None or not names:
            return []
        with contextlib.ExitStack() as held:
            # Whoever hangs must not have it forgotten.
            with contextlib.suppress(LedgerError, OSError):
                held.enter_context(folder_lock(self._folder, PATIENCE))
            return [*filter(None, (_read(self._folder / name) for name in names))]

    def remember_changes(self, ledger: Ledger, warn: Callable[[str], None]) -> None:
        """Store each change that this run makes, before anything is sent. Warn of a ledger's first."""

        def changed() -> None:
            self.remember(ledger)
            if ledger.token is not None and ledger.token.number == 1:
                made = f"A new ledger was made: {ledger.place}."
                risk = "Orders recorded elsewhere are missing in it, and would be placed again."
                older = "If there is an older ledger, stop, and set ledger (or RESELLER_LEDGER) to it."
                warn(message_of((made, risk, Advice(older))))

        ledger.on_change = changed

    def remember(self, ledger: Ledger) -> None:
        """Store what this run saw of the ledger."""
        if (known := _known(ledger, self._trial)) is not None:
            try:
                self.note(known)
            except OSError as error:
                if self.unable() is None:
                    self.warn_unable(ledger, str(error))

    def accept(
        self, ledger: Ledger, warn: Callable[[str], None], *, write: bool
    ) -> tuple[bool, dict[str, Any], dict[str, Any]]:
        """Accept the ledger, or a missing one, as what this user saw last, and forget what it lacks of other addresses.

        Whether that changes anything, and what was known before and is from then on.
        """
        sight = self.look_at(ledger)
        history, before, current = sight.history, sight.here, _known(ledger, self._trial)
        elsewhere = [known for known in sight.missing if known.address != ledger.address]
        changed = before != current or bool(elsewhere)
        if changed and write:
            try:
                with self._locked() as folder:
                    for known in (*elsewhere, *([before] if before is not None else [])):
                        _path(folder, known).unlink(missing_ok=True)
                    if current is not None:
                        _write(folder, current, is_new=True)
            except (OSError, LedgerError) as error:
                warn(
                    f"What was accepted cannot be remembered: {error}.\n"
                    f"Ledgers are remembered in {self._folder} (XDG_STATE_HOME), which this user must be able to write."
                )
        was = {"ledger": ledger.place, **_shown(before), "moved_to": history.moved_to}
        was |= {"incoming_from": history.incoming_from, "lacks_what_was_seen_at": [each.address for each in elsewhere]}
        shown = was | _shown(current) | {"moved_to": None, "incoming_from": None, "lacks_what_was_seen_at": []}
        count, newest = ledger.newest_order()
        return changed, was, shown | {"written_at": history.written_at, "orders": count, "newest": newest}

    # The files

    def note(self, known: KnownLedger) -> None:
        """Store what was seen if it is later than what is known. If another ledger is known there, keep that.

        Raises OSError. Whoever hangs only has it lag.
        """
        with contextlib.suppress(LedgerError), self._locked() as folder:
            kept = _read(_path(folder, known)) or _at(folder, known.address)
            if kept is None:
                _write(folder, known, is_new=True)
                return
            trial = kept.trial if known.trial is None else bool(kept.trial and known.trial)
            is_later = kept.token.number < known.token.number
            if kept.id == known.id and (is_later or trial != kept.trial):
                _write(folder, replace(known if is_later else kept, trial=trial), is_new=False)

    @contextmanager
    def _locked(self) -> Iterator[Path]:
        """The directory, which nobody else changes meanwhile."""
        folder = self._folder
        if folder is None or not is_ours(folder):
            raise PermissionError(self.unable())
        make_folders(folder)
        with folder_lock(folder, PATIENCE):
            yield folder


def _path(folder: Path, known: KnownLedger) -> Path:
    return folder / f"{_digest(known.address)}-{_digest(known.id)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _read(path: Path) -> KnownLedger | None:
    try:
        entry = json.loads(read_private(path, _LARGEST)[0])
        return KnownLedger(**{**entry, "token": Token(**entry["token"])})
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _at(folder: Path, address: str) -> KnownLedger | None:
    """What is known at this address, whatever ledger it is."""
    return next(filter(None, map(_read, folder.glob(f"{_digest(address)}-*"))), None)


def _write(folder: Path, known: KnownLedger, *, is_new: bool) -> None:
    """Write what is known over what was, in one write: to rename a file in its place would take a flush of the disk.

    ``is_new``: there was nothing that can be read.
    """
    path, content = _path(folder, known), json.dumps(known, default=vars).encode()
    if is_new:
        path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb", buffering=0) as file:
        file.write(content.ljust(os.fstat(descriptor).st_size))
        if is_new:
            os.fsync(descriptor)
    if is_new:
        sync(folder)


def _refusal(ledger: Ledger, what: str, missing: list[KnownLedger]) -> str:
    places = ["here" if known.address == ledger.address else f"at {known.address}" for known in missing]
    listed = ", and ".join(f"{where}, last at {known.seen_at}" for where, known in zip(places, missing, strict=True))
    trial = "" if set(places) == {"here"} else "\nWhat was ordered with a copy, as a trial, was ordered, too."
    lacking = (
        f"The ledger {ledger.place} {what}. Nothing was sent.\n"
        f"It lacks what this user has seen {listed}. It was {_state(ledger)}.\n"
        "After a restored backup, a failover or a change of databases, orders are missing in it. They would be "
        f"placed again.{trial}"
    )
    restored = (
        "Do not order anything until the ledger has been restored, or the contracts that the customer portal shows "
        "were adopted (reseller_record with state: present; reseller_reconcile lists them). Then accept it as it is; "
        f"--diff shows what that means:\n{_accepting(ledger.place)}"
    )
    return message_of((lacking, Advice(restored)))


def _state(ledger: Ledger) -> str:
    """When and where a ledger was last written, and what it holds."""
    history, (count, newest) = ledger.history(), ledger.newest_order()
    which = f", the newest is {newest}" if newest else ""
    return f"last written at {history.written_at} on {history.host}, with {count} orders{which}"


def _known(ledger: Ledger, trial: bool | None) -> KnownLedger | None:
    """What history() told of the ledger, or the last change of this run. A new one has nothing to be remembered by."""
    return None if ledger.token is None else KnownLedger(ledger.address, ledger.id, ledger.token, now(), trial)


def _shown(known: KnownLedger | None) -> dict[str, Any]:
    return {
        "id": known and known.id,
        "seen_at": known and known.seen_at,
        "last_run": known and known.token.run_id,
    }


def _accepting(place: str) -> str:
    """What accepts the ledger at this place as it is."""
    return str(
        offer_by_hand("Accept the ledger as it is", {"state": "accepted"}, place, diff=True, module="reseller_ledger")
    )
