# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The nameserver check against real servers: BIND and NSD, with Unbound and dnsmasq as resolvers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
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

pytestmark = pytest.mark.full

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
NSD = """
server:
  ip-address: {address}@{port}
  username: ""
  chroot: ""
  database: ""
  zonesdir: "{folder}"
  pidfile: "{folder}/nsd.pid"
  xfrdfile: "{folder}/xfrd.state"
  zonelistfile: "{folder}/zone.list"
remote-control:
  control-enable: no
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


def free_port(*addresses: str) -> int:
    """A port that is free at all of these addresses, by UDP and TCP."""
    with DnsServer(dict.fromkeys(addresses, silent)) as probe:
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
    # BIND does not load it, and NSD answers with authority.
    "any.example": zone_file("any.example", f"any.example. NS {INSIDE}.", f"*.any.example. NS {INSIDE}."),
}
RECORDS = (f"{OUTSIDE}. A {OWN}",)
#: What the one server says of domains for which it is given.
ANSWERS = {
    "good.example": ("other_set", f"with {OUTSIDE}, which is not among the given"),
    "old.example": ("other_set", "named other nameservers of old.example than the given"),
    "alias.parent.example": ("no_zone", "has no NS records"),
    "below.parent.example": ("no_zone", "its answer is not authoritative"),
    "shop.any.example": ("no_zone", "Set up the zone there"),
    "gone.parent.example": ("no_zone", "answered the NS query of gone.parent.example with NXDOMAIN"),
    "nowhere.example": ("refused", "refused the NS query of nowhere.example (REFUSED)"),
}


def bind(folder: Path, port: int) -> Program:
    zones = "\n".join(f'zone "{each}" {{ type master; file "{folder}/{each}.zone"; }};' for each in ZONES)
    return started(folder, port, NAMED, zones, "named", "-g", "-n", "1", "-c")


def nsd(folder: Path, port: int) -> Program:
    zones = "\n".join(f'zone:\n  name: "{each}"\n  zonefile: "{each}.zone"' for each in ZONES)
    return started(folder, port, NSD, zones, "nsd", "-d", "-c")


def started(folder: Path, port: int, config: str, zones: str, *command: str) -> Program:
    """An authoritative server with the zones."""
    for domain, text in ZONES.items():
        (folder / f"{domain}.zone").write_text(text, encoding="utf-8")
    (folder / "server.conf").write_text(config.format(folder=folder, address=OWN, port=port, zones=zones))
    return Program(folder, OWN, port, [*command, folder / "server.conf"])


def unbound(folder: Path, address: str, port: int, *data: str) -> Program:
    """A resolver that knows these records and for which nothing else of ``example`` exists."""
    lines = ['  local-zone: "example." static', *(f'  local-data: "{each}"' for each in data)]
    config = folder / "server.conf"
    config.write_text(UNBOUND.format(folder=folder, address=address, port=port, data="\n".join(lines)))
    return Program(folder, address, port, ["unbound", "-d", "-p", "-c", config])


def dnsmasq(folder: Path, address: str, port: int, *data: str) -> Program:
    """The same."""
    hosts = [f"--host-record={name.rstrip('.')},{at}" for name, _type, at in map(str.split, data)]
    options = ["--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--local=/example/", *hosts]
    return Program(
        folder,
        address,
        port,
        ["dnsmasq", *options, "--bind-interfaces", f"--listen-address={address}", f"--port={port}"],
    )


SERVERS: dict[Callable[..., Program], str] = {bind: "named", nsd: "nsd"}
RESOLVERS: dict[Callable[..., Program], str] = {unbound: "unbound", dnsmasq: "dnsmasq"}


@pytest.fixture(
    scope="module", params=[pytest.param(each, marks=pytest.mark.programs(name)) for each, name in SERVERS.items()]
)
def own(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The server that has the zones."""
    with request.param(tmp_path_factory.mktemp("own"), free_port(OWN)) as running:
        yield running


@pytest.fixture(params=[pytest.param(each, marks=pytest.mark.programs(name)) for each, name in RESOLVERS.items()])
def public(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Program]:
    """A resolver that everybody uses. It knows what is delegated, to which the domains do not belong yet."""
    with request.param(tmp_path, PUBLIC, free_port(PUBLIC), *RECORDS) as running:
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
