# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check against real servers: BIND."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import dns.exception
import dns.message
import dns.query
import dns.rcode
import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.nameservers import (
    Report,
    ask_nameservers,
)
from tests.support.dns_server import DnsServer, silent

pytestmark = [pytest.mark.full, pytest.mark.programs("named")]

# BIND listens only on an address that is one of an interface itself.
OWN = "127.0.0.1"
LONGEST_START = 30.0
NAMED = """
options {{
  directory "{folder}"; pid-file none; session-keyfile none; managed-keys-directory "{folder}";
  listen-on port {port} {{ {address}; }}; listen-on-v6 {{ none; }};
  recursion no; notify no; allow-query {{ any; }}; dnssec-validation no;
}};
controls {{ }};
{zones}
"""


@contextmanager
def named(folder: Path, texts: Mapping[str, str]) -> Iterator[int]:
    """A server that has these zones, and its port. It answers once the block is entered."""
    with DnsServer({OWN: silent}) as probe:
        port = probe.port
    for domain, text in texts.items():
        (folder / f"{domain}.zone").write_text(text, encoding="utf-8")
    zones = "\n".join(f'zone "{each}" {{ type master; file "{folder}/{each}.zone"; }};' for each in texts)
    (folder / "server.conf").write_text(NAMED.format(folder=folder, address=OWN, port=port, zones=zones))
    command = ["named", "-g", "-n", "1", "-c", folder / "server.conf"]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT) as process,
    ):
        end = time.monotonic() + LONGEST_START
        try:
            while not answers(port):
                assert (process.poll(), time.monotonic() < end) == (None, True), (folder / "log").read_text()
            yield port
        finally:
            process.terminate()


def answers(port: int) -> bool:
    query = dns.message.make_query("good.example", "SOA")
    try:
        return dns.query.udp(query, OWN, port=port, timeout=0.2).rcode() in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN)
    except (dns.exception.DNSException, OSError):
        return False


def zone_file(domain: str, *records: str) -> str:
    """The text of a zone, from records without their class."""
    soa = f"{domain}. 300 IN SOA ns.{domain}. hostmaster.{domain}. 1 3600 600 86400 60"
    return "\n".join(
        [soa, *(f"{name} 300 IN {rest}" for name, _blank, rest in (each.partition(" ") for each in records)), ""]
    )


#: In the domain itself, and outside of it; both are the one server.
INSIDE, OUTSIDE = "ns1.good.example", "ns2.outside.example"
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
#: What the one server says of domains for which it is given.
ANSWERS = {
    "good.example": f"with {OUTSIDE}, which is not among the given",
    "old.example": "named other nameservers of old.example than the given",
    "alias.parent.example": "has no NS records",
    "below.parent.example": "its answer is not authoritative",
    "gone.parent.example": "answered the NS query of gone.parent.example with NXDOMAIN",
    "nowhere.example": "refused the NS query of nowhere.example (REFUSED)",
}


#: Of a resolver that everybody uses: it knows what is delegated, to which the domains do not belong yet.
DELEGATED = zone_file("example", "example. NS ns.example.", f"ns.example. A {OWN}", f"{OUTSIDE}. A {OWN}")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of the authoritative server that has the zones."""
    with named(tmp_path_factory.mktemp("own"), ZONES) as port:
        yield port


@pytest.fixture
def public(tmp_path: Path) -> Iterator[str]:
    """The resolver that everybody uses."""
    with named(tmp_path, {"example": DELEGATED}) as port:
        yield f"{OWN}:{port}"


def test_each_answer_is_told_as_what_it_is(port: int) -> None:
    found = ask_nameservers([(domain, [INSIDE]) for domain in ANSWERS], resolvers=[f"{OWN}:{port}"], port=port)
    for (report,), words in zip(found, ANSWERS.values(), strict=True):
        assert words in report.problems[0]


def test_resolvers_are_asked_in_turn(port: int, public: str) -> None:
    own = f"{OWN}:{port}"

    def reports(*names: str, resolvers: list[str]) -> list[Report]:
        (found,) = ask_nameservers([("good.example", names)], resolvers=resolvers, port=port)
        return found

    for resolvers in ([public, own], [own, public]):
        found = reports(f"{INSIDE.upper()}.", OUTSIDE, INSIDE, resolvers=resolvers)
        assert [(report.name, report.ok) for report in found] == [(INSIDE, True), (OUTSIDE, True)]
    ((problem,),) = (report.problems for report in reports(INSIDE, resolvers=[public]))
    assert problem.startswith(f"{INSIDE} could not be looked up by the resolvers ({public}): ")
    (report,) = reports("ns9.good.example", resolvers=[public, own])
    assert f"({public}, {own})" in str(report.message)
