# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check, against a real DNS server on loopback."""

from __future__ import annotations

import errno
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
    problems,
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
    failing,
    garbage,
    hosts,
    losing,
    only_by_tcp,
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
    """Ask ns1 (at_first) and ns2 (at_second)."""
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
        (only_by_tcp(GOOD), (NS1, NS2), 0.6),
        (losing(1, GOOD), (NS1, NS2), 1.8),
    ],
    ids=["in another order and case", "truncated, whole by TCP", "after silence by UDP", "datagram lost"],
)
def test_nameserver_that_names_the_given_set_is_good(script: Script, given: Sequence[str], timeout: float) -> None:
    reports, server = ask(script, given=given, timeout=timeout)
    assert [(report.name, report.status, report.ok) for report in reports] == [(NS1, "ok", True), (NS2, "ok", True)]
    assert problems(reports) == []
    assert reports[0].answers[0].nameservers == (NS1, NS2)
    queries = [query for query in server.queries if query.address == FIRST]
    assert {(query.name.to_text().lower(), query.record_type) for query in queries} == {("example.org.", "NS")}
    # However often it is sent, it is one query, so that a late answer to any datagram counts.
    assert len({query.message.id for query in queries}) == 1
    assert not any("RD" in str(query.message) for query in queries)


@pytest.mark.parametrize(
    ("script", "status", "told"),
    [
        (REFUSED, "refused", "refused the NS query of example.org (REFUSED)"),
        (NXDOMAIN, "no_zone", "answered the NS query of example.org with NXDOMAIN"),
        (SERVFAIL, "no_zone", "with SERVFAIL"),
        (failing("NOTAUTH"), "no_zone", "with NOTAUTH"),
        (zone(DOMAIN), "no_zone", "no NS records"),
        (zone(DOMAIN, NS1, NS2, flags=()), "no_zone", "its answer is not authoritative"),
        (failing("NOTIMP"), "no_answer", "with NOTIMP"),
        (garbage, "no_answer", "no DNS answer to the query"),
        (truncated(GOOD, by_tcp=silent), "no_answer", "(UDP: truncated; TCP: EOF)"),
        (truncated(GOOD, by_tcp=REFUSED), "refused", "REFUSED"),
        (silent, "no_answer", "no DNS answer to the query"),
        (zone(DOMAIN, NS1, "x.com"), "other_set", f"without {NS2} and with x.com, which is not among the given. Give"),
    ],
)
def test_what_a_bad_nameserver_answered_is_told(script: Script, status: str, told: str) -> None:
    reports, _server = ask(script, timeout=0.6)
    assert [report.status for report in reports] == [status, "ok"]
    (problem,) = problems(reports)
    assert problem.startswith(f"{NS1} ({FIRST}) {reports[0].answers[0].message}. ")
    assert told in problem
    assert ("verify_nameservers: false" in problem) == (status == "no_answer")


def test_every_address_of_a_nameserver_is_asked() -> None:
    addresses = {NS1: [FIRST, SECOND, "::1"], NS2: [SECOND]}
    reports, server = ask(GOOD, REFUSED, addresses=addresses, at_ipv6=SERVFAIL)
    assert {query.address for query in server.queries} == {RESOLVER, FIRST, SECOND, "::1"}
    assert [answer.status for answer in reports[0].answers] == ["ok", "refused", "no_zone"]
    assert [report.status for report in reports] == ["no_zone", "refused"]
    refused, broken = problems(reports)
    assert refused.startswith(f"{NS1} ({SECOND}), {NS2} ({SECOND}): refused")
    assert broken.startswith(f"{NS1} (::1) answered the NS query of {DOMAIN} with SERVFAIL")


@pytest.mark.parametrize("dead", [REFUSED, silent])
def test_dead_address_does_not_hide_a_wrong_zone(dead: Script) -> None:
    reports, _server = ask(dead, zone(DOMAIN, NS1), addresses={NS1: [FIRST, SECOND], NS2: [SECOND]}, timeout=0.6)
    assert [report.status for report in reports] == ["other_set", "other_set"]
    (told,) = [problem for problem in problems(reports) if FIRST in problem]
    assert ("let everybody query it" in told) is (dead is REFUSED)


OWN_ZONE = hosts({INSIDE: [FIRST]}, flags=("AA",))


@pytest.mark.parametrize(
    ("scripts", "told"),
    [
        ((REFUSED, OWN_ZONE), None),
        ((OWN_ZONE, SERVFAIL), None),
        ((silent, OWN_ZONE), None),
        ((NXDOMAIN, OWN_ZONE), None),
        ((hosts({INSIDE: []}), OWN_ZONE), None),
        ((NXDOMAIN, SERVFAIL), "does not exist (NXDOMAIN) according to the resolvers named in this task (127.0.0.53:"),
        ((REFUSED, SERVFAIL), "answered SERVFAIL"),
        ((silent,), "The DNS operation timed out"),
        ((hosts({INSIDE: []}, flags=()),), "refers to other servers"),
    ],
)
def test_resolvers_are_asked_in_turn_until_one_has_an_address(scripts: Sequence[Script], told: str | None) -> None:
    """The host can be found by the zone's own server only."""
    asked = {f"127.0.0.{53 + place}": script for place, script in enumerate(scripts)}
    with DnsServer({**asked, FIRST: zone(DOMAIN, INSIDE)}) as server:
        options = {"port": server.port, "timeout": IMPATIENT if silent in scripts else PATIENT}
        ((report,),) = ask_nameservers([(DOMAIN, [INSIDE])], resolvers=[*map(server.place, asked)], **options)
    assert (report.ok, report.message is None) == ((told is None,) * 2)
    assert (told or "") in str(report.message)
    assert report.lookup_failed is ("could not be looked up by the resolvers named in" in str(report.message))
    assert report.ok or "Name one of them as a resolver" in problems([report])[0]


