# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The syntax of addresses, hostnames and domain names, and where they lead."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

try:
    # It comes with requests.
    import idna
except ImportError:
    idna = None  # type: ignore[assignment]

DEFAULT_PORTS = {"http": 80, "https": 443}
#: A control character anywhere; user information, a backslash or whitespace before the path.
_AMBIGUOUS = re.compile(r"[\x00-\x1f\x7f]|^[^/?#]*//[^/?#]*[@\\\s]")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# RFC 1123, section 2.1: what reads as an IPv4 address is no host name.
_NO_ADDRESS = r"(?![0-9]+(?:\.[0-9]+){3}$)"
HOSTNAME_PATTERN = rf"{_NO_ADDRESS}{_LABEL}(?:\.{_LABEL})*"
DOMAIN_PATTERN = rf"{_NO_ADDRESS}{_LABEL}(?:\.{_LABEL})+"
LONGEST_NAME = 253
_APART = re.compile(r"[\s,;]+")
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


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


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine: what is sent there passes no network, and no proxy."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def machine_address(text: str) -> IpAddress | None:
    """Return the IP address that a text is, also one with a prefix length; ``None`` where it stands for a network."""
    try:
        interface = ipaddress.ip_interface(text)
    except ValueError:
        return None
    network = interface.network
    is_network = network.prefixlen < network.max_prefixlen and interface.ip == network.network_address
    return None if is_network else interface.ip


def is_of_another(address: IpAddress) -> bool:
    """Return whether an address can be that of another machine, which is reached by it from anywhere."""
    plain = getattr(address, "ipv4_mapped", None) or address
    return not (plain.is_loopback or plain.is_unspecified or plain.is_link_local or plain.is_multicast)


def usable_address(texts: Iterable[str]) -> str | None:
    """Return the first IPv4 address of another machine in these texts, otherwise the first IPv6 address, if any."""
    addresses = [address for text in texts for part in _APART.split(text) if (address := machine_address(part))]
    usable = sorted(filter(is_of_another, addresses), key=lambda address: address.version)
    return str(usable[0]) if usable else None


def is_hostname(name: str) -> bool:
    """Return whether this is a valid hostname (RFC 1123), as a setting ``hostname`` must be."""
    return len(name) <= LONGEST_NAME and re.fullmatch(HOSTNAME_PATTERN, name) is not None


def punycode(name: str) -> str | None:
    """The ASCII form of an internationalized name (IDNA 2008), or None when there is none or it cannot be told."""
    if len(name) > LONGEST_NAME or idna is None:
        return None
    try:
        # Not the standard library's codec, which follows the IDNA of 2003: it would turn straße into strasse, another
        # domain.
        ascii_name = idna.encode(name, uts46=True).decode("ascii")
    except UnicodeError:
        return None
    return ascii_name if re.fullmatch(HOSTNAME_PATTERN, ascii_name) else None
