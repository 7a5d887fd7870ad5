# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where ledgers and caches are, and how a ledger is opened. What a ledger promises is in contract.py."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ansible_collections.hosting.reseller.plugins.module_utils._errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.absent import AbsentLedger
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.contract import Ledger

_FOLDER = "hosting.reseller"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/+")
#: Addresses of PostgreSQL that are not in its form. Taken for paths, they would make files named after a password.
_KEYWORDS = re.compile(r"(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=")
_BARE = re.compile(r"[^/]*:[^/]*@")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_ISOLATED = "AWX_ISOLATED_DATA_DIR"


def open_ledger(address: str | None, *, environ: Mapping[str, str], writing: bool) -> Ledger:
    """Open the ledger at a path or a ``postgresql://`` address; ``None`` or an empty string: at default_path().

    ``writing`` makes what is missing, or migrates it. Otherwise nothing is made, and what is missing reads as empty.

    Raises:
        LedgerError: it cannot be opened, or would not outlast this job.
        MissingLibraryError: psycopg is needed and not there.
    """
    if address and _is_postgresql(address):
        from ansible_collections.hosting.reseller.plugins.module_utils._ledger.postgresql import (
            describe,
            open_postgresql,
        )

        return open_postgresql(address, writing=writing) or AbsentLedger(describe(address)[0])
    if writing and (reason := _forgetting(address, environ)):
        raise LedgerError(reason)
    from ansible_collections.hosting.reseller.plugins.module_utils._ledger.sqlite import open_sqlite

    path = _path(address, environ)
    return open_sqlite(path, str(path), writing=writing) or AbsentLedger(str(path))


def hindrance(address: str | None, *, environ: Mapping[str, str]) -> str | None:
    """Why nobody could write to the ledger at this address, as far as that shows without writing; ``None``: no reason.

    Of a PostgreSQL server nothing shows. Raises LedgerError where ``open_ledger`` would for reading.
    """
    if address and _is_postgresql(address):
        return None
    from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite

    path = _path(address, environ)
    return _forgetting(address, environ) or sqlite.hindrance(path, str(path))


def relative(address: str | None, *, environ: Mapping[str, str]) -> str | None:
    """What is to be told of a path that depends on the folder of the playbook; ``None``: this one does not."""
    if not address or _is_postgresql(address) or _written(address, environ).is_absolute():
        return None
    return (
        f"The path of the ledger is relative, and was taken as {_path(address, environ)}: a playbook in another folder "
        "has another ledger, and would order again what this one has ordered. Give the option ledger an absolute path."
    )


def preload(address: str | None) -> None:
    """Import what opening the ledger at this address would import."""
    if address and _is_postgresql(address):
        from ansible_collections.hosting.reseller.plugins.module_utils._ledger import postgresql  # noqa: F401
    else:
        from ansible_collections.hosting.reseller.plugins.module_utils._ledger import sqlite  # noqa: F401


def default_path(environ: Mapping[str, str]) -> Path:
    """``$XDG_STATE_HOME/hosting.reseller/ledger.db``; ``~/.local/state`` where that is no absolute path."""
    return _base("XDG_STATE_HOME", ".local/state", environ) / _FOLDER / "ledger.db"


def cache_folder(address: str | None, environ: Mapping[str, str]) -> Path:
    """Where caches belong: next to a ledger in a file, else in ``$XDG_CACHE_HOME/hosting.reseller`` (``~/.cache``)."""
    if address and _is_postgresql(address):
        return _base("XDG_CACHE_HOME", ".cache", environ) / _FOLDER
    return _path(address, environ).parent / "cache"


def _forgetting(address: str | None, environ: Mapping[str, str]) -> str | None:
    if address or not environ.get(_ISOLATED):
        return None
    return (
        f"Refuse to forget: this job runs in an execution environment ({_ISOLATED} is set), and every file in "
        "it vanishes with the job. The next job would not know what this one ordered, and would order it again. "
        "Set the option ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database), "
        "or to a path on a volume that is mounted into the environment and kept."
    )


def _is_postgresql(address: str) -> bool:
    return address.startswith(("postgresql://", "postgres://"))


def _path(address: str | None, environ: Mapping[str, str]) -> Path:
    return _written(address, environ).absolute() if address else default_path(environ)


def _written(address: str, environ: Mapping[str, str]) -> Path:
    """The path that was written, which may be relative. Raises LedgerError where something else was meant."""
    if address != address.strip() or address[0] in "\"'":
        raise LedgerError(
            "The option ledger begins or ends with white space or a quotation mark, and would name another ledger than "
            "without it. Leave it out, also in a file that sets RESELLER_LEDGER."
        )
    if _KEYWORDS.match(address):
        raise LedgerError(
            "The option ledger holds an address in libpq's keywords (host=…), which is not understood. Give it as "
            "postgresql://user@host/database, or give the path of a file."
        )
    scheme = _SCHEME.match(address)
    if scheme:
        raise LedgerError(
            f"A ledger cannot be at an address that starts with {scheme[0]} - give the option ledger the path of a "
            "file, or a PostgreSQL address that starts with postgresql://."
        )
    if _BARE.match(address):
        raise LedgerError(
            "The option ledger reads like an address of PostgreSQL without its beginning. Give it as "
            "postgresql://user@host/database; a path of a file with : and @ in it begins with ./ or /."
        )
    return _expanded(_VARIABLE.sub(lambda variable: _value(variable, environ), address), environ)


def _value(variable: re.Match[str], environ: Mapping[str, str]) -> str:
    value = environ.get(variable[1] or variable[2])
    if not value:
        raise LedgerError(
            f"The option ledger names the variable {variable[0]}, which is not set. Set it, or write its value."
        )
    return value


def _base(variable: str, fallback: str, environ: Mapping[str, str]) -> Path:
    base = _expanded(environ.get(variable) or "", environ)
    # The XDG specification has relative paths ignored.
    return base if base.is_absolute() else _expanded(f"~/{fallback}", environ)


def _expanded(path: str, environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return Path(home) / path[2:]
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise LedgerError(
            f"The home folder in {path} is not known ({error}). Set HOME, or give the option ledger an absolute path."
        ) from error


__all__ = ["cache_folder", "default_path", "hindrance", "open_ledger", "preload", "relative"]
