# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a PostgreSQL address into what may be shown of it and what may not. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from .._core.errors import Advice, LedgerError

_SERVER = r"(?:\[[^\s\]]*\]|[^\s:@/?,]*)(?::\d*)?"
#: What libpq reads in the same way: an unencoded / would make a part of the password pass for a port and a database, an
#: unencoded @ for a host.
_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^\s:@/?]*)(?::(?P<password>[^\s@/?]*))?@)?"
    rf"(?P<rest>(?:{_SERVER},)*{_SERVER}(?:/[^\s@/?]*)?)(?:\?(?P<query>[^\s@]*))?"
)
_BROKEN_CODE = re.compile(r"%(?!(?!00)[\da-fA-F]{2})")
#: Parameters of libpq that lead to another ledger: ``options`` may hold a search path, ``service`` all of the others.
_PLACES = frozenset({"host", "hostaddr", "port", "dbname", "options", "service"})
_PASSWORDS = frozenset({"password", "sslpassword"})


@dataclass(frozen=True)
class ServerLocation:
    """An address that was read: ``text`` as it was given, with its password.

    ``place`` is the address without its secrets, for messages, and ``address`` the part of it that does not depend on
    who connects: hosts, ports, database and search path. ``given`` are the names of the parameters in it, and
    ``passwords`` the passwords, as libpq reads them.
    """

    text: str = field(repr=False)
    place: str
    address: str
    given: frozenset[str]
    passwords: tuple[str, ...] = field(repr=False)


def read_address(text: str) -> ServerLocation:
    """Read an address. Raises LedgerError when it is not valid, with nothing of it: that could be of the password."""
    found = _ADDRESS.fullmatch(text)
    if found is None or _BROKEN_CODE.search(text):
        what = (
            "The location of the ledger is not a valid PostgreSQL address.\n"
            "A valid one is postgresql://user:password@host:port/database. In the password, all characters other than "
            "letters, digits and - . _ ~ are percent-encoded (@ is %40, / is %2F)."
        )
        raise LedgerError(what, Advice("Correct the option ledger (or RESELLER_LEDGER)."))
    parameters = {unquote(pair.partition("=")[0]): pair for pair in (found["query"] or "").split("&") if pair}
    query = "&".join(pair for name, pair in parameters.items() if name in _PLACES)
    written = [pair.partition("=")[2] for name, pair in parameters.items() if name in _PASSWORDS]
    where = found["rest"] + (f"?{query}" if query else "")
    user = f"{found['user']}@" if found["user"] else ""
    passwords = tuple(map(unquote, filter(None, [found["password"], *written])))
    return ServerLocation(
        text, f"postgresql://{user}{where}", f"postgresql://{where}", frozenset(parameters), passwords
    )
