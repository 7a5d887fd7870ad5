# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks up the addresses of a host, and sends one NS query to one server. Failures are described, not judged."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
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
    import dns.rrset
except ImportError as error:
    IMPORT_ERROR: ImportError | None = error
else:
    IMPORT_ERROR = None


Family = Literal["A", "AAAA"]
FAMILIES: tuple[Family, ...] = ("A", "AAAA")

_RESOLVER_FORM = (
    "Give it as an address or a host, with a port if that is not 53: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353."
)
#: What the kernel says when it has no route, or does not know the address family at all.
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


# Addresses


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
            self._resolver.nameservers = [each for resolver in resolvers for each in _nameservers(resolver.strip())]
        named = ", ".join(resolver.strip() for resolver in resolvers or map(str, self._resolver.nameservers))
        self._whose = f"the resolvers {'named in this task' if resolvers else 'of this machine'} ({named})"
        self._resolver.timeout = timeout
        self._resolver.lifetime = timeout * len(self._resolver.nameservers)

    def look_up(self, host: str, family: Family) -> Lookup:
        """The addresses of a host, with CNAMEs followed. The system's search list is not used."""
        try:
            name = dns.name.from_text(host)
        except dns.exception.DNSException as error:
            return Lookup(problem=f"is not a valid hostname: {_text_of(error)}")
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
            return self._failed(_text_of(error))
        if not answer.response.flags & (dns.flags.RA | dns.flags.AA):
            return self._failed("it neither has the zone nor resolves for others")
        alias = _plain_name(answer.canonical_name) if answer.canonical_name != name else None
        # Servers send them in any order; a report should not differ by it.
        addresses = sorted({record.address for record in answer.rrset or ()}, key=ipaddress.ip_address)
        return Lookup(tuple(addresses), canonical_name=alias)

    def _failed(self, reason: str) -> Lookup:
        return Lookup(problem=f"could not be looked up by {self._whose}: {reason}", failed=True)


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


def _plain_name(name: dns.name.Name) -> str:
    """A name in lower case, without a trailing dot."""
    return name.to_text(omit_final_dot=True).lower()


def _text_of(error: BaseException) -> str:
    """The library's message, shortened to one line."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    line = " ".join(words.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


# NS queries


@dataclass(frozen=True)
class Reply:
    """A server's response to an NS query. Names are in lower case without trailing dots.

    ``rcode`` is DNS's own word (``NOERROR``, ``REFUSED``). ``names`` are those of the domain's NS records in the answer
    section; ``referred_to`` those in the authority section, by which a server says that others have the zone;
    ``alias_of`` is set if the answer is a CNAME of the domain. ``udp_is_silent``: it came by TCP after silence by UDP.
    """

    rcode: str
    authoritative: bool
    names: frozenset[str]
    referred_to: frozenset[str]
    alias_of: str | None = None
    udp_is_silent: bool = False


class SilentError(Exception):
    """The server gave no readable response. The message says what happened instead."""


class NoRouteError(Exception):
    """This machine cannot send to the address at all."""


def ask_ns(domain: str, address: str, port: int, timeout: float) -> Reply:
    """Query the server at an address for the nameservers of a domain.

    It is asked by UDP, and by TCP if that answer is truncated or lost; without recursion, so that a resolver does not
    answer in place of the domain's own server. ``timeout`` is in seconds, for all of it. Raises SilentError and
    NoRouteError.
    """
    query = dns.message.make_query(dns.name.from_text(domain), dns.rdatatype.NS)
    query.flags &= ~dns.flags.RD
    try:
        answer, _tcp = dns.query.udp_with_fallback(query, address, timeout / 2, port=port, ignore_unexpected=True)
        return _reply(query, answer)
    except dns.exception.Timeout:
        # A datagram may get lost, and a firewall may let TCP alone through.
        return replace(_by_tcp_alone(query, address, port, timeout), udp_is_silent=True)
    except (OSError, EOFError, dns.exception.DNSException) as error:
        if isinstance(error, OSError) and error.errno in _NO_ROUTE:
            raise NoRouteError(_text_of(error)) from None
        raise SilentError(f"gave no DNS answer to the query ({_text_of(error)})") from None


def _by_tcp_alone(query: dns.message.Message, address: str, port: int, timeout: float) -> Reply:
    try:
        return _reply(query, dns.query.tcp(query, address, timeout=timeout / 2, port=port))
    except (OSError, EOFError, dns.exception.DNSException) as error:
        why = "no answer in time" if isinstance(error, dns.exception.Timeout) else _text_of(error)
        raise SilentError(
            f"gave no answer on port {port} within {timeout:g} s, neither by UDP nor by TCP ({why})"
        ) from None


def _reply(query: dns.message.Message, message: dns.message.Message) -> Reply:
    name = query.question[0].name
    found = message.get_rrset(message.answer, name, dns.rdataclass.IN, dns.rdatatype.NS)
    alias = message.get_rrset(message.answer, name, dns.rdataclass.IN, dns.rdatatype.CNAME)
    return Reply(
        rcode=dns.rcode.to_text(message.rcode()),
        authoritative=bool(message.flags & dns.flags.AA),
        names=_targets([found] if found else []),
        referred_to=_targets([each for each in message.authority if each.rdtype == dns.rdatatype.NS]),
        alias_of=min(_targets([alias]), default=None) if alias else None,
    )


def _targets(rrsets: Sequence[dns.rrset.RRset]) -> frozenset[str]:
    return frozenset(_plain_name(record.target) for rrset in rrsets for record in rrset)
