# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks up the addresses of a host, with the resolvers of this machine or others. Failures are part of the result."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .._core.errors import ConfigurationError, MissingLibraryError

try:
    import dns.exception
    import dns.flags
    import dns.name
    import dns.nameserver
    import dns.rcode
    import dns.resolver
except ImportError as error:
    IMPORT_ERROR: ImportError | None = error
else:
    IMPORT_ERROR = None


Family = Literal["A", "AAAA"]
FAMILIES: tuple[Family, ...] = ("A", "AAAA")

_RESOLVER_PORT = 53
_RESOLVER_FORM = (
    "Give it as an address or a host, with a port if that is not 53: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353."
)


@dataclass(frozen=True)
class Lookup:
    """The addresses of a host in one family. ``problem`` says why they are not known.

    ``failed``: a resolver could not tell, so that the host itself may be all right. ``canonical_name`` is set when the
    host's own name is an alias (CNAME), in lower case, without the dot at the end.
    """

    addresses: tuple[str, ...] = ()
    problem: str | None = None
    failed: bool = False
    canonical_name: str | None = None


class Resolver:
    """Looks up the addresses of hosts. Threads may share one.

    ``resolvers`` are ``host``, ``host:port``, ``address`` or ``[IPv6 address]:port``; none are the system's. They
    are asked in turn until one answers. ``timeout`` is in seconds, for each of them.

    Raises ConfigurationError for a resolver that cannot be used, and MissingLibraryError when dnspython is not
    installed.
    """

    def __init__(self, resolvers: Sequence[str], timeout: float) -> None:
        if IMPORT_ERROR is not None:
            raise MissingLibraryError("dnspython", "to ask nameservers", str(IMPORT_ERROR))
        try:
            self._resolver = dns.resolver.Resolver(configure=not resolvers)
        except dns.resolver.NoResolverConfiguration as error:
            raise ConfigurationError(
                f"This machine has no DNS resolver, so nameservers cannot be looked up.\nReason: {error}.\n"
                "Set the option for other resolvers, for example to 192.0.2.53."
            ) from None
        if resolvers:
            self._resolver.nameservers = [
                dns.nameserver.Do53Nameserver(address, port)
                for resolver in resolvers
                for address, port in _resolver_places(resolver)
            ]
        named = ", ".join(resolver.strip() for resolver in resolvers or map(str, self._resolver.nameservers))
        self._whose = f"the resolvers {'named in this task' if resolvers else 'of this machine'} ({named})"
        self._resolver.timeout = timeout
        self._resolver.lifetime = timeout * len(self._resolver.nameservers)

    def look_up(self, host: str, family: Family) -> Lookup:
        """The addresses of a host, with CNAMEs followed. The system's search list is not used."""
        try:
            name = dns.name.from_text(host)
        except dns.exception.DNSException as error:
            return Lookup(problem=f"is not a valid hostname: {text_of(error)}")
        try:
            answer = self._resolver.resolve(name, family, search=False, raise_on_no_answer=False)
        except dns.resolver.NXDOMAIN:
            return Lookup(problem=f"does not exist (NXDOMAIN) according to {self._whose}")
        except dns.exception.Timeout:
            return self._failed(f"no answer within {self._resolver.lifetime:g} s")
        except dns.resolver.NoNameservers as error:
            codes = [dns.rcode.to_text(each[4].rcode()) for each in error.kwargs.get("errors", ()) if each[4]]
            return self._failed(", ".join(dict.fromkeys(codes)) or "no usable answer")
        except (dns.exception.DNSException, OSError) as error:
            return self._failed(text_of(error))
        if not answer.response.flags & (dns.flags.RA | dns.flags.AA):
            return self._failed("it neither has the zone nor resolves for others")
        alias = plain_name(answer.canonical_name) if answer.canonical_name != name else None
        # Servers send them in any order; a report should not differ by it.
        addresses = sorted({record.address for record in answer.rrset or ()}, key=ipaddress.ip_address)
        return Lookup(tuple(addresses), canonical_name=alias)

    def _failed(self, reason: str) -> Lookup:
        return Lookup(problem=f"could not be looked up by {self._whose}: {reason}", failed=True)


def plain_name(name: dns.name.Name) -> str:
    """A name in lower case, without a trailing dot."""
    return name.to_text(omit_final_dot=True).lower()


def _resolver_places(resolver: str) -> list[tuple[str, int]]:
    """The addresses and the port that are meant by one given resolver. Raises ConfigurationError."""
    host, port = _host_and_port(resolver.strip())
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"The resolver {resolver!r} cannot be used: {text_of(error)}.\n{_RESOLVER_FORM}"
        ) from None
    return list(dict.fromkeys((str(place[0]), port) for *_kind, place in found))


def _host_and_port(resolver: str) -> tuple[str, int]:
    try:
        return str(ipaddress.ip_address(resolver)), _RESOLVER_PORT
    except ValueError:
        host, colon, port = resolver.rpartition(":")
    if not colon or resolver.endswith("]"):
        host, port = resolver, str(_RESOLVER_PORT)
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) < 65536:
        raise ConfigurationError(f"The resolver {resolver!r} is not a valid host and port.\n{_RESOLVER_FORM}")
    return host, int(port)


def text_of(error: BaseException) -> str:
    """The library's message, shortened to one line."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    line = " ".join(words.split())
    return line if len(line) <= 200 else f"{line[:200]}…"
