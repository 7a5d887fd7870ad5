# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens a ledger. store.py says what a ledger guarantees, and locations.py where it is."""

from __future__ import annotations

from . import sqlite_files
from .locations import FileLocation, Location
from .mounts import why_forgotten
from .store import BeforeMaking, Ledger


def _nothing(address: str, place: str) -> None:
    """What is done before a ledger is made, by default."""


def open_ledger(location: Location, *, writing: bool, before_making: BeforeMaking = _nothing) -> Ledger:
    """Open the ledger at this location.

    ``writing`` makes what is missing. Otherwise nothing is made, and what is missing reads as empty. Raises LedgerError
    when it cannot be opened.
    """
    if isinstance(location, FileLocation):
        return sqlite_files.open_sqlite(location, writing=writing, before_making=before_making)
    # Measured: psycopg takes 60 ms to import.
    from .postgresql import open_postgresql

    return open_postgresql(location, writing=writing, before_making=before_making)


def why_refused(location: Location, *, writing: bool) -> str | None:
    """Why no order may rely on a ledger at this location, checked without writing, or ``None``.

    It would not outlive this job or container or, with ``writing``, this user cannot write to it. Raises LedgerError
    where open_ledger() would for reading.
    """
    if isinstance(location, FileLocation):
        return why_forgotten(location) or (sqlite_files.why_not_writable(location) if writing else None)
    if not writing:
        return None
    from . import postgresql

    return postgresql.why_refused_writing(location)
