# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check against real servers: BIND, Knot, NSD and PowerDNS, with Unbound as a resolver."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import dns.message
import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.nameserver_problems import (
    alias_warnings,
    nameserver_findings,
    problems,
)
from ansible_collections.hosting.reseller.plugins.module_utils._checks.nameservers import Report, ask_nameservers
from tests.support.nameserver_programs import Program, free_port, nameserver, unbound, zone_file

pytestmark = pytest.mark.full

PROGRAMS = ("named", "knotd", "nsd", "pdns_server")
# BIND listens only on an address that is one of an interface itself.
OWN, PUBLIC = "127.0.0.1", "127.0.0.53"
#: In the domain itself, and outside of it; both are the one server.
INSIDE, OUTSIDE, ALIAS = "ns1.good.example", "ns2.outside.example", "www.outside.example"
ZONES = {
    "good.example": zone_file(
        "good.example", f"good.example. NS {INSIDE}.", f"good.example. NS {OUTSIDE}.", f"{INSIDE}. A {OWN}"
    ),
    "old.example": zone_file("old.example", "old.example. NS ns.old.example.", f"ns.old.example. A {OWN}"),
    "parent.example": zone_file(
        "parent.example",
        f"parent.example. NS {OUTSIDE}.",
        "alias.parent.example. CNAME host.parent.example.",
        f"host.parent.example. A {OWN}",
        "below.parent.example. NS ns.elsewhere.example.",
    ),
}
RECORDS = (f"{OUTSIDE}. A {OWN}", f"{ALIAS}. CNAME {OUTSIDE}.")
#: What the one server says of domains for which it is given.
ANSWERS = {
    "old.example": ("other_set", "named other nameservers of old.example than the given"),
    "alias.parent.example": ("no_zone", "has a CNAME in place of the zone: alias.parent.example is an alias of host."),
    "below.parent.example": ("no_zone", "it refers to ns.elsewhere.example"),
    "gone.parent.example": ("no_zone", "answered the NS query of gone.parent.example with NXDOMAIN"),
    "nowhere.example": ("refused", "refused the NS query of nowhere.example (REFUSED)"),
}


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.programs(name)) for name in PROGRAMS])
def own(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The server that has the zones."""
    folder = tmp_path_factory.mktemp(request.param)
    with nameserver(request.param, folder, OWN, free_port(OWN), ZONES) as running:
        yield running


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Program]:
    """A resolver that everybody uses. It knows what is delegated, to which the domains do not belong yet."""
    with unbound(tmp_path, PUBLIC, free_port(PUBLIC), *RECORDS) as running:
        yield running


def reports(own: Program, domain: str, *names: str, resolvers: list[str] | None = None) -> list[Report]:
    (found,) = ask_nameservers([(domain, names)], resolvers=resolvers or [own.place], port=own.port)
    return found


def test_each_answer_is_told_as_what_it_is(own: Program) -> None:
    found = ask_nameservers([(domain, [INSIDE]) for domain in ANSWERS], resolvers=[own.place], port=own.port)
    assert [report.status for (report,) in found] == [status for status, _words in ANSWERS.values()]
    for told, (_status, words) in zip(map(problems, found), ANSWERS.values(), strict=True):
        assert words in told[0]


@pytest.mark.programs("unbound")
def test_a_correct_set_is_accepted_whichever_resolver_is_asked_first(own: Program, public: Program) -> None:
    for resolvers in ([public.place, own.place], [own.place, public.place]):
        found = reports(own, "good.example", f"{INSIDE.upper()}.", OUTSIDE, INSIDE, resolvers=resolvers)
        assert [(report.name, report.status, report.message) for report in found] == [
            (INSIDE, "ok", None),
            (OUTSIDE, "ok", None),
        ]


@pytest.mark.programs("unbound")
def test_a_name_that_no_resolver_knows_is_told_with_who_was_asked(own: Program, public: Program) -> None:
    (problem,) = problems(reports(own, "good.example", INSIDE, resolvers=[public.place]))
    assert problem.startswith(f"{INSIDE} does not exist (NXDOMAIN)")
    assert public.place in problem
    (report,) = reports(own, "good.example", "ns9.good.example", resolvers=[public.place, own.place])
    assert report.message is not None
    assert report.message.endswith(f"{public.place}, {own.place}")


@pytest.mark.programs("unbound")
def test_a_nameserver_that_is_an_alias_is_warned_of(own: Program, public: Program) -> None:
    (warning,) = alias_warnings(reports(own, "good.example", ALIAS, resolvers=[public.place]))
    assert f"{ALIAS} is an alias (CNAME) of {OUTSIDE}" in warning


@pytest.mark.programs("named")
def test_a_server_that_limits_udp_is_asked_by_tcp(tmp_path: Path) -> None:
    limit = "rate-limit { responses-per-second 1; window 30; slip 0; };"
    port = free_port(OWN)
    with nameserver("named", tmp_path, OWN, port, ZONES, more=limit) as own:
        query = dns.message.make_query("good.example", "NS").to_wire()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
            flood.settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                while flood.sendto(query, (OWN, port)):
                    flood.recv(4096)
        check_one = [{"domain": "good.example", "nameservers": INSIDE}]
        ((violations, _warnings),) = nameserver_findings(check_one, resolvers=[own.place], port=port)
    (violation,) = violations
    assert "named other nameservers of good.example than the given" in violation.rule
    assert "(by TCP, after no answer by UDP)" in violation.rule