def test_resolvers_of_the_machine_are_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dns.resolver

    with DnsServer({RESOLVER: NXDOMAIN}) as server:
        (tmp_path / "resolv.conf").write_text(f"nameserver {RESOLVER}\n", encoding="utf-8")
        system = dns.resolver.Resolver(str(tmp_path / "resolv.conf"))
        system.port = server.port
        monkeypatch.setattr(dns.resolver, "Resolver", lambda **_options: system)
        ((report,),) = ask_nameservers([(DOMAIN, [NS1])], port=server.port)
    assert report.message == f"does not exist (NXDOMAIN) according to the resolvers of this machine ({RESOLVER})"


@pytest.mark.parametrize(
    ("given", "resolver", "told"),
    [
        (NS1, NXDOMAIN, ["does not exist (NXDOMAIN) according to the", "Correct the name"]),
        (NS1, hosts({NS1: []}), ["has no address", "Correct the name"]),
        ("a..b", NXDOMAIN, ["is not a valid hostname", "Correct the name"]),
        (f"ns1.not{DOMAIN}", NXDOMAIN, ["Correct the name"]),
        (INSIDE, NXDOMAIN, ["before the domain is delegated", "verify_nameservers: false"]),
        (NS1, hosts({NS1: []}, failing_type="AAAA"), ["could not be looked up", "Check these resolv"]),
    ],
)
def test_nameserver_without_an_address_is_unresolvable(given: str, resolver: Script, told: Sequence[str]) -> None:
    (report,), _server = ask(GOOD, resolver=resolver, given=[given])
    assert report.status == "unresolvable"
    assert all(words in problems([report])[0] for words in told)


def test_one_family_that_cannot_be_looked_up_is_told_and_the_other_is_asked() -> None:
    reports, _server = ask(GOOD, resolver=hosts({NS1: [FIRST], NS2: [SECOND]}, failing_type="AAAA"))
    assert [report.status for report in reports] == ["ok", "ok"]
    assert "could not be looked up" in str(reports[0].message)


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
    ("addresses", "at_first", "status"),
    [([FIRST, "::1"], GOOD, "ok"), ([FIRST, "::1"], REFUSED, "refused"), (["::1"], GOOD, "not_asked")],
)
def test_address_without_a_route_counts_only_if_there_is_no_other(
    addresses: list[str], at_first: Script, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine without IPv6: nothing here could take its routes away for one test only."""
    send = socket.socket.sendto

    def refuse(self: socket.socket, data: bytes, address: Any) -> int:
        if self.family == socket.AF_INET6:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return send(self, data, address)

    monkeypatch.setattr(socket.socket, "sendto", refuse)
    (report, _other), server = ask(at_first, addresses={NS1: addresses, NS2: [SECOND]}, at_ipv6=REFUSED)
    assert (report.status, report.answers[-1].status) == (status, "not_asked")
    assert all(query.address != "::1" for query in server.queries)
    assert ["no route" in problem for problem in problems([report])] == [status == "not_asked"] * (status != "ok")


@pytest.mark.parametrize("nameservers", [f" {NS1}\n{NS2}  ", (NS1, NS2)])
def test_nameservers_may_be_the_documented_string_or_a_list(nameservers: Any) -> None:
    with DnsServer({RESOLVER: hosts({NS1: [FIRST], NS2: [FIRST]}), FIRST: REFUSED}) as server:
        order = {"domain": DOMAIN, "action": "register", "nameservers": nameservers}
        (([violation]),) = nameserver_violations([order], resolvers=[server.place(RESOLVER)], port=server.port)
    assert (violation.path, violation.source) == ("settings.nameservers", "specification")
    assert violation.rule.startswith(f"{NS1} ({FIRST}), {NS2} ({FIRST}): refused the NS query")


def test_without_nameservers_nothing_is_asked_and_no_library_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "IMPORT_ERROR", ImportError("No module named 'dns'"))
    orders: list[dict[str, Any]] = [
        {"domain": DOMAIN},
        {"domain": DOMAIN, "nameservers": []},
        {"domain": DOMAIN, "nameservers": [4]},
        {"hostname": "web01", "nameservers": NS1},
    ]
    assert nameserver_violations(orders) == [[]] * 4
    with pytest.raises(MissingLibraryError, match="pip install dnspython"):
        nameserver_violations([{"domain": DOMAIN, "nameservers": NS1}])
