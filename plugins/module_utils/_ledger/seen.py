# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stores which ledgers this user has used, to detect a ledger that went back in time or is another one.

A file of JSON holds, by a ledger's address, its id and the most claims that it was seen to count. What was seen since
is added in lines, which takes a fifth of the time of a new file. A line that a crash cut off does not count. The file
may lag, and never leads. What cannot be read or written is as if nothing had been seen.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .._core.errors import LedgerError
from .._core.files import is_ours, make_folders, read_private, replace_private
from .run_locks import folder_lock

FORMAT = 1
#: Seconds to wait for other runs that write the file at this moment.
PATIENCE = 2.0
_LARGEST = 4_000_000
#: A file that would become larger than this is written anew, in place of another line.
_LONG = 4096


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
        #: What the file held when it was in this state.
        self._known: tuple[_State | None, dict[str, Sight]] = (None, {})

    def of(self, address: str) -> Sight | None:
        """What was seen at this address."""
        return self._read().get(address)

    def most(self, ledger: str) -> int:
        """The most claims that the ledger of this id was seen to count, at whatever address."""
        return max((sight.counter for sight in self._read().values() if sight.id == ledger), default=0)

    def note(self, address: str, sight: Sight) -> None:
        """Store what was seen if it is more than before. If another ledger is stored, keep that."""
        if sight.is_more_than(self.of(address)):
            with contextlib.suppress(OSError, _Busy), self._held() as sights:
                if sight.is_more_than(sights.get(address)):
                    sights[address] = sight

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
        path = self._folder / "seen"
        try:
            state = _state_of(path.stat())
            if state != self._known[0]:
                self._known = (state, _sights(read_private(path, _LARGEST)[0]))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
            self._known = (None, {})
        return self._known[1]

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
            sights = dict(self._read())
            yield sights
            self._write(folder / "seen", sights)

    def _write(self, path: Path, sights: dict[str, Sight]) -> None:
        state, known = self._known
        new = {address: sight for address, sight in sights.items() if known.get(address) != sight}
        added = "".join(
            f"\n{json.dumps([address, sight.id, sight.counter])}" for address, sight in new.items()
        ).encode()
        if state is not None and known.keys() <= sights.keys() and state.size + len(added) <= _LONG:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
            with open(descriptor, "ab") as file:
                file.write(added)
        else:
            ledgers = {address: vars(sight) for address, sight in sights.items()}
            replace_private(path, json.dumps({"format": FORMAT, "ledgers": ledgers}))
        self._known = (_state_of(path.stat()), sights)


class _State(NamedTuple):
    """What changes with what a file holds."""

    inode: int
    size: int
    changed: int


def _state_of(found: os.stat_result) -> _State:
    return _State(found.st_ino, found.st_size, found.st_ctime_ns)


def _sights(content: bytes) -> dict[str, Sight]:
    """What a file holds, by address. Raises one of several errors for one that holds nothing of the kind."""
    first, *added = content.decode().split("\n")
    held = json.loads(first)
    if held["format"] != FORMAT:
        raise ValueError("it was written by another version")
    sights = {address: Sight(str(each["id"]), int(each["counter"])) for address, each in held["ledgers"].items()}
    for line in added:
        with contextlib.suppress(ValueError, TypeError, ArithmeticError, RecursionError):
            address, id_, counter = json.loads(line)
            sights[str(address)] = Sight(str(id_), int(counter))
    return sights


class _Busy(Exception):
    """Others have been writing the file for too long."""
