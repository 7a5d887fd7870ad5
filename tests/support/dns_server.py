# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real DNS server on loopback addresses, all on one port, that answers over UDP and TCP what a test scripts.

    with DnsServer({"127.0.0.2": zone("example.org", "ns1.example.net"), "127.0.0.3": REFUSED}) as server:
        ...  # ask 127.0.0.2 and 127.0.0.3 on server.port; server.queries keeps what was asked

A script is a function of a query and the transport that it came by. It returns the messages to send: bytes as they are,
DNS messages in wire form, nothing to stay silent.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

Transport = Literal["udp", "tcp"]


@dataclass(frozen=True)
class Query:
    """A query as it arrived."""

    address: str
    transport: Transport
    message: dns.message.Message

    @property
    def name(self) -> dns.name.Name:
        return self.message.question[0].name

    @property
    def record_type(self) -> str:
        return dns.rdatatype.to_text(self.message.question[0].rdtype)

    def reply(self, rcode: str = "NOERROR", *flags: str) -> dns.message.Message:
        """An empty answer to this query."""
        made = dns.message.make_response(self.message)
        made.set_rcode(dns.rcode.from_text(rcode))
        made.flags |= dns.flags.from_text(" ".join(flags))
        return made


Script = Callable[[Query], "dns.message.Message | bytes | None"]


def _answering(
    known: Mapping[str, Mapping[str, Sequence[str]]], flags: Sequence[str]
) -> Callable[[Query], dns.message.Message]:
    """Has records of these names by their type, and knows no other name."""
    records = {dns.name.from_text(name): each for name, each in known.items()}

    def answer(query: Query) -> dns.message.Message:
        reply = query.reply("NOERROR" if query.name in records else "NXDOMAIN", *flags)
        if values := records.get(query.name, {}).get(query.record_type):
            reply.answer.append(dns.rrset.from_text(query.name, 300, "IN", query.record_type, *values))
        return reply

    return answer


def zone(domain: str, *nameservers: str, flags: Sequence[str] = ("AA",)) -> Script:
    """Has the zone, with these NS records (fully qualified by this function); it refuses all other queries."""
    found, apex = _answering({domain: {"NS": [f"{each}." for each in nameservers]}}, flags), dns.name.from_text(domain)
    return lambda query: found(query) if query.name == apex else query.reply("REFUSED")


def failing(rcode: str) -> Script:
    """Answers everything with this error."""
    return lambda query: query.reply(rcode)


REFUSED = failing("REFUSED")
NXDOMAIN = failing("NXDOMAIN")
SERVFAIL = failing("SERVFAIL")


def silent(query: Query) -> None:
    """Receives and does not answer."""
    del query


def garbage(query: Query) -> bytes:
    """Answers with bytes that are no DNS message."""
    return b"\xff" * (len(query.message.id.to_bytes(2, "big")) + 1)


def truncated(script: Script, by_tcp: Script | None = None) -> Script:
    """Says by UDP that the answer is too long for it, and answers by TCP as ``by_tcp`` (default: ``script``) does."""

    def answer(query: Query) -> dns.message.Message | bytes | None:
        if query.transport == "tcp":
            return (by_tcp or script)(query)
        return query.reply("NOERROR", "AA", "TC")

    return answer


def losing(count: float, script: Script, by_tcp: Script = silent) -> Script:
    """Loses so many datagrams of each query, and answers the next; by TCP it answers as ``by_tcp`` does."""
    received: Counter[tuple[int, str]] = Counter()

    def answer(query: Query) -> dns.message.Message | bytes | None:
        if query.transport == "tcp":
            return by_tcp(query)
        received[query.message.id, query.record_type] += 1
        return script(query) if received[query.message.id, query.record_type] > count else None

    return answer


def hosts(
    addresses: Mapping[str, Sequence[str]], *, failing_type: str | None = None, flags: Sequence[str] = ("RA",)
) -> Script:
    """A resolver that knows these hosts, and answers SERVFAIL for records of ``failing_type``."""
    families = {"A": ".", "AAAA": ":"}
    known = {
        name: {family: [value for value in values if mark in value] for family, mark in families.items()}
        for name, values in addresses.items()
    }
    found = _answering(known, flags)
    return lambda query: query.reply("SERVFAIL", *flags) if query.record_type == failing_type else found(query)


class DnsServer:
    """Answers at each address as its script says. ``port`` is the one port of all."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self.queries: list[Query] = []
        self._scripts = dict(scripts)
        self._open: list[tuple[socket.socket, str]] = []
        self.port = self._bind()

    def place(self, address: str) -> str:
        """An address and the port, as a resolver is written."""
        return f"[{address}]:{self.port}" if ":" in address else f"{address}:{self.port}"

    def __enter__(self) -> DnsServer:
        for each, address in self._open:
            serve = self._serve_tcp if each.type == socket.SOCK_STREAM else self._serve_udp
            threading.Thread(target=serve, args=(each, address), daemon=True).start()
        return self

    def __exit__(self, *_ended: object) -> None:
        self._close()

    def _bind(self) -> int:
        for _attempt in range(20):
            port = 0
            try:
                for address in self._scripts:
                    family = socket.AF_INET6 if ":" in address else socket.AF_INET
                    self._open.append((socket.socket(family, socket.SOCK_DGRAM), address))
                    self._open[-1][0].bind((address, port))
                    port = self._open[-1][0].getsockname()[1]
                    self._open.append((socket.create_server((address, port), family=family), address))
            except OSError:
                # Somebody else has this port at one of the addresses, or by TCP.
                self._close()
            else:
                return port
        raise RuntimeError(f"no port is free at all of {', '.join(self._scripts)}")

    def _close(self) -> None:
        for each, _address in self._open:
            # Wakes the thread, also that of a datagram socket, which is not connected.
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def _serve_udp(self, opened: socket.socket, address: str) -> None:
        with contextlib.suppress(OSError):
            while (received := opened.recvfrom(65535))[0]:
                answer = self._answer(address, "udp", received[0])
                if answer is not None:
                    opened.sendto(answer, received[1])

    def _serve_tcp(self, listening: socket.socket, address: str) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _client = listening.accept()
                with contextlib.suppress(OSError), connection, connection.makefile("rb") as stream:
                    connection.settimeout(10)
                    (length,) = struct.unpack("!H", stream.read(2))
                    answer = self._answer(address, "tcp", stream.read(length))
                    if answer is not None:
                        connection.sendall(struct.pack("!H", len(answer)) + answer)

    def _answer(self, address: str, transport: Transport, wire: bytes) -> bytes | None:
        query = Query(address, transport, dns.message.from_wire(wire))
        self.queries.append(query)
        answer = self._scripts[address](query)
        return answer.to_wire() if isinstance(answer, dns.message.Message) else answer
