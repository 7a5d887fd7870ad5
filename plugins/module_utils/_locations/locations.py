# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Locations of ledgers, parsed once. Of a PostgreSQL address, it says what may be shown and what may not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Union
from urllib.parse import unquote

from .._core.errors import Advice, LedgerError

_SERVER = r"(?:\[[^\s\]]*\]|[^\s:@/?,]*)(?::\d*)?"
#: What libpq reads in the same way: an unencoded / would make a part of the password pass for a port and a database, an
#: unencoded @ for a host.
_SERVER_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^\s:@/?]*)(?::(?P<password>[^\s@/?]*))?@)?"
    rf"(?P<rest>(?:{_SERVER},)*{_SERVER}(?:/[^\s@/?]*)?)(?:\?(?P<query>[^\s@]*))?"
)
_BROKEN_CODE = re.compile(r"%(?!(?!00)[\da-fA-F]{2})")
#: Parameters of libpq that lead to another ledger: ``options`` may hold a search path, ``service`` all of the others.
_PLACES = frozenset({"host", "hostaddr", "port", "dbname", "options", "service"})
_PASSWORDS = frozenset({"password", "sslpassword"})
_SERVERS = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class ServerLocation:
    """An address that was read: ``text`` as it was given, with its password.

    ``place`` is the address without its secrets, for messages, and ``address`` the part of it that does not depend on
    who connects: hosts, ports, database and search path. ``passwords`` are the passwords, as libpq reads them.
    """

    text: str = field(repr=False)
    place: str
    address: str
    passwords: tuple[str, ...] = field(repr=False)


def read_address(text: str) -> ServerLocation:
    """Read an address. Raises LedgerError when it is not valid, with nothing of it: that could be of the password."""
    parts = _SERVER_ADDRESS.fullmatch(text)
    if parts is None or _BROKEN_CODE.search(text):
        what = (
            "The location of the ledger is not a valid PostgreSQL address.\n"
            "A valid one is postgresql://user:password@host:port/database. In the password, all characters other than "
            "letters, digits and - . _ ~ are percent-encoded (@ is %40, / is %2F)."
        )
        raise LedgerError(what, Advice("Correct the option ledger (or RESELLER_LEDGER)."))
    parameters = {unquote(pair.partition("=")[0]): pair for pair in (parts["query"] or "").split("&") if pair}
    query = "&".join(pair for name, pair in parameters.items() if name in _PLACES)
    written = [pair.partition("=")[2] for name, pair in parameters.items() if name in _PASSWORDS]
    where = parts["rest"] + (f"?{query}" if query else "")
    user = f"{parts['user']}@" if parts["user"] else ""
    passwords = tuple(map(unquote, filter(None, [parts["password"], *written])))
    return ServerLocation(text, f"postgresql://{user}{where}", f"postgresql://{where}", passwords)


#: Addresses of databases that are not in the form of PostgreSQL's, also misspelt or behind a directory. Taken for
#: paths, they would make files named after a password.
_ADDRESS = re.compile(
    r".*://|[A-Za-z][A-Za-z0-9+.-]*:/+|postgres(?:ql)?[^\w/]*//|(?![/~.$]).*:.*@|\w+\s*=|.*\0",
    re.DOTALL | re.IGNORECASE,
)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_ISOLATED = "AWX_ISOLATED_DATA_DIR"
#: Each is set in the jobs of some continuous integration.
PIPELINES = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "BUILDKITE", "TF_BUILD")


class FileLocation(NamedTuple):
    """A ledger in a file: its absolute path, and whether that is the default one.

    ``job_folder`` is the directory of the job in an execution environment.
    """

    path: Path
    is_default: bool = False
    job_folder: Path | None = None

    @property
    def place(self) -> str:
        """The location for messages."""
        return str(self.path)


# pylint of the newest sanity tests takes | between classes for an error.
Location = Union[FileLocation, ServerLocation]  # noqa: UP007


def location_of(option: str | None, environ: Mapping[str, str]) -> Location:
    """The location in the option ``ledger``; ``None`` or an empty string: the default one.

    A server's address without a password has that of ``RESELLER_LEDGER``, if it is the same one, and otherwise none:
    libpq has variables and a file for it.

    Raises:
        LedgerError: it is a relative path, or neither a path nor a PostgreSQL address.
    """
    if option and option.startswith(_SERVERS):
        location, usual = read_address(option), environ.get("RESELLER_LEDGER", "")
        if not location.passwords and usual.startswith(_SERVERS):
            # Messages name a ledger without its password.
            with suppress(LedgerError):
                same = read_address(usual)
                location = same if same.place == location.place else location
        return location
    path = _written(option, environ) if option else state_folder(environ) / "ledger.db"
    if not path.is_absolute():
        raise LedgerError(
            f"The path of the ledger is relative: {path}. Nothing was sent.\n"
            "A playbook in another directory would have another ledger, and order again.",
            Advice(
                "Give the option ledger (or RESELLER_LEDGER) the absolute path of the ledger that you use; ~ and "
                "variables are allowed.",
            ),
        )
    return FileLocation(path, not option, Path(environ[_ISOLATED]) if is_job(environ) else None)


def is_job(environ: Mapping[str, str]) -> bool:
    """Return whether this is a job in an execution environment, whose files vanish."""
    return bool(environ.get(_ISOLATED))


def pipeline_of(environ: Mapping[str, str]) -> str | None:
    """Return the variable that shows a job of continuous integration, whose next run may begin with nothing."""
    return next(filter(environ.get, PIPELINES), None)


def state_folder(environ: Mapping[str, str]) -> Path:
    """``$XDG_STATE_HOME/hosting.reseller``; in ``~/.local/state`` where that is no absolute path."""
    base = _expanded(environ.get("XDG_STATE_HOME") or "", environ)
    # The XDG specification has relative paths ignored.
    return (base if base.is_absolute() else _expanded("~/.local/state", environ)) / "hosting.reseller"


def _written(address: str, environ: Mapping[str, str]) -> Path:
    """The path that was written, which may be relative. Raises LedgerError where something else was meant."""
    if address != address.strip() or address[0] in "\"'":
        raise LedgerError(
            "The location of the ledger begins or ends with whitespace or a quotation mark.\n"
            "With it, the location is that of another ledger than without.",
            Advice("Remove it from the option ledger, also in a file that sets RESELLER_LEDGER."),
        )
    if _ADDRESS.match(address):
        raise LedgerError(
            "The location of the ledger is neither the path of a file nor a PostgreSQL address.",
            Advice("Write postgresql://user@host/database, or a path that begins with /."),
        )
    for variable in _VARIABLE.finditer(address):
        if not environ.get(variable[1] or variable[2]):
            raise LedgerError(
                f"The location of the ledger contains the variable {variable[0]}, which is not set.",
                Advice("Set it, or write its value."),
            )
    return _expanded(_VARIABLE.sub(lambda variable: environ[variable[1] or variable[2]], address), environ)


def _expanded(path: str, environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME")
    if home and (path == "~" or path.startswith("~/")):
        return Path(home) / path[2:]
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise LedgerError(
            f"The home directory in {path} is not known ({error}).",
            Advice("Set HOME, or give the option ledger an absolute path."),
        ) from error
