# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Address, credentials and time limits of the service, checked before anything is sent (API specification 4 and 5)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import DEFAULT_PORTS, is_loopback
from .._core.errors import ConfigurationError
from .._core.hostnames import punycode
from .._core.options import check_options

#: A host name of at most 253 characters, and IPv4 addresses; names of containers hold underscores.
_HOST = re.compile(
    r"(?=.{1,254}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?"
)
#: Addresses of section 4 and of Swagger UI that are easily copied with the base URL.
_PATH_OF_THE_DOCUMENT = re.compile(r"/api/(?:docs(?:\b.*)?|reseller(?:/.*)?)\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_QUERY = re.compile("[?#]")

#: Where read_timeout and order_timeout are not given: so many times timeout, and so many seconds at least.
READ_FACTOR = 10
#: Options without which nothing can be sent.
REQUIRED = ("base_url", "api_key", "organization_id")
ORDER_SECONDS = 120.0


@dataclass(frozen=True)
class ServiceConfig:
    """The service's address, the contents of both headers, and the time limits.

    ``base_url`` has no trailing slash. All times are in seconds: ``timeout`` bounds each reading request from
    connecting to the last byte, ``read_timeout`` a whole read with its retries, waits, pages and redirects,
    ``order_timeout`` the request that orders. ``read_retries`` is how many more times a GET is tried.
    """

    base_url: str
    api_key: str = field(repr=False)
    organization_id: str
    validate_certs: bool = True
    ca_path: str | None = None
    timeout: float = 30.0
    read_retries: int = 3
    read_timeout: float = 300.0
    order_timeout: float = 120.0

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> ServiceConfig:
        """Check the common options and return the configuration.

        Raises ConfigurationError that names the option, its environment variable and what to do.
        """
        refuse_missing(options)
        base_url = checked_base_url(str(options["base_url"]), bool(options.get("allow_http")))
        api_key = _checked_header(str(options["api_key"]), "api_key", secret=True)
        organization_id = _checked_header(str(options["organization_id"]), "organization_id", secret=False)
        check_options(options)
        timeout = float(options["timeout"])
        return cls(
            base_url=base_url,
            api_key=api_key,
            organization_id=organization_id,
            validate_certs=bool(options["validate_certs"]),
            ca_path=options.get("ca_path") or None,
            timeout=timeout,
            read_retries=int(options["read_retries"]),
            read_timeout=_seconds(options.get("read_timeout"), READ_FACTOR * timeout),
            order_timeout=_seconds(options.get("order_timeout"), max(ORDER_SECONDS, timeout)),
        )


def _seconds(value: Any, default: float) -> float:
    return default if value is None else float(value)


def refuse_missing(options: Mapping[str, Any]) -> None:
    """Raise ConfigurationError that names all missing options that every request needs."""
    missing = [name for name in REQUIRED if not options.get(name)]
    if missing:
        raise ConfigurationError(
            f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} missing or empty.\n"
            f"Set {'the option' if len(missing) == 1 else 'the options'}, or in the environment "
            f"{_listed([f'RESELLER_{name.upper()}' for name in missing])}. An empty variable counts as unset."
        )


def _listed(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _checked_header(value: str, name: str, *, secret: bool) -> str:
    shown = "" if secret else f" (given: {value!r})"
    if value != value.strip() or _CONTROL.search(value):
        raise ConfigurationError(
            f"{name} begins or ends with whitespace, or contains a control character{shown}.\n"
            "It is sent as an HTTP header and must be one line.\n"
            "If it was read from a file, use the trim filter: files often end with a newline."
        )
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise ConfigurationError(
            f"{name} contains a character outside latin-1, which an HTTP header cannot hold{shown}.\n"
            "Copy it again from the customer portal."
        ) from None
    return value


def checked_organizations(given: Mapping[Any, Any]) -> dict[str, str]:
    """The option organizations: the IDs of end users' organizations, by end user. Raises ConfigurationError."""
    return {str(user): _checked_organization(id_, str(user)) for user, id_ in given.items()}


def _checked_organization(value: Any, end_user: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise ConfigurationError(
            f"organizations.{end_user} is not a valid organization ID (given: {value!r}). Nothing was sent.\n"
            "Give the ID of that end user's organization, as the portal's organization management shows it."
        )
    return _checked_header(str(value), f"organizations.{end_user}", secret=False)


@lru_cache(maxsize=64)
def checked_base_url(value: str, allow_http: bool) -> str:
    """The address in the one form in which the same service always compares equal. Raises ConfigurationError."""
    advice = "Write it as https://host[:port], for example https://portal.example.com."
    shown = repr(_shown(value))
    if any(character.isspace() or ord(character) < 32 for character in value):
        raise ConfigurationError(f"base_url {shown} contains whitespace.\n{advice}")
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise ConfigurationError(f"base_url {shown} is not a valid URL.\n{advice}") from None
    if parts.scheme not in DEFAULT_PORTS or "://" not in value:
        raise ConfigurationError(f"base_url {shown} has no scheme https://.\n{advice}")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            f"base_url must not contain a user name or password. The API key is sent instead.\n{advice}"
        )
    host = _checked_host(parts.hostname or "")
    if not host or port == 0:
        raise ConfigurationError(f"base_url {shown} has no valid host and port.\n{advice}")
    path = parts.path.rstrip("/")
    beyond = _PATH_OF_THE_DOCUMENT.search(path)
    if beyond:
        raise ConfigurationError(
            f"base_url {shown} must end before {beyond[0]}, which is added to it.\nWrite it as "
            f"{parts.scheme}://{parts.netloc}{path[: beyond.start()]}."
        )
    if parts.query or parts.fragment:
        raise ConfigurationError(f"base_url {shown} must not contain a query or a fragment.\n{advice}")
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        raise ConfigurationError(
            f"base_url {shown} is not encrypted.\nThe API key could be read on the way.\n"
            "Use https://, or set allow_http: true if the network in between is your own."
        )
    netloc = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{netloc}{'' if port in (None, DEFAULT_PORTS[parts.scheme]) else f':{port}'}{path}"


def _shown(url: str) -> str:
    """What of a URL holds no secret: before an ``@`` may stand a password, and in a query or a fragment a token."""
    end = _QUERY.search(url)
    before = url[: end.start()] if end else url
    if "@" in before:
        before = f"…@{before.rpartition('@')[2]}"
    elif "@" in url:
        # A password may hold these characters, too.
        return "…"
    return f"{before}{end[0]}…" if end else before


def _checked_host(host: str) -> str | None:
    """The host in the form that is looked up, or None when there cannot be one of this name."""
    if ":" in host:
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            return None
    name = host if host.isascii() else punycode(host)
    if name is None or not _HOST.fullmatch(name):
        return None
    return name.rstrip(".")
