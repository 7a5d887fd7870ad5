# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The two questions that are asked of DNS: which addresses a host has, and what one server says are a domain's NS.

What goes wrong is in the answers, in a person's words. Nothing here judges them.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

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

#: A datagram may get lost, so the question is sent this often within the time that a server is given.
_SENDINGS = 3
_RESOLVER_PORT = 53
_RESOLVER_FORM = (
    "Give it as an address or a host, with a port if that is not 53: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353."
)
#: What the kernel says when it has no route, or does not know the address family at all.
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


@dataclass(frozen=True)
class Lookup:
    """The addresses of one family that a host has; ``problem`` says why they are not known.

    ``failed``: the resolvers could not tell, so that the host itself may be all right.
    """

    addresses: tuple[str, ...] = ()
    problem: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Reply:
    """A server's answer to an NS query. Names are in lower case, without the dot at the end.

    ``rcode`` is DNS's own word (``NOERROR``, ``REFUSED``). ``names`` are those of the domain's NS records in the answer
    section; ``referred_to`` those in the authority section, by which a server says that others have the zone.
    """

    rcode: str
    authoritative: bool
    recursion_available: bool
    names: frozenset[str]
    referred_to: frozenset[str]


class SilentError(Exception):
    """The server gave no answer that can be read; the message says what happened instead."""


class NoRouteError(Exception):
    """This machine cannot send to the address at all."""


class Resolver:
    """Looks up the addresses of hosts. Threads may share one.

    ``resolvers`` are ``host``, ``host:port``, ``address`` or ``[IPv6 address]:port``; none are those of the system.
    ``timeout`` is in seconds, for one lookup. Raises ConfigurationError for a resolver that cannot be used, and
    MissingLibraryError when dnspython is not installed.
    """

    def __init__(self, resolvers: Sequence[str], timeout: float) -> None:
        if IMPORT_ERROR is not None:
            raise MissingLibraryError("dnspython", "to ask nameservers", str(IMPORT_ERROR))
        self._timeout = timeout
        try:
            self._resolver = dns.resolver.Resolver(configure=not resolvers)
        except dns.resolver.NoResolverConfiguration as error:
            raise ConfigurationError(
                f"This machine has no DNS resolver to look up nameservers with ({error}). Name one by the option for "
                "other resolvers, as 192.0.2.53."
            ) from None
        if resolvers:
            self._resolver.nameservers = [
                dns.nameserver.Do53Nameserver(address, port)
                for resolver in resolvers
                for address, port in _resolver_places(resolver)
            ]

    def look_up(self, host: str, family: Family) -> Lookup:
        """The addresses of a host, with CNAMEs followed. The system's search list is not used."""
        try:
            answer = self._resolver.resolve(
                dns.name.from_text(host), family, lifetime=self._timeout, search=False, raise_on_no_answer=False
            )
        except dns.resolver.NXDOMAIN:
            return Lookup(problem="does not exist (NXDOMAIN)")
        except dns.exception.Timeout:
            return Lookup(
                problem=f"could not be looked up: no resolver answered within {self._timeout:g} s", failed=True
            )
        except (dns.exception.DNSException, OSError) as error:
            return Lookup(problem=f"could not be looked up: {_text(error)}", failed=True)
        # Servers send them in any order; a report should not differ by it.
        return Lookup(tuple(sorted({record.address for record in answer.rrset or ()}, key=ipaddress.ip_address)))


def ask_ns(domain: str, address: str, port: int, timeout: float) -> Reply:
    """What the server at an address says are the nameservers of a domain: by UDP, and by TCP if that is truncated.

    It is asked without recursion, so that a resolver does not answer in place of the domain's own server. ``timeout``
    is in seconds, for UDP and again for TCP. Raises SilentError and NoRouteError.
    """
    query = dns.message.make_query(dns.name.from_text(domain), dns.rdatatype.NS)
    query.flags &= ~dns.flags.RD
    family = _routed_family(address, port)
    within = f"on port {port} within {timeout:g} s"
    try:
        message = _exchanged(lambda: _ask_udp(query, family, address, port, timeout), "by UDP", within)
    except dns.message.Truncated:
        message = _exchanged(
            lambda: dns.query.tcp(query, address, timeout=timeout, port=port),
            "by TCP (its answer by UDP was truncated)",
            within,
        )
    return _reply(query, message)


def _exchanged(ask: Callable[[], dns.message.Message], how: str, within: str) -> dns.message.Message:
    """The answer that ``ask`` waits for. Raises SilentError, and passes on Truncated."""
    try:
        return ask()
    except dns.message.Truncated:
        raise
    except dns.exception.Timeout:
        raise SilentError(f"gave no answer {how} {within}") from None
    except (EOFError, OSError) as error:
        raise SilentError(f"gave no answer {how} {within}: {_text(error)}") from None
    except dns.exception.DNSException as error:
        raise SilentError(f"gave no usable answer {how}: it is no DNS answer to the query ({_text(error)})") from None


def _ask_udp(query: dns.message.Message, family: int, address: str, port: int, timeout: float) -> dns.message.Message:
    # All sendings use one socket, so that a late answer to an earlier one counts too.
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.setblocking(False)

        def send() -> dns.message.Message:
            return dns.query.udp(
                query,
                address,
                timeout=timeout / _SENDINGS,
                port=port,
                ignore_unexpected=True,
                raise_on_truncation=True,
                sock=sock,
            )

        for _sending in range(_SENDINGS - 1):
            with contextlib.suppress(dns.exception.Timeout):
                return send()
        return send()


def _routed_family(address: str, port: int) -> int:
    """The address family of an address that this machine can send to. Raises NoRouteError."""
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Sends nothing: the kernel only looks for a route.
            probe.connect((address, port))
    except OSError as error:
        if error.errno in _NO_ROUTE:
            raise NoRouteError(_text(error)) from None
        raise SilentError(f"cannot be sent to: {_text(error)}") from None
    return family


def _reply(query: dns.message.Message, message: dns.message.Message) -> Reply:
    name = query.question[0].name
    found = message.get_rrset(message.answer, name, dns.rdataclass.IN, dns.rdatatype.NS)
    referrals = [each for each in message.authority if each.rdtype == dns.rdatatype.NS]
    return Reply(
        rcode=dns.rcode.to_text(message.rcode()),
        authoritative=bool(message.flags & dns.flags.AA),
        recursion_available=bool(message.flags & dns.flags.RA),
        names=_targets([found] if found else []),
        referred_to=_targets(referrals),
    )


def _targets(rrsets: Sequence[dns.rrset.RRset]) -> frozenset[str]:
    return frozenset(record.target.to_text(omit_final_dot=True).lower() for rrset in rrsets for record in rrset)


def _resolver_places(resolver: str) -> list[tuple[str, int]]:
    """The addresses and the port that are meant by one given resolver. Raises ConfigurationError."""
    host, port = _host_and_port(resolver.strip())
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"The resolver {resolver!r} cannot be used: {_text(error)}. {_RESOLVER_FORM}"
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
        raise ConfigurationError(f"The resolver {resolver!r} names no host and port. {_RESOLVER_FORM}")
    return host, int(port)


_RESOLVER_FORM = (
    "Give it as an address or a host, with a port if that is not 53: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353."
)


def _text(error: BaseException) -> str:
    """The library's words, on one line and bounded."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    line = " ".join(words.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


__all__ = ["FAMILIES", "Lookup", "NoRouteError", "Reply", "Resolver", "SilentError", "ask_ns"]
