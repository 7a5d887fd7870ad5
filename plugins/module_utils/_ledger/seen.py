# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stores which ledgers this user has used, to detect a ledger that went back in time or is another one.

A file of JSON holds, by a ledger's address, its id and the most claims that it was seen to count. It may lag, and never
leads. What cannot be read or written is as if nothing had been seen.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._core.errors import LedgerError
from .._core.files import is_ours, make_folders, make_private, read_private
from .files import folder_lock

FORMAT = 1
#: Seconds to wait for other runs that write the file at this moment.
PATIENCE = 2.0
_LARGEST = 4_000_000


@dataclass(frozen=True)
class Sight:
    """Which ledger was seen, and its number of claims."""

    id: str
    counter: int

    def is_more_than(self, kept: Sight | None) -> bool:
        """Whether it is a later state of the ledger that was seen before, or the first one."""
        return kept is None or (kept.id == self.id and kept.counter < self.counter)


class Seen:
    """The ledgers that this user saw, in the file ``seen`` of a directory. ``None`` without a directory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        #: What is kept at least, as far as this run has read or written it.
        self._kept: dict[str, Sight] = {}

    def of(self, address: str) -> Sight | None:
        """What was seen at this address."""
        return self._read().get(address)

    def most(self, ledger: str) -> int:
        """The most claims that the ledger of this id was seen to count, at whatever address."""
        return max((sight.counter for sight in self._read().values() if sight.id == ledger), default=0)

    def note(self, address: str, sight: Sight) -> None:
        """Store what was seen if it is more than before. If another ledger is stored, keep that."""
        kept = self._kept.get(address) or self.of(address)
        if sight.is_more_than(kept):
            with contextlib.suppress(OSError, _Busy), self._held() as sights:
                if sight.is_more_than(sights.get(address)):
                    sights[address] = sight
                kept = sights[address]
        if kept is not None:
            self._kept[address] = kept

    def accept(self, address: str, sight: Sight | None) -> None:
        """Store this instead of what was seen. ``None`` removes it. Raises LedgerError.

        What was seen of the same ledger at other addresses is dropped if it was more.
        """
        try:
            with self._held() as sights:
                sights.pop(address, None)
                if sight is not None:
                    for other, kept in [*sights.items()]:
                        if kept.id == sight.id and kept.counter > sight.counter:
                            del sights[other]
                    sights[address] = sight
        except (OSError, _Busy) as error:
            raise LedgerError(
                f"The state of the ledger cannot be recorded: {error}.\n"
                f"It is kept in {self._folder} (XDG_STATE_HOME). Make that directory writable for this user."
            ) from error

    def _read(self) -> dict[str, Sight]:
        if self._folder is None:
            return {}
        try:
            held = json.loads(read_private(self._folder / "seen", _LARGEST)[0])
            if held["format"] != FORMAT:
                return {}
            return {address: Sight(str(each["id"]), int(each["counter"])) for address, each in held["ledgers"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
            return {}

    @contextmanager
    def _held(self) -> Iterator[dict[str, Sight]]:
        """What is kept, to be changed: nobody else changes it meanwhile, and readers see the old or the new."""
        folder = self._folder
        if folder is None or not is_ours(folder):
            raise PermissionError("the directory belongs to another user")
        make_folders(folder)
        deadline = time.monotonic() + PATIENCE
        with contextlib.ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(folder_lock(folder, waiting=False))
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise _Busy("other runs are writing it") from None
                    time.sleep(0.01)
            sights = self._read()
            yield sights
            ledgers: dict[str, Any] = {address: vars(sight) for address, sight in sights.items()}
            new = folder / "seen.new"
            make_private(new, json.dumps({"format": FORMAT, "ledgers": ledgers}).encode())
            new.replace(folder / "seen")


class _Busy(Exception):
    """Others have been writing the file for too long."""


__all__ = ["Seen", "Sight"]
