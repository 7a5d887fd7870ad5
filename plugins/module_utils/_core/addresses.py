# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares addresses by where they lead."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urljoin, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
#: A control character anywhere; user information, a backslash or whitespace before the path.
_AMBIGUOUS = re.compile(r"[\x00-\x1f\x7f]|^[^/?#]*//[^/?#]*[@\\\s]")


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL, with the scheme's default port filled in.

    A URL that two readers could understand differently (``https://a\\@b`` leads to ``a`` or ``b``) has no origin: it
    equals that of no service.
    """
    if _AMBIGUOUS.search(url):
        return "", "", None
    try:
        parts = urlsplit(url)
        port = DEFAULT_PORTS.get(parts.scheme) if parts.port is None else parts.port
    except ValueError:
        return "", "", None
    return parts.scheme, (parts.hostname or "").rstrip("."), port


def absolute_url(base: str, target: str) -> str:
    """The URL of what a response from ``base`` names. One that is not valid stays as it is: it has no origin."""
    try:
        return urljoin(base, target)
    except ValueError:
        return target


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine: what is sent there passes no network, and no proxy."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
