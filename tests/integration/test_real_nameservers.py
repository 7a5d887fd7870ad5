# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check against real servers: BIND, with Unbound as a resolver."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

import dns.exception
import dns.message
import dns.query
import dns.rcode
import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._checks.nameservers import (
    Report,
    ask_nameservers,
    problems,
)
from tests.support.dns_server import DnsServer, silent

pytestmark = [pytest.mark.full, pytest.mark.programs("named", "unbound")]

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
UNBOUND = """
server:
  interface: {address}@{port}
  access-control: 127.0.0.0/8 allow
  directory: "{folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  num-threads: 1
  module-config: "iterator"
  do-ip6: no
{data}
remote-control:
  control-enable: no
"""


class Program:
    """One server. It answers once the ``with`` block is entered, and is killed when that is left."""

    def __init__(self, folder: Path, address: str, port: int, command: Sequence[str | Path]) -> None:
        self.address = address
        self.port = port
        self._folder = folder
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def place(self) -> str:
        """As a resolver is written."""
        return f"{self.address}:{self.port}"

    def __enter__(self) -> Program:
        log = (self._folder / "log").open("wb")
        with log:
            self._process = subprocess.Popen(self._command, cwd=self._folder, stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + LONGEST_START
        while time.monotonic() < end and self._process.poll() is None:
            if self._answers():
                return self
        self.__exit__(None, None, None)
        raise RuntimeError(f"{self._command[0]} did not start: {(self._folder / 'log').read_text()[-2000:]}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _answers(self) -> bool:
        query = dns.message.make_query("good.example", "SOA")
        try:
            answer = dns.query.udp(query, self.address, port=self.port, timeout=0.2)
        except (dns.exception.DNSException, OSError):
            return False
        return answer.rcode() in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN)


def free_port(address: str) -> int:
    """A port that is free by UDP and TCP."""
    with DnsServer({address: silent}) as probe:
        return probe.port


def zone_file(domain: str, *records: str) -> str:
    """The text of a zone, from records without their class."""
    soa = f"{domain}. 300 IN SOA ns.{domain}. hostmaster.{domain}. 1 3600 600 86400 60"
    return "\n".join(
        [soa, *(f"{name} 300 IN {rest}" for name, _blank, rest in (each.partition(" ") for each in records)), ""]
    )


# BIND listens only on an address that is one of an interface itself.
OWN, PUBLIC = "127.0.0.1", "127.0.0.53"
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
    "good.example": ("other_set", f"with {OUTSIDE}, which is not among the given"),
    "old.example": ("other_set", "named other nameservers of old.example than the given"),
    "alias.parent.example": ("no_zone", "has no NS records"),
    "below.parent.example": ("no_zone", "its answer is not authoritative"),
    "gone.parent.example": ("no_zone", "answered the NS query of gone.parent.example with NXDOMAIN"),
    "nowhere.example": ("refused", "refused the NS query of nowhere.example (REFUSED)"),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The authoritative server that has the zones."""
    folder, port = tmp_path_factory.mktemp("own"), free_port(OWN)
    for domain, text in ZONES.items():
        (folder / f"{domain}.zone").write_text(text, encoding="utf-8")
    zones = "\n".join(f'zone "{each}" {{ type master; file "{folder}/{each}.zone"; }};' for each in ZONES)
    config = folder / "server.conf"
    config.write_text(NAMED.format(folder=folder, address=OWN, port=port, zones=zones))
    with Program(folder, OWN, port, ["named", "-g", "-n", "1", "-c", config]) as running:
        yield running


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Program]:
    """A resolver that everybody uses. It knows what is delegated, to which the domains do not belong yet."""
    port, config = free_port(PUBLIC), tmp_path / "server.conf"
    data = f'  local-zone: "example." static\n  local-data: "{OUTSIDE}. A {OWN}"'
    config.write_text(UNBOUND.format(folder=tmp_path, address=PUBLIC, port=port, data=data))
    with Program(tmp_path, PUBLIC, port, ["unbound", "-d", "-p", "-c", config]) as running:
        yield running


def reports(own: Program, domain: str, *names: str, resolvers: list[str] | None = None) -> list[Report]:
    (found,) = ask_nameservers([(domain, names)], resolvers=resolvers or [own.place], port=own.port)
    return found


def test_each_answer_is_told_as_what_it_is(own: Program) -> None:
    found = ask_nameservers([(domain, [INSIDE]) for domain in ANSWERS], resolvers=[own.place], port=own.port)
    assert [report.status for (report,) in found] == [status for status, _words in ANSWERS.values()]
    for told, (_status, words) in zip(map(problems, found), ANSWERS.values(), strict=True):
        assert words in told[0]


def test_a_correct_set_is_accepted_whichever_resolver_is_asked_first(own: Program, public: Program) -> None:
    for resolvers in ([public.place, own.place], [own.place, public.place]):
        found = reports(own, "good.example", f"{INSIDE.upper()}.", OUTSIDE, INSIDE, resolvers=resolvers)
        assert [(report.name, report.status, report.message) for report in found] == [
            (INSIDE, "ok", None),
            (OUTSIDE, "ok", None),
        ]


def test_a_name_that_no_resolver_knows_is_told_with_who_was_asked(own: Program, public: Program) -> None:
    (problem,) = problems(reports(own, "good.example", INSIDE, resolvers=[public.place]))
    assert problem.startswith(f"{INSIDE} does not exist (NXDOMAIN)")
    assert public.place in problem
    (report,) = reports(own, "good.example", "ns9.good.example", resolvers=[public.place, own.place])
    assert report.message is not None
    assert f"({public.place}, {own.place})" in report.message
