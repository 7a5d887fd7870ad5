# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks up the addresses of a host, and sends one NS query to one server. Failures are described, not judged."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from .._core.errors import ConfigurationError, MissingLibraryError

try:
    import dns.exception
    import dns.flags
    import dns.message
    import dns.name
    import dns.nameserver
    import dns.query
    import dns.rcode
    import dns.rdataclass
    import dns.rdatatype
    import dns.resolver
except ImportError as error:
    IMPORT_ERROR: ImportError | None = error
else:
    IMPORT_ERROR = None


_RESOLVER_FORM = (
    "Give it as an address or a host, with a port if that is not 53: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353."
)
#: What the kernel says when it has no route, or does not know the address family at all.
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


class Addresses(NamedTuple):
    """The addresses of a host. ``problem`` says why some are not known; ``failed``: because no resolver could tell."""

    found: tuple[str, ...] = ()
    problem: str | None = None
    failed: bool = False


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
            self._resolver.nameservers = [each for resolver in resolvers for each in _nameservers(resolver.strip())]
        named = ", ".join(resolver.strip() for resolver in resolvers or map(str, self._resolver.nameservers))
        self._whose = f"the resolvers {'named in this task' if resolvers else 'of this machine'} ({named})"
        self._resolver.timeout = timeout
        self._resolver.lifetime = timeout * len(self._resolver.nameservers)

    def addresses(self, host: str) -> Addresses:
        """The addresses of a host, with CNAMEs followed. The system's search list is not used."""
        both = [self._addresses(host, family) for family in ("A", "AAAA")]
        problem = next((each.problem for each in both if each.problem), None)
        # Servers send them in any order; a report should not differ by it.
        return Addresses(
            tuple(at for each in both for at in sorted(each.found)), problem, any(each.failed for each in both)
        )

    def _addresses(self, host: str, family: str) -> Addresses:
        try:
            answer = self._resolver.resolve(dns.name.from_text(host), family, search=False, raise_on_no_answer=False)
        except dns.resolver.NXDOMAIN:
            return Addresses(problem=f"does not exist (NXDOMAIN) according to {self._whose}")
        except (dns.resolver.NoNameservers, dns.exception.Timeout, OSError) as error:
            return Addresses(problem=f"could not be looked up by {self._whose}: {_text_of(error)}", failed=True)
        except dns.exception.DNSException as error:
            return Addresses(problem=f"is not a valid hostname: {_text_of(error)}")
        return Addresses(tuple(record.address for record in answer.rrset or ()))


def _nameservers(resolver: str) -> list[dns.nameserver.Nameserver]:
    """The servers that are meant by one given resolver. Raises ConfigurationError."""
    try:
        host, port = _host_and_port(resolver)
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The resolver {resolver!r} cannot be used: {_text_of(error)}.\n{_RESOLVER_FORM}"
        ) from None
    return [dns.nameserver.Do53Nameserver(address, port) for address in dict.fromkeys(str(at[4][0]) for at in found)]


def _host_and_port(resolver: str) -> tuple[str, int]:
    if resolver.count(":") > 1 and not resolver.startswith("["):
        return str(ipaddress.ip_address(resolver)), 53
    parts = urlsplit(f"//{resolver}")
    port = 53 if parts.port is None else parts.port
    if not parts.hostname or not port or parts.netloc != resolver:
        raise ValueError("it is not a valid host and port")
    return parts.hostname, port


def _text_of(error: BaseException) -> str:
    """The library's message, shortened to one line."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    line = " ".join(words.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


@dataclass(frozen=True)
class Reply:
    """A server's response to an NS query: DNS's own word (``NOERROR``), and the names of the answer's NS records."""

    rcode: str
    authoritative: bool
    names: frozenset[str]


class SilentError(Exception):
    """The server gave no readable response. The message says what happened instead."""


class NoRouteError(Exception):
    """This machine cannot send to the address at all."""


def ask_ns(domain: str, address: str, port: int, timeout: float) -> Reply:
    """Query the server at an address for the nameservers of a domain.

    It is asked by UDP, and by TCP if that answer is truncated or lost: a firewall may let TCP alone through. Without
    recursion, so that a resolver does not answer in place of the domain's own server. ``timeout`` is in seconds, for
    all of it. Raises SilentError and NoRouteError.
    """
    name = dns.name.from_text(domain)
    query = dns.message.make_query(name, dns.rdatatype.NS)
    query.flags &= ~dns.flags.RD
    try:
        try:
            reply, _tcp = dns.query.udp_with_fallback(query, address, timeout / 2, port=port, ignore_unexpected=True)
        except dns.exception.Timeout:
            reply = dns.query.tcp(query, address, timeout=timeout / 2, port=port)
    except (OSError, EOFError, dns.exception.DNSException) as error:
        if isinstance(error, OSError) and error.errno in _NO_ROUTE:
            raise NoRouteError(_text_of(error)) from None
        raise SilentError(f"gave no DNS answer to the query on port {port} ({_text_of(error)})") from None
    found = reply.get_rrset(reply.answer, name, dns.rdataclass.IN, dns.rdatatype.NS) or ()
    names = frozenset(record.target.to_text(omit_final_dot=True).lower() for record in found)
    return Reply(dns.rcode.to_text(reply.rcode()), bool(reply.flags & dns.flags.AA), names)
