# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a PostgreSQL address: the location of the ledger, and the schema it is pinned to. Secrets stay inside."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from .._core.errors import LedgerError, MissingLibraryError


@dataclass(frozen=True)
class ServerLocation:
    """An address that was read: ``text`` as it was given, with its password.

    ``place`` is the address without its secrets, for messages, and ``server`` the part of it that does not depend on
    who connects: hosts, ports and database. ``is_pinned``: its server options set the search path, so that only one
    schema counts.
    """

    text: str = field(repr=False)
    place: str
    server: str
    parameters: dict[str, Any] = field(repr=False, compare=False)
    is_pinned: bool


def read_address(text: str) -> ServerLocation:
    """Read an address. Raises LedgerError when it is not valid, and MissingLibraryError without psycopg."""
    parameters = _parameters(text)
    hosts = str(parameters.get("host") or parameters.get("hostaddr") or "").split(",")
    ports = str(parameters.get("port") or "").split(",")
    ports += ports[-1:] * (len(hosts) - len(ports))
    user = f"{quote(str(parameters['user']), safe='')}@" if parameters.get("user") else ""
    servers = ",".join(_server(host, port) for host, port in zip(hosts, ports, strict=False))
    server = f"{servers}/{quote(str(parameters.get('dbname') or ''), safe='')}"
    options = str(parameters.get("options") or "")
    pinned = re.search(r"search[_-]path\s*=", options) is not None
    place = f"postgresql://{user}{server}" + (f"?options={quote(options, safe='')}" if pinned else "")
    return ServerLocation(text, place, server, parameters, pinned)


def _parameters(text: str) -> dict[str, Any]:
    try:
        # Measured: psycopg takes 60 ms to import.
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingLibraryError("psycopg[binary]", "for a ledger in PostgreSQL", str(error)) from error
    parameters: dict[str, Any] | None
    try:
        parameters = conninfo_to_dict(text)
    except (psycopg.ProgrammingError, UnicodeDecodeError):
        parameters = None
    # An unencoded / makes a part of the password pass for a port and a database, an unencoded @ for a host.
    before, _slash, behind = text.partition("://")[2].partition("/")
    misread = before.count("@") > 1 or "@" in behind or re.search(r"\s", text)
    if parameters is None or misread or re.fullmatch(r"[\d,]*", str(parameters.get("port") or "")) is None:
        # The parser's own message quotes what it stumbled over, which can be a part of the password.
        raise LedgerError(
            "The option ledger is not a valid PostgreSQL address.\n"
            "Write it as postgresql://user:password@host:port/database. In the password, percent-encode all characters "
            "other than letters, digits and - . _ ~ (@ is %40, / is %2F)."
        )
    return parameters


def _server(host: str, port: str) -> str:
    name = f"[{host}]" if ":" in host else quote(host, safe="")
    return f"{name}:{port}" if port else name
