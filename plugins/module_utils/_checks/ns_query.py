# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends one NS query to one server, by UDP or TCP. Failures are described in words and not judged here."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .dns import plain_name, text_of

# Without the library, a Resolver says so first.
with contextlib.suppress(ImportError):
    import dns.exception
    import dns.flags
    import dns.message
    import dns.name
    import dns.query
    import dns.rcode
    import dns.rdataclass
    import dns.rdatatype
    import dns.rrset

#: A datagram may get lost: this share of the time that a server is given is waited for an answer to each of the first
#: two. TCP has twice as much, and a third datagram what is left.
_PATIENCE = 0.2
_MOMENT = 0.01
#: What the kernel says when it has no route, or does not know the address family at all.
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


@dataclass(frozen=True)
class Reply:
    """A server's response to an NS query. Names are in lower case without trailing dots.

    ``rcode`` is DNS's own word (``NOERROR``, ``REFUSED``). ``names`` are those of the domain's NS records in the answer
    section; ``referred_to`` those in the authority section, by which a server says that others have the zone;
    ``alias_of`` is set if the answer is a CNAME of the domain. ``udp_is_silent``: it came by TCP after silence by UDP.
    """

    rcode: str
    authoritative: bool
    recursion_available: bool
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
    return _Exchange(query, _routed_family(address, port), address, port, timeout).reply()


class _Exchange:
    """One query to one address, by whatever transport it answers, within a time."""

    def __init__(self, query: dns.message.Message, family: int, address: str, port: int, timeout: float) -> None:
        self._query = query
        self._family = family
        self._address = address
        self._port = port
        self._timeout = timeout
        self._end = time.monotonic() + timeout

    def reply(self) -> Reply:
        """Raises SilentError."""
        # All datagrams use one socket, so that a late answer to an earlier one counts too.
        with socket.socket(self._family, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            for _sending in range(2):
                message = self._by_udp(sock, _PATIENCE * self._timeout)
                if message is not None:
                    return _reply(self._query, message)
            by_tcp = self._by_tcp(2 * _PATIENCE * self._timeout)
            if isinstance(by_tcp, dns.message.Message):
                return replace(_reply(self._query, by_tcp), udp_is_silent=True)
            message = self._by_udp(sock, self._left())
        if message is None:
            raise SilentError(
                f"gave no answer on port {self._port} within {self._timeout:g} s, neither by UDP nor by TCP ({by_tcp})"
            )
        return _reply(self._query, message)

    def _left(self) -> float:
        """The seconds that are left, and always enough to read what is there already."""
        return max(self._end - time.monotonic(), _MOMENT)

    def _by_udp(self, sock: socket.socket, timeout: float) -> dns.message.Message | None:
        """The answer to one more datagram, if any comes in time. A truncated one is read again by TCP."""
        try:
            return dns.query.udp(
                self._query,
                self._address,
                timeout=timeout,
                port=self._port,
                ignore_unexpected=True,
                raise_on_truncation=True,
                sock=sock,
            )
        except dns.message.Truncated:
            whole = self._by_tcp(self._left())
            if isinstance(whole, str):
                raise SilentError(
                    f"gave no whole answer: by UDP it is truncated, by TCP there is none ({whole})"
                ) from None
            return whole
        except dns.exception.Timeout:
            return None
        except OSError as error:
            raise SilentError(f"cannot be sent to by UDP: {text_of(error)}") from None
        except dns.exception.DNSException as error:
            raise SilentError(f"gave no DNS answer to the query by UDP ({text_of(error)})") from None

    def _by_tcp(self, timeout: float) -> dns.message.Message | str:
        """The answer by TCP, or why there is none."""
        try:
            return dns.query.tcp(self._query, self._address, timeout=timeout, port=self._port)
        except dns.exception.Timeout:
            return "no answer in time"
        except EOFError:
            return "closed without an answer"
        except OSError as error:
            return text_of(error)
        except dns.exception.DNSException as error:
            return f"no DNS answer to the query: {text_of(error)}"


def _routed_family(address: str, port: int) -> int:
    """The address family of an address that this machine can send to. Raises NoRouteError."""
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Sends nothing: the kernel only looks for a route.
            probe.connect((address, port))
    except OSError as error:
        if error.errno in _NO_ROUTE:
            raise NoRouteError(text_of(error)) from None
        raise SilentError(f"cannot be sent to: {text_of(error)}") from None
    return family


def _reply(query: dns.message.Message, message: dns.message.Message) -> Reply:
    name = query.question[0].name
    found = message.get_rrset(message.answer, name, dns.rdataclass.IN, dns.rdatatype.NS)
    alias = message.get_rrset(message.answer, name, dns.rdataclass.IN, dns.rdatatype.CNAME)
    referrals = [each for each in message.authority if each.rdtype == dns.rdatatype.NS]
    return Reply(
        rcode=dns.rcode.to_text(message.rcode()),
        authoritative=bool(message.flags & dns.flags.AA),
        recursion_available=bool(message.flags & dns.flags.RA),
        names=_targets([found] if found else []),
        referred_to=_targets(referrals),
        alias_of=min(_targets([alias]), default=None) if alias else None,
    )


def _targets(rrsets: Sequence[dns.rrset.RRset]) -> frozenset[str]:
    return frozenset(plain_name(record.target) for rrset in rrsets for record in rrset)
