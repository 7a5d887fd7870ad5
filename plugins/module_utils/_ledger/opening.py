# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a ledger is opened. What a ledger promises is in ledger.py, where it is in places.py."""

from __future__ import annotations

from collections.abc import Mapping

from .._core.errors import LedgerError
from .ledger import BeforeMaking, Ledger
from .places import is_postgresql, path_of

_ISOLATED = "AWX_ISOLATED_DATA_DIR"


def _nothing(address: str, place: str) -> None:
    """What is done before a ledger is made, by default."""


def open_ledger(
    address: str | None, *, environ: Mapping[str, str], writing: bool, before_making: BeforeMaking = _nothing
) -> Ledger:
    """Open the ledger at a path or a ``postgresql://`` address; ``None`` or an empty string: at default_path().

    ``writing`` makes what is missing, or migrates it. Otherwise nothing is made, and what is missing reads as empty.

    Raises:
        LedgerError: it cannot be opened, or would not outlast this job.
        MissingLibraryError: psycopg is needed and not there.
    """
    if address and is_postgresql(address):
        from .postgresql import open_postgresql

        return open_postgresql(address, writing=writing, before_making=before_making)
    if writing and (reason := _forgetting(address, environ)):
        raise LedgerError(reason)
    from .sqlite import open_sqlite

    path = path_of(address, environ)
    return open_sqlite(path, str(path), writing=writing, before_making=before_making)


def hindrance(address: str | None, *, environ: Mapping[str, str]) -> str | None:
    """Why nobody could write to the ledger at this address, as far as that shows without writing; ``None``: no reason.

    Raises LedgerError where ``open_ledger`` would for reading.
    """
    if address and is_postgresql(address):
        from . import postgresql

        return postgresql.hindrance(address)
    from . import sqlite

    path = path_of(address, environ)
    return _forgetting(address, environ) or sqlite.hindrance(path, str(path))


def preload(address: str | None) -> None:
    """Import what opening the ledger at this address would import."""
    if address and is_postgresql(address):
        from . import postgresql  # noqa: F401
    else:
        from . import sqlite  # noqa: F401


def _forgetting(address: str | None, environ: Mapping[str, str]) -> str | None:
    if address or not environ.get(_ISOLATED):
        return None
    return (
        f"Refuse to forget: this job runs in an execution environment ({_ISOLATED} is set), and every file in "
        "it vanishes with the job. The next job would not know what this one ordered, and would order it again. "
        "Set the option ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database), "
        "or to a path on a volume that is mounted into the environment and kept."
    )


__all__ = ["hindrance", "open_ledger", "preload"]
