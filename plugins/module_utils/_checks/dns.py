# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries one DNS server, and looks up the addresses of a host. Failures are described, not judged."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from .._core.errors import Advice, ConfigurationError, MissingLibraryError

try:
    import dns.exception
    import dns.flags
    import dns.message
    import dns.name
    import dns.query
    import dns.rcode
    import dns.rdataclass
    import dns.rdatatype
    import dns.resolver

    # Releases before 2 do not have it.
    _RESOLVE = dns.resolver.Resolver.resolve
except (ImportError, AttributeError) as error:
    IMPORT_ERROR: Exception | None = error
else:
    IMPORT_ERROR = None

#: How often a query is sent by UDP, since any datagram may get lost.
_DATAGRAMS = 3
_RESOLVER_FORM = (
    "Give it as an address or a host, with a port if that is not 53: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353."
)
#: What the kernel says when it has no route, or does not know the address family at all.
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


class DnsError(Exception):
    """Nothing usable was answered. The message continues a sentence that begins with the server or the host."""


class NoRouteError(DnsError):
    """This machine cannot send to the address at all."""


def _response(name: dns.name.Name, address: str, port: int, timeout: float) -> dns.message.Message:
    """Return a server's response to a query for the nameservers of a domain, without recursion.

    The query is sent by UDP up to three times within ``timeout`` seconds, and a response to any of them counts until
    then. If that is truncated or missing, it is sent by TCP, with ``timeout`` seconds more: a firewall may let TCP
    alone through. Raises DnsError and NoRouteError.
    """
    query = dns.message.make_query(name, "NS", flags=0)
    by_udp = f"none within {timeout:g} s"
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            for _datagram in range(_DATAGRAMS):
                with contextlib.suppress(dns.exception.Timeout):
                    wait = timeout / _DATAGRAMS
                    return dns.query.udp(query, address, wait, port, None, 0, True, raise_on_truncation=True, sock=sock)
    except dns.message.Truncated:
        by_udp = "truncated"
    except (OSError, dns.exception.DNSException) as error:
        by_udp = _text_of(error)
        if isinstance(error, OSError) and error.errno in _NO_ROUTE:
            raise NoRouteError(by_udp) from None
    try:
        return dns.query.tcp(query, address, timeout, port)
    except (OSError, EOFError, dns.exception.DNSException) as error:
        said = f"gave no DNS answer to the query on port {port} (UDP: {by_udp}; TCP: {_text_of(error)})"
        raise DnsError(said) from None


def _text_of(error: BaseException) -> str:
    """The library's message, shortened to one line. Older releases have none for a connection that ended."""
    unsaid = "EOF" if isinstance(error, EOFError) else type(error).__name__
    words = (error.strerror if isinstance(error, OSError) else None) or str(error) or unsaid
    line = " ".join(words.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


# Resolvers


class Resolver:
    """Looks up the addresses of hosts. Threads may share one.

    ``resolvers`` are ``host``, ``host:port``, ``address`` or ``[IPv6 address]:port``; none are the system's. They are
    queried in turn until one has an address: a zone's own server knows what others do not know yet. ``timeout`` is in
    seconds, for each of them.

    Raises ConfigurationError for a resolver that cannot be used, and MissingLibraryError when dnspython is not
    installed.
    """

    def __init__(self, resolvers: Sequence[str], timeout: float) -> None:
        if IMPORT_ERROR is not None:
            raise MissingLibraryError("dnspython", "to ask nameservers", str(IMPORT_ERROR))
        places = [at for resolver in resolvers for at in _servers(resolver.strip())] or _servers_of_this_machine()
        self._named = ", ".join(resolver.strip() for resolver in resolvers or (address for address, _port in places))
        self._resolvers = []
        for address, port in places:
            one = dns.resolver.Resolver(configure=False)
            one.nameservers, one.port, one.timeout, one.lifetime = [address], port, timeout / _DATAGRAMS, timeout
            self._resolvers.append(one)

    def addresses(self, host: str) -> list[str]:
        """Return the addresses of a host, with CNAMEs followed. Raises DnsError if there are none."""
        try:
            name = dns.name.from_text(host)
        except dns.exception.DNSException as error:
            raise DnsError(f"is not a valid hostname: {_text_of(error)}") from None
        failures: dict[str, None] = {}
        # Servers send them in any order; a report should not differ by it.
        addresses = [at for family in ("A", "AAAA") for at in sorted(self._addresses(name, family, failures))]
        if not addresses and failures:
            raise DnsError(f"could not be looked up by the resolvers ({self._named}): {'; '.join(failures)}")
        if not addresses:
            raise DnsError("has no address (no A and no AAAA record)")
        return addresses

    def _addresses(self, name: dns.name.Name, family: str, failures: dict[str, None]) -> list[str]:
        for resolver in self._resolvers:
            try:
                reply = resolver.resolve(name, family, search=False, raise_on_no_answer=False)
            except dns.exception.DNSException as error:
                failures[_text_of(error).rstrip(".")] = None
            else:
                if reply.rrset:
                    return [record.address for record in reply]
                if not reply.response.flags & (dns.flags.AA | dns.flags.RA):
                    failures["it refers to other servers"] = None
        return []


def _servers(resolver: str) -> list[tuple[str, int]]:
    """The addresses and ports that are meant by one given resolver. Raises ConfigurationError."""
    try:
        host, port = _host_and_port(resolver)
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The resolver {resolver!r} cannot be used: {_text_of(error)}.\n{_RESOLVER_FORM}"
        ) from None
    return [(address, port) for address in dict.fromkeys(str(at[4][0]) for at in entries)]


def _servers_of_this_machine() -> list[tuple[str, int]]:
    try:
        system = dns.resolver.Resolver()
    except dns.resolver.NoResolverConfiguration as error:
        raise ConfigurationError(
            f"This machine has no DNS resolver, so nameservers cannot be looked up.\nReason: {error}.",
            Advice("Set the option for other resolvers, for example to 192.0.2.53."),
        ) from None
    return [(str(address), system.port) for address in system.nameservers]


def _host_and_port(resolver: str) -> tuple[str, int]:
    if resolver.count(":") > 1 and not resolver.startswith("["):
        return str(ipaddress.ip_address(resolver)), 53
    parts = urlsplit(f"//{resolver}")
    port = 53 if parts.port is None else parts.port
    if not parts.hostname or not port or parts.netloc != resolver:
        raise ValueError("it is not a valid host and port")
    return parts.hostname, port


# Nameservers


@dataclass(frozen=True)
class Reply:
    """A server's response to an NS query: DNS's own word (``NOERROR``), and the names of the answer's NS records."""

    rcode: str
    authoritative: bool
    names: frozenset[str]


def ask_ns(domain: str, address: str, port: int, timeout: float) -> Reply:
    """Query the server at an address for the nameservers of a domain.

    Without recursion, so that a resolver does not answer in place of the domain's own server. ``timeout`` is in
    seconds, for each query by UDP and by TCP. Raises DnsError and NoRouteError.
    """
    name = dns.name.from_text(domain)
    reply = _response(name, address, port, timeout)
    records = reply.get_rrset(reply.answer, name, dns.rdataclass.IN, dns.rdatatype.NS) or ()
    names = frozenset(record.target.to_text(omit_final_dot=True).lower() for record in records)
    return Reply(dns.rcode.to_text(reply.rcode()), bool(reply.flags & dns.flags.AA), names)
