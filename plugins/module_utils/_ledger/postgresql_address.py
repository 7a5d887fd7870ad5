# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a PostgreSQL address into what may be shown of it and what may not. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from .._core.advice import Advice
from .._core.errors import LedgerError

#: What libpq reads in the same way: an unencoded / would make a part of the password pass for a port and a database, an
#: unencoded @ for a host.
_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^\s:@/?]*)(?::(?P<password>[^\s@/?]*))?@)?"
    r"(?P<servers>[^\s@/?]*)(?:/(?P<dbname>[^\s@/?]*))?(?:\?(?P<query>[^\s@]*))?"
)
_SERVER = re.compile(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?")
_BROKEN_CODE = re.compile(r"%(?!(?!00)[\da-fA-F]{2})")


@dataclass(frozen=True)
class ServerLocation:
    """An address that was read: ``text`` as it was given, with its password.

    ``place`` is the address without its secrets, for messages, and ``address`` the part of it that does not depend on
    who connects: hosts, ports, database and search path. ``given`` are the names of libpq's parameters in it.
    """

    text: str = field(repr=False)
    place: str
    address: str
    given: frozenset[str]


def read_address(text: str) -> ServerLocation:
    """Read an address. Raises LedgerError when it is not valid, with nothing of it: that could be of the password."""
    found = _ADDRESS.fullmatch(text)
    servers = [_SERVER.fullmatch(server) for server in found["servers"].split(",")] if found else []
    if found is None or None in servers or _BROKEN_CODE.search(text):
        raise LedgerError(
            "The location of the ledger is not a valid PostgreSQL address.\n"
            "A valid one is postgresql://user:password@host:port/database. In the password, all characters other than "
            "letters, digits and - . _ ~ are percent-encoded (@ is %40, / is %2F).",
            Advice("ledger", "Correct the option ledger (or RESELLER_LEDGER)."),
        )
    written = {name: found[name] for name in ("user", "password", "dbname") if found[name]}
    written["host"] = ",".join(server[1].strip("[]") for server in servers if server)
    written["port"] = ",".join(server[2] or "" for server in servers if server)
    pairs = (pair.partition("=") for pair in (found["query"] or "").split("&") if pair)
    written |= {unquote(name): value for name, _is, value in pairs}
    values = {name: unquote(value) for name, value in written.items()}
    hosts = (values["host"] or values.get("hostaddr", "")).split(",")
    ports = values["port"].split(",")
    ports += ports[-1:] * (len(hosts) - len(ports))
    listed = ",".join(_server(host, port) for host, port in zip(hosts, ports, strict=False))
    server = f"{listed}/{quote(values.get('dbname', ''), safe='')}"
    user = f"{quote(values['user'], safe='')}@" if values.get("user") else ""
    # Another search path leads to another ledger.
    if "search" in values.get("options", ""):
        server += f"?options={quote(values['options'], safe='')}"
    place, address = f"postgresql://{user}{server}", f"postgresql://{server}"
    return ServerLocation(text, place, address, frozenset(values))


def _server(host: str, port: str) -> str:
    name = f"[{host}]" if ":" in host else quote(host, safe="")
    return f"{name}:{port}" if port else name
