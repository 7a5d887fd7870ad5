# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the ledger at a location, in whichever database that is."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .._core.clocks import Clocks
from .._core.errors import LedgerError
from .._core.files import make_folders
from .._ledger.database import Actor, Database, Mode, Run
from .._ledger.sqlite import SqliteDatabase, explained
from .._ledger.store import Ledger
from .locations import FileLocation, Location, why_refused


def open_ledger(location: Location, mode: Mode, actor: Actor | None = None, clocks: Clocks | None = None) -> Ledger:
    """Open the ledger at this location, which reads as empty if it is missing. Its first change makes it.

    ``actor`` is who does what this run does. Raises LedgerError, also where nothing may be ordered with a ledger there.
    """
    by = Run(uuid.uuid4().hex, actor or Actor(), clocks or Clocks())
    opening: Callable[..., Database]
    if isinstance(location, FileLocation):
        opening = partial(_open_file, location, by, mode)
    else:
        # Measured: psycopg takes 60 ms to import.
        from .._ledger.postgresql import PostgresqlDatabase

        opening = partial(PostgresqlDatabase, location.text, location.place, location.address, by, mode)
    return Ledger(opening, mode)


def _open_file(location: FileLocation, by: Run, mode: Mode, *, making: bool = False) -> Database:
    path, place = Path(os.path.realpath(location.path)), location.place
    with explained(place, "made" if making else "opened"):
        _refuse(location, path, mode)
        if making:
            make_folders(path.parent)
            # Another user may have made one of the directories meanwhile.
            _refuse(location, path, mode)
    return SqliteDatabase(path, place, by, mode, making=making)


def _refuse(location: FileLocation, path: Path, mode: Mode) -> None:
    if reason := why_refused(location, path, writing=mode != "read"):
        raise LedgerError(reason)
