# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Address, credentials and time limits of the service, checked before anything is sent (API specification 4 and 5)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import DEFAULT_PORTS, is_loopback, punycode
from .._core.errors import Advice, ConfigurationError
from .._secrets.masker import Masker

#: A host name of at most 253 characters, and IPv4 addresses; names of containers hold underscores.
_HOST = re.compile(
    r"(?=.{1,254}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?"
)
#: Addresses of section 4 and of Swagger UI that are easily copied with the base URL.
_PATH_OF_THE_DOCUMENT = re.compile(r"/api/(?:docs(?:\b.*)?|reseller(?:/.*)?)\Z")
_QUOTED = re.compile(r"""(?s)["'`\u2018-\u201f\u00ab\u00bb].*["'`\u2018-\u201f\u00ab\u00bb]""")
_UNQUOTE = "Remove one pair: in a shell, in YAML or in a field of AWX, it was quoted twice."
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SPACE = re.compile(r"[\s\x00-\x1f]")
_HIDDEN = re.compile("[@?#]")

#: Options without which nothing can be sent.
REQUIRED = ("base_url", "api_key", "organization_id")
#: Seconds for a request that orders or changes something, or timeout if that is longer: a registry may be slow.
ORDER_SECONDS = 120.0


@dataclass(frozen=True)
class ServiceConfig:
    """The service's address, the contents of both headers, and the time limits."""

    #: Without a slash at its end.
    base_url: str
    api_key: str = field(repr=False)
    organization_id: str
    #: Whether certificates are verified, or the file of those to trust.
    verify: bool | str = True
    #: Seconds of a reading request, from connecting to the last byte.
    timeout: float = 30.0
    #: Seconds of a request that orders or changes something.
    order_timeout: float = ORDER_SECONDS

    @property
    def read_timeout(self) -> float:
        """Seconds for a whole read, with its further tries, waits, pages and redirects."""
        return 10 * self.timeout

    def masker(self, secrets: Collection[str] = (), **options: Any) -> Masker:
        """Return what masks the API key and these secrets; see Masker for the options."""
        return Masker({*secrets, self.api_key}, **options)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> ServiceConfig:
        """Check the common options and return the configuration.

        Raises ConfigurationError that names the option, its environment variable and what to do.
        """
        missing = [name for name in REQUIRED if not options.get(name)]
        if missing:
            variables = ", ".join(f"RESELLER_{name.upper()}" for name in missing)
            is_one = len(missing) == 1
            raise ConfigurationError(
                f"{', '.join(missing)} {'is' if is_one else 'are'} missing or empty.",
                Advice(
                    f"Set {'it' if is_one else 'each'} as an option, or in the environment as {variables}. "
                    "An empty variable counts as unset.",
                ),
            )
        timeout = float(options["timeout"])
        return cls(
            base_url=checked_base_url(str(options["base_url"]), bool(options.get("allow_http"))),
            api_key=_checked_header(str(options["api_key"]), "api_key", secret=True),
            organization_id=_checked_header(str(options["organization_id"]), "organization_id", secret=False),
            verify=bool(options["validate_certs"]) and (options.get("ca_path") or True),
            timeout=timeout,
            order_timeout=max(ORDER_SECONDS, timeout),
        )


def _checked_header(value: str, name: str, *, secret: bool) -> str:
    if _QUOTED.fullmatch(value):
        raise ConfigurationError(f"{name} is in quotation marks, which would be sent with it.", Advice(_UNQUOTE))
    if value == value.strip() and not _CONTROL.search(value) and all(ord(character) < 256 for character in value):
        return value
    shown = "" if secret else f" (given: {value!r})"
    raise ConfigurationError(
        f"{name} cannot be sent as an HTTP header{shown}.\nIt must be one line of Latin-1 characters, without "
        "whitespace at its ends.",
        Advice(
            "If it was read from a file, use the trim filter: files often end with a newline. Otherwise copy it again "
            "from the customer portal.",
        ),
    )


@lru_cache(maxsize=64)
def checked_base_url(value: str, allow_http: bool) -> str:
    """The address in the one form in which the same service always compares equal. Raises ConfigurationError."""
    # Before an @ may stand a password, and in a query or a fragment a token.
    shown = "" if _HIDDEN.search(value) else f" {value!r}"

    def wrong(what: str, form: str = "https://host[:port], for example https://portal.example.com") -> Exception:
        return ConfigurationError(f"base_url{shown} {what}.", Advice(f"Write it as {form}."))

    if _QUOTED.fullmatch(value):
        raise ConfigurationError("base_url is in quotation marks.", Advice(_UNQUOTE))
    try:
        parts = urlsplit(value)
        host, port = _checked_host(parts.hostname), parts.port
    except ValueError:
        raise wrong("is not a valid URL") from None
    if parts.scheme not in DEFAULT_PORTS or "://" not in value:
        raise wrong("has no scheme https://")
    if not host or port == 0 or parts.username is not None or _SPACE.search(value):
        raise wrong("has no valid host and port, or contains a user name, a password or whitespace")
    path = parts.path.rstrip("/")
    if beyond := _PATH_OF_THE_DOCUMENT.search(path):
        right = f"{parts.scheme}://{parts.netloc}{path[: beyond.start()]}"
        raise wrong(f"must end before {beyond[0]}, which is added to it", right)
    if parts.query or parts.fragment:
        raise wrong("must not contain a query or a fragment")
    _check_encryption(parts.scheme, host.strip("[]"), shown, allow_http)
    shown_port = f":{port}" if port not in (None, DEFAULT_PORTS[parts.scheme]) else ""
    return f"{parts.scheme}://{host}{shown_port}{path}"


def _check_encryption(scheme: str, host: str, shown: str, allow_http: bool) -> None:
    if scheme == "http" and not allow_http and not is_loopback(host):
        raise ConfigurationError(
            f"base_url{shown} is not encrypted.\nThe API key could be read on the way.",
            Advice("Use https://, or set allow_http: true if the network in between is your own."),
        )


def _checked_host(host: str | None) -> str | None:
    """The host as it stands in a URL, or None for what is no name. Raises ValueError for no IPv6 address."""
    if host is None:
        return None
    if ":" in host:
        return f"[{ipaddress.IPv6Address(host)}]"
    name = host if host.isascii() else punycode(host)
    return name.rstrip(".") if name and _HOST.fullmatch(name) else None
