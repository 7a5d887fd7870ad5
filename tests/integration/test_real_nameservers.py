# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check against real servers: BIND."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import dns.exception
import dns.message
import dns.query
import dns.rcode
import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.nameservers import (
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


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Of the server that has the zones, and resolves."""
    with DnsServer({OWN: silent}) as probe:
        port = probe.port
    for domain, text in ZONES.items():
        (tmp_path / f"{domain}.zone").write_text(text, encoding="utf-8")
    zones = "\n".join(f'zone "{each}" {{ type master; file "{tmp_path}/{each}.zone"; }};' for each in ZONES)
    (tmp_path / "server.conf").write_text(NAMED.format(folder=tmp_path, address=OWN, port=port, zones=zones))
    command = ["named", "-g", "-n", "1", "-c", tmp_path / "server.conf"]
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT) as process,
    ):
        end = time.monotonic() + LONGEST_START
        try:
            while not answers(port):
                assert (process.poll(), time.monotonic() < end) == (None, True), (tmp_path / "log").read_text()
            yield port
        finally:
            process.terminate()


def test_each_answer_is_told_as_what_it_is(port: int) -> None:
    found = ask_nameservers([(domain, [INSIDE]) for domain in ANSWERS], resolvers=[f"{OWN}:{port}"], port=port)
    for (report,), words in zip(found, ANSWERS.values(), strict=True):
        assert words in report.problems[0]
