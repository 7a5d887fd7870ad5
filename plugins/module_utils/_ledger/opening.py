# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens a ledger. store.py says what a ledger guarantees, and locations.py where it is."""

from __future__ import annotations

import uuid

from .database import Database, Mode
from .locations import FileLocation, Location
from .sqlite_files import open_sqlite
from .store import Ledger


def open_ledger(location: Location, mode: Mode) -> Ledger:
    """Open the ledger at this location, which reads as empty if it is missing. Its first change makes it.

    Raises LedgerError.
    """
    run_id = uuid.uuid4().hex
    if isinstance(location, FileLocation):
        database: Database = open_sqlite(location, run_id, mode)
    else:
        # Measured: psycopg takes 60 ms to import.
        from .postgresql import open_postgresql

        database = open_postgresql(location, run_id, writing=mode == "write")
    return Ledger(database, mode)
