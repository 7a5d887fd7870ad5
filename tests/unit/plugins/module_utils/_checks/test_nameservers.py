# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check, against a real DNS server on loopback."""

from __future__ import annotations

import errno
import math
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks import dns
from ansible_collections.hosting.reseller.plugins.module_utils._checks.nameservers import (
    Report,
    ask_nameservers,
    nameserver_violations,
)
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
    MissingLibraryError,
)
from tests.support.dns_server import (
    NXDOMAIN,
    REFUSED,
    SERVFAIL,
    DnsServer,
    Script,
    garbage,
    hosts,
    losing,
    silent,
    truncated,
    zone,
)

DOMAIN = "example.org"
NS1, NS2 = "ns1.example.net", "ns2.example.net"
GOOD = zone(DOMAIN, NS1, NS2)
INSIDE = f"ns1.{DOMAIN}"
RESOLVER, FIRST, SECOND = "127.0.0.53", "127.0.0.2", "127.0.0.3"
#: Enough for an answer on a busy machine; only silence lasts as long.
PATIENT, IMPATIENT = 10.0, 0.3


def ask(
    at_first: Script,
    at_second: Script = GOOD,
    *,
    addresses: Mapping[str, Sequence[str]] | None = None,
    given: Sequence[str] = (NS1, NS2),
    resolver: Script | None = None,
    timeout: float = PATIENT,
    at_ipv6: Script | None = None,
) -> tuple[list[Report], DnsServer]:
    """Query ns1 (at_first) and ns2 (at_second)."""
    resolver = resolver or hosts(addresses or {NS1: [FIRST], NS2: [SECOND]})
    scripts = {RESOLVER: resolver, FIRST: at_first, SECOND: at_second}
    if at_ipv6:
        scripts["::1"] = at_ipv6
    with DnsServer(scripts) as server:
        options = {"resolvers": [server.place(RESOLVER)], "port": server.port, "timeout": timeout}
        (reports,) = ask_nameservers([(DOMAIN, given)], **options)
    return reports, server


@pytest.mark.parametrize(
    ("script", "given", "timeout"),
    [
        (zone(DOMAIN.upper(), "Ns2.Example.Net", NS1.upper()), (NS1.upper(), f"{NS2}.", NS1), PATIENT),
        (truncated(GOOD), (NS1, NS2), PATIENT),
        (losing(math.inf, GOOD, by_tcp=GOOD), (NS1, NS2), 0.6),
        (losing(1, GOOD), (NS1, NS2), 1.8),
    ],
    ids=["in another order and case", "truncated, whole by TCP", "after silence by UDP", "datagram lost"],
)
def test_nameserver_that_names_the_given_set_is_good(script: Script, given: Sequence[str], timeout: float) -> None:
    reports, server = ask(script, given=given, timeout=timeout)
    assert [(report.name, report.ok, report.problems) for report in reports] == [(NS1, True, []), (NS2, True, [])]
    assert reports[0].answers[0].nameservers == [NS1, NS2]
    queries = [query for query in server.queries if query.address == FIRST]
    assert {(query.name.to_text().lower(), query.record_type) for query in queries} == {("example.org.", "NS")}
    # However often it is sent, it is one query, so that a late answer to any datagram counts.
    assert len({query.message.id for query in queries}) == 1
    assert not any("RD" in str(query.message) for query in queries)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (REFUSED, "refused the NS query of example.org (REFUSED)"),
        (NXDOMAIN, "answered the NS query of example.org with NXDOMAIN"),
        (zone(DOMAIN), "no NS records"),
        (zone(DOMAIN, NS1, NS2, flags=()), "its answer is not authoritative"),
        (garbage, "no DNS answer to the query"),
        (truncated(GOOD, by_tcp=silent), "(UDP: truncated; TCP: EOF)"),
        (truncated(GOOD, by_tcp=REFUSED), "REFUSED"),
        (silent, "no DNS answer to the query"),
        (zone(DOMAIN, NS1, "x.com"), f"without {NS2} and with x.com, which is not among the given. Give"),
    ],
)
def test_answer_of_a_bad_nameserver_is_reported(script: Script, message: str) -> None:
    (bad, good), _server = ask(script, timeout=0.6)
    assert (bad.ok, good.ok) == (False, True)
    (problem,) = bad.problems
    assert problem.startswith(f"{NS1} ({FIRST}) ")
    assert message in problem
    assert ("verify_nameservers: false" in problem) == ("no DNS answer" in problem)


def test_every_address_of_a_nameserver_is_queried() -> None:
    addresses = {NS1: [FIRST, SECOND, "::1"], NS2: [SECOND]}
    reports, server = ask(GOOD, REFUSED, addresses=addresses, at_ipv6=SERVFAIL)
    assert {query.address for query in server.queries} == {RESOLVER, FIRST, SECOND, "::1"}
    assert [answer.ok for answer in reports[0].answers] == [True, False, False]
    begins = [problem.partition("the NS query")[0] for report in reports for problem in report.problems]
    assert begins == [f"{NS1} ({SECOND}) refused ", f"{NS1} (::1) answered ", f"{NS2} ({SECOND}) refused "]


OWN_ZONE = hosts({INSIDE: [FIRST]}, flags=("AA",))


