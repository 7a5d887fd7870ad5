# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real DNS servers as processes of their own, on a loopback address, a free port and a temporary folder."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import dns.exception
import dns.message
import dns.query
import dns.rcode

from tests.support.dns_server import DnsServer, silent

LONGEST_START = 30.0

NAMED = """
options {{
  directory "{folder}"; pid-file none; session-keyfile none; managed-keys-directory "{folder}";
  listen-on port {port} {{ {address}; }}; listen-on-v6 {{ none; }};
  recursion no; notify no; allow-query {{ any; }}; dnssec-validation no; {more}
}};
controls {{ }};
{zones}
"""
KNOT = """
server:
  rundir: "{folder}"
  listen: {address}@{port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: "{folder}"
log:
  - target: stderr
    any: info
template:
  - id: default
    storage: "{folder}"
    file: "%s.zone"
    journal-content: none
    zonefile-sync: -1
zone:
{zones}
"""
NSD = """
server:
  ip-address: {address}@{port}
  username: ""
  chroot: ""
  zonesdir: "{folder}"
  database: ""
  pidfile: ""
  xfrdfile: "{folder}/xfrd.state"
  zonelistfile: "{folder}/zone.list"
  cookie-secret-file: ""
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


def nameserver(
    program: str, folder: Path, address: str, port: int, zones: Mapping[str, str], *, more: str = ""
) -> Program:
    """An authoritative server with these zones. ``more`` are options of BIND."""
    for domain, text in zones.items():
        (folder / f"{domain}.zone").write_text(text, encoding="utf-8")
    in_bind = "\n".join(f'zone "{each}" {{ type master; file "{folder}/{each}.zone"; }};' for each in zones)
    texts = {
        "named": (NAMED, in_bind),
        "knotd": (KNOT, "\n".join(f"  - domain: {each}" for each in zones)),
        "nsd": (NSD, "\n".join(f'zone:\n  name: "{each}"\n  zonefile: "{each}.zone"' for each in zones)),
        "pdns_server": ("{zones}", in_bind),
    }
    template, listed = texts[program]
    config = folder / "server.conf"
    config.write_text(template.format(folder=folder, address=address, port=port, zones=listed, more=more))
    commands: dict[str, list[str | Path]] = {
        "named": ["named", "-g", "-n", "1", "-c", config],
        "knotd": ["knotd", "-c", config],
        "nsd": ["nsd", "-d", "-c", config],
        "pdns_server": [
            "pdns_server",
            f"--config-dir={folder}",
            "--daemon=no",
            "--guardian=no",
            "--disable-syslog",
            f"--socket-dir={folder}",
            f"--local-address={address}",
            f"--local-port={port}",
            "--launch=bind",
            f"--bind-config={config}",
            "--security-poll-suffix=",
        ],
    }
    return Program(folder, address, port, commands[program])


def unbound(folder: Path, address: str, port: int, *data: str) -> Program:
    """A resolver that knows these records and for which nothing else of ``example`` exists."""
    lines = ['  local-zone: "example." static', *(f'  local-data: "{each}"' for each in data)]
    config = folder / "server.conf"
    config.write_text(UNBOUND.format(folder=folder, address=address, port=port, data="\n".join(lines)))
    return Program(folder, address, port, ["unbound", "-d", "-p", "-c", config])
