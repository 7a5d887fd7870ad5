# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sends one NS query to one server, by UDP or TCP. Failures are described in words and not judged here."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
from collections.abc import Iterator, Sequence
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
    _check_route(address, port)
    half = timeout / 2
    try:
        answer, _by_tcp = dns.query.udp_with_fallback(query, address, timeout=half, port=port, ignore_unexpected=True)
        return _reply(query, answer)
    except dns.exception.Timeout:
        # A datagram may get lost, and a firewall may let TCP alone through.
        with _silence(port, timeout):
            return replace(_reply(query, dns.query.tcp(query, address, timeout=half, port=port)), udp_is_silent=True)
    except (OSError, EOFError, dns.exception.DNSException) as error:
        raise SilentError(f"gave no DNS answer to the query ({text_of(error)})") from None


@contextlib.contextmanager
def _silence(port: int, timeout: float) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, dns.exception.DNSException) as error:
        why = "no answer in time" if isinstance(error, dns.exception.Timeout) else text_of(error)
        raise SilentError(
            f"gave no answer on port {port} within {timeout:g} s, neither by UDP nor by TCP ({why})"
        ) from None


def _check_route(address: str, port: int) -> None:
    """Raise NoRouteError if this machine cannot send to the address."""
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            # Sends nothing: the kernel only looks for a route.
            probe.connect((address, port))
    except OSError as error:
        if error.errno in _NO_ROUTE:
            raise NoRouteError(text_of(error)) from None
        raise SilentError(f"cannot be sent to: {text_of(error)}") from None


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