@pytest.mark.parametrize(
    ("scripts", "message"),
    [
        ((REFUSED, OWN_ZONE), None),
        ((silent, OWN_ZONE), None),
        ((hosts({INSIDE: []}), OWN_ZONE), None),
        ((NXDOMAIN, SERVFAIL), "does not exist"),
        ((REFUSED, SERVFAIL), "answered SERVFAIL"),
        ((silent,), "The DNS operation timed out"),
        ((hosts({INSIDE: []}, flags=()),), "refers to other servers"),
    ],
)
def test_resolvers_are_queried_in_turn_until_one_has_an_address(scripts: Sequence[Script], message: str | None) -> None:
    """The host can be found by the zone's own server only."""
    resolvers = {f"127.0.0.{53 + place}": script for place, script in enumerate(scripts)}
    with DnsServer({**resolvers, FIRST: zone(DOMAIN, INSIDE)}) as server:
        options = {"port": server.port, "timeout": IMPATIENT if silent in scripts else PATIENT}
        ((report,),) = ask_nameservers([(DOMAIN, [INSIDE])], resolvers=[*map(server.place, resolvers)], **options)
    assert (report.ok, report.message is None) == ((message is None,) * 2)
    assert (message or "") in str(report.message)
    assert report.ok or "Name one of them as a resolver" in report.problems[0]


def test_resolvers_of_the_machine_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dns.resolver

    with DnsServer({RESOLVER: NXDOMAIN}) as server:
        (tmp_path / "resolv.conf").write_text(f"nameserver {RESOLVER}\n", encoding="utf-8")
        system = dns.resolver.Resolver(str(tmp_path / "resolv.conf"))
        system.port = server.port
        monkeypatch.setattr(dns.resolver, "Resolver", lambda **_options: system)
        ((report,),) = ask_nameservers([(DOMAIN, [NS1])], port=server.port)
    assert str(report.message).startswith(f"could not be looked up by the resolvers ({RESOLVER}): ")


@pytest.mark.parametrize(
    ("given", "resolver", "message"),
    [
        (NS1, NXDOMAIN, ["could not be looked up", "does not exist", "Correct the name"]),
        (NS1, hosts({NS1: []}), ["has no address", "Correct the name"]),
        ("a..b", NXDOMAIN, ["is not a valid hostname", "Correct the name"]),
        (f"ns1.not{DOMAIN}", NXDOMAIN, ["Correct the name"]),
        (INSIDE, NXDOMAIN, ["before the domain is delegated", "verify_nameservers: false"]),
        (NS1, hosts({NS1: []}, failing_type="AAAA"), ["could not be looked up", "or name other resolv"]),
    ],
)
def test_nameserver_without_an_address_is_not_ready(given: str, resolver: Script, message: Sequence[str]) -> None:
    (report,), _server = ask(GOOD, resolver=resolver, given=[given])
    assert not report.ok
    assert all(words in report.problems[0] for words in message)


def test_one_family_that_cannot_be_looked_up_is_no_failure() -> None:
    reports, _server = ask(GOOD, resolver=hosts({NS1: [FIRST], NS2: [SECOND]}, failing_type="AAAA"))
    assert [report.ok for report in reports] == [True, True]


@pytest.mark.parametrize(
    ("resolver", "place"),
    [
        ("127.0.0.1:5353", ("127.0.0.1", 5353)),
        ("[::1]:5353", ("::1", 5353)),
        ("::1", ("::1", 53)),
        ("[::1]", ("::1", 53)),
    ],
)
def test_a_resolver_may_be_written_as(resolver: str, place: tuple[str, int]) -> None:
    assert dns._servers(resolver) == [place]
    assert ("127.0.0.1", 5353) in dns._servers("localhost:5353")


@pytest.mark.parametrize("place", ["", ":53", "127.0.0.1:0", "127.0.0.1:65536", "a b", "a@b"])
def test_a_resolver_that_names_no_place_is_refused(place: str) -> None:
    with pytest.raises(ConfigurationError, match="resolver"):
        ask_nameservers([(DOMAIN, [NS1])], resolvers=[place])


@pytest.mark.parametrize(
    ("addresses", "at_first", "message"),
    [([FIRST, "::1"], GOOD, None), ([FIRST, "::1"], REFUSED, "REFUSED"), (["::1"], GOOD, "no route to ::1")],
)
def test_address_without_a_route_counts_only_if_there_is_no_other(
    addresses: list[str], at_first: Script, message: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine without IPv6: nothing here could take its routes away for one test only."""
    send = socket.socket.sendto

    def refuse(self: socket.socket, data: bytes, address: Any) -> int:
        if self.family == socket.AF_INET6:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return send(self, data, address)

    monkeypatch.setattr(socket.socket, "sendto", refuse)
    (report, _other), server = ask(at_first, addresses={NS1: addresses, NS2: [SECOND]}, at_ipv6=REFUSED)
    assert all(query.address != "::1" for query in server.queries)
    assert (report.ok, len(report.problems)) == ((True, 0) if message is None else (False, 1))
    assert all(str(message) in problem for problem in report.problems)


def test_orders_without_nameservers_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    order = {"domain": DOMAIN, "action": "register", "nameservers": f"{NS1} {NS2}"}
    with DnsServer({RESOLVER: hosts({NS1: [FIRST], NS2: [FIRST]}), FIRST: REFUSED}) as server:
        (found,) = nameserver_violations([order], resolvers=[server.place(RESOLVER)], port=server.port)
    assert {(each.path, each.source) for each in found} == {("settings.nameservers", "specification")}
    assert [each.rule.partition(" the NS")[0] for each in found] == [f"{name} ({FIRST}) refused" for name in (NS1, NS2)]
    monkeypatch.setattr(dns, "IMPORT_ERROR", ImportError("No module named 'dns'"))
    assert nameserver_violations([{"domain": DOMAIN}, {"hostname": "web01", "nameservers": NS1}]) == [[]] * 2
    with pytest.raises(MissingLibraryError, match="pip install dnspython"):
        nameserver_violations([order])
