# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a PostgreSQL address: the location of the ledger, and the schema it is pinned to. Secrets stay inside."""

from __future__ import annotations

import os
import re
import shlex
import string
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .._core.errors import LedgerError, MissingLibraryError

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    _MISSING: ImportError | None = error
else:
    _MISSING = None

_SEARCH_PATH = re.compile(r"(?:--|-c)search[_-]path=(.*)", re.DOTALL)
#: One schema, as PostgreSQL reads a search path: quoted, or up to whitespace or a comma, and then in small letters.
_SCHEMA = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\s,"$]+))\s*')
_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True)
class Address:
    """An address that was read. ``place`` is the address without its secrets, for messages, and ``server`` the part of
    it that does not depend on who connects: hosts, ports and database.

    ``schema`` is the one that its server option search_path names; ``options`` are its other server options, ``None``
    if it has none at all. ``several``: more than one server is named, here or in the environment.
    """

    text: str
    place: str
    server: str
    parameters: dict[str, Any]
    schema: str | None
    options: str | None
    several: bool


def read_address(text: str) -> Address:
    """Read an address. Raises LedgerError when it is not valid, and MissingLibraryError without psycopg."""
    if _MISSING is not None:
        raise MissingLibraryError("psycopg[binary]", "for a ledger in PostgreSQL", str(_MISSING))
    parameters = _parameters(text)
    hosts = str(parameters.get("host") or parameters.get("hostaddr") or "").split(",")
    ports = str(parameters.get("port") or "").split(",")
    ports += ports[-1:] * (len(hosts) - len(ports))
    user = f"{quote(str(parameters['user']), safe='')}@" if parameters.get("user") else ""
    servers = ",".join(_server(host, port) for host, port in zip(hosts, ports, strict=False))
    server = f"{servers}/{quote(str(parameters.get('dbname') or ''), safe='')}"
    place = f"postgresql://{user}{server}"
    named = (str(parameters.get(name) or os.environ.get(f"PG{name.upper()}", "")) for name in ("host", "hostaddr"))
    several = any("," in hosts for hosts in named)
    schema, options = _schema(parameters.get("options"), place)
    if schema is not None:
        place += f" (schema {schema})"
    return Address(text, place, server, parameters, schema, options, several)


def _parameters(text: str) -> dict[str, Any]:
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


def _schema(options: str | None, place: str) -> tuple[str | None, str | None]:
    """The search path among the server options of an address, and the other options.

    It is set by statement later: many poolers refuse server options at the start of a session.
    """
    if not options:
        return None, None
    # PostgreSQL separates options by whitespace, which a backslash protects; it knows no quotation marks.
    lexer = shlex.shlex(options, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.quotes, lexer.commenters = True, "", ""
    try:
        words = list(lexer)
    except ValueError:
        words = []
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "-c":
            joined[-1] += word
        else:
            joined.append(word)
    found = [match[1] for match in map(_SEARCH_PATH.fullmatch, joined) if match]
    if not found:
        return None, options
    written = _SCHEMA.fullmatch(found[-1])
    if written is None:
        raise LedgerError(
            f"The address of the ledger {place} sets search_path={found[-1]}, which does not name one schema.\n"
            "A ledger is in one schema. Name it alone (options=-csearch_path%3Dreseller), or remove search_path from "
            "the address: the ledger is then found in whatever schema it is."
        )
    schema = written[1].replace('""', '"') if written[1] else written[2].translate(_SMALL)
    others = (word for word in joined if not _SEARCH_PATH.fullmatch(word))
    return schema, " ".join(re.sub(r"([\\\s])", r"\\\1", word) for word in others)


def _server(host: str, port: str) -> str:
    name = f"[{host}]" if ":" in host else quote(host, safe="")
    return f"{name}:{port}" if port else name
