# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens a ledger. ledger.py defines what a ledger guarantees, and places.py where it is."""

from __future__ import annotations

from collections.abc import Mapping

from . import sqlite
from .locations import is_postgresql, path_of
from .mounts import forgetting
from .store import BeforeMaking, Ledger


def _nothing(address: str, place: str) -> None:
    """What is done before a ledger is made, by default."""


def open_ledger(
    address: str | None,
    *,
    environ: Mapping[str, str],
    writing: bool,
    before_making: BeforeMaking = _nothing,
    shared: bool = False,
) -> Ledger:
    """Open the ledger at a path or a ``postgresql://`` address; ``None`` or an empty string: at default_path().

    ``writing`` makes what is missing. Otherwise nothing is made, and what is missing reads as empty.
    ``shared``: a file may be written by other users on purpose.

    Raises:
        LedgerError: it cannot be opened.
        MissingLibraryError: psycopg is needed and not there.
    """
    if address and is_postgresql(address):
        # Measured: psycopg takes 60 ms to import.
        from .postgresql import open_postgresql

        return open_postgresql(address, writing=writing, before_making=before_making)
    path = path_of(address, environ)
    return sqlite.open_sqlite(path, str(path), writing=writing, before_making=before_making, shared=shared)


def unfit(address: str | None, *, environ: Mapping[str, str], is_kept: bool = False) -> str | None:
    """Why a ledger at this address would not outlive this job or container, or ``None``.

    ``is_kept``: the user says that a file outlives the job. Raises LedgerError where ``open_ledger`` would.
    """
    if address and is_postgresql(address):
        return None
    return forgetting(path_of(address, environ), environ, by_default=not address, is_kept=is_kept)


def hindrance(address: str | None, *, environ: Mapping[str, str], shared: bool = False) -> str | None:
    """Return why the ledger at this address is not writable, checked without writing, or ``None``.

    Raises LedgerError where ``open_ledger`` would for reading.
    """
    if address and is_postgresql(address):
        from . import postgresql

        return postgresql.hindrance(address)
    path = path_of(address, environ)
    return sqlite.hindrance(path, str(path), shared=shared)


def preload(address: str | None) -> None:
    """Import what opening the ledger at this address needs beyond this module."""
    if address and is_postgresql(address):
        from . import postgresql  # noqa: F401
